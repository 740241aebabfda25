/* SPDX-License-Identifier: MIT */
/*
 * The words of machine files: names, sizes, times and rates, and what to say when a word is none of them.
 */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/platform_parts.h"
#include "core/util/nearest.h"
#include "core/util/text.h"

enum { WORDS_MESSAGE = 512, WORDS_WORD = 256, WORDS_LISTED = 10 };

bool xy__xym_wrong(struct xy__xym_reader *r, const char *format, ...)
{
	struct xy__xym_problem *more = realloc(r->problems, (r->nproblems + 1) * sizeof *more);
	va_list args;
	char *text;
	int length;

	if (more)
		r->problems = more;
	va_start(args, format);
	length = more ? vasprintf(&text, format, args) : -1;
	va_end(args);
	if (length < 0)
		r->no_memory = true;
	else
		r->problems[r->nproblems++] = (struct xy__xym_problem){ .line = r->lines.number, .text = text };
	return false;
}

void xy__xym_skip(struct xy__xym_reader *r)
{
	if (r->no_memory || !r->nproblems)
		return;
	r->problems[r->nproblems - 1].skipped = true;
	r->nskipped++;
}

bool xy__xym_unknown(struct xy__xym_reader *r, const char *kind, const char *word, const char *names, size_t stride,
		     unsigned n)
{
	struct xy__nearest nearest;
	struct xy__message message;
	char text[WORDS_MESSAGE];

	xy__nearest_init(&nearest, word, strlen(word));
	for (unsigned i = 0; i < n; i++)
		xy__nearest_look(&nearest, names + i * stride);
	xy__message_init(&message, text, sizeof text);
	xy__message_add(&message, "no %s \"%s\"", kind, word);
	if (!xy__nearest_say(&nearest, &message) && n > 0 && n <= WORDS_LISTED)
		for (unsigned i = 0; i < n; i++)
			xy__message_add(&message, "%s\"%s\"", i ? ", " : "; there is ", names + i * stride);
	return xy__xym_wrong(r, "%s", text);
}

bool xy__xym_word(struct xy__xym_reader *r, char *word, size_t size, const char *what)
{
	char found[WORDS_WORD];

	if (!xy__lines_word(&r->lines, found, sizeof found))
		return xy__xym_wrong(r, "expected %s at the end of the line", what);
	if (strlen(found) >= size)
		return xy__xym_wrong(r, "\"%.40s...\" is too long: %s has at most %zu characters", found, what,
				     size - 1);
	memcpy(word, found, strlen(found) + 1);
	return true;
}

bool xy__xym_name(struct xy__xym_reader *r, char *name, size_t size, const char *what)
{
	if (!xy__xym_word(r, name, size, what))
		return false;
	for (const char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("-_.+", *at))
			return xy__xym_wrong(r,
					     "\"%s\" is no name of %s: letters, digits, '-', '_', '.' and '+' "
					     "make one",
					     name, what);
	return true;
}

bool xy__xym_count(struct xy__xym_reader *r, unsigned max, unsigned *count, const char *what)
{
	char word[WORDS_WORD];
	const char *at = word;
	uint64_t value;

	if (!xy__xym_word(r, word, sizeof word, what))
		return false;
	if (!xy__text_unsigned(&at, max, &value) || *at || value == 0)
		return xy__xym_wrong(r, "\"%s\" is not %s: a whole number from 1 to %u", word, what, max);
	*count = (unsigned)value;
	return true;
}

bool xy__xym_size(struct xy__xym_reader *r, double *bytes, const char *what)
{
	char word[WORDS_WORD];
	const char *at = word;
	double product = 1, factor;

	if (!xy__xym_word(r, word, sizeof word, what))
		return false;
	for (;; at++) {
		if (!xy__text_double(&at, &factor))
			break;
		product *= factor * (*at == 'K' ? 0x1p10 : *at == 'M' ? 0x1p20 : *at == 'G' ? 0x1p30 : 1);
		at += *at == 'K' || *at == 'M' || *at == 'G';
		if (*at != 'x')
			break;
	}
	*bytes = round(product);
	if (*at || at == word || at[-1] == 'x' || !(*bytes >= 1 && *bytes <= 0x1p53))
		return xy__xym_wrong(r, "\"%s\" is not %s: bytes, such as 4096, 6G or 3x960x960x4", word, what);
	return true;
}

/* A number, and behind it one of some units. */
static bool words_measure(const char *word, const char *const *units, const double *factors, double *value)
{
	const char *at = word;

	if (!xy__text_double(&at, value))
		return false;
	for (unsigned i = 0; units[i]; i++)
		if (!strcmp(at, units[i])) {
			*value *= factors[i];
			return isfinite(*value);
		}
	return false;
}

bool xy__xym_time(struct xy__xym_reader *r, double *us, const char *what)
{
	static const char *const units[] = { "us", "ms", "s", "ns", NULL };
	static const double factors[] = { 1, 1e3, 1e6, 1e-3 };
	char word[WORDS_WORD];

	if (!xy__xym_word(r, word, sizeof word, what))
		return false;
	if (!words_measure(word, units, factors, us))
		return xy__xym_wrong(r,
				     "\"%s\" is not %s: a number with ns, us, ms or s right behind it, "
				     "such as 18.85ms",
				     word, what);
	return true;
}

bool xy__xym_rate(struct xy__xym_reader *r, double *bytes_per_us, const char *what)
{
	static const char *const units[] = { "MB/s", "GB/s", "KB/s", NULL };
	static const double factors[] = { 1, 1e3, 1e-3 };
	char word[WORDS_WORD];

	if (!xy__xym_word(r, word, sizeof word, what))
		return false;
	if (!words_measure(word, units, factors, bytes_per_us) || !(*bytes_per_us > 0))
		return xy__xym_wrong(r,
				     "\"%s\" is not %s: a number above 0 with KB/s, MB/s or GB/s right behind it, "
				     "such as 6GB/s",
				     word, what);
	return true;
}

bool xy__xym_class(struct xy__xym_reader *r, unsigned *class)
{
	struct xy__platform *p = r->p;
	char name[XY__PLATFORM_WORD];

	if (!xy__xym_word(r, name, sizeof name, "a class of workers"))
		return false;
	for (*class = 0; *class < p->nclasses; ++*class)
		if (!strcmp(name, p->classes[*class].name))
			return true;
	return xy__xym_unknown(r, "class", name, p->classes[0].name, sizeof p->classes[0], p->nclasses);
}

bool xy__xym_ended(struct xy__xym_reader *r)
{
	char word[WORDS_WORD];

	if (xy__lines_ended(&r->lines))
		return true;
	xy__lines_word(&r->lines, word, sizeof word);
	return xy__xym_wrong(r, "unexpected word \"%.40s\"", word);
}
