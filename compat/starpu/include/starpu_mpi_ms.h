/* SPDX-License-Identifier: MIT */
/* Included by some programs; Xylem has no such devices. */
#include <starpu.h>
