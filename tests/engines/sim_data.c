/* SPDX-License-Identifier: MIT */
/*
 * Data in virtual time: transfers and what they share against times worked out by hand, memory that runs out, and all
 * that an application may do with handles, with one memory node and with several.
 */
#include "sim_bed.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xylem/partition.h>

/* Workers and memory nodes of sim_two_gpus. */
enum { CPU0, CPU1, CUDA0, CUDA1 };
enum { NODE_RAM, NODE_CUDA0, NODE_CUDA1 };

#define ON(worker) .workers = (const unsigned[]){ worker }, .nworkers = 1

/* tree-eager, if it did not care where data is. */
static const char in_order[] = "fifo | eager | each worker { best-implementation }";

static struct sim_bed *start_gpus(const struct xy_config *config)
{
	return sim_start(sim_two_gpus, "tree-eager", config);
}

/* --- transfers --- */

static void a_transfer_takes_its_latency_and_its_bytes(void **state)
{
	struct sim_bed *bed = start_gpus(NULL);
	struct xy_handle *h = sim_vector(bed, 10000);

	(void)state;
	SIM_SUBMIT(bed, 0, 100, .codelet = &sim_update, .handles = { h }, ON(CUDA0));
	sim_wait(bed);
	sim_assert_us(bed->fates[0].begin_us, 0);
	sim_assert_us(bed->fates[0].start_us, 15);
	sim_assert_us(bed->fates[0].end_us, 25);
	assert_int_equal(xy_acquire(h, XY_R), 0);
	sim_assert_us(sim_now_us(bed), 40);
	assert_int_equal(xy_handle_nodes(h), 1 << NODE_RAM | 1 << NODE_CUDA0);
	assert_int_equal(xy_release(h), 0);
	assert_int_equal(sim_stats(bed, NODE_CUDA0).bytes_in, 10000);
	assert_int_equal(sim_stats(bed, NODE_CUDA0).bytes_out, 10000);
	assert_int_equal(sim_stats(bed, NODE_RAM).bytes_in, 10000);
	sim_unregister(&h);
	sim_assert_us(sim_now_us(bed), 40);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void what_is_only_written_is_not_brought(void **state)
{
	struct sim_bed *bed = start_gpus(NULL);
	struct xy_handle *h = sim_vector(bed, 10000);

	(void)state;
	SIM_SUBMIT(bed, 0, 100, .codelet = &sim_write, .handles = { h }, ON(CUDA0));
	sim_wait(bed);
	sim_assert_us(sim_now_us(bed), 10);
	sim_unregister(&h); /* brings it back */
	sim_assert_us(sim_now_us(bed), 25);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void two_transfers_share_a_link(void **state)
{
	struct sim_bed *bed = start_gpus(NULL);
	struct xy_handle *a = sim_vector(bed, 10000), *b = sim_vector(bed, 30000);

	(void)state;
	SIM_SUBMIT(bed, 0, 10, .codelet = &sim_read, .handles = { a }, ON(CUDA0));
	SIM_SUBMIT(bed, 1, 10, .codelet = &sim_read, .handles = { b }, ON(CUDA1));
	sim_wait(bed);
	/* The latency is worth 5000 bytes. Each gets 500 bytes per microsecond: 15000 have come after 30; then the
	 * other one, which has 20000 left of 35000, has the link to itself. */
	sim_assert_us(bed->fates[0].start_us, 30);
	sim_assert_us(bed->fates[1].start_us, 50);
	sim_unregister(&a);
	sim_unregister(&b);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void both_directions_have_links_of_their_own(void **state)
{
	struct sim_bed *bed = start_gpus(NULL);
	struct xy_handle *up = sim_vector(bed, 10000), *down = sim_vector(bed, 10000);
	double begin;

	(void)state;
	SIM_SUBMIT(bed, 0, 100, .codelet = &sim_write, .handles = { up }, ON(CUDA0));
	sim_wait(bed);
	begin = sim_now_us(bed);
	SIM_SUBMIT(bed, 1, 10, .codelet = &sim_read, .handles = { up }, ON(CPU0));
	SIM_SUBMIT(bed, 2, 10, .codelet = &sim_read, .handles = { down }, ON(CUDA1));
	sim_wait(bed);
	sim_assert_us(bed->fates[1].start_us, begin + 15);
	sim_assert_us(bed->fates[2].start_us, begin + 15);
	sim_unregister(&up);
	sim_unregister(&down);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void transfers_of_a_device_queue(void **state)
{
	struct sim_bed *bed = start_gpus(NULL);
	struct xy_handle *h[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		h[i] = sim_vector(bed, 10000);
		SIM_SUBMIT(bed, i, 10, .codelet = &sim_read, .handles = { h[i] }, ON(CUDA0));
	}
	sim_wait(bed);
	for (unsigned i = 0; i < 3; i++) {
		sim_assert_us(bed->fates[i].start_us, 15.0 * (i + 1));
		sim_unregister(&h[i]);
	}
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void without_a_route_data_go_through_ram(void **state)
{
	struct sim_bed *bed = start_gpus(NULL);
	struct xy_handle *h = sim_vector(bed, 10000);

	(void)state;
	SIM_SUBMIT(bed, 0, 100, .codelet = &sim_write, .handles = { h }, ON(CUDA0));
	SIM_SUBMIT(bed, 1, 100, .codelet = &sim_read, .handles = { h }, ON(CUDA1));
	sim_wait(bed);
	sim_assert_us(bed->fates[1].start_us, 10 + 15 + 15);
	assert_int_equal(xy_handle_nodes(h), 1 << NODE_RAM | 1 << NODE_CUDA0 | 1 << NODE_CUDA1);
	sim_unregister(&h);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void with_a_route_data_go_straight(void **state)
{
	char text[1024];
	struct sim_bed *bed;
	struct xy_handle *h;

	(void)state;
	snprintf(text, sizeof text, "%slink peer 2us 10GB/s\nroute cuda0 <-> cuda1 via peer\n", sim_two_gpus);
	bed = sim_start(text, "tree-eager", NULL);
	h = sim_vector(bed, 10000);
	SIM_SUBMIT(bed, 0, 100, .codelet = &sim_write, .handles = { h }, ON(CUDA0));
	SIM_SUBMIT(bed, 1, 100, .codelet = &sim_read, .handles = { h }, ON(CUDA1));
	sim_wait(bed);
	sim_assert_us(bed->fates[1].start_us, 10 + 2 + 1);
	assert_int_equal(xy_handle_nodes(h), 1 << NODE_CUDA0 | 1 << NODE_CUDA1);
	sim_unregister(&h);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void data_come_while_a_kernel_runs(void **state)
{
	struct sim_bed *bed = start_gpus(NULL);
	struct xy_handle *h = sim_vector(bed, 10000);

	(void)state;
	SIM_SUBMIT(bed, 0, 1000, .codelet = &sim_plain, ON(CUDA0));
	SIM_SUBMIT(bed, 1, 100, .codelet = &sim_read, .handles = { h }, ON(CUDA0));
	sim_wait(bed);
	sim_assert_us(bed->fates[1].begin_us, 0);
	sim_assert_us(bed->fates[1].start_us, 100);
	sim_assert_us(bed->fates[1].end_us, 110);
	sim_unregister(&h);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void a_device_is_busy_with_one_kernel_at_a_time(void **state)
{
	struct sim_bed *bed = start_gpus(&(struct xy_config){ .profile = true });
	struct xy_worker_stats stats;

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		SIM_SUBMIT(bed, i, 1000, .codelet = &sim_plain, ON(CUDA0));
	sim_wait(bed);
	assert_int_equal(xy_worker_stats(bed->rt, CUDA0, &stats), 0);
	assert_true(stats.busy_s * 1e6 > 599.9 && stats.busy_s * 1e6 < 600.1);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void a_task_that_comes_later_is_fetched_for_at_once(void **state)
{
	struct sim_bed *bed = start_gpus(NULL);
	struct xy_handle *h = sim_vector(bed, 10000);

	(void)state;
	SIM_SUBMIT(bed, 0, 1000, .codelet = &sim_plain, ON(CUDA0));
	assert_int_equal(xy_wait_for(bed->rt, 10e-6), -ETIMEDOUT);
	SIM_SUBMIT(bed, 1, 100, .codelet = &sim_read, .handles = { h }, ON(CUDA0));
	sim_wait(bed);
	sim_assert_us(bed->fates[1].begin_us, 10);
	sim_assert_us(bed->fates[1].start_us, 100);
	sim_unregister(&h);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void data_come_late_where_nothing_is_fetched_ahead(void **state)
{
	struct sim_bed *bed = start_gpus(&(struct xy_config){ .arch[XY_CUDA].ahead = XY_NONE, .prefetch = XY_NO });
	struct xy_handle *h = sim_vector(bed, 10000);

	(void)state;
	SIM_SUBMIT(bed, 0, 1000, .codelet = &sim_plain, ON(CUDA0));
	SIM_SUBMIT(bed, 1, 100, .codelet = &sim_read, .handles = { h }, ON(CUDA0));
	sim_wait(bed);
	sim_assert_us(bed->fates[1].begin_us, 100);
	sim_assert_us(bed->fates[1].start_us, 115);
	sim_unregister(&h);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void shared_memory_needs_no_transfers(void **state)
{
	struct sim_bed *bed = start_gpus(&(struct xy_config){ .sim_shared = true });
	struct xy_handle *h = sim_vector(bed, 4 << 20); /* more than the device has */

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		SIM_SUBMIT(bed, i, 100, .codelet = &sim_update, .handles = { h }, ON(i % 2 ? CUDA0 : CUDA1));
	sim_wait(bed);
	sim_assert_us(sim_now_us(bed), 40);
	sim_unregister(&h);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void data_without_bytes_arrive_at_once(void **state)
{
	struct sim_bed *bed = start_gpus(NULL);
	struct xy_handle *nothing;

	(void)state;
	assert_int_equal(xy_void_register(bed->rt, &nothing), 0);
	SIM_SUBMIT(bed, 0, 100, .codelet = &sim_update, .handles = { nothing }, ON(CUDA0));
	SIM_SUBMIT(bed, 1, 100, .codelet = &sim_update, .handles = { nothing }, ON(CUDA1));
	SIM_SUBMIT(bed, 2, 100, .codelet = &sim_update, .handles = { nothing }, ON(CPU0));
	sim_wait(bed);
	sim_assert_us(bed->fates[1].end_us, 20);
	sim_assert_us(sim_now_us(bed), 120);
	sim_unregister(&nothing);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void each_node_of_main_memory_has_its_own_ways(void **state)
{
	struct sim_bed *bed = sim_start("machine numa\n"
					"topology numa:2 core:1\n"
					"class core cpu\nclass gpu cuda speed 10\n"
					"workers 2 core\ndevices 1 gpu\n"
					"link near 5us 1GB/s\nlink far 20us 0.5GB/s\nlink between 1us 10GB/s\n"
					"route ram0 <-> cuda0 via near\nroute ram1 <-> cuda0 via far\n"
					"route ram0 <-> ram1 via between\n",
					"tree-eager", &(struct xy_config){ .numa = true });
	struct xy_handle *h = sim_vector(bed, 10000);
	enum { RAM1_CPU = 1, GPU = 2 };

	(void)state;
	assert_int_equal(xy_machine_nnodes(xy_runtime_machine(bed->rt)), 3);
	SIM_SUBMIT(bed, 0, 100, .codelet = &sim_update, .handles = { h }, ON(RAM1_CPU));
	sim_wait(bed);
	sim_assert_us(bed->fates[0].start_us, 1 + 1);
	SIM_SUBMIT(bed, 1, 100, .codelet = &sim_update, .handles = { h }, ON(GPU));
	sim_wait(bed);
	sim_assert_us(bed->fates[1].start_us - bed->fates[0].end_us, 20 + 20);
	SIM_SUBMIT(bed, 2, 100, .codelet = &sim_read, .handles = { h }, ON(RAM1_CPU));
	sim_wait(bed);
	sim_assert_us(bed->fates[2].start_us - bed->fates[1].end_us, 20 + 20);
	sim_unregister(&h);
	assert_int_equal(sim_stop(bed, 0), 0);
}

/* --- memory --- */

/* An odd number of chains on two devices, which go from one device to the other with each task if all are taken in
 * order. Returns the bytes that came to the devices. */
static unsigned long long bytes_of_chains(const char *sched)
{
	enum { CHAINS = 15, TASKS = 8, BYTES = 10000 };
	struct sim_bed *bed = sim_start(sim_two_gpus, sched, NULL);
	struct xy_handle *h[CHAINS];
	unsigned long long bytes;

	for (unsigned i = 0; i < CHAINS; i++)
		h[i] = sim_vector(bed, BYTES);
	for (unsigned i = 0; i < CHAINS * TASKS; i++)
		SIM_SUBMIT(bed, i, 100, .codelet = &sim_update_gpu, .handles = { h[i % CHAINS] });
	sim_wait(bed);
	bytes = sim_stats(bed, NODE_CUDA0).bytes_in + sim_stats(bed, NODE_CUDA1).bytes_in;
	assert_true(bytes >= CHAINS * BYTES);
	for (unsigned i = 0; i < CHAINS; i++)
		sim_unregister(&h[i]);
	assert_int_equal(sim_stop(bed, 0), 0);
	return bytes;
}

static void whoever_is_free_takes_what_is_near_first(void **state)
{
	(void)state;
	assert_true(2 * bytes_of_chains("tree-eager") < bytes_of_chains(in_order));
}

enum { MEGA = 1 << 20, SLICE = 300000 };

static void a_full_device_gives_up_what_is_not_used_again(void **state)
{
	enum { N = 12 };
	struct sim_bed *bed = sim_start(sim_two_gpus, in_order, NULL);
	struct xy_handle *h[N];
	struct xy_node_stats stats;

	(void)state;
	for (unsigned i = 0; i < N; i++)
		h[i] = sim_vector(bed, SLICE);
	for (unsigned i = 0; i < 3 * N; i++)
		SIM_SUBMIT(bed, i, 100, .codelet = &sim_update, .handles = { h[i % N] }, ON(CUDA0));
	sim_wait(bed);
	stats = sim_stats(bed, NODE_CUDA0);
	assert_int_equal(stats.limit_bytes, MEGA);
	assert_true(stats.most_bytes <= MEGA && stats.used_bytes <= MEGA);
	/* Each writes, so the oldest goes and all come again; but of the last round some stay. */
	assert_in_range(stats.bytes_in, (3ull * N - 3) * SLICE, 3ull * N * SLICE);
	assert_true(stats.evictions >= 3 * N - 6);
	assert_true(stats.writebacks >= 3 * N - 6);
	for (unsigned i = 0; i < 3 * N; i++) {
		assert_int_equal(bed->fates[i].ended, 1);
		assert_true(bed->fates[i].start_us >= 305); /* none before its data can have come */
	}
	/* All that comes shares one channel. */
	assert_true(sim_now_us(bed) >= 3 * N * 305);
	for (unsigned i = 0; i < N; i++)
		sim_unregister(&h[i]);
	assert_int_equal(sim_stop(bed, 0), 0);
}

/* Data read in turns, for which there is not enough room: the oldest is what is read next. */
static void a_full_device_gives_up_what_is_read_last(void **state)
{
	enum { N = 15, ROUNDS = 8, SIZE = SLICE / 3 };
	struct sim_bed *bed = sim_start(sim_two_gpus, in_order, NULL);
	struct xy_handle *h[N];

	(void)state;
	for (unsigned i = 0; i < N; i++)
		h[i] = sim_vector(bed, SIZE);
	for (unsigned i = 0; i < ROUNDS * N; i++)
		SIM_SUBMIT(bed, i, 100, .codelet = &sim_read, .handles = { h[i % N] }, ON(CUDA0));
	sim_wait(bed);
	/* The oldest first: each comes in each round. */
	assert_true(sim_stats(bed, NODE_CUDA0).bytes_in <= ROUNDS * N * SIZE * 3ull / 4);
	for (unsigned i = 0; i < N; i++)
		sim_unregister(&h[i]);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void tasks_that_compete_for_memory_all_run(void **state)
{
	enum { N = 6, TASKS = 60 };
	static const struct xy_codelet three = { .name = "three",
						 .cuda = { helper_count_body },
						 .modes = { XY_R, XY_R, XY_RW } };
	struct sim_bed *bed = sim_start("machine m\nclass core cpu\nclass gpu cuda speed 10\nworkers 1 core\n"
					"devices 1 gpu workers 3 memory 1M\nlink bus 5us 1GB/s\n"
					"route ram0 <-> cuda0 via bus\n",
					"tree-eager", NULL);
	struct xy_handle *h[N];

	(void)state;
	for (unsigned i = 0; i < N; i++)
		h[i] = sim_vector(bed, SLICE);
	for (unsigned i = 0; i < TASKS; i++)
		SIM_SUBMIT(bed, i, 100, .codelet = &three,
			   .handles = { h[i % N], h[(i + 1 + i % 3) % N], h[(i + 4 + i % 2) % N] });
	sim_wait(bed);
	for (unsigned i = 0; i < TASKS; i++)
		assert_int_equal(bed->fates[i].ended, 1);
	assert_true(sim_stats(bed, 1).most_bytes <= MEGA);
	for (unsigned i = 0; i < N; i++)
		sim_unregister(&h[i]);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void a_task_too_large_for_the_device_fails(void **state)
{
	struct sim_bed *bed = start_gpus(NULL);
	struct xy_handle *large = sim_vector(bed, MEGA + 1), *small = sim_vector(bed, 1000);

	(void)state;
	SIM_SUBMIT(bed, 0, 100, .codelet = &sim_update, .handles = { large }, ON(CUDA0));
	SIM_SUBMIT(bed, 1, 100, .codelet = &sim_update, .handles = { small }, ON(CUDA0));
	assert_int_equal(helper_wait(bed->h), -ENOMEM);
	assert_int_equal(bed->fates[1].ended, 1);
	helper_one_line(bed->h, "room for 1048576");
	SIM_SUBMIT(bed, 2, 100, .codelet = &sim_write, .handles = { large }, ON(CPU0));
	sim_wait(bed);
	sim_unregister(&large);
	sim_unregister(&small);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void a_limit_of_the_program_goes_before_that_of_the_machine(void **state)
{
	struct sim_bed *bed = start_gpus(&(struct xy_config){ .arch[XY_CUDA].limit = "512K" });

	(void)state;
	assert_int_equal(sim_stats(bed, NODE_CUDA0).limit_bytes, 512 << 10);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void unregistering_makes_room(void **state)
{
	struct sim_bed *bed = start_gpus(NULL);
	struct xy_handle *first = sim_vector(bed, 800000), *second = sim_vector(bed, 900000);

	(void)state;
	SIM_SUBMIT(bed, 0, 100, .codelet = &sim_write, .handles = { first }, ON(CUDA0));
	SIM_SUBMIT(bed, 1, 100, .codelet = &sim_write, .handles = { second }, ON(CUDA0));
	sim_unregister(&first);
	sim_wait(bed);
	assert_int_equal(bed->fates[1].ended, 1);
	sim_unregister(&second);
	assert_int_equal(sim_stop(bed, 0), 0);
}

/* --- what applications do with data --- */

static void what_is_prefetched_is_there(void **state)
{
	struct sim_bed *bed = start_gpus(NULL);
	struct xy_handle *h = sim_vector(bed, 10000);

	(void)state;
	assert_int_equal(xy_prefetch(h, NODE_CUDA1), 0);
	assert_int_equal(xy_fetch(h, NODE_CUDA0), 0);
	assert_int_equal(xy_handle_nodes(h), 1 << NODE_RAM | 1 << NODE_CUDA0 | 1 << NODE_CUDA1);
	sim_assert_us(sim_now_us(bed), 30); /* both on the way down at once */
	SIM_SUBMIT(bed, 0, 100, .codelet = &sim_read, .handles = { h }, ON(CUDA1));
	sim_wait(bed);
	sim_assert_us(bed->fates[0].start_us, 30);
	assert_int_equal(xy_evict(h, NODE_CUDA1), 0);
	assert_int_equal(xy_handle_nodes(h), 1 << NODE_RAM | 1 << NODE_CUDA0);
	sim_unregister(&h);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void what_is_invalidated_is_not_brought_back(void **state)
{
	struct sim_bed *bed = start_gpus(NULL);
	struct xy_handle *h = sim_vector(bed, 10000);

	(void)state;
	SIM_SUBMIT(bed, 0, 100, .codelet = &sim_write, .handles = { h }, ON(CUDA0));
	assert_int_equal(xy_invalidate(h), 0);
	SIM_SUBMIT(bed, 1, 100, .codelet = &sim_read, .handles = { h }, ON(CPU0));
	assert_int_equal(helper_wait(bed->h), -ENODATA);
	helper_forget(bed->h);
	sim_unregister(&h);
	sim_assert_us(sim_now_us(bed), 10);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void what_is_written_goes_to_the_nodes_of_the_mask(void **state)
{
	struct sim_bed *bed = start_gpus(NULL);
	struct xy_handle *h = sim_vector(bed, 10000);

	(void)state;
	assert_int_equal(xy_handle_set_write_through(h, 1 << NODE_RAM), 0);
	SIM_SUBMIT(bed, 0, 100, .codelet = &sim_write, .handles = { h }, ON(CUDA0));
	SIM_SUBMIT(bed, 1, 1000, .codelet = &sim_plain, ON(CPU0));
	sim_wait(bed);
	assert_int_equal(xy_handle_nodes(h), 1 << NODE_RAM | 1 << NODE_CUDA0);
	sim_unregister(&h);
	sim_assert_us(sim_now_us(bed), 1000);
	assert_int_equal(sim_stop(bed, 0), 0);
}

/* Chains of tasks of several lengths, more than the GPUs can take ahead. Returns the bytes that moved. */
static uint64_t run_chains(const char *sched)
{
	enum { CHAINS = 13, TASKS = 60, BYTES = 1 << 20 };
	struct sim_bed *bed = sim_start("mirage", sched, NULL);
	struct xy_handle *h[CHAINS];
	uint64_t bytes = 0;

	for (unsigned i = 0; i < CHAINS; i++)
		h[i] = sim_vector(bed, BYTES);
	for (unsigned k = 0; k < TASKS; k++)
		for (unsigned i = 0; i < CHAINS; i++)
			SIM_SUBMIT(bed, k * CHAINS + i, 1000 + (i * 7 + k * 3) % 5 * 200.0, .codelet = &sim_update_gpu,
				   .handles = { h[i] });
	sim_wait(bed);
	for (unsigned i = 0; i < xy_machine_nnodes(xy_runtime_machine(bed->rt)); i++)
		bytes += sim_stats(bed, i).bytes_in;
	for (unsigned i = 0; i < CHAINS; i++)
		sim_unregister(&h[i]);
	assert_int_equal(sim_stop(bed, 0), 0);
	return bytes;
}

static void chains_stay_on_their_device_also_with_tasks_ahead(void **state)
{
	uint64_t pulled = run_chains("tree-eager"), ahead = run_chains("tree-eager-prefetching");

	(void)state;
	printf("# tree-eager moves %.1f MB, tree-eager-prefetching %.1f MB\n", (double)pulled / 1e6,
	       (double)ahead / 1e6);
	assert_true(ahead <= pulled * 3 / 2);
}

static void partitions_work(void **state)
{
	struct sim_bed *bed = start_gpus(NULL);
	struct xy_handle *h = sim_vector(bed, 40000);
	const struct xy_filter filter = { .ops = &xy_filter_blocks, .n = 4 };

	(void)state;
	SIM_SUBMIT(bed, 0, 100, .codelet = &sim_write, .handles = { h }, ON(CUDA0));
	assert_int_equal(xy_partition(h, &filter, NULL, 0), 0);
	sim_assert_us(sim_now_us(bed), 10); /* it is cut where it is */
	for (unsigned i = 0; i < 4; i++)
		SIM_SUBMIT(bed, i + 1, 100, .codelet = &sim_update, .handles = { xy_handle_child(h, i) }, ON(CUDA0));
	assert_int_equal(xy_unpartition(h), 0);
	sim_assert_us(sim_now_us(bed), 10 + 4 * 10);
	SIM_SUBMIT(bed, 5, 100, .codelet = &sim_read, .handles = { h }, ON(CUDA1));
	sim_wait(bed);
	sim_assert_us(sim_now_us(bed), 50 + 45 + 45 + 10); /* through RAM */
	sim_unregister(&h);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void plans_work(void **state)
{
	struct sim_bed *bed = start_gpus(NULL);
	struct xy_handle *h = sim_vector(bed, 40000);
	const struct xy_filter filter = { .ops = &xy_filter_blocks, .n = 4 };
	struct xy_plan *plan;

	(void)state;
	assert_int_equal(xy_plan_create(h, &filter, &plan), 0);
	for (unsigned round = 0; round < 3; round++) {
		SIM_SUBMIT(bed, 10 * round, 100, .codelet = &sim_update, .handles = { h }, ON(CUDA1));
		assert_int_equal(xy_plan_begin(plan, XY_RW), 0);
		for (unsigned i = 0; i < 4; i++)
			SIM_SUBMIT(bed, 10 * round + i + 1, 100, .codelet = &sim_update,
				   .handles = { xy_plan_child(plan, i) });
		assert_int_equal(xy_plan_end(plan), 0);
		SIM_SUBMIT(bed, 10 * round + 5, 100, .codelet = &sim_read, .handles = { h });
	}
	sim_wait(bed);
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < 4; i++) {
			const struct sim_fate *piece = &bed->fates[10 * round + i + 1];

			assert_int_equal(piece->ended, 1);
			assert_true(piece->start_us >= bed->fates[10 * round].end_us);
			assert_true(piece->end_us <= bed->fates[10 * round + 5].start_us);
		}
	assert_int_equal(xy_plan_destroy(&plan), 0);
	sim_unregister(&h);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void reductions_on_several_nodes_come_together(void **state)
{
	struct sim_bed *bed = start_gpus(NULL);
	struct xy_handle *h = sim_vector(bed, 10000);
	double last = 0;

	(void)state;
	assert_int_equal(xy_handle_set_reduction(h, &sim_zero, &sim_join), 0);
	for (unsigned i = 0; i < 20; i++)
		SIM_SUBMIT(bed, i, 100, .codelet = &sim_add, .handles = { h }, ON(i % 4));
	SIM_SUBMIT(bed, 20, 10, .codelet = &sim_read, .handles = { h }, ON(CPU0));
	sim_wait(bed);
	for (unsigned i = 0; i < 20; i++)
		last = bed->fates[i].end_us > last ? bed->fates[i].end_us : last;
	sim_assert_us(last, 500); /* each worker has its own copy, that need not be brought */
	assert_int_equal(bed->nforeign, 4);
	assert_true(bed->fates[20].start_us >= last + 4);
	sim_unregister(&h);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void commuting_tasks_take_turns_on_several_nodes(void **state)
{
	struct sim_bed *bed = start_gpus(NULL);
	struct xy_handle *h = sim_vector(bed, 10000);

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		SIM_SUBMIT(bed, i, 100, .codelet = &sim_commute, .handles = { h }, ON(i % 4));
	sim_wait(bed);
	for (unsigned i = 0; i < 8; i++)
		for (unsigned j = 0; j < i; j++)
			assert_true(bed->fates[i].start_us >= bed->fates[j].end_us ||
				    bed->fates[j].start_us >= bed->fates[i].end_us);
	sim_unregister(&h);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void scratch_data_are_each_workers_own(void **state)
{
	struct sim_bed *bed = start_gpus(NULL);
	struct xy_handle *scratch, *h = sim_vector(bed, 1000), *other = sim_vector(bed, 1000);

	(void)state;
	assert_int_equal(xy_vector_register(bed->rt, &scratch, NULL, 100000, 1), 0);
	SIM_SUBMIT(bed, 0, 100, .codelet = &sim_scratch, .handles = { scratch, h }, ON(CUDA0));
	SIM_SUBMIT(bed, 1, 100, .codelet = &sim_scratch, .handles = { scratch, other }, ON(CUDA0));
	SIM_SUBMIT(bed, 2, 100, .codelet = &sim_scratch, .handles = { scratch, h }, ON(CPU0));
	sim_wait(bed);
	sim_assert_us(bed->fates[0].end_us, 6 + 10);
	sim_assert_us(bed->fates[2].end_us, 16 + 6 + 100);
	sim_unregister(&scratch);
	sim_unregister(&h);
	sim_unregister(&other);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void release_later(void *arg, int status)
{
	assert_int_equal(status, 0);
	assert_int_equal(xy_release(arg), 0);
}

static void an_acquire_with_a_callback_brings_data_back(void **state)
{
	struct sim_bed *bed = start_gpus(NULL);
	struct xy_handle *h = sim_vector(bed, 10000);

	(void)state;
	SIM_SUBMIT(bed, 0, 100, .codelet = &sim_write, .handles = { h }, ON(CUDA0));
	assert_int_equal(xy_acquire_callback(h, XY_RW, release_later, h), 0);
	SIM_SUBMIT(bed, 1, 100, .codelet = &sim_read, .handles = { h }, ON(CUDA0));
	sim_wait(bed);
	sim_assert_us(bed->fates[1].start_us, 10 + 15 + 15);
	sim_unregister(&h);
	assert_int_equal(sim_stop(bed, 0), 0);
}

static void stopping_with_data_on_devices_forgets_them(void **state)
{
	struct sim_bed *bed = start_gpus(NULL);
	struct xy_handle *h = sim_vector(bed, 10000), *held = sim_vector(bed, 10000);
	int status = 1;

	(void)state;
	SIM_SUBMIT(bed, 0, 100, .codelet = &sim_write, .handles = { h }, ON(CUDA0));
	assert_int_equal(xy_acquire(held, XY_RW), 0);
	SIM_SUBMIT(bed, 1, 100, .codelet = &sim_update, .handles = { held }, .callback = helper_status,
		   .callback_arg = &status);
	assert_int_equal(xy_prefetch(h, NODE_CUDA1), 0);
	assert_int_equal(sim_stop(bed, HELPER_ANY_LINES), -ECANCELED);
	assert_int_equal(status, -ECANCELED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_transfer_takes_its_latency_and_its_bytes),
		cmocka_unit_test(what_is_only_written_is_not_brought),
		cmocka_unit_test(two_transfers_share_a_link),
		cmocka_unit_test(both_directions_have_links_of_their_own),
		cmocka_unit_test(transfers_of_a_device_queue),
		cmocka_unit_test(without_a_route_data_go_through_ram),
		cmocka_unit_test(with_a_route_data_go_straight),
		cmocka_unit_test(data_come_while_a_kernel_runs),
		cmocka_unit_test(a_device_is_busy_with_one_kernel_at_a_time),
		cmocka_unit_test(a_task_that_comes_later_is_fetched_for_at_once),
		cmocka_unit_test(data_come_late_where_nothing_is_fetched_ahead),
		cmocka_unit_test(shared_memory_needs_no_transfers),
		cmocka_unit_test(data_without_bytes_arrive_at_once),
		cmocka_unit_test(each_node_of_main_memory_has_its_own_ways),
		cmocka_unit_test(whoever_is_free_takes_what_is_near_first),
		cmocka_unit_test(a_full_device_gives_up_what_is_not_used_again),
		cmocka_unit_test(a_full_device_gives_up_what_is_read_last),
		cmocka_unit_test(tasks_that_compete_for_memory_all_run),
		cmocka_unit_test(a_task_too_large_for_the_device_fails),
		cmocka_unit_test(a_limit_of_the_program_goes_before_that_of_the_machine),
		cmocka_unit_test(unregistering_makes_room),
		cmocka_unit_test(what_is_prefetched_is_there),
		cmocka_unit_test(what_is_invalidated_is_not_brought_back),
		cmocka_unit_test(what_is_written_goes_to_the_nodes_of_the_mask),
		cmocka_unit_test(chains_stay_on_their_device_also_with_tasks_ahead),
		cmocka_unit_test(partitions_work),
		cmocka_unit_test(plans_work),
		cmocka_unit_test(reductions_on_several_nodes_come_together),
		cmocka_unit_test(commuting_tasks_take_turns_on_several_nodes),
		cmocka_unit_test(scratch_data_are_each_workers_own),
		cmocka_unit_test(an_acquire_with_a_callback_brings_data_back),
		cmocka_unit_test(stopping_with_data_on_devices_forgets_them),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
