/* SPDX-License-Identifier: MIT */
/* A name under which programs include a part of StarPU's interface; what it adds needs STARPU_USE_CUDA and the like. */
#include <starpu.h>
