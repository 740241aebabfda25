/* SPDX-License-Identifier: MIT */
/*
 * Errors of the CUDA driver: codes become -errno, each thread has a line about its last one, and none
 * is left behind for whoever asks CUDA next. A device is lost with an error that CUDA can't clear.
 */
#include "drivers/cuda.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static _Thread_local char error_line[512];

int xy__cuda_fail(int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error_line, sizeof error_line, format, arguments);
	va_end(arguments);
	return error;
}

void xy__cuda_forget(void)
{
	error_line[0] = '\0';
}

const char *xy__cuda_explain(void)
{
	return error_line;
}

/* After these, says CUDA, the process can only be ended; in fact it is the device's context. */
static bool error_is_loss(enum cudaError code)
{
	static const enum cudaError losses[] = {
		cudaErrorCudartUnloading, cudaErrorDevicesUnavailable, cudaErrorECCUncorrectable,
		cudaErrorNvlinkUncorrectable, cudaErrorContained, cudaErrorIllegalAddress, cudaErrorLaunchTimeout,
		cudaErrorContextIsDestroyed, cudaErrorAssert, cudaErrorHardwareStackError,
		cudaErrorIllegalInstruction, cudaErrorMisalignedAddress, cudaErrorInvalidAddressSpace,
		cudaErrorInvalidPc, cudaErrorLaunchFailure, cudaErrorMpsClientTerminated, cudaErrorExternalDevice,
	};

	for (unsigned i = 0; i < sizeof losses / sizeof losses[0]; i++)
		if (losses[i] == code)
			return true;
	return false;
}

int xy__cuda_errno(enum cudaError code)
{
	if (error_is_loss(code))
		return -ENODEV;
	switch ((int)code) {
	case cudaErrorMemoryAllocation:
		return -ENOMEM;
	case cudaErrorInvalidValue:
	case cudaErrorInvalidConfiguration:
	case cudaErrorInvalidPitchValue:
	case cudaErrorInvalidDeviceFunction:
	case cudaErrorInvalidResourceHandle:
	case cudaErrorHostMemoryNotRegistered:
		return -EINVAL;
	case cudaErrorHostMemoryAlreadyRegistered:
		return -EALREADY;
	case cudaErrorNotSupported:
		return -ENOTSUP;
	}
	return -EIO;
}

/* A device that has failed for good says so whatever it is asked. */
bool xy__cuda_is_broken(struct xy_device *device)
{
	const struct xy__cuda_api *api = device->api;
	enum cudaError code = api->cudaSetDevice(device->ordinal);

	if (code == cudaSuccess)
		code = api->cudaStreamQuery(device->copies[XY_COPY_IN]);
	api->cudaGetLastError();
	return code != cudaSuccess && code != cudaErrorNotReady;
}

void xy__cuda_note(struct xy_device *device, enum cudaError code, const char *what)
{
	xy__cuda_fail(0, "%s on CUDA device %d: %s (%s, %d)", what, device->ordinal,
		      device->api->cudaGetErrorString(code), device->api->cudaGetErrorName(code), (int)code);
}

int xy__cuda_error(struct xy_device *device, enum cudaError code, const char *what)
{
	if (code == cudaSuccess)
		return 0;
	xy__cuda_note(device, code, what);
	device->api->cudaGetLastError();
	if (code == cudaErrorMemoryAllocation || (!error_is_loss(code) && !xy__cuda_is_broken(device)))
		return xy__cuda_errno(code);
	atomic_store(&device->lost, (int)code);
	return -ENODEV;
}

int xy__cuda_is_lost(struct xy_device *device)
{
	enum cudaError code = (enum cudaError)atomic_load(&device->lost);

	return xy__cuda_fail(-ENODEV, "CUDA device %d is lost since an error: %s (%s, %d)", device->ordinal,
			     device->api->cudaGetErrorString(code), device->api->cudaGetErrorName(code), (int)code);
}

int xy__cuda_begin(struct xy_device *device)
{
	if (atomic_load(&device->lost))
		return xy__cuda_is_lost(device);
	return xy__cuda_error(device, device->api->cudaSetDevice(device->ordinal), "cudaSetDevice");
}

int xy__cuda_check(const struct xy_cuda_services *services, int code)
{
	const struct cuda_queue *queue = (const struct cuda_queue *)services;

	return xy__cuda_error(queue->device, (enum cudaError)code, "a codelet");
}
