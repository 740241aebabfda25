#!/bin/sh
# SPDX-License-Identifier: MIT
# What the driver takes for HIP's is HIP's: functions, values and layouts, where HIP's headers are there.
src=${srcdir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# Compilers and flags are lists of words.
# shellcheck disable=SC2086
compile() {
	${CC:-cc} -std=gnu11 -Werror -Wno-unused-result -D__HIP_PLATFORM_AMD__ -I"$src/include" -I"$src/src" $HIP_CPPFLAGS \
		-fsyntax-only "$@"
}

echo '#include <hip/hip_runtime_api.h>' >"$work/there.c"
if ! compile -w "$work/there.c" 2>/dev/null; then
	echo "no headers of HIP"
	exit 77
fi

# Functions: each that the driver looks up is declared, with as many arguments. Its own names come from hip.c.
functions=$(sed -n 's/^\tAPI_FUNCTION(\([A-Za-z0-9]*\)),$/\1/p' "$src/src/drivers/gpu_api.c" |
	sed 's/^HostAlloc$/HostMalloc/; s/^FreeHost$/HostFree/; /^Memcpy3DPeerAsync$/d')
[ "$(echo "$functions" | wc -l)" -ge 30 ] || exit 99
# Values that both have, by the name of CUDA's.
cat >"$work/same.c" <<EOF
#include <hip/hip_runtime_api.h>
#include <stddef.h>
#include "drivers/gpu_types.h"
$(for name in $functions; do echo "const void *const use_$name = (const void *)hip$name;"; done)
#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)
SAME(cudaSuccess, hipSuccess);
SAME(cudaErrorInvalidValue, hipErrorInvalidValue);
SAME(cudaErrorMemoryAllocation, hipErrorOutOfMemory);
SAME(cudaErrorInitializationError, hipErrorNotInitialized);
SAME(cudaErrorCudartUnloading, hipErrorDeinitialized);
SAME(cudaErrorInvalidConfiguration, hipErrorInvalidConfiguration);
SAME(cudaErrorInvalidPitchValue, hipErrorInvalidPitchValue);
SAME(cudaErrorInsufficientDriver, hipErrorInsufficientDriver);
SAME(cudaErrorInvalidDeviceFunction, hipErrorInvalidDeviceFunction);
SAME(cudaErrorNoDevice, hipErrorNoDevice);
SAME(cudaErrorInvalidDevice, hipErrorInvalidDevice);
SAME(cudaErrorECCUncorrectable, hipErrorECCNotCorrectable);
SAME(cudaErrorPeerAccessUnsupported, hipErrorPeerAccessUnsupported);
SAME(cudaErrorInvalidResourceHandle, hipErrorInvalidHandle);
SAME(cudaErrorNotReady, hipErrorNotReady);
SAME(cudaErrorIllegalAddress, hipErrorIllegalAddress);
SAME(cudaErrorLaunchTimeout, hipErrorLaunchTimeOut);
SAME(cudaErrorPeerAccessAlreadyEnabled, hipErrorPeerAccessAlreadyEnabled);
SAME(cudaErrorPeerAccessNotEnabled, hipErrorPeerAccessNotEnabled);
SAME(cudaErrorContextIsDestroyed, hipErrorContextIsDestroyed);
SAME(cudaErrorAssert, hipErrorAssert);
SAME(cudaErrorHostMemoryAlreadyRegistered, hipErrorHostMemoryAlreadyRegistered);
SAME(cudaErrorHostMemoryNotRegistered, hipErrorHostMemoryNotRegistered);
SAME(cudaErrorLaunchFailure, hipErrorLaunchFailure);
SAME(cudaErrorNotSupported, hipErrorNotSupported);
SAME(cudaErrorUnknown, hipErrorUnknown);
SAME(cudaMemcpyHostToDevice, hipMemcpyHostToDevice);
SAME(cudaMemcpyDeviceToHost, hipMemcpyDeviceToHost);
SAME(cudaMemcpyDeviceToDevice, hipMemcpyDeviceToDevice);
SAME(cudaStreamDefault, hipStreamDefault);
SAME(cudaStreamNonBlocking, hipStreamNonBlocking);
SAME(cudaStreamCaptureModeGlobal, hipStreamCaptureModeGlobal);
SAME(cudaStreamCaptureModeRelaxed, hipStreamCaptureModeRelaxed);
SAME(cudaEventDisableTiming, hipEventDisableTiming);
SAME(cudaHostAllocPortable, hipHostMallocPortable);
SAME(cudaHostRegisterPortable, hipHostRegisterPortable);
$(sed -n 's/^\tHIP_ATTRIBUTE_MAX_PITCH = \([0-9]*\),.*/SAME(\1, hipDeviceAttributeMaxPitch);/p' "$src/src/drivers/hip.c")
$(sed -n 's/^\tHIP_MEMORY_DEVICE_5 = \([0-9]*\),.*/#if HIP_VERSION_MAJOR < 6\nSAME(\1, hipMemoryTypeDevice);/p;
	s/^\tHIP_MEMORY_DEVICE = \([0-9]*\),.*/#else\nSAME(\1, hipMemoryTypeDevice);\n#endif/p' "$src/src/drivers/hip.c")
#define SIZE(ours, theirs) SAME(sizeof(ours), sizeof(theirs))
#define AT(ours, theirs, field) SAME(offsetof(ours, field), offsetof(theirs, field))
SIZE(struct cudaPos, struct hipPos);
SIZE(struct cudaExtent, struct hipExtent);
AT(struct cudaExtent, struct hipExtent, height);
SIZE(struct cudaPitchedPtr, struct hipPitchedPtr);
AT(struct cudaPitchedPtr, struct hipPitchedPtr, pitch);
AT(struct cudaPitchedPtr, struct hipPitchedPtr, ysize);
SIZE(struct cudaMemcpy3DParms, struct hipMemcpy3DParms);
AT(struct cudaMemcpy3DParms, struct hipMemcpy3DParms, srcPtr);
AT(struct cudaMemcpy3DParms, struct hipMemcpy3DParms, dstPtr);
AT(struct cudaMemcpy3DParms, struct hipMemcpy3DParms, extent);
AT(struct cudaMemcpy3DParms, struct hipMemcpy3DParms, kind);
AT(struct cudaPointerAttributes, struct hipPointerAttribute_t, device);
AT(struct cudaPointerAttributes, struct hipPointerAttribute_t, hostPointer);
_Static_assert(offsetof(hipDeviceProp_t, name) == 0 && sizeof(hipDeviceProp_t) <= 8192, "properties");
EOF
[ "$(grep -c '^SAME' "$work/same.c")" -ge 36 ] || exit 99
compile "$work/same.c" || exit 1
echo "$(echo "$functions" | wc -l) functions, $(grep -cE '^(SAME|SIZE|AT)\(' "$work/same.c") values and layouts"
