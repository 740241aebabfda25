/* SPDX-License-Identifier: MIT */
/*
 * Transfers of the content of handles between memory nodes.
 *
 * Locking key: (c) constant, (l) the handle's lock, (n) the node's lock, (q) the channel's lock, (a) atomic,
 * (o) owner only. A handle's lock may be held when a node's or a channel's is taken; the other way round
 * handles are only tried.
 */
#ifndef XYLEM_CORE_DATA_TRANSFER_H
#define XYLEM_CORE_DATA_TRANSFER_H

#include "core/data/node.h"

struct xy_runtime;

struct xy__transfer {
	struct xy__transfer *next;    /* (q) */
	struct xy__transfer *sibling; /* (l) of this handle */
	struct xy_handle *handle;     /* (c) */
	unsigned from, to;            /* (c) nodes */
	unsigned device;              /* (c) the node whose driver does it */
	uint64_t further;             /* (l) nodes that get it from `to` */
	bool stale;                   /* (l) it was overwritten meanwhile: what arrives is not valid */
	bool evicts;                  /* (l) `from` is to be given up afterwards */
	struct xy_event *event;       /* (q) */
};

/*
 * Starts a transfer to a copy that has memory, unless one is already in flight, or old content is being read there:
 * then nothing starts before that has ended, and the caller tries again. The handle is locked. 0, -ENODATA if no node
 * has the content, -ENOMEM, or the driver's error.
 */
int xy__transfer_begin(struct xy__copy *to, struct xy__agent *agent);
/* Brings new content to a copy that has memory, now, or when transfers of old content are out of the way. Only a hint:
 * what fails is left. The handle is locked. */
void xy__transfer_offer(struct xy__copy *to, struct xy__agent *agent);
/* Begins to save the only valid copy to RAM, to give it up afterwards. */
int xy__transfer_evict(struct xy__copy *from, struct xy__agent *agent);
/* Content in flight is being overwritten: it goes no further and is not valid when it arrives. The handle is locked. */
void xy__transfers_spoil(struct xy_handle *h);
/* Looks after transfers that have ended; true if there were any. */
bool xy__transfers_poll(struct xy_runtime *rt, struct xy__agent *agent);
/* The content is not needed any more: waits for all transfers of a handle, and there will be no other. */
void xy__transfers_end(struct xy_handle *h);
/* Waits for all transfers. */
void xy__transfers_drain(struct xy_runtime *rt);

static inline bool xy__transfers_underway(struct xy__memory *memory)
{
	return atomic_load_explicit(&memory->underway, memory_order_relaxed) != 0;
}

#endif
