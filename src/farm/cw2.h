/* SPDX-License-Identifier: MIT */
/*
 * Files of CW2 as farms: documents SLURM (or SLURM_<part of the host's name>), DEFAULT and experiments. They name no
 * program, so the command of a repetition comes from the user. Results are where CW2 puts them.
 */
#ifndef XYLEM_FARM_CW2_H
#define XYLEM_FARM_CW2_H

#include "farm/read.h"

/* Reads and checks such a file. command is the command of a repetition; {parameter}, {rep}, {slot} and {folder} in its
 * words are replaced. If it is empty, the one of the last run is taken. 0, or -errno after a message; farm_fini in
 * any case. */
int farm_cw2_read(struct farm *farm, const char *path, const struct farm_words *command, const struct farm_place *place,
		  const struct farm_report *report);

/* Remembers the command in the farm's folder, for those that read the file later. 0 or -errno after a message. */
int farm_cw2_keep(const struct farm *farm, const struct farm_words *command, const struct farm_report *report);

/* --- resources (cw2_slurm.c) --- */

/* Reads a SLURM document: the name of the farm, how many jobs run at once, resources and shares. */
bool farm_cw2_slurm(const struct farm_reader *reader, const struct farm_node *map, struct farm_resources *resources,
		    struct farm_repetitions *shares);

/* Whether repetitions in parallel and slots fit together, so far as the file tells. */
bool farm_cw2_check_slots(const struct farm_reader *reader, const struct farm_node *experiment,
			  const struct farm_resources *resources, const struct farm_repetitions *repetitions);

/* --- sweeps (cw2_sweep.c) --- */

/* A set of parameters, and what it adds to the name of the experiment: "" or `__a1_b3`. */
struct farm_cw2_point {
	struct farm_node *params;
	char *suffix;
};

struct farm_cw2_points {
	size_t count;
	struct farm_cw2_point *at;
};

/* Expands list, grid and ablative of an experiment, in this order. */
bool farm_cw2_expand(const struct farm_reader *reader, const struct farm_node *experiment,
		     struct farm_cw2_points *points);

#endif
