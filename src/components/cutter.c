/* SPDX-License-Identifier: MIT */
/* The common part of mappers that cut divisible tasks for devices. */
#include "components/cutter.h"

#include <errno.h>
#include <string.h>
#include <xylem/tree.h>

#include "components/share.h"

/* --- set-up --- */

int xy__cutter_init(struct xy__cutter *cutter)
{
	cutter->aside.ordered = true;
	return xy__devices_init(&cutter->all, &cutter->base, cutter->devices);
}

void xy__cutter_fini(struct xy__cutter *cutter)
{
	xy__share_leave(cutter->table);
	cutter->table = NULL;
	xy__devices_fini(&cutter->all);
}

int xy__cutter_join(struct xy__cutter *cutter)
{
	const char *own = cutter->base.ops->name;
	int error = 0;

	if (strchr(cutter->share, '/') || strlen(cutter->share) > 64)
		return xy_tree_fail(cutter->base.tree, -EINVAL,
				    "%s: share is a name of at most 64 letters, not \"%.80s\"", own, cutter->share);
	cutter->table = xy__share_join(cutter->share, &error);
	if (cutter->table)
		return 0;
	return xy_tree_fail(cutter->base.tree, error, "%s: the devices can't be shared as \"%s\": %s", own,
			    cutter->share, strerror(-error));
}

int xy__cutter_share_device(struct xy__cutter *cutter, const char *name)
{
	int number = xy__share_device(cutter->table, name);

	if (number < 0)
		return xy_tree_fail(cutter->base.tree, number, "%s: too many devices are shared as \"%s\"",
				    cutter->base.ops->name, cutter->share);
	return number;
}

/* --- tasks that no device can run --- */

bool xy__cutter_serves(const struct xy__cutter *cutter, const struct xy_task *task)
{
	for (unsigned i = 0; i < cutter->all.count; i++)
		if (xy__device_serves(&cutter->all.of[i], &cutter->base, task))
			return true;
	return false;
}

bool xy__cutter_give_up(struct xy__cutter *cutter, struct xy_task *task, struct xy_agent *by)
{
	struct xy_component *self = &cutter->base;

	if (xy_task_is_divisible(task))
		xy__division_fail(task->extra->division, -ENODEV);
	task = xy_task_cut(self, task, 1, XY_NO_PLACE, by);
	for (unsigned i = 0; i < self->nchildren; i++)
		if (xy_task_can_run_below(task, self->children[i]) && xy_push(self->children[i], task, by))
			return true;
	return false;
}

/* --- tasks without items --- */

bool xy__cutter_sets_aside(struct xy__cutter *cutter, struct xy_task *task, struct xy_agent *by)
{
	struct xy_component *self = &cutter->base;
	struct xy_offer offer;
	unsigned place;

	if (xy_task_is_divisible(task) || xy_task_place(task, self, &place))
		return false;
	offer = xy_offer_of(task);
	xy_lock_take(&cutter->aside_lock, self, by);
	xy_queue_insert(&cutter->aside, task);
	if (offer.task) /* constrained: it must not leave while it is being looked at */
		xy_can_pull_children(self, &offer, by);
	xy_lock_drop(&cutter->aside_lock, self, by);
	if (!offer.task)
		xy_can_pull_children(self, &offer, by);
	return true;
}

/* Pieces are made when they are pushed: only tasks without items can be pulled. */
struct xy_task *xy__cutter_pull(struct xy_component *self, struct xy_agent *by)
{
	struct xy__cutter *cutter = xy__cutter_of(self);
	struct xy_task *task;

	if (!xy_queue_count(&cutter->aside))
		return NULL;
	xy_lock_take(&cutter->aside_lock, self, by);
	task = xy_queue_take(&cutter->aside, by);
	xy_lock_drop(&cutter->aside_lock, self, by);
	return task;
}

/* What is stored above waits for a piece to end, not for a worker. */
bool xy__cutter_can_pull(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by)
{
	(void)self;
	(void)offer;
	(void)by;
	return false;
}

/* --- the rest of a component --- */

/* Another process may have given back what it had. */
void xy__cutter_tick(struct xy_component *self, struct xy_agent *by)
{
	xy_can_push_parents(self, by);
}

bool xy__cutter_is_bounded(const struct xy_component *self)
{
	(void)self;
	return true;
}

size_t xy__cutter_depth(struct xy_component *self, size_t *peak)
{
	*peak = xy_queue_peak(&xy__cutter_of(self)->aside);
	return xy_queue_count(&xy__cutter_of(self)->aside);
}

void xy__cutter_each_task(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task), void *arg)
{
	struct xy__cutter *cutter = xy__cutter_of(self);
	struct xy_agent nobody = { .worker = -1 };

	xy_lock_take(&cutter->aside_lock, self, &nobody);
	xy_queue_each(&cutter->aside, visit, arg);
	xy_lock_drop(&cutter->aside_lock, self, &nobody);
}
