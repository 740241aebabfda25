/* SPDX-License-Identifier: MIT */
/*
 * The dispatchers: the only callers of the verbs. They apply the defaults, note the verb for locks, and count;
 * audit.c checks the rules. A call overwrites the noted verb of its caller: restoring it would cost more than it
 * is worth.
 */
#include "core/tree/component.h"

#include "core/task/task.h"
#include "core/tree/audit.h"
#include "core/util/bits.h"
#include "core/util/futex.h"

enum { MANY = 64 }; /* children that are worth a closer look */

bool xy__push_children(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	for (unsigned i = 0; i < self->nchildren; i++)
		if (xy_push(self->children[i], task, by))
			return true;
	return false;
}

double xy_component_now_us(const struct xy_component *c)
{
	struct xy__tree_engine *engine = c->tree->engine;

	return engine && engine->now_us ? engine->now_us(engine) : 0;
}

double xy_component_free_us(const struct xy_component *c, unsigned worker)
{
	/* In this order: time passes between the two. */
	double free_us = xy__tree_free_us(c->tree, worker), now_us = xy_component_now_us(c);

	return free_us > now_us ? free_us : now_us;
}

bool xy_push(struct xy_component *to, struct xy_task *task, struct xy_agent *by)
{
	bool taken = xy__push(to, task, by);

	by->verb = 0;
	return taken;
}

size_t xy_push_many(struct xy_component *to, struct xy_task *const *tasks, size_t n, struct xy_agent *by)
{
	_Atomic uint64_t *pushed = &to->shards[by->shard].pushed;
	size_t taken = 0;

	if (!to->verbs->push_many) {
		while (taken < n && xy_push(to, tasks[taken], by))
			taken++;
		return taken;
	}
	by->verb = XY__VERB_PUSH;
	taken = to->verbs->push_many(to, tasks, n, by);
	by->verb = 0;
	atomic_fetch_add_explicit(pushed, taken, memory_order_relaxed);
	if (taken < n)
		xy__count(&to->shards[by->shard].refused, by);
	return taken;
}

static struct xy_task *pull_each_parent(struct xy_component *self, struct xy_agent *by)
{
	for (unsigned i = 0; i < self->nparents; i++) {
		struct xy_task *task = xy_pull(self->parents[i], by);

		if (task)
			return task;
	}
	return NULL;
}

struct xy_task *xy_pull_parents(struct xy_component *self, struct xy_agent *by)
{
	return self->nparents == 1 ? xy_pull(self->parents[0], by) : pull_each_parent(self, by);
}

void xy__pull_show(struct xy_component *from, struct xy_task *task, struct xy_agent *by)
{
	struct xy_component *looker = from->looker, *source = from->source;

	for (;;) {
		by->verb = XY__VERB_PASSED;
		looker->verbs->passed(looker, task, by);
		if (looker == source)
			return;
		looker = looker->parents[0]->looker;
		if (!looker)
			return;
	}
}

struct xy_task *xy_pull(struct xy_component *from, struct xy_agent *by)
{
	struct xy_task *task = xy__pull(from, by);

	by->verb = 0;
	return task;
}

bool xy_can_push_parents(struct xy_component *self, struct xy_agent *by)
{
	for (unsigned i = 0; i < self->nparents; i++)
		if (xy_can_push(self->parents[i], self, by))
			return true;
	return false;
}

bool xy_can_push(struct xy_component *parent, struct xy_component *child, struct xy_agent *by)
{
	bool moved;

	if (!parent->verbs->can_push)
		return xy_can_push_parents(parent, by);
	by->verb = XY__VERB_CAN_PUSH;
	moved = parent->verbs->can_push(parent, child, by);
	by->verb = 0;
	return moved;
}

/* For many children with one worker each, in a row: notifies only sleeping workers. */
static bool can_pull_sleepers(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by)
{
	_Atomic uint64_t *asleep = self->tree->engine->asleep;
	size_t first = self->workers[0], end = first + self->nchildren;

	/* A worker takes its own offer without a wake-up. */
	if (by->worker >= (int)first && by->worker < (int)end &&
	    xy_can_pull(self->children[(size_t)by->worker - first], offer, by))
		return true;
	for (size_t i = first; (i = xy__bits_next(asleep, i, end)) < end; i++)
		if (xy_can_pull(self->children[i - first], offer, by))
			return true;
	return false;
}

/* Whether the children are many and each has one worker, in a row. Seal keeps the workers in rising order. */
static bool has_many_single(const struct xy_component *self)
{
	unsigned n = self->nchildren;

	return n > MANY && self->nworkers == n && self->workers[n - 1] - self->workers[0] == n - 1 &&
	       self->children[0]->nworkers == 1 && self->children[0]->workers[0] == self->workers[0] &&
	       self->children[n - 1]->workers[0] == self->workers[n - 1] &&
	       self->children[n / 2]->workers[0] == self->workers[n / 2];
}

bool xy_can_pull_children(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by)
{
	const struct xy__tree_engine *engine = self->tree->engine;

	if (engine && engine->asleep && has_many_single(self))
		return can_pull_sleepers(self, offer, by);
	for (unsigned i = 0; i < self->nchildren; i++)
		if (xy_can_pull(self->children[i], offer, by))
			return true;
	return false;
}

/*
 * Whether an offer need not travel: no worker sleeps; or it is for all, and the offering agent will take a task next,
 * or there is a searcher, which will offer again what it leaves.
 */
static bool offer_settled(const struct xy_component *child, const struct xy_offer *offer, struct xy_agent *by,
			  bool *result)
{
	const struct xy_tree *tree = child->tree;
	const struct xy__tree_engine *engine = tree->engine;

	if (!engine)
		return false;
	xy__fence(); /* the task was stored before; pairs with the fence of a worker going to sleep */
	if (atomic_load_explicit(engine->sleepers, memory_order_relaxed) == 0) {
		*result = false;
		return true;
	}
	*result = true;
	if (offer->task || child->nworkers != tree->nworkers)
		return false;
	if ((by->archs & offer->archs) && xy_agent_keep_offer(by, offer->archs))
		return true;
	return (engine->archs & ~offer->archs) == 0 && xy__any_worker_looks(engine);
}

bool xy_can_pull(struct xy_component *child, const struct xy_offer *offer, struct xy_agent *by)
{
	bool woken;

	if (!(child->archs & offer->archs))
		return false;
	if (offer_settled(child, offer, by, &woken))
		return woken;
	by->verb = XY__VERB_CAN_PULL;
	woken = child->verbs->can_pull ? child->verbs->can_pull(child, offer, by)
				       : xy_can_pull_children(child, offer, by);
	by->verb = 0;
	if (woken)
		xy__count(&child->shards[by->shard].woken, by);
	return woken;
}

/* The engine can also fail a task that the root refuses because no worker is left for it. */
void xy_give_back(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct xy__tree_engine *engine = self->tree->engine;

	task->expected_us = 0;
	by->gave_back = true;
	if (by->trail)
		xy__trail_leave_tree(self, task, by);
	if (self->tree->hooks.have & XY__HOOK_ENDED)
		xy__hooks_gave_back(self, task, by);
	if (engine && engine->take_back)
		engine->take_back(engine, task, by);
	else
		xy_push(self->tree->root, task, by);
	by->verb = 0;
	if (by->trail)
		xy__trail_return(by);
}

struct xy_offer xy_offer_of(const struct xy_task *task)
{
	return (struct xy_offer){ .archs = task->archs, .task = task->constrained ? task : NULL };
}

bool xy_offer_of_many(struct xy_task *const *tasks, size_t n, struct xy_offer *offer)
{
	const unsigned archs = tasks[0]->archs;
	unsigned differ = 0;

	*offer = (struct xy_offer){ .archs = archs };
	for (size_t i = 0; i < n; i++)
		differ |= (tasks[i]->archs ^ archs) | tasks[i]->constrained;
	return !differ;
}

uint32_t xy_agent_random(struct xy_agent *by)
{
	uint64_t x;

	by->random += 0x9e3779b97f4a7c15u; /* splitmix64 */
	x = by->random;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return (uint32_t)((x ^ (x >> 31)) >> 32);
}

void xy_task_prefetch(struct xy_task *task, unsigned worker, const struct xy_component *self, struct xy_agent *by)
{
	struct xy__tree_engine *engine = self->tree->engine;

	if (!engine || !engine->prefetch)
		return;
	if (by->trail) /* what comes may make other tasks ready */
		xy__trail_leave_tree(self, NULL, by);
	engine->prefetch(engine, task, worker, by);
	by->verb = 0;
	if (by->trail)
		xy__trail_return(by);
}
