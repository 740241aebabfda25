/* SPDX-License-Identifier: MIT */
/*
 * The engine in virtual time: no threads, no sleep. A thread that waits for the runtime runs the simulation, step by
 * step: workers that have something to look at, then the next event in time. The same inputs give bitwise identical
 * runs: simultaneous events are ordered, and nothing depends on addresses or on this computer's clock.
 *
 * A worker runs the code of a device worker (core/runtime/worker_slots.c). It counts as asleep when it has room for a
 * task and found none; an offer calls it.
 */
#include "engines/sim.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/data/transfer.h"
#include "core/runtime/agent.h"
#include "core/runtime/deps.h"
#include "core/runtime/inbox.h"
#include "core/runtime/notes.h"
#include "core/runtime/search.h"
#include "core/runtime/worker.h"
#include "core/runtime/worker_slots.h"
#include "core/util/bits.h"
#include "engines/engines.h"
#include "engines/rehearsal.h"

static double sim_now(const struct xy_runtime *rt)
{
	return xy__sim_time(rt->sim) * 1e-6;
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

static void sim_call(struct xy_runtime *rt, unsigned worker)
{
	xy__lock_take(&rt->sim->lock);
	xy__sim_call(rt->sim, worker);
	xy__lock_drop(&rt->sim->lock);
}

static enum xy__wake sim_wake(struct xy__tree_engine *engine, unsigned id)
{
	struct xy_runtime *rt = xy__runtime_of(engine);
	struct xy__worker *worker = &rt->workers[id];
	int state = XY__ASLEEP;

	if (!atomic_compare_exchange_strong(&worker->state, &state, XY__LOOKING))
		return state == XY__LOOKING ? XY__WAKE_LOOKING : XY__WAKE_BUSY;
	atomic_fetch_add(&worker->context->searchers, 1);
	atomic_fetch_sub(&worker->context->sleepers, 1);
	xy__bits_set(rt->sim->asleep, id, false);
	sim_call(rt, id);
	return XY__WAKE_WOKEN;
}

/* Waits for data or memory, or not any more. */
static void worker_note_wait(struct xy__sim *sim, struct xy__worker *worker)
{
	enum xy__slots_wait before = sim->waits[worker->id], after = xy__slots_waits(worker);
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
	atomic_fetch_sub(&worker->context->sleepers, 1);
	atomic_store(&worker->state, XY__AWAKE);
	xy__bits_set(rt->sim->asleep, worker->id, false);
}

/* An offer of a task that it could take must wake it. */
static void worker_lie_down(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;

	xy__pool_flush(&worker->agent.pool);
	atomic_fetch_add(&worker->context->sleepers, 1);
	atomic_store(&worker->state, XY__ASLEEP);
	xy__bits_set(rt->sim->asleep, worker->id, true);
	worker->sleeps++;
}

/* Advances the worker's tasks, and takes new ones: true if it took any. */
static bool worker_go_on(struct xy__worker *worker, bool *moved)
{
	bool found = false, any = true;

	while (any) {
		any = xy__slots_go_on(worker);
		*moved |= any;
		if (atomic_load(&worker->state) == XY__LOOKING)
			xy_agent_offer_to_itself(&worker->agent.base);
		if (xy__slots_has_room(worker) && xy__slots_take(worker))
			any = found = true;
	}
	return found;
}

/* It looks no more. What it leaves is offered to others, which may give it something in turn. */
static void worker_looked(struct xy__worker *worker, bool found, bool *moved)
{
	if (found) {
		xy__search_found(worker);
		worker_go_on(worker, moved);
		return;
	}
	atomic_fetch_sub(&worker->context->searchers, 1);
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
	if (xy__slots_has_room(worker))
		worker_lie_down(worker);
	if (rt->memory.nnodes > 1)
		worker_note_wait(rt->sim, worker);
	if (!moved && !found)
		return;
	rt->sim->retried = false;
	rt->sim->ticks_in_vain = 0;
	if (rt->sim->nhungry)
		sim_call_waiters(rt->sim);
}

static uint64_t agent_read(_Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

/* worker_go_on as that worker: it is the caller from here on. */
static void sim_work(struct xy__sim *sim, unsigned id)
{
	struct xy__worker *worker = &sim->runtime->workers[id];
	struct xy__agent *agent = &worker->agent;
	uint64_t submitted = agent_read(&agent->submitted), ended = agent_read(&agent->ended);
	int64_t live = atomic_load_explicit(&sim->live, memory_order_relaxed);

	agent->outer = xy__agent_current;
	xy__agent_become(agent);
	worker_look(worker);
	xy__agent_become(agent->outer);
	agent->outer = NULL;
	ended = agent_read(&agent->ended) - ended;
	live += (int64_t)(agent_read(&agent->submitted) - submitted) - (int64_t)ended;
	/* release: pairs with the acquire in sim_live */
	atomic_store_explicit(&sim->live, live, memory_order_release);
	sim->news |= ended != 0;
}

/* However many workers there are, their tasks are one number. */
static uint64_t sim_live(struct xy_runtime *rt)
{
	uint64_t workers = (uint64_t)atomic_load_explicit(&rt->sim->live, memory_order_acquire);

	return workers + xy__agent_live(rt, 0);
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

/* Transfers have ended: notifies their handles and the workers that wait for them. */
static void sim_arrive(struct xy__sim *sim)
{
	struct xy__agent *agent = xy__agent_enter(sim->runtime);

	atomic_store(&sim->arrived, false); /* later ends are polled or announced again */
	xy__transfers_poll(sim->runtime, agent);
	xy__agent_leave(agent);
	sim_call_waiters(sim);
	sim->news = true;
}

static void sim_arrived(struct xy_runtime *rt)
{
	atomic_store(&rt->sim->arrived, true);
}

/* Moves tasks that application threads have put into the inbox to the tree. */
void xy__sim_drain_now(struct xy__sim *sim)
{
	struct xy__agent *agent = xy__agent_enter(sim->runtime);

	xy__inbox_drain(sim->runtime, agent);
	xy__agent_leave(agent);
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

/* Advances time, up to until_us; false if nothing happens until then. */
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

double xy__sim_next_us(struct xy__sim *sim)
{
	double next;

	xy__lock_take(&sim->lock);
	next = sim_next_us(sim);
	xy__lock_drop(&sim->lock);
	return next;
}

bool xy__sim_has_future(struct xy__sim *sim)
{
	return xy__sim_next_us(sim) < INFINITY || xy__sim_tick_may_move(sim);
}

/*
 * No event is pending. The application may have made room for tasks that wait for memory, and a task must look twice
 * to know that it waits in vain.
 */
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
		return xy__sim_tick(sim, until_us) || xy__sim_go_on(sim, until_us) || sim_retry(sim);
	return true;
}

static bool sim_at_rest(struct xy_runtime *rt)
{
	struct xy__sim *sim = rt->sim;
	bool rests;

	if (xy__sim_tick_may_move(sim))
		return false;
	xy__lock_take(&sim->lock);
	rests = !sim->queue_count && !sim->nmoments && !sim->nflows && !atomic_load(&sim->arrived) &&
		!xy__ring_has(&rt->inbox);
	xy__lock_drop(&sim->lock);
	return rests;
}

/* --- starting and stopping --- */

static bool sim_serves(const struct xy__settings *settings)
{
	return *settings->sim;
}

static void sim_stop(struct xy_runtime *rt)
{
	xy__notes_stop(rt);
}

/* Waiting threads poll transfers. */
static void sim_entrust(struct xy_runtime *rt)
{
	(void)rt;
}

static int sim_start(struct xy_runtime *rt)
{
	for (unsigned i = 0; i < rt->nworkers; i++) {
		atomic_store(&rt->workers[i].state, XY__ASLEEP);
		xy__bits_set(rt->sim->asleep, i, true);
	}
	atomic_store(&rt->main.sleepers, rt->nworkers);
	return 0;
}

const struct xy__engine_ops xy__sim_engine = {
	.name = "sim",
	.is_simulated = true,
	.slots_for_all = true,
	.serves = sim_serves,
	.open = xy__sim_open,
	.place = xy__sim_place,
	.bus = xy__sim_bus,
	.start = sim_start,
	.stop = sim_stop,
	.close = xy__sim_close,
	.halt = xy__sim_halt,
	.resume = xy__sim_resume,
	.now = sim_now,
	.ticks = xy__sim_ticks,
	.length = xy__sim_length,
	.wait_until = xy__sim_wait_until,
	.pause = xy__sim_pause,
	.drain = xy__sim_drain,
	.submitted = xy__sim_submitted,
	.live = sim_live,
	.at_rest = sim_at_rest,
	.wake = sim_wake,
	.rehearse = xy__rehearse,
	.abandoned = xy__sim_abandoned,
	.call = sim_call,
	.entrust = sim_entrust,
	.arrived = sim_arrived,
};
