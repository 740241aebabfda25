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
	unsigned id; /* a piece has that of the whole */
	struct xy_handle *handle;
	uint32_t *memory; /* the application's, NULL: the runtime's */
	uint32_t *model;
	size_t n;
	struct xy_plan *plan; /* to cut it, or NULL */
};

struct program {
	struct xy_runtime *rt;
	/* Tasks and calls may fail. What they should have written is not there then; so whatever is there is what it
	 * should be, as before. */
	bool faulty;
	uint64_t random;
	struct program_data data[PROGRAM_DATA];
	unsigned nsteps;       /* done */
	const char *step;      /* the last one */
	_Atomic int callbacks; /* that have not been called */
	pthread_mutex_t lock;
	char why[PROGRAM_WHY]; /* (lock) what went wrong; "" so far nothing */
};

void program_init(struct program *p, struct xy_runtime *rt, uint64_t seed);
/* Does so many steps, waits, looks at all data and unregisters it. */
void program_run(struct program *p, unsigned nsteps);
/* True if all was well. */
bool program_fini(struct program *p);

/* --- for its steps --- */

unsigned program_below(struct program *p, unsigned n);
void program_check(struct program *p, bool right, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* What a call returned. Where calls may fail, those that did have done nothing. */
void program_expect(struct program *p, int error, const char *call);
struct program_data *program_any_data(struct program *p);
/* Of the same size. */
struct program_data *program_any_like(struct program *p, const struct program_data *d);
unsigned program_any_node(struct program *p);
enum xy_mode program_any_mode(struct program *p);
/* A task on as many of the data as the codelet has modes, the last of which is used in that mode too. */
void program_submit(struct program *p, const struct xy_codelet *codelet, struct program_data *const d[3],
		    enum xy_mode last);
void program_acquire(struct program *p, struct program_data *d, enum xy_mode mode);

/* program_pieces.c: with waiting, without, and several plans that read together. */
void program_partition(struct program *p);
void program_plan(struct program *p);
void program_share(struct program *p);

#endif
