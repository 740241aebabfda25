/* SPDX-License-Identifier: MIT */
/* A driver that was made for another version of the interface. */
#include <xylem/driver.h>

const struct xy_driver xy_driver = { .abi = XY_DRIVER_ABI + 1, .name = "cuda", .arch = XY_CUDA };
