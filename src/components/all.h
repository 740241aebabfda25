/* SPDX-License-Identifier: MIT */
/*
 * The component types that come with the library, and their table.
 */
#ifndef XYLEM_COMPONENTS_ALL_H
#define XYLEM_COMPONENTS_ALL_H

#include <xylem/component.h>

/* All of them, sorted by name, NULL-terminated. */
extern const struct xy_component_ops *const xy__components[];

extern const struct xy_component_ops xy__balance_ops;
extern const struct xy_component_ops xy__best_implementation_ops;
extern const struct xy_component_ops xy__cambium_ops;
extern const struct xy_component_ops xy__divide_ops;
extern const struct xy_component_ops xy__eager_ops;
extern const struct xy_component_ops xy__eager_calibration_ops;
extern const struct xy_component_ops xy__eager_prio_ops;
extern const struct xy_component_ops xy__fifo_ops;
extern const struct xy_component_ops xy__heft_ops;
extern const struct xy_component_ops xy__heteroprio_ops;
extern const struct xy_component_ops xy__hybrid_ops;
extern const struct xy_component_ops xy__in_order_ops;
extern const struct xy_component_ops xy__mct_ops;
extern const struct xy_component_ops xy__parallel_worker_ops;
extern const struct xy_component_ops xy__perfmodel_select_ops;
extern const struct xy_component_ops xy__pipeline_ops;
extern const struct xy_component_ops xy__prio_ops;
extern const struct xy_component_ops xy__random_ops;
extern const struct xy_component_ops xy__rehearse_ops;
extern const struct xy_component_ops xy__stage_ops;
extern const struct xy_component_ops xy__userchoice_ops;
extern const struct xy_component_ops xy__work_stealing_ops;
extern const struct xy_component_ops xy__worker_ops;

#endif
