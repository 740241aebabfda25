/* SPDX-License-Identifier: MIT */
/* The version, as configure.ac states it. */
#include "build-config.h"

#include <xylem.h>

const char *xy_version(void)
{
	return PACKAGE_VERSION;
}
