/* SPDX-License-Identifier: MIT */
/*
 * rehearse: sends all tasks down one of its branches, the one with the shortest makespan when the engine simulates the
 * submitted graph with each. Until a worker first asks, tasks wait here, so that the first rehearsal sees them all.
 */
#include <errno.h>
#include "components/spread.h"
#include "core/task/queue.h"
#include "core/tree/tree.h"

/* The next rehearsal is due when so many times as many tasks have come; later if the last one changed nothing. */
enum { REHEARSE_AGAIN = 4, REHEARSE_LATER = 4 };

/* Locking key: (c) constant after seal, (l) lock, (a) atomic. */
struct rehearse {
	struct xy_component base;
	unsigned first;           /* (c) option */
	struct xy__spread spread; /* for offers */
	_Atomic int branch;       /* (a) -1: not known yet; set while the lock is held */
	_Atomic bool rehearsing;  /* (a) a thread is at it */
	_Atomic uint64_t arrived; /* (a) tasks so far */
	_Atomic uint64_t next;    /* (a) the next rehearsal is due when so many have */
	struct xy_lock lock;
	struct xy_queue queue; /* (l) its count (a); empty once the branch is known */
};

static struct rehearse *rehearse(struct xy_component *self)
{
	return (struct rehearse *)self;
}

static int rehearse_branch(struct rehearse *r)
{
	/* acquire: pairs with the release in rehearse_settle; the queue has been emptied */
	return atomic_load_explicit(&r->branch, memory_order_acquire);
}

/* Gives a task to a branch, or to the next that has a worker for it. */
static bool rehearse_give(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	unsigned branch = (unsigned)atomic_load_explicit(&rehearse(self)->branch, memory_order_relaxed);

	for (unsigned i = 0; i < self->nchildren; i++) {
		struct xy_component *child = self->children[(branch + i) % self->nchildren];

		if (xy_task_can_run_below(task, child))
			return xy_push(child, task, by);
	}
	return false;
}

/* --- rehearsals --- */

/* Takes the branch, and sends down what has waited. The tasks of earlier branches stay there. */
static void rehearse_settle(struct rehearse *r, int branch, struct xy_agent *by)
{
	struct xy_task *task;

	xy_lock_take(&r->lock, &r->base, by);
	/* release: pairs with the acquire in rehearse_branch */
	atomic_store_explicit(&r->branch, branch, memory_order_release);
	while ((task = xy_queue_first(&r->queue)) && xy__queue_give(&r->queue, task, rehearse_give, &r->base, by))
		by->gave_back = true; /* it may be in a branch where this worker has already looked */
	xy_lock_drop(&r->lock, &r->base, by);
}

static bool rehearse_is_due(struct rehearse *r)
{
	return rehearse_branch(r) < 0 || atomic_load_explicit(&r->arrived, memory_order_relaxed) >=
						 atomic_load_explicit(&r->next, memory_order_relaxed);
}

/* One thread rehearses; others go on with the branch as it was. No lock is held. */
static void rehearse_now(struct rehearse *r, struct xy_agent *by)
{
	struct xy__tree_engine *engine = r->base.tree->engine;
	unsigned first = r->first < r->base.nchildren ? r->first : r->base.nchildren;
	int branch = rehearse_branch(r), best = branch < 0 ? (int)first - 1 : branch;
	uint64_t submitted = 0;
	bool more;

	if (!atomic_load_explicit(&r->arrived, memory_order_relaxed) || atomic_exchange(&r->rehearsing, true))
		return;
	if (engine && engine->rehearse && r->base.nchildren > 1) {
		submitted = engine->submitted ? engine->submitted(engine, &more) : 0;
		best = engine->rehearse(engine, &r->base, (unsigned)best, by);
	}
	submitted *= best == branch ? REHEARSE_AGAIN * REHEARSE_LATER : REHEARSE_AGAIN;
	atomic_store_explicit(&r->next, submitted ? submitted : UINT64_MAX, memory_order_relaxed);
	if (best != branch)
		rehearse_settle(r, best, by);
	atomic_store(&r->rehearsing, false);
}

/* --- verbs --- */

static bool rehearse_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct xy_offer offer = xy_offer_of(task);
	struct rehearse *r = rehearse(self);
	bool waits;

	if (!xy_task_can_run_below(task, self))
		return false;
	atomic_fetch_add_explicit(&r->arrived, 1, memory_order_relaxed);
	if (rehearse_branch(r) >= 0)
		return rehearse_give(self, task, by);
	xy_lock_take(&r->lock, self, by);
	waits = rehearse_branch(r) < 0;
	if (waits) {
		xy__queue_insert(&r->queue, task);
		if (offer.task) /* constrained: it must not leave while it is being looked at */
			xy__spread_offer(self, &r->spread, &offer, by);
	}
	xy_lock_drop(&r->lock, self, by);
	if (!waits)
		return rehearse_give(self, task, by);
	if (!offer.task)
		xy_can_pull(self, &offer, by);
	return true;
}

/* Each call from below is a worker that asks, or has room. */
static bool rehearse_can_push(struct xy_component *self, struct xy_component *child, struct xy_agent *by)
{
	struct rehearse *r = rehearse(self);

	(void)child;
	if (rehearse_is_due(r))
		rehearse_now(r, by);
	if (xy_queue_count(&r->queue) && rehearse_branch(r) >= 0) /* a branch had refused them */
		rehearse_settle(r, rehearse_branch(r), by);
	return xy_can_push_parents(self, by);
}

static struct xy_task *rehearse_pull(struct xy_component *self, struct xy_agent *by)
{
	rehearse_can_push(self, NULL, by);
	return NULL;
}

static bool rehearse_can_pull(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by)
{
	return xy__spread_offer(self, &rehearse(self)->spread, offer, by);
}

/* --- set-up and looking --- */

static int rehearse_init(struct xy_component *self)
{
	atomic_init(&rehearse(self)->branch, -1);
	return xy__spread_init(&rehearse(self)->spread, self);
}

static void rehearse_fini(struct xy_component *self)
{
	xy__spread_fini(&rehearse(self)->spread);
}

static bool rehearse_is_bounded(const struct xy_component *self)
{
	(void)self;
	return false;
}

static size_t rehearse_depth(struct xy_component *self, size_t *peak)
{
	*peak = xy_queue_peak(&rehearse(self)->queue);
	return xy_queue_count(&rehearse(self)->queue);
}

static void rehearse_each_task(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task),
			       void *arg)
{
	struct xy_agent nobody = { .worker = -1 };

	xy_lock_take(&rehearse(self)->lock, self, &nobody);
	xy_queue_each(&rehearse(self)->queue, visit, arg);
	xy_lock_drop(&rehearse(self)->lock, self, &nobody);
}

static const struct xy_option rehearse_options[] = { { .name = "first",
						       .help = "the branch, from 1, that tasks take before a rehearsal",
						       .type = XY_OPTION_UNSIGNED,
						       .offset = offsetof(struct rehearse, first),
						       .initial = 1,
						       .min = 1,
						       .max = 1000 },
						     { 0 } };

const struct xy_component_ops xy__rehearse_ops = {
	.name = "rehearse",
	.summary = "sends tasks down the branch that is fastest in a simulation of the submitted graph",
	.manual = "Each branch is a policy. When a worker first asks, the submitted tasks, up to 4,096, are\n"
		  "simulated with each branch in turn, by the library's own simulator: with the predicted\n"
		  "durations, the data of the tasks, and the machine's memories and links. All tasks go down\n"
		  "the branch with the shortest makespan; among equals the first. The next rehearsal is due\n"
		  "when four times as many tasks have been submitted, or sixteen times if the last one\n"
		  "changed nothing. Tasks sent down before stay where they are. On machines with more than\n"
		  "512 workers there are no rehearsals.\n"
		  "\n"
		  "In real time one worker rehearses while the others go on, and only if that takes less\n"
		  "than a fiftieth of the time of the tasks; otherwise the branch stays as it is, which is\n"
		  "`first` initially. In a simulation, rehearsals take no virtual time.\n"
		  "\n"
		  "Put an unlimited reservoir at the head of each branch, so that none refuses.\n",
	.flags = XY_STORES | XY_PUMPS | XY_MAPS | XY_DECIDES | XY_SHARES,
	.size = sizeof(struct rehearse),
	.options = rehearse_options,
	.init = rehearse_init,
	.fini = rehearse_fini,
	.push = rehearse_push,
	.pull = rehearse_pull,
	.can_push = rehearse_can_push,
	.can_pull = rehearse_can_pull,
	.is_bounded = rehearse_is_bounded,
	.depth = rehearse_depth,
	.each_task = rehearse_each_task,
};
