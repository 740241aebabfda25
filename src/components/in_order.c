/* SPDX-License-Identifier: MIT */
/*
 * in-order: lets tasks go in the order of positions that they were given, without gaps. Invariant: what waits has a
 * position behind `next`, and all positions before `next` have been let go, into the queue that workers take from.
 */
#include "core/task/queue.h"
#include "core/task/task.h"

enum {
	IN_ORDER_FIRST = -1000000000, /* the priority of position 0; each position is one less, ... */
	IN_ORDER_LAST = -2000000000   /* ... down to here */
};

/* Locking key: (c) constant after seal, (l) lock, (a) atomic. */
struct in_order {
	struct xy_component base;
	int prefetch_for; /* (c) a worker below when all compute in one of several nodes, else -1 */
	struct xy_lock lock;
	int next;                /* (l) the priority of the next position */
	struct xy_queue ready;   /* (l) those that may go, by priority; its count (a) */
	struct xy_queue waiting; /* (l) those whose turn has not come, by priority; its count (a) */
	_Atomic size_t peak;     /* (l) to write, (a): of both together */
};

static struct in_order *in_order(struct xy_component *self)
{
	return (struct in_order *)self;
}

/* Tasks that combine a reduction have the priority of the task that they work for, but not its position. */
static bool in_order_has_position(const struct xy_task *task)
{
	return task->priority <= IN_ORDER_FIRST && task->priority >= IN_ORDER_LAST &&
	       !(task->flags & XY__TASK_COMBINES);
}

/* Whether its turn has not come yet. */
static bool in_order_is_early(const struct in_order *o, const struct xy_task *task)
{
	return task->priority < o->next && in_order_has_position(task);
}

/* Lets a task go, and says so. The lock is held, as the task may be constrained. */
static void in_order_release(struct in_order *o, struct xy_task *task, struct xy_agent *by)
{
	struct xy_offer offer = xy_offer_of(task);

	if (task->priority == o->next && in_order_has_position(task))
		o->next--;
	xy_queue_insert(&o->ready, task);
	xy_can_pull_children(&o->base, &offer, by);
}

/* Stores a task, and releases those whose turn has come. */
static void in_order_store(struct in_order *o, struct xy_task *task, struct xy_agent *by)
{
	struct xy_task *first;
	size_t count;

	xy_lock_take(&o->lock, &o->base, by);
	if (in_order_is_early(o, task))
		xy_queue_insert(&o->waiting, task);
	else
		in_order_release(o, task, by);
	while ((first = xy_queue_first(&o->waiting)) && !in_order_is_early(o, first)) {
		xy_queue_remove(&o->waiting, first);
		in_order_release(o, first, by);
	}
	count = xy_queue_count(&o->ready) + xy_queue_count(&o->waiting);
	if (count > atomic_load_explicit(&o->peak, memory_order_relaxed))
		atomic_store_explicit(&o->peak, count, memory_order_relaxed);
	xy_lock_drop(&o->lock, &o->base, by);
}

static bool in_order_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct in_order *o = in_order(self);

	if (o->prefetch_for >= 0 && !atomic_load_explicit(&task->status, memory_order_relaxed))
		xy_task_prefetch(task, (unsigned)o->prefetch_for, self, by);
	in_order_store(o, task, by);
	return true;
}

static struct xy_task *in_order_take(struct in_order *o, struct xy_agent *by)
{
	struct xy_task *task;

	if (!xy_queue_count(&o->ready))
		return NULL;
	xy_lock_take(&o->lock, &o->base, by);
	task = xy_queue_take(&o->ready, by);
	xy_lock_drop(&o->lock, &o->base, by);
	return task;
}

/* A task from above takes its turn too. */
static struct xy_task *in_order_pull(struct xy_component *self, struct xy_agent *by)
{
	struct in_order *o = in_order(self);
	struct xy_task *task = in_order_take(o, by), *more = NULL;

	while (!task && self->nparents && (more = xy_pull_parents(self, by))) {
		in_order_store(o, more, by);
		task = in_order_take(o, by);
	}
	return task ? task : in_order_take(o, by);
}

/* --- set-up and looking --- */

static int in_order_init(struct xy_component *self)
{
	const struct xy_machine *machine = xy_component_machine(self);
	struct in_order *o = in_order(self);

	o->next = IN_ORDER_FIRST;
	o->ready.ordered = o->waiting.ordered = true;
	o->prefetch_for = xy_machine_nnodes(machine) > 1 ? (int)self->workers[0] : -1;
	for (unsigned i = 1; i < self->nworkers && o->prefetch_for >= 0; i++)
		if (xy_machine_worker(machine, self->workers[i])->node !=
		    xy_machine_worker(machine, self->workers[0])->node)
			o->prefetch_for = -1;
	return 0;
}

static size_t in_order_depth(struct xy_component *self, size_t *peak)
{
	struct in_order *o = in_order(self);

	*peak = atomic_load_explicit(&o->peak, memory_order_relaxed);
	return xy_queue_count(&o->ready) + xy_queue_count(&o->waiting);
}

static void in_order_each_task(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task),
			       void *arg)
{
	struct in_order *o = in_order(self);
	struct xy_agent nobody = { .worker = -1 };

	xy_lock_take(&o->lock, self, &nobody);
	xy_queue_each(&o->ready, visit, arg);
	xy_queue_each(&o->waiting, visit, arg);
	xy_lock_drop(&o->lock, self, &nobody);
}

/* Positions that have been let go count: those of them that moved are behind, and go at once. */
static void in_order_inherit(struct xy_component *self, struct xy_component *old)
{
	in_order(self)->next = in_order(old)->next;
}

/* For offers: of those that may go. */
static void in_order_each_distinct(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task),
				   void *arg)
{
	struct in_order *o = in_order(self);
	struct xy_agent nobody = { .worker = -1 };

	xy_lock_take(&o->lock, self, &nobody);
	xy_queue_each_distinct(&o->ready, visit, arg);
	xy_lock_drop(&o->lock, self, &nobody);
}

const struct xy_component_ops xy__in_order_ops = {
	.name = "in-order",
	.summary = "releases tasks in the order of their given positions",
	.manual = "For schedules computed elsewhere: each task is pinned to its worker, and its priority\n"
		  "gives its position there: -1000000000 for the first, -1000000001 for the next, and so on\n"
		  "down to\n"
		  "-2000000000. A task waits here until all positions before its own have been released, even\n"
		  "if the worker is idle.\n"
		  "\n"
		  "Positions are used once: a task that is retried is released at once. A task with any\n"
		  "other priority has no position: it need not wait, and goes before those that have one. A\n"
		  "cancelled task takes its turn too, without running.\n",
	.flags = XY_STORES | XY_AWAITS,
	.size = sizeof(struct in_order),
	.init = in_order_init,
	.push = in_order_push,
	.pull = in_order_pull,
	.depth = in_order_depth,
	.each_task = in_order_each_task,
	.inherit = in_order_inherit,
	.each_distinct = in_order_each_distinct,
};
