/* SPDX-License-Identifier: MIT */
/*
 * A YAML file as trees of maps, lists and scalars that know their file and line, and that can be merged. Aliases are
 * copied; keys of a map are there once; documents that nest too deep or grow too large by aliases are refused.
 */
#ifndef XYLEM_FARM_NODE_H
#define XYLEM_FARM_NODE_H

#include <stdio.h>
#include "farm/farm.h"

enum farm_kind { FARM_SCALAR, FARM_LIST, FARM_MAP };

struct farm_node {
	enum farm_kind kind;
	bool plain;                     /* a scalar without quotes: may be a number, a truth value or null */
	const char *source;             /* name of the file */
	unsigned line;                  /* of the key in a map, else of the value; from 1 */
	char *key;                      /* in a map */
	char *text;                     /* of a scalar */
	struct farm_node *first, *next; /* items; the next item of the list or map that this is in */
};

/* Reads all documents of a file into farm's memory; name is for messages. 0, or -errno after a message. */
int farm_node_read(struct farm *farm, FILE *file, const char *name, struct farm_node ***documents, size_t *count,
		   const struct farm_report *report);

/* The value of a key of a map; NULL for none, for NULL and for what is no map. */
struct farm_node *farm_node_find(const struct farm_node *map, const char *key);
size_t farm_node_length(const struct farm_node *node);
bool farm_node_is_null(const struct farm_node *node);

/* A map with all of base and over: where both have a key, maps merge and anything else is over's. Copies. */
struct farm_node *farm_node_merge(struct farm *farm, const struct farm_node *base, const struct farm_node *over);

/* The node as a line of JSON: plain scalars as numbers, truth values and null where they are such. */
char *farm_node_json(struct farm *farm, const struct farm_node *node);

/* A parameter from a node: its text is that of a scalar, or JSON. */
struct farm_value farm_node_value(struct farm *farm, const char *name, const struct farm_node *node);

#endif
