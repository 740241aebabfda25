/* SPDX-License-Identifier: MIT */
/* best-implementation: which implementation a task runs with, when pulled and when pushed. */
#include "recording.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA };

static int run(struct xy_call *call)
{
	(void)call;
	return 0;
}

/* What the worker may use, by implementation. */
static bool allowed[2][XY_NIMPLEMENTATIONS];

static bool can_execute(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	(void)task;
	return allowed[worker][implementation];
}

static const struct xy_codelet one = { .cpu = { run }, .cuda = { run } };
static const struct xy_codelet three = { .cpu = { run, run, run }, .cuda = { run } };
static const struct xy_codelet asking = { .cpu = { run, run, run }, .cuda = { run, run }, .can_execute = can_execute };

/* fifo | eager { best-implementation | worker 0, best-implementation | worker 1 }, a CPU and a GPU */
static struct bed *open_pulled(void)
{
	struct bed *bed = bed_open("cpu:1 cuda:1*1");
	struct xy_component *eager = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__eager_ops);

	for (unsigned i = 0; i < 2; i++)
		bed_add_worker(bed, bed_add(bed, eager, &xy__best_implementation_ops), i);
	bed_seal(bed);
	memset(allowed, 0, sizeof allowed);
	return bed;
}

static struct xy_task *submit(struct bed *bed, const struct xy_codelet *codelet)
{
	struct xy_task *task = bed_task(bed, CPU | CUDA);

	task->codelet = (uintptr_t)codelet;
	task->constrained = codelet->can_execute;
	if (codelet->cpu[1]) {
		task->flags |= XY__TASK_CHOICE;
		task->implementation = XY_NIMPLEMENTATIONS - 1; /* what nobody chooses here */
	}
	bed_submit(bed, task);
	return task;
}

/* can_execute may have changed its answer since the task was given to the worker. */
static void a_task_without_an_implementation_gets_the_first(void **state)
{
	struct bed *bed = open_pulled();
	struct xy_task *task = submit(bed, &asking);
	struct xy_component *best = xy_tree_worker(bed->tree, 0)->parents[0];

	(void)state;
	best->ops->passed(best, task, &bed->workers[0]);
	assert_int_equal(task->implementation, 0);
	bed_close(bed);
}

/* A device has one implementation, a core several. */
static void takes_the_only_implementation(void **state)
{
	struct bed *bed = open_pulled();
	struct xy_task *task = submit(bed, &three);

	(void)state;
	assert_int_not_equal(task->implementation, 0);
	assert_ptr_equal(bed_pull(bed, 1), task);
	assert_int_equal(task->implementation, 0);
	bed_close(bed);
}

static void leaves_a_task_without_a_choice_alone(void **state)
{
	struct bed *bed = open_pulled();
	struct xy_task *task = submit(bed, &one);

	(void)state;
	task->implementation = XY_NIMPLEMENTATIONS - 1;
	assert_ptr_equal(bed_pull(bed, 0), task);
	assert_int_equal(task->implementation, XY_NIMPLEMENTATIONS - 1);
	bed_close(bed);
}

static void takes_the_first_when_nothing_is_known(void **state)
{
	struct bed *bed = open_pulled();
	struct xy_task *task = submit(bed, &three);

	(void)state;
	assert_ptr_equal(bed_pull(bed, 0), task);
	assert_int_equal(task->implementation, 0);
	bed_close(bed);
}

static void takes_the_first_of_those_that_are_equally_fast(void **state)
{
	struct bed *bed = open_pulled();
	struct xy_task *task = submit(bed, &three);

	(void)state;
	task->length_us = 10;
	assert_ptr_equal(bed_pull(bed, 0), task);
	assert_int_equal(task->implementation, 0);
	bed_close(bed);
}

static void takes_the_fastest_by_its_model(void **state)
{
	static const double lengths[] = { 30, 20, 5, 9 };
	struct bed *bed = open_pulled();
	struct xy_task *task = bed_task_of_two(bed, CPU | CUDA, lengths);

	(void)state;
	bed_submit(bed, task);
	assert_ptr_equal(bed_pull(bed, 0), task);
	assert_int_equal(task->implementation, 1);
	task = bed_task_of_two(bed, CPU | CUDA, lengths);
	bed_submit(bed, task);
	assert_ptr_equal(bed_pull(bed, 1), task);
	assert_int_equal(task->implementation, 0);
	bed_close(bed);
}

static void takes_one_that_has_to_be_measured_at_once(void **state)
{
	static const double lengths[] = { 30, 0, 0, 9 };
	struct bed *bed = open_pulled();

	(void)state;
	for (unsigned worker = 0; worker < 2; worker++) {
		struct xy_task *task = bed_task_of_two(bed, CPU | CUDA, lengths);

		bed_submit(bed, task);
		assert_ptr_equal(bed_pull(bed, worker), task);
		assert_int_equal(task->implementation, !worker);
	}
	bed_close(bed);
}

static void takes_one_that_the_worker_may_use(void **state)
{
	struct bed *bed = open_pulled();
	struct xy_task *task;

	(void)state;
	allowed[0][2] = allowed[1][1] = true;
	task = submit(bed, &asking);
	assert_ptr_equal(bed_pull(bed, 0), task);
	assert_int_equal(task->implementation, 2);
	task = submit(bed, &asking);
	assert_ptr_equal(bed_pull(bed, 1), task);
	assert_int_equal(task->implementation, 1);
	bed_close(bed);
}

static void chooses_for_tasks_of_each_of_several_parents(void **state)
{
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *root = bed_add(bed, NULL, &xy__userchoice_ops), *best, *second;

	(void)state;
	best = bed_add(bed, bed_add(bed, root, &xy__fifo_ops), &xy__best_implementation_ops);
	second = bed_add(bed, root, &xy__fifo_ops);
	assert_int_equal(xy_tree_link(second, best), 0);
	bed_add_worker(bed, best, 0);
	bed_seal(bed);
	memset(allowed, 0, sizeof allowed);
	allowed[0][1] = true;
	submit(bed, &asking);
	assert_int_equal(bed_pull(bed, 0)->implementation, 1);
	bed_close(bed);
}

static void chooses_for_the_worker_that_a_pushed_task_goes_to(void **state)
{
	struct bed *bed = bed_open("cpu:2");
	struct xy_component *choice = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__userchoice_ops);
	struct xy_task *task;

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		bed_add_worker(bed, bed_add(bed, choice, &xy__best_implementation_ops), i);
	bed_seal(bed);
	memset(allowed, 0, sizeof allowed);
	allowed[1][1] = true;
	task = submit(bed, &asking);
	assert_ptr_equal(bed_pull(bed, 1), task);
	assert_int_equal(task->implementation, 1);
	bed_close(bed);
}

static void chooses_for_the_first_of_several_that_can_run_a_pushed_task(void **state)
{
	struct bed *bed = bed_open("cpu:2");
	struct xy_component *best = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__best_implementation_ops);
	struct xy_component *eager = bed_add(bed, bed_add(bed, best, &xy__fifo_ops), &xy__eager_ops);
	struct xy_task *task;

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		bed_add_worker(bed, eager, i);
	bed_seal(bed);
	memset(allowed, 0, sizeof allowed);
	allowed[1][2] = true;
	task = submit(bed, &asking);
	assert_int_equal(task->implementation, 2);
	assert_ptr_equal(bed_pull(bed, 1), task);
	allowed[0][1] = true;
	assert_int_equal(submit(bed, &asking)->implementation, 1);
	bed_close(bed);
}

static void passes_refusals_on(void **state)
{
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *fifo = bed_add(bed, NULL, &xy__fifo_ops);
	struct xy_component *best = bed_add(bed, fifo, &xy__best_implementation_ops);
	struct xy_component *basin = bed_add(bed, best, &basin_ops);
	struct xy_task *task = bed_task(bed, CPU);

	(void)state;
	bed_add_worker(bed, basin, 0);
	bed_seal(bed);
	bed_submit(bed, task);
	assert_int_equal(fifo->ops->depth(fifo, &(size_t){ 0 }), 1);
	assert_ptr_equal(bed_pull(bed, 0), task);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_without_an_implementation_gets_the_first),
		cmocka_unit_test(takes_the_only_implementation),
		cmocka_unit_test(leaves_a_task_without_a_choice_alone),
		cmocka_unit_test(takes_the_first_when_nothing_is_known),
		cmocka_unit_test(takes_the_first_of_those_that_are_equally_fast),
		cmocka_unit_test(takes_the_fastest_by_its_model),
		cmocka_unit_test(takes_one_that_has_to_be_measured_at_once),
		cmocka_unit_test(takes_one_that_the_worker_may_use),
		cmocka_unit_test(chooses_for_tasks_of_each_of_several_parents),
		cmocka_unit_test(chooses_for_the_worker_that_a_pushed_task_goes_to),
		cmocka_unit_test(chooses_for_the_first_of_several_that_can_run_a_pushed_task),
		cmocka_unit_test(passes_refusals_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
