/* SPDX-License-Identifier: MIT */
/*
 * From a description to a submitted task, and what users may do with one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/handle.h"
#include "core/deps.h"

#include "core/lockfree/successors.h"

enum { ROOM_EVERY = 32 };   /* submissions between two looks at the number of tasks in flight */

/* --- building --- */

static void task_reset(struct xy_task *task)
{
	task->nedges = 0;
	task->edge_room = 0;
	task->implementation = 0;
	atomic_store_explicit(&task->successors, NULL, memory_order_relaxed);
	atomic_store_explicit(&task->missing, XY__SUBMITTING, memory_order_relaxed);
	atomic_store_explicit(&task->status, 0, memory_order_relaxed);
}

struct xy_task *xy__task_blank(struct xy__agent *agent)
{
	struct xy_task *task = xy__pool_take(&agent->pool);

	if (!task)
		return NULL;
	task_reset(task);
	atomic_store_explicit(&task->codelet, NULL, memory_order_relaxed);
	atomic_store_explicit(&task->name, NULL, memory_order_relaxed);
	atomic_store_explicit(&task->references, 1, memory_order_relaxed);
	task->arg = NULL;
	task->priority = 0;
	task->length_us = 0;
	task->archs = 0;
	task->constrained = false;
	task->flags = 0;
	task->naccesses = 0;
	task->arrival = 0;
	task->callback = NULL;
	task->number = xy__agent_number(agent);
	/* release: the dump sees a task that is filled far enough */
	atomic_store_explicit(&task->state, XY__TASK_CREATED, memory_order_release);
	return task;
}

/* The extra part, made at the first call. */
static struct xy__task_extra *task_extra(struct xy_task *task)
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
	extra = task_extra(task);
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

static int task_room_for_accesses(struct xy_task *task, unsigned n)
{
	struct xy__task_extra *extra;

	if (n > UINT16_MAX)
		return -EINVAL;
	task->naccesses = (uint16_t)n;
	if (n <= XY__TASK_ACCESSES)
		return 0;
	extra = task_extra(task);
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

static int task_copy_rare(struct xy_task *task, const struct xy_task_desc *desc)
{
	struct xy__task_extra *extra;

	extra = task_extra(task);
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
	int error;

	atomic_store_explicit(&task->codelet, desc->codelet, memory_order_relaxed);
	atomic_store_explicit(&task->name, desc->name, memory_order_relaxed);
	task->priority = desc->priority;
	task->length_us = (float)desc->length_us;
	task->callback = desc->callback;
	task->callback_arg = desc->callback_arg;
	task->arg = desc->arg;
	if (desc->retries | desc->nworkers | desc->choice) {
		error = task_copy_rare(task, desc);
		if (error)
			return error;
	}
	if (desc->arg_size) {
		error = task_copy_argument(task, desc);
		if (error)
			return error;
	}
	if (desc->handles[0] || desc->naccesses) {
		error = task_copy_accesses(task, desc);
		if (error)
			return error;
	}
	return task_place(task, desc, rt);
}

static const char *task_problem(int error)
{
	switch (error) {
	case -ENODEV:
		return "no worker can run it";
	case -EINVAL:
		return "its description is contradictory: a handle of another runtime or without a mode, "
		       "handles without a codelet, or a count without its array";
	case -ELOOP:
		return "it would wait for itself";
	case -ESHUTDOWN:
		return "the runtime is stopping";
	default:
		return strerror(-error);
	}
}

static int task_refuse(struct xy_runtime *rt, const char *name, int error)
{
	xy__log(&rt->settings.log, "task '%s' is not submitted: %s", name, task_problem(error));
	return error;
}

static const char *desc_name(const struct xy_task_desc *desc)
{
	if (desc->name)
		return desc->name;
	return desc->codelet && desc->codelet->name ? desc->codelet->name : "without a name";
}

static int desc_check(struct xy_runtime *rt, const struct xy_task_desc *desc)
{
	if (!rt) {
		xy__log(NULL, "a task is not submitted: no runtime (stopped, or never started)");
		return -EINVAL;
	}
	if (!desc) {
		xy__log(&rt->settings.log, "a task is not submitted: no description");
		return -EINVAL;
	}
	if ((desc->arg_size && !desc->arg) || (desc->nafter && !desc->after) || desc->length_us < 0)
		return task_refuse(rt, desc_name(desc), -EINVAL);
	if (atomic_load_explicit(&rt->stopping, memory_order_relaxed))
		return task_refuse(rt, desc_name(desc), -ESHUTDOWN);
	return 0;
}

/* --- explicit dependencies --- */

/* Marks everything that waits for the task, directly or not. The task is not submitted, so none of
 * them can end meanwhile. Holds the runtime's graph_lock. 0 or -ENOMEM. */
static int graph_mark(struct xy_runtime *rt, struct xy_task *task)
{
	/* The upper half of the numbers: never a queue's count of arrivals. */
	uint64_t mark = ++rt->graph_mark | (uint64_t)1 << 63;
	struct xy_task **stack = malloc(16 * sizeof *stack);
	size_t count = 0, capacity = 16;

	if (!stack)
		return -ENOMEM;
	task->arrival = mark;
	stack[count++] = task;
	while (count) {
		/* acquire: pairs with the release in xy__successors_add */
		struct xy__edge *edge = atomic_load_explicit(&stack[--count]->successors, memory_order_acquire);

		for (; edge && edge != XY__CLOSED; edge = atomic_load_explicit(&edge->next, memory_order_relaxed)) {
			uintptr_t target = atomic_load_explicit(&edge->target, memory_order_relaxed);
			struct xy_task *next = (struct xy_task *)(target & ~(uintptr_t)XY__EDGE_BITS);

			if ((target & XY__EDGE_WAITER) || next->arrival == mark)
				continue;
			if (count == capacity) {
				struct xy_task **more = realloc(stack, 2 * capacity * sizeof *stack);

				if (!more) {
					free(stack);
					return -ENOMEM;
				}
				stack = more;
				capacity *= 2;
			}
			next->arrival = mark;
			stack[count++] = next;
		}
	}
	free(stack);
	return 0;
}

static bool has_successors(struct xy_task *task)
{
	return atomic_load_explicit(&task->successors, memory_order_acquire) != NULL;
}

static int task_after_locked(struct xy_task *task, struct xy_task *before, struct xy__agent *agent)
{
	struct xy_runtime *rt = agent->runtime;
	int waits;

	if (atomic_load(&task->state) != XY__TASK_CREATED)
		return -EBUSY;
	if (before == task)
		return -ELOOP;
	if (has_successors(task)) {
		int error = graph_mark(rt, task);

		if (error)
			return error;
		if (before->arrival == (rt->graph_mark | (uint64_t)1 << 63))
			return -ELOOP;
	}
	if (!task_extra(task))
		return -ENOMEM;
	waits = xy__deps_after(task, before, 0, agent);
	if (waits > 0)
		task->extra->nafter++;
	return waits < 0 ? waits : 0;
}

int xy_task_after(struct xy_task *task, struct xy_task *before)
{
	struct xy_runtime *rt;
	struct xy__agent *agent;
	int error;

	if (!task || !before || task->pool->runtime != before->pool->runtime) {
		xy__log(NULL, "xy_task_after: two tasks of one runtime are needed");
		return -EINVAL;
	}
	rt = task->pool->runtime;
	agent = xy__enter(rt);
	xy__lock_take(&rt->graph_lock);
	error = task_after_locked(task, before, agent);
	xy__lock_drop(&rt->graph_lock);
	xy__leave(agent);
	if (error)
		xy__log(&rt->settings.log, "task '%s' can't wait for '%s': %s", xy_task_name(task),
			xy_task_name(before), error == -EBUSY ? "it is submitted already" : task_problem(error));
	return error;
}

static int task_after_all(struct xy_task *task, const struct xy_task_desc *desc, struct xy__agent *agent)
{
	int count = 0;

	for (unsigned i = 0; i < desc->nafter; i++)
		/* Checked and paid for by the caller: it can't fail. */
		if (xy__deps_after(task, desc->after[i], 0, agent) > 0)
			count++;
	return count;
}

/* --- submission --- */

/* It may already hang on others, which have to end before its memory can be used again. */
static void task_give_up(struct xy_task *task, int count, struct xy__agent *agent)
{
	atomic_store_explicit(&task->codelet, NULL, memory_order_relaxed);
	atomic_store_explicit(&task->status, -ECANCELED, memory_order_relaxed);
	task->callback = NULL;
	task->flags |= XY__TASK_UNCOUNTED;
	task->naccesses = 0;
	xy__task_set_state(task, XY__TASK_WAITING);
	xy__deps_submitted(task, count, agent);
}

void xy__task_abandon(struct xy_task *task, struct xy__agent *agent)
{
	task_give_up(task, task->extra ? (int)task->extra->nafter : 0, agent);
}

/* Registers and lets go. On error the task is as before. */
static int task_launch(struct xy_task *task, int count, uint64_t mark, struct xy__agent *agent)
{
	int more = 0, error = 0;

	if (task->naccesses)
		error = xy__deps_register(task, mark, &more, agent);
	if (error)
		return error;
	xy__task_set_state(task, XY__TASK_WAITING);
	xy__agent_add(&agent->submitted);
	xy__deps_submitted(task, count + more, agent);
	return 0;
}

static int task_submit_new(struct xy_runtime *rt, const struct xy_task_desc *desc, struct xy__agent *agent)
{
	struct xy_task *task = xy__task_blank(agent);
	int count = 0, error;

	if (!task)
		return -ENOMEM;
	error = task_fill(task, desc, rt);
	if (!error && desc->nafter) {
		for (unsigned i = 0; i < desc->nafter && !error; i++)
			if (!desc->after[i] || desc->after[i]->pool->runtime != rt)
				error = -EINVAL;
		if (!error && !xy__pool_reserve_edges(&agent->pool, desc->nafter))
			error = -ENOMEM;
		if (!error)
			count = task_after_all(task, desc, agent);
	}
	if (error) {
		xy__task_unref(task, agent);
		return error;
	}
	error = task_launch(task, count, 0, agent);
	if (error)
		task_give_up(task, count, agent);
	return error;
}

static int submit_and_wait(struct xy_runtime *rt, const struct xy_task_desc *desc)
{
	struct xy_task *task;
	int error;

	if (xy__inside(rt)) {
		xy__log(&rt->settings.log, "task '%s' is not submitted: a codelet or callback can't wait for it",
			desc_name(desc));
		return -EDEADLK;
	}
	error = xy_task_create(rt, desc, &task);
	if (error)
		return error;
	error = xy_task_submit(task);
	if (!error)
		error = xy_task_wait(task);
	xy_task_release(task);
	return error;
}

int xy_submit(struct xy_runtime *rt, const struct xy_task_desc *desc)
{
	struct xy__agent *agent;
	int error = desc_check(rt, desc);

	if (error)
		return error;
	if (desc->synchronous)
		return submit_and_wait(rt, desc);
	agent = xy__enter(rt);
	if (agent->base.worker < 0 && !agent->depth && agent->room-- == 0) {
		agent->room = ROOM_EVERY;
		xy__leave(agent);
		xy__runtime_room(rt);
		agent = xy__enter(rt);
	}
	error = task_submit_new(rt, desc, agent);
	xy__leave(agent);
	return error ? task_refuse(rt, desc_name(desc), error) : 0;
}

int xy_task_create(struct xy_runtime *rt, const struct xy_task_desc *desc, struct xy_task **out)
{
	struct xy__agent *agent;
	struct xy_task *task;
	int error;

	if (!out) {
		xy__log(rt ? &rt->settings.log : NULL, "xy_task_create: no place for the task");
		return -EINVAL;
	}
	*out = NULL;
	error = desc_check(rt, desc);
	if (error)
		return error;
	agent = xy__enter(rt);
	task = xy__task_blank(agent);
	error = task ? task_fill(task, desc, rt) : -ENOMEM;
	if (task)
		task->flags |= XY__TASK_KEPT;
	if (error && task)
		xy__task_unref(task, agent);
	xy__leave(agent);
	for (unsigned i = 0; i < desc->nafter && !error; i++) {
		error = xy_task_after(task, desc->after[i]);
		if (error) {
			xy_task_release(task);
			return error;
		}
	}
	if (error)
		return task_refuse(rt, desc_name(desc), error);
	*out = task;
	return 0;
}

/* Makes a task that has ended as it was when it was created. */
static int task_again(struct xy_task *task, struct xy__agent *agent)
{
	/* acquire: pairs with the closing of the list, which is the last thing that an end does to it */
	if (atomic_load_explicit(&task->successors, memory_order_acquire) != XY__CLOSED)
		return -EBUSY;
	task_reset(task);
	xy__pool_drop_edges(&agent->pool, task);
	if (task->extra) {
		task->extra->retries = task->extra->retries_asked;
		task->extra->nafter = 0;
	}
	return 0;
}

static int task_submit_locked(struct xy_task *task, struct xy__agent *agent)
{
	uint64_t mark = 0;
	int error = 0, count;

	if (atomic_load(&task->state) != XY__TASK_CREATED)
		error = task_again(task, agent);
	if (!error && has_successors(task)) {
		error = graph_mark(agent->runtime, task);
		mark = agent->runtime->graph_mark | (uint64_t)1 << 63;
	}
	if (error)
		return error;
	count = task->extra ? (int)task->extra->nafter : 0;
	/* The runtime's reference, beside the user's. */
	atomic_fetch_add_explicit(&task->references, 1, memory_order_relaxed);
	error = task_launch(task, count, mark, agent);
	if (error)
		xy__task_unref(task, agent);
	return error;
}

int xy_task_submit(struct xy_task *task)
{
	struct xy_runtime *rt;
	struct xy__agent *agent;
	int error;

	if (!task || !(task->flags & XY__TASK_KEPT)) {
		xy__log(NULL, "xy_task_submit: no task");
		return -EINVAL;
	}
	rt = task->pool->runtime;
	if (atomic_load_explicit(&rt->stopping, memory_order_relaxed))
		return task_refuse(rt, xy_task_name(task), -ESHUTDOWN);
	if (!xy__inside(rt))
		xy__runtime_room(rt);
	agent = xy__enter(rt);
	xy__lock_take(&rt->graph_lock);
	error = task_submit_locked(task, agent);
	xy__lock_drop(&rt->graph_lock);
	xy__leave(agent);
	if (error == -EBUSY)
		xy__log(&rt->settings.log, "task '%s' is submitted already and has not ended", xy_task_name(task));
	else if (error)
		task_refuse(rt, xy_task_name(task), error);
	return error;
}

/* --- waiting and letting go --- */

/* A waiter in the task's list, or one that is done already. */
static struct xy__waiter *waiter_create(struct xy_task *task)
{
	struct xy__agent *agent = xy__enter(task->pool->runtime);
	struct xy__waiter *waiter = (struct xy__waiter *)xy__pool_take_block(&agent->pool);

	if (waiter) {
		atomic_store(&waiter->edge.target, (uintptr_t)waiter | XY__EDGE_WAITER);
		atomic_store(&waiter->done, 0);
		atomic_store(&waiter->references, 2);
		if (!xy__successors_add(&task->successors, &waiter->edge)) {
			atomic_store(&waiter->done, 1);
			atomic_store(&waiter->references, 1);
		}
	}
	xy__leave(agent);
	return waiter;
}

int xy_task_wait_for(struct xy_task *task, double seconds)
{
	double end = xy__now() + seconds, left = seconds;
	struct xy__waiter *waiter;
	struct xy__agent *agent;
	int status;

	if (!task || atomic_load(&task->state) == XY__TASK_CREATED) {
		xy__log(NULL, "xy_task_wait: %s", task ? "the task was not submitted" : "no task");
		return -EINVAL;
	}
	if (xy__inside(task->pool->runtime)) {
		xy__log(&task->pool->runtime->settings.log,
			"xy_task_wait: a codelet or callback can't wait for a task of its own runtime");
		return -EDEADLK;
	}
	waiter = waiter_create(task);
	if (!waiter)
		return -ENOMEM;
	while (!atomic_load(&waiter->done) && left > 0) {
		xy__futex_wait(&waiter->done, 0, left);
		left = end - xy__now();
	}
	status = atomic_load(&waiter->done) ? atomic_load(&task->status) : -ETIMEDOUT;
	agent = xy__enter(task->pool->runtime);
	xy__waiter_unref(waiter, agent);
	xy__leave(agent);
	return status;
}

int xy_task_wait(struct xy_task *task)
{
	return xy_task_wait_for(task, 1e9);
}

void xy_task_release(struct xy_task *task)
{
	struct xy__agent *agent;

	if (!task)
		return;
	agent = xy__enter(task->pool->runtime);
	if (atomic_load(&task->state) == XY__TASK_CREATED)
		xy__task_abandon(task, agent);
	else
		xy__task_unref(task, agent);
	xy__leave(agent);
}

const char *xy_task_name(const struct xy_task *task)
{
	const struct xy_codelet *codelet = xy__task_codelet(task);
	const char *name = atomic_load_explicit(&((struct xy_task *)task)->name, memory_order_relaxed);

	if (name)
		return name;
	return codelet && codelet->name ? codelet->name : "without a name";
}

unsigned long long xy_task_number(const struct xy_task *task)
{
	return task->number;
}
