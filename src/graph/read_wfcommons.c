/* SPDX-License-Identifier: MIT */
/*
 * Workflows of WfCommons. WfFormat 1.5: tasks and files of the specification, running times of the execution. Up to
 * 1.4: tasks that have their files and running times inside, and refer to each other by name. Files are data; a task
 * comes after its parents and after the only writer of a file that it reads.
 */
#include "graph/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a file. */
struct wf_file {
	uint32_t writer; /* the last one */
	uint32_t nwriters;
	/* The last task, plus 1, of which was seen that it ... */
	uint32_t read_by;    /* ... reads it, */
	uint32_t written_by; /* ... writes it, and has an access to it, */
	uint32_t used_by;    /* ... reads it, and has an access to it */
};

struct wf {
	struct graph *g;
	struct graph_source *source;
	struct json json;
	bool old; /* up to WfFormat 1.4 */
	struct draft draft;
	struct graph__names tasks, files, runs;
	const struct json_node **run; /* by number in runs: what was measured */
	struct wf_file *file;         /* by datum */
};

static int wf_refuse(struct wf *wf, const struct json_node *node, const char *expected)
{
	return graph__refuse(wf->source, node ? node->line : 1, "expected %s", expected);
}

/* A member that must be there and be of a kind. */
static int wf_get(struct wf *wf, const struct json_node *object, const char *key, enum json_kind kind,
		  const struct json_node **value)
{
	static const char *const names[] = { "null", "false", "true", "a number", "a text", "an array", "an object" };

	*value = graph__json_find(&wf->json, object, key);
	if (*value && (*value)->kind == kind)
		return 0;
	return graph__refuse(wf->source,
			     *value   ? (*value)->line
			     : object ? object->line
				      : 1,
			     "expected %s as \"%s\"", names[kind], key);
}

/* The number behind a text; refuses what is no text or not known. */
static int wf_look_up(struct wf *wf, const struct json_node *node, const struct graph__names *names,
		      const char *expected, uint32_t *number)
{
	if (node->kind != JSON_TEXT)
		return wf_refuse(wf, node, expected);
	if (!graph__names_find(names, node->text, number))
		return graph__refuse(wf->source, node->line, "expected %s instead of \"%.80s\"", expected, node->text);
	return 0;
}

/* What others call a task or a file by. */
static const char *wf_id_key(const struct wf *wf)
{
	return wf->old ? "name" : "id";
}

/* Some old files have other references by the id, too. */
static int wf_add_alias(struct wf *wf, const struct json_node *node, struct graph__names *names, uint32_t number)
{
	const struct json_node *id = wf->old ? graph__json_find(&wf->json, node, "id") : NULL;
	uint32_t other;

	if (!id || id->kind != JSON_TEXT || graph__names_find(names, id->text, &other))
		return 0;
	return graph__names_add(names, id->text, number) ? graph__refuse_whole(wf->source, -ENOMEM) : 0;
}

/* Gives each element of an array the number of its place by its id. */
static int wf_number(struct wf *wf, const struct json_node *array, struct graph__names *names, uint32_t *count)
{
	const struct json_node *id;
	uint32_t other;
	int error = 0;

	*count = 0;
	for (const struct json_node *at = graph__json_first(&wf->json, array); at && !error;
	     at = graph__json_next(&wf->json, at)) {
		error = wf_get(wf, at, wf_id_key(wf), JSON_TEXT, &id);
		if (!error && graph__names_find(names, id->text, &other))
			error = graph__refuse(wf->source, id->line,
					      "expected a new id, but \"%.80s\" "
					      "already exists",
					      id->text);
		if (!error && graph__names_add(names, id->text, *count))
			error = graph__refuse_whole(wf->source, -ENOMEM);
		if (!error)
			error = wf_add_alias(wf, at, names, (*count)++);
	}
	return error;
}

/* --- files --- */

/* Adds a datum for a file; its size is the value of a key. */
static int wf_add_file(struct wf *wf, const struct json_node *file, const char *name, const char *key)
{
	const struct json_node *size;
	int error = wf_get(wf, file, key, JSON_NUMBER, &size), added;

	if (error)
		return error;
	if (!(size->number >= 0 && size->number <= (double)GRAPH_BYTES_MAX))
		return wf_refuse(wf, size, "a number of bytes");
	added = graph_add_data(wf->g, name, (uint64_t)ceil(size->number));
	return added < 0 ? graph__refuse_whole(wf->source, added) : 0;
}

static int wf_make_room(struct wf *wf, uint32_t count)
{
	wf->file = calloc(count + (size_t)1, sizeof(*wf->file));
	return wf->file ? 0 : graph__refuse_whole(wf->source, -ENOMEM);
}

/* The files of an old task, each where it is first named. */
static int wf_add_old_files(struct wf *wf, const struct json_node *tasks)
{
	uint32_t count = 0, other;
	int error = 0;

	for (const struct json_node *task = graph__json_first(&wf->json, tasks); task && !error;
	     task = graph__json_next(&wf->json, task)) {
		const struct json_node *at = graph__json_first(&wf->json, graph__json_find(&wf->json, task, "files"));

		for (; at && !error; at = graph__json_next(&wf->json, at)) {
			const struct json_node *name;

			error = wf_get(wf, at, "name", JSON_TEXT, &name);
			if (error || graph__names_find(&wf->files, name->text, &other))
				continue;
			if (graph__names_add(&wf->files, name->text, count++))
				return graph__refuse_whole(wf->source, -ENOMEM);
			error = wf_add_file(wf, at, name->text,
					    graph__json_find(&wf->json, at, "size") ? "size" : "sizeInBytes");
		}
	}
	return error ? error : wf_make_room(wf, count);
}

static int wf_add_files(struct wf *wf, const struct json_node *specification)
{
	const struct json_node *array = graph__json_find(&wf->json, specification, "files");
	uint32_t count;
	int error = array && array->kind != JSON_ARRAY ? wf_refuse(wf, array, "an array as \"files\"")
						       : wf_number(wf, array, &wf->files, &count);

	if (!error)
		error = wf_make_room(wf, count);
	for (const struct json_node *at = graph__json_first(&wf->json, array); at && !error;
	     at = graph__json_next(&wf->json, at))
		error = wf_add_file(wf, at, graph__json_find(&wf->json, at, "id")->text, "sizeInBytes");
	return error;
}

/* An array of a task, which need not be there. */
static int wf_list(struct wf *wf, const struct json_node *task, const char *key, const struct json_node **first)
{
	const struct json_node *array = graph__json_find(&wf->json, task, key);

	*first = NULL;
	if (array && array->kind != JSON_ARRAY)
		return graph__refuse(wf->source, array->line, "expected an array as \"%s\"", key);
	*first = graph__json_first(&wf->json, array);
	return 0;
}

/* From one file of an old task on: the next that it reads, or writes. */
static const struct json_node *wf_linked(const struct wf *wf, const struct json_node *at, bool output)
{
	for (; at; at = graph__json_next(&wf->json, at)) {
		const struct json_node *link = graph__json_find(&wf->json, at, "link");

		if (link && link->kind == JSON_TEXT && !strcmp(link->text, output ? "output" : "input"))
			break;
	}
	return at;
}

/* The files that a task reads, or writes; wf_next_file goes on, wf_file_id gives what a file is called. */
static int wf_first_file(struct wf *wf, const struct json_node *task, bool output, const struct json_node **first)
{
	int error = wf_list(wf, task, wf->old ? "files" : output ? "outputFiles" : "inputFiles", first);

	if (wf->old && !error)
		*first = wf_linked(wf, *first, output);
	return error;
}

static const struct json_node *wf_next_file(const struct wf *wf, const struct json_node *at, bool output)
{
	at = graph__json_next(&wf->json, at);
	return wf->old ? wf_linked(wf, at, output) : at;
}

static const struct json_node *wf_file_id(const struct wf *wf, const struct json_node *at)
{
	return wf->old ? graph__json_find(&wf->json, at, "name") : at;
}

/* Records the writer of each file, before reads are added. */
static int wf_note_writers(struct wf *wf, const struct json_node *tasks)
{
	uint32_t number = 0, datum;
	int error = 0;

	for (const struct json_node *task = graph__json_first(&wf->json, tasks); task && !error;
	     task = graph__json_next(&wf->json, task), number++) {
		const struct json_node *at;

		error = wf_first_file(wf, task, true, &at);
		for (; at && !error; at = wf_next_file(wf, at, true)) {
			error = wf_look_up(wf, wf_file_id(wf, at), &wf->files, "the id of a file", &datum);
			if (!error && (!wf->file[datum].nwriters || wf->file[datum].writer != number)) {
				wf->file[datum].nwriters++;
				wf->file[datum].writer = number;
			}
		}
	}
	return error;
}

/* --- tasks --- */

static int wf_edge(struct wf *wf, uint32_t from, uint32_t to, unsigned line)
{
	return graph__draft_edge(&wf->draft, (struct draft_edge){ .from = from, .to = to, .line = line });
}

/* Files that a task reads and does not write. */
static int wf_add_inputs(struct wf *wf, const struct json_node *task, uint32_t number)
{
	const struct json_node *at;
	uint32_t datum;
	int error = wf_first_file(wf, task, false, &at);

	for (; at && !error; at = wf_next_file(wf, at, false)) {
		struct wf_file *file;

		error = wf_look_up(wf, wf_file_id(wf, at), &wf->files, "the id of a file", &datum);
		if (error)
			break;
		file = &wf->file[datum];
		if (file->nwriters == 1 && file->writer != number)
			error = wf_edge(wf, file->writer, number, at->line);
		if (!error && file->used_by != number + 1 && file->written_by != number + 1)
			error = graph__draft_access(&wf->draft, datum, XY_R);
		file->used_by = number + 1;
	}
	return error;
}

/* Files that a task writes, and perhaps also reads. */
static int wf_add_outputs(struct wf *wf, const struct json_node *task, uint32_t number)
{
	const struct json_node *at, *input;
	uint32_t datum;
	int error = wf_first_file(wf, task, false, &input);

	for (; input && !error; input = wf_next_file(wf, input, false)) {
		error = wf_look_up(wf, wf_file_id(wf, input), &wf->files, "the id of a file", &datum);
		if (!error)
			wf->file[datum].read_by = number + 1;
	}
	if (!error)
		error = wf_first_file(wf, task, true, &at);
	for (; !error && at; at = wf_next_file(wf, at, true)) {
		struct wf_file *file;

		error = wf_look_up(wf, wf_file_id(wf, at), &wf->files, "the id of a file", &datum);
		if (error)
			break;
		file = &wf->file[datum];
		if (file->written_by != number + 1)
			error = graph__draft_access(&wf->draft, datum, file->read_by == number + 1 ? XY_RW : XY_W);
		file->written_by = number + 1;
	}
	return error;
}

/* Parents and children, as ids. */
static int wf_add_relatives(struct wf *wf, const struct json_node *task, uint32_t number)
{
	static const char *const keys[] = { "parents", "children" };
	uint32_t other;
	int error = 0;

	for (unsigned i = 0; i < 2 && !error; i++) {
		const struct json_node *at;

		error = wf_list(wf, task, keys[i], &at);
		for (; at && !error; at = graph__json_next(&wf->json, at)) {
			error = wf_look_up(wf, at, &wf->tasks, "the id of a task", &other);
			if (!error)
				error = wf_edge(wf, i ? number : other, i ? other : number, at->line);
		}
	}
	return error;
}

/* A kernel: the program if it is known, else the task's name without the number at its end. */
static int wf_set_kernel(struct wf *wf, const struct json_node *name, const struct json_node *run, uint32_t *kernel)
{
	const struct json_node *program = graph__json_find(&wf->json, graph__json_find(&wf->json, run, "command"),
							   "program");
	const char *text = program && program->kind == JSON_TEXT && *program->text ? program->text : name->text;
	size_t length = strlen(text);
	char *kind = strdup(text);
	int error;

	if (!kind)
		return graph__refuse_whole(wf->source, -ENOMEM);
	if (text == name->text)
		while (length > 1 && strchr("0123456789_-.#", kind[length - 1]))
			kind[--length] = '\0';
	error = *kind ? graph__draft_kernel(&wf->draft, kind, 0, kernel) : wf_refuse(wf, name, "a name");
	free(kind);
	return error;
}

static int wf_set_run(struct wf *wf, const struct json_node *run, struct draft_task *task)
{
	const struct json_node *priority = graph__json_find(&wf->json, run, "priority"), *time;
	int error;

	if (!run)
		return 0;
	error = wf_get(wf, run, wf->old && graph__json_find(&wf->json, run, "runtime") ? "runtime" : "runtimeInSeconds",
		       JSON_NUMBER, &time);
	if (!error && !(time->number >= 0 && time->number < 1e12))
		error = wf_refuse(wf, time, "a number of seconds");
	if (error)
		return error;
	task->length_us = time->number * 1e6;
	if (priority && priority->kind == JSON_NUMBER && fabs(priority->number) < 2e9)
		task->priority = (int32_t)priority->number;
	return 0;
}

static int wf_add_task(struct wf *wf, const struct json_node *node, uint32_t number)
{
	const struct json_node *name, *id = graph__json_find(&wf->json, node, wf_id_key(wf)), *run = NULL;
	struct draft_task *task;
	uint32_t measured;
	int error = wf_get(wf, node, "name", JSON_TEXT, &name);

	if (!error)
		error = graph__draft_task(&wf->draft, &task);
	if (error)
		return error;
	task->name = id->text;
	task->line = node->line;
	if (wf->old &&
	    (graph__json_find(&wf->json, node, "runtime") || graph__json_find(&wf->json, node, "runtimeInSeconds")))
		run = node;
	else if (graph__names_find(&wf->runs, id->text, &measured))
		run = wf->run[measured];
	error = wf_set_run(wf, run, task);
	/* A task of zero duration does nothing. */
	if (!error && !(run && task->length_us == 0))
		error = wf_set_kernel(wf, name, run, &task->kernel);
	if (!error)
		error = wf_add_outputs(wf, node, number);
	if (!error)
		error = wf_add_inputs(wf, node, number);
	return error ? error : wf_add_relatives(wf, node, number);
}

/* Reads the measurements, if any. */
static int wf_find_runs(struct wf *wf, const struct json_node *workflow)
{
	const struct json_node *execution = graph__json_find(&wf->json, workflow, "execution"), *array, *machines;
	uint32_t count, i = 0;
	int error;

	if (!execution)
		return 0;
	error = wf_get(wf, execution, "tasks", JSON_ARRAY, &array);
	machines = graph__json_find(&wf->json, execution, "machines");
	if (!error && machines && machines->kind != JSON_ARRAY)
		error = wf_refuse(wf, machines, "an array as \"machines\"");
	if (!error)
		error = wf_number(wf, array, &wf->runs, &count);
	if (error)
		return error;
	wf->run = malloc((count + (size_t)1) * sizeof(*wf->run));
	if (!wf->run)
		return graph__refuse_whole(wf->source, -ENOMEM);
	for (const struct json_node *at = graph__json_first(&wf->json, array); at; at = graph__json_next(&wf->json, at))
		wf->run[i++] = at;
	return 0;
}

static int wf_read(struct wf *wf)
{
	const struct json_node *root = &wf->json.nodes[0], *workflow, *specification = NULL, *tasks;
	const struct json_node *name = graph__json_find(&wf->json, root, "name");
	uint32_t count, number = 0;
	int error = wf_get(wf, root, "workflow", JSON_OBJECT, &workflow);

	wf->old = !error && !graph__json_find(&wf->json, workflow, "specification") &&
		  (graph__json_find(&wf->json, workflow, "tasks") || graph__json_find(&wf->json, workflow, "jobs"));
	if (!error && !wf->old)
		error = wf_get(wf, workflow, "specification", JSON_OBJECT, &specification);
	if (!error)
		error = wf_get(wf, wf->old ? workflow : specification,
			       wf->old && !graph__json_find(&wf->json, workflow, "tasks") ? "jobs" : "tasks",
			       JSON_ARRAY, &tasks);
	if (!error)
		error = wf_number(wf, tasks, &wf->tasks, &count);
	if (!error)
		error = wf->old ? wf_add_old_files(wf, tasks) : wf_add_files(wf, specification);
	if (!error && !wf->old)
		error = wf_find_runs(wf, workflow);
	if (!error)
		error = wf_note_writers(wf, tasks);
	for (const struct json_node *at = error ? NULL : graph__json_first(&wf->json, tasks); at && !error;
	     at = graph__json_next(&wf->json, at))
		error = wf_add_task(wf, at, number++);
	if (!error)
		error = graph__draft_finish(&wf->draft);
	if (!error && name && name->kind == JSON_TEXT && graph_set_name(wf->g, name->text))
		error = graph__refuse_whole(wf->source, -ENOMEM);
	return error;
}

int graph__read_wfcommons(struct graph *g, struct graph_source *source)
{
	struct wf wf = { .g = g, .source = source, .draft = { .g = g, .source = source } };
	int error = graph__json_read(&wf.json, source);

	if (!error)
		error = wf_read(&wf);
	graph__json_fini(&wf.json);
	graph__draft_fini(&wf.draft);
	graph__names_fini(&wf.tasks);
	graph__names_fini(&wf.files);
	graph__names_fini(&wf.runs);
	free(wf.run);
	free(wf.file);
	return error;
}
