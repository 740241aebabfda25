/* SPDX-License-Identifier: MIT */
/* What is launched behind tasks that still run on a device of the test double, and how that ends. */
#include "../core/data/bed.h"

#include <errno.h>
#include <time.h>
#include <xylem/cuda.h>

#include "../double/cudart_double.h"

enum { N = 64, STICKY = 719, MOST = 8 };

/* --- a codelet whose kernel waits for the test --- */

static _Atomic int calls, ended, may_run, result;

struct work {
	uint32_t *v;
	uint32_t k;
};

static void wait_kernel(void *args)
{
	(void)args;
	while (!atomic_load(&may_run))
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static void add_kernel(void *args)
{
	const struct work *work = args;
	uint32_t *v = cudart_double_readable(work->v);

	for (unsigned i = 0; i < N; i++)
		v[i] = 3 * v[i] + work->k;
}

/* Each call launches two kernels. The second call of a test returns `result`. */
static int gated_cuda(struct xy_call *call)
{
	struct work work = { xy_pointer(call, 0), ((const struct bed_arg *)call->arg)->k };
	int error = cudart_double_launch(xy_cuda_stream(call), wait_kernel, &work, sizeof work);

	if (!error)
		error = cudart_double_launch(xy_cuda_stream(call), add_kernel, &work, sizeof work);
	error = xy_cuda_check(call, error);
	return atomic_fetch_add(&calls, 1) == 1 && !error ? atomic_load(&result) : error;
}

static const struct xy_codelet gated = { .name = "gated", .cuda = { gated_cuda }, .modes = { XY_RW } };
static const struct xy_codelet gated_read = { .name = "gated", .cuda = { gated_cuda }, .modes = { XY_RW, XY_R } };

static void count_end(void *status, int value)
{
	*(int *)status = value;
	atomic_fetch_add(&ended, 1);
}

struct bench {
	struct helper *h;
	uint32_t numbers[N];
	struct xy_handle *v;
	int status[MOST];
};

static void bench_open(struct bench *b, const struct xy_config *config)
{
	*b = (struct bench){ .h = bed_start(1, config, false) };
	for (unsigned i = 0; i < N; i++)
		b->numbers[i] = i;
	for (unsigned i = 0; i < MOST; i++)
		b->status[i] = 1;
	b->v = bed_vector(b->h, b->numbers, N);
	atomic_store(&calls, 0);
	atomic_store(&ended, 0);
	atomic_store(&may_run, 0);
	atomic_store(&result, 0);
}

static void bench_submit(struct bench *b, unsigned i, unsigned retries)
{
	struct bed_arg arg = { i + 1 };
	unsigned worker = bed_worker(b->h, XY_CUDA, 0);
	struct xy_task_desc desc = { .codelet = &gated,
				     .handles = { b->v },
				     .arg = &arg,
				     .arg_size = sizeof arg,
				     .workers = &worker,
				     .nworkers = 1,
				     .retries = retries,
				     .callback = count_end,
				     .callback_arg = &b->status[i] };

	assert_int_equal(xy_submit(b->h->rt, &desc), 0);
}

static void await_calls(int n)
{
	for (unsigned i = 0; i < 20000 && atomic_load(&calls) < n; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	assert_int_equal(atomic_load(&calls), n);
}

/* No more calls come. */
static void expect_calls(int n)
{
	await_calls(n);
	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	assert_int_equal(atomic_load(&calls), n);
}

/* --- what is launched --- */

static void what_waits_for_a_running_task_is_launched_behind_it(void **state)
{
	const struct xy_config config = { .arch[XY_CUDA].ahead = 2 };
	struct bench b;
	uint32_t expected = 5;

	(void)state;
	bench_open(&b, &config);
	for (unsigned i = 0; i < 6; i++)
		bench_submit(&b, i, 0);
	expect_calls(3); /* one for each slot */
	assert_int_equal(atomic_load(&ended), 0);
	atomic_store(&may_run, 1);
	assert_int_equal(helper_wait(b.h), 0);
	bed_unregister(b.h, &b.v);
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(b.status[i], 0);
		expected = 3 * expected + i + 1;
	}
	assert_int_equal(b.numbers[5], expected);
	assert_int_equal(bed_stop(b.h, 0), 0);
}

static void a_codelet_can_insist_on_the_end_of_what_it_depends_on(void **state)
{
	const struct xy_config config = { .arch[XY_CUDA].ahead = 2 };
	struct xy_codelet patient = gated;
	struct bed_arg arg = { 2 };
	struct bench b;

	(void)state;
	patient.never_behind = true;
	bench_open(&b, &config);
	bench_submit(&b, 0, 0);
	assert_int_equal(xy_submit(b.h->rt, &(struct xy_task_desc){ .codelet = &patient,
								    .handles = { b.v },
								    .arg = &arg,
								    .arg_size = sizeof arg,
								    .callback = count_end,
								    .callback_arg = &b.status[1] }),
			 0);
	expect_calls(1);
	atomic_store(&may_run, 1);
	assert_int_equal(helper_wait(b.h), 0);
	bed_unregister(b.h, &b.v);
	assert_int_equal(atomic_load(&calls), 2);
	assert_int_equal(b.numbers[5], 3 * (3 * 5 + 1) + 2);
	assert_int_equal(bed_stop(b.h, 0), 0);
}

static void nothing_is_launched_behind_without_tasks_ahead(void **state)
{
	const struct xy_config config = { .arch[XY_CUDA].ahead = XY_NONE };
	struct bench b;

	(void)state;
	bench_open(&b, &config);
	bench_submit(&b, 0, 0);
	bench_submit(&b, 1, 0);
	expect_calls(1);
	atomic_store(&may_run, 1);
	assert_int_equal(helper_wait(b.h), 0);
	bed_unregister(b.h, &b.v);
	assert_int_equal(bed_stop(b.h, 0), 0);
}

/* Of several that wait for one task, the others are left to other workers. */
static void one_of_several_successors_is_launched_behind(void **state)
{
	struct bench b;
	struct xy_handle *others[3];
	struct bed_arg arg = { 1 };

	(void)state;
	bench_open(&b, NULL);
	bench_submit(&b, 0, 0);
	for (unsigned i = 0; i < 3; i++) {
		unsigned worker = bed_worker(b.h, XY_CUDA, 0);
		struct xy_task_desc desc = {
			.codelet = &gated_read, .arg = &arg, .arg_size = sizeof arg, .workers = &worker, .nworkers = 1
		};

		others[i] = bed_vector(b.h, NULL, N);
		desc.handles[0] = others[i];
		desc.handles[1] = b.v;
		assert_int_equal(xy_submit(b.h->rt, &desc), 0);
	}
	expect_calls(2);
	atomic_store(&may_run, 1);
	assert_int_equal(helper_wait(b.h), 0);
	for (unsigned i = 0; i < 3; i++)
		bed_unregister(b.h, &others[i]);
	bed_unregister(b.h, &b.v);
	assert_int_equal(bed_stop(b.h, 0), 0);
}

static void what_is_written_through_is_saved_before_it_is_overwritten(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, NULL);
	assert_int_equal(xy_handle_set_write_through(b.v, 1), 0);
	bench_submit(&b, 0, 0);
	bench_submit(&b, 1, 0);
	expect_calls(1);
	atomic_store(&may_run, 1);
	assert_int_equal(helper_wait(b.h), 0);
	bed_unregister(b.h, &b.v);
	assert_int_equal(bed_stop(b.h, 0), 0);
}

/* If it is already being overwritten, no copy is taken. */
static void what_is_being_overwritten_is_not_written_through(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, NULL);
	bench_submit(&b, 0, 0);
	bench_submit(&b, 1, 0);
	expect_calls(2);
	assert_int_equal(xy_handle_set_write_through(b.v, 1), 0);
	atomic_store(&may_run, 1);
	assert_int_equal(helper_wait(b.h), 0);
	assert_int_equal(xy_acquire(b.v, XY_R), 0);
	assert_int_equal(b.numbers[1], 3 * (3 * 1 + 1) + 2);
	xy_release(b.v);
	assert_int_equal(bed_stats(b.h, 0).transfers, 1);
	bed_unregister(b.h, &b.v);
	assert_int_equal(bed_stop(b.h, 0), 0);
}

/* --- where it would run faster --- */

static double cuda_us, cpu_us;

static double modelled_us(const struct xy_task *task, enum xy_arch arch, unsigned implementation)
{
	(void)task;
	(void)implementation;
	return arch == XY_CPU ? cpu_us : cuda_us;
}

static int modelled_cpu(struct xy_call *call)
{
	uint32_t *v = xy_pointer(call, 0);

	for (unsigned i = 0; i < N; i++)
		v[i] = 3 * v[i] + ((const struct bed_arg *)call->arg)->k;
	return 0;
}

static const struct xy_model by_arch = { .name = "by-arch", .kind = XY_MODEL_ARCH, .per_arch = modelled_us };
static const struct xy_codelet modelled = {
	.name = "modelled", .cpu = { modelled_cpu }, .cuda = { gated_cuda }, .modes = { XY_RW }, .model = &by_arch
};

/* A task that may run anywhere follows one that runs on a device: `ncalls` are made there before that one ends. */
static void follow_anywhere(const char *policy, int ncalls)
{
	const struct xy_config config = { .sched = policy };
	struct bed_arg arg = { 2 };
	struct bench b;

	bench_open(&b, &config);
	bench_submit(&b, 0, 0);
	assert_int_equal(xy_submit(b.h->rt, &(struct xy_task_desc){ .codelet = &modelled,
								    .handles = { b.v },
								    .arg = &arg,
								    .arg_size = sizeof arg }),
			 0);
	expect_calls(ncalls);
	atomic_store(&may_run, 1);
	assert_int_equal(helper_wait(b.h), 0);
	bed_unregister(b.h, &b.v);
	assert_int_equal(b.numbers[1], 3 * (3 * 1 + 1) + 2);
	assert_int_equal(bed_stop(b.h, 0), 0);
}

static void what_another_worker_runs_faster_is_left_to_it(void **state)
{
	static const char *const policies[] = { "tree-eager", "tree-ws", "tree-dmdas", "tree-heft" };

	(void)state;
	for (unsigned p = 0; p < HELPER_COUNT(policies); p++) {
		cuda_us = 100;
		cpu_us = 50;
		follow_anywhere(policies[p], 1);
		cpu_us = 1000;
		follow_anywhere(policies[p], 2);
	}
}

/* A policy that decides for each task where it runs is not passed by. */
static void policies_that_place_each_task_are_asked(void **state)
{
	(void)state;
	cuda_us = 100;
	cpu_us = 1000;
	follow_anywhere("fifo | userchoice | each worker { fifo | best-implementation }", 1);
}

/* --- failures --- */

static void a_task_behind_one_that_fails_is_cancelled(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, NULL);
	for (unsigned i = 0; i < 3; i++)
		bench_submit(&b, i, 0);
	await_calls(3);
	assert_true(cudart_double_fail("operation", 1, STICKY)); /* the first one's second kernel */
	atomic_store(&may_run, 1);
	assert_int_equal(helper_wait(b.h), -ENODEV);
	assert_int_equal(b.status[0], -ENODEV);
	assert_int_equal(b.status[1], -ECANCELED);
	assert_int_equal(b.status[2], -ECANCELED);
	xy_unregister(&b.v);
	helper_stop_lines(b.h, HELPER_ANY_LINES);
}

static void a_function_that_fails_behind_another_task_fails_alone(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, NULL);
	atomic_store(&result, -EDOM);
	for (unsigned i = 0; i < 3; i++)
		bench_submit(&b, i, 0);
	await_calls(2);
	atomic_store(&may_run, 1);
	assert_int_equal(helper_wait(b.h), -EDOM);
	assert_int_equal(b.status[0], 0);
	assert_int_equal(b.status[1], -EDOM);
	assert_int_equal(b.status[2], -ECANCELED);
	xy_unregister(&b.v);
	assert_int_equal(atomic_load(&calls), 2);
	assert_int_equal(bed_stop(b.h, HELPER_ANY_LINES), 0);
}

/* It would read what the task behind it has overwritten. */
static void nothing_is_launched_behind_a_task_that_may_run_again(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, NULL);
	bench_submit(&b, 0, 1);
	bench_submit(&b, 1, 0);
	expect_calls(1);
	atomic_store(&may_run, 1);
	assert_int_equal(helper_wait(b.h), 0);
	bed_unregister(b.h, &b.v);
	assert_int_equal(bed_stop(b.h, 0), 0);
}

/* A task behind others that fails is tried again, after them. */
static void a_task_behind_others_may_run_again(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, NULL);
	atomic_store(&result, -EDOM);
	bench_submit(&b, 0, 0);
	bench_submit(&b, 1, 1);
	await_calls(2);
	atomic_store(&may_run, 1);
	assert_int_equal(helper_wait(b.h), 0);
	assert_int_equal(atomic_load(&calls), 3);
	assert_int_equal(b.status[1], 0);
	xy_unregister(&b.v);
	assert_int_equal(bed_stop(b.h, HELPER_ANY_LINES), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_waits_for_a_running_task_is_launched_behind_it),
		cmocka_unit_test(a_codelet_can_insist_on_the_end_of_what_it_depends_on),
		cmocka_unit_test(nothing_is_launched_behind_without_tasks_ahead),
		cmocka_unit_test(one_of_several_successors_is_launched_behind),
		cmocka_unit_test(what_is_written_through_is_saved_before_it_is_overwritten),
		cmocka_unit_test(what_is_being_overwritten_is_not_written_through),
		cmocka_unit_test(what_another_worker_runs_faster_is_left_to_it),
		cmocka_unit_test(policies_that_place_each_task_are_asked),
		cmocka_unit_test(a_task_behind_one_that_fails_is_cancelled),
		cmocka_unit_test(a_function_that_fails_behind_another_task_fails_alone),
		cmocka_unit_test(nothing_is_launched_behind_a_task_that_may_run_again),
		cmocka_unit_test(a_task_behind_others_may_run_again),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
