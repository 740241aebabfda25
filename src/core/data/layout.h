/* SPDX-License-Identifier: MIT */
/*
 * Content whose layout on some devices differs from that in RAM. Copies on such devices are foreign: what a transfer
 * moves between them and RAM goes through memory in RAM with the layout of the device, where it is converted. Between
 * devices of one driver it moves as it is.
 */
#ifndef XYLEM_CORE_DATA_LAYOUT_H
#define XYLEM_CORE_DATA_LAYOUT_H

#include "core/data/transfer.h"

/*
 * The view of a handle's copies on a node other than RAM: without gaps and memory. False if the layout is that of RAM.
 * The handle is locked.
 */
bool xy__layout_blank(const struct xy_handle *h, unsigned node, void *view);
/* Notes the layout of a new copy, whose view has no memory yet. The handle is locked. */
void xy__layout_note(struct xy__copy *copy);

/*
 * Before the driver gets a transfer: replaces the end in RAM by a converted one, if there is a foreign end. 0, -ENOMEM,
 * or what the interface's converter returns. No lock is held.
 */
int xy__layout_begin(struct xy__transfer *t, const void **to, const void **from);
/* When the driver has ended it: converts what has come to RAM. An error becomes the transfer's. No lock is held. */
void xy__layout_end(struct xy__transfer *t);

#endif
