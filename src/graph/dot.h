/* SPDX-License-Identifier: MIT */
/*
 * The words of the DOT language: names, however they are written, and signs. Names are cut out of the source in
 * place.
 */
#ifndef XYLEM_GRAPH_DOT_H
#define XYLEM_GRAPH_DOT_H

#include "graph/read.h"

/* Signs of one character are themselves. */
enum { DOT_END = 0, DOT_NAME = 256, DOT_ARROW, DOT_LINE };

struct dot_words {
	struct graph_source *source;
	char *at;       /* behind the current word, ... */
	char now;       /* ... what was there: it may have been overwritten */
	char before;    /* the character before that */
	unsigned line;  /* of the current word */
	unsigned lines; /* up to here */
	int kind;       /* of the current word */
	char *text;     /* of a name */
	bool quoted;    /* the name can't be a keyword */
};

/* Begins before the first word. */
void graph__dot_init(struct dot_words *words, struct graph_source *source);
/* Goes to the next word. 0 or -EINVAL after a message. */
int graph__dot_next(struct dot_words *words);
/* Whether the current word is this keyword, in any case. */
bool graph__dot_is(const struct dot_words *words, const char *keyword);
/* Says what was expected instead of the current word. */
int graph__dot_refuse(struct dot_words *words, const char *expected);

#endif
