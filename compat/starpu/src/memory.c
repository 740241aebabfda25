/* SPDX-License-Identifier: MIT */
/*
 * Memory: allocated, pinned and counted.
 */
#include "internal.h"

static size_t alignment = sizeof(void *) * 2;

void starpu_malloc_set_align(size_t align)
{
	if (align && !(align & (align - 1)) && align > alignment)
		alignment = align;
}

static starpu_malloc_hook malloc_hook;
static starpu_free_hook free_hook;

/* Memory in RAM comes from the program's own functions. */
void starpu_malloc_set_hooks(starpu_malloc_hook own_malloc, starpu_free_hook own_free)
{
	malloc_hook = own_malloc;
	free_hook = own_free;
}

int starpu_malloc_flags(void **A, size_t dim, int flags)
{
	if (!A)
		return -EINVAL;
	if (malloc_hook)
		return malloc_hook(STARPU_MAIN_RAM, A, dim, flags);
	if ((flags & (int)STARPU_MALLOC_COUNT) &&
	    starpu_memory_allocate(STARPU_MAIN_RAM, dim,
				   flags & (int)STARPU_MALLOC_NORECLAIM ? (int)STARPU_MEMORY_OVERFLOW : flags)) {
		*A = NULL;
		return -ENOMEM;
	}
	if (posix_memalign(A, alignment, dim ? dim : 1)) {
		if (flags & (int)STARPU_MALLOC_COUNT)
			starpu_memory_deallocate(STARPU_MAIN_RAM, dim);
		*A = NULL;
		return -ENOMEM;
	}
	if ((flags & (int)STARPU_MALLOC_PINNED) && xs_global.rt && xs_global.nnodes > 1)
		xy_memory_pin(xs_global.rt, *A, dim);
	return 0;
}

int starpu_free_flags(void *A, size_t dim, int flags)
{
	if (free_hook)
		return free_hook(STARPU_MAIN_RAM, A, dim, flags);
	if (A && (flags & (int)STARPU_MALLOC_COUNT))
		starpu_memory_deallocate(STARPU_MAIN_RAM, dim);
	if ((flags & (int)STARPU_MALLOC_PINNED) && A && dim && xs_global.rt && xs_global.nnodes > 1)
		xy_memory_unpin(xs_global.rt, A);
	free(A);
	return 0;
}

int starpu_malloc(void **A, size_t dim)
{
	return starpu_malloc_flags(A, dim, 0);
}

int starpu_free(void *A)
{
	return starpu_free_flags(A, 0, 0);
}

int starpu_free_noflag(void *A, size_t dim)
{
	return starpu_free_flags(A, dim, 0);
}

int starpu_memory_pin(void *addr, size_t size)
{
	return xs_global.rt && xs_global.nnodes > 1 ? xy_memory_pin(xs_global.rt, addr, size) : 0;
}

int starpu_memory_unpin(void *addr, size_t size)
{
	(void)size;
	return xs_global.rt && xs_global.nnodes > 1 ? xy_memory_unpin(xs_global.rt, addr) : 0;
}

/* --- the limit of main memory: what the program counts, and what the runtime allocates for handles --- */

static pthread_mutex_t ram_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ram_cond = PTHREAD_COND_INITIALIZER;
static size_t ram_used, ram_limit; /* with ram_lock; a limit of 0 is none */

void xs_memory_limit(size_t bytes)
{
	pthread_mutex_lock(&ram_lock);
	ram_limit = bytes;
	ram_used = 0;
	pthread_mutex_unlock(&ram_lock);
}

int starpu_memory_allocate(unsigned node, size_t size, int flags)
{
	int error = 0;

	if (starpu_node_get_kind(node) != STARPU_CPU_RAM)
		return 0;
	pthread_mutex_lock(&ram_lock);
	while (ram_limit && ram_used + size > ram_limit && !(flags & (int)STARPU_MEMORY_OVERFLOW) && !error)
		if (flags & (int)STARPU_MEMORY_WAIT && size <= ram_limit)
			pthread_cond_wait(&ram_cond, &ram_lock);
		else
			error = -ENOMEM;
	if (!error)
		ram_used += size;
	pthread_mutex_unlock(&ram_lock);
	return error;
}

void starpu_memory_deallocate(unsigned node, size_t size)
{
	if (starpu_node_get_kind(node) != STARPU_CPU_RAM)
		return;
	pthread_mutex_lock(&ram_lock);
	ram_used -= size < ram_used ? size : ram_used;
	pthread_cond_broadcast(&ram_cond);
	pthread_mutex_unlock(&ram_lock);
}

void starpu_memory_wait_available(unsigned node, size_t size)
{
	if (starpu_node_get_kind(node) != STARPU_CPU_RAM)
		return;
	pthread_mutex_lock(&ram_lock);
	while (ram_limit && size <= ram_limit && ram_used + size > ram_limit)
		pthread_cond_wait(&ram_cond, &ram_lock);
	pthread_mutex_unlock(&ram_lock);
}

starpu_ssize_t starpu_memory_get_total(unsigned node)
{
	struct xy_node_stats stats;

	if (starpu_node_get_kind(node) == STARPU_CPU_RAM)
		return ram_limit ? (starpu_ssize_t)ram_limit : -1;
	if (!xs_global.rt || xy_node_stats(xs_global.rt, node, &stats) || !stats.limit_bytes)
		return -1;
	return (starpu_ssize_t)stats.limit_bytes;
}

size_t starpu_memory_get_used(unsigned node)
{
	struct xy_node_stats stats;

	if (starpu_node_get_kind(node) == STARPU_CPU_RAM)
		return ram_used;
	return xs_global.rt && !xy_node_stats(xs_global.rt, node, &stats) ? stats.used_bytes : 0;
}

starpu_ssize_t starpu_memory_get_available(unsigned node)
{
	starpu_ssize_t total = starpu_memory_get_total(node);

	return total < 0 ? -1 : total - (starpu_ssize_t)starpu_memory_get_used(node);
}

starpu_ssize_t starpu_memory_get_total_all_nodes(void)
{
	starpu_ssize_t total = 0;

	for (unsigned node = 0; node < xs_global.nnodes; node++) {
		starpu_ssize_t here = starpu_memory_get_total(node);

		if (here < 0)
			return -1;
		total += here;
	}
	return total;
}

size_t starpu_memory_get_used_all_nodes(void)
{
	size_t used = 0;

	for (unsigned node = 0; node < xs_global.nnodes; node++)
		used += starpu_memory_get_used(node);
	return used;
}

starpu_ssize_t starpu_memory_get_available_all_nodes(void)
{
	starpu_ssize_t total = starpu_memory_get_total_all_nodes();

	return total < 0 ? -1 : total - (starpu_ssize_t)starpu_memory_get_used_all_nodes();
}

uintptr_t starpu_malloc_on_node_flags(unsigned dst_node, size_t size, int flags)
{
	void *memory = NULL;

	if (starpu_node_get_kind(dst_node) != STARPU_CPU_RAM) {
		xs_fail(-ENOTSUP, "starpu_malloc_on_node: only in RAM, not on node %u", dst_node);
		return 0;
	}
	starpu_malloc_flags(&memory, size, flags);
	return (uintptr_t)memory;
}

static int node_flags[STARPU_MAXNODES];

void starpu_malloc_on_node_set_default_flags(unsigned node, int flags)
{
	if (node < STARPU_MAXNODES)
		node_flags[node] = flags;
}

uintptr_t starpu_malloc_on_node(unsigned dst_node, size_t size)
{
	return starpu_malloc_on_node_flags(dst_node, size, dst_node < STARPU_MAXNODES ? node_flags[dst_node] : 0);
}

void starpu_free_on_node_flags(unsigned dst_node, uintptr_t addr, size_t size, int flags)
{
	(void)dst_node;
	starpu_free_flags((void *)addr, size, flags);
}

void starpu_free_on_node(unsigned dst_node, uintptr_t addr, size_t size)
{
	starpu_free_on_node_flags(dst_node, addr, size, dst_node < STARPU_MAXNODES ? node_flags[dst_node] : 0);
}
