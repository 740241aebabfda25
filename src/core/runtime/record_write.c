/* SPDX-License-Identifier: MIT */
/*
 * Writes a recorded run as a graph. There, a task stands behind those that it waits for. Tasks are written in the order
 * of their submission if that does; otherwise, as a task may be submitted before one that it was told to wait for, in
 * the order in which they became ready.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/perf/lines.h"
#include "core/runtime/record.h"
#include "core/runtime/runtime.h"
#include "core/runtime/worker.h"

enum { WRITE_CHUNK = 1 << 16 };

/* A task's place: by key, then by index. Keys of tasks that became ready are 2^32 apart. */
struct write_place {
	uint64_t key;
	uint32_t index;
};

struct write {
	struct xy__record *r;
	const struct xy_runtime *rt;
	FILE *file;
	struct xy__buffer text;
	uint32_t *first_edge;       /* by task, and one more: in edges */
	uint32_t *edges;            /* indices of tasks that are waited for */
	struct write_place *places; /* in the order of the file */
	uint32_t *number;           /* by task: which one it is in the file */
};

static uint32_t write_index(struct xy__record *r, uint64_t number)
{
	struct xy__record_pair *pair = xy__record_find(r, &r->numbers, number);

	return pair ? pair->first : XY__RECORD_NONE;
}

/* Both ends of an edge; false if one of them was never submitted. */
static bool write_ends(struct xy__record *r, const struct xy__record_edge *edge, uint32_t *task, uint32_t *before)
{
	*task = write_index(r, edge->task);
	*before = edge->before_index != XY__RECORD_NONE ? edge->before_index : write_index(r, edge->before);
	return *task != XY__RECORD_NONE && *before != XY__RECORD_NONE && *task != *before;
}

/* Sorts the explicit edges by task; says whether each leads to a task that was submitted before. */
static bool write_sort_edges(struct write *w)
{
	struct xy__record *r = w->r;
	uint32_t task, before, total;
	bool in_order = true;

	for (uint32_t i = 0; i < r->nedges; i++)
		if (write_ends(r, &r->edges[i], &task, &before)) {
			w->first_edge[task + 1]++;
			in_order &= before < task;
		}
	for (uint32_t t = 0; t < r->ntasks; t++)
		w->first_edge[t + 1] += w->first_edge[t];
	total = w->first_edge[r->ntasks];
	for (uint32_t i = r->nedges; i-- > 0;)
		if (write_ends(r, &r->edges[i], &task, &before))
			w->edges[--w->first_edge[task + 1]] = before;
	/* Each entry is now where the edges of the task before it begin. */
	for (uint32_t t = 0; t < r->ntasks; t++)
		w->first_edge[t] = w->first_edge[t + 1];
	w->first_edge[r->ntasks] = total;
	return in_order;
}

static int write_compare(const void *a, const void *b)
{
	const struct write_place *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? 1 : -1;
	return (x->index > y->index) - (x->index < y->index);
}

/* The latest keys of tasks that use a datum. */
struct write_latest {
	uint64_t any, writer;
};

/* A task that never became ready stands behind all that it waits for, by data or explicitly, and before whatever became
 * ready after those. Returns its key, which may be too early while keys of tasks that were submitted later are. */
static uint64_t write_idle_key(const struct write *w, uint32_t t, const struct write_latest *latest)
{
	const struct xy__record_task *task = &w->r->tasks[t];
	const struct xy__record_access *accesses = &w->r->accesses[task->first_access];
	uint64_t key = 0;

	for (uint32_t i = 0; i < task->naccesses; i++) {
		const struct write_latest *of = &latest[accesses[i].datum];
		uint64_t other = accesses[i].mode == XY_R ? of->writer : of->any;

		key = other > key ? other : key;
	}
	for (uint32_t e = w->first_edge[t]; e < w->first_edge[t + 1]; e++) {
		uint64_t other = w->places[w->edges[e]].key;

		key = other > key ? other : key;
	}
	return key + 1;
}

/* Goes over all tasks as they were submitted; says whether a key has changed. */
static bool write_pass(struct write *w, struct write_latest *latest)
{
	const struct xy__record *r = w->r;
	bool changed = false;

	memset(latest, 0, r->ndata * sizeof *latest);
	for (uint32_t t = 0; t < r->ntasks; t++) {
		const struct xy__record_task *task = &r->tasks[t];
		uint64_t key = task->order ? w->places[t].key : write_idle_key(w, t, latest);

		changed |= key != w->places[t].key;
		w->places[t].key = key;
		for (uint32_t i = 0; i < task->naccesses; i++) {
			const struct xy__record_access *access = &r->accesses[task->first_access + i];
			struct write_latest *of = &latest[access->datum];

			if (access->mode & (XY_SCRATCH | XY__MODE_UNORDERED))
				continue;
			of->any = key > of->any ? key : of->any;
			if (access->mode != XY_R && key > of->writer)
				of->writer = key;
		}
	}
	return changed;
}

/* Arranges tasks in the order in which they became ready. No task waits for itself, so this comes to an end. */
static bool write_keys(struct write *w)
{
	struct write_latest *latest = calloc((size_t)w->r->ndata + 1, sizeof *latest);

	if (!latest)
		return false;
	for (uint32_t t = 0; t < w->r->ntasks; t++)
		w->places[t].key = (uint64_t)w->r->tasks[t].order << 32;
	for (uint32_t pass = 0; write_pass(w, latest) && pass < w->r->ntasks; pass++)
		;
	free(latest);
	qsort(w->places, w->r->ntasks, sizeof *w->places, write_compare);
	return true;
}

static bool write_arrange(struct write *w)
{
	uint32_t n = w->r->ntasks;
	bool in_order;

	w->first_edge = calloc((size_t)n + 1, sizeof *w->first_edge);
	w->edges = calloc((size_t)w->r->nedges + 1, sizeof *w->edges);
	w->places = calloc((size_t)n + 1, sizeof *w->places);
	w->number = calloc((size_t)n + 1, sizeof *w->number);
	if (!w->first_edge || !w->edges || !w->places || !w->number)
		return false;
	in_order = write_sort_edges(w);
	for (uint32_t t = 0; t < n; t++)
		w->places[t].index = t;
	if (!in_order && !write_keys(w))
		return false;
	for (uint32_t place = 0; place < n; place++)
		w->number[w->places[place].index] = place;
	return true;
}

/* --- text --- */

static void write_quoted(struct write *w, const char *name)
{
	xy__buffer_add(&w->text, "\"");
	for (; *name; name++)
		xy__buffer_add(&w->text, "%s%c", *name == '"' || *name == '\\' ? "\\" : "",
			       *name == '\n' || *name == '\r' ? ' ' : *name);
	xy__buffer_add(&w->text, "\"");
}

static void write_field(struct write *w, const char *key, double value)
{
	xy__buffer_add(&w->text, " %s=", key);
	xy__number_print(&w->text, value > 0 ? value : 0);
}

/* Flushes the buffer to the file once it is large enough. */
static void write_flush(struct write *w, size_t least)
{
	if (w->text.length >= least && w->text.length > 0) {
		fwrite(w->text.at, 1, w->text.length, w->file);
		xy__buffer_cut(&w->text, 0);
	}
}

static const char *write_mode(unsigned mode)
{
	if (mode & (XY_SCRATCH | XY__MODE_UNORDERED)) /* both need memory and wait for nothing */
		return "scratch";
	if (mode & XY_REDUX)
		return "redux";
	if (mode & XY_COMMUTE)
		return "commute";
	return (mode & XY_RW) == XY_RW ? "rw" : mode & XY_W ? "w" : "r";
}

static void write_waits(struct write *w, uint32_t index)
{
	const struct xy__record_task *task = &w->r->tasks[index];
	const struct xy__record_access *accesses = task->naccesses ? &w->r->accesses[task->first_access] : NULL;
	bool any = false;

	for (uint32_t i = 0; i < task->naccesses; i++)
		if (i && !strcmp(write_mode(accesses[i].mode), write_mode(accesses[i - 1].mode)))
			xy__buffer_add(&w->text, ",d%u", accesses[i].datum);
		else
			xy__buffer_add(&w->text, " %s=d%u", write_mode(accesses[i].mode), accesses[i].datum);
	for (uint32_t e = w->first_edge[index]; e < w->first_edge[index + 1]; e++)
		if (w->number[w->edges[e]] < w->number[index]) {
			xy__buffer_add(&w->text, "%st%u", any ? "," : " after=", w->number[w->edges[e]]);
			any = true;
		}
}

/* Its duration on a worker of speed 1; 0: unknown. */
static double write_length(const struct write *w, const struct xy__record_task *task)
{
	if (task->worker < 0 || task->status)
		return task->length_us;
	return (task->end_s - task->start_s) * 1e6 * xy_machine_worker(w->rt->machine, (unsigned)task->worker)->speed;
}

static void write_task(struct write *w, uint32_t index)
{
	const struct xy__record_task *task = &w->r->tasks[index];
	double length_us = write_length(w, task);

	xy__buffer_add(&w->text, "task t%u ", w->number[index]);
	if (task->kernel == XY__RECORD_NONE)
		xy__buffer_add(&w->text, "-");
	else
		write_quoted(w, w->r->kernels[task->kernel]);
	if (task->name) {
		xy__buffer_add(&w->text, " name=");
		write_quoted(w, task->name);
	}
	if (task->priority)
		xy__buffer_add(&w->text, " priority=%d", task->priority);
	if (length_us > 0)
		write_field(w, "us", length_us);
	write_waits(w, index);
	if (task->worker >= 0) {
		xy__buffer_add(&w->text, " worker=%d", task->worker);
		write_field(w, "ready", task->ready_s * 1e6);
		write_field(w, "start", task->start_s * 1e6);
		write_field(w, "end", task->end_s * 1e6);
	}
	if (task->expected_us > 0) {
		xy__buffer_add(&w->text, " # expected ");
		xy__number_print(&w->text, task->expected_us);
	}
	if (task->status)
		xy__buffer_add(&w->text, " # failed: %s", strerror(-task->status));
	xy__buffer_add(&w->text, "\n");
	write_flush(w, WRITE_CHUNK);
}

static void write_header(struct write *w, const char *path)
{
	const char *slash = strrchr(path, '/');
	const struct xy_machine *machine = w->rt->machine;

	xy__buffer_add(&w->text, "xygraph 1\nname ");
	write_quoted(w, slash ? slash + 1 : path);
	xy__buffer_add(&w->text,
		       "\n# A run that was recorded%s with SCHED=", xy_is_simulated(w->rt) ? " in the simulator" : "");
	write_quoted(w, w->rt->settings.tree || w->rt->main.policy ? xy__runtime_policy(&w->rt->main)
								   : w->rt->settings.sched);
	xy__buffer_add(&w->text, "\n# Microseconds; us is end - start, times the speed of the worker.\n");
	for (unsigned i = 0; i < w->rt->nworkers; i++) {
		const struct xy_worker_info *worker = xy_machine_worker(machine, i);

		xy__buffer_add(&w->text, "# worker %u: %s, speed ", i, worker->name);
		xy__number_print(&w->text, worker->speed);
		xy__buffer_add(&w->text, "\n");
	}
}

static void write_all(struct write *w, const char *path)
{
	const struct xy__record *r = w->r;

	write_header(w, path);
	for (uint32_t i = 0; i < r->nkernels; i++) {
		xy__buffer_add(&w->text, "kernel ");
		write_quoted(w, r->kernels[i]);
		xy__buffer_add(&w->text, "\n");
	}
	for (uint32_t i = 0; i < r->ndata; i++) {
		xy__buffer_add(&w->text, "data d%u %llu", i, (unsigned long long)r->data[i].bytes);
		if (r->data[i].name) {
			xy__buffer_add(&w->text, " name=");
			write_quoted(w, r->data[i].name);
		}
		xy__buffer_add(&w->text, "\n");
		write_flush(w, WRITE_CHUNK);
	}
	for (uint32_t place = 0; place < r->ntasks; place++)
		write_task(w, w->places[place].index);
	write_flush(w, 0);
}

int xy__record_write(struct xy__record *r, const struct xy_runtime *rt, const char *path)
{
	struct write w = { .r = r, .rt = rt };
	int error = write_arrange(&w) ? 0 : -ENOMEM;

	if (!error) {
		w.file = fopen(path, "we");
		error = w.file ? 0 : -errno;
	}
	if (!error) {
		write_all(&w, path);
		error = w.text.failed ? -ENOMEM : ferror(w.file) ? -EIO : 0;
	}
	if (w.file && fclose(w.file) && !error)
		error = -errno;
	xy__buffer_fini(&w.text);
	free(w.first_edge);
	free(w.edges);
	free(w.places);
	free(w.number);
	return error;
}
