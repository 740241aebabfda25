/* SPDX-License-Identifier: MIT */
/*
 * StarPU's functions for OpenCL. Which contexts and queues there are is asked from each OpenCL worker when the runtime
 * starts; inside a function of a codelet, its worker's queue is used.
 */
#define STARPU_USE_OPENCL 1
#include "internal.h"
#include <xylem/opencl.h>

static struct xy_opencl_services devices[STARPU_MAXOPENCLDEVS]; /* with devices_lock while the runtime starts */
static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;

static int device_note(struct xy_call *call)
{
	int devid = starpu_worker_get_devid((int)call->worker);

	pthread_mutex_lock(&devices_lock);
	if (devid >= 0 && devid < STARPU_MAXOPENCLDEVS && !devices[devid].queue)
		devices[devid] = *xy_opencl_services(call);
	pthread_mutex_unlock(&devices_lock);
	return 0;
}

void xs_opencl_start(void)
{
	int error;

	memset(devices, 0, sizeof devices);
	if (!starpu_opencl_worker_get_count())
		return;
	error = xy_on_each_worker(xs_global.rt, XY_ON_OPENCL, device_note, NULL);
	if (error)
		xs_note("starpu_init: OpenCL devices can't be asked: %s", strerror(-error));
}

/* What the worker that runs this has; NULL in other threads. */
static const struct xy_opencl_services *services_here(void)
{
	const struct xy_call *call = xs_thread.call;

	if (!call || starpu_worker_get_type((int)call->worker) != STARPU_OPENCL_WORKER)
		return NULL;
	return xy_opencl_services(call);
}

static const struct xy_opencl_services *services_of(int devid)
{
	const struct xy_opencl_services *here = services_here();
	static const struct xy_opencl_services none;

	if (here && starpu_worker_get_devid((int)xs_thread.call->worker) == devid)
		return here;
	return devid >= 0 && devid < STARPU_MAXOPENCLDEVS ? &devices[devid] : &none;
}

void starpu_opencl_get_context(int devid, cl_context *context)
{
	*context = services_of(devid)->context;
}

void starpu_opencl_get_device(int devid, cl_device_id *device)
{
	*device = services_of(devid)->device;
}

void starpu_opencl_get_queue(int devid, cl_command_queue *queue)
{
	*queue = services_of(devid)->queue;
}

void starpu_opencl_get_current_context(cl_context *context)
{
	const struct xy_opencl_services *here = services_here();

	*context = here ? here->context : NULL;
}

void starpu_opencl_get_current_queue(cl_command_queue *queue)
{
	const struct xy_opencl_services *here = services_here();

	*queue = here ? here->queue : NULL;
}

/* --- programs --- */

/* The text of a file, to be freed; NULL if it can't be read. */
static char *source_read(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t length = 0, room = 0, n = 1;

	if (!file)
		return NULL;
	while (n) {
		char *larger = realloc(text, room = room * 2 + 4096);

		if (!larger)
			break;
		text = larger;
		n = fread(text + length, 1, room - length - 1, file);
		length += n;
	}
	if (n || ferror(file)) {
		free(text);
		text = NULL;
	} else {
		text[length] = '\0';
	}
	fclose(file);
	return text;
}

void starpu_opencl_load_program_source_malloc(const char *source_file_name, char **located_file_name,
					      char **located_dir_name, char **opencl_program_source)
{
	const char *folder = xs_getenv("STARPU_OPENCL_PROGRAM_DIR");
	char *path = NULL, *text = source_read(source_file_name), *slash;

	if (text)
		path = strdup(source_file_name);
	else if (folder && asprintf(&path, "%s/%s", folder, source_file_name) < 0)
		path = NULL;
	if (!text && path)
		text = source_read(path);
	if (!text)
		xs_fail(-ENOENT, "the OpenCL program %s can't be read", source_file_name);
	*located_dir_name = strdup(text && path ? path : "");
	slash = *located_dir_name ? strrchr(*located_dir_name, '/') : NULL;
	if (slash)
		*slash = '\0';
	else if (*located_dir_name && **located_dir_name) {
		free(*located_dir_name);
		*located_dir_name = strdup(".");
	}
	*opencl_program_source = text ? text : strdup("");
	if (!text) {
		free(path);
		path = strdup("");
	}
	*located_file_name = path;
}

void starpu_opencl_load_program_source(const char *source_file_name, char *located_file_name, char *located_dir_name,
				       char *opencl_program_source)
{
	char *file, *folder, *text;

	starpu_opencl_load_program_source_malloc(source_file_name, &file, &folder, &text);
	strcpy(located_file_name, file ? file : "");
	strcpy(located_dir_name, folder ? folder : "");
	strcpy(opencl_program_source, text ? text : "");
	free(file);
	free(folder);
	free(text);
}

static void program_log(cl_program program, cl_device_id device, cl_int code)
{
	size_t size = 0;
	char *log = NULL;

	if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) == CL_SUCCESS)
		log = calloc(1, size + 1);
	if (log)
		clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
	xs_fail(-ENOEXEC, "an OpenCL program can't be built: %s", starpu_opencl_error_string(code));
	if (log && *log && !xs_global.silent)
		fprintf(stderr, "%s\n", log);
	free(log);
}

int starpu_opencl_load_opencl_from_string(const char *opencl_program_source,
					  struct starpu_opencl_program *opencl_programs, const char *build_options)
{
	int status = 0;

	memset(opencl_programs, 0, sizeof *opencl_programs);
	for (unsigned i = 0; i < STARPU_MAXOPENCLDEVS; i++) {
		cl_program program;
		cl_int code;

		if (!devices[i].context)
			continue;
		program = clCreateProgramWithSource(devices[i].context, 1, &opencl_program_source, NULL, &code);
		if (code == CL_SUCCESS) {
			code = clBuildProgram(program, 1, &devices[i].device, build_options, NULL, NULL);
			if (code != CL_SUCCESS) {
				program_log(program, devices[i].device, code);
				clReleaseProgram(program);
			}
		}
		if (code == CL_SUCCESS)
			opencl_programs->programs[i] = program;
		else
			status = EXIT_FAILURE;
	}
	return status;
}

int starpu_opencl_load_opencl_from_file(const char *source_file_name, struct starpu_opencl_program *opencl_programs,
					const char *build_options)
{
	char *file, *folder, *text, *options = NULL;
	int status = EXIT_FAILURE;

	memset(opencl_programs, 0, sizeof *opencl_programs);
	starpu_opencl_load_program_source_malloc(source_file_name, &file, &folder, &text);
	if (file && *file && folder && text &&
	    asprintf(&options, "-I%s %s", folder, build_options ? build_options : "") >= 0)
		status = starpu_opencl_load_opencl_from_string(text, opencl_programs, options);
	free(options);
	free(file);
	free(folder);
	free(text);
	return status;
}

int starpu_opencl_unload_opencl(struct starpu_opencl_program *opencl_programs)
{
	for (unsigned i = 0; i < STARPU_MAXOPENCLDEVS; i++) {
		if (opencl_programs->programs[i])
			clReleaseProgram(opencl_programs->programs[i]);
		opencl_programs->programs[i] = NULL;
	}
	return 0;
}

/* --- kernels --- */

int starpu_opencl_load_kernel(cl_kernel *kernel, cl_command_queue *queue, struct starpu_opencl_program *opencl_programs,
			      const char *kernel_name, int devid)
{
	cl_program program = devid >= 0 && devid < STARPU_MAXOPENCLDEVS ? opencl_programs->programs[devid] : NULL;
	cl_int code = CL_INVALID_PROGRAM;

	*kernel = NULL;
	if (queue)
		starpu_opencl_get_queue(devid, queue);
	if (program)
		*kernel = clCreateKernel(program, kernel_name, &code);
	if (code != CL_SUCCESS)
		*kernel = NULL;
	return code;
}

int starpu_opencl_release_kernel(cl_kernel kernel)
{
	return kernel ? clReleaseKernel(kernel) : CL_SUCCESS;
}

int starpu_opencl_set_kernel_args(cl_int *err, cl_kernel *kernel, ...)
{
	va_list list;
	int n = 0, size;

	*err = CL_SUCCESS;
	va_start(list, kernel);
	while ((size = va_arg(list, int))) {
		*err = clSetKernelArg(*kernel, (cl_uint)n, (size_t)size, va_arg(list, void *));
		if (*err != CL_SUCCESS)
			break;
		n++;
	}
	va_end(list);
	return n;
}

int starpu_opencl_collect_stats(cl_event event)
{
	return event ? 0 : -EINVAL;
}

/* --- errors --- */

const char *starpu_opencl_error_string(cl_int status)
{
#define NAME(code) \
	case code: \
		return #code
	switch (status) {
		NAME(CL_SUCCESS);
		NAME(CL_DEVICE_NOT_FOUND);
		NAME(CL_DEVICE_NOT_AVAILABLE);
		NAME(CL_COMPILER_NOT_AVAILABLE);
		NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
		NAME(CL_OUT_OF_RESOURCES);
		NAME(CL_OUT_OF_HOST_MEMORY);
		NAME(CL_PROFILING_INFO_NOT_AVAILABLE);
		NAME(CL_MEM_COPY_OVERLAP);
		NAME(CL_BUILD_PROGRAM_FAILURE);
		NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET);
		NAME(CL_INVALID_VALUE);
		NAME(CL_INVALID_DEVICE);
		NAME(CL_INVALID_CONTEXT);
		NAME(CL_INVALID_COMMAND_QUEUE);
		NAME(CL_INVALID_MEM_OBJECT);
		NAME(CL_INVALID_BUILD_OPTIONS);
		NAME(CL_INVALID_PROGRAM);
		NAME(CL_INVALID_PROGRAM_EXECUTABLE);
		NAME(CL_INVALID_KERNEL_NAME);
		NAME(CL_INVALID_KERNEL);
		NAME(CL_INVALID_ARG_INDEX);
		NAME(CL_INVALID_ARG_VALUE);
		NAME(CL_INVALID_ARG_SIZE);
		NAME(CL_INVALID_KERNEL_ARGS);
		NAME(CL_INVALID_WORK_DIMENSION);
		NAME(CL_INVALID_WORK_GROUP_SIZE);
		NAME(CL_INVALID_WORK_ITEM_SIZE);
		NAME(CL_INVALID_EVENT);
		NAME(CL_INVALID_OPERATION);
		NAME(CL_INVALID_BUFFER_SIZE);
	default:
		return "an error of OpenCL";
	}
#undef NAME
}

void starpu_opencl_display_error(const char *func, const char *file, int line, const char *msg, cl_int status)
{
	fprintf(stderr, "%s:%d: %s: %s%s%s (%d)\n", file, line, func, msg ? msg : "", msg ? ": " : "",
		starpu_opencl_error_string(status), status);
}

void starpu_opencl_report_error(const char *func, const char *file, int line, const char *msg, cl_int status)
{
	char text[256];

	snprintf(text, sizeof text, "%s%s%s (%d)", msg ? msg : "", msg ? ": " : "", starpu_opencl_error_string(status),
		 status);
	starpu_xylem_report_error(func, file, line, text);
}

/* --- memory --- */

cl_int starpu_opencl_allocate_memory(int devid, cl_mem *addr, size_t size, cl_mem_flags flags)
{
	cl_int code = CL_INVALID_DEVICE;

	*addr = NULL;
	if (services_of(devid)->context)
		*addr = clCreateBuffer(services_of(devid)->context, flags ? flags : CL_MEM_READ_WRITE, size, NULL,
				       &code);
	return code;
}

static cl_command_queue queue_of_node(unsigned node)
{
	return services_of(starpu_memory_node_get_devid(node))->queue;
}

static cl_int copy_begun(cl_int code, const cl_event *event, int *ret)
{
	if (ret)
		*ret = code == CL_SUCCESS && event ? -EAGAIN : 0;
	return code;
}

cl_int starpu_opencl_copy_ram_to_opencl(void *ptr, unsigned src_node, cl_mem buffer, unsigned dst_node, size_t size,
					size_t offset, cl_event *event, int *ret)
{
	(void)src_node;
	return copy_begun(
		clEnqueueWriteBuffer(queue_of_node(dst_node), buffer, !event, offset, size, ptr, 0, NULL, event), event,
		ret);
}

cl_int starpu_opencl_copy_opencl_to_ram(cl_mem buffer, unsigned src_node, void *ptr, unsigned dst_node, size_t size,
					size_t offset, cl_event *event, int *ret)
{
	(void)dst_node;
	return copy_begun(
		clEnqueueReadBuffer(queue_of_node(src_node), buffer, !event, offset, size, ptr, 0, NULL, event), event,
		ret);
}

cl_int starpu_opencl_copy_opencl_to_opencl(cl_mem src, unsigned src_node, size_t src_offset, cl_mem dst,
					   unsigned dst_node, size_t dst_offset, size_t size, cl_event *event, int *ret)
{
	cl_command_queue queue = queue_of_node(dst_node);
	cl_int code;

	(void)src_node;
	code = clEnqueueCopyBuffer(queue, src, dst, src_offset, dst_offset, size, 0, NULL, event);
	if (code == CL_SUCCESS && !event)
		code = clFinish(queue);
	return copy_begun(code, event, ret);
}

cl_int starpu_opencl_copy_async_sync(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst,
				     size_t dst_offset, unsigned dst_node, size_t size, cl_event *event)
{
	bool from = starpu_node_get_kind(src_node) == STARPU_OPENCL_RAM;
	bool to = starpu_node_get_kind(dst_node) == STARPU_OPENCL_RAM;
	int ret = 0;
	cl_int code;

	if (from && to)
		code = starpu_opencl_copy_opencl_to_opencl((cl_mem)src, src_node, src_offset, (cl_mem)dst, dst_node,
							   dst_offset, size, event, &ret);
	else if (to)
		code = starpu_opencl_copy_ram_to_opencl((void *)(src + src_offset), src_node, (cl_mem)dst, dst_node,
							size, dst_offset, event, &ret);
	else if (from)
		code = starpu_opencl_copy_opencl_to_ram((cl_mem)src, src_node, (void *)(dst + dst_offset), dst_node,
							size, src_offset, event, &ret);
	else
		return -EINVAL;
	return code == CL_SUCCESS ? ret : -EIO;
}
