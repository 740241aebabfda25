/* SPDX-License-Identifier: MIT */
/* A name under which programs include a part of StarPU's interface: here <starpu.h> declares all of it. */
#include <starpu.h>
