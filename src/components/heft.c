/* SPDX-License-Identifier: MIT */
/*
 * heft: keeps some tasks back and maps the most urgent of them first, as mct would. Invariant: beyond the window, a
 * task rests here only if every branch has refused it.
 */
#include <math.h>
#include "components/mct.h"
#include "components/spread.h"
#include "core/queue.h"

/* Locking key: (c) constant after seal, (l) lock, (a) atomic. */
struct heft {
	struct xy__mct mct;              /* its base comes first */
	unsigned window;                 /* (c) */
	struct xy__spread spread;        /* for offers */
	struct xy_lock lock;
	struct xy_queue queue;           /* (l) its count (a) */
};

static struct heft *heft(struct xy_component *self)
{
	return (struct heft *)self;
}

/* Somebody asks for tasks: all that find a place are mapped. */
static bool heft_pump(struct heft *h, struct xy_agent *by)
{
	bool moved;

	if (!xy_queue_count(&h->queue))
		return false;
	xy_lock_take(&h->lock, &h->mct.base, by);
	moved = xy__queue_pump(&h->queue, xy__mct_push, &h->mct.base, by);
	xy_lock_drop(&h->lock, &h->mct.base, by);
	return moved;
}

static bool heft_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct xy_offer offer = xy_offer_of(task);
	struct heft *h = heft(self);

	if (!xy_task_can_run_below(task, self))
		return false;
	xy_lock_take(&h->lock, self, by);
	xy__queue_insert(&h->queue, task);
	if (xy_queue_count(&h->queue) > h->window) {
		struct xy_task *first = xy_queue_first(&h->queue);

		xy__queue_give(&h->queue, first, xy__mct_push, self, by);
		if (first == task)
			offer.archs = 0; /* it may be gone, and if not, nobody has room for it */
	}
	if (offer.archs && offer.task) /* constrained: it must not leave while it is being looked at */
		xy__spread_offer(self, &h->spread, &offer, by);
	xy_lock_drop(&h->lock, self, by);
	if (offer.archs && !offer.task)
		xy_can_pull(self, &offer, by);
	return true;
}

static struct xy_task *heft_pull(struct xy_component *self, struct xy_agent *by)
{
	heft_pump(heft(self), by);
	xy_can_push_parents(self, by);
	return NULL;
}

static bool heft_can_push(struct xy_component *self, struct xy_component *child, struct xy_agent *by)
{
	bool moved;

	xy__mct_room(&heft(self)->mct, child, by);
	moved = heft_pump(heft(self), by);
	return xy_can_push_parents(self, by) || moved;
}

static bool heft_can_pull(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by)
{
	return xy__spread_offer(self, &heft(self)->spread, offer, by);
}

/* --- set-up and looking --- */

static int heft_init(struct xy_component *self)
{
	int error = xy__mct_init(self);

	heft(self)->queue.ordered = true;
	if (error)
		return error;
	error = xy__spread_init(&heft(self)->spread, self);
	if (error)
		xy__mct_fini(self);
	return error;
}

static void heft_fini(struct xy_component *self)
{
	xy__spread_fini(&heft(self)->spread);
	xy__mct_fini(self);
}

static bool heft_is_bounded(const struct xy_component *self)
{
	(void)self;
	return false;
}

static size_t heft_depth(struct xy_component *self, size_t *peak)
{
	*peak = xy_queue_peak(&heft(self)->queue);
	return xy_queue_count(&heft(self)->queue);
}

static void heft_each_task(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task), void *arg)
{
	struct xy_agent nobody = { .worker = -1 };

	xy_lock_take(&heft(self)->lock, self, &nobody);
	xy_queue_each(&heft(self)->queue, visit, arg);
	xy_lock_drop(&heft(self)->lock, self, &nobody);
}

static const struct xy_option heft_options[] = {
	{ .name = "window", .help = "tasks that are kept back until a worker asks for some", .type = XY_OPTION_UNSIGNED,
	  .offset = offsetof(struct heft, window), .initial = 32, .min = 0, .max = INFINITY },
	{ .name = "alpha", .help = "weight of the time until the task has ended", .type = XY_OPTION_DOUBLE,
	  .offset = offsetof(struct heft, mct.alpha), .initial = 1, .min = 0, .max = 1e9 },
	{ .name = "beta", .help = "weight of the time that its data is under way", .type = XY_OPTION_DOUBLE,
	  .offset = offsetof(struct heft, mct.beta), .initial = 1, .min = 0, .max = 1e9 },
	{ .name = "gamma", .help = "microseconds that a joule is worth", .type = XY_OPTION_DOUBLE,
	  .offset = offsetof(struct heft, mct.gamma), .initial = 1000, .min = 0, .max = 1e9 },
	{ .name = "idle_w", .help = "watts that the machine uses while it waits for the last worker",
	  .type = XY_OPTION_DOUBLE, .offset = offsetof(struct heft, mct.idle_w), .initial = 0, .min = 0, .max = 1e9 },
	{ 0 }
};

const struct xy_component_ops xy__heft_ops = {
	.name = "heft",
	.summary = "keeps tasks back for a while and maps the most urgent first",
	.manual =
		"Decides like mct, whose page explains the other options, but not at once: up to `window`\n"
		"tasks wait here until a worker asks for one. Then they are mapped in order of priority,\n"
		"all that find a place, so that of tasks which become ready together the most urgent has\n"
		"the first choice. When there are more than that, the most urgent one is mapped for each\n"
		"that comes. Tasks that all branches refuse wait here too.\n"
		"\n"
		"With window=0 it is a prio above an mct. Nothing is ever refused, so that heft can be the\n"
		"top of a tree.\n",
	.flags = XY_STORES | XY_PUMPS | XY_MAPS | XY_DECIDES | XY_PREDICTS,
	.size = sizeof(struct heft),
	.options = heft_options,
	.init = heft_init,
	.fini = heft_fini,
	.push = heft_push,
	.pull = heft_pull,
	.can_push = heft_can_push,
	.can_pull = heft_can_pull,
	.is_bounded = heft_is_bounded,
	.depth = heft_depth,
	.each_task = heft_each_task,
};
