/* SPDX-License-Identifier: MIT */
/*
 * How workers sleep and are woken: src/engines/threads.c, src/core/runtime/inbox.c and the offers of
 * src/core/tree/component.c, over a tree that is one queue above all workers. doc/sleeping.md explains it.
 * Tasks of one group meet: each runs until all of them run. So a worker that sleeps for ever beside
 * a task that it could run is a deadlock, which spin reports as an invalid end state.
 *
 * A step is a look at what threads share, or all changes that a thread makes between two looks, as
 * nobody can tell these apart; except that waking is two steps, since its two parts race.
 */
/* cc: -O0 -DSAFETY */
/* pan: -m20000 -w22 */
/* holds: -DBEGIN_ASLEEP -DTWO_SUBMITTERS */
/* holds: -DBEGIN_ASLEEP -DWORKERS=3 */
/* holds: -DBEGIN_ASLEEP -DPINNED -DMOST=1 */
/* holds: -DBEGIN_ASLEEP -DPINNED -DWORKERS=3 */
/* mutant: -DNO_LAST_LOOK */
/* mutant: -DANNOUNCE_TOO_LATE */
/* mutant: -DNO_REST */
/* mutant: -DREST_FOR_ITSELF */
/* mutant: -DNO_SECOND_DRAIN */
/* mutant: -DONE_OFFER_FOR_A_BATCH */
/* mutant: -DPHANTOM_SEARCHER */
/* mutant: -DLEAVE_AT_MOST -DBEGIN_ASLEEP -DPINNED -DMOST=1 */
/* mutant: -DREST_FOR_ANYBODY -DBEGIN_ASLEEP -DPINNED -DWORKERS=3 */
/* mutant: -DNO_REST_AT_FIRST -DBEGIN_ASLEEP -DPINNED -DMOST=1 */

#ifndef WORKERS
#define WORKERS 2
#endif

#define TASKS 4
#define NONE TASKS
#define APPLICATION WORKERS      /* an agent that is no worker */
#define BIT(t) (1 << (t))
#ifndef MOST
#define MOST 2                   /* tasks that leave the inbox under one lock, and in one go */
#endif

/* --- the tasks: chosen by init --- */

byte group[TASKS];
byte expected[TASKS];            /* by group: how many meet */
byte spawns[TASKS];              /* mask of the tasks that it submits while it runs */
byte releases[TASKS];            /* mask of the tasks that its end makes ready */
byte able[WORKERS];              /* mask of the tasks that the worker can run */
byte pinned;                     /* mask of the tasks that some worker can't run */
byte roots[2];                   /* masks of what the threads of the application submit */
byte total;                      /* how many there are */

/* --- what threads share --- */

mtype = { AWAKE, LOOKING, ASLEEP };

byte inbox, queue;               /* masks of tasks; the lowest leaves first */
bool inbox_lock;
short sleepers, searchers;
mtype state[WORKERS] = AWAKE;
bool parked[WORKERS];            /* sleeps in the futex that its state is */
byte present[TASKS];             /* by group */
byte ran;                        /* mask */
byte ended;                      /* how many */

/* Moves the lowest task out of a part of a mask; the part is not empty. */
inline take_lowest(mask, part, t)
{
	t = 0;
	do
	:: !(mask & part & BIT(t)) -> t++
	:: else -> break
	od;
	mask = mask & ~BIT(t)
}

/* --- waking: offer_settled, the sweep of a mapper, worker_tell, threads_wake --- */

#ifdef PHANTOM_SEARCHER
#define SOMEBODY_SEARCHES (searchers != 0)
#else
#define SOMEBODY_SEARCHES (searchers > 0)
#endif

#define IS_PINNED(t) (t != NONE && (pinned & BIT(t)))
#define CAN_RUN(id, t) (t == NONE || (able[id] & BIT(t)))
#define OFFERS_TO_ITSELF(me, t) (me != APPLICATION && !for_others && CAN_RUN(me, t))

/* told: nobody else needs to know of the task. */
inline wake(id, t)
{
	atomic {
		slept = (state[id] == ASLEEP);
		told = slept || (state[id] == LOOKING && !IS_PINNED(t));
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

/* The own worker first, if there is one, else any; then the others in turn. */
inline sweep(me, t)
{
	atomic {
		if
		:: me == APPLICATION ->
			do
			:: w < WORKERS - 1 -> w++
			:: break
			od
		:: else -> w = me
		fi
	};
	do
	:: k < WORKERS && !told ->
		if
		:: CAN_RUN(w, t) -> wake(w, t)
		:: else
		fi;
		atomic { k++; w = (w + 1) % WORKERS }
	:: else -> break
	od;
	atomic { k = 0; w = 0; told = false }
}

/* Offers a task, or with NONE whatever there is. */
inline offer(me, t)
{
	if
	:: sleepers == 0
	:: sleepers != 0 && OFFERS_TO_ITSELF(me, t) -> for_others = true
	:: sleepers != 0 && !OFFERS_TO_ITSELF(me, t) && !IS_PINNED(t) && SOMEBODY_SEARCHES
	:: else -> sweep(me, t)
	fi
}

/* Stores all tasks of the mask: a batch at once with two offers, one of which may be for the agent itself, else
 * one after the other. */
inline store(me, mask, batch)
{
	do
	:: mask != 0 || again ->
		atomic {
			if
			:: again -> again = false; x = NONE
			:: else ->
				take_lowest(mask, mask, x);
				queue = queue | BIT(x);
				again = batch && mask != 0;
				if
				:: again -> queue = queue | mask; mask = 0; x = NONE
				:: else
				fi
			fi
		};
#ifdef ONE_OFFER_FOR_A_BATCH
		again = false;
#endif
		offer(me, x);
		x = 0
	:: else -> break
	od
}

/* --- the inbox --- */

#ifdef LEAVE_AT_MOST
#define LEAVE_THE_REST true
#else
#define LEAVE_THE_REST (sleepers == 0 || SOMEBODY_SEARCHES)
#endif

inline drain(me)
{
	do
	:: atomic {
		if
		:: inbox == 0 || inbox_lock || (moved >= MOST && LEAVE_THE_REST) -> break
		:: else -> inbox_lock = true
		fi
	   };
		atomic {
			do
			:: inbox != 0 && k < MOST ->
				take_lowest(inbox, inbox, x);
				hand = hand | BIT(x);
				k++
			:: else -> break
			od;
			moved = moved + k;
			x = 0;
			k = 0
		};
		inbox_lock = false;
		store(me, hand, !(hand & pinned))
#ifdef NO_SECOND_DRAIN
		; break
#endif
	od;
	moved = 0
}

/* --- a worker: xy__search_next, and what it does with the task --- */

mtype = { FIRST, LOOK, LAST, REST, SPAWN, RELEASE };

proctype worker(byte me)
{
	byte task, w, k, x, moved, hand;
	bool told, slept, for_others, again;
	mtype stage = FIRST;

#ifdef BEGIN_ASLEEP
	goto sleep;
#endif

take:   /* xy__search_take; the stage says where from */
	if
	:: ended == total -> goto over
	:: else
	fi;
	drain(me);
	if
	:: stage == REST -> goto rest
	:: else
	fi;
	atomic {
		task = NONE;
		if
		:: queue & able[me] -> take_lowest(queue, able[me], task)
		:: else
		fi
	};
	if
	:: stage == FIRST && task != NONE -> goto found_at_first
	:: stage == FIRST && task == NONE
	:: stage == LOOK && task != NONE -> goto found
	:: stage == LOOK && task == NONE -> goto take
	:: stage == LOOK && task == NONE -> goto announce
	:: stage == LAST && task != NONE -> goto stay
	:: stage == LAST && task == NONE -> goto sleep
	fi;
	atomic { searchers++; state[me] = LOOKING; for_others = false; stage = LOOK };
	goto take;

announce:
#ifdef ANNOUNCE_TOO_LATE
	stage = LAST;
	goto take;
#endif
	atomic { sleepers++; searchers--; state[me] = ASLEEP; stage = LAST };
#ifndef NO_LAST_LOOK
	goto take;
#endif

sleep:
#ifdef ANNOUNCE_TOO_LATE
	atomic { sleepers++; searchers--; state[me] = ASLEEP };
#endif
	do
	:: atomic { state[me] == ASLEEP -> parked[me] = true };
end_asleep:     !parked[me]
	:: state[me] != ASLEEP -> break
	od;
	stage = LOOK;
	goto take;

stay:
	atomic {
		if
		:: state[me] == ASLEEP -> state[me] = LOOKING; searchers++; sleepers--
		:: else
		fi
	};

found:
	atomic {
#ifndef REST_FOR_ITSELF
		for_others = true;
#endif
		state[me] = AWAKE;
		searchers--;
		stage = REST
	};
#ifdef NO_REST
	goto execute;
#endif

offer_rest:
	if
	:: sleepers == 0 -> goto execute
	:: else -> goto take
	fi;
rest:
	if
	:: queue != 0 -> offer(me, NONE)
	:: else
	fi;
#ifndef REST_FOR_ANYBODY
	hand = queue & pinned;
	do
	:: hand != 0 ->
		atomic { take_lowest(hand, hand, x) };
		sweep(me, x);
		x = 0
	:: else -> break
	od;
#endif
	goto execute;

found_at_first:
#ifndef NO_REST_AT_FIRST
	if
	:: for_others && pinned -> stage = REST; goto offer_rest
	:: else
	fi;
#endif

execute:
	atomic {
		assert(!(ran & BIT(task)));
		ran = ran | BIT(task);
		present[group[task]]++;
		for_others = true;
		hand = spawns[task];
		stage = SPAWN
	};
hand_out:
	store(me, hand, false);
	if
	:: stage == SPAWN ->
		present[group[task]] == expected[group[task]];
		atomic { for_others = false; hand = releases[task]; stage = RELEASE };
		goto hand_out
	:: else
	fi;
	atomic { ended++; task = NONE; stage = FIRST };
	goto take;

over:   skip
}

/* --- a thread of the application: xy__inbox_put for each of its tasks --- */

proctype application(byte who)
{
	byte w, k, x, moved, hand;
	bool told, slept, for_others, again;

	do
	:: roots[who] != 0 ->
		atomic { take_lowest(roots[who], roots[who], x); inbox = inbox | BIT(x); x = 0 };
		if
		:: sleepers == 0 || SOMEBODY_SEARCHES
		:: else -> drain(APPLICATION)
		fi
	:: else -> break
	od;
	ended == total
}

/* --- what there is to do --- */

/* The tasks from first to last meet, and are all there is. */
inline meet(first, last)
{
	i = first;
	expected[first] = last - first + 1;
	do
	:: i <= last -> group[i] = first; i++
	:: else -> break
	od;
	total = last + 1
}

inline choose_tasks()
{
	if
#ifdef TWO_SUBMITTERS
	:: roots[0] = BIT(0);
		roots[1] = BIT(1);
		meet(0, 1)
#elif !defined(PINNED)
	:: /* two meet */
		roots[0] = BIT(0) | BIT(1);
		meet(0, 1)
	:: /* the end of one releases as many as there are workers, and these meet */
		roots[0] = BIT(0);
		releases[0] = BIT(WORKERS + 1) - 2;
		meet(1, WORKERS)
	:: /* one submits others and meets them */
		roots[0] = BIT(0);
		spawns[0] = BIT(WORKERS) - 2;
		meet(0, WORKERS - 1)
#elif WORKERS == 2
	:: /* one that leaves tasks in the inbox must not sleep, although it can't run the first */
		roots[0] = BIT(0) | BIT(1) | BIT(2);
		pinned = BIT(1);
		meet(0, 2);
		group[1] = 1;
		expected[0] = 2
	:: /* one that offers task 2 to itself may take task 1, for which nobody was woken */
		roots[0] = BIT(0);
		spawns[0] = BIT(1);
		releases[0] = BIT(2);
		pinned = BIT(1);
		meet(1, 2)
#else
	:: /* one that is woken for task 2 may take task 1 */
		roots[0] = BIT(0);
		releases[0] = BIT(1) | BIT(2);
		pinned = BIT(2);
		meet(1, 2)
#endif
	fi
}

init
{
	byte i;

	atomic {
		do
		:: i < TASKS -> group[i] = i; expected[i] = 1; i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < WORKERS -> able[i] = BIT(TASKS) - 1; i++
		:: else -> break
		od;
		choose_tasks();
		able[WORKERS - 1] = able[WORKERS - 1] & ~pinned;
		i = 0;
		do
		:: i < WORKERS ->
#ifdef BEGIN_ASLEEP
			state[i] = ASLEEP;
			sleepers++;
#endif
			run worker(i);
			i++
		:: else -> break
		od;
		i = 0;
		run application(0);
		if
		:: roots[1] != 0 -> run application(1)
		:: else
		fi
	}
}
