/* SPDX-License-Identifier: MIT */
/* The application's calls to partition handles, and the messages for handles that must not be used. */
#include "core/data/partition.h"
#include "core/data/plan.h"
#include "core/data/signal.h"

#include <errno.h>
#include <stdio.h>

#include "core/data/acquire.h"
#include "core/data/departed.h"
#include "core/data/handle.h"
#include "core/runtime/agent.h"
#include "core/runtime/runtime.h"
#include "core/util/message.h"

enum { MESSAGE = 320 };

static int partition_invalid(const struct xy_handle *h, const char *what)
{
	xy__log(h ? &h->runtime->settings.log : NULL, "%s", what);
	return -EINVAL;
}

/* --- what is refused --- */

static void partition_explain(const struct xy_handle *h, unsigned mode, struct xy__message *message)
{
	const char *name = xy_handle_name(h);
	const struct xy_plan *of = h->child_of;

	if (h->split && h->split->waits)
		xy__message_add(message, "'%s' is partitioned (%s): use its children, or xy_unpartition first", name,
				h->split->name);
	else if (h->split)
		xy__message_add(message, "'%s' is partitioned (%s): use its children, or end that plan first", name,
				h->split->name);
	else if (of && !of->mode)
		xy__message_add(message, "'%s' is a child of '%s', whose plan (%s) is not active: see xy_plan_begin",
				name, xy_handle_name(of->parent), of->name);
	else if (h->shared && xy__handle_bars(h, mode))
		xy__message_add(message, "'%s' is shared with its children for reading until the plan ends", name);
	else if (xy__handle_bars(h, mode))
		xy__message_add(message, "'%s' is a child of '%s' for reading only", name, xy_handle_name(of->parent));
	else
		xy__message_add(message, "'%s' was partitioned a moment ago", name);
}

int xy__partition_refuse(struct xy_handle *h, unsigned mode, const char *what)
{
	struct xy_runtime *rt = h->runtime;
	struct xy__message message;
	char text[MESSAGE];

	xy__message_init(&message, text, sizeof text);
	xy__lock_take(&rt->partition_lock);
	partition_explain(h, mode, &message);
	xy__lock_drop(&rt->partition_lock);
	xy__log(&rt->settings.log, "%s: %s", what, text);
	return -EBUSY;
}

int xy__partition_refuse_task(struct xy_task *task)
{
	const uintptr_t *accesses = xy__task_accesses(task);
	unsigned i = 0, mode;
	char what[MESSAGE];

	do
		mode = xy__access_mode(accesses[i]) & ~XY__MODE_UNORDERED;
	while (!xy__handle_bars(xy__access_handle(accesses[i]), mode) && ++i < task->naccesses);
	snprintf(what, sizeof what, "task '%s' is not submitted", xy_task_name(task));
	return xy__partition_refuse(xy__access_handle(accesses[i < task->naccesses ? i : 0]), mode, what);
}

int xy__partition_keeps(struct xy_handle *h, const char *who)
{
	struct xy_runtime *rt = h->runtime;
	const char *name = xy_handle_name(h);
	struct xy_plan *plan;
	bool partitioned;

	if (h->child_of) {
		xy__log(&rt->settings.log, "%s: '%s' is a child of '%s' and is destroyed with its plan or partition",
			who, name, xy_handle_name(h->child_of->parent));
		return -EBUSY;
	}
	xy__lock_take(&rt->partition_lock);
	plan = h->plans;
	partitioned = h->split;
	xy__lock_drop(&rt->partition_lock);
	if (!plan)
		return 0;
	xy__log(&rt->settings.log, "%s: '%s' %s", who, name,
		partitioned ? "is partitioned: unpartition it first" : "has plans: destroy them first");
	return -EBUSY;
}

bool xy__partition_orders(struct xy_handle *h)
{
	struct xy_runtime *rt = h->runtime;
	bool orders;

	xy__lock_take(&rt->partition_lock);
	orders = h->plans || h->child_of;
	xy__lock_drop(&rt->partition_lock);
	if (orders)
		xy__log(&rt->settings.log,
			"xy_handle_set_sequential: '%s' has children or is one: their order is needed",
			xy_handle_name(h));
	return orders;
}

/* 0 if the caller may wait. */
static int partition_check_wait(struct xy_handle *h, const char *who)
{
	if (!xy__agent_inside(h->runtime))
		return 0;
	xy__log(&h->runtime->settings.log, "%s: a codelet or callback can't wait for '%s'", who, xy_handle_name(h));
	return -EDEADLK;
}

/* --- plans --- */

/* A filter that reads the content needs it in RAM. */
static int partition_create(struct xy_handle *h, const struct xy_filter *filter, struct xy_plan **plan)
{
	bool reads = filter->ops && filter->ops->reads;
	int error = reads ? xy_acquire(h, XY_R) : 0;

	if (error)
		return error;
	error = xy__plan_create(h, filter, plan);
	if (reads)
		xy_release(h);
	return error;
}

int xy_plan_create(struct xy_handle *h, const struct xy_filter *filter, struct xy_plan **plan)
{
	if (!xy__handle_is_here(h, "xy_plan_create"))
		return -EINVAL;
	if (!filter || !plan)
		return partition_invalid(h, "xy_plan_create: the filter or the output pointer is NULL");
	*plan = NULL;
	return partition_create(h, filter, plan);
}

unsigned xy_plan_nchildren(const struct xy_plan *plan)
{
	return plan ? plan->nchildren : 0;
}

struct xy_handle *xy_plan_child(const struct xy_plan *plan, unsigned i)
{
	return i < xy_plan_nchildren(plan) ? plan->children[i] : NULL;
}

int xy_plan_begin(struct xy_plan *plan, enum xy_mode mode)
{
	if (!plan)
		return partition_invalid(NULL, "xy_plan_begin: no plan");
	if (mode != XY_R && mode != XY_RW)
		return partition_invalid(plan->parent, "xy_plan_begin: the mode must be XY_R or XY_RW");
	return xy__plan_switch(plan, mode, NULL);
}

int xy_plan_end(struct xy_plan *plan)
{
	return plan ? xy__plan_switch(plan, 0, NULL) : partition_invalid(NULL, "xy_plan_end: no plan");
}

/* 0 if no child is in use in another way than by tasks. */
static int partition_check_children(struct xy_plan *plan, const char *who)
{
	struct xy_runtime *rt = plan->parent->runtime;
	const struct xy_handle *busy = NULL;

	xy__lock_take(&rt->partition_lock);
	for (unsigned i = 0; i < plan->nchildren && !busy; i++)
		if (plan->children[i]->plans)
			busy = plan->children[i];
	xy__lock_drop(&rt->partition_lock);
	if (!busy)
		return 0;
	xy__log(&rt->settings.log, "%s: '%s', a child of '%s', is itself partitioned or has plans", who,
		xy_handle_name(busy), xy_handle_name(plan->parent));
	return -EBUSY;
}

int xy_plan_destroy(struct xy_plan **pointer)
{
	struct xy_plan *plan = pointer ? *pointer : NULL;
	struct xy_runtime *rt;
	unsigned mode;
	int error;

	if (!plan)
		return partition_invalid(NULL, "xy_plan_destroy: no plan");
	rt = plan->parent->runtime;
	error = partition_check_wait(plan->parent, "xy_plan_destroy");
	if (!error)
		error = partition_check_children(plan, "xy_plan_destroy");
	if (error)
		return error;
	xy__lock_take(&rt->partition_lock);
	mode = plan->mode;
	xy__lock_drop(&rt->partition_lock);
	if (mode) {
		xy__log(&rt->settings.log, "xy_plan_destroy: the plan '%s' of '%s' is active: end it first", plan->name,
			xy_handle_name(plan->parent));
		return -EBUSY;
	}
	error = xy__plan_destroy(plan);
	if (!error)
		*pointer = NULL;
	return error;
}

/* --- with waiting --- */

/* The plan of xy_partition; NULL without one. */
static struct xy_plan *partition_plan(const struct xy_handle *h)
{
	struct xy_plan *plan;

	if (!h || xy__handle_has_left(h))
		return NULL;
	xy__lock_take(&h->runtime->partition_lock);
	plan = h->split && h->split->waits ? h->split : NULL;
	xy__lock_drop(&h->runtime->partition_lock);
	return plan;
}

/* Activates a new plan, or destroys it if that fails. */
static int partition_begin(struct xy_plan *plan)
{
	struct xy__signal begun = { .done = 0 }, ended = { .done = 0 };
	int error;

	plan->waits = true;
	error = xy__plan_switch(plan, XY_RW, &begun);
	if (!error && !begun.status)
		return 0;
	if (!error && xy__plan_switch(plan, 0, &ended))
		return begun.status; /* without memory it stays */
	xy__plan_forget(plan);
	return error ? error : begun.status;
}

static int partition_check_room(struct xy_plan *plan, struct xy_handle **children, unsigned n)
{
	if (n == plan->nchildren || (!children && !n))
		return 0;
	xy__log(&plan->parent->runtime->settings.log,
		"xy_partition: '%s' makes %u children of '%s', but there is room for %u", plan->name, plan->nchildren,
		xy_handle_name(plan->parent), n);
	xy__plan_forget(plan);
	return -EINVAL;
}

int xy_partition(struct xy_handle *h, const struct xy_filter *filter, struct xy_handle **children, unsigned n)
{
	struct xy_plan *plan;
	int error;

	if (!xy__handle_is_here(h, "xy_partition"))
		return -EINVAL;
	if (!filter || (n && !children))
		return partition_invalid(h, "xy_partition: the filter or the children array is NULL");
	error = partition_check_wait(h, "xy_partition");
	if (!error)
		error = xy__acquire_check_mine(h, "xy_partition");
	if (!error && xy__handle_bars(h, XY_RW))
		error = xy__partition_refuse(h, XY_RW, "xy_partition");
	if (!error)
		error = partition_create(h, filter, &plan);
	if (!error)
		error = partition_check_room(plan, children, n);
	if (!error)
		error = partition_begin(plan);
	for (unsigned i = 0; i < n && !error; i++)
		children[i] = plan->children[i];
	return error;
}

int xy_unpartition(struct xy_handle *h)
{
	struct xy_plan *plan = partition_plan(h);
	struct xy__signal wait = { .done = 0 };
	int error;

	if (!xy__handle_is_here(h, "xy_unpartition"))
		return -EINVAL;
	if (!plan) {
		xy__log(&h->runtime->settings.log, "xy_unpartition: '%s' is not partitioned by xy_partition",
			xy_handle_name(h));
		return -EINVAL;
	}
	error = partition_check_wait(h, "xy_unpartition");
	if (!error)
		error = partition_check_children(plan, "xy_unpartition");
	for (unsigned i = 0; i < plan->nchildren && !error; i++)
		error = xy__acquire_check_mine(plan->children[i], "xy_unpartition");
	if (!error)
		error = xy__plan_switch(plan, 0, &wait);
	if (error)
		return error;
	xy__plan_forget(plan);
	return wait.status;
}

unsigned xy_handle_nchildren(const struct xy_handle *h)
{
	return xy_plan_nchildren(partition_plan(h));
}

struct xy_handle *xy_handle_child(const struct xy_handle *h, unsigned i)
{
	return xy_plan_child(partition_plan(h), i);
}
