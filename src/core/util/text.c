/* SPDX-License-Identifier: MIT */
/*
 * Numbers and names in text that people wrote. Locale-independent: digits are compared, not asked
 * about, and fractions are read in the C locale.
 */
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/text.h"

#define TEXT_NAME_MAX 31

static bool text_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool xy__text_unsigned(const char **text, uint64_t max, uint64_t *value)
{
	const char *p = *text;
	uint64_t sum = 0;
	bool fits = true;

	if (!text_is_digit(*p))
		return false;
	for (; text_is_digit(*p); p++) {
		unsigned digit = (unsigned)(*p - '0');

		if (sum > (UINT64_MAX - digit) / 10)
			fits = false;
		else
			sum = sum * 10 + digit;
	}
	*text = p;
	if (!fits || sum > max)
		return false;
	*value = sum;
	return true;
}

bool xy__text_bytes(const char **text, uint64_t max, uint64_t *value)
{
	uint64_t count = 0;
	const char *start = *text;
	bool fits = xy__text_unsigned(text, UINT64_MAX, &count);
	unsigned shift = **text == 'K' ? 10 : **text == 'M' ? 20 : **text == 'G' ? 30 : 0;

	if (*text == start)
		return false;
	*text += shift > 0;
	if (!fits || count > max >> shift)
		return false;
	*value = count << shift;
	return true;
}

bool xy__text_double(const char **text, double *value)
{
	char *end;
	locale_t c;
	double d;

	/* strtod also takes signs, spaces, "inf", "nan" and "0x": the first letters exclude them. */
	if (!text_is_digit(**text) && !(**text == '.' && text_is_digit((*text)[1])))
		return false;
	if (**text == '0' && ((*text)[1] | 0x20) == 'x')
		return false;
	c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (c == (locale_t)0)
		return false;
	d = strtod_l(*text, &end, c);
	freelocale(c);
	*text = end;
	if (!isfinite(d))
		return false;
	*value = d;
	return true;
}

static unsigned text_min(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static char text_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Rows of the usual table: row[i][j] is the distance of the first i letters of a from the first j
 * letters of b; three rows are enough to see a swap. */
unsigned xy__text_distance(const char *a, const char *b)
{
	unsigned rows[3][TEXT_NAME_MAX + 1];
	size_t na = strlen(a), nb = strlen(b);

	if (na > TEXT_NAME_MAX || nb > TEXT_NAME_MAX)
		return UINT_MAX;
	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *row = rows[i % 3];
		const unsigned *above = rows[(i + 2) % 3], *swap = rows[(i + 1) % 3];
		char x = text_lower(a[i - 1]);

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			char y = text_lower(b[j - 1]);

			row[j] = text_min(text_min(row[j - 1], above[j]) + 1, above[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == text_lower(b[j - 2]) && text_lower(a[i - 2]) == y)
				row[j] = text_min(row[j], swap[j - 2] + 1);
		}
	}
	return rows[na % 3][nb];
}

bool xy__text_is_turned(const char *a, const char *b)
{
	size_t n = strlen(a);

	for (const char *gap = strchr(a, '_'); gap && strlen(b) == n; gap = strchr(gap + 1, '_')) {
		size_t head = (size_t)(gap - a), tail = n - head - 1;

		if (!memcmp(b, gap + 1, tail) && b[tail] == '_' && !memcmp(b + tail + 1, a, head))
			return true;
	}
	return false;
}

bool xy__text_is_near(const char *word, unsigned distance)
{
	return word[0] && distance <= strlen(word) / 2;
}

void xy__text_print(char *text, size_t size, const char *format, ...)
{
	va_list args;

	if (!text || size == 0)
		return;
	va_start(args, format);
	vsnprintf(text, size, format, args);
	va_end(args);
}
