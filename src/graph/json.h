/* SPDX-License-Identifier: MIT */
/*
 * JSON as a tree: a small strict reader. Objects and arrays nest to a fixed depth; texts are cut out of the source
 * in place.
 */
#ifndef XYLEM_GRAPH_JSON_H
#define XYLEM_GRAPH_JSON_H

#include "graph/read.h"

#define JSON_NONE UINT32_MAX
#define JSON_DEPTH 64

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_TEXT, JSON_ARRAY, JSON_OBJECT };

/* A value; nodes refer to each other by number. */
struct json_node {
	enum json_kind kind;
	unsigned line;
	uint32_t first, next; /* child and sibling, or JSON_NONE */
	const char *key;      /* in an object */
	const char *text;     /* of JSON_TEXT */
	double number;        /* of JSON_NUMBER */
};

struct json {
	struct json_node *nodes; /* 0 is the root */
	uint32_t count, room;
};

/* Reads the whole source. 0 or -errno after a message. */
int graph__json_read(struct json *json, struct graph_source *source);
void graph__json_fini(struct json *json);

/* The value of a key of an object; NULL if the key is missing or the node is not an object. */
const struct json_node *graph__json_find(const struct json *json, const struct json_node *object, const char *key);
/* The first child of an array or object, and the next: NULL after the last one. All take NULL. */
const struct json_node *graph__json_first(const struct json *json, const struct json_node *node);
const struct json_node *graph__json_next(const struct json *json, const struct json_node *node);

#endif
