/* SPDX-License-Identifier: MIT */
/*
 * eager: an idle worker takes the next task. It stores nothing and decides nothing, so a pull passes straight through
 * to the reservoir above.
 */
#include "components/spread.h"

struct eager {
	struct xy_component base;
	struct xy__spread spread;
};

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

static int eager_init(struct xy_component *self)
{
	struct xy__spread *spread = &((struct eager *)self)->spread;
	int error = xy__spread_init(spread, self);

	spread->keeps = xy_machine_nnodes(xy_component_machine(self)) > 1;
	return error;
}

static void eager_fini(struct xy_component *self)
{
	xy__spread_fini(&((struct eager *)self)->spread);
}

const struct xy_component_ops xy__eager_ops = {
	.name = "eager",
	.summary = "gives the next task to an idle worker",
	.manual = "The workers, or a branch for each of them, are below eager. The reservoir above answers\n"
		  "a worker that asks for a task. When a task arrives above, one sleeping worker that can\n"
		  "run it is woken: the worker that made the task ready if it is about to look for work\n"
		  "anyway, else the others in turn.\n"
		  "\n"
		  "A branch that begins with a reservoir gets tasks ahead of time: eager pushes each task\n"
		  "into the branch of the worker that asks, or else into the next branch in turn that has\n"
		  "room and a worker that can run it. A task whose data only one device has waits for\n"
		  "room in the branch of that device, or for an idle worker that pulls it. eager never\n"
		  "pushes to a bare worker, which pulls instead.\n",
	.flags = XY_MAPS,
	.size = sizeof(struct eager),
	.init = eager_init,
	.fini = eager_fini,
	.push = eager_push,
	.can_push = eager_can_push,
	.can_pull = eager_can_pull,
};
