/* SPDX-License-Identifier: MIT */
/*
 * Our own format, "xygraph 1": a statement on each line; doc/graphs.md has the grammar. Words are cut out of the
 * text in place, so names need not be copied while reading.
 */
#include "graph/read.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/text.h"

struct own {
	struct graph *g;
	struct graph_source *source;
	struct draft draft;
	struct graph__names data, tasks;
	char *at; /* the next character, ... */
	char now; /* ... which may have been overwritten to end a word before it */
	unsigned line;
};

static void own_step(struct own *own)
{
	own->now = *++own->at;
}

/* Skips blanks; the character behind them. Comments and the end of a line are '\n', the end of the text 0. */
static char own_peek(struct own *own)
{
	while (own->now == ' ' || own->now == '\t' || own->now == '\r')
		own_step(own);
	while (own->now == '#') {
		while (own->now && own->now != '\n')
			own_step(own);
	}
	return own->now;
}

static bool own_is_bare(char c)
{
	return c && !strchr(" \t\r\n\",=#", c);
}

/* Says what stands where something else was expected. */
static int own_refuse(struct own *own, const char *expected)
{
	char c = own_peek(own);

	if (!c || c == '\n')
		return graph__refuse(own->source, own->line, "expected %s instead of the end of the line", expected);
	return graph__refuse(own->source, own->line, "expected %s instead of \"%c\"", expected, c);
}

/* Reads a quoted word; \" and \\ are escapes. */
static int own_quoted(struct own *own, char **word)
{
	char *to;

	own_step(own);
	*word = to = own->at;
	while (own->now != '"') {
		if (own->now == '\\')
			own_step(own);
		if (!own->now || own->now == '\n')
			return own_refuse(own, "a quote at the end of the word");
		*to++ = own->now;
		own_step(own);
	}
	own_step(own);
	*to = '\0';
	return 0;
}

/* Reads a word; what is expected is for the message. */
static int own_word(struct own *own, const char *expected, char **word)
{
	char c = own_peek(own);

	if (c == '"')
		return own_quoted(own, word);
	if (!own_is_bare(c))
		return own_refuse(own, expected);
	*word = own->at;
	while (own_is_bare(own->now))
		own_step(own);
	*own->at = '\0';
	return 0;
}

static int own_wrong(struct own *own, const char *expected, const char *word)
{
	return graph__refuse(own->source, own->line, "expected %s instead of \"%.80s\"", expected, word);
}

/* --- numbers --- */

static int own_double(struct own *own, const char *expected, double *value)
{
	char *word;
	const char *end;
	int error = own_word(own, expected, &word);

	if (error)
		return error;
	end = word;
	return xy__text_double(&end, value) && !*end && *value <= GRAPH_LENGTH_MAX_US ? 0
										      : own_wrong(own, expected, word);
}

static int own_unsigned(struct own *own, const char *expected, uint64_t max, uint64_t *value)
{
	char *word;
	const char *end;
	int error = own_word(own, expected, &word);

	if (error)
		return error;
	end = word;
	return xy__text_bytes(&end, max, value) && !*end ? 0 : own_wrong(own, expected, word);
}

static int own_priority(struct own *own, int32_t *value)
{
	static const char expected[] = "a priority from -2147483648 to 2147483647";
	char *word;
	const char *end;
	uint64_t size;
	int error = own_word(own, expected, &word);

	if (error)
		return error;
	end = word + (*word == '-');
	if (!xy__text_unsigned(&end, INT_MAX + (uint64_t)(*word == '-'), &size) || *end)
		return own_wrong(own, expected, word);
	*value = (int32_t)(*word == '-' ? -(int64_t)size : (int64_t)size);
	return 0;
}

/* --- names --- */

/* Reads a name that must be known. */
static int own_known(struct own *own, const struct graph__names *names, const char *expected, uint32_t *number)
{
	char *word;
	int error = own_word(own, expected, &word);

	if (error)
		return error;
	return graph__names_find(names, word, number) ? 0 : own_wrong(own, expected, word);
}

/* Reads a name that must be new, and gives it a number. */
static int own_new(struct own *own, struct graph__names *names, const char *what, uint32_t number, char **word)
{
	uint32_t other;
	int error = own_word(own, what, word);

	if (error)
		return error;
	if (graph__names_find(names, *word, &other))
		return graph__refuse(own->source, own->line, "expected %s, but \"%.80s\" already exists", what, *word);
	return graph__names_add(names, *word, number) ? graph__refuse_whole(own->source, -ENOMEM) : 0;
}

/* Whether a word is the writer's name for something unnamed. */
static bool own_is_number(const char *word, char letter, uint32_t number)
{
	char own[16];

	snprintf(own, sizeof(own), "%c%u", letter, number);
	return !strcmp(word, own);
}

/* --- fields: KEY=VALUE --- */

/* Whether another field follows; then its key has been read. */
static int own_key(struct own *own, char **key, bool *more)
{
	int error;

	*more = false;
	if (!own_peek(own) || own->now == '\n')
		return 0;
	error = own_word(own, "KEY=VALUE", key);
	if (error)
		return error;
	if (own_peek(own) != '=')
		return own_refuse(own, "=");
	own_step(own);
	*more = true;
	return 0;
}

/* Whether another value of a list follows. */
static bool own_comma(struct own *own)
{
	if (own_peek(own) != ',')
		return false;
	own_step(own);
	return true;
}

static int own_accesses(struct own *own, enum xy_mode mode)
{
	uint32_t datum;
	int error;

	do {
		error = own_known(own, &own->data, "data declared before", &datum);
		if (!error)
			error = graph__draft_access(&own->draft, datum, mode);
	} while (!error && own_comma(own));
	return error;
}

static int own_after(struct own *own, uint32_t task)
{
	struct draft_edge edge = { .to = task, .line = own->line };
	int error;

	do {
		error = own_known(own, &own->tasks, "a task declared before", &edge.from);
		if (!error && edge.from == task)
			error = graph__refuse(own->source, own->line, "expected another task, not the task itself");
		if (!error)
			error = graph__draft_edge(&own->draft, edge);
	} while (!error && own_comma(own));
	return error;
}

static int own_costs(struct own *own, struct draft_task *task)
{
	uint32_t n = own->g->nprocessors, i = 0;
	int error;

	if (!n || task->costs)
		return graph__refuse(own->source, own->line, "expected %s",
				     n ? "costs once" : "\"processors\" before costs");
	task->costs = calloc(n, sizeof(*task->costs));
	if (!task->costs)
		return graph__refuse_whole(own->source, -ENOMEM);
	do {
		double cost = 0;

		error = own_double(own, "a positive cost", &cost);
		if (error)
			return error;
		if (i == n || !(cost > 0))
			return graph__refuse(own->source, own->line, "expected %u positive costs", n);
		task->costs[i++] = cost;
	} while (own_comma(own));
	return i == n ? 0 : graph__refuse(own->source, own->line, "expected %u costs instead of %u", n, i);
}

/* Reads recorded measurements. */
static int own_record(struct own *own, struct draft_task *task, const char *key, bool *known)
{
	double *time = !strcmp(key, "ready")   ? &task->record.ready_us
		       : !strcmp(key, "start") ? &task->record.start_us
		       : !strcmp(key, "end")   ? &task->record.end_us
					       : NULL;
	uint64_t worker;
	int error = 0;

	*known = time || !strcmp(key, "worker");
	if (!*known)
		return 0;
	if (!task->recorded)
		task->record.worker = -1;
	task->recorded = true;
	if (time)
		return own_double(own, "microseconds, at most 1e30,", time);
	error = own_unsigned(own, "a worker's number", INT_MAX, &worker);
	if (!error)
		task->record.worker = (int32_t)worker;
	return error;
}

static const struct {
	const char *key;
	enum xy_mode mode;
} own_modes[] = {
	{ "r", XY_R },         { "w", XY_W },
	{ "rw", XY_RW },       { "scratch", XY_SCRATCH },
	{ "redux", XY_REDUX }, { "commute", XY_RW | XY_COMMUTE },
};

static int own_field(struct own *own, uint32_t number, const char *key)
{
	struct draft_task *task = &own->draft.tasks[number];
	char *name;
	bool known;
	int error;

	for (unsigned i = 0; i < sizeof(own_modes) / sizeof(own_modes[0]); i++)
		if (!strcmp(key, own_modes[i].key))
			return own_accesses(own, own_modes[i].mode);
	if (!strcmp(key, "after"))
		return own_after(own, number);
	if (!strcmp(key, "priority"))
		return own_priority(own, &task->priority);
	if (!strcmp(key, "us"))
		return own_double(own, "microseconds, at most 1e30,", &task->length_us);
	if (!strcmp(key, "costs"))
		return own_costs(own, task);
	if (!strcmp(key, "name")) {
		error = own_word(own, "a name", &name);
		if (!error)
			task->name = name;
		return error;
	}
	error = own_record(own, task, key, &known);
	return error || known ? error
			      : own_wrong(own,
					  "r, w, rw, commute, redux, scratch, after, priority, us, costs, "
					  "name, worker, ready, start or end",
					  key);
}

/* --- statements --- */

static int own_read_name(struct own *own)
{
	char *word;
	int error = own_word(own, "a name", &word);

	return error ? error : graph_set_name(own->g, word) ? graph__refuse_whole(own->source, -ENOMEM) : 0;
}

static int own_read_processors(struct own *own)
{
	uint64_t n = 0;
	int error = own_unsigned(own, "a number of processors up to 1000000", 1000000, &n);

	if (!error && (!n || own->draft.ntasks || own->g->nprocessors))
		error = graph__refuse(own->source, own->line, "expected processors once, at least 1, before all tasks");
	return error ? error : graph_set_processors(own->g, (uint32_t)n);
}

static int own_read_kernel(struct own *own)
{
	uint32_t number;
	double length_us = 0;
	char *name, *key;
	bool more;
	int error = own_word(own, "a kernel's name", &name);

	if (!error && (!*name || !strcmp(name, "-") || graph__names_find(&own->draft.kernels, name, &number)))
		error = own_wrong(own, "a new kernel name", name);
	if (!error)
		error = own_key(own, &key, &more);
	if (!error && more)
		error = strcmp(key, "us") ? own_wrong(own, "us", key)
					  : own_double(own, "microseconds, at most 1e30,", &length_us);
	return error ? error : graph__draft_kernel(&own->draft, name, length_us, &number);
}

static int own_read_data(struct own *own)
{
	uint32_t number = own->g->ndata;
	uint64_t bytes = 0;
	char *word, *key, *name = NULL;
	bool more = false;
	int error = own_new(own, &own->data, "a name of data", number, &word);
	int added;

	if (!error)
		error = own_unsigned(own, "a number of bytes", GRAPH_BYTES_MAX, &bytes);
	if (!error)
		error = own_key(own, &key, &more);
	if (!error && more)
		error = strcmp(key, "name") ? own_wrong(own, "name", key) : own_word(own, "a name", &name);
	if (error)
		return error;
	if (!name && !own_is_number(word, 'd', number))
		name = word;
	added = graph_add_data(own->g, name, bytes);
	return added < 0 ? graph__refuse_whole(own->source, added) : 0;
}

/* The kernel of a task. */
static int own_read_use(struct own *own, uint32_t *kernel)
{
	char *word;
	int error = own_word(own, "a kernel, or -", &word);

	*kernel = GRAPH_NO_KERNEL;
	if (error || !strcmp(word, "-"))
		return error;
	return graph__names_find(&own->draft.kernels, word, kernel) ? 0
								    : own_wrong(own, "a kernel declared before", word);
}

static int own_read_task(struct own *own)
{
	uint32_t number = own->draft.ntasks, kernel;
	struct draft_task *task;
	char *word, *key;
	bool more = true;
	int error = own_new(own, &own->tasks, "a task's name", number, &word);

	if (!error)
		error = own_read_use(own, &kernel);
	if (!error)
		error = graph__draft_task(&own->draft, &task);
	if (error)
		return error;
	task->kernel = kernel;
	task->name = own_is_number(word, 't', number) ? NULL : word;
	task->line = own->line;
	while (more && !error) {
		error = own_key(own, &key, &more);
		if (more && !error)
			error = own_field(own, number, key);
	}
	if (!error && own->g->nprocessors && kernel != GRAPH_NO_KERNEL && !own->draft.tasks[number].costs)
		error = graph__refuse(own->source, own->line,
				      "expected costs, because the graph has "
				      "processors");
	return error;
}

static int own_read_edge(struct own *own)
{
	struct draft_edge edge = { .line = own->line };
	int error = own_known(own, &own->tasks, "a task declared before", &edge.from);

	if (!error)
		error = own_known(own, &own->tasks, "a task declared before", &edge.to);
	if (!error && edge.from >= edge.to)
		error = graph__refuse(own->source, own->line,
				      "expected the predecessor to be declared "
				      "first");
	if (!error && own_peek(own) && own->now != '\n')
		error = own_unsigned(own, "a number of bytes", GRAPH_BYTES_MAX, &edge.bytes);
	return error ? error : graph__draft_edge(&own->draft, edge);
}

static const struct {
	const char *word;
	int (*read)(struct own *own);
} own_statements[] = {
	{ "name", own_read_name },     { "processors", own_read_processors },
	{ "kernel", own_read_kernel }, { "data", own_read_data },
	{ "task", own_read_task },     { "edge", own_read_edge },
};

static int own_statement(struct own *own)
{
	char *word;
	int error = own_word(own, "a statement", &word);

	for (unsigned i = 0; i < sizeof(own_statements) / sizeof(own_statements[0]) && !error; i++)
		if (!strcmp(word, own_statements[i].word)) {
			error = own_statements[i].read(own);
			if (!error && own_peek(own) && own->now != '\n')
				error = own_refuse(own, "the end of the line");
			return error;
		}
	return error ? error : own_wrong(own, "name, processors, kernel, data, task or edge", word);
}

/* The first line. */
static int own_header(struct own *own)
{
	char *word;
	int error = 0;

	while (own_peek(own) == '\n') {
		own_step(own);
		own->line++;
	}
	error = own_word(own, "xygraph 1", &word);
	if (!error && strcmp(word, "xygraph"))
		error = own_wrong(own, "xygraph 1", word);
	if (!error)
		error = own_word(own, "version 1", &word);
	if (!error && strcmp(word, "1"))
		error = own_wrong(own, "version 1", word);
	if (!error && own_peek(own) && own->now != '\n')
		error = own_refuse(own, "the end of the line");
	return error;
}

int graph__read_own(struct graph *g, struct graph_source *source)
{
	struct own own = { .g = g,
			   .source = source,
			   .draft = { .g = g, .source = source },
			   .at = source->text,
			   .now = *source->text,
			   .line = 1 };
	int error = own_header(&own);

	while (!error && own_peek(&own) == '\n') {
		own_step(&own);
		own.line++;
		if (own_peek(&own) && own.now != '\n')
			error = own_statement(&own);
	}
	if (!error)
		error = graph__draft_finish(&own.draft);
	graph__draft_fini(&own.draft);
	graph__names_fini(&own.data);
	graph__names_fini(&own.tasks);
	return error;
}
