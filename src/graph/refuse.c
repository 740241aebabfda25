/* SPDX-License-Identifier: MIT */
/*
 * What readers say about a text that is wrong: the first fault counts.
 */
#include "graph/read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int graph__refuse(struct graph_source *source, unsigned line, const char *format, ...)
{
	va_list list;
	char text[320];

	if (source->message.used)
		return -EINVAL;
	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	if (line)
		xy__message_add(&source->message, "%s:%u: %s", source->name, line, text);
	else
		xy__message_add(&source->message, "%s: %s", source->name, text);
	return -EINVAL;
}

int graph__refuse_whole(struct graph_source *source, int error)
{
	graph__refuse(source, 0, "%s",
		      error == -ENOMEM  ? "not enough memory"
		      : error == -E2BIG ? "too many tasks or data"
					: "a duration is longer than 1e30 us, or a datum larger than 2^50 bytes");
	return error;
}
