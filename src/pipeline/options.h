/* SPDX-License-Identifier: MIT */
/* The command line. Strings belong to argv. */
#ifndef XYLEM_PIPELINE_OPTIONS_H
#define XYLEM_PIPELINE_OPTIONS_H

#include "pipeline/read.h"

struct pipeline_options {
	struct pipeline_request request; /* excluded is to be freed */
	unsigned dtype_size;
	uint64_t batch_size, buffers_in, buffers_out;
	const char *order, *draw; /* NULL: not given */
	bool help, compat, cost, all_costs, latency;
};

/* Reads the command line; false after a message. What it fills is to be freed in any case. */
bool pipeline_options_parse(struct pipeline_options *options, int argc, char **argv,
			    const struct pipeline_report *report);
void pipeline_options_fini(struct pipeline_options *options);

void pipeline_options_help(const char *program, FILE *file);

#endif
