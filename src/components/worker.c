/* SPDX-License-Identifier: MIT */
/*
 * worker: the leaf where one worker takes its tasks. It has a slot for one task that a mapper pushed at
 * it; everything else it pulls. Only its own worker empties the slot.
 */
#include <errno.h>
#include <math.h>
#include "core/task/task.h"
#include "components/all.h"
#include "components/worker.h"
#include "core/tree/tree.h"

static void worker_set_slot(struct xy__leaf *w, struct xy_task *task)
{
	atomic_store_explicit(&w->slot, task, memory_order_relaxed);
	if (w->base.predicted)
		atomic_store_explicit(&w->slot_us, task ? task->expected_us : 0, memory_order_relaxed);
}

/*
 * Notifies the worker; true unless it is busy. A task for itself needs no wake-up: it is about to look for one. For a
 * task that any worker can run, one searcher is enough, since it offers again what it leaves; but for a constrained
 * task (archs is 0) it may leave the only worker that can run it asleep.
 */
static bool worker_tell(struct xy__leaf *w, unsigned archs, struct xy_agent *by)
{
	struct xy__tree_engine *engine = w->base.tree->engine;
	enum xy__wake wake;

	if (by->worker == (int)w->id && xy_agent_keep_offer(by, archs))
		return true;
	if (!engine)
		return false;
	wake = engine->wake(engine, w->id);
	return wake == XY__WAKE_WOKEN || (wake == XY__WAKE_LOOKING && archs);
}

static bool worker_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct xy__leaf *w = (struct xy__leaf *)self;
	bool taken;

	if (w->moves && !xy__worker_slot(w)) /* not with the lock held: that takes long */
		xy_task_prefetch(task, w->id, self, by);
	xy_lock_take(&w->lock, self, by);
	taken = !xy__worker_slot(w);
	if (taken)
		worker_set_slot(w, task);
	else
		w->turned_away = true;
	xy_lock_drop(&w->lock, self, by);
	if (taken) {
		atomic_store_explicit(&w->used, true, memory_order_relaxed);
		worker_tell(w, XY_ON_ALL, by); /* no other worker can take it */
	}
	return taken;
}

/*
 * Tells the parents that there is room, repeatedly until it is filled: a parent may have moved its task elsewhere, and
 * others may still wait.
 */
static void worker_refill(struct xy__leaf *w, struct xy_agent *by)
{
	bool full = false;

	while (!full && xy_can_push_parents(&w->base, by)) {
		xy_lock_take(&w->lock, &w->base, by);
		full = xy__worker_slot(w);
		if (full)
			w->turned_away = true;
		xy_lock_drop(&w->lock, &w->base, by);
	}
}

struct xy_task *xy__worker_take(struct xy__leaf *w, struct xy_agent *by)
{
	struct xy_task *task;
	bool refill;

	if (!xy__worker_slot(w))
		return NULL;
	xy_lock_take(&w->lock, &w->base, by);
	task = xy__worker_slot(w);
	worker_set_slot(w, NULL);
	refill = w->turned_away;
	w->turned_away = false;
	xy_lock_drop(&w->lock, &w->base, by);
	if (refill)
		worker_refill(w, by);
	if (task && task->constrained && !xy__task_can_take(task, w->id)) {
		xy_give_back(&w->base, task, by); /* it could run here when it came */
		return NULL;
	}
	return task;
}

/*
 * Nothing came from above. But a deciding component answers by pushing; and a task given back meanwhile may be where
 * this worker has already looked.
 */
struct xy_task *xy__worker_look_again(struct xy__leaf *w, struct xy_agent *by)
{
	struct xy_task *task = xy__worker_take(w, by);

	while (!task && by->gave_back) {
		by->gave_back = false;
		task = xy_pull_parents(&w->base, by);
		if (!task)
			task = xy__worker_take(w, by);
	}
	return task;
}

static struct xy_task *worker_pull(struct xy_component *self, struct xy_agent *by)
{
	return xy__worker_pull(self, by);
}

static bool worker_can_pull(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by)
{
	struct xy__leaf *w = (struct xy__leaf *)self;

	if (offer->task)
		return xy_task_can_run(offer->task, w->id) && worker_tell(w, 0, by);
	return worker_tell(w, offer->archs, by);
}

static bool worker_is_bounded(const struct xy_component *self)
{
	(void)self;
	return true;
}

static size_t worker_depth(struct xy_component *self, size_t *peak)
{
	struct xy__leaf *w = (struct xy__leaf *)self;

	*peak = atomic_load_explicit(&w->used, memory_order_relaxed);
	return xy__worker_slot(w) != NULL;
}

static double worker_stored_us(struct xy_component *self)
{
	return (double)atomic_load_explicit(&((struct xy__leaf *)self)->slot_us, memory_order_relaxed);
}

static void worker_each_task(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task), void *arg)
{
	struct xy__leaf *w = (struct xy__leaf *)self;
	struct xy_agent nobody = { .worker = -1 };

	xy_lock_take(&w->lock, self, &nobody);
	if (xy__worker_slot(w))
		visit(arg, xy__worker_slot(w));
	xy_lock_drop(&w->lock, self, &nobody);
}

static int worker_init(struct xy_component *self)
{
	const struct xy_machine *machine = xy_component_machine(self);
	struct xy__leaf *w = (struct xy__leaf *)self;

	w->moves = xy_machine_nnodes(machine) > 1;
	return xy_machine_worker(machine, w->id) ? 0 : -EINVAL;
}

static const struct xy_option worker_options[] = { { .name = "id",
						     .help = "number of the worker",
						     .type = XY_OPTION_UNSIGNED,
						     .offset = offsetof(struct xy__leaf, id),
						     .initial = 0,
						     .min = 0,
						     .max = INFINITY },
						   { 0 } };

const struct xy_component_ops xy__worker_ops = {
	.name = "worker",
	.summary = "the leaf where a worker takes its tasks",
	.manual = "The leaf of a tree. `each worker { ... }` makes one for each worker of the machine, so\n"
		  "expressions need not name them. A worker pulls its tasks from above. It also has room\n"
		  "for one task pushed by a mapper that decides, such as random; while that one waits, a\n"
		  "second is refused and stays above. The data of a pushed task is prefetched at once.\n",
	.flags = XY_LEAF | XY_SHARES,
	.size = sizeof(struct xy__leaf),
	.options = worker_options,
	.init = worker_init,
	.push = worker_push,
	.pull = worker_pull,
	.can_pull = worker_can_pull,
	.is_bounded = worker_is_bounded,
	.depth = worker_depth,
	.stored_us = worker_stored_us,
	.each_task = worker_each_task,
};
