/* SPDX-License-Identifier: MIT */
/* Policies as trees of components. */
#include <starpu.h>
#include <parts/component.h>
