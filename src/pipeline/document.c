/* SPDX-License-Identifier: MIT */
/* YAML by libyaml. Lines of messages count from 1. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "pipeline/document.h"

enum { DOCUMENT_DEPTH = 100 }; /* ours have five */

struct pipeline_document {
	yaml_document_t yaml;
};

bool pipeline_node_is_map(const struct yaml_node_s *node)
{
	return node && node->type == YAML_MAPPING_NODE;
}

bool pipeline_node_is_list(const struct yaml_node_s *node)
{
	return node && node->type == YAML_SEQUENCE_NODE;
}

bool pipeline_node_is_null(const struct yaml_node_s *node)
{
	const char *text = pipeline_node_text(node);

	return text && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	       (!*text || !strcmp(text, "~") || !strcmp(text, "null") || !strcmp(text, "Null") ||
		!strcmp(text, "NULL"));
}

size_t pipeline_node_length(const struct yaml_node_s *node)
{
	if (pipeline_node_is_map(node))
		return (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
	if (pipeline_node_is_list(node))
		return (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
	return 0;
}

unsigned pipeline_node_line(const struct yaml_node_s *node)
{
	return node ? (unsigned)node->start_mark.line + 1 : 1;
}

const char *pipeline_node_text(const struct yaml_node_s *node)
{
	const char *text;

	if (!node || node->type != YAML_SCALAR_NODE)
		return NULL;
	text = (const char *)node->data.scalar.value;
	return strlen(text) == node->data.scalar.length ? text : NULL;
}

/* Whether a control character or a line break of Unicode begins here: U+0000-1F, 7F-9F, 2028, 2029. */
static bool document_is_control(const unsigned char *at)
{
	return at[0] < ' ' || at[0] == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0) ||
	       (at[0] == 0xe2 && at[1] == 0x80 && (at[2] == 0xa8 || at[2] == 0xa9));
}

bool pipeline_node_is_name(const struct yaml_node_s *node)
{
	const char *text = pipeline_node_text(node);

	if (!text || !*text || pipeline_node_is_null(node))
		return false;
	for (; *text; text++)
		if (document_is_control((const unsigned char *)text))
			return false;
	return true;
}

static const struct yaml_node_s *document_node(const struct pipeline_document *document, int index)
{
	/* libyaml's function only reads but does not say so. */
	return yaml_document_get_node((yaml_document_t *)&document->yaml, index);
}

const struct yaml_node_s *pipeline_node_item(const struct pipeline_document *document, const struct yaml_node_s *list,
					     size_t i)
{
	return document_node(document, list->data.sequence.items.start[i]);
}

const struct yaml_node_s *pipeline_node_key(const struct pipeline_document *document, const struct yaml_node_s *map,
					    size_t i)
{
	return document_node(document, map->data.mapping.pairs.start[i].key);
}

const struct yaml_node_s *pipeline_node_value(const struct pipeline_document *document, const struct yaml_node_s *map,
					      size_t i)
{
	return document_node(document, map->data.mapping.pairs.start[i].value);
}

/* The index of the first pair with a key; the number of pairs if no pair has it. */
static size_t document_pair(const struct pipeline_document *document, const struct yaml_node_s *map, const char *key)
{
	size_t i, n = pipeline_node_is_map(map) ? pipeline_node_length(map) : 0;

	for (i = 0; i < n; i++) {
		const char *text = pipeline_node_text(pipeline_node_key(document, map, i));

		if (text && !strcmp(text, key))
			break;
	}
	return i;
}

const struct yaml_node_s *pipeline_node_find(const struct pipeline_document *document, const struct yaml_node_s *map,
					     const char *key)
{
	size_t i = document_pair(document, map, key);

	return pipeline_node_is_map(map) && i < pipeline_node_length(map) ? pipeline_node_value(document, map, i)
									  : NULL;
}

const struct yaml_node_s *pipeline_document_root(const struct pipeline_document *document)
{
	return document_node(document, 1);
}

void pipeline_document_destroy(struct pipeline_document *document)
{
	if (document)
		yaml_document_delete(&document->yaml);
	free(document);
}

/* The whole file, to be freed; NULL after a message. */
static char *document_text(FILE *file, const char *name, size_t *size, const struct pipeline_report *report)
{
	char *text = NULL, *more;
	size_t capacity = 0;

	*size = 0;
	do {
		if (*size == capacity) {
			capacity = capacity ? 2 * capacity : 65536;
			more = realloc(text, capacity);
			if (!more) {
				pipeline_say(report, "%s: not enough memory", name);
				free(text);
				return NULL;
			}
			text = more;
		}
		*size += fread(text + *size, 1, capacity - *size, file);
	} while (*size == capacity);
	if (ferror(file)) {
		pipeline_say(report, "%s: %s", name, strerror(errno));
		free(text);
		return NULL;
	}
	return text;
}

/* The line, from 0, in which a byte is: libyaml has read ahead when it finds that it is broken. */
static size_t document_line(const char *text, size_t offset)
{
	size_t line = 0;

	for (size_t i = 0; i < offset; i++)
		line += text[i] == '\r' || (text[i] == '\n' && !(i && text[i - 1] == '\r'));
	return line;
}

/*
 * Whether lists and maps are nested deeper than any file of ours: libyaml takes time that is quadratic in the depth.
 * Faults are left to the reader.
 */
static bool document_is_deep(const char *text, size_t size, size_t *line)
{
	yaml_parser_t parser;
	yaml_event_t event;
	int depth = 0;
	bool end = false;

	if (!yaml_parser_initialize(&parser))
		return false;
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
	while (depth <= DOCUMENT_DEPTH && !end && yaml_parser_parse(&parser, &event)) {
		depth += event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
		depth -= event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
		end = event.type == YAML_STREAM_END_EVENT;
		*line = event.start_mark.line;
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return depth > DOCUMENT_DEPTH;
}

static void document_say_error(const yaml_parser_t *parser, const char *name, const char *text, size_t size,
			       const struct pipeline_report *report)
{
	const char *problem = parser->problem ? parser->problem : "can't be read";
	size_t line = parser->problem_mark.line, offset = parser->problem_offset;

	if (parser->error == YAML_MEMORY_ERROR) {
		pipeline_say(report, "%s: no memory", name);
		return;
	}
	if (parser->error == YAML_READER_ERROR)
		line = document_line(text, offset < size ? offset : size);
	pipeline_say(report, "%s:%zu: %s", name, line + 1, problem);
}

static int document_compare(const void *a, const void *b)
{
	const struct yaml_node_s *const *x = a, *const *y = b;
	int order = strcmp(pipeline_node_text(*x), pipeline_node_text(*y));

	return order ? order : (*x > *y) - (*x < *y);
}

/* The first key of a map, in order of names, that occurs twice: its second occurrence, NULL without one. Keys are
 * room for those of the map, which are names. */
static const struct yaml_node_s *document_double(const struct pipeline_document *document,
						 const struct yaml_node_s *map, const struct yaml_node_s **keys)
{
	size_t n = pipeline_node_length(map);

	for (size_t i = 0; i < n; i++)
		keys[i] = pipeline_node_key(document, map, i);
	qsort(keys, n, sizeof(*keys), document_compare);
	for (size_t i = 1; i < n; i++)
		if (!strcmp(pipeline_node_text(keys[i - 1]), pipeline_node_text(keys[i])))
			return keys[i];
	return NULL;
}

/* Checks that each key of a map is a name and occurs once. */
static bool document_check_map(const struct pipeline_document *document, const struct yaml_node_s *map,
			       const char *name, const struct pipeline_report *report)
{
	size_t n = pipeline_node_length(map);
	const struct yaml_node_s **keys, *key;

	for (size_t i = 0; i < n; i++) {
		key = pipeline_node_key(document, map, i);
		if (!pipeline_node_is_name(key)) {
			pipeline_say(report, "%s:%u: a key must be a name", name, pipeline_node_line(key));
			return false;
		}
	}
	keys = malloc((n + 1) * sizeof(*keys));
	if (!keys) {
		pipeline_say(report, "%s: not enough memory", name);
		return false;
	}
	key = document_double(document, map, keys);
	if (key)
		pipeline_say(report, "%s:%u: %s: duplicate key", name, pipeline_node_line(key),
			     pipeline_node_text(key));
	free(keys);
	return !key;
}

static bool document_keys_differ(const struct pipeline_document *document, const char *name,
				 const struct pipeline_report *report)
{
	for (int index = 1; document_node(document, index); index++) {
		const struct yaml_node_s *map = document_node(document, index);

		if (pipeline_node_is_map(map) && !document_check_map(document, map, name, report))
			return false;
	}
	return true;
}

/* Whether the file ends after its first document. */
static bool document_is_alone(yaml_parser_t *parser, const char *name, const char *text, size_t size,
			      const struct pipeline_report *report)
{
	yaml_document_t next;
	bool alone;

	if (!yaml_parser_load(parser, &next)) {
		document_say_error(parser, name, text, size, report);
		return false;
	}
	alone = !yaml_document_get_root_node(&next);
	if (!alone)
		pipeline_say(report, "%s:%zu: a second document begins", name, next.start_mark.line + 1);
	yaml_document_delete(&next);
	return alone;
}

static struct pipeline_document *document_parse(const char *text, size_t size, const char *name,
						const struct pipeline_report *report)
{
	struct pipeline_document *document = malloc(sizeof(*document));
	yaml_parser_t parser;
	bool empty;

	if (!document || !yaml_parser_initialize(&parser)) {
		pipeline_say(report, "%s: not enough memory", name);
		free(document);
		return NULL;
	}
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
	if (!yaml_parser_load(&parser, &document->yaml)) {
		document_say_error(&parser, name, text, size, report);
		free(document);
		document = NULL;
	} else {
		empty = !pipeline_document_root(document);
		if ((!empty && !document_is_alone(&parser, name, text, size, report)) ||
		    !document_keys_differ(document, name, report)) {
			pipeline_document_destroy(document);
			document = NULL;
		}
	}
	yaml_parser_delete(&parser);
	return document;
}

struct pipeline_document *pipeline_document_read(FILE *file, const char *name, const struct pipeline_report *report)
{
	struct pipeline_document *document = NULL;
	size_t size, line = 0;
	char *text = document_text(file, name, &size, report);

	if (!text)
		return NULL;
	if (document_is_deep(text, size, &line))
		pipeline_say(report, "%s:%zu: lists and maps are nested more than %d deep", name, line + 1,
			     DOCUMENT_DEPTH);
	else
		document = document_parse(text, size, name, report);
	free(text);
	return document;
}
