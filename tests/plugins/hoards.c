/* SPDX-License-Identifier: MIT */
/* A component that is wrong on purpose: it stores tasks and gives none away. */
#include <xylem/component.h>

struct hoarder {
	struct xy_component base;
	XY_ATOMIC(size_t) count;
};

static struct hoarder *hoarder(struct xy_component *self)
{
	return (struct hoarder *)self;
}

static bool hoarder_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	(void)task, (void)by;
	atomic_fetch_add(&hoarder(self)->count, 1);
	return true;
}

static struct xy_task *hoarder_pull(struct xy_component *self, struct xy_agent *by)
{
	(void)self, (void)by;
	return NULL;
}

static size_t hoarder_depth(struct xy_component *self, size_t *peak)
{
	*peak = atomic_load(&hoarder(self)->count);
	return *peak;
}

static const struct xy_component_ops hoarder_ops = {
	.name = "hoards",
	.summary = "gives no task away",
	.flags = XY_STORES,
	.size = sizeof(struct hoarder),
	.push = hoarder_push,
	.pull = hoarder_pull,
	.depth = hoarder_depth,
};

const struct xy_plugin xy_plugin = {
	.abi = XY_ABI,
	.name = "hoards",
	.components = (const struct xy_component_ops *const[]){ &hoarder_ops, NULL },
};
