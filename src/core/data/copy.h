/* SPDX-License-Identifier: MIT */
/*
 * The copies of a handle on memory nodes.
 *
 * A copy is valid if its bit in the handle's `valid` is set. Tasks that write make theirs the only valid one
 * when they have ended well. A copy stays where it is while it is pinned: by tasks that use it, by transfers
 * from and to it. With one node (no device, one RAM) a handle has no copies at all, and none of this is used.
 *
 * Locking key: (c) constant, (l) the handle's lock, (n) the node's lock, (q) the channel's lock, (a) atomic,
 * (o) owner only. A handle's lock may be held when a node's or a channel's is taken; the other way round
 * handles are only tried.
 */
#ifndef XYLEM_CORE_DATA_COPY_H
#define XYLEM_CORE_DATA_COPY_H

#include <xylem/memory.h>
#include "core/task/handle.h"

struct xy__agent;
struct xy__transfer;

enum { XY__NNODES = 64 };

/* Copies that could not be saved so often are not saved to make room, until they have been saved for other reasons. */
enum { XY__SAVE_TRIES = 3 };

#define XY__RAM 0u /* the node of the memory that applications register */

static inline uint64_t xy__bit(unsigned node)
{
	return (uint64_t)1 << node;
}

/* The content of a handle, or room for it, on one node. */
struct xy__copy {
	struct xy_handle *handle; /* (c) */
	unsigned node;            /* (c) */
	_Atomic bool home;        /* (l) to write: its memory is the handle's own: never evicted */
	bool scratch;             /* (c) content means nothing */
	bool foreign;             /* (c) its content has a layout of the device's; see layout.h */
	_Atomic bool allocated;   /* (l) to write: its view has memory; a home copy's may come later */
	int error;                /* (l) of the last transfer to it, 0 when that went well */
	unsigned pins;            /* (l) tasks and transfers that need it where it is */
	_Atomic unsigned readers; /* (l) to write: transfers that read it */
	_Atomic unsigned wanted;  /* (a) tasks in queues of the node that will use it */
	bool incoming;            /* (l) a transfer to it is in flight, perhaps with a stop elsewhere */
	bool needed;              /* (l) that transfer is more than a hint */
	uint8_t unsaved;          /* (l) times in a row that saving it has failed */
	bool complete;            /* (l) it has the arrays that no task writes */
	unsigned held;            /* (l) acquires of the application; see xy__copy_hold */
	unsigned heirs;           /* (l) tasks launched behind its writers that will overwrite it */
	double arrives_us;        /* (l) when that ends, as far as is known */
	size_t content_bytes;     /* (c) of its content in its layout */
	size_t bytes;             /* (l) that it takes on its node */
	/* (n) all on the node that have memory of their own and are not home; or all that live in one copy's memory */
	struct xy__copy *older, *newer;
	struct xy__copy *lender;    /* (l) whose memory it lives in, NULL: it has its own; see lend.h */
	struct xy__copy *borrowers; /* (n) those that live in its memory */
	void *view;                 /* (c) what codelets get */
};

/* Notified when a transfer of a handle has ended: once, then it is removed from the list. */
struct xy__await {
	struct xy__await *next; /* (l) */
	void (*told)(struct xy__await *await, struct xy__agent *agent);
	bool begun; /* (o) it has been told before */
};

/* A handle's copies, with several nodes. */
struct xy__copies {
	struct xy__transfer *transfers; /* (l) in flight */
	struct xy__await *awaits;       /* (l) */
	_Atomic uint64_t write_through; /* (a) nodes that get what was written at once */
	uint64_t owed;                  /* (l) of those, the nodes that get it when transfers of old content have
					 * ended */
	uint8_t advice;                 /* (l) enum xy_advice */
	unsigned home;                  /* (c) after the first use: the node of the application's memory, or XY__RAM */
	struct xy__copy **scratch;      /* (l) by worker, or NULL */
	struct xy__copy ram;
	struct xy__copy *_Atomic on[]; /* (l) to write: by node, NULL: never was there */
};

/* Creates and destroys a handle's copies. Nothing is in flight at the end. */
int xy__copies_init(struct xy_handle *h);
void xy__copies_fini(struct xy_handle *h);

/* The handle's copy on a node, made at first use; NULL without memory. The handle is locked. */
struct xy__copy *xy__copy_on(struct xy_handle *h, unsigned node);
/* A worker's own copy without content. The handle is locked. */
struct xy__copy *xy__copy_scratch(struct xy_handle *h, unsigned worker, unsigned node);

enum xy__effort {
	XY__EFFORT_IDLE,  /* evicts only what no task is expected to use */
	XY__EFFORT_ALL,   /* whatever can go */
	XY__EFFORT_BEYOND /* as that, and takes memory beyond the node's limit rather than wait */
};
/* Gives a copy memory. The handle is locked, but not all the time. 0, -EAGAIN: may work later, -ENOMEM: the
 * device says so or the host has none, -ENODEV. */
int xy__copy_allocate(struct xy__copy *copy, enum xy__effort effort, struct xy__agent *agent);
/* Gives its memory back. The handle is locked, and the copy is neither home nor pinned. */
void xy__copy_release(struct xy__copy *copy);
/* Keeps a copy, which has memory, where it is. The handle is locked. */
void xy__copy_pin(struct xy__copy *copy);
/*
 * The application acquires it and releases it: meanwhile it stays, and in RAM it does not count against the limit. The
 * handle is locked.
 */
void xy__copy_hold(struct xy__copy *copy);
void xy__copy_let_go(struct xy__copy *copy);
/* A handle's copy in RAM gets memory and keeps it for good: 0 or -ENOMEM. The handle is not locked. */
int xy__copy_settle(struct xy_handle *h);
/* Makes it the first to go. The handle is locked. */
void xy__copy_make_oldest(struct xy__copy *copy);

#endif
