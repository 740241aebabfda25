/* SPDX-License-Identifier: MIT */
/*
 * divide: a reservoir that gives divisible tasks away in pieces of equal size. A task that is being divided keeps its
 * place among those stored; a piece that was refused below waits beside the queue and goes first.
 */
#include <math.h>

#include "components/all.h"
#include "components/reservoir.h"
#include "core/task/queue.h"
#include "core/task/task.h"

/* Locking key: (c) constant after seal, (l) lock, (a) atomic. */
struct divide {
	struct xy_component base;
	double items; /* (c) option */
	bool pushes;  /* (c) something below takes pushes */
	struct xy_lock lock;
	struct xy_queue queue;             /* (l) */
	_Atomic unsigned stored;           /* (l) to change it: tasks in the queue, and one that is being cut */
	_Atomic(struct xy_task *) refused; /* (l) to change it, (a) to see whether there is one */
};

static struct divide *divide_of(struct xy_component *self)
{
	return (struct divide *)self;
}

static struct xy_task *divide_refused(const struct divide *d)
{
	/* relaxed: only the lock's holder dereferences it */
	return atomic_load_explicit(&((struct divide *)d)->refused, memory_order_relaxed);
}

static void divide_set_refused(struct divide *d, struct xy_task *piece)
{
	atomic_store_explicit(&d->refused, piece, memory_order_relaxed);
}

/* How many tasks it has. A worker that looks while another one cuts must not find none: it would sleep. */
static size_t divide_holds(const struct divide *d)
{
	return atomic_load(&((struct divide *)d)->stored) + (divide_refused(d) != NULL);
}

/* The next piece of a stored task; the task itself once there is no more to cut off. The lock is held. */
static struct xy_task *divide_cut(struct divide *d, struct xy_task *task, struct xy_agent *by)
{
	return xy_task_cut(&d->base, task, (uint64_t)d->items, 0, by);
}

/* --- down --- */

static bool divide_spread(struct divide *d, struct xy_task *task, struct xy_agent *by)
{
	for (unsigned i = 0; i < d->base.nchildren; i++)
		if (xy_push(d->base.children[i], task, by))
			return true;
	return false;
}

/* Passes on the next piece; false if it is refused. The lock is held. */
static bool divide_give(struct divide *d, struct xy_agent *by)
{
	struct xy_task *task = xy_queue_first(&d->queue), *piece = divide_cut(d, task, by);
	bool whole = piece == task, given;

	if (whole)
		xy_queue_remove(&d->queue, task);
	given = divide_spread(d, piece, by);
	if (!given)
		divide_set_refused(d, piece);
	if (whole)
		atomic_fetch_sub(&d->stored, 1);
	return given;
}

/* The lock is held. */
static bool divide_pump(struct divide *d, struct xy_agent *by)
{
	bool moved = false;

	if (divide_refused(d)) {
		if (!divide_spread(d, divide_refused(d), by))
			return false;
		divide_set_refused(d, NULL);
		moved = true;
	}
	while (xy_queue_count(&d->queue) && divide_give(d, by))
		moved = true;
	return moved;
}

/* Stores a task; returns it, or the piece of it that was refused, or NULL if all of it is gone. The lock is held. */
static struct xy_task *divide_store(struct divide *d, struct xy_task *task, struct xy_agent *by)
{
	atomic_fetch_add(&d->stored, 1);
	xy_queue_insert(&d->queue, task);
	if (!d->pushes || xy_queue_count(&d->queue) > 1)
		return task;
	divide_pump(d, by);
	return xy_queue_count(&d->queue) ? task : divide_refused(d);
}

/* What is left is offered: those below that pull may take it. */
static bool divide_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct divide *d = divide_of(self);
	struct xy_offer offer = { 0 };
	struct xy_task *left;

	xy_lock_take(&d->lock, self, by);
	left = divide_store(d, task, by);
	if (left)
		offer = xy_offer_of(left);
	if (offer.task) /* constrained: it must not leave while it is being looked at */
		xy_can_pull_children(self, &offer, by);
	xy_lock_drop(&d->lock, self, by);
	if (left && !offer.task)
		xy_can_pull_children(self, &offer, by);
	return true;
}

/* --- up --- */

/* The lock is held. */
static struct xy_task *divide_take(struct divide *d, struct xy_agent *by)
{
	struct xy_task *task = divide_refused(d), *piece;

	if (task && (by->worker < 0 || xy__queue_fits(task, by))) {
		divide_set_refused(d, NULL);
		return task;
	}
	task = xy_queue_take(&d->queue, by);
	if (!task)
		return NULL;
	piece = divide_cut(d, task, by);
	if (piece != task)
		xy_queue_insert(&d->queue, task); /* several share the workers in turn */
	else
		atomic_fetch_sub(&d->stored, 1);
	return piece;
}

static struct xy_task *divide_pull(struct xy_component *self, struct xy_agent *by)
{
	struct divide *d = divide_of(self);
	struct xy_task *task;

	if (divide_holds(d)) {
		xy_lock_take(&d->lock, self, by);
		task = divide_take(d, by);
		xy_lock_drop(&d->lock, self, by);
		if (task)
			return task;
	}
	return xy_pull_parents(self, by);
}

static bool divide_can_push(struct xy_component *self, struct xy_component *child, struct xy_agent *by)
{
	struct divide *d = divide_of(self);
	bool moved = false;

	(void)child;
	if (divide_holds(d)) {
		xy_lock_take(&d->lock, self, by);
		moved = d->pushes && divide_pump(d, by);
		xy_lock_drop(&d->lock, self, by);
	}
	return xy_can_push_parents(self, by) || moved;
}

/* --- set-up and looking --- */

static int divide_init(struct xy_component *self)
{
	struct divide *d = divide_of(self);

	d->queue.ordered = true;
	if (self->predicted)
		xy_queue_predict(&d->queue);
	for (unsigned i = 0; i < self->nchildren; i++)
		d->pushes |= self->children[i]->takes_pushes;
	return 0;
}

static size_t divide_depth(struct xy_component *self, size_t *peak)
{
	struct divide *d = divide_of(self);

	*peak = xy_queue_peak(&d->queue);
	return divide_holds(d);
}

static double divide_stored_us(struct xy_component *self)
{
	return xy_queue_length_us(&divide_of(self)->queue);
}

static void divide_each_task(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task), void *arg)
{
	struct divide *d = divide_of(self);
	struct xy_agent nobody = { .worker = -1 };

	xy_lock_take(&d->lock, self, &nobody);
	if (divide_refused(d))
		visit(arg, divide_refused(d));
	xy_queue_each(&d->queue, visit, arg);
	xy_lock_drop(&d->lock, self, &nobody);
}

static const struct xy_option divide_options[] = { { .name = "items",
						     .help = "items of a piece",
						     .type = XY_OPTION_DOUBLE,
						     .offset = offsetof(struct divide, items),
						     .initial = 1000,
						     .min = 1,
						     .max = 4294967295.0 },
						   { 0 } };

const struct xy_component_ops xy__divide_ops = {
	.name = "divide",
	.summary = "cuts divisible tasks into pieces of equal size",
	.manual = "A reservoir in priority order. Of a task with a range (xy_task_desc.range) it gives away\n"
		  "pieces of `items` items, the last one with what is left, when a worker asks or as long\n"
		  "as a component below takes them. Pieces are made one at a time, so a long batch needs no\n"
		  "more memory than a short one. Divisible tasks of equal priority share the workers in\n"
		  "turn. Other tasks pass unchanged.\n"
		  "\n"
		  "  divide(items=500) | eager | each worker { best-implementation }\n",
	.flags = XY_STORES | XY_PUMPS | XY_CUTS,
	.size = sizeof(struct divide),
	.options = divide_options,
	.init = divide_init,
	.push = divide_push,
	.pull = divide_pull,
	.can_push = divide_can_push,
	.depth = divide_depth,
	.stored_us = divide_stored_us,
	.each_task = divide_each_task,
};
