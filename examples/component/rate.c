/* SPDX-License-Identifier: MIT */
/* rate: lets so many tasks per second pass. What comes too early stays above until a tick asks for it. */
#include <math.h>
#include <xylem/component.h>

struct rate {
	struct xy_component base;
	double per_second;   /* option, constant after seal */
	struct xy_lock lock; /* guards next_us */
	double next_us;      /* when the next task may pass */
};

/* Counts tasks that passed; whether the next one may, too. If not, a tick comes when it may. */
static bool rate_count(struct xy_component *self, unsigned passed, struct xy_agent *by)
{
	struct rate *rate = (struct rate *)self;
	double now_us = xy_component_now_us(self);
	bool open;

	xy_lock_take(&rate->lock, self, by);
	if (passed)
		rate->next_us = fmax(rate->next_us, now_us) + passed * 1e6 / rate->per_second;
	open = now_us >= rate->next_us;
	if (!open)
		xy_component_at(self, rate->next_us);
	xy_lock_drop(&rate->lock, self, by);
	return open;
}

static bool rate_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	bool taken = rate_count(self, 0, by) && xy_push(self->children[0], task, by);

	rate_count(self, taken, by);
	return taken;
}

static struct xy_task *rate_pull(struct xy_component *self, struct xy_agent *by)
{
	struct xy_task *task = rate_count(self, 0, by) ? xy_pull_parents(self, by) : NULL;

	rate_count(self, task != NULL, by);
	return task;
}

static const struct xy_option options[] = { { "per_second", "tasks that may pass", XY_OPTION_DOUBLE,
					      offsetof(struct rate, per_second), 1000, 1e-3, INFINITY },
					    { 0 } };
static const struct xy_component_ops ops = { .name = "rate",
					     .summary = "lets so many tasks per second pass",
					     .flags = XY_REFUSES,
					     .size = sizeof(struct rate),
					     .options = options,
					     .push = rate_push,
					     .pull = rate_pull,
					     .tick = xy_offer_again };
static const struct xy_component_ops *const components[] = { &ops, NULL };
const struct xy_plugin xy_plugin = { .abi = XY_ABI, .name = "rate", .components = components };
