/* SPDX-License-Identifier: MIT */
/*
 * Time, hashes, and copies of memory.
 */
#include "internal.h"

#include <unistd.h>

/* --- copies of memory --- */

int starpu_interface_copy(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
			  unsigned dst_node, size_t size, void *async_data)
{
	return starpu_interface_copy2d(src, src_offset, src_node, dst, dst_offset, dst_node, size, 1, 0, 0, async_data);
}

static int copy_check(unsigned src_node, unsigned dst_node)
{
	if (starpu_node_get_kind(src_node) == STARPU_CPU_RAM && starpu_node_get_kind(dst_node) == STARPU_CPU_RAM)
		return 0;
	return xs_fail(-ENOTSUP, "copies of the program's own interfaces are made in RAM only");
}

/* Blocks of bytes in up to three dimensions, innermost first. */
static void copy_blocks(char *to, const char *from, size_t bytes, unsigned ndims, const size_t *counts,
			const size_t *from_strides, const size_t *to_strides)
{
	if (!ndims) {
		memcpy(to, from, bytes);
		return;
	}
	for (size_t i = 0; i < counts[ndims - 1]; i++)
		copy_blocks(to + i * to_strides[ndims - 1], from + i * from_strides[ndims - 1], bytes, ndims - 1,
			    counts, from_strides, to_strides);
}

int starpu_interface_copy4d(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
			    unsigned dst_node, size_t blocksize, size_t numblocks_1, size_t ld1_src, size_t ld1_dst,
			    size_t numblocks_2, size_t ld2_src, size_t ld2_dst, size_t numblocks_3, size_t ld3_src,
			    size_t ld3_dst, void *async_data)
{
	int error = copy_check(src_node, dst_node);

	(void)async_data;
	if (!error)
		copy_blocks((char *)dst + dst_offset, (const char *)src + src_offset, blocksize, 3,
			    (const size_t[]){ numblocks_1, numblocks_2, numblocks_3 },
			    (const size_t[]){ ld1_src, ld2_src, ld3_src },
			    (const size_t[]){ ld1_dst, ld2_dst, ld3_dst });
	return error;
}

uintptr_t starpu_interface_map(uintptr_t src, size_t src_offset, unsigned src_node, unsigned dst_node, size_t size,
			       int *ret)
{
	(void)src;
	(void)src_offset;
	(void)src_node;
	(void)dst_node;
	(void)size;
	*ret = -EIO;
	return 0;
}

int starpu_interface_unmap(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, unsigned dst_node,
			   size_t size)
{
	(void)src;
	(void)src_offset;
	(void)src_node;
	(void)dst;
	(void)dst_node;
	(void)size;
	return -EIO;
}

int starpu_interface_update_map(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
				unsigned dst_node, size_t size)
{
	(void)dst_offset;
	return starpu_interface_unmap(src, src_offset, src_node, dst, dst_node, size);
}

int starpu_interface_copy3d(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
			    unsigned dst_node, size_t blocksize, size_t numblocks_1, size_t ld1_src, size_t ld1_dst,
			    size_t numblocks_2, size_t ld2_src, size_t ld2_dst, void *async_data)
{
	return starpu_interface_copy4d(src, src_offset, src_node, dst, dst_offset, dst_node, blocksize, numblocks_1,
				       ld1_src, ld1_dst, numblocks_2, ld2_src, ld2_dst, 1, 0, 0, async_data);
}

int starpu_interface_copy2d(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
			    unsigned dst_node, size_t blocksize, size_t numblocks, size_t ld_src, size_t ld_dst,
			    void *async_data)
{
	return starpu_interface_copy3d(src, src_offset, src_node, dst, dst_offset, dst_node, blocksize, numblocks,
				       ld_src, ld_dst, 1, 0, 0, async_data);
}

int starpu_interface_copynd(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
			    unsigned dst_node, size_t elemsize, size_t ndim, uint32_t *nn, uint32_t *ldn_src,
			    uint32_t *ldn_dst, void *async_data)
{
	size_t counts[XY_NDIMS], from[XY_NDIMS], to[XY_NDIMS];
	int error = ndim > XY_NDIMS ? -EINVAL : copy_check(src_node, dst_node);

	(void)async_data;
	for (size_t d = 0; d < ndim && !error; d++) {
		counts[d] = nn[d];
		from[d] = ldn_src[d] * elemsize;
		to[d] = ldn_dst[d] * elemsize;
	}
	if (!error)
		copy_blocks((char *)dst + dst_offset, (const char *)src + src_offset, elemsize, (unsigned)ndim, counts,
			    from, to);
	return error;
}

/* Marks of a trace, which Xylem's has of its own. */
void starpu_interface_start_driver_copy_async(unsigned src_node, unsigned dst_node, double *start)
{
	(void)src_node;
	(void)dst_node;
	*start = starpu_timing_now();
}

void starpu_interface_end_driver_copy_async(unsigned src_node, unsigned dst_node, double start)
{
	(void)src_node;
	(void)dst_node;
	(void)start;
}

void starpu_interface_data_copy(unsigned src_node, unsigned dst_node, size_t size)
{
	(void)src_node;
	(void)dst_node;
	(void)size;
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

const char *starpu_strerror_r(int errnum, char *buf, size_t buflen)
{
	snprintf(buf, buflen, "%s", strerror(errnum));
	return buf;
}
