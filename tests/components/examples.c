/* SPDX-License-Identifier: MIT */
/* The plug-ins of examples/component, each alone: a tree without threads, and a clock that the test moves. */
#include "recording.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA };

static struct xy_registry *plugins;

static const struct xy_component_ops *ops(const char *name)
{
	const struct xy_component_ops *found = xy_registry_component(plugins, name);

	assert_non_null(found);
	return found;
}

static int plugins_setup(void **state)
{
	char error[256];

	(void)state;
	return xy_registry_create(&plugins, PLUGINS, error, sizeof error);
}

static int plugins_teardown(void **state)
{
	(void)state;
	xy_registry_destroy(plugins);
	return 0;
}

/* fifo | component | eager { workers } */
static struct bed *open_below_fifo(const char *name, const char *option, const char *value, struct xy_component **c)
{
	struct bed *bed = bed_open("cpu:2");
	struct xy_component *root = bed_add(bed, NULL, &xy__fifo_ops), *eager;

	*c = bed_add_with(bed, root, ops(name), option, value);
	eager = bed_add(bed, *c, &xy__eager_ops);
	bed_add_worker(bed, eager, 0);
	bed_add_worker(bed, eager, 1);
	bed_seal(bed);
	return bed;
}

static void end(struct bed *bed, struct xy_task *task, unsigned worker, double us)
{
	const struct xy_report report = { .task = task, .worker = worker, .end_s = us * 1e-6 };

	xy__hooks_ended(bed->tree, &report, &bed->workers[worker]);
}

static void rate_turns_away_who_comes_too_early(void **state)
{
	struct xy_component *rate;
	struct bed *bed = open_below_fifo("rate", "per_second", "1000", &rate);
	struct xy_task *first = bed_task(bed, CPU), *second = bed_task_pinned(bed, CPU, 1);

	(void)state;
	bed->now_us = 5000;
	assert_null(bed_pull(bed, 0)); /* costs nothing */
	bed_submit(bed, first);
	bed_submit(bed, second);
	assert_ptr_equal(bed_pull(bed, 0), first);
	assert_null(bed_pull(bed, 1));
	assert_true(xy__ticks_next_us(bed->tree) == 6000);
	bed_forget(bed);
	bed->now_us = 5999;
	assert_false(xy__ticks_run(bed->tree, &bed->application));
	assert_null(bed_pull(bed, 1));
	bed->now_us = 6000;
	assert_true(xy__ticks_run(bed->tree, &bed->application));
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 1); /* the one that can run it */
	assert_ptr_equal(bed_pull(bed, 1), second);
	bed_close(bed);
}

static void limit_makes_room_when_a_task_ends(void **state)
{
	struct xy_component *limit;
	struct bed *bed = open_below_fifo("limit", "ntasks", "1", &limit);
	struct xy_task *first = bed_task(bed, CPU), *second = bed_task(bed, CPU);

	(void)state;
	assert_null(bed_pull(bed, 0));
	bed->now_us = 100;
	xy__ticks_run(bed->tree, &bed->application);
	bed_submit(bed, first);
	bed_submit(bed, second);
	assert_ptr_equal(bed_pull(bed, 0), first);
	assert_null(bed_pull(bed, 1));
	bed_forget(bed);
	end(bed, first, 0, 10);
	bed->now_us = 200;
	assert_true(xy__ticks_run(bed->tree, &bed->application));
	assert_int_equal(bed->nwoken, 1);
	assert_ptr_equal(bed_pull(bed, 1), second);
	xy_give_back(limit->children[0], second, &bed->workers[1]); /* it is not in flight then */
	assert_ptr_equal(bed_pull(bed, 0), second);
	assert_null(bed_pull(bed, 1));
	bed_close(bed);
}

static void edf_hands_out_the_earliest_deadline(void **state)
{
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *root = bed_add(bed, NULL, ops("edf"));
	struct xy_task *tasks[4];
	static const double deadlines_s[] = { 3, 0, 1, 3 };
	static const unsigned order[] = { 2, 0, 3, 1 };

	(void)state;
	bed_add_worker(bed, root, 0);
	bed_seal(bed);
	for (unsigned i = 0; i < 4; i++) {
		tasks[i] = bed_task_pinned(bed, CPU, 0);
		tasks[i]->constrained = i == 3;
		tasks[i]->extra->deadline_s = deadlines_s[i];
		bed_submit(bed, tasks[i]);
	}
	for (unsigned i = 0; i < 4; i++)
		assert_ptr_equal(bed_pull(bed, 0), tasks[order[i]]);
	assert_null(bed_pull(bed, 0));
	bed_close(bed);
}

static void bandit_prefers_what_was_fast(void **state)
{
	struct bed *bed = bed_open("cpu:3");
	struct xy_component *root = bed_add(bed, NULL, &xy__fifo_ops), *bandit = bed_add(bed, root, ops("bandit")),
			    *basins[3];
	static const double times_us[] = { 30, 10, 20 };
	unsigned all = 0;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		basins[i] = bed_add(bed, bandit, &basin_ops);
		recorder(basins[i])->room = 1;
		bed_add_worker(bed, basins[i], i);
	}
	bed_seal(bed);
	for (unsigned i = 0; i < 3; i++)
		end(bed, bed_task(bed, CPU), i, times_us[i]);
	for (unsigned i = 0; i < 400; i++) {
		bed_submit(bed, bed_task(bed, CPU));
		for (unsigned j = 0; j < 3; j++)
			basin_empty(basins[j]);
	}
	for (unsigned i = 0; i < 3; i++)
		all += recorder(basins[i])->npushed;
	assert_int_equal(all, 400);
	assert_in_range(recorder(basins[1])->npushed, 350, 399); /* and a few to the others */
	bed_close(bed);
}

static void buffer_refuses_pumps_and_asks_again(void **state)
{
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *root = bed_add(bed, NULL, &xy__fifo_ops);
	struct xy_component *buffer = bed_add_with(bed, root, ops("buffer"), "ntasks", "2");
	struct xy_component *basin = bed_add(bed, buffer, &basin_ops);
	struct xy_task *tasks[6];
	size_t peak;

	(void)state;
	bed_add_worker(bed, basin, 0);
	bed_seal(bed);
	for (unsigned i = 0; i < 6; i++)
		bed_submit(bed, tasks[i] = bed_task(bed, CPU));
	assert_int_equal(recorder(basin)->npushed, 0);
	assert_int_equal(buffer->ops->depth(buffer, &peak), 2);
	assert_int_equal(root->ops->depth(root, &peak), 4);
	recorder(basin)->room = 3; /* the two from here, and one of those above */
	assert_true(xy_can_push(buffer, basin, &bed->workers[0]));
	assert_int_equal(recorder(basin)->npushed, 3);
	assert_int_equal(buffer->ops->depth(buffer, &peak), 2);
	assert_int_equal(root->ops->depth(root, &peak), 1);
	for (unsigned i = 0; i < 3; i++)
		assert_ptr_equal(recorder(basin)->pushed[i], tasks[i]);
	basin_empty(basin);
	recorder(basin)->room = 0;
	assert_ptr_equal(bed_pull(bed, 0), tasks[3]); /* which makes room for the last one */
	assert_int_equal(root->ops->depth(root, &peak), 0);
	assert_ptr_equal(bed_pull(bed, 0), tasks[4]);
	assert_ptr_equal(bed_pull(bed, 0), tasks[5]);
	assert_null(bed_pull(bed, 0));
	bed_close(bed);
}

static void a_component_that_refuses_is_not_the_root(void **state)
{
	static const char *const names[] = { "rate", "limit", "buffer" };
	char error[512];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct bed *bed = bed_open("cpu:1");

		bed_add_worker(bed, bed_add(bed, NULL, ops(names[i])), 0);
		assert_int_not_equal(xy_tree_seal(bed->tree, error, sizeof error), 0);
		assert_non_null(strstr(error, names[i]));
		bed_close(bed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rate_turns_away_who_comes_too_early),
		cmocka_unit_test(limit_makes_room_when_a_task_ends),
		cmocka_unit_test(edf_hands_out_the_earliest_deadline),
		cmocka_unit_test(bandit_prefers_what_was_fast),
		cmocka_unit_test(buffer_refuses_pumps_and_asks_again),
		cmocka_unit_test(a_component_that_refuses_is_not_the_root),
	};

	return cmocka_run_group_tests(tests, plugins_setup, plugins_teardown);
}
