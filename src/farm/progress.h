/* SPDX-License-Identifier: MIT */
/* Lines of progress that jobs write, and a summary of a farm for people. */
#ifndef XYLEM_FARM_PROGRESS_H
#define XYLEM_FARM_PROGRESS_H

#include "farm/state.h"

/* One line; NAN: not said. */
struct farm_progress {
	double time, points, loss, cpu, memory, overhead;
	char text[80];
};

/* The last line of a piece's progress. False if there is none. */
bool farm_progress_last(const struct farm *farm, size_t piece, struct farm_progress *progress);

/* All lines of a piece, to be freed; at most max, evenly chosen. */
struct farm_progress *farm_progress_read(const struct farm *farm, size_t piece, size_t max, size_t *count);

struct farm_summary {
	size_t counts[FARM_STEPS];
	size_t starts, fails;
	double points, points_per_s, cpu, memory_max, overhead; /* NAN: not known */
	double elapsed_s;                                       /* from the first transition to the end or now */
	double start_delay_s; /* mean from submission to start, NAN: nothing started */
	double last_progress; /* time of the newest line, 0: none */
};

/* Sums up; progress has one entry for each piece, with time 0 where there is none. */
void farm_progress_sum(struct farm_state *state, const struct farm_progress *progress, int64_t now,
		       struct farm_summary *summary);

/* Who manages the farm, as a sentence; "" if nobody does. */
void farm_progress_manager(const struct farm *farm, char *text, size_t size);

#endif
