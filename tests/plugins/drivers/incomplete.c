/* SPDX-License-Identifier: MIT */
/* A driver without operations. */
#include <xylem/driver.h>

const struct xy_driver xy_driver = { .abi = XY_DRIVER_ABI, .name = "cuda", .arch = XY_CUDA };
