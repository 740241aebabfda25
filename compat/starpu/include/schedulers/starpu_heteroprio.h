/* SPDX-License-Identifier: MIT */
/* Some programs include it from this folder. */
#include <starpu_heteroprio.h>
