/* SPDX-License-Identifier: MIT */
/*
 * The parts of a queue: a lane for each set of architectures that comes, up to XY_NLANES of them, and a mixed one for
 * constrained tasks and for further sets. Within a lane of an ordered queue a list has priority 0 and a pairing heap
 * has the others; in a queue with an order of its author's the heap has all. The mixed lane is one list in the order of
 * the queue. All tasks of any other lane can run on the same workers, so that looking at its first one is enough.
 * Invariant: a lane keeps its set for the life of the queue, and a set that found no lane finds none later, so that a
 * task's lane follows from its set.
 */
#ifndef XYLEM_CORE_TASK_QUEUE_PARTS_H
#define XYLEM_CORE_TASK_QUEUE_PARTS_H

#include "core/task/heap.h"
#include "core/task/queue.h"
#include "core/task/task.h"

enum {
	QUEUE_MIXED = XY_NLANES,                 /* the lane of tasks that have to be asked one by one */
	QUEUE_PLAIN = (1 << XY_NLANES) - 1,      /* mask of the others */
	QUEUE_LANES = (1 << (XY_NLANES + 1)) - 1 /* mask of all */
};

_Static_assert(QUEUE_LANES < XY_QUEUE_KEYED, "the lanes and the flags fit in a word");

/* The lane of a set that is not in the first place where it could be; the first without a set if it has none yet. */
unsigned xy__queue_find_lane(const struct xy_queue *q, unsigned archs);

static inline unsigned queue_lane(const struct xy_queue *q, const struct xy_task *task)
{
	unsigned i = task->archs % XY_NLANES;

	if (task->constrained)
		return QUEUE_MIXED;
	return q->lanes[i].archs == task->archs ? i : xy__queue_find_lane(q, task->archs);
}

/* Whether the author orders it: all its tasks are then in heaps, or in the mixed lane. */
static inline bool queue_is_keyed(const struct xy_queue *q)
{
	return q->used & XY_QUEUE_KEYED;
}

static inline bool queue_in_heap(const struct xy_queue *q, const struct xy_task *task, unsigned lane)
{
	return ((q->ordered && task->priority != 0) || queue_is_keyed(q)) && lane != QUEUE_MIXED;
}

/* The priority as far as this queue cares. */
static inline int queue_rank(const struct xy_queue *q, const struct xy_task *task)
{
	return q->ordered ? task->priority : 0;
}

/* Whether a leaves before b. */
static inline bool queue_before(const struct xy_queue *q, const struct xy_task *a, const struct xy_task *b)
{
	int rank_a, rank_b;

	if (queue_is_keyed(q))
		return heap_before_by(q, a, b);
	rank_a = queue_rank(q, a);
	rank_b = queue_rank(q, b);
	return rank_a != rank_b ? rank_a > rank_b : a->arrival < b->arrival;
}

/* --- lanes --- */

static inline struct xy_task *lane_first(const struct xy_queue_lane *lane)
{
	return lane->heap && (!lane->front || lane->heap->priority > 0) ? lane->heap : lane->front;
}

static inline struct xy_task *mixed_first(const struct xy_queue *q, const struct xy_agent *by)
{
	struct xy_task *task = q->lanes[QUEUE_MIXED].front;

	while (task && !xy__queue_fits(task, by))
		task = task->next;
	return task;
}

/* The first task of a lane that the agent's worker can run; NULL if there is none. */
static inline struct xy_task *lane_first_for(const struct xy_queue *q, unsigned i, const struct xy_agent *by)
{
	if (i == QUEUE_MIXED)
		return mixed_first(q, by);
	return q->lanes[i].archs & by->archs ? lane_first(&q->lanes[i]) : NULL;
}

static inline void lane_sort(const struct xy_queue *q, struct xy_queue_lane *lane, size_t n)
{
	if (queue_is_keyed(q))
		heap_sort(q, &lane->heap, n);
	else
		heap_sort(NULL, &lane->heap, n);
}

/* The first of the heads of these lanes that are for some of these architectures, and of `other` if there is one. */
static inline struct xy_task *queue_first_of(const struct xy_queue *q, unsigned lanes, unsigned archs,
					     struct xy_task *other)
{
	struct xy_task *best = other;

	for (lanes &= q->used & QUEUE_PLAIN; lanes; lanes &= lanes - 1) {
		const struct xy_queue_lane *lane = &q->lanes[__builtin_ctz(lanes)];
		struct xy_task *task = lane_first(lane);

		if ((lane->archs & archs) && (!best || queue_before(q, task, best)))
			best = task;
	}
	return best;
}

#endif
