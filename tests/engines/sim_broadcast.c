/* SPDX-License-Identifier: MIT */
/*
 * Where copies come from, in virtual time: eight GPUs that read one vector, on a machine with fast links between them
 * and slow, shared ones to RAM.
 */
#include "sim_bed.h"

#include <stdio.h>

enum { GPUS = 8, BYTES = 256 << 20 };

/* The way to RAM is shared by four GPUs, 25 GB/s; the links of a GPU to others have 250 GB/s. */
static const double ram_us = BYTES / 25e3, peer_us = BYTES / 250e3;

static unsigned gpu(const struct sim_bed *bed, unsigned i)
{
	const struct xy_machine *machine = xy_runtime_machine(bed->rt);
	unsigned worker = 0;

	while (xy_machine_worker(machine, worker)->arch != XY_CUDA ||
	       xy_machine_worker(machine, worker)->device != (int)i)
		worker++;
	return worker;
}

static unsigned node(const struct sim_bed *bed, unsigned i)
{
	return xy_machine_worker(xy_runtime_machine(bed->rt), gpu(bed, i))->node;
}

static void submit_on(struct sim_bed *bed, unsigned i, const struct xy_codelet *codelet, struct xy_handle *h)
{
	const unsigned worker = gpu(bed, i);

	SIM_SUBMIT(bed, i, 1, .codelet = codelet, .handles = { h }, .workers = &worker, .nworkers = 1);
}

/* The time from which on all GPUs have it. */
static double all_read(struct sim_bed *bed, struct xy_handle *h)
{
	double last_us = 0;

	for (unsigned i = 0; i < GPUS; i++)
		submit_on(bed, i, &sim_read_gpu, h);
	sim_wait(bed);
	for (unsigned i = 0; i < GPUS; i++)
		last_us = bed->fates[i].start_us > last_us ? bed->fates[i].start_us : last_us;
	return last_us;
}

static void what_eight_GPUs_read_spreads_along_a_tree(void **state)
{
	struct sim_bed *bed = sim_start("node-64-8", "tree-eager", NULL);
	struct xy_handle *h = sim_vector(bed, BYTES);
	double us = all_read(bed, h), from_ram_us = 4 * ram_us;

	(void)state;
	printf("# %.0f us; from RAM alone %.0f us\n", us, from_ram_us);
	assert_true(us >= ram_us + 3 * peer_us); /* one, two, four, eight */
	assert_true(us * 3 <= from_ram_us);
	assert_int_equal(sim_stats(bed, 0).bytes_out, BYTES);
	sim_unregister(&h);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void what_one_GPU_wrote_comes_from_several(void **state)
{
	struct sim_bed *bed = sim_start("node-64-8", "tree-eager", NULL);
	struct xy_handle *h = sim_vector(bed, BYTES);
	double begin_us, us;

	(void)state;
	submit_on(bed, 3, &sim_update_gpu, h);
	sim_wait(bed);
	begin_us = sim_now_us(bed);
	us = all_read(bed, h) - begin_us;
	printf("# %.2f times one transfer\n", us / peer_us);
	assert_true(us <= 3.2 * peer_us);
	for (unsigned i = 0; i < GPUS; i++)
		assert_in_range(sim_stats(bed, node(bed, i)).bytes_out, 0, 3ull * BYTES);
	assert_int_equal(sim_stats(bed, 0).bytes_in, 0);
	sim_unregister(&h);
	assert_int_equal(sim_stop(bed, 0), 0);
}

/* Each has its own: nothing is gained by another way. */
static void what_nobody_else_has_comes_from_RAM(void **state)
{
	struct sim_bed *bed = sim_start("node-64-8", "tree-eager", NULL);
	struct xy_handle *h[GPUS];

	(void)state;
	for (unsigned i = 0; i < GPUS; i++) {
		h[i] = sim_vector(bed, BYTES);
		submit_on(bed, i, &sim_read_gpu, h[i]);
	}
	sim_wait(bed);
	assert_int_equal(sim_stats(bed, 0).bytes_out, (uint64_t)GPUS * BYTES);
	for (unsigned i = 0; i < GPUS; i++)
		sim_unregister(&h[i]);
	assert_int_equal(sim_stop(bed, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_eight_GPUs_read_spreads_along_a_tree),
		cmocka_unit_test(what_one_GPU_wrote_comes_from_several),
		cmocka_unit_test(what_nobody_else_has_comes_from_RAM),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
