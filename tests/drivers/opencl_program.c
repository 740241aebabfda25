/* SPDX-License-Identifier: MIT */
/* Launches on the OpenCL driver: programs, kernels, queues, several threads. */
#include "opencl_bed.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/util/futex.h"
#include "drivers/opencl.h"

enum { N = 1000 };

static const char scale_source[] = "#ifndef EXTRA\n"
				   "#define EXTRA 0\n"
				   "#endif\n"
				   "kernel void scale(global float *v, float factor, uint n)\n"
				   "{\n"
				   "	size_t i = get_global_id(0);\n"
				   "	if (i < n)\n"
				   "		v[i] = v[i] * factor + EXTRA;\n"
				   "}\n"
				   "kernel void number(global float *v, float factor, uint n)\n"
				   "{\n"
				   "	size_t i = get_global_id(0);\n"
				   "	if (i < n)\n"
				   "		v[i] = factor * i;\n"
				   "}\n";

static const struct xy_opencl_program scale_program = { .source = scale_source };
static const struct xy_opencl_program extra_program = { .source = scale_source, .options = "-DEXTRA=5" };

/* What a launch is to do, and what it found. */
struct order {
	const struct xy_opencl_program *program;
	const char *name;
	float factor;
	int after; /* what the function returns if all is well */
	cl_kernel kernel;
};

static int order_body(struct xy_call *call)
{
	struct order *order = call->arg;
	cl_mem memory = xy_opencl_buffer(call, 0);
	cl_uint n = (cl_uint)xy_vector_at(call, 0)->n;
	const size_t global = (n + 63) / 64 * 64;
	int error = xy_opencl_kernel(call, order->program, order->name, &order->kernel);

	if (error)
		return error;
	if (call->stream != xy_opencl_queue(call))
		return -EBADF;
	clSetKernelArg(order->kernel, 0, sizeof memory, &memory);
	clSetKernelArg(order->kernel, 1, sizeof order->factor, &order->factor);
	clSetKernelArg(order->kernel, 2, sizeof n, &n);
	error = xy_opencl_check(call, clEnqueueNDRangeKernel(xy_opencl_queue(call), order->kernel, 1, NULL, &global,
							     NULL, 0, NULL, NULL));
	return error ? error : order->after;
}

static int run(struct xy_device *device, unsigned queue, struct order *order, void *memory)
{
	return bed_run(device, queue, order_body, memory, N, order);
}

/* v[i] = i on the device, through a kernel that writes memory just allocated, then the order's kernel. */
static void check_scale(struct xy_device *device, unsigned queue, struct order *order, float extra)
{
	void *memory = bed_allocate(device, N * sizeof(float));
	struct order number = { .program = &scale_program, .name = "number", .factor = 1 };
	float v[N];

	assert_int_equal(run(device, queue, &number, memory), 0);
	assert_int_equal(run(device, queue, order, memory), 0);
	bed_get(device, v, memory, sizeof v);
	for (unsigned i = 0; i < N; i++)
		assert_true(v[i] == (float)i * order->factor + extra);
	bed_driver->free(device, memory);
}

static void runs_kernels_from_source_with_options(void **state)
{
	(void)state;
	for (unsigned i = 0; i < BED_DEVICES; i++) {
		struct xy_device *device = bed_open(i);
		struct order plain = { .program = &scale_program, .name = "scale", .factor = 3 };
		struct order extra = { .program = &extra_program, .name = "scale", .factor = 2 };

		check_scale(device, 0, &plain, 0);
		check_scale(device, 1, &extra, 5);
		check_scale(device, 0, &extra, 5);
		check_scale(device, 0, &plain, 0);
		bed_close(device);
	}
}

/* The file is as long as a real one may be, and longer than one read. */
/* However late it is polled. */
static void says_how_long_the_device_took(void **state)
{
	(void)state;
	for (unsigned i = 0; i < BED_DEVICES; i++) {
		struct xy_device *device = bed_open(i);
		void *memory = bed_allocate(device, N * sizeof(float));
		struct order order = { .program = &scale_program, .name = "number", .factor = 1 };
		struct xy_vector vector = { .ptr = memory, .n = N, .elem = sizeof(float) };
		void *buffers[] = { &vector };
		double us = -1, begin = xy_now(NULL), all_us;
		struct xy_call call = { .arg = &order, .nbuffers = 1, .buffers = buffers, .device_us = &us };
		struct xy_event *event;

		assert_int_equal(bed_driver->launch(device, 0, order_body, &call, &event), 0);
		assert_int_equal(clFinish(call.stream), CL_SUCCESS);
		all_us = (xy_now(NULL) - begin) * 1e6;
		nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
		assert_int_equal(bed_wait(device, event), 0);
		assert_true(us >= 0 && us <= all_us);
		bed_driver->free(device, memory);
		bed_close(device);
	}
}

static void runs_kernels_from_a_file(void **state)
{
	char path[] = "/tmp/xylem-opencl-XXXXXX";
	int fd = mkstemp(path);
	FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
	struct xy_opencl_program program = { .file = path };
	struct order order = { .program = &program, .name = "scale", .factor = 7 };
	struct xy_device *device = bed_open(0);

	(void)state;
	assert_non_null(file);
	for (unsigned i = 0; i < 1000; i++)
		fprintf(file, "/* line %u of a long comment */\n", i);
	fputs(scale_source, file);
	fclose(file);
	check_scale(device, 0, &order, 0);
	unlink(path);
	check_scale(device, 1, &order, 0); /* it has been built */
	bed_close(device);
}

static void keeps_a_kernel_for_each_queue(void **state)
{
	struct xy_device *device = bed_open(0);
	struct order a = { .program = &scale_program, .name = "scale" }, b = a, c = a;
	struct order other = { .program = &scale_program, .name = "number" };
	void *memory = bed_allocate(device, N * sizeof(float));

	(void)state;
	assert_int_equal(run(device, 0, &a, memory), 0);
	assert_int_equal(run(device, 1, &b, memory), 0);
	assert_int_equal(run(device, 0, &other, memory), 0);
	assert_int_equal(run(device, 0, &c, memory), 0);
	assert_ptr_equal(a.kernel, c.kernel);
	assert_ptr_not_equal(a.kernel, b.kernel);
	assert_ptr_not_equal(a.kernel, other.kernel);
	bed_driver->free(device, memory);
	bed_close(device);
}

static void explains_what_is_wrong_with_a_program(void **state)
{
	static const struct xy_opencl_program broken = {
		.source = "kernel void k(global int *v)\n{\n\tv[0] = nowhere;\n}\n"
	};
	static const struct xy_opencl_program options = { .source = scale_source, .options = "--no-such-option" };
	static const struct xy_opencl_program missing = { .file = "/nowhere/at/all.cl" };
	static const struct xy_opencl_program folder = { .file = "/tmp" };
	static const struct xy_opencl_program neither = { .options = "" }, both = { .source = "", .file = "x" };
	static const struct {
		const struct xy_opencl_program *program;
		int status;
		const char *text;
	} cases[] = {
		{ &broken, -ENOEXEC, "undeclared identifier 'nowhere'" },
		{ &options, -ENOEXEC, "CL_INVALID_BUILD_OPTIONS" },
		{ &missing, -ENOENT, "/nowhere/at/all.cl" },
		{ &folder, -ENOENT, "/tmp" },
		{ &neither, -EINVAL, "either a source or a file" },
		{ &both, -EINVAL, "either a source or a file" },
		{ &scale_program, -ENOENT, "'scala'" },
	};
	struct xy_device *device = bed_open(0);

	(void)state;
	for (unsigned turn = 0; turn < 2 * HELPER_COUNT(cases); turn++) {
		unsigned i = turn / 2; /* each twice: what failed once is not tried again, but told again */
		struct order order = { .program = cases[i].program, .name = "scala" };

		assert_int_equal(run(device, turn % 2, &order, NULL), cases[i].status);
		assert_null(order.kernel);
		bed_explains(cases[i].text);
	}
	bed_close(device);
}

/* Fewer errors than make the compiler stop, and more text than a message has room for. */
static void keeps_the_whole_log_of_a_program(void **state)
{
	enum { ERRORS = 15, LONG = 300 };
	char source[ERRORS * 2 * LONG] = "kernel void k(global int *v)\n{\n", name[LONG];
	struct xy_opencl_program broken = { .source = source };
	struct xy_device *device = bed_open(0);
	struct order order = { .program = &broken, .name = "k" };

	(void)state;
	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	for (unsigned i = 0; i < ERRORS; i++)
		snprintf(source + strlen(source), sizeof source - strlen(source), "\tv[0] = %s_%u;\n", name, i);
	strcat(source, "}\n");
	assert_int_equal(run(device, 0, &order, NULL), -ENOEXEC);
	bed_explains("xxx_0'");
	assert_null(strstr(bed_driver->explain(), "xxx_1'"));
	assert_non_null(bed_driver->details());
	assert_non_null(strstr(bed_driver->details(), "xxx_14'"));
	assert_int_equal(run(device, 1, &order, NULL), -ENOEXEC);
	bed_explains("xxx_0'");
	assert_null(bed_driver->details()); /* they were told */
	bed_close(device);
}

static int unset_body(struct xy_call *call)
{
	const size_t global = 64;
	cl_kernel kernel;
	int error = xy_opencl_kernel(call, &extra_program, "number", &kernel);

	if (error)
		return error;
	return xy_opencl_check(
		call, clEnqueueNDRangeKernel(xy_opencl_queue(call), kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
}

static int wrong_context_body(struct xy_call *call)
{
	return xy_opencl_check(call, CL_INVALID_CONTEXT);
}

static void reports_errors_of_codelets(void **state)
{
	struct xy_device *device = bed_open(1);
	void *memory = bed_allocate(device, N * sizeof(float));
	struct order order = { .program = &scale_program, .name = "scale", .factor = 1, .after = -EIO };

	(void)state;
	assert_int_equal(bed_run(device, 0, unset_body, memory, N, NULL), -EINVAL);
	bed_explains("CL_INVALID_KERNEL_ARGS");
	assert_int_equal(bed_run(device, 0, wrong_context_body, memory, N, NULL), -EINVAL);
	bed_explains("CL_INVALID_CONTEXT");
	assert_int_equal(run(device, 0, &order, memory), -EIO);
	assert_string_equal(bed_driver->explain(), "");
	order.after = 0;
	assert_int_equal(run(device, 0, &order, memory), 0); /* the device still works */
	bed_driver->free(device, memory);
	bed_close(device);
}

static int keep_context_body(struct xy_call *call)
{
	*(cl_context *)call->arg = xy_opencl_context(call);
	return xy_opencl_check(call, clRetainContext(xy_opencl_context(call)));
}

/* Queues, memory, programs, kernels and events hold on to their context: in the end the test is alone. */
static void leaves_nothing_behind(void **state)
{
	static const struct xy_opencl_program broken = { .source = "kernel void k(" };

	(void)state;
	for (unsigned i = 0; i < BED_DEVICES; i++) {
		struct xy_device *device = bed_open(i);
		struct order good = { .program = &scale_program, .name = "scale", .factor = 1 }, failing = good;
		struct order wrong = { .program = &broken, .name = "k" };
		cl_context context;
		cl_uint references = 0;
		void *memory = bed_allocate(device, N * sizeof(float));

		failing.after = -EIO;
		assert_int_equal(bed_run(device, 0, keep_context_body, memory, N, &context), 0);
		check_scale(device, 0, &good, 0);
		assert_int_equal(run(device, 1, &failing, memory), -EIO);
		assert_int_equal(run(device, 1, &wrong, memory), -ENOEXEC);
		assert_int_equal(bed_driver->allocate(device, SIZE_MAX, &(void *){ NULL }), -ENOMEM);
		bed_driver->free(device, memory);
		bed_close(device);
		assert_int_equal(
			clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof references, &references, NULL),
			CL_SUCCESS);
		assert_int_equal(references, 1);
		clReleaseContext(context);
	}
}

/* --- several threads --- */

static void knows_devices_that_run_commands_in_the_caller(void **state)
{
	(void)state;
	for (unsigned i = 0; i < BED_DEVICES; i++) {
		struct xy_device *device = bed_open(i);

		assert_int_equal(device->inline_commands, i == 0); /* "basic"; the others have threads */
		bed_close(device);
	}
}

/* A codelet that begins a copy itself, as one does that calls the runtime, after another thread has begun one to the
 * same place. */
struct visit {
	struct xy_device *device;
	void *memory, *vector;
	float from[2][N];
	struct xy_event *events[2];
	int status;
	_Atomic bool inside, go_on;
};

static int visit_copy(struct visit *visit, unsigned i)
{
	struct xy_copy copy = { .to = { visit->memory, 0 },
				.from = { visit->from[i], 0 },
				.row_bytes = sizeof visit->from[i],
				.nrows = 1,
				.nplanes = 1 };

	return bed_driver->copy(visit->device, XY_COPY_IN, NULL, &copy, 1, &visit->events[i]);
}

static bool visit_wait(_Atomic bool *flag)
{
	double end = xy__now() + HELPER_WAIT_S;

	while (!atomic_load(flag) && xy__now() < end)
		sched_yield();
	return atomic_load(flag);
}

static int visit_body(struct xy_call *call)
{
	struct visit *visit = call->arg;

	atomic_store(&visit->inside, true);
	return visit_wait(&visit->go_on) ? visit_copy(visit, 1) : -ETIMEDOUT;
}

static void *visit_main(void *arg)
{
	struct visit *visit = arg;

	visit->status = bed_run(visit->device, 0, visit_body, visit->vector, N, visit);
	return NULL;
}

static void nobody_waits_for_a_codelet_to_copy_or_allocate(void **state)
{
	(void)state;
	for (unsigned i = 0; i < BED_DEVICES; i++) {
		struct visit visit = { .device = bed_open(i) };
		pthread_t thread;
		float got[N];

		for (unsigned n = 0; n < 2 * N; n++)
			visit.from[n / N][n % N] = (float)n;
		visit.vector = bed_allocate(visit.device, sizeof got);
		assert_int_equal(pthread_create(&thread, NULL, visit_main, &visit), 0);
		assert_true(visit_wait(&visit.inside));
		visit.memory = bed_allocate(visit.device, sizeof got);
		assert_int_equal(visit_copy(&visit, 0), 0);
		atomic_store(&visit.go_on, true);
		assert_int_equal(bed_wait(visit.device, visit.events[0]), 0);
		pthread_join(thread, NULL);
		assert_int_equal(visit.status, 0);
		assert_int_equal(bed_wait(visit.device, visit.events[1]), 0);
		bed_get(visit.device, got, visit.memory, sizeof got);
		assert_memory_equal(got, visit.from[1], sizeof got);
		bed_driver->free(visit.device, visit.memory);
		bed_driver->free(visit.device, visit.vector);
		bed_close(visit.device);
	}
}

struct rounds {
	struct xy_device *device;
	unsigned queue, n;
	float factor;
	const char *failure;
};

static bool round_copy(struct xy_device *device, enum xy_copy_kind kind, void *to, void *from)
{
	struct xy_copy copy = {
		.to = { to, 0 }, .from = { from, 0 }, .row_bytes = N * sizeof(float), .nrows = 1, .nplanes = 1
	};
	struct xy_event *event;

	return bed_driver->copy(device, kind, NULL, &copy, 1, &event) == 0 && bed_wait(device, event) == 0;
}

/* In, kernel, out, again and again. No assertions: it is not the test's thread. */
static void *round_main(void *arg)
{
	struct rounds *rounds = arg;
	struct order order = { .program = &scale_program, .name = "scale", .factor = rounds->factor };
	float v[N];

	for (unsigned round = 0; round < rounds->n && !rounds->failure; round++) {
		void *memory;

		for (unsigned i = 0; i < N; i++)
			v[i] = (float)(i + round);
		if (bed_driver->allocate(rounds->device, sizeof v, &memory)) {
			rounds->failure = "allocate";
			break;
		}
		if (!round_copy(rounds->device, XY_COPY_IN, memory, v))
			rounds->failure = "in";
		else if (run(rounds->device, rounds->queue, &order, memory))
			rounds->failure = "launch";
		else if (!round_copy(rounds->device, XY_COPY_OUT, v, memory))
			rounds->failure = "out";
		for (unsigned i = 0; i < N && !rounds->failure; i++)
			if (v[i] != (float)(i + round) * rounds->factor)
				rounds->failure = "a wrong number";
		bed_driver->free(rounds->device, memory);
	}
	return NULL;
}

static void works_in_several_threads_on_several_devices(void **state)
{
	struct xy_device *devices[BED_DEVICES];
	struct rounds rounds[BED_DEVICES * BED_QUEUES];
	pthread_t threads[BED_DEVICES * BED_QUEUES];

	(void)state;
	for (unsigned i = 0; i < BED_DEVICES; i++)
		devices[i] = bed_open(i);
	for (unsigned i = 0; i < HELPER_COUNT(rounds); i++) {
		rounds[i] = (struct rounds){ .device = devices[i / BED_QUEUES],
					     .queue = i % BED_QUEUES,
					     .n = helper_scale(100),
					     .factor = (float)(i + 2) };
		assert_int_equal(pthread_create(&threads[i], NULL, round_main, &rounds[i]), 0);
	}
	for (unsigned i = 0; i < HELPER_COUNT(rounds); i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < HELPER_COUNT(rounds); i++)
		if (rounds[i].failure)
			fail_msg("device %u, queue %u: %s", i / BED_QUEUES, i % BED_QUEUES, rounds[i].failure);
	for (unsigned i = 0; i < BED_DEVICES; i++)
		bed_close(devices[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_kernels_from_source_with_options),
		cmocka_unit_test(says_how_long_the_device_took),
		cmocka_unit_test(runs_kernels_from_a_file),
		cmocka_unit_test(keeps_a_kernel_for_each_queue),
		cmocka_unit_test(keeps_the_whole_log_of_a_program),
		cmocka_unit_test(explains_what_is_wrong_with_a_program),
		cmocka_unit_test(keeps_the_whole_log_of_a_program),
		cmocka_unit_test(reports_errors_of_codelets),
		cmocka_unit_test(leaves_nothing_behind),
		cmocka_unit_test(knows_devices_that_run_commands_in_the_caller),
		cmocka_unit_test(nobody_waits_for_a_codelet_to_copy_or_allocate),
		cmocka_unit_test(works_in_several_threads_on_several_devices),
	};

	return bed_begin() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
