/* SPDX-License-Identifier: MIT */
/*
 * Ticks: the components that asked for a call at some time, the earliest first. The lock is the innermost of all: no
 * function is called while it is held. Locking key: (c) constant after seal, (l) lock, (a) atomic.
 */
#ifndef XYLEM_CORE_TREE_TICKS_H
#define XYLEM_CORE_TREE_TICKS_H

#include <stdbool.h>

struct xy_agent;
struct xy_component;
struct xy_tree;

struct xy__ticks {
	_Atomic int lock;
	struct xy_component **line; /* (l) a heap; room for each component with a tick */
	unsigned count;             /* (l) */
	_Atomic double next_us;     /* (a) of the first; INFINITY: none waits */
	_Atomic unsigned begun;     /* (a) calls begun, and ... */
	_Atomic unsigned ended;     /* (a) ... ended: different while a tick runs */
};

/* Room for so many components. 0 or -ENOMEM. */
int xy__ticks_init(struct xy__ticks *ticks, unsigned count);
void xy__ticks_fini(struct xy__ticks *ticks);

/* When the next tick is due, INFINITY without one. Any thread. */
double xy__ticks_next_us(struct xy_tree *tree);

/*
 * Calls the ticks that are due by the clock of the tree's engine; true if any. One thread at a time. A component that
 * asks again meanwhile waits for the next call.
 */
bool xy__ticks_run(struct xy_tree *tree, struct xy_agent *by);

/*
 * Whether a tick may yet move a task: one runs, or one waits while some component stores tasks. Ticks that wait while
 * nothing is stored change nothing. Any thread that holds no component lock.
 */
bool xy__ticks_may_move(struct xy_tree *tree);

#endif
