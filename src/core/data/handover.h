/* SPDX-License-Identifier: MIT */
/*
 * The content of a handle becomes that of the children of a plan, and back. On a node where the children live in the
 * parent's copy nothing is moved. Otherwise it goes through RAM, where they always do.
 *
 * The functions are steps of a task that moves data, when its turn has come: no task uses the children, nor the parent
 * unless the plan is for reading. 0: done. -EAGAIN: await is in the list of a handle, and the step is to be repeated
 * when it is told; another thread may already do so. Otherwise an error, and nothing is pinned.
 */
#ifndef XYLEM_CORE_DATA_HANDOVER_H
#define XYLEM_CORE_DATA_HANDOVER_H

#include "core/data/copy.h"

struct xy__data_await;
struct xy_plan;

/* The children of the plan get the content. `mode` is that of the plan. */
int xy__handover_begin(struct xy_plan *plan, unsigned mode, struct xy__await *await, struct xy__agent *agent);

/* The parent gets back what was written, on the node where most of it is. */
int xy__handover_end(struct xy_plan *plan, struct xy__data_await *await, struct xy__agent *agent);

/* No child lives in memory of the parent any more, except in RAM. Nothing of them moves. */
void xy__handover_part(struct xy_plan *plan);

#endif
