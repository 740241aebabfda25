/* SPDX-License-Identifier: MIT */
/*
 * Reductions on CPUs, CUDA devices of the test double, and OpenCL devices: each worker adds to a copy in its own
 * memory, and what comes out is what a loop would give.
 */
#include "bed.h"

#include <errno.h>
#include <string.h>

#include "../../double/cudart_double.h"

enum { N = 64, BYTES = N * sizeof(uint32_t) };

static uint32_t x[N], y[N], total[N];

static struct xy_handle *reduced_vector(struct helper *h, uint32_t *ptr)
{
	struct xy_handle *v = bed_vector(h, ptr, N);

	assert_int_equal(xy_handle_set_reduction(v, &bed_zero, &bed_join), 0);
	return v;
}

static void expect(const uint32_t *v, uint32_t value)
{
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(v[i], value);
}

/* Reads the vector as the application; what went wrong is told. */
static void check(struct helper *h, struct xy_handle *v, const uint32_t *data, uint32_t expected)
{
	int status = xy_acquire(v, XY_R);

	if (status) {
		for (unsigned i = 0; i < helper_lines(h) && i < 5; i++)
			print_error("log: %s\n", h->lines[i]);
		helper_wait(h);
		fail_msg("acquire: %d; %s", status, xy_error(h->rt));
	}
	expect(data, expected);
	assert_int_equal(xy_release(v), 0);
}

static void each_device_adds_to_a_copy_of_its_own(void **state)
{
	struct helper *h = bed_start(2, NULL, false);
	struct xy_handle *v;
	struct cudart_double_traffic in, peer;

	(void)state;
	for (unsigned i = 0; i < N; i++)
		total[i] = 1000;
	v = reduced_vector(h, total);
	for (unsigned i = 0; i < 40; i++)
		bed_submit_on(h, bed_worker(h, XY_CUDA, i % 2), &bed_more, i, v, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	/* neither the handle nor anything else was moved to the devices for it */
	cudart_double_traffic(CUDART_DOUBLE_IN, &in);
	cudart_double_traffic(CUDART_DOUBLE_PEER, &peer);
	assert_int_equal(in.bytes + peer.bytes, 0);
	bed_unregister(h, &v);
	expect(total, 1000 + 780);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void all_workers_take_part(void **state)
{
	bool opencl = bed_has_opencl();
	struct helper *h = bed_start(2, &(struct xy_config){ .sched = "tree-random" }, opencl);
	unsigned nworkers = xy_machine_nworkers(xy_runtime_machine(h->rt));
	struct xy_handle *v;
	uint32_t expected = 0;

	(void)state;
	memset(total, 0, sizeof total);
	v = reduced_vector(h, total);
	for (unsigned group = 0; group < 5; group++) {
		for (unsigned i = 0; i < 10 * nworkers; i++, expected += i)
			bed_submit_on(h, i % nworkers, &bed_more, i + 1, v, NULL, NULL);
		check(h, v, total, expected);
	}
	bed_unregister(h, &v);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* Random programs over two vectors, one of which is reduced, on everything there is. */
static void random_program(const char *sched, const struct xy_config *config, bool opencl, uint64_t seed)
{
	struct xy_config c = *config;
	struct helper *h;
	struct xy_handle *v, *a;
	uint32_t expected = 7, other = 1;

	print_message("# %s%s, seed %d\n", sched, opencl ? " with OpenCL" : "", (int)seed);
	c.sched = sched;
	h = bed_start(2, &c, opencl);
	for (unsigned i = 0; i < N; i++) {
		total[i] = expected;
		x[i] = other;
	}
	v = reduced_vector(h, total);
	a = bed_vector(h, x, N);
	for (unsigned i = 0; i < helper_scale(400); i++) {
		uint32_t k = helper_below(&seed, 1000);

		switch (helper_below(&seed, 30)) {
		case 0:
			bed_submit(h, &bed_add, k, v, NULL, NULL);
			expected = 3 * expected + k;
			break;
		case 1:
			bed_submit(h, &bed_axpy, k, v, a, NULL);
			other = 3 * other + k * expected;
			break;
		case 2:
			check(h, v, total, expected);
			break;
		case 3:
		case 4:
		case 5:
		case 6:
		case 7:
		case 8:
			bed_submit(h, &bed_collect, k, v, a, NULL);
			expected += k * other;
			break;
		default:
			bed_submit(h, &bed_more, k, v, NULL, NULL);
			expected += k;
		}
	}
	bed_unregister(h, &v);
	bed_unregister(h, &a);
	expect(total, expected);
	expect(x, other);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void results_are_those_of_one_after_the_other(void **state)
{
	static const char *const policies[] = { "tree-eager", "tree-eager-prefetching", "tree-random", "tree-ws" };
	bool opencl = bed_has_opencl();

	(void)state;
	for (unsigned p = 0; p < HELPER_COUNT(policies); p++)
		for (unsigned seed = 1; seed <= 2; seed++)
			random_program(policies[p], &(struct xy_config){ .arch[XY_CUDA].workers = seed },
				       opencl && seed == 1, 10 * p + seed);
}

static void results_are_right_when_memory_is_short(void **state)
{
	(void)state;
	/* room for two vectors: replicas come and go between tasks */
	for (unsigned seed = 1; seed <= 3; seed++)
		random_program("tree-eager-prefetching", &(struct xy_config){ .arch[XY_CUDA].limit = "512" }, false,
			       seed);
}

/* Content that has been combined is not saved before it goes. */
static void what_was_combined_is_not_saved(void **state)
{
	struct xy_codelet join = bed_join;
	struct helper *h = bed_start(1, &(struct xy_config){ .arch[XY_CUDA].limit = "256" }, false);
	unsigned worker = bed_worker(h, XY_CUDA, 0), node = bed_node(h, XY_CUDA, 0);
	struct xy_handle *v, *a = bed_vector(h, y, N);

	(void)state;
	memset(total, 0, sizeof total);
	memset(y, 0, sizeof y);
	v = reduced_vector(h, total);
	join.where = XY_ON_CPU;
	assert_int_equal(xy_handle_set_reduction(v, &bed_zero, &join), 0);
	bed_submit_on(h, worker, &bed_more, 1, v, NULL, NULL);
	check(h, v, total, 1);
	assert_int_equal(helper_wait(h), 0);
	for (unsigned i = 0; i < 3; i++)
		bed_submit_on(h, worker, &bed_add, 1, a, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(bed_stats(h, node).writebacks, 0);
	bed_unregister(h, &v);
	bed_unregister(h, &a);
	expect(total, 1);
	expect(y, 13);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* --- failures --- */

static int bad_body(struct xy_call *call)
{
	(void)call;
	return -EIO;
}

static const struct xy_codelet bad_zero = {
	.name = "bad_zero",
	.cpu = { bad_body },
	.cuda = { bad_body },
	.opencl = { bad_body },
	.modes = { XY_W },
};
static const struct xy_codelet bad_join = {
	.name = "bad_join",
	.cpu = { bad_body },
	.cuda = { bad_body },
	.opencl = { bad_body },
	.modes = { XY_RW, XY_R },
};
static const struct xy_codelet cpu_zero = { .name = "cpu_zero", .cpu = { bad_body }, .modes = { XY_W } };

static void init_and_combine_that_fail_on_a_device_make_the_handle_fail(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, total, N);

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		const struct xy_codelet *init = i % 2 ? &bad_zero : &bed_zero, *join = i % 2 ? &bed_join : &bad_join;

		assert_int_equal(xy_handle_set_reduction(v, init, join), 0);
		for (unsigned j = 0; j < 6; j++)
			bed_submit_on(h, bed_worker(h, XY_CUDA, i / 2), &bed_more, 1, v, NULL, NULL);
		assert_int_equal(xy_acquire(v, XY_R), -EIO);
		assert_int_equal(helper_wait(h), -EIO);
		assert_int_equal(xy_handle_set_reduction(v, &bed_zero, &bed_join), 0);
		bed_submit(h, &bed_zero, 0, v, NULL, NULL);
		for (unsigned j = 0; j < 6; j++)
			bed_submit_on(h, bed_worker(h, XY_CUDA, j % 2), &bed_more, 1, v, NULL, NULL);
		assert_int_equal(xy_acquire(v, XY_R), 0);
		expect(total, 6);
		assert_int_equal(xy_release(v), 0);
	}
	bed_unregister(h, &v);
	helper_forget(h);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* Errors of CUDA: one that clears, and one that is the end of the device. */
enum { ORDINARY = 1, STICKY = 719 };

/* The n-th call of the driver fails. The sum is right, or there is an error; then it is written anew. */
static bool strike(unsigned n, int error)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v, *a = bed_vector(h, x, N);
	unsigned taken = 0;
	bool struck;
	int status;

	for (unsigned i = 0; i < N; i++) {
		total[i] = 5;
		x[i] = 3;
	}
	v = reduced_vector(h, total);
	assert_true(cudart_double_fail(NULL, n, error));
	for (unsigned i = 0; i < 6; i++) { /* refused if the device is lost already */
		unsigned worker = i % 3;

		taken += !xy_submit(h->rt, &(struct xy_task_desc){ .codelet = &bed_collect,
								   .handles = { v, a },
								   .workers = &worker,
								   .nworkers = 1 });
	}
	bed_submit(h, &bed_axpy, 1, v, a, NULL); /* reads the sum */
	bed_submit(h, &bed_set, 0, a, NULL, NULL);
	for (unsigned i = 0; i < 6; i++)
		bed_submit(h, &bed_collect, 1, v, a, NULL);
	status = xy_acquire(v, XY_R);
	assert_true(!status || cudart_double_failed());
	for (unsigned i = 0; i < N && !status; i++)
		assert_int_equal(total[i], 5 + taken * 3 + 6 * i);
	if (!status)
		xy_release(v);
	helper_wait(h);
	/* there is the CPU for what the device does not do any more */
	bed_submit(h, &bed_zero, 0, v, NULL, NULL);
	for (unsigned i = 0; i < 5; i++)
		bed_submit_on(h, bed_worker(h, XY_CPU, 0), &bed_more, i, v, NULL, NULL);
	status = xy_unregister(&v);
	struck = cudart_double_failed();
	assert_true(struck || !status);
	if (!status)
		expect(total, 10);
	xy_unregister(&a);
	bed_stop(h, HELPER_ANY_LINES);
	return struck;
}

static void any_call_of_a_driver_may_fail(void **state)
{
	unsigned struck = 0;

	(void)state;
	for (unsigned n = 1; n < helper_scale(80); n++)
		struck += strike(n, n % 2 ? STICKY : ORDINARY);
	assert_true(struck > 5);
}

static void only_workers_with_an_init_run_the_tasks(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = bed_vector(h, total, N);
	unsigned cuda = bed_worker(h, XY_CUDA, 0);
	struct bed_arg arg = { 1 };
	struct xy_task *task;

	(void)state;
	assert_int_equal(xy_handle_set_reduction(v, &cpu_zero, &bed_join), 0);
	assert_int_equal(xy_submit(h->rt, &(struct xy_task_desc){ .codelet = &bed_more,
								  .handles = { v },
								  .arg = &arg,
								  .workers = &cuda,
								  .nworkers = 1 }),
			 -ENODEV);
	helper_one_line(h, "no worker can run it");
	task = HELPER_CREATE(h, .codelet = &bed_more, .handles = { v }, .arg = &arg);
	assert_int_equal(xy_task_submit(task), 0);
	assert_int_equal(helper_wait_task(h, task), -EIO); /* of cpu_zero */
	xy_task_release(task);
	assert_int_equal(helper_wait(h), -EIO);
	assert_int_equal(xy_unregister(&v), -EIO);
	assert_int_equal(bed_stop(h, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_device_adds_to_a_copy_of_its_own),
		cmocka_unit_test(all_workers_take_part),
		cmocka_unit_test(results_are_those_of_one_after_the_other),
		cmocka_unit_test(results_are_right_when_memory_is_short),
		cmocka_unit_test(what_was_combined_is_not_saved),
		cmocka_unit_test(init_and_combine_that_fail_on_a_device_make_the_handle_fail),
		cmocka_unit_test(any_call_of_a_driver_may_fail),
		cmocka_unit_test(only_workers_with_an_init_run_the_tasks),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
