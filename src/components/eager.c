/* SPDX-License-Identifier: MIT */
/*
 * eager: an idle worker takes the next task. It stores nothing and decides nothing. Among equal workers, a pull passes
 * straight through to the reservoir above. Among unequal ones, a worker leaves what it pulled to a faster idle one: the
 * task is in the hands of the pulling worker until the other has taken it, so none waits in between.
 */
#include <errno.h>
#include <stdlib.h>
#include "components/spread.h"
#include "core/tree/offer.h"

struct eager {
	struct xy_component base;
	struct xy__spread spread;
	unsigned *fastest; /* (c) the workers below, the fastest first; NULL: all are equal */
};

static double eager_speed(const struct xy_component *self, unsigned worker)
{
	return xy_machine_worker(xy_component_machine(self), worker)->speed;
}

static bool eager_passes_pulls(const struct xy_component *self)
{
	if (!self->workers) /* without memory, the tree is not sealed */
		return true;
	for (unsigned i = 1; i < self->nworkers; i++)
		if (eager_speed(self, self->workers[i]) != eager_speed(self, self->workers[0]))
			return false;
	return true;
}

/* Gives the task to an idle worker that is faster than the calling one; false if there is none. */
static bool eager_hand_over(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	const struct eager *eager = (struct eager *)self;
	struct xy__tree_engine *engine = self->tree->engine;
	double speed = eager_speed(self, (unsigned)by->worker);

	if (!engine || !xy__any_worker_sleeps(engine))
		return false;
	for (unsigned i = 0; i < self->nworkers && eager_speed(self, eager->fastest[i]) > speed; i++) {
		unsigned worker = eager->fastest[i];

		if (xy_task_can_run(task, worker) && engine->wake(engine, worker) == XY__WAKE_WOKEN &&
		    xy_push(self->children[eager->spread.own[worker]], task, by))
			return true;
	}
	return false;
}

static struct xy_task *eager_pull(struct xy_component *self, struct xy_agent *by)
{
	bool unequal = ((struct eager *)self)->fastest && by->worker >= 0 && !by->team;
	struct xy_task *task = xy_pull_parents(self, by);

	while (unequal && task && eager_hand_over(self, task, by))
		task = xy_pull_parents(self, by);
	return task;
}

static bool eager_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	return xy__spread_push(self, &((struct eager *)self)->spread, task, by);
}

static bool eager_can_push(struct xy_component *self, struct xy_component *child, struct xy_agent *by)
{
	xy__spread_room(self, &((struct eager *)self)->spread, child, by);
	return xy_can_push_parents(self, by);
}

static bool eager_can_pull(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by)
{
	return xy__spread_offer(self, &((struct eager *)self)->spread, offer, by);
}

/* Sorts the workers by insertion: those of equal speed stay in their order. */
static void eager_sort(const struct xy_component *self, unsigned *fastest)
{
	for (unsigned i = 0; i < self->nworkers; i++) {
		double speed = eager_speed(self, self->workers[i]);
		unsigned at = i;

		for (; at && eager_speed(self, fastest[at - 1]) < speed; at--)
			fastest[at] = fastest[at - 1];
		fastest[at] = self->workers[i];
	}
}

static void eager_fini(struct xy_component *self)
{
	struct eager *eager = (struct eager *)self;

	xy__spread_fini(&eager->spread);
	free(eager->fastest);
	eager->fastest = NULL;
}

static int eager_init(struct xy_component *self)
{
	struct eager *eager = (struct eager *)self;
	int rc = xy__spread_init(&eager->spread, self);

	eager->spread.keeps = xy_machine_nnodes(xy_component_machine(self)) > 1;
	if (rc || eager_passes_pulls(self) || !(self->archs & XY_ON_ALL))
		return rc;
	eager->fastest = malloc(self->nworkers * sizeof *eager->fastest);
	if (!eager->fastest) {
		eager_fini(self);
		return -ENOMEM;
	}
	eager_sort(self, eager->fastest);
	return 0;
}

const struct xy_component_ops xy__eager_ops = {
	.name = "eager",
	.summary = "gives the next task to an idle worker",
	.manual = "The workers, or a branch for each of them, are below eager. The reservoir above answers\n"
		  "a worker that asks for a task. When a task arrives above, one sleeping worker that can\n"
		  "run it is woken: the worker that made the task ready if it is about to look for work\n"
		  "anyway, else the others in turn, devices first.\n"
		  "\n"
		  "If the workers differ in speed, as the machine gives it, a worker that asks passes the\n"
		  "task on to a faster one that is idle and can run it, and takes the next task itself. So\n"
		  "no slow worker begins a task while a fast one has nothing to do.\n"
		  "\n"
		  "A branch that begins with a reservoir gets tasks ahead of time: eager pushes each task\n"
		  "into the branch of the worker that asks, or else into the next branch in turn that has\n"
		  "room and a worker that can run it. A task whose data only one device has waits for\n"
		  "room in the branch of that device, or for an idle worker that pulls it. Ahead of time,\n"
		  "eager never pushes to a bare worker, which pulls instead.\n",
	.flags = XY_MAPS | XY_SHARES,
	.size = sizeof(struct eager),
	.init = eager_init,
	.fini = eager_fini,
	.push = eager_push,
	.pull = eager_pull,
	.passes_pulls = eager_passes_pulls,
	.can_push = eager_can_push,
	.can_pull = eager_can_pull,
};
