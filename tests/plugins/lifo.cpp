/* SPDX-License-Identifier: MIT */
/* A component in C++: a reservoir that hands out the newest task first. */
#include <cmath>
#include <xylem/component.h>

namespace
{

struct lifo {
	xy_component base; /* first: an instance is a component */
	double unused;     /* option */
	xy_lock lock;      /* guards the queue */
	xy_queue queue;
};

lifo *as_lifo(xy_component *self)
{
	return reinterpret_cast<lifo *>(self);
}

bool lifo_push(xy_component *self, xy_task *task, xy_agent *by)
{
	const xy_offer offer = xy_offer_of(task);

	xy_lock_take(&as_lifo(self)->lock, self, by);
	xy_queue_insert(&as_lifo(self)->queue, task);
	xy_can_pull_children(self, &offer, by);
	xy_lock_drop(&as_lifo(self)->lock, self, by);
	return true;
}

xy_task *lifo_pull(xy_component *self, xy_agent *by)
{
	xy_lock_take(&as_lifo(self)->lock, self, by);
	xy_task *task = xy_queue_take_newest(&as_lifo(self)->queue, by);
	xy_lock_drop(&as_lifo(self)->lock, self, by);
	return task ? task : xy_pull_parents(self, by);
}

size_t lifo_depth(xy_component *self, size_t *peak)
{
	*peak = xy_queue_peak(&as_lifo(self)->queue);
	return xy_queue_count(&as_lifo(self)->queue);
}

const xy_option options[] = {
	{ "weight", "does nothing", XY_OPTION_DOUBLE, offsetof(lifo, unused), 1, 0, INFINITY },
	{},
};

const xy_component_ops lifo_ops = [] {
	xy_component_ops ops = {};

	ops.name = "lifo";
	ops.summary = "hands out the newest task first";
	ops.manual = "Workers pull from it.\n";
	ops.flags = XY_STORES;
	ops.size = sizeof(lifo);
	ops.options = options;
	ops.push = lifo_push;
	ops.pull = lifo_pull;
	ops.depth = lifo_depth;
	return ops;
}();

const xy_component_ops *const components[] = { &lifo_ops, nullptr };

} // namespace

const struct xy_plugin xy_plugin = { XY_ABI, "lifo", components, nullptr };
