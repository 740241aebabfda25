/* SPDX-License-Identifier: MIT */
/*
 * Faults of OpenCL, injected at the calls of the driver: this program has functions of OpenCL of its own,
 * which the plug-in finds first; they fail when told to and else do what the real ones do.
 */
#include "opencl_bed.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

enum { BYTES = 4096 };

static const char *fault_at; /* the function that is to fail */
static cl_int fault_code;

/* The queues that commands were last put on. */
static cl_command_queue seen_migrate, seen_write, seen_read, seen_marker;

static bool fault(const char *function)
{
	return fault_at && strcmp(fault_at, function) == 0;
}

/* The library's own function, which has this name too. */
static void *real(const char *function)
{
	return dlsym(dlopen("libOpenCL.so.1", RTLD_LAZY), function);
}

/* --- OpenCL's functions --- */

CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
					       cl_int *code)
{
	cl_mem (*function)(cl_context, cl_mem_flags, size_t, void *, cl_int *) = real(__func__);

	if (!fault(__func__))
		return function(context, flags, size, host, code);
	*code = fault_code;
	return NULL;
}

CL_API_ENTRY cl_context CL_API_CALL
clCreateContext(const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
		void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data, cl_int *code)
{
	cl_context (*function)(const cl_context_properties *, cl_uint, const cl_device_id *,
			       void(CL_CALLBACK *)(const char *, const void *, size_t, void *), void *,
			       cl_int *) = real(__func__);

	if (!fault(__func__))
		return function(properties, n, devices, notify, data, code);
	*code = fault_code;
	return NULL;
}

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
							       cl_command_queue_properties properties, cl_int *code)
{
	cl_command_queue (*function)(cl_context, cl_device_id, cl_command_queue_properties, cl_int *) = real(__func__);

	if (!fault(__func__))
		return function(context, device, properties, code);
	*code = fault_code;
	return NULL;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *n)
{
	cl_int (*function)(cl_uint, cl_platform_id *, cl_uint *) = real(__func__);

	return fault(__func__) ? fault_code : function(room, platforms, n);
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room,
					       cl_device_id *devices, cl_uint *n)
{
	cl_int (*function)(cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *) = real(__func__);

	return fault(__func__) ? fault_code : function(platform, type, room, devices, n);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint n, const cl_mem *memory,
							   cl_mem_migration_flags flags, cl_uint nbefore,
							   const cl_event *before, cl_event *event)
{
	cl_int (*function)(cl_command_queue, cl_uint, const cl_mem *, cl_mem_migration_flags, cl_uint, const cl_event *,
			   cl_event *) = real(__func__);

	seen_migrate = queue;
	return fault(__func__) ? fault_code : function(queue, n, memory, flags, nbefore, before, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem memory, cl_bool wait, size_t offset,
						     size_t size, const void *from, cl_uint nbefore,
						     const cl_event *before, cl_event *event)
{
	cl_int (*function)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint, const cl_event *,
			   cl_event *) = real(__func__);

	seen_write = queue;
	return fault(__func__) ? fault_code : function(queue, memory, wait, offset, size, from, nbefore, before, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem memory, cl_bool wait, size_t offset,
						    size_t size, void *to, cl_uint nbefore, const cl_event *before,
						    cl_event *event)
{
	cl_int (*function)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *,
			   cl_event *) = real(__func__);

	seen_read = queue;
	return fault(__func__) ? fault_code : function(queue, memory, wait, offset, size, to, nbefore, before, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint nbefore,
							    const cl_event *before, cl_event *event)
{
	cl_int (*function)(cl_command_queue, cl_uint, const cl_event *, cl_event *) = real(__func__);

	seen_marker = queue;
	return fault(__func__) ? fault_code : function(queue, nbefore, before, event);
}

CL_API_ENTRY cl_int CL_API_CALL clFlush(cl_command_queue queue)
{
	cl_int (*function)(cl_command_queue) = real(__func__);

	return fault(__func__) ? fault_code : function(queue);
}

/* Its fault is that of the command: the call is well and says that the command failed. */
CL_API_ENTRY cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info what, size_t size, void *value,
					       size_t *needed)
{
	cl_int (*function)(cl_event, cl_event_info, size_t, void *, size_t *) = real(__func__);
	cl_int code = function(event, what, size, value, needed);

	if (fault(__func__) && what == CL_EVENT_COMMAND_EXECUTION_STATUS && *(cl_int *)value == CL_COMPLETE)
		*(cl_int *)value = fault_code;
	return code;
}

/* --- what the driver makes of it --- */

static int nothing_body(struct xy_call *call)
{
	(void)call;
	return 0;
}

/* Each operation once; the first failure. */
static int use(struct xy_device *device, void *memory)
{
	static char bytes[BYTES];
	struct xy_copy in = { { memory, 0 }, { bytes, 0 }, .row_bytes = BYTES, .nrows = 1, .nplanes = 1 };
	struct xy_copy out = { { bytes, 0 }, { memory, 0 }, .row_bytes = BYTES, .nrows = 1, .nplanes = 1 };
	struct xy_event *event;
	void *more;
	int status = bed_driver->allocate(device, BYTES, &more);

	if (status)
		return status;
	bed_driver->free(device, more);
	status = bed_driver->copy(device, XY_COPY_IN, NULL, &in, 1, &event);
	if (!status)
		status = bed_wait(device, event);
	if (!status)
		status = bed_run(device, 1, nothing_body, memory, 1, NULL);
	if (!status)
		status = bed_driver->copy(device, XY_COPY_OUT, NULL, &out, 1, &event);
	return status ? status : bed_wait(device, event);
}

/* So that none of them waits for the others. */
static void has_a_queue_for_each_purpose(void **state)
{
	struct xy_device *device = bed_open(0);
	void *memory = bed_allocate(device, BYTES);
	cl_command_queue seen[5];

	(void)state;
	assert_int_equal(use(device, memory), 0);
	seen[0] = seen_migrate;
	seen[1] = seen_write;
	seen[2] = seen_read;
	seen[3] = seen_marker;
	assert_int_equal(bed_run(device, 0, nothing_body, memory, 1, NULL), 0);
	seen[4] = seen_marker;
	for (size_t i = 0; i < HELPER_COUNT(seen); i++)
		for (size_t k = 0; k < i; k++)
			assert_ptr_not_equal(seen[i], seen[k]);
	bed_driver->free(device, memory);
	bed_close(device);
}

static const char *const calls[] = {
	"clCreateBuffer",       "clEnqueueMigrateMemObjects",
	"clEnqueueWriteBuffer", "clEnqueueMarkerWithWaitList",
	"clEnqueueReadBuffer",  "clGetEventInfo",
};

/* The device works before and after, and has as much memory as before. */
static void a_fault_is_that_of_one_operation(void **state)
{
	static const struct {
		cl_int code;
		int status;
	} codes[] = {
		{ CL_OUT_OF_RESOURCES, -ENOMEM },
		{ CL_OUT_OF_HOST_MEMORY, -ENOMEM },
		{ CL_MEM_OBJECT_ALLOCATION_FAILURE, -ENOMEM },
		{ CL_INVALID_OPERATION, -EINVAL },
		{ CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, -EIO },
		{ -1234567, -EINVAL },
	};

	(void)state;
	for (unsigned i = 0; i < BED_DEVICES; i++) {
		struct xy_device *device = bed_open(i);
		void *memory = bed_allocate(device, BYTES);

		for (size_t k = 0; k < HELPER_COUNT(calls) * HELPER_COUNT(codes); k++) {
			fault_at = calls[k / HELPER_COUNT(codes)];
			fault_code = codes[k % HELPER_COUNT(codes)].code;
			assert_int_equal(use(device, memory), codes[k % HELPER_COUNT(codes)].status);
			fault_at = NULL;
			bed_explains("(-");
			assert_int_equal(use(device, memory), 0);
		}
		bed_driver->free(device, memory);
		bed_close(device);
	}
}

/* From then on everything says so; memory can be freed and the device closed. */
static void a_lost_device_stays_lost(void **state)
{
	static const cl_int codes[] = { CL_DEVICE_NOT_AVAILABLE, CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT };

	(void)state;
	for (size_t k = 0; k < HELPER_COUNT(calls) * HELPER_COUNT(codes); k++) {
		struct xy_device *device = bed_open((unsigned)k % BED_DEVICES), *other = bed_open(0);
		void *memory = bed_allocate(device, BYTES), *elsewhere = bed_allocate(other, BYTES);
		struct xy_copy copy = {
			.to = { memory, 0 }, .from = { &k, 0 }, .row_bytes = 1, .nrows = 1, .nplanes = 1
		};
		struct xy_event *before, *event;

		assert_int_equal(bed_driver->copy(device, XY_COPY_IN, NULL, &copy, 1, &before), 0);
		fault_at = calls[k / HELPER_COUNT(codes)];
		fault_code = codes[k % HELPER_COUNT(codes)];
		assert_int_equal(use(device, memory), -ENODEV);
		fault_at = NULL;
		bed_explains("CL_");
		assert_int_equal(use(device, memory), -ENODEV);
		assert_int_equal(bed_driver->copy(device, XY_COPY_IN, NULL, &copy, 1, &event), -ENODEV);
		assert_int_equal(bed_run(device, 0, nothing_body, memory, 1, NULL), -ENODEV);
		assert_int_equal(bed_wait(device, before), -ENODEV);
		bed_explains("lost");
		assert_int_equal(use(other, elsewhere), 0);
		bed_driver->free(device, memory);
		bed_driver->free(other, elsewhere);
		bed_close(device);
		bed_close(other);
	}
}

static void a_queue_that_does_not_flush_is_the_end(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct xy_device *device = bed_open(1);
		void *memory = bed_allocate(device, BYTES), *more;

		assert_int_equal(use(device, memory), 0);
		fault_at = "clFlush";
		fault_code = CL_OUT_OF_HOST_MEMORY;
		if (i) {
			assert_int_equal(bed_driver->allocate(device, BYTES, &more), -ENODEV);
		} else {
			assert_int_equal(bed_run(device, 0, nothing_body, memory, 1, NULL), -ENODEV);
			bed_explains("clFlush: CL_OUT_OF_HOST_MEMORY");
		}
		fault_at = NULL;
		assert_int_equal(use(device, memory), -ENODEV);
		bed_driver->free(device, memory);
		bed_close(device);
	}
}

static void a_device_that_does_not_open_says_why(void **state)
{
	static const char *const steps[] = { "clCreateContext", "clCreateCommandQueue" };
	struct xy_driver_config config = { .devices = "0", .queues = 1 };
	struct xy_device_info info;
	struct xy_device *device;
	char error[256];

	(void)state;
	for (size_t i = 0; i < HELPER_COUNT(steps); i++) {
		fault_at = steps[i];
		fault_code = CL_OUT_OF_HOST_MEMORY;
		assert_int_equal(bed_driver->open(&device, &config, 0, &info, error, sizeof error), -ENOMEM);
		fault_at = NULL;
		assert_null(device);
		assert_non_null(strstr(error, steps[i]));
		assert_non_null(strstr(error, "CL_OUT_OF_HOST_MEMORY"));
	}
}

/* Nothing there, and something there that is broken, are not the same. */
static void tells_broken_from_missing(void **state)
{
	static const struct {
		const char *at;
		cl_int code;
		int status;
		const char *text;
	} cases[] = {
		{ "clGetPlatformIDs", -1001, 0, "no platform is installed" },
		{ "clGetDeviceIDs", CL_DEVICE_NOT_FOUND, 0, "the installed platforms have none" },
		{ "clGetPlatformIDs", CL_OUT_OF_HOST_MEMORY, -ENOMEM, "does not work" },
		{ "clGetDeviceIDs", CL_INVALID_PLATFORM, -EINVAL, "does not work: CL_INVALID_PLATFORM" },
	};

	(void)state;
	for (size_t i = 0; i < HELPER_COUNT(cases); i++) {
		struct xy_driver_config config = { .devices = "all", .queues = 1 };
		unsigned n = 5;
		char error[256] = "";

		fault_at = cases[i].at;
		fault_code = cases[i].code;
		assert_int_equal(bed_driver->probe(&config, &n, error, sizeof error), cases[i].status);
		fault_at = NULL;
		assert_int_equal(n, 0);
		assert_non_null(strstr(error, cases[i].text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_a_queue_for_each_purpose),
		cmocka_unit_test(a_fault_is_that_of_one_operation),
		cmocka_unit_test(a_lost_device_stays_lost),
		cmocka_unit_test(a_queue_that_does_not_flush_is_the_end),
		cmocka_unit_test(a_device_that_does_not_open_says_why),
		cmocka_unit_test(tells_broken_from_missing),
	};

	return bed_begin() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
