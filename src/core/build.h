/* SPDX-License-Identifier: MIT */
/*
 * Building tasks from descriptions.
 */
#ifndef XYLEM_CORE_BUILD_H
#define XYLEM_CORE_BUILD_H

#include "core/runtime.h"

/* A task as described, not submitted, with one reference, into *task. 0, -EINVAL, -ENODEV, -ENOMEM. */
int xy__task_build(struct xy_task **task, const struct xy_task_desc *desc, struct xy__agent *agent);

/* A task with nothing but a reference and a number; NULL without memory. */
struct xy_task *xy__task_blank(struct xy__agent *agent);

/* The rare part of a task, made at the first call; NULL without memory. */
struct xy__task_extra *xy__task_extra(struct xy_task *task);

#endif
