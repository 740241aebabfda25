/* SPDX-License-Identifier: MIT */
/* Throughput curves of the devices of a batch: measured by a program, as a table, a picture and settings. */
#ifndef XYLEM_TOOLS_BATCH_H
#define XYLEM_TOOLS_BATCH_H

#include "tools/tool.h"

enum { BATCH_NAME = 128, BATCH_POINTS = 33, BATCH_CURVES = 256 };

/* Pieces of one size. */
struct batch_point {
	double items, us;
	unsigned long long samples;
};

/* A device with one sort of items. */
struct batch_curve {
	char batch[BATCH_NAME], device[32]; /* "model", "cuda:0" */
	unsigned nworkers;
	unsigned npoints, best; /* the smallest size about as good as the best */
	struct batch_point points[BATCH_POINTS];
};

struct batch_curves {
	unsigned n;
	struct batch_curve *of; /* by batch, the fastest device first */
};

/* Items per second of all workers of the device with pieces of a size. */
double batch_rate(const struct batch_curve *curve, unsigned point);

/* Reads all curves in a folder of models; says what is wrong itself. */
enum tool_status batch_curves_read(struct batch_curves *curves, const char *folder);
void batch_curves_fini(struct batch_curves *curves);

/* Removes a folder of models. */
void batch_folder_remove(const char *folder);

/* Items per second over size, both logarithmic, with a line for each device. */
enum tool_status batch_plot(const struct batch_curves *curves, const char *path);

#endif
