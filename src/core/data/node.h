/* SPDX-License-Identifier: MIT */
/*
 * Memory nodes: what is allocated on them, and the loss of one.
 *
 * Locking key: (c) constant, (l) the handle's lock, (n) the node's lock, (q) the channel's lock, (a) atomic,
 * (o) owner only. A handle's lock may be held when a node's or a channel's is taken; the other way round
 * handles are only tried.
 */
#ifndef XYLEM_CORE_DATA_NODE_H
#define XYLEM_CORE_DATA_NODE_H

#include <xylem/driver.h>
#include "core/data/copy.h"

struct xy__fetch;

enum { XY__CACHE_LISTS = 64 };

/* Transfers in order. */
struct xy__line {
	struct xy__transfer *first, *last;
};

/* Transfers of one kind on one device; see channel.h. */
struct xy__channel {
	_Atomic int lock;
	bool issuing, polling;     /* (q) a thread is calling the driver for one */
	struct xy__line needed;    /* (q) wait for their turn */
	struct xy__line hints;     /* (q) wait until little else is moving */
	struct xy__line issued;    /* (q) the driver has them; they end in order, so only the first is polled */
	struct xy__line ended;     /* (q) nothing is left to do for the driver */
	unsigned nissued;          /* (q) */
	size_t issued_bytes;       /* (q) */
	double ended_s;            /* (q) when the driver ended the last one, if the observer listens */
	_Atomic unsigned pollable; /* (a) how many are issued or ended */
};

struct xy__chunk {
	struct xy__chunk *next;
	void *memory;
	size_t bytes;
};

struct xy__node {
	const struct xy_driver *driver; /* (c) */
	struct xy_device *device;       /* (c) */
	unsigned id;                    /* (c) */
	struct xy__memory *memory;      /* (c) that it is a part of */
	bool ram;                       /* (c) addresses that CPUs can use */
	bool disk;                      /* (c) files */
	unsigned index;                 /* (c) among the driver's devices */
	uint64_t peers;                 /* (c) nodes from which copies come directly */
	size_t limit;                   /* (c) bytes that data may use */
	char name[16];                  /* (c) */

	_Atomic int lock;
	size_t used;                              /* (n) taken from the driver, cached ones too */
	size_t cached;                            /* (n) */
	size_t listed;                            /* (n) of copies from oldest to newest; the rest is on its way */
	struct xy__copy *oldest, *newest;         /* (n) */
	struct xy__chunk *cache[XY__CACHE_LISTS]; /* (n) by size */
	unsigned holding;                         /* (n) tasks that may have some of the copies they need pinned */
	unsigned admitted;                        /* (n) tasks that have all of them */
	const struct xy__fetch *starving;         /* (n) the fetch that gets memory before any other */
	size_t held;                              /* (n) of `used`, what the application has acquired */
	struct xy__await *rooms;                  /* (n) acquires that wait for memory here */

	_Atomic size_t leaving;   /* (a) bytes that are being copied from here, or will be */
	_Atomic size_t saving;    /* (a) of those, bytes that are given up here afterwards */
	_Atomic int save_error;   /* (a) why the last copy that was to be saved was not, or 0 */
	_Atomic unsigned busy;    /* (a) transfers in flight that pin copies here */
	_Atomic unsigned changes; /* (a) of anything that may let an allocation work that has failed */
	_Atomic uint64_t bytes_in, bytes_out, transfers_in, evictions, writebacks; /* (a) */
	_Atomic uint64_t used_most;                                                /* (a) (n) to write */
	struct xy__channel channels[3];                                            /* by enum xy_copy_kind */
};

/* A driver's message about the last failed transfer. */
struct xy__blame {
	_Atomic int lock;
	const struct xy_handle *handle; /* (l) whose content it was; only to compare */
	int status;                     /* (l) */
	char words[192];                /* (l) */
};

struct xy__memory {
	unsigned nnodes;           /* (c) 1: handles have no copies */
	unsigned disk;             /* (c) the last of them, if that is the node of disks; 0: there is none */
	struct xy__node *nodes;    /* (c) */
	_Atomic unsigned underway; /* (a) transfers */
	_Atomic unsigned waiting;  /* (a) of those, the ones that no driver has yet */
	_Atomic uint64_t lost;     /* (a) nodes that are of no use any more */
	struct xy__blame blame;
	_Atomic int host_lock;        /* of what host.c keeps: */
	void *host_blocks;            /* (host_lock) tree of pinned blocks in use */
	struct host_block *host_kept; /* (host_lock) blocks for reuse, ... */
	size_t host_kept_bytes;       /* (host_lock) ... and their size */
};

/* Memory for one array, making room if need be. 0, -EAGAIN: may work later, -ENODEV, or what the driver says. */
int xy__node_take(struct xy__node *node, size_t bytes, void **memory, enum xy__effort effort, struct xy__agent *agent);
/* Keeps memory for another copy, or gives it back to the device. */
void xy__node_give(struct xy__node *node, void *memory, size_t bytes);
/* Gives kept memory back to the device until `bytes` more fit; false if there was none. */
bool xy__node_flush(struct xy__node *node, size_t bytes);
/* Makes room; true if there is more than before. What is being saved will be room later. */
bool xy__node_make_room(struct xy__node *node, size_t bytes, enum xy__effort effort, struct xy__agent *agent);

/*
 * A transfer of the handle failed: records the driver's message, to quote it for later errors of that handle. Without
 * a message, the text of the error code.
 */
void xy__blame_set(struct xy_handle *h, int status, const struct xy_driver *driver);
void xy__blame_get(struct xy_handle *h, int status, char *text, size_t size);
/* The node is of no use any more. */
void xy__node_lose(struct xy_runtime *rt, unsigned node);

static inline bool xy__node_is_lost(const struct xy__memory *memory, unsigned node)
{
	return atomic_load_explicit(&((struct xy__memory *)memory)->lost, memory_order_relaxed) >> node & 1;
}

/*
 * Whether nothing on the node is used or held except by `holding` tasks that look for memory, and no thread is about to
 * use or release a copy. The node is locked.
 */
static inline bool xy__node_rests(struct xy__node *node, unsigned holding)
{
	return !node->admitted && node->holding == holding && !atomic_load(&node->busy) &&
	       node->used - node->cached == node->listed;
}

/*
 * Adds an acquire that waits for memory, unless nothing is in flight that may make room: then false. It is told when a
 * transfer has ended. The node is not locked.
 */
bool xy__node_await_room(struct xy__node *node, struct xy__await *await);
/* Tells those. */
void xy__node_tell(struct xy__node *node, struct xy__agent *agent);
/* A copy of this node was saved, or could not be. */
void xy__node_saved(struct xy__node *node, int error);

/* Called before a change that may free memory for others becomes visible. */
static inline void xy__node_change(struct xy__node *node)
{
	atomic_fetch_add(&node->changes, 1);
}

#endif
