/* SPDX-License-Identifier: MIT */
/* The tasks that components show. */
#ifndef XYLEM_CORE_RUNTIME_SHOWN_H
#define XYLEM_CORE_RUNTIME_SHOWN_H

#include "core/runtime/runtime.h"

/* A task that rests in a component; NULL: some tasks do, and the component does not show them. */
struct xy__shown {
	struct xy_component *component;
	struct xy_task *task;
};

struct xy__shown_list {
	struct xy__shown *at; /* the caller frees it */
	size_t count;
};

/*
 * Lists component by component what a tree shows, each in the order in which its tasks would leave. The runtime is
 * halted. 0, -ENOMEM, or -ETIMEDOUT if a component does not answer, which is logged.
 */
int xy__shown_list(struct xy_runtime *rt, struct xy_tree *tree, struct xy__shown_list *list);

#endif
