/* SPDX-License-Identifier: MIT */
/*
 * Numbers and names in text that people wrote. Nothing here depends on the locale.
 */
#ifndef XYLEM_CORE_UTIL_TEXT_H
#define XYLEM_CORE_UTIL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads the decimal digits at *text into *value and moves *text past them. False without a digit (*text stays) or if
 * the number is above max (*text moves anyway).
 */
bool xy__text_unsigned(const char **text, uint64_t max, uint64_t *value);

/* xy__text_unsigned with an optional K, M or G after the digits: times 1024 once, twice, three times. */
bool xy__text_bytes(const char **text, uint64_t max, uint64_t *value);

/*
 * Reads a decimal number such as 3, 0.5 or 1e-3 (no sign, no "inf", no hexadecimal) likewise. False without one, or if
 * it is too large for a double.
 */
bool xy__text_double(const char **text, double *value);

/* How many letters must be put in, left out, changed or swapped with their neighbour to get from a
 * to b; letters of different case are alike. Names beyond 31 letters differ by UINT_MAX. */
unsigned xy__text_distance(const char *a, const char *b);

/* Whether b is a with the parts around one of its underscores swapped: LIMIT_CUDA and CUDA_LIMIT. */
bool xy__text_is_turned(const char *a, const char *b);

/* Whether a word at that distance deserves a "did you mean". */
bool xy__text_is_near(const char *word, unsigned distance);

/* Writes a sentence for the caller, cut to size; nothing for NULL. */
__attribute__((format(printf, 3, 4))) void xy__text_print(char *text, size_t size, const char *format, ...);

#endif
