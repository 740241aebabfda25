/* SPDX-License-Identifier: MIT */
/* What moving data changes: how long a task takes on each class, and which task of a type a worker takes. */
#include "cambium_bed.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA };

/* By task and worker: how long its data is under way; and its result between any two workers. */
static double transfers_us[BED_RECORDS][32], result_us;

struct xy_prediction __wrap_xy_task_transfer(const struct xy_task *task, unsigned worker);
struct xy_prediction __wrap_xy_task_transfer(const struct xy_task *task, unsigned worker)
{
	double us = transfers_us[task->number][worker];

	return (struct xy_prediction){ .kind = us < 0 ? XY_PREDICTION_NONE : XY_PREDICTION_VALUE, .us = us };
}

double __wrap_xy__predict_result_us(const struct xy_task *task, unsigned from, unsigned to);
double __wrap_xy__predict_result_us(const struct xy_task *task, unsigned from, unsigned to)
{
	(void)task;
	return from == to ? 0 : result_us;
}

static struct bed *open_moving(const char *machine, struct xy__cambium **c)
{
	memset(transfers_us, 0, sizeof transfers_us);
	result_us = 0;
	return cambium_open(machine, c);
}

static void transfer(const struct xy_task *task, unsigned worker, double us)
{
	transfers_us[task->number][worker] = us;
}

/* --- between classes: 100 us on the core, 20 us on the devices --- */

static const float lengths[] = { 100, 20 };

/* How long it takes on a core now, when its data is elsewhere and a little follows. */
static double on_core(struct xy__cambium *c, const struct xy_task *task)
{
	unsigned type = xy__cambium_type_now(c, 0, task, 0);

	assert_int_equal(c->types[type].base, 0);
	assert_near(c->types[type].us[1], 20);
	assert_near(c->types[type].least_us, 20);
	assert_int_equal(c->types[type].fast, 1);
	return (double)c->types[type].us[0];
}

static void moving_counts_on_the_slower_class(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = open_moving("cpu:1 cuda:2", &c);
	struct xy_task *task = bed_task(bed, CPU | CUDA);

	(void)state;
	cambium_type(c, lengths, 1);
	assert_near(on_core(c, task), 100);
	assert_int_equal(c->ntypes, 1);
	transfer(task, 0, -1); /* unknown */
	assert_near(xy__cambium_transfer_us(task, 0), 0);
	assert_near(on_core(c, task), 100);
	transfer(task, 0, 25); /* a quarter of the time is too little to count */
	assert_near(on_core(c, task), 100);
	transfer(task, 0, 34); /* about 32 */
	assert_near(on_core(c, task), 132);
	transfer(task, 0, 29);
	assert_near(on_core(c, task), 132);
	assert_int_equal(c->ntypes, 2);
	transfer(task, 0, 40);
	assert_false(isinf(on_core(c, task)));
	transfer(task, 0, 41); /* more than twice the time on the device: not worth it */
	assert_true(isinf(on_core(c, task)));
	assert_int_equal(c->ntypes, 3);
	bed_close(bed);
}

/* The result goes to each device on which a successor may run. */
static void results_are_moved_to_those_who_read_them(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = open_moving("cpu:1 cuda:2", &c);
	struct xy_task *task = bed_task(bed, CPU | CUDA);

	(void)state;
	cambium_type(c, lengths, 1);
	result_us = 18;
	assert_near(on_core(c, task), 100);
	cambium_follows(bed_task(bed, CPU | CUDA), task);
	assert_near(on_core(c, task), 100);
	cambium_follows(bed_task(bed, CPU | CUDA), task);
	assert_near(on_core(c, task), 132); /* 36 */
	cambium_follows(bed_task(bed, CPU | CUDA), task);
	assert_near(on_core(c, task), 132); /* there are two devices */
	transfer(task, 0, 5);
	assert_true(isinf(on_core(c, task))); /* 41 */
	bed_close(bed);
}

static void the_nearest_worker_of_a_class_counts(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = open_moving("cpu:1 cuda:2", &c);
	struct xy_task *task = bed_task(bed, CPU | CUDA);

	(void)state;
	cambium_type(c, lengths, 1);
	transfer(task, 0, 34);
	transfer(task, 1, 1000);
	assert_near(on_core(c, task), 132);
	transfer(task, 1, 0);
	transfer(task, 2, 1000);
	assert_near(on_core(c, task), 132);
	/* the core is best if the data is far from both, and then it is the device that takes longer */
	transfer(task, 0, 0);
	transfer(task, 1, 100);
	assert_near(c->types[xy__cambium_type_now(c, 0, task, 0)].us[0], 100);
	assert_near(c->types[xy__cambium_type_now(c, 0, task, 0)].us[1], 20 + 128);
	/* unless more follows that uses the data as well */
	assert_near(c->types[xy__cambium_type_now(c, 0, task, 10)].us[1], 20);
	assert_near(c->types[xy__cambium_type_now(c, 0, task, 2000)].us[1], 20);
	bed_close(bed);
}

/* The core is a little faster, but has to fetch the data that is with the device. */
static void a_task_is_best_where_it_ends_soonest(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = open_moving("cpu:1 cuda:1", &c);
	struct xy_task *task = bed_task(bed, CPU | CUDA);
	unsigned type;

	(void)state;
	cambium_type(c, (float[]){ 20, 22 }, 1);
	transfer(task, 0, 30);
	type = xy__cambium_type_now(c, 0, task, 0);
	assert_near(c->types[type].us[0], 20 + 32);
	assert_near(c->types[type].us[1], 22);
	assert_int_equal(c->types[type].fast, 1);
	bed_close(bed);
}

static void each_class_has_its_own_way_to_go(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = open_moving("cpu:1 cuda:1 opencl:1", &c);
	struct xy_task *task = bed_task(bed, CPU | CUDA | XY_ON_OPENCL);
	unsigned type;

	(void)state;
	cambium_type(c, (float[]){ 100, 20, 60 }, 1);
	transfer(task, 2, 32);
	type = xy__cambium_type_now(c, 0, task, 0);
	assert_near(c->types[type].us[0], 100);
	assert_near(c->types[type].us[1], 20);
	assert_near(c->types[type].us[2], 92);
	bed_close(bed);
}

/* Types for far data are not for tasks that take so long wherever their data is. */
static void a_task_is_never_of_a_derived_type(void **state)
{
	static const double near[] = { 100, 20 }, like_far[] = { 132, 20 };
	struct xy__cambium *c;
	struct bed *bed = open_moving("cpu:1 cuda:1", &c);
	struct xy_task *task = bed_task_lasting(bed, CPU | CUDA, near);
	unsigned base = xy__cambium_type_of(c, task), far, other;

	(void)state;
	transfer(task, 0, 32);
	far = xy__cambium_type_now(c, base, task, 0);
	assert_near(c->types[far].us[0], 132);
	other = xy__cambium_type_of(c, bed_task_lasting(bed, CPU | CUDA, like_far));
	assert_true(other != far && other != base);
	assert_int_equal(c->types[other].base, other);
	assert_int_equal(xy__cambium_type_now(c, base, task, 0), far);
	bed_close(bed);
}

static void without_another_place_nothing_is_moved(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = open_moving("cpu:2", &c);
	struct xy_task *task = bed_task(bed, CPU);

	(void)state;
	cambium_type(c, (float[]){ 100 }, 1);
	transfer(task, 0, 1000);
	assert_int_equal(xy__cambium_type_now(c, 0, task, 0), 0);
	bed_close(bed);
}

/* --- within a class --- */

/* What the first of two devices picks of a type of 10 us. */
static struct xy__cambium_near pick(struct xy__cambium *c, unsigned worker)
{
	return xy__cambium_pick(c, &c->types[0], c->types[0].ngroups - 1, worker, 0);
}

static struct xy_task *add(struct bed *bed, struct xy__cambium *c, float path_us)
{
	struct xy_task *task = bed_task(bed, CUDA);

	assert_true(xy__cambium_insert(c, 0, task, path_us, path_us));
	return task;
}

static void the_nearest_of_equals_comes_first(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = open_moving("cuda:1", &c);
	struct xy_task *tasks[5];

	(void)state;
	c->moves = true;
	cambium_type(c, (float[]){ 10 }, 1);
	for (unsigned i = 0; i < 5; i++) {
		tasks[i] = add(bed, c, 50);
		transfer(tasks[i], 0, 10 + (i + 2) % 5); /* the fourth is nearest, then the fifth */
	}
	assert_ptr_equal(pick(c, 0).task, tasks[3]);
	assert_ptr_equal(pick(c, 0).before, tasks[2]);
	assert_near(pick(c, 0).transfer_us, 10);
	xy__cambium_remove(c, 0, 0, tasks[3], tasks[2]);
	assert_ptr_equal(pick(c, 0).task, tasks[4]);
	assert_ptr_equal(pick(c, 0).before, tasks[2]);
	transfer(tasks[0], 0, 11); /* as near as that one: the oldest */
	assert_ptr_equal(pick(c, 0).task, tasks[0]);
	assert_null(pick(c, 0).before);
	bed_close(bed);
}

/* A task of lower rank is taken if it is much nearer; never one of a higher rank than asked for. */
static void rank_and_nearness_are_weighed(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = open_moving("cuda:1", &c);
	struct xy_task *high, *middle, *low;

	(void)state;
	c->moves = true;
	cambium_type(c, (float[]){ 10 }, 1);
	low = add(bed, c, 10);
	middle = add(bed, c, 30);
	high = add(bed, c, 60);
	assert_ptr_equal(pick(c, 0).task, high);
	assert_int_equal(pick(c, 0).group, 2);
	transfer(high, 0, 30);
	transfer(middle, 0, 30);
	assert_ptr_equal(pick(c, 0).task, low);
	assert_int_equal(pick(c, 0).group, 0);
	transfer(low, 0, 30);
	assert_ptr_equal(pick(c, 0).task, high);
	assert_ptr_equal(xy__cambium_pick(c, &c->types[0], 1, 0, 0).task, middle);
	bed_close(bed);
}

/* The first device leaves what is nearer to the second, and takes the next; the second is told if it is idle. */
static void what_is_nearer_to_another_is_left_to_it(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = open_moving("cuda:2", &c);
	struct xy_task *other, *own;

	(void)state;
	cambium_type(c, (float[]){ 10 }, 1);
	other = add(bed, c, 50);
	transfer(other, 0, 5);
	assert_null(pick(c, 0).task);
	assert_int_equal(c->wanted->worker, 1);
	c->wanted = NULL;
	own = add(bed, c, 0);
	transfer(own, 1, 5);
	assert_ptr_equal(pick(c, 0).task, own);
	assert_ptr_equal(pick(c, 1).task, other);
	/* the second one is busy for longer than the data takes */
	bed->free_us[1] = c->ends_us[1] = 6;
	assert_ptr_equal(pick(c, 0).task, other);
	/* it has been done sooner than expected */
	c->wanted = NULL;
	bed->free_us[1] = 0;
	assert_ptr_equal(pick(c, 0).task, own);
	assert_int_equal(c->wanted->worker, 1);
	bed_close(bed);
}

/* The order of those that are left is kept, and the second of a class behind many cores is looked at, too. */
static void the_next_best_is_taken_instead(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = open_moving("cpu:20 cuda:2", &c);
	struct xy_task *tasks[4];

	(void)state;
	cambium_type(c, (float[]){ INFINITY, 10 }, 1);
	for (unsigned i = 0; i < 4; i++)
		tasks[i] = add(bed, c, 50);
	transfer(tasks[0], 20, 4);
	transfer(tasks[0], 21, 9);
	transfer(tasks[1], 20, 3);
	transfer(tasks[1], 21, 9);
	transfer(tasks[2], 20, 2); /* the nearest two are nearer to the other one */
	transfer(tasks[3], 20, 1);
	cambium_type(c, (float[]){ INFINITY, 20 }, 1); /* others, which must not be confused with those */
	for (unsigned i = 0; i < 4; i++)
		assert_true(xy__cambium_insert(c, 1, bed_task(bed, CUDA), 50, 50));
	assert_non_null(xy__cambium_pick(c, &c->types[1], 0, 20, 0).task);
	c->ends_us[21] = 100; /* it was to be busy, and is done */
	assert_ptr_equal(pick(c, 20).task, tasks[1]);
	assert_ptr_equal(pick(c, 20).before, tasks[0]);
	bed_close(bed);
}

/* A small advantage is none: the data would go back and forth. */
static void a_task_is_left_only_to_those_who_gain_by_it(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = open_moving("cuda:2", &c);
	struct xy_task *task;

	(void)state;
	cambium_type(c, (float[]){ 10 }, 1);
	task = add(bed, c, 50);
	transfer(task, 0, 5);
	transfer(task, 1, 5);
	assert_ptr_equal(pick(c, 0).task, task);
	transfer(task, 1, 4.9);
	assert_ptr_equal(pick(c, 0).task, task);
	transfer(task, 1, 4);
	assert_null(pick(c, 0).task);
	/* data arrives while this one is busy; the other one is busy as well, until the same time */
	bed->free_us[0] = c->ends_us[0] = bed->free_us[1] = c->ends_us[1] = 20;
	assert_ptr_equal(pick(c, 0).task, task);
	bed->free_us[1] = c->ends_us[1] = 15;
	assert_null(pick(c, 0).task);
	bed_close(bed);
}

/* Of two devices, one is busy: what follows would have to fetch the result of the other. */
static void long_results_keep_tasks_together(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = open_moving("cuda:2", &c);
	struct xy_task *task;

	(void)state;
	cambium_type(c, (float[]){ 10 }, 1);
	result_us = 30;
	task = add(bed, c, 50);
	bed->free_us[1] = c->ends_us[1] = 25;
	assert_null(pick(c, 0).task);
	assert_ptr_equal(pick(c, 1).task, task);
	bed->free_us[1] = c->ends_us[1] = 35; /* that is too late */
	assert_null(pick(c, 1).task);
	assert_ptr_equal(pick(c, 0).task, task);
	/* a result that takes no longer than the task does not matter, nor one that nothing reads */
	result_us = 10;
	bed->free_us[1] = c->ends_us[1] = 25;
	assert_ptr_equal(pick(c, 0).task, task);
	assert_null(pick(c, 1).task);
	result_us = 30;
	xy__cambium_remove(c, 0, 0, task, NULL);
	task = add(bed, c, 0);
	assert_ptr_equal(pick(c, 0).task, task);
	assert_null(pick(c, 1).task);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moving_counts_on_the_slower_class),
		cmocka_unit_test(results_are_moved_to_those_who_read_them),
		cmocka_unit_test(the_nearest_worker_of_a_class_counts),
		cmocka_unit_test(a_task_is_best_where_it_ends_soonest),
		cmocka_unit_test(each_class_has_its_own_way_to_go),
		cmocka_unit_test(a_task_is_never_of_a_derived_type),
		cmocka_unit_test(without_another_place_nothing_is_moved),
		cmocka_unit_test(the_nearest_of_equals_comes_first),
		cmocka_unit_test(rank_and_nearness_are_weighed),
		cmocka_unit_test(what_is_nearer_to_another_is_left_to_it),
		cmocka_unit_test(the_next_best_is_taken_instead),
		cmocka_unit_test(a_task_is_left_only_to_those_who_gain_by_it),
		cmocka_unit_test(long_results_keep_tasks_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
