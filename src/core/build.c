/* SPDX-License-Identifier: MIT */
/*
 * From a description to a task. Most tasks are plain: a codelet, some handles, an argument. What they
 * need is in one function without calls; each rarer wish has a function of its own.
 */
#include "core/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/handle.h"
#include "core/deps.h"

#define COLD __attribute__((cold, noinline))

COLD struct xy__task_extra *xy__task_extra(struct xy_task *task)
{
	if (!task->extra)
		task->extra = calloc(1, sizeof *task->extra);
	return task->extra;
}

COLD static int task_copy_argument(struct xy_task *task, const struct xy_task_desc *desc)
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

static int task_add_access(struct xy_task *task, unsigned i, struct xy_handle *h, unsigned mode)
{
	if (h->runtime != task->pool->runtime)
		return -EINVAL;
	switch (mode) {
	case XY_R:
	case XY_W:
	case XY_RW:
	case XY_SCRATCH:
		break;
	case XY_RW | XY_COMMUTE:
		task->flags |= XY__TASK_COMMUTES;
		break;
	default:
		return -EINVAL;
	}
	xy__task_accesses(task)[i] = (struct xy__access){ h, mode };
	return 0;
}

COLD static int task_room_for_accesses(struct xy_task *task, unsigned n)
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

	if (desc->naccesses) {
		if (!desc->accesses || desc->handles[0])
			return -EINVAL;
		error = task_room_for_accesses(task, desc->naccesses);
		for (unsigned i = 0; i < desc->naccesses && !error; i++)
			error = desc->accesses[i].handle ? task_add_access(task, i, desc->accesses[i].handle,
									   desc->accesses[i].mode)
							 : -EINVAL;
		return error;
	}
	while (n < XY_NHANDLES && desc->handles[n])
		n++;
	if (!desc->codelet)
		return -EINVAL;
	error = task_room_for_accesses(task, n);
	for (unsigned i = 0; i < n && !error; i++)
		error = task_add_access(task, i, desc->handles[i], desc->codelet->modes[i]);
	return error;
}

COLD static int task_copy_rare(struct xy_task *task, const struct xy_task_desc *desc)
{
	struct xy__task_extra *extra;

	extra = xy__task_extra(task);
	if (!extra)
		return -ENOMEM;
	extra->retries = extra->retries_asked = desc->retries;
	extra->choice = desc->choice;
	if (!desc->nworkers)
		return 0;
	if (!desc->workers)
		return -EINVAL;
	extra->workers = malloc(desc->nworkers * sizeof *extra->workers);
	if (!extra->workers)
		return -ENOMEM;
	memcpy(extra->workers, desc->workers, desc->nworkers * sizeof *extra->workers);
	extra->nworkers = desc->nworkers;
	return 0;
}

static unsigned codelet_archs(const struct xy_codelet *codelet)
{
	unsigned archs = (codelet->cpu[0] ? XY_ON_CPU : 0) | (codelet->cuda[0] ? XY_ON_CUDA : 0) |
			 (codelet->opencl[0] ? XY_ON_OPENCL : 0);

	return codelet->where ? archs & codelet->where : archs;
}

/* -ENODEV when no worker of the tree can run the task. */
static int task_place(struct xy_task *task, const struct xy_task_desc *desc, struct xy_runtime *rt)
{
	if (!desc->codelet) {
		task->archs = (uint8_t)rt->root->archs;
		return 0;
	}
	task->archs = (uint8_t)(codelet_archs(desc->codelet) & rt->root->archs);
	if (desc->codelet->cpu[1] || desc->codelet->cuda[1] || desc->codelet->opencl[1])
		task->flags |= XY__TASK_CHOICE;
	task->constrained = desc->nworkers || desc->codelet->can_execute;
	if (task->constrained)
		return xy_task_can_run_below(task, rt->root) ? 0 : -ENODEV;
	return task->archs ? 0 : -ENODEV;
}

static int task_fill(struct xy_task *task, const struct xy_task_desc *desc, struct xy_runtime *rt)
{
	int error = 0;

	if (desc->retries | desc->nworkers | desc->choice)
		error = task_copy_rare(task, desc);
	if (desc->arg_size && !error)
		error = task_copy_argument(task, desc);
	if ((desc->handles[0] || desc->naccesses) && !error)
		error = task_copy_accesses(task, desc);
	return error ? error : task_place(task, desc, rt);
}

/* A task from the pool with all its fields set. */
static inline struct xy_task *task_take(struct xy__agent *agent, const struct xy_task_desc *desc)
{
	struct xy_task *task = xy__pool_take(&agent->pool);

	if (!task)
		return NULL;
	/* Nobody else knows the task yet. */
	task->nedges = 0;
	task->edge_room = 0;
	task->implementation = 0;
	atomic_store_explicit(&task->successors, NULL, memory_order_relaxed);
	atomic_store_explicit(&task->missing, XY__SUBMITTING, memory_order_relaxed);
	atomic_store_explicit(&task->status, 0, memory_order_relaxed);
	atomic_store_explicit(&task->codelet, desc->codelet, memory_order_relaxed);
	atomic_store_explicit(&task->name, desc->name, memory_order_relaxed);
	atomic_store_explicit(&task->references, 1, memory_order_relaxed);
	task->arg = desc->arg;
	task->priority = desc->priority;
	task->length_us = (float)desc->length_us;
	task->constrained = false;
	task->flags = 0;
	task->naccesses = 0;
	task->arrival = 0;
	task->callback = desc->callback;
	task->callback_arg = desc->callback_arg;
	task->number = xy__agent_number(agent);
	/* release: the dump sees a task that is filled far enough */
	atomic_store_explicit(&task->state, XY__TASK_CREATED, memory_order_release);
	return task;
}

struct xy_task *xy__task_blank(struct xy__agent *agent)
{
	return task_take(agent, &(struct xy_task_desc){ .codelet = NULL });
}

int xy__task_build(struct xy_task **task, const struct xy_task_desc *desc, struct xy__agent *agent)
{
	int error;

	*task = task_take(agent, desc);
	if (!*task)
		return -ENOMEM;
	error = task_fill(*task, desc, agent->runtime);
	if (error)
		xy__task_unref(*task, agent);
	return error;
}
