/* SPDX-License-Identifier: MIT */
/*
 * heteroprio: tasks wait in buckets by their speed-ups between architectures, and each worker takes from the bucket it
 * is comparatively best at. Invariant: tasks of one bucket have nearly equal speed-ups, and expect their duration on
 * the fastest architecture.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "components/estimate.h"
#include "components/slowness.h"
#include "components/spread.h"
#include "core/task/pool.h"
#include "core/task/queue.h"

enum { HETEROPRIO_BUCKETS = 64 };

struct bucket {
	struct xy__slowness slowness;
	struct xy_queue queue;
};

/* Locking key: (c) constant after seal, (l) lock, (a) atomic. */
struct heteroprio {
	struct xy_component base;
	bool wait, near;              /* (c) options; near only where there are several memory nodes */
	struct xy__estimate estimate; /* (c) */
	struct xy__spread spread;     /* for offers */
	bool pushes;                  /* (c) some child takes pushes */
	struct xy_lock lock;
	_Atomic size_t count, peak;      /* (l) to write, (a) */
	bool *full;                      /* (l) by child: it refused, and has not had room since */
	unsigned nbuckets;               /* (l) that were ever used */
	struct bucket *buckets;          /* (l) HETEROPRIO_BUCKETS of them */
	const struct bucket *giving;     /* (l) the task that is being pushed comes from here, ... */
	unsigned giving_arch, giving_to; /* (l) ... for a worker of this architecture, to this child */
};

static struct heteroprio *heteroprio(struct xy_component *self)
{
	return (struct heteroprio *)self;
}

static unsigned heteroprio_arch(const struct heteroprio *h, unsigned worker)
{
	return xy_machine_worker(xy_component_machine(&h->base), worker)->arch;
}

/* --- buckets: the lock is held --- */

/* The bucket for tasks with these speed-ups; the most similar one if there are too many. */
static struct bucket *heteroprio_bucket(struct heteroprio *h, const struct xy__slowness *s)
{
	struct bucket *nearest = NULL, *empty = NULL;
	int least = 0;

	for (unsigned i = 0; i < h->nbuckets; i++) {
		struct bucket *b = &h->buckets[i];
		int distance = xy__slowness_distance(&b->slowness, s);

		if (!distance)
			return b;
		if (!xy_queue_count(&b->queue))
			empty = b;
		else if (!nearest || distance < least) {
			nearest = b;
			least = distance;
		}
	}
	if (!empty && h->nbuckets < HETEROPRIO_BUCKETS)
		empty = &h->buckets[h->nbuckets++];
	if (!empty)
		return nearest;
	empty->slowness = *s;
	return empty;
}

static void heteroprio_count(struct heteroprio *h, size_t count)
{
	atomic_store_explicit(&h->count, count, memory_order_relaxed);
	if (count > atomic_load_explicit(&h->peak, memory_order_relaxed))
		atomic_store_explicit(&h->peak, count, memory_order_relaxed);
}

static size_t heteroprio_stored(struct heteroprio *h)
{
	return atomic_load_explicit(&h->count, memory_order_relaxed);
}

static bool heteroprio_is_dead(const struct xy_task *task, unsigned worker)
{
	const struct xy__deaths *deaths = task->pool->deaths;

	return deaths && atomic_load_explicit(&deaths->of[worker], memory_order_relaxed);
}

/* How long the workers of an architecture need for what they do and for all that is fastest there; INFINITY if none of
 * them can take the task. */
static double heteroprio_backlog(const struct heteroprio *h, unsigned arch, const struct xy_task *task)
{
	double sum = 0, now = xy_component_now_us(&h->base);
	unsigned n = 0;

	for (unsigned i = 0; i < h->estimate.nseats; i++) {
		const struct xy__seat *seat = &h->estimate.seats[i];

		if (seat->team || heteroprio_arch(h, seat->worker) != arch || heteroprio_is_dead(task, seat->worker) ||
		    !xy_task_can_run(task, seat->worker))
			continue;
		sum += xy__seat_free_us(&h->estimate, seat, now, INFINITY) - now;
		n++;
	}
	for (unsigned i = 0; i < h->nbuckets; i++)
		if (h->buckets[i].slowness.of[arch] == 0)
			sum += xy_queue_length_us(&h->buckets[i].queue);
	return n ? sum / n : INFINITY;
}

/* The duration of a bucket's task on an architecture other than the fastest. */
static double heteroprio_length(const struct bucket *b, const struct xy_task *task, unsigned arch)
{
	return xy__slowness_length_us(&b->slowness, arch, (double)task->expected_us);
}

/* Whether faster workers will finish the task, and all others they prefer, before a slow one could. */
static bool heteroprio_should_wait(const struct heteroprio *h, const struct bucket *b, const struct xy_task *task,
				   unsigned arch)
{
	if (!h->wait || b->slowness.of[arch] == 0)
		return false;
	for (unsigned fast = 0; fast < XY_NARCH; fast++)
		if (b->slowness.of[fast] == 0 && heteroprio_backlog(h, fast, task) < heteroprio_length(b, task, arch))
			return true;
	return false;
}

/* The next best bucket of an architecture, after `last`; NULL at the end. Ties go to the first. */
static struct bucket *heteroprio_next(struct heteroprio *h, unsigned arch, const struct bucket *last)
{
	struct bucket *best = NULL;
	int limit = last ? xy__slowness_affinity(&last->slowness, arch) : 0, most = 0;

	for (unsigned i = 0; i < h->nbuckets; i++) {
		struct bucket *b = &h->buckets[i];
		int affinity;

		if (!xy_queue_count(&b->queue) || b->slowness.of[arch] == XY__SLOWNESS_NEVER)
			continue;
		affinity = xy__slowness_affinity(&b->slowness, arch);
		if (last && (affinity > limit || (affinity == limit && b <= last)))
			continue;
		if (!best || affinity > most) {
			best = b;
			most = affinity;
		}
	}
	return best;
}

/* --- down: the lock is held --- */

static bool heteroprio_hand(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct heteroprio *h = heteroprio(self);
	float best_us = task->expected_us;

	task->expected_us = (float)heteroprio_length(h->giving, task, h->giving_arch);
	if (xy_push(self->children[h->giving_to], task, by))
		return true;
	task->expected_us = best_us;
	return false;
}

/* Pushes to a child the tasks its first worker is best at, while it has room. */
static bool heteroprio_feed(struct heteroprio *h, unsigned child, struct xy_agent *by)
{
	struct xy_component *c = h->base.children[child];
	unsigned arch = heteroprio_arch(h, c->workers[0]);
	struct bucket *b = NULL;
	bool moved = false;

	while (c->takes_pushes && !h->full[child] && (b = heteroprio_next(h, arch, b))) {
		struct xy_task *task = xy_queue_first_for(&b->queue, c);

		if (!task || heteroprio_should_wait(h, b, task, arch))
			continue;
		h->giving = b;
		h->giving_arch = arch;
		h->giving_to = child;
		if (!xy__queue_give(&b->queue, task, heteroprio_hand, &h->base, by)) {
			h->full[child] = !task->constrained;
			continue;
		}
		heteroprio_count(h, heteroprio_stored(h) - 1);
		moved = true;
		b = NULL;
	}
	return moved;
}

/* The children on architectures that are suited best come first. */
static void heteroprio_feed_all(struct heteroprio *h, const struct xy__slowness *s, struct xy_agent *by)
{
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < h->base.nchildren; i++) {
			unsigned arch = heteroprio_arch(h, h->base.children[i]->workers[0]);

			if ((s->of[arch] == 0) == (pass == 0) && s->of[arch] != XY__SLOWNESS_NEVER)
				heteroprio_feed(h, i, by);
		}
}

/*
 * Offers first to the fastest workers: a slower one that is woken may leave the task to them. No lock is held, or the
 * task is constrained and held.
 */
static void heteroprio_offer(struct heteroprio *h, const struct xy__slowness *s, struct xy_offer offer,
			     struct xy_agent *by)
{
	struct xy_offer fast = { .archs = 0, .task = offer.task };

	for (unsigned arch = 0; arch < XY_NARCH; arch++)
		if (s->of[arch] == 0)
			fast.archs |= offer.archs & 1u << arch;
	if (offer.task) {
		if (!xy__spread_offer(&h->base, &h->spread, &fast, by))
			xy__spread_offer(&h->base, &h->spread, &offer, by);
	} else if (!xy_can_pull(&h->base, &fast, by)) {
		xy_can_pull(&h->base, &offer, by);
	}
}

static bool heteroprio_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct xy_offer offer = xy_offer_of(task);
	struct heteroprio *h = heteroprio(self);
	struct xy__slowness s;
	double best_us;

	if (!xy_task_can_run_below(task, self))
		return false;
	s = xy__slowness_of(&h->estimate, task, h->near, &best_us);
	xy_lock_take(&h->lock, self, by);
	task->expected_us = (float)best_us;
	xy_queue_insert(&heteroprio_bucket(h, &s)->queue, task);
	heteroprio_count(h, heteroprio_stored(h) + 1);
	if (offer.task) /* constrained: it must not leave while it is being looked at */
		heteroprio_offer(h, &s, offer, by);
	if (h->pushes)
		heteroprio_feed_all(h, &s, by);
	xy_lock_drop(&h->lock, self, by);
	if (!offer.task && heteroprio_stored(h))
		heteroprio_offer(h, &s, offer, by);
	return true;
}

/* --- up --- */

/* The first task of a bucket for the pulling worker, or the nearest of the first ones, unless it should wait. */
static struct xy_task *heteroprio_take_from(struct heteroprio *h, struct bucket *b, unsigned arch, struct xy_agent *by)
{
	int own = xy__spread_own(&h->spread, by);
	struct xy_task *task = own >= 0 ? xy_queue_first_for(&b->queue, h->base.children[own]) : NULL;

	if (h->near)
		task = xy__queue_ready(&b->queue, by);
	if (task && heteroprio_should_wait(h, b, task, arch))
		return NULL;
	if (task && h->near)
		xy_queue_remove(&b->queue, task);
	else
		task = xy_queue_take(&b->queue, by);
	if (task)
		task->expected_us = (float)heteroprio_length(b, task, arch);
	return task;
}

static struct xy_task *heteroprio_take(struct heteroprio *h, struct xy_agent *by)
{
	struct xy_task *task = NULL;
	struct bucket *b = NULL;
	unsigned arch;

	if (!heteroprio_stored(h) || by->worker < 0)
		return NULL;
	arch = heteroprio_arch(h, (unsigned)by->worker);
	xy_lock_take(&h->lock, &h->base, by);
	while (!task && (b = heteroprio_next(h, arch, b)))
		task = heteroprio_take_from(h, b, arch, by);
	if (task)
		heteroprio_count(h, heteroprio_stored(h) - 1);
	xy_lock_drop(&h->lock, &h->base, by);
	return task;
}

static struct xy_task *heteroprio_pull(struct xy_component *self, struct xy_agent *by)
{
	struct xy_task *task = heteroprio_take(heteroprio(self), by);

	if (task || !self->nparents)
		return task;
	task = xy_pull_parents(self, by);
	/* a deciding component above answers by pushing */
	return task ? task : heteroprio_take(heteroprio(self), by);
}

static bool heteroprio_can_push(struct xy_component *self, struct xy_component *child, struct xy_agent *by)
{
	struct heteroprio *h = heteroprio(self);
	unsigned i = 0;
	bool moved;

	while (self->children[i] != child)
		i++;
	xy_lock_take(&h->lock, self, by);
	h->full[i] = false;
	moved = heteroprio_feed(h, i, by);
	xy_lock_drop(&h->lock, self, by);
	return xy_can_push_parents(self, by) || moved;
}

static bool heteroprio_can_pull(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by)
{
	return xy__spread_offer(self, &heteroprio(self)->spread, offer, by);
}

/* --- set-up and looking --- */

static void heteroprio_fini(struct xy_component *self)
{
	struct heteroprio *h = heteroprio(self);

	xy__spread_fini(&h->spread);
	xy__estimate_fini(&h->estimate);
	free(h->buckets);
	free(h->full);
	h->buckets = NULL;
	h->full = NULL;
}

static int heteroprio_init(struct xy_component *self)
{
	struct heteroprio *h = heteroprio(self);

	h->full = calloc(self->nchildren, sizeof *h->full);
	h->buckets = calloc(HETEROPRIO_BUCKETS, sizeof *h->buckets);
	if (xy__estimate_init(&h->estimate, self) || xy__estimate_find_waits(&h->estimate) ||
	    xy__spread_init(&h->spread, self) || !h->full || !h->buckets) {
		heteroprio_fini(self);
		return -ENOMEM;
	}
	h->near &= xy_machine_nnodes(xy_component_machine(self)) > 1;
	for (unsigned i = 0; i < self->nchildren; i++)
		h->pushes |= self->children[i]->takes_pushes;
	for (unsigned i = 0; i < HETEROPRIO_BUCKETS; i++) {
		h->buckets[i].queue.ordered = true;
		xy_queue_predict(&h->buckets[i].queue);
	}
	return 0;
}

static bool heteroprio_is_bounded(const struct xy_component *self)
{
	(void)self;
	return false;
}

static size_t heteroprio_depth(struct xy_component *self, size_t *peak)
{
	*peak = atomic_load_explicit(&heteroprio(self)->peak, memory_order_relaxed);
	return heteroprio_stored(heteroprio(self));
}

static void heteroprio_each(struct xy_component *self,
			    void (*each)(struct xy_queue *queue, void (*visit)(void *arg, const struct xy_task *task),
					 void *arg),
			    void (*visit)(void *arg, const struct xy_task *task), void *arg)
{
	struct heteroprio *h = heteroprio(self);
	struct xy_agent nobody = { .worker = -1 };

	xy_lock_take(&h->lock, self, &nobody);
	for (unsigned i = 0; i < h->nbuckets; i++)
		each(&h->buckets[i].queue, visit, arg);
	xy_lock_drop(&h->lock, self, &nobody);
}

static void heteroprio_each_task(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task),
				 void *arg)
{
	heteroprio_each(self, xy_queue_each, visit, arg);
}

static void heteroprio_each_distinct(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task),
				     void *arg)
{
	heteroprio_each(self, xy_queue_each_distinct, visit, arg);
}

static const struct xy_option heteroprio_options[] = {
	{ .name = "wait",
	  .help = "a slow worker leaves a task that fast ones would finish sooner",
	  .type = XY_OPTION_BOOL,
	  .offset = offsetof(struct heteroprio, wait),
	  .initial = 1,
	  .max = 1 },
	{ .name = "near",
	  .help = "tasks whose data is far from a fast worker are for others; among equals the nearest is "
		  "taken",
	  .type = XY_OPTION_BOOL,
	  .offset = offsetof(struct heteroprio, near),
	  .initial = 1,
	  .max = 1 },
	{ 0 }
};

const struct xy_component_ops xy__heteroprio_ops = {
	.name = "heteroprio",
	.summary = "gives each worker the tasks it is comparatively best at",
	.manual = "Tasks wait in buckets by their speed-ups: how much longer they take on each architecture\n"
		  "than on the fastest one, by their models. A worker takes from the bucket for which the\n"
		  "best of the other architectures is slowest compared with its own. So with cores and\n"
		  "GPUs, GPUs start with the tasks they accelerate most, and cores at the other end. Within\n"
		  "a bucket, tasks are ordered by priority, then by arrival. Tasks without a model count as\n"
		  "equally fast everywhere.\n"
		  "\n"
		  "With several memory nodes, the time to transfer a task's data counts too if it decides:\n"
		  "a task whose transfer to a GPU takes longer than the GPU gains is left to cores. Among\n"
		  "the first 64 tasks of a bucket with the same priority, a worker takes the one that\n"
		  "misses the fewest bytes. near=false ignores the location of data.\n"
		  "\n"
		  "A worker of a slower architecture leaves a task alone if the faster ones would finish\n"
		  "it, and everything else they are fastest at, before it could; wait=false lets it take\n"
		  "the task.\n"
		  "\n"
		  "Workers pull. A branch that begins with a limited reservoir is kept filled; if a branch\n"
		  "has workers of several architectures, its first worker's counts. heteroprio never\n"
		  "refuses a task, so it can be the root of a tree.\n",
	.flags = XY_STORES | XY_PUMPS | XY_MAPS | XY_PREDICTS | XY_ORDERS | XY_SHARES,
	.size = sizeof(struct heteroprio),
	.options = heteroprio_options,
	.init = heteroprio_init,
	.fini = heteroprio_fini,
	.push = heteroprio_push,
	.pull = heteroprio_pull,
	.can_push = heteroprio_can_push,
	.can_pull = heteroprio_can_pull,
	.is_bounded = heteroprio_is_bounded,
	.depth = heteroprio_depth,
	.each_task = heteroprio_each_task,
	.each_distinct = heteroprio_each_distinct,
};
