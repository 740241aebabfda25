/* SPDX-License-Identifier: MIT */
/*
 * Devices that several processes of a host share: a table in shared memory with the items that each process has on each
 * device. A process that dies gives its share back when another one looks.
 */
#ifndef XYLEM_COMPONENTS_SHARE_H
#define XYLEM_COMPONENTS_SHARE_H

#include <stdbool.h>
#include <stdint.h>

struct xy__share;

/*
 * Joins the processes that use the table of this name, which the first one makes. NULL with *error: -errno, or -EPROTO
 * for a table of another version, -ENOSPC if too many share it.
 */
struct xy__share *xy__share_join(const char *name, int *error);
/* Gives everything back; the last one removes the table. NULL is allowed. */
void xy__share_leave(struct xy__share *share);

/* The number of a device in the table, by its name; -ENOSPC if there are too many. */
int xy__share_device(struct xy__share *share, const char *name);

/*
 * Takes room for items on a device if all processes together have at most `capacity` then, and if no other process has
 * waited longer for it. One that is refused should ask again soon: else it no longer waits. Any thread.
 */
bool xy__share_take(struct xy__share *share, unsigned device, uint64_t items, uint64_t capacity);
/* Takes it in any case: for what has to run. */
void xy__share_force(struct xy__share *share, unsigned device, uint64_t items);
void xy__share_give(struct xy__share *share, unsigned device, uint64_t items);

#endif
