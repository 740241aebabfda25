/* SPDX-License-Identifier: MIT */
/* The self-test of `xylem check --run`. */
#ifndef XYLEM_TOOLS_CHECK_RUN_H
#define XYLEM_TOOLS_CHECK_RUN_H

#include <xylem/check.h>

#include "tools/tool.h"

/*
 * Runs nseeds cases from the seed of this one on, and reports the first that breaks a rule; shrink: a smaller one, if
 * there is one, to which the case is set. plugins is as the user gave it, or NULL.
 */
enum tool_status tool_check_run(struct xy_check *check, uint64_t nseeds, bool shrink, const char *plugins);

#endif
