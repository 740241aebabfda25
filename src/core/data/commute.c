/* SPDX-License-Identifier: MIT */
/*
 * Commuting accesses: in any order, one at a time. A ready task takes all its commuting handles at once or waits for
 * the first busy one without holding any, so there is no deadlock; a task that releases handles lets the waiting ones
 * try again.
 */
#include "core/task/handle.h"

#include "core/data/commute.h"
#include "core/util/futex.h"

/* The next commuting handle of the task above `after` in address order, NULL at the end. */
static struct xy_handle *commute_next(struct xy_task *task, const struct xy_handle *after)
{
	const uintptr_t *accesses = xy__task_accesses(task);
	struct xy_handle *next = NULL;

	for (unsigned i = 0; i < task->naccesses; i++) {
		struct xy_handle *h = xy__access_handle(accesses[i]);

		if ((accesses[i] & XY_COMMUTE) && h > after && (!next || h < next))
			next = h;
	}
	return next;
}

/* The first one that is busy, in the order in which the task has them: what follows must not depend on addresses.
 * All are locked. */
static struct xy_handle *commute_busy(struct xy_task *task)
{
	const uintptr_t *accesses = xy__task_accesses(task);

	for (unsigned i = 0; i < task->naccesses; i++)
		if ((accesses[i] & XY_COMMUTE) && xy__access_handle(accesses[i])->busy)
			return xy__access_handle(accesses[i]);
	return NULL;
}

/* Whether the i-th access commutes, and is the first one of its handle that does. */
static bool commute_is_first(const uintptr_t *accesses, unsigned i)
{
	for (unsigned j = 0; j < i; j++)
		if ((accesses[j] & XY_COMMUTE) && xy__access_handle(accesses[j]) == xy__access_handle(accesses[i]))
			return false;
	return accesses[i] & XY_COMMUTE;
}

/* Marks all handles, or queues the task at the busy one. All are locked. */
static void commute_decide(struct xy_task *task, struct xy_handle *busy)
{
	if (!busy) {
		for (struct xy_handle *h = commute_next(task, NULL); h; h = commute_next(task, h))
			h->busy = true;
		task->flags |= XY__TASK_TAKEN;
		return;
	}
	task->next = NULL;
	if (busy->commuters)
		busy->last_commuter->next = task;
	else
		busy->commuters = task;
	busy->last_commuter = task;
}

bool xy__commute_take(struct xy_task *task)
{
	struct xy_handle *busy, *h;

	for (h = commute_next(task, NULL); h; h = commute_next(task, h))
		xy__lock_take(&h->lock);
	busy = commute_busy(task);
	commute_decide(task, busy);
	/* The busy one last: once it is unlocked another thread may own the task. */
	for (h = commute_next(task, NULL); h; h = commute_next(task, h))
		if (h != busy)
			xy__lock_drop(&h->lock);
	if (busy)
		xy__lock_drop(&busy->lock);
	return !busy;
}

struct xy_task *xy__commute_drop(struct xy_task *task)
{
	struct xy_task *again = NULL, **end = &again;
	const uintptr_t *accesses = xy__task_accesses(task);

	task->flags &= (uint16_t)~XY__TASK_TAKEN;
	for (unsigned i = 0; i < task->naccesses; i++) {
		struct xy_handle *h = xy__access_handle(accesses[i]);

		if (!commute_is_first(accesses, i))
			continue;
		xy__lock_take(&h->lock);
		h->busy = false;
		*end = h->commuters;
		if (h->commuters)
			end = &h->last_commuter->next;
		h->commuters = NULL;
		xy__lock_drop(&h->lock);
	}
	return again;
}
