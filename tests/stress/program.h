/* SPDX-License-Identifier: MIT */
/*
 * A random program over handles, and what it should compute: each step is done at once on plain arrays, and given
 * to the runtime. Any thread may run one, on a runtime that others use too. The first thing that is not as it
 * should be is noted, and ends the program.
 */
#ifndef XYLEM_TESTS_STRESS_PROGRAM_H
#define XYLEM_TESTS_STRESS_PROGRAM_H

#include "../core/data/bed.h"

enum { PROGRAM_DATA = 9, PROGRAM_SIZES = 3, PROGRAM_WHY = 256 };

/* A task never needs more than three of the largest. */
enum { PROGRAM_MOST_NUMBERS = 1000, PROGRAM_MOST_BYTES = 3 * PROGRAM_MOST_NUMBERS * sizeof(uint32_t) };

/* A handle, and what it should hold after all steps so far. */
struct program_data {
	unsigned id;                   /* a piece has that of the whole */
	struct xy_handle *handle;
	uint32_t *memory;              /* the application's, NULL: the runtime's */
	uint32_t *model;
	size_t n;
	struct xy_plan *plan;          /* to cut it, or NULL */
};

struct program {
	struct xy_runtime *rt;
	/* Tasks and calls may fail. What they should have written is not there then; so whatever is there is what it
	 * should be, as before. */
	bool faulty;
	uint64_t random;
	struct program_data data[PROGRAM_DATA];
	unsigned nsteps;               /* done */
	const char *step;              /* the last one */
	_Atomic int callbacks;         /* that have not been called */
	pthread_mutex_t lock;
	char why[PROGRAM_WHY];         /* (lock) what went wrong; "" so far nothing */
};

void program_init(struct program *p, struct xy_runtime *rt, uint64_t seed);
/* Does so many steps, waits, looks at all data and unregisters it. */
void program_run(struct program *p, unsigned nsteps);
/* True if all was well. */
bool program_fini(struct program *p);

#endif
