/* SPDX-License-Identifier: MIT */
/* How a task enters a slot of a device worker and leaves it, and how long it took. */
#include <errno.h>
#include <string.h>

#include "core/data/transfer.h"
#include "core/runtime/agent.h"
#include "core/runtime/notes.h"
#include "core/runtime/runtime.h"
#include "core/runtime/team.h"
#include "core/runtime/worker_slots_parts.h"

/* Whether the duration of a task is needed. */
bool xy__slot_is_timed(const struct xy__slots *all, const struct xy__slot *slot)
{
	return xy__runtime_is_timed(all->worker->agent.runtime) || slot->fetch.task->flags & XY__TASK_MEASURED ||
	       all->streams.count > 1;
}

/*
 * How long a task that ends took. A stream does one after the other: it began when it was launched, or when the one
 * before had ended. With several streams, it has a share of the time.
 */
double xy__slot_took(struct xy__slots *all, struct xy__slot *slot, double now)
{
	if (all->streams.count > 1) {
		bool counts = slot->streams;

		slot->streams = false;
		return counts ? xy__streams_end(&all->streams, slot->stream, now) : 0;
	}
	if (slot->begin < all->ended)
		slot->begin = all->ended;
	all->ended = now;
	return now - slot->begin;
}

void xy__slot_measure(struct xy__slots *all, struct xy__slot *slot, int status)
{
	struct xy__worker *worker = all->worker;
	struct xy_task *task = slot->fetch.task;
	struct xy_runtime *rt = worker->agent.runtime;
	double length = xy__slot_took(all, slot, xy_now(rt));

	if (rt->settings.profile)
		atomic_fetch_add_explicit(&worker->busy_ns, (uint64_t)(length * 1e9), memory_order_relaxed);
	if (!status && task->flags & XY__TASK_MEASURED && slot->state == SLOT_LAUNCHED)
		xy__perf_measure(task->pool->perf, xy__task_codelet(task)->model, task, worker->id,
				 task->implementation,
				 slot->device_us >= 0 && all->streams.count == 1 ? slot->device_us : length * 1e6);
}

void xy__slot_begin(struct xy__slots *all, struct xy__slot *slot, struct xy_task *task)
{
	void **buffers = task->naccesses > XY__SLOT_BUFFERS ? task->extra->buffers : slot->few;

	slot->state = SLOT_FETCHING;
	slot->streams = false;
	slot->event = NULL;
	slot->behind = false;
	slot->status = 0;
	if (xy__runtime_is_timed(all->worker->agent.runtime)) {
		slot->run.begin_s = xy_now(all->worker->agent.runtime);
		xy__worker_account(all->worker, task, false);
		xy__notes_started(all->worker, task, &slot->run);
	}
	if (all->several)
		xy__fetch_init(&slot->fetch, task, all->worker, buffers);
	slot->fetch.task = task;
	slot->fetch.buffers = buffers;
	all->used++;
	all->fetching++;
}

/* The slot's task has ended, or can't run, and holds no data any more. */
void xy__slot_leave(struct xy__slots *all, struct xy__slot *slot, int status)
{
	struct xy__worker *worker = all->worker;
	struct xy_task *task = slot->fetch.task;

	if (xy__runtime_is_timed(worker->agent.runtime)) {
		slot->run.end_s = xy_now(worker->agent.runtime);
		slot->run.start_s = slot->state == SLOT_LAUNCHED ? slot->begin : slot->run.end_s;
		xy__worker_account(worker, task, true);
		xy__notes_ended(worker, task, status, &slot->run);
	}
	all->fetching -= slot->state == SLOT_FETCHING;
	slot->state = SLOT_FREE;
	all->used--;
	atomic_store_explicit(&worker->agent.doing, 0, memory_order_relaxed); /* for the dump, like the next one */
	if (xy__team_is_joined(worker))
		xy__team_tell(worker);
	if (status == -ENODEV && all->node->driver->is_lost(all->node->device))
		xy__node_lose(worker->agent.runtime, worker->node);
	xy_agent_offer_to_itself(&worker->agent.base);
	xy__worker_finish(worker, task, status);
}

void xy__slot_end(struct xy__slots *all, struct xy__slot *slot, int status)
{
	if (all->several)
		xy__fetch_end(&slot->fetch, status, &all->worker->agent);
	if (!status && slot->state == SLOT_LAUNCHED)
		xy__declines_forget(&all->declines);
	xy__slot_leave(all, slot, status);
}

/* The slot's task leaves it without having run: -ECANCELED, or -EAGAIN if it goes back. */
void xy__slot_vacate(struct xy__slots *all, struct xy__slot *slot, int status)
{
	struct xy__worker *worker = all->worker;

	if (xy__runtime_is_timed(worker->agent.runtime)) {
		xy__worker_account(worker, slot->fetch.task, true);
		xy__notes_unused(worker, slot->fetch.task, status, slot->run.epoch);
	}
	all->fetching -= slot->state == SLOT_FETCHING;
	slot->state = SLOT_FREE;
	all->used--;
	atomic_store_explicit(&worker->agent.doing, 0, memory_order_relaxed); /* for the dump */
}

/* All that the driver knows about a failed launch: a line of the log for each of its lines. */
void xy__slot_log_details(const struct xy__slots *all, const struct xy__slot *slot)
{
	const struct xy_driver *driver = all->node->driver;
	const char *text = slot->state != SLOT_FETCHING && driver->details ? driver->details() : NULL;

	while (text && *text) {
		int length = (int)strcspn(text, "\n");

		xy__log(&all->worker->agent.runtime->settings.log, "  %.*s", length, text);
		text += length + (text[length] == '\n');
	}
}
