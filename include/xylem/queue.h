/* SPDX-License-Identifier: MIT */
/* Queues of tasks, for authors of components. */
#ifndef XYLEM_QUEUE_H
#define XYLEM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xylem/agent.h>
#include <xylem/atomic.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xy_task;

/*
 * Tasks in order, taken by workers that can run them. All zero is an empty queue; the links are inside the tasks, so
 * nothing is allocated and nothing can fail. The owner guards the queue with a lock; only xy_queue_count,
 * xy_queue_peak and xy_queue_length_us may be called without it.
 */
#define XY_NLANES 16u                 /* for unconstrained tasks, one for each set of architectures */
#define XY_QUEUE_READY 64u            /* tasks that xy_queue_take_ready compares */
#define XY_QUEUE_PREDICTED (1u << 31) /* in `used`: lengths are expected durations */
#define XY_QUEUE_KEYED (1u << 30)     /* in `used`: the author orders it */

struct xy_queue_lane {
	unsigned archs;               /* of each of its tasks; 0 until the first */
	struct xy_task *front, *back; /* priority 0, or all of an unordered queue: in order of arrival */
	struct xy_task *heap;         /* other priorities, highest first */
};

struct xy_queue {
	XY_ATOMIC(size_t) count;
	XY_ATOMIC(size_t) peak;
	size_t simple;               /* inserting is simple below this count: the peak, 0 if it predicts */
	XY_ATOMIC(double) length_us; /* sum of the lengths; written with the lock held */
	uint64_t arrivals;
	unsigned used;              /* lanes that are not empty, XY_QUEUE_PREDICTED and XY_QUEUE_KEYED */
	struct xy_queue_lane *only; /* the lane that has all tasks, in its list, unless it predicts; else NULL */
	bool ordered;               /* by priority; set it before use */
	/* The author's order; see xy_queue_order. */
	const struct xy_component *self;
	double (*key)(const struct xy_component *self, const struct xy_task *task);
	bool (*before)(const struct xy_component *self, const struct xy_task *a, const struct xy_task *b);
	struct xy_queue_lane
		lanes[XY_NLANES + 1]; /* by set of architectures; the last: constrained tasks, further sets */
};

/*
 * Before use, for a predicted component: lengths are then the expected durations where tasks were sent, not only those
 * of their descriptions.
 */
void xy_queue_predict(struct xy_queue *q);
/*
 * Before use, in place of `ordered`: an order of one's own, oldest first among equals. Inserting and taking cost
 * O(log n); constrained tasks are in a list of their own, where inserting costs as many steps as it has later tasks.
 * By a key, the smallest first and NaN last, or by a comparison: whether a leaves before b. The answers
 * must not change while tasks are in the queue. xy_queue_take, _take_newest and _take_ready then all take the first
 * task.
 */
void xy_queue_order_by(struct xy_queue *q, const struct xy_component *self,
		       double (*key)(const struct xy_component *self, const struct xy_task *task));
void xy_queue_order(struct xy_queue *q, const struct xy_component *self,
		    bool (*before)(const struct xy_component *self, const struct xy_task *a, const struct xy_task *b));
void xy_queue_insert(struct xy_queue *q, struct xy_task *task);
/* The first task that the agent's worker can run: highest priority or smallest key, oldest first. NULL without one. */
struct xy_task *xy_queue_take(struct xy_queue *q, const struct xy_agent *by);
/* xy_queue_take with the newest of priority 0 first: the owner's end of a work-stealing queue. */
struct xy_task *xy_queue_take_newest(struct xy_queue *q, const struct xy_agent *by);
/*
 * Among the first XY_QUEUE_READY tasks of the highest priority that the agent's worker can run, the one that misses
 * the fewest bytes on its node; the oldest among equals.
 */
struct xy_task *xy_queue_take_ready(struct xy_queue *q, const struct xy_agent *by);
/* The first task of all. */
struct xy_task *xy_queue_first(struct xy_queue *q);
/* The first task that can run below c. */
struct xy_task *xy_queue_first_for(struct xy_queue *q, const struct xy_component *c);
/* Pushes a task of the queue to a child, with the owner's lock held. If refused it keeps its place. */
bool xy_queue_pass(struct xy_queue *q, struct xy_task *task, struct xy_component *to, struct xy_agent *by);
/* Offers the queue's tasks to the children, once for each set of architectures and for each constrained task. With the
 * owner's lock held. */
void xy_queue_offer(struct xy_queue *q, struct xy_component *self, struct xy_agent *by);
/* Removes a task from the queue. */
void xy_queue_remove(struct xy_queue *q, struct xy_task *task);
static inline size_t xy_queue_count(const struct xy_queue *q)
{
	return atomic_load_explicit(&((struct xy_queue *)q)->count, XY_ORDER(relaxed));
}
static inline size_t xy_queue_peak(const struct xy_queue *q)
{
	return atomic_load_explicit(&((struct xy_queue *)q)->peak, XY_ORDER(relaxed));
}
static inline double xy_queue_length_us(const struct xy_queue *q)
{
	return atomic_load_explicit(&((struct xy_queue *)q)->length_us, XY_ORDER(relaxed));
}
/* Calls visit for each task, in the order in which they would leave. */
void xy_queue_each(struct xy_queue *q, void (*visit)(void *arg, const struct xy_task *task), void *arg);
/* One task for each set of architectures, then each constrained one. */
void xy_queue_each_distinct(struct xy_queue *q, void (*visit)(void *arg, const struct xy_task *task), void *arg);

#ifdef __cplusplus
}
#endif
#endif
