/* SPDX-License-Identifier: MIT */
/*
 * work-stealing: a queue for each child. Its workers take the newest task of their own queue, and when
 * that is empty the oldest ones of another. A task in the queue of a child can always be run by some
 * worker below that child.
 */
#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include "components/spread.h"
#include "core/task/queue.h"
#include "core/task/task.h"
#include "core/tree/lock.h"
#include "core/tree/tree.h"
#include "core/util/bits.h"

enum {
	STEALING_BATCH = 32,   /* tasks that a thief takes at most */
	STEALING_ORDERED = 256 /* children up to which distances are stored; with more, bits tell which have tasks */
};

/* The queue of a child. Locking key: (l) lock, (a) atomic. */
struct stealing_side {
	alignas(128) struct xy_lock lock;
	struct xy_queue queue; /* (l) its count (a) */
	size_t noted;          /* (l) its peak, as far as it is in the sum */
};

/* Locking key: (c) constant after seal, (a) atomic. */
struct stealing {
	struct xy_component base;
	struct stealing_side *sides; /* (c) by child */
	uint8_t *victims;            /* (c) for each child the others, nearest first; NULL: see filled */
	_Atomic size_t peaks;        /* (a) their sum, where there is filled */
	_Atomic uint64_t *filled;    /* (c) (a) of many children: those whose queue has tasks, (l) to write */
	struct xy__spread spread;    /* its turn is the child that got the last task from outside */
};

static struct stealing *stealing(struct xy_component *self)
{
	return (struct stealing *)self;
}

/* The k-th child to go to after child i, k < nchildren - 1. */
static unsigned stealing_victim(const struct stealing *s, unsigned i, unsigned k)
{
	unsigned n = s->base.nchildren, step = k / 2 + 1;

	if (s->victims)
		return s->victims[(size_t)i * (n - 1) + k];
	return (k % 2 ? i + n - step : i + step) % n;
}

/* The queue of a child has changed; its lock is held. */
static inline void stealing_note(struct stealing *s, unsigned i)
{
	struct stealing_side *side = &s->sides[i];

	if (!s->filled)
		return;
	xy__bits_set(s->filled, i, xy_queue_count(&side->queue) > 0);
	atomic_fetch_add_explicit(&s->peaks, xy_queue_peak(&side->queue) - side->noted, memory_order_relaxed);
	side->noted = xy_queue_peak(&side->queue);
}

/* --- down --- */

/* The child that a task of another flow goes to: in turn, among those that can run it; -1 if none. */
static int stealing_next(struct stealing *s, const struct xy_task *task)
{
	unsigned i = atomic_load_explicit(&s->spread.turn, memory_order_relaxed);

	for (unsigned n = s->base.nchildren; n > 0; n--) {
		if (++i >= s->base.nchildren)
			i = 0;
		if (xy_task_can_run_below(task, s->base.children[i])) {
			atomic_store_explicit(&s->spread.turn, i, memory_order_relaxed);
			return (int)i;
		}
	}
	return -1;
}

/* With many workers, only sleeping ones are notified, upwards from this one. */
static bool stealing_wake(struct stealing *s, unsigned first, const struct xy_offer *offer, struct xy_agent *by)
{
	_Atomic uint64_t *asleep = s->base.tree->engine->asleep;
	unsigned n = xy_machine_nworkers(xy_component_machine(&s->base));

	for (unsigned half = 0; half < 2; half++) {
		unsigned end = half ? first : n;

		for (size_t i = half ? 0 : first; (i = xy__bits_next(asleep, i, end)) < end; i++)
			if (s->spread.own[i] >= 0 && xy_can_pull(s->base.children[s->spread.own[i]], offer, by))
				return true;
	}
	return false;
}

/* The own child first, or the one that got the last task; then its neighbours. */
static bool stealing_can_pull(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by)
{
	struct stealing *s = stealing(self);
	int own = xy__spread_own(&s->spread, by);
	unsigned i = own >= 0 ? (unsigned)own : atomic_load_explicit(&s->spread.turn, memory_order_relaxed);

	if (xy_can_pull(self->children[i], offer, by))
		return true;
	if (s->filled && self->tree->engine && self->tree->engine->asleep)
		return stealing_wake(s, self->children[i]->workers[0], offer, by);
	for (unsigned k = 0; k + 1 < self->nchildren; k++)
		if (xy_can_pull(self->children[stealing_victim(s, i, k)], offer, by))
			return true;
	return false;
}

static bool stealing_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct stealing *s = stealing(self);
	struct xy_offer offer = xy_offer_of(task);
	int i = xy__spread_own(&s->spread, by);
	struct stealing_side *side;
	bool given;

	if (i < 0 || !xy_task_can_run_below(task, self->children[i]))
		i = stealing_next(s, task);
	if (i < 0)
		return false;
	side = &s->sides[i];
	xy_lock_take(&side->lock, self, by);
	xy__queue_insert(&side->queue, task);
	given = self->children[i]->takes_pushes && xy__queue_leads(&side->queue, task) &&
		xy__queue_give(&side->queue, task, xy_push, self->children[i], by);
	stealing_note(s, (unsigned)i);
	if (!given && offer.task) /* constrained: it must not leave while it is being looked at */
		stealing_can_pull(self, &offer, by);
	xy_lock_drop(&side->lock, self, by);
	if (!given && !offer.task)
		xy_can_pull(self, &offer, by);
	return true;
}

/* A batch goes to the side of the worker that brings it, if all of it can run there. */
static size_t stealing_push_many(struct xy_component *self, struct xy_task *const *tasks, size_t n, struct xy_agent *by)
{
	struct stealing *s = stealing(self);
	int i = xy__spread_own(&s->spread, by);
	struct xy_offer offer;
	size_t taken = 0;

	if (n < 2 || i < 0 || self->children[i]->takes_pushes || !xy_offer_of_many(tasks, n, &offer) ||
	    !(offer.archs & self->children[i]->archs)) {
		while (taken < n && stealing_push(self, tasks[taken], by))
			taken++;
		return taken;
	}
	xy_lock_take(&s->sides[i].lock, self, by);
	xy__queue_insert_many(&s->sides[i].queue, tasks, n);
	stealing_note(s, (unsigned)i);
	xy_lock_drop(&s->sides[i].lock, self, by);
	xy_can_pull(self, &offer, by);
	xy_can_pull(self, &offer, by);
	return n;
}

/* --- up --- */

static struct xy_task *stealing_take(struct stealing *s, int own, struct xy_agent *by)
{
	struct stealing_side *side = &s->sides[own];
	struct xy_task *task;

	if (!xy_queue_count(&side->queue))
		return NULL;
	xy_lock_take(&side->lock, &s->base, by);
	task = xy__queue_take_newest(&side->queue, by);
	stealing_note(s, (unsigned)own);
	xy_lock_drop(&side->lock, &s->base, by);
	return task;
}

/* Takes up to half of what the victim has, oldest first; returns how many. */
static unsigned stealing_rob(struct stealing *s, unsigned from, unsigned most, struct xy_task **loot,
			     struct xy_agent *by)
{
	struct stealing_side *victim = &s->sides[from];
	unsigned n = 0;
	size_t half;

	if (!xy_queue_count(&victim->queue))
		return 0;
	xy_lock_take(&victim->lock, &s->base, by);
	half = (xy_queue_count(&victim->queue) + 1) / 2;
	while (n < most && n < half && (loot[n] = xy__queue_take(&victim->queue, by)))
		n++;
	stealing_note(s, from);
	xy_lock_drop(&victim->lock, &s->base, by);
	return n;
}

/*
 * Puts the loot into the thief's own queue and offers it: other workers may have looked for these tasks while they were
 * in no queue.
 */
static void stealing_hoard(struct stealing *s, int own, struct xy_task **loot, unsigned n, struct xy_agent *by)
{
	struct stealing_side *side = &s->sides[own];
	struct xy_offer offer = { 0 };

	xy_lock_take(&side->lock, &s->base, by);
	for (unsigned i = 0; i < n; i++) {
		offer.archs |= xy_task_archs(loot[i]);
		xy__queue_insert(&side->queue, loot[i]);
	}
	stealing_note(s, (unsigned)own);
	xy_lock_drop(&side->lock, &s->base, by);
	xy_agent_offer_to_others(by); /* it has its task */
	xy_can_pull(&s->base, &offer, by);
}

/* A task of this child's queue, and more of them into the own one. */
static struct xy_task *stealing_from(struct stealing *s, int own, unsigned victim, struct xy_agent *by)
{
	struct xy_task *loot[STEALING_BATCH];
	unsigned got = stealing_rob(s, victim, own >= 0 ? STEALING_BATCH : 1, loot, by);

	if (got > 1)
		stealing_hoard(s, own, loot + 1, got - 1, by);
	return got ? loot[0] : NULL;
}

/* stealing_steal for many children: from the next one that has something, upwards from the own one. */
static struct xy_task *stealing_steal_afar(struct stealing *s, int own, struct xy_agent *by)
{
	unsigned n = s->base.nchildren, start = own >= 0 ? (unsigned)own : 0;
	struct xy_task *task = NULL;

	for (unsigned half = 0; half < 2; half++) {
		unsigned end = half ? start : n;

		for (size_t i = half ? 0 : start; !task && (i = xy__bits_next(s->filled, i, end)) < end; i++)
			if ((int)i != own)
				task = stealing_from(s, own, (unsigned)i, by);
	}
	return task;
}

/* A task of another child's queue, and more of them into the own one. */
static struct xy_task *stealing_steal(struct stealing *s, int own, struct xy_agent *by)
{
	unsigned n = s->base.nchildren, start = own >= 0 ? (unsigned)own : 0;
	struct xy_task *task = NULL;

	if (s->filled)
		return stealing_steal_afar(s, own, by);
	for (unsigned k = own >= 0 ? 1 : 0; k < n && !task; k++)
		task = stealing_from(s, own, k ? stealing_victim(s, start, k - 1) : start, by);
	return task;
}

static __attribute__((noinline)) struct xy_task *stealing_pull_slowly(struct stealing *s, int own, struct xy_agent *by)
{
	struct xy_task *task = own >= 0 ? stealing_take(s, own, by) : NULL;

	if (!task)
		task = stealing_steal(s, own, by);
	if (task || !s->base.nparents)
		return task;
	task = xy_pull_parents(&s->base, by);
	/* a deciding component above answers by pushing, which may have filled the queue */
	return task || own < 0 ? task : stealing_take(s, own, by);
}

/* The lock of its own side is held, but this is not the common case. */
static __attribute__((noinline)) struct xy_task *stealing_pull_anew(struct stealing *s, int own, struct xy_agent *by)
{
	xy_lock_drop(&s->sides[own].lock, &s->base, by);
	return stealing_pull_slowly(s, own, by);
}

/* Calls end it, so that the common case saves no registers. */
static struct xy_task *stealing_pull(struct xy_component *self, struct xy_agent *by)
{
	struct stealing *s = stealing(self);
	int own = xy__spread_own(&s->spread, by);
	struct stealing_side *side = &s->sides[own < 0 ? 0 : own];

	if (own < 0 || s->filled || !xy_queue_count(&side->queue) || !xy__lock_enter(&side->lock, by, XY__VERB_PULL))
		return stealing_pull_slowly(s, own, by);
	if (!xy__queue_only(&side->queue, by))
		return stealing_pull_anew(s, own, by);
	return xy__lock_leave(xy__queue_take_newest(&side->queue, by), &side->lock, self, by);
}

static bool stealing_pump(struct stealing *s, int i, struct xy_agent *by)
{
	struct stealing_side *side = &s->sides[i];
	bool moved;

	if (!xy_queue_count(&side->queue))
		return false;
	xy_lock_take(&side->lock, &s->base, by);
	moved = xy__queue_pump(&side->queue, xy_push, s->base.children[i], by);
	stealing_note(s, (unsigned)i);
	xy_lock_drop(&side->lock, &s->base, by);
	return moved;
}

/* If pulls can't pass a deciding component below the child, steals on its behalf. */
static bool stealing_fetch(struct stealing *s, int i, struct xy_agent *by)
{
	struct stealing_side *side = &s->sides[i];
	struct xy_task *task = stealing_steal(s, i, by);
	struct xy_offer offer = { 0 };

	if (!task)
		return false;
	offer.archs = xy_task_archs(task);
	xy_lock_take(&side->lock, &s->base, by);
	xy__queue_insert(&side->queue, task);
	stealing_note(s, (unsigned)i);
	xy_lock_drop(&side->lock, &s->base, by);
	if (stealing_pump(s, i, by))
		return true;
	xy_agent_offer_to_others(by); /* its own branch did not take it */
	xy_can_pull(&s->base, &offer, by);
	return false;
}

static int stealing_index(const struct stealing *s, const struct xy_component *child, const struct xy_agent *by)
{
	int own = xy__spread_own(&s->spread, by);
	unsigned i = 0;

	if (own >= 0 && s->base.children[own] == child)
		return own;
	while (s->base.children[i] != child)
		i++;
	return (int)i;
}

static bool stealing_can_push(struct xy_component *self, struct xy_component *child, struct xy_agent *by)
{
	struct stealing *s = stealing(self);
	int i = stealing_index(s, child, by);

	if (!child->takes_pushes)
		return xy_can_push_parents(self, by);
	if (xy_queue_count(&s->sides[i].queue))
		return stealing_pump(s, i, by);
	if (i == xy__spread_own(&s->spread, by) && stealing_fetch(s, i, by))
		return true;
	return xy_can_push_parents(self, by);
}

/* --- set-up and looking --- */

struct stealing_neighbour {
	unsigned distance, offset, child;
};

static int stealing_compare(const void *left, const void *right)
{
	const struct stealing_neighbour *a = left, *b = right;

	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Among children at equal distance, each starts with another one. */
static void stealing_order(const struct stealing *s, unsigned i, uint8_t *victims)
{
	const struct xy_machine *machine = xy_component_machine(&s->base);
	struct stealing_neighbour neighbours[STEALING_ORDERED];
	unsigned n = s->base.nchildren;

	for (unsigned k = 0; k + 1 < n; k++) {
		unsigned child = (i + k + 1) % n;

		neighbours[k] = (struct stealing_neighbour){
			.distance = xy_machine_distance(machine, s->base.children[i]->workers[0],
							s->base.children[child]->workers[0]),
			.offset = k,
			.child = child,
		};
	}
	qsort(neighbours, n - 1, sizeof neighbours[0], stealing_compare);
	for (unsigned k = 0; k + 1 < n; k++)
		victims[k] = (uint8_t)neighbours[k].child;
}

static void stealing_fini(struct xy_component *self)
{
	struct stealing *s = stealing(self);

	xy__spread_fini(&s->spread);
	free(s->victims);
	free(s->filled);
	s->filled = NULL;
	free(s->sides);
	s->victims = NULL;
	s->sides = NULL;
}

static int stealing_init(struct xy_component *self)
{
	struct stealing *s = stealing(self);
	unsigned n = self->nchildren;

	s->sides = aligned_alloc(alignof(struct stealing_side), n * sizeof *s->sides);
	if (n <= STEALING_ORDERED)
		s->victims = malloc((size_t)n * n);
	else
		s->filled = calloc(xy__bits_words(n), sizeof *s->filled);
	if (xy__spread_init(&s->spread, self) || !s->sides || !(s->victims || s->filled)) {
		stealing_fini(self);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < n; i++) {
		s->sides[i] = (struct stealing_side){ .queue.ordered = true };
		if (self->predicted)
			xy_queue_predict(&s->sides[i].queue);
		if (s->victims)
			stealing_order(s, i, s->victims + (size_t)i * (n - 1));
	}
	s->spread.turn = n - 1; /* the first one is next */
	return 0;
}

static bool stealing_is_bounded(const struct xy_component *self)
{
	(void)self;
	return false;
}

/* The peak is the sum of the queues' peaks, which may be of different times. */
static size_t stealing_depth(struct xy_component *self, size_t *peak)
{
	struct stealing *s = stealing(self);
	size_t count = 0;

	*peak = atomic_load_explicit(&s->peaks, memory_order_relaxed);
	if (s->filled) {
		for (size_t i = 0; (i = xy__bits_next(s->filled, i, self->nchildren)) < self->nchildren; i++)
			count += xy_queue_count(&s->sides[i].queue);
		return count;
	}
	for (unsigned i = 0; i < self->nchildren; i++) {
		count += xy_queue_count(&s->sides[i].queue);
		*peak += xy_queue_peak(&s->sides[i].queue);
	}
	return count;
}

static double stealing_stored_us(struct xy_component *self)
{
	struct stealing *s = stealing(self);
	double sum = 0;

	for (unsigned i = 0; i < self->nchildren; i++)
		sum += xy_queue_length_us(&s->sides[i].queue);
	return sum;
}

static void stealing_each(struct xy_component *self,
			  void (*each)(struct xy_queue *queue, void (*visit)(void *arg, const struct xy_task *task),
				       void *arg),
			  void (*visit)(void *arg, const struct xy_task *task), void *arg)
{
	struct stealing *s = stealing(self);
	struct xy_agent nobody = { .worker = -1 };

	for (unsigned i = 0; i < self->nchildren; i++) {
		if (!xy_queue_count(&s->sides[i].queue))
			continue;
		xy_lock_take(&s->sides[i].lock, self, &nobody);
		each(&s->sides[i].queue, visit, arg);
		xy_lock_drop(&s->sides[i].lock, self, &nobody);
	}
}

static void stealing_each_task(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task),
			       void *arg)
{
	stealing_each(self, xy_queue_each, visit, arg);
}

static void stealing_each_distinct(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task),
				   void *arg)
{
	stealing_each(self, xy_queue_each_distinct, visit, arg);
}

const struct xy_component_ops xy__work_stealing_ops = {
	.name = "work-stealing",
	.summary = "a queue per branch; idle branches steal",
	.manual = "Each branch below has its own queue. A task that a worker makes ready goes into the\n"
		  "queue of its branch, one from the application into the queues in turn, always where some\n"
		  "worker can run it. A worker takes the newest task of its own queue, whose data is likely\n"
		  "to be near. If that queue is empty it steals: it looks at all others, the nearest by the\n"
		  "machine's topology first, and moves up to half of the tasks found (at most 32, oldest\n"
		  "first, only those that it can run) to its own queue.\n"
		  "\n"
		  "Tasks of higher priority leave a queue first at both ends, the oldest of them first;\n"
		  "those of negative priority last. Priorities of different queues are not compared.\n"
		  "\n"
		  "The branches may be workers or whole trees, such as one for each NUMA node. A branch\n"
		  "that begins with a limited reservoir is kept filled. work-stealing never refuses a task,\n"
		  "so it can be the root of a tree.\n"
		  "\n"
		  "Data is not prefetched for tasks in these queues: a thief takes the oldest, whose data\n"
		  "would have been moved first. A limited reservoir at the head of a branch prefetches for\n"
		  "tasks that can no longer be stolen: work-stealing | each worker { fifo(ntasks=2) }.\n",
	.flags = XY_STORES | XY_PUMPS | XY_MAPS | XY_SHARES,
	.size = sizeof(struct stealing),
	.init = stealing_init,
	.fini = stealing_fini,
	.push = stealing_push,
	.push_many = stealing_push_many,
	.pull = stealing_pull,
	.can_push = stealing_can_push,
	.can_pull = stealing_can_pull,
	.is_bounded = stealing_is_bounded,
	.depth = stealing_depth,
	.stored_us = stealing_stored_us,
	.each_task = stealing_each_task,
	.each_distinct = stealing_each_distinct,
};
