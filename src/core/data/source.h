/* SPDX-License-Identifier: MIT */
/*
 * Where a transfer comes from: the copy from which the content arrives first, by what is known about the bus and by the
 * bytes that are already waiting to leave each node. A copy to which the content is still on its way counts too.
 */
#ifndef XYLEM_CORE_DATA_SOURCE_H
#define XYLEM_CORE_DATA_SOURCE_H

#include "core/data/copy.h"

/* Whether copies go from one node to the other without a stop in RAM. */
bool xy__source_reaches(const struct xy_handle *h, unsigned from, unsigned to);

/* How long the content takes from a node to another, after all that is to leave the first; 0 if unknown. */
double xy__source_us(const struct xy_handle *h, unsigned from, unsigned to);

/*
 * The node from which the content should go to `to`, which it may have to reach by RAM. `valid` are the nodes that have
 * it, at least one, and `coming` those to which it is on its way. The handle is locked.
 */
unsigned xy__source_choose(struct xy_handle *h, uint64_t valid, uint64_t coming, unsigned to);

/*
 * Of the nodes `waiting` for content that is on `from`, those that get it from the first of them rather than from
 * `from`. `waiting` has at least one.
 */
uint64_t xy__source_relay(const struct xy_handle *h, unsigned from, uint64_t waiting);

#endif
