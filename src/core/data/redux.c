/* SPDX-License-Identifier: MIT */
/*
 * Reductions: the replicas that tasks with XY_REDUX add to, and the tree of combine tasks at the end of a group.
 * The closing task has the handle to itself, so that the last combine accesses it without order; the others are
 * ordered by the replicas like any tasks.
 */
#include "core/data/redux.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/departed.h"
#include "core/data/handle.h"
#include "core/data/transfer.h"
#include "core/runtime/agent.h"
#include "core/runtime/deps.h"
#include "core/runtime/notes.h"
#include "core/runtime/task_build.h"
#include "core/runtime/worker.h"
#include "core/util/arch.h"

/* --- what the application says --- */

static const char *reduction_problem(const struct xy_codelet *init, const struct xy_codelet *combine)
{
	if (!init || !combine)
		return "two codelets are needed";
	if (init->modes[0] != XY_W || init->modes[1])
		return "the mode of init must be W";
	if (init->can_execute)
		return "init must not have can_execute";
	if ((combine->modes[0] & ~(unsigned)XY_COMMUTE) != XY_RW || combine->modes[1] != XY_R || combine->modes[2])
		return "the modes of combine must be RW and R";
	return NULL;
}

static int reduction_create(struct xy_handle *h)
{
	unsigned n = h->runtime->nworkers;
	size_t size = sizeof(struct xy__redux) + n * sizeof(struct xy__replica);

	h->redux = aligned_alloc(64, (size + 63) / 64 * 64);
	if (!h->redux)
		return -ENOMEM;
	memset(h->redux, 0, size);
	h->redux->used = calloc(n, sizeof *h->redux->used);
	if (h->redux->used)
		return 0;
	free(h->redux);
	h->redux = NULL;
	return -ENOMEM;
}

static int reduction_refuse(const struct xy_handle *h, int error, const char *problem)
{
	xy__log(&h->runtime->settings.log, "xy_handle_set_reduction: '%s': %s", xy_handle_name(h), problem);
	return error;
}

int xy_handle_set_reduction(struct xy_handle *h, const struct xy_codelet *init, const struct xy_codelet *combine)
{
	const char *problem = reduction_problem(init, combine);
	unsigned archs;

	if (!xy__handle_is_here(h, "xy_handle_set_reduction"))
		return -EINVAL;
	if (problem)
		return reduction_refuse(h, -EINVAL, problem);
	archs = h->runtime->archs;
	if (!xy__codelet_archs(init, archs) || !xy__codelet_archs(combine, archs))
		return reduction_refuse(h, -ENODEV, "no worker can run init, or none combine");
	if (h->redux && atomic_load(&h->redux->groups))
		return reduction_refuse(h, -EBUSY, "tasks with XY_REDUX are not combined yet");
	if (!h->redux && reduction_create(h))
		return reduction_refuse(h, -ENOMEM, "not enough memory");
	h->redux->init = init;
	h->redux->combine = combine;
	return 0;
}

int xy_handle_set_reduction_args(struct xy_handle *h, void *init_arg, void *combine_arg)
{
	if (!xy__handle_is_here(h, "xy_handle_set_reduction_args"))
		return -EINVAL;
	if (!h->redux)
		return reduction_refuse(h, -EINVAL, "it has no reduction whose arguments could be set");
	if (atomic_load(&h->redux->groups))
		return reduction_refuse(h, -EBUSY, "tasks with XY_REDUX are not combined yet");
	h->redux->init_arg = init_arg;
	h->redux->combine_arg = combine_arg;
	return 0;
}

void xy__redux_fini(struct xy_handle *h)
{
	struct xy__redux *redux = h->redux;

	if (!redux)
		return;
	for (unsigned i = 0; i < h->runtime->nworkers; i++)
		if (redux->replicas[i].handle) {
			xy__transfers_end(redux->replicas[i].handle);
			xy__handle_free(redux->replicas[i].handle);
		}
	free(redux->used);
	free(redux);
	h->redux = NULL;
}

/* --- building tasks --- */

/* The i-th access of a description; the handle is NULL after the last. */
static struct xy_access desc_access(const struct xy_task_desc *desc, unsigned i)
{
	if (desc->accesses)
		return desc->accesses[i];
	return (struct xy_access){
		.handle = i < XY_NHANDLES && desc->codelet ? desc->handles[i] : NULL,
		.mode = i < XY_NHANDLES && desc->codelet ? desc->codelet->modes[i] : 0,
	};
}

const char *xy__redux_objection(const struct xy_task_desc *desc, const struct xy_handle *h)
{
	struct xy_access access;

	if (!h->redux)
		return "it has no init and combine, see xy_handle_set_reduction";
	if (desc->retries)
		return "such a task can't be retried, because a failed attempt may have added something";
	for (unsigned i = 0; (access = desc_access(desc, i)).handle; i++)
		if (access.handle == h && access.mode != XY_REDUX)
			return "the task accesses it in another mode as well";
	return NULL;
}

/* --- running them --- */

/* The handle of a replica; NULL without memory. It has no content before the first write. */
static struct xy_handle *replica_handle(uintptr_t access, unsigned worker)
{
	struct xy__replica *replica = xy__redux_replica(access, worker);

	if (!replica->handle) {
		replica->handle = xy__handle_like(xy__access_handle(access));
		if (replica->handle)
			atomic_store(&replica->handle->valid, 0);
	}
	return replica->handle;
}

bool xy__redux_replicas(struct xy_task *task, unsigned worker)
{
	const uintptr_t *accesses = xy__task_accesses(task);

	for (unsigned i = 0; i < task->naccesses; i++)
		if ((accesses[i] & XY_REDUX) && !replica_handle(accesses[i], worker))
			return false;
	return true;
}

unsigned xy__redux_uninitialised(struct xy_task *task, unsigned worker)
{
	const uintptr_t *accesses = xy__task_accesses(task);
	unsigned i = 0;

	while (i < task->naccesses && (!(accesses[i] & XY_REDUX) || xy__redux_replica(accesses[i], worker)->used))
		i++;
	return i;
}

xy_function *xy__redux_call(struct xy_call *call, struct xy__worker *worker, struct xy_task *task, unsigned i,
			    void **buffers)
{
	const struct xy__redux *redux = xy__access_handle(xy__task_accesses(task)[i])->redux;
	const struct xy_codelet *init = redux->init;

	*call = (struct xy_call){
		.runtime = worker->agent.runtime,
		.task = task,
		.arg = redux->init_arg,
		.worker = worker->id,
		.nbuffers = 1,
		.buffers = &buffers[i],
		.nranks = 1,
	};
	if (!xy__codelet_archs(init, 1u << worker->arch))
		return NULL;
	return xy__arch_functions(init, worker->arch)[0];
}

/* From now on the replica's content is where the worker is, whatever else the worker launches: it stays in place
 * while tasks use it, and those come after init in the worker's queue. */
void xy__redux_initialised(struct xy__worker *worker, struct xy_task *task, unsigned i)
{
	struct xy__replica *replica = xy__redux_replica(xy__task_accesses(task)[i], worker->id);

	replica->used = true;
	if (!replica->handle->copies)
		return;
	xy__lock_take(&replica->handle->lock);
	atomic_store(&replica->handle->valid, xy__bit(worker->node));
	xy__lock_drop(&replica->handle->lock);
}

int xy__redux_initialise_all(struct xy__worker *worker, struct xy_task *task, void **buffers)
{
	struct xy_call call;
	unsigned i;

	while ((i = xy__redux_uninitialised(task, worker->id)) < task->naccesses) {
		xy_function *function = xy__redux_call(&call, worker, task, i, buffers);
		int status = function ? xy__worker_call(worker, function, &call) : -EINVAL;

		if (status)
			return status;
		xy__redux_initialised(worker, task, i);
	}
	return 0;
}

int xy__redux_buffer(struct xy__worker *worker, struct xy_task *task, unsigned i, void **buffers)
{
	uintptr_t access = xy__task_accesses(task)[i];
	struct xy_handle *h = replica_handle(access, worker->id);
	xy_function *function;
	struct xy_call call;
	int status;

	if (!h || xy__handle_allocate(h))
		return -ENOMEM;
	buffers[i] = &h->view;
	if (xy__redux_replica(access, worker->id)->used)
		return 0;
	function = xy__redux_call(&call, worker, task, i, buffers);
	status = function ? xy__worker_call(worker, function, &call) : -EINVAL;
	if (!status)
		xy__redux_initialised(worker, task, i);
	return status;
}

/* --- closing a group --- */

/* In the closing task, where a copied argument would be. */
struct closing {
	int count;             /* predecessors, until it is submitted */
	_Atomic unsigned left; /* combine tasks that have not ended */
	bool in_vain;          /* the next access overwrites the result */
};
_Static_assert(sizeof(struct closing) <= XY__TASK_ARGUMENT, "it fits");

static struct closing *closing_of(struct xy_task *task)
{
	return (struct closing *)task->argument;
}

struct xy_task *xy__redux_closing(struct xy_handle *h, const struct xy_task *next, unsigned mode,
				  struct xy__agent *agent)
{
	struct xy_task *task = xy__task_blank(agent);

	if (!task)
		return NULL;
	task->flags = XY__TASK_CLOSES | XY__TASK_UNCOUNTED;
	task->naccesses = 1;
	task->accesses[0] = xy__access(h, XY_RW);
	task->priority = next->priority;
	*closing_of(task) = (struct closing){ .in_vain = mode == XY_W };
	xy__task_set_name(task, "the end of a reduction");
	xy__task_set_state(task, XY__TASK_WAITING);
	return task;
}

void xy__redux_enqueue(struct xy_task *task, int count, struct xy__agent *agent)
{
	closing_of(task)->count = count;
	task->next = agent->closings;
	agent->closings = task;
}

void xy__redux_submit(struct xy__agent *agent)
{
	while (agent->closings) {
		struct xy_task *task = agent->closings;

		agent->closings = task->next;
		xy__deps_submitted(task, closing_of(task)->count, agent);
	}
}

static void replica_forget_content(struct xy_handle *h)
{
	xy__transfers_spoil(h);
	atomic_store(&h->valid, 0);
	for (unsigned i = 0; i < h->runtime->memory.nnodes; i++)
		if (h->copies->on[i])
			xy__copy_make_oldest(h->copies->on[i]);
}

/*
 * The replica's content and status are no longer needed. Its memory stays, for the next group or until it is evicted.
 * Its combine tasks no longer use it, even if not all of them have ended.
 */
static void replica_forget(struct xy__replica *replica)
{
	struct xy_handle *h = replica->handle;

	replica->used = false;
	xy__lock_take(&h->lock);
	h->writer.task = NULL;
	h->readers.count = 0;
	h->failed = 0;
	if (h->copies)
		replica_forget_content(h);
	xy__lock_drop(&h->lock);
}

/* The handle has all there is to have, or never will: the next group may use the replicas. */
static void closing_finish(struct xy_task *task)
{
	struct xy_handle *h = xy__access_handle(task->accesses[0]);

	for (unsigned i = 0; i < h->runtime->nworkers; i++)
		if (h->redux->replicas[i].used)
			replica_forget(&h->redux->replicas[i]);
	atomic_fetch_sub(&h->redux->groups, 1);
}

/* Whether this was the last one that the closing task waited for. The first error becomes its status. */
static bool closing_less(struct xy_task *task, unsigned fewer, int status)
{
	int none = 0;

	if (status)
		atomic_compare_exchange_strong(&task->status, &none, status);
	return atomic_fetch_sub(&closing_of(task)->left, fewer) == fewer;
}

/* The callback of a combine task. */
static void closing_combined(void *arg, int status)
{
	struct xy_task *task = arg;
	struct xy__agent *agent;

	if (!closing_less(task, 1, status))
		return;
	agent = xy__agent_enter(task->pool->runtime);
	closing_finish(task);
	xy__deps_acquired(task, agent);
	xy__agent_leave(agent);
}

/* Submits a task that adds one handle to another. */
static int closing_combine(struct xy_task *closing, uintptr_t to, const struct xy_handle *from, struct xy__agent *agent)
{
	const struct xy__redux *redux = xy__access_handle(closing->accesses[0])->redux;
	struct xy_task_desc desc = {
		.codelet = redux->combine,
		.arg = redux->combine_arg,
		.priority = closing->priority,
		.callback = closing_combined,
		.callback_arg = closing,
	};
	struct xy_task *task;
	int count, error = xy__task_build(&task, &desc, agent);

	if (error)
		return error;
	task->flags |= XY__TASK_COMBINES;
	task->naccesses = 2;
	task->accesses[0] = to;
	task->accesses[1] = xy__access(from, XY_R);
	error = xy__deps_register(task, &count, agent);
	if (error) {
		xy__task_unref(task, agent);
		return error;
	}
	xy__task_set_state(task, XY__TASK_WAITING);
	xy__notes_count(agent, task);
	xy__deps_submitted(task, count, agent);
	return 0;
}

/* The replicas that have something; returns how many. */
static unsigned closing_collect(struct xy__redux *redux, unsigned nworkers)
{
	unsigned n = 0;

	for (unsigned i = 0; i < nworkers; i++)
		if (redux->replicas[i].used)
			redux->used[n++] = redux->replicas[i].handle;
	return n;
}

/* The tree: neighbours, then neighbours of pairs, and so on, and at last the handle itself. */
static int closing_combine_all(struct xy_task *task, unsigned n, unsigned *submitted, struct xy__agent *agent)
{
	struct xy_handle *h = xy__access_handle(task->accesses[0]), **used = h->redux->used;
	int error = 0;

	for (unsigned step = 1; step < n; step *= 2)
		for (unsigned i = 0; i + step < n && !error; i += 2 * step) {
			error = closing_combine(task, xy__access(used[i], XY_RW), used[i + step], agent);
			*submitted += !error;
		}
	if (!error) {
		error = closing_combine(task, xy__access(h, XY_RW | XY__MODE_UNORDERED), used[0], agent);
		*submitted += !error;
	}
	return error;
}

bool xy__redux_turn(struct xy_task *task, struct xy__agent *agent)
{
	struct xy_handle *h = xy__access_handle(task->accesses[0]);
	struct closing *closing = closing_of(task);
	unsigned n = closing_collect(h->redux, h->runtime->nworkers), submitted = 0;
	int error;

	if (n && !closing->in_vain && !atomic_load_explicit(&task->status, memory_order_relaxed)) {
		xy__task_set_state(task, XY__TASK_RUNNING);
		atomic_store(&closing->left, n + 1);
		error = closing_combine_all(task, n, &submitted, agent);
		if (!closing_less(task, n + 1 - submitted, error))
			return true;
	}
	closing_finish(task);
	return false;
}
