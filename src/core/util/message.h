/* SPDX-License-Identifier: MIT */
/*
 * A message that is written piece by piece into a buffer of fixed size. What does not fit is cut;
 * the text always ends with a zero byte.
 */
#ifndef XYLEM_CORE_UTIL_MESSAGE_H
#define XYLEM_CORE_UTIL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

struct xy__message {
	char *at;          /* NULL: everything is thrown away */
	size_t size, used; /* used < size, unless size is 0 */
	bool cut;
};

/* Begins an empty message; buffer may be NULL. */
void xy__message_init(struct xy__message *message, char *buffer, size_t size);

__attribute__((format(printf, 2, 3))) void xy__message_add(struct xy__message *message, const char *format, ...);

#endif
