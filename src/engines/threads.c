/* SPDX-License-Identifier: MIT */
/*
 * The engine in real time: a thread for each worker, bound to its core. A worker that finds nothing
 * looks for a short while, then announces that it sleeps, looks once more, and sleeps. Whoever stores a
 * task looks for sleepers afterwards. Both have a fence between the two, so one of them sees the other.
 * The same protocol is in tests/models/sleep.pml.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>

#include "core/machine.h"
#include "core/runtime.h"

enum { LOOK_SPINS = 64, LOOK_YIELDS = 40 };

static inline struct xy_task *threads_take(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;
	struct xy_task *task;

	if (xy__inbox_has(rt))
		xy__inbox_drain(rt, &worker->agent);
	/* A leaf and its worker are one: no dispatcher is between them, so this counts. */
	task = xy__worker_pull(worker->leaf, &worker->agent.base);
	if (task)
		xy__agent_count(&worker->leaf->shards[worker->agent.base.shard].pulled, &worker->agent);
	return task;
}

static enum xy__wake threads_wake(struct xy__tree_engine *engine, unsigned id)
{
	struct xy_runtime *rt = (struct xy_runtime *)((char *)engine - offsetof(struct xy_runtime, engine));
	struct xy__worker *worker = &rt->workers[id];
	int state = atomic_load(&worker->state);

	if (state != XY__ASLEEP)
		return state == XY__LOOKING ? XY__WAKE_LOOKING : XY__WAKE_BUSY;
	if (!atomic_compare_exchange_strong(&worker->state, &state, XY__LOOKING))
		return state == XY__LOOKING ? XY__WAKE_LOOKING : XY__WAKE_BUSY;
	/* On behalf of the sleeper, so that the next offer sees that somebody looks. */
	atomic_fetch_add(&rt->searchers, 1);
	atomic_fetch_sub(&rt->sleepers, 1);
	xy__futex_wake(&worker->state, 1);
	return XY__WAKE_WOKEN;
}

/* Offers that came while this worker looked did not travel, because it looked. It has found a task and
 * looks no more: what is left is offered to somebody else. */
static void threads_offer_rest(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;
	const struct xy_offer mine = { .archs = worker->agent.base.archs }, anything = { .archs = XY_ON_ALL };

	worker->agent.base.offers = 1; /* it has its task, the next one is not for it */
	atomic_store(&worker->state, XY__AWAKE);
	atomic_fetch_sub(&rt->searchers, 1);
	xy__fence();
	if (!atomic_load_explicit(&rt->sleepers, memory_order_relaxed))
		return;
	if (xy__inbox_has(rt))
		xy__inbox_drain(rt, &worker->agent);
	for (unsigned i = 0; i < worker->nabove; i++) {
		struct xy_component *reservoir = worker->above[i];
		size_t peak;

		if (reservoir->ops->depth(reservoir, &peak) &&
		    !xy_can_pull_children(reservoir, &mine, &worker->agent.base))
			xy_can_pull_children(reservoir, &anything, &worker->agent.base);
	}
}

/* Looks for a while; the worker counts as a searcher. */
static struct xy_task *threads_look(struct xy__worker *worker)
{
	struct xy_task *task;

	for (unsigned i = 0; i < LOOK_SPINS + LOOK_YIELDS; i++) {
		task = threads_take(worker);
		if (task)
			return task;
		if (i < LOOK_SPINS)
			xy__pause();
		else
			sched_yield();
	}
	return NULL;
}

/* Sleeps until woken, unless there is a task after all. Afterwards the worker looks again. */
static struct xy_task *threads_sleep(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;
	int asleep = XY__ASLEEP;
	struct xy_task *task;

	xy__pool_flush(&worker->agent.pool);
	atomic_fetch_add(&rt->sleepers, 1);
	atomic_fetch_sub(&rt->searchers, 1);
	atomic_store(&worker->state, XY__ASLEEP);
	xy__fence(); /* pairs with the fence of whoever stores a task */
	task = threads_take(worker);
	if (task || atomic_load(&rt->stopping)) {
		if (atomic_compare_exchange_strong(&worker->state, &asleep, XY__LOOKING)) {
			atomic_fetch_add(&rt->searchers, 1);
			atomic_fetch_sub(&rt->sleepers, 1);
		}
		return task;
	}
	atomic_fetch_add(&worker->sleeps, 1); /* before it rests: see xy__runtime_at_rest */
	atomic_fetch_add(&rt->resting, 1);
	xy__runtime_news(rt);
	while (atomic_load(&worker->state) == XY__ASLEEP)
		xy__futex_wait(&worker->state, XY__ASLEEP, -1);
	atomic_fetch_sub(&rt->resting, 1);
	return NULL;
}

struct xy_task *xy__threads_next(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;
	struct xy_task *task = threads_take(worker);

	if (task)
		return task;
	atomic_fetch_add(&rt->searchers, 1);
	atomic_store(&worker->state, XY__LOOKING);
	worker->agent.base.offers = 0;
	xy__runtime_news(rt);
	do {
		task = threads_look(worker);
		if (!task)
			task = threads_sleep(worker);
	} while (!task && !atomic_load(&rt->stopping));
	threads_offer_rest(worker);
	return task;
}

static void *threads_main(void *arg)
{
	struct xy__worker *worker = arg;
	struct xy_runtime *rt = worker->agent.runtime;
	char name[16];
	int error;

	snprintf(name, sizeof name, "xylem-%.9s", xy_machine_worker(rt->machine, worker->id)->name);
	pthread_setname_np(pthread_self(), name);
	error = rt->settings.bind ? xy__machine_bind(rt->machine, worker->id) : 0;
	if (error)
		xy__log(&rt->settings.log, "worker %u can't be bound to its core (error %d) and runs unbound",
			worker->id, error);
	xy__become(&worker->agent);
	xy__worker_run(worker);
	return NULL;
}

int xy__threads_start(struct xy_runtime *rt)
{
	sigset_t all, old;
	int error = 0;

	rt->engine.sleepers = &rt->sleepers;
	rt->engine.searchers = &rt->searchers;
	rt->engine.archs = rt->root->archs;
	rt->engine.wake = threads_wake;
	rt->tree->engine = &rt->engine;
	/* Signals are for the application's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (; rt->nthreads < rt->nworkers && !error; rt->nthreads += !error)
		error = pthread_create(&rt->workers[rt->nthreads].thread, NULL, threads_main,
				       &rt->workers[rt->nthreads]);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -error;
}

void xy__threads_stop(struct xy_runtime *rt)
{
	atomic_store(&rt->stopping, true);
	for (unsigned i = 0; i < rt->nthreads; i++)
		threads_wake(&rt->engine, i);
	for (unsigned i = 0; i < rt->nthreads; i++)
		pthread_join(rt->workers[i].thread, NULL);
	rt->nthreads = 0;
}
