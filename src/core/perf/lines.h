/* SPDX-License-Identifier: MIT */
/* The lines, words and numbers of a text, for readers and writers of models and machines. */
#ifndef XYLEM_CORE_PERF_LINES_H
#define XYLEM_CORE_PERF_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/util/buffer.h"

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

/* A number in text, whatever the locale. */
void xy__number_print(struct xy__buffer *text, double value);

#endif
