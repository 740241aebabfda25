/* SPDX-License-Identifier: MIT */
/* heteroprio: what each worker takes first, who waits for a faster one, tasks without a model, branches with queues. */
#include "recording.h"

#include <math.h>

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA, OPENCL = XY_ON_OPENCL, ALL = XY_ON_ALL };

/* What moving the data of any task costs, and how much it is, by task and worker. */
static const struct xy_task *far;
static unsigned far_worker;
static double far_us = 100;

struct xy_prediction __wrap_xy_task_transfer(const struct xy_task *task, unsigned worker);
struct xy_prediction __wrap_xy_task_transfer(const struct xy_task *task, unsigned worker)
{
	return (struct xy_prediction){ .kind = XY_PREDICTION_VALUE,
				       .us = task->naccesses > 1 && worker == far_worker ? far_us : 0 };
}

size_t __wrap_xy_task_missing_bytes(const struct xy_task *task, unsigned worker);
size_t __wrap_xy_task_missing_bytes(const struct xy_task *task, unsigned worker)
{
	return task == far && worker == far_worker ? 1000 : 0;
}

/* heteroprio(wait=...) | each worker */
static struct bed *open_heteroprio(const char *machine, const char *wait)
{
	struct bed *bed = bed_open(machine);
	struct xy_component *c = bed_add_with(bed, NULL, &xy__heteroprio_ops, "wait", wait);

	for (unsigned i = 0; i < xy_machine_nworkers(bed->machine); i++)
		bed_add_worker(bed, c, i);
	bed_seal(bed);
	return bed;
}

static size_t depth(struct bed *bed)
{
	struct xy_component *root = xy_tree_root(bed->tree);

	return root->ops->depth(root, &(size_t){ 0 });
}

static struct xy_task *submit(struct bed *bed, unsigned archs, const double *lengths)
{
	struct xy_task *task = bed_task_lasting(bed, archs, lengths);

	bed_submit(bed, task);
	return task;
}

/* The best task for a core is for another core: this one goes on to the next best. */
static void a_worker_goes_past_what_is_for_another_one(void **state)
{
	static const double little[] = { 10, 10, 9 }, some[] = { 30, 30, 6 };
	struct bed *bed = open_heteroprio("cpu:2 cuda:1", "no");
	struct xy_task *pinned = bed_task_pinned(bed, CPU | CUDA, 1), *other;

	(void)state;
	pinned->codelet = bed_task_lasting(bed, CPU | CUDA, little)->codelet;
	pinned->arg = (void *)little;
	bed_submit(bed, pinned);
	other = submit(bed, CPU | CUDA, some);
	assert_ptr_equal(bed_pull(bed, 0), other);
	assert_ptr_equal(bed_pull(bed, 1), pinned);
	bed_close(bed);
}

static void cores_and_devices_begin_at_opposite_ends(void **state)
{
	static const double little[] = { 10, 9 }, some[] = { 30, 6 }, much[] = { 90, 3 };
	struct bed *bed = open_heteroprio("cpu:1 cuda:1", "no");
	struct xy_task *b = submit(bed, CPU | CUDA, some), *a = submit(bed, CPU | CUDA, little);
	struct xy_task *c = submit(bed, CPU | CUDA, much), *d = submit(bed, CPU | CUDA, much);

	(void)state;
	assert_int_equal(depth(bed), 4);
	assert_ptr_equal(bed_pull(bed, 1), c);
	assert_int_equal(depth(bed), 3);
	assert_ptr_equal(bed_pull(bed, 0), a);
	assert_ptr_equal(bed_pull(bed, 0), b);
	assert_ptr_equal(bed_pull(bed, 1), d);
	assert_int_equal(depth(bed), 0);
	assert_null(bed_pull(bed, 1));
	bed_close(bed);
}

static void what_takes_long_to_bring_to_a_device_is_for_cores(void **state)
{
	static const double lengths[] = { 50, 5 };
	struct bed *bed = open_heteroprio("cpu:1 cuda:1", "yes");
	struct xy_task *here = bed_task_lasting(bed, CPU | CUDA, lengths);
	struct xy_task *there = bed_task_lasting(bed, CPU | CUDA, lengths);

	(void)state;
	far_worker = 1;
	here->naccesses = 2; /* its data is in main memory */
	there->naccesses = 1;
	bed_submit(bed, here);
	bed_submit(bed, there);
	assert_ptr_equal(bed_pull(bed, 1), there);
	assert_ptr_equal(bed_pull(bed, 0), here);
	assert_true(here->expected_us == 50);
	bed_close(bed);
}

static void data_that_does_not_change_who_is_fastest_does_not_count(void **state)
{
	static const double lengths[] = { 50, 5 };
	struct bed *bed = open_heteroprio("cpu:1 cuda:1", "no");
	struct xy_task *here = bed_task_lasting(bed, CPU | CUDA, lengths);

	(void)state;
	far_worker = 1;
	far_us = 20;
	here->naccesses = 2;
	bed_submit(bed, here);
	submit(bed, CPU | CUDA, lengths);
	assert_ptr_equal(bed_pull(bed, 1), here); /* they are alike, and it came first */
	far_us = 100;
	bed_close(bed);
}

static void where_nothing_is_known_a_task_counts_as_fast_as_anywhere(void **state)
{
	static const double unknown[] = { 40, 0 }, slower[] = { 40, 44 };
	struct bed *bed = open_heteroprio("cpu:1 cuda:1", "no");
	struct xy_task *second = submit(bed, CPU | CUDA, slower), *first = submit(bed, CPU | CUDA, unknown);

	(void)state;
	assert_ptr_equal(bed_pull(bed, 1), first);
	assert_ptr_equal(bed_pull(bed, 1), second);
	bed_close(bed);
}

static void of_equals_a_worker_takes_what_is_near(void **state)
{
	static const double lengths[] = { 50, 5 };
	struct bed *bed = open_heteroprio("cpu:1 cuda:1", "no");
	struct xy_task *first = submit(bed, CPU | CUDA, lengths), *second = submit(bed, CPU | CUDA, lengths);

	(void)state;
	far = first;
	far_worker = 1;
	assert_ptr_equal(bed_pull(bed, 1), second);
	assert_ptr_equal(bed_pull(bed, 1), first);
	far = NULL;
	bed_close(bed);
}

static void a_task_expects_the_time_where_it_was_taken(void **state)
{
	static const double lengths[] = { 80, 10 };
	struct bed *bed = open_heteroprio("cpu:1 cuda:1", "no");
	struct xy_task *a = submit(bed, CPU | CUDA, lengths), *b = submit(bed, CPU | CUDA, lengths);

	(void)state;
	assert_ptr_equal(bed_pull(bed, 1), a);
	assert_true(a->expected_us == 10);
	assert_ptr_equal(bed_pull(bed, 0), b);
	assert_true(b->expected_us > 75 && b->expected_us < 85);
	bed_close(bed);
}

static void three_architectures_take_what_they_are_best_at(void **state)
{
	static const double on_cpu[] = { 10, 20, 20 }, on_cuda[] = { 50, 10, 20 }, on_opencl[] = { 50, 20, 10 };
	struct bed *bed = open_heteroprio("cpu:1 cuda:1 opencl:1", "no");
	struct xy_task *a = submit(bed, ALL, on_cpu), *b = submit(bed, ALL, on_cuda), *c = submit(bed, ALL, on_opencl);

	(void)state;
	assert_ptr_equal(bed_pull(bed, 2), c);
	assert_ptr_equal(bed_pull(bed, 0), a);
	assert_ptr_equal(bed_pull(bed, 1), b);
	bed_close(bed);
}

static void what_nobody_else_can_run_comes_first(void **state)
{
	static const double much[] = { 90, 3 };
	struct bed *bed = open_heteroprio("cpu:1 cuda:1", "no");
	struct xy_task *both = submit(bed, CPU | CUDA, much), *mine = submit(bed, CUDA, much);

	(void)state;
	assert_ptr_equal(bed_pull(bed, 1), mine);
	assert_ptr_equal(bed_pull(bed, 1), both);
	bed_close(bed);
}

static void priorities_order_a_bucket(void **state)
{
	static const double lengths[] = { 90, 3 };
	struct bed *bed = open_heteroprio("cpu:1 cuda:1", "no");
	struct xy_task *low = submit(bed, CPU | CUDA, lengths), *high = bed_task_lasting(bed, CPU | CUDA, lengths);

	(void)state;
	high->priority = 2;
	bed_submit(bed, high);
	assert_ptr_equal(bed_pull(bed, 1), high);
	assert_ptr_equal(bed_pull(bed, 1), low);
	bed_close(bed);
}

static void a_slow_worker_leaves_what_a_fast_one_will_have_done_before(void **state)
{
	static const double lengths[] = { 100, 10 };
	struct bed *bed = open_heteroprio("cpu:1 cuda:1", "yes");

	(void)state;
	for (unsigned i = 0; i < 9; i++)
		submit(bed, CPU | CUDA, lengths);
	assert_null(bed_pull(bed, 0)); /* 90 here, 100 there */
	submit(bed, CPU | CUDA, lengths);
	assert_non_null(bed_pull(bed, 0));
	assert_null(bed_pull(bed, 0));
	bed->free_us[1] = 50; /* what it does now counts as well */
	assert_non_null(bed_pull(bed, 0));
	for (unsigned i = 0; i < 8; i++)
		assert_non_null(bed_pull(bed, 1));
	assert_null(bed_pull(bed, 1));
	bed_close(bed);
}

static void who_is_fastest_is_woken_first(void **state)
{
	static const double lengths[] = { 100, 100, 10 };
	struct bed *bed = open_heteroprio("cpu:2 cuda:1", "yes");

	(void)state;
	submit(bed, CPU | CUDA, lengths);
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 2);
	bed_wake(bed, 2);
	bed_forget(bed);
	submit(bed, CPU | CUDA, lengths);
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 0);
	bed_close(bed);
}

static void tasks_without_a_model_go_to_whoever_asks(void **state)
{
	struct bed *bed = open_heteroprio("cpu:1 cuda:1", "yes");
	struct xy_task *a = bed_task(bed, CPU | CUDA), *b = bed_task(bed, CPU | CUDA), *c = bed_task(bed, CUDA);

	(void)state;
	bed_submit(bed, a);
	bed_submit(bed, b);
	bed_submit(bed, c);
	assert_ptr_equal(bed_pull(bed, 0), a);
	assert_ptr_equal(bed_pull(bed, 0), b);
	assert_null(bed_pull(bed, 0));
	assert_ptr_equal(bed_pull(bed, 1), c);
	bed_close(bed);
}

static void pinned_tasks_go_to_their_workers_alone(void **state)
{
	static const double lengths[] = { 100, 100, 10 };
	struct bed *bed = open_heteroprio("cpu:2 cuda:1", "yes");
	struct xy_task *task = bed_task_pinned(bed, CPU | CUDA, 1), *like = bed_task_lasting(bed, CPU, lengths);

	(void)state;
	task->codelet = like->codelet;
	task->arg = like->arg;
	bed_submit(bed, task);
	assert_int_equal(bed->woken[0], 1);
	assert_null(bed_pull(bed, 0));
	assert_null(bed_pull(bed, 2));
	assert_ptr_equal(bed_pull(bed, 1), task);
	bed_close(bed);
}

static void more_kinds_of_tasks_than_buckets_do_no_harm(void **state)
{
	static double lengths[100][2];
	struct bed *bed = open_heteroprio("cpu:1 cuda:1", "no");
	unsigned n = 0;

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		lengths[i][0] = 10 * exp2(i / 9.0);
		lengths[i][1] = 10;
		submit(bed, CPU | CUDA, lengths[i]);
	}
	while (bed_pull(bed, n % 2))
		n++;
	assert_int_equal(n, 100);
	bed_close(bed);
}

/* heteroprio { basin | worker i, ... } */
static void branches_with_queues_are_kept_filled(void **state)
{
	static const double little[] = { 10, 9 }, much[] = { 90, 3 };
	struct bed *bed = bed_open("cpu:1 cuda:1");
	struct xy_component *root = bed_add_with(bed, NULL, &xy__heteroprio_ops, "wait", "no"), *basins[2];
	struct xy_task *a, *b, *c;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		basins[i] = bed_add(bed, root, &basin_ops);
		bed_add_worker(bed, basins[i], i);
	}
	bed_seal(bed);
	recorder(basins[1])->room = 1;
	a = submit(bed, CPU | CUDA, much);
	b = submit(bed, CPU | CUDA, much);
	c = submit(bed, CPU | CUDA, little);
	assert_ptr_equal(recorder(basins[1])->pushed[0], a);
	assert_int_equal(recorder(basins[0])->npushed, 0);
	recorder(basins[0])->room = 1;
	assert_true(xy_can_push(root, basins[0], &bed->workers[0]));
	assert_ptr_equal(recorder(basins[0])->pushed[0], c);
	assert_ptr_equal(bed_pull(bed, 1), a);
	assert_true(xy_can_push(root, basins[1], &bed->workers[1]));
	assert_ptr_equal(recorder(basins[1])->pushed[1], b);
	assert_int_equal(depth(bed), 0);
	bed_close(bed);
}

static void the_fastest_branch_is_filled_first(void **state)
{
	static const double lengths[] = { 90, 80, 3 };
	struct bed *bed = bed_open("cpu:1 cuda:1 opencl:1");
	struct xy_component *root = bed_add_with(bed, NULL, &xy__heteroprio_ops, "wait", "no"), *basins[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		basins[i] = bed_add(bed, root, &basin_ops);
		bed_add_worker(bed, basins[i], i);
	}
	bed_seal(bed);
	for (unsigned i = 0; i < 3; i++)
		recorder(basins[i])->room = 1;
	for (unsigned i = 0; i < 3; i++) {
		submit(bed, ALL, lengths);
		assert_int_equal(recorder(basins[2])->npushed, 1);
		assert_int_equal(recorder(basins[0])->npushed + recorder(basins[1])->npushed, i);
	}
	bed_close(bed);
}

static void tasks_of_less_than_a_microsecond_are_compared_too(void **state)
{
	static const double alike[] = { 0.9, 0.8 }, much[] = { 0.9, 0.1 };
	struct bed *bed = open_heteroprio("cpu:1 cuda:1", "no");
	struct xy_task *b = submit(bed, CPU | CUDA, alike), *a = submit(bed, CPU | CUDA, much);

	(void)state;
	assert_ptr_equal(bed_pull(bed, 1), a);
	assert_ptr_equal(bed_pull(bed, 1), b);
	bed_close(bed);
}

static void a_task_too_many_joins_the_bucket_that_is_most_similar(void **state)
{
	static double lengths[65][2];
	struct bed *bed = open_heteroprio("cpu:1 cuda:1", "no");
	struct xy_task *last;

	(void)state;
	/* 64 buckets two steps of slowness apart, and a task one step from each of the first two */
	for (unsigned i = 0; i < 65; i++) {
		lengths[i][0] = 10 * exp2(i < 64 ? i / 5.0 : 0.1);
		lengths[i][1] = 10;
	}
	for (unsigned i = 0; i < 64; i++)
		submit(bed, CPU | CUDA, lengths[i]);
	last = submit(bed, CPU | CUDA, lengths[64]);
	/* the core begins with what it is best at */
	assert_ptr_equal(bed_pull(bed, 0), bed->tasks[0]);
	assert_ptr_equal(bed_pull(bed, 0), last);
	assert_ptr_equal(bed_pull(bed, 0), bed->tasks[1]);
	bed_close(bed);
}

/* heteroprio { basin | worker i, ... } */
static void a_slow_branch_is_not_filled_with_what_waits_for_a_fast_one(void **state)
{
	static const double lengths[] = { 100, 10 };
	struct bed *bed = bed_open("cpu:1 cuda:1");
	struct xy_component *root = bed_add_with(bed, NULL, &xy__heteroprio_ops, "wait", "yes"), *basins[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		basins[i] = bed_add(bed, root, &basin_ops);
		bed_add_worker(bed, basins[i], i);
		recorder(basins[i])->room = 0;
	}
	bed_seal(bed);
	recorder(basins[0])->room = 9;
	submit(bed, CPU | CUDA, lengths);
	assert_int_equal(recorder(basins[0])->npushed, 0);
	assert_int_equal(depth(bed), 1);
	bed->free_us[1] = 95; /* 105 there, 100 here */
	submit(bed, CPU | CUDA, lengths);
	assert_int_equal(recorder(basins[0])->npushed, 2);
	bed_close(bed);
}

static void a_branch_is_left_alone_with_what_is_pinned_elsewhere(void **state)
{
	static const double lengths[] = { 10, 10 };
	struct bed *bed = bed_open("cpu:2");
	struct xy_component *root = bed_add_with(bed, NULL, &xy__heteroprio_ops, "wait", "no"), *basins[2];
	struct xy_task *task = bed_task_pinned(bed, CPU, 1), *like = bed_task_lasting(bed, CPU, lengths);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		basins[i] = bed_add(bed, root, &basin_ops);
		bed_add_worker(bed, basins[i], i);
	}
	bed_seal(bed);
	recorder(basins[0])->room = 9;
	task->codelet = like->codelet;
	task->arg = like->arg;
	bed_submit(bed, task);
	assert_int_equal(recorder(basins[0])->npushed, 0);
	recorder(basins[1])->room = 1;
	assert_true(xy_can_push(root, basins[1], &bed->workers[1]));
	assert_ptr_equal(recorder(basins[1])->pushed[0], task);
	bed_close(bed);
}

static void a_slow_worker_waits_although_places_do_not_count(void **state)
{
	static const double lengths[] = { 100, 10 };
	struct bed *bed = bed_open("cpu:1 cuda:1");
	struct xy_component *root = bed_add_with(bed, NULL, &xy__heteroprio_ops, "near", "no");

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		bed_add_worker(bed, root, i);
	bed_seal(bed);
	submit(bed, CPU | CUDA, lengths);
	assert_null(bed_pull(bed, 0));
	bed->free_us[1] = 95;
	assert_non_null(bed_pull(bed, 0));
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_goes_past_what_is_for_another_one),
		cmocka_unit_test(cores_and_devices_begin_at_opposite_ends),
		cmocka_unit_test(what_takes_long_to_bring_to_a_device_is_for_cores),
		cmocka_unit_test(data_that_does_not_change_who_is_fastest_does_not_count),
		cmocka_unit_test(where_nothing_is_known_a_task_counts_as_fast_as_anywhere),
		cmocka_unit_test(of_equals_a_worker_takes_what_is_near),
		cmocka_unit_test(a_task_expects_the_time_where_it_was_taken),
		cmocka_unit_test(three_architectures_take_what_they_are_best_at),
		cmocka_unit_test(what_nobody_else_can_run_comes_first),
		cmocka_unit_test(priorities_order_a_bucket),
		cmocka_unit_test(a_slow_worker_leaves_what_a_fast_one_will_have_done_before),
		cmocka_unit_test(who_is_fastest_is_woken_first),
		cmocka_unit_test(tasks_without_a_model_go_to_whoever_asks),
		cmocka_unit_test(pinned_tasks_go_to_their_workers_alone),
		cmocka_unit_test(more_kinds_of_tasks_than_buckets_do_no_harm),
		cmocka_unit_test(branches_with_queues_are_kept_filled),
		cmocka_unit_test(the_fastest_branch_is_filled_first),
		cmocka_unit_test(tasks_of_less_than_a_microsecond_are_compared_too),
		cmocka_unit_test(a_task_too_many_joins_the_bucket_that_is_most_similar),
		cmocka_unit_test(a_slow_branch_is_not_filled_with_what_waits_for_a_fast_one),
		cmocka_unit_test(a_branch_is_left_alone_with_what_is_pinned_elsewhere),
		cmocka_unit_test(a_slow_worker_waits_although_places_do_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
