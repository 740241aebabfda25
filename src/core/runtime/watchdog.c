/* SPDX-License-Identifier: MIT */
/*
 * A thread that sleeps until SIGUSR1 arrives or nothing has moved for too long, and then writes the dump to the log; it
 * also calls the guard. A signal belongs to the whole process, so the word that the handler changes is the one variable
 * that runtimes share.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/agent.h"
#include "core/runtime/dump.h"
#include "core/runtime/engine.h"
#include "core/runtime/guard.h"
#include "core/runtime/runtime.h"
#include "core/runtime/watchdog.h"
#include "core/runtime/worker.h"

struct xy__watchdog {
	struct xy_runtime *rt;
	pthread_t thread;
	bool handles_signal;
	int signals; /* how many it has seen: the thread, once there is one */
	_Atomic bool stopping;
};

static _Atomic int watchdog_bell;    /* futex; rung by the signal and by stopping runtimes */
static _Atomic int watchdog_signals; /* how many there were */
static _Atomic int watchdog_lock;
static unsigned watchdog_users; /* (watchdog_lock) of the handler */
static bool watchdog_may;       /* (watchdog_lock) without users: the program has no handler */

static void watchdog_ring(void)
{
	atomic_fetch_add(&watchdog_bell, 1);
	xy__futex_wake(&watchdog_bell, INT_MAX);
}

static void watchdog_signal(int number)
{
	int saved = errno;

	(void)number;
	atomic_fetch_add(&watchdog_signals, 1);
	watchdog_ring();
	errno = saved;
}

void xy__watchdog_prepare(void)
{
	struct sigaction now;

	xy__lock_take(&watchdog_lock);
	if (!watchdog_users)
		watchdog_may = sigaction(SIGUSR1, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
			       now.sa_handler == SIG_DFL;
	xy__lock_drop(&watchdog_lock);
}

/* Takes SIGUSR1 unless the program has a use for it. */
static bool watchdog_take_signal(void)
{
	struct sigaction action = { .sa_handler = watchdog_signal, .sa_flags = SA_RESTART };
	bool taken;

	xy__lock_take(&watchdog_lock);
	taken = watchdog_users > 0 || (watchdog_may && sigaction(SIGUSR1, &action, NULL) == 0);
	watchdog_users += taken;
	xy__lock_drop(&watchdog_lock);
	return taken;
}

static void watchdog_give_signal(void)
{
	struct sigaction now, none = { .sa_handler = SIG_DFL };

	xy__lock_take(&watchdog_lock);
	if (--watchdog_users == 0 && sigaction(SIGUSR1, NULL, &now) == 0 && now.sa_handler == watchdog_signal)
		sigaction(SIGUSR1, &none, NULL);
	xy__lock_drop(&watchdog_lock);
}

static uint64_t watchdog_ended(struct xy_runtime *rt)
{
	uint64_t ended = 0;

	for (unsigned i = 0; i < rt->nworkers; i++)
		ended += atomic_load(&rt->workers[i].agent.ended);
	for (unsigned i = 0; i < XY__APPLICATION_AGENTS; i++)
		ended += atomic_load(&rt->applications[i].ended);
	return ended + atomic_load(&rt->waits_ended);
}

/* Dumps once when nothing has ended for the given time although there are tasks, or threads that wait. */
static void watchdog_look(struct xy_runtime *rt, uint64_t *ended, double *since, bool *barked)
{
	uint64_t now_ended = watchdog_ended(rt);
	double limit = rt->settings.watchdog_s;

	if (now_ended != *ended || (rt->engine->live(rt) == 0 && !atomic_load(&rt->waiting))) {
		*ended = now_ended;
		*since = xy__now();
		*barked = false;
	} else if (!*barked && xy__now() - *since >= limit) {
		*barked = true;
		if (rt->engine->live(rt))
			xy__log(&rt->settings.log, "no task has ended for %g seconds; this is the state:", limit);
		else
			xy__log(&rt->settings.log,
				"a thread has waited for %g seconds, and there are no tasks; this is the state:",
				limit);
		xy__dump_log(rt);
	}
}

static void *watchdog_main(void *arg)
{
	struct xy__watchdog *watchdog = arg;
	struct xy_runtime *rt = watchdog->rt;
	double limit = rt->settings.watchdog_s, guard = rt->settings.guard_s, since = xy__now();
	double pause = limit > 0 && guard > 0 ? fmin(limit, guard) / 4 : fmax(limit, guard) / 4;
	uint64_t ended = 0;
	bool barked = false;

	pthread_setname_np(pthread_self(), "xylem-watchdog");
	for (;;) {
		int bell = atomic_load(&watchdog_bell);

		if (atomic_load(&watchdog->stopping))
			return NULL;
		if (atomic_load(&watchdog_signals) != watchdog->signals) {
			watchdog->signals = atomic_load(&watchdog_signals);
			xy__dump_log(rt);
		}
		if (limit > 0)
			watchdog_look(rt, &ended, &since, &barked);
		if (guard > 0)
			xy__guard_look(rt);
		xy__futex_wait(&watchdog_bell, bell, pause > 0 ? pause : -1);
	}
}

int xy__watchdog_start(struct xy_runtime *rt)
{
	struct xy__watchdog *watchdog;
	sigset_t set, old;
	int error;

	if (!rt->settings.sigusr1 && !(rt->settings.watchdog_s > 0) && !(rt->settings.guard_s > 0))
		return 0;
	watchdog = calloc(1, sizeof *watchdog);
	if (!watchdog)
		return -ENOMEM;
	watchdog->rt = rt;
	watchdog->signals = atomic_load(&watchdog_signals);
	watchdog->handles_signal = rt->settings.sigusr1 && watchdog_take_signal();
	sigfillset(&set);
	if (watchdog->handles_signal)
		sigdelset(&set, SIGUSR1);
	pthread_sigmask(SIG_SETMASK, &set, &old);
	error = pthread_create(&watchdog->thread, NULL, watchdog_main, watchdog);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (error) {
		xy__log(&rt->settings.log, "the thread of the watchdog can't be created: %s", strerror(error));
		if (watchdog->handles_signal)
			watchdog_give_signal();
		free(watchdog);
		return -error;
	}
	rt->watchdog = watchdog;
	return 0;
}

void xy__watchdog_stop(struct xy_runtime *rt)
{
	struct xy__watchdog *watchdog = rt->watchdog;

	if (!watchdog)
		return;
	atomic_store(&watchdog->stopping, true);
	watchdog_ring();
	pthread_join(watchdog->thread, NULL);
	if (watchdog->handles_signal)
		watchdog_give_signal();
	free(watchdog);
	rt->watchdog = NULL;
}
