/* SPDX-License-Identifier: MIT */
/* buffer: a limited reservoir that pumps. It passes tasks on in order as long as they are taken, refuses what is too
 * much, and asks for it when there is room again. */
#include <xylem/component.h>

struct buffer {
	struct xy_component base;
	unsigned ntasks;     /* option, constant after seal */
	struct xy_lock lock; /* guards what follows */
	bool refused;        /* a push, since those above were last told of room */
	struct xy_queue queue;
};

/* Pushes tasks down until one is refused. The lock is held, as this goes down: each task is ours until it is taken. */
static bool buffer_pump(struct buffer *buffer, struct xy_agent *by)
{
	struct xy_component *child = buffer->base.children[0];
	struct xy_task *task;
	bool moved = false;

	while (child->takes_pushes && (task = xy_queue_first(&buffer->queue)) &&
	       xy_queue_pass(&buffer->queue, task, child, by))
		moved = true;
	return moved;
}

static bool buffer_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct buffer *buffer = (struct buffer *)self;
	bool room;

	xy_lock_take(&buffer->lock, self, by);
	room = xy_queue_count(&buffer->queue) < buffer->ntasks;
	if (room) {
		xy_queue_insert(&buffer->queue, task);
		buffer_pump(buffer, by);
		xy_queue_offer(&buffer->queue, self, by); /* what is left, to workers that pull */
	}
	buffer->refused |= !room;
	xy_lock_drop(&buffer->lock, self, by);
	return room;
}

/* Asks those above, if they were refused and there is room. The lock was dropped, as this goes up. */
static bool buffer_refill(struct buffer *buffer, struct xy_agent *by)
{
	bool asks;

	xy_lock_take(&buffer->lock, &buffer->base, by);
	asks = buffer->refused && xy_queue_count(&buffer->queue) < buffer->ntasks;
	buffer->refused &= !asks;
	xy_lock_drop(&buffer->lock, &buffer->base, by);
	return asks && xy_can_push_parents(&buffer->base, by);
}

static struct xy_task *buffer_take(struct buffer *buffer, struct xy_agent *by)
{
	struct xy_task *task;

	xy_lock_take(&buffer->lock, &buffer->base, by);
	task = xy_queue_take(&buffer->queue, by);
	xy_lock_drop(&buffer->lock, &buffer->base, by);
	buffer_refill(buffer, by);
	return task;
}

/* A task from here, or from above: given by those who let pulls through, or pushed in answer by those who decide. */
static struct xy_task *buffer_pull(struct xy_component *self, struct xy_agent *by)
{
	struct buffer *buffer = (struct buffer *)self;
	struct xy_task *task = buffer_take(buffer, by);

	if (!task)
		task = xy_pull_parents(self, by);
	return task ? task : buffer_take(buffer, by);
}

/* The child has room: first for what is here, then for what those above have. */
static bool buffer_can_push(struct xy_component *self, struct xy_component *child, struct xy_agent *by)
{
	struct buffer *buffer = (struct buffer *)self;
	bool moved;

	(void)child;
	xy_lock_take(&buffer->lock, self, by);
	moved = buffer_pump(buffer, by);
	xy_lock_drop(&buffer->lock, self, by);
	if (!xy_queue_count(&buffer->queue))
		return xy_can_push_parents(self, by) || moved;
	return buffer_refill(buffer, by) || moved;
}

static size_t buffer_depth(struct xy_component *self, size_t *peak)
{
	*peak = xy_queue_peak(&((struct buffer *)self)->queue);
	return xy_queue_count(&((struct buffer *)self)->queue);
}

static const struct xy_option options[] = { { "ntasks", "refuse tasks beyond this number", XY_OPTION_UNSIGNED,
					      offsetof(struct buffer, ntasks), 4, 1, 1e6 },
					    { 0 } };

static const struct xy_component_ops ops = {
	.name = "buffer",
	.summary = "holds a few tasks, in order",
	.flags = XY_STORES | XY_PUMPS | XY_REFUSES,
	.size = sizeof(struct buffer),
	.options = options,
	.push = buffer_push,
	.pull = buffer_pull,
	.can_push = buffer_can_push,
	.depth = buffer_depth,
};
static const struct xy_component_ops *const components[] = { &ops, NULL };
const struct xy_plugin xy_plugin = { .abi = XY_ABI, .name = "buffer", .components = components };
