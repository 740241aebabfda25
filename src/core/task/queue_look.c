/* SPDX-License-Identifier: MIT */
/* Queues: the task that misses the fewest bytes, the first task, and walks in the order in which tasks would leave. */
#include "core/task/queue_parts.h"

/* The next task of a lane after this one in the order of arrival. A part of a heap that is looked at is a path. */
static struct xy_task *lane_next(const struct xy_queue *q, const struct xy_task *task, const struct xy_agent *by)
{
	unsigned i = queue_lane(q, task);
	struct xy_task *next = queue_in_heap(q, task, i) ? task->child : task->next;

	while (next && i == QUEUE_MIXED && !xy__queue_fits(next, by))
		next = next->next;
	return next && queue_rank(q, next) == queue_rank(q, task) ? next : NULL;
}

/* The oldest of the first tasks of the lanes, NULL if there are none. */
static struct xy_task **lanes_oldest(struct xy_task **heads, unsigned n)
{
	struct xy_task **oldest = NULL;

	for (unsigned i = 0; i < n; i++)
		if (heads[i] && (!oldest || heads[i]->arrival < (*oldest)->arrival))
			oldest = &heads[i];
	return oldest;
}

/* Puts the first task of each lane that has some of the highest priority into heads; returns how many those are. */
static unsigned queue_heads(struct xy_queue *q, const struct xy_agent *by, struct xy_task **heads)
{
	unsigned n = 0;

	for (unsigned lanes = q->used & QUEUE_LANES; lanes; lanes &= lanes - 1) {
		struct xy_task *task = lane_first_for(q, (unsigned)__builtin_ctz(lanes), by);

		if (!task || (n && queue_rank(q, task) < queue_rank(q, heads[0])))
			continue;
		if (n && queue_rank(q, task) > queue_rank(q, heads[0]))
			n = 0;
		heads[n++] = task;
	}
	for (unsigned i = 0; i < n; i++) {
		unsigned lane = queue_lane(q, heads[i]);

		if (queue_in_heap(q, heads[i], lane))
			lane_sort(q, &q->lanes[lane], XY_QUEUE_READY);
	}
	return n;
}

struct xy_task *xy__queue_ready(struct xy_queue *q, const struct xy_agent *by)
{
	struct xy_task *heads[XY_NLANES + 1], **head, *best = NULL;
	unsigned n = queue_heads(q, by, heads);
	size_t least = SIZE_MAX;

	for (unsigned i = 0; i < XY_QUEUE_READY && least && (head = lanes_oldest(heads, n)); i++) {
		size_t missing = xy_task_missing_bytes(*head, (unsigned)by->worker);

		if (!best || missing < least) {
			best = *head;
			least = missing;
		}
		*head = lane_next(q, *head, by);
	}
	return best;
}

struct xy_task *xy_queue_take_ready(struct xy_queue *q, const struct xy_agent *by)
{
	struct xy_task *task;

	if (queue_is_keyed(q))
		return xy_queue_take(q, by);
	task = xy__queue_ready(q, by);
	if (task)
		xy_queue_remove(q, task);
	return task;
}

struct xy_task *xy_queue_first(struct xy_queue *q)
{
	return queue_first_of(q, QUEUE_PLAIN, ~0u, q->lanes[QUEUE_MIXED].front);
}

struct xy_task *xy_queue_first_for(struct xy_queue *q, const struct xy_component *c)
{
	struct xy_task *mixed = q->lanes[QUEUE_MIXED].front;

	while (mixed && !xy_task_can_run_below(mixed, c))
		mixed = mixed->next;
	return queue_first_of(q, QUEUE_PLAIN, c->archs, mixed);
}

/* Each lane is two sorted sequences, its list and its heap as far as that is sorted; this merges them all. */
struct queue_walk {
	struct xy_task *at[2 * (XY_NLANES + 1)];
};

static void walk_begin(struct queue_walk *walk, struct xy_queue *q, size_t n)
{
	for (unsigned i = 0; i <= XY_NLANES; i++) {
		lane_sort(q, &q->lanes[i], n);
		walk->at[2 * i] = q->lanes[i].front;
		walk->at[2 * i + 1] = q->lanes[i].heap;
	}
}

static struct xy_task *walk_next(struct queue_walk *walk, const struct xy_queue *q)
{
	struct xy_task **best = NULL, *task;

	for (unsigned i = 0; i < 2 * (XY_NLANES + 1); i++)
		if (walk->at[i] && (!best || queue_before(q, walk->at[i], *best)))
			best = &walk->at[i];
	if (!best)
		return NULL;
	task = *best;
	*best = (best - walk->at) % 2 ? task->child : task->next;
	return task;
}

void xy_queue_each(struct xy_queue *q, void (*visit)(void *arg, const struct xy_task *task), void *arg)
{
	struct queue_walk walk;
	struct xy_task *task;

	walk_begin(&walk, q, SIZE_MAX);
	while ((task = walk_next(&walk, q)))
		visit(arg, task);
}

unsigned xy__queue_some(struct xy_queue *q, struct xy_task **tasks, unsigned n)
{
	struct queue_walk walk;
	unsigned count = 0;

	walk_begin(&walk, q, n);
	while (count < n && (tasks[count] = walk_next(&walk, q)))
		count++;
	return count;
}

void xy_queue_each_distinct(struct xy_queue *q, void (*visit)(void *arg, const struct xy_task *task), void *arg)
{
	for (unsigned lanes = q->used & QUEUE_PLAIN; lanes; lanes &= lanes - 1)
		visit(arg, lane_first(&q->lanes[__builtin_ctz(lanes)]));
	for (struct xy_task *task = q->lanes[QUEUE_MIXED].front; task; task = task->next)
		visit(arg, task);
}

bool xy__queue_leads(const struct xy_queue *q, const struct xy_task *task)
{
	unsigned i = queue_lane(q, task);

	return i == QUEUE_MIXED || lane_first(&q->lanes[i]) == task;
}
