/* SPDX-License-Identifier: MIT */
/*
 * Waiting and stopping: src/core/runtime/wait.c, and threads_wait_until, threads_at_rest and threads_stop in
 * src/engines/threads.c, with workers that sleep as in sleep.pml; the inbox is left out. Who waits is told by workers that run out of tasks. It must be told in the end, it
 * must not take a moment in which a task is in somebody's hands for rest, and stopping ends all workers.
 */
/* cc: -O0 -DSAFETY */
/* pan: -m20000 -w22 */
/* mutant: -DREST_BY_COUNTERS */
/* mutant: -DREST_BY_ONE_LOOK */
/* mutant: -DSUBMITTED_FIRST */
/* mutant: -DNO_NEWS_OF_REST */
/* mutant: -DNEWS_READ_TOO_LATE */
/* mutant: -DWAKE_BEFORE_STOPPING */
/* mutant: -DSLEEP_WHEN_STOPPING */

#define WORKERS 2
#define TASKS 3
#define NONE TASKS
#define BIT(t) (1 << (t))

/* --- the tasks: chosen by init --- */

byte spawns[TASKS];              /* mask of the tasks that it submits while it runs */
byte releases[TASKS];            /* mask of the tasks that its end makes ready */
byte roots;                      /* mask of what main submits */
bool blocked;                    /* there is one more, which can never run */

/* --- what threads share --- */

mtype = { AWAKE, LOOKING, ASLEEP };

byte queue;                      /* mask of tasks; the lowest leaves first */
byte submitted, ended;           /* how many */
byte in_hands;                   /* how many have left the queue and not ended */
short sleepers, searchers;
mtype state[WORKERS] = AWAKE;
bool parked[WORKERS];            /* sleeps in the futex that its state is */
byte resting;                    /* workers that looked a last time and have not got up since */
bool slept_again = true;         /* the sum of their sleeps has changed since main began to look */
bool stopping;
bool waiters, news, main_parked; /* main waits; the futex has changed; main sleeps in it */
byte threads;                    /* workers that have not ended */

inline take_lowest(mask, t)
{
	t = 0;
	do
	:: !(mask & BIT(t)) -> t++
	:: else -> break
	od;
	mask = mask & ~BIT(t)
}

inline wake(id)
{
	atomic {
		slept = (state[id] == ASLEEP);
		told = (state[id] != AWAKE);
		if
		:: slept -> state[id] = LOOKING
		:: else
		fi
	};
	if
	:: slept -> atomic { slept = false; searchers++; sleepers--; parked[id] = false }
	:: else
	fi
}

/* To the others only: what is for oneself is not offered. */
inline offer()
{
	if
	:: sleepers == 0 || searchers > 0
	:: else ->
		do
		:: w < WORKERS && !told -> wake(w); w++
		:: else -> break
		od;
		atomic { w = 0; told = false }
	fi
}

/* xy__wait_news */
inline tell_waiters()
{
	if
	:: !waiters
	:: else -> atomic { news = true; main_parked = false }
	fi
}

mtype = { FIRST, LOOK, LAST };

proctype worker(byte me)
{
	byte task, w, x, mask;
	bool told, slept;
	mtype stage = FIRST;

take:
	atomic {
		task = NONE;
		if
		:: queue != 0 -> take_lowest(queue, task); in_hands++
		:: else
		fi
	};
	if
	:: stage == FIRST && task != NONE -> goto execute
	:: stage == FIRST && task == NONE
	:: stage == LOOK && task != NONE -> goto found
	:: stage == LOOK && task == NONE -> goto announce
	:: stage == LAST && task != NONE -> goto stay
	:: stage == LAST && task == NONE -> goto sleep
	fi;
	atomic { searchers++; state[me] = LOOKING; stage = LOOK };
	tell_waiters();
	goto take;

announce:
	atomic { sleepers++; searchers--; state[me] = ASLEEP; stage = LAST };
	goto take;

stay:
	atomic {
		if
		:: state[me] == ASLEEP -> state[me] = LOOKING; searchers++; sleepers--
		:: else
		fi
	};
	goto found;

sleep:
#ifndef SLEEP_WHEN_STOPPING
	if
	:: stopping -> goto stay
	:: else
	fi;
#endif
	slept_again = true;
	resting++;
#ifndef NO_NEWS_OF_REST
	tell_waiters();
#endif
	do
	:: atomic { state[me] == ASLEEP -> parked[me] = true };
		!parked[me]
	:: state[me] != ASLEEP -> break
	od;
	atomic { resting--; stage = LOOK };
	if
	:: stopping -> goto found
	:: else -> goto take
	fi;

found:
	atomic { state[me] = AWAKE; searchers-- };
	if
	:: queue != 0 -> offer()
	:: else
	fi;
	if
	:: task == NONE -> goto leave
	:: else
	fi;

execute:
	mask = spawns[task];
	do
	:: mask != 0 ->
		submitted++;
		atomic { take_lowest(mask, x); queue = queue | BIT(x); x = 0 };
		offer()
	:: else -> break
	od;
	mask = releases[task];
	do
	:: mask != 0 ->
		atomic { take_lowest(mask, x); queue = queue | BIT(x); x = 0 };
		if
		:: offer()
		:: true     /* the first is for this worker */
		fi
	:: else -> break
	od;
	atomic { ended++; in_hands--; task = NONE; stage = FIRST };
	goto take;

leave:
	threads--
}

/* --- main: it submits, waits and stops --- */

/* xy__agent_live: none: there was a moment without a task */
inline look_whether_none_is_left()
{
#ifdef SUBMITTED_FIRST
	seen = submitted;
	none = (seen == ended);
#else
	seen = ended;
	none = (seen == submitted);
#endif
	seen = 0
}

/* threads_at_rest */
inline look_whether_at_rest()
{
#ifdef REST_BY_COUNTERS
	at_rest = (resting == WORKERS);
	at_rest = at_rest && sleepers == WORKERS;
#else
	slept_again = false;
	at_rest = (resting == WORKERS);
	do
	:: w < WORKERS -> atomic { at_rest = at_rest && state[w] == ASLEEP; w++ }
	:: else -> break
	od;
#ifndef REST_BY_ONE_LOOK
	at_rest = at_rest && resting == WORKERS;
	at_rest = at_rest && !slept_again;
#endif
	atomic { slept_again = true; w = 0 }
#endif
}

init
{
	byte w, x, seen;
	bool told, slept, none, at_rest, settle;

	atomic {
		if
		:: settle = false; roots = BIT(0); spawns[0] = BIT(1)                  /* xy_wait */
		:: settle = true; roots = BIT(0) | BIT(1)                              /* xy_stop */
		:: settle = true; roots = BIT(0); releases[0] = BIT(1) | BIT(2); submitted = 2
		:: settle = true; roots = BIT(0); releases[0] = BIT(1); submitted = 2; blocked = true
		fi;
		do
		:: w < WORKERS -> run worker(w); threads++; w++
		:: else -> break
		od;
		w = 0
	};
	do
	:: roots != 0 ->
		atomic { take_lowest(roots, x); submitted++; queue = queue | BIT(x); x = 0 };
		offer()
	:: else -> break
	od;

	waiters = true;
	do
	::
#ifndef NEWS_READ_TOO_LATE
		news = false;
#endif
		look_whether_none_is_left();
		if
		:: none -> break
		:: else
		fi;
		if
		:: settle ->
			look_whether_at_rest();
			if
			:: at_rest -> break
			:: else
			fi
		:: else
		fi;
#ifdef NEWS_READ_TOO_LATE
		news = false;
#endif
		atomic {
			if
			:: !news -> main_parked = true
			:: else
			fi
		};
		!main_parked
	od;
	atomic { waiters = false; none = false; at_rest = false; settle = false };
	assert(ended + blocked == submitted && in_hands == 0);

#ifndef WAKE_BEFORE_STOPPING
	stopping = true;
#endif
	do
	:: w < WORKERS -> wake(w); w++
	:: else -> break
	od;
	stopping = true;
	threads == 0;
	assert(sleepers == 0 && searchers == 0 && queue == 0)
}
