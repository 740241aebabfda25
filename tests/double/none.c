/* SPDX-License-Identifier: MIT */
/*
 * What tests find in place of the GPU libraries of the computer: it has every function that the drivers look up, and no
 * device. A real library starts threads and opens files in every test, and not all of them survive a sanitizer.
 */
#include <stddef.h>

enum { NONE_NO_DEVICE = 100 };

/* No driver calls these once there is no device, so that arguments do not matter. */
#define NONE(name) \
	int name(void); \
	int name(void) \
	{ \
		return NONE_NO_DEVICE; \
	}
#define NONE_BOTH(name) NONE(cuda##name) NONE(hip##name)

NONE_BOTH(GetDeviceCount)
NONE_BOTH(GetDeviceProperties)
NONE_BOTH(DeviceGetAttribute)
NONE_BOTH(GetDevice)
NONE_BOTH(SetDevice)
NONE_BOTH(MemGetInfo)
NONE_BOTH(DeviceCanAccessPeer)
NONE_BOTH(DeviceEnablePeerAccess)
NONE_BOTH(GetLastError)
NONE_BOTH(PeekAtLastError)
NONE_BOTH(Malloc)
NONE_BOTH(Free)
NONE(cudaHostAlloc)
NONE(cudaFreeHost)
NONE(hipHostMalloc)
NONE(hipHostFree)
NONE_BOTH(HostRegister)
NONE_BOTH(HostUnregister)
NONE_BOTH(PointerGetAttributes)
NONE_BOTH(StreamCreateWithFlags)
NONE_BOTH(StreamDestroy)
NONE_BOTH(StreamQuery)
NONE_BOTH(StreamSynchronize)
NONE_BOTH(EventCreateWithFlags)
NONE_BOTH(EventDestroy)
NONE_BOTH(EventRecord)
NONE_BOTH(EventQuery)
NONE_BOTH(MemcpyAsync)
NONE_BOTH(Memcpy2DAsync)
NONE_BOTH(Memcpy3DAsync)
NONE_BOTH(MemcpyPeerAsync)
NONE(cudaMemcpy3DPeerAsync)

#define NONE_TEXT(name, text) \
	const char *name(int code); \
	const char *name(int code) \
	{ \
		(void)code; \
		return text; \
	}

NONE_TEXT(cudaGetErrorName, "cudaErrorNoDevice")
NONE_TEXT(cudaGetErrorString, "tests use no device of this computer")
NONE_TEXT(hipGetErrorName, "hipErrorNoDevice")
NONE_TEXT(hipGetErrorString, "tests use no device of this computer")
