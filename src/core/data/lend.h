/* SPDX-License-Identifier: MIT */
/*
 * Copies that live in the memory of another copy on their node: those of the children of a plan in those of the handle
 * that was partitioned first, their root. The memory is not freed while a copy lives in it; all are evicted together.
 *
 * A handle with a root has a view `inside`: what its view is in a copy of the root, with offsets from the arrays of
 * that copy in place of addresses.
 */
#ifndef XYLEM_CORE_DATA_LEND_H
#define XYLEM_CORE_DATA_LEND_H

#include "core/data/copy.h"

/*
 * A view of a handle in a copy of its root, or of itself if it has none, for filters: instead of memory, each array has
 * a range of addresses that xy__lend recognises. The caller frees it. NULL without memory, or with one node only.
 */
void *xy__lend_view(struct xy_handle *h);

/* Whether copies of children may live in a copy, which has memory: it has its own, or lives in one of its root. */
bool xy__lend_allows(const struct xy__copy *parent);

/*
 * Makes a copy live where its parent's copy is, instead of in memory of its own; it is not valid then, or stays so. The
 * copy's handle is locked, the copy is not pinned, and the parent's is. `exclusive`: tasks may write what lives there.
 * 0, or -errno: the copy is as it was.
 */
int xy__lend(const struct xy__copy *parent, struct xy__copy *copy, bool exclusive);

/* The copy lives nowhere any more and is not valid. Its handle is locked. */
void xy__lend_return(struct xy__copy *copy);

#endif
