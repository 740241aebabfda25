/* SPDX-License-Identifier: MIT */
/* Stands in for CUDA's header of this name. */
#include <cuda_runtime_api.h>
