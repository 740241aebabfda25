/* SPDX-License-Identifier: MIT */
/* eager-calibration: who gets what has to be measured, and that what is known by then is given back. */
#include "recording.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA };

/* eager-calibration { basin | worker i, ... } with room for `room` tasks each */
static struct bed *open_calibration(const char *machine, struct xy_component **basins, unsigned room)
{
	struct bed *bed = bed_open(machine);
	struct xy_component *calibration = bed_add(bed, NULL, &xy__eager_calibration_ops);

	for (unsigned i = 0; i < xy_machine_nworkers(bed->machine); i++) {
		basins[i] = bed_add(bed, calibration, &basin_ops);
		bed_add_worker(bed, basins[i], i);
	}
	bed_seal(bed);
	for (unsigned i = 0; i < xy_machine_nworkers(bed->machine); i++)
		recorder(basins[i])->room = room;
	return bed;
}

static size_t depth(struct xy_component *c)
{
	return c->ops->depth(c, &(size_t){ 0 });
}

static void each_kind_of_worker_gets_as_many(void **state)
{
	static const double unknown[] = { 0, 0, 0, 0 };
	struct xy_component *basins[4];
	struct bed *bed = open_calibration("cpu:3 cuda:1", basins, 99);

	(void)state;
	for (unsigned i = 0; i < 12; i++)
		bed_submit(bed, bed_task_lasting(bed, CPU | CUDA, unknown));
	assert_int_equal(recorder(basins[3])->npushed, 6);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(recorder(basins[i])->npushed, 2);
	bed_close(bed);
}

static void only_places_where_measurements_are_missing_get_any(void **state)
{
	static const double partly[] = { 5, 5, 0, 0 };
	struct xy_component *basins[4];
	struct bed *bed = open_calibration("cpu:2 cuda:2", basins, 99);

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		bed_submit(bed, bed_task_lasting(bed, CPU | CUDA, partly));
	assert_int_equal(recorder(basins[2])->npushed + recorder(basins[3])->npushed, 10);
	bed_close(bed);
}

static void the_implementation_that_is_missing_is_chosen(void **state)
{
	static const double partly[] = { 5, 0, 0, 7 };
	struct xy_component *basins[2];
	struct bed *bed = open_calibration("cpu:1 cuda:1", basins, 99);

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		bed_submit(bed, bed_task_of_two(bed, CPU | CUDA, partly));
	assert_int_equal(recorder(basins[0])->npushed, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(recorder(basins[0])->pushed[i]->implementation, 1);
		assert_int_equal(recorder(basins[1])->pushed[i]->implementation, 0);
	}
	bed_close(bed);
}

static void anybody_with_room_gets_what_would_wait_else(void **state)
{
	static const double partly[] = { 5, 0 };
	struct xy_component *basins[2];
	struct bed *bed = open_calibration("cpu:1 cuda:1", basins, 2);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		bed_submit(bed, bed_task_lasting(bed, CPU | CUDA, partly));
	assert_int_equal(recorder(basins[1])->npushed, 2);
	assert_int_equal(recorder(basins[0])->npushed, 1);
	assert_int_equal(depth(xy_tree_root(bed->tree)), 0);
	bed_close(bed);
}

static void keeps_what_nobody_has_room_for_by_priority(void **state)
{
	static const double unknown[] = { 0, 0 };
	struct xy_component *basins[2];
	struct bed *bed = open_calibration("cpu:1 cuda:1", basins, 0);
	struct xy_component *root = xy_tree_root(bed->tree);
	struct xy_task *tasks[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		tasks[i] = bed_task_lasting(bed, CPU | CUDA, unknown);
		tasks[i]->priority = i;
		bed_submit(bed, tasks[i]);
	}
	assert_int_equal(depth(root), 3);
	assert_int_equal(recorder(basins[0])->nrefused, 1); /* not asked before it says that it has room */
	recorder(basins[0])->room = 1;
	assert_true(xy_can_push(root, basins[0], &bed->workers[0]));
	assert_ptr_equal(recorder(basins[0])->pushed[0], tasks[2]);
	recorder(basins[1])->room = 2;
	assert_true(xy_can_push(root, basins[1], &bed->workers[1]));
	assert_ptr_equal(recorder(basins[1])->pushed[0], tasks[1]);
	assert_ptr_equal(recorder(basins[1])->pushed[1], tasks[0]);
	assert_int_equal(depth(root), 0);
	bed_close(bed);
}

static void pinned_tasks_go_to_their_workers_alone(void **state)
{
	static const double unknown[] = { 0, 0, 0 };
	struct xy_component *basins[3];
	struct bed *bed = open_calibration("cpu:2 cuda:1", basins, 1);
	struct xy_component *root = xy_tree_root(bed->tree);
	struct xy_task *like = bed_task_lasting(bed, CPU | CUDA, unknown), *task;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		task = bed_task_pinned(bed, CPU | CUDA, 1);
		task->codelet = like->codelet;
		task->arg = like->arg;
		bed_submit(bed, task);
	}
	assert_int_equal(recorder(basins[1])->npushed, 1);
	assert_int_equal(depth(root), 1);
	bed_submit(bed, like);
	assert_int_equal(depth(root), 1);
	bed_close(bed);
}

/* perfmodel-select { known: fifo | worker, calibrating: eager-calibration | worker } */
static void gives_back_what_has_been_measured_meanwhile(void **state)
{
	double lengths[] = { 0 };
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *select = bed_add(bed, NULL, &xy__perfmodel_select_ops);
	struct xy_component *fifo = bed_add(bed, select, &xy__fifo_ops);
	struct xy_component *calibration = bed_add(bed, select, &xy__eager_calibration_ops);
	struct xy_component *basin = bed_add(bed, calibration, &basin_ops);
	struct xy_task *tasks[4];

	(void)state;
	bed_add_worker(bed, fifo, 0);
	bed_add_worker(bed, basin, 0);
	bed_seal(bed);
	recorder(basin)->room = 1;
	for (unsigned i = 0; i < 4; i++) {
		tasks[i] = bed_task_lasting(bed, CPU, lengths);
		bed_submit(bed, tasks[i]);
	}
	assert_int_equal(depth(calibration), 3);
	assert_ptr_equal(bed_pull(bed, 0), tasks[0]);
	assert_int_equal(depth(fifo), 0);
	lengths[0] = 20;
	assert_ptr_equal(bed_pull(bed, 0), tasks[1]); /* which came by way of the top */
	assert_int_equal(depth(calibration), 0);
	assert_int_equal(depth(fifo), 2);
	assert_int_equal(recorder(basin)->npushed, 1);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_of_worker_gets_as_many),
		cmocka_unit_test(only_places_where_measurements_are_missing_get_any),
		cmocka_unit_test(the_implementation_that_is_missing_is_chosen),
		cmocka_unit_test(anybody_with_room_gets_what_would_wait_else),
		cmocka_unit_test(keeps_what_nobody_has_room_for_by_priority),
		cmocka_unit_test(pinned_tasks_go_to_their_workers_alone),
		cmocka_unit_test(gives_back_what_has_been_measured_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
