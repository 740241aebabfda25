/* SPDX-License-Identifier: MIT */
/*
 * Texts made safe. The shell's rule is the simplest that holds for all bytes: single quotes, and '\'' for one
 * inside.
 */
#include "farm/quote.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char quote_alphanumeric[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

static bool quote_is_in(char c, const char *others)
{
	return c && (strchr(quote_alphanumeric, c) || strchr(others, c));
}

void farm_quote_shell(struct xy__buffer *buffer, const char *text)
{
	size_t n = 0;

	while (quote_is_in(text[n], "%+,-./:@_"))
		n++;
	if (n && !text[n]) {
		xy__buffer_add(buffer, "%s", text);
		return;
	}
	xy__buffer_add(buffer, "'");
	while (*text) {
		n = strcspn(text, "'");
		xy__buffer_add(buffer, "%.*s", (int)n, text);
		text += n;
		if (*text) {
			xy__buffer_add(buffer, "'\\''");
			text++;
		}
	}
	xy__buffer_add(buffer, "'");
}

void farm_quote_file(struct xy__buffer *buffer, const char *text)
{
	for (const char *at = text; *at; at++) {
		if (quote_is_in(*at, "+,-=@_") || (*at == '.' && at != text))
			xy__buffer_add(buffer, "%c", *at);
		else
			xy__buffer_add(buffer, "%%%02X", (unsigned char)*at);
	}
}

/* The length of the UTF-8 character at a place; 0 if there is none that is allowed. */
static size_t quote_utf8(const unsigned char *at)
{
	static const struct {
		unsigned char first, last, second_first, second_last, length;
	} forms[] = {
		{ 0x01, 0x7f, 0, 0, 1 },       { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
		{ 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (*at < forms[i].first || *at > forms[i].last)
			continue;
		if (forms[i].length > 1 && (at[1] < forms[i].second_first || at[1] > forms[i].second_last))
			return 0;
		for (size_t j = 2; j < forms[i].length; j++)
			if (at[j] < 0x80 || at[j] > 0xbf)
				return 0;
		return forms[i].length;
	}
	return 0;
}

void farm_quote_json(struct xy__buffer *buffer, const char *text)
{
	xy__buffer_add(buffer, "\"");
	while (*text) {
		size_t n = quote_utf8((const unsigned char *)text);

		if (!n)
			xy__buffer_add(buffer, "\\ufffd");
		else if (*text == '"' || *text == '\\')
			xy__buffer_add(buffer, "\\%c", *text);
		else if (*text == '\n')
			xy__buffer_add(buffer, "\\n");
		else if ((unsigned char)*text < ' ' || *text == 0x7f)
			xy__buffer_add(buffer, "\\u%04x", (unsigned char)*text);
		else
			xy__buffer_add(buffer, "%.*s", (int)n, text);
		text += n ? n : 1;
	}
	xy__buffer_add(buffer, "\"");
}

void farm_quote_json_words(struct xy__buffer *buffer, const struct farm_words *words)
{
	xy__buffer_add(buffer, "[");
	for (size_t i = 0; i < words->count; i++) {
		xy__buffer_add(buffer, "%s", i ? "," : "");
		farm_quote_json(buffer, words->at[i]);
	}
	xy__buffer_add(buffer, "]");
}

void farm_quote_html(struct xy__buffer *buffer, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			xy__buffer_add(buffer, "&lt;");
			break;
		case '>':
			xy__buffer_add(buffer, "&gt;");
			break;
		case '&':
			xy__buffer_add(buffer, "&amp;");
			break;
		case '"':
			xy__buffer_add(buffer, "&quot;");
			break;
		case '\'':
			xy__buffer_add(buffer, "&#39;");
			break;
		default:
			xy__buffer_add(buffer, "%c", (unsigned char)*text < ' ' ? ' ' : *text);
		}
	}
}

void farm_quote_number(struct xy__buffer *buffer, double value)
{
	char text[40];

	if (!isfinite(value)) {
		xy__buffer_add(buffer, "null");
		return;
	}
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	/* The locale may have a decimal comma. */
	for (char *at = text; *at; at++)
		if (*at == ',')
			*at = '.';
	xy__buffer_add(buffer, "%s", text);
}

/* Copies one word of a line; returns what is behind it, or NULL if a quote does not end. */
static const char *quote_word(const char *at, char *word)
{
	while (*at && !strchr(" \t\n\r", *at)) {
		if (*at == '\'') {
			const char *end = strchr(++at, '\'');

			if (!end)
				return NULL;
			memcpy(word, at, (size_t)(end - at));
			word += end - at;
			at = end + 1;
		} else if (*at == '"') {
			for (at++; *at && *at != '"'; at++) {
				if (*at == '\\' && at[1] && strchr("\"\\$`", at[1]))
					at++;
				*word++ = *at;
			}
			if (!*at)
				return NULL;
			at++;
		} else if (*at == '\\' && at[1]) {
			*word++ = at[1];
			at += 2;
		} else {
			*word++ = *at++;
		}
	}
	*word = '\0';
	return at;
}

const char *farm_quote_split(struct farm *farm, struct farm_words *words, const char *line)
{
	const char *at = line;
	char *word = malloc(strlen(line) + 1);

	if (!word) {
		farm->failed = true;
		return "no memory";
	}
	for (at += strspn(at, " \t\n\r"); at && *at; at += strspn(at, " \t\n\r")) {
		at = quote_word(at, word);
		if (!at)
			break;
		farm_words_add(farm, words, word);
	}
	free(word);
	return at ? NULL : "a quote does not end";
}

bool farm_quote_is_variable(const char *name)
{
	if (!*name || (*name >= '0' && *name <= '9'))
		return false;
	for (; *name; name++)
		if (!quote_is_in(*name, "_"))
			return false;
	return true;
}

bool farm_quote_has_control(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return true;
	return false;
}
