/* SPDX-License-Identifier: MIT */
/*
 * Memory nodes, the copies of handles on them, and the transfers between them.
 *
 * A copy is valid if its bit in the handle's `valid` is set. Tasks that write make theirs the only valid one
 * when they have ended well. A copy stays where it is while it is pinned: by tasks that use it, by transfers
 * from and to it. With one node (no device, one RAM) a handle has no copies at all, and none of this is used.
 *
 * Locking key: (c) constant, (l) the handle's lock, (n) the node's lock, (q) the channel's lock, (a) atomic,
 * (o) owner only. A handle's lock may be held when a node's or a channel's is taken; the other way round
 * handles are only tried.
 */
#ifndef XYLEM_CORE_DATA_MEMORY_H
#define XYLEM_CORE_DATA_MEMORY_H

#include <stdio.h>
#include <xylem/driver.h>
#include <xylem/interface.h>
#include <xylem/memory.h>
#include "core/data/handle.h"

struct xy__agent;
struct xy__worker;
struct xy__transfer;
struct xy__tree_engine;

enum { XY__NNODES = 64, XY__CACHE_LISTS = 64 };

#define XY__RAM 0u                /* the node of the memory that applications register */

static inline uint64_t xy__bit(unsigned node)
{
	return (uint64_t)1 << node;
}

/* The content of a handle, or room for it, on one node. */
struct xy__copy {
	struct xy_handle *handle;     /* (c) */
	unsigned node;                /* (c) */
	bool home;                    /* (c) its memory is the handle's own: never evicted */
	bool scratch;                 /* (c) content means nothing */
	_Atomic bool allocated;       /* (l) to write: its view has memory; a home copy's may come later */
	int error;                    /* (l) of the last transfer to it, 0 when that went well */
	unsigned pins;                /* (l) tasks and transfers that need it where it is */
	_Atomic unsigned readers;     /* (l) to write: transfers that read it */
	_Atomic unsigned wanted;      /* (a) tasks in queues of the node that will use it */
	bool incoming;                /* (l) a transfer to it is under way, perhaps with a stop in RAM */
	size_t bytes;                 /* (l) that it takes on its node */
	struct xy__copy *older, *newer; /* (n) all that are allocated and not home */
	void *view;                   /* (c) what codelets get */
};

/* To be told when a transfer of a handle has ended: each time, then it is taken off the list. */
struct xy__await {
	struct xy__await *next;                              /* (l) */
	void (*told)(struct xy__await *await, struct xy__agent *agent);
	bool begun;                                          /* (o) it has been told before */
};

/* What a handle has with several nodes. */
struct xy__copies {
	struct xy__transfer *transfers; /* (l) under way */
	struct xy__await *awaits;       /* (l) */
	_Atomic uint64_t write_through; /* (a) nodes that get what was written at once */
	uint64_t owed;                  /* (l) of those, who gets it when transfers of old content have ended */
	uint8_t advice;                 /* (l) enum xy_advice */
	struct xy__copy **scratch;      /* (l) by worker, or NULL */
	struct xy__copy ram;
	struct xy__copy *on[];          /* (l) by node, NULL: never was there */
};

struct xy__transfer {
	struct xy__transfer *next;      /* (q) */
	struct xy__transfer *sibling;   /* (l) of the same handle */
	struct xy_handle *handle;       /* (c) */
	unsigned from, to;              /* (c) nodes */
	unsigned device;                /* (c) the node whose driver does it */
	uint64_t further;               /* (l) nodes that get it from `to` */
	bool stale;                     /* (l) it was overwritten meanwhile: what arrives is not valid */
	bool evicts;                    /* (l) `from` is to be given up afterwards */
	struct xy_event *event;         /* (q) */
};

/* Transfers of one kind on one device: they end in order, so only the first is polled. */
struct xy__channel {
	_Atomic int lock;
	_Atomic(struct xy__transfer *) first;  /* (q) to write */
	struct xy__transfer *last;             /* (q) undefined when there is no first */
};

struct xy__chunk {
	struct xy__chunk *next;
	void *memory;
	size_t bytes;
};

struct xy__fetch;

struct xy__node {
	const struct xy_driver *driver;   /* (c) */
	struct xy_device *device;         /* (c) */
	unsigned id;                      /* (c) */
	bool ram;                         /* (c) addresses that CPUs can use */
	unsigned index;                   /* (c) among the driver's devices */
	uint64_t peers;                   /* (c) nodes from which copies come directly */
	size_t limit;                     /* (c) bytes that data may use */
	char name[16];                    /* (c) */

	_Atomic int lock;
	size_t used;                      /* (n) taken from the driver, cached ones too */
	size_t cached;                    /* (n) */
	size_t listed;                    /* (n) of copies from oldest to newest; the rest is on its way */
	struct xy__copy *oldest, *newest; /* (n) */
	struct xy__chunk *cache[XY__CACHE_LISTS];  /* (n) by size */
	unsigned holding;                 /* (n) tasks that may have some of the copies they need pinned */
	unsigned admitted;                /* (n) tasks that have all of them */
	const struct xy__fetch *starving; /* (n) who gets memory before anybody else */

	_Atomic unsigned busy;            /* (a) transfers under way that pin copies here */
	_Atomic unsigned changes;         /* (a) of anything that may let an allocation work that has failed */
	_Atomic uint64_t bytes_in, bytes_out, transfers_in, evictions, writebacks;  /* (a) */
	_Atomic uint64_t used_most;       /* (a) (n) to write */
	struct xy__channel channels[3];   /* by enum xy_copy_kind */
};

/* What a driver said about the last transfer that failed. */
struct xy__blame {
	_Atomic int lock;
	const struct xy_handle *handle;   /* (l) whose content it was; only to compare */
	int status;                       /* (l) */
	char words[192];                  /* (l) */
};

struct xy__memory {
	unsigned nnodes;                  /* (c) 1: handles have no copies */
	struct xy__node *nodes;           /* (c) */
	_Atomic unsigned underway;        /* (a) transfers */
	_Atomic uint64_t lost;            /* (a) nodes that are of no use any more */
	struct xy__blame blame;
};

/* A task's accesses on their way to the node of its worker, and while it runs. */
struct xy__fetch {
	struct xy_task *task;
	unsigned node, worker;
	unsigned npinned;                 /* accesses whose copies are held, the first ones */
	bool holding;                     /* it counts as one that may hold some */
	bool admitted;                    /* all of them */
	bool there;                       /* all was in RAM, and nothing had to be held */
	unsigned changes;                 /* the node's, when it began to look for memory */
	void **buffers;                   /* (c) by access, for the codelet */
	char reason[320];                 /* why it failed */
};

/* --- memory.c --- */

int xy__memory_init(struct xy_runtime *rt);
void xy__memory_fini(struct xy_runtime *rt);
void xy__memory_dump(struct xy_runtime *rt, FILE *out);

/* What a handle has with several nodes: made and forgotten with it. Nothing is under way at the end. */
int xy__copies_init(struct xy_handle *h);
void xy__copies_fini(struct xy_handle *h);

/* The handle's copy on a node, made at first use; NULL without memory. The handle is locked. */
struct xy__copy *xy__copy_on(struct xy_handle *h, unsigned node);
/* A worker's own copy without content. The handle is locked. */
struct xy__copy *xy__copy_scratch(struct xy_handle *h, unsigned worker, unsigned node);

enum xy__effort {
	XY__EFFORT_IDLE,        /* only what nobody is expected to use goes for it */
	XY__EFFORT_ALL          /* whatever can go */
};
/* Gives a copy memory. The handle is locked, but not all the time. 0, -EAGAIN: may work later, -ENOMEM: the
 * device says so or the host has none, -ENODEV. */
int xy__copy_allocate(struct xy__copy *copy, enum xy__effort effort, struct xy__agent *agent);
/* Gives its memory back. The handle is locked, and the copy is neither home nor pinned. */
void xy__copy_release(struct xy__copy *copy);
/* Keeps a copy, which has memory, where it is. The handle is locked. */
void xy__copy_pin(struct xy__copy *copy);
/* Makes it the first to go. The handle is locked. */
void xy__copy_make_oldest(struct xy__copy *copy);

/* --- evict.c --- */

/* Memory for one array, making room if need be. 0, -EAGAIN: may work later, -ENODEV, or what the driver says. */
int xy__node_take(struct xy__node *node, size_t bytes, void **memory, enum xy__effort effort,
		  struct xy__agent *agent);
/* Keeps memory for another copy, or gives it back to the device. */
void xy__node_give(struct xy__node *node, void *memory, size_t bytes);
/* Gives kept memory back to the device until `bytes` more fit; false if there was none. */
bool xy__node_flush(struct xy__node *node, size_t bytes);

/* --- nodes.c --- */

/* The driver on one of whose devices the memory is, by name; NULL if it is RAM, as far as can be told. */
const char *xy__memory_owner(struct xy_runtime *rt, const void *memory);
/* A transfer of the handle failed: keeps what its driver says about that, and tells it to who asks about the same. The
 * text is what the system says if there is nothing better. */
void xy__blame_set(struct xy_handle *h, int status, const struct xy_driver *driver);
void xy__blame_get(struct xy_handle *h, int status, char *text, size_t size);
/* The node is of no use any more. */
void xy__node_lose(struct xy_runtime *rt, unsigned node);

/* --- transfer.c --- */

/* Begins to bring the content to a copy that has memory, unless it is coming already, or old content is on its way
 * from there: then nothing begins before that has ended, and who needs it tries again. The handle is locked.
 * 0, -ENODATA when it is nowhere, -ENOMEM, or what the driver says. */
int xy__transfer_begin(struct xy__copy *to, struct xy__agent *agent);
/* Brings new content to a copy that has memory, now, or when transfers of old content are out of the way. Only a hint:
 * what fails is left. The handle is locked. */
void xy__transfer_offer(struct xy__copy *to, struct xy__agent *agent);
/* Begins to save the only valid copy to RAM, to give it up afterwards. */
int xy__transfer_evict(struct xy__copy *from, struct xy__agent *agent);
/* What is under way is overwritten: it goes no further and is not valid when it arrives. Handle is locked. */
void xy__transfers_spoil(struct xy_handle *h);
/* Looks after transfers that have ended; true if there were any. */
bool xy__transfers_poll(struct xy_runtime *rt, struct xy__agent *agent);
/* The content is not needed any more: waits for all transfers of a handle, and there will be no other. */
void xy__transfers_end(struct xy_handle *h);
/* Somebody who was to look after transfers has something else to do: calls a worker that sleeps. */
void xy__transfers_entrust(struct xy_runtime *rt);
/* Waits for all transfers. */
void xy__transfers_drain(struct xy_runtime *rt);

static inline bool xy__node_is_lost(const struct xy__memory *memory, unsigned node)
{
	return atomic_load_explicit(&((struct xy__memory *)memory)->lost, memory_order_relaxed) >> node & 1;
}

/* Whether nobody but so many tasks that look for memory uses or holds anything on the node, and none is in the hands
 * of a thread that is about to use it or to give it back. The node is locked. */
static inline bool xy__node_rests(struct xy__node *node, unsigned holding)
{
	return !node->admitted && node->holding == holding && !atomic_load(&node->busy) &&
	       node->used - node->cached == node->listed;
}

/* Before what may let somebody else have memory becomes visible. */
static inline void xy__node_change(struct xy__node *node)
{
	atomic_fetch_add(&node->changes, 1);
}

static inline bool xy__transfers_underway(struct xy__memory *memory)
{
	return atomic_load_explicit(&memory->underway, memory_order_relaxed) != 0;
}

/* A little patience between two polls: longer and longer. */
void xy__patience(unsigned *rounds);

extern const struct xy_driver xy__cpu_driver;

/* --- prefetch.c --- */

/* What the engine of a runtime with several nodes does for xy_task_prefetch. */
void xy__task_prefetch(struct xy__tree_engine *engine, struct xy_task *task, unsigned worker, struct xy_agent *by);
/* A queue bound to a node had the task brought there; it has left that queue. */
void xy__task_unwant(struct xy_task *task);

/* Brings the content, unless it was invalidated, back to the memory of the application, which holds the handle and
 * forgets it. 0 or why not, with a line in the log. */
int xy__fetch_back(struct xy_handle *h);

/* --- fetch.c --- */

/* Begins to bring a task's data to its worker's node. The fields task, node, worker and buffers are set. */
void xy__fetch_init(struct xy__fetch *fetch, struct xy_task *task, struct xy__worker *worker, void **buffers);
/* Goes on with it: 0 all is there and pinned, -EAGAIN, or why not, with a reason. */
int xy__fetch_step(struct xy__fetch *fetch, struct xy__agent *agent);
/* The task has run with this status, or will not. */
void xy__fetch_end(struct xy__fetch *fetch, int status, struct xy__agent *agent);
/* Steps until it is there. */
int xy__fetch_wait(struct xy__fetch *fetch, struct xy__agent *agent);

/* An acquire's turn has come. 0: its data is in RAM, or need not be. -EAGAIN: await is told when something
 * changes. Otherwise why not. */
int xy__fetch_home(struct xy_handle *h, unsigned mode, struct xy__await *await, struct xy__agent *agent);

#endif
