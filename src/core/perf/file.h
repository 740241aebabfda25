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

#endif
