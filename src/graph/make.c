/* SPDX-License-Identifier: MIT */
/*
 * Graphs by text: NAME[:SIZE][:OPTION=VALUE]... The table of builders says what each one takes; what is not said
 * has a default, so that a builder sees a complete request within its limits.
 */
#include "graph/make.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/message.h"
#include "core/util/nearest.h"
#include "core/util/text.h"

#define MAKE_TASKS_MAX 2e7
#define MAKE_US_MAX (GRAPH_LENGTH_MAX_US / 10) /* a mean */

enum make_sizes { MAKE_NO_SIZE, MAKE_ONE_SIZE, MAKE_TWO_SIZES };

/* Options, as bits of what a builder takes. All take priorities. */
enum {
	MAKE_TILE = 1,
	MAKE_BYTES = 2,
	MAKE_US = 4,
	MAKE_LAYERS = 8,
	MAKE_WIDTH = 16,
	MAKE_DEGREE = 32,
	MAKE_SEED = 64,
	MAKE_KERNELS = 128
};

struct make_builder {
	const char *name, *help;
	enum make_sizes sizes;
	unsigned options;
	struct make_request initial;
	int (*build)(struct graph *g, const struct make_request *request);
	double (*count)(const struct make_request *request); /* of tasks, at most */
};

static double make_count_cubic(const struct make_request *r)
{
	return (double)r->size * (double)r->size * (double)r->size / 3 + (double)r->size * (double)r->size;
}

static double make_count_grid(const struct make_request *r)
{
	return ((double)r->size + 2) * (double)r->steps;
}

static double make_count_size(const struct make_request *r)
{
	return (double)r->size;
}

static double make_count_layers(const struct make_request *r)
{
	return (double)r->layers * (double)r->width;
}

static const struct make_builder make_builders[] = {
	{ "chain",
	  "chain:TASKS[:us=100][:bytes=1M]: each task waits for the previous one",
	  MAKE_ONE_SIZE,
	  MAKE_US | MAKE_BYTES,
	  { .us = 100, .bytes = 1 << 20 },
	  graph__make_chain,
	  make_count_size },
	{ "cholesky",
	  "cholesky:TILES[:tile=960]: tiled Cholesky factorization, single precision",
	  MAKE_ONE_SIZE,
	  MAKE_TILE,
	  { .tile = 960 },
	  graph__make_cholesky,
	  make_count_cubic },
	{ "forkjoin",
	  "forkjoin:WIDTHxSTEPS[:us=100][:bytes=1M]: a fork, tasks, a join, repeated",
	  MAKE_TWO_SIZES,
	  MAKE_US | MAKE_BYTES,
	  { .us = 100, .bytes = 1 << 20 },
	  graph__make_forkjoin,
	  make_count_grid },
	{ "independent",
	  "independent:TASKS[:us=100][:bytes=1M]: no dependencies",
	  MAKE_ONE_SIZE,
	  MAKE_US | MAKE_BYTES,
	  { .us = 100, .bytes = 1 << 20 },
	  graph__make_independent,
	  make_count_size },
	{ "lu",
	  "lu:TILES[:tile=960]: tiled LU factorization without pivoting, double precision",
	  MAKE_ONE_SIZE,
	  MAKE_TILE,
	  { .tile = 960 },
	  graph__make_lu,
	  make_count_cubic },
	{ "qr",
	  "qr:TILES[:tile=960]: tiled QR factorization, single precision",
	  MAKE_ONE_SIZE,
	  MAKE_TILE,
	  { .tile = 960 },
	  graph__make_qr,
	  make_count_cubic },
	{ "random",
	  "random[:layers=20][:width=30][:degree=3][:seed=0][:us=100][:bytes=1M]"
	  "[:kernels=work|cholesky|lu|qr][:tile=960]: random layers",
	  MAKE_NO_SIZE,
	  MAKE_LAYERS | MAKE_WIDTH | MAKE_DEGREE | MAKE_SEED | MAKE_US | MAKE_BYTES | MAKE_TILE | MAKE_KERNELS,
	  { .layers = 20, .width = 30, .degree = 3, .us = 100, .bytes = 1 << 20, .tile = 960 },
	  graph__make_random,
	  make_count_layers },
	{ "stencil",
	  "stencil:WIDTHxSTEPS[:us=100][:bytes=1M]: a row of blocks, each updated from its neighbours",
	  MAKE_TWO_SIZES,
	  MAKE_US | MAKE_BYTES,
	  { .us = 100, .bytes = 1 << 20 },
	  graph__make_stencil,
	  make_count_grid },
};
enum { MAKE_NBUILDERS = sizeof(make_builders) / sizeof(make_builders[0]) };

const char *graph_make_help(unsigned i)
{
	return i < MAKE_NBUILDERS ? make_builders[i].help : NULL;
}

/* --- reading the text --- */

struct make_reader {
	const struct make_builder *builder;
	struct make_request request;
	enum graph_priorities priorities;
	struct xy__message message;
};

/* Says what is wrong. */
__attribute__((format(printf, 2, 3))) static int make_refuse(struct make_reader *reader, const char *format, ...)
{
	va_list list;
	char text[256];

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	xy__message_add(&reader->message, "%s", text);
	return -EINVAL;
}

/* The options, where their values go and what those can be. */
struct make_option {
	const char *name;
	unsigned bit;
	size_t offset;
	uint64_t min, max;
};

static const struct make_option make_options[] = {
	{ "tile", MAKE_TILE, offsetof(struct make_request, tile), 1, 1 << 20 },
	{ "bytes", MAKE_BYTES, offsetof(struct make_request, bytes), 1, (uint64_t)1 << 40 },
	{ "us", MAKE_US, offsetof(struct make_request, us), 0, 0 },
	{ "layers", MAKE_LAYERS, offsetof(struct make_request, layers), 1, 20000000 },
	{ "width", MAKE_WIDTH, offsetof(struct make_request, width), 1, 20000000 },
	{ "degree", MAKE_DEGREE, offsetof(struct make_request, degree), 1, 1000 },
	{ "seed", MAKE_SEED, offsetof(struct make_request, seed), 0, UINT64_MAX },
};
enum { MAKE_NOPTIONS = sizeof(make_options) / sizeof(make_options[0]) };

/* The place of a word among those that are allowed; -1 if it is not. */
static int make_find_word(const char *word, const char *const *words, int n)
{
	int i = 0;

	while (i < n && strcmp(word, words[i]))
		i++;
	return i < n ? i : -1;
}

static int make_read_priorities(struct make_reader *reader, const char *value)
{
	static const char *const names[] = { "app", "none", "rank" };
	int i = make_find_word(value, names, 3);

	if (i < 0)
		return make_refuse(reader, "priorities must be app, none or rank, not \"%s\"", value);
	reader->priorities = (enum graph_priorities)i;
	return 0;
}

static int make_read_kernels(struct make_reader *reader, const char *value)
{
	static const char *const names[] = { "work", "cholesky", "lu", "qr" };
	int i = make_find_word(value, names, 4);

	if (i < 0)
		return make_refuse(reader, "kernels must be work, cholesky, lu or qr, not \"%s\"", value);
	reader->request.kernels = (enum make_kernels)i;
	return 0;
}

static int make_read_value(struct make_reader *reader, const struct make_option *option, const char *value)
{
	void *at = (char *)&reader->request + option->offset;
	const char *end = value;
	uint64_t number;

	if (option->bit == MAKE_US) {
		if (!xy__text_double(&end, at) || *end || !(*(double *)at > 0 && *(double *)at <= MAKE_US_MAX))
			return make_refuse(reader, "us must be above 0 and at most 1e29, not \"%s\"", value);
		return 0;
	}
	if (!(option->bit == MAKE_BYTES ? xy__text_bytes : xy__text_unsigned)(&end, option->max, &number) || *end ||
	    number < option->min)
		return make_refuse(reader, "%s must be a number from %llu to %llu, not \"%s\"", option->name,
				   (unsigned long long)option->min, (unsigned long long)option->max, value);
	*(uint64_t *)at = number;
	return 0;
}

static int make_read_option(struct make_reader *reader, const char *name, const char *value)
{
	struct xy__nearest nearest;

	if (!strcmp(name, "priorities"))
		return make_read_priorities(reader, value);
	if (!strcmp(name, "kernels") && reader->builder->options & MAKE_KERNELS)
		return make_read_kernels(reader, value);
	xy__nearest_init(&nearest, name, strlen(name));
	xy__nearest_look(&nearest, "priorities");
	for (unsigned i = 0; i < MAKE_NOPTIONS; i++) {
		if (!(reader->builder->options & make_options[i].bit))
			continue;
		if (!strcmp(name, make_options[i].name))
			return make_read_value(reader, &make_options[i], value);
		xy__nearest_look(&nearest, make_options[i].name);
	}
	make_refuse(reader, "%s has no option \"%s\"", reader->builder->name, name);
	xy__nearest_say(&nearest, &reader->message);
	return -EINVAL;
}

/* SIZE or SIZExSTEPS. */
static int make_read_size(struct make_reader *reader, const char *word)
{
	const char *end = word;
	bool fine = xy__text_unsigned(&end, (uint64_t)MAKE_TASKS_MAX, &reader->request.size) && reader->request.size;

	if (reader->builder->sizes == MAKE_NO_SIZE)
		return make_refuse(reader, "expected OPTION=VALUE instead of \"%s\"", word);
	if (reader->builder->sizes == MAKE_TWO_SIZES && fine) {
		fine = *end++ == 'x' && xy__text_unsigned(&end, (uint64_t)MAKE_TASKS_MAX, &reader->request.steps) &&
		       reader->request.steps;
	}
	if (fine && !*end)
		return 0;
	return make_refuse(reader, "expected %s instead of \"%s\"",
			   reader->builder->sizes == MAKE_TWO_SIZES ? "WIDTHxSTEPS, such as 16x200," : "a size", word);
}

/* The words behind the name; they end with ':' or zero and are cut up. */
static int make_read(struct make_reader *reader, char *words)
{
	bool sized = false;
	int error = 0;

	while (words && !error) {
		char *word = strsep(&words, ":"), *equals = strchr(word, '=');

		if (equals) {
			*equals = '\0';
			error = make_read_option(reader, word, equals + 1);
		} else if (sized) {
			error = make_refuse(reader, "expected OPTION=VALUE instead of \"%s\"", word);
		} else {
			error = make_read_size(reader, word);
			sized = true;
		}
	}
	if (!error && !sized && reader->builder->sizes != MAKE_NO_SIZE)
		error = make_refuse(reader, "%s needs a size: %s", reader->builder->name, reader->builder->help);
	if (!error && reader->builder->count(&reader->request) > MAKE_TASKS_MAX) {
		make_refuse(reader, "the graph would have more than %.0f tasks", MAKE_TASKS_MAX);
		error = -E2BIG;
	}
	return error;
}

static const struct make_builder *make_find(struct make_reader *reader, const char *name)
{
	struct xy__nearest nearest;

	xy__nearest_init(&nearest, name, strlen(name));
	for (unsigned i = 0; i < MAKE_NBUILDERS; i++) {
		if (!strcmp(name, make_builders[i].name))
			return &make_builders[i];
		xy__nearest_look(&nearest, make_builders[i].name);
	}
	make_refuse(reader, "unknown graph \"%s\"", name);
	xy__nearest_say(&nearest, &reader->message);
	return NULL;
}

/* --- priorities --- */

/* How many tasks there are on the longest way to the end: what one knows without any figures. */
static int make_prioritise(struct graph *g)
{
	double *ones = malloc((g->ntasks + (size_t)1) * sizeof(*ones));
	double *levels = malloc((g->ntasks + (size_t)1) * sizeof(*levels));
	struct graph_edges edges;
	int error = ones && levels ? graph_edges_init(&edges, g) : -ENOMEM;

	if (!error) {
		for (uint32_t t = 0; t < g->ntasks; t++)
			ones[t] = 1;
		graph_bottom_levels(&edges, ones, levels);
		for (uint32_t t = 0; t < g->ntasks; t++)
			g->tasks[t].priority = (int32_t)levels[t];
		graph_edges_fini(&edges);
	}
	free(ones);
	free(levels);
	return error;
}

int graph_make(struct graph *g, const char *text, char *error, size_t error_size)
{
	struct make_reader reader = { .priorities = GRAPH_PRIORITIES_APP };
	char *words = strdup(text), *rest = words;
	int status = -ENOENT;

	*g = (struct graph){ 0 };
	xy__message_init(&reader.message, error, error_size);
	if (!words) {
		make_refuse(&reader, "no memory");
		return -ENOMEM;
	}
	reader.builder = make_find(&reader, strsep(&rest, ":"));
	if (reader.builder) {
		reader.request = reader.builder->initial;
		status = make_read(&reader, rest);
	}
	free(words);
	if (status)
		return status;
	status = graph_set_name(g, text);
	if (!status)
		status = reader.builder->build(g, &reader.request);
	if (!status && reader.priorities == GRAPH_PRIORITIES_APP)
		status = make_prioritise(g);
	g->priorities = reader.priorities;
	if (status) {
		graph_fini(g);
		make_refuse(&reader, "not enough memory for the graph");
	}
	return status;
}
