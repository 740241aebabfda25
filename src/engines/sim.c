/* SPDX-License-Identifier: MIT */
/*
 * The engine in virtual time: no threads, no sleep. Whoever waits for the runtime lets things happen, one after the
 * other: workers that have something to look at, then what comes next in time. The same inputs give the same run,
 * to the bit: moments have an order among equals, and nothing depends on addresses or on this computer's clock.
 *
 * A worker goes through the life of a worker of a device (core/runtime/device.c). It
 * counts as asleep when it has room for
 * a task and found none; whoever offers one calls it.
 */
#include "engines/sim.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/runtime/deps.h"
#include "core/util/bits.h"

static struct xy_runtime *sim_runtime(struct xy__tree_engine *engine)
{
	return (struct xy_runtime *)((char *)engine - offsetof(struct xy_runtime, engine));
}

double xy__sim_now_us(const struct xy_runtime *rt)
{
	return xy__sim_time(rt->sim);
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

void xy__sim_tell(struct xy_runtime *rt, unsigned worker)
{
	xy__lock_take(&rt->sim->lock);
	xy__sim_call(rt->sim, worker);
	xy__lock_drop(&rt->sim->lock);
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
	xy__sim_tell(rt, id);
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

/* Something of it has ended, or it may have what it waits for. */
static void worker_get_up(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;

	if (atomic_load(&worker->state) != XY__ASLEEP)
		return;
	atomic_fetch_sub(&rt->sleepers, 1);
	atomic_store(&worker->state, XY__AWAKE);
	xy__bits_set(rt->sim->asleep, worker->id, false);
}

/* Whoever has a task that it could take is to tell it. */
static void worker_lie_down(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;

	xy__pool_flush(&worker->agent.pool);
	atomic_fetch_add(&rt->sleepers, 1);
	atomic_store(&worker->state, XY__ASLEEP);
	xy__bits_set(rt->sim->asleep, worker->id, true);
	worker->sleeps++;
}

/* Goes on with what the worker has, and takes what there is: true if it took anything. */
static bool worker_go_on(struct xy__worker *worker, bool *moved)
{
	bool found = false, any = true;

	while (any) {
		any = xy__device_go_on(worker);
		*moved |= any;
		if (atomic_load(&worker->state) == XY__LOOKING)
			worker->agent.base.offers = 0;
		if (xy__device_has_room(worker) && xy__device_take(worker))
			any = found = true;
	}
	return found;
}

/* It looks no more. What it leaves is offered to others, which may give it something in turn. */
static void worker_looked(struct xy__worker *worker, bool found, bool *moved)
{
	if (found) {
		xy__threads_found(worker);
		worker_go_on(worker, moved);
		return;
	}
	atomic_fetch_sub(&worker->agent.runtime->searchers, 1);
	atomic_store(&worker->state, XY__AWAKE);
}

static void worker_look(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;
	bool found, moved = false;

	worker_get_up(worker);
	found = worker_go_on(worker, &moved);
	if (atomic_load(&worker->state) == XY__LOOKING)
		worker_looked(worker, found, &moved);
	if (xy__device_has_room(worker))
		worker_lie_down(worker);
	if (rt->memory.nnodes > 1)
		worker_note_wait(rt->sim, worker);
	if (!moved && !found)
		return;
	rt->sim->retried = false;
	if (rt->sim->nhungry)
		sim_call_waiters(rt->sim);
}

static uint64_t agent_read(_Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

/* The same as that worker: it is who calls from here on. */
static void sim_work(struct xy__sim *sim, unsigned id)
{
	struct xy__worker *worker = &sim->runtime->workers[id];
	struct xy__agent *agent = &worker->agent;
	uint64_t submitted = agent_read(&agent->submitted), ended = agent_read(&agent->ended);
	int64_t live = atomic_load_explicit(&sim->live, memory_order_relaxed);

	agent->outer = xy__current;
	xy__become(agent);
	worker_look(worker);
	xy__become(agent->outer);
	agent->outer = NULL;
	ended = agent_read(&agent->ended) - ended;
	live += (int64_t)(agent_read(&agent->submitted) - submitted) - (int64_t)ended;
	/* release: pairs with the acquire in xy__sim_live */
	atomic_store_explicit(&sim->live, live, memory_order_release);
	sim->news |= ended != 0;
}

int64_t xy__sim_live(const struct xy_runtime *rt)
{
	return atomic_load_explicit(&rt->sim->live, memory_order_acquire);
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
		atomic_store(&sim->arrived, true);
	}
	while (sim->nmoments && sim->moments[0].at_us <= to_us) {
		struct xy__sim_moment moment = xy__sim_moment_take(sim);

		moment.event->done = true;
		xy__sim_call(sim, moment.worker);
	}
}

/* Transfers have ended: their handles are told, and those that wait for them look. */
static void sim_arrive(struct xy__sim *sim)
{
	struct xy__agent *agent = xy__enter(sim->runtime);

	atomic_store(&sim->arrived, false); /* what ends meanwhile is polled or told again */
	xy__transfers_poll(sim->runtime, agent);
	xy__leave(agent);
	sim_call_waiters(sim);
	sim->news = true;
}

void xy__sim_arrived(struct xy_runtime *rt)
{
	atomic_store(&rt->sim->arrived, true);
}

/* What threads of the application have put there goes into the tree. */
void xy__sim_drain_now(struct xy__sim *sim)
{
	struct xy__agent *agent = xy__enter(sim->runtime);

	xy__inbox_drain(sim->runtime, agent);
	xy__leave(agent);
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

/* Time goes on, until a time at most; false if nothing happens until then. */
bool xy__sim_go_on(struct xy__sim *sim, double until_us)
{
	double next;

	xy__lock_take(&sim->lock);
	next = sim_next_us(sim);
	if (next <= until_us && next < INFINITY)
		sim_advance(sim, next);
	xy__lock_drop(&sim->lock);
	return next <= until_us && next < INFINITY;
}

/* Whether anything will happen by itself. */
bool xy__sim_has_future(struct xy__sim *sim)
{
	bool any;

	xy__lock_take(&sim->lock);
	any = sim_next_us(sim) < INFINITY;
	xy__lock_drop(&sim->lock);
	return any;
}

/* Nothing will happen by itself. The application may have made room for those that wait for memory, and who waits
 * in vain has to look twice to know. */
static bool sim_retry(struct xy__sim *sim)
{
	if (sim->retried || !sim->nwaiters || xy__sim_has_future(sim))
		return false;
	sim->retried = true;
	sim_call_waiters(sim);
	return true;
}

/* One thing, until a time at most. */
bool xy__sim_happen(struct xy__sim *sim, double until_us)
{
	unsigned worker;

	if (atomic_load(&sim->arrived))
		sim_arrive(sim);
	else if (xy__ring_has(&sim->runtime->inbox))
		xy__sim_drain_now(sim);
	else if (sim_next_worker(sim, &worker))
		sim_work(sim, worker);
	else
		return xy__sim_go_on(sim, until_us) || sim_retry(sim);
	return true;
}

bool xy__sim_at_rest(struct xy_runtime *rt)
{
	struct xy__sim *sim = rt->sim;
	bool rests;

	xy__lock_take(&sim->lock);
	rests = !sim->queue_count && !sim->nmoments && !sim->nflows && !atomic_load(&sim->arrived) &&
		!xy__ring_has(&rt->inbox);
	xy__lock_drop(&sim->lock);
	return rests;
}

/* --- the start --- */

int xy__sim_start(struct xy_runtime *rt)
{
	rt->engine.wake = sim_wake;
	rt->engine.asleep = rt->sim->asleep;
	for (unsigned i = 0; i < rt->nworkers; i++) {
		atomic_store(&rt->workers[i].state, XY__ASLEEP);
		xy__bits_set(rt->sim->asleep, i, true);
	}
	atomic_store(&rt->sleepers, rt->nworkers);
	return 0;
}
