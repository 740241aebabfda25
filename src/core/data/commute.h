/* SPDX-License-Identifier: MIT */
/*
 * Commuting accesses: tasks that may run in any order, but one at a time.
 */
#ifndef XYLEM_CORE_DATA_COMMUTE_H
#define XYLEM_CORE_DATA_COMMUTE_H

#include "core/task/task.h"

/* Commuting handles of a ready task: takes all or none. False: the task now waits for one of them. */
bool xy__commute_take(struct xy_task *task);
/* Gives them back; returns the tasks that may try again, linked by next. */
struct xy_task *xy__commute_drop(struct xy_task *task);

#endif
