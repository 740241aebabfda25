/* SPDX-License-Identifier: MIT */
/*
 * Handles that leave asynchronously.
 */
#ifndef XYLEM_CORE_DATA_LEAVE_H
#define XYLEM_CORE_DATA_LEAVE_H

#include "core/task/handle.h"

enum {
	XY__LEAVING = 1 << 30
}; /* in xy_handle.unordered: the handle leaves when the tasks counted beside it have ended */

/* No task uses the handle without order any more. */
void xy__leave_unused(struct xy_handle *h);

#endif
