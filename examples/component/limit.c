/* SPDX-License-Identifier: MIT */
/* limit: lets a task pass only while fewer than so many are in flight below. An end makes room for the next one. */
#include <xylem/component.h>

struct limit {
	struct xy_component base;
	unsigned ntasks;     /* option, constant after seal */
	struct xy_lock lock; /* guards nflying */
	unsigned nflying;    /* tasks that passed and have not ended */
};

/* Counts a task that enters, if there is room, or leaves. A tick then calls upwards, which a push must not do. */
static bool limit_count(struct xy_component *self, bool enters, struct xy_agent *by)
{
	struct limit *limit = (struct limit *)self;
	bool full;

	xy_lock_take(&limit->lock, self, by);
	full = limit->nflying >= limit->ntasks;
	if (full && !enters)
		xy_component_at(self, 0);
	limit->nflying += enters ? !full : -(limit->nflying > 0);
	xy_lock_drop(&limit->lock, self, by);
	return enters && !full;
}

static bool limit_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	return limit_count(self, true, by) && (xy_push(self->children[0], task, by) || limit_count(self, false, by));
}

static struct xy_task *limit_pull(struct xy_component *self, struct xy_agent *by)
{
	struct xy_task *task = NULL;

	if (limit_count(self, true, by) && !(task = xy_pull_parents(self, by)))
		limit_count(self, false, by);
	return task;
}

static void limit_ended(struct xy_component *self, const struct xy_report *report, struct xy_agent *by)
{
	(void)report;
	limit_count(self, false, by);
}

static const struct xy_option options[] = {
	{ "ntasks", "tasks in flight", XY_OPTION_UNSIGNED, offsetof(struct limit, ntasks), 1, 1, 1e9 }, { 0 }
};
static const struct xy_component_ops ops = { .name = "limit",
					     .summary = "limits the number of tasks in flight",
					     .flags = XY_REFUSES,
					     .size = sizeof(struct limit),
					     .options = options,
					     .push = limit_push,
					     .pull = limit_pull,
					     .ended = limit_ended,
					     .tick = xy_offer_again };
static const struct xy_component_ops *const components[] = { &ops, NULL };
const struct xy_plugin xy_plugin = { .abi = XY_ABI, .name = "limit", .components = components };
