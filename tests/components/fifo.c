/* SPDX-License-Identifier: MIT */
/* fifo: order, bounds, offers, pumping, and that a refused task stays where it was. */
#include "recording.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA, BOTH = XY_ON_CPU | XY_ON_CUDA };

/* fifo | recorder | worker 0 */
static struct bed *open_pulled(struct xy_component **fifo, struct xy_component **below)
{
	struct bed *bed = bed_open("cpu:1");

	*fifo = bed_add(bed, NULL, &xy__fifo_ops);
	*below = bed_add(bed, *fifo, &recorder_ops);
	bed_add_worker(bed, *below, 0);
	bed_seal(bed);
	return bed;
}

/* fifo | eager { basin | worker 0, basin | worker 1, basin | worker 2 } on two CPUs and a GPU */
static struct bed *open_pumped(struct xy_component *basins[3])
{
	struct bed *bed = bed_open("cpu:2 cuda:1");
	struct xy_component *eager = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__eager_ops);

	for (unsigned i = 0; i < 3; i++) {
		basins[i] = bed_add(bed, eager, &basin_ops);
		bed_add_worker(bed, basins[i], i);
	}
	bed_seal(bed);
	return bed;
}

/* fifo | fifo(option=value) | worker 0; the lower one is returned */
static struct bed *open_bounded(const char *option, const char *value, struct xy_component **lower)
{
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *upper = bed_add(bed, NULL, &xy__fifo_ops);

	*lower = bed_add_with(bed, upper, &xy__fifo_ops, option, value);
	bed_add_worker(bed, *lower, 0);
	bed_seal(bed);
	return bed;
}

static size_t depth(struct xy_component *c)
{
	size_t peak;

	return c->ops->depth(c, &peak);
}

static size_t peak(struct xy_component *c)
{
	size_t most;

	c->ops->depth(c, &most);
	return most;
}

static void gives_tasks_in_order_of_arrival(void **state)
{
	struct xy_component *fifo, *below;
	struct bed *bed = open_pulled(&fifo, &below);
	struct xy_task *a = bed_task_with_priority(bed, CPU, 1), *b = bed_task_with_priority(bed, CPU, 2);

	(void)state;
	bed_submit(bed, a);
	bed_submit(bed, b);
	assert_int_equal(depth(fifo), 2);
	assert_ptr_equal(bed_pull(bed, 0), a);
	assert_ptr_equal(bed_pull(bed, 0), b);
	assert_null(bed_pull(bed, 0));
	assert_int_equal(depth(fifo), 0);
	assert_int_equal(peak(fifo), 2);
	bed_close(bed);
}

static void offers_each_task_that_it_stores(void **state)
{
	struct xy_component *fifo, *below;
	struct bed *bed = open_pulled(&fifo, &below);

	(void)state;
	bed_submit(bed, bed_task(bed, CPU));
	bed_submit(bed, bed_task(bed, BOTH));
	assert_int_equal(recorder(below)->noffers, 2);
	assert_int_equal(recorder(below)->offers[0].archs, CPU);
	assert_null(recorder(below)->offers[0].task);
	assert_int_equal(recorder(below)->offers[1].archs, BOTH);
	assert_int_equal(bed->nwoken, 2);
	assert_int_equal(recorder(below)->npushed, 0);
	bed_close(bed);
}

static void names_a_pinned_task_in_its_offer(void **state)
{
	struct xy_component *fifo, *below;
	struct bed *bed = open_pulled(&fifo, &below);
	struct xy_task *task = bed_task_pinned(bed, CPU, 0);

	(void)state;
	bed_submit(bed, task);
	assert_int_equal(recorder(below)->noffers, 1);
	assert_ptr_equal(recorder(below)->offers[0].task, task);
	assert_ptr_equal(bed_pull(bed, 0), task);
	bed_close(bed);
}

static void gives_a_worker_the_first_task_that_it_can_run(void **state)
{
	struct bed *bed = bed_open("cpu:1 cuda:1*1");
	struct xy_component *eager = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__eager_ops);
	struct xy_task *cuda = bed_task(bed, CUDA), *pinned = bed_task_pinned(bed, BOTH, 1);
	struct xy_task *both = bed_task(bed, BOTH), *cpu = bed_task(bed, CPU);

	(void)state;
	bed_add_worker(bed, eager, 0);
	bed_add_worker(bed, eager, 1);
	bed_seal(bed);
	bed_submit(bed, cuda);
	bed_submit(bed, pinned);
	bed_submit(bed, both);
	bed_submit(bed, cpu);
	assert_ptr_equal(bed_pull(bed, 0), both);
	assert_ptr_equal(bed_pull(bed, 0), cpu);
	assert_null(bed_pull(bed, 0));
	assert_ptr_equal(bed_pull(bed, 1), cuda);
	assert_ptr_equal(bed_pull(bed, 1), pinned);
	assert_null(bed_pull(bed, 1));
	bed_close(bed);
}

static void a_refused_task_stays_in_the_reservoir_above(void **state)
{
	struct xy_component *lower;
	struct bed *bed = open_bounded("ntasks", "2", &lower);
	struct xy_component *upper = xy_tree_root(bed->tree);
	struct xy_task *tasks[4];
	struct xy_counters counters;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		bed_submit(bed, tasks[i] = bed_task(bed, CPU));
	assert_int_equal(depth(lower), 2);
	assert_int_equal(depth(upper), 2);
	/* the fourth is not even tried: it is behind one that was refused */
	xy_component_counters(lower, &counters);
	assert_int_equal(counters.pushed, 2);
	assert_int_equal(counters.refused, 1);
	for (unsigned i = 0; i < 4; i++)
		assert_ptr_equal(bed_pull(bed, 0), tasks[i]);
	assert_null(bed_pull(bed, 0));
	bed_close(bed);
}

static void a_pull_that_makes_room_brings_the_next_task_down(void **state)
{
	struct xy_component *lower;
	struct bed *bed = open_bounded("ntasks", "2", &lower);

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		bed_submit(bed, bed_task(bed, CPU));
	assert_non_null(bed_pull(bed, 0));
	assert_int_equal(depth(lower), 2);
	assert_int_equal(depth(xy_tree_root(bed->tree)), 1);
	assert_int_equal(peak(lower), 2);
	bed_close(bed);
}

static void a_full_one_is_refilled_without_a_push_that_is_refused(void **state)
{
	struct bed *bed = bed_parse("cpu:2", "fifo | eager | each worker { fifo(ntasks=2) }");
	struct xy_component *upper = xy_tree_root(bed->tree), *eager = upper->children[0], *lower = eager->children[0];
	struct xy_task *tasks[9];
	struct xy_counters before, after;

	(void)state;
	bed_audit(bed);
	for (unsigned i = 0; i < 9; i++)
		bed_submit(bed, tasks[i] = bed_task(bed, CPU));
	xy_component_counters(lower, &before);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(depth(lower), 2);
		assert_int_equal(depth(upper), 5 - i);
		assert_ptr_equal(bed_pull(bed, 0), tasks[i < 2 ? 2 * i : i + 2]);
	}
	xy_component_counters(lower, &after);
	assert_int_equal(after.refused, before.refused);
	assert_int_equal(peak(lower), 2);
	/* Nothing is left above: the next pull announces room, so that the next tasks are pushed again. */
	assert_ptr_equal(bed_pull(bed, 0), tasks[7]);
	bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(depth(lower), 2);
	assert_int_equal(depth(upper), 0);
	bed_close(bed);
}

static void a_batch_behind_a_refused_task_is_not_tried(void **state)
{
	struct xy_component *basins[3];
	struct bed *bed = open_pumped(basins);
	struct xy_component *fifo = xy_tree_root(bed->tree);
	struct xy_task *first = bed_task(bed, CPU), *batch[3];

	(void)state;
	bed_submit(bed, first);
	assert_int_equal(recorder(basins[0])->nrefused, 1);
	for (unsigned i = 0; i < 3; i++)
		batch[i] = bed_task(bed, CPU);
	assert_int_equal(xy_push_many(fifo, batch, 3, &bed->application), 3);
	assert_int_equal(recorder(basins[0])->nrefused, 1);
	recorder(basins[0])->room = 4;
	assert_true(xy_can_push_parents(basins[0], &bed->workers[0]));
	assert_int_equal(recorder(basins[0])->npushed, 4);
	assert_ptr_equal(recorder(basins[0])->pushed[0], first);
	for (unsigned i = 0; i < 3; i++)
		assert_ptr_equal(recorder(basins[0])->pushed[i + 1], batch[i]);
	bed_close(bed);
}

static void a_batch_for_other_workers_passes_a_refused_task(void **state)
{
	struct xy_component *basins[3];
	struct bed *bed = open_pumped(basins);
	struct xy_component *fifo = xy_tree_root(bed->tree);
	struct xy_task *batch[] = { bed_task(bed, CUDA), bed_task(bed, CUDA) };

	(void)state;
	bed_submit(bed, bed_task(bed, CPU));
	recorder(basins[2])->room = 2;
	assert_int_equal(xy_push_many(fifo, batch, 2, &bed->application), 2);
	assert_int_equal(recorder(basins[2])->npushed, 2);
	assert_ptr_equal(recorder(basins[2])->pushed[0], batch[0]);
	assert_ptr_equal(recorder(basins[2])->pushed[1], batch[1]);
	assert_int_equal(depth(fifo), 1);
	bed_close(bed);
}

static void says_nothing_upwards_unless_it_has_turned_somebody_away(void **state)
{
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *upper = bed_add(bed, NULL, &xy__fifo_ops);
	struct xy_component *middle = bed_add(bed, upper, &recorder_ops);
	struct xy_component *lower = bed_add_with(bed, middle, &xy__fifo_ops, "ntasks", "2");

	(void)state;
	bed_add_worker(bed, lower, 0);
	bed_seal(bed);
	bed_submit(bed, bed_task(bed, CPU));
	bed_submit(bed, bed_task(bed, CPU));
	assert_non_null(bed_pull(bed, 0));
	assert_non_null(bed_pull(bed, 0));
	assert_int_equal(recorder(middle)->npulls, 0);
	assert_int_equal(recorder(middle)->nrefused, 0);
	assert_null(bed_pull(bed, 0));
	assert_int_equal(recorder(middle)->npulls, 1);
	bed_close(bed);
}

static void bounds_the_expected_length(void **state)
{
	struct xy_component *lower;
	struct bed *bed = open_bounded("length_us", "10", &lower);
	float lengths[] = { 4, 6, 1 };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct xy_task *task = bed_task(bed, CPU);

		task->length_us = lengths[i];
		bed_submit(bed, task);
	}
	assert_int_equal(depth(lower), 2);
	assert_int_equal(depth(xy_tree_root(bed->tree)), 1);
	assert_non_null(bed_pull(bed, 0));
	assert_int_equal(depth(lower), 2);
	bed_close(bed);
}

static void bounds_the_length_that_models_predict(void **state)
{
	static const double lengths[] = { 70, 50, 9, 5 }; /* two implementations on a CPU, two on a device */
	struct xy_component *lower;
	struct bed *bed = open_bounded("length_us", "120", &lower);

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		bed_submit(bed, bed_task_of_two(bed, CPU, lengths));
	assert_int_equal(depth(lower), 2);
	assert_int_equal(depth(xy_tree_root(bed->tree)), 3);
	for (unsigned left = 5; left > 0; left--) {
		assert_int_equal(depth(lower), left < 2 ? left : 2);
		assert_non_null(bed_pull(bed, 0));
	}
	assert_true(lower->ops->stored_us(lower) == 0);
	bed_close(bed);
}

static void takes_a_task_longer_than_its_bound_when_it_is_empty(void **state)
{
	struct xy_component *lower;
	struct bed *bed = open_bounded("length_us", "10", &lower);
	struct xy_task *long_one = bed_task(bed, CPU), *short_one = bed_task(bed, CPU);

	(void)state;
	long_one->length_us = 1000;
	short_one->length_us = 1;
	bed_submit(bed, long_one);
	bed_submit(bed, short_one);
	assert_int_equal(depth(lower), 1);
	assert_ptr_equal(bed_pull(bed, 0), long_one);
	assert_ptr_equal(bed_pull(bed, 0), short_one);
	bed_close(bed);
}

static void is_bounded_if_one_of_its_options_is_finite(void **state)
{
	struct xy_component *lower, *fifo, *below;
	struct bed *by_count = open_bounded("ntasks", "7", &lower);
	struct bed *by_length, *not_at_all;

	(void)state;
	assert_true(lower->ops->is_bounded(lower));
	by_length = open_bounded("length_us", "7", &lower);
	assert_true(lower->ops->is_bounded(lower));
	not_at_all = open_pulled(&fifo, &below);
	assert_false(fifo->ops->is_bounded(fifo));
	bed_close(by_count);
	bed_close(by_length);
	bed_close(not_at_all);
}

static void passes_tasks_down_as_they_arrive_where_pushes_are_taken(void **state)
{
	struct xy_component *basins[3];
	struct bed *bed = open_pumped(basins);
	struct xy_component *fifo = xy_tree_root(bed->tree);

	(void)state;
	recorder(basins[0])->room = recorder(basins[1])->room = 1;
	for (unsigned i = 0; i < 3; i++)
		bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(recorder(basins[0])->npushed, 1);
	assert_int_equal(recorder(basins[1])->npushed, 1);
	assert_int_equal(recorder(basins[2])->npushed, 0);
	assert_int_equal(depth(fifo), 1);
	bed_close(bed);
}

static void offers_what_was_refused_below(void **state)
{
	struct xy_component *basins[3];
	struct bed *bed = open_pumped(basins);

	(void)state;
	bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(recorder(basins[0])->nrefused, 1);
	assert_int_equal(recorder(basins[0])->noffers + recorder(basins[1])->noffers, 1);
	assert_int_equal(bed->nwoken, 1);
	bed_close(bed);
}

static void pumps_in_order_when_there_is_room_again(void **state)
{
	struct xy_component *basins[3];
	struct bed *bed = open_pumped(basins);
	struct xy_task *a = bed_task(bed, CPU), *b = bed_task(bed, CPU), *c = bed_task(bed, CPU);

	(void)state;
	bed_submit(bed, a);
	bed_submit(bed, b);
	bed_submit(bed, c);
	recorder(basins[1])->room = 2;
	assert_true(xy_can_push_parents(basins[1], &bed->workers[1]));
	assert_int_equal(recorder(basins[1])->npushed, 2);
	assert_ptr_equal(recorder(basins[1])->pushed[0], a);
	assert_ptr_equal(recorder(basins[1])->pushed[1], b);
	assert_int_equal(depth(xy_tree_root(bed->tree)), 1);
	assert_false(xy_can_push_parents(basins[1], &bed->workers[1]));
	assert_ptr_equal(bed_pull(bed, 0), c);
	bed_close(bed);
}

static void a_task_that_nobody_takes_does_not_block_those_for_others(void **state)
{
	struct xy_component *basins[3];
	struct bed *bed = open_pumped(basins);
	struct xy_task *cuda = bed_task(bed, CUDA), *pinned = bed_task_pinned(bed, BOTH, 1);

	(void)state;
	bed_submit(bed, bed_task(bed, CPU));
	bed_submit(bed, bed_task_pinned(bed, CPU, 0));
	bed_submit(bed, cuda);
	bed_submit(bed, pinned);
	recorder(basins[2])->room = 5;
	assert_true(xy_can_push_parents(basins[2], &bed->workers[2]));
	assert_int_equal(recorder(basins[2])->npushed, 1);
	assert_ptr_equal(recorder(basins[2])->pushed[0], cuda);
	basin_empty(basins[2]);
	/* the CPU task at the head finds room only where the pinned one does too */
	recorder(basins[1])->room = 5;
	assert_true(xy_can_push_parents(basins[1], &bed->workers[1]));
	assert_int_equal(recorder(basins[1])->npushed, 2);
	assert_ptr_equal(recorder(basins[1])->pushed[1], pinned);
	assert_int_equal(depth(xy_tree_root(bed->tree)), 1);
	bed_close(bed);
}

static void a_task_for_others_is_tried_although_one_waits(void **state)
{
	struct xy_component *basins[3];
	struct bed *bed = open_pumped(basins);

	(void)state;
	recorder(basins[2])->room = 1;
	bed_submit(bed, bed_task(bed, CPU));
	bed_submit(bed, bed_task(bed, CUDA));
	assert_int_equal(recorder(basins[2])->npushed, 1);
	assert_int_equal(depth(xy_tree_root(bed->tree)), 1);
	bed_close(bed);
}

static void passes_offers_of_those_above_on(void **state)
{
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *upper = bed_add(bed, NULL, &xy__fifo_ops);
	struct xy_component *lower = bed_add_with(bed, upper, &xy__fifo_ops, "ntasks", "1");
	struct xy_component *below = bed_add(bed, lower, &recorder_ops);

	(void)state;
	bed_add_worker(bed, below, 0);
	bed_seal(bed);
	bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(recorder(below)->noffers, 1);
	bed_forget(bed);
	bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(depth(upper), 1);
	assert_int_equal(recorder(below)->noffers, 2);
	assert_int_equal(bed->nwoken, 1);
	bed_close(bed);
}

static void says_whether_something_came_from_above(void **state)
{
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *upper = bed_add(bed, NULL, &xy__fifo_ops), *door = bed_add(bed, upper, &recorder_ops);
	struct xy_component *lower = bed_add(bed, door, &xy__fifo_ops), *basin = bed_add(bed, lower, &basin_ops);

	(void)state;
	bed_add_worker(bed, basin, 0);
	bed_seal(bed);
	recorder(basin)->room = 1;
	recorder(door)->refuses = true;
	bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(depth(upper), 1);
	assert_false(xy_can_push_parents(basin, &bed->workers[0]));
	recorder(door)->refuses = false;
	assert_true(xy_can_push_parents(basin, &bed->workers[0]));
	assert_int_equal(recorder(basin)->npushed, 1);
	assert_false(xy_can_push_parents(basin, &bed->workers[0]));
	bed_close(bed);
}

static void room_is_told_to_each_parent_until_it_is_filled(void **state)
{
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *root = bed_add(bed, NULL, &xy__userchoice_ops), *upper[2], *lower;
	struct xy_task *tasks[4];

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		upper[i] = bed_add(bed, root, &xy__fifo_ops);
	lower = bed_add_with(bed, upper[0], &xy__fifo_ops, "ntasks", "2");
	assert_int_equal(xy_tree_link(upper[1], lower), 0);
	bed_add_worker(bed, lower, 0);
	bed_seal(bed);
	for (unsigned i = 0; i < 4; i++) {
		tasks[i] = bed_task_pinned(bed, CPU, 0);
		tasks[i]->extra->choice = 1 + i / 3;
	}
	/* two fill the lower one, and one waits in each of the upper ones */
	for (unsigned i = 0; i < 4; i++)
		bed_submit(bed, tasks[i]);
	assert_int_equal(depth(upper[0]), 1);
	assert_int_equal(depth(upper[1]), 1);
	assert_ptr_equal(bed_pull(bed, 0), tasks[0]);
	assert_int_equal(depth(lower), 2);
	assert_ptr_equal(bed_pull(bed, 0), tasks[1]);
	assert_int_equal(depth(lower), 2);
	assert_int_equal(depth(upper[1]), 0);
	bed_close(bed);
}

static void takes_a_batch_in_order_and_offers_it(void **state)
{
	struct xy_component *fifo, *below;
	struct bed *bed = open_pulled(&fifo, &below);
	struct xy_task *batch[4];
	struct xy_counters counters;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		batch[i] = bed_task(bed, CPU);
	assert_int_equal(xy_push_many(fifo, batch, 4, &bed->application), 4);
	xy_component_counters(fifo, &counters);
	assert_int_equal(counters.pushed, 4);
	assert_int_equal(counters.refused, 0);
	assert_in_range(bed->nwoken, 1, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_ptr_equal(bed_pull(bed, 0), batch[i]);
	assert_null(bed_pull(bed, 0));
	bed_close(bed);
}

static void offers_each_task_of_a_mixed_batch(void **state)
{
	struct bed *bed = bed_open("cpu:1 cuda:1*1");
	struct xy_component *eager = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__eager_ops);
	struct xy_task *batch[] = { bed_task(bed, CPU), bed_task(bed, CUDA) };

	(void)state;
	bed_add_worker(bed, eager, 0);
	bed_add_worker(bed, eager, 1);
	bed_seal(bed);
	assert_int_equal(xy_push_many(xy_tree_root(bed->tree), batch, 2, &bed->application), 2);
	assert_int_equal(bed->nwoken, 2);
	assert_int_equal(bed->woken[0], 0);
	assert_int_equal(bed->woken[1], 1);
	bed_close(bed);
}

static void takes_as_much_of_a_batch_as_there_is_room_for(void **state)
{
	struct xy_component *lower;
	struct bed *bed = open_bounded("ntasks", "2", &lower);
	struct xy_task *batch[3];
	struct xy_counters counters;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		batch[i] = bed_task(bed, CPU);
	assert_int_equal(xy_push_many(lower, batch, 3, &bed->application), 2);
	xy_component_counters(lower, &counters);
	assert_int_equal(counters.pushed, 2);
	assert_int_equal(counters.refused, 1);
	assert_int_equal(depth(lower), 2);
	assert_ptr_equal(bed_pull(bed, 0), batch[0]);
	assert_ptr_equal(bed_pull(bed, 0), batch[1]);
	assert_null(bed_pull(bed, 0));
	bed_close(bed);
}

static void passes_a_batch_down_where_pushes_are_taken(void **state)
{
	struct xy_component *basins[3];
	struct bed *bed = open_pumped(basins);
	struct xy_component *fifo = xy_tree_root(bed->tree);
	struct xy_task *batch[3];

	(void)state;
	recorder(basins[0])->room = recorder(basins[1])->room = 1;
	for (unsigned i = 0; i < 3; i++)
		batch[i] = bed_task(bed, CPU);
	assert_int_equal(xy_push_many(fifo, batch, 3, &bed->application), 3);
	assert_ptr_equal(recorder(basins[0])->pushed[0], batch[0]);
	assert_ptr_equal(recorder(basins[1])->pushed[0], batch[1]);
	assert_int_equal(depth(fifo), 1);
	bed_close(bed);
}

static void note_task(void *arg, const struct xy_task *task)
{
	const struct xy_task ***next = arg;

	*(*next)++ = task;
}

static void shows_its_tasks_in_the_order_in_which_they_leave(void **state)
{
	struct xy_component *fifo, *below;
	struct bed *bed = open_pulled(&fifo, &below);
	const struct xy_task *shown[3] = { NULL }, **next = shown;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		bed_submit(bed, i == 1 ? bed_task_pinned(bed, CPU, 0) : bed_task(bed, i ? BOTH : CPU));
	fifo->ops->each_task(fifo, note_task, &next);
	assert_ptr_equal(next, shown + 3);
	for (unsigned i = 0; i < 3; i++)
		assert_ptr_equal(bed_pull(bed, 0), shown[i]);
	bed_close(bed);
}

static void shows_one_of_several_tasks_that_the_same_workers_can_run(void **state)
{
	struct xy_component *fifo, *below;
	struct bed *bed = open_pulled(&fifo, &below);
	const struct xy_task *shown[4] = { NULL }, **next = shown;

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		bed_submit(bed, i == 5 ? bed_task_pinned(bed, CPU, 0) : bed_task(bed, i % 2 ? BOTH : CPU));
	fifo->ops->each_distinct(fifo, note_task, &next);
	assert_ptr_equal(next, shown + 3);
	assert_ptr_equal(shown[0], bed->tasks[0]);
	assert_ptr_equal(shown[1], bed->tasks[1]);
	assert_ptr_equal(shown[2], bed->tasks[5]);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_tasks_in_order_of_arrival),
		cmocka_unit_test(offers_each_task_that_it_stores),
		cmocka_unit_test(names_a_pinned_task_in_its_offer),
		cmocka_unit_test(gives_a_worker_the_first_task_that_it_can_run),
		cmocka_unit_test(a_refused_task_stays_in_the_reservoir_above),
		cmocka_unit_test(a_pull_that_makes_room_brings_the_next_task_down),
		cmocka_unit_test(a_full_one_is_refilled_without_a_push_that_is_refused),
		cmocka_unit_test(a_batch_behind_a_refused_task_is_not_tried),
		cmocka_unit_test(a_batch_for_other_workers_passes_a_refused_task),
		cmocka_unit_test(says_nothing_upwards_unless_it_has_turned_somebody_away),
		cmocka_unit_test(bounds_the_expected_length),
		cmocka_unit_test(bounds_the_length_that_models_predict),
		cmocka_unit_test(takes_a_task_longer_than_its_bound_when_it_is_empty),
		cmocka_unit_test(is_bounded_if_one_of_its_options_is_finite),
		cmocka_unit_test(passes_tasks_down_as_they_arrive_where_pushes_are_taken),
		cmocka_unit_test(offers_what_was_refused_below),
		cmocka_unit_test(pumps_in_order_when_there_is_room_again),
		cmocka_unit_test(a_task_that_nobody_takes_does_not_block_those_for_others),
		cmocka_unit_test(a_task_for_others_is_tried_although_one_waits),
		cmocka_unit_test(passes_offers_of_those_above_on),
		cmocka_unit_test(says_whether_something_came_from_above),
		cmocka_unit_test(room_is_told_to_each_parent_until_it_is_filled),
		cmocka_unit_test(takes_a_batch_in_order_and_offers_it),
		cmocka_unit_test(offers_each_task_of_a_mixed_batch),
		cmocka_unit_test(takes_as_much_of_a_batch_as_there_is_room_for),
		cmocka_unit_test(passes_a_batch_down_where_pushes_are_taken),
		cmocka_unit_test(shows_its_tasks_in_the_order_in_which_they_leave),
		cmocka_unit_test(shows_one_of_several_tasks_that_the_same_workers_can_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
