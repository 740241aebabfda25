/* SPDX-License-Identifier: MIT */
/* hybrid: which device gets which piece, by tables worked out by hand, and what is refused. */
#include "recording.h"

#include <errno.h>

enum { CPU = 0, CUDA0 = 1, CUDA1 = 2, ALL = XY_ON_CPU | XY_ON_CUDA };

static struct bed *open_hybrid(const char *options)
{
	char text[512];

	snprintf(text, sizeof text, "prio | hybrid(%s) | each node { fifo | eager | each worker { } }", options);
	return bed_parse("cpu:1 cuda:2", text);
}

static struct xy_task *expect(struct bed *bed, unsigned worker, uint64_t start, uint64_t stop)
{
	struct xy_task *piece = bed_pull(bed, worker);

	if (!piece)
		fail_msg("worker %u has no piece from %u on", worker, (unsigned)start);
	assert_int_equal(xy_task_range(piece).start, start);
	assert_int_equal(xy_task_range(piece).stop, stop);
	return piece;
}

static void sends_to_the_most_urgent_device_with_room(void **state)
{
	struct bed *bed = open_hybrid("devices=cpu+cuda:0+cuda:1, batch_sizes=10+40+40, capacities=10+80+40, "
				      "priorities=1+2+2");
	struct xy_task *piece[4];

	(void)state;
	bed_submit(bed, bed_task_divisible(bed, ALL, 225));
	piece[0] = expect(bed, CUDA0, 0, 40);
	piece[1] = expect(bed, CUDA0, 40, 80);
	piece[2] = expect(bed, CUDA1, 80, 120);
	piece[3] = expect(bed, CPU, 120, 130);
	assert_null(bed_pull(bed, CPU));
	assert_null(bed_pull(bed, CUDA0));
	assert_null(bed_pull(bed, CUDA1));
	bed_end(bed, piece[2], CUDA1, 0);
	piece[2] = expect(bed, CUDA1, 130, 170);
	bed_end(bed, piece[0], CUDA0, 0);
	piece[0] = expect(bed, CUDA0, 170, 210);
	assert_null(bed_pull(bed, CUDA0));
	bed_end(bed, piece[3], CPU, 0);
	piece[3] = expect(bed, CPU, 210, 220);
	bed_end(bed, piece[1], CUDA0, 0);
	piece[1] = expect(bed, CUDA0, 220, 225);
	assert_ptr_equal(piece[1], bed->tasks[0]);
	bed_end(bed, piece[0], CUDA0, 0);
	assert_null(bed_pull(bed, CUDA0));
	bed_close(bed);
}

/* Of the architecture that has one device only. */
static void an_only_device_goes_by_the_name_of_its_architecture(void **state)
{
	struct bed *bed = bed_parse("cpu:1 cuda:1 opencl:2", "prio | hybrid(devices=cuda+opencl:1, batch_sizes=10) "
							     "| each node { fifo | eager | each worker { } }");

	(void)state;
	bed_submit(bed, bed_task_divisible(bed, ALL | XY_ON_OPENCL, 15));
	expect(bed, 1, 0, 10);
	expect(bed, 3, 10, 15);
	bed_close(bed);
}

static void the_first_listed_is_first_among_equals(void **state)
{
	struct bed *bed = open_hybrid("devices=cuda:1+cpu+cuda:0, batch_sizes=5");

	(void)state;
	bed_submit(bed, bed_task_divisible(bed, ALL, 100));
	expect(bed, CUDA1, 0, 5);
	expect(bed, CPU, 5, 10);
	expect(bed, CUDA0, 10, 15);
	bed_close(bed);
}

/* Upstream and here: a piece that is shorter than the batch size needs room for a whole one. */
static void the_last_piece_needs_room_for_a_whole_one(void **state)
{
	struct bed *bed = open_hybrid("devices=cpu, batch_sizes=10, capacities=15");
	struct xy_task *piece;

	(void)state;
	bed_submit(bed, bed_task_divisible(bed, ALL, 13));
	piece = expect(bed, CPU, 0, 10);
	assert_null(bed_pull(bed, CPU));
	bed_end(bed, piece, CPU, 0);
	expect(bed, CPU, 10, 13);
	bed_close(bed);
}

static void after_a_failure_nothing_new_is_sent(void **state)
{
	struct bed *bed = open_hybrid("devices=cpu, batch_sizes=10");
	struct xy_task *task = bed_task_divisible(bed, ALL, 1000), *piece;

	(void)state;
	bed_submit(bed, task);
	piece = expect(bed, CPU, 0, 10);
	bed_end(bed, piece, CPU, -EIO);
	assert_ptr_equal(expect(bed, CPU, 1000, 1000), task);
	assert_int_equal(task->status, -EIO);
	bed_end(bed, task, CPU, -EIO);
	/* The device is as free as before. */
	bed_submit(bed, bed_task_divisible(bed, ALL, 10));
	expect(bed, CPU, 0, 10);
	bed_close(bed);
}

static void a_piece_that_comes_back_frees_its_device(void **state)
{
	struct bed *bed = open_hybrid("devices=cuda:0+cpu, batch_sizes=20+10");
	struct xy_task *first, *other;

	(void)state;
	bed_submit(bed, bed_task_divisible(bed, ALL, 50));
	first = expect(bed, CUDA0, 0, 20);
	other = expect(bed, CPU, 20, 30);
	bed_return(bed, first, CUDA0); /* behind the rest, which has its turn */
	assert_ptr_equal(expect(bed, CUDA0, 30, 50), bed->tasks[0]);
	assert_null(bed_pull(bed, CUDA0));
	bed_end(bed, bed->tasks[0], CUDA0, 0);
	assert_ptr_equal(bed_pull(bed, CUDA0), first);
	bed_end(bed, other, CPU, 0);
	/* A device that has nothing takes what is larger than its own pieces. */
	bed_return(bed, first, CUDA0);
	assert_ptr_equal(bed_pull(bed, CUDA0), first);
	bed_close(bed);
}

static void two_batches_go_by_priority(void **state)
{
	struct bed *bed = open_hybrid("devices=cpu, batch_sizes=10");
	struct xy_task *low = bed_task_divisible(bed, ALL, 30), *high = bed_task_divisible(bed, ALL, 30), *piece;

	(void)state;
	high->priority = 5;
	bed_submit(bed, low);
	bed_submit(bed, high);
	piece = expect(bed, CPU, 0, 10);
	assert_ptr_equal(xy__task_piece(piece)->whole, low);
	bed_end(bed, piece, CPU, 0);
	piece = expect(bed, CPU, 0, 10);
	assert_ptr_equal(xy__task_piece(piece)->whole, high);
	bed_close(bed);
}

static void any_worker_takes_tasks_without_items(void **state)
{
	struct bed *bed = open_hybrid("batch_sizes=10");
	struct xy_task *task[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		task[i] = bed_task(bed, i == 2 ? XY_ON_CPU : ALL);
		bed_submit(bed, task[i]);
	}
	assert_int_equal(bed->nwoken, 3);
	assert_ptr_equal(bed_pull(bed, CUDA1), task[0]);
	assert_ptr_equal(bed_pull(bed, CUDA0), task[1]);
	assert_null(bed_pull(bed, CUDA0));
	assert_ptr_equal(bed_pull(bed, CPU), task[2]);
	bed_close(bed);
}

static void one_device_or_that_of_the_rank(void **state)
{
	struct bed *bed = open_hybrid("one, batch_sizes=10, capacities=1000");

	(void)state;
	bed_submit(bed, bed_task_divisible(bed, ALL, 10));
	expect(bed, CUDA0, 0, 10);
	bed_close(bed);
	bed = open_hybrid("ranks, devices=cuda:0+cuda:1, batch_sizes=10, local_size=1");
	assert_non_null(strstr(bed->tree->warning, "2 devices for 1 rank on this host: some are idle"));
	bed_submit(bed, bed_task_divisible(bed, ALL, 10));
	expect(bed, CUDA0, 0, 10);
	bed_close(bed);
	bed = open_hybrid("ranks, devices=cuda:0+cuda:1, batch_sizes=10, local_rank=5, local_size=6, strict");
	assert_string_equal(bed->tree->warning, "");
	bed_submit(bed, bed_task_divisible(bed, ALL, 10));
	expect(bed, CUDA1, 0, 10);
	bed_close(bed);
}

static struct xy_task *first_piece(const char *machine, const char *options, unsigned worker)
{
	char text[512];
	struct bed *bed;
	struct xy_task *piece;

	snprintf(text, sizeof text, "prio | hybrid(%s) | each node { fifo | eager | each worker { } }", options);
	bed = bed_parse(machine, text);
	assert_string_equal(bed->tree->warning, "");
	bed_submit(bed, bed_task_divisible(bed, ALL, 10));
	piece = bed_pull(bed, worker);
	bed_close(bed);
	return piece;
}

/* Each rank has cores of its own, but a GPU is worth a rank. */
static void ranks_take_the_cpus_if_they_are_listed_or_nothing_else_is_there(void **state)
{
	(void)state;
	assert_non_null(first_piece("cpu:1 cuda:2", "ranks, local_rank=0, local_size=2", CUDA0));
	assert_non_null(first_piece("cpu:1 cuda:2", "ranks, local_rank=1, local_size=2", CUDA1));
	assert_non_null(first_piece("cpu:1 cuda:2", "ranks, local_rank=2, local_size=3", CUDA0));
	assert_non_null(first_piece("cpu:1 cuda:2", "ranks, local_rank=0, devices=cpu+cuda:1", CPU));
	assert_non_null(first_piece("cpu:1 cuda:2", "ranks, local_rank=1, devices=cpu+cuda:1", CUDA1));
	assert_non_null(first_piece("cpu:1", "ranks, local_rank=3, local_size=4", CPU));
	assert_non_null(first_piece("cpu:1", "one", CPU));
}

static void fails_where_no_device_can_run_it(void **state)
{
	struct bed *bed = open_hybrid("devices=cuda:0, batch_sizes=10");
	struct xy_task *task = bed_task_divisible(bed, XY_ON_CPU, 100);

	(void)state;
	bed_submit(bed, task);
	assert_ptr_equal(expect(bed, CPU, 100, 100), task);
	assert_int_equal(task->status, -ENODEV);
	bed_close(bed);
}

static void blanks_around_values_do_not_matter(void **state)
{
	struct bed *bed = open_hybrid("devices=\" cuda:1 ,cpu\", batch_sizes=\"5 , 7\"");

	(void)state;
	bed_submit(bed, bed_task_divisible(bed, ALL, 100));
	expect(bed, CUDA1, 0, 5);
	expect(bed, CPU, 5, 12);
	bed_close(bed);
}

static void expect_refusal(const char *options, const char *says)
{
	struct bed *bed = bed_open("cpu:1 cuda:2");
	char text[512], error[512] = "";
	struct xy_tree *tree = NULL;

	snprintf(text, sizeof text, "prio | hybrid(%s) | each node { fifo | eager | each worker { } }", options);
	if (!xy_tree_parse(&tree, text, bed->machine, bed->registry, error, sizeof error))
		fail_msg("not refused: %s", options);
	assert_null(tree);
	if (!strstr(error, says))
		fail_msg("%s: \"%s\" does not say \"%s\"", options, error, says);
	bed_close(bed);
}

static void refuses_wrong_options_each_with_its_reason(void **state)
{
	(void)state;
	expect_refusal("batch_sizes=100, capacities=99", "capacity of \"cpu\", 99, is below its batch size, 100");
	expect_refusal("batch_sizes=0", "the batch size of \"cpu\" is 0");
	expect_refusal("devices=cuda:0+cuda:0", "the device \"cuda:0\" is listed twice");
	expect_refusal("devices=cpu+cuda:0+cuda:0", "the device \"cuda:0\" is listed twice");
	expect_refusal("devices=cpu+cpu", "the device \"cpu\" is listed twice");
	expect_refusal("devices=cpu+cpu:1", "\"cpu:1\" is a second CPU device");
	expect_refusal("devices=cpu+cuda:0, batch_sizes=1+2+3", "batch_sizes has 3 values for 2 devices");
	expect_refusal("devices=cuda:0, batch_sizes=1+2", "batch_sizes has 2 values for 1 device: give");
	expect_refusal("devices=cpu+cuda:0+cuda:1, capacities=9000+9000", "capacities has 2 values for 3 devices");
	expect_refusal("devices=cpu+cuda:0+cuda:1, priorities=1+2", "priorities has 2 values for 3 devices");
	expect_refusal("devices=cdua:0", "there is no device \"cdua:0\"; did you mean \"cuda:0\"");
	expect_refusal("devices=gpu:0", "there is no device \"gpu:0\"; the devices are cpu, cuda:0, cuda:1");
	expect_refusal("devices=cuda:2",
		       "the machine has no device \"cuda:2\" here; the devices are cpu, cuda:0, cuda:1");
	expect_refusal("devices=opencl:0", "the machine has no device \"opencl:0\"");
	expect_refusal("devices=cuda", "say which");
	expect_refusal("batch_sizes=-5", "-5 is negative");
	expect_refusal("capacities=-5", "-5 is negative");
	expect_refusal("priorities=-1", "-1 is negative");
	expect_refusal("batch_sizes=nan", "\"nan\" is not a number");
	expect_refusal("priorities=many", "\"many\" is not a number");
	expect_refusal("devices=cpu+cuda:0, batch_sizes=\"5, \"", "\"\" is not a number");
	expect_refusal("capacities=inf", "inf is not a whole number");
	expect_refusal("batch_sizes=5000000000", "the batch size of \"cpu\" is over 4294967295");
	expect_refusal("batch_sizes=2.5", "2.5 is not a whole number");
	expect_refusal("one, devices=cpu+cuda:0", "one device is wanted");
	expect_refusal("ranks, strict, local_rank=0, local_size=1", "2 devices for 1 rank");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sends_to_the_most_urgent_device_with_room),
		cmocka_unit_test(an_only_device_goes_by_the_name_of_its_architecture),
		cmocka_unit_test(the_first_listed_is_first_among_equals),
		cmocka_unit_test(the_last_piece_needs_room_for_a_whole_one),
		cmocka_unit_test(after_a_failure_nothing_new_is_sent),
		cmocka_unit_test(a_piece_that_comes_back_frees_its_device),
		cmocka_unit_test(two_batches_go_by_priority),
		cmocka_unit_test(any_worker_takes_tasks_without_items),
		cmocka_unit_test(one_device_or_that_of_the_rank),
		cmocka_unit_test(ranks_take_the_cpus_if_they_are_listed_or_nothing_else_is_there),
		cmocka_unit_test(fails_where_no_device_can_run_it),
		cmocka_unit_test(blanks_around_values_do_not_matter),
		cmocka_unit_test(refuses_wrong_options_each_with_its_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
