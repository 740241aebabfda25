/* SPDX-License-Identifier: MIT */
/*
 * The life of a device worker. It has several tasks in flight, each in a slot: it fetches their data, launches them
 * once the data has arrived, and polls them until they have completed. So data of the next tasks is fetched while one
 * runs, and what depends on that one is launched behind it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/fetch.h"
#include "core/data/prefetch.h"
#include "core/data/redux.h"
#include "core/data/transfer.h"
#include "core/runtime/agent.h"
#include "core/runtime/decline.h"
#include "core/runtime/deps.h"
#include "core/runtime/division.h"
#include "core/runtime/engine.h"
#include "core/runtime/halt.h"
#include "core/runtime/inbox.h"
#include "core/runtime/notes.h"
#include "core/runtime/search.h"
#include "core/runtime/streams.h"
#include "core/runtime/team.h"
#include "core/runtime/wait.h"
#include "core/runtime/worker.h"
#include "core/runtime/worker_slots.h"
#include "core/runtime/worker_slots_parts.h"

/* --- running --- */

/* A task that was taken and can't run here returns to the tree. Who has cut a piece is told that its place is free. */
static void task_return(struct xy__worker *worker, struct xy_task *task)
{
	if (task->flags & XY__TASK_WANTED)
		xy__task_unwant(task);
	if (xy__task_part(task))
		xy__division_return(task, &worker->agent);
	xy_agent_offer_to_others(&worker->agent.base);
	xy__inbox_put(worker->agent.runtime, task, &worker->agent);
	xy_agent_offer_to_itself(&worker->agent.base);
}

/* The driver calls the codelet: the worker is outside the runtime meanwhile. */
static int slot_call(struct xy__slots *all, struct xy__slot *slot, xy_function *function, struct xy_call *call)
{
	struct xy__agent *agent = &all->worker->agent;
	uintptr_t task = (uintptr_t)slot->fetch.task;
	unsigned queue = all->worker->queue * all->streams.count + slot->stream;
	int status;

	xy__halt_leave(agent, task);
	status = all->node->driver->launch(all->node->device, queue, function, call, &slot->event);
	xy__halt_enter(agent, task | XY__DOING_INSIDE);
	slot->streams = !status && all->streams.count > 1;
	if (slot->streams)
		xy__streams_launch(&all->streams, slot->stream, slot->begin);
	return status;
}

/* The task is the first of its group to add to a copy of this worker's: that is to be initialised before. Others
 * that use the copy may be launched meanwhile, as they come later in the device's queue. */
static int slot_initialise(struct xy__slots *all, struct xy__slot *slot, unsigned i)
{
	struct xy__worker *worker = all->worker;
	struct xy_call call;
	xy_function *function = xy__redux_call(&call, worker, slot->fetch.task, i, slot->fetch.buffers);
	int status = function ? slot_call(all, slot, function, &call) : -EINVAL;

	all->fetching -= slot->state == SLOT_FETCHING;
	slot->state = SLOT_INITIALISING;
	if (!status)
		xy__redux_initialised(worker, slot->fetch.task, i);
	return status;
}

/* Tasks that use a copy of the worker's own run one after the other. */
static unsigned slot_stream(const struct xy__slots *all, const struct xy_task *task)
{
	const uintptr_t *accesses = xy__task_accesses((struct xy_task *)task);
	struct xy_prediction length;

	if (all->streams.count == 1)
		return 0;
	for (unsigned i = 0; i < task->naccesses; i++)
		if (accesses[i] & (XY_SCRATCH | XY_REDUX))
			return 0;
	length = xy_task_length(task, all->worker->id, task->implementation);
	return xy__streams_choose(&all->streams,
				  length.kind == XY_PREDICTION_VALUE && length.us <= XY__STREAMS_SHORT_US);
}

static int slot_launch(struct xy__slots *all, struct xy__slot *slot)
{
	struct xy__worker *worker = all->worker;
	struct xy_task *task = slot->fetch.task;
	xy_function *function = xy__worker_choose(worker, task);
	struct xy_call call = {
		.runtime = worker->agent.runtime,
		.task = task,
		.arg = task->arg,
		.worker = worker->id,
		.implementation = task->implementation,
		.nbuffers = task->naccesses,
		.buffers = slot->fetch.buffers,
		.nranks = 1,
		.device_us = task->flags & XY__TASK_MEASURED ? &slot->device_us : NULL,
	};
	int status;

	slot->device_us = -1;
	if (!slot->behind)
		slot->stream = slot_stream(all, task);
	if (xy__slot_is_timed(all, slot))
		slot->begin = xy_now(worker->agent.runtime);
	xy_agent_offer_to_others(&worker->agent.base); /* for the codelet's submissions */
	if (task->flags & XY__TASK_REDUX) {
		unsigned i = xy__redux_uninitialised(task, worker->id);

		if (i < task->naccesses)
			return slot_initialise(all, slot, i);
	}
	all->fetching -= slot->state == SLOT_FETCHING;
	slot->state = SLOT_LAUNCHED;
	slot->launch = ++all->launches;
	call.nranks = xy__team_launch(worker);
	status = slot_call(all, slot, function, &call);
	if (slot->begin < worker->opened_s)
		slot->begin = worker->opened_s;
	if (status == -ENODEV && !call.stream) { /* the function was not called */
		slot->state = SLOT_FETCHING;
		all->fetching++;
	}
	return status;
}

/*
 * The device is lost: the task returns to the tree, and never comes here again, as constrained tasks avoid dead
 * workers. If no worker is left for it, it fails.
 */
static void device_send_away(struct xy__worker *worker, struct xy_task *task)
{
	struct xy_runtime *rt = worker->agent.runtime;

	task->constrained = true;
	task->flags |= XY__TASK_SENT;
	task->sent_at = (uint8_t)atomic_load(&rt->deaths.count);
	if (xy__task_can_run_alive(task) || xy__decline_insist(task, rt)) {
		task_return(worker, task);
		return;
	}
	if (task->flags & XY__TASK_WANTED)
		xy__task_unwant(task);
	xy__worker_explain(worker, task, -ENODEV, "the device is lost, and there is no other worker for it");
	xy__deps_end(task, -ENODEV, &worker->agent);
}

static void slot_send_away(struct xy__slots *all, struct xy__slot *slot)
{
	struct xy_task *task = slot->fetch.task;

	if (all->several)
		xy__fetch_end(&slot->fetch, -ENODEV, &all->worker->agent);
	xy__slot_vacate(all, slot, -EAGAIN);
	device_send_away(all->worker, task);
}

/*
 * Whether another device might run what has failed here. Before the launch, any problem of this device; after it, only
 * that it can't run the function, and if nothing that the task reads can have changed. The fetch has ended.
 */
static bool slot_may_decline(const struct xy__slots *all, const struct xy__slot *slot, int status)
{
	if (!all->several || xy__team_is_joined(all->worker))
		return false;
	if (slot->state == SLOT_FETCHING)
		return status != -ENODATA && status != -ENODEV;
	return slot->state == SLOT_LAUNCHED && status == -ENOEXEC && !slot->event &&
	       xy__fetch_is_unharmed(&slot->fetch);
}

/*
 * Ends a task with the reason, if the fetch or the driver has one, or lets another device try. A piece of a batch can
 * run again: if its device is lost, another one gets it.
 */
static void slot_fail(struct xy__slots *all, struct xy__slot *slot, int status)
{
	struct xy_task *task = slot->fetch.task;
	char reason[XY__ERROR_SIZE], text[XY__ERROR_SIZE];

	if (status == -ENODEV && xy__task_part(task) && all->node->driver->is_lost(all->node->device)) {
		xy__node_lose(all->worker->agent.runtime, all->worker->node);
		slot_send_away(all, slot);
		return;
	}
	snprintf(reason, sizeof reason, "%s",
		 slot->state == SLOT_FETCHING || slot->status ? slot->fetch.reason : all->node->driver->explain());
	if (!slot->status)
		xy__slot_log_details(all, slot);
	if (all->several)
		xy__fetch_end(&slot->fetch, status, &all->worker->agent);
	snprintf(text, sizeof text, "%s", reason);
	if (slot_may_decline(all, slot, status)) {
		if (!slot->fetch.too_large)
			xy__declines_add(&all->declines, all->worker, *reason ? reason : strerror(-status));
		if (xy__decline(all->worker, task, *reason ? reason : strerror(-status), text, sizeof text)) {
			xy__slot_vacate(all, slot, -EAGAIN);
			task_return(all->worker, task);
			return;
		}
	}
	if (*text)
		xy__worker_explain(all->worker, task, status, text);
	xy__slot_leave(all, slot, status);
}

/* 0: the task has all that it needs here, -EAGAIN, or why not. */
static int slot_has_data(struct xy__slots *all, struct xy__slot *slot)
{
	struct xy_task *task = slot->fetch.task;

	if (all->several)
		return xy__fetch_step(&slot->fetch, &all->worker->agent);
	return task->flags & XY__TASK_REDUX && !xy__redux_replicas(task, all->worker->id) ? -ENOMEM : 0;
}

/* Brings data, and launches what has it. */
static bool slot_fetch(struct xy__slots *all, struct xy__slot *slot)
{
	struct xy__memory *memory = &all->worker->agent.runtime->memory;
	int status;

	if (slot->behind && (slot->status || xy__node_is_lost(memory, all->node->id)))
		return false;
	status = slot_has_data(all, slot);
	if (slot->behind && status != -EAGAIN) {
		if (!status)
			status = slot_launch(all, slot);
		if (status)
			xy__slot_keep(all, slot, status);
		return true;
	}
	if (xy__node_is_lost(memory, all->node->id)) {
		slot_send_away(all, slot);
		return true;
	}
	if (status == -EAGAIN)
		return false;
	if (!status)
		status = slot_launch(all, slot);
	if (status == -ENODEV && slot->state == SLOT_FETCHING && all->node->driver->is_lost(all->node->device)) {
		xy__node_lose(all->worker->agent.runtime, all->node->id);
		slot_send_away(all, slot);
	} else if (status) {
		slot_fail(all, slot, status);
	}
	return true;
}

static bool slot_poll(struct xy__slots *all, struct xy__slot *slot)
{
	int status = slot->status;

	if (slot->behind)
		return false;
	if (!status && slot->event)
		status = all->node->driver->poll(all->node->device, slot->event);
	if (status == -EAGAIN)
		return false;
	if (xy__slot_is_timed(all, slot))
		xy__slot_measure(all, slot, status);
	if (!status && slot->state == SLOT_INITIALISING) {
		status = slot_launch(all, slot);
		if (!status)
			return true;
	}
	if (status)
		slot_fail(all, slot, status);
	else
		xy__slot_end(all, slot, 0);
	return true;
}

/* A task for the worker, or NULL. While it avoids tasks, those that others can run go to them. */
static struct xy_task *slots_next(struct xy__slots *all, struct xy_task *(*search)(struct xy__worker *worker))
{
	struct xy_task *task;

	while ((task = search(all->worker)) && !xy__team_is_joined(all->worker) &&
	       xy__declines_avoid(&all->declines, all->worker, task))
		task_return(all->worker, task);
	return task;
}

/* Takes tasks while there are free slots; waits for the first. False when the runtime stops. */
static bool slots_fill(struct xy__slots *all)
{
	for (unsigned i = 0; i < all->size; i++) {
		struct xy_task *task;

		if (all->slots[i].state != SLOT_FREE)
			continue;
		task = slots_next(all, all->used ? xy__search_try : xy__search_next);
		if (task)
			xy__slot_begin(all, &all->slots[i], task);
		else if (!xy__slot_follow(all, &all->slots[i]))
			return all->used;
	}
	return true;
}

/* --- teams, in a simulation --- */

/* The worker has joined a team, and does nothing else until the task is over. */
static void slot_join(struct xy__slots *all, struct xy__slot *slot)
{
	bool leads = xy__team_is_led_by(all->worker);

	slot->state = leads ? SLOT_GATHERING : SLOT_HELPING;
	all->used++;
	if (!leads)
		xy__team_tell(all->worker);
}

/* The leader begins when all have come; the others leave when it is done. */
static bool slot_meet(struct xy__slots *all, struct xy__slot *slot)
{
	bool leads = slot->state == SLOT_GATHERING;

	if (xy__team_let_go(all->worker)) {
		slot->state = SLOT_FREE;
		all->used--;
		return true;
	}
	if (leads ? !xy__team_is_complete(all->worker) : !xy__team_has_left(all->worker))
		return false;
	slot->state = SLOT_FREE;
	all->used--;
	if (leads)
		xy__slot_begin(all, slot, xy__team_begin(all->worker));
	return true;
}

static bool slots_step(struct xy__slots *all)
{
	bool any = false;

	if (xy__slots_has_room(all->worker))
		xy_agent_offer_to_itself(&all->worker->agent.base);
	else
		xy_agent_offer_to_others(&all->worker->agent.base);
	for (unsigned i = 0; i < all->size; i++) {
		struct xy__slot *slot = &all->slots[i];

		if (slot->state >= SLOT_GATHERING)
			any |= slot_meet(all, slot);
		if (slot->state != SLOT_FREE && slot->behind)
			any |= xy__slot_catch_up(all, slot);
		if (slot->state == SLOT_FETCHING)
			any |= slot_fetch(all, slot);
		if (slot->state == SLOT_INITIALISING || slot->state == SLOT_LAUNCHED)
			any |= slot_poll(all, slot);
	}
	return any;
}

void xy__slots_run(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;
	unsigned rounds = 0;

	while (slots_fill(worker->slots)) {
		bool any = xy__transfers_poll(rt, &worker->agent);

		xy__halt_pass(&worker->agent);
		if (slots_step(worker->slots) || any) {
			rounds = 0;
			xy__wait_progress(rt);
		} else {
			rt->engine->pause(rt, &rounds);
		}
	}
}

/* --- without threads --- */

bool xy__slots_go_on(struct xy__worker *worker)
{
	return slots_step(worker->slots);
}

bool xy__slots_take(struct xy__worker *worker)
{
	struct xy__slots *all = worker->slots;
	bool any = false;

	for (unsigned i = 0; i < all->size; i++) {
		struct xy_task *task = all->slots[i].state == SLOT_FREE ? slots_next(all, xy__search_try) : NULL;

		if (task && xy__team_is_joined(worker))
			slot_join(all, &all->slots[i]);
		else if (task)
			xy__slot_begin(all, &all->slots[i], task);
		else if (all->slots[i].state == SLOT_FREE)
			break;
		any |= task != NULL;
	}
	return any;
}

bool xy__slots_has_room(const struct xy__worker *worker)
{
	return worker->slots->used < worker->slots->size;
}

enum xy__slots_wait xy__slots_waits(const struct xy__worker *worker)
{
	const struct xy__slots *all = worker->slots;

	if (!all->fetching)
		return XY__WAITS_NOT;
	for (unsigned i = 0; i < all->size; i++)
		if (all->slots[i].state == SLOT_FETCHING && !all->slots[i].fetch.admitted)
			return XY__WAITS_FOR_MEMORY;
	return XY__WAITS_FOR_DATA;
}

int xy__slots_init(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;
	/* In memory that all share there is nothing to fetch ahead. */
	const struct xy__device_settings *settings = &rt->settings.arch[worker->arch];
	unsigned nstreams = *rt->settings.sim || !settings->streams ? 1 : settings->streams;
	unsigned size = rt->shared_memory ? 1 : settings->ahead + nstreams;
	struct xy__slots *all = calloc(1, sizeof *all + size * sizeof all->slots[0]);

	worker->slots = all;
	if (!all)
		return -ENOMEM;
	all->worker = worker;
	all->size = size;
	all->streams.count = nstreams;
	return 0;
}

void xy__slots_place(struct xy__worker *worker)
{
	struct xy_runtime *rt = worker->agent.runtime;

	worker->slots->node = &rt->memory.nodes[worker->node];
	worker->slots->several = rt->memory.nnodes > 1;
}
