/* SPDX-License-Identifier: MIT */
/*
 * How teams come together: src/components/parallel_worker.c and the rounds of src/core/runtime/team.c, with workers
 * that sleep as in sleep.pml when nobody calls. Teams overlap in every way. Each task that is posted must
 * begin, with all members in it and nobody left from the round before; in the end all workers sleep.
 */
/* cc: -O2 -DSAFETY */
/* pan: -m100000 -w22 */
/* holds: -DNESTED */
/* mutant: -DJOIN_ANY */
/* mutant: -DTICKET_BEFORE_LOCK */
/* mutant: -DNO_LAST_LOOK */
/* mutant: -DWAKE_ONE */
/* mutant: -DLEADER_DOES_NOT_WAIT */

#define WORKERS 3
#define TEAMS 3
#define POSTS 3                  /* in all: two by one thread, one by another */
#define BIT(w) (1 << (w))

#ifdef NESTED
#define OTHERS(t) (t == 1 -> 2 : 1)
#define MEMBERS(t) (t == 0 -> 3 : (t == 1 -> 7 : 6))    /* {0,1}, {0,1,2}, {1,2} */
#else
#define OTHERS(t) 1
#define MEMBERS(t) (t == 0 -> 3 : (t == 1 -> 6 : 5))    /* each two of the three */
#endif

byte tickets;                    /* given */
byte ticket[TEAMS];              /* of the task that is posted; 0: none */
byte arrived[TEAMS];             /* mask of members that have joined for it */
byte round[TEAMS];               /* tasks that have begun */
byte helped[TEAMS];              /* members that have done their part of the round, but the leader */
byte calls[WORKERS];
bool asleep[WORKERS], parked[WORKERS];
byte ran;                        /* tasks */

/* The first team with the lowest ticket that calls worker w; TEAMS if there is none. */
inline lowest(w, best)
{
	i = 0;
	best = TEAMS;
	do
	:: i < TEAMS ->
		if
		:: ticket[i] && (MEMBERS(i) & BIT(w)) && !(arrived[i] & BIT(w)) &&
		   (best == TEAMS || ticket[i] < ticket[best]) -> best = i
#ifdef JOIN_ANY
		:: ticket[i] && (MEMBERS(i) & BIT(w)) && !(arrived[i] & BIT(w)) -> best = i
#endif
		:: else
		fi;
		i++
	:: else -> i = 0; break
	od
}

/* Any thread that brings tasks: each to a team with room. */
proctype poster(byte n)
{
	byte t, w, mine;

	do
	:: n > 0 ->
		if
		:: t = 0 :: t = 1 :: t = 2
		fi;
#ifdef TICKET_BEFORE_LOCK
		atomic { tickets++; mine = tickets };
#endif
		atomic {
			ticket[t] == 0;      /* refused until then */
#ifdef TICKET_BEFORE_LOCK
			ticket[t] = mine;
#else
			tickets++;
			ticket[t] = tickets;
#endif
			arrived[t] = 0;
			w = 0;
			do
			:: w < WORKERS ->
				if
				:: MEMBERS(t) & BIT(w) -> calls[w]++
				:: else
				fi;
				w++
			:: else -> w = 0; break
			od
		};
		/* fence; then each member that sleeps is woken */
		do
		:: w < WORKERS ->
			atomic {
				if
				:: (MEMBERS(t) & BIT(w)) && asleep[w] ->
					asleep[w] = false;
					parked[w] = false;
#ifdef WAKE_ONE
					w = WORKERS - 1
#endif
				:: else
				fi;
				w++
			}
		:: else -> break
		od;
		atomic { n--; t = 0; w = 0; mine = 0 }
	:: else -> break
	od
}

proctype worker(byte me)
{
	byte team, mine, i;

	do
	:: atomic {
			calls[me];       /* join: one step under the lock */
			lowest(me, team);
			if
			:: team < TEAMS ->
				arrived[team] = arrived[team] | BIT(me);
				calls[me]--;
				mine = round[team];
				if
				:: arrived[team] == MEMBERS(team) ->
					ticket[team] = 0;
					arrived[team] = 0;
					round[team]++;
					assert(helped[team] == 0)
				:: else
				fi
			:: else
			fi
		};
		if
		:: team == TEAMS
		:: else ->
			if
			:: BIT(me) == (MEMBERS(team) & -MEMBERS(team)) ->
				/* the leader: when all others have done their part the round is over */
#ifndef LEADER_DOES_NOT_WAIT
				atomic { round[team] > mine && helped[team] == OTHERS(team); helped[team] = 0;
#else
				atomic { round[team] > mine; helped[team] = 0;
#endif
					ran++; team = 0; mine = 0 }
			:: else ->
				atomic { round[team] > mine; assert(round[team] == mine + 1); helped[team]++;
					team = 0; mine = 0 }
			fi
		fi
	:: !calls[me] ->
		asleep[me] = true;
		/* fence */
		if
#ifndef NO_LAST_LOOK
		:: calls[me] -> asleep[me] = false
#endif
		:: else ->
			atomic {
				if
				:: asleep[me] -> parked[me] = true
				:: else
				fi
			};
end:			!parked[me]
		fi
	od
}

/* All that was posted has begun, whenever nothing moves any more. */
proctype judge()
{
	ran == POSTS
}

init {
	atomic {
		run worker(0); run worker(1); run worker(2);
		run poster(2); run poster(1); run judge()
	}
}
