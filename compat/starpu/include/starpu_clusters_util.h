/* SPDX-License-Identifier: MIT */
/* 1.2's name of starpu_clusters.h. */
#include <starpu_clusters.h>
