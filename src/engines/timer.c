/* SPDX-License-Identifier: MIT */
/*
 * Ticks in real time. A thread sleeps on a word until the next tick is due, or until the word changes because an
 * earlier one was asked for. It reads the word before it looks, so that a request in between is not slept through.
 *
 * Locking key: (c) constant, (a) atomic, (s) the threads that start, stop or change the tree, one at a time.
 */
#include "engines/timer.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/agent.h"
#include "core/runtime/wait.h"

struct xy__timer {
	struct xy_runtime *rt; /* (c) */
	_Atomic int bell;      /* (a) futex of the thread: changes when it should look */
	_Atomic bool stopping; /* (a) */
	bool begun, running;   /* (s) it may have a thread; it has */
	bool wanted;           /* (s) some tree has ticks */
	pthread_t thread;      /* (s) */
};

static void timer_ring(struct xy__timer *timer)
{
	atomic_fetch_add(&timer->bell, 1);
	xy__futex_wake(&timer->bell, 1);
}

void xy__timer_alarm(struct xy__tree_engine *engine)
{
	timer_ring(xy__runtime_of(engine)->timer);
}

/* Calls what is due; when the next one is. As an agent: trees are not exchanged meanwhile. */
static double timer_look(struct xy__timer *timer)
{
	struct xy_runtime *rt = timer->rt;
	struct xy__agent *agent = xy__agent_enter(rt);
	double next_us = INFINITY;
	bool any = false;

	for (unsigned k = 0; k < rt->ncontexts; k++)
		if (rt->contexts[k]->tree) {
			any |= xy__ticks_run(rt->contexts[k]->tree, &agent->base);
			next_us = fmin(next_us, xy__ticks_next_us(rt->contexts[k]->tree));
		}
	xy__agent_leave(agent);
	if (any)
		xy__wait_news(rt); /* nothing may be left that could move */
	return next_us;
}

static void *timer_main(void *arg)
{
	struct xy__timer *timer = arg;

	pthread_setname_np(pthread_self(), "xylem-timer");
	for (;;) {
		int bell = atomic_load(&timer->bell);
		double left_s;

		if (atomic_load(&timer->stopping))
			return NULL;
		left_s = timer_look(timer) * 1e-6 - xy_now(timer->rt);
		if (left_s > 0)
			xy__futex_wait(&timer->bell, bell, isinf(left_s) ? -1 : left_s);
	}
}

static int timer_run(struct xy__timer *timer)
{
	sigset_t all, old;
	int error;

	/* Signals are for the application's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(&timer->thread, NULL, timer_main, timer);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	timer->running = !error;
	if (error)
		xy__log(&timer->rt->settings.log, "the thread that calls ticks can't be created: %s", strerror(error));
	return -error;
}

int xy__timer_ticks(struct xy_runtime *rt)
{
	struct xy__timer *timer = rt->timer;
	int error = timer->begun && !timer->running ? timer_run(timer) : 0;

	timer->wanted = true;
	timer_ring(timer);
	return error;
}

int xy__timer_start(struct xy_runtime *rt)
{
	rt->timer->begun = true;
	return rt->timer->wanted ? timer_run(rt->timer) : 0;
}

void xy__timer_stop(struct xy_runtime *rt)
{
	struct xy__timer *timer = rt->timer;

	if (!timer || !timer->running)
		return;
	atomic_store(&timer->stopping, true);
	timer_ring(timer);
	pthread_join(timer->thread, NULL);
	timer->running = false;
}

int xy__timer_create(struct xy_runtime *rt)
{
	rt->timer = calloc(1, sizeof *rt->timer);
	if (!rt->timer)
		return -ENOMEM;
	rt->timer->rt = rt;
	return 0;
}

void xy__timer_destroy(struct xy_runtime *rt)
{
	free(rt->timer);
	rt->timer = NULL;
}
