/* SPDX-License-Identifier: MIT */
/*
 * Messages about an expression: where it is wrong, and a picture of the place. Columns count
 * characters, from 1; a long line is shown around the place only.
 */
#include "core/tree/expression.h"

#include <string.h>

enum { AROUND = 60 }; /* bytes that are shown before and after the place */

static bool continues_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* The line of an offset: its number from 0, and where it begins and ends. */
static unsigned line_of(const struct xy__expression *x, size_t at, size_t *begin, size_t *end)
{
	unsigned line = 0;

	*begin = 0;
	for (size_t i = 0; i < at; i++)
		if (x->text[i] == '\n') {
			*begin = i + 1;
			line++;
		}
	*end = at;
	while (*end < x->length && x->text[*end] != '\n')
		++*end;
	return line;
}

static size_t characters(const char *text, size_t begin, size_t end)
{
	size_t count = 0;

	for (; begin < end; begin++)
		count += !continues_character(text[begin]);
	return count;
}

void xy__expression_complain(struct xy__expression *x, size_t at)
{
	size_t begin, end;
	unsigned line = line_of(x, at, &begin, &end);

	if (x->origin)
		xy__message_add(x->error, "%s, ", x->origin);
	if (memchr(x->text, '\n', x->length))
		xy__message_add(x->error, "line %u, ", line + 1);
	xy__message_add(x->error, "column %zu: ", characters(x->text, begin, at) + 1);
}

/* Adds a part of the text; what could confuse a terminal becomes '?'. */
static void show(struct xy__message *out, const char *text, size_t begin, size_t end)
{
	for (; begin < end; begin++) {
		unsigned char c = (unsigned char)text[begin];

		xy__message_add(out, "%c", c == '\t' || c == '\r' ? ' ' : c < ' ' || c == 127 ? '?' : c);
	}
}

int xy__expression_point(struct xy__expression *x, size_t at, int rc)
{
	size_t begin, end, from, to;

	line_of(x, at, &begin, &end);
	from = at - begin > AROUND ? at - AROUND : begin;
	to = end - at > AROUND ? at + AROUND : end;
	while (from > begin && continues_character(x->text[from]))
		from--;
	while (to < end && continues_character(x->text[to]))
		to++;
	xy__message_add(x->error, "\n  %s", from > begin ? "..." : "");
	show(x->error, x->text, from, to);
	xy__message_add(x->error, "%s\n  %*s^", to < end ? "..." : "",
			(int)characters(x->text, from, at) + (from > begin ? 3 : 0), "");
	return rc;
}
