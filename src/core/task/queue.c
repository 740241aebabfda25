/* SPDX-License-Identifier: MIT */
/* Queues of tasks: inserting, taking, passing on. queue_parts.h says how they are built. */
#include "core/task/queue_parts.h"

unsigned xy__queue_find_lane(const struct xy_queue *q, unsigned archs)
{
	unsigned i = archs % XY_NLANES;

	for (unsigned n = 0; n < XY_NLANES; n++) {
		if (q->lanes[i].archs == archs || !q->lanes[i].archs)
			return i;
		i = (i + 1) % XY_NLANES;
	}
	return QUEUE_MIXED;
}

/* The lane of a set that comes for the first time, or that queue_lane has to look for. */
static __attribute__((noinline)) unsigned queue_make_lane(struct xy_queue *q, unsigned archs)
{
	unsigned i = xy__queue_find_lane(q, archs);

	if (i != QUEUE_MIXED)
		q->lanes[i].archs = archs;
	return i;
}

/* --- lists --- */

/* Inserts after `where`, at the front if that is NULL. */
static void list_insert(struct xy_queue_lane *lane, struct xy_task *where, struct xy_task *task)
{
	struct xy_task *next = where ? where->next : lane->front;

	task->prev = where;
	task->next = next;
	if (where)
		where->next = task;
	else
		lane->front = task;
	if (next)
		next->prev = task;
	else
		lane->back = task;
}

static inline void list_append(struct xy_queue_lane *lane, struct xy_task *task)
{
	struct xy_task *back = lane->back;

	task->next = NULL;
	task->prev = back;
	lane->back = task;
	if (back)
		back->next = task;
	else
		lane->front = task;
}

static inline void list_remove(struct xy_queue_lane *lane, struct xy_task *task)
{
	if (task->prev)
		task->prev->next = task->next;
	else
		lane->front = task->next;
	if (task->next)
		task->next->prev = task->prev;
	else
		lane->back = task->prev;
}

/* --- the owner's end --- */

static inline struct xy_task *lane_newest(const struct xy_queue_lane *lane)
{
	return lane->heap && (!lane->back || lane->heap->priority > 0) ? lane->heap : lane->back;
}

static struct xy_task *mixed_newest(const struct xy_queue *q, const struct xy_agent *by)
{
	const struct xy_queue_lane *lane = &q->lanes[QUEUE_MIXED];
	struct xy_task *task, *negative = NULL;

	for (task = lane->front; task && queue_rank(q, task) > 0; task = task->next)
		if (xy__queue_fits(task, by))
			return task;
	for (task = lane->back; task && queue_rank(q, task) <= 0; task = task->prev) {
		if (queue_rank(q, task) < 0)
			negative = task;
		else if (xy__queue_fits(task, by))
			return task;
	}
	while (negative && !xy__queue_fits(negative, by))
		negative = negative->next;
	return negative;
}

/* The first task of a lane at the owner's end that the agent's worker can run; NULL if there is none. */
static inline struct xy_task *lane_newest_for(const struct xy_queue *q, unsigned i, const struct xy_agent *by)
{
	if (i == QUEUE_MIXED)
		return mixed_newest(q, by);
	return q->lanes[i].archs & by->archs ? lane_newest(&q->lanes[i]) : NULL;
}

/* --- heaps --- */

static void lane_insert(const struct xy_queue *q, struct xy_queue_lane *lane, struct xy_task *task)
{
	if (queue_is_keyed(q))
		heap_insert(q, &lane->heap, task);
	else
		heap_insert(NULL, &lane->heap, task);
}

static void lane_remove(const struct xy_queue *q, struct xy_queue_lane *lane, struct xy_task *task)
{
	if (queue_is_keyed(q))
		heap_remove(q, &lane->heap, task);
	else
		heap_remove(NULL, &lane->heap, task);
}

static void queue_set_order(struct xy_queue *q, const struct xy_component *self)
{
	q->self = self;
	q->used |= XY_QUEUE_KEYED;
	q->simple = 0;
	q->only = NULL;
}

void xy_queue_order_by(struct xy_queue *q, const struct xy_component *self,
		       double (*key)(const struct xy_component *self, const struct xy_task *task))
{
	q->key = key;
	queue_set_order(q, self);
}

void xy_queue_order(struct xy_queue *q, const struct xy_component *self,
		    bool (*before)(const struct xy_component *self, const struct xy_task *a, const struct xy_task *b))
{
	q->before = before;
	queue_set_order(q, self);
}

/* --- lengths --- */

void xy_queue_predict(struct xy_queue *q)
{
	q->used |= XY_QUEUE_PREDICTED;
	q->simple = 0;
	q->only = NULL;
}

/* A task's contribution to the length of the queue. Constant while the task rests there. */
static double queue_length_of(const struct xy_queue *q, const struct xy_task *task)
{
	return q->used & XY_QUEUE_PREDICTED && task->expected_us > 0 ? (double)task->expected_us
								     : xy__task_length_us(task);
}

double xy__queue_length_with(const struct xy_queue *q, const struct xy_task *task)
{
	return xy_queue_length_us(q) + queue_length_of(q, task);
}

static void queue_lengthen(struct xy_queue *q, const struct xy_task *task)
{
	xy__queue_set_length(q, xy__queue_length_with(q, task));
}

static void queue_shorten(struct xy_queue *q, const struct xy_task *task)
{
	double length = xy_queue_length_us(q) - queue_length_of(q, task);

	xy__queue_set_length(q, length > 0 ? length : 0);
}

/* --- queues --- */

/* Notes whether one lane has all tasks, after a change of those that have some. */
static void queue_settle(struct xy_queue *q)
{
	unsigned i = q->used ? (unsigned)__builtin_ctz(q->used) : QUEUE_MIXED;

	q->only = i < XY_NLANES && q->used == 1u << i && !q->lanes[i].heap ? &q->lanes[i] : NULL;
}

static void mixed_insert(struct xy_queue *q, struct xy_task *task)
{
	struct xy_queue_lane *lane = &q->lanes[QUEUE_MIXED];
	struct xy_task *where = lane->back;

	while (where && queue_before(q, task, where))
		where = where->prev;
	list_insert(lane, where, task);
}

/* Whatever is not simply appended to a list. */
static __attribute__((noinline)) void queue_insert_special(struct xy_queue *q, struct xy_task *task, unsigned i)
{
	if (i == QUEUE_MIXED)
		mixed_insert(q, task);
	else
		lane_insert(q, &q->lanes[i], task);
}

void xy_queue_insert(struct xy_queue *q, struct xy_task *task)
{
	unsigned i = task->constrained ? QUEUE_MIXED : task->archs % XY_NLANES;
	size_t count = xy_queue_count(q) + 1;

	if (!task->constrained && q->lanes[i].archs != task->archs)
		i = queue_make_lane(q, task->archs);
	task->arrival = q->arrivals++;
	q->used |= 1u << i;
	queue_lengthen(q, task);
	xy__queue_set_count(q, count);
	if (count > xy_queue_peak(q)) {
		atomic_store_explicit(&q->peak, count, memory_order_relaxed);
		if (!(q->used & (XY_QUEUE_PREDICTED | XY_QUEUE_KEYED)))
			q->simple = count;
	}
	if (i == QUEUE_MIXED || queue_in_heap(q, task, i))
		queue_insert_special(q, task, i);
	else
		list_append(&q->lanes[i], task);
	queue_settle(q);
}

/* Appends those of the first tasks that only need that; returns how many. */
static size_t queue_append(struct xy_queue *q, struct xy_task *const *tasks, size_t n)
{
	struct xy_queue_lane *lane = q->only;
	size_t count = xy_queue_count(q), i = 0;
	struct xy_task *back;

	if (!lane || count >= q->simple)
		return 0;
	if (n > q->simple - count)
		n = q->simple - count;
	back = lane->back;
	for (; i < n && xy__queue_appends(q, lane, tasks[i]); i++) {
		tasks[i]->arrival = q->arrivals + i;
		tasks[i]->prev = back;
		back->next = tasks[i];
		back = tasks[i];
	}
	back->next = NULL;
	lane->back = back;
	q->arrivals += i;
	xy__queue_set_count(q, count + i);
	return i;
}

void xy__queue_insert_many(struct xy_queue *q, struct xy_task *const *tasks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		i += queue_append(q, tasks + i, n - i);
		if (i < n)
			xy_queue_insert(q, tasks[i]);
	}
}

/* Takes the task out of its lane; it is still counted. */
static inline void queue_unlink(struct xy_queue *q, struct xy_task *task)
{
	unsigned i = queue_lane(q, task);
	struct xy_queue_lane *lane = &q->lanes[i];

	if (queue_in_heap(q, task, i))
		lane_remove(q, lane, task);
	else
		list_remove(lane, task);
	if (!lane->front && !lane->heap)
		q->used &= ~(1u << i);
	queue_shorten(q, task);
	queue_settle(q);
}

void xy_queue_remove(struct xy_queue *q, struct xy_task *task)
{
	queue_unlink(q, task);
	xy__queue_uncount(q);
}

/* The queue of one lane, which most are, is taken care of in queue.h. */
struct xy_task *xy_queue_take(struct xy_queue *q, const struct xy_agent *by)
{
	struct xy_task *best = NULL;

	for (unsigned lanes = q->used & QUEUE_LANES; lanes; lanes &= lanes - 1) {
		struct xy_task *task = lane_first_for(q, (unsigned)__builtin_ctz(lanes), by);

		if (task && (!best || queue_before(q, task, best)))
			best = task;
	}
	if (best)
		xy_queue_remove(q, best);
	return best;
}

/* Whether a leaves before b at the owner's end. */
static bool queue_before_newest(const struct xy_queue *q, const struct xy_task *a, const struct xy_task *b)
{
	if (queue_rank(q, a) == 0 && queue_rank(q, b) == 0)
		return a->arrival > b->arrival;
	return queue_before(q, a, b);
}

struct xy_task *xy_queue_take_newest(struct xy_queue *q, const struct xy_agent *by)
{
	struct xy_task *best = NULL;

	if (queue_is_keyed(q))
		return xy_queue_take(q, by);
	for (unsigned lanes = q->used & QUEUE_LANES; lanes; lanes &= lanes - 1) {
		struct xy_task *task = lane_newest_for(q, (unsigned)__builtin_ctz(lanes), by);

		if (task && (!best || queue_before_newest(q, task, best)))
			best = task;
	}
	if (best)
		xy_queue_remove(q, best);
	return best;
}

/* --- passing on --- */

/*
 * A push transfers the task to the receiver, links included, and a worker may have run and freed it before the push
 * returns. So it leaves its lane first, but stays counted until it is gone: a reader of the count without the lock
 * never sees an empty queue that has a task again a moment later.
 */
bool xy__queue_give(struct xy_queue *q, struct xy_task *task, xy__give *give, struct xy_component *to,
		    struct xy_agent *by)
{
	unsigned i = queue_lane(q, task);
	struct xy_task *prev = task->prev;
	uint64_t arrival = task->arrival;

	queue_unlink(q, task);
	if (give(to, task, by)) {
		xy__queue_uncount(q);
		return true;
	}
	task->arrival = arrival;
	q->used |= 1u << i;
	queue_lengthen(q, task);
	if (queue_in_heap(q, task, i))
		lane_insert(q, &q->lanes[i], task);
	else
		list_insert(&q->lanes[i], prev, task);
	queue_settle(q);
	return false;
}

bool xy__queue_pump(struct xy_queue *q, xy__give *give, struct xy_component *to, struct xy_agent *by)
{
	struct xy_task *mixed = q->lanes[QUEUE_MIXED].front, *task;
	unsigned lanes = QUEUE_PLAIN;
	bool moved = false;

	while ((task = queue_first_of(q, lanes, ~0u, mixed))) {
		if (task == mixed)
			mixed = task->next;
		if (xy__queue_give(q, task, give, to, by))
			moved = true;
		else
			lanes &= ~(1u << queue_lane(q, task));
	}
	return moved;
}
