/* SPDX-License-Identifier: MIT */
/*
 * Pinned blocks of RAM. Each is in a tree, by address, with the node whose driver pinned it, so that it returns to that
 * driver whatever has become of the devices since. A driver frees memory even if its device is lost.
 */
#include "core/data/host.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/node.h"
#include "core/util/futex.h"

enum { HOST_SMALL = 64 << 10 };                         /* not worth pinning: drivers stage such copies */
enum { HOST_ALIGNED = 4096 };                           /* what direct reads and writes of files need */
static const size_t host_most_kept = (size_t)256 << 20; /* bytes that are kept for reuse */

struct host_block {
	void *address; /* (c) */
	struct xy__node *node;
	size_t bytes;
	bool reusable;
	struct host_block *next; /* while it is kept */
};

static int host_compare(const void *a, const void *b)
{
	const char *x = ((const struct host_block *)a)->address, *y = ((const struct host_block *)b)->address;

	return x < y ? -1 : x > y;
}

/* Four sizes for each power of two, so that freed blocks fit the next request of about that size. */
static size_t host_size(size_t bytes)
{
	size_t step = HOST_SMALL;

	while (step < bytes / 8)
		step *= 2;
	return (bytes + step - 1) / step * step;
}

static void *host_pinned(struct xy__memory *memory, size_t bytes, struct xy__node **by)
{
	for (unsigned i = 0; i < memory->nnodes; i++) {
		struct xy__node *node = &memory->nodes[i];
		void *address;

		if (!node->driver->host_allocate || xy__node_is_lost(memory, i))
			continue;
		address = node->driver->host_allocate(node->device, bytes);
		if (address) {
			*by = node;
			return address;
		}
	}
	return NULL;
}

static void host_return(struct host_block *block)
{
	if (block->node)
		block->node->driver->host_free(block->node->device, block->address);
	else
		free(block->address);
	free(block);
}

static void *host_enter(struct xy__memory *memory, struct host_block *block)
{
	bool known;

	xy__lock_take(&memory->host_lock);
	known = tsearch(block, &memory->host_blocks, host_compare);
	xy__lock_drop(&memory->host_lock);
	if (known)
		return block->address;
	host_return(block);
	return NULL;
}

static void *host_new(struct xy__memory *memory, size_t bytes, bool reusable)
{
	struct host_block *block = calloc(1, sizeof *block);

	if (!block)
		return NULL;
	block->bytes = bytes;
	block->reusable = reusable;
	block->address = host_pinned(memory, bytes, &block->node);
	if (!block->address && !reusable)
		block->address = malloc(bytes);
	if (block->address)
		return host_enter(memory, block);
	free(block);
	return NULL;
}

void *xy__host_allocate(struct xy__memory *memory, size_t bytes)
{
	return host_new(memory, bytes, false);
}

/* A kept block of this size, which is the application's again; NULL without one. */
static struct host_block *host_reuse(struct xy__memory *memory, size_t bytes)
{
	struct host_block **link, *block;

	xy__lock_take(&memory->host_lock);
	for (link = &memory->host_kept; *link && (*link)->bytes != bytes; link = &(*link)->next)
		;
	block = *link;
	if (block) {
		*link = block->next;
		memory->host_kept_bytes -= bytes;
	}
	xy__lock_drop(&memory->host_lock);
	return block;
}

/* Pinned, or NULL. */
static void *host_content(struct xy__memory *memory, size_t bytes)
{
	size_t size = host_size(bytes);
	struct host_block *block;

	if (memory->nnodes == 1 || bytes < HOST_SMALL || size < bytes)
		return NULL;
	block = host_reuse(memory, size);
	return block ? host_enter(memory, block) : host_new(memory, size, true);
}

void *xy__host_block(struct xy__memory *memory, size_t bytes)
{
	void *address = host_content(memory, bytes);

	if (address || bytes < HOST_SMALL || bytes > SIZE_MAX - HOST_ALIGNED)
		return address ? address : malloc(bytes);
	return aligned_alloc(HOST_ALIGNED, (bytes + HOST_ALIGNED - 1) / HOST_ALIGNED * HOST_ALIGNED);
}

void *xy__host_zeroed(struct xy__memory *memory, size_t bytes)
{
	void *address = host_content(memory, bytes);

	return address ? memset(address, 0, bytes) : calloc(1, bytes);
}

bool xy__host_free(struct xy__memory *memory, void *address)
{
	struct host_block key = { .address = address }, **found, *block = NULL;
	bool keep = false;

	xy__lock_take(&memory->host_lock);
	found = tfind(&key, &memory->host_blocks, host_compare);
	if (found) {
		block = *found;
		tdelete(block, &memory->host_blocks, host_compare);
		keep = block->reusable && memory->host_kept_bytes + block->bytes <= host_most_kept;
	}
	if (keep) {
		block->next = memory->host_kept;
		memory->host_kept = block;
		memory->host_kept_bytes += block->bytes;
	}
	xy__lock_drop(&memory->host_lock);
	if (block && !keep)
		host_return(block);
	return block;
}

static void host_drop(void *block)
{
	free(block);
}

/* What the application has not freed stays its own. */
void xy__host_fini(struct xy__memory *memory)
{
	while (memory->host_kept) {
		struct host_block *block = memory->host_kept;

		memory->host_kept = block->next;
		host_return(block);
	}
	tdestroy(memory->host_blocks, host_drop);
	memory->host_blocks = NULL;
}
