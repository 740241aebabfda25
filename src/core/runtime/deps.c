/* SPDX-License-Identifier: MIT */
/*
 * Dependencies. A task counts the predecessors that have not ended; each of them has it in its list of
 * successors. The counter is biased while the task is being submitted, so that it reaches 0 once.
 * Ends follow from ends (a cancelled task ends without running) in a loop, never by recursion.
 */
#include "core/runtime/agent.h"
#include "core/runtime/children.h"
#include "core/runtime/deps.h"
#include "core/runtime/inbox.h"
#include "core/runtime/wait.h"
#include "core/runtime/waiter.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/data/acquire.h"
#include "core/data/commute.h"
#include "core/data/data_task.h"
#include "core/data/redux.h"
#include "core/runtime/division.h"
#include "core/runtime/group.h"
#include "core/task/handle.h"
#include "core/tree/component.h"

/* --- building --- */

/* The next edge to use, NULL without memory; deps_edge_used makes it the task's. */
static inline struct xy__edge *deps_edge(struct xy_task *task, struct xy__agent *agent)
{
	if (task->nedges == 0)
		return &task->first_edge;
	if (task->nedges < XY__TASK_EDGES)
		return &task->edges[task->nedges - 1];
	if (!task->edge_room && !xy__pool_add_edges(&agent->pool, task))
		return NULL;
	return &task->more_edges->edges[task->edge_room - 1];
}

static inline void deps_edge_used(struct xy_task *task)
{
	if (task->nedges < XY__TASK_EDGES)
		task->nedges++;
	else
		task->edge_room--;
}

void xy__deps_follow(struct xy_task *task, int status, unsigned edge_flags)
{
	if (status && edge_flags & XY__EDGE_END)
		atomic_store(&task->children_status, status);
	else if (status && !(edge_flags & XY__EDGE_ORDER))
		atomic_store_explicit(&task->status, edge_flags & XY__EDGE_ACQUIRE ? status : -ECANCELED,
				      memory_order_relaxed);
}

int xy__deps_after_use(struct xy_task *task, struct xy_task *before, uint32_t generation, unsigned edge_flags,
		       struct xy__agent *agent)
{
	struct xy__edge *edge;

	if (before == task || xy__task_is_another(before, generation))
		return 0;
	edge = deps_edge(task, agent);
	if (!edge)
		return -ENOMEM;
	edge_flags |= xy__edge_acquire(task);
	atomic_store_explicit(&edge->target, (uintptr_t)task | edge_flags, memory_order_relaxed);
	if (!xy__successors_add(&before->successors, edge, generation))
		return 0;
	deps_edge_used(task);
	return 1;
}

int xy__deps_after(struct xy_task *task, struct xy_task *before, unsigned edge_flags, struct xy__agent *agent)
{
	int waits = xy__deps_after_use(task, before, xy__task_generation(before), edge_flags, agent);

	if (!waits && before != task)
		xy__deps_follow(task, atomic_load_explicit(&before->status, memory_order_relaxed),
				edge_flags | xy__edge_acquire(task));
	return waits;
}

/* --- ending --- */

void xy__endings_add(struct xy__endings *endings, struct xy_task *task)
{
	task->next = NULL;
	if (endings->first)
		endings->last->next = task;
	else
		endings->first = task;
	endings->last = task;
}

/* The application's data is available. Inside a callback the notice is deferred, so that callbacks don't nest. */
static void deps_acquired(struct xy_task *task, struct xy__endings *endings, struct xy__agent *agent)
{
	int status;

	if (agent->endings) {
		xy__endings_add(endings, task);
		return;
	}
	status = xy__acquire_fetch(task, agent);
	if (status == -EAGAIN)
		return;
	if (!status) {
		xy__acquire_ready(task, 0, endings, agent);
		return;
	}
	atomic_store_explicit(&task->status, status, memory_order_relaxed);
	xy__endings_add(endings, task);
}

/* Whether all workers that may run the task have been lost since it was submitted. */
static bool deps_is_stranded(struct xy_task *task, struct xy__agent *agent)
{
	struct xy_runtime *rt = agent->runtime;

	if (!task->constrained || !atomic_load_explicit(&rt->deaths.count, memory_order_relaxed) ||
	    xy__task_can_run_alive(task))
		return false;
	xy__log(&rt->settings.log, "task '%s' (number %llu) failed: all devices it may run on are lost",
		xy_task_name(task), xy_task_number(task));
	return true;
}

bool xy__deps_give_up(struct xy_task *task, struct xy__agent *agent)
{
	if (!deps_is_stranded(task, agent))
		return false;
	atomic_store_explicit(&task->status, -ENODEV, memory_order_relaxed);
	if (agent->endings)
		xy__endings_add(agent->endings, task);
	else
		xy__deps_end(task, -ENODEV, agent);
	return true;
}

/* Whether a component waits for a cancelled task to take its turn. */
static bool deps_is_awaited(const struct xy_task *task, const struct xy__agent *agent)
{
	struct xy_runtime *rt = agent->runtime;

	return rt->awaits && xy__task_codelet(task) && !(task->flags & (XY__TASK_ACQUIRE | XY__TASK_CLOSES)) &&
	       xy__task_can_run_alive(task);
}

/* A task without a codelet is ready, and ends. */
static void deps_note_empty(struct xy_runtime *rt, const struct xy_task *task)
{
	const unsigned own = XY__TASK_CLOSES | XY__TASK_UNCOUNTED | XY__TASK_DATA;

	/* relaxed: as in xy__inbox_put */
	if (!(task->flags & own) && atomic_load_explicit(&rt->notes, memory_order_relaxed) & XY__NOTES_READY)
		xy__notes_ready(rt, task);
}

/* All predecessors have ended. */
static void deps_ready(struct xy_task *task, struct xy__endings *endings, struct xy__agent *agent)
{
	int status = atomic_load_explicit(&task->status, memory_order_relaxed);

	if (status && deps_is_awaited(task, agent)) {
		xy__inbox_put(agent->runtime, task, agent);
		return;
	}
	if (status || !(xy__task_codelet(task) || (task->flags & XY__TASK_ACQUIRE))) {
		if ((task->flags & XY__TASK_CLOSES) && xy__redux_turn(task, agent))
			return;
		if (!status)
			deps_note_empty(agent->runtime, task);
		xy__endings_add(endings, task);
		return;
	}
	if (deps_is_stranded(task, agent)) {
		atomic_store_explicit(&task->status, -ENODEV, memory_order_relaxed);
		xy__endings_add(endings, task);
		return;
	}
	if ((task->flags & XY__TASK_COMMUTES) && !xy__commute_take(task))
		return;
	if (task->flags & XY__TASK_ACQUIRE)
		deps_acquired(task, endings, agent);
	else
		xy__inbox_put(agent->runtime, task, agent);
}

/* deps_ready for a task with nothing special, by a worker. False: it has, and nothing has happened. */
static inline __attribute__((always_inline)) bool deps_store(struct xy_task *task, struct xy__agent *agent)
{
	struct xy_runtime *rt = agent->runtime;

	/* relaxed: as in xy__inbox_put */
	if (atomic_load_explicit(&rt->notes, memory_order_relaxed) || agent->base.worker < 0 || task->constrained ||
	    (task->flags & (XY__TASK_ACQUIRE | XY__TASK_COMMUTES | XY__TASK_CLOSES)) || !xy__task_codelet(task) ||
	    atomic_load_explicit(&task->status, memory_order_relaxed))
		return false;
	xy__task_set_state(task, XY__TASK_READY);
	if (__builtin_expect(!xy__push(rt->main.root, task, &agent->base), 0))
		xy__inbox_push(rt, task, agent);
	return true;
}

/* Tells a waiter, or a task that waits for its children. */
static __attribute__((noinline)) void deps_tell_other(uintptr_t target, int status, struct xy__endings *endings,
						      struct xy__agent *agent)
{
	struct xy__waiter *waiter = (struct xy__waiter *)(target & ~(uintptr_t)XY__EDGE_BITS);

	if (!(target & XY__EDGE_WAITER)) {
		xy__children_less((struct xy_task *)waiter, status, endings, agent);
		return;
	}
	atomic_store(&waiter->done, 1);
	xy__futex_wake(&waiter->done, 1);
	if (waiter->event >= 0) {
		xy__event_signal(waiter->event);
		close(waiter->event);
	}
	xy__waiter_unref(waiter, agent);
}

/* Inline for each of its callers, one of which has no status. */
static inline __attribute__((always_inline)) void deps_tell_successors(struct xy__edge *edge, int status,
								       struct xy__endings *endings,
								       struct xy__agent *agent)
{
	while (edge) {
		struct xy__edge *next = atomic_load_explicit(&edge->next, memory_order_relaxed);
		uintptr_t target = atomic_load_explicit(&edge->target, memory_order_relaxed);
		struct xy_task *successor = (struct xy_task *)(target & ~(uintptr_t)XY__EDGE_BITS);

		if (__builtin_expect(target & (XY__EDGE_WAITER | XY__EDGE_END), 0)) {
			deps_tell_other(target, status, endings, agent);
		} else {
			if (__builtin_expect(status, 0))
				xy__deps_follow(successor, status, (unsigned)(target & XY__EDGE_BITS));
			/* acq_rel: what each predecessor did happens before the successor runs */
			if (atomic_fetch_sub_explicit(&successor->missing, 1, memory_order_acq_rel) == 1 &&
			    !deps_store(successor, agent))
				deps_ready(successor, endings, agent);
		}
		edge = next;
	}
}

/* Tasks that waited for a commuting handle which was given back. */
static void deps_try_commuters(struct xy_task *task, struct xy__endings *endings, struct xy__agent *agent)
{
	while (task) {
		struct xy_task *next = task->next;

		if (xy__commute_take(task)) {
			if (task->flags & XY__TASK_ACQUIRE)
				deps_acquired(task, endings, agent);
			else
				xy__inbox_put(agent->runtime, task, agent);
		}
		task = next;
	}
}

static void deps_end_one(struct xy_task *task, int status, struct xy__endings *endings, struct xy__agent *agent)
{
	struct xy_group *group = task->flags & XY__TASK_CALLBACK ? task->group : NULL;
	struct xy_task *parent = task->flags & XY__TASK_CALLBACK ? task->parent : NULL, *again = NULL;
	struct xy__edge *edge;
	bool counted = !(task->flags & XY__TASK_UNCOUNTED), held = false;

	if (xy__children_are_left(task) && !xy__children_end(task, &status, &held))
		return;

	if ((task->flags & XY__TASK_CALLBACK) && task->part && !xy__division_end(task, &status, endings, agent))
		return;
	if (status) {
		atomic_store_explicit(&task->status, status, memory_order_relaxed);
		if (counted)
			xy__wait_fail(agent->runtime, task, status, NULL);
		if (!(task->flags & XY__TASK_ACQUIRE)) /* which told its handle before the application */
			xy__deps_spoil(task, status);
	}
	if ((task->flags & XY__TASK_CALLBACK) && task->callback)
		xy__agent_call_back(agent, endings, task->callback, task->callback_arg, status);
	if (task->flags & XY__TASK_TAKEN)
		again = xy__commute_drop(task);
	if (task->flags & XY__TASK_UNORDERED)
		xy__deps_drop_unordered(task);
	xy__task_set_state(task, XY__TASK_ENDED);
	/* From here on a task that the user keeps may be submitted again: only its references are touched. */
	edge = xy__successors_close(&task->successors, xy__task_generation(task));
	if (edge)
		deps_tell_successors(edge, status, endings, agent);
	if (again)
		deps_try_commuters(again, endings, agent);
	if (group)
		xy__group_leave(group, status);
	if (parent)
		xy__children_less(parent, status, endings, agent);
	if (counted)
		xy__agent_add(&agent->ended);
	if (held)
		xy__children_let_go(task, agent);
	else
		xy__task_unref(task, agent);
}

/* The turn of something that does not run has come. False: it is not to end yet. */
static bool deps_turn(struct xy_task *task, int *status, struct xy__endings *endings, struct xy__agent *agent)
{
	if (task->flags & XY__TASK_DATA)
		return xy__data_task_settle(task, status, agent);
	if (!(task->flags & XY__TASK_ACQUIRE) || atomic_load(&task->state) == XY__TASK_HELD)
		return true;
	if (!*status) {
		*status = xy__acquire_fetch(task, agent);
		if (*status == -EAGAIN)
			return false;
	}
	xy__acquire_ready(task, *status, endings, agent);
	return *status;
}

static void deps_end_all(struct xy__endings *endings, struct xy__agent *agent)
{
	while (endings->first) {
		struct xy_task *task = endings->first;
		int status = atomic_load_explicit(&task->status, memory_order_relaxed);

		endings->first = task->next;
		if (deps_turn(task, &status, endings, agent))
			deps_end_one(task, status, endings, agent);
	}
}

void xy__deps_tell(struct xy__edge *edges, struct xy__agent *agent)
{
	struct xy__endings endings;

	endings.first = NULL;
	deps_tell_successors(edges, 0, &endings, agent);
	if (endings.first) {
		deps_end_all(&endings, agent);
		xy__wait_news(agent->runtime);
	}
}

void xy__deps_end_list(struct xy__endings *endings, struct xy__agent *agent)
{
	if (!endings->first)
		return;
	deps_end_all(endings, agent);
	xy__wait_news(agent->runtime);
}

void xy__deps_acquired(struct xy_task *task, struct xy__agent *agent)
{
	struct xy__endings endings = { NULL, NULL };

	xy__endings_add(agent->endings ? agent->endings : &endings, task);
	if (endings.first) {
		deps_end_all(&endings, agent);
		xy__wait_news(agent->runtime);
	}
}

void xy__deps_release(struct xy_task *task, struct xy__agent *agent)
{
	if (agent->endings)
		xy__endings_add(agent->endings, task);
	else
		xy__deps_end(task, 0, agent);
}

void xy__deps_end(struct xy_task *task, int status, struct xy__agent *agent)
{
	struct xy__endings endings;

	endings.first = NULL;
	deps_end_one(task, status, &endings, agent);
	if (endings.first) {
		deps_end_all(&endings, agent);
		xy__wait_news(agent->runtime);
	}
}

void xy__deps_submitted(struct xy_task *task, int count, struct xy__agent *agent)
{
	struct xy__endings endings = { NULL, NULL };

	/* acq_rel: pairs with the decrement in deps_tell_successors */
	if (count && atomic_fetch_add_explicit(&task->missing, count - XY__SUBMITTING, memory_order_acq_rel) !=
			     XY__SUBMITTING - count)
		return;
	deps_ready(task, agent->endings ? agent->endings : &endings, agent);
	if (endings.first) {
		deps_end_all(&endings, agent);
		xy__wait_news(agent->runtime);
	}
}

void xy__task_free(struct xy_task *task, struct xy__agent *agent)
{
	if (task->extra->group)
		xy__group_unref(task->extra->group);
	free(task->extra->workers);
	free(task->extra->argument);
	free(task->extra->accesses);
	free(task->extra->buffers);
	free(task->extra->places);
	free(task->extra->division);
	free(task->extra->reasons);
	free(task->extra);
	task->extra = NULL;
	xy__pool_give(&agent->pool, task);
}
