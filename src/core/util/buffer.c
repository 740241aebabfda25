/* SPDX-License-Identifier: MIT */
/*
 * Text that grows.
 */
#include "core/util/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void xy__buffer_fini(struct xy__buffer *buffer)
{
	free(buffer->at);
	*buffer = (struct xy__buffer){ 0 };
}

static bool buffer_reserve(struct xy__buffer *buffer, size_t more)
{
	size_t needed = buffer->length + more + 1, capacity = buffer->capacity ? buffer->capacity : 256;
	char *at;

	if (needed <= buffer->capacity)
		return true;
	while (capacity < needed)
		capacity *= 2;
	at = realloc(buffer->at, capacity);
	if (!at)
		return false;
	buffer->at = at;
	buffer->capacity = capacity;
	return true;
}

void xy__buffer_add(struct xy__buffer *buffer, const char *format, ...)
{
	va_list args, again;
	int length;

	va_start(args, format);
	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, args);
	if (buffer->failed || length < 0 || !buffer_reserve(buffer, (size_t)length)) {
		buffer->failed = true;
	} else {
		vsnprintf(buffer->at + buffer->length, (size_t)length + 1, format, again);
		buffer->length += (size_t)length;
	}
	va_end(again);
	va_end(args);
}

void xy__buffer_cut(struct xy__buffer *buffer, size_t length)
{
	if (length < buffer->length) {
		buffer->length = length;
		buffer->at[length] = '\0';
	}
}
