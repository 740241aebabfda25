/* SPDX-License-Identifier: MIT */
/*
 * Memory, time, hashes, and copies of memory.
 */
#include "internal.h"

#include <unistd.h>

static size_t alignment = sizeof(void *) * 2;

/* --- memory --- */

void starpu_malloc_set_align(size_t align)
{
	if (align && !(align & (align - 1)) && align > alignment)
		alignment = align;
}

int starpu_malloc_flags(void **A, size_t dim, int flags)
{
	if (!A)
		return -EINVAL;
	if (posix_memalign(A, alignment, dim ? dim : 1)) {
		*A = NULL;
		return -ENOMEM;
	}
	if ((flags & (int)STARPU_MALLOC_PINNED) && xs_global.rt && xs_global.nnodes > 1)
		xy_memory_pin(xs_global.rt, *A, dim);
	return 0;
}

int starpu_free_flags(void *A, size_t dim, int flags)
{
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

int starpu_free_noflag(void *A)
{
	return starpu_free_flags(A, 0, 0);
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

starpu_ssize_t starpu_memory_get_total(unsigned node)
{
	struct xy_node_stats stats;

	if (!xs_global.rt || xy_node_stats(xs_global.rt, node, &stats) || !stats.limit_bytes)
		return -1;
	return (starpu_ssize_t)stats.limit_bytes;
}

size_t starpu_memory_get_used(unsigned node)
{
	struct xy_node_stats stats;

	return xs_global.rt && !xy_node_stats(xs_global.rt, node, &stats) ? stats.used_bytes : 0;
}

starpu_ssize_t starpu_memory_get_available(unsigned node)
{
	starpu_ssize_t total = starpu_memory_get_total(node);

	return total < 0 ? -1 : total - (starpu_ssize_t)starpu_memory_get_used(node);
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

uintptr_t starpu_malloc_on_node(unsigned dst_node, size_t size)
{
	return starpu_malloc_on_node_flags(dst_node, size, 0);
}

void starpu_free_on_node_flags(unsigned dst_node, uintptr_t addr, size_t size, int flags)
{
	(void)dst_node;
	starpu_free_flags((void *)addr, size, flags);
}

void starpu_free_on_node(unsigned dst_node, uintptr_t addr, size_t size)
{
	starpu_free_on_node_flags(dst_node, addr, size, 0);
}

int starpu_interface_copy(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
			  unsigned dst_node, size_t size, void *async_data)
{
	(void)async_data;
	if (starpu_node_get_kind(src_node) != STARPU_CPU_RAM || starpu_node_get_kind(dst_node) != STARPU_CPU_RAM)
		return xs_fail(-ENOTSUP, "starpu_interface_copy: only in RAM");
	memcpy((char *)dst + dst_offset, (const char *)src + src_offset, size);
	return 0;
}

/* --- time --- */

double starpu_timing_now(void)
{
	struct timespec t;

	if (xs_global.rt && xy_is_simulated(xs_global.rt))
		return xy_now(xs_global.rt) * 1e6;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

double starpu_timing_timespec_to_us(struct timespec *ts)
{
	return (double)ts->tv_sec * 1e6 + (double)ts->tv_nsec / 1e3;
}

double starpu_timing_timespec_delay_us(struct timespec *start, struct timespec *end)
{
	return starpu_timing_timespec_to_us(end) - starpu_timing_timespec_to_us(start);
}

void starpu_usleep(float nb_micro_sec)
{
	struct timespec t = { (time_t)(nb_micro_sec / 1e6f), 0 };

	t.tv_nsec = (long)(((double)nb_micro_sec - (double)t.tv_sec * 1e6) * 1e3);
	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

void starpu_sleep(float nb_sec)
{
	starpu_usleep(nb_sec * 1e6f);
}

/* --- hashes: CRC-32C, bit by bit from the top --- */

static uint32_t crc_byte(uint32_t crc, uint8_t byte)
{
	crc ^= (uint32_t)byte << 24;
	for (unsigned i = 0; i < 8; i++)
		crc = crc & 0x80000000u ? crc << 1 ^ 0x1edc6f41u : crc << 1;
	return crc;
}

uint32_t starpu_hash_crc32c_be_n(const void *input, size_t n, uint32_t inputcrc)
{
	const uint8_t *bytes = input;

	for (size_t i = 0; i < n; i++)
		inputcrc = crc_byte(inputcrc, bytes[i]);
	return inputcrc;
}

uint32_t starpu_hash_crc32c_be(uint32_t input, uint32_t inputcrc)
{
	uint8_t bytes[4] = { (uint8_t)(input >> 24), (uint8_t)(input >> 16), (uint8_t)(input >> 8), (uint8_t)input };

	return starpu_hash_crc32c_be_n(bytes, 4, inputcrc);
}

uint32_t starpu_hash_crc32c_be_ptr(void *input, uint32_t inputcrc)
{
	return starpu_hash_crc32c_be_n(&input, sizeof input, inputcrc);
}

uint32_t starpu_hash_crc32c_string(const char *str, uint32_t inputcrc)
{
	return starpu_hash_crc32c_be_n(str, strlen(str), inputcrc);
}

char *_starpu_mkdtemp(char *tmpl)
{
	return mkdtemp(tmpl);
}
