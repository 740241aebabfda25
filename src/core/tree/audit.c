/* SPDX-License-Identifier: MIT */
/*
 * The verbs of an audited component. Invariant: while a push is on its way the component that it is at owns the task,
 * and the owner before it owns it again if it is refused; so a component that gives away a task must be its owner.
 */
#include "core/tree/audit.h"

#include <errno.h>
#include <stdlib.h>
#include "core/task/task.h"
#include "core/tree/tree_parts.h"

static uint32_t audit_owner(const struct xy_task *task)
{
	/* acquire: pairs with the release below; what a new owner did before is visible to xy__audit_find_lost */
	return atomic_load_explicit(&((struct xy_task *)task)->owner, memory_order_acquire);
}

static void audit_set_owner(struct xy_task *task, uint32_t owner)
{
	atomic_store_explicit(&task->owner, owner, memory_order_release);
}

/* Whether the component may give the task away. A task that nobody pushed was put there, by a test or an engine. */
static bool audit_has(const struct xy_component *c, const struct xy_task *task)
{
	uint32_t owner = audit_owner(task);

	return !owner || owner == xy__owner_component(c);
}

/* --- down --- */

/* Calls down while a lock is held must stay below its component. */
static void audit_down(const struct xy_component *self, const struct xy_task *task, const char *verb,
		       const struct xy_agent *by)
{
	const struct xy_trail *trail = by->trail;
	const struct xy_component *holder = trail->nlocks ? trail->locks[trail->nlocks - 1].component : NULL;

	if (holder && holder->level >= self->level)
		xy__audit_report(XY__RULE_LOCK_ORDER, holder, task, "its lock is held during %s of %s#%u, not below it",
				 verb, self->ops->name, self->id);
}

static bool audit_is_parent(const struct xy_component *from, const struct xy_component *self)
{
	for (unsigned i = 0; i < self->nparents; i++)
		if (self->parents[i] == from)
			return true;
	return false;
}

/* Whether a leaf's worker can run the task; other components may take any. */
static bool audit_fits(const struct xy_component *self, const struct xy_task *task)
{
	long worker = xy__leaf_worker(self);

	return worker < 0 || xy__task_can_take(task, (unsigned)worker);
}

/* Whether the task may be pushed from there to here. A push from outside of the tree may go anywhere. */
static bool audit_may_push(struct xy_component *self, const struct xy_task *task, const struct xy_agent *by)
{
	const struct xy_component *from = xy__trail_top(by->trail);

	if (!from) {
		audit_down(self, task, "push", by);
		return true;
	}
	if (!audit_is_parent(from, self)) {
		xy__audit_report(XY__RULE_UPWARDS, from, task, "it pushes to %s#%u, which is %s", self->ops->name,
				 self->id, self->level <= from->level ? "not below it" : "no child of it");
		return false;
	}
	audit_down(self, task, "push", by);
	if (!audit_has(from, task)) {
		xy__audit_report(XY__RULE_TWICE, from, task, "it pushes a task that it does not have to %s#%u",
				 self->ops->name, self->id);
		return false;
	}
	if (!audit_fits(self, task)) {
		xy__audit_report(XY__RULE_WORKER, from, task, "it pushes a task to worker %s, which can't run it",
				 xy_machine_worker(self->tree->machine, self->workers[0])->name);
		return false;
	}
	return true;
}

struct audit_search {
	const struct xy_task *task;
	bool found;
};

static void audit_see(void *arg, const struct xy_task *task)
{
	struct audit_search *search = arg;

	search->found |= task == search->task;
}

static bool audit_lists(struct xy_component *c, const struct xy_task *task)
{
	struct audit_search search = { .task = task };

	c->ops->each_task(c, audit_see, &search);
	return search.found;
}

/* Whether the refused task is still the caller's. Otherwise the refusal is not believed: it would run twice. */
static bool audit_refused(struct xy_component *self, struct xy_task *task, const struct xy_agent *by)
{
	if (audit_owner(task) != xy__owner_component(self)) {
		xy__audit_report(XY__RULE_REFUSED, self, task, "its push returns false, but the task was passed on");
		return false;
	}
	if (self->ops->each_task && audit_lists(self, task)) {
		xy__audit_report(XY__RULE_REFUSED, self, task, "its push returns false, but the task is stored here");
		return false;
	}
	audit_set_owner(task, xy__owner_component(xy__trail_top(by->trail)));
	return true;
}

static bool audit_push_children(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	for (unsigned i = 0; i < self->nchildren; i++)
		if (xy_push(self->children[i], task, by))
			return true;
	return false;
}

static bool audit_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	bool (*push)(struct xy_component *, struct xy_task *,
		     struct xy_agent *) = self->ops->push ? self->ops->push : audit_push_children;
	bool taken;

	if (!by->trail)
		return push(self, task, by);
	if (!audit_may_push(self, task, by))
		return false;
	xy__trail_enter(self, "push", by);
	atomic_store(&self->tree->audit->probing, false);
	audit_set_owner(task, xy__owner_component(self));
	taken = push(self, task, by);
	xy__trail_leave(self, by);
	return taken || !audit_refused(self, task, by);
}

static size_t audit_push_many(struct xy_component *self, struct xy_task *const *tasks, size_t n, struct xy_agent *by)
{
	size_t taken = 0;

	if (!by->trail)
		return self->ops->push_many(self, tasks, n, by);
	if (n && !audit_may_push(self, tasks[0], by))
		return 0;
	xy__trail_enter(self, "push", by);
	atomic_store(&self->tree->audit->probing, false);
	for (size_t i = 0; i < n; i++)
		audit_set_owner(tasks[i], xy__owner_component(self));
	taken = self->ops->push_many(self, tasks, n, by);
	xy__trail_leave(self, by);
	for (size_t i = taken; i < n; i++)
		if (!audit_refused(self, tasks[i], by) && i == taken)
			taken++;
	return taken;
}

static bool audit_can_pull(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by)
{
	bool (*can_pull)(struct xy_component *, const struct xy_offer *,
			 struct xy_agent *) = self->ops->can_pull ? self->ops->can_pull : xy_can_pull_children;
	bool woken;

	if (!by->trail)
		return can_pull(self, offer, by);
	audit_down(self, offer->task, "can_pull", by);
	xy__trail_enter(self, "can_pull", by);
	woken = can_pull(self, offer, by);
	xy__trail_leave(self, by);
	return woken;
}

/* --- up --- */

static void audit_up(const char *verb, const struct xy_component *self, const struct xy_agent *by)
{
	const struct xy_trail *trail = by->trail;

	if (trail->nlocks)
		xy__audit_report(XY__RULE_LOCK_ORDER, trail->locks[trail->nlocks - 1].component, NULL,
				 "its lock is held during %s of %s#%u above it", verb, self->ops->name, self->id);
}

static bool audit_can_take(const struct xy_task *task, const struct xy_agent *by)
{
	if (by->team)
		return xy_task_can_run_below(task, by->team);
	return by->worker < 0 || xy__task_can_take(task, (unsigned)by->worker);
}

/* What a pull brings, if it may be taken. */
static struct xy_task *audit_pulled(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	const struct xy_component *to = xy__trail_top(by->trail);

	if (!audit_has(self, task)) {
		xy__audit_report(XY__RULE_TWICE, self, task, "its pull returns a task that it does not have");
		return NULL;
	}
	if (!audit_can_take(task, by)) {
		xy__audit_report(XY__RULE_WORKER, self, task, "its pull gives worker %s a task that it can't run",
				 xy_machine_worker(self->tree->machine, (unsigned)by->worker)->name);
		xy_give_back(self, task, by);
		by->gave_back = false; /* or it would be given the task for ever */
		return NULL;
	}
	if (atomic_exchange(&self->tree->audit->probing, false))
		xy__audit_report(XY__RULE_SILENT, self, task,
				 "a task rested here while workers slept: none of them was told by can_pull");
	audit_set_owner(task, to ? xy__owner_component(to) : xy__owner_worker(by->worker));
	return task;
}

static struct xy_task *audit_pull(struct xy_component *self, struct xy_agent *by)
{
	struct xy_task *(*pull)(struct xy_component *, struct xy_agent *) = self->ops->pull ? self->ops->pull
											    : xy_pull_parents;
	struct xy_task *task;

	if (!by->trail)
		return pull(self, by);
	audit_up("pull", self, by);
	xy__trail_enter(self, "pull", by);
	task = pull(self, by);
	xy__trail_leave(self, by);
	return task ? audit_pulled(self, task, by) : NULL;
}

static bool audit_can_push(struct xy_component *self, struct xy_component *child, struct xy_agent *by)
{
	bool moved;

	if (!by->trail)
		return self->ops->can_push ? self->ops->can_push(self, child, by) : xy_can_push_parents(self, by);
	audit_up("can_push", self, by);
	xy__trail_enter(self, "can_push", by);
	moved = self->ops->can_push ? self->ops->can_push(self, child, by) : xy_can_push_parents(self, by);
	xy__trail_leave(self, by);
	return moved;
}

/* --- hooks: without a lock, and with none left --- */

static void audit_tick(struct xy_component *self, struct xy_agent *by)
{
	if (by->trail)
		xy__trail_enter(self, "tick", by);
	self->ops->tick(self, by);
	if (by->trail)
		xy__trail_leave(self, by);
}

static void audit_started(struct xy_component *self, const struct xy_task *task, struct xy_agent *by)
{
	if (by->trail)
		xy__trail_enter(self, "started", by);
	self->ops->started(self, task, by);
	if (by->trail)
		xy__trail_leave(self, by);
}

static void audit_ended(struct xy_component *self, const struct xy_report *report, struct xy_agent *by)
{
	if (by->trail)
		xy__trail_enter(self, "ended", by);
	self->ops->ended(self, report, by);
	if (by->trail)
		xy__trail_leave(self, by);
}

static void audit_submitted(struct xy_component *self, const struct xy_task *task, struct xy_agent *by)
{
	if (by->trail)
		xy__trail_enter(self, "submitted", by);
	self->ops->submitted(self, task, by);
	if (by->trail)
		xy__trail_leave(self, by);
}

static void audit_iteration(struct xy_component *self, uint64_t number, struct xy_agent *by)
{
	if (by->trail)
		xy__trail_enter(self, "iteration", by);
	self->ops->iteration(self, number, by);
	if (by->trail)
		xy__trail_leave(self, by);
}

static void audit_workers_changed(struct xy_component *self, unsigned worker, bool present, struct xy_agent *by)
{
	if (by->trail)
		xy__trail_enter(self, "workers_changed", by);
	self->ops->workers_changed(self, worker, present, by);
	if (by->trail)
		xy__trail_leave(self, by);
}

/* --- nothing moves --- */

bool xy__audit_find_lost(const struct xy_tree *tree, const struct xy_task *task)
{
	struct xy_component *c = xy__owner_in(tree, audit_owner(task));

	if (!c || (c->ops->flags & XY_LEAF) || !c->ops->each_task || audit_lists(c, task))
		return false;
	if (!atomic_load(&tree->audit->probing)) /* a push has begun */
		return false;
	xy__audit_report(XY__RULE_LOST, c, task, "it took a task, does not list it and did not pass it on");
	return true;
}

bool xy__audit_probe(struct xy_tree *tree)
{
	struct xy__audit *audit = tree->audit;

	atomic_store(&audit->probing, true);
	/* A push that began before was counted, one that begins now ends the probe. */
	if (!atomic_load(&audit->active))
		return true;
	atomic_store(&audit->probing, false);
	return false;
}

/* --- beginning and end --- */

/* The ops with checks around them; hooks only where the component has them. */
static struct xy_component_ops audit_verbs(const struct xy_component_ops *ops)
{
	struct xy_component_ops verbs = *ops;

	verbs.push = audit_push;
	verbs.push_many = ops->push_many ? audit_push_many : NULL;
	verbs.pull = audit_pull;
	verbs.can_push = audit_can_push;
	verbs.can_pull = audit_can_pull;
	verbs.tick = ops->tick ? audit_tick : NULL;
	verbs.started = ops->started ? audit_started : NULL;
	verbs.ended = ops->ended ? audit_ended : NULL;
	verbs.submitted = ops->submitted ? audit_submitted : NULL;
	verbs.iteration = ops->iteration ? audit_iteration : NULL;
	verbs.workers_changed = ops->workers_changed ? audit_workers_changed : NULL;
	return verbs;
}

int xy__audit_begin(struct xy_tree *tree)
{
	struct xy__audit *audit = calloc(1, sizeof *audit);

	if (!audit)
		return -ENOMEM;
	audit->verbs = calloc(tree->ncomponents, sizeof *audit->verbs);
	audit->said = calloc(tree->ncomponents, sizeof *audit->said);
	tree->audit = audit;
	if (!audit->verbs || !audit->said) {
		xy__audit_end(tree);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < tree->ncomponents; i++) {
		struct xy_component *c = tree->components[i];

		audit->verbs[i] = audit_verbs(c->ops);
		c->verbs = &audit->verbs[i];
	}
	return 0;
}

void xy__audit_end(struct xy_tree *tree)
{
	struct xy__audit *audit = tree->audit;

	if (!audit)
		return;
	free(audit->verbs);
	free(audit->said);
	free(audit);
	tree->audit = NULL;
}
