/* SPDX-License-Identifier: MIT */
/*
 * The exploring engine. Workers look for tasks and sleep as those of src/engines/threads.c do, with a point at each
 * step; a task takes some points. Time is the number of steps. There are no devices: a worker of any architecture only
 * takes tasks and ends them, and no data moves.
 */
#include "engines/explore.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/runtime/halt.h"
#include "core/runtime/agent.h"
#include "core/runtime/deps.h"
#include "core/runtime/inbox.h"
#include "core/runtime/notes.h"
#include "core/runtime/search.h"
#include "core/runtime/team.h"
#include "core/runtime/wait.h"
#include "core/runtime/worker.h"

enum { LOOKS = 2, MOST_RUN = 6, MOST_TICKS = 10000 };

static struct xy__explore *explore_of(const struct xy_runtime *rt)
{
	return rt->explore;
}

static void explore_here(struct xy_runtime *rt, const char *where)
{
	xy__explore_point(explore_of(rt), NULL, where);
}

/* --- what the audit calls --- */

static void explore_point(struct xy__explorer *explorer, const struct xy_component *at, const char *where)
{
	xy__explore_point((struct xy__explore *)explorer, at, where);
}

/* The lock stays as it is if the run is given up: nothing of this fibre runs again. */
static bool explore_blocked(struct xy__explorer *explorer, struct xy_component *at, const struct xy_lock *lock)
{
	struct xy__explore *e = (struct xy__explore *)explorer;
	struct xy__fibre *self = &e->fibres[e->current];

	self->lock = lock;
	self->lock_of = at;
	self->state = XY__FIBRE_BLOCKED;
	xy__explore_leave(e);
	self->state = XY__FIBRE_READY;
	return !e->hangs;
}

/* --- workers --- */

/* The worker's fibre sleeps until it is called or woken, or for no reason. */
static void worker_rest(struct xy__worker *worker)
{
	struct xy__explore *e = explore_of(worker->agent.runtime);

	e->fibres[worker->id + 1].state = XY__FIBRE_ASLEEP;
	xy__explore_leave(e);
	e->fibres[worker->id + 1].state = XY__FIBRE_READY;
}

static enum xy__wake explore_wake(struct xy__tree_engine *engine, unsigned id)
{
	struct xy_runtime *rt = xy__runtime_of(engine);
	struct xy__worker *worker = &rt->workers[id];
	int state = XY__ASLEEP;

	if (!atomic_compare_exchange_strong(&worker->state, &state, XY__LOOKING))
		return state == XY__LOOKING ? XY__WAKE_LOOKING : XY__WAKE_BUSY;
	atomic_fetch_add(&rt->main.searchers, 1);
	atomic_fetch_sub(&rt->main.sleepers, 1);
	if (explore_of(rt)->fibres[id + 1].state == XY__FIBRE_ASLEEP)
		explore_of(rt)->fibres[id + 1].state = XY__FIBRE_READY;
	return XY__WAKE_WOKEN;
}

static struct xy_task *worker_look(struct xy__worker *worker)
{
	struct xy_task *task = NULL;

	for (unsigned i = 0; i < LOOKS && !task; i++) {
		explore_here(worker->agent.runtime, "look");
		task = xy__search_take(worker);
	}
	return task;
}

/* Sleeps until woken, unless there is a task after all. */
static struct xy_task *worker_sleep(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;
	int asleep = XY__ASLEEP;
	struct xy_task *task;

	explore_here(rt, "announce sleep");
	atomic_fetch_add(&rt->main.sleepers, 1);
	atomic_fetch_sub(&rt->main.searchers, 1);
	atomic_store(&worker->state, XY__ASLEEP);
	explore_here(rt, "look again");
	task = xy__search_take(worker);
	if (task || atomic_load(&rt->stopping)) {
		if (atomic_compare_exchange_strong(&worker->state, &asleep, XY__LOOKING)) {
			atomic_fetch_add(&rt->main.searchers, 1);
			atomic_fetch_sub(&rt->main.sleepers, 1);
		}
		return task;
	}
	while (atomic_load(&worker->state) == XY__ASLEEP) {
		explore_here(rt, "sleep");
		if (atomic_load(&worker->state) != XY__ASLEEP)
			break;
		worker_rest(worker);
	}
	return NULL;
}

static struct xy_task *explore_idle(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;
	struct xy_task *task;

	atomic_fetch_add(&rt->main.searchers, 1);
	atomic_store(&worker->state, XY__LOOKING);
	xy_agent_offer_to_itself(&worker->agent.base);
	do {
		task = worker_look(worker);
		if (!task)
			task = worker_sleep(worker);
	} while (!task && !atomic_load(&rt->stopping));
	xy__search_found(worker);
	return task;
}

static void worker_run(struct xy__worker *worker, struct xy_task *task)
{
	struct xy_runtime *rt = worker->agent.runtime;
	struct xy__run run = { .begin_s = xy_now(rt) };
	int status = 0;

	atomic_store_explicit(&worker->agent.doing, (uintptr_t)task | XY__DOING_INSIDE, memory_order_relaxed);
	xy_agent_offer_to_others(&worker->agent.base);
	xy__worker_account(worker, task, false);
	if (xy__runtime_is_timed(rt))
		xy__notes_started(worker, task, &run);
	for (uint64_t n = xy__explore_random(explore_of(rt)) % MOST_RUN + 1; n > 0; n--)
		explore_here(rt, "run");
	if (explore_of(rt)->fails && xy__explore_random(explore_of(rt)) % explore_of(rt)->fails == 0)
		status = -EIO;
	xy__worker_account(worker, task, true);
	run.end_s = xy_now(rt);
	if (xy__runtime_is_timed(rt))
		xy__notes_ended(worker, task, status, &run);
	atomic_store_explicit(&worker->agent.doing, 0, memory_order_relaxed);
	if (xy__team_is_joined(worker))
		xy__team_tell(worker);
	xy_agent_offer_to_itself(&worker->agent.base);
	xy__worker_finish(worker, task, status);
}

/* The worker has joined a team: its leader runs the task when all have come, and the others wait for that. */
static void worker_meet(struct xy__worker *worker)
{
	bool leads = xy__team_is_led_by(worker);

	explore_here(worker->agent.runtime, "join");
	if (!leads)
		xy__team_tell(worker);
	while (leads ? !xy__team_is_complete(worker) : !xy__team_has_left(worker))
		worker_rest(worker);
	if (leads)
		worker_run(worker, xy__team_begin(worker));
}

static void worker_main(struct xy_runtime *rt, unsigned i)
{
	struct xy__worker *worker = &rt->workers[i];
	struct xy_task *task;

	xy__agent_become(&worker->agent);
	while ((task = xy__search_next(worker)))
		if (xy__team_is_joined(worker))
			worker_meet(worker);
		else
			worker_run(worker, task);
}

/* No data moves, but that may take long: others run meanwhile. */
static void explore_prefetch(struct xy__tree_engine *engine, struct xy_task *task, unsigned worker, struct xy_agent *by)
{
	(void)task, (void)worker, (void)by;
	explore_here(xy__runtime_of(engine), "prefetch");
}

/* --- threads of the application --- */

static double explore_now(const struct xy_runtime *rt)
{
	return rt->explore ? ((double)rt->explore->base.steps + rt->explore->skipped_us) * 1e-6 : 0;
}

/* Nothing else happens: time goes on to the next tick that may move a task; false without one. */
static bool explore_tick(struct xy_runtime *rt)
{
	struct xy__explore *e = explore_of(rt);
	double left_us = xy__ticks_next_us(rt->main.tree) - explore_now(rt) * 1e6;
	struct xy__agent *agent;

	if (isinf(left_us) || !xy__ticks_may_move(rt->main.tree) || ++e->nticks > MOST_TICKS)
		return false;
	e->skipped_us += left_us > 0 ? left_us + 1 : 0;
	agent = xy__agent_enter(rt);
	xy__ticks_run(rt->main.tree, &agent->base);
	xy__agent_leave(agent);
	return true;
}

/* False when nothing goes on any more, whatever the timeout. */
static bool explore_wait_until(struct xy_runtime *rt, const struct xy__condition *condition, double seconds)
{
	struct xy__explore *e = explore_of(rt);

	(void)seconds;
	while (!condition->holds(condition->arg))
		if (!xy__explore_others(e) && !explore_tick(rt))
			return condition->holds(condition->arg);
	return true;
}

static void explore_pause(struct xy_runtime *rt, unsigned *rounds)
{
	++*rounds;
	xy__explore_others(explore_of(rt));
}

static uint64_t explore_live(struct xy_runtime *rt)
{
	return xy__agent_live(rt, rt->nworkers);
}

static bool explore_at_rest(struct xy_runtime *rt)
{
	if (xy__ring_has(&rt->inbox) || (xy__ticks_may_move(rt->main.tree) && explore_of(rt)->nticks <= MOST_TICKS))
		return false;
	for (unsigned i = 0; i < rt->nworkers; i++)
		if (explore_of(rt)->fibres[i + 1].state != XY__FIBRE_ASLEEP)
			return false;
	return true;
}

/* --- starting and stopping --- */

static bool explore_serves(const struct xy__settings *settings)
{
	(void)settings;
	return true;
}

static int explore_open(struct xy_runtime *rt)
{
	char error[256] = "";
	int status = xy_machine_create(&rt->machine, rt->settings.machine, error, sizeof error);

	if (status) {
		xy__log(&rt->settings.log, "%s", error);
		return status;
	}
	rt->explore = calloc(1, sizeof *rt->explore);
	if (!rt->explore)
		return -ENOMEM;
	rt->explore->rt = rt;
	rt->explore->random = rt->settings.seed;
	rt->explore->base = (struct xy__explorer){ .point = explore_point, .blocked = explore_blocked };
	rt->nshards = 1;
	rt->repeatable = true;
	rt->shared_memory = true;
	rt->settings.calibrate = 0;
	return 0;
}

static void explore_place(struct xy_runtime *rt)
{
	(void)rt;
}

static int explore_bus(struct xy_runtime *rt)
{
	(void)rt;
	return 0;
}

static int explore_start(struct xy_runtime *rt)
{
	struct xy__explore *e = explore_of(rt);
	int error = 0;

	e->fibres = calloc(1 + rt->nworkers + XY__EXPLORE_PARTIES, sizeof *e->fibres);
	if (!e->fibres)
		return -ENOMEM;
	e->nfibres = 1;
	e->one_in = 1u << xy__explore_random(e) % 6;
	rt->main.tree->audit->explorer = &e->base;
	rt->main.engine.prefetch = explore_prefetch;
	/* Else one fibre would wait for another in a lock of the inbox, whose order is not what is explored. */
	atomic_fetch_and(&rt->inbox_state, (unsigned char)~XY__INBOX_ORDERED);
	for (unsigned i = 0; i < rt->nworkers && !error; i++) {
		rt->workers[i].agent.base.trail->explorer = &e->base;
		error = xy__explore_party(e, worker_main, i);
	}
	for (unsigned i = 0; i < XY__APPLICATION_AGENTS; i++)
		rt->applications[i].base.trail->explorer = &e->base;
	return error;
}

static void explore_stop(struct xy_runtime *rt)
{
	struct xy__explore *e = explore_of(rt);

	xy__notes_stop(rt);
	if (!e || !e->fibres)
		return;
	for (unsigned i = 0; i < rt->nworkers; i++)
		explore_wake(&rt->main.engine, i);
	while (xy__explore_others(e))
		;
}

static void explore_close(struct xy_runtime *rt)
{
	struct xy__explore *e = explore_of(rt);

	if (!e)
		return;
	for (unsigned i = 0; i < e->nfibres; i++)
		free(e->fibres[i].stack);
	free(e->fibres);
	free(e);
	rt->explore = NULL;
}

/* They are called by a thread that waits. */
static int explore_ticks(struct xy_runtime *rt)
{
	(void)rt;
	return 0;
}

static void explore_alarm(struct xy__tree_engine *engine)
{
	(void)engine;
}

static void explore_call(struct xy_runtime *rt, unsigned worker)
{
	struct xy__fibre *fibre = &explore_of(rt)->fibres[worker + 1];

	explore_wake(&rt->main.engine, worker);
	if (fibre->state == XY__FIBRE_ASLEEP) /* it waits for its team */
		fibre->state = XY__FIBRE_READY;
}

static void explore_nothing(struct xy_runtime *rt)
{
	(void)rt;
}

const struct xy__engine_ops xy__explore_engine = {
	.name = "explore",
	.is_simulated = true,
	.audits = true,
	.serves = explore_serves,
	.open = explore_open,
	.place = explore_place,
	.bus = explore_bus,
	.start = explore_start,
	.stop = explore_stop,
	.close = explore_close,
	.now = explore_now,
	.ticks = explore_ticks,
	.wait_until = explore_wait_until,
	.pause = explore_pause,
	.drain = xy__inbox_drain,
	.live = explore_live,
	.at_rest = explore_at_rest,
	.idle = explore_idle,
	.wake = explore_wake,
	.alarm = explore_alarm,
	.call = explore_call,
	.entrust = explore_nothing,
	.arrived = explore_nothing,
};
