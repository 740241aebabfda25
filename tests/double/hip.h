/* SPDX-License-Identifier: MIT */
/*
 * The double of HIP's library: that of CUDA's with other names. Included before everything else, also in tests, so that
 * they are written once. What has no counterpart in HIP is not looked for by its driver.
 */
#ifndef DOUBLE_HIP_H
#define DOUBLE_HIP_H

#define DOUBLE_PREFIX "hip"
#define DOUBLE_TITLE "HIP"
#define DOUBLE_HEADER "xylem/hip.h"
#define DOUBLE_HOST_ALLOC "hipHostMalloc"
#define DOUBLE_ALLOCATE "Malloc"
#define DOUBLE_VARIABLE(name) "HIP_DOUBLE_" name
#define DOUBLE_VISIBLE "HIP_VISIBLE_DEVICES"
#define DOUBLE_VERSION 60000000
#define DOUBLE_ATTRIBUTE_MAX_PITCH 58

/* What codelets call. */
#define xy_cuda_check xy_hip_check
#define xy_cuda_device xy_hip_device
#define xy_cuda_stream xy_hip_stream
#define CUstream_st ihipStream_t

/* The library. */
#define __cudaGetKernel __hipGetKernel
#define __cudaInitModule __hipInitModule
#define __cudaLaunchKernel __hipLaunchKernel
#define __cudaPopCallConfiguration __hipPopCallConfiguration
#define __cudaPushCallConfiguration __hipPushCallConfiguration
#define __cudaRegisterFatBinary __hipRegisterFatBinary
#define __cudaRegisterFatBinaryEnd __hipRegisterFatBinaryEnd
#define __cudaRegisterFunction __hipRegisterFunction
#define __cudaRegisterVar __hipRegisterVar
#define __cudaUnregisterFatBinary __hipUnregisterFatBinary
#define cudaDeviceCanAccessPeer hipDeviceCanAccessPeer
#define cudaDeviceDisablePeerAccess hipDeviceDisablePeerAccess
#define cudaDeviceEnablePeerAccess hipDeviceEnablePeerAccess
#define cudaDeviceGetAttribute hipDeviceGetAttribute
#define cudaDeviceGetPCIBusId hipDeviceGetPCIBusId
#define cudaDeviceSynchronize hipDeviceSynchronize
#define cudaDriverGetVersion hipDriverGetVersion
#define cudaEventCreate hipEventCreate
#define cudaEventCreateWithFlags hipEventCreateWithFlags
#define cudaEventDestroy hipEventDestroy
#define cudaEventElapsedTime hipEventElapsedTime
#define cudaEventQuery hipEventQuery
#define cudaEventRecord hipEventRecord
#define cudaEventSynchronize hipEventSynchronize
#define cudaFree hipFree
#define cudaFreeHost hipHostFree
#define cudaGetDevice hipGetDevice
#define cudaGetDeviceCount hipGetDeviceCount
#define cudaGetDeviceProperties hipGetDeviceProperties
#define cudaGetErrorName hipGetErrorName
#define cudaGetErrorString hipGetErrorString
#define cudaGetLastError hipGetLastError
#define cudaHostAlloc hipHostMalloc
#define cudaHostRegister hipHostRegister
#define cudaHostUnregister hipHostUnregister
#define cudaLaunchHostFunc hipLaunchHostFunc
#define cudaLaunchKernel hipLaunchKernel
#define cudaMalloc hipMalloc
#define cudaMallocHost hipMallocHost
#define cudaMemGetInfo hipMemGetInfo
#define cudaMemcpy hipMemcpy
#define cudaMemcpy2D hipMemcpy2D
#define cudaMemcpy2DAsync hipMemcpy2DAsync
#define cudaMemcpy3DAsync hipMemcpy3DAsync
#define cudaMemcpy3DPeerAsync hipMemcpy3DPeerAsync
#define cudaMemcpyAsync hipMemcpyAsync
#define cudaMemcpyPeer hipMemcpyPeer
#define cudaMemcpyPeerAsync hipMemcpyPeerAsync
#define cudaMemset hipMemset
#define cudaMemsetAsync hipMemsetAsync
#define cudaPeekAtLastError hipPeekAtLastError
#define cudaPointerGetAttributes hipPointerGetAttributes
#define cudaRuntimeGetVersion hipRuntimeGetVersion
#define cudaSetDevice hipSetDevice
#define cudaStreamBeginCapture hipStreamBeginCapture
#define cudaStreamCreate hipStreamCreate
#define cudaStreamCreateWithFlags hipStreamCreateWithFlags
#define cudaStreamDestroy hipStreamDestroy
#define cudaStreamEndCapture hipStreamEndCapture
#define cudaStreamQuery hipStreamQuery
#define cudaStreamSynchronize hipStreamSynchronize
#define cudaStreamWaitEvent hipStreamWaitEvent
#define cudaThreadExchangeStreamCaptureMode hipThreadExchangeStreamCaptureMode

/* How tests set and watch the double. */
#define cudart_double_add_kernels hip_double_add_kernels
#define cudart_double_calls hip_double_calls
#define cudart_double_device_bytes hip_double_device_bytes
#define cudart_double_direction hip_double_direction
#define cudart_double_fail hip_double_fail
#define cudart_double_failed hip_double_failed
#define cudart_double_grid hip_double_grid
#define cudart_double_hold_copies hip_double_hold_copies
#define cudart_double_hold_host_memory hip_double_hold_host_memory
#define cudart_double_kernel hip_double_kernel
#define cudart_double_kernels hip_double_kernels
#define cudart_double_launch hip_double_launch
#define cudart_double_live hip_double_live
#define cudart_double_readable hip_double_readable
#define cudart_double_reset hip_double_reset
#define cudart_double_set_delays hip_double_set_delays
#define cudart_double_set_memory hip_double_set_memory
#define cudart_double_set_topology hip_double_set_topology
#define cudart_double_traffic hip_double_traffic

#endif
