/* SPDX-License-Identifier: MIT */
/* Commands of the scheduler, run without a shell and with a time limit. */
#ifndef XYLEM_FARM_PROCESS_H
#define XYLEM_FARM_PROCESS_H

#include <spawn.h>

#include "core/util/buffer.h"
#include "farm/farm.h"

/*
 * Runs a command to its end and collects what it prints on standard output and error. 0 with its exit status in
 * *status (128 and the signal if one ended it), or -errno: -ENOENT if there is no such program, -ETIMEDOUT.
 */
int farm_process_run(char *const argv[], double timeout_s, struct xy__buffer *output, struct xy__buffer *errors,
		     int *status);

/* The words as an argument list that ends with NULL, to be freed; NULL without memory. */
char **farm_process_argv(const struct farm_words *words);

/* Attributes for a program that is started: no signal is blocked or ignored, and flags (a group or a session of its
 * own). 0 or -ENOMEM; to be destroyed. */
int farm_process_attributes(posix_spawnattr_t *attributes, short flags);

#endif
