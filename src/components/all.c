/* SPDX-License-Identifier: MIT */
/*
 * The table of the component types that come with the library, sorted by name.
 */
#include "components/all.h"

const struct xy_component_ops *const xy__components[] = {
	&xy__balance_ops,
	&xy__best_implementation_ops,
	&xy__cambium_ops,
	&xy__divide_ops,
	&xy__eager_ops,
	&xy__eager_calibration_ops,
	&xy__eager_prio_ops,
	&xy__fifo_ops,
	&xy__heft_ops,
	&xy__heteroprio_ops,
	&xy__hybrid_ops,
	&xy__in_order_ops,
	&xy__mct_ops,
	&xy__parallel_worker_ops,
	&xy__perfmodel_select_ops,
	&xy__pipeline_ops,
	&xy__prio_ops,
	&xy__random_ops,
	&xy__rehearse_ops,
	&xy__stage_ops,
	&xy__userchoice_ops,
	&xy__work_stealing_ops,
	&xy__worker_ops,
	NULL,
};
