/* SPDX-License-Identifier: MIT */
/*
 * Divisible tasks in a runtime: making them, the memory of their pieces, and their end.
 */
#ifndef XYLEM_CORE_RUNTIME_DIVISION_H
#define XYLEM_CORE_RUNTIME_DIVISION_H

#include "core/runtime/agent.h"
#include "core/task/division.h"

/* The fault of a description with a range; NULL: none. */
const char *xy__division_objection(const struct xy_task_desc *desc);
/* Makes a task that is being built divisible; after its accesses. 0, -EINVAL or -ENOMEM. */
int xy__division_create(struct xy_task *task, const struct xy_task_desc *desc);

/* For struct xy__tree_engine. */
struct xy_task *xy__division_take(struct xy__tree_engine *engine, struct xy_task *task, struct xy_agent *by);
void xy__division_give(struct xy__tree_engine *engine, struct xy_task *piece, struct xy_agent *by);

/*
 * A task with a part goes back to the root, to run again or elsewhere: where it was hears of its end there. For the
 * holder, before it gives the task away.
 */
void xy__division_return(struct xy_task *task, struct xy__agent *agent);

/* The runtime is halted, and the task belongs to this tree from now on: whichever component of another one cut it hears
 * nothing more of it. */
void xy__division_leave_tree(struct xy_task *task, const struct xy_tree *tree);

/*
 * A piece or a divisible task ends with *status. True: go on. False: it is a divisible task of which pieces have not
 * ended; the last of them adds it to the endings.
 */
bool xy__division_end(struct xy_task *task, int *status, struct xy__endings *endings, struct xy__agent *agent);

#endif
