/* SPDX-License-Identifier: MIT */
/*
 * Predictions that only components of the library ask for; xylem/component.h has the others.
 */
#ifndef XYLEM_CORE_MODEL_PREDICT_H
#define XYLEM_CORE_MODEL_PREDICT_H

#include <xylem/component.h>

/* What xy_task_length says of the first implementation of a task that has no choice of them, if that takes no more than
 * a look at the task's footprint; 0: xy_task_length has to be asked. */
double xy__predict_known_us(const struct xy_task *task, enum xy_arch arch);

/* Transfer time of a task's output from one worker's node to another's; unknown parts count as 0. */
double xy__predict_result_us(const struct xy_task *task, unsigned from, unsigned to);

#endif
