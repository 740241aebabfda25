/* SPDX-License-Identifier: MIT */
/*
 * Programs and kernels of the OpenCL driver. A device builds a program once, with its lock held, and keeps the result,
 * even a failure. Setting arguments of one kernel in two threads is a race, so each launch queue has its own kernels.
 */
#include "drivers/opencl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program that was built for a device, or could not be: then message says why. */
struct opencl_program {
	struct opencl_program *next;
	const struct xy_opencl_program *from;
	cl_program program;
	int status;
	char *message;
	char *log; /* all that the compiler said, or NULL */
};

struct opencl_kernel {
	struct opencl_kernel *next;
	const struct xy_opencl_program *from;
	cl_kernel kernel;
	char name[];
};

/* The text of a file, to be freed; NULL with errno. */
static char *program_read(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t length = 0, room = 0;

	if (!file)
		return NULL;
	do {
		if (length + 1 >= room) {
			char *larger = realloc(text, room = room * 2 + 4096);

			if (!larger)
				break;
			text = larger;
		}
		length += fread(text + length, 1, room - length - 1, file);
	} while (!feof(file) && !ferror(file));
	if (!feof(file)) {
		int error = ferror(file) ? errno : ENOMEM;

		free(text);
		fclose(file);
		errno = error ? error : EIO;
		return NULL;
	}
	fclose(file);
	text[length] = '\0';
	return text;
}

/* The first line with an error, else the first line; its length in *length. */
static const char *program_first_error(const char *log, int *length)
{
	const char *line = strstr(log, "error");

	if (!line)
		line = log + strspn(log, "\r\n");
	while (line > log && line[-1] != '\n')
		line--;
	*length = (int)strcspn(line, "\r\n");
	return line;
}

/* Notes why a program can't be built: the compiler's first error, and all it said as details. */
static int program_log(const struct xy_device *device, cl_program program, const char *name, cl_int code, char **kept)
{
	size_t size = 0;
	char *log = NULL;
	const char *line;
	int length;

	if (clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) == CL_SUCCESS)
		log = calloc(1, size + 1);
	if (log && size &&
	    clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, size, log, NULL) != CL_SUCCESS)
		log[0] = '\0';
	line = program_first_error(log && log[0] ? log : "no log", &length);
	xy__opencl_fail(0, "the OpenCL program %s can't be built: %s (%d): %.*s", name, xy__opencl_name(code), code,
			length, line);
	*kept = log;
	return -ENOEXEC;
}

/* Builds from text. The failures that are the program's fault have a log; the others are as anywhere. */
static int program_build(struct xy_device *device, const struct xy_opencl_program *from, const char *text,
			 cl_program *program, char **log)
{
	const char *name = from->file ? from->file : "in the source";
	cl_int code;
	int status;

	*program = clCreateProgramWithSource(device->context, 1, &text, NULL, &code);
	if (code != CL_SUCCESS)
		return xy__opencl_error(device, code, "clCreateProgramWithSource");
	code = clBuildProgram(*program, 1, &device->id, from->options, NULL, NULL);
	if (code == CL_SUCCESS)
		return 0;
	if (code == CL_BUILD_PROGRAM_FAILURE || code == CL_INVALID_BUILD_OPTIONS || code == CL_INVALID_VALUE)
		status = program_log(device, *program, name, code, log);
	else
		status = xy__opencl_error(device, code, "clBuildProgram");
	clReleaseProgram(*program);
	*program = NULL;
	return status;
}

static int program_make(struct xy_device *device, const struct xy_opencl_program *from, cl_program *program, char **log)
{
	char *text;
	int status;

	*program = NULL;
	if (!from->source == !from->file)
		return xy__opencl_fail(-EINVAL, "an OpenCL program has either a source or a file");
	if (from->source)
		return program_build(device, from, from->source, program, log);
	text = program_read(from->file);
	if (!text)
		return xy__opencl_fail(errno == ENOMEM ? -ENOMEM : -ENOENT, "the OpenCL program %s can't be read: %s",
				       from->file, strerror(errno));
	status = program_build(device, from, text, program, log);
	free(text);
	return status;
}

/* The device's lock is held. What may work another time is not kept. */
static int program_get(struct xy_device *device, const struct xy_opencl_program *from, cl_program *program)
{
	struct opencl_program *entry;
	int status;

	for (entry = device->programs; entry; entry = entry->next) {
		if (entry->from != from)
			continue;
		*program = entry->program;
		return entry->status ? xy__opencl_fail(entry->status, "%s", entry->message) : 0;
	}
	entry = calloc(1, sizeof *entry);
	if (!entry)
		return xy__opencl_fail(-ENOMEM, "no memory for a program");
	status = program_make(device, from, program, &entry->log);
	entry->message = strdup(xy__opencl_explain());
	if (status == -ENOMEM || status == -ENODEV || !entry->message) {
		if (*program)
			clReleaseProgram(*program);
		free(entry->message);
		free(entry->log);
		free(entry);
		return status ? status : -ENOMEM;
	}
	entry->from = from;
	entry->program = *program;
	entry->status = status;
	entry->next = device->programs;
	device->programs = entry;
	xy__opencl_detail(entry->log); /* for the first task that needs the program; the others have the message */
	return status;
}

/* A kernel that this queue doesn't have yet. */
static int kernel_make(struct opencl_queue *queue, const struct xy_opencl_program *from, const char *name,
		       cl_kernel *kernel)
{
	struct opencl_kernel *entry = malloc(sizeof *entry + strlen(name) + 1);
	cl_program program;
	cl_int code;
	int status;

	if (!entry)
		return xy__opencl_fail(-ENOMEM, "no memory for a kernel");
	pthread_mutex_lock(&queue->device->lock);
	status = program_get(queue->device, from, &program);
	pthread_mutex_unlock(&queue->device->lock);
	if (!status) {
		entry->kernel = clCreateKernel(program, name, &code);
		if (code == CL_INVALID_KERNEL_NAME)
			status = xy__opencl_fail(-ENOENT, "the OpenCL program %s has no kernel '%s'",
						 from->file ? from->file : "in the source", name);
		else
			status = xy__opencl_error(queue->device, code, "clCreateKernel");
	}
	if (status) {
		free(entry);
		return status;
	}
	entry->from = from;
	strcpy(entry->name, name);
	entry->next = queue->kernels;
	queue->kernels = entry;
	*kernel = entry->kernel;
	return 0;
}

int xy__opencl_kernel(const struct xy_opencl_services *services, const struct xy_opencl_program *program,
		      const char *name, cl_kernel *kernel)
{
	struct opencl_queue *queue = (struct opencl_queue *)services;

	*kernel = NULL;
	if (atomic_load(&queue->device->lost))
		return xy__opencl_fail(-ENODEV, "the OpenCL device is lost");
	for (const struct opencl_kernel *entry = queue->kernels; entry; entry = entry->next)
		if (entry->from == program && strcmp(entry->name, name) == 0) {
			*kernel = entry->kernel;
			return 0;
		}
	return kernel_make(queue, program, name, kernel);
}

void xy__opencl_kernels_release(struct opencl_queue *queue)
{
	while (queue->kernels) {
		struct opencl_kernel *entry = queue->kernels;

		queue->kernels = entry->next;
		clReleaseKernel(entry->kernel);
		free(entry);
	}
}

void xy__opencl_programs_release(struct xy_device *device)
{
	while (device->programs) {
		struct opencl_program *entry = device->programs;

		device->programs = entry->next;
		if (entry->program)
			clReleaseProgram(entry->program);
		free(entry->message);
		free(entry->log);
		free(entry);
	}
}
