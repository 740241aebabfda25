/* SPDX-License-Identifier: MIT */
/* The handle of the worker that calls, on its stream; NULL in other threads and without the library. */
#ifndef XYLEM_STARPU_CUBLAS_V2_H
#define XYLEM_STARPU_CUBLAS_V2_H

#include <starpu.h>
#if defined STARPU_USE_CUDA && !defined STARPU_DONT_INCLUDE_CUDA_HEADERS
#include <cublas_v2.h>
#ifdef __cplusplus
extern "C" {
#endif
cublasHandle_t starpu_cublas_get_local_handle(void);
#ifdef __cplusplus
}
#endif
#endif
#endif
