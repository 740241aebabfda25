/* SPDX-License-Identifier: MIT */
/*
 * Texts made safe: for a shell, for file names, for JSON and HTML; and command lines cut into words without a shell.
 * Every function appends to a buffer, which notes that memory ran out.
 */
#ifndef XYLEM_FARM_QUOTE_H
#define XYLEM_FARM_QUOTE_H

#include "core/util/buffer.h"
#include "farm/farm.h"

/* One word for a POSIX shell, in single quotes unless it is harmless as it is. */
void farm_quote_shell(struct xy__buffer *buffer, const char *text);

/* A name as a file name, as doc/farm-jobs.md says. */
void farm_quote_file(struct xy__buffer *buffer, const char *text);

/* A string of JSON with its quotes. Bytes that are not UTF-8 become U+FFFD. */
void farm_quote_json(struct xy__buffer *buffer, const char *text);
/* A list of words as an array of JSON. */
void farm_quote_json_words(struct xy__buffer *buffer, const struct farm_words *words);

/* Text of an HTML element or of an attribute in double quotes. */
void farm_quote_html(struct xy__buffer *buffer, const char *text);

/* A number of JSON: the shortest that reads back the same; null if it is not finite. */
void farm_quote_number(struct xy__buffer *buffer, double value);

/* Cuts a command line into words, as a shell does with blanks, quotes and backslashes but without any expansion.
 * NULL, or what is wrong: a quote that does not end. */
const char *farm_quote_split(struct farm *farm, struct farm_words *words, const char *line);

/* Whether a name of an environment variable is one: letters, digits and underscores, no digit first. */
bool farm_quote_is_variable(const char *name);

/* Whether a text has a control character: a line break, an escape, and so on. */
bool farm_quote_has_control(const char *text);

#endif
