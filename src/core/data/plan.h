/* SPDX-License-Identifier: MIT */
/* Plans: the children that a filter made of a handle, active or not. See partition.h. */
#ifndef XYLEM_CORE_DATA_PLAN_H
#define XYLEM_CORE_DATA_PLAN_H

#include "core/data/partition.h"

struct xy__signal;

/* Makes the children of a handle, as an inactive plan. 0 or -errno with a line in the log. */
int xy__plan_create(struct xy_handle *h, const struct xy_filter *filter, struct xy_plan **out);
/* Activates a plan (XY_R or XY_RW) or deactivates it (0); with `wait`, waits until that is done. */
int xy__plan_switch(struct xy_plan *plan, unsigned mode, struct xy__signal *wait);
/* Frees an inactive plan whose children no task uses. */
void xy__plan_forget(struct xy_plan *plan);
/* xy__plan_forget that first waits for the tasks. 0, or -ENOMEM with a log line. */
int xy__plan_destroy(struct xy_plan *plan);
/* Frees plans that are left at the end of the runtime, but not the children. */
void xy__plans_free(struct xy_handle *h);

#endif
