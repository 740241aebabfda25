/* SPDX-License-Identifier: MIT */
/*
 * From submission to the tree: tasks that are ready and that no component has yet.
 */
#ifndef XYLEM_CORE_RUNTIME_INBOX_H
#define XYLEM_CORE_RUNTIME_INBOX_H

#include "core/runtime/engine.h"
#include "core/runtime/notes.h"

/* Moves the inbox into the tree. Called by a worker or the engine. */
void xy__inbox_drain(struct xy_runtime *rt, struct xy__agent *agent);
/* Gives a ready task straight to the tree: what workers do. */
void xy__inbox_push(struct xy_runtime *rt, struct xy_task *task, struct xy__agent *agent);

/* Puts a task that a component gives back. */
void xy__inbox_take_back(struct xy__tree_engine *engine, struct xy_task *task, struct xy_agent *by);

/* The context that a task was submitted to. */
static inline struct xy_context *xy__inbox_context(struct xy_runtime *rt, const struct xy_task *task)
{
	struct xy_context *context = task->extra ? task->extra->context : NULL;

	return context ? context : &rt->main;
}

/* Whether a worker of the context sleeps and none is looking for tasks; call it after a fence. */
static inline bool xy__inbox_urgent(const struct xy_context *context)
{
	return atomic_load_explicit(&context->sleepers, memory_order_relaxed) &&
	       atomic_load_explicit(&context->searchers, memory_order_relaxed) <= 0;
}

/* Whether that holds for some context. */
bool xy__inbox_urgent_anywhere(struct xy_runtime *rt);

/* Puts a task of the application into the inbox. There is one context, with all workers. */
static inline __attribute__((always_inline)) void xy__inbox_publish(struct xy_runtime *rt, struct xy_task *task,
								    struct xy__agent *agent)
{
	xy__task_set_state(task, XY__TASK_READY);
	while (__builtin_expect(!xy__ring_put(&rt->inbox, task), 0))
		rt->engine->drain(rt, agent);
	xy__fence(); /* pairs with the fence of a worker going to sleep, and that of drain */
	if (__builtin_expect(xy__inbox_urgent(&rt->main), 0))
		rt->engine->drain(rt, agent);
}

/* Gives a ready task to the scheduler, of which nobody wants to hear. */
static inline __attribute__((always_inline)) void xy__inbox_store(struct xy_runtime *rt, struct xy_task *task,
								  struct xy__agent *agent)
{
	xy__task_set_state(task, XY__TASK_READY);
	if (agent->base.worker >= 0) {
		xy__inbox_push(rt, task, agent);
		return;
	}
	while (!xy__ring_put(&rt->inbox, task))
		rt->engine->drain(rt, agent);
	xy__fence(); /* pairs with the fence of a worker going to sleep, and that of drain */
	if (xy__inbox_urgent(&rt->main) || (__builtin_expect(rt->routed, 0) && xy__inbox_urgent_anywhere(rt)))
		rt->engine->drain(rt, agent);
}

/* Gives a ready task to the scheduler. */
static inline void xy__inbox_put(struct xy_runtime *rt, struct xy_task *task, struct xy__agent *agent)
{
	/* relaxed: a hint; see xy__notes_listen */
	if (__builtin_expect(atomic_load_explicit(&rt->notes, memory_order_relaxed) & XY__NOTES_READY, 0)) {
		xy__task_set_state(task, XY__TASK_READY);
		xy__notes_ready(rt, task);
	}
	xy__inbox_store(rt, task, agent);
}

static inline bool xy__inbox_has(struct xy_runtime *rt)
{
	return xy__ring_has(&rt->inbox) ||
	       (atomic_load_explicit(&rt->inbox_state, memory_order_relaxed) & (XY__INBOX_STRANDED | XY__INBOX_MOVING));
}

#endif
