/* SPDX-License-Identifier: MIT */
/* For codelets with OpenCL functions, where STARPU_USE_OPENCL is defined. Link with -lOpenCL. */
#ifndef XYLEM_STARPU_OPENCL_H
#define XYLEM_STARPU_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <stddef.h>
#include <stdint.h>
#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

struct starpu_opencl_program {
	cl_program programs[STARPU_MAXOPENCLDEVS]; /* by device; NULL where there is none */
};

/* Of a device of the runtime; NULL for any other number. A function that runs on the device gets its worker's queue. */
void starpu_opencl_get_context(int devid, cl_context *context);
void starpu_opencl_get_device(int devid, cl_device_id *device);
void starpu_opencl_get_queue(int devid, cl_command_queue *queue);
/* Of the worker that calls; NULL in other threads. */
void starpu_opencl_get_current_context(cl_context *context);
void starpu_opencl_get_current_queue(cl_command_queue *queue);

/* Pairs of an int size and a pointer, then 0. Returns how many were set, or the number of the argument at which
 * *err was set. */
int starpu_opencl_set_kernel_args(cl_int *err, cl_kernel *kernel, ...);

/* The file is looked for as it is named and in STARPU_OPENCL_PROGRAM_DIR. Results are empty if there is none. */
void starpu_opencl_load_program_source(const char *source_file_name, char *located_file_name, char *located_dir_name,
				       char *opencl_program_source);
void starpu_opencl_load_program_source_malloc(const char *source_file_name, char **located_file_name,
					      char **located_dir_name, char **opencl_program_source);
/* Builds for each device. 0, or EXIT_FAILURE with the compiler's text in the log. */
int starpu_opencl_load_opencl_from_file(const char *source_file_name, struct starpu_opencl_program *opencl_programs,
					const char *build_options);
int starpu_opencl_load_opencl_from_string(const char *opencl_program_source,
					  struct starpu_opencl_program *opencl_programs, const char *build_options);
int starpu_opencl_unload_opencl(struct starpu_opencl_program *opencl_programs);

/* CL_SUCCESS, or an error of OpenCL's with *kernel NULL. */
int starpu_opencl_load_kernel(cl_kernel *kernel, cl_command_queue *queue, struct starpu_opencl_program *opencl_programs,
			      const char *kernel_name, int devid);
int starpu_opencl_release_kernel(cl_kernel kernel);
/* Nothing is collected: Xylem measures tasks itself. */
int starpu_opencl_collect_stats(cl_event event);

const char *starpu_opencl_error_string(cl_int status);
/* Writes a line to stderr. */
void starpu_opencl_display_error(const char *func, const char *file, int line, const char *msg, cl_int status);
/* The same, and the task that runs in this thread fails. */
void starpu_opencl_report_error(const char *func, const char *file, int line, const char *msg, cl_int status);
#define STARPU_OPENCL_DISPLAY_ERROR(status) \
	starpu_opencl_display_error(__starpu_func__, __FILE__, __LINE__, NULL, status)
#define STARPU_OPENCL_REPORT_ERROR(status) starpu_opencl_report_error(__starpu_func__, __FILE__, __LINE__, NULL, status)
#define STARPU_OPENCL_REPORT_ERROR_WITH_MSG(msg, status) \
	starpu_opencl_report_error(__starpu_func__, __FILE__, __LINE__, msg, status)

/* Memory and copies for interfaces of the program's own. Without an event the copy has ended at the return; else
 * *ret is -EAGAIN. */
cl_int starpu_opencl_allocate_memory(int devid, cl_mem *addr, size_t size, cl_mem_flags flags);
cl_int starpu_opencl_copy_ram_to_opencl(void *ptr, unsigned src_node, cl_mem buffer, unsigned dst_node, size_t size,
					size_t offset, cl_event *event, int *ret);
cl_int starpu_opencl_copy_opencl_to_ram(cl_mem buffer, unsigned src_node, void *ptr, unsigned dst_node, size_t size,
					size_t offset, cl_event *event, int *ret);
cl_int starpu_opencl_copy_opencl_to_opencl(cl_mem src, unsigned src_node, size_t src_offset, cl_mem dst,
					   unsigned dst_node, size_t dst_offset, size_t size, cl_event *event,
					   int *ret);
cl_int starpu_opencl_copy_async_sync(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst,
				     size_t dst_offset, unsigned dst_node, size_t size, cl_event *event);

#ifdef __cplusplus
}
#endif
#endif
