/* SPDX-License-Identifier: MIT */
/* Which devices there are, what they are, and what errors are called. */
#include <stdio.h>
#include <string.h>

#include "internal.h"

enum cudaError cudaGetDeviceCount(int *count)
{
	enum cudaError error = double_begin_any(__func__);

	*count = error ? 0 : (int)double_state.nvisible;
	return double_end(error ? error : *count ? cudaSuccess : cudaErrorNoDevice);
}

enum cudaError cudaSetDevice(int ordinal)
{
	struct double_device *device = double_ordinal(ordinal);
	enum cudaError error = device ? double_begin(__func__, device) : double_begin_any(__func__);

	if (!error && !device)
		error = cudaErrorInvalidDevice;
	if (device)
		*double_current_ordinal() = ordinal;
	return double_end(error);
}

enum cudaError cudaGetDevice(int *ordinal)
{
	enum cudaError error = double_begin(__func__, double_current());

	*ordinal = *double_current_ordinal();
	return double_end(error);
}

enum cudaError cudaRuntimeGetVersion(int *version)
{
	*version = DOUBLE_VERSION;
	return double_end(double_begin_any(__func__));
}

enum cudaError cudaDriverGetVersion(int *version)
{
	*version = DOUBLE_VERSION;
	return double_end(double_begin_any(__func__));
}

static enum cudaError attribute_value(enum cudaDeviceAttr attribute, int *value)
{
	switch ((int)attribute) {
	case cudaDevAttrMaxThreadsPerBlock:
		*value = 1024;
		return cudaSuccess;
	case cudaDevAttrWarpSize:
		*value = 32;
		return cudaSuccess;
	case DOUBLE_ATTRIBUTE_MAX_PITCH:
		*value = DOUBLE_MAX_PITCH;
		return cudaSuccess;
	case cudaDevAttrMultiProcessorCount:
	case cudaDevAttrUnifiedAddressing:
	case cudaDevAttrMemoryPoolsSupported:
		*value = 1;
		return cudaSuccess;
	case cudaDevAttrAsyncEngineCount:
		*value = 2;
		return cudaSuccess;
	case cudaDevAttrComputeCapabilityMajor:
		*value = 9;
		return cudaSuccess;
	case cudaDevAttrComputeCapabilityMinor:
		*value = 0;
		return cudaSuccess;
	}
	return cudaErrorInvalidValue;
}

enum cudaError cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int ordinal)
{
	struct double_device *device = double_ordinal(ordinal);
	enum cudaError error = double_begin_any(__func__);

	if (!error && !device)
		error = cudaErrorInvalidDevice;
	return double_end(error ? error : attribute_value(attribute, value));
}

enum cudaError cudaGetDeviceProperties(struct cudaDeviceProp *properties, int ordinal)
{
	struct double_device *device = double_ordinal(ordinal);
	enum cudaError error = double_begin_any(__func__);
	struct double_properties p = { .warpSize = 32, .memPitch = DOUBLE_MAX_PITCH, .maxThreadsPerBlock = 1024 };

	if (!error && !device)
		error = cudaErrorInvalidDevice;
	if (!error) {
		snprintf(p.name, sizeof p.name, "test double %u", device->number);
		p.totalGlobalMem = device->limit;
		memcpy((void *)properties, &p, sizeof p);
	}
	return double_end(error);
}

/* --- peers --- */

enum cudaError cudaDeviceCanAccessPeer(int *can, int ordinal, int peer)
{
	struct double_device *a = double_ordinal(ordinal), *b = double_ordinal(peer);
	enum cudaError error = double_begin_any(__func__);

	*can = !error && a && b && double_are_peers(a, b);
	return double_end(error ? error : a && b ? cudaSuccess : cudaErrorInvalidDevice);
}

enum cudaError cudaDeviceEnablePeerAccess(int ordinal, unsigned flags)
{
	struct double_device *device = double_current(), *peer = double_ordinal(ordinal);
	enum cudaError error = double_begin(__func__, device);

	if (!error && (!peer || peer == device || flags))
		error = peer ? cudaErrorInvalidValue : cudaErrorInvalidDevice;
	if (!error && !double_are_peers(device, peer))
		error = cudaErrorPeerAccessUnsupported;
	if (!error && device->peers[peer->number])
		error = cudaErrorPeerAccessAlreadyEnabled;
	if (!error)
		device->peers[peer->number] = true;
	return double_end(error);
}

/* No computer has this address. */
enum cudaError cudaDeviceGetPCIBusId(char *text, int size, int ordinal)
{
	struct double_device *device = double_ordinal(ordinal);
	enum cudaError error = double_begin(__func__, device);

	if (!error && (!text || size < 13))
		error = cudaErrorInvalidValue;
	if (!error)
		snprintf(text, (size_t)size, "FFFF:%02X:1F.0", 0xA0 + device->number);
	return double_end(error);
}

enum cudaError cudaDeviceDisablePeerAccess(int ordinal)
{
	struct double_device *device = double_current(), *peer = double_ordinal(ordinal);
	enum cudaError error = double_begin(__func__, device);

	if (!error && !peer)
		error = cudaErrorInvalidDevice;
	if (!error && !device->peers[peer->number])
		error = cudaErrorPeerAccessNotEnabled;
	if (!error)
		device->peers[peer->number] = false;
	return double_end(error);
}

/* --- errors --- */

static const struct text {
	enum cudaError error;
	const char *name, *sentence;
} texts[] = {
	{ cudaSuccess, DOUBLE_PREFIX "Success", "no error" },
	{ cudaErrorInvalidValue, DOUBLE_PREFIX "ErrorInvalidValue", "an argument is wrong" },
	{ cudaErrorMemoryAllocation, DOUBLE_PREFIX "ErrorMemoryAllocation", "out of memory" },
	{ cudaErrorInvalidConfiguration, DOUBLE_PREFIX "ErrorInvalidConfiguration", "no such grid or block" },
	{ cudaErrorInvalidPitchValue, DOUBLE_PREFIX "ErrorInvalidPitchValue", "a pitch is wrong" },
	{ cudaErrorInsufficientDriver, DOUBLE_PREFIX "ErrorInsufficientDriver", "the driver is too old" },
	{ cudaErrorDevicesUnavailable, DOUBLE_PREFIX "ErrorDevicesUnavailable", "the devices are in use or gone" },
	{ cudaErrorInvalidDeviceFunction, DOUBLE_PREFIX "ErrorInvalidDeviceFunction", "no such kernel" },
	{ cudaErrorNoDevice, DOUBLE_PREFIX "ErrorNoDevice", "there is no device" },
	{ cudaErrorInvalidDevice, DOUBLE_PREFIX "ErrorInvalidDevice", "there is no such device" },
	{ cudaErrorECCUncorrectable, DOUBLE_PREFIX "ErrorECCUncorrectable", "memory of the device is damaged" },
	{ cudaErrorPeerAccessUnsupported, DOUBLE_PREFIX "ErrorPeerAccessUnsupported", "the devices are no peers" },
	{ cudaErrorInvalidResourceHandle, DOUBLE_PREFIX "ErrorInvalidResourceHandle", "no such stream or event here" },
	{ cudaErrorNotReady, DOUBLE_PREFIX "ErrorNotReady", "not yet" },
	{ cudaErrorIllegalAddress, DOUBLE_PREFIX "ErrorIllegalAddress",
	  "a kernel used an address that is not its own" },
	{ cudaErrorLaunchTimeout, DOUBLE_PREFIX "ErrorLaunchTimeout", "a kernel took too long" },
	{ cudaErrorPeerAccessAlreadyEnabled, DOUBLE_PREFIX "ErrorPeerAccessAlreadyEnabled", "they are peers already" },
	{ cudaErrorPeerAccessNotEnabled, DOUBLE_PREFIX "ErrorPeerAccessNotEnabled", "they are no peers" },
	{ cudaErrorAssert, DOUBLE_PREFIX "ErrorAssert", "an assertion of a kernel failed" },
	{ cudaErrorHostMemoryAlreadyRegistered, DOUBLE_PREFIX "ErrorHostMemoryAlreadyRegistered",
	  "it is registered already" },
	{ cudaErrorHostMemoryNotRegistered, DOUBLE_PREFIX "ErrorHostMemoryNotRegistered", "it is not registered" },
	{ cudaErrorHardwareStackError, DOUBLE_PREFIX "ErrorHardwareStackError", "the stack of a kernel is damaged" },
	{ cudaErrorLaunchFailure, DOUBLE_PREFIX "ErrorLaunchFailure", "a kernel failed" },
	{ cudaErrorNotSupported, DOUBLE_PREFIX "ErrorNotSupported", "this is not supported" },
	{ cudaErrorUnknown, DOUBLE_PREFIX "ErrorUnknown", "something failed" },
};

static const struct text *find(enum cudaError error)
{
	for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++)
		if (texts[i].error == error)
			return &texts[i];
	return NULL;
}

const char *cudaGetErrorName(enum cudaError error)
{
	const struct text *text = find(error);

	return text ? text->name : "an error";
}

const char *cudaGetErrorString(enum cudaError error)
{
	const struct text *text = find(error);

	return text ? text->sentence : "an error that the double has no sentence for";
}
