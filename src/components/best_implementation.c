/* SPDX-License-Identifier: MIT */
/*
 * best-implementation: sets the implementation that a task runs with. Placed above each worker, because it needs to
 * know which worker will run the task.
 */
#include "core/task/task.h"

/* Whether a task can run with a second implementation on this worker. */
static bool best_has_choice(const struct xy_task *task, unsigned worker)
{
	return task->constrained || xy_task_can_run_with(task, worker, 1);
}

/* The fastest as far as is known. One that has not been measured enough is tried at once, so that it
 * will be known. */
static unsigned best_of(const struct xy_task *task, unsigned worker)
{
	struct xy_prediction best = { .kind = XY_PREDICTION_NONE };
	unsigned chosen = XY_NIMPLEMENTATIONS;

	for (unsigned i = 0; i < XY_NIMPLEMENTATIONS; i++) {
		struct xy_prediction length;

		if (!xy_task_can_run_with(task, worker, i))
			continue;
		length = xy_task_length(task, worker, i);
		if (length.kind == XY_PREDICTION_UNKNOWN)
			return i;
		if (chosen == XY_NIMPLEMENTATIONS ||
		    (length.kind == XY_PREDICTION_VALUE && (best.kind == XY_PREDICTION_NONE || length.us < best.us))) {
			chosen = i;
			best = length;
		}
	}
	return chosen < XY_NIMPLEMENTATIONS ? chosen : 0;
}

static void best_choose(struct xy_task *task, unsigned worker)
{
	if (!(task->flags & XY__TASK_CHOICE)) /* as of most codelets */
		return;
	xy_task_set_implementation(task, best_has_choice(task, worker) ? best_of(task, worker) : 0);
}

static void best_passed(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	(void)self;
	best_choose(task, (unsigned)by->worker);
}

static bool best_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	for (unsigned i = 0; i < self->nworkers; i++)
		if (xy_task_can_run(task, self->workers[i])) {
			best_choose(task, self->workers[i]);
			break;
		}
	return xy_push(self->children[0], task, by);
}

const struct xy_component_ops xy__best_implementation_ops = {
	.name = "best-implementation",
	.summary = "chooses the fastest implementation of the codelet for the worker",
	.manual = "A codelet may have several implementations for one architecture. Among those that the\n"
		  "worker can run (by the codelet's can_execute), this component chooses the one with the\n"
		  "shortest expected time. One that still has to be measured is chosen at once; if nothing\n"
		  "is known about any, the first is taken.\n"
		  "\n"
		  "It belongs directly above a worker. Above several, a pushed task gets the best\n"
		  "implementation for the first worker that can run it; a pulled task always gets the best\n"
		  "one for the worker that pulls.\n",
	.flags = XY_CHOOSES | XY_SHARES,
	.size = sizeof(struct xy_component),
	.push = best_push,
	.passed = best_passed,
};
