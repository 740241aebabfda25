/* SPDX-License-Identifier: MIT */
/*
 * Standard task graphs: numbers, and where lines end means nothing but for the first. Whether predecessors come
 * with communication costs, and tasks with a time for each processor, is found by what fits the whole file.
 */
#include "graph/read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/text.h"

struct stg_number {
	double value;
	unsigned line;
};

struct stg {
	struct graph_source *source;
	struct stg_number *numbers;
	size_t count, room, first;  /* first: behind the header */
	uint64_t tasks, processors; /* of the header; processors may be 0 */
	uint64_t found;             /* tasks, with entry and exit */
};

/* A way to read the file. */
struct stg_form {
	uint32_t ntimes; /* of a task */
	bool pairs;      /* a predecessor is a task and a communication cost */
};

/* Where a form stops to fit. */
struct stg_fault {
	size_t at;
	const char *expected;
};

static int stg_add(struct stg *stg, struct stg_number number)
{
	if (stg->count == stg->room) {
		size_t room = 2 * stg->room + 256;
		struct stg_number *numbers = realloc(stg->numbers, room * sizeof(*numbers));

		if (!numbers)
			return graph__refuse_whole(stg->source, -ENOMEM);
		stg->numbers = numbers;
		stg->room = room;
	}
	stg->numbers[stg->count++] = number;
	return 0;
}

/* All numbers; a comment begins with # and ends with its line. */
static int stg_scan(struct stg *stg)
{
	const char *at = stg->source->text;
	unsigned line = 1;
	int error = 0;

	while (*at && !error) {
		if (*at == '\n') {
			line++;
			at++;
		} else if (strchr(" \t\r", *at)) {
			at++;
		} else if (*at == '#') {
			at += strcspn(at, "\n");
		} else {
			struct stg_number number = { .line = line };
			const char *word = at;

			if (!xy__text_double(&at, &number.value) || (*at && !strchr(" \t\r\n#", *at)))
				return graph__refuse(stg->source, line, "expected a number instead of \"%.*s\"",
						     (int)strcspn(word, " \t\r\n"), word);
			error = stg_add(stg, number);
		}
	}
	return error;
}

static bool stg_is_count(double value)
{
	return value >= 0 && value <= GRAPH_TASKS_MAX && value == floor(value);
}

/* The first line: how many tasks, and perhaps how many processors. */
static int stg_header(struct stg *stg)
{
	while (stg->first < stg->count && stg->numbers[stg->first].line == stg->numbers[0].line)
		stg->first++;
	if (!stg->first || stg->first > 2 || !stg_is_count(stg->numbers[0].value) ||
	    !stg_is_count(stg->numbers[stg->first - 1].value))
		return graph__refuse(stg->source, stg->count ? stg->numbers[0].line : 1,
				     "expected a line with the number of tasks, and optionally of "
				     "processors");
	stg->tasks = (uint64_t)stg->numbers[0].value;
	stg->processors = stg->first == 2 ? (uint64_t)stg->numbers[1].value : 0;
	return 0;
}

static void stg_note(struct stg_fault *fault, size_t at, const char *expected)
{
	if (!fault->expected || at > fault->at)
		*fault = (struct stg_fault){ at, expected };
}

/* Whether the whole file fits a form. Entry and exit are not counted in the header. */
static bool stg_fits(struct stg *stg, struct stg_form form, struct stg_fault *fault)
{
	size_t at = stg->first;
	double number = at < stg->count ? stg->numbers[at].value : 0;
	uint64_t ntasks = 0;

	for (; at < stg->count; ntasks++, number++) {
		size_t preds = at + 1 + form.ntimes;
		double npreds = preds < stg->count ? stg->numbers[preds].value : 0;

		if (stg->numbers[at].value != number)
			return stg_note(fault, at, "the next task's number"), false;
		if (preds >= stg->count || !stg_is_count(npreds))
			return stg_note(fault, preds < stg->count ? preds : stg->count - 1, "a number of predecessors"),
			       false;
		at = preds + 1;
		if ((double)(stg->count - at) < npreds * (form.pairs ? 2 : 1))
			return stg_note(fault, preds, "no more predecessors than follow"), false;
		at += (size_t)npreds * (form.pairs ? 2 : 1);
	}
	if (ntasks >= stg->tasks && ntasks <= stg->tasks + 2) {
		stg->found = ntasks;
		return true;
	}
	stg_note(fault, stg->count - 1,
		 "as many tasks as the first line says, and optionally entry and "
		 "exit");
	return false;
}

/* --- building --- */

struct stg_builder {
	struct stg *stg;
	struct stg_form form;
	struct draft draft;
	double first; /* number of the first task */
};

static int stg_add_edge(struct stg_builder *b, size_t at, uint32_t to)
{
	const struct stg_number *numbers = b->stg->numbers;
	double from = numbers[at].value - b->first, cost = b->form.pairs ? numbers[at + 1].value : 0;

	if (!stg_is_count(from) || from >= (double)b->stg->found)
		return graph__refuse(b->stg->source, numbers[at].line, "expected the number of a task as predecessor");
	if (!(cost <= (double)GRAPH_BYTES_MAX))
		return graph__refuse(b->stg->source, numbers[at].line, "expected a lower communication cost");
	return graph__draft_edge(&b->draft, (struct draft_edge){ .from = (uint32_t)from,
								 .to = to,
								 .bytes = (uint64_t)ceil(cost),
								 .line = numbers[at].line });
}

/* The times of a task: a kernel and a length or costs, or nothing if all are 0. */
static int stg_set_times(struct stg_builder *b, size_t at, struct draft_task *task)
{
	const struct stg_number *numbers = b->stg->numbers;
	uint32_t zeros = 0;
	int error;

	for (uint32_t p = 0; p < b->form.ntimes; p++)
		zeros += numbers[at + p].value == 0;
	if (zeros == b->form.ntimes)
		return 0;
	if (zeros)
		return graph__refuse(b->stg->source, numbers[at].line,
				     "expected a time on each "
				     "processor, or on none");
	error = graph__draft_kernel(&b->draft, "task", 0, &task->kernel);
	if (error || b->form.ntimes == 1) {
		task->length_us = numbers[at].value;
		return error;
	}
	task->costs = calloc(b->form.ntimes, sizeof(*task->costs));
	if (!task->costs)
		return graph__refuse_whole(b->stg->source, -ENOMEM);
	for (uint32_t p = 0; p < b->form.ntimes; p++)
		task->costs[p] = numbers[at + p].value;
	return 0;
}

static int stg_build(struct stg_builder *b)
{
	struct stg *stg = b->stg;
	int error = 0;

	for (size_t at = stg->first; at < stg->count && !error;) {
		size_t preds = at + 1 + b->form.ntimes;
		uint32_t number = b->draft.ntasks, npreds = (uint32_t)stg->numbers[preds].value;
		struct draft_task *task;

		error = graph__draft_task(&b->draft, &task);
		if (!error) {
			task->line = stg->numbers[at].line;
			error = stg_set_times(b, at + 1, task);
		}
		at = preds + 1;
		for (uint32_t i = 0; i < npreds && !error; i++, at += b->form.pairs ? 2 : 1)
			error = stg_add_edge(b, at, number);
	}
	return error ? error : graph__draft_finish(&b->draft);
}

/* Finds the form; plain ones first. */
static int stg_choose(struct stg *stg, struct stg_form *form)
{
	struct stg_fault fault = { 0 };

	for (unsigned i = 0; i < 4; i++) {
		*form = (struct stg_form){ .ntimes = i < 2 ? 1 : (uint32_t)stg->processors, .pairs = i % 2 };
		if ((i < 2 || stg->processors > 1) && stg_fits(stg, *form, &fault))
			return 0;
	}
	return graph__refuse(stg->source, stg->numbers[fault.at].line, "expected %s instead of %g", fault.expected,
			     stg->numbers[fault.at].value);
}

int graph__read_stg(struct graph *g, struct graph_source *source)
{
	struct stg stg = { .source = source };
	struct stg_builder b = { .stg = &stg, .draft = { .g = g, .source = source } };
	int error = stg_scan(&stg);

	if (!error)
		error = stg_header(&stg);
	if (!error && stg.first < stg.count) {
		error = stg_choose(&stg, &b.form);
		b.first = stg.numbers[stg.first].value;
		if (!error && b.form.ntimes > 1)
			error = graph_set_processors(g, b.form.ntimes);
		if (!error)
			error = stg_build(&b);
	} else if (!error && stg.tasks) {
		error = graph__refuse(source, stg.numbers[0].line, "expected %llu tasks, but there is none",
				      (unsigned long long)stg.tasks);
	}
	free(stg.numbers);
	graph__draft_fini(&b.draft);
	return error;
}
