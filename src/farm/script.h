/* SPDX-License-Identifier: MIT */
/* Resource sets, their job scripts, and the list of pieces that jobs read. */
#ifndef XYLEM_FARM_SCRIPT_H
#define XYLEM_FARM_SCRIPT_H

#include "core/util/buffer.h"
#include "farm/farm.h"

/* Gives each piece the name of its set: pieces with equal resources share one. 0 or -ENOMEM. */
int farm_script_name_sets(struct farm *farm);

/* The job script of a piece's set; job is the shell text that gives the job's id, prologue more lines or "". */
void farm_script_write(struct xy__buffer *buffer, const struct farm *farm, const struct farm_piece *piece,
		       const char *tool, const char *job, const char *prologue);

/* The lines of pieces.jsonl. */
void farm_script_pieces(struct xy__buffer *buffer, const struct farm *farm);

/* The parameters and the goal of a piece as JSON; nothing for no goal. */
void farm_script_params(struct xy__buffer *buffer, const struct farm_piece *piece);
void farm_script_goal(struct xy__buffer *buffer, const struct farm_piece *piece);

/* How many cores a job of these resources has in all. */
unsigned farm_script_cores(const struct farm_resources *resources);

#endif
