/* SPDX-License-Identifier: MIT */
/*
 * Moves data before it is needed, and on request.
 */
#ifndef XYLEM_CORE_DATA_PREFETCH_H
#define XYLEM_CORE_DATA_PREFETCH_H

#include "core/task/task.h"

struct xy__tree_engine;

/* Implements xy_task_prefetch for the engine of a runtime with several nodes. */
void xy__task_prefetch(struct xy__tree_engine *engine, struct xy_task *task, unsigned worker, struct xy_agent *by);
/* A queue bound to a node had the task brought there; it has left that queue. */
void xy__task_unwant(struct xy_task *task);

/* Brings the content, unless it was invalidated, back to the memory of the application, which holds the handle and
 * forgets it. 0 or why not, with a line in the log. */
int xy__fetch_back(struct xy_handle *h);

struct xy__agent;

/* Takes a step on a node until it returns something else than -EAGAIN, or nothing in progress can make room there any
 * more: then -ENOMEM. */
int xy__fetch_patiently(struct xy_handle *h, unsigned mode, unsigned node,
			int (*step)(struct xy_handle *h, unsigned mode, unsigned node, struct xy__agent *agent));
/* Earlier errors are not those of what follows on this node. */
void xy__fetch_forget_error(struct xy_handle *h, unsigned node);

#endif
