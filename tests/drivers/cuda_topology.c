/* SPDX-License-Identifier: MIT */
/* How content spreads over eight devices of the test double, four of which reach each other and share a link. */
#include "../core/data/bed.h"

#include <stdlib.h>

#include "../double/cudart_double.h"

enum { DEVICES = 8, ISLAND = 4, N = 1 << 16 };

static struct helper *start(void)
{
	struct xy_config config = { .arch[XY_CUDA].devices = "all", .ncpu = 1, .bind = XY_NO };
	struct helper *h;

	cudart_double_reset();
	cudart_double_set_topology(ISLAND, ISLAND);
	h = helper_start_with(&config);
	cudart_double_set_delays(1, 0);
	return h;
}

static uint64_t copies(enum cudart_double_direction direction)
{
	struct cudart_double_traffic traffic;

	cudart_double_traffic(direction, &traffic);
	return traffic.copies;
}

static uint64_t bit(struct helper *h, unsigned device)
{
	return (uint64_t)1 << bed_node(h, XY_CUDA, device);
}

static void content_goes_through_ram_between_islands_only(void **state)
{
	struct helper *h = start();
	struct xy_handle *v = bed_vector(h, NULL, N);

	(void)state;
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, 3, v, NULL, NULL);
	assert_int_equal(xy_fetch(v, bed_node(h, XY_CUDA, 1)), 0);
	assert_int_equal(xy_handle_nodes(v), bit(h, 0) | bit(h, 1));
	assert_int_equal(xy_fetch(v, bed_node(h, XY_CUDA, 4)), 0);
	assert_int_equal(xy_handle_nodes(v), 1 | bit(h, 0) | bit(h, 1) | bit(h, 4));
	assert_int_equal(copies(CUDART_DOUBLE_PEER), 1);
	bed_unregister(h, &v);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* Also for the second island, where each device gets it from RAM or from another. */
static void what_all_devices_read_comes_to_ram_and_to_each_once(void **state)
{
	struct helper *h = start();
	uint32_t *numbers = calloc(N, sizeof *numbers);
	struct xy_handle *v = bed_vector(h, NULL, N), *sums[DEVICES];

	(void)state;
	for (unsigned d = 0; d < DEVICES; d++)
		sums[d] = bed_vector(h, d ? NULL : numbers, N);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, 3, v, NULL, NULL);
	for (unsigned d = 0; d < DEVICES; d++)
		bed_submit_on(h, bed_worker(h, XY_CUDA, d), &bed_copy, d, v, sums[d], NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(copies(CUDART_DOUBLE_OUT), 1);
	assert_int_equal(copies(CUDART_DOUBLE_IN) + copies(CUDART_DOUBLE_PEER), DEVICES - 1);
	for (unsigned d = 0; d < DEVICES; d++)
		bed_unregister(h, &sums[d]);
	bed_unregister(h, &v);
	assert_int_equal(numbers[N - 1], 3 + N - 1);
	free(numbers);
	assert_int_equal(bed_stop(h, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(content_goes_through_ram_between_islands_only),
		cmocka_unit_test(what_all_devices_read_comes_to_ram_and_to_each_once),
	};

	bed_guard();
	setenv("CUDART_DOUBLE_DEVICES", "8", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
