/* SPDX-License-Identifier: MIT */
/* Dispatchers inline, for the callers on the way of each task. All others use <xylem/component.h>. */
#ifndef XYLEM_CORE_TREE_COMPONENT_H
#define XYLEM_CORE_TREE_COMPONENT_H

#include "core/task/task.h"
#include "core/tree/lock.h"
#include "core/tree/tree.h"
#include "core/util/futex.h"

/* Shard 0 is shared by all agents that have none of their own. */
static inline void xy__count(_Atomic uint64_t *counter, const struct xy_agent *by)
{
	if (__builtin_expect(by->shard != 0, 1))
		atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1,
				      memory_order_relaxed);
	else
		atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* The default of push. */
bool xy__push_children(struct xy_component *self, struct xy_task *task, struct xy_agent *by);

/* xy_push, for a caller that is in no verb, or in a push that takes no lock afterwards. */
static inline bool xy__push(struct xy_component *to, struct xy_task *task, struct xy_agent *by)
{
	struct xy_shard *shard = &to->shards[by->shard];
	bool taken;

	by->verb = XY__VERB_PUSH;
	taken = to->verbs->push ? to->verbs->push(to, task, by) : xy__push_children(to, task, by);
	xy__count(__builtin_expect(taken, 1) ? &shard->pushed : &shard->refused, by);
	return taken;
}

/* Whether an offer of a task that was stored wakes nobody, since all workers are awake. */
static inline bool xy__offer_is_idle(const struct xy_component *self)
{
	const struct xy__tree_engine *engine = self->tree->engine;

	if (!engine)
		return false;
	xy__fence(); /* as in offer_settled: pairs with the fence of a worker going to sleep */
	return atomic_load_explicit(engine->sleepers, memory_order_relaxed) == 0;
}

/* Shows a task to those on its way that want to see it. */
void xy__pull_show(struct xy_component *from, struct xy_task *task, struct xy_agent *by);

/* xy_pull, for a caller that is in no verb, or in a pull. */
static inline __attribute__((always_inline)) struct xy_task *xy__pull(struct xy_component *from, struct xy_agent *by)
{
	struct xy_component *source = from->source;
	struct xy_task *task;

	by->verb = XY__VERB_PULL;
	task = source->verbs->pull ? source->verbs->pull(source, by) : xy_pull_parents(source, by);
	if (!task)
		return NULL;
	/* Those above that the task passed through are not counted: xy_component_counters adds them up. */
	xy__count(&from->shards[by->shard].pulled, by);
	if (from->looker && (from->looks_at_all || (task->flags & XY__TASK_CHOICE)))
		xy__pull_show(from, task, by);
	return task;
}

#endif
