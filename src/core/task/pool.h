/* SPDX-License-Identifier: MIT */
/*
 * Memory of tasks. Each agent has a pool; a task goes back to the pool that it came from, in batches
 * when another agent frees it. Chunks are freed with the pool only.
 *
 * Locking key: (c) constant, (o) the agent that owns the pool, (a) atomic.
 */
#ifndef XYLEM_CORE_TASK_POOL_H
#define XYLEM_CORE_TASK_POOL_H

#include "core/task/task.h"

struct xy__pool_chunk;
struct xy__perf;
struct xy__bus;

enum { XY__POOL_BATCH = 64 }; /* tasks that are given back together */

/* Workers that run nothing any more, as their device is lost. */
struct xy__deaths {
	_Atomic unsigned count; /* (a) */
	_Atomic unsigned begun; /* (a) of those, and one that is not complete */
	_Atomic uint8_t *of;    /* (c) (a) by worker: how many had died with it; 0: alive */
};

/* Where workers compute, and what moving data between the places costs. */
struct xy__places {
	unsigned nworkers;         /* (c) */
	unsigned *nodes;           /* (c) by worker: the memory node of its tasks' data */
	const struct xy__bus *bus; /* (c) */
	uint64_t common;           /* (c) nodes that are as near to all workers as RAM is: RAM and disks */
};

struct xy__pool {
	const struct xy_machine *machine; /* (c) of the tasks' runtime */
	struct xy_runtime *runtime;       /* (c) */
	const struct xy__deaths *deaths;  /* (c) of the runtime's workers, NULL without a runtime */
	struct xy__perf *perf;            /* (c) of the runtime, NULL without one */
	const struct xy__places *places;  /* (c) likewise */
	/* (c) how long a task takes, if the runtime's engine knows; NULL: only models know */
	struct xy_prediction (*length)(struct xy_runtime *rt, const struct xy_task *task, unsigned worker);
	struct xy_task *free;                    /* (o) linked by next */
	struct xy__edge_block *free_blocks;      /* (o) */
	_Atomic(struct xy__pool_chunk *) chunks; /* (a) all memory, for the dump and the end */
	/* Tasks of another pool freed by this agent, not returned yet. */
	struct xy__pool *batch_pool;                      /* (o) */
	struct xy_task *batch_first, *batch_last;         /* (o) */
	unsigned batch_count;                             /* (o) */
	alignas(64) _Atomic(struct xy_task *) returned;   /* (a) given back by other agents */
	_Atomic(struct xy__edge_block *) returned_blocks; /* (a) likewise */
};

/* Whether a worker has died. */
static inline bool xy__pool_has_deaths(const struct xy__pool *pool)
{
	/* relaxed: one that has just died gives its tasks back */
	return pool->deaths && atomic_load_explicit(&((struct xy__deaths *)pool->deaths)->count, memory_order_relaxed);
}

void xy__pool_init(struct xy__pool *pool, struct xy_runtime *runtime, const struct xy_machine *machine);
/* Frees the memory of all tasks. No agent may use the pool any more. */
void xy__pool_fini(struct xy__pool *pool);

/* A task from the owner's pool; its pool is set and extra is NULL. NULL without memory. */
struct xy_task *xy__pool_take_slowly(struct xy__pool *pool);

static inline struct xy_task *xy__pool_take(struct xy__pool *pool)
{
	struct xy_task *task = pool->free;

	if (!task || task->nedges > XY__TASK_EDGES)
		return xy__pool_take_slowly(pool);
	pool->free = task->next;
	/* The next one was last used by another core: bring it here meanwhile. */
	__builtin_prefetch(task->next, 1);
	__builtin_prefetch((void *)((uintptr_t)task->next + 64), 1);
	return task;
}

/* Frees an unreferenced task; `mine` is the pool of the calling agent. */
void xy__pool_give_slowly(struct xy__pool *mine, struct xy_task *task);

static inline void xy__pool_give(struct xy__pool *mine, struct xy_task *task)
{
	xy__task_set_state(task, XY__TASK_FREE);
	if (mine->batch_pool != task->pool || mine->batch_count - 1 >= XY__POOL_BATCH - 1) {
		xy__pool_give_slowly(mine, task);
		return;
	}
	task->next = mine->batch_first;
	mine->batch_first = task;
	mine->batch_count++;
}

/* Gives back what has been collected: before the agent sleeps. */
void xy__pool_flush(struct xy__pool *mine);

/* Ensures that the next `edges` edges of the owner's tasks need no memory; false without memory. */
bool xy__pool_reserve_edges(struct xy__pool *pool, unsigned edges);
/* A block of edges for a task, linked into it; false without memory. */
bool xy__pool_add_edges(struct xy__pool *pool, struct xy_task *task);

/* A block for other use; NULL without memory. */
struct xy__edge_block *xy__pool_take_block(struct xy__pool *pool);
/* Gives a block back to the pool that it came from; `mine` is the pool of the agent that does it. */
void xy__pool_give_block(struct xy__pool *mine, struct xy__edge_block *block);
/* Takes the blocks of edges from a task. */
void xy__pool_drop_edges(struct xy__pool *pool, struct xy_task *task);

/* Calls visit for each task that is not free. Any thread; what it sees may be changing. */
void xy__pool_each(struct xy__pool *pool, void (*visit)(void *arg, struct xy_task *task), void *arg);

/* All memory of the pool, which it keeps until the end. Any thread. */
size_t xy__pool_bytes(struct xy__pool *pool);

#endif
