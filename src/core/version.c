/* SPDX-License-Identifier: MIT */
/* The version, as configure.ac states it. */
#include "config.h"

#include <xylem.h>

const char *xy_version(void)
{
	return PACKAGE_VERSION;
}
