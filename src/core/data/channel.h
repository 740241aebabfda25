/* SPDX-License-Identifier: MIT */
/*
 * A channel: the transfers of one kind on one device, from the time they begin until the driver reports their end.
 * Those that are needed now overtake those that are only hints, so a driver gets few hints at a time. Its functions are
 * called without any lock, by one thread at a time.
 */
#ifndef XYLEM_CORE_DATA_CHANNEL_H
#define XYLEM_CORE_DATA_CHANNEL_H

#include "core/data/transfer.h"

/* Adds a transfer, which is registered already, to those that wait. The handle is locked. */
void xy__channel_add(struct xy__transfer *t, bool needed);
/* A transfer that may still wait as a hint is needed now. The handle is locked. */
void xy__channel_hurry(struct xy__transfer *t);
/* Hands over what waits on any channel, as far as its turn has come. No lock is held. */
void xy__channels_issue(struct xy_runtime *rt);
/* A transfer that has ended, with its status and no longer in the channel; NULL without one. No lock is held. */
struct xy__transfer *xy__channel_take(struct xy__node *node, struct xy__channel *channel);

#endif
