/* SPDX-License-Identifier: MIT */
/*
 * Tasks that are launched behind those they wait for: when a device has nothing else to do, its worker takes a task
 * whose missing predecessors are all running there, and launches it on the same queue, which keeps the order. So the
 * device goes from one to the other without the host in between. Such a task ends after its predecessors, and is
 * cancelled if one fails, whatever it has computed.
 */
#ifndef XYLEM_CORE_RUNTIME_BEHIND_H
#define XYLEM_CORE_RUNTIME_BEHIND_H

#include "core/runtime/worker.h"

/* Tasks that run on the queue of a worker, in the order in which they were launched. */
struct xy__launched {
	unsigned n;
	struct xy_task **tasks;
	bool apart; /* not on the worker's first queue, where those run that use buffers of the worker's own */
};

/*
 * Takes a task for which that holds, and which no other worker would run faster; NULL: there is none. The worker's
 * thread calls it, and ends the launched tasks.
 */
struct xy_task *xy__behind_take(struct xy__worker *worker, const struct xy__launched *launched);
/* The accesses whose content the launched tasks write: see xy__fetch_follow. */
uint64_t xy__behind_coming(struct xy_task *task, const struct xy__launched *launched);
/* Whether a predecessor of a task taken so still runs. Once none does, the task is like any other. */
static inline bool xy__behind_waits(const struct xy_task *task)
{
	/* acquire: pairs with the decrement in deps_tell_successors */
	return atomic_load_explicit(&((struct xy_task *)task)->missing, memory_order_acquire) > 1;
}

#endif
