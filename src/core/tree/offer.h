/* SPDX-License-Identifier: MIT */
/* Offering again what rests in reservoirs. */
#ifndef XYLEM_CORE_TREE_OFFER_H
#define XYLEM_CORE_TREE_OFFER_H

#include "core/tree/tree.h"

static inline bool xy__any_worker_sleeps(const struct xy__tree_engine *engine)
{
	return atomic_load_explicit(engine->sleepers, memory_order_relaxed) != 0;
}

/*
 * Offers the tasks of a reservoir with each_task to those below: one offer for each set of architectures, as the worker
 * that takes one offers the rest, and each constrained task to a worker that can run it. No lock is held.
 */
void xy__offer_stored(struct xy_component *reservoir, struct xy_agent *by);

#endif
