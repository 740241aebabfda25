/* SPDX-License-Identifier: MIT */
/* Known names nearest to an unknown one, for suggestions. */
#ifndef XYLEM_CORE_UTIL_NEAREST_H
#define XYLEM_CORE_UTIL_NEAREST_H

#include <stdbool.h>
#include <stddef.h>
#include "core/util/message.h"

enum { XY__NEAREST = 3 }; /* maximum number of suggestions */

/* A search: begin it, show it every name, then let it speak. */
struct xy__nearest {
	char wanted[64];
	const char *names[XY__NEAREST]; /* best first, of these distances */
	unsigned distances[XY__NEAREST];
	bool whole[XY__NEAREST]; /* that is the distance of the whole name, which comes first among equals */
	unsigned count;
};

/* Begins a search; wanted has length bytes. */
void xy__nearest_init(struct xy__nearest *nearest, const char *wanted, size_t length);

/* Considers a name, which must outlive the search. */
void xy__nearest_look(struct xy__nearest *nearest, const char *name);

/* Writes `; did you mean "a" or "b"?` if some name is near enough; says whether it did. */
bool xy__nearest_say(const struct xy__nearest *nearest, struct xy__message *message);

#endif
