/* SPDX-License-Identifier: MIT */
/* sched-pipeline: the command of src/pipeline as a separate program, which needs no other library of Xylem. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/pipeline.h"

int main(int argc, char **argv)
{
	struct pipeline_report report = { .file = stderr, .program = "sched-pipeline" };
	int status = pipeline_command(argc, argv, stdout, &report);
	int failed = ferror(stdout);

	errno = 0;
	if (fclose(stdout) || failed) {
		pipeline_say(&report, "can't write the output%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
		return 1;
	}
	return status;
}
