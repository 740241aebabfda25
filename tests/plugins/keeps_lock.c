/* SPDX-License-Identifier: MIT */
/* A component that is wrong on purpose: its pull takes the lock and never comes back. */
#include <math.h>
#include <unistd.h>
#include <xylem/component.h>
#include <xylem/tree.h>

struct keeper {
	struct xy_component base;
	struct xy_lock lock;
	struct xy_queue queue;
	unsigned after; /* option */
	bool silent;    /* option */
};

static struct keeper *keeper(struct xy_component *self)
{
	return (struct keeper *)self;
}

static bool keeper_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct xy_offer offer = xy_offer_of(task);
	struct keeper *k = keeper(self);

	xy_lock_take(&k->lock, self, by);
	xy_queue_insert(&k->queue, task);
	xy_lock_drop(&k->lock, self, by);
	xy_can_pull_children(self, &offer, by);
	return true;
}

static struct xy_task *keeper_pull(struct xy_component *self, struct xy_agent *by)
{
	struct keeper *k = keeper(self);
	struct xy_task *task;

	if (!xy_queue_count(&k->queue))
		return NULL;
	xy_lock_take(&k->lock, self, by);
	while (!k->after)
		pause();
	task = xy_queue_take(&k->queue, by);
	k->after -= task != NULL;
	xy_lock_drop(&k->lock, self, by);
	return task;
}

static size_t keeper_depth(struct xy_component *self, size_t *peak)
{
	struct xy_agent nobody = { .worker = -1 };
	struct keeper *k = keeper(self);
	size_t count;

	if (!k->silent)
		xy_lock_take(&k->lock, self, &nobody);
	*peak = xy_queue_peak(&k->queue);
	count = xy_queue_count(&k->queue);
	if (!k->silent)
		xy_lock_drop(&k->lock, self, &nobody);
	return count;
}

static const struct xy_option keeper_options[] = { { "after", "hands out so many tasks before", XY_OPTION_UNSIGNED,
						     offsetof(struct keeper, after), .max = INFINITY },
						   { "silent", "does not take the lock to say what it holds",
						     XY_OPTION_BOOL, offsetof(struct keeper, silent), .initial = 0 },
						   { 0 } };

static const struct xy_component_ops keeper_ops = {
	.name = "keeps-lock",
	.summary = "never drops its lock",
	.flags = XY_STORES,
	.size = sizeof(struct keeper),
	.options = keeper_options,
	.push = keeper_push,
	.pull = keeper_pull,
	.depth = keeper_depth,
};

static const struct xy_component_ops *const components[] = { &keeper_ops, NULL };

const struct xy_plugin xy_plugin = { .abi = XY_ABI, .name = "keeps-lock", .components = components };
