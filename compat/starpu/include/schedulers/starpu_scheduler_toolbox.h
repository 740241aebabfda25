/* SPDX-License-Identifier: MIT */
/* Some programs include it from this folder. */
#include <starpu_scheduler_toolbox.h>
