/* SPDX-License-Identifier: MIT */
/*
 * Looking ahead: how far submission has come.
 */
#include "core/task/ahead.h"

#include "core/runtime/runtime.h"

uint64_t xy__ahead_submitted(struct xy__tree_engine *engine, bool *more)
{
	struct xy_runtime *rt = (struct xy_runtime *)((char *)engine - offsetof(struct xy_runtime, engine));
	uint64_t submitted = 0;

	/* all relaxed: hints */
	for (unsigned i = 0; i < rt->nworkers; i++)
		submitted += atomic_load_explicit(&rt->workers[i].agent.submitted, memory_order_relaxed);
	for (unsigned i = 0; i < XY__APPLICATION_AGENTS; i++)
		submitted += atomic_load_explicit(&rt->applications[i].submitted, memory_order_relaxed);
	*more = atomic_load_explicit(&rt->room_waiters, memory_order_relaxed) > 0;
	return submitted;
}
