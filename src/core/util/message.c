/* SPDX-License-Identifier: MIT */
/*
 * Messages in a buffer of fixed size.
 */
#include "core/util/message.h"

#include <stdarg.h>
#include <stdio.h>

void xy__message_init(struct xy__message *message, char *buffer, size_t size)
{
	*message = (struct xy__message){ .at = size ? buffer : NULL, .size = buffer ? size : 0 };
	if (message->at)
		message->at[0] = '\0';
}

void xy__message_add(struct xy__message *message, const char *format, ...)
{
	size_t room = message->size - message->used;
	va_list args;
	int length;

	if (!message->at || message->cut)
		return;
	va_start(args, format);
	length = vsnprintf(message->at + message->used, room, format, args);
	va_end(args);
	if (length < 0)
		return;
	message->cut = (size_t)length >= room;
	message->used = message->cut ? message->size - 1 : message->used + (size_t)length;
}
