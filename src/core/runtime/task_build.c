/* SPDX-License-Identifier: MIT */
/*
 * From a description to a task: the wishes that not every task has.
 */
#include "core/runtime/runtime.h"
#include "core/runtime/task_build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/task/handle.h"
#include "core/data/redux.h"
#include "core/runtime/children.h"
#include "core/runtime/deps.h"
#include "core/runtime/division.h"

struct xy__task_extra *xy__task_extra(struct xy_task *task)
{
	if (!task->extra)
		task->extra = calloc(1, sizeof *task->extra);
	return task->extra;
}

static int task_copy_argument(struct xy_task *task, const struct xy_task_desc *desc)
{
	struct xy__task_extra *extra;

	if (desc->arg_size <= XY__TASK_ARGUMENT) {
		task->arg = memcpy(task->argument, desc->arg, desc->arg_size);
		return 0;
	}
	extra = xy__task_extra(task);
	if (!extra)
		return -ENOMEM;
	extra->argument = malloc(desc->arg_size);
	if (!extra->argument)
		return -ENOMEM;
	task->arg = memcpy(extra->argument, desc->arg, desc->arg_size);
	return 0;
}

static int task_place(struct xy_task *task, unsigned i, unsigned *mode)
{
	struct xy__task_extra *extra = xy__task_extra(task);
	unsigned room = task->naccesses > XY_NHANDLES ? task->naccesses : XY_NHANDLES;

	if (extra && !extra->places)
		extra->places = calloc(room, sizeof *extra->places);
	if (!extra || !extra->places)
		return -ENOMEM;
	extra->places[i].wish = *mode & XY_IN_RAM ? XY__PLACE_RAM : XY__PLACE_ANYWHERE;
	*mode &= ~(unsigned)XY__MODE_PLACES;
	return 0;
}

int xy__task_mark(struct xy_task *task, const struct xy_task_desc *desc, unsigned i, unsigned *mode)
{
	const struct xy_handle *h = desc->accesses ? desc->accesses[i].handle : desc->handles[i];
	int error = *mode & XY__MODE_PLACES ? task_place(task, i, mode) : 0;

	if (error)
		return error;
	if (*mode & XY_COMMUTE)
		task->flags |= XY__TASK_COMMUTES;
	if (!(*mode & XY_REDUX))
		return 0;
	task->flags |= XY__TASK_REDUX;
	if (xy__redux_objection(desc, h))
		return -EINVAL;
	*mode |= XY_RW;
	task->archs = (uint8_t)xy__codelet_archs(h->redux->init, task->archs);
	return task->archs ? 0 : -ENODEV;
}

static int task_add_access(struct xy_task *task, const struct xy_task_desc *desc, unsigned i, struct xy_handle *h,
			   unsigned mode)
{
	unsigned unordered = mode & XY_UNORDERED;
	int error = 0;

	mode &= ~unordered;
	if (!xy__handle_serves(h, task->pool->runtime) || !xy__mode_is_proper(mode) ||
	    (unordered && (mode & ~(unsigned)XY__MODE_PLACES) > XY_RW))
		return -EINVAL;
	if (mode & (XY_COMMUTE | XY_REDUX | XY__MODE_PLACES))
		error = xy__task_mark(task, desc, i, &mode);
	if (unordered) {
		if (!xy__task_extra(task))
			return -ENOMEM;
		task->extra->unordered = true;
	}
	xy__task_accesses(task)[i] = xy__access(h, mode | unordered);
	return error;
}

static int task_room_for_accesses(struct xy_task *task, unsigned n)
{
	struct xy__task_extra *extra;

	if (n > UINT16_MAX)
		return -EINVAL;
	task->naccesses = (uint16_t)n;
	if (n <= XY__TASK_ACCESSES)
		return 0;
	extra = xy__task_extra(task);
	if (!extra)
		return -ENOMEM;
	extra->accesses = malloc(n * sizeof *extra->accesses);
	extra->buffers = malloc(n * sizeof *extra->buffers);
	return extra->accesses && extra->buffers ? 0 : -ENOMEM;
}

static int task_copy_accesses(struct xy_task *task, const struct xy_task_desc *desc)
{
	unsigned n = 0;
	int error;

	while (desc->accesses[n].handle)
		n++;
	if (desc->accesses[n].mode || desc->handles[0])
		return -EINVAL;
	error = task_room_for_accesses(task, n);
	for (unsigned i = 0; i < n && !error; i++)
		error = task_add_access(task, desc, i, desc->accesses[i].handle, desc->accesses[i].mode);
	return error;
}

static bool desc_workers_exist(const struct xy_task_desc *desc, const struct xy_runtime *rt)
{
	for (unsigned i = 0; i < desc->nworkers; i++)
		if (!desc->workers || desc->workers[i] >= rt->nworkers)
			return false;
	return true;
}

static int task_copy_rare(struct xy_task *task, const struct xy_task_desc *desc, const struct xy_runtime *rt)
{
	struct xy__task_extra *extra;

	extra = xy__task_extra(task);
	if (!extra)
		return -ENOMEM;
	extra->retries = extra->retries_asked = desc->retries;
	extra->choice = desc->choice;
	extra->sched_data = desc->sched_data;
	extra->deadline_s = desc->deadline_s;
	if (!(desc->deadline_s >= 0))
		return -EINVAL;
	if (desc->context) {
		if (desc->context->runtime != rt)
			return -EINVAL;
		extra->context = desc->context;
		if (desc->codelet)
			task->archs = (uint8_t)xy__task_team_archs(task, desc->codelet, task->archs & XY_ON_ALL,
								   desc->context->root);
	}
	if (!desc->nworkers)
		return 0;
	if (!desc_workers_exist(desc, rt))
		return -EINVAL;
	extra->workers = malloc(desc->nworkers * sizeof *extra->workers);
	if (!extra->workers)
		return -ENOMEM;
	memcpy(extra->workers, desc->workers, desc->nworkers * sizeof *extra->workers);
	extra->nworkers = desc->nworkers;
	return 0;
}

int xy__task_build_rest(struct xy_task *task, const struct xy_task_desc *desc, struct xy_runtime *rt)
{
	int error = 0;

	if ((desc->retries | desc->nworkers | desc->choice | (uintptr_t)desc->sched_data | (uintptr_t)desc->context) ||
	    desc->deadline_s != 0)
		error = task_copy_rare(task, desc, rt);
	if (desc->arg_size && !error)
		error = task_copy_argument(task, desc);
	if (desc->group) {
		xy__task_attend_end(task);
		task->group = desc->group;
	}
	if (desc->accesses && !error)
		error = task_copy_accesses(task, desc);
	if (desc->range.stop && !error)
		error = xy__division_create(task, desc);
	if (error)
		return error;
	if (desc->nworkers || (desc->codelet && desc->codelet->can_execute) || rt->deaths.count)
		task->constrained = true;
	if (!task->constrained)
		return 0;
	/* relaxed: a worker that finds the task in a queue, or is woken for it, sees this too */
	atomic_store_explicit(&rt->workers_differ, true, memory_order_relaxed);
	return xy__task_can_run_alive(task) ? 0 : -ENODEV;
}

unsigned xy__task_take_rich(struct xy_task *task, const struct xy_codelet *codelet, unsigned archs,
			    struct xy_runtime *rt)
{
	uintptr_t second;

	xy__codelet_look(codelet, archs, &second);
	if (second)
		task->flags |= XY__TASK_CHOICE;
	if (xy__perf_measures(&rt->perf, codelet->model))
		task->flags |= XY__TASK_MEASURED;
	if (codelet->parallel == XY_NESTED) {
		xy__children_expect(task, rt);
		return archs & XY_ON_CPU;
	}
	return xy__task_team_archs(task, codelet, archs, rt->main.root);
}

unsigned xy__task_team_archs(struct xy_task *task, const struct xy_codelet *codelet, unsigned archs,
			     const struct xy_component *root)
{
	unsigned fitting = 0;

	if (!codelet->parallel || codelet->parallel == XY_NESTED || !(archs & XY_ON_CPU) || !root || !root->nteams)
		return archs;
	if (!codelet->most_ranks)
		return archs | XY_ON_TEAM;
	for (unsigned i = 0; i < root->nteams; i++)
		fitting += root->teams[i]->nmembers <= codelet->most_ranks;
	if (fitting && fitting < root->nteams)
		task->constrained = true;
	return fitting ? archs | XY_ON_TEAM : archs;
}

struct xy_task *xy__task_blank(struct xy__agent *agent)
{
	return xy__task_take(agent, &(struct xy_task_desc){ .codelet = NULL });
}
