/* SPDX-License-Identifier: MIT */
/*
 * Sweeps: many pieces from one entry. grid gives the product of its axes, list the rows of axes of equal length,
 * ablative the base and each change of one parameter alone; several of them multiply, in this order.
 */
#ifndef XYLEM_FARM_SWEEP_H
#define XYLEM_FARM_SWEEP_H

#include "farm/farm.h"

struct farm_axis {
	char *name;
	size_t count;
	struct farm_value *values; /* their names are the axis's */
	unsigned line;
};

struct farm_axes {
	size_t count;
	struct farm_axis *at;
};

struct farm_sweep {
	struct farm_values base; /* parameters that all have */
	struct farm_axes grid, list, ablative;
	const char *source; /* the file, for messages */
	unsigned line;
};

/* Many lists of parameters, and for each those that the sweep changed (for names). */
struct farm_points {
	size_t count;
	struct farm_values *params, *changed;
};

/* Expands a sweep. 0, or -EINVAL after a message: an axis without values, lists of different lengths, a parameter
 * in two axes; or -ENOMEM. */
int farm_sweep_expand(struct farm *farm, const struct farm_sweep *sweep, struct farm_points *points,
		      const struct farm_report *report);

/* Replaces {parameter} in a text by its value, {{ and }} by braces. NULL after a message about an unknown parameter. */
char *farm_sweep_fill(struct farm *farm, const char *text, const struct farm_values *params, const char *source,
		      unsigned line, const struct farm_report *report);

/* The name of a point: the text with its parameters filled in, or `text__a1_b3` if it names none. */
char *farm_sweep_name(struct farm *farm, const char *text, const struct farm_values *params,
		      const struct farm_values *changed, const char *source, unsigned line,
		      const struct farm_report *report);

#endif
