/* SPDX-License-Identifier: MIT */
/*
 * The engine in virtual time: no threads, no sleep. Whoever waits for the runtime lets things happen, one after the
 * other: workers that have something to look at, then what comes next in time. The same inputs give the same run,
 * to the bit: moments have an order among equals, and nothing depends on addresses or on this computer's clock.
 *
 * A worker goes through the life of a worker of a device (core/device.c). It counts as asleep when it has room for
 * a task and found none; whoever offers one calls it.
 */
#include "engines/sim.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/deps.h"
#include "core/util/bits.h"

enum { BLOCK_EVENTS = 64, FIRST_MOMENTS = 64, STUCK_NS = 1000000 };

static struct xy_runtime *sim_runtime(struct xy__tree_engine *engine)
{
	return (struct xy_runtime *)((char *)engine - offsetof(struct xy_runtime, engine));
}

double xy__sim_now_us(const struct xy_runtime *rt)
{
	return xy__sim_time(rt->sim);
}

/* --- events --- */

/* More of them; the lock is held. */
static bool events_add(struct xy__sim *sim)
{
	struct xy_event **blocks = realloc(sim->blocks, (sim->nblocks + 1) * sizeof *blocks);
	struct xy_event *block = blocks ? calloc(BLOCK_EVENTS, sizeof *block) : NULL;

	if (blocks)
		sim->blocks = blocks;
	if (!block)
		return false;
	sim->blocks[sim->nblocks++] = block;
	for (unsigned i = 0; i < BLOCK_EVENTS; i++) {
		block[i].next = sim->free;
		sim->free = &block[i];
	}
	return true;
}

/* The lock is held. */
static struct xy_event *event_take(struct xy__sim *sim)
{
	struct xy_event *event;

	if (!sim->free && !events_add(sim))
		return NULL;
	event = sim->free;
	sim->free = event->next;
	event->done = false;
	return event;
}

struct xy_event *xy__sim_event(struct xy__sim *sim)
{
	struct xy_event *event;

	xy__lock_take(&sim->lock);
	event = event_take(sim);
	xy__lock_drop(&sim->lock);
	return event;
}

void xy__sim_event_free(struct xy__sim *sim, struct xy_event *event)
{
	xy__lock_take(&sim->lock);
	event->next = sim->free;
	sim->free = event;
	xy__lock_drop(&sim->lock);
}

/* --- moments --- */

static bool moment_before(const struct xy__sim_moment *a, const struct xy__sim_moment *b)
{
	return a->at_us != b->at_us ? a->at_us < b->at_us : a->number < b->number;
}

static bool moments_reserve(struct xy__sim *sim)
{
	unsigned capacity = sim->capacity ? 2 * sim->capacity : FIRST_MOMENTS;
	struct xy__sim_moment *moments;

	if (sim->nmoments < sim->capacity)
		return true;
	moments = realloc(sim->moments, capacity * sizeof *moments);
	if (!moments)
		return false;
	sim->moments = moments;
	sim->capacity = capacity;
	return true;
}

static void moments_insert(struct xy__sim *sim, struct xy__sim_moment moment)
{
	unsigned i = sim->nmoments++;

	while (i && moment_before(&moment, &sim->moments[(i - 1) / 2])) {
		sim->moments[i] = sim->moments[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	sim->moments[i] = moment;
}

static struct xy__sim_moment moments_take(struct xy__sim *sim)
{
	struct xy__sim_moment first = sim->moments[0], last = sim->moments[--sim->nmoments];
	unsigned i = 0, child;

	while ((child = 2 * i + 1) < sim->nmoments) {
		if (child + 1 < sim->nmoments && moment_before(&sim->moments[child + 1], &sim->moments[child]))
			child++;
		if (!moment_before(&sim->moments[child], &last))
			break;
		sim->moments[i] = sim->moments[child];
		i = child;
	}
	sim->moments[i] = last;
	return first;
}

struct xy_event *xy__sim_plan(struct xy__sim *sim, double at_us, unsigned worker)
{
	struct xy_event *event = NULL;

	xy__lock_take(&sim->lock);
	if (moments_reserve(sim))
		event = event_take(sim);
	if (event)
		moments_insert(sim, (struct xy__sim_moment){ at_us, sim->nnumbers++, worker, event });
	xy__lock_drop(&sim->lock);
	return event;
}

/* --- workers --- */

void xy__sim_call(struct xy__sim *sim, unsigned worker)
{
	unsigned n = sim->runtime->nworkers, last;

	if (sim->queued[worker])
		return;
	sim->queued[worker] = true;
	last = sim->queue_first + sim->queue_count++;
	sim->queue[last < n ? last : last - n] = worker;
}

static enum xy__wake sim_wake(struct xy__tree_engine *engine, unsigned id)
{
	struct xy_runtime *rt = sim_runtime(engine);
	struct xy__worker *worker = &rt->workers[id];
	int state = XY__ASLEEP;

	if (!atomic_compare_exchange_strong(&worker->state, &state, XY__LOOKING))
		return state == XY__LOOKING ? XY__WAKE_LOOKING : XY__WAKE_BUSY;
	atomic_fetch_add(&rt->searchers, 1);
	atomic_fetch_sub(&rt->sleepers, 1);
	xy__bits_set(rt->sim->asleep, id, false);
	xy__lock_take(&rt->sim->lock);
	xy__sim_call(rt->sim, id);
	xy__lock_drop(&rt->sim->lock);
	return XY__WAKE_WOKEN;
}

/* Waits for data or memory, or not any more. */
static void worker_note_wait(struct xy__sim *sim, struct xy__worker *worker)
{
	enum xy__device_wait before = sim->waits[worker->id], after = xy__device_waits(worker);
	unsigned i = 0;

	sim->waits[worker->id] = (uint8_t)after;
	sim->nhungry += (after == XY__WAITS_FOR_MEMORY) - (before == XY__WAITS_FOR_MEMORY);
	if (!before == !after)
		return;
	if (after) {
		sim->waiters[sim->nwaiters++] = worker->id;
		return;
	}
	while (sim->waiters[i] != worker->id)
		i++;
	memmove(&sim->waiters[i], &sim->waiters[i + 1], (--sim->nwaiters - i) * sizeof *sim->waiters);
}

/* Those that wait for data or memory may find it now. */
static void sim_call_waiters(struct xy__sim *sim)
{
	if (!sim->nwaiters)
		return;
	xy__lock_take(&sim->lock);
	for (unsigned i = 0; i < sim->nwaiters; i++)
		xy__sim_call(sim, sim->waiters[i]);
	xy__lock_drop(&sim->lock);
}

/* From whatever it was, with what it found. */
static void worker_settle(struct xy__worker *worker, bool found)
{
	struct xy_runtime *rt = worker->agent.runtime;
	int state = atomic_load(&worker->state);

	if (found && state == XY__LOOKING) {
		xy__threads_found(worker);
		return;
	}
	if (state == XY__LOOKING)
		atomic_fetch_sub(&rt->searchers, 1);
	if (xy__device_has_room(worker)) {
		xy__pool_flush(&worker->agent.pool);
		atomic_fetch_add(&rt->sleepers, 1);
		atomic_store(&worker->state, XY__ASLEEP);
		xy__bits_set(rt->sim->asleep, worker->id, true);
		worker->sleeps++;
	} else {
		atomic_store(&worker->state, XY__AWAKE);
	}
}

/* Goes on with what the worker has, and takes what there is. */
static void worker_look(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;
	bool found = false, moved = false, any = true;

	if (atomic_load(&worker->state) == XY__ASLEEP) { /* something of it has ended */
		atomic_fetch_sub(&rt->sleepers, 1);
		atomic_store(&worker->state, XY__AWAKE);
		xy__bits_set(rt->sim->asleep, worker->id, false);
	}
	while (any) {
		any = xy__device_go_on(worker);
		moved |= any;
		if (atomic_load(&worker->state) == XY__LOOKING)
			worker->agent.base.offers = 0;
		if (xy__device_has_room(worker) && xy__device_take(worker))
			any = found = true;
	}
	worker_settle(worker, found);
	if (rt->memory.nnodes > 1)
		worker_note_wait(rt->sim, worker);
	if (moved && rt->sim->nhungry)
		sim_call_waiters(rt->sim);
}

/* The same as that worker: it is who calls from here on. */
static void sim_work(struct xy__sim *sim, unsigned id)
{
	struct xy__worker *worker = &sim->runtime->workers[id];
	struct xy__agent *agent = &worker->agent;
	int64_t live = (int64_t)(atomic_load_explicit(&agent->submitted, memory_order_relaxed) -
				 atomic_load_explicit(&agent->ended, memory_order_relaxed));

	agent->outer = xy__current;
	xy__become(agent);
	worker_look(worker);
	xy__become(agent->outer);
	agent->outer = NULL;
	live -= (int64_t)(atomic_load_explicit(&agent->submitted, memory_order_relaxed) -
			  atomic_load_explicit(&agent->ended, memory_order_relaxed));
	sim->live -= live;
	sim->news |= live != 0;
}

int64_t xy__sim_live(const struct xy_runtime *rt)
{
	return rt->sim->live;
}

/* --- time --- */

static double sim_next_us(const struct xy__sim *sim)
{
	return fmin(sim->nmoments ? sim->moments[0].at_us : INFINITY, sim->flows_next_us);
}

/* Everything that happens at this time has happened. The lock is held. */
static void sim_advance(struct xy__sim *sim, double to_us)
{
	atomic_store_explicit(&sim->now_us, to_us, memory_order_relaxed);
	if (sim->flows_next_us <= to_us) {
		xy__sim_flow_arrive(sim);
		sim->arrived = true;
	}
	while (sim->nmoments && sim->moments[0].at_us <= to_us) {
		struct xy__sim_moment moment = moments_take(sim);

		moment.event->done = true;
		xy__sim_call(sim, moment.worker);
	}
}

/* Transfers have ended: their handles are told, and those that wait for them look. */
static void sim_arrive(struct xy__sim *sim)
{
	struct xy__agent *agent = xy__enter(sim->runtime);

	sim->arrived = false; /* what ends meanwhile is polled or told again */
	xy__transfers_poll(sim->runtime, agent);
	xy__leave(agent);
	sim_call_waiters(sim);
	sim->news = true;
}

/* The next worker that has something to look at. */
static bool sim_next_worker(struct xy__sim *sim, unsigned *worker)
{
	bool any;

	xy__lock_take(&sim->lock);
	any = sim->queue_count > 0;
	if (any) {
		*worker = sim->queue[sim->queue_first];
		sim->queue_first = sim->queue_first + 1 < sim->runtime->nworkers ? sim->queue_first + 1 : 0;
		sim->queue_count--;
		sim->queued[*worker] = false;
	}
	xy__lock_drop(&sim->lock);
	return any;
}

/* One thing, until a time at most. */
static bool sim_happen(struct xy__sim *sim, double until_us)
{
	unsigned worker;
	double next;

	if (sim->arrived) {
		sim_arrive(sim);
		return true;
	}
	if (sim_next_worker(sim, &worker)) {
		sim_work(sim, worker);
		return true;
	}
	xy__lock_take(&sim->lock);
	next = sim_next_us(sim);
	if (next <= until_us && next < INFINITY)
		sim_advance(sim, next);
	xy__lock_drop(&sim->lock);
	return next <= until_us && next < INFINITY;
}

/* One thread at a time, and not from inside of what happens; another one lets things happen meanwhile. */
static bool sim_begin(struct xy__sim *sim)
{
	uintptr_t nobody = 0, self = (uintptr_t)&xy__current;

	return atomic_compare_exchange_strong(&sim->pumping, &nobody, self);
}

static void sim_end(struct xy__sim *sim)
{
	atomic_store(&sim->pumping, 0);
}

bool xy__sim_step(struct xy_runtime *rt)
{
	struct xy__sim *sim = rt->sim;
	bool any;

	if (!sim_begin(sim)) {
		sched_yield();
		return true;
	}
	sim->news = false;
	do
		any = sim_happen(sim, INFINITY);
	while (any && !sim->news);
	sim_end(sim);
	return any;
}

void xy__sim_wait(struct xy_runtime *rt)
{
	const struct timespec pause = { .tv_nsec = STUCK_NS };

	if (xy__sim_step(rt))
		return;
	if (!rt->sim->stuck)
		xy__log(&rt->settings.log, "nothing can happen in the simulation any more, but somebody waits: "
			"for what the application holds, or has not submitted");
	rt->sim->stuck = true;
	nanosleep(&pause, NULL); /* another thread may do it */
}

void xy__sim_submitted(struct xy_runtime *rt)
{
	struct xy__sim *sim = rt->sim;

	if (!(rt->settings.sim_submit_us > 0) || !sim_begin(sim))
		return;
	sim->submitted_us = fmax(sim->submitted_us, xy__sim_time(sim)) + rt->settings.sim_submit_us;
	while (sim_happen(sim, sim->submitted_us))
		;
	if (xy__sim_time(sim) < sim->submitted_us)
		atomic_store_explicit(&sim->now_us, sim->submitted_us, memory_order_relaxed);
	sim_end(sim);
}

bool xy__sim_at_rest(struct xy_runtime *rt)
{
	struct xy__sim *sim = rt->sim;
	bool rests;

	xy__lock_take(&sim->lock);
	rests = !sim->queue_count && !sim->nmoments && !sim->nflows && !sim->arrived;
	xy__lock_drop(&sim->lock);
	return rests;
}

/* --- the start --- */

int xy__sim_start(struct xy_runtime *rt)
{
	if (rt->root->nteams) {
		xy__log(&rt->settings.log, "teams of workers can't be simulated: the tree has a parallel-worker");
		return -ENOTSUP;
	}
	rt->engine.sleepers = &rt->sleepers;
	rt->engine.searchers = &rt->searchers;
	rt->engine.archs = rt->root->archs & XY_ON_ALL;
	rt->workers_differ = (rt->root->archs & (rt->root->archs - 1)) != 0;
	rt->engine.wake = sim_wake;
	rt->engine.now_us = xy__runtime_now_us;
	rt->engine.free_us = xy__runtime_free_us;
	rt->engine.take_back = xy__inbox_take_back;
	rt->engine.prefetch = rt->settings.prefetch && rt->memory.nnodes > 1 ? xy__task_prefetch : NULL;
	rt->tree->engine = &rt->engine;
	rt->engine.asleep = rt->sim->asleep;
	for (unsigned i = 0; i < rt->nworkers; i++) {
		atomic_store(&rt->workers[i].state, XY__ASLEEP);
		xy__bits_set(rt->sim->asleep, i, true);
	}
	atomic_store(&rt->sleepers, rt->nworkers);
	return 0;
}
