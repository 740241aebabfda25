/* SPDX-License-Identifier: MIT */
/*
 * cambium: keeps ready tasks until a worker asks, and then gives it the one that it should take, or none. The
 * invariant that keeps everything moving: a worker of the class on which some task here is fastest never leaves
 * without one, so that only others ever wait.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "components/all.h"
#include "components/cambium/cambium.h"
#include "core/tree/tree.h"
#include "core/util/bits.h"
#include "core/util/futex.h"

#define CAUTION_GROWS 1.05
#define CAUTION_FADES 0.95
#define CAUTION_MOST 16.0

enum { LOOK_LEAST = 8, LOOK_PART = 12 };

/* A worker that is to be free so soon counts as free. */
#define AHEAD_US 20.0

static struct xy__cambium *cambium(struct xy_component *self)
{
	return (struct xy__cambium *)self;
}

/* --- ranks --- */

static uint64_t cambium_submitted(struct xy__cambium *c)
{
	struct xy__tree_engine *engine = c->base.tree->engine;

	return engine && engine->submitted ? engine->submitted(engine, &c->more) : c->seen + c->strangers;
}

/* Looks at the graph anew if there are new tasks, or some that were not seen, but not so often that it takes long. */
static void cambium_look(struct xy__cambium *c, double now_us)
{
	unsigned period = c->view.n / LOOK_PART > LOOK_LEAST ? c->view.n / LOOK_PART : LOOK_LEAST;
	uint64_t submitted;

	if (!c->nodes || (c->view.n && c->begun + c->strangers < period))
		return;
	submitted = cambium_submitted(c);
	if (c->view.n && submitted == c->seen && !c->view.remembered) {
		c->begun = c->strangers = 0;
		return;
	}
	xy__cambium_look(c, now_us);
	c->anew = true;
	c->seen = submitted;
	c->view_us = c->area_us;
}

/* --- up --- */

static void cambium_began(struct xy__cambium *c, unsigned type, unsigned worker, double now_us, float tail_us)
{
	struct xy__cambium_type *t = &c->types[type], *base = &c->types[t->base];

	base->left -= base->left > 0;
	base->begun++;
	c->begun++;
	c->area_us = fmax(c->area_us - base->price_us, 0);
	c->ends_us[worker] = fmax(c->ends_us[worker], now_us) + (double)t->us[c->classes[worker]];
	c->tails_us[worker] = tail_us;
	c->astray[worker] = t->us[c->classes[worker]] > t->least_us ? (uint8_t)(t->fast + 1) : 0;
	if (!c->astray[worker])
		c->caution = 1 + (c->caution - 1) * CAUTION_FADES;
	if (c->base.nworkers < XY__CAMBIUM_FEW)
		c->looks = 0;
	else
		c->running_us[c->classes[worker]] += (double)t->us[c->classes[worker]];
	if (++c->unpriced > c->view.n / 64)
		xy__cambium_price(c);
}

/* The lock is held. A worker that has something to do gets another task only if data may have to be brought meanwhile,
 * and only what is best here. */
static struct xy_task *cambium_take_typed(struct xy__cambium *c, unsigned worker)
{
	/* In this order: time passes between the two. */
	double free_us = xy_component_free_us(&c->base, worker), now_us = xy_component_now_us(&c->base);
	bool ahead = free_us > now_us + AHEAD_US;
	struct xy__cambium_outlook o;
	struct xy__cambium_choice choice;
	struct xy__cambium_near near;

	if (ahead && !c->moves)
		return NULL;
	c->ends_us[worker] = free_us;
	if (!ahead && c->holds[worker]) {
		c->holds[worker] = 0;
		c->held_is_known = false;
	}
	if (!ahead)
		c->tails_us[worker] = 0;
	cambium_look(c, now_us);
	o = xy__cambium_outlook(c, worker, now_us);
	choice = xy__cambium_choose(c, &o);
	if (choice.type < 0 || (ahead && choice.cost > 0))
		return NULL;
	near = xy__cambium_pick(c, &c->types[choice.type], choice.group, worker, now_us);
	if (!near.task)
		return NULL;
	cambium_began(c, (unsigned)choice.type, worker, now_us, c->types[choice.type].groups[near.group].tail_us);
	xy__cambium_hold(c, near.task, worker, c->types[choice.type].fast != o.class);
	xy__cambium_forget(c, near.task);
	xy__cambium_remove(c, (unsigned)choice.type, near.group, near.task, near.before);
	near.task->expected_us = c->types[choice.type].us[o.class];
	return near.task;
}

/* The lock is held. */
static struct xy_task *cambium_take(struct xy__cambium *c, struct xy_agent *by)
{
	struct xy_task *task = xy_queue_count(&c->rest) ? xy_queue_take(&c->rest, by) : NULL;

	if (task || by->worker < 0 || by->team || c->classes[by->worker] >= c->nclasses)
		return task;
	return xy_queue_count(&c->rest) == atomic_load_explicit(&c->count, memory_order_relaxed)
		       ? NULL
		       : cambium_take_typed(c, (unsigned)by->worker);
}

static void cambium_count(struct xy__cambium *c, size_t count)
{
	atomic_store_explicit(&c->count, count, memory_order_relaxed);
	if (count > atomic_load_explicit(&c->peak, memory_order_relaxed))
		atomic_store_explicit(&c->peak, count, memory_order_relaxed);
}

/* --- down --- */

/* Stores a task; returns XY__CAMBIUM_CLASSES if it is for the first worker that asks, else the fastest class. */
static unsigned cambium_store(struct xy__cambium *c, struct xy_task *task)
{
	unsigned type = XY__CAMBIUM_NOTYPE, now = type;
	struct xy__cambium_node node;
	bool seen;

	cambium_count(c, atomic_load_explicit(&c->count, memory_order_relaxed) + 1);
	if (!task->constrained && !(task->archs & XY_ON_TEAM))
		type = xy__cambium_type_of(c, task);
	node = xy__cambium_know(c, task, &seen);
	if (type != XY__CAMBIUM_NOTYPE)
		now = xy__cambium_type_now(c, type, task, node.path_us);
	if (type == XY__CAMBIUM_NOTYPE || !xy__cambium_insert(c, now, task, node.path_us, node.area_us)) {
		xy_queue_insert(&c->rest, task);
		return XY__CAMBIUM_CLASSES;
	}
	if (!seen) {
		c->strangers++;
		c->types[type].left++;
		c->area_us += c->types[type].price_us;
	}
	return c->types[now].fast;
}

/*
 * Whether a worker is expected to be idle soon. The clock is read last: if this thread is interrupted in between, a
 * sleeping worker must not seem busy.
 */
static bool cambium_is_free(const struct xy__cambium *c, unsigned worker, double soon_us)
{
	double free_us = xy_component_free_us(&c->base, worker);

	return free_us <= xy_component_now_us(&c->base) + soon_us;
}

static bool cambium_wake_worker(struct xy__cambium *c, const struct xy__seat *seat, struct xy_agent *by)
{
	const struct xy_machine *machine = xy_component_machine(&c->base);
	struct xy_offer offer = { .archs = 1u << xy_machine_worker(machine, seat->worker)->arch };

	return xy_can_pull(c->base.children[seat->child], &offer, by);
}

static bool cambium_any_worker_sleeps(const struct xy__cambium *c)
{
	const struct xy__tree_engine *engine = c->base.tree->engine;

	return !engine || atomic_load_explicit(engine->sleepers, memory_order_relaxed);
}

/* Whether a worker of the class is idle, other than the one that has just taken a task, and has been woken. */
static bool cambium_wake_idle(struct xy__cambium *c, const struct xy__seat *seat, int taker, struct xy_agent *by)
{
	return (int)seat->worker != taker && cambium_is_free(c, seat->worker, AHEAD_US) &&
	       cambium_wake_worker(c, seat, by);
}

/*
 * Wakes an idle worker of a class, but not the one that has just taken a task. Busy workers may count as asleep too, as
 * they could fetch the data of another task; but mostly they would take none.
 */
static bool cambium_wake(struct xy__cambium *c, unsigned class, int taker, struct xy_agent *by)
{
	const struct xy__tree_engine *engine = c->base.tree->engine;
	size_t n = xy_machine_nworkers(xy_component_machine(&c->base));

	xy__fence(); /* the task was stored before; pairs with the fence of a worker going to sleep */
	if (c->base.nworkers >= XY__CAMBIUM_FEW && engine && engine->asleep) {
		for (size_t w = 0; (w = xy__bits_next(engine->asleep, w, n)) < n; w++)
			if (c->classes[w] == class && cambium_wake_idle(c, c->by_worker[w], taker, by))
				return true;
		return false;
	}
	for (unsigned i = c->first_of_class[class]; i < c->first_of_class[class + 1]; i++)
		if (cambium_wake_idle(c, c->by_class[i], taker, by))
			return true;
	return false;
}

/* A mask of the classes of which a worker would take something now. The lock is held. */
static unsigned cambium_takers(struct xy__cambium *c)
{
	double now_us = xy_component_now_us(&c->base);
	unsigned takers = 0;

	for (unsigned class = 0; class < c->nclasses; class ++) {
		struct xy__cambium_outlook o = xy__cambium_outlook(c, c->seats[class]->worker, now_us);

		if (xy__cambium_choose(c, &o).type >= 0)
			takers |= 1u << class;
	}
	return takers;
}

/* Wakes one worker of each class in a mask. A worker that takes something continues the chain, so one is enough. */
static void cambium_wake_all(struct xy__cambium *c, unsigned classes, int taker, struct xy_agent *by)
{
	for (; classes; classes &= classes - 1)
		cambium_wake(c, (unsigned)__builtin_ctz(classes), taker, by);
}

/* A worker that was the slower one for its task has made another ready only now, while those that are faster for both
 * have nothing to do: what followed was not as harmless as it looked. The lock is held. */
static void cambium_regret(struct xy__cambium *c, unsigned fast, const struct xy_agent *by)
{
	if (by->worker < 0 || c->astray[by->worker] != fast + 1)
		return;
	for (unsigned i = c->first_of_class[fast]; i < c->first_of_class[fast + 1]; i++)
		if (cambium_is_free(c, c->by_class[i]->worker, 0)) {
			c->caution = fmin(c->caution * CAUTION_GROWS, CAUTION_MOST);
			return;
		}
}

static bool cambium_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct xy__cambium *c = cambium(self);
	struct xy_offer offer = xy_offer_of(task);
	unsigned fast, others = 0;

	xy_lock_take(&c->lock, self, by);
	fast = cambium_store(c, task);
	if (fast < c->nclasses)
		cambium_regret(c, fast, by);
	if (offer.task) /* it must not leave while it is being looked at */
		xy_can_pull_children(self, &offer, by);
	else if (fast < c->nclasses && c->nclasses > 1 && cambium_any_worker_sleeps(c))
		others = cambium_takers(c) & ~(1u << fast);
	xy_lock_drop(&c->lock, self, by);
	if (fast >= c->nclasses && !offer.task)
		xy_can_pull_children(self, &offer, by);
	if (fast < c->nclasses && !cambium_wake(c, fast, -1, by))
		cambium_wake_all(c, others, -1, by);
	return true;
}

static struct xy_task *cambium_pull_here(struct xy__cambium *c, struct xy_agent *by)
{
	struct xy_component *self = &c->base;
	struct xy_task *task = NULL;
	const struct xy__seat *wanted;
	unsigned takers = 0;
	bool itself;

	if (atomic_load_explicit(&c->count, memory_order_relaxed)) {
		xy_lock_take(&c->lock, self, by);
		task = cambium_take(c, by);
		if (task)
			cambium_count(c, atomic_load_explicit(&c->count, memory_order_relaxed) - 1);
		if ((task || c->anew) && atomic_load_explicit(&c->count, memory_order_relaxed) &&
		    cambium_any_worker_sleeps(c))
			takers = cambium_takers(c);
		c->anew = false;
		wanted = task ? NULL : c->wanted;
		c->wanted = NULL;
		xy_lock_drop(&c->lock, self, by);
		itself = xy_agent_offer_to_others(by);
		cambium_wake_all(c, takers, by->worker, by);
		if (wanted)
			cambium_wake_worker(c, wanted, by);
		if (itself)
			xy_agent_offer_to_itself(by);
	}
	return task;
}

static struct xy_task *cambium_pull(struct xy_component *self, struct xy_agent *by)
{
	struct xy_task *task = cambium_pull_here(cambium(self), by);

	if (task || !self->nparents)
		return task;
	task = xy_pull_parents(self, by);
	/* a deciding component above answers by pushing */
	return task ? task : cambium_pull_here(cambium(self), by);
}

/* --- looking --- */

static size_t cambium_depth(struct xy_component *self, size_t *peak)
{
	*peak = atomic_load_explicit(&cambium(self)->peak, memory_order_relaxed);
	return atomic_load_explicit(&cambium(self)->count, memory_order_relaxed);
}

static void cambium_each_task(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task),
			      void *arg)
{
	struct xy__cambium *c = cambium(self);
	struct xy_agent nobody = { .worker = -1 };

	xy_lock_take(&c->lock, self, &nobody);
	xy_queue_each(&c->rest, visit, arg);
	for (unsigned i = 0; i < c->ntypes; i++)
		for (unsigned k = c->types[i].ngroups; k-- > 0;)
			for (struct xy_task *task = c->types[i].groups[k].first; task; task = task->next)
				visit(arg, task);
	xy_lock_drop(&c->lock, self, &nobody);
}

/* Tasks for certain workers are offered to them here: others need no notice. */
static void cambium_each_distinct(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task),
				  void *arg)
{
	struct xy__cambium *c = cambium(self);
	struct xy_agent nobody = { .worker = -1 };

	xy_lock_take(&c->lock, self, &nobody);
	xy_queue_each_distinct(&c->rest, visit, arg);
	xy_lock_drop(&c->lock, self, &nobody);
}

/* --- set-up --- */

static void cambium_fini(struct xy_component *self)
{
	struct xy__cambium *c = cambium(self);

	for (unsigned i = 0; c->types && i < XY__CAMBIUM_TYPES; i++)
		free(c->types[i].groups);
	free(c->types);
	free(c->classes);
	free(c->by_class);
	free(c->by_worker);
	free(c->by_node);
	free(c->ends_us);
	free(c->tails_us);
	free(c->astray);
	free(c->holds);
	free(c->present);
	xy__cambium_view_fini(&c->view);
	xy__cambium_view_fini(&c->old);
	xy__estimate_fini(&c->estimate);
	c->types = NULL;
	c->classes = NULL;
	c->by_class = NULL;
	c->by_worker = NULL;
	c->by_node = NULL;
	c->ends_us = NULL;
	c->tails_us = NULL;
	c->astray = NULL;
	c->holds = NULL;
	c->present = NULL;
}

static int cambium_init(struct xy_component *self)
{
	struct xy__cambium *c = cambium(self);
	const struct xy_machine *machine = xy_component_machine(self);
	unsigned nworkers = xy_machine_nworkers(machine);

	c->guess_us = 1;
	c->moves = xy_machine_nnodes(machine) > 1;
	c->types = calloc(XY__CAMBIUM_TYPES, sizeof *c->types);
	c->classes = malloc(nworkers);
	c->ends_us = calloc(nworkers, sizeof *c->ends_us);
	c->tails_us = calloc(nworkers, sizeof *c->tails_us);
	c->astray = calloc(nworkers, sizeof *c->astray);
	c->holds = calloc(nworkers, sizeof *c->holds);
	c->caution = 1;
	if (xy__estimate_init(&c->estimate, self) || !c->types || !c->classes || !c->ends_us || !c->tails_us ||
	    !c->astray || !c->holds)
		goto no_memory;
	c->by_class = calloc(c->estimate.nseats + 1, sizeof *c->by_class);
	c->by_worker = calloc(nworkers, sizeof *c->by_worker);
	c->by_node = calloc(c->estimate.nseats + 1, sizeof *c->by_node);
	if (!c->by_class || !c->by_worker || !c->by_node)
		goto no_memory;
	memset(c->classes, UINT8_MAX, nworkers);
	xy__cambium_sort(c);
	return 0;
no_memory:
	cambium_fini(self);
	return -ENOMEM;
}

static const struct xy_option cambium_options[] = {
	{ .name = "slack",
	  .help = "factor on the time that what follows a task is assumed to need",
	  .type = XY_OPTION_DOUBLE,
	  .offset = offsetof(struct xy__cambium, slack),
	  .initial = 1.25,
	  .min = 1,
	  .max = 100 },
	{ .name = "waste",
	  .help = "factor by which a task may be more expensive than on its cheapest class",
	  .type = XY_OPTION_DOUBLE,
	  .offset = offsetof(struct xy__cambium, waste),
	  .initial = 3.6,
	  .min = 1,
	  .max = INFINITY },
	{ .name = "nodes",
	  .help = "limit of the look-ahead in tasks, 0 for none",
	  .type = XY_OPTION_UNSIGNED,
	  .offset = offsetof(struct xy__cambium, nodes),
	  .initial = 4096,
	  .min = 0,
	  .max = 65536 },
	{ 0 }
};

const struct xy_component_ops xy__cambium_ops = {
	.name = "cambium",
	.summary = "chooses a task for the worker that asks, looking ahead in the submitted graph",
	.manual = "Holds all ready tasks and decides when a worker asks, as late as possible. It looks at\n"
		  "the submitted successors of the tasks it holds, and knows for each the longest path\n"
		  "after it and the work that depends on it.\n"
		  "\n"
		  "From the remaining work it computes the value of each class of workers' time, and so on\n"
		  "which class a task is cheapest. A worker takes tasks that are fastest on it, by rank. It\n"
		  "takes another task if the faster class has so much to do that the task would not finish\n"
		  "sooner there, or if what follows the task (slack times as long as its minimum) has\n"
		  "enough time; among these the one that is cheapest on this worker, never one that costs\n"
		  "more than waste times as much as elsewhere. Otherwise it waits. If a class is by far the\n"
		  "best for a task about to become ready, one of its workers is kept idle.\n"
		  "\n"
		  "Transfers count: in where a task is fastest, in whether another class may take it, and\n"
		  "in which of equals is nearest. A device takes tasks in advance while it has a free slot,\n"
		  "so that their data arrives while it computes.\n"
		  "\n"
		  "Ranks take precedence over priorities, which break ties. Tasks that are pinned or\n"
		  "otherwise constrained go to the first worker that can run them.\n",
	.flags = XY_STORES | XY_MAPS | XY_PREDICTS | XY_ORDERS | XY_SHARES,
	.size = sizeof(struct xy__cambium),
	.options = cambium_options,
	.init = cambium_init,
	.fini = cambium_fini,
	.push = cambium_push,
	.pull = cambium_pull,
	.depth = cambium_depth,
	.each_task = cambium_each_task,
	.each_distinct = cambium_each_distinct,
};
