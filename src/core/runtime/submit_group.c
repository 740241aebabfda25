/* SPDX-License-Identifier: MIT */
/*
 * Submitting tasks into groups: apart, so that what all other tasks need stays in one function.
 */
#include "core/runtime/group.h"
#include "core/runtime/submit.h"
#include "core/runtime/task_build.h"

/* `desc` has a group that the task has entered. */
static int submit_grouped(struct xy_runtime *rt, const struct xy_task_desc *desc)
{
	struct xy__agent *agent = xy__submit_enter(rt);
	struct xy_task *task;
	int error = xy__task_build(&task, desc, agent);

	if (!error)
		error = desc->nafter ? xy__submit_after(task, desc, agent)
				     : xy__submit_built(task, desc->codelet, agent);
	xy__agent_leave(agent);
	if (rt->engine->submitted && !error)
		rt->engine->submitted(rt);
	return error;
}

int xy__submit_into_group(struct xy_runtime *rt, const struct xy_task_desc *desc)
{
	struct xy_task_desc copy = *desc;
	int error;

	copy.group = xy__group_of(rt, desc, &error);
	copy.tag = 0;
	if (!copy.group)
		return xy__submit_refuse(rt, desc, error);
	xy__group_enter(copy.group);
	error = submit_grouped(rt, &copy);
	if (error)
		xy__group_leave(copy.group, 0);
	xy__group_unref(copy.group);
	return error ? xy__submit_refuse(rt, desc, error) : 0;
}
