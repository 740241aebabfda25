/* SPDX-License-Identifier: MIT */
/* Private parts of queues, for the library's reservoirs that push their tasks down. */
#ifndef XYLEM_CORE_TASK_QUEUE_H
#define XYLEM_CORE_TASK_QUEUE_H

#include <string.h>

#include "core/task/task.h"

/* --- the common case inline: one lane without priorities --- */

/* The owner's lock orders the stores; readers without it only want a hint. */
static inline void xy__queue_set_count(struct xy_queue *q, size_t count)
{
	atomic_store_explicit(&q->count, count, memory_order_relaxed);
}

static inline void xy__queue_set_length(struct xy_queue *q, double length_us)
{
	atomic_store_explicit(&q->length_us, length_us, memory_order_relaxed);
}

static inline void xy__queue_uncount(struct xy_queue *q)
{
	size_t count = xy_queue_count(q) - 1;

	xy__queue_set_count(q, count);
	if (!count)
		xy__queue_set_length(q, 0); /* no rounding error outlives the tasks that it came from */
}

/* Whether the worker or the team that pulls can run a task. */
static inline bool xy__queue_fits(const struct xy_task *task, const struct xy_agent *by)
{
	if (by->team)
		return xy_task_can_run_below(task, by->team);
	return by->worker >= 0 && xy__task_can_take(task, (unsigned)by->worker);
}

/* The lane that is the whole queue, if it is one list of tasks that this agent can run; else NULL, also for a queue
 * that predicts. */
static inline struct xy_queue_lane *xy__queue_only(struct xy_queue *q, const struct xy_agent *by)
{
	struct xy_queue_lane *lane = q->only;

	return lane && (lane->archs & by->archs) ? lane : NULL;
}

/* Whether the program gave its length. */
static inline bool xy__queue_has_length(const struct xy_task *task)
{
	uint32_t length; /* its bits: 0 is 0 */

	memcpy(&length, &task->length_us, sizeof length);
	return length != 0;
}

/* The task that was just unlinked from the only lane is gone, and perhaps the last one. */
static inline void xy__queue_took(struct xy_queue *q, const struct xy_task *task, bool last)
{
	if (__builtin_expect(last, 0)) {
		q->used = 0;
		q->only = NULL;
	}
	if (__builtin_expect(xy__queue_has_length(task), 0))
		xy__queue_set_length(q, xy_queue_length_us(q) - (double)task->length_us);
	xy__queue_uncount(q);
}

/* xy_queue_take. */
static inline struct xy_task *xy__queue_take(struct xy_queue *q, const struct xy_agent *by)
{
	struct xy_queue_lane *lane = xy__queue_only(q, by);
	struct xy_task *task;

	if (!lane)
		return xy_queue_take(q, by);
	task = lane->front;
	lane->front = task->next;
	if (lane->front)
		lane->front->prev = NULL;
	else
		lane->back = NULL;
	xy__queue_took(q, task, !lane->front);
	return task;
}

/* xy_queue_take_newest. */
static inline struct xy_task *xy__queue_take_newest(struct xy_queue *q, const struct xy_agent *by)
{
	struct xy_queue_lane *lane = xy__queue_only(q, by);
	struct xy_task *task;

	if (!lane)
		return xy_queue_take_newest(q, by);
	task = lane->back;
	lane->back = task->prev;
	if (lane->back)
		lane->back->next = NULL;
	else
		lane->front = NULL;
	xy__queue_took(q, task, !lane->back);
	return task;
}

/* Whether inserting a task means to append it to the list of this lane, which is not empty. */
static inline bool xy__queue_appends(const struct xy_queue *q, const struct xy_queue_lane *lane,
				     const struct xy_task *task)
{
	return lane->archs == task->archs && !task->constrained && !xy__queue_has_length(task) &&
	       !(q->ordered && task->priority);
}

/* xy_queue_insert if that means to append to a list that is not empty. False: it does not, and nothing has happened. */
static inline bool xy__queue_append(struct xy_queue *q, struct xy_task *task)
{
	struct xy_queue_lane *lane = &q->lanes[task->archs % XY_NLANES];
	size_t count = xy_queue_count(q) + 1;

	if (!lane->back || count > q->simple || !xy__queue_appends(q, lane, task))
		return false;
	task->arrival = q->arrivals++;
	task->prev = lane->back;
	task->next = NULL;
	lane->back->next = task;
	lane->back = task;
	xy__queue_set_count(q, count);
	return true;
}

/* xy_queue_insert. */
static inline void xy__queue_insert(struct xy_queue *q, struct xy_task *task)
{
	if (!xy__queue_append(q, task))
		xy_queue_insert(q, task);
}

/* xy_queue_insert for several tasks, in this order. */
void xy__queue_insert_many(struct xy_queue *q, struct xy_task *const *tasks, size_t n);

/* How long the queue would be with this task, which is not in it. */
double xy__queue_length_with(const struct xy_queue *q, const struct xy_task *task);

/* The first tasks in order, at most n of them, into tasks; returns how many. */
unsigned xy__queue_some(struct xy_queue *q, struct xy_task **tasks, unsigned n);

/* --- passing on --- */

/* Passes a task to its receiver: xy_push, or a function with its contract. */
typedef bool xy__give(struct xy_component *to, struct xy_task *task, struct xy_agent *by);

/* Gives away a task of the queue with the owner's lock held. If refused it keeps its place. */
bool xy__queue_give(struct xy_queue *q, struct xy_task *task, xy__give *give, struct xy_component *to,
		    struct xy_agent *by);

/*
 * Gives away, in the order of the queue, every task that is accepted; true if any was. Tasks of one lane can run on
 * the same workers, so once one is refused the rest of its lane is skipped; those of the mixed lane are all tried. The
 * owner's lock is held.
 */
bool xy__queue_pump(struct xy_queue *q, xy__give *give, struct xy_component *to, struct xy_agent *by);

/* The task that xy_queue_take_ready would take. */
struct xy_task *xy__queue_ready(struct xy_queue *q, const struct xy_agent *by);

/* Whether no earlier task in the queue can run on the same workers. Tasks of the mixed lane are never compared. */
bool xy__queue_leads(const struct xy_queue *q, const struct xy_task *task);

#endif
