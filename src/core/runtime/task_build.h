/* SPDX-License-Identifier: MIT */
/*
 * Building tasks from descriptions. Most tasks are plain: a codelet, an argument, handles. These parts are inline;
 * each rarer one has a function in task_build.c.
 */
#ifndef XYLEM_CORE_RUNTIME_TASK_BUILD_H
#define XYLEM_CORE_RUNTIME_TASK_BUILD_H

#include <errno.h>
#include <string.h>
#include "core/data/handle.h"
#include "core/runtime/agent.h"
#include "core/runtime/deps.h"
#include "core/util/arch.h"

/* The rare part of a task, made at the first call; NULL without memory. */
struct xy__task_extra *xy__task_extra(struct xy_task *task);

/* Everything a plain task does not have. 0, -EINVAL, -ENODEV, -ENOMEM. */
int xy__task_build_rest(struct xy_task *task, const struct xy_task_desc *desc, struct xy_runtime *rt);

/* For a codelet with several implementations for an architecture, a parallel one, or a model: notes what that means
 * for a task that can run on these architectures, and returns them, with XY_ON_TEAM if some team can run it. The task
 * is constrained if other teams are too large. */
unsigned xy__task_take_rich(struct xy_task *task, const struct xy_codelet *codelet, unsigned archs,
			    struct xy_runtime *rt);

/* The last part of that: with the teams of this tree, which may be NULL. */
unsigned xy__task_team_archs(struct xy_task *task, const struct xy_codelet *codelet, unsigned archs,
			     const struct xy_component *root);

/* A task with nothing but a reference and a number; NULL without memory. */
struct xy_task *xy__task_blank(struct xy__agent *agent);

/* Resets the dependencies and the outcome of a task to those of a new one. No other thread knows it. */
static inline void xy__task_reset(struct xy_task *task)
{
	task->nedges = 0;
	task->edge_room = 0;
	task->implementation = 0;
	atomic_init(&task->missing, XY__SUBMITTING);
	xy__task_open(task);
}

static inline void xy__task_set_name(struct xy_task *task, const char *name)
{
	atomic_store_explicit(&task->name, name, memory_order_relaxed);
	/* release: the dump reads the name only after this */
	atomic_store_explicit(&task->codelet, (uintptr_t)xy__task_codelet(task) | XY__NAMED, memory_order_release);
}

static inline void xy__task_set_callback(struct xy_task *task, void (*callback)(void *, int), void *arg)
{
	task->flags |= XY__TASK_CALLBACK;
	task->callback = callback;
	task->callback_arg = arg;
	task->group = NULL;
	task->part = 0;
	task->parent = NULL;
	atomic_store_explicit(&task->children, 0, memory_order_relaxed);
}

/* What is set with XY__TASK_CALLBACK is defined from now on. */
static inline void xy__task_attend_end(struct xy_task *task)
{
	if (!(task->flags & XY__TASK_CALLBACK))
		xy__task_set_callback(task, NULL, NULL);
}

/* A task from the pool with the fields that every task has. */
static inline __attribute__((always_inline)) struct xy_task *xy__task_take(struct xy__agent *agent,
									   const struct xy_task_desc *desc)
{
	struct xy_task *task = xy__pool_take(&agent->pool);

	if (!task)
		return NULL;
	xy__task_reset(task);
	task->flags = 0;
	atomic_init(&task->references, 1);
	atomic_store_explicit(&task->codelet, (uintptr_t)desc->codelet, memory_order_relaxed);
	if (desc->name)
		xy__task_set_name(task, desc->name);
	task->arg = desc->arg;
	task->priority = desc->priority;
	xy__task_set_length(task, desc->length_us);
	task->constrained = false;
	task->naccesses = 0;
	task->arrival = 0;
	task->expected_us = 0;
	if (desc->callback)
		xy__task_set_callback(task, desc->callback, desc->callback_arg);
	atomic_store_explicit(&task->number, (uint32_t)xy__agent_number(agent), memory_order_relaxed);
	/* release: the dump sees a task that is filled far enough */
	atomic_store_explicit(&task->state, XY__TASK_CREATED, memory_order_release);
	return task;
}

static inline bool xy__mode_is_proper(unsigned mode)
{
	const uint64_t one = 1, proper = one << XY_R | one << XY_W | one << XY_RW | one << XY_SCRATCH |
					 one << (XY_RW | XY_COMMUTE) | one << XY_REDUX;

	if (mode >= XY_IN_RAM) /* one of the two, with reading or writing */
		mode = mode & XY_RW && (mode < XY_ANYWHERE || !(mode & XY_IN_RAM)) ? mode & ~(XY_IN_RAM | XY_ANYWHERE)
										   : 0;
	return mode < 64 && (proper >> mode & 1);
}

/* Which of these architectures a codelet can run on. *second becomes non-zero if it has a choice of implementations.
 * CPUs, which nearly all machines have, need no loop, and what is not in the machine takes no time. */
static inline unsigned xy__codelet_look(const struct xy_codelet *codelet, unsigned among, uintptr_t *second)
{
	unsigned archs = codelet->cpu[0] ? among & XY_ON_CPU : 0;

	*second = (uintptr_t)codelet->cpu[1];
	for (among &= XY_ON_ALL & ~XY_ON_CPU; among; among &= among - 1) {
		xy_function *const *functions = xy__arch_functions(codelet, (unsigned)__builtin_ctz(among));

		archs |= functions[0] ? among & -among : 0;
		*second |= (uintptr_t)functions[1];
	}
	return codelet->where ? archs & codelet->where : archs;
}
static inline unsigned xy__codelet_archs(const struct xy_codelet *codelet, unsigned among)
{
	uintptr_t second;

	return xy__codelet_look(codelet, among, &second);
}

/* Modes that say where data is to be. */
enum { XY__MODE_PLACES = XY_IN_RAM | XY_ANYWHERE };

/* The i-th access has a mode that says something about the task too. *mode becomes that of the access. 0, -EINVAL,
 * -ENODEV, -ENOMEM. */
int xy__task_mark(struct xy_task *task, const struct xy_task_desc *desc, unsigned i, unsigned *mode);

/* Takes the handles of a description. -EINVAL for one of another runtime or without a proper mode, and unless there
 * are as many as the codelet has modes. */
static inline int xy__task_take_handles(struct xy_task *task, const struct xy_task_desc *desc,
					const struct xy_runtime *rt)
{
	const struct xy_codelet *codelet = desc->codelet;
	unsigned n = 0;

	if (!codelet)
		return -EINVAL;
	for (; n < XY_NHANDLES && desc->handles[n]; n++) {
		unsigned mode = codelet->modes[n];

		if (!xy__handle_serves(desc->handles[n], rt))
			return -EINVAL;
		if (__builtin_expect(mode - XY_R > XY_RW - XY_R, 0)) { /* neither read nor written only */
			if (!xy__mode_is_proper(mode))
				return -EINVAL;
		}
		if (__builtin_expect(mode & (XY_COMMUTE | XY_REDUX | XY__MODE_PLACES), 0)) {
			int error = xy__task_mark(task, desc, n, &mode);

			if (error)
				return error;
		}
		task->accesses[n] = xy__access(desc->handles[n], mode);
	}
	if (n < XY_NHANDLES && codelet->modes[n])
		return -EINVAL; /* too few handles */
	task->naccesses = (uint16_t)n;
	return 0;
}

/* Which of the runtime's architectures a codelet can run on, if it has one implementation for each, and no choice of
 * where it runs; 0 otherwise. */
static inline unsigned xy__codelet_plain_archs(const struct xy_codelet *codelet, const struct xy_runtime *rt)
{
	uintptr_t second;
	unsigned archs;

	if ((uintptr_t)codelet->cpu[1] | (uintptr_t)codelet->can_execute | codelet->parallel | codelet->where)
		return 0;
	if (__builtin_expect(rt->archs == XY_ON_CPU, 1))
		return codelet->cpu[0] ? XY_ON_CPU : 0;
	archs = xy__codelet_look(codelet, rt->archs, &second);
	return second ? 0 : archs;
}

/* A task with this and no more. NULL without memory. */
static inline __attribute__((always_inline)) struct xy_task *xy__task_plain(const struct xy_codelet *codelet,
									    unsigned archs, void *arg, int priority,
									    struct xy__agent *agent)
{
	struct xy_task *task = xy__task_take(
		agent, &(struct xy_task_desc){ .codelet = codelet, .arg = arg, .priority = priority });

	if (!task)
		return NULL;
	task->archs = (uint8_t)archs;
	if (__builtin_expect(codelet->model != NULL, 0) && xy__perf_measures(&agent->runtime->perf, codelet->model))
		task->flags |= XY__TASK_MEASURED;
	return task;
}

/* Gives up a task that was just built and that another way of building will build again, with its number. */
static inline void xy__task_unbuild(struct xy_task *task, struct xy__agent *agent)
{
	agent->number--;
	xy__task_unref(task, agent);
}

/* Whether a description has more than xy__task_take and the codelet cover. */
static inline bool xy__task_desc_wants_more(const struct xy_task_desc *desc)
{
	uint64_t deadline; /* its bits: 0 is 0 */

	memcpy(&deadline, &desc->deadline_s, sizeof deadline);
	return ((uintptr_t)desc->accesses | (uintptr_t)desc->group | desc->arg_size | desc->retries | desc->nworkers |
		desc->choice | (uintptr_t)desc->sched_data | (uintptr_t)desc->context | deadline | desc->range.stop) ||
	       (desc->codelet && desc->codelet->can_execute);
}

/* A task as described, not submitted, with one reference, into *task. 0, -EINVAL, -ENODEV, -ENOMEM. */
static inline __attribute__((always_inline)) int xy__task_build(struct xy_task **out, const struct xy_task_desc *desc,
								struct xy__agent *agent)
{
	struct xy_runtime *rt = agent->runtime;
	const struct xy_codelet *codelet = desc->codelet;
	struct xy_task *task = xy__task_take(agent, desc);
	unsigned archs = rt->archs;
	uintptr_t second;
	int error;

	*out = task;
	if (!task)
		return -ENOMEM;
	if (codelet) {
		archs = xy__codelet_look(codelet, archs, &second);
		if (second | (uintptr_t)codelet->model | codelet->parallel)
			archs = xy__task_take_rich(task, codelet, archs, rt);
	}
	task->archs = (uint8_t)archs;
	error = archs ? 0 : -ENODEV;
	if (!error && desc->handles[0])
		error = xy__task_take_handles(task, desc, rt);
	if (!error && (xy__task_desc_wants_more(desc) || atomic_load_explicit(&rt->deaths.count, memory_order_relaxed)))
		error = xy__task_build_rest(task, desc, rt);
	if (error)
		xy__task_unref(task, agent);
	return error;
}

#endif
