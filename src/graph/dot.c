/* SPDX-License-Identifier: MIT */
/*
 * Words of DOT. A quoted name, also one in several pieces, is never longer than what it was written as.
 */
#include "graph/dot.h"

#include <string.h>

void graph__dot_init(struct dot_words *words, struct graph_source *source)
{
	*words = (struct dot_words){
		.source = source, .at = source->text, .now = *source->text, .before = '\n', .line = 1, .lines = 1
	};
}

static void dot_step(struct dot_words *w)
{
	w->lines += w->now == '\n';
	w->before = w->now;
	w->now = *++w->at;
}

/* The character behind the next; 0 at the end. */
static char dot_second(const struct dot_words *w)
{
	return w->now ? w->at[1] : '\0';
}

int graph__dot_refuse(struct dot_words *w, const char *expected)
{
	if (w->kind == DOT_END)
		return graph__refuse(w->source, w->line, "expected %s instead of the end of the file", expected);
	if (w->kind == DOT_NAME)
		return graph__refuse(w->source, w->line, "expected %s instead of \"%.80s\"", expected, w->text);
	if (w->kind == DOT_ARROW || w->kind == DOT_LINE)
		return graph__refuse(w->source, w->line, "expected %s instead of \"%s\"", expected,
				     w->kind == DOT_ARROW ? "->" : "--");
	return graph__refuse(w->source, w->line, "expected %s instead of \"%c\"", expected, w->kind);
}

/* --- what stands between words --- */

static int dot_skip_comment(struct dot_words *w)
{
	unsigned line = w->lines;

	dot_step(w);
	dot_step(w);
	while (w->now && !(w->now == '*' && dot_second(w) == '/'))
		dot_step(w);
	if (!w->now)
		return graph__refuse(w->source, line, "expected the end of the comment");
	dot_step(w);
	dot_step(w);
	return 0;
}

/* White space and comments; a line that begins with # is one too. */
static int dot_skip(struct dot_words *w)
{
	int error = 0;

	while (!error) {
		if (w->now && strchr(" \t\r\n\v\f", w->now))
			dot_step(w);
		else if ((w->now == '#' && w->before == '\n') || (w->now == '/' && dot_second(w) == '/'))
			while (w->now && w->now != '\n')
				dot_step(w);
		else if (w->now == '/' && dot_second(w) == '*')
			error = dot_skip_comment(w);
		else
			break;
	}
	return error;
}

/* --- names --- */

/* One quoted piece; written to where the name ends. */
static int dot_quoted(struct dot_words *w, char **to)
{
	unsigned line = w->lines;

	dot_step(w);
	while (w->now != '"') {
		if (!w->now)
			return graph__refuse(w->source, line, "expected a quote at the end of the name");
		if (w->now == '\\' && dot_second(w) == '"') {
			dot_step(w);
		} else if (w->now == '\\' && dot_second(w) == '\n') {
			dot_step(w);
			dot_step(w);
			continue;
		} else if (w->now == '\\' && dot_second(w)) {
			*(*to)++ = w->now;
			dot_step(w);
		}
		*(*to)++ = w->now;
		dot_step(w);
	}
	dot_step(w);
	return 0;
}

/* Pieces with + between them are one name. */
static int dot_pieces(struct dot_words *w)
{
	char *to = w->text = w->at;
	int error = dot_quoted(w, &to);

	while (!error) {
		error = dot_skip(w);
		if (error || w->now != '+')
			break;
		dot_step(w);
		error = dot_skip(w);
		if (!error && w->now != '"')
			error = graph__refuse(w->source, w->lines, "expected a name in quotes after +");
		if (!error)
			error = dot_quoted(w, &to);
	}
	*to = '\0';
	w->quoted = true;
	return error;
}

/* Text between < and >, in which these come in pairs. */
static int dot_html(struct dot_words *w)
{
	unsigned depth = 1, line = w->lines;

	dot_step(w);
	w->text = w->at;
	for (;; dot_step(w)) {
		depth += w->now == '<';
		depth -= w->now == '>';
		if (!w->now || !depth)
			break;
	}
	if (!w->now)
		return graph__refuse(w->source, line, "expected > at the end of the name");
	*w->at = '\0';
	dot_step(w);
	w->quoted = true;
	return 0;
}

static bool dot_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 128;
}

static bool dot_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A word of letters and digits, or a number such as -.5; other characters are left for the next word. */
static void dot_bare(struct dot_words *w)
{
	bool number = !dot_is_letter(w->now);

	w->text = w->at;
	dot_step(w);
	while (dot_is_digit(w->now) || (number ? w->now == '.' : dot_is_letter(w->now)))
		dot_step(w);
	*w->at = '\0';
}

int graph__dot_next(struct dot_words *w)
{
	char second;
	int error = dot_skip(w);

	w->line = w->lines;
	w->quoted = false;
	if (error)
		return error;
	second = dot_second(w);
	w->kind = DOT_NAME;
	if (w->now == '"')
		return dot_pieces(w);
	if (w->now == '<')
		return dot_html(w);
	if (w->now == '-' && (second == '>' || second == '-')) {
		w->kind = second == '>' ? DOT_ARROW : DOT_LINE;
		dot_step(w);
		dot_step(w);
	} else if (dot_is_letter(w->now) || dot_is_digit(w->now) ||
		   ((w->now == '-' || w->now == '.') && (dot_is_digit(second) || second == '.'))) {
		dot_bare(w);
	} else {
		w->kind = (unsigned char)w->now;
		if (w->kind != DOT_END && !strchr("{}[]=;,:", w->kind))
			return graph__dot_refuse(w, "a name or a DOT symbol");
		if (w->kind != DOT_END)
			dot_step(w);
	}
	return 0;
}

bool graph__dot_is(const struct dot_words *w, const char *keyword)
{
	return w->kind == DOT_NAME && !w->quoted && !strcasecmp(w->text, keyword);
}
