/* SPDX-License-Identifier: MIT */
/* Values of farm.yml, checked one by one. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/util/text.h"
#include "farm/quote.h"
#include "farm/read.h"

bool farm_read_refuse(const struct farm_reader *reader, const struct farm_node *node, const char *format, ...)
{
	char what[600];
	va_list list;

	va_start(list, format);
	vsnprintf(what, sizeof(what), format, list);
	va_end(list);
	farm_say(reader->report, "%s:%u: %s%s%s", node->source, node->line, node->key ? node->key : "",
		 node->key ? ": " : "", what);
	return false;
}

bool farm_read_text(const struct farm_reader *reader, const struct farm_node *node, char **text)
{
	if (node->kind != FARM_SCALAR || farm_node_is_null(node))
		return farm_read_refuse(reader, node, "must be a text");
	*text = node->text;
	return true;
}

bool farm_read_truth(const struct farm_reader *reader, const struct farm_node *node, bool *value)
{
	static const char *const words[] = { "false", "true", "no", "yes", "off", "on" };

	for (size_t i = 0; node->kind == FARM_SCALAR && i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcasecmp(node->text, words[i])) {
			*value = i & 1;
			return true;
		}
	return farm_read_refuse(reader, node, "must be true or false");
}

bool farm_read_count(const struct farm_reader *reader, const struct farm_node *node, unsigned *value)
{
	const char *at = node->text;
	uint64_t count;

	if (node->kind != FARM_SCALAR || !xy__text_unsigned(&at, 1000000000, &count) || *at)
		return farm_read_refuse(reader, node, "%s%.40s%s is not a whole number from 0 to 1000000000",
					node->text ? "\"" : "this", node->text ? node->text : "",
					node->text ? "\"" : "");
	*value = (unsigned)count;
	return true;
}

bool farm_read_number(const struct farm_reader *reader, const struct farm_node *node, double *value)
{
	const char *at = node->text;

	if (node->kind != FARM_SCALAR || !xy__text_double(&at, value) || *at)
		return farm_read_refuse(reader, node, "%s%.40s%s is not a number from 0", node->text ? "\"" : "this",
					node->text ? node->text : "", node->text ? "\"" : "");
	return true;
}

/* [D-]H:MM:SS or H:MM */
static bool read_clock(const char *text, double *seconds)
{
	uint64_t parts[4] = { 0 }, days = 0;
	size_t n = 0;
	const char *dash = strchr(text, '-');

	if (dash && (!xy__text_unsigned(&text, 100000, &days) || *text++ != '-'))
		return false;
	do {
		if (n == 3 || !xy__text_unsigned(&text, 1000000, &parts[n++]))
			return false;
	} while (*text == ':' && *++text);
	if (*text || n < 2)
		return false;
	*seconds = (double)(((days * 24 + parts[0]) * 60 + parts[1]) * 60 + parts[2]);
	return true;
}

bool farm_read_time(const struct farm_reader *reader, const struct farm_node *node, double *seconds)
{
	static const struct {
		const char *unit;
		double factor;
	} units[] = {
		{ "", 1 }, { "s", 1 }, { "m", 60 }, { "h", 3600 }, { "d", 86400 },
	};
	const char *at = node->text;

	if (node->kind == FARM_SCALAR && read_clock(node->text, seconds))
		return true;
	if (node->kind == FARM_SCALAR && xy__text_double(&at, seconds))
		for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
			if (!strcmp(at, units[i].unit) && *seconds * units[i].factor < 1e9) {
				*seconds *= units[i].factor;
				return true;
			}
	return farm_read_refuse(reader, node, "%s%.40s%s is no time: 90, 90s, 5m, 2h, 1d, 1:30:00 or 2-12:00:00",
				node->text ? "\"" : "this", node->text ? node->text : "", node->text ? "\"" : "");
}

bool farm_read_words(const struct farm_reader *reader, const struct farm_node *node, struct farm_words *words)
{
	const char *wrong;

	*words = (struct farm_words){ 0 };
	if (farm_node_is_null(node) || node->kind == FARM_MAP)
		return farm_read_refuse(reader, node, "must be a text or a list of words");
	if (node->kind == FARM_SCALAR) {
		wrong = farm_quote_split(reader->farm, words, node->text);
		return !wrong || farm_read_refuse(reader, node, "%s", wrong);
	}
	for (const struct farm_node *item = node->first; item; item = item->next) {
		char *text;

		if (!farm_read_text(reader, item, &text))
			return false;
		farm_words_add(reader->farm, words, text);
	}
	return true;
}

bool farm_read_options(const struct farm_reader *reader, const struct farm_node *node, struct farm_words *words)
{
	if (node->kind != FARM_MAP) {
		if (!farm_read_words(reader, node, words))
			return false;
	} else {
		*words = (struct farm_words){ 0 };
		for (const struct farm_node *item = node->first; item; item = item->next) {
			char *option;

			if (item->kind != FARM_SCALAR)
				return farm_read_refuse(reader, item, "must be a text");
			option = farm_text(reader->farm, "%s%s%s%s", strlen(item->key) > 1 ? "--" : "-", item->key,
					   *item->text ? strlen(item->key) > 1 ? "=" : "" : "", item->text);
			if (option)
				farm_words_add(reader->farm, words, option);
		}
	}
	for (size_t i = 0; i < words->count; i++)
		if (farm_quote_has_control(words->at[i]))
			return farm_read_refuse(reader, node,
						"an option has a line break or another control character");
	return true;
}
