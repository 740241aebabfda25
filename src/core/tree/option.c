/* SPDX-License-Identifier: MIT */
/*
 * Options of components as data. A value passes through a double, which holds every bool and
 * unsigned exactly; no limit is INFINITY there and UINT_MAX in an unsigned. Text does not depend on
 * the locale.
 */
#include "core/tree/option.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/tree/tree_parts.h"
#include "core/util/text.h"

const struct xy_option *xy__option_find(const struct xy_component_ops *ops, const char *name, size_t length)
{
	for (const struct xy_option *o = ops->options; o && o->name; o++)
		if (strlen(o->name) == length && !memcmp(o->name, name, length))
			return o;
	return NULL;
}

static void option_store(struct xy_component *c, const struct xy_option *option, double value)
{
	void *field = (char *)c + option->offset;

	switch (option->type) {
	case XY_OPTION_BOOL:
		*(bool *)field = value != 0;
		break;
	case XY_OPTION_UNSIGNED:
		*(unsigned *)field = value < UINT_MAX ? (unsigned)value : UINT_MAX;
		break;
	case XY_OPTION_DOUBLE:
		*(double *)field = value;
		break;
	case XY_OPTION_TEXT:
		*(char *)field = '\0';
		break;
	}
}

double xy__option_value(const struct xy_component *c, const struct xy_option *option)
{
	const void *field = (const char *)c + option->offset;

	switch (option->type) {
	case XY_OPTION_BOOL:
		return *(const bool *)field;
	case XY_OPTION_UNSIGNED:
		return *(const unsigned *)field < UINT_MAX ? *(const unsigned *)field : INFINITY;
	case XY_OPTION_TEXT:
		return 0;
	case XY_OPTION_DOUBLE:
		break;
	}
	return *(const double *)field;
}

const char *xy__option_text(const struct xy_component *c, const struct xy_option *option)
{
	return option->type == XY_OPTION_TEXT ? (const char *)c + option->offset : NULL;
}

bool xy__option_text_has(char c)
{
	return c >= ' ' && c < 127 && !strchr("\"\\`", c);
}

bool xy__option_text_is_bare(char c)
{
	return xy__option_text_has(c) && !strchr(" ()[]{}|,;=#'", c);
}

bool xy__option_is_same(const struct xy_component *a, const struct xy_component *b, const struct xy_option *option)
{
	if (option->type == XY_OPTION_TEXT)
		return !strcmp(xy__option_text(a, option), xy__option_text(b, option));
	return xy__option_value(a, option) == xy__option_value(b, option);
}

void xy__options_reset(struct xy_component *c)
{
	for (const struct xy_option *o = c->ops->options; o && o->name; o++)
		option_store(c, o, o->initial);
}

bool xy__option_in_range(const struct xy_option *option, double value)
{
	if (option->type == XY_OPTION_BOOL || option->type == XY_OPTION_TEXT)
		return true;
	return value >= option->min && value <= option->max;
}

bool xy__option_is_initial(const struct xy_component *c, const struct xy_option *option)
{
	double value = xy__option_value(c, option);

	if (option->type == XY_OPTION_TEXT)
		return !*xy__option_text(c, option);
	if (option->type == XY_OPTION_BOOL)
		return (value != 0) == (option->initial != 0);
	return value == option->initial;
}

static int option_read_bool(const char *text, double *value)
{
	static const char *const words[2][4] = {
		{ "false", "no", "off", "0" },
		{ "true", "yes", "on", "1" },
	};

	for (int b = 0; b < 2; b++)
		for (int i = 0; i < 4; i++)
			if (!strcmp(text, words[b][i])) {
				*value = b;
				return 0;
			}
	return -EINVAL;
}

static int option_read_unsigned(const char *text, double *value)
{
	uint64_t number;
	const char *end = text;
	/* UINT_MAX means no limit, so it can't be requested as a number */
	bool fits = xy__text_unsigned(&end, UINT_MAX - 1, &number);

	if (end == text || *end)
		return -EINVAL;
	if (!fits)
		return -ERANGE;
	*value = (double)number;
	return 0;
}

static int option_read_double(const char *text, double *value)
{
	const char *begin = text + (*text == '-'), *end = begin;
	double number;
	bool fits = xy__text_double(&end, &number);

	if (end == begin || *end)
		return -EINVAL;
	if (!fits)
		return -ERANGE;
	*value = *text == '-' ? -number : number;
	return 0;
}

static int option_set_text(struct xy_component *c, const struct xy_option *option, const char *value)
{
	size_t length = 0;

	while (xy__option_text_has(value[length]))
		length++;
	if (value[length])
		return -EINVAL;
	if (length >= XY_OPTION_TEXT_SIZE)
		return -ERANGE;
	memcpy((char *)c + option->offset, value, length + 1);
	return 0;
}

int xy__option_set(struct xy_component *c, const struct xy_option *option, const char *value)
{
	double number;
	int rc;

	if (option->type == XY_OPTION_TEXT)
		return option_set_text(c, option, value);
	if (option->type == XY_OPTION_BOOL)
		rc = option_read_bool(value, &number);
	else if (!strcmp(value, "inf"))
		number = INFINITY, rc = 0;
	else if (option->type == XY_OPTION_UNSIGNED)
		rc = option_read_unsigned(value, &number);
	else
		rc = option_read_double(value, &number);
	if (rc)
		return rc;
	if (!xy__option_in_range(option, number))
		return -ERANGE;
	option_store(c, option, number);
	return 0;
}

int xy_component_set(struct xy_component *c, const char *option, const char *value)
{
	char name[XY__COMPONENT_NAME], what[100];
	const struct xy_option *found;
	int rc;

	if (!c || !option || !value)
		return -EINVAL;
	if (c->tree && c->tree->sealed)
		return -EBUSY;
	found = xy__option_find(c->ops, option, strlen(option));
	if (!found)
		return xy__tree_note(c->tree, -ENOENT, "%s has no option \"%.40s\"", xy__component_name(c, name),
				     option);
	rc = xy__option_set(c, found, value);
	if (rc) {
		xy__option_describe(found, what, sizeof(what));
		xy__tree_note(c->tree, rc, "%s: %s is %s, not %.40s", xy__component_name(c, name), option, what, value);
	}
	return rc;
}

/* The shortest decimal number that reads back as this double, as people write it: 1000, 0.5, 1e20. */
static void option_print_double(double value, char *text)
{
	int decimals = 0, exponent;
	char *e;

	do
		snprintf(text, XY__OPTION_TEXT, "%.*e", decimals, value);
	while (strtod(text, NULL) != value && ++decimals < 17);
	e = strchr(text, 'e');
	exponent = atoi(e + 1);
	if (exponent >= -5 && exponent <= 15)
		snprintf(text, XY__OPTION_TEXT, "%.*f", decimals > exponent ? decimals - exponent : 0, value);
	else
		sprintf(e + 1, "%d", exponent);
}

void xy__option_print(const struct xy_option *option, double value, char text[static XY__OPTION_TEXT])
{
	locale_t plain, before;

	if (option->type == XY_OPTION_BOOL) {
		strcpy(text, value != 0 ? "true" : "false");
	} else if (isinf(value)) {
		strcpy(text, value > 0 ? "inf" : "-inf");
	} else if (option->type == XY_OPTION_UNSIGNED) {
		snprintf(text, XY__OPTION_TEXT, "%.0f", value);
	} else {
		plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
		before = uselocale(plain); /* without memory: the one in use */
		option_print_double(value, text);
		uselocale(before);
		if (plain)
			freelocale(plain);
	}
}

void xy__option_describe(const struct xy_option *option, char *text, size_t size)
{
	char min[XY__OPTION_TEXT], max[XY__OPTION_TEXT];

	if (option->type == XY_OPTION_BOOL) {
		snprintf(text, size, "true or false");
		return;
	}
	if (option->type == XY_OPTION_TEXT) {
		snprintf(text, size, "text of up to %d characters, in double quotes if it has spaces or brackets",
			 XY_OPTION_TEXT_SIZE - 1);
		return;
	}
	xy__option_print(option, option->min, min);
	xy__option_print(option, option->max, max);
	snprintf(text, size, "a %snumber from %s to %s", option->type == XY_OPTION_UNSIGNED ? "whole " : "", min, max);
}
