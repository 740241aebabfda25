/* SPDX-License-Identifier: MIT */
/*
 * Dependencies: which tasks a task waits for, and what happens when the last of them has ended.
 */
#ifndef XYLEM_CORE_RUNTIME_DEPS_H
#define XYLEM_CORE_RUNTIME_DEPS_H

#include "core/lockfree/successors.h"
#include "core/runtime/agent.h"
#include "core/runtime/runtime.h"

/* Lets others wait for a task that is new, or submitted again: what has ended is another one. */
static inline void xy__task_open(struct xy_task *task)
{
	uint32_t generation = xy__task_generation(task) + 1;

	atomic_store_explicit(&task->status, 0, memory_order_relaxed);
	/* release: a reader of the new generation or its tag sees everything the old one did */
	atomic_store_explicit(&task->generation, generation, memory_order_release);
	atomic_store_explicit(&task->successors, xy__head_tag(generation), memory_order_release);
}

/* xy__task_open for a task that was submitted before and has ended; does nothing for any other task. */
static inline void xy__task_reopen(struct xy_task *task)
{
	if (atomic_load_explicit(&task->successors, memory_order_relaxed) & XY__HEAD_CLOSED)
		xy__task_open(task);
}

static inline bool xy__task_has_ended(const struct xy_task *task)
{
	/* acquire: pairs with the closing of the list, which is the last thing that an end does to it */
	return atomic_load_explicit(&((struct xy_task *)task)->successors, memory_order_acquire) & XY__HEAD_CLOSED;
}

/* Makes task, which is being built by the caller, wait for `before` unless that has ended. The edge_flags are
 * 0 or XY__EDGE_ORDER (a failure does not follow). 1: waits, 0: need not; -ENOMEM. */
int xy__deps_after(struct xy_task *task, struct xy_task *before, unsigned edge_flags, struct xy__agent *agent);
/*
 * xy__deps_after for a use of memory with this generation: if the memory has another one by now, the use has ended.
 * Its status is ignored.
 */
int xy__deps_after_use(struct xy_task *task, struct xy_task *before, uint32_t generation, unsigned edge_flags,
		       struct xy__agent *agent);
/*
 * Flags on the edges of an acquire, so that the task itself need not be read. Tasks that move data and those that
 * close reductions pass on the reason too.
 */
static inline unsigned xy__edge_acquire(const struct xy_task *task)
{
	return task->flags & (XY__TASK_ACQUIRE | XY__TASK_DATA | XY__TASK_CLOSES) ? XY__EDGE_ACQUIRE : 0;
}

/* A predecessor has failed, or not (0): a task is cancelled, the application gets the reason. */
void xy__deps_follow(struct xy_task *task, int status, unsigned edge_flags);

/* Registers the task's accesses with its handles, in the order of submission, and adds up what it waits for. After a
 * task from xy_task_create, and one that moves data, the caller calls xy__redux_submit when it holds no lock.
 * 0 with the number of predecessors in *count, -ENOMEM, -EBUSY for a handle that must not be used so at present, or
 * -ELOOP for a task from xy_task_create, for which the caller holds the runtime's cycles_lock. */
int xy__deps_register(struct xy_task *task, int *count, struct xy__agent *agent);

/* The task's output is missing: reading it fails as well. */
void xy__deps_spoil(struct xy_task *task, int status);

/* Decrements the use counts of the handles that the task uses without order. */
void xy__deps_drop_unordered(struct xy_task *task);

/* Ends the submission of a task with this many predecessors; it may run at once. */
void xy__deps_submitted(struct xy_task *task, int count, struct xy__agent *agent);

/*
 * The task has ended with this status: notifies successors and waiters and drops the runtime's reference. Successors
 * that have nothing to run (cancelled, empty) end as well.
 */
void xy__deps_end(struct xy_task *task, int status, struct xy__agent *agent);

/* Ends tasks that were added to the list, each with its status. */
void xy__deps_end_list(struct xy__endings *endings, struct xy__agent *agent);

/* Ends a ready task if all workers that may run it have been lost since it was submitted; false if not. */
bool xy__deps_give_up(struct xy_task *task, struct xy__agent *agent);

/*
 * xy__deps_register for a new task without flags that concern its accesses, which fit into it, in the common case.
 * False: it is not one, and nothing has happened.
 */
bool xy__deps_register_plainly(struct xy_task *task, int *count);
/* xy__deps_register_plainly for a task that gets the handles of its description, at least one. False: it has none
 * yet. */
bool xy__deps_take_plainly(struct xy_task *task, const struct xy_task_desc *desc, const struct xy_runtime *rt,
			   int *count);

/* Whether a successful end needs nothing but the end itself and its successors. */
static inline bool xy__deps_is_plain(const struct xy_task *task)
{
	return !(task->flags & (XY__TASK_CALLBACK | XY__TASK_TAKEN | XY__TASK_UNORDERED | XY__TASK_UNCOUNTED));
}

/* Successors of a task that has ended well. */
void xy__deps_tell(struct xy__edge *edges, struct xy__agent *agent);

/* A transfer that an acquire waited for has ended, or what a task that closes a reduction waited for. */
void xy__deps_acquired(struct xy_task *task, struct xy__agent *agent);

/* The application gives back what it held. Inside a callback that happens when the callback returns, so
 * that a row of them needs no stack. */
void xy__deps_release(struct xy_task *task, struct xy__agent *agent);

/* Adds a task to a list of those that are to end with the status they have. */
void xy__endings_add(struct xy__endings *endings, struct xy_task *task);

/* Frees what hangs on a task and gives its memory back. */
void xy__task_free(struct xy_task *task, struct xy__agent *agent);

/* Drops a reference, frees the task with the last one. */
static inline void xy__task_unref(struct xy_task *task, struct xy__agent *agent)
{
	/*
	 * The last reference: no other one can be made. Otherwise acq_rel: everything done through other references
	 * happens before the reuse.
	 */
	if (atomic_load_explicit(&task->references, memory_order_acquire) != 1 &&
	    atomic_fetch_sub_explicit(&task->references, 1, memory_order_acq_rel) != 1)
		return;
	if (task->extra)
		xy__task_free(task, agent);
	else
		xy__pool_give(&agent->pool, task);
}

/* xy__deps_end for the common case, inline. */
static inline __attribute__((always_inline)) void xy__deps_end_well(struct xy_task *task, struct xy__agent *agent)
{
	struct xy__edge *edges;

	if (!xy__deps_is_plain(task)) {
		xy__deps_end(task, 0, agent);
		return;
	}
	xy__task_set_state(task, XY__TASK_ENDED);
	/* From here on a task that the user keeps may be submitted again: only its references are touched. */
	edges = xy__successors_close(&task->successors, xy__task_generation(task));
	if (edges)
		xy__deps_tell(edges, agent);
	xy__agent_add(&agent->ended);
	xy__task_unref(task, agent);
}

#endif
