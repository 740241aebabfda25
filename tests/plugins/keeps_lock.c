/* SPDX-License-Identifier: MIT */
/* A component that is wrong on purpose: its pull takes the lock and never comes back. */
#include <unistd.h>
#include <xylem/component.h>
#include <xylem/tree.h>

struct keeper {
	struct xy_component base;
	struct xy_lock lock;
	struct xy_queue queue;
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
	if (!xy_queue_count(&keeper(self)->queue))
		return NULL;
	xy_lock_take(&keeper(self)->lock, self, by);
	for (;;)
		pause();
}

static size_t keeper_depth(struct xy_component *self, size_t *peak)
{
	struct xy_agent nobody = { .worker = -1 };
	size_t count;

	xy_lock_take(&keeper(self)->lock, self, &nobody);
	*peak = xy_queue_peak(&keeper(self)->queue);
	count = xy_queue_count(&keeper(self)->queue);
	xy_lock_drop(&keeper(self)->lock, self, &nobody);
	return count;
}

static const struct xy_component_ops keeper_ops = {
	.name = "keeps-lock",
	.summary = "never drops its lock",
	.flags = XY_STORES,
	.size = sizeof(struct keeper),
	.push = keeper_push,
	.pull = keeper_pull,
	.depth = keeper_depth,
};

static const struct xy_component_ops *const components[] = { &keeper_ops, NULL };

const struct xy_plugin xy_plugin = { .abi = XY_ABI, .name = "keeps-lock", .components = components };
