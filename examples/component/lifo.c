/* SPDX-License-Identifier: MIT */
/* lifo: a component of one's own, as a plug-in. A reservoir that hands out the newest task first, and
 * now and then the oldest, so that none waits for ever. */
#include <math.h>
#include <xylem/component.h>

struct lifo {
	struct xy_component base; /* first: an instance is a component */
	unsigned oldest_every;    /* option, constant after seal */
	struct xy_lock lock;      /* guards what follows */
	unsigned turn;
	struct xy_queue queue;
};

/* Stores the task and tells those below. The lock may be held while calling down, never up. */
static bool lifo_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct lifo *lifo = (struct lifo *)self;
	struct xy_offer offer = xy_offer_of(task);

	xy_lock_take(&lifo->lock, self, by);
	xy_queue_insert(&lifo->queue, task);
	xy_can_pull_children(self, &offer, by);
	xy_lock_drop(&lifo->lock, self, by);
	return true;
}

/* A task that the worker of `by` can run, which the queue checks, or one from above. */
static struct xy_task *lifo_pull(struct xy_component *self, struct xy_agent *by)
{
	struct lifo *lifo = (struct lifo *)self;
	struct xy_task *task;

	xy_lock_take(&lifo->lock, self, by);
	task = ++lifo->turn % lifo->oldest_every ? xy_queue_take_newest(&lifo->queue, by)
						 : xy_queue_take(&lifo->queue, by);
	xy_lock_drop(&lifo->lock, self, by);
	return task ? task : xy_pull_parents(self, by);
}

static size_t lifo_depth(struct xy_component *self, size_t *peak)
{
	*peak = xy_queue_peak(&((struct lifo *)self)->queue);
	return xy_queue_count(&((struct lifo *)self)->queue);
}

static const struct xy_option lifo_options[] = { { "oldest_every", "each so many-th task handed out is the oldest one",
						   XY_OPTION_UNSIGNED, offsetof(struct lifo, oldest_every),
						   .initial = INFINITY, .min = 1, .max = INFINITY },
						 { 0 } };

static const struct xy_component_ops lifo_ops = {
	.name = "lifo",
	.summary = "hands out the newest task first",
	.flags = XY_STORES,
	.manual = "Workers pull from it; it takes every task, so it can stand at the top of a tree.\n",
	.size = sizeof(struct lifo),
	.options = lifo_options,
	.push = lifo_push,
	.pull = lifo_pull,
	.depth = lifo_depth,
};

static const struct xy_component_ops *const components[] = { &lifo_ops, NULL };
const struct xy_plugin xy_plugin = { .abi = XY_ABI, .name = "lifo", .components = components };
