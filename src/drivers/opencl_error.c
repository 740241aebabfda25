/* SPDX-License-Identifier: MIT */
/*
 * Errors of the OpenCL driver: codes become -errno, and each thread has a line about its last one.
 * Only what says that the device itself is gone marks it as lost.
 */
#include "drivers/opencl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static _Thread_local char error_line[4096];

#define ERROR_NAME(code) \
	{ \
		code, #code \
	}
static const struct {
	cl_int code;
	const char *name;
} error_names[] = {
	ERROR_NAME(CL_SUCCESS),
	ERROR_NAME(CL_DEVICE_NOT_FOUND),
	ERROR_NAME(CL_DEVICE_NOT_AVAILABLE),
	ERROR_NAME(CL_COMPILER_NOT_AVAILABLE),
	ERROR_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
	ERROR_NAME(CL_OUT_OF_RESOURCES),
	ERROR_NAME(CL_OUT_OF_HOST_MEMORY),
	ERROR_NAME(CL_MEM_COPY_OVERLAP),
	ERROR_NAME(CL_BUILD_PROGRAM_FAILURE),
	ERROR_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
	ERROR_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
	ERROR_NAME(CL_INVALID_VALUE),
	ERROR_NAME(CL_INVALID_PLATFORM),
	ERROR_NAME(CL_INVALID_DEVICE),
	ERROR_NAME(CL_INVALID_CONTEXT),
	ERROR_NAME(CL_INVALID_QUEUE_PROPERTIES),
	ERROR_NAME(CL_INVALID_COMMAND_QUEUE),
	ERROR_NAME(CL_INVALID_MEM_OBJECT),
	ERROR_NAME(CL_INVALID_BUILD_OPTIONS),
	ERROR_NAME(CL_INVALID_PROGRAM),
	ERROR_NAME(CL_INVALID_PROGRAM_EXECUTABLE),
	ERROR_NAME(CL_INVALID_KERNEL_NAME),
	ERROR_NAME(CL_INVALID_KERNEL_DEFINITION),
	ERROR_NAME(CL_INVALID_KERNEL),
	ERROR_NAME(CL_INVALID_ARG_INDEX),
	ERROR_NAME(CL_INVALID_ARG_VALUE),
	ERROR_NAME(CL_INVALID_ARG_SIZE),
	ERROR_NAME(CL_INVALID_KERNEL_ARGS),
	ERROR_NAME(CL_INVALID_WORK_DIMENSION),
	ERROR_NAME(CL_INVALID_WORK_GROUP_SIZE),
	ERROR_NAME(CL_INVALID_WORK_ITEM_SIZE),
	ERROR_NAME(CL_INVALID_GLOBAL_OFFSET),
	ERROR_NAME(CL_INVALID_EVENT_WAIT_LIST),
	ERROR_NAME(CL_INVALID_EVENT),
	ERROR_NAME(CL_INVALID_OPERATION),
	ERROR_NAME(CL_INVALID_BUFFER_SIZE),
	ERROR_NAME(CL_INVALID_GLOBAL_WORK_SIZE),
};

const char *xy__opencl_name(cl_int code)
{
	for (size_t i = 0; i < sizeof error_names / sizeof error_names[0]; i++)
		if (error_names[i].code == code)
			return error_names[i].name;
	return "an error";
}

int xy__opencl_fail(int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error_line, sizeof error_line, format, arguments);
	va_end(arguments);
	return error;
}

static _Thread_local const char *error_details; /* a device's */

void xy__opencl_detail(const char *text)
{
	error_details = text;
}

const char *xy__opencl_details(void)
{
	return error_details;
}

void xy__opencl_forget(void)
{
	error_line[0] = '\0';
	xy__opencl_detail(NULL);
}

const char *xy__opencl_explain(void)
{
	return error_line;
}

/* All codes up to CL_INVALID_VALUE say that the call was wrong. */
static int error_number(cl_int code)
{
	switch (code) {
	case CL_SUCCESS:
		return 0;
	case CL_DEVICE_NOT_AVAILABLE:
		return -ENODEV;
	case CL_COMPILER_NOT_AVAILABLE:
	case CL_BUILD_PROGRAM_FAILURE:
		return -ENOEXEC;
	case CL_MEM_OBJECT_ALLOCATION_FAILURE:
	case CL_OUT_OF_RESOURCES:
	case CL_OUT_OF_HOST_MEMORY:
	case CL_INVALID_BUFFER_SIZE:
		return -ENOMEM;
	default:
		return code <= CL_INVALID_VALUE ? -EINVAL : -EIO;
	}
}

/* The driver's own handles are right: if one is refused, something has broken the device. */
static bool error_is_loss(cl_int code)
{
	return code == CL_DEVICE_NOT_AVAILABLE || code == CL_INVALID_DEVICE || code == CL_INVALID_CONTEXT ||
	       code == CL_INVALID_COMMAND_QUEUE;
}

int xy__opencl_error(struct xy_device *device, cl_int code, const char *what)
{
	if (code == CL_SUCCESS)
		return 0;
	xy__opencl_fail(0, "%s: %s (%d)", what, xy__opencl_name(code), code);
	if (!error_is_loss(code))
		return error_number(code);
	if (device)
		atomic_store(&device->lost, true);
	return -ENODEV;
}

int xy__opencl_check(const struct xy_opencl_services *services, cl_int code)
{
	const struct opencl_queue *queue = (const struct opencl_queue *)services;

	if (code == CL_SUCCESS)
		return 0;
	if (code == CL_DEVICE_NOT_AVAILABLE)
		atomic_store(&queue->device->lost, true);
	return xy__opencl_fail(error_number(code), "OpenCL: %s (%d)", xy__opencl_name(code), code);
}
