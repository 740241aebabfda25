/* SPDX-License-Identifier: MIT */
/* bandit: a mapper that learns where tasks of a name end soonest. One of sixteen goes anywhere, to learn more. */
#include <xylem/component.h>
#include <xylem/task.h>

enum { NAMES = 64, CHILDREN = 256 }; /* what is beyond shares a place */

struct bandit {
	struct xy_component base;
	XY_ATOMIC(double) times[NAMES][CHILDREN]; /* of past tasks, in seconds; 0: none has ended */
};

static XY_ATOMIC(double) * bandit_times(struct xy_component *self, const struct xy_task *task)
{
	unsigned hash = 0;

	for (const char *c = xy_task_name(task); *c; c++)
		hash = hash * 31 + (unsigned char)*c;
	return ((struct bandit *)self)->times[hash % NAMES];
}

/* Where the task, and those that wait there, are done first. */
static bool bandit_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	bool explores = xy_agent_random(by) % 16 == 0;
	double least = 1e300;
	unsigned best = 0;

	for (unsigned i = 0; i < self->nchildren; i++) {
		struct xy_component *child = self->children[i];
		size_t peak, depth = child->ops->depth ? child->ops->depth(child, &peak) : 0;
		double cost = explores ? xy_agent_random(by) : bandit_times(self, task)[i % CHILDREN] * (depth + 1);

		if (cost < least && xy_task_can_run_below(task, child)) {
			least = cost;
			best = i;
		}
	}
	return xy_push(self->children[best], task, by);
}

static void bandit_ended(struct xy_component *self, const struct xy_report *report, struct xy_agent *by)
{
	unsigned child = (unsigned)xy_component_child_of(self, report->worker) % CHILDREN;
	XY_ATOMIC(double) *time = &bandit_times(self, report->task)[child];
	double measured = report->end_s - report->start_s;

	if (by && !report->status)
		*time = *time > 0 ? 0.8 * *time + 0.2 * measured : measured;
}

static const struct xy_component_ops ops = { .name = "bandit",
					     .summary = "learns where tasks end soonest",
					     .flags = XY_MAPS | XY_DECIDES,
					     .size = sizeof(struct bandit),
					     .push = bandit_push,
					     .pull = xy_pull_by_push,
					     .ended = bandit_ended };
static const struct xy_component_ops *const components[] = { &ops, NULL };
const struct xy_plugin xy_plugin = { .abi = XY_ABI, .name = "bandit", .components = components };
