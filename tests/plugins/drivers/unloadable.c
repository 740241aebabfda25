/* SPDX-License-Identifier: MIT */
/* A driver that needs what no library has. */
#include <xylem/driver.h>

int test_missing_function(void);
extern int (*const test_missing)(void);
int (*const test_missing)(void) = test_missing_function;

const struct xy_driver xy_driver = { .abi = XY_DRIVER_ABI, .name = "cuda", .arch = XY_CUDA };
