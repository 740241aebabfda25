/* SPDX-License-Identifier: MIT */
/*
 * A draft becomes a graph: tasks are sorted so that each stands behind those that it waits for, by their numbers
 * where nothing else decides.
 */
#include "graph/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one more element. */
static int draft_reserve(struct draft *draft, void *array, uint32_t count, uint32_t *room, size_t size)
{
	void **at = array, *more;

	if (count < *room)
		return 0;
	if (count >= GRAPH_TASKS_MAX)
		return graph__refuse_whole(draft->source, -E2BIG);
	more = realloc(*at, (*room + *room / 2 + (size_t)16) * size);
	if (!more)
		return graph__refuse_whole(draft->source, -ENOMEM);
	*at = more;
	*room += *room / 2 + 16;
	return 0;
}

int graph__draft_kernel(struct draft *draft, const char *name, double length_us, uint32_t *kernel)
{
	int added;

	if (graph__names_find(&draft->kernels, name, kernel))
		return 0;
	/* The graph would search through all of its kernels; this one is known to be new. */
	added = graph__add_new_kernel(draft->g, name, length_us);
	if (added < 0)
		return graph__refuse_whole(draft->source, added);
	*kernel = (uint32_t)added;
	if (graph__names_add(&draft->kernels, draft->g->kernels[added].name, *kernel))
		return graph__refuse_whole(draft->source, -ENOMEM);
	return 0;
}

int graph__draft_task(struct draft *draft, struct draft_task **task)
{
	int error = draft_reserve(draft, &draft->tasks, draft->ntasks, &draft->tasks_room, sizeof(*draft->tasks));

	if (error)
		return error;
	*task = &draft->tasks[draft->ntasks++];
	**task = (struct draft_task){ .kernel = GRAPH_NO_KERNEL, .first_access = draft->naccesses };
	return 0;
}

int graph__draft_access(struct draft *draft, uint32_t data, enum xy_mode mode)
{
	int error = draft_reserve(draft, &draft->accesses, draft->naccesses, &draft->accesses_room,
				  sizeof(*draft->accesses));

	if (error)
		return error;
	draft->accesses[draft->naccesses++] = (struct graph_access){ data, mode };
	draft->tasks[draft->ntasks - 1].naccesses++;
	return 0;
}

int graph__draft_edge(struct draft *draft, struct draft_edge edge)
{
	int error = draft_reserve(draft, &draft->edges, draft->nedges, &draft->edges_room, sizeof(*draft->edges));

	if (!error)
		draft->edges[draft->nedges++] = edge;
	return error;
}

/* --- sorting --- */

/* Lists of edges by their ends, and the order of the tasks. */
struct draft_order {
	struct draft *draft;
	uint32_t *in_at, *in;          /* edges that end at a task: in[in_at[t]] to in[in_at[t + 1]] */
	uint32_t *out_at, *out;        /* edges that begin at it */
	uint32_t *missing;             /* predecessors that are not sorted yet */
	uint32_t *heap, nheap;         /* tasks that can come next, least number first */
	uint32_t *order, *place;       /* task at a place; place of a task */
	uint32_t *datum;               /* by edge */
	uint32_t *known;               /* by task: the last task, plus 1, that is known to wait for it */
	struct graph_access *accesses; /* of one task, and its predecessors */
	uint32_t *before;
};

/* Lists the numbers of edges by one end. */
static void draft_list(const struct draft *draft, bool ends, uint32_t *at, uint32_t *list)
{
	for (uint32_t i = 0; i < draft->nedges; i++)
		at[(ends ? draft->edges[i].to : draft->edges[i].from) + 2]++;
	for (uint32_t t = 0; t < draft->ntasks; t++)
		at[t + 2] += at[t + 1];
	for (uint32_t i = 0; i < draft->nedges; i++)
		list[at[(ends ? draft->edges[i].to : draft->edges[i].from) + 1]++] = i;
}

static void draft_heap_add(struct draft_order *o, uint32_t task)
{
	uint32_t at = o->nheap++;

	for (; at && o->heap[(at - 1) / 2] > task; at = (at - 1) / 2)
		o->heap[at] = o->heap[(at - 1) / 2];
	o->heap[at] = task;
}

static uint32_t draft_heap_take(struct draft_order *o)
{
	uint32_t first = o->heap[0], last = o->heap[--o->nheap], at = 0;

	for (uint32_t child; (child = 2 * at + 1) < o->nheap; at = child) {
		if (child + 1 < o->nheap && o->heap[child + 1] < o->heap[child])
			child++;
		if (o->heap[child] >= last)
			break;
		o->heap[at] = o->heap[child];
	}
	o->heap[at] = last;
	return first;
}

/* Names a task of a cycle: from one that is left, back to others that are left, until one comes again. */
static int draft_refuse_cycle(struct draft_order *o)
{
	struct draft *draft = o->draft;
	uint32_t t = 0, edge = 0;

	while (!o->missing[t])
		t++;
	for (uint32_t steps = 0; steps < draft->ntasks; steps++) {
		for (uint32_t i = o->in_at[t]; i < o->in_at[t + 1]; i++)
			if (o->missing[draft->edges[o->in[i]].from])
				edge = o->in[i];
		t = draft->edges[edge].from;
	}
	return graph__refuse(draft->source, draft->edges[edge].line, "expected no cycle, but task %s waits for itself",
			     draft->tasks[t].name ? draft->tasks[t].name : "without a name");
}

static int draft_sort(struct draft_order *o)
{
	struct draft *draft = o->draft;
	uint32_t sorted = 0;

	for (uint32_t t = 0; t < draft->ntasks; t++) {
		o->missing[t] = o->in_at[t + 1] - o->in_at[t];
		if (!o->missing[t])
			draft_heap_add(o, t);
	}
	while (o->nheap) {
		uint32_t t = draft_heap_take(o);

		o->place[t] = sorted;
		o->order[sorted++] = t;
		for (uint32_t i = o->out_at[t]; i < o->out_at[t + 1]; i++) {
			uint32_t to = draft->edges[o->out[i]].to;

			if (!--o->missing[to])
				draft_heap_add(o, to);
		}
	}
	return sorted == draft->ntasks ? 0 : draft_refuse_cycle(o);
}

/* --- the graph --- */

/* Nothing is sent to or from a task that does nothing, such as an entry or an exit. */
static void draft_quieten(struct draft *draft)
{
	for (uint32_t i = 0; i < draft->nedges; i++)
		if (draft->tasks[draft->edges[i].from].kernel == GRAPH_NO_KERNEL ||
		    draft->tasks[draft->edges[i].to].kernel == GRAPH_NO_KERNEL)
			draft->edges[i].bytes = 0;
}

static int draft_add_data(struct draft_order *o)
{
	for (uint32_t i = 0; i < o->draft->nedges; i++) {
		int datum = 0;

		if (o->draft->edges[i].bytes)
			datum = graph_add_data(o->draft->g, NULL, o->draft->edges[i].bytes);
		if (datum < 0)
			return graph__refuse_whole(o->draft->source, datum);
		o->datum[i] = (uint32_t)datum;
	}
	return 0;
}

static int draft_add_task(struct draft_order *o, uint32_t t)
{
	struct draft *draft = o->draft;
	struct draft_task *task = &draft->tasks[t];
	struct graph_task_desc desc = {
		.kernel = task->kernel,
		.priority = task->priority,
		.length_us = task->length_us,
		.name = task->name,
		.costs = task->costs,
		.record = task->recorded ? &task->record : NULL,
		.accesses = o->accesses,
		.naccesses = task->naccesses,
		.before = o->before,
	};
	int added;

	if (task->naccesses)
		memcpy(o->accesses, &draft->accesses[task->first_access], task->naccesses * sizeof(*o->accesses));
	for (uint32_t i = o->in_at[t]; i < o->in_at[t + 1]; i++) {
		const struct draft_edge *edge = &draft->edges[o->in[i]];

		if (edge->bytes)
			o->accesses[desc.naccesses++] = (struct graph_access){ o->datum[o->in[i]], XY_R };
		else if (o->known[edge->from] != t + 1)
			o->before[desc.nbefore++] = o->place[edge->from];
		o->known[edge->from] = edge->bytes ? o->known[edge->from] : t + 1;
	}
	for (uint32_t i = o->out_at[t]; i < o->out_at[t + 1]; i++)
		if (draft->edges[o->out[i]].bytes)
			o->accesses[desc.naccesses++] = (struct graph_access){ o->datum[o->out[i]], XY_W };
	added = graph_add_task(draft->g, &desc);
	return added < 0 ? graph__refuse_whole(draft->source, added) : 0;
}

/* Room for everything. One block for the arrays of numbers. */
static int draft_order_init(struct draft_order *o)
{
	size_t n = o->draft->ntasks + (size_t)2, edges = o->draft->nedges + (size_t)1;
	uint32_t *block = calloc(7 * n + 4 * edges, sizeof(*block));

	o->in_at = block;
	o->accesses = malloc((o->draft->naccesses + 2 * edges) * sizeof(*o->accesses));
	if (!block || !o->accesses)
		return graph__refuse_whole(o->draft->source, -ENOMEM);
	o->out_at = o->in_at + n;
	o->missing = o->out_at + n;
	o->heap = o->missing + n;
	o->order = o->heap + n;
	o->place = o->order + n;
	o->known = o->place + n;
	o->in = o->known + n;
	o->out = o->in + edges;
	o->datum = o->out + edges;
	o->before = o->datum + edges;
	draft_list(o->draft, true, o->in_at, o->in);
	draft_list(o->draft, false, o->out_at, o->out);
	return 0;
}

int graph__draft_finish(struct draft *draft)
{
	struct draft_order o = { .draft = draft };
	int error = draft_order_init(&o);

	draft_quieten(draft);
	if (!error)
		error = draft_sort(&o);
	if (!error)
		error = draft_add_data(&o);
	for (uint32_t i = 0; i < draft->ntasks && !error; i++)
		error = draft_add_task(&o, o.order[i]);
	free(o.in_at);
	free(o.accesses);
	return error;
}

void graph__draft_fini(struct draft *draft)
{
	for (uint32_t i = 0; i < draft->ntasks; i++)
		free(draft->tasks[i].costs);
	free(draft->tasks);
	free(draft->accesses);
	free(draft->edges);
	graph__names_fini(&draft->kernels);
}
