/* SPDX-License-Identifier: MIT */
/*
 * Graphs in DOT: node, edge and attribute statements, subgraphs as groups of nodes. A node is a task; doc/graphs.md
 * lists the attributes.
 */
#include "graph/dot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/text.h"

#define DOT_DEPTH 64

/* Attributes of a node or an edge; some apply to one of them only. */
struct dot_attributes {
	double duration, weight, size; /* negative: not said */
	double number;                 /* of a label that is one */
	const char *label, *kernel;
	int32_t priority;
};

static const struct dot_attributes dot_nothing = { .duration = -1, .weight = -1, .size = -1, .number = -1 };

/* A group in braces: the defaults in it. */
struct dot_scope {
	struct dot_attributes node, edge;
};

struct dot {
	struct dot_words words;
	struct draft draft;
	struct graph__names names;
	struct dot_attributes *nodes; /* by task */
	uint32_t nodes_room;
	uint32_t *mentions; /* nodes in the order in which they are named */
	uint32_t nmentions, mentions_room;
	unsigned depth;
};

/* Some mentions. */
struct dot_group {
	uint32_t first, end;
};

static int dot_no_memory(struct dot *dot)
{
	return graph__refuse_whole(dot->draft.source, -ENOMEM);
}

/* Goes behind a sign that must be there. */
static int dot_expect(struct dot *dot, int sign, const char *expected)
{
	return dot->words.kind == sign ? graph__dot_next(&dot->words) : graph__dot_refuse(&dot->words, expected);
}

/* --- attributes --- */

static int dot_number(struct dot *dot, const char *key, const char *text, unsigned line, double *value)
{
	const char *end = text;

	if (xy__text_double(&end, value) && !*end)
		return 0;
	return graph__refuse(dot->draft.source, line, "expected a number as %s instead of \"%.80s\"", key, text);
}

static int dot_priority(struct dot *dot, const char *text, unsigned line, int32_t *priority)
{
	const char *end = text + (*text == '-');
	uint64_t size;

	if (!xy__text_unsigned(&end, INT32_MAX + (uint64_t)(*text == '-'), &size) || *end)
		return graph__refuse(dot->draft.source, line, "expected a priority instead of \"%.80s\"", text);
	*priority = (int32_t)(*text == '-' ? -(int64_t)size : (int64_t)size);
	return 0;
}

static int dot_set(struct dot *dot, struct dot_attributes *to, const char *key, const char *value, unsigned line)
{
	const char *end = value;

	if (!strcmp(key, "duration"))
		return dot_number(dot, key, value, line, &to->duration);
	if (!strcmp(key, "weight"))
		return dot_number(dot, key, value, line, &to->weight);
	if (!strcmp(key, "size"))
		return dot_number(dot, key, value, line, &to->size);
	if (!strcmp(key, "priority"))
		return dot_priority(dot, value, line, &to->priority);
	if (!strcmp(key, "kernel") && *value)
		to->kernel = value;
	if (!strcmp(key, "label")) {
		to->label = value;
		if (!xy__text_double(&end, &to->number) || *end)
			to->number = -1;
	}
	return 0;
}

/* A name that is to follow, and the word behind it. */
static int dot_take_name(struct dot *dot, const char *expected, char **name)
{
	if (dot->words.kind != DOT_NAME)
		return graph__dot_refuse(&dot->words, expected);
	*name = dot->words.text;
	return graph__dot_next(&dot->words);
}

/* KEY = VALUE; a key alone is true, which nothing here asks for. */
static int dot_attribute(struct dot *dot, struct dot_attributes *to)
{
	unsigned line = dot->words.line;
	char *key = NULL, *value = NULL;
	int error = dot_take_name(dot, "an attribute", &key);

	if (error || dot->words.kind != '=')
		return error;
	error = graph__dot_next(&dot->words);
	if (!error)
		error = dot_take_name(dot, "a value", &value);
	return error ? error : dot_set(dot, to, key, value, line);
}

/* Any number of lists in brackets. */
static int dot_lists(struct dot *dot, struct dot_attributes *to)
{
	int error = 0;

	while (dot->words.kind == '[' && !error) {
		error = graph__dot_next(&dot->words);
		while (!error && dot->words.kind != ']') {
			error = dot_attribute(dot, to);
			if (!error && (dot->words.kind == ',' || dot->words.kind == ';'))
				error = graph__dot_next(&dot->words);
		}
		if (!error)
			error = graph__dot_next(&dot->words);
	}
	return error;
}

/* --- nodes --- */

/* Attributes of a new node. */
static int dot_reserve_node(struct dot *dot, uint32_t number)
{
	uint32_t room = dot->nodes_room + dot->nodes_room / 2 + 64;
	struct dot_attributes *nodes;

	if (number < dot->nodes_room)
		return 0;
	nodes = realloc(dot->nodes, room * sizeof(*nodes));
	if (!nodes)
		return dot_no_memory(dot);
	dot->nodes = nodes;
	dot->nodes_room = room;
	return 0;
}

static int dot_mention(struct dot *dot, uint32_t number)
{
	if (dot->nmentions == dot->mentions_room) {
		uint32_t room = dot->mentions_room + dot->mentions_room / 2 + 64;
		uint32_t *mentions = realloc(dot->mentions, room * sizeof(*mentions));

		if (!mentions)
			return dot_no_memory(dot);
		dot->mentions = mentions;
		dot->mentions_room = room;
	}
	dot->mentions[dot->nmentions++] = number;
	return 0;
}

/* Names a node; a new one has the defaults of its place. */
static int dot_node(struct dot *dot, const struct dot_scope *scope, const char *name, unsigned line)
{
	struct draft_task *task;
	uint32_t number = dot->draft.ntasks;
	int error;

	if (graph__names_find(&dot->names, name, &number))
		return dot_mention(dot, number);
	error = dot_reserve_node(dot, number);
	if (!error)
		error = graph__draft_task(&dot->draft, &task);
	if (error)
		return error;
	task->name = name;
	task->line = line;
	dot->nodes[number] = scope->node;
	if (graph__names_add(&dot->names, name, number))
		return dot_no_memory(dot);
	return dot_mention(dot, number);
}

/* Behind the name of a node: :PORT, or :PORT:COMPASS, which mean nothing here. */
static int dot_ports(struct dot *dot)
{
	char *port;
	int error = 0;

	for (unsigned i = 0; i < 2 && !error && dot->words.kind == ':'; i++) {
		error = graph__dot_next(&dot->words);
		if (!error)
			error = dot_take_name(dot, "a port", &port);
	}
	return error;
}

/* --- statements --- */

static int dot_statements(struct dot *dot, struct dot_scope scope);

/* [subgraph [NAME]] { ... } */
static int dot_subgraph(struct dot *dot, const struct dot_scope *scope)
{
	int error = 0;

	if (graph__dot_is(&dot->words, "subgraph")) {
		error = graph__dot_next(&dot->words);
		if (!error && dot->words.kind == DOT_NAME)
			error = graph__dot_next(&dot->words);
	}
	if (!error && ++dot->depth > DOT_DEPTH)
		error = graph__refuse(dot->draft.source, dot->words.line, "expected at most %d levels", DOT_DEPTH);
	if (!error)
		error = dot_expect(dot, '{', "{");
	if (!error)
		error = dot_statements(dot, *scope);
	if (!error)
		error = dot_expect(dot, '}', "}");
	dot->depth--;
	return error;
}

/* A node or a group, as it stands at an end of an edge. */
static int dot_end(struct dot *dot, const struct dot_scope *scope, struct dot_group *group)
{
	unsigned line = dot->words.line;
	char *name = NULL;
	int error;

	group->first = dot->nmentions;
	if (dot->words.kind == '{' || graph__dot_is(&dot->words, "subgraph")) {
		error = dot_subgraph(dot, scope);
	} else {
		error = dot_take_name(dot, "a node, an edge, an attribute or a subgraph", &name);
		if (!error)
			error = dot_node(dot, scope, name, line);
		if (!error)
			error = dot_ports(dot);
	}
	group->end = dot->nmentions;
	return error;
}

static int dot_connect(struct dot *dot, struct dot_group from, struct dot_group to, unsigned line)
{
	int error = 0;

	if ((uint64_t)(from.end - from.first) * (to.end - to.first) > 100000000u)
		return graph__refuse(dot->draft.source, line, "expected fewer edges between groups");
	for (uint32_t i = from.first; i < from.end && !error; i++)
		for (uint32_t j = to.first; j < to.end && !error; j++)
			error = graph__draft_edge(
				&dot->draft,
				(struct draft_edge){ .from = dot->mentions[i], .to = dot->mentions[j], .line = line });
	return error;
}

/* Bytes of an edge. */
static int dot_bytes(struct dot *dot, const struct dot_attributes *said, unsigned line, uint64_t *bytes)
{
	double size = said->size >= 0 ? said->size : said->weight >= 0 ? said->weight : said->number;

	if (!(size <= (double)GRAPH_BYTES_MAX))
		return graph__refuse(dot->draft.source, line, "expected fewer bytes");
	*bytes = size > 0 ? (uint64_t)ceil(size) : 0;
	return 0;
}

/* The rest of an edge statement, behind its first end. */
static int dot_edges(struct dot *dot, const struct dot_scope *scope, struct dot_group from)
{
	struct dot_attributes said = scope->edge;
	uint32_t first = dot->draft.nedges;
	unsigned line = dot->words.line;
	uint64_t bytes = 0;
	int error = 0;

	while (!error && dot->words.kind == DOT_ARROW) {
		struct dot_group to = from;

		error = graph__dot_next(&dot->words);
		if (!error)
			error = dot_end(dot, scope, &to);
		if (!error)
			error = dot_connect(dot, from, to, line);
		from = to;
	}
	if (!error)
		error = dot_lists(dot, &said);
	if (!error)
		error = dot_bytes(dot, &said, line, &bytes);
	for (uint32_t i = first; i < dot->draft.nedges && !error; i++)
		dot->draft.edges[i].bytes = bytes;
	return error;
}

/* Behind a name: of a node, an edge, or an attribute of the graph. */
static int dot_other(struct dot *dot, const struct dot_scope *scope)
{
	bool simple = dot->words.kind == DOT_NAME && !graph__dot_is(&dot->words, "subgraph");
	struct dot_group group;
	int error;

	if (simple) { /* NAME = VALUE names no node */
		char *name = dot->words.text;
		unsigned line = dot->words.line;

		error = graph__dot_next(&dot->words);
		if (!error && dot->words.kind == '=') {
			error = graph__dot_next(&dot->words);
			return error ? error : dot_take_name(dot, "a value", &name);
		}
		group.first = dot->nmentions;
		if (!error)
			error = dot_node(dot, scope, name, line);
		if (!error)
			error = dot_ports(dot);
		group.end = dot->nmentions;
	} else {
		error = dot_end(dot, scope, &group);
	}
	if (error)
		return error;
	if (dot->words.kind == DOT_LINE)
		return graph__dot_refuse(&dot->words, "->, as edges have a direction,");
	if (dot->words.kind == DOT_ARROW)
		return dot_edges(dot, scope, group);
	return simple ? dot_lists(dot, &dot->nodes[dot->mentions[group.first]]) : 0;
}

static int dot_statement(struct dot *dot, struct dot_scope *scope)
{
	struct dot_attributes ignored = dot_nothing;
	struct dot_attributes *defaults = graph__dot_is(&dot->words, "node")    ? &scope->node
					  : graph__dot_is(&dot->words, "edge")  ? &scope->edge
					  : graph__dot_is(&dot->words, "graph") ? &ignored
										: NULL;
	int error;

	if (!defaults)
		return dot_other(dot, scope);
	error = graph__dot_next(&dot->words);
	if (!error && dot->words.kind != '[')
		return graph__dot_refuse(&dot->words, "[");
	/* The size of a graph is that of its picture. */
	if (defaults != &ignored)
		return error ? error : dot_lists(dot, defaults);
	while (!error && dot->words.kind != ']' && dot->words.kind != DOT_END)
		error = graph__dot_next(&dot->words);
	return error ? error : dot_expect(dot, ']', "]");
}

static int dot_statements(struct dot *dot, struct dot_scope scope)
{
	int error = 0;

	while (!error && dot->words.kind != '}' && dot->words.kind != DOT_END) {
		if (dot->words.kind == ';')
			error = graph__dot_next(&dot->words);
		else
			error = dot_statement(dot, &scope);
	}
	return error;
}

/* --- the whole --- */

/* strict digraph NAME { */
static int dot_header(struct dot *dot)
{
	int error = graph__dot_next(&dot->words);

	if (!error && graph__dot_is(&dot->words, "strict"))
		error = graph__dot_next(&dot->words);
	if (!error && !graph__dot_is(&dot->words, "digraph"))
		return graph__dot_refuse(&dot->words, "digraph");
	if (!error)
		error = graph__dot_next(&dot->words);
	if (!error && dot->words.kind == DOT_NAME) {
		if (graph_set_name(dot->draft.g, dot->words.text))
			return dot_no_memory(dot);
		error = graph__dot_next(&dot->words);
	}
	return error ? error : dot_expect(dot, '{', "{");
}

/* Applies the attributes of its node to a task. */
static int dot_finish_task(struct dot *dot, uint32_t number)
{
	const struct dot_attributes *said = &dot->nodes[number];
	struct draft_task *task = &dot->draft.tasks[number];
	double length = said->duration >= 0 ? said->duration
			: said->weight >= 0 ? said->weight
			: said->size >= 0   ? said->size / 1000
					    : -1;

	task->priority = said->priority;
	if (said->label && strcmp(said->label, "\\N"))
		task->name = said->label;
	if (length == 0)
		return 0;
	task->length_us = length > 0 ? length : 0;
	return graph__draft_kernel(&dot->draft, said->kernel ? said->kernel : "task", 0, &task->kernel);
}

int graph__read_dot(struct graph *g, struct graph_source *source)
{
	struct dot dot = { .draft = { .g = g, .source = source } };
	int error;

	graph__dot_init(&dot.words, source);
	error = dot_header(&dot);
	if (!error)
		error = dot_statements(&dot, (struct dot_scope){ dot_nothing, dot_nothing });
	if (!error)
		error = dot_expect(&dot, '}', "}");
	if (!error && dot.words.kind != DOT_END)
		error = graph__dot_refuse(&dot.words, "the end of the file");
	for (uint32_t i = 0; i < dot.draft.ntasks && !error; i++)
		error = dot_finish_task(&dot, i);
	if (!error)
		error = graph__draft_finish(&dot.draft);
	graph__draft_fini(&dot.draft);
	graph__names_fini(&dot.names);
	free(dot.nodes);
	free(dot.mentions);
	return error;
}
