/* SPDX-License-Identifier: MIT */
/*
 * Tasks that end after others. task->children counts those others that have not ended, and 1 for the task itself until
 * its own end; the thread that brings it to 0 ends the task. It is 0 for tasks that end at once. The others are the
 * tasks that a nested codelet submits, whose parent the task is, and those of xy_task_end_after, which have an edge to
 * it.
 *
 * A codelet that waits for its children runs other tasks meanwhile, on top of its own stack. Those that can't wait
 * themselves are harmless there. A nested task is not: it may wait for something that the task below it has to do
 * first. So a worker inside a waiting task runs only those nested tasks that this one waits for, directly or not, and
 * sets the others aside, for workers that are inside none. Then a stack is never deeper than a chain of tasks that
 * wait for each other, and what can't continue is a cycle of the program's own.
 */
#ifndef XYLEM_CORE_RUNTIME_CHILDREN_H
#define XYLEM_CORE_RUNTIME_CHILDREN_H

#include "core/runtime/agent.h"
#include "core/runtime/worker.h"

enum { XY__CHILDREN_DISOWNED = ~0u }; /* in task->waits_on: it ends before its children, one of which waits for it */

/* The task, which is being built, is nested. */
void xy__children_expect(struct xy_task *task, struct xy_runtime *rt);
/* The task, which has ended, is submitted again. */
void xy__children_again(struct xy_task *task);
/* The parent submits the task: its codelet's thread, before the task can end. */
void xy__children_add(struct xy_task *parent, struct xy_task *task);

/* The codelet of a nested task has returned this status. Returns the task's: -EDEADLK if its children wait for it. */
int xy__children_leave(struct xy_task *task, int status);
/* The task itself comes to its end. False: not before the others, the last of which ends it. Otherwise *status is that
 * of the task, and with *held xy__children_let_go replaces the release of the runtime's reference. */
bool xy__children_end(struct xy_task *task, int *status, bool *held);
void xy__children_let_go(struct xy_task *task, struct xy__agent *agent);
/* One of the others has ended; the task ends as well if that was the last. */
void xy__children_less(struct xy_task *task, int status, struct xy__endings *endings, struct xy__agent *agent);

static inline bool xy__children_are_left(const struct xy_task *task)
{
	return (task->flags & XY__TASK_CALLBACK) && atomic_load(&((struct xy_task *)task)->children);
}

static inline struct xy_task *xy__children_parent(const struct xy_task *task)
{
	return task->flags & XY__TASK_CALLBACK ? task->parent : NULL;
}

/* Whether a task is a child of that one, or a child of its children, and so on. */
bool xy__children_descends(const struct xy_task *task, const struct xy_task *from);

/* Keeps a task that the worker took, and must not run where it is. */
void xy__children_set_aside(struct xy__worker *worker, struct xy_task *task);
/* A task that was set aside and that this worker can run; NULL without one. */
struct xy_task *xy__children_take_aside(struct xy__worker *worker);

/* Whether the worker is inside a task that waits, and need not wait any longer. */
static inline bool xy__children_have_ended(const struct xy__worker *worker)
{
	struct xy_task *task = atomic_load_explicit(&((struct xy__worker *)worker)->waits,
						    memory_order_relaxed); /* its own */

	return task && atomic_load(&task->children) <= 1;
}

#endif
