/* SPDX-License-Identifier: MIT */
/*
 * The memory of a runtime: sets its nodes up, and answers what applications ask of them.
 */
#ifndef XYLEM_CORE_DATA_MEMORY_H
#define XYLEM_CORE_DATA_MEMORY_H

#include <stdio.h>

struct xy_runtime;

int xy__memory_init(struct xy_runtime *rt);
/* Gives the nodes of devices their drivers. */
void xy__memory_place(struct xy_runtime *rt);
void xy__memory_fini(struct xy_runtime *rt);
void xy__memory_dump(struct xy_runtime *rt, FILE *out);

/* The name of the driver that owns the memory; NULL if it is RAM, as far as known. */
const char *xy__memory_owner(struct xy_runtime *rt, const void *memory);

#endif
