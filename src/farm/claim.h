/* SPDX-License-Identifier: MIT */
/* Claiming a piece from inside a job, as doc/farm-jobs.md says. */
#ifndef XYLEM_FARM_CLAIM_H
#define XYLEM_FARM_CLAIM_H

#include "farm/farm.h"
#include "graph/json.h"

/* A piece that was claimed: its line of pieces.jsonl. */
struct farm_claimed {
	char *text; /* owned; what json refers to */
	struct json json;
	const char *name, *file;
};

struct farm_claimant {
	const char *folder, *set, *job;
	const char *host;
	bool requeued; /* look for an own claim first */
};

/* Takes the first open piece. 1, 0 if none is open, or -errno after a message. */
int farm_claim(const struct farm_claimant *claimant, struct farm_claimed *claimed, const struct farm_report *report);
void farm_claimed_fini(struct farm_claimed *claimed);

#endif
