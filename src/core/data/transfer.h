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
	struct xy__transfer *next, *previous; /* (q) */
	struct xy__transfer *sibling;         /* (l) of this handle */
	struct xy_handle *handle;             /* (c) */
	unsigned from, to;                    /* (c) nodes */
	unsigned device;                      /* (c) the node whose driver does it */
	enum xy_copy_kind kind;               /* (c) */
	unsigned without;                     /* (c) arrays that `to` has already, by bit */
	uint64_t further;                     /* (l) nodes that get it from `to` */
	_Atomic bool stale;     /* (l) to write: it was overwritten meanwhile; what arrives is not valid */
	bool evicts;            /* (l) `from` is to be given up afterwards */
	struct xy__line *waits; /* (q) one of its channel's, until a driver gets it */
	/* Of the thread that issues or finishes it, one after the other by (q): */
	struct xy_event *event;
	void *staged; /* a view in RAM with the layout of the device, or NULL; see layout.h */
	int status;
	bool moved;                      /* the driver got it */
	double issued_s, start_s, end_s; /* for the observer, if it listens to transfers */
};

/*
 * Starts a transfer to a copy that has memory, unless one is already in flight, or old content is being read there:
 * then nothing starts before that has ended, and the caller tries again. The handle is locked. 0, -ENODATA if no node
 * has the content, -ENOMEM, or the driver's error.
 */
int xy__transfer_begin(struct xy__copy *to, struct xy__agent *agent);
/* xy__transfer_begin for content that may be needed later: transfers that are needed now overtake it. */
int xy__transfer_hint(struct xy__copy *to, struct xy__agent *agent);
/* Brings new content to a copy that has memory, now, or when transfers of old content are out of the way. Only a hint:
 * what fails is left. The handle is locked. */
void xy__transfer_offer(struct xy__copy *to, struct xy__agent *agent);
/*
 * Begins to save the only valid copy to RAM, or from there to disk, to give it up afterwards. The handle is locked, but
 * not all the time. 0, -EAGAIN: later, perhaps, -ENOSPC: the disks are full, or another error.
 */
int xy__transfer_evict(struct xy__copy *from, struct xy__agent *agent);
/* Content in flight is being overwritten: it goes no further and is not valid when it arrives. The handle is locked. */
void xy__transfers_spoil(struct xy_handle *h);
/*
 * Unlocks the handle, and hands transfers that were begun to their drivers: these may be slow, so that no lock is held
 * meanwhile. What is left waiting is handed over by xy__transfers_poll.
 */
void xy__transfers_go(struct xy_handle *h);
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
