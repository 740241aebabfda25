/* SPDX-License-Identifier: MIT */
/* Tasks of a device worker that are launched behind those they depend on: how they are taken, and end after these. */
#include <errno.h>
#include <stdio.h>

#include "core/data/fetch.h"
#include "core/runtime/agent.h"
#include "core/runtime/behind.h"
#include "core/runtime/deps.h"
#include "core/runtime/runtime.h"
#include "core/runtime/worker_slots_parts.h"

enum { MOST_LAUNCHED = 8 };

/* Its tasks that the device has, the first one first; none if one of them might end otherwise than by its event, or
 * if they are on several streams. */
static unsigned slots_launched(const struct xy__slots *all, struct xy_task *tasks[MOST_LAUNCHED])
{
	const struct xy__slot *launched[MOST_LAUNCHED];
	unsigned n = 0;

	for (unsigned i = 0; i < all->size; i++) {
		const struct xy__slot *slot = &all->slots[i];
		unsigned k;

		if (slot->state == SLOT_FREE)
			continue;
		if (slot->state != SLOT_LAUNCHED || !slot->event || slot->status || n == MOST_LAUNCHED ||
		    (n && launched[0]->stream != slot->stream))
			return 0;
		for (k = n++; k > 0 && launched[k - 1]->launch > slot->launch; k--)
			launched[k] = launched[k - 1];
		launched[k] = slot;
	}
	for (unsigned i = 0; i < n; i++)
		tasks[i] = launched[i]->fetch.task;
	return n;
}

/* The stream on which all run that the device has. */
static unsigned slots_stream(const struct xy__slots *all)
{
	for (unsigned i = 0; i < all->size; i++)
		if (all->slots[i].state == SLOT_LAUNCHED)
			return all->slots[i].stream;
	return 0;
}

/* Takes a task that waits for what is running here only. False: there is none. */
bool xy__slot_follow(struct xy__slots *all, struct xy__slot *slot)
{
	struct xy_task *tasks[MOST_LAUNCHED], *task;
	const struct xy__launched launched = { slots_launched(all, tasks), tasks, slots_stream(all) != 0 };

	if (!all->several || !launched.n || xy__declines_pause(&all->declines, all->worker->agent.runtime) ||
	    xy__node_is_lost(&all->worker->agent.runtime->memory, all->node->id))
		return false;
	task = xy__behind_take(all->worker, &launched);
	if (!task)
		return false;
	slot->stream = slots_stream(all);
	xy__slot_begin(all, slot, task);
	slot->behind = true;
	xy__fetch_follow(&slot->fetch, xy__behind_coming(task, &launched));
	return true;
}

/* The launch has failed, or its data can't be had: it is too early to say so. */
void xy__slot_keep(struct xy__slots *all, struct xy__slot *slot, int status)
{
	slot->status = status;
	if (slot->state == SLOT_FETCHING)
		return;
	snprintf(slot->fetch.reason, sizeof slot->fetch.reason, "%s", all->node->driver->explain());
	xy__slot_log_details(all, slot);
}

/* One of its predecessors has failed. What was launched has to end first. */
static bool slot_cancel(struct xy__slots *all, struct xy__slot *slot, int status)
{
	struct xy_task *task = slot->fetch.task;

	if (slot->event && all->node->driver->poll(all->node->device, slot->event) == -EAGAIN)
		return false;
	if (slot->streams)
		xy__slot_took(all, slot, xy_now(all->worker->agent.runtime));
	xy__fetch_end(&slot->fetch, status, &all->worker->agent);
	xy__slot_vacate(all, slot, status);
	xy__deps_end(task, status, &all->worker->agent);
	return true;
}

/* Looks after a task that was taken behind others. True: it has ended. */
bool xy__slot_catch_up(struct xy__slots *all, struct xy__slot *slot)
{
	struct xy_task *task = slot->fetch.task;
	/* relaxed: this thread has ended the predecessors */
	int status = atomic_load_explicit(&task->status, memory_order_relaxed);

	if (xy__behind_waits(task))
		return false;
	if (status)
		return slot_cancel(all, slot, status);
	atomic_store_explicit(&task->missing, 0, memory_order_relaxed);
	slot->behind = false;
	slot->fetch.coming = 0;
	if (slot->state == SLOT_FETCHING)
		slot->status = 0; /* it is tried again */
	return false;
}
