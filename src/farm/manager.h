/* SPDX-License-Identifier: MIT */
/* The manager of a farm: holds its lock, its state and its scheduler, and makes one round after the other. */
#ifndef XYLEM_FARM_MANAGER_H
#define XYLEM_FARM_MANAGER_H

#include "farm/cluster.h"
#include "farm/lock.h"
#include "farm/observe.h"
#include "farm/read.h"

struct farm_manager {
	struct farm *farm;
	const struct farm_report *report;
	struct farm_lock lock;
	struct farm_state state;
	struct farm_cluster cluster;
	struct farm_observer observer;
	struct farm_round round;
	struct farm_words killed; /* jobs to cancel in this round; memory of the cluster's scratch */
	unsigned refusals;        /* submissions that failed, one after the other */
	double back_off_s;        /* until the next submission */
};

/* Makes the folder, locks it, opens the state, writes scripts and pieces. 0 or -errno after a message. */
int farm_manager_open(struct farm_manager *manager, struct farm *farm, const struct farm_place *place,
		      const struct farm_report *report);
void farm_manager_close(struct farm_manager *manager);

/*
 * One round: asks the queue once, reconciles, cancels, submits. now is the time of its transitions, wait_s how long ago
 * the last round was. 0, or -errno after a message: -ECONNREFUSED when the scheduler refused too often in a row, -EBUSY
 * when another manager took over; after any other error the next round tries again.
 */
int farm_manager_round(struct farm_manager *manager, int64_t now, double wait_s);

/* Cancels jobs that rounds or users gave up, all with one command. */
int farm_manager_cancel(struct farm_manager *manager);

#endif
