/* SPDX-License-Identifier: MIT */
/*
 * Data that RAM has no room for goes to disk and comes back. Reads and writes of files go through this file, which lets
 * them fail, or do only a part.
 */
#include "../../helper.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TILE = 64 << 10, WORDS = TILE / sizeof(uint32_t), RAM = 0, DISK = 1 };

/* --- a disk that fails --- */

static _Atomic int write_error, read_error; /* errno, or 0 */
static _Atomic long writes_left;            /* until write_error, if that is set */
static _Atomic bool halting;                /* reads and writes do half of it, or are interrupted */

ssize_t __real_pwrite(int fd, const void *memory, size_t bytes, off_t offset);
ssize_t __real_pread(int fd, void *memory, size_t bytes, off_t offset);

static bool disk_interrupts(size_t *bytes)
{
	static _Atomic unsigned calls;

	if (!halting)
		return false;
	if (*bytes > 8192)
		*bytes = *bytes / 8192 * 4096;
	errno = EINTR;
	return ++calls % 3 == 0;
}

ssize_t __wrap_pwrite(int fd, const void *memory, size_t bytes, off_t offset)
{
	if (write_error && writes_left-- <= 0) {
		errno = write_error;
		return -1;
	}
	return disk_interrupts(&bytes) ? -1 : __real_pwrite(fd, memory, bytes, offset);
}

ssize_t __wrap_pread(int fd, void *memory, size_t bytes, off_t offset)
{
	if (read_error) {
		errno = read_error;
		return -1;
	}
	return disk_interrupts(&bytes) ? -1 : __real_pread(fd, memory, bytes, offset);
}

/* --- memory that runs out --- */

static _Atomic long allocations_left; /* until one fails; negative: none does */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);

static bool allocation_fails(void)
{
	return allocations_left >= 0 && allocations_left-- == 0;
}

void *__wrap_malloc(size_t bytes)
{
	return allocation_fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
	return allocation_fails() ? NULL : __real_calloc(n, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
	return allocation_fails() ? NULL : __real_aligned_alloc(alignment, bytes);
}

/* --- tasks --- */

static int set_body(struct xy_call *call)
{
	uint32_t *v = xy_pointer(call, 0), value = *(const uint32_t *)call->arg;

	for (size_t i = 0; i < xy_vector_at(call, 0)->n; i++)
		v[i] = value + (uint32_t)i;
	return 0;
}

static int add_body(struct xy_call *call)
{
	const uint32_t *from = xy_pointer(call, 1);
	uint32_t *v = xy_pointer(call, 0);

	for (size_t i = 0; i < xy_vector_at(call, 0)->n; i++)
		v[i] += from[i];
	return 0;
}

static int increment_body(struct xy_call *call)
{
	uint32_t *v = xy_pointer(call, 0);

	for (size_t i = 0; i < xy_vector_at(call, 0)->n; i++)
		v[i]++;
	return 0;
}

static int nothing_body(struct xy_call *call)
{
	(void)call;
	return 0;
}

static const struct xy_codelet set = { .name = "set", .cpu = { set_body }, .modes = { XY_W } };
static const struct xy_codelet add = { .name = "add", .cpu = { add_body }, .modes = { XY_RW, XY_R } };
static const struct xy_codelet increment = { .name = "increment", .cpu = { increment_body }, .modes = { XY_RW } };
static const struct xy_codelet look = { .name = "look", .cpu = { nothing_body }, .modes = { XY_R } };

/* A runtime with room for so many tiles in RAM and on disk. */
static struct helper *start(unsigned ram, unsigned disk, const char *sched)
{
	char limit[32], path[64];
	struct xy_config config = { .sched = sched, .ncpu = 2, .limit_ram = limit, .disk = path, .bind = XY_NO };

	write_error = read_error = 0;
	halting = false;
	allocations_left = -1;
	snprintf(limit, sizeof limit, "%u", ram * TILE);
	snprintf(path, sizeof path, ".:%u", disk * TILE);
	return helper_start_with(&config);
}

static struct xy_handle *tile(struct helper *h)
{
	struct xy_handle *v;

	assert_int_equal(xy_vector_register(h->rt, &v, NULL, WORDS, sizeof(uint32_t)), 0);
	return v;
}

static void tiles_register(struct helper *h, struct xy_handle **tiles, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		tiles[i] = tile(h);
}

static void tiles_unregister(struct xy_handle **tiles, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(xy_unregister(&tiles[i]), 0);
}

static void submit_set(struct helper *h, struct xy_handle *v, uint32_t value)
{
	helper_submit(h, &(struct xy_task_desc){
				 .codelet = &set, .handles = { v }, .arg = &value, .arg_size = sizeof value });
}

/* The words of a tile are value, value + factor, ... */
static void expect(struct xy_handle *v, uint32_t value, uint32_t factor)
{
	const uint32_t *words;

	assert_int_equal(xy_acquire(v, XY_R), 0);
	words = xy_handle_pointer(v);
	for (unsigned i = 0; i < WORDS; i++)
		assert_int_equal(words[i], value + factor * i);
	assert_int_equal(xy_release(v), 0);
}

static struct xy_node_stats stats_of(struct helper *h, unsigned node)
{
	struct xy_node_stats stats;

	assert_int_equal(xy_node_stats(h->rt, node, &stats), 0);
	return stats;
}

/* --- what is kept --- */

static void keeps_more_data_than_ram_holds(void **state)
{
	static const char *const policies[] = { "tree-eager", "tree-eager-prefetching", "tree-prio-prefetching",
						"tree-ws", "tree-dmdas" };
	enum { N = 24 };

	(void)state;
	for (unsigned p = 0; p < HELPER_COUNT(policies); p++) {
		struct helper *h = start(6, 64, policies[p]);
		struct xy_handle *tiles[N];

		halting = p == 1;
		tiles_register(h, tiles, N);
		for (uint32_t i = 0; i < N; i++)
			submit_set(h, tiles[i], i);
		for (unsigned round = 0; round < 3; round++)
			for (unsigned i = 1; i < N; i++)
				HELPER_SUBMIT(h, .codelet = &add, .handles = { tiles[i], tiles[0] });
		assert_int_equal(helper_wait(h), 0);
		assert_true(stats_of(h, RAM).most_bytes <= 6 * TILE);
		assert_true(stats_of(h, RAM).writebacks >= N - 6);
		for (uint32_t i = 1; i < N; i++)
			expect(tiles[i], i, 4);
		assert_true(stats_of(h, DISK).bytes_out >= (N - 6) * TILE);
		tiles_unregister(tiles, N);
		assert_int_equal(stats_of(h, RAM).used_bytes, 0);
		assert_int_equal(stats_of(h, DISK).used_bytes, 0);
		assert_int_equal(helper_stop(h), 0);
	}
}

static void data_never_written_is_zero_wherever_it_is_read(void **state)
{
	struct helper *h = start(2, 16, NULL);
	struct xy_handle *tiles[4];

	(void)state;
	tiles_register(h, tiles, 4);
	for (uint32_t i = 1; i < 4; i++)
		submit_set(h, tiles[i], i); /* memory that is used again is not 0 */
	HELPER_SUBMIT(h, .codelet = &look, .handles = { tiles[0] });
	assert_int_equal(helper_wait(h), 0);
	expect(tiles[0], 0, 0);
	tiles_unregister(tiles, 4);
	assert_int_equal(helper_stop(h), 0);
}

static void keeps_the_shape_that_was_registered(void **state)
{
	enum { NX = 100, NY = 120, LD = 128 };
	struct helper *h = start(1, 16, NULL);
	struct xy_handle *m, *other = tile(h);
	uint32_t *at;

	(void)state;
	assert_int_equal(
		xy_matrix_register(h->rt, &m, &(struct xy_matrix){ .nx = NX, .ny = NY, .ld = LD, .elem = sizeof *at }),
		0);
	assert_int_equal(xy_acquire(m, XY_W), 0);
	at = xy_handle_pointer(m);
	for (unsigned y = 0; y < NY; y++)
		for (unsigned x = 0; x < NX; x++)
			at[y * LD + x] = y * 1000 + x;
	xy_release(m);
	submit_set(h, other, 3);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_handle_nodes(m), 1 << DISK);
	assert_int_equal(xy_acquire(m, XY_R), 0);
	at = xy_handle_pointer(m);
	for (unsigned y = 0; y < NY; y++)
		for (unsigned x = 0; x < NX; x++)
			assert_int_equal(at[y * LD + x], y * 1000 + x);
	xy_release(m);
	tiles_unregister(&m, 1);
	tiles_unregister(&other, 1);
	assert_int_equal(helper_stop(h), 0);
}

static void memory_of_the_application_stays(void **state)
{
	struct helper *h = start(2, 16, NULL);
	uint32_t *memory = calloc(4, TILE);
	struct xy_handle *v, *tiles[4];

	(void)state;
	assert_int_equal(xy_vector_register(h->rt, &v, memory, 4 * WORDS, sizeof *memory), 0);
	tiles_register(h, tiles, 4);
	HELPER_SUBMIT(h, .codelet = &increment, .handles = { v });
	for (uint32_t i = 0; i < 4; i++)
		submit_set(h, tiles[i], i);
	HELPER_SUBMIT(h, .codelet = &increment, .handles = { v });
	assert_int_equal(helper_wait(h), 0);
	assert_ptr_equal(xy_handle_pointer(v), memory);
	assert_int_equal(memory[0], 2);
	assert_int_equal(xy_evict(v, RAM), -EINVAL);
	helper_one_line(h, "can't be evicted from RAM");
	tiles_unregister(&v, 1);
	tiles_unregister(tiles, 4);
	free(memory);
	assert_int_equal(helper_stop(h), 0);
}

static void a_partitioned_handle_stays_in_ram(void **state)
{
	struct helper *h = start(4, 16, NULL);
	struct xy_handle *v = tile(h), *tiles[6], *parts[4];
	uint32_t *words;

	(void)state;
	tiles_register(h, tiles, 6);
	submit_set(h, v, 7);
	for (uint32_t i = 0; i < 6; i++)
		submit_set(h, tiles[i], i);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_partition(v, &(struct xy_filter){ .ops = &xy_filter_blocks, .n = 4 }, parts, 4), 0);
	for (unsigned k = 0; k < 4; k++)
		HELPER_SUBMIT(h, .codelet = &increment, .handles = { parts[k] });
	for (uint32_t i = 0; i < 6; i++)
		HELPER_SUBMIT(h, .codelet = &increment, .handles = { tiles[i] });
	assert_int_equal(xy_unpartition(v), 0);
	expect(v, 8, 1);
	assert_int_equal(xy_acquire(v, XY_RW), 0);
	words = xy_handle_pointer(v);
	words[0] = 1;
	xy_release(v);
	for (uint32_t i = 0; i < 6; i++)
		expect(tiles[i], i + 1, 1);
	tiles_unregister(tiles, 6);
	tiles_unregister(&v, 1);
	assert_int_equal(helper_stop(h), 0);
}

/* --- the application --- */

static void acquires_in_turn_stay_within_the_limit(void **state)
{
	enum { N = 16 };
	struct helper *h = start(4, 32, NULL);
	struct xy_handle *tiles[N];

	(void)state;
	tiles_register(h, tiles, N);
	for (uint32_t k = 0; k < N; k++) {
		uint32_t *words;

		assert_int_equal(xy_acquire(tiles[k], XY_W), 0);
		words = xy_handle_pointer(tiles[k]);
		for (uint32_t i = 0; i < WORDS; i++)
			words[i] = k + i;
		assert_int_equal(xy_release(tiles[k]), 0);
	}
	assert_true(stats_of(h, RAM).most_bytes <= 5 * TILE);
	for (uint32_t k = 0; k < N; k++)
		expect(tiles[k], k, 1);
	assert_true(stats_of(h, RAM).most_bytes <= 5 * TILE);
	tiles_unregister(tiles, N);
	assert_int_equal(helper_stop(h), 0);
}

static void what_is_acquired_stays_and_does_not_count(void **state)
{
	enum { N = 8 };
	struct helper *h = start(2, 32, NULL);
	struct xy_handle *tiles[N], *others[N];
	uint32_t *words[N];

	(void)state;
	tiles_register(h, tiles, N);
	tiles_register(h, others, N);
	for (uint32_t i = 0; i < N; i++)
		submit_set(h, tiles[i], i);
	for (unsigned i = 0; i < N; i++) {
		assert_int_equal(xy_acquire(tiles[i], XY_R), 0);
		words[i] = xy_handle_pointer(tiles[i]);
	}
	for (uint32_t i = 0; i < N; i++)
		submit_set(h, others[i], i);
	assert_int_equal(helper_wait(h), 0);
	for (unsigned i = 0; i < N; i++) {
		assert_ptr_equal(xy_handle_pointer(tiles[i]), words[i]);
		assert_int_equal(words[i][1], i + 1);
		assert_int_equal(xy_release(tiles[i]), 0);
	}
	for (uint32_t i = 0; i < N; i++)
		expect(others[i], i, 1);
	tiles_unregister(tiles, N);
	tiles_unregister(others, N);
	assert_int_equal(helper_stop(h), 0);
}

static void hints_move_data_to_disk_and_back(void **state)
{
	struct helper *h = start(4, 16, NULL);
	struct xy_handle *v = tile(h);

	(void)state;
	submit_set(h, v, 5);
	assert_int_equal(xy_evict(v, RAM), 0);
	assert_int_equal(xy_fetch(v, DISK), 0); /* its turn is after that */
	assert_int_equal(xy_handle_nodes(v), 1 << DISK);
	assert_int_equal(xy_fetch(v, RAM), 0);
	assert_int_equal(xy_handle_nodes(v), 1 << RAM | 1 << DISK);
	HELPER_SUBMIT(h, .codelet = &increment, .handles = { v });
	assert_int_equal(xy_advise(v, XY_ADVICE_WONT_USE), 0);
	assert_int_equal(xy_fetch(v, DISK), 0);
	assert_int_equal(xy_handle_nodes(v), 1 << RAM | 1 << DISK);
	assert_int_equal(xy_invalidate(v), 0);
	assert_int_equal(xy_acquire(v, XY_R), -ENODATA);
	submit_set(h, v, 9);
	expect(v, 9, 1);
	tiles_unregister(&v, 1);
	assert_int_equal(helper_stop(h), 0);
}

/* --- failure --- */

static void a_task_too_large_for_ram_fails(void **state)
{
	struct helper *h = start(1, 16, NULL);
	struct xy_handle *tiles[2];

	(void)state;
	tiles_register(h, tiles, 2);
	HELPER_SUBMIT(h, .codelet = &add, .handles = { tiles[0], tiles[1] });
	assert_int_equal(helper_wait(h), -ENOMEM);
	assert_int_equal(helper_lines_with(h, "which has room for 65536"), 1);
	assert_int_equal(xy_unregister(&tiles[0]), -ENOMEM);
	tiles_unregister(&tiles[1], 1);
	helper_stop_lines(h, HELPER_ANY_LINES);
}

/* Sets tiles until there is no more room; whatever was set is there. */
static void expect_failures(struct helper *h, unsigned ram, unsigned least, unsigned most, int error)
{
	enum { N = 24 };
	struct xy_handle *tiles[N];
	unsigned good = 0;

	tiles_register(h, tiles, N);
	for (uint32_t i = 0; i < N; i++) {
		struct xy_task *task;
		int status;

		task = HELPER_CREATE(h, .codelet = &set, .handles = { tiles[i] }, .arg = &i, .arg_size = sizeof i);
		assert_int_equal(xy_task_submit(task), 0);
		status = helper_wait_task(h, task);
		assert_true(status == 0 || status == error);
		if (status)
			assert_int_equal(xy_unregister(&tiles[i]), error);
		good += !status;
		xy_task_release(task);
	}
	assert_in_range(good, least, most);
	assert_true(helper_lines_with(h, "can't be saved on disk") >= 1);
	for (uint32_t i = 0; i < N; i++)
		if (tiles[i])
			expect(tiles[i], i, 1);
	for (unsigned i = 0; i < N; i++)
		if (tiles[i])
			tiles_unregister(&tiles[i], 1);
	assert_true(stats_of(h, RAM).most_bytes <= (ram + 1) * TILE);
}

static void a_full_disk_fails_the_task_and_nothing_is_lost(void **state)
{
	struct helper *h = start(4, 8, NULL);

	(void)state;
	expect_failures(h, 4, 12, 12, -ENOSPC);
	helper_stop_lines(h, HELPER_ANY_LINES);
}

static void a_file_system_without_space_does_so_too(void **state)
{
	struct helper *h = start(4, 64, NULL);

	(void)state;
	writes_left = 5;
	write_error = ENOSPC;
	expect_failures(h, 4, 8, 9, -ENOSPC);
	assert_int_equal(helper_lines_with(h, "takes no more data"), 1);
	helper_stop_lines(h, HELPER_ANY_LINES);
}

static void a_disk_that_fails_does_so_too(void **state)
{
	struct helper *h = start(4, 64, NULL);

	(void)state;
	writes_left = 0;
	write_error = EIO;
	expect_failures(h, 4, 4, 4, -EIO);
	helper_stop_lines(h, HELPER_ANY_LINES);
}

static void another_disk_helps(void **state)
{
	struct helper *h = start(2, 1, NULL);
	struct xy_handle *tiles[8];

	(void)state;
	assert_int_equal(xy_disk_add(h->rt, ".", 16 * TILE), DISK);
	tiles_register(h, tiles, 8);
	for (uint32_t i = 0; i < 8; i++)
		submit_set(h, tiles[i], i);
	assert_int_equal(helper_wait(h), 0);
	for (uint32_t i = 0; i < 8; i++)
		expect(tiles[i], i, 1);
	tiles_unregister(tiles, 8);
	assert_int_equal(helper_stop(h), 0);
}

static void what_can_not_be_read_fails_its_readers_alone(void **state)
{
	struct helper *h = start(4, 16, NULL);
	struct xy_handle *tiles[2];

	(void)state;
	tiles_register(h, tiles, 2);
	submit_set(h, tiles[0], 1);
	submit_set(h, tiles[1], 2);
	assert_int_equal(xy_evict(tiles[0], RAM), 0);
	assert_int_equal(xy_fetch(tiles[0], DISK), 0);
	read_error = EIO;
	HELPER_SUBMIT(h, .codelet = &look, .handles = { tiles[0] });
	HELPER_SUBMIT(h, .codelet = &look, .handles = { tiles[1] });
	assert_int_equal(helper_wait(h), -EIO);
	assert_int_equal(helper_lines_with(h, "could not be copied to ram0: .: Input/output error"), 1);
	assert_int_equal(xy_acquire(tiles[0], XY_R), -EIO);
	read_error = 0;
	expect(tiles[0], 1, 1);
	expect(tiles[1], 2, 1);
	tiles_unregister(tiles, 2);
	helper_stop_lines(h, HELPER_ANY_LINES);
}

static void refuses_what_is_no_disk(void **state)
{
	struct helper *h = start(2, 1, NULL);
	int error;

	(void)state;
	assert_int_equal(xy_disk_add(NULL, ".", 1), -EINVAL);
	assert_int_equal(xy_disk_add(h->rt, NULL, 1), -EINVAL);
	helper_one_line(h, "xy_disk_add: no path");
	assert_int_equal(xy_disk_add(h->rt, "/nonexistent", 1), -ENOENT);
	helper_one_line(h, "xy_disk_add: /nonexistent: No such file");
	assert_int_equal(helper_stop(h), 0);
	h = helper_start(NULL, 1);
	assert_int_equal(xy_disk_add(h->rt, ".", 1), -ENOTSUP);
	helper_one_line(h, "without a limit on RAM");
	assert_int_equal(helper_stop(h), 0);
	h = helper_try(&(struct xy_config){ .disk = "/nonexistent:1G" }, &error);
	assert_int_equal(error, -ENOENT);
	helper_one_line(h, "xy_disk_add: /nonexistent: No such file");
	assert_int_equal(helper_stop(h), 0);
	h = helper_try(&(struct xy_config){ .limit_ram = "much" }, &error);
	assert_int_equal(error, -EINVAL);
	helper_one_line(h, "limit_ram");
	assert_int_equal(helper_stop(h), 0);
}

/* --- random programs --- */

enum { MOST = 20 };

struct program {
	struct helper *h;
	struct xy_handle *tiles[MOST];
	uint32_t value[MOST], factor[MOST]; /* what the tiles must be */
	uint64_t random;
};

static void program_step(struct program *p)
{
	unsigned a = helper_below(&p->random, MOST), b = helper_below(&p->random, MOST);
	uint32_t value = (uint32_t)helper_random(&p->random);

	switch (helper_below(&p->random, 12)) {
	case 0:
	case 1:
		submit_set(p->h, p->tiles[a], value);
		p->value[a] = value;
		p->factor[a] = 1;
		break;
	case 2:
		assert_int_equal(xy_evict(p->tiles[a], RAM), 0);
		break;
	case 3:
		assert_int_equal(xy_prefetch(p->tiles[a], b % 2), 0);
		break;
	case 4:
		assert_int_equal(xy_advise(p->tiles[a], (enum xy_advice)(b % 3)), 0);
		break;
	case 5:
		expect(p->tiles[a], p->value[a], p->factor[a]);
		break;
	case 6:
		assert_int_equal(xy_unregister_submit(&p->tiles[a]), 0);
		p->tiles[a] = tile(p->h);
		p->value[a] = p->factor[a] = 0;
		break;
	default:
		if (a == b)
			break;
		HELPER_SUBMIT(p->h, .codelet = &add, .handles = { p->tiles[a], p->tiles[b] });
		p->value[a] += p->value[b];
		p->factor[a] += p->factor[b];
	}
}

static void random_programs_compute_what_they_would_in_ram(void **state)
{
	static const char *const policies[] = { "tree-eager", "tree-eager-prefetching", "tree-ws", "tree-random" };

	(void)state;
	for (uint64_t seed = 1; seed <= helper_scale(40); seed++) {
		struct program p = { .random = seed };

		print_message("seed %llu\n", (unsigned long long)seed);
		p.h = start(4 + helper_below(&p.random, 6), 40, policies[helper_below(&p.random, 4)]);
		halting = seed % 2;
		tiles_register(p.h, p.tiles, MOST);
		for (unsigned i = 0; i < 300; i++)
			program_step(&p);
		for (unsigned i = 0; i < MOST; i++)
			expect(p.tiles[i], p.value[i], p.factor[i]);
		tiles_unregister(p.tiles, MOST);
		assert_int_equal(helper_wait(p.h), 0);
		assert_int_equal(stats_of(p.h, DISK).used_bytes, 0);
		assert_int_equal(helper_stop(p.h), 0);
	}
}

/* One allocation fails: what was to be computed with it fails, and nothing else. */
static bool survives_a_failed_allocation(long nth)
{
	enum { N = 6 };
	struct helper *h = start(3, 16, NULL);
	struct xy_handle *tiles[N];
	bool submitted[N], reached;

	tiles_register(h, tiles, N);
	allocations_left = nth;
	for (uint32_t i = 0; i < N; i++)
		submitted[i] = !xy_submit(
			h->rt, &(struct xy_task_desc){
				       .codelet = &set, .handles = { tiles[i] }, .arg = &i, .arg_size = sizeof i });
	xy_disk_add(h->rt, ".", TILE);
	helper_wait(h);
	reached = allocations_left < 0;
	allocations_left = -1;
	for (uint32_t i = 0; i < N; i++) {
		int error = xy_acquire(tiles[i], XY_R);

		assert_true(!error || error == -ENOMEM);
		if (!error && submitted[i])
			assert_int_equal(((uint32_t *)xy_handle_pointer(tiles[i]))[3], i + 3);
		if (!error)
			xy_release(tiles[i]);
		error = xy_unregister(&tiles[i]);
		assert_true(!error || error == -ENOMEM);
	}
	helper_stop_lines(h, HELPER_ANY_LINES);
	return reached;
}

static void each_allocation_may_fail(void **state)
{
	long nth = 0;

	(void)state;
	while (survives_a_failed_allocation(nth) && nth < 400)
		nth++;
	assert_in_range(nth, 20, 399);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_more_data_than_ram_holds),
		cmocka_unit_test(data_never_written_is_zero_wherever_it_is_read),
		cmocka_unit_test(keeps_the_shape_that_was_registered),
		cmocka_unit_test(memory_of_the_application_stays),
		cmocka_unit_test(a_partitioned_handle_stays_in_ram),
		cmocka_unit_test(acquires_in_turn_stay_within_the_limit),
		cmocka_unit_test(what_is_acquired_stays_and_does_not_count),
		cmocka_unit_test(hints_move_data_to_disk_and_back),
		cmocka_unit_test(a_task_too_large_for_ram_fails),
		cmocka_unit_test(a_full_disk_fails_the_task_and_nothing_is_lost),
		cmocka_unit_test(a_file_system_without_space_does_so_too),
		cmocka_unit_test(a_disk_that_fails_does_so_too),
		cmocka_unit_test(another_disk_helps),
		cmocka_unit_test(what_can_not_be_read_fails_its_readers_alone),
		cmocka_unit_test(refuses_what_is_no_disk),
		cmocka_unit_test(each_allocation_may_fail),
		cmocka_unit_test(random_programs_compute_what_they_would_in_ram),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
