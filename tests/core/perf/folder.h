/* SPDX-License-Identifier: MIT */
/* A folder for models that is there as long as a test: set-up and tear-down of cmocka. For one file of a program. */
#ifndef XYLEM_TESTS_CORE_PERF_FOLDER_H
#define XYLEM_TESTS_CORE_PERF_FOLDER_H

#include <stdio.h>
#include <stdlib.h>

static char folder[256];

static inline int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "%s/xylem-models-XXXXXX", P_tmpdir);
	return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
	char command[512];

	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	return system(command);
}

#endif
