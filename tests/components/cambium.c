/* SPDX-License-Identifier: MIT */
/* cambium: who gets a task and who is left without, ranks from what follows, and what is told to whom. */
#include "recording.h"

#include "core/lockfree/successors.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA };

/* cambium { worker i, ... } */
static struct bed *open_cambium(const char *machine, struct xy_component **cambium)
{
	struct bed *bed = bed_open(machine);

	*cambium = bed_add(bed, NULL, &xy__cambium_ops);
	for (unsigned i = 0; i < xy_machine_nworkers(bed->machine); i++)
		bed_add_worker(bed, *cambium, i);
	bed_seal(bed);
	return bed;
}

/* Makes a task wait for another one, like submission does. */
static void follows(struct xy_task *task, struct xy_task *before)
{
	struct xy__edge *edge = task->nedges ? &task->edges[task->nedges - 1] : &task->first_edge;

	task->nedges++;
	atomic_store(&edge->target, (uintptr_t)task);
	atomic_fetch_add(&task->missing, 1);
	assert_true(xy__successors_add(&before->successors, edge, xy__task_generation(before)));
}

static size_t depth(struct xy_component *c)
{
	return c->ops->depth(c, &(size_t){ 0 });
}

static void a_slow_worker_leaves_a_task_to_a_fast_one(void **state)
{
	static const double lengths[] = { 100, 100, 1 };
	struct xy_component *cambium;
	struct bed *bed = open_cambium("cpu:2 cuda:1", &cambium);
	struct xy_task *task = bed_task_lasting(bed, CPU | CUDA, lengths);

	(void)state;
	bed_submit(bed, task);
	assert_null(bed_pull(bed, 0));
	assert_int_equal(depth(cambium), 1);
	assert_ptr_equal(bed_pull(bed, 2), task);
	assert_true(task->expected_us == 1);
	assert_int_equal(depth(cambium), 0);
	bed_close(bed);
}

static void a_slow_worker_takes_what_the_fast_ones_have_no_time_for(void **state)
{
	static const double lengths[] = { 30, 30, 10 };
	struct xy_component *cambium;
	struct bed *bed = open_cambium("cpu:2 cuda:1", &cambium);

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		bed_submit(bed, bed_task_lasting(bed, CPU | CUDA, lengths));
	assert_non_null(bed_pull(bed, 2));
	bed->free_us[2] = 10;
	assert_non_null(bed_pull(bed, 0));
	assert_non_null(bed_pull(bed, 1));
	bed_close(bed);
}

static void a_busy_worker_is_given_nothing_in_advance(void **state)
{
	static const double lengths[] = { 10, 10 };
	struct xy_component *cambium;
	struct bed *bed = open_cambium("cpu:2", &cambium);

	(void)state;
	bed_submit(bed, bed_task_lasting(bed, CPU, lengths));
	bed->now_us = 500;
	bed->free_us[0] = 700;
	assert_null(bed_pull(bed, 0));
	bed->free_us[0] = 0;
	assert_non_null(bed_pull(bed, 0));
	bed_close(bed);
}

/* Its data comes meanwhile; but nobody else must be able to end the task sooner. */
static void a_busy_device_is_given_a_task_if_it_is_free_first(void **state)
{
	static const double lengths[] = { 10, 10 };
	struct xy_component *cambium;
	struct bed *bed = open_cambium("cuda:2", &cambium);
	struct xy_task *task = bed_task_lasting(bed, CUDA, lengths);

	(void)state;
	bed_submit(bed, task);
	bed->free_us[0] = 700;
	bed->free_us[1] = 500;
	assert_null(bed_pull(bed, 0)); /* the other one has never been busy, as far as is known */
	bed_submit(bed, bed_task_lasting(bed, CUDA, lengths));
	assert_ptr_equal(bed_pull(bed, 1), task);
	bed->free_us[1] = 800;
	assert_null(bed_pull(bed, 1));
	assert_non_null(bed_pull(bed, 0));
	bed_close(bed);
}

static double impatient_us;

static double impatient_now(struct xy__tree_engine *engine)
{
	(void)engine;
	return impatient_us += 1000;
}

static double impatient_free(struct xy__tree_engine *engine, unsigned worker)
{
	(void)worker;
	return impatient_now(engine);
}

/* As if whoever looks at the clock were interrupted each time. */
static void time_that_passes_makes_nobody_look_busy(void **state)
{
	static const double lengths[] = { 10, 10 };
	struct xy_component *cambium;
	struct bed *bed = open_cambium("cpu:2", &cambium);

	(void)state;
	bed->engine.now_us = impatient_now;
	bed->engine.free_us = impatient_free;
	bed_submit(bed, bed_task_lasting(bed, CPU, lengths));
	assert_true(bed->nwoken > 0);
	assert_non_null(bed_pull(bed, 0));
	bed_close(bed);
}

static void what_much_waits_for_comes_first(void **state)
{
	static const double lengths[] = { 10 };
	struct xy_component *cambium;
	struct bed *bed = open_cambium("cpu:1", &cambium);
	struct xy_task *tasks[5];

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		tasks[i] = bed_task_lasting(bed, CPU, lengths);
	follows(tasks[3], tasks[1]);
	follows(tasks[4], tasks[2]);
	follows(tasks[4], tasks[3]);
	for (unsigned i = 0; i < 3; i++)
		bed_submit(bed, tasks[i]);
	assert_ptr_equal(bed_pull(bed, 0), tasks[1]);
	assert_ptr_equal(bed_pull(bed, 0), tasks[2]);
	assert_ptr_equal(bed_pull(bed, 0), tasks[0]);
	assert_null(bed_pull(bed, 0));
	bed_close(bed);
}

static void without_a_view_the_oldest_comes_first(void **state)
{
	static const double lengths[] = { 10 };
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *cambium = bed_add_with(bed, NULL, &xy__cambium_ops, "nodes", "0");
	struct xy_task *tasks[3];

	(void)state;
	bed_add_worker(bed, cambium, 0);
	bed_seal(bed);
	for (unsigned i = 0; i < 3; i++)
		tasks[i] = bed_task_lasting(bed, CPU, lengths);
	follows(tasks[2], tasks[1]);
	bed_submit(bed, tasks[0]);
	bed_submit(bed, tasks[1]);
	assert_ptr_equal(bed_pull(bed, 0), tasks[0]);
	assert_ptr_equal(bed_pull(bed, 0), tasks[1]);
	bed_close(bed);
}

static void among_equals_priorities_count(void **state)
{
	static const double lengths[] = { 10 };
	struct xy_component *cambium;
	struct bed *bed = open_cambium("cpu:1", &cambium);
	struct xy_task *low = bed_task_lasting(bed, CPU, lengths), *high = bed_task_lasting(bed, CPU, lengths);

	(void)state;
	high->priority = 3;
	bed_submit(bed, low);
	bed_submit(bed, high);
	assert_ptr_equal(bed_pull(bed, 0), high);
	assert_ptr_equal(bed_pull(bed, 0), low);
	bed_close(bed);
}

/* The short task is urgent on the device; the other one can be done on a core meanwhile, and costs least there. */
static void a_slow_worker_takes_what_can_wait(void **state)
{
	static const double urgent[] = { 100, 10 }, loose[] = { 20, 10 };
	struct xy_component *cambium;
	struct bed *bed = open_cambium("cpu:1 cuda:1", &cambium);
	struct xy_task *chain[20], *other = bed_task_lasting(bed, CPU | CUDA, loose);

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		chain[i] = bed_task_lasting(bed, CPU | CUDA, urgent);
		if (i)
			follows(chain[i], chain[i - 1]);
	}
	bed_submit(bed, other);
	bed_submit(bed, chain[0]);
	assert_ptr_equal(bed_pull(bed, 0), other);
	assert_null(bed_pull(bed, 0));
	assert_ptr_equal(bed_pull(bed, 1), chain[0]);
	bed_close(bed);
}

/* A task runs well on a core only, and a long chain waits for it: one core must be there when it comes. */
static void a_worker_is_kept_for_what_only_its_kind_does_well(void **state)
{
	static const double common[] = { 100, 100, 50 }, special[] = { 10, 10, 1000 };
	struct xy_component *cambium;
	struct bed *bed = open_cambium("cpu:2 cuda:1", &cambium);
	struct xy_task *first[8], *task, *last = bed_task_lasting(bed, CPU | CUDA, special), *end = last;

	(void)state;
	for (unsigned i = 0; i < 20; i++, end = task) {
		task = bed_task_lasting(bed, CPU | CUDA, common);
		follows(task, end);
	}
	for (unsigned i = 0; i < 8; i++) {
		first[i] = bed_task_lasting(bed, CPU | CUDA, common);
		if (i < 4)
			follows(last, first[i]);
	}
	for (unsigned i = 0; i < 8; i++)
		bed_submit(bed, first[i]);
	assert_non_null(bed_pull(bed, 2));
	bed->free_us[2] = 50;
	assert_non_null(bed_pull(bed, 0));
	bed->free_us[0] = 100;
	assert_null(bed_pull(bed, 1));
	bed_submit(bed, last);
	assert_ptr_equal(bed_pull(bed, 1), last);
	bed_close(bed);
}

static void what_is_pinned_goes_to_its_worker(void **state)
{
	struct xy_component *cambium;
	struct bed *bed = open_cambium("cpu:3", &cambium);
	struct xy_task *pinned = bed_task_pinned(bed, CPU, 1);

	(void)state;
	bed_submit(bed, pinned);
	assert_null(bed_pull(bed, 0));
	assert_null(bed_pull(bed, 2));
	assert_ptr_equal(bed_pull(bed, 1), pinned);
	bed_close(bed);
}

static void tasks_of_which_nothing_is_known_go_to_whoever_asks(void **state)
{
	struct xy_component *cambium;
	struct bed *bed = open_cambium("cpu:1 cuda:1", &cambium);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		bed_submit(bed, bed_task(bed, CPU | CUDA));
	assert_non_null(bed_pull(bed, 0));
	assert_non_null(bed_pull(bed, 1));
	assert_non_null(bed_pull(bed, 0));
	assert_int_equal(depth(cambium), 0);
	bed_close(bed);
}

static void a_worker_gets_only_what_it_can_run(void **state)
{
	static const double lengths[] = { 10, 10 };
	struct xy_component *cambium;
	struct bed *bed = open_cambium("cpu:1 cuda:1", &cambium);
	struct xy_task *cpu = bed_task_lasting(bed, CPU, lengths), *cuda = bed_task_lasting(bed, CUDA, lengths);

	(void)state;
	bed_submit(bed, cpu);
	bed_submit(bed, cuda);
	assert_ptr_equal(bed_pull(bed, 1), cuda);
	assert_null(bed_pull(bed, 1));
	assert_ptr_equal(bed_pull(bed, 0), cpu);
	bed_close(bed);
}

static void an_idle_worker_of_the_fastest_kind_is_woken(void **state)
{
	static const double lengths[] = { 100, 100, 5, 5 };
	struct xy_component *cambium;
	struct bed *bed = open_cambium("cpu:2 cuda:2", &cambium);

	(void)state;
	bed->free_us[2] = 1000; /* busy, though it might be told */
	bed_submit(bed, bed_task_lasting(bed, CPU | CUDA, lengths));
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 3);
	bed_close(bed);
}

static void who_takes_a_task_tells_the_next(void **state)
{
	static const double lengths[] = { 100, 100, 5, 5 };
	struct xy_component *cambium;
	struct bed *bed = open_cambium("cpu:2 cuda:2", &cambium);

	(void)state;
	bed_submit(bed, bed_task_lasting(bed, CPU | CUDA, lengths));
	bed_submit(bed, bed_task_lasting(bed, CPU | CUDA, lengths));
	bed_forget(bed);
	bed_wake(bed, 2);
	assert_non_null(bed_pull(bed, 2));
	assert_true(bed->nwoken >= 1);
	assert_int_equal(bed->woken[0], 3);
	bed_close(bed);
}

/* Whoever looks for tasks counts as told until it has found one, so that it must not be asked in place of others. */
static void who_takes_a_task_does_not_tell_itself(void **state)
{
	static const double lengths[] = { 5, 5, 5 };
	struct xy_component *cambium;
	struct bed *bed = open_cambium("cpu:3", &cambium);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		bed_submit(bed, bed_task_lasting(bed, CPU, lengths));
	bed_forget(bed);
	assert_non_null(bed_pull(bed, 0));
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 1);
	bed_close(bed);
}

/* More types than are told apart, graphs with more tasks than are looked at. */
static void nothing_gets_lost(void **state)
{
	enum { TASKS = 2000 };
	static double lengths[TASKS][3];
	struct bed *bed = bed_open("cpu:2 cuda:1");
	struct xy_component *cambium = bed_add_with(bed, NULL, &xy__cambium_ops, "nodes", "300");
	unsigned left = TASKS, rounds = 0;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		bed_add_worker(bed, cambium, i);
	bed_seal(bed);
	for (unsigned i = 0; i < TASKS; i++) {
		struct xy_task *task;

		lengths[i][0] = lengths[i][1] = 1 + (double)xy_agent_random(&bed->application) / 1e5;
		lengths[i][2] = 1 + (double)xy_agent_random(&bed->application) / 1e6;
		task = bed_task_lasting(bed, i % 5 ? CPU | CUDA : i % 2 ? CPU : CUDA, lengths[i]);
		task->priority = (int)(i % 3);
		bed_submit(bed, task);
		bed_forget(bed);
	}
	for (; left && rounds < 4 * TASKS; rounds++) {
		unsigned before = left;

		for (unsigned worker = 0; worker < 3; worker++)
			left -= bed_pull(bed, worker) != NULL;
		bed_forget(bed);
		assert_true(left < before);
	}
	assert_int_equal(left, 0);
	assert_int_equal(depth(cambium), 0);
	bed_close(bed);
}

static void a_slower_worker_is_told_when_the_fastest_are_busy(void **state)
{
	static const double lengths[] = { 30, 30, 10 };
	struct xy_component *cambium;
	struct bed *bed = open_cambium("cpu:2 cuda:1", &cambium);

	(void)state;
	bed_wake(bed, 2);
	bed->free_us[2] = 1000;
	for (unsigned i = 0; i < 6; i++)
		bed_submit(bed, bed_task_lasting(bed, CPU | CUDA, lengths));
	assert_true(bed->nwoken >= 1);
	assert_int_equal(bed->woken[0], 0);
	bed_close(bed);
}

/* fifo | basin | cambium | each worker */
static void what_rests_above_is_pulled_through(void **state)
{
	struct bed *bed = bed_open("cpu:2");
	struct xy_component *basin = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &basin_ops);
	struct xy_component *cambium = bed_add(bed, basin, &xy__cambium_ops);
	struct xy_task *task = bed_task(bed, CPU);

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		bed_add_worker(bed, cambium, i);
	bed_seal(bed);
	recorder(basin)->room = 1;
	bed_submit(bed, task);
	assert_int_equal(recorder(basin)->nheld, 1);
	assert_ptr_equal(bed_pull(bed, 1), task);
	bed_close(bed);
}

static void count_task(void *arg, const struct xy_task *task)
{
	(void)task;
	++*(unsigned *)arg;
}

static void shows_the_tasks_of_all_types(void **state)
{
	static const double lengths[2][2] = { { 10, 10 }, { 20, 20 } };
	struct xy_component *cambium;
	struct bed *bed = open_cambium("cpu:2", &cambium);
	unsigned count = 0;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		bed_submit(bed, bed_task_lasting(bed, CPU, lengths[i % 2]));
	bed_submit(bed, bed_task_pinned(bed, CPU, 1));
	bed_submit(bed, bed_task(bed, CPU));
	cambium->ops->each_task(cambium, count_task, &count);
	assert_int_equal(count, 6);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_worker_leaves_a_task_to_a_fast_one),
		cmocka_unit_test(a_slow_worker_takes_what_the_fast_ones_have_no_time_for),
		cmocka_unit_test(a_busy_worker_is_given_nothing_in_advance),
		cmocka_unit_test(a_busy_device_is_given_a_task_if_it_is_free_first),
		cmocka_unit_test(time_that_passes_makes_nobody_look_busy),
		cmocka_unit_test(what_much_waits_for_comes_first),
		cmocka_unit_test(without_a_view_the_oldest_comes_first),
		cmocka_unit_test(among_equals_priorities_count),
		cmocka_unit_test(a_slow_worker_takes_what_can_wait),
		cmocka_unit_test(a_worker_is_kept_for_what_only_its_kind_does_well),
		cmocka_unit_test(what_is_pinned_goes_to_its_worker),
		cmocka_unit_test(tasks_of_which_nothing_is_known_go_to_whoever_asks),
		cmocka_unit_test(a_worker_gets_only_what_it_can_run),
		cmocka_unit_test(an_idle_worker_of_the_fastest_kind_is_woken),
		cmocka_unit_test(who_takes_a_task_tells_the_next),
		cmocka_unit_test(who_takes_a_task_does_not_tell_itself),
		cmocka_unit_test(nothing_gets_lost),
		cmocka_unit_test(a_slower_worker_is_told_when_the_fastest_are_busy),
		cmocka_unit_test(what_rests_above_is_pulled_through),
		cmocka_unit_test(shows_the_tasks_of_all_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
