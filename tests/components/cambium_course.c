/* SPDX-License-Identifier: MIT */
/* What cambium keeps up to date while tasks come and go: the remaining work, the view, its caution, and who is told. */
#include "cambium_bed.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA, MANY = 100 };

static void submit_many(struct bed *bed, unsigned n, const double *lengths)
{
	while (n--)
		bed_submit(bed, bed_task_lasting(bed, CPU | CUDA, lengths));
}

static void the_remaining_work_shrinks_with_each_task(void **state)
{
	static const double lengths[] = { 10, 10 };
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:2", &c);

	(void)state;
	submit_many(bed, 300, lengths);
	for (unsigned i = 1; i <= 300; i++) {
		assert_non_null(bed_pull(bed, i % 2));
		assert_int_equal(c->types[0].left, 300 - i);
		assert_int_equal(c->types[0].begun, i);
		assert_near(c->area_us, (300 - i) * 5);
	}
	assert_null(bed_pull(bed, 0));
	/* and grows with tasks that were not foreseen */
	submit_many(bed, 2, lengths);
	assert_int_equal(c->types[0].left, 2);
	assert_near(c->area_us, 10);
	bed_close(bed);
}

static void a_worker_is_expected_to_be_free_after_its_task(void **state)
{
	static const double lengths[] = { 10, 10 };
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cuda:2", &c);

	(void)state;
	submit_many(bed, 4, lengths);
	bed->now_us = 100;
	c->ends_us[1] = 1000;
	bed->free_us[1] = 1000;
	assert_non_null(bed_pull(bed, 0));
	assert_near(c->ends_us[0], 110);
	bed->free_us[0] = 500; /* it has something to do until then */
	assert_non_null(bed_pull(bed, 0));
	assert_near(c->ends_us[0], 510);
	bed_close(bed);
}

/* However many workers there are. */
static void a_task_that_begins_is_seen_at_once(void **state)
{
	static double lengths[256];
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:256", &c);

	(void)state;
	for (unsigned i = 0; i < 256; i++)
		lengths[i] = 10;
	submit_many(bed, 3, lengths);
	xy__cambium_outlook(c, 0, 0);
	for (unsigned i = 1; i <= 3; i++) {
		assert_non_null(bed_pull(bed, i));
		xy__cambium_outlook(c, 0, 0);
		assert_near(c->running_us[0], 10 * i);
	}
	bed_close(bed);
}

/* How many tasks begin until the view is made anew, when each brings another one or not. */
static unsigned begun_until_anew(struct bed *bed, struct xy__cambium *c, const double *lengths, bool more)
{
	uint64_t seen = c->seen;
	unsigned n = 0;

	for (; c->seen == seen && n < MANY; n++) {
		assert_non_null(bed_pull(bed, 0));
		if (more)
			submit_many(bed, 1, lengths);
	}
	return n;
}

/* Looking takes long with many tasks, so it is not done for each; but new tasks are seen before long. */
static void the_view_is_made_anew_when_a_part_of_it_has_begun(void **state)
{
	static const double lengths[] = { 10 };
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1", &c);
	unsigned seen;

	(void)state;
	submit_many(bed, 240, lengths);
	assert_non_null(bed_pull(bed, 0));
	assert_int_equal(c->view.n, 240);
	submit_many(bed, 1, lengths);
	assert_in_range(begun_until_anew(bed, c, lengths, false), 5, 60);
	/* those that come count like those that go */
	assert_in_range(begun_until_anew(bed, c, lengths, true), 3, 30);
	assert_in_range(begun_until_anew(bed, c, lengths, false), 3, 60);
	/* nothing new: no need to look */
	seen = c->view.n;
	assert_int_equal(begun_until_anew(bed, c, lengths, false), MANY);
	assert_int_equal(c->view.n, seen);
	bed_close(bed);
}

/* A core takes a task with a chain behind it, though the device is faster; the next asks when it is done. */
static void what_a_slow_worker_held_is_free_when_it_is_done(void **state)
{
	static const double lengths[] = { 30, 10 };
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1", &c);
	struct xy_task *next, *first = bed_task_lasting(bed, CPU | CUDA, lengths);

	(void)state;
	next = bed_task_lasting(bed, CPU | CUDA, lengths);
	cambium_follows(next, first);
	bed_submit(bed, first);
	submit_many(bed, 20, lengths);
	bed->free_us[1] = 500;
	assert_non_null(bed_pull(bed, 0));
	assert_int_not_equal(c->holds[0], 0);
	while (bed_pull(bed, 1))
		;
	bed->now_us = 600;
	while (bed_pull(bed, 1))
		;
	bed_submit(bed, bed_task_lasting(bed, CUDA, lengths));
	assert_null(bed_pull(bed, 0));
	assert_int_equal(c->holds[0], 0);
	assert_false(c->held_is_known);
	assert_near(c->tails_us[0], 0);
	bed_close(bed);
}

/* --- caution --- */

/* The core has taken a task that is faster on the devices. */
static struct bed *open_astray(struct xy__cambium **c)
{
	static const double lengths[] = { 30, 10, 10 };
	struct bed *bed = cambium_open("cpu:1 cuda:2", c);

	submit_many(bed, 12, lengths);
	bed->free_us[1] = bed->free_us[2] = 1000;
	(*c)->ends_us[1] = (*c)->ends_us[2] = 1000;
	assert_non_null(bed_pull(bed, 0));
	assert_near((*c)->caution, 1);
	return bed;
}

/* What it made ready should have been ready sooner. */
static void push_from(struct bed *bed, unsigned worker, const double *lengths)
{
	struct xy_task *task = bed_task_lasting(bed, CPU | CUDA, lengths);

	assert_true(xy_push(xy_tree_root(bed->tree), task, &bed->workers[worker]));
}

static void caution_grows_when_fast_workers_wait_for_a_slow_one(void **state)
{
	static const double fast_on_devices[] = { 30, 10, 10 }, fast_on_cores[] = { 10, 30, 30 };
	struct xy__cambium *c;
	struct bed *bed = open_astray(&c);
	double caution;

	(void)state;
	/* all devices are busy, or the core is faster on what comes, or another thread brings it: nothing lost */
	push_from(bed, 0, fast_on_devices);
	bed->free_us[2] = 0;
	push_from(bed, 0, fast_on_cores);
	push_from(bed, 2, fast_on_devices);
	submit_many(bed, 1, fast_on_devices);
	assert_near(c->caution, 1);
	/* the second device waited */
	push_from(bed, 0, fast_on_devices);
	caution = c->caution;
	assert_true(caution > 1.001);
	push_from(bed, 0, fast_on_devices);
	assert_true(c->caution > caution);
	for (unsigned i = 0; i < 200; i++)
		push_from(bed, 0, fast_on_devices);
	caution = c->caution;
	push_from(bed, 0, fast_on_devices);
	assert_near(c->caution, caution); /* it has a limit, ... */
	assert_true(caution < 100);
	/* ... and fades when workers run what they are fast on */
	assert_non_null(bed_pull(bed, 2));
	assert_true(c->caution < caution && c->caution > 1);
	bed_close(bed);
}

/* --- who is told --- */

/* The core would be fastest, but is busy. Of the devices, each is told what it would take. */
static void all_other_classes_are_asked_when_the_fastest_is_busy(void **state)
{
	static const double lengths[] = { 10, 11, 11 };
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1 opencl:1", &c);
	struct xy_task *task;
	bool told[3] = { false };

	(void)state;
	bed_wake(bed, 0);
	bed->free_us[0] = c->ends_us[0] = 1000;
	xy__cambium_outlook(c, 0, 0);
	for (unsigned i = 0; i < 3; i++) {
		task = bed_task_lasting(bed, CPU | CUDA | XY_ON_OPENCL, lengths);
		bed_submit(bed, task);
	}
	for (unsigned i = 0; i < bed->nwoken; i++)
		told[bed->woken[i]] = true;
	assert_false(told[0]);
	assert_true(told[1]);
	assert_true(told[2]);
	bed_close(bed);
}

/* The device is busy for a moment only, and the core would take for ever. */
static void who_would_take_nothing_is_not_told(void **state)
{
	static const double lengths[] = { 100000, 10 };
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1", &c);

	(void)state;
	bed_wake(bed, 1);
	bed->free_us[1] = c->ends_us[1] = 100;
	submit_many(bed, 1, lengths);
	assert_int_equal(bed->nwoken, 0);
	bed_close(bed);
}

/* One is enough: it tells others when it has taken something. */
static void only_the_fastest_is_told_if_it_sleeps(void **state)
{
	static const double lengths[] = { 10, 11 };
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1", &c);

	(void)state;
	submit_many(bed, 5, lengths);
	assert_int_equal(bed->nwoken, 5);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(bed->woken[i], 0);
	bed_close(bed);
}

static void what_takes_no_time_is_told_to_anyone(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:2", &c);
	struct xy_task *task = bed_task(bed, CPU);

	(void)state;
	task->codelet = 0;
	bed_submit(bed, task);
	assert_int_equal(bed->nwoken, 1);
	assert_ptr_equal(bed_pull(bed, bed->woken[0]), task);
	bed_close(bed);
}

/* The worker that stands for its class in all comparisons gets no more than others. */
static void what_is_pinned_to_the_first_of_a_class_is_for_it_alone(void **state)
{
	static const double lengths[] = { 10, 10 };
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:2", &c);
	struct xy_task *pinned = bed_task_pinned(bed, CPU, 0), *task = bed_task_lasting(bed, CPU, lengths);

	(void)state;
	bed_submit(bed, pinned);
	bed_submit(bed, task);
	assert_ptr_equal(bed_pull(bed, 1), task);
	assert_null(bed_pull(bed, 1));
	assert_ptr_equal(bed_pull(bed, 0), pinned);
	bed_close(bed);
}

static void below_a_queue_it_gives_what_it_has(void **state)
{
	static const double lengths[] = { 10, 10 };
	struct bed *bed = bed_parse("cpu:2", "fifo | cambium | each worker { }");
	struct xy_task *task = bed_task_lasting(bed, CPU, lengths);

	(void)state;
	bed_submit(bed, task);
	assert_ptr_equal(bed_pull(bed, 1), task);
	assert_null(bed_pull(bed, 0));
	bed_close(bed);
}

static void options_out_of_range_are_refused(void **state)
{
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *c = bed_add(bed, NULL, &xy__cambium_ops);

	(void)state;
	assert_int_not_equal(xy_component_set(c, "slack", "0.5"), 0);
	assert_int_not_equal(xy_component_set(c, "waste", "0.5"), 0);
	assert_int_not_equal(xy_component_set(c, "nodes", "1000000"), 0);
	assert_int_equal(xy_component_set(c, "slack", "1"), 0);
	assert_int_equal(xy_component_set(c, "waste", "1"), 0);
	assert_int_equal(xy_component_set(c, "nodes", "0"), 0);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_remaining_work_shrinks_with_each_task),
		cmocka_unit_test(a_worker_is_expected_to_be_free_after_its_task),
		cmocka_unit_test(a_task_that_begins_is_seen_at_once),
		cmocka_unit_test(the_view_is_made_anew_when_a_part_of_it_has_begun),
		cmocka_unit_test(what_a_slow_worker_held_is_free_when_it_is_done),
		cmocka_unit_test(caution_grows_when_fast_workers_wait_for_a_slow_one),
		cmocka_unit_test(all_other_classes_are_asked_when_the_fastest_is_busy),
		cmocka_unit_test(who_would_take_nothing_is_not_told),
		cmocka_unit_test(only_the_fastest_is_told_if_it_sleeps),
		cmocka_unit_test(what_takes_no_time_is_told_to_anyone),
		cmocka_unit_test(what_is_pinned_to_the_first_of_a_class_is_for_it_alone),
		cmocka_unit_test(below_a_queue_it_gives_what_it_has),
		cmocka_unit_test(options_out_of_range_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
