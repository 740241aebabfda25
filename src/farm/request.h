/* SPDX-License-Identifier: MIT */
/* What a user asks of a manager that runs: files in requests/, which it does in its next round. */
#ifndef XYLEM_FARM_REQUEST_H
#define XYLEM_FARM_REQUEST_H

#include "farm/manager.h"

enum farm_wish { FARM_CANCEL, FARM_RETRY };

/* Leaves a request. names may be empty: all pieces. 0 or -errno after a message. */
int farm_request_write(const struct farm *farm, enum farm_wish wish, const struct farm_words *names,
		       const struct farm_report *report);

/* Does one request now; the manager's scheduler is told with farm_manager_cancel. 0 or -errno after a message. */
int farm_request_do(struct farm_manager *manager, enum farm_wish wish, const struct farm_words *names);

/* Does all requests that are there and removes them. */
int farm_request_take(struct farm_manager *manager);

/* Whether there is one. */
bool farm_request_waits(const struct farm *farm);

#endif
