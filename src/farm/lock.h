/* SPDX-License-Identifier: MIT */
/* One manager for each farm: a lock file with its owner, which another takes over only from a dead one. */
#ifndef XYLEM_FARM_LOCK_H
#define XYLEM_FARM_LOCK_H

#include "farm/farm.h"

struct farm_lock {
	char *path; /* owned; NULL: not locked */
	int fd;
	char text[320]; /* what is in the file */
};

/*
 * Locks a folder for this process. -EBUSY after a message that names the owner. On one computer the kernel
 * tells whether
 * the owner lives; an owner on another one lives if it touched the file within patience_s, by the file server's clock.
 */
int farm_lock(struct farm_lock *lock, const char *folder, const char *host, double patience_s,
	      const struct farm_report *report);

/* Shows that the owner lives. -EBUSY after a message if another manager took over. */
int farm_lock_touch(struct farm_lock *lock, const struct farm_report *report);
void farm_lock_release(struct farm_lock *lock);

#endif
