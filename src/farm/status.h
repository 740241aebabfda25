/* SPDX-License-Identifier: MIT */
/* The state of a farm for people and programs: a table, JSON, a page. */
#ifndef XYLEM_FARM_STATUS_H
#define XYLEM_FARM_STATUS_H

#include "core/util/buffer.h"
#include "farm/progress.h"

struct farm_status {
	struct farm_state *state;
	struct farm_progress *progress; /* by piece, time 0: none; owned */
	struct farm_summary summary;
	int64_t now;
	char manager[240];
};

/* Reads what there is. 0 or -ENOMEM. */
int farm_status_init(struct farm_status *status, struct farm_state *state, int64_t now);
void farm_status_fini(struct farm_status *status);

/* How a table is drawn. */
struct farm_status_style {
	bool colour;
	bool all;               /* every piece; else those that are done or wait are only counted */
	unsigned width, height; /* of the terminal; 0: no limit */
};

void farm_status_table(const struct farm_status *status, const struct farm_status_style *style,
		       struct xy__buffer *buffer);
void farm_status_json(const struct farm_status *status, struct xy__buffer *buffer);
/* A page of HTML that needs nothing else (page.c). */
void farm_status_page(const struct farm_status *status, struct xy__buffer *buffer);

/* A length of time as 0:03:25 or 2d 03:04. */
void farm_status_time(double seconds, char *text, size_t size);

#endif
