/* SPDX-License-Identifier: MIT */
/*
 * Memory of tasks, from chunks. Only the owner takes; others give back in batches through a stack.
 */
#include "core/task/pool.h"

#include <stdlib.h>
#include <string.h>

#include "core/lockfree/stack.h"

enum { CHUNK_TASKS = 64, CHUNK_BLOCKS = 16 };

struct xy__pool_chunk {
	alignas(64) struct xy__pool_chunk *next;
	unsigned ntasks;
	struct xy_task tasks[]; /* or blocks of edges when ntasks is 0 */
};

void xy__pool_init(struct xy__pool *pool, struct xy_runtime *runtime, const struct xy_machine *machine)
{
	memset(pool, 0, sizeof *pool);
	pool->runtime = runtime;
	pool->machine = machine;
}

static struct xy__pool_chunk *pool_chunk(struct xy__pool *pool, size_t bytes, unsigned ntasks)
{
	size_t size = (sizeof(struct xy__pool_chunk) + bytes + 63) / 64 * 64;
	struct xy__pool_chunk *chunk = aligned_alloc(64, size);

	if (!chunk)
		return NULL;
	memset(chunk, 0, size);
	chunk->ntasks = ntasks;
	chunk->next = atomic_load_explicit(&pool->chunks, memory_order_relaxed);
	/* release: pairs with the acquire in xy__pool_each */
	atomic_store_explicit(&pool->chunks, chunk, memory_order_release);
	return chunk;
}

static bool pool_refill(struct xy__pool *pool)
{
	struct xy__pool_chunk *chunk;

	pool->free = xy__stack_take(&pool->returned);
	if (pool->free)
		return true;
	chunk = pool_chunk(pool, CHUNK_TASKS * sizeof(struct xy_task), CHUNK_TASKS);
	if (!chunk)
		return false;
	for (unsigned i = CHUNK_TASKS; i-- > 0;) {
		chunk->tasks[i].pool = pool;
		chunk->tasks[i].next = pool->free;
		pool->free = &chunk->tasks[i];
	}
	return true;
}

struct xy_task *xy__pool_take_slowly(struct xy__pool *pool)
{
	struct xy_task *task;

	if (!pool->free && !pool_refill(pool))
		return NULL;
	task = pool->free;
	pool->free = task->next;
	xy__pool_drop_edges(pool, task);
	return task;
}

void xy__pool_drop_edges(struct xy__pool *pool, struct xy_task *task)
{
	struct xy__edge_block *block = task->nedges > XY__TASK_EDGES ? task->more_edges : NULL;

	while (block) {
		struct xy__edge_block *next = block->next;

		xy__pool_give_block(pool, block);
		block = next;
	}
	task->nedges = 0;
	task->edge_room = 0;
}

void xy__pool_flush(struct xy__pool *mine)
{
	if (!mine->batch_count)
		return;
	xy__stack_push(&mine->batch_pool->returned, mine->batch_first, mine->batch_last);
	mine->batch_count = 0;
}

void xy__pool_give_slowly(struct xy__pool *mine, struct xy_task *task)
{
	if (task->pool == mine) {
		task->next = mine->free;
		mine->free = task;
		return;
	}
	xy__pool_flush(mine);
	mine->batch_pool = task->pool;
	mine->batch_first = mine->batch_last = task;
	mine->batch_count = 1;
	task->next = NULL;
}

static bool pool_add_blocks(struct xy__pool *pool)
{
	struct xy__pool_chunk *chunk = pool_chunk(pool, CHUNK_BLOCKS * sizeof(struct xy__edge_block), 0);

	if (!chunk)
		return false;
	for (unsigned i = 0; i < CHUNK_BLOCKS; i++) {
		struct xy__edge_block *block = (struct xy__edge_block *)chunk->tasks + i;

		block->owner = pool;
		block->next = pool->free_blocks;
		pool->free_blocks = block;
	}
	return true;
}

/* Makes the blocks that others have given back the owner's again. */
static void pool_collect_blocks(struct xy__pool *pool)
{
	/* acquire: pairs with the release in xy__pool_give_block */
	struct xy__edge_block *block = atomic_exchange_explicit(&pool->returned_blocks, NULL, memory_order_acquire);

	while (block) {
		struct xy__edge_block *next = block->next;

		block->next = pool->free_blocks;
		pool->free_blocks = block;
		block = next;
	}
}

bool xy__pool_reserve_edges(struct xy__pool *pool, unsigned edges)
{
	unsigned room = 0;

	pool_collect_blocks(pool);
	for (struct xy__edge_block *block = pool->free_blocks; block && room < edges; block = block->next)
		room += XY__EDGE_BLOCK;
	for (; room < edges; room += CHUNK_BLOCKS * XY__EDGE_BLOCK)
		if (!pool_add_blocks(pool))
			return false;
	return true;
}

struct xy__edge_block *xy__pool_take_block(struct xy__pool *pool)
{
	struct xy__edge_block *block;

	if (!pool->free_blocks)
		pool_collect_blocks(pool);
	if (!pool->free_blocks && !pool_add_blocks(pool))
		return NULL;
	block = pool->free_blocks;
	pool->free_blocks = block->next;
	return block;
}

void xy__pool_give_block(struct xy__pool *mine, struct xy__edge_block *block)
{
	struct xy__pool *owner = block->owner;
	struct xy__edge_block *head;

	if (owner == mine) {
		block->next = mine->free_blocks;
		mine->free_blocks = block;
		return;
	}
	head = atomic_load_explicit(&owner->returned_blocks, memory_order_relaxed);
	do
		block->next = head;
	/* release: pairs with the acquire in pool_collect_blocks; all are taken at once, hence no ABA */
	while (!atomic_compare_exchange_weak_explicit(&owner->returned_blocks, &head, block, memory_order_release,
						      memory_order_relaxed));
}

bool xy__pool_add_edges(struct xy__pool *pool, struct xy_task *task)
{
	struct xy__edge_block *block = xy__pool_take_block(pool);

	if (!block)
		return false;
	block->next = task->nedges > XY__TASK_EDGES ? task->more_edges : NULL;
	task->nedges = XY__TASK_EDGES + 1;
	task->more_edges = block;
	task->edge_room = XY__EDGE_BLOCK;
	return true;
}

void xy__pool_each(struct xy__pool *pool, void (*visit)(void *arg, struct xy_task *task), void *arg)
{
	/* acquire: pairs with the release in pool_chunk */
	struct xy__pool_chunk *chunk = atomic_load_explicit(&pool->chunks, memory_order_acquire);

	for (; chunk; chunk = chunk->next)
		for (unsigned i = 0; i < chunk->ntasks; i++)
			if (atomic_load_explicit(&chunk->tasks[i].state, memory_order_acquire) != XY__TASK_FREE)
				visit(arg, &chunk->tasks[i]);
}

size_t xy__pool_bytes(struct xy__pool *pool)
{
	/* acquire: pairs with the release in pool_chunk */
	struct xy__pool_chunk *chunk = atomic_load_explicit(&pool->chunks, memory_order_acquire);
	size_t bytes = 0;

	for (; chunk; chunk = chunk->next)
		bytes += chunk->ntasks ? chunk->ntasks * sizeof(struct xy_task)
				       : CHUNK_BLOCKS * sizeof(struct xy__edge_block);
	return bytes;
}

void xy__pool_fini(struct xy__pool *pool)
{
	struct xy__pool_chunk *chunk = atomic_load_explicit(&pool->chunks, memory_order_relaxed);

	while (chunk) {
		struct xy__pool_chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
	atomic_store_explicit(&pool->chunks, NULL, memory_order_relaxed);
}
