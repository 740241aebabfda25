/* SPDX-License-Identifier: MIT */
/* Children that live in their parent's copies on devices: what is not moved, what is evicted, what needs room. */
#include "bed.h"

#include <string.h>
#include <xylem/cuda.h>
#include <xylem/interface.h>
#include <xylem/partition.h>

#include "../../double/cudart_double.h"
#include "core/data/copy.h"

enum { N = 64, BYTES = N * sizeof(uint32_t) };

#define FILTER(...) (&(struct xy_filter){ .ops = __VA_ARGS__ })

static uint32_t x[N], y[N];

static uint64_t moved(enum cudart_double_direction direction)
{
	struct cudart_double_traffic traffic;

	cudart_double_traffic(direction, &traffic);
	return traffic.bytes;
}

static uint64_t moved_in_all(void)
{
	return moved(CUDART_DOUBLE_IN) + moved(CUDART_DOUBLE_OUT) + moved(CUDART_DOUBLE_PEER);
}

static void nothing_moves_when_one_device_has_everything(void **state)
{
	enum { ROUNDS = 20 };
	struct helper *h = bed_start(1, NULL, false);
	unsigned device = bed_worker(h, XY_CUDA, 1), node = bed_node(h, XY_CUDA, 1);
	struct xy_handle *v = bed_vector(h, x, N), *parts[4];
	uint32_t expected = 5;

	(void)state;
	bed_submit_on(h, device, &bed_set, 5, v, NULL, NULL);
	for (unsigned round = 0; round < ROUNDS; round++) {
		assert_int_equal(xy_partition(v, FILTER(&xy_filter_blocks, .n = 4), parts, 4), 0);
		for (unsigned i = 0; i < 4; i++) {
			assert_int_equal(xy_handle_nodes(parts[i]), 1u << node);
			bed_submit_on(h, device, &bed_add, i, parts[i], NULL, NULL);
		}
		assert_int_equal(xy_unpartition(v), 0);
		assert_int_equal(xy_handle_nodes(v), 1u << node);
		bed_submit_on(h, device, &bed_add, 1, v, NULL, NULL);
		expected = 3 * (3 * expected) + 1;
	}
	assert_int_equal(bed_stats(h, node).used_bytes, BYTES);
	bed_unregister(h, &v);
	assert_int_equal(x[0], expected);
	assert_int_equal(moved_in_all(), BYTES);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void only_missing_children_come_back(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	unsigned node = bed_node(h, XY_CUDA, 0);
	struct xy_handle *v = bed_vector(h, x, N), *parts[4];

	(void)state;
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, 5, v, NULL, NULL);
	assert_int_equal(xy_partition(v, FILTER(&xy_filter_blocks, .n = 4), parts, 4), 0);
	for (unsigned i = 0; i < 4; i++)
		bed_submit_on(h, bed_worker(h, XY_CUDA, i == 2), &bed_add, i, parts[i], NULL, NULL);
	assert_int_equal(xy_unpartition(v), 0);
	assert_int_equal(xy_handle_nodes(v) & ~1u, 1u << node);
	assert_in_range(moved(CUDART_DOUBLE_OUT) + moved(CUDART_DOUBLE_PEER), BYTES / 4 * 2, BYTES / 4 * 2);
	bed_unregister(h, &v);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(x[i], 3 * (5 + i) + i / (N / 4));
	assert_int_equal(bed_stop(h, 0), 0);
}

/* Readers have their children there too; the first time, RAM gets the content. */
static void readers_find_children_where_the_parent_is(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	unsigned device = bed_worker(h, XY_CUDA, 0);
	struct xy_handle *v = bed_vector(h, x, N), *out = bed_vector(h, y, N / 2);
	struct xy_plan *plan;

	(void)state;
	assert_int_equal(xy_plan_create(v, FILTER(&xy_filter_blocks, .n = 2), &plan), 0);
	bed_submit_on(h, device, &bed_set, 5, v, NULL, NULL);
	for (unsigned round = 0; round < 10; round++) {
		assert_int_equal(xy_plan_begin(plan, XY_R), 0);
		bed_submit_on(h, device, &bed_copy, 1, xy_plan_child(plan, 1), out, NULL);
		assert_int_equal(xy_plan_end(plan), 0);
	}
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(moved_in_all(), BYTES);
	assert_int_equal(xy_plan_destroy(&plan), 0);
	bed_unregister(h, &v);
	bed_unregister(h, &out);
	assert_int_equal(y[0], 5 + N / 2 + 1);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* --- matrices: a child on a device has gaps --- */

enum { NX = 12, NY = 10, LD = 17 };

struct tile {
	uint32_t *p;
	size_t nx, ny, ld;
	uint32_t k;
};

static void tile_add(const struct tile *t)
{
	for (size_t j = 0; j < t->ny; j++)
		for (size_t i = 0; i < t->nx; i++)
			t->p[j * t->ld + i] = 3 * t->p[j * t->ld + i] + t->k;
}

static void tile_kernel(void *args)
{
	struct tile *t = args;

	t->p = cudart_double_readable(t->p);
	tile_add(t);
}

static struct tile tile_of(struct xy_call *call)
{
	const struct xy_matrix *m = xy_matrix_at(call, 0);

	return (struct tile){ m->ptr, m->nx, m->ny, m->ld, ((const struct bed_arg *)call->arg)->k };
}

static int tile_cpu(struct xy_call *call)
{
	struct tile t = tile_of(call);

	tile_add(&t);
	return 0;
}

static int tile_cuda(struct xy_call *call)
{
	struct tile t = tile_of(call);

	return xy_cuda_check(call, cudart_double_launch(xy_cuda_stream(call), tile_kernel, &t, sizeof t));
}

static const struct xy_codelet tile_codelet = { "tile", .cpu = { tile_cpu }, .cuda = { tile_cuda },
						.modes = { XY_RW } };

/* Tiles of tiles, on workers in turn; what they should compute is done at once. */
static void tiles_of_tiles_have_gaps_on_devices(void **state)
{
	static uint32_t m[NY * LD], model[NY * LD];
	struct helper *h = bed_start(1, NULL, false);
	const unsigned workers[] = { bed_worker(h, XY_CUDA, 0), bed_worker(h, XY_CUDA, 1), bed_worker(h, XY_CPU, 0) };
	const struct xy_filter grid = { .ops = &xy_filter_grid, .grid = { 3, 2 } };
	struct xy_handle *v, *tiles[6], *halves[2];
	uint32_t k = 0;

	(void)state;
	for (unsigned i = 0; i < NY * LD; i++)
		m[i] = model[i] = i * 7;
	assert_int_equal(
		xy_matrix_register(h->rt, &v,
				   &(struct xy_matrix){ .ptr = m, .nx = NX, .ny = NY, .ld = LD, .elem = sizeof *m }),
		0);
	for (unsigned round = 0; round < 6; round++) {
		bed_submit_on(h, workers[round % 2], &tile_codelet, ++k, v, NULL, NULL);
		tile_add(&(struct tile){ model, NX, NY, LD, k });
		assert_int_equal(xy_partition(v, &grid, tiles, 6), 0);
		for (unsigned i = 0; i < 6; i++) {
			uint32_t *tile = model + i / 3 * (NY / 2) * LD + i % 3 * (NX / 3);

			bed_submit_on(h, workers[(round + i) % (round < 3 ? 2 : 3)], &tile_codelet, ++k, tiles[i], NULL,
				      NULL);
			tile_add(&(struct tile){ tile, NX / 3, NY / 2, LD, k });
			assert_int_equal(xy_partition(tiles[i], FILTER(&xy_filter_halves), halves, 2), 0);
			bed_submit_on(h, workers[(round + i) % 2], &tile_codelet, ++k, halves[1], NULL, NULL);
			tile_add(&(struct tile){ tile + NX / 6, NX / 6, NY / 2, LD, k });
			assert_int_equal(xy_unpartition(tiles[i]), 0);
		}
		assert_int_equal(xy_unpartition(v), 0);
	}
	bed_unregister(h, &v);
	assert_memory_equal(m, model, sizeof m);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* --- little memory --- */

/* Other data needs the room of the parent: all children go, and those that were written are saved. */
static void children_are_evicted_together(void **state)
{
	const struct xy_config config = { .arch[XY_CUDA].limit = "300" };
	struct helper *h = bed_start(1, &config, false);
	unsigned device = bed_worker(h, XY_CUDA, 0), node = bed_node(h, XY_CUDA, 0);
	struct xy_handle *v = bed_vector(h, x, N), *other = bed_vector(h, y, N), *parts[4];

	(void)state;
	bed_submit_on(h, device, &bed_set, 5, v, NULL, NULL);
	assert_int_equal(xy_partition(v, FILTER(&xy_filter_blocks, .n = 4), parts, 4), 0);
	bed_submit_on(h, device, &bed_add, 1, parts[1], NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	bed_submit_on(h, device, &bed_set, 9, other, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(xy_handle_nodes(parts[i]), 1);
	assert_int_equal(bed_stats(h, node).used_bytes, BYTES);
	bed_submit_on(h, device, &bed_add, 1, parts[2], NULL, NULL);
	assert_int_equal(xy_unpartition(v), 0);
	bed_unregister(h, &v);
	bed_unregister(h, &other);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(x[i], i / (N / 4) == 1 || i / (N / 4) == 2 ? 3 * (5 + i) + 1 : 5 + i);
	assert_int_equal(y[N - 1], 9 + N - 1);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* The first children may have been saved, and leave their parent's memory, while the others are still being saved. */
static void children_leave_while_others_are_evicted(void **state)
{
	enum { ROUNDS = 40, PARTS = 512 };
	static uint32_t many[PARTS], room[PARTS];
	static struct xy_handle *parts[PARTS];
	const struct xy_config config = { .arch[XY_CUDA].limit = "3000" };
	struct helper *h = bed_start(2, &config, false);
	unsigned device = bed_worker(h, XY_CUDA, 0), node = bed_node(h, XY_CUDA, 0);
	struct xy_handle *v = bed_vector(h, many, PARTS), *other = bed_vector(h, room, PARTS);

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		bed_submit_on(h, device, &bed_set, round, v, NULL, NULL);
		assert_int_equal(xy_partition(v, FILTER(&xy_filter_blocks, .n = PARTS), parts, PARTS), 0);
		assert_int_equal(xy_handle_nodes(parts[0]), 1u << node);
		bed_submit_on(h, device, &bed_set, 9, other, NULL, NULL);
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(xy_handle_nodes(parts[0]), 1);
		assert_int_equal(xy_unpartition(v), 0);
	}
	bed_unregister(h, &v);
	bed_unregister(h, &other);
	for (unsigned i = 0; i < PARTS; i++)
		assert_int_equal(many[i], ROUNDS - 1 + i);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* The task fits, but not beside the whole parent. */
static void a_child_that_keeps_its_parent_in_memory_moves_out(void **state)
{
	const struct xy_config config = { .arch[XY_CUDA].limit = "340" };
	struct helper *h = bed_start(1, &config, false);
	unsigned device = bed_worker(h, XY_CUDA, 0);
	struct xy_handle *v = bed_vector(h, x, N), *other = bed_vector(h, y, N / 2), *parts[2];

	(void)state;
	memset(y, 0, sizeof y);
	bed_submit_on(h, device, &bed_set, 5, v, NULL, NULL);
	assert_int_equal(xy_partition(v, FILTER(&xy_filter_halves), parts, 2), 0);
	bed_submit_on(h, device, &bed_axpy, 2, parts[1], other, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_unpartition(v), 0);
	bed_unregister(h, &v);
	bed_unregister(h, &other);
	assert_int_equal(x[N - 1], 5 + N - 1);
	assert_int_equal(y[1], 2 * (5 + N / 2 + 1));
	assert_int_equal(bed_stop(h, 0), 0);
}

/* --- OpenCL --- */

static void contiguous_children_are_sub_buffers_in_OpenCL(void **state)
{
	enum { MANY = 16384 };
	static uint32_t memory[MANY];
	struct helper *h = bed_start(1, NULL, true);
	unsigned device, node;
	struct xy_handle *v, *parts[4];

	(void)state;
	if (!bed_has_opencl()) {
		bed_stop(h, 0);
		skip();
	}
	device = bed_worker(h, XY_OPENCL, 0);
	node = bed_node(h, XY_OPENCL, 0);
	v = bed_vector(h, memory, MANY);
	bed_submit_on(h, device, &bed_set, 5, v, NULL, NULL);
	for (unsigned round = 0; round < 3; round++) {
		assert_int_equal(xy_partition(v, FILTER(&xy_filter_blocks, .n = 4), parts, 4), 0);
		for (unsigned i = 0; i < 4; i++)
			bed_submit_on(h, device, &bed_add, i, parts[i], NULL, NULL);
		assert_int_equal(xy_unpartition(v), 0);
	}
	assert_int_equal(xy_handle_nodes(v), (uint64_t)1 << node);
	assert_int_equal(bed_stats(h, 0).bytes_in, 0);
	bed_unregister(h, &v);
	assert_int_equal(memory[MANY - 1], 27 * (5 + MANY - 1) + 9 * 3 + 3 * 3 + 3);
	assert_int_equal(bed_stop(h, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_moves_when_one_device_has_everything),
		cmocka_unit_test(only_missing_children_come_back),
		cmocka_unit_test(readers_find_children_where_the_parent_is),
		cmocka_unit_test(tiles_of_tiles_have_gaps_on_devices),
		cmocka_unit_test(children_are_evicted_together),
		cmocka_unit_test(children_leave_while_others_are_evicted),
		cmocka_unit_test(a_child_that_keeps_its_parent_in_memory_moves_out),
		cmocka_unit_test(contiguous_children_are_sub_buffers_in_OpenCL),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
