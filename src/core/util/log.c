/* SPDX-License-Identifier: MIT */
/*
 * Log lines. Each is written in one call, so that lines of several threads don't mix, and control characters become
 * spaces, so that a name in a message can't start a new line.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/util/log.h"

#define LOG_MAX 1023

static const char log_prefix[] = "xylem: ";
#define LOG_PREFIX (sizeof(log_prefix) - 1)

/* Cuts a line that was too long at a whole UTF-8 character and shows that it was cut. */
static size_t log_cut(char *line)
{
	size_t length = LOG_MAX - 3;

	while (length > 0 && ((unsigned char)line[length] & 0xc0) == 0x80)
		length--;
	memcpy(line + length, "...", 4);
	return length + 3;
}

static void log_write(const char *text, size_t size)
{
	while (size > 0) {
		ssize_t written = write(STDERR_FILENO, text, size);

		if (written < 0 && errno != EINTR)
			return;
		if (written > 0) {
			text += written;
			size -= (size_t)written;
		}
	}
}

void xy__log(const struct xy__log *log, const char *format, ...)
{
	char buffer[LOG_PREFIX + LOG_MAX + 1];
	char *line = buffer + LOG_PREFIX;
	int saved = errno;
	size_t length;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line, LOG_MAX + 1, format, args);
	va_end(args);
	if (n < 0)
		n = snprintf(line, LOG_MAX + 1, "%s", format);
	length = n > LOG_MAX ? log_cut(line) : (size_t)n;
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
			line[i] = ' ';
	if (log && log->function) {
		log->function(log->arg, line);
	} else {
		memcpy(buffer, log_prefix, LOG_PREFIX);
		line[length] = '\n';
		log_write(buffer, LOG_PREFIX + length + 1);
	}
	errno = saved;
}
