/* SPDX-License-Identifier: MIT */
/* cambium where data has to be moved: which kind of worker a task is for, and which worker of a kind. */
#include "recording.h"

#include "core/lockfree/successors.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA, CHAIN = 100 };

/* How long the data of any task is under way to each worker, and its result between any two. */
static double transfers_us[4], result_us;

struct xy_prediction __wrap_xy_task_transfer(const struct xy_task *task, unsigned worker);
struct xy_prediction __wrap_xy_task_transfer(const struct xy_task *task, unsigned worker)
{
	(void)task;
	return (struct xy_prediction){ .kind = XY_PREDICTION_VALUE, .us = transfers_us[worker] };
}

double __wrap_xy__predict_result_us(const struct xy_task *task, unsigned from, unsigned to);
double __wrap_xy__predict_result_us(const struct xy_task *task, unsigned from, unsigned to)
{
	(void)task;
	return from == to ? 0 : result_us;
}

/* cambium { worker i, ... } */
static struct bed *open_cambium(const char *machine)
{
	struct bed *bed = bed_open(machine);
	struct xy_component *cambium = bed_add(bed, NULL, &xy__cambium_ops);

	for (unsigned i = 0; i < xy_machine_nworkers(bed->machine); i++)
		bed_add_worker(bed, cambium, i);
	bed_seal(bed);
	memset(transfers_us, 0, sizeof transfers_us);
	result_us = 0;
	return bed;
}

/* A task that so many others follow, one after the other. */
static struct xy_task *chain(struct bed *bed, const double *lengths, unsigned n)
{
	struct xy_task *first = bed_task_lasting(bed, CPU | CUDA, lengths), *last = first;

	while (n--) {
		struct xy_task *task = bed_task_lasting(bed, CPU | CUDA, lengths);

		task->nedges = 1;
		atomic_store(&task->first_edge.target, (uintptr_t)task);
		atomic_fetch_add(&task->missing, 1);
		assert_true(xy__successors_add(&last->successors, &task->first_edge, xy__task_generation(last)));
		last = task;
	}
	return first;
}

static void a_task_stays_where_its_data_is_if_moving_takes_longer(void **state)
{
	static const double lengths[] = { 100, 3 };
	struct bed *bed = open_cambium("cpu:1 cuda:1");
	struct xy_task *task = bed_task_lasting(bed, CPU | CUDA, lengths);

	(void)state;
	transfers_us[1] = 150;
	bed_submit(bed, task);
	assert_int_equal(bed->woken[0], 0);
	assert_null(bed_pull(bed, 1));
	assert_ptr_equal(bed_pull(bed, 0), task);
	bed_close(bed);
}

static void data_is_moved_if_much_follows_that_uses_it(void **state)
{
	static const double lengths[] = { 100, 3 };
	struct bed *bed = open_cambium("cpu:1 cuda:1");
	struct xy_task *task = chain(bed, lengths, CHAIN);

	(void)state;
	transfers_us[1] = 150;
	bed_submit(bed, task);
	bed_forget(bed);
	/* what follows is seen only now, so that somebody else has to be told */
	assert_null(bed_pull(bed, 0));
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 1);
	assert_ptr_equal(bed_pull(bed, 1), task);
	bed_close(bed);
}

/* Without moving, a core would take one of so many. */
static void a_slow_worker_takes_nothing_that_is_not_worth_moving(void **state)
{
	static const double lengths[] = { 20, 10 };
	struct bed *bed = open_cambium("cpu:1 cuda:1");

	(void)state;
	transfers_us[0] = 30;
	result_us = 20;
	for (unsigned i = 0; i < 20; i++)
		bed_submit(bed, chain(bed, lengths, 1));
	assert_null(bed_pull(bed, 0));
	transfers_us[0] = 5; /* and the result of what nothing follows need not be moved */
	for (unsigned i = 0; i < 20; i++)
		bed_submit(bed, bed_task_lasting(bed, CPU | CUDA, lengths));
	assert_non_null(bed_pull(bed, 0));
	bed_close(bed);
}

static void a_device_leaves_a_task_to_the_one_that_has_its_data(void **state)
{
	static const double lengths[] = { 10, 10 };
	struct bed *bed = open_cambium("cuda:2");
	struct xy_task *task = bed_task_lasting(bed, CUDA, lengths);

	(void)state;
	transfers_us[0] = 5;
	bed_submit(bed, task);
	bed_forget(bed);
	assert_null(bed_pull(bed, 0));
	assert_int_equal(bed->woken[bed->nwoken - 1], 1);
	assert_ptr_equal(bed_pull(bed, 1), task);
	bed_close(bed);
}

/* Of short tasks with long results, those that are ready together are worth more in one place. */
static void short_tasks_with_long_results_stay_together(void **state)
{
	static const double lengths[] = { 3, 3 };
	struct bed *bed = open_cambium("cuda:2");

	(void)state;
	result_us = 150;
	for (unsigned i = 0; i < 10; i++)
		bed_submit(bed, chain(bed, lengths, 1));
	assert_non_null(bed_pull(bed, 1));
	bed->free_us[1] = 3;
	assert_null(bed_pull(bed, 0));
	assert_non_null(bed_pull(bed, 1));
	bed->free_us[1] = 300; /* nobody waits for so long */
	assert_null(bed_pull(bed, 1));
	assert_non_null(bed_pull(bed, 0));
	bed_close(bed);
}

/* Otherwise it would wait for somebody who has been asked already. */
static void who_is_done_sooner_than_expected_is_told(void **state)
{
	static const double lengths[] = { 300, 300 };
	struct bed *bed = open_cambium("cuda:2");

	(void)state;
	bed_submit(bed, bed_task_lasting(bed, CUDA, lengths));
	assert_non_null(bed_pull(bed, 1)); /* until 300, as far as is known */
	bed->now_us = 100;
	transfers_us[0] = 250;
	bed_submit(bed, bed_task_lasting(bed, CUDA, lengths));
	bed_forget(bed);
	assert_null(bed_pull(bed, 0));
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 1);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_stays_where_its_data_is_if_moving_takes_longer),
		cmocka_unit_test(data_is_moved_if_much_follows_that_uses_it),
		cmocka_unit_test(a_slow_worker_takes_nothing_that_is_not_worth_moving),
		cmocka_unit_test(a_device_leaves_a_task_to_the_one_that_has_its_data),
		cmocka_unit_test(short_tasks_with_long_results_stay_together),
		cmocka_unit_test(who_is_done_sooner_than_expected_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
