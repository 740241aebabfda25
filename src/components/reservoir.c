/* SPDX-License-Identifier: MIT */
/*
 * Reservoirs. The invariant that makes pumping cheap: unless a can_push is about to arrive, the first task of each lane
 * has been refused by all children. So an arriving task is pushed only if it leads its lane, and the whole queue is
 * tried only after can_push.
 */
#include "components/reservoir.h"

#include <math.h>
#include "core/task/queue.h"
#include "core/task/task.h"
#include "core/tree/component.h"
#include "core/tree/lock.h"
#include "core/tree/tree.h"

static struct xy__reservoir *reservoir(struct xy_component *self)
{
	return (struct xy__reservoir *)self;
}

/* Whether a worker gets the task that misses the fewest bytes. */
static inline bool reservoir_picks(const struct xy__reservoir *r)
{
	const struct xy__tree_engine *engine;

	if (__builtin_expect(!r->picks, 1))
		return false;
	engine = r->base.tree->engine;
	return !(engine && engine->one_memory);
}

/* --- room --- */

/* relaxed: the lock orders it; without the lock it is a hint */
static inline bool reservoir_turned_away(struct xy__reservoir *r)
{
	return atomic_load_explicit(&r->turned_away, memory_order_relaxed);
}

static inline void reservoir_set_turned_away(struct xy__reservoir *r, bool turned_away)
{
	atomic_store_explicit(&r->turned_away, turned_away, memory_order_relaxed);
}

static bool reservoir_has_room(const struct xy__reservoir *r)
{
	return xy_queue_count(&r->queue) < r->ntasks && xy_queue_length_us(&r->queue) < r->length_us;
}

/* An empty one takes any task, however long. */
static bool reservoir_has_room_for(const struct xy__reservoir *r, const struct xy_task *task)
{
	size_t count = xy_queue_count(&r->queue);

	return !count || (count < r->ntasks && xy__queue_length_with(&r->queue, task) <= r->length_us);
}

bool xy__reservoir_close(struct xy_component *self, struct xy_agent *by)
{
	struct xy__reservoir *r = reservoir(self);
	bool is_full;

	if (self->ops->push != xy__reservoir_push || !r->bounded || reservoir_has_room(r))
		return false;
	xy_lock_take(&r->lock, self, by);
	is_full = !reservoir_has_room(r);
	if (is_full)
		reservoir_set_turned_away(r, true);
	xy_lock_drop(&r->lock, self, by);
	return is_full;
}

/*
 * Tells the parents that there is room, repeatedly while one of them fills some of it: it may not be the only one that
 * was refused. No lock is held.
 */
static bool reservoir_refill(struct xy__reservoir *r, struct xy_agent *by)
{
	bool moved = false, room = true;

	while (room && xy_can_push_parents(&r->base, by)) {
		moved = true;
		if (!r->bounded)
			break;
		xy_lock_take(&r->lock, &r->base, by);
		room = reservoir_has_room(r);
		if (!room) /* other refused parents may still wait */
			reservoir_set_turned_away(r, true);
		xy_lock_drop(&r->lock, &r->base, by);
	}
	return moved;
}

/* --- down --- */

static bool reservoir_spread(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	return xy__spread_push(self, &reservoir(self)->spread, task, by);
}

/* Passes a task on, if that is taken. The lock is held. */
static bool reservoir_give(struct xy__reservoir *r, struct xy_task *task, struct xy_agent *by)
{
	if (r->base.nchildren == 1)
		return xy__queue_give(&r->queue, task, xy_push, r->base.children[0], by);
	return xy__queue_give(&r->queue, task, reservoir_spread, &r->base, by);
}

/* Passes on all that is taken. The lock is held. */
static bool reservoir_pump(struct xy__reservoir *r, struct xy_agent *by)
{
	if (r->base.nchildren == 1)
		return xy__queue_pump(&r->queue, xy_push, r->base.children[0], by);
	return xy__queue_pump(&r->queue, reservoir_spread, &r->base, by);
}

/* reservoir_pump for a worker with room: first the task that misses the fewest bytes on its node. */
static bool reservoir_pump_ready(struct xy__reservoir *r, struct xy_agent *by)
{
	bool moved = false;

	while (xy_queue_count(&r->queue)) {
		struct xy_task *task = xy__queue_ready(&r->queue, by);

		if (!task || !reservoir_give(r, task, by))
			break;
		moved = true;
	}
	return reservoir_pump(r, by) || moved;
}

bool xy__reservoir_can_pull(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by)
{
	if (self->nchildren == 1)
		return xy_can_pull(self->children[0], offer, by);
	return xy__spread_offer(self, &reservoir(self)->spread, offer, by);
}

/*
 * Offers a stored task downwards. The dispatcher knows at once whether any worker needs to be woken, but it can't be
 * asked while the lock is held.
 */
static void reservoir_offer(struct xy__reservoir *r, const struct xy_offer *offer, struct xy_agent *by)
{
	if (r->base.nchildren == 1)
		xy_can_pull(r->base.children[0], offer, by);
	else if (offer->task)
		xy__reservoir_can_pull(&r->base, offer, by);
	else
		xy_can_pull(&r->base, offer, by);
}

/* The shortest time that the models know for a task on a worker; INFINITY without one. */
static double reservoir_shortest_us(const struct xy_task *task, unsigned worker)
{
	double shortest_us = INFINITY;

	for (unsigned i = 0; i < XY_NIMPLEMENTATIONS; i++) {
		struct xy_prediction length = { .kind = XY_PREDICTION_NONE };

		if (xy_task_can_run_with(task, worker, i))
			length = xy_task_length(task, worker, i);
		if (length.kind == XY_PREDICTION_VALUE)
			shortest_us = fmin(shortest_us, length.us);
	}
	return shortest_us;
}

/* Notes how long the task takes below, by the first worker of each architecture, unless that has been said. */
static __attribute__((noinline)) void reservoir_predict(const struct xy__reservoir *r, struct xy_task *task)
{
	double shortest_us = INFINITY;
	unsigned seen = 0;

	if (task->expected_us > 0)
		return;
	for (unsigned i = 0; i < r->base.nworkers; i++) {
		unsigned arch = 1u << xy_machine_worker(xy_component_machine(&r->base), r->base.workers[i])->arch;

		if (!(seen & arch))
			shortest_us = fmin(shortest_us, reservoir_shortest_us(task, r->base.workers[i]));
		seen |= arch;
	}
	xy_task_set_expected(task, shortest_us);
}

/* Takes the lock if there is room. */
static inline bool reservoir_enter(struct xy__reservoir *r, struct xy_task *task, struct xy_agent *by)
{
	if (r->bounded && r->predicts)
		reservoir_predict(r, task);
	xy_lock_take(&r->lock, &r->base, by);
	if (!r->bounded || reservoir_has_room_for(r, task))
		return true;
	reservoir_set_turned_away(r, true);
	xy_lock_drop(&r->lock, &r->base, by);
	return false;
}

/*
 * Prefetches the data of a task, if there is room for it. The lock is released meanwhile, as this takes longer than
 * anything else here; so the room may be gone afterwards. Then the next component that gets the task prefetches
 * elsewhere.
 */
static __attribute__((noinline)) bool reservoir_prefetch(struct xy__reservoir *r, struct xy_task *task,
							 struct xy_agent *by)
{
	if (r->bounded) {
		if (!reservoir_enter(r, task, by))
			return false;
		xy_lock_drop(&r->lock, &r->base, by);
	}
	xy_task_prefetch(task, (unsigned)r->prefetch_for, &r->base, by);
	return true;
}

static __attribute__((noinline)) bool reservoir_push_slowly(struct xy__reservoir *r, struct xy_task *task,
							    struct xy_agent *by)
{
	struct xy_component *self = &r->base;
	struct xy_offer offer = xy_offer_of(task);

	if (r->prefetch_for >= 0 && !reservoir_prefetch(r, task, by))
		return false;
	if (!reservoir_enter(r, task, by))
		return false;
	xy__queue_insert(&r->queue, task);
	if (r->pushes && xy__queue_leads(&r->queue, task) && reservoir_give(r, task, by)) {
		xy_lock_drop(&r->lock, self, by);
		return true;
	}
	if (offer.task) { /* constrained: it must not leave while it is being looked at */
		reservoir_offer(r, &offer, by);
		xy_lock_drop(&r->lock, self, by);
	} else {
		xy_lock_drop(&r->lock, self, by);
		reservoir_offer(r, &offer, by);
	}
	return true;
}

/* Wakes a worker for a task that was stored, if one sleeps. */
static __attribute__((noinline)) bool reservoir_offer_stored(struct xy__reservoir *r, unsigned archs,
							     struct xy_agent *by)
{
	const struct xy_offer offer = { .archs = archs };

	reservoir_offer(r, &offer, by);
	return true;
}

/* reservoir_offer_stored after the lock was dropped, for which threads wait. */
static __attribute__((noinline)) bool reservoir_wake_and_offer(struct xy__reservoir *r, unsigned archs,
							       struct xy_agent *by)
{
	xy_lock_wake(&r->lock, &r->base, by);
	return reservoir_offer_stored(r, archs, by);
}

/* The lock is held, but the task does not simply go to the end of a list. */
static __attribute__((noinline)) bool reservoir_insert(struct xy__reservoir *r, struct xy_task *task,
						       struct xy_agent *by)
{
	unsigned archs = task->archs;

	xy_queue_insert(&r->queue, task);
	xy_lock_drop(&r->lock, &r->base, by);
	return reservoir_offer_stored(r, archs, by);
}

/* Calls end it, so that the common case, where a task is only stored, saves no registers. */
bool xy__reservoir_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct xy__reservoir *r = reservoir(self);
	unsigned archs = task->archs;

	if (!r->stores || task->constrained || !xy__lock_enter(&r->lock, by, XY__VERB_PUSH))
		return reservoir_push_slowly(r, task, by);
	if (!xy__queue_append(&r->queue, task))
		return reservoir_insert(r, task, by);
	if (xy__lock_let_go(&r->lock))
		return reservoir_wake_and_offer(r, archs, by);
	return xy__offer_is_idle(self) || reservoir_offer_stored(r, archs, by);
}

/* One at a time until one is refused. */
static size_t reservoir_push_each(struct xy_component *self, struct xy_task *const *tasks, size_t n,
				  struct xy_agent *by)
{
	size_t taken = 0;

	while (taken < n && xy__reservoir_push(self, tasks[taken], by))
		taken++;
	return taken;
}

/* Whether none of these tasks, which are for the same workers, would lead its lane. The lock is held. */
static bool reservoir_has_before(const struct xy__reservoir *r, struct xy_task *const *tasks, size_t n)
{
	const struct xy_queue_lane *lane = r->queue.only;

	if (!lane || lane->archs != tasks[0]->archs)
		return false;
	for (size_t i = 0; r->queue.ordered && i < n; i++)
		if (tasks[i]->priority)
			return false;
	return true;
}

size_t xy__reservoir_push_many(struct xy_component *self, struct xy_task *const *tasks, size_t n, struct xy_agent *by)
{
	struct xy__reservoir *r = reservoir(self);
	struct xy_offer offer;

	if (n < 2 || r->bounded || !xy_offer_of_many(tasks, n, &offer))
		return reservoir_push_each(self, tasks, n, by);
	for (size_t i = 0; r->prefetch_for >= 0 && i < n; i++)
		reservoir_prefetch(r, tasks[i], by);
	xy_lock_take(&r->lock, self, by);
	if (r->pushes && !reservoir_has_before(r, tasks, n)) {
		xy_lock_drop(&r->lock, self, by);
		return reservoir_push_each(self, tasks, n, by);
	}
	xy__queue_insert_many(&r->queue, tasks, n);
	xy_lock_drop(&r->lock, self, by);
	reservoir_offer(r, &offer, by);
	reservoir_offer(r, &offer, by);
	return n;
}

/* --- up --- */

static inline __attribute__((always_inline)) struct xy_task *reservoir_take(struct xy__reservoir *r,
									    struct xy_agent *by)
{
	struct xy_task *task;
	bool refill = false;

	xy_lock_take(&r->lock, &r->base, by);
	task = reservoir_picks(r) ? xy_queue_take_ready(&r->queue, by) : xy__queue_take(&r->queue, by);
	if (task && reservoir_turned_away(r)) {
		reservoir_set_turned_away(r, false);
		refill = true;
	}
	xy_lock_drop(&r->lock, &r->base, by);
	if (refill)
		reservoir_refill(r, by);
	return task;
}

/*
 * reservoir_take for one that has refused a task of the reservoir above: brings the next task along, in place of the
 * one that leaves. So the limit holds without a look at it, and nothing is pushed to be refused. What is above has not
 * been told of room, so turned_away stays.
 */
static struct xy_task *reservoir_exchange(struct xy__reservoir *r, struct xy_agent *by)
{
	struct xy_task *next = xy__pull(r->base.parents[0], by), *task;

	if (!next)
		return reservoir_take(r, by);
	xy_lock_take(&r->lock, &r->base, by);
	task = xy__queue_take(&r->queue, by);
	if (task)
		xy__queue_insert(&r->queue, next);
	xy_lock_drop(&r->lock, &r->base, by);
	return task ? task : next;
}

/* A task of the parents; or one they pushed, as a deciding component above answers a pull by pushing. */
static __attribute__((noinline)) struct xy_task *reservoir_pull_parents(struct xy__reservoir *r, struct xy_agent *by)
{
	struct xy_task *task = xy_pull_parents(&r->base, by);

	return task || !xy_queue_count(&r->queue) ? task : reservoir_take(r, by);
}

static __attribute__((noinline)) struct xy_task *reservoir_pull_slowly(struct xy__reservoir *r, struct xy_agent *by)
{
	struct xy_task *task = NULL;

	if (xy_queue_count(&r->queue))
		task = r->exchanges && reservoir_turned_away(r) ? reservoir_exchange(r, by) : reservoir_take(r, by);
	return task || !r->base.nparents ? task : reservoir_pull_parents(r, by);
}

/* The lock is held, but this is not the common case. */
static __attribute__((noinline)) struct xy_task *reservoir_pull_anew(struct xy__reservoir *r, struct xy_agent *by)
{
	xy_lock_drop(&r->lock, &r->base, by);
	return reservoir_pull_slowly(r, by);
}

/* Calls end it, so that the common case saves no registers. */
struct xy_task *xy__reservoir_pull(struct xy_component *self, struct xy_agent *by)
{
	struct xy__reservoir *r = reservoir(self);

	if (!r->quick || !xy_queue_count(&r->queue) || !xy__lock_enter(&r->lock, by, XY__VERB_PULL))
		return reservoir_pull_slowly(r, by);
	if (!xy__queue_only(&r->queue, by))
		return reservoir_pull_anew(r, by);
	return xy__lock_leave(xy__queue_take(&r->queue, by), &r->lock, self, by);
}

bool xy__reservoir_can_push(struct xy_component *self, struct xy_component *child, struct xy_agent *by)
{
	struct xy__reservoir *r = reservoir(self);
	bool moved = false, refill = true;

	if (self->nchildren > 1)
		xy__spread_room(self, &r->spread, child, by);
	if (xy_queue_count(&r->queue)) {
		xy_lock_take(&r->lock, self, by);
		if (r->pushes)
			moved = reservoir_picks(r) && by->worker >= 0 ? reservoir_pump_ready(r, by)
								      : reservoir_pump(r, by);
		refill = !xy_queue_count(&r->queue) || (reservoir_turned_away(r) && reservoir_has_room(r));
		if (refill)
			reservoir_set_turned_away(r, false);
		xy_lock_drop(&r->lock, self, by);
	}
	return (refill && reservoir_refill(r, by)) || moved;
}
