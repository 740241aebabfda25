/* SPDX-License-Identifier: MIT */
/*
 * Errors of the GPU driver: converts codes to -errno, keeps a line about the last error for each
 * thread, and leaves none pending for the library's next call. An error that the library can't clear loses the device.
 */
#include "drivers/gpu.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static _Thread_local char error_line[512];

int xy__gpu_fail(int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error_line, sizeof error_line, format, arguments);
	va_end(arguments);
	return error;
}

void xy__gpu_forget(void)
{
	error_line[0] = '\0';
}

const char *xy__gpu_explain(void)
{
	return error_line;
}

/* After these, CUDA's manual says, the process must end; in fact only the device's context is lost. */
static bool error_is_loss(enum cudaError code)
{
	static const enum cudaError losses[] = {
		cudaErrorCudartUnloading,     cudaErrorDevicesUnavailable, cudaErrorECCUncorrectable,
		cudaErrorNvlinkUncorrectable, cudaErrorContained,          cudaErrorIllegalAddress,
		cudaErrorLaunchTimeout,       cudaErrorContextIsDestroyed, cudaErrorAssert,
		cudaErrorHardwareStackError,  cudaErrorIllegalInstruction, cudaErrorMisalignedAddress,
		cudaErrorInvalidAddressSpace, cudaErrorInvalidPc,          cudaErrorLaunchFailure,
		cudaErrorMpsClientTerminated, cudaErrorExternalDevice,
	};

	for (unsigned i = 0; i < sizeof losses / sizeof losses[0]; i++)
		if (losses[i] == code)
			return true;
	return false;
}

int xy__gpu_errno(enum cudaError code)
{
	if (error_is_loss(code))
		return -ENODEV;
	switch ((int)code) {
	case cudaErrorMemoryAllocation:
		return -ENOMEM;
	case cudaErrorInvalidValue:
	case cudaErrorInvalidConfiguration:
	case cudaErrorInvalidPitchValue:
	case cudaErrorInvalidResourceHandle:
	case cudaErrorHostMemoryNotRegistered:
		return -EINVAL;
	case cudaErrorHostMemoryAlreadyRegistered:
		return -EALREADY;
	case cudaErrorNotSupported:
		return -ENOTSUP;
	case cudaErrorInvalidDeviceFunction:
	case cudaErrorInvalidKernelImage:
	case cudaErrorNoKernelImageForDevice:
	case cudaErrorInvalidPtx:
	case cudaErrorUnsupportedPtxVersion:
		return -ENOEXEC; /* the kernel was not compiled for this device */
	}
	return -EIO;
}

/* --- the thread's current device --- */

enum { NO_DEVICE = -1 };

/* A library without the function has no captures either. */
void xy__gpu_relax(struct xy_device *device, struct xy__gpu_caller *caller)
{
	caller->mode = cudaStreamCaptureModeRelaxed;
	if (device->api->cudaThreadExchangeStreamCaptureMode &&
	    device->api->cudaThreadExchangeStreamCaptureMode(&caller->mode) != cudaSuccess) {
		device->api->cudaGetLastError();
		caller->mode = cudaStreamCaptureModeRelaxed;
	}
}

void xy__gpu_unrelax(struct xy_device *device, const struct xy__gpu_caller *caller)
{
	enum cudaStreamCaptureMode mode = caller->mode;

	if (mode != cudaStreamCaptureModeRelaxed && device->api->cudaThreadExchangeStreamCaptureMode(&mode))
		device->api->cudaGetLastError();
}

static enum cudaError current_set(struct xy_device *device, int *callers)
{
	const struct xy__gpu_api *api = device->api;

	*callers = NO_DEVICE;
	if (api->cudaGetDevice(callers) != cudaSuccess)
		api->cudaGetLastError();            /* an error of the caller's device is not ours to report */
	return api->cudaSetDevice(device->ordinal); /* also where it is current: a lost device says so here */
}

/* A codelet may have left another one. */
static void current_restore(struct xy_device *device, int callers)
{
	const struct xy__gpu_api *api = device->api;
	int current = NO_DEVICE;

	if (callers == NO_DEVICE)
		return;
	if ((api->cudaGetDevice(&current) != cudaSuccess || current != callers) &&
	    api->cudaSetDevice(callers) != cudaSuccess)
		api->cudaGetLastError();
}

void xy__gpu_end(struct xy_device *device, const struct xy__gpu_caller *caller)
{
	current_restore(device, caller->device);
	xy__gpu_unrelax(device, caller);
}

int xy__gpu_begin(struct xy_device *device, struct xy__gpu_caller *caller)
{
	xy__gpu_relax(device, caller);
	caller->device = NO_DEVICE;
	if (atomic_load(&device->lost))
		return xy__gpu_is_lost(device);
	return xy__gpu_error(device, current_set(device, &caller->device), "SetDevice");
}

/* --- lost devices --- */

/* A permanently failed device returns its error from every call. */
bool xy__gpu_is_broken(struct xy_device *device)
{
	const struct xy__gpu_api *api = device->api;
	int callers;
	enum cudaError code = current_set(device, &callers);

	if (code == cudaSuccess)
		code = api->cudaStreamQuery(device->copies[XY_COPY_IN]);
	api->cudaGetLastError();
	current_restore(device, callers);
	return code != cudaSuccess && code != cudaErrorNotReady;
}

void xy__gpu_note(struct xy_device *device, enum cudaError code, const char *what)
{
	xy__gpu_fail(0, "%s%s on %s device %d: %s (%s, %d)",
		     isupper((unsigned char)what[0]) ? xy__gpu_dialect.prefix : "", what, xy__gpu_dialect.title,
		     device->ordinal, device->api->cudaGetErrorString(code), device->api->cudaGetErrorName(code),
		     (int)code);
}

int xy__gpu_error(struct xy_device *device, enum cudaError code, const char *what)
{
	if (code == cudaSuccess)
		return 0;
	xy__gpu_note(device, code, what);
	device->api->cudaGetLastError();
	if (code == cudaErrorMemoryAllocation || (!error_is_loss(code) && !xy__gpu_is_broken(device)))
		return xy__gpu_errno(code);
	atomic_store(&device->lost, (int)code);
	return -ENODEV;
}

int xy__gpu_is_lost(struct xy_device *device)
{
	enum cudaError code = (enum cudaError)atomic_load(&device->lost);

	return xy__gpu_fail(-ENODEV, "%s device %d is lost after an error: %s (%s, %d)", xy__gpu_dialect.title,
			    device->ordinal, device->api->cudaGetErrorString(code), device->api->cudaGetErrorName(code),
			    (int)code);
}

int xy__gpu_check(const struct xy_gpu_services *services, int code)
{
	const struct gpu_queue *queue = (const struct gpu_queue *)services;

	return xy__gpu_error(queue->device, (enum cudaError)code, "a codelet");
}
