/* SPDX-License-Identifier: MIT */
/* YAML by libyaml, copied into trees of the farm's memory. Lines count from 1. */
#include "farm/node.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "core/util/buffer.h"
#include "core/util/text.h"
#include "farm/quote.h"

#define NODE_DEPTH 64
#define NODE_COUNT 1000000 /* of a file, with aliases copied */

struct node_reader {
	struct farm *farm;
	const char *name;
	const struct farm_report *report;
	yaml_document_t *document;
	size_t count;
};

static struct farm_node *node_refuse(struct node_reader *reader, unsigned line, const char *what)
{
	farm_say(reader->report, "%s:%u: %s", reader->name, line, what);
	return NULL;
}

static struct farm_node *node_copy(struct node_reader *reader, int index, unsigned depth);

/* The key of a pair as a new text, or NULL after a message. */
static char *node_key(struct node_reader *reader, const struct farm_node *map, int index)
{
	const yaml_node_t *key = yaml_document_get_node(reader->document, index);
	unsigned line = (unsigned)key->start_mark.line + 1;
	const char *text = key->type == YAML_SCALAR_NODE ? (const char *)key->data.scalar.value : NULL;

	if (!text || !*text || strlen(text) != key->data.scalar.length || farm_quote_has_control(text)) {
		node_refuse(reader, line, "a key must be a name");
		return NULL;
	}
	if (farm_node_find(map, text)) {
		farm_say(reader->report, "%s:%u: %s: this key is there twice", reader->name, line, text);
		return NULL;
	}
	return farm_text(reader->farm, "%s", text);
}

static bool node_copy_map(struct node_reader *reader, struct farm_node *map, const yaml_node_t *from, unsigned depth)
{
	struct farm_node **end = &map->first;

	for (yaml_node_pair_t *pair = from->data.mapping.pairs.start; pair < from->data.mapping.pairs.top; pair++) {
		char *key = node_key(reader, map, pair->key);
		struct farm_node *item = key ? node_copy(reader, pair->value, depth + 1) : NULL;

		if (!item)
			return false;
		item->key = key;
		item->line = (unsigned)yaml_document_get_node(reader->document, pair->key)->start_mark.line + 1;
		*end = item;
		end = &item->next;
	}
	return true;
}

static bool node_copy_list(struct node_reader *reader, struct farm_node *list, const yaml_node_t *from, unsigned depth)
{
	struct farm_node **end = &list->first;

	for (yaml_node_item_t *at = from->data.sequence.items.start; at < from->data.sequence.items.top; at++) {
		struct farm_node *item = node_copy(reader, *at, depth + 1);

		if (!item)
			return false;
		*end = item;
		end = &item->next;
	}
	return true;
}

static struct farm_node *node_copy(struct node_reader *reader, int index, unsigned depth)
{
	const yaml_node_t *from = yaml_document_get_node(reader->document, index);
	unsigned line = (unsigned)from->start_mark.line + 1;
	struct farm_node *node;

	if (depth > NODE_DEPTH)
		return node_refuse(reader, line, "this nests too deep");
	if (++reader->count > NODE_COUNT)
		return node_refuse(reader, line, "the file is too large");
	node = farm_alloc(reader->farm, sizeof(*node));
	if (!node)
		return node_refuse(reader, line, "no memory");
	node->source = reader->name;
	node->line = line;
	switch (from->type) {
	case YAML_SCALAR_NODE:
		node->kind = FARM_SCALAR;
		node->plain = from->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
		node->text = farm_text(reader->farm, "%s", (const char *)from->data.scalar.value);
		if (strlen((const char *)from->data.scalar.value) != from->data.scalar.length)
			return node_refuse(reader, line, "there is a zero byte in this text");
		return node->text ? node : NULL;
	case YAML_SEQUENCE_NODE:
		node->kind = FARM_LIST;
		return node_copy_list(reader, node, from, depth) ? node : NULL;
	default:
		node->kind = FARM_MAP;
		return node_copy_map(reader, node, from, depth) ? node : NULL;
	}
}

/* Says what is wrong with the YAML. A quote that is missing is noticed far behind the line where it is. */
static int node_refuse_yaml(const struct node_reader *reader, const yaml_parser_t *parser)
{
	size_t line = parser->problem_mark.line + 1, begin = parser->context_mark.line + 1;
	const char *problem = parser->problem ? parser->problem : "can't be read";

	if (parser->context && begin < line)
		farm_say(reader->report, "%s:%zu: %s, %s that begins in line %zu", reader->name, line, problem,
			 parser->context, begin);
	else
		farm_say(reader->report, "%s:%zu: %s", reader->name, line, problem);
	return parser->error == YAML_MEMORY_ERROR ? -ENOMEM : -EINVAL;
}

/* Reads one document: 1, 0 at the end of the file, or -errno after a message. */
static int node_read_one(struct node_reader *reader, yaml_parser_t *parser, struct farm_node **root)
{
	yaml_document_t document;
	int error;

	if (!yaml_parser_load(parser, &document))
		return node_refuse_yaml(reader, parser);
	reader->document = &document;
	if (!yaml_document_get_root_node(&document)) {
		error = 0;
	} else {
		*root = node_copy(reader, 1, 0);
		error = *root ? 1 : reader->farm->failed ? -ENOMEM : -EINVAL;
	}
	yaml_document_delete(&document);
	return error;
}

int farm_node_read(struct farm *farm, FILE *file, const char *name, struct farm_node ***documents, size_t *count,
		   const struct farm_report *report)
{
	struct node_reader reader = { .farm = farm, .name = farm_text(farm, "%s", name), .report = report };
	struct farm_node **list = NULL, *root;
	yaml_parser_t parser;
	int error, first = getc(file);

	*count = 0;
	if (ferror(file)) { /* a folder can be opened, but not read */
		error = -errno;
		farm_say(report, "%s: %s", name, strerror(errno));
		return error;
	}
	ungetc(first, file);
	if (!reader.name || !yaml_parser_initialize(&parser)) {
		farm_say(report, "%s: no memory", name);
		return -ENOMEM;
	}
	yaml_parser_set_input_file(&parser, file);
	while ((error = node_read_one(&reader, &parser, &root)) > 0) {
		struct farm_node **longer = farm_alloc(farm, (*count + 1) * sizeof(*longer));

		if (!longer) {
			error = -ENOMEM;
			break;
		}
		if (*count)
			memcpy(longer, list, *count * sizeof(*list));
		longer[(*count)++] = root;
		list = longer;
	}
	yaml_parser_delete(&parser);
	*documents = list;
	return error;
}

struct farm_node *farm_node_find(const struct farm_node *map, const char *key)
{
	struct farm_node *item = map && map->kind == FARM_MAP ? map->first : NULL;

	while (item && strcmp(item->key, key))
		item = item->next;
	return item;
}

size_t farm_node_length(const struct farm_node *node)
{
	size_t n = 0;

	for (const struct farm_node *item = node ? node->first : NULL; item; item = item->next)
		n++;
	return n;
}

bool farm_node_is_null(const struct farm_node *node)
{
	return node && node->kind == FARM_SCALAR && node->plain &&
	       (!*node->text || !strcmp(node->text, "~") || !strcmp(node->text, "null") ||
		!strcmp(node->text, "Null") || !strcmp(node->text, "NULL"));
}

static struct farm_node *node_duplicate(struct farm *farm, const struct farm_node *node)
{
	struct farm_node *copy = farm_alloc(farm, sizeof(*copy));

	if (copy) {
		*copy = *node;
		copy->next = NULL;
	}
	return copy;
}

struct farm_node *farm_node_merge(struct farm *farm, const struct farm_node *base, const struct farm_node *over)
{
	struct farm_node *merged, **end;

	if (!base || !over || base->kind != FARM_MAP || over->kind != FARM_MAP)
		return node_duplicate(farm, over ? over : base);
	merged = node_duplicate(farm, over);
	if (!merged)
		return NULL;
	merged->first = NULL;
	end = &merged->first;
	for (const struct farm_node *item = base->first; item; item = item->next) {
		const struct farm_node *other = farm_node_find(over, item->key);

		*end = other ? farm_node_merge(farm, item, other) : node_duplicate(farm, item);
		if (!*end)
			return NULL;
		end = &(*end)->next;
	}
	for (const struct farm_node *item = over->first; item; item = item->next) {
		if (farm_node_find(base, item->key))
			continue;
		*end = node_duplicate(farm, item);
		if (!*end)
			return NULL;
		end = &(*end)->next;
	}
	return merged;
}

/* Whether a plain scalar is a number as JSON has them. */
static bool node_is_number(const char *text)
{
	const char *at = text + (*text == '-'), *digits = at;
	double value;

	if (!xy__text_double(&at, &value) || *at || *digits == '.')
		return false;
	/* JSON has no leading zeros and no point at the end. */
	if (*digits == '0' && digits[1] >= '0' && digits[1] <= '9')
		return false;
	at = strchr(digits, '.');
	return !at || (at[1] >= '0' && at[1] <= '9');
}

static void node_add_json(struct xy__buffer *buffer, const struct farm_node *node)
{
	const char *text = node->text;

	if (node->kind == FARM_SCALAR) {
		if (farm_node_is_null(node))
			xy__buffer_add(buffer, "null");
		else if (node->plain && (!strcmp(text, "true") || !strcmp(text, "True") || !strcmp(text, "TRUE")))
			xy__buffer_add(buffer, "true");
		else if (node->plain && (!strcmp(text, "false") || !strcmp(text, "False") || !strcmp(text, "FALSE")))
			xy__buffer_add(buffer, "false");
		else if (node->plain && node_is_number(text))
			xy__buffer_add(buffer, "%s", text);
		else
			farm_quote_json(buffer, text);
		return;
	}
	xy__buffer_add(buffer, node->kind == FARM_MAP ? "{" : "[");
	for (const struct farm_node *item = node->first; item; item = item->next) {
		if (node->kind == FARM_MAP) {
			farm_quote_json(buffer, item->key);
			xy__buffer_add(buffer, ":");
		}
		node_add_json(buffer, item);
		xy__buffer_add(buffer, "%s", item->next ? "," : "");
	}
	xy__buffer_add(buffer, node->kind == FARM_MAP ? "}" : "]");
}

char *farm_node_json(struct farm *farm, const struct farm_node *node)
{
	struct xy__buffer buffer = { 0 };
	char *text;

	node_add_json(&buffer, node);
	text = buffer.failed ? NULL : farm_text(farm, "%s", buffer.at);
	farm->failed |= buffer.failed;
	xy__buffer_fini(&buffer);
	return text;
}

struct farm_value farm_node_value(struct farm *farm, const char *name, const struct farm_node *node)
{
	struct farm_value value = { .name = farm_text(farm, "%s", name), .json = farm_node_json(farm, node) };

	value.text = node->kind == FARM_SCALAR ? node->text : value.json;
	return value;
}
