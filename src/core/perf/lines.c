/* SPDX-License-Identifier: MIT */
/*
 * Text line by line and word by word, for the readers of model and bus files.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/perf/lines.h"
#include "core/util/text.h"

void xy__lines_init(struct xy__lines *l, const char *text)
{
	*l = (struct xy__lines){ .next = text };
	l->at = l->line;
}

static void lines_skip(struct xy__lines *l)
{
	l->at += strspn(l->at, " \t\r");
}

bool xy__lines_next(struct xy__lines *l)
{
	while (*l->next) {
		size_t length = strcspn(l->next, "\n"), used = strcspn(l->next, "#\n");

		l->number++;
		l->at = l->line;
		if (used >= sizeof l->line) {
			l->line[0] = '\0';
			return false;
		}
		memcpy(l->line, l->next, used);
		l->line[used] = '\0';
		l->next += length + (l->next[length] == '\n');
		lines_skip(l);
		if (*l->at)
			return true;
	}
	return false;
}

bool xy__lines_word(struct xy__lines *l, char *word, size_t size)
{
	size_t length;

	lines_skip(l);
	length = strcspn(l->at, " \t\r");
	snprintf(word, size, "%.*s", (int)length, l->at);
	l->at += length;
	return length > 0;
}

bool xy__lines_expect(struct xy__lines *l, const char *word)
{
	char found[64];

	return xy__lines_word(l, found, sizeof found) && !strcmp(found, word);
}

bool xy__lines_number(struct xy__lines *l, double *value)
{
	char word[64];
	const char *at = word;
	bool negative;

	if (!xy__lines_word(l, word, sizeof word))
		return false;
	negative = *at == '-';
	at += *at == '-' || *at == '+';
	if (!strcmp(at, "nan")) {
		*value = NAN;
		return true;
	}
	if (!xy__text_double(&at, value) || *at)
		return false;
	*value = negative ? -*value : *value;
	return true;
}

bool xy__lines_quantity(struct xy__lines *l, double *value)
{
	return xy__lines_number(l, value) && *value >= 0 && isfinite(*value);
}

bool xy__lines_unsigned(struct xy__lines *l, uint64_t max, uint64_t *value)
{
	char word[64];
	const char *at = word;

	return xy__lines_word(l, word, sizeof word) && xy__text_unsigned(&at, max, value) && !*at;
}

bool xy__lines_hexadecimal(struct xy__lines *l, uint32_t *value)
{
	char word[64];

	if (!xy__lines_word(l, word, sizeof word) || strlen(word) > 8)
		return false;
	*value = 0;
	for (const char *at = word; *at; at++) {
		if (!isxdigit((unsigned char)*at))
			return false;
		*value = *value << 4 | (uint32_t)(*at <= '9' ? *at - '0' : (*at | 32) - 'a' + 10);
	}
	return true;
}

bool xy__lines_ended(struct xy__lines *l)
{
	lines_skip(l);
	return !*l->at;
}

void xy__number_print(struct xy__buffer *text, double value)
{
	char number[64], plain[64];
	unsigned n = 0;

	snprintf(number, sizeof number, "%.9g", value);
	for (const char *at = number; *at; at++)
		if (strchr("0123456789+-enaif", *at))
			plain[n++] = *at;
		else if (!n || plain[n - 1] != '.')
			plain[n++] = '.';
	plain[n] = '\0';
	xy__buffer_add(text, "%s", plain);
}
