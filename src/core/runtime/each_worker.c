/* SPDX-License-Identifier: MIT */
/*
 * Something to be done once on each worker: a task for each, pinned to it, and a group to wait for.
 */
#include <errno.h>
#include <limits.h>

#include "core/runtime/agent.h"
#include "core/runtime/engine.h"
#include "core/runtime/group.h"
#include "core/runtime/runtime.h"
#include "core/util/arch.h"

static int each_check(struct xy_runtime *rt, xy_function *function)
{
	if (!rt || !function) {
		xy__log(rt ? &rt->settings.log : NULL, "xy_on_each_worker: %s",
			rt ? "no function" : "no runtime (stopped, or never started)");
		return -EINVAL;
	}
	if (xy__agent_inside(rt)) {
		xy__log(&rt->settings.log, "xy_on_each_worker: a codelet or callback can't wait for other workers");
		return -EDEADLK;
	}
	return 0;
}

int xy_on_each_worker(struct xy_runtime *rt, unsigned archs, xy_function *function, void *arg)
{
	struct xy_codelet codelet = { .name = "xy_on_each_worker" };
	struct xy_group *group;
	int error = each_check(rt, function), status;

	if (error || rt->engine->is_simulated)
		return error;
	for (unsigned arch = 0; arch < XY_NARCH; arch++)
		*(xy_function **)((char *)&codelet + xy__archs[arch].functions) = function;
	error = xy_group_create(rt, &group);
	if (error)
		return error;
	for (unsigned i = 0; i < rt->nworkers && !error; i++)
		if (!archs || (archs & 1u << rt->workers[i].arch))
			error = xy_submit(rt, &(struct xy_task_desc){ .codelet = &codelet,
								      .arg = arg,
								      .workers = &i,
								      .nworkers = 1,
								      .priority = INT_MAX,
								      .group = group });
	status = xy_group_wait(group);
	xy_group_free(group);
	return error ? error : status;
}
