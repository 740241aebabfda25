/* SPDX-License-Identifier: MIT */
/*
 * How the tool speaks: lines to stderr, suggestions, colours on a terminal only. The one place of
 * the tool that reads the environment for itself (NO_COLOR, TERM).
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/util/message.h"
#include "core/util/nearest.h"
#include "tools/tool.h"

void tool_say(const char *format, ...)
{
	char text[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	xy__log(NULL, "%s", text);
}

void tool_say_lines(const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		fprintf(stderr, "xylem: %.*s\n", (int)length, text);
		text += length + (text[length] == '\n');
	}
}

void tool_suggest(char *text, size_t size, const char *word, const char *const *names)
{
	struct xy__nearest nearest;
	struct xy__message message;

	xy__message_init(&message, text, size);
	xy__nearest_init(&nearest, word, strlen(word));
	for (; *names; names++)
		xy__nearest_look(&nearest, *names);
	xy__nearest_say(&nearest, &message);
}

bool tool_has_colour(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && term && *term && strcmp(term, "dumb");
}

const char *tool_bold(void)
{
	return tool_has_colour() ? "\033[1m" : "";
}

const char *tool_plain(void)
{
	return tool_has_colour() ? "\033[0m" : "";
}
