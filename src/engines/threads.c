/* SPDX-License-Identifier: MIT */
/*
 * The engine in real time: a thread for each worker, bound to its core. A worker that finds nothing
 * looks for a short while, then announces that it sleeps, looks once more, and sleeps. Whoever stores a
 * task looks for sleepers afterwards. Both have a fence between the two, so one of them sees the other.
 * doc/sleeping.md explains it, tests/models and tests/relacy check it.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>

#include "core/data/memory.h"
#include "core/runtime/deps.h"
#include "core/machine/machine.h"
#include "core/runtime/runtime.h"
#include "core/runtime/team.h"

enum { LOOK_SPINS = 64, LOOK_YIELDS = 40 };

#define BRIEF_S 100e-6

/* A task that was cancelled ends here. */
static __attribute__((noinline)) bool threads_skip(struct xy__worker *worker, struct xy_task *task)
{
	int status = atomic_load_explicit(&task->status, memory_order_relaxed);

	if (!status)
		return false;
	if (task->flags & XY__TASK_WANTED)
		xy__task_unwant(task);
	xy__deps_end(task, status, &worker->agent);
	return true;
}

static inline struct xy_task *threads_take(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;
	struct xy_task *task;

	if (xy__inbox_has(rt))
		xy__inbox_drain(rt, &worker->agent);
	if (worker->member)
		return xy__team_take(worker);
	/* A leaf and its worker are one: no dispatcher is between them, so this counts. */
	do {
		task = xy__worker_pull(worker->leaf, &worker->agent.base);
		if (!task)
			return NULL;
		xy__agent_count(&worker->leaf->shards[worker->agent.base.shard].pulled, &worker->agent);
	} while (__builtin_expect(rt->skips, 0) && threads_skip(worker, task));
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

static bool threads_somebody_sleeps(const struct xy__tree_engine *engine)
{
	return atomic_load_explicit(engine->sleepers, memory_order_relaxed) != 0;
}

/* What rests in a reservoir. */
struct threads_rest {
	const struct xy_component *reservoir;
	unsigned kinds;              /* mask of 1 << archs, of tasks that nothing constrains */
};

/* A worker that was woken for this task may have taken another one: wakes the next that can run it. What only one
 * can run is that one's. The component holds the task. */
static void threads_see_task(void *arg, const struct xy_task *task)
{
	struct threads_rest *rest = arg;
	const struct xy_component *reservoir = rest->reservoir;
	struct xy__tree_engine *engine = reservoir->tree->engine;

	if (!task->constrained) {
		rest->kinds |= 1u << task->archs;
		return;
	}
	if (task->extra && task->extra->nworkers == 1)
		return;
	for (unsigned i = 0; i < reservoir->nworkers && threads_somebody_sleeps(engine); i++)
		if (xy_task_can_run(task, reservoir->workers[i]) &&
		    engine->wake(engine, reservoir->workers[i]) == XY__WAKE_WOKEN)
			return;
}

/* One offer for each kind of task is enough: who takes one of them offers the rest again. */
static void threads_offer_kinds(struct xy_component *reservoir, struct xy_agent *by)
{
	const struct xy_component_ops *ops = reservoir->ops;
	struct threads_rest rest = { .reservoir = reservoir };

	(ops->each_kind ? ops->each_kind : ops->each_task)(reservoir, threads_see_task, &rest);
	for (; rest.kinds; rest.kinds &= rest.kinds - 1)
		xy_can_pull_children(reservoir, &(struct xy_offer){ .archs = (unsigned)__builtin_ctz(rest.kinds) }, by);
}

/* Some offers did not travel because this worker was about to take a task. It has one now: what is left
 * is offered to somebody else. */
void xy__threads_offer_rest(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;
	const struct xy_offer mine = { .archs = worker->agent.base.archs };
	const struct xy_offer anything = { .archs = XY_ON_ALL | XY_ON_TEAM };
	bool differ = atomic_load_explicit(&rt->workers_differ, memory_order_relaxed);

	if (!threads_somebody_sleeps(&rt->engine))
		return;
	if (xy__inbox_has(rt))
		xy__inbox_drain(rt, &worker->agent);
	for (unsigned i = 0; i < worker->nabove; i++) {
		struct xy_component *reservoir = worker->above[i];
		size_t peak;

		if (!reservoir->ops->depth(reservoir, &peak))
			continue;
		if (differ && reservoir->ops->each_task)
			threads_offer_kinds(reservoir, &worker->agent.base);
		else if (!xy_can_pull_children(reservoir, &mine, &worker->agent.base))
			xy_can_pull_children(reservoir, &anything, &worker->agent.base);
	}
}

void xy__threads_found(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;

	worker->agent.base.offers = 1; /* it has its task, the next one is not for it */
	atomic_store(&worker->state, XY__AWAKE);
	atomic_fetch_sub(&rt->searchers, 1);
	xy__fence(); /* pairs with the fence of whoever stored a task and saw that it looked */
	xy__threads_offer_rest(worker);
}

/* Looks for a while; the worker counts as a searcher. */
static struct xy_task *threads_look(struct xy__worker *worker)
{
	struct xy_task *task;

	for (unsigned i = 0; i < LOOK_SPINS + LOOK_YIELDS; i++) {
		task = threads_take(worker);
		if (task)
			return task;
		xy__transfers_poll(worker->agent.runtime, &worker->agent);
		if (i < LOOK_SPINS)
			xy__pause();
		else
			sched_yield();
	}
	return NULL;
}

/* Until somebody wakes it; but not for long while there are transfers that may need a look. */
static void threads_rest(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;
	int asleep = XY__ASLEEP;

	while (atomic_load(&worker->state) == XY__ASLEEP) {
		bool brief = xy__transfers_underway(&rt->memory);

		xy__futex_wait(&worker->state, XY__ASLEEP, brief ? BRIEF_S : -1);
		if (brief && atomic_compare_exchange_strong(&worker->state, &asleep, XY__LOOKING)) {
			atomic_fetch_add(&rt->searchers, 1);
			atomic_fetch_sub(&rt->sleepers, 1);
			return;
		}
		asleep = XY__ASLEEP;
	}
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
	threads_rest(worker);
	atomic_fetch_sub(&rt->resting, 1);
	return NULL;
}

/* What a CPU offered to itself is as good as what it takes: who was told of the one can run the other. A device
 * may have offered itself several tasks before it takes one. */
static bool threads_takes_as_offered(const struct xy__worker *worker, const struct xy_task *task)
{
	return worker->arch == XY_CPU && !task->constrained && !(task->archs & ~worker->agent.base.offered) &&
	       !worker->agent.runtime->branches;
}

struct xy_task *xy__threads_try(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;
	struct xy_task *task = threads_take(worker);

	if (task && worker->agent.base.offers && atomic_load_explicit(&rt->workers_differ, memory_order_relaxed) &&
	    !threads_takes_as_offered(worker, task))
		xy__threads_offer_rest(worker);
	return task;
}

struct xy_task *xy__threads_next(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;
	struct xy_task *task = xy__threads_try(worker);

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
	xy__threads_found(worker);
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
	if (worker->arch == XY_CPU)
		xy__threads_of_one();
	xy__become(&worker->agent);
	xy__worker_run(worker);
	return NULL;
}

int xy__threads_start(struct xy_runtime *rt)
{
	sigset_t all, old;
	int error = 0;

	rt->engine.wake = threads_wake;
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
