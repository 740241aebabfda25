/* SPDX-License-Identifier: MIT */
/*
 * How fast a device works on items of one sort, by the size of the pieces: what was measured, the best size, and
 * whether larger pieces should be tried. The owner guards it.
 */
#ifndef XYLEM_COMPONENTS_THROUGHPUT_H
#define XYLEM_COMPONENTS_THROUGHPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { XY__THROUGHPUT_LEVELS = 32 }; /* sizes are powers of two */

/* When to try larger pieces. */
struct xy__growth {
	double least_us;  /* pieces grow until they last so long */
	unsigned most;    /* the largest level, which fits into the device's memory */
	unsigned samples; /* of each size before the next one; 0: as few as possible */
};

/* All zero: nothing is known. */
struct xy__throughput {
	uint32_t measured;                         /* levels with a measurement, as bits */
	double us_per_item[XY__THROUGHPUT_LEVELS]; /* at each of them */
	unsigned samples[XY__THROUGHPUT_LEVELS];
	double least;          /* of us_per_item; 0: there is none */
	double recent;         /* microseconds per item of the last pieces; 0: none has ended */
	unsigned level;        /* of the size to use: 2^level items */
	unsigned without_gain; /* sizes in a row that brought nothing */
	bool settled;          /* larger pieces are not worth trying */
	bool trial;            /* what is known is of earlier batches: a short piece tells whether it still holds */
	bool known;            /* enough is measured to send pieces ahead */
	double tail;           /* the smallest piece at the end of a batch: smaller ones would cost too much */
	double finer;          /* a smaller one that was skipped, and may do as well; 0: none */
};

/* The largest power of two that is no more; items > 0. */
unsigned xy__throughput_level(uint64_t items);

/* The items of the next piece, of which there may be at most so many. */
double xy__throughput_size(const struct xy__throughput *t, double most);
/* Whether that is one that may be bad: not measured, and so large that launches don't matter much any more. */
bool xy__throughput_tries(const struct xy__throughput *t);
/* Whether a level was measured and is worse than the best by far. */
bool xy__throughput_is_bad(const struct xy__throughput *t, unsigned level);
/* The best size of those that are measured, while another device tries one. */
double xy__throughput_known_size(const struct xy__throughput *t, double most);

/*
 * The size for so many items at the end, at most the tail: what smaller pieces cost against how late a larger one ends.
 */
double xy__throughput_last_size(const struct xy__throughput *t, double due);

/* A piece has ended. */
void xy__throughput_learn(struct xy__throughput *t, uint64_t items, double us, const struct xy__growth *growth);

/* Takes over an earlier measurement of a size; then, once all are there, decides what follows from them. */
void xy__throughput_recall(struct xy__throughput *t, unsigned level, double us, unsigned samples);
void xy__throughput_resume(struct xy__throughput *t, const struct xy__growth *growth);

/*
 * The name under which measurements are stored with the performance models: what is done, the device, and how many
 * workers it has, if there are several: "NAME.cuda0", "NAME.cpu-8". "" if it does not fit.
 */
void xy__throughput_name(char *text, size_t size, const char *name, const char *device, unsigned nworkers);

/* Another batch begins. */
void xy__throughput_doubt(struct xy__throughput *t);

#endif
