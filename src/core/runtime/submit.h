/* SPDX-License-Identifier: MIT */
/*
 * What the ways to submit a task share.
 */
#ifndef XYLEM_CORE_RUNTIME_SUBMIT_H
#define XYLEM_CORE_RUNTIME_SUBMIT_H

#include <errno.h>

#include "core/data/partition.h"
#include "core/runtime/agent.h"
#include "core/runtime/deps.h"
#include "core/runtime/engine.h"
#include "core/runtime/fork.h"
#include "core/runtime/inbox.h"
#include "core/runtime/wait.h"

/* The agent of a thread that submits a task, once there is room for one; xy__leave is to follow. */
static inline struct xy__agent *xy__submit_enter(struct xy_runtime *rt)
{
	struct xy__agent *agent = xy__agent_enter(rt);

	if (agent->base.worker < 0 && !agent->depth && agent->room-- == 0) {
		agent->room = rt->room_every;
		xy__agent_leave(agent);
		xy__wait_room(rt);
		agent = xy__agent_enter(rt);
	}
	return agent;
}

/*
 * The agent for a submission as most are: by a thread of the application that is in no other call, with room for the
 * task and nothing in rt->notes. NULL if it is not like that. xy__agent_leave_outermost is to follow.
 */
static inline struct xy__agent *xy__submit_enter_plainly(struct xy_runtime *rt)
{
	struct xy__agent *agent;

	if (xy__agent_current || xy__fork_is_child(rt))
		return NULL;
	agent = &rt->applications[xy__agent_first()];
	if (!xy__agent_try(agent))
		return NULL;
	/* relaxed: with the agent's lock held, no tree is exchanged; see xy__notes_listen for the rest */
	if (__builtin_expect(agent->room && !atomic_load_explicit(&rt->notes, memory_order_relaxed), 1)) {
		agent->room--;
		return agent;
	}
	xy__agent_leave_outermost(agent);
	return NULL;
}

/* Gives the task its place in the order, and adds the predecessors that it has because of its data. On
 * error the task is as before. */
int xy__submit_register(struct xy_task *task, int *count, struct xy__agent *agent);
/* The task, which waits for so many, may run from now on. May call back, so that no lock is held. */
void xy__submit_let_go(struct xy_task *task, int count, struct xy__agent *agent);

/* Puts a task without predecessors into the inbox, after its notes are counted. */
void xy__submit_noted(struct xy_task *task, struct xy__agent *agent);

/* Submits a task that was built and waits for nobody explicitly; `runs`: it has a codelet. On error it is gone:
 * -ENOMEM, or -EBUSY with a line in the log. */
static inline int xy__submit_built(struct xy_task *task, bool runs, struct xy__agent *agent)
{
	int count = 0, error;

	if (!task->naccesses && runs) { /* it waits for nobody */
		/* relaxed: as in xy__notes_count and xy__inbox_put, which would look one after the other */
		if (__builtin_expect(atomic_load_explicit(&agent->runtime->notes, memory_order_relaxed), 0)) {
			xy__submit_noted(task, agent);
			return 0;
		}
		xy__agent_add(&agent->submitted);
		xy__inbox_store(agent->runtime, task, agent);
		return 0;
	}
	error = xy__submit_register(task, &count, agent);
	if (error == -EBUSY)
		xy__partition_refuse_task(task);
	if (error)
		xy__task_unref(task, agent);
	else
		xy__submit_let_go(task, count, agent);
	return error;
}

/* xy__submit_built for a task with a codelet and no accesses, after xy__submit_enter_plainly. */
static inline void xy__submit_alone(struct xy_runtime *rt, struct xy_task *task, struct xy__agent *agent)
{
	xy__agent_add(&agent->submitted);
	xy__inbox_publish(rt, task, agent);
}

/* Ends the submission of a new task that is registered and waits for so many, after xy__submit_enter_plainly. */
static inline void xy__submit_registered(struct xy_runtime *rt, struct xy_task *task, int count,
					 struct xy__agent *agent)
{
	xy__task_set_state(task, XY__TASK_WAITING);
	xy__agent_add(&agent->submitted);
	/* acq_rel: pairs with the decrement in deps_tell_successors */
	if (count && atomic_fetch_add_explicit(&task->missing, count - XY__SUBMITTING, memory_order_acq_rel) !=
			     XY__SUBMITTING - count)
		return;
	if (__builtin_expect(atomic_load_explicit(&task->status, memory_order_relaxed), 0))
		xy__deps_submitted(task, 0, agent); /* cancelled by a predecessor that failed */
	else
		xy__inbox_publish(rt, task, agent);
}

/* Submits a task that was built, and waits for those that its description names as well. On error it is gone. */
int xy__submit_after(struct xy_task *task, const struct xy_task_desc *desc, struct xy__agent *agent);

/* Says why a description was refused, unless that has been said; returns the error. */
int xy__submit_refuse(struct xy_runtime *rt, const struct xy_task_desc *desc, int error);
/* The meaning of an error of a submission, for messages. */
const char *xy__submit_problem(int error);

/* Gives up a task that was created and not submitted, with the caller's reference: it ends without
 * running once its predecessors have, and what waits for it is cancelled. */
void xy__submit_abandon(struct xy_task *task, struct xy__agent *agent);

/* --- submit_group.c --- */

/* xy_submit for a description with a group or a tag that is not synchronous and was checked. */
int xy__submit_into_group(struct xy_runtime *rt, const struct xy_task_desc *desc);

#endif
