/* SPDX-License-Identifier: MIT */
/* The state of a runtime as text, for a program that does not move. */
#ifndef XYLEM_CORE_RUNTIME_DUMP_H
#define XYLEM_CORE_RUNTIME_DUMP_H

struct xy_runtime;

/* xy_dump to the log: the function of the settings, line by line, or stderr. */
void xy__dump_log(struct xy_runtime *rt);

#endif
