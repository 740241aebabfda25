/* SPDX-License-Identifier: MIT */
/* edf: a reservoir that hands out the task with the earliest deadline first. */
#include <xylem/component.h>

struct edf {
	struct xy_component base;
	struct xy_lock lock; /* guards the queue */
	struct xy_queue queue;
};

static double edf_key(const struct xy_component *self __attribute__((unused)), const struct xy_task *task)
{
	return xy_task_deadline_us(task); /* infinite without one: last */
}

static int edf_init(struct xy_component *self)
{
	xy_queue_order_by(&((struct edf *)self)->queue, self, edf_key);
	return 0;
}

static bool edf_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct edf *edf = (struct edf *)self;
	struct xy_offer offer = xy_offer_of(task);

	xy_lock_take(&edf->lock, self, by);
	xy_queue_insert(&edf->queue, task);
	xy_can_pull_children(self, &offer, by);
	xy_lock_drop(&edf->lock, self, by);
	return true;
}

static struct xy_task *edf_pull(struct xy_component *self, struct xy_agent *by)
{
	struct edf *edf = (struct edf *)self;
	struct xy_task *task;

	xy_lock_take(&edf->lock, self, by);
	task = xy_queue_take(&edf->queue, by);
	xy_lock_drop(&edf->lock, self, by);
	return task ? task : xy_pull_parents(self, by);
}

static size_t edf_depth(struct xy_component *self, size_t *peak)
{
	*peak = xy_queue_peak(&((struct edf *)self)->queue);
	return xy_queue_count(&((struct edf *)self)->queue);
}

static const struct xy_component_ops ops = { .name = "edf",
					     .summary = "hands out the earliest deadline first",
					     .flags = XY_STORES,
					     .size = sizeof(struct edf),
					     .init = edf_init,
					     .push = edf_push,
					     .pull = edf_pull,
					     .depth = edf_depth };
static const struct xy_component_ops *const components[] = { &ops, NULL };
const struct xy_plugin xy_plugin = { .abi = XY_ABI, .name = "edf", .components = components };
