/* SPDX-License-Identifier: MIT */
/* A runtime with HIP devices, those of the double: codelets with .hip, settings, and what the machine says. */
#include "../helper.h"

#include <errno.h>
#include <string.h>

#include <xylem/hip.h>

#include "../double/cudart_double.h"
#include "../double/more_api.h"

enum { N = 1000, NTASKS = 60 };

struct scale {
	int *numbers;
	size_t n;
	int factor;
};

static void scale_kernel(void *args)
{
	struct scale *scale = args;
	int *numbers = cudart_double_readable(scale->numbers);

	for (size_t i = 0; i < scale->n; i++)
		numbers[i] *= scale->factor;
}

static int scale_hip(struct xy_call *call)
{
	struct scale scale = { xy_pointer(call, 0), xy_vector_at(call, 0)->n, *(int *)call->arg };

	return xy_hip_check(call, cudart_double_launch(xy_hip_stream(call), scale_kernel, &scale, sizeof scale));
}

static int scale_cpu(struct xy_call *call)
{
	int *numbers = xy_pointer(call, 0);

	for (size_t i = 0; i < xy_vector_at(call, 0)->n; i++)
		numbers[i] *= *(int *)call->arg;
	return 0;
}

static const struct xy_codelet on_hip = { .name = "scale", .hip = { scale_hip }, .modes = { XY_RW } };
static const struct xy_codelet anywhere = {
	.name = "scale", .cpu = { scale_cpu }, .hip = { scale_hip }, .modes = { XY_RW }
};

static struct helper *start(const char *limit)
{
	cudart_double_reset();
	return helper_start_with(&(struct xy_config){
		.ncpu = 1,
		.drivers = DRIVERS,
		.arch[XY_CUDA].devices = "none",
		.arch[XY_OPENCL].devices = "none",
		.arch[XY_HIP] = { .devices = "all", .limit = limit },
	});
}

static unsigned long long tasks_on(const struct helper *h, enum xy_arch arch)
{
	const struct xy_machine *machine = xy_runtime_machine(h->rt);
	unsigned long long sum = 0;

	for (unsigned i = 0; i < xy_machine_nworkers(machine); i++) {
		struct xy_worker_stats stats;

		assert_int_equal(xy_worker_stats(h->rt, i, &stats), 0);
		sum += xy_machine_worker(machine, i)->arch == arch ? stats.tasks : 0;
	}
	return sum;
}

/* Each task triples or doubles one of four vectors. */
static void compute(struct helper *h, const struct xy_codelet *codelet)
{
	static int numbers[4][N];
	struct xy_handle *handles[4];
	int factors[] = { 2, 3 };
	long expected = 1;

	for (unsigned k = 0; k < 4; k++) {
		for (unsigned i = 0; i < N; i++)
			numbers[k][i] = (int)i;
		assert_int_equal(xy_vector_register(h->rt, &handles[k], numbers[k], N, sizeof(int)), 0);
	}
	for (unsigned t = 0; t < NTASKS; t++)
		assert_int_equal(xy_submit(h->rt, &(struct xy_task_desc){ .codelet = codelet,
									  .handles = { handles[t % 4] },
									  .arg = &factors[t % 3 == 0],
									  .arg_size = sizeof(int) }),
				 0);
	assert_int_equal(helper_wait(h), 0);
	for (unsigned k = 0; k < 4; k++)
		assert_int_equal(xy_unregister(&handles[k]), 0);
	for (unsigned t = 0; t < NTASKS; t += 4)
		expected = (int)((unsigned)expected * (unsigned)factors[t % 3 == 0]);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(numbers[0][i], (int)((unsigned)expected * i));
}

static void runs_codelets_on_hip_devices(void **state)
{
	struct helper *h = start(NULL);

	(void)state;
	assert_int_equal(xy_machine_nworkers(xy_runtime_machine(h->rt)), 3);
	assert_string_equal(xy_machine_worker(xy_runtime_machine(h->rt), 1)->name, "hip0");
	assert_string_equal(xy_machine_node(xy_runtime_machine(h->rt), 2)->name, "hip1");
	assert_int_equal(xy_machine_driver(xy_runtime_machine(h->rt), XY_HIP)->state, XY_DRIVER_READY);
	compute(h, &on_hip);
	assert_int_equal(tasks_on(h, XY_HIP), NTASKS);
	compute(h, &anywhere);
	assert_int_equal(helper_stop(h), 0);
}

/* The driver of HIP has no pools of the library. Sizes change, so that what the runtime keeps fits seldom. */
static void freed_memory_is_kept_for_similar_sizes(void **state)
{
	static int numbers[2 * N];
	struct helper *h = start("64K");
	struct cudart_double_live live;
	uint64_t allocations;
	int factor = 3;

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		unsigned worker = 1;
		struct xy_handle *v;

		numbers[0] = (int)i;
		assert_int_equal(xy_vector_register(h->rt, &v, numbers, 2 * N - 2 * (i % 20), sizeof(int)), 0);
		HELPER_SUBMIT(h, .codelet = &on_hip, .handles = { v }, .arg = &factor, .arg_size = sizeof factor,
			      .workers = &worker, .nworkers = 1);
		assert_int_equal(xy_unregister(&v), 0);
		assert_int_equal(numbers[0], 3 * i);
	}
	allocations = cudart_double_calls("hipMalloc");
	assert_int_equal(cudart_double_calls("hipFree"), 0);
	assert_in_range(allocations, 1, 20);
	assert_int_equal(helper_stop(h), 0);
	assert_int_equal(cudart_double_calls("hipFree"), allocations);
	cudart_double_live(&live);
	assert_int_equal(live.device_bytes, 0);
}

static void memory_that_is_kept_is_given_up_for_other_sizes(void **state)
{
	static int numbers[16 * N];
	struct helper *h;
	int factor = 3;

	(void)state;
	h = start("80K");
	for (unsigned d = 0; d < 2; d++)
		cudart_double_set_memory(d, 90000);
	for (unsigned i = 1; i <= 16; i++) {
		unsigned worker = 1;
		struct xy_handle *v;

		numbers[0] = (int)i;
		assert_int_equal(xy_vector_register(h->rt, &v, numbers, i * N, sizeof(int)), 0);
		HELPER_SUBMIT(h, .codelet = &on_hip, .handles = { v }, .arg = &factor, .arg_size = sizeof factor,
			      .workers = &worker, .nworkers = 1);
		assert_int_equal(xy_unregister(&v), 0);
		assert_int_equal(numbers[0], 3 * i);
	}
	assert_true(cudart_double_calls("hipFree") > 0);
	assert_int_equal(helper_stop(h), 0);
}

static void runs_codelets_in_little_memory(void **state)
{
	struct helper *h = start("5K");

	(void)state;
	compute(h, &on_hip);
	assert_int_equal(tasks_on(h, XY_HIP), NTASKS);
	assert_int_equal(helper_stop(h), 0);
}

static void a_device_that_is_lost_leaves_the_work_to_others(void **state)
{
	struct helper *h = start(NULL);

	(void)state;
	assert_true(cudart_double_fail("operation", 1, cudaErrorIllegalAddress));
	compute(h, &anywhere);
	helper_stop_lines(h, HELPER_ANY_LINES);
}

static void refuses_a_device_that_is_not_there(void **state)
{
	struct helper *h;
	int error;

	(void)state;
	h = helper_try(&(struct xy_config){ .drivers = DRIVERS, .arch[XY_HIP].devices = "7" }, &error);
	assert_int_equal(error, -EINVAL);
	helper_one_line(h, "no HIP device 7: numbers are below 2");
	helper_stop(h);
}

static void does_not_see_a_codelet_for_cuda(void **state)
{
	static const struct xy_codelet cuda = { .name = "cuda", .cuda = { scale_hip }, .modes = { XY_RW } };
	struct helper *h = start(NULL);

	(void)state;
	assert_int_equal(xy_submit(h->rt, &(struct xy_task_desc){ .codelet = &cuda }), -EINVAL);
	assert_int_equal(helper_stop_lines(h, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_codelets_on_hip_devices),
		cmocka_unit_test(freed_memory_is_kept_for_similar_sizes),
		cmocka_unit_test(memory_that_is_kept_is_given_up_for_other_sizes),
		cmocka_unit_test(runs_codelets_in_little_memory),
		cmocka_unit_test(a_device_that_is_lost_leaves_the_work_to_others),
		cmocka_unit_test(refuses_a_device_that_is_not_there),
		cmocka_unit_test(does_not_see_a_codelet_for_cuda),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
