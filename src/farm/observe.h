/* SPDX-License-Identifier: MIT */
/* What the files of a farm say: claims, ends, what is done, and logs in which a kill rule finds its text. */
#ifndef XYLEM_FARM_OBSERVE_H
#define XYLEM_FARM_OBSERVE_H

#include <regex.h>
#include "farm/round.h"

struct farm_observer {
	const struct farm *farm;
	struct graph__names files; /* file names of pieces to their numbers */
	bool *done, *claimed;
	struct farm_claim *claims;
	struct farm_end *ends;
	struct farm_kill *kills;
	size_t nclaims, claims_room, nends, ends_room, nkills, kills_room;
	regex_t pattern;
	bool has_pattern;
};

/* 0 or -errno. */
int farm_observer_init(struct farm_observer *observer, const struct farm *farm);
void farm_observer_fini(struct farm_observer *observer);

/* Reads the folder once; seen refers to the observer until the next call. 0 or -errno after a message. */
int farm_observe(struct farm_observer *observer, struct farm_state *state, const struct farm_queue *queue,
		 struct farm_seen *seen);

#endif
