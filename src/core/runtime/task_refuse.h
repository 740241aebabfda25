/* SPDX-License-Identifier: MIT */
/* Why a task's description was refused, in words. */
#ifndef XYLEM_CORE_RUNTIME_TASK_REFUSE_H
#define XYLEM_CORE_RUNTIME_TASK_REFUSE_H

#include <xylem/task.h>

struct xy__message;

/* Adds the fault of a description that was refused with -EINVAL; nothing if it is unknown. */
void xy__task_refuse_reason(const struct xy_runtime *rt, const struct xy_task_desc *desc, struct xy__message *message);

#endif
