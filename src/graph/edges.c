/* SPDX-License-Identifier: MIT */
/*
 * Edges from accesses, as the runtime finds them. Per datum there is a current group of accesses that may come in
 * any order (readers, commuting writers, a reduction, or a single writer); its members wait for the group before.
 */
#include "graph/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EDGES_NONE UINT32_MAX

enum edges_kind { EDGES_NEW, EDGES_READ, EDGES_COMMUTE, EDGES_REDUX, EDGES_WRITE };

/* Of a datum. Lists are linked accesses, the youngest first. */
struct edges_datum {
	enum edges_kind kind; /* of the current group */
	uint32_t current;
	uint32_t waits;   /* the previous group: predecessors of the members */
	uint32_t content; /* the last group before that wrote */
};

struct edges_work {
	const struct graph *g;
	bool ordered; /* tasks that commute, too */
	struct edges_datum *data;
	uint32_t *next;       /* by access: the list that it is in */
	uint32_t *task;       /* by access */
	uint32_t *slot_owner; /* by task: the task it was last added for, plus 1 ... */
	size_t *slot;         /* ... and where */
	struct graph_edges *edges;
	size_t room;
};

/* Adds an edge, or bytes to it. */
static int edges_add(struct edges_work *w, uint32_t from, uint32_t to, uint64_t bytes)
{
	struct graph_edges *e = w->edges;

	if (from == to)
		return 0;
	if (w->slot_owner[from] == to + 1) {
		e->before_bytes[w->slot[from]] += bytes;
		return 0;
	}
	if (e->nedges == w->room) {
		size_t room = w->room + w->room / 2 + 64;
		uint32_t *before = realloc(e->before, room * sizeof(*before));
		uint64_t *flow;

		if (!before)
			return -ENOMEM;
		e->before = before;
		flow = realloc(e->before_bytes, room * sizeof(*flow));
		if (!flow)
			return -ENOMEM;
		e->before_bytes = flow;
		w->room = room;
	}
	w->slot_owner[from] = to + 1;
	w->slot[from] = e->nedges;
	e->before[e->nedges] = from;
	e->before_bytes[e->nedges++] = bytes;
	return 0;
}

static int edges_add_list(struct edges_work *w, uint32_t list, uint32_t to, uint64_t bytes)
{
	int error = 0;

	for (; list != EDGES_NONE && !error; list = w->next[list])
		error = edges_add(w, w->task[list], to, bytes);
	return error;
}

static enum edges_kind edges_kind_of(const struct edges_work *w, enum xy_mode mode)
{
	if (mode & XY_COMMUTE && !w->ordered)
		return EDGES_COMMUTE;
	if (mode & XY_REDUX)
		return EDGES_REDUX;
	return mode & XY_W ? EDGES_WRITE : EDGES_READ;
}

/* One access of a task, in the order of submission. */
static int edges_access(struct edges_work *w, uint32_t a, uint32_t to)
{
	enum xy_mode mode = w->g->accesses[a].mode;
	struct edges_datum *d = &w->data[w->g->accesses[a].data];
	uint64_t bytes = mode & XY_R ? w->g->data[w->g->accesses[a].data].bytes : 0;
	enum edges_kind kind = edges_kind_of(w, mode);
	int error;

	if (mode == XY_SCRATCH)
		return 0;
	if (d->kind != kind || kind == EDGES_WRITE) { /* a new group */
		d->waits = d->current;
		if (d->kind != EDGES_READ)
			d->content = d->current;
		d->current = EDGES_NONE;
		d->kind = kind;
	}
	w->task[a] = to;
	w->next[a] = d->current;
	d->current = a;
	if (d->waits == d->content)
		return edges_add_list(w, d->waits, to, bytes);
	error = edges_add_list(w, d->waits, to, 0);
	return error || !bytes ? error : edges_add_list(w, d->content, to, bytes);
}

/* Sorts the predecessors of one task; they are few, and mostly in order. */
static void edges_sort(struct graph_edges *e, size_t from, size_t to)
{
	for (size_t i = from + 1; i < to; i++) {
		uint32_t task = e->before[i];
		uint64_t bytes = e->before_bytes[i];
		size_t at = i;

		for (; at > from && e->before[at - 1] > task; at--) {
			e->before[at] = e->before[at - 1];
			e->before_bytes[at] = e->before_bytes[at - 1];
		}
		e->before[at] = task;
		e->before_bytes[at] = bytes;
	}
}

struct edges_pair {
	uint32_t task;
	uint64_t bytes;
};

static int edges_compare(const void *a, const void *b)
{
	uint32_t x = ((const struct edges_pair *)a)->task, y = ((const struct edges_pair *)b)->task;

	return (x > y) - (x < y);
}

/* edges_sort for a join of very many. */
static int edges_sort_many(struct graph_edges *e, size_t from, size_t to)
{
	struct edges_pair *pairs = malloc((to - from) * sizeof(*pairs));

	if (!pairs)
		return -ENOMEM;
	for (size_t i = from; i < to; i++)
		pairs[i - from] = (struct edges_pair){ e->before[i], e->before_bytes[i] };
	qsort(pairs, to - from, sizeof(*pairs), edges_compare);
	for (size_t i = from; i < to; i++) {
		e->before[i] = pairs[i - from].task;
		e->before_bytes[i] = pairs[i - from].bytes;
	}
	free(pairs);
	return 0;
}

static int edges_of_task(struct edges_work *w, uint32_t t)
{
	const struct graph_task *task = &w->g->tasks[t];
	struct graph_edges *e = w->edges;
	size_t from = e->nedges;
	int error = 0;

	e->before_at[t] = from;
	for (uint32_t i = 0; i < task->naccesses && !error; i++)
		error = edges_access(w, task->first_access + i, t);
	for (uint32_t i = 0; i < task->nbefore && !error; i++)
		error = edges_add(w, w->g->before[task->first_before + i], t, 0);
	if (!error && e->nedges - from > 32)
		error = edges_sort_many(e, from, e->nedges);
	else if (!error)
		edges_sort(e, from, e->nedges);
	return error;
}

/* Successors from predecessors: count, add up, fill in. */
static int edges_turn(struct graph_edges *e)
{
	size_t sum = 0;

	e->after_at = calloc(e->ntasks + (size_t)2, sizeof(*e->after_at));
	e->after = malloc((e->nedges + 1) * sizeof(*e->after));
	e->after_bytes = malloc((e->nedges + 1) * sizeof(*e->after_bytes));
	if (!e->after_at || !e->after || !e->after_bytes)
		return -ENOMEM;
	for (size_t i = 0; i < e->nedges; i++)
		e->after_at[e->before[i] + 2]++;
	for (size_t t = 0; t <= e->ntasks; t++) { /* after_at[t + 1] is where t's next one goes */
		sum += e->after_at[t + 1];
		e->after_at[t + 1] = sum;
	}
	for (uint32_t t = 0; t < e->ntasks; t++)
		for (size_t i = e->before_at[t]; i < e->before_at[t + 1]; i++) {
			size_t at = e->after_at[e->before[i] + 1]++;

			e->after[at] = t;
			e->after_bytes[at] = e->before_bytes[i];
		}
	return 0;
}

static int edges_work_init(struct edges_work *w)
{
	const struct graph *g = w->g;

	w->data = malloc((g->ndata + (size_t)1) * sizeof(*w->data));
	w->next = malloc((g->naccesses + (size_t)1) * sizeof(*w->next));
	w->task = malloc((g->naccesses + (size_t)1) * sizeof(*w->task));
	w->slot_owner = calloc(g->ntasks + (size_t)1, sizeof(*w->slot_owner));
	w->slot = malloc((g->ntasks + (size_t)1) * sizeof(*w->slot));
	if (!w->data || !w->next || !w->task || !w->slot_owner || !w->slot)
		return -ENOMEM;
	for (uint32_t i = 0; i < g->ndata; i++)
		w->data[i] = (struct edges_datum){ EDGES_NEW, EDGES_NONE, EDGES_NONE, EDGES_NONE };
	return 0;
}

static int edges_init(struct graph_edges *edges, const struct graph *g, bool ordered)
{
	struct edges_work w = { .g = g, .ordered = ordered, .edges = edges };
	int error;

	*edges = (struct graph_edges){ .ntasks = g->ntasks };
	edges->before_at = malloc((g->ntasks + (size_t)1) * sizeof(*edges->before_at));
	error = edges->before_at ? edges_work_init(&w) : -ENOMEM;
	for (uint32_t t = 0; t < g->ntasks && !error; t++)
		error = edges_of_task(&w, t);
	free(w.data);
	free(w.next);
	free(w.task);
	free(w.slot_owner);
	free(w.slot);
	if (!error) {
		edges->before_at[g->ntasks] = edges->nedges;
		error = edges_turn(edges);
	}
	if (error)
		graph_edges_fini(edges);
	return error;
}

int graph_edges_init(struct graph_edges *edges, const struct graph *g)
{
	return edges_init(edges, g, false);
}

int graph_edges_init_ordered(struct graph_edges *edges, const struct graph *g)
{
	return edges_init(edges, g, true);
}

void graph_edges_fini(struct graph_edges *edges)
{
	free(edges->before_at);
	free(edges->before);
	free(edges->before_bytes);
	free(edges->after_at);
	free(edges->after);
	free(edges->after_bytes);
	*edges = (struct graph_edges){ 0 };
}
