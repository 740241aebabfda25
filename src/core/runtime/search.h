/* SPDX-License-Identifier: MIT */
/* How a worker looks for a task, in all engines. */
#ifndef XYLEM_CORE_RUNTIME_SEARCH_H
#define XYLEM_CORE_RUNTIME_SEARCH_H

#include "components/worker.h"
#include "core/runtime/inbox.h"
#include "core/runtime/worker.h"

/* Moves the inbox into the tree and takes a task; NULL if there is none now. */
struct xy_task *xy__search_take(struct xy__worker *worker);
/* Takes a task without waiting, and offers what it leaves to sleeping workers; NULL without one. */
struct xy_task *xy__search_try(struct xy__worker *worker);
/* The worker's next task, for which the engine may let it wait; NULL when the runtime stops. */
struct xy_task *xy__search_next(struct xy__worker *worker);
/* The worker has pulled this task: offers others what it leaves. NULL if the task was cancelled; then it has ended. */
struct xy_task *xy__search_settle(struct xy__worker *worker, struct xy_task *task);

/* xy__search_try for the common case, inline in the loop of a worker: the inbox is empty, and a task comes from above.
 * NULL in any other case. */
static inline __attribute__((always_inline)) struct xy_task *xy__search_quickly(struct xy__worker *worker)
{
	struct xy_component *leaf = worker->leaf;
	struct xy_task *task;

	/* relaxed: as in search_take */
	if (xy__inbox_has(worker->agent.runtime) || atomic_load_explicit(&worker->choosy, memory_order_relaxed) ||
	    xy__worker_slot((struct xy__leaf *)leaf) || leaf->nparents != 1)
		return NULL;
	task = xy__pull(leaf->parents[0], &worker->agent.base);
	if (!task)
		return NULL;
	xy__task_set_state(task, XY__TASK_RUNNING);
	xy__count(&leaf->shards[worker->agent.base.shard].pulled, &worker->agent.base);
	if (__builtin_expect(worker->agent.runtime->skips || worker->agent.base.for_others, 0))
		return xy__search_settle(worker, task);
	return task;
}

/* The worker has found a task, or gives up, and is no longer a searcher: offers travel again. */
void xy__search_found(struct xy__worker *worker);
/* Offers to others what this worker does not take soon, though it said that it would. */
void xy__search_offer_rest(struct xy__worker *worker);

#endif
