/* SPDX-License-Identifier: MIT */
/*
 * Plans: which of those that share memory may be used, and the tasks that hand the content from one to another.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/acquire.h"
#include "core/runtime/agent.h"
#include "core/runtime/task_build.h"
#include "core/data/data_task.h"
#include "core/data/handle.h"
#include "core/data/filter.h"
#include "core/data/plan.h"
#include "core/data/signal.h"
#include "core/data/redux.h"
#include "core/runtime/deps.h"
#include "core/runtime/wait.h"
#include "core/util/message.h"

enum { MESSAGE = 256 };

/* --- making and forgetting --- */

static void plan_name_child(struct xy_plan *plan, unsigned i)
{
	struct xy_handle *h = plan->parent;
	char name[160];

	snprintf(name, sizeof name, "%s.%s[%u]", h->name, plan->name, i);
	xy_handle_set_name(plan->children[i], name); /* without memory it has none */
}

/*
 * Children inherit the settings of their parent. They inherit a reduction if they have the same shape; without memory
 * for it a child has none.
 */
static void plan_inherit(const struct xy_plan *plan, struct xy_handle *child)
{
	struct xy_handle *h = plan->parent;

	if (h->copies && child->copies) {
		atomic_store(&child->copies->write_through, atomic_load(&h->copies->write_through));
		xy__lock_take(&h->lock); /* a task may take the advice back */
		if (h->copies->advice == XY_ADVICE_KEEP)
			child->copies->advice = XY_ADVICE_KEEP;
		xy__lock_drop(&h->lock);
	}
	if (child->interface == h->interface)
		child->constant |= h->constant;
	if (h->redux && child->interface == h->interface && !plan->overlaps)
		xy_handle_set_reduction(child, h->redux->init, h->redux->combine);
}

static void plan_link(struct xy_plan *plan)
{
	struct xy_handle *h = plan->parent;

	for (unsigned i = 0; i < plan->nchildren; i++) {
		plan_inherit(plan, plan->children[i]);
		plan->children[i]->child_of = plan;
		atomic_store(&plan->children[i]->barred, XY__BAR_ALL);
		if (h->name)
			plan_name_child(plan, i);
	}
	xy__lock_take(&h->runtime->partition_lock);
	plan->next = h->plans;
	h->plans = plan;
	xy__lock_drop(&h->runtime->partition_lock);
}

void xy__plan_forget(struct xy_plan *plan)
{
	struct xy_handle *h = plan->parent;
	struct xy_plan **link = &h->plans;

	xy__lock_take(&h->runtime->partition_lock);
	while (*link != plan)
		link = &(*link)->next;
	*link = plan->next;
	xy__lock_drop(&h->runtime->partition_lock);
	for (unsigned i = 0; i < plan->nchildren; i++)
		xy__handle_forget(plan->children[i]);
	free(plan);
}

static int plan_fail(struct xy_handle *h, int error, const char *what)
{
	xy__log(&h->runtime->settings.log, "'%s' can't be partitioned: %s", xy_handle_name(h), what);
	return error;
}

int xy__plan_create(struct xy_handle *h, const struct xy_filter *filter, struct xy_plan **out)
{
	struct xy_plan *plan;
	unsigned n;
	int error;

	/* Before its view is read: another thread may be about to give it memory. */
	if (xy__handle_allocate(h) || xy__copy_settle(h))
		return plan_fail(h, -ENOMEM, "not enough memory");
	error = xy__filter_count(h, filter, &n);
	if (error)
		return error;
	if (!atomic_load(&h->sequential))
		return plan_fail(h, -EINVAL, "its sequential order is off (see xy_handle_set_sequential)");
	plan = calloc(1, sizeof *plan + n * sizeof(struct xy_handle *));
	if (!plan)
		return plan_fail(h, -ENOMEM, "not enough memory");
	plan->parent = h;
	plan->nchildren = n;
	plan->overlaps = filter->ops->overlaps;
	snprintf(plan->name, sizeof plan->name, "%s", filter->ops->name);
	error = xy__filter_cut(plan, filter);
	if (error) {
		free(plan);
		return error;
	}
	plan_link(plan);
	*out = plan;
	return 0;
}

int xy__plan_destroy(struct xy_plan *plan)
{
	struct xy_runtime *rt = plan->parent->runtime;
	struct xy__signal wait = { .done = 0 };
	struct xy__agent *agent = xy__agent_enter(rt);
	struct xy_task *task = xy__data_task_create("xy_plan_destroy", plan->nchildren, agent);
	int count = 0, error = task ? 0 : -ENOMEM;

	if (task) {
		for (unsigned i = 0; i < plan->nchildren; i++)
			xy__task_accesses(task)[i] = xy__access(plan->children[i], XY_W);
		xy__task_set_callback(task, xy__signal_give, &wait);
		error = xy__data_task_register(task, &count, agent);
		xy__redux_submit(agent);
		if (!error)
			xy__deps_submitted(task, count, agent);
	}
	xy__agent_leave(agent);
	if (error)
		return plan_fail(plan->parent, error, "not enough memory to end it");
	xy__signal_await(&wait, rt);
	xy__plan_forget(plan);
	return 0;
}

void xy__plans_free(struct xy_handle *h)
{
	while (h->plans) {
		struct xy_plan *plan = h->plans;

		h->plans = plan->next;
		free(plan);
	}
}

/* --- activation --- */

static void plan_bar(struct xy_handle *h)
{
	unsigned barred = h->split ? XY__BAR_ALL : h->shared ? XY__BAR_WRITES : 0;

	if (h->child_of && h->child_of->mode != XY_RW)
		barred |= h->child_of->mode ? XY__BAR_WRITES : XY__BAR_ALL;
	/* relaxed: see partition.h */
	atomic_store_explicit(&h->barred, (uint8_t)barred, memory_order_relaxed);
}

static void plan_bar_children(struct xy_plan *plan, unsigned mode)
{
	plan->mode = mode;
	for (unsigned i = 0; i < plan->nchildren; i++)
		plan_bar(plan->children[i]);
}

/* The parent is in the hands of this plan, or was. */
static void plan_bar_parent(struct xy_plan *plan, unsigned mode, bool begins)
{
	struct xy_handle *h = plan->parent;

	if (mode == XY_RW)
		h->split = begins ? plan : NULL;
	else
		h->shared += begins ? 1 : -1u;
	plan_bar(h);
}

static int plan_check_begin(const struct xy_plan *plan, unsigned mode, struct xy__message *message)
{
	const struct xy_handle *h = plan->parent;

	if (plan->mode) {
		xy__message_add(message, "it is already active");
		return -EBUSY;
	}
	if (plan->overlaps && mode == XY_RW) {
		xy__message_add(message, "its children overlap, so they can only be read: XY_R");
		return -EINVAL;
	}
	if (!xy__handle_bars(h, mode))
		return 0;
	if (h->split)
		xy__message_add(message, "'%s' is active", h->split->name);
	else if (h->shared)
		xy__message_add(message, "another plan reads '%s'", xy_handle_name(h));
	else if (h->child_of->mode)
		xy__message_add(message, "'%s' is itself shared for reading", xy_handle_name(h));
	else
		xy__message_add(message, "'%s' is itself a child of an inactive plan", xy_handle_name(h));
	return -EBUSY;
}

static int plan_check_end(const struct xy_plan *plan, struct xy__message *message)
{
	if (!plan->mode) {
		xy__message_add(message, "it is not active");
		return -EINVAL;
	}
	for (unsigned i = 0; i < plan->nchildren; i++) {
		const struct xy_handle *child = plan->children[i];

		if (!child->split && !child->shared)
			continue;
		xy__message_add(message, "its child %u, '%s', is itself partitioned", i, xy_handle_name(child));
		return -EBUSY;
	}
	return 0;
}

/* --- from parent to children and back --- */

/* The mode in which a task that moves the content needs each. Those that get it are written, and only order
 * matters for those that were only read. */
static struct xy_task *plan_task(struct xy_plan *plan, unsigned mode, bool begins, struct xy__agent *agent)
{
	unsigned n = plan->nchildren, parent = mode == XY_R ? XY_R : begins ? XY_RW : XY_W;
	unsigned child = mode == XY_RW && !begins ? XY_RW : XY_W;
	struct xy_task *task = xy__data_task_create(begins ? "xy_plan_begin" : "xy_plan_end", n + 1, agent);

	for (unsigned i = 0; task && i < n; i++)
		xy__task_accesses(task)[i] = xy__access(plan->children[i], child);
	if (!task)
		return NULL;
	xy__task_accesses(task)[n] = xy__access(plan->parent, parent);
	xy__data_task_hands(task, begins ? XY__HANDING_DOWN : XY__HANDING_UP);
	return task;
}

/* A plan being activated or deactivated. */
struct change {
	struct xy_plan *plan;
	unsigned mode;              /* that begins or ends */
	struct xy_task *task;       /* to be submitted */
	int count;                  /* predecessors */
	struct xy__message message; /* the fault */
};

static int change_begin(struct change *change, struct xy__agent *agent)
{
	int error;

	plan_bar_parent(change->plan, change->mode, true);
	error = xy__data_task_register(change->task, &change->count, agent);
	if (error)
		plan_bar_parent(change->plan, change->mode, false);
	else
		plan_bar_children(change->plan, change->mode);
	return error;
}

static int change_end(struct change *change, struct xy__agent *agent)
{
	int error;

	plan_bar_children(change->plan, 0);
	error = xy__data_task_register(change->task, &change->count, agent);
	if (error)
		plan_bar_children(change->plan, change->mode);
	else
		plan_bar_parent(change->plan, change->mode, false);
	return error;
}

/* Everything that needs the lock. */
static int change_make(struct change *change, struct xy__signal *wait, struct xy__agent *agent)
{
	bool begins = change->mode;
	int error = begins ? plan_check_begin(change->plan, change->mode, &change->message)
			   : plan_check_end(change->plan, &change->message);

	if (error)
		return error;
	if (!begins)
		change->mode = change->plan->mode;
	change->task = plan_task(change->plan, change->mode, begins, agent);
	if (!change->task)
		return -ENOMEM;
	if (wait)
		xy__task_set_callback(change->task, xy__signal_give, wait);
	return begins ? change_begin(change, agent) : change_end(change, agent);
}

int xy__plan_switch(struct xy_plan *plan, unsigned mode, struct xy__signal *wait)
{
	struct xy_runtime *rt = plan->parent->runtime;
	struct xy__agent *agent = xy__agent_enter(rt); /* before the lock: agents may be waited for */
	struct change change = { .plan = plan, .mode = mode };
	char text[MESSAGE];
	int error;

	xy__message_init(&change.message, text, sizeof text);
	xy__lock_take(&rt->partition_lock);
	error = change_make(&change, wait, agent);
	xy__lock_drop(&rt->partition_lock);
	xy__redux_submit(agent);
	if (!error)
		xy__deps_submitted(change.task, change.count, agent);
	xy__agent_leave(agent);
	if (error)
		xy__log(&rt->settings.log, "the plan '%s' of '%s' can't %s: %s", plan->name,
			xy_handle_name(plan->parent), mode ? "begin" : "end", *text ? text : strerror(-error));
	else if (wait)
		xy__signal_await(wait, rt);
	return error;
}
