/* SPDX-License-Identifier: MIT */
/*
 * The teams of a machine: sets of CPU workers that share a part of the topology. They follow from the machine alone,
 * so a number means the same team in every tree.
 */
#ifndef XYLEM_CORE_TREE_TREE_TEAMS_H
#define XYLEM_CORE_TREE_TREE_TEAMS_H

#include <xylem/component.h>

struct xy__team_set {
	unsigned count;
	unsigned *members; /* workers in rising order */
};

/* Locking key: (b) builder's thread until seal, constant afterwards; (l) lock, (a) atomic. */
struct xy__tree_teams {
	unsigned count;               /* (b) */
	struct xy__team_set *sets;    /* (b) by size, then by first member */
	unsigned *memory;             /* (b) of all members */
	struct xy_component **leaves; /* (b) by team, NULL where not made yet */
	/* For the parallel-workers, which share them. */
	struct xy_lock lock;
	uint64_t tickets;        /* (l) that were given */
	_Atomic unsigned *calls; /* (a) by worker: tasks that wait for it; written under the lock */
};

/* Finds the teams: each place of the topology that holds several parts with CPU workers; where there
 * are more than two, halves of the parts, halves of these, and so on. No set comes twice. NULL without
 * memory. */
struct xy__tree_teams *xy__tree_teams_create(const struct xy_machine *machine, const bool *absent);
void xy__tree_teams_destroy(struct xy__tree_teams *teams); /* NULL is allowed */

#endif
