/* SPDX-License-Identifier: MIT */
/*
 * Brings the data of a task, or of an acquire, to where it is used.
 */
#ifndef XYLEM_CORE_DATA_FETCH_H
#define XYLEM_CORE_DATA_FETCH_H

#include "core/data/copy.h"

struct xy__worker;

/* A task's accesses on their way to the node of its worker, and while it runs. */
struct xy__fetch {
	struct xy_task *task;
	unsigned node, worker;
	unsigned npinned;         /* accesses whose copies are held, the first ones */
	bool holding;             /* it counts as one that may hold some */
	bool admitted;            /* all of them */
	bool there;               /* all was in RAM, and nothing had to be held */
	bool too_large;           /* it needs more than the node may hold */
	bool apart;               /* what it holds must not live in larger copies: these leave no room */
	bool behind;              /* tasks before it are still running on its worker: see behind.h */
	uint64_t coming;          /* accesses whose content those tasks write here; 0 once they have ended */
	struct xy__place *places; /* (c) by access, or NULL: all on the node */
	unsigned changes;         /* the node's, when it began to look for memory */
	void **buffers;           /* (c) by access, for the codelet */
	char reason[320];         /* why it failed */
};

/* Begins to bring a task's data to its worker's node. The fields task, node, worker and buffers are set. */
void xy__fetch_init(struct xy__fetch *fetch, struct xy_task *task, struct xy__worker *worker, void **buffers);
/* For a task that is launched behind others, after xy__fetch_init. */
static inline void xy__fetch_follow(struct xy__fetch *fetch, uint64_t coming)
{
	fetch->behind = true;
	fetch->coming = coming;
}
/* Continues: 0 if all data is present and pinned, -EAGAIN, or an error with a reason. */
int xy__fetch_step(struct xy__fetch *fetch, struct xy__agent *agent);
/* The task has run with this status, or will not. */
void xy__fetch_end(struct xy__fetch *fetch, int status, struct xy__agent *agent);
/* After the end of a task that failed: whether all that it reads is as it was before. */
bool xy__fetch_is_unharmed(const struct xy__fetch *fetch);
/* Steps until the data is present. */
int xy__fetch_wait(struct xy__fetch *fetch, struct xy__agent *agent);

/*
 * Data is to be in RAM. 0: it is, or need not be. -EAGAIN: await is notified when something changes. Otherwise an
 * error.
 */
int xy__fetch_home(struct xy_handle *h, unsigned mode, struct xy__await *await, struct xy__agent *agent);
/* xy__fetch_home for a handle that ends: it is to be in the memory of the application, wherever that is. */
int xy__fetch_leave(struct xy_handle *h, struct xy__await *await, struct xy__agent *agent);
/* xy__fetch_home for an acquire whose turn has come; after 0, the data stays in RAM until xy__copy_let_go. */
int xy__fetch_acquire(struct xy_handle *h, unsigned mode, struct xy__await *await, struct xy__agent *agent);

#endif
