/* SPDX-License-Identifier: MIT */
/*
 * Text that grows. Zero is an empty one; without memory it keeps what it has and says so at the end.
 */
#ifndef XYLEM_CORE_UTIL_BUFFER_H
#define XYLEM_CORE_UTIL_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

struct xy__buffer {
	char *at; /* ends with a zero byte once something was added */
	size_t length, capacity;
	bool failed; /* something could not be added */
};

void xy__buffer_fini(struct xy__buffer *buffer);

__attribute__((format(printf, 2, 3))) void xy__buffer_add(struct xy__buffer *buffer, const char *format, ...);

/* Forgets everything from there on. */
void xy__buffer_cut(struct xy__buffer *buffer, size_t length);

#endif
