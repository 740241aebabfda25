/* SPDX-License-Identifier: MIT */
/*
 * Model files as values: what is in one, from text and to text. Reads our own format and StarPU's (version 45).
 * Nothing here touches a file, so that any text can be tried.
 */
#ifndef XYLEM_CORE_PERF_FILE_H
#define XYLEM_CORE_PERF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xylem/machine.h>
#include <xylem/perf.h>

#include "core/util/buffer.h"

enum {
	XY__MODEL_NAME = 128,
	XY__MODEL_ROWS = 8192,        /* at most */
	XY__MODEL_IMPLEMENTATIONS = 4 /* as XY_NIMPLEMENTATIONS */
};

/* Measurements of the tasks with one footprint, on one architecture with one implementation. */
struct xy__row {
	enum xy_arch arch;
	unsigned implementation;
	uint32_t footprint;
	bool synthetic; /* not measured: derived from another row */
	double size;
	double median, spread, mean, deviation;
	uint64_t samples, outliers;
	unsigned drifts;
	int64_t updated; /* seconds since 1970; 0: not known */
	unsigned nterms;
	double terms[XY_NTERMS];
};

struct xy__model_file {
	char name[XY__MODEL_NAME], host[XY__MODEL_NAME]; /* "" where the text does not say */
	enum xy_model_kind kind;
	bool foreign;  /* StarPU's: its footprints are not ours */
	int64_t saved; /* seconds since 1970; 0: not known */
	struct xy__row *rows;
	unsigned nrows, capacity;
};

/* Reads a text of either format, which ends with a zero byte. 0, -ENOMEM, or -EINVAL with a sentence that begins
 * with "line N: ". file needs fini only after 0. */
int xy__model_file_read(struct xy__model_file *file, const char *text, char *error, size_t error_size);
/* Appends the text in our own format. */
void xy__model_file_print(const struct xy__model_file *file, struct xy__buffer *text);
void xy__model_file_fini(struct xy__model_file *file);

/* A new row, all zero; NULL without memory or when there are too many. */
struct xy__row *xy__model_file_add(struct xy__model_file *file);
struct xy__row *xy__model_file_find(const struct xy__model_file *file, const struct xy__row *like);

/* "history", "linear" and so on; NULL for anything else. */
const char *xy__model_kind_name(enum xy_model_kind kind);

/* --- for the readers --- */

/* A text, line by line: without what follows a '#', and without empty ones. */
struct xy__lines {
	const char *next;
	unsigned number; /* of the current one, from 1 */
	char line[1024];
	const char *at; /* in it */
};

void xy__lines_init(struct xy__lines *lines, const char *text);
/* Goes to the next; false at the end, or when it is too long. */
bool xy__lines_next(struct xy__lines *lines);
/* The next word of the line, cut to size; false at its end. */
bool xy__lines_word(struct xy__lines *lines, char *word, size_t size);
bool xy__lines_expect(struct xy__lines *lines, const char *word);
/* A number that may have a sign, and may be "nan". */
bool xy__lines_number(struct xy__lines *lines, double *value);
/* A number from 0 up, and not "nan" or "inf". */
bool xy__lines_quantity(struct xy__lines *lines, double *value);
bool xy__lines_unsigned(struct xy__lines *lines, uint64_t max, uint64_t *value);
bool xy__lines_hexadecimal(struct xy__lines *lines, uint32_t *value);
/* Nothing more on this line? */
bool xy__lines_ended(struct xy__lines *lines);

/* StarPU's format; the text has been seen to be of it. */
int xy__starpu_read(struct xy__model_file *file, struct xy__lines *lines, char *error, size_t error_size);

/* A number in text, whatever the locale. */
void xy__number_print(struct xy__buffer *text, double value);

#endif
