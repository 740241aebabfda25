/* SPDX-License-Identifier: MIT */
/*
 * Main memory as a device, for code that treats all memory nodes alike.
 */
#ifndef XYLEM_CORE_DATA_RAM_H
#define XYLEM_CORE_DATA_RAM_H

#include <xylem/driver.h>

extern const struct xy_driver xy__ram_driver;

#endif
