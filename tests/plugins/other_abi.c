/* SPDX-License-Identifier: MIT */
/* A plug-in that was made for another version of the interface. */
#include <xylem/component.h>

const struct xy_plugin xy_plugin = { .abi = XY_ABI + 1, .name = "other" };
