/* SPDX-License-Identifier: MIT */
/*
 * A thread that waits takes the place of a worker that sleeps: src/engines/guest.c with the sleep of
 * src/engines/threads.c, which sleep.pml has in full. One worker, one queue. Never are two threads the worker at once
 * (asserted), and every task runs: the submitter waits for that, so that a wake-up which is lost between the two
 * threads is a deadlock.
 */
/* cc: -O0 -DSAFETY */
/* pan: -m20000 -w22 */
/* holds: -DTASKS=3 */
/* holds: -DGUESTS=2 */
/* mutant: -DNO_TENANT */
/* mutant: -DNO_LAST_LOOK */
/* mutant: -DNEVER_AWAITED */
/* mutant: -DNO_CALL */

#ifndef TASKS
#define TASKS 2
#endif
#ifndef GUESTS
#define GUESTS 1
#endif
#define VISITS 2                 /* of each guest */

mtype = { LOOKING, ASLEEP, OWN, NONE, GUEST, AWAITED };

byte queue, done;
mtype state = LOOKING, tenant = OWN;
bool parked_state, parked_tenant; /* the worker's own thread sleeps in one of its futexes */
byte present;                     /* threads that are the worker */

inline become()
{
	present++;
	assert(present == 1)
}

/* Runs all that it finds; then announces sleep and looks once more. Ends with nothing found and the state asleep, or
 * woken meanwhile. */
inline look_and_announce()
{
	do
	:: atomic { queue > 0 -> queue--; done++ }
	:: atomic { queue == 0 -> skip };
	   state = ASLEEP;
#ifndef NO_LAST_LOOK
	   if
	   :: atomic { queue > 0 -> state = LOOKING }
	   :: atomic { queue == 0 -> break }
	   fi
#else
	   break
#endif
	od
}

active proctype worker()
{
	become();
search:	look_and_announce();
	present--;
	tenant = NONE;
rest:	atomic { parked_state = (state == ASLEEP) };
end:	!parked_state;
	if
	:: state == ASLEEP -> goto rest
	:: state != ASLEEP
	fi;
	if
	:: atomic { tenant == NONE -> tenant = OWN }; become(); goto search
	:: atomic { tenant != NONE -> skip }
	fi;
await:	if
	:: atomic { tenant == NONE -> goto rest }
	:: atomic { tenant == GUEST -> tenant = AWAITED }
	:: atomic { tenant == AWAITED -> parked_tenant = true };
	   !parked_tenant
	fi;
	goto await
}

active [GUESTS] proctype guest()
{
	byte visits;
	mtype was;
	bool calls;

	do
	:: visits == VISITS -> break
	:: visits < VISITS && tenant != NONE -> visits++
#ifdef NO_TENANT
	:: visits < VISITS && tenant == NONE ->
#else
	:: atomic { visits < VISITS && tenant == NONE -> tenant = GUEST };
#endif
	   visits++;
	   become();
	   state = LOOKING;
	   if
	   :: look_and_announce();
	      calls = false
	   :: calls = true /* it has to leave at once: the worker's own thread is to look */
	   fi;
	   present--;
	   atomic { was = tenant; tenant = NONE };
#ifndef NEVER_AWAITED
	   if
	   :: was == AWAITED -> parked_tenant = false
	   :: else
	   fi;
#endif
#ifndef NO_CALL
	   if
	   :: calls -> parked_state = false
	   :: else
	   fi
#endif
	od
}

active proctype submitter()
{
	byte n;

	do
	:: n == TASKS -> break
	:: n < TASKS ->
	   queue++;
	   n++;
	   if
	   :: atomic { state == ASLEEP -> state = LOOKING };
	      parked_state = false
	   :: atomic { state != ASLEEP -> skip }
	   fi
	od;
	done == TASKS
}
