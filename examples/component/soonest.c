/* SPDX-License-Identifier: MIT */
/* soonest: a mapper of one's own, as a plug-in with a policy. Each task goes to the worker where it is expected to end
 * first. It keeps nothing, so it needs no lock; what it is told is true for a moment only. */
#include <math.h>
#include <xylem/component.h>
#include <xylem/task.h>

struct soonest {
	struct xy_component base;
	double transfers; /* option, constant after seal */
};

/* Expected time of the tasks stored from a child down to its workers, in microseconds. */
static double soonest_stored(struct xy_component *c)
{
	double us = 0;

	for (; c; c = c->nchildren ? c->children[0] : NULL)
		us += c->ops->stored_us ? c->ops->stored_us(c) : 0;
	return us;
}

/* With the fastest implementation. What is not known counts as a microsecond: such tasks are spread by their number. */
static double soonest_length(const struct xy_task *task, unsigned worker)
{
	double least = INFINITY;

	for (unsigned i = 0; i < XY_NIMPLEMENTATIONS; i++) {
		struct xy_prediction length = xy_task_length(task, worker, i);

		if (xy_task_can_run_with(task, worker, i))
			least = fmin(least, length.kind == XY_PREDICTION_VALUE ? length.us : 1);
	}
	return least; /* infinite: it can't run there */
}

/* A mapper that decides pushes the task where it belongs, and says how long it expects it to take there. If that child
 * is full the answer is no: the task stays in the reservoir above, which tries again when there is room. */
static bool soonest_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	double now = xy_component_now_us(self), soonest = INFINITY;
	struct xy_component *best = NULL;

	for (unsigned i = 0; i < self->nchildren; i++) {
		struct xy_component *child = self->children[i];
		double stored = soonest_stored(child) / child->nworkers;

		for (unsigned k = 0; k < child->nworkers; k++) {
			unsigned worker = child->workers[k];
			double length = soonest_length(task, worker);
			double transfer = xy_task_transfer(task, worker).us * ((struct soonest *)self)->transfers;
			double begin = fmax(xy_component_free_us(self, worker) + stored, now + transfer);

			if (begin + length < soonest) {
				soonest = begin + length;
				best = child;
				xy_task_set_expected(task, length);
			}
		}
	}
	return best && xy_push(best, task, by);
}

/* A pull can't pass a decision: a worker that asks makes the reservoir above push. */
static struct xy_task *soonest_pull(struct xy_component *self, struct xy_agent *by)
{
	xy_can_push_parents(self, by);
	return NULL;
}

static const struct xy_option soonest_options[] = { { "transfers", "how much the time of transfers counts",
						      XY_OPTION_DOUBLE, offsetof(struct soonest, transfers),
						      .initial = 1, .min = 0, .max = INFINITY },
						    { 0 } };

static const struct xy_component_ops soonest_ops = {
	.name = "soonest",
	.summary = "sends each task to where it is expected to end first",
	.manual = "It decides: put a reservoir above it and one at the head of each branch.\n",
	.flags = XY_MAPS | XY_DECIDES | XY_PREDICTS,
	.size = sizeof(struct soonest),
	.options = soonest_options,
	.push = soonest_push,
	.pull = soonest_pull,
};

static const struct xy_policy soonest_policy = {
	.name = "tree-soonest",
	.summary = "by priority, each task to where it is expected to end first",
	.expression = "prio | soonest | each worker { prio(ntasks=30, ready) | best-implementation }",
};

static const struct xy_component_ops *const components[] = { &soonest_ops, NULL };
static const struct xy_policy *const policies[] = { &soonest_policy, NULL };
const struct xy_plugin xy_plugin = {
	.abi = XY_ABI,
	.name = "soonest",
	.components = components,
	.policies = policies,
};
