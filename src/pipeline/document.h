/* SPDX-License-Identifier: MIT */
/*
 * A YAML file as a tree of maps, lists and scalars that know their lines. Wraps libyaml, which resolves
 * aliases; nodes may therefore be shared and even contain themselves, so readers go to a fixed depth.
 */
#ifndef XYLEM_PIPELINE_DOCUMENT_H
#define XYLEM_PIPELINE_DOCUMENT_H

#include "pipeline/pipeline.h"

struct yaml_node_s;
struct pipeline_document;

/* Reads a file to its end; name is for messages and must outlive the document. NULL, after a message, if it
 * is not one document of YAML in which every map has each key once. */
struct pipeline_document *pipeline_document_read(FILE *file, const char *name, const struct pipeline_report *report);
void pipeline_document_destroy(struct pipeline_document *document);

/* NULL for an empty file. */
const struct yaml_node_s *pipeline_document_root(const struct pipeline_document *document);

/* All of these take NULL: it is no map, no list and no text. */
bool pipeline_node_is_map(const struct yaml_node_s *node);
bool pipeline_node_is_list(const struct yaml_node_s *node);
bool pipeline_node_is_null(const struct yaml_node_s *node);
size_t pipeline_node_length(const struct yaml_node_s *node);
unsigned pipeline_node_line(const struct yaml_node_s *node);

/* The text of a scalar without zero bytes inside, or NULL. */
const char *pipeline_node_text(const struct yaml_node_s *node);

/* Whether it is a text of one line that means itself: neither empty nor null, nor with control characters. */
bool pipeline_node_is_name(const struct yaml_node_s *node);

/* An item of a list; the key or the value of a pair of a map; the value for a key, or NULL. */
const struct yaml_node_s *pipeline_node_item(const struct pipeline_document *document, const struct yaml_node_s *list,
					     size_t i);
const struct yaml_node_s *pipeline_node_key(const struct pipeline_document *document, const struct yaml_node_s *map,
					    size_t i);
const struct yaml_node_s *pipeline_node_value(const struct pipeline_document *document, const struct yaml_node_s *map,
					      size_t i);
const struct yaml_node_s *pipeline_node_find(const struct pipeline_document *document, const struct yaml_node_s *map,
					     const char *key);

#endif
