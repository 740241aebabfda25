/* SPDX-License-Identifier: MIT */
/*
 * userchoice: the task chooses its branch. Stateless except for the next child to be woken.
 */
#include "components/spread.h"

struct userchoice {
	struct xy_component base;
	struct xy__spread spread;
};

/* If no worker of the chosen branch can run the task, the following branches are next. */
static bool userchoice_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	unsigned choice = xy_task_choice(task);
	unsigned i = choice > self->nchildren ? self->nchildren - 1 : choice ? choice - 1 : 0;

	for (unsigned n = self->nchildren; n > 0; n--) {
		if (xy_task_can_run_below(task, self->children[i]))
			return xy_push(self->children[i], task, by);
		if (++i == self->nchildren)
			i = 0;
	}
	return false;
}

static struct xy_task *userchoice_pull(struct xy_component *self, struct xy_agent *by)
{
	xy_can_push_parents(self, by);
	return NULL;
}

static bool userchoice_can_pull(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by)
{
	return xy__spread_offer(self, &((struct userchoice *)self)->spread, offer, by);
}

static int userchoice_init(struct xy_component *self)
{
	return xy__spread_init(&((struct userchoice *)self)->spread, self);
}

static void userchoice_fini(struct xy_component *self)
{
	xy__spread_fini(&((struct userchoice *)self)->spread);
}

const struct xy_component_ops xy__userchoice_ops = {
	.name = "userchoice",
	.summary = "sends each task down the branch given by its choice",
	.manual = "The field `choice` of a task's description is the number of a branch, from 1. Without one\n"
		  "(0) the task takes the first branch; a number beyond the last branch means the last one.\n"
		  "If no worker of that branch can run the task, it takes the next branch that has one,\n"
		  "wrapping around after the last.\n"
		  "\n"
		  "If a branch refuses, the task waits in the reservoir above, ahead of tasks for other\n"
		  "branches that the same workers could run. Put an unlimited reservoir at the head of each\n"
		  "branch, so that none refuses.\n"
		  "\n"
		  "userchoice decides: a worker never takes a task from above it, because the task could be\n"
		  "for another branch.\n",
	.flags = XY_MAPS | XY_DECIDES,
	.size = sizeof(struct userchoice),
	.init = userchoice_init,
	.fini = userchoice_fini,
	.push = userchoice_push,
	.pull = userchoice_pull,
	.can_pull = userchoice_can_pull,
};
