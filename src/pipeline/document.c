/* SPDX-License-Identifier: MIT */
/* YAML by libyaml. Lines of messages count from 1. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "pipeline/document.h"

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
		return (size_t) (node->data.mapping.pairs.top - node->data.mapping.pairs.start);
	if (pipeline_node_is_list(node))
		return (size_t) (node->data.sequence.items.top - node->data.sequence.items.start);
	return 0;
}

unsigned pipeline_node_line(const struct yaml_node_s *node)
{
	return node ? (unsigned) node->start_mark.line + 1 : 1;
}

const char *pipeline_node_text(const struct yaml_node_s *node)
{
	const char *text;

	if (!node || node->type != YAML_SCALAR_NODE)
		return NULL;
	text = (const char *) node->data.scalar.value;
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
		if (document_is_control((const unsigned char *) text))
			return false;
	return true;
}

static const struct yaml_node_s *document_node(const struct pipeline_document *document, int index)
{
	/* libyaml's function only reads but does not say so. */
	return yaml_document_get_node((yaml_document_t *) &document->yaml, index);
}

const struct yaml_node_s *pipeline_node_item(const struct pipeline_document *document,
					     const struct yaml_node_s *list, size_t i)
{
	return document_node(document, list->data.sequence.items.start[i]);
}

const struct yaml_node_s *pipeline_node_key(const struct pipeline_document *document,
					    const struct yaml_node_s *map, size_t i)
{
	return document_node(document, map->data.mapping.pairs.start[i].key);
}

const struct yaml_node_s *pipeline_node_value(const struct pipeline_document *document,
					      const struct yaml_node_s *map, size_t i)
{
	return document_node(document, map->data.mapping.pairs.start[i].value);
}

/* The number of the first pair with a key; the number of pairs if there is none. */
static size_t document_pair(const struct pipeline_document *document, const struct yaml_node_s *map,
			    const char *key)
{
	size_t i, n = pipeline_node_is_map(map) ? pipeline_node_length(map) : 0;

	for (i = 0; i < n; i++) {
		const char *text = pipeline_node_text(pipeline_node_key(document, map, i));

		if (text && !strcmp(text, key))
			break;
	}
	return i;
}

const struct yaml_node_s *pipeline_node_find(const struct pipeline_document *document,
					     const struct yaml_node_s *map, const char *key)
{
	size_t i = document_pair(document, map, key);

	return pipeline_node_is_map(map) && i < pipeline_node_length(map) ?
		pipeline_node_value(document, map, i) : NULL;
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

/* The line, from 0, in which a byte is: libyaml has read ahead when it finds that it is broken. */
static size_t document_line(FILE *file, size_t offset)
{
	size_t line = 0;
	int c, before = 0;

	rewind(file);
	for (size_t i = 0; i < offset && (c = getc(file)) != EOF; i++, before = c)
		line += c == '\r' || (c == '\n' && before != '\r');
	return line;
}

static void document_say_error(const yaml_parser_t *parser, const char *name, FILE *file,
			       const struct pipeline_report *report)
{
	const char *problem = parser->problem ? parser->problem : "can't be read";
	size_t line = parser->problem_mark.line;

	if (parser->error == YAML_MEMORY_ERROR || ferror(file)) {
		pipeline_say(report, "%s: %s", name, ferror(file) ? strerror(errno) : "no memory");
		return;
	}
	if (parser->error == YAML_READER_ERROR)
		line = document_line(file, parser->problem_offset);
	pipeline_say(report, "%s:%zu: %s", name, line + 1, problem);
}

/* Each key of each map is a name and is there once. */
static bool document_keys_differ(const struct pipeline_document *document, const char *name,
				 const struct pipeline_report *report)
{
	for (int index = 1; document_node(document, index); index++) {
		const struct yaml_node_s *map = document_node(document, index);
		size_t n = pipeline_node_is_map(map) ? pipeline_node_length(map) : 0;

		for (size_t i = 0; i < n; i++) {
			const struct yaml_node_s *key = pipeline_node_key(document, map, i);
			const char *text = pipeline_node_text(key);

			if (!pipeline_node_is_name(key)) {
				pipeline_say(report, "%s:%u: a key must be a name", name, pipeline_node_line(key));
				return false;
			}
			if (document_pair(document, map, text) != i) {
				pipeline_say(report, "%s:%u: %s: this key is there twice", name,
					     pipeline_node_line(key), text);
				return false;
			}
		}
	}
	return true;
}

/* Whether the file ends behind its first document. */
static bool document_is_alone(yaml_parser_t *parser, const char *name, FILE *file,
			      const struct pipeline_report *report)
{
	yaml_document_t next;
	bool alone;

	if (!yaml_parser_load(parser, &next)) {
		document_say_error(parser, name, file, report);
		return false;
	}
	alone = !yaml_document_get_root_node(&next);
	if (!alone)
		pipeline_say(report, "%s:%zu: a second document begins", name, next.start_mark.line + 1);
	yaml_document_delete(&next);
	return alone;
}

struct pipeline_document *pipeline_document_read(FILE *file, const char *name,
						 const struct pipeline_report *report)
{
	struct pipeline_document *document = malloc(sizeof(*document));
	yaml_parser_t parser;
	bool empty;

	if (!document || !yaml_parser_initialize(&parser)) {
		pipeline_say(report, "%s: no memory", name);
		free(document);
		return NULL;
	}
	yaml_parser_set_input_file(&parser, file);
	if (!yaml_parser_load(&parser, &document->yaml)) {
		document_say_error(&parser, name, file, report);
		free(document);
		document = NULL;
	} else {
		empty = !pipeline_document_root(document);
		if ((!empty && !document_is_alone(&parser, name, file, report)) ||
		    !document_keys_differ(document, name, report)) {
			pipeline_document_destroy(document);
			document = NULL;
		}
	}
	yaml_parser_delete(&parser);
	return document;
}
