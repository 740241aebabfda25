/* SPDX-License-Identifier: MIT */
/*
 * Copies the submitted graph for a rehearsal. A task that rests in a component can't end while the component's lock is
 * held, and neither can its successors: each is visited with the lock held, and all that follows it is copied at once.
 */
#include "engines/rehearsal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/task/handle.h"
#include "core/task/lookahead.h"
#include "core/tree/tree.h"

enum {
	TABLE = 4 * XY__REHEARSAL_TASKS,
	DATA_MOST = TABLE / 2,
	ACCESSES_MOST = 32 * XY__REHEARSAL_TASKS,
	US_MOST = 1 << 21
};

/* While the graph is copied. Tables are by address, of numbers plus 1. */
struct copy {
	struct xy__rehearsal *r;
	const struct xy_machine *machine;
	unsigned *samples;                 /* by class: a worker */
	struct xy_task **tasks;            /* by task of the copy; looked at only while it can't end */
	const struct xy_handle **handles;  /* by datum */
	uint32_t *task_table, *data_table; /* TABLE each */
	struct xy__rehearsal_edge *edges;  /* all, as far as room */
	uint32_t nedges, edge_room, seen;  /* tasks whose successors have been looked at */
	double known_us, spread_us;        /* of those whose duration is known ... */
	uint32_t nknown;                   /* ... and their number */
	bool *shown;                       /* by component: visited */
	bool failed;
};

static uint32_t copy_slot(const void *address)
{
	return (uint32_t)(((uintptr_t)address >> 6) * 0x9e3779b97f4a7c15u >> 50) % TABLE;
}

/* --- data --- */

/* The number of a handle; UINT32_MAX if there are too many. */
static uint32_t copy_handle(struct copy *c, const struct xy_handle *h)
{
	uint32_t slot = copy_slot(h);

	for (; c->data_table[slot]; slot = (slot + 1) % TABLE)
		if (c->handles[c->data_table[slot] - 1] == h)
			return c->data_table[slot] - 1;
	if (c->r->ndata == DATA_MOST)
		return UINT32_MAX;
	c->handles[c->r->ndata] = h;
	c->r->bytes[c->r->ndata] = h->size_bytes;
	c->data_table[slot] = ++c->r->ndata;
	return c->r->ndata - 1;
}

static void copy_accesses(struct copy *c, struct xy__rehearsal_task *t, struct xy_task *task)
{
	const uintptr_t *accesses = xy__task_accesses(task);

	t->first_access = c->r->naccesses;
	for (unsigned i = 0; i < task->naccesses && c->r->naccesses < ACCESSES_MOST; i++) {
		unsigned mode = xy__access_mode(accesses[i]) & (XY_RW | XY_COMMUTE | XY__MODE_UNORDERED);
		uint32_t data = copy_handle(c, xy__access_handle(accesses[i]));

		if (data != UINT32_MAX && mode & XY_RW)
			c->r->accesses[c->r->naccesses++] = (struct xy__rehearsal_access){ data, mode };
	}
	t->naccesses = c->r->naccesses - t->first_access;
}

/* --- durations --- */

/* With the fastest implementation; INFINITY if it can't run there, or nothing is known. */
static struct xy_prediction copy_length(const struct xy_task *task, unsigned worker)
{
	unsigned n = task->flags & XY__TASK_CHOICE ? XY_NIMPLEMENTATIONS : 1;
	struct xy_prediction least = { .us = INFINITY };

	for (unsigned i = 0; i < n; i++) {
		struct xy_prediction p = xy_task_can_run_with(task, worker, i)
						 ? xy_task_length(task, worker, i)
						 : (struct xy_prediction){ .kind = XY_PREDICTION_NONE };

		if (p.kind == XY_PREDICTION_VALUE && p.us < least.us)
			least = p;
	}
	return least;
}

static void copy_lengths(struct copy *c, struct xy__rehearsal_task *t, const struct xy_task *task)
{
	const struct xy_codelet *codelet = xy__task_codelet(task);
	unsigned n;
	struct xy_prediction least = { .us = INFINITY };

	t->unlike = codelet->model && codelet->model->kind == XY_MODEL_WORKER;
	n = t->unlike ? c->r->nworkers : c->r->nclasses;
	if (c->r->nus + n > US_MOST) {
		c->failed = true;
		return;
	}
	t->first_us = c->r->nus;
	c->r->nus += n;
	for (unsigned i = 0; i < n; i++) {
		struct xy_prediction p = copy_length(task, t->unlike ? i : c->samples[i]);

		c->r->us[t->first_us + i] = p.us;
		least = p.us < least.us ? p : least;
	}
	if (isinf(least.us)) {
		least.us = c->nknown ? c->known_us / c->nknown : 1;
	} else {
		c->known_us += least.us;
		c->spread_us += least.spread;
		c->nknown++;
	}
	for (unsigned i = 0; i < n; i++)
		if (isinf(c->r->us[t->first_us + i]))
			c->r->us[t->first_us + i] = least.us;
	c->r->work_us += least.us;
}

/* --- tasks --- */

/* The number of a task; UINT32_MAX if there are too many. */
static uint32_t copy_task(struct copy *c, struct xy_task *task)
{
	uint32_t slot = copy_slot(task), n = c->r->ntasks;
	struct xy__rehearsal_task *t = &c->r->tasks[n];

	for (; c->task_table[slot]; slot = (slot + 1) % TABLE)
		if (c->tasks[c->task_table[slot] - 1] == task)
			return c->task_table[slot] - 1;
	if (n == (c->r->times > 1 ? XY__REHEARSAL_PART : XY__REHEARSAL_TASKS) || c->failed)
		return UINT32_MAX;
	*t = (struct xy__rehearsal_task){
		.number = atomic_load_explicit(&task->number, memory_order_relaxed), /* constant: it is submitted */
		.priority = task->priority,
	};
	c->tasks[n] = task;
	c->task_table[slot] = ++c->r->ntasks;
	if (xy__task_codelet(task) && !(task->flags & (XY__TASK_ACQUIRE | XY__TASK_DATA | XY__TASK_CLOSES))) {
		t->archs = task->archs & XY_ON_ALL;
		copy_lengths(c, t, task);
		copy_accesses(c, t, task);
	}
	return n;
}

static bool copy_shares_data(const struct xy__rehearsal *r, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < r->tasks[a].naccesses; i++)
		for (uint32_t k = 0; k < r->tasks[b].naccesses; k++)
			if (r->accesses[r->tasks[a].first_access + i].data ==
			    r->accesses[r->tasks[b].first_access + k].data)
				return true;
	return false;
}

static void copy_edge(struct copy *c, uint32_t from, uint32_t to)
{
	if (copy_shares_data(c->r, from, to))
		return;
	if (c->nedges == c->edge_room) {
		uint32_t room = c->edge_room ? 2 * c->edge_room : 1024;
		struct xy__rehearsal_edge *edges = realloc(c->edges, room * sizeof *edges);

		if (!edges) {
			c->failed = true;
			return;
		}
		c->edges = edges;
		c->edge_room = room;
	}
	c->edges[c->nedges++] = (struct xy__rehearsal_edge){ from, to };
}

/* A task that rests, and all that follows it. The lock of the place where it rests is held. */
static void copy_visit(void *arg, const struct xy_task *task)
{
	struct copy *c = arg;

	copy_task(c, (struct xy_task *)task);
	for (; c->seen < c->r->ntasks; c->seen++) {
		struct xy__lookahead ahead = xy__lookahead_of(c->tasks[c->seen]);
		struct xy_task *next;

		while ((next = xy__lookahead_next(&ahead))) {
			uint32_t to = copy_task(c, next);

			if (to != UINT32_MAX)
				copy_edge(c, c->seen, to);
		}
	}
}

static void copy_component(struct copy *c, struct xy_component *component)
{
	if (c->shown[component->id])
		return;
	c->shown[component->id] = true;
	if (component->ops->each_task)
		component->ops->each_task(component, copy_visit, c);
	for (unsigned i = 0; i < component->nchildren; i++)
		copy_component(c, component->children[i]);
}

/* --- order --- */

/* Sorting needs the tasks that it sorts. */
struct place {
	uint32_t number, task;
};

static int place_compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* Into the order of submission; false without memory, or if several threads have submitted in another one. */
static bool copy_sort(struct copy *c)
{
	struct xy__rehearsal *r = c->r;
	struct place *places = malloc((r->ntasks + (size_t)1) * sizeof *places);
	struct xy__rehearsal_task *tasks = malloc((r->ntasks + (size_t)1) * sizeof *tasks);
	uint32_t *where = malloc((r->ntasks + (size_t)1) * sizeof *where);
	bool ordered = places && tasks && where;

	for (uint32_t i = 0; ordered && i < r->ntasks; i++)
		places[i] = (struct place){ r->tasks[i].number, i };
	if (ordered)
		qsort(places, r->ntasks, sizeof *places, place_compare);
	for (uint32_t i = 0; ordered && i < r->ntasks; i++) {
		tasks[i] = r->tasks[places[i].task];
		where[places[i].task] = i;
	}
	if (ordered)
		memcpy(r->tasks, tasks, r->ntasks * sizeof *tasks);
	for (uint32_t i = 0; ordered && i < c->nedges; i++) {
		struct xy__rehearsal_edge *edge = &c->edges[i];

		*edge = (struct xy__rehearsal_edge){ where[edge->from], where[edge->to] };
		ordered = edge->from < edge->to;
	}
	free(places);
	free(tasks);
	free(where);
	return ordered;
}

/* By the task that waits. */
static int edge_compare(const void *a, const void *b)
{
	const struct xy__rehearsal_edge *x = a, *y = b;

	return (x->to > y->to) - (x->to < y->to);
}

/* --- all of it --- */

static bool copy_init(struct copy *c, const struct xy_component *component)
{
	struct xy__rehearsal *r = c->r;
	unsigned n = xy_machine_nworkers(c->machine);

	r->nworkers = n;
	r->classes = malloc(n * sizeof *r->classes);
	r->archs = malloc(n * sizeof *r->archs);
	c->samples = calloc(n + (size_t)1, sizeof *c->samples);
	c->tasks = malloc(XY__REHEARSAL_TASKS * sizeof(struct xy_task *));
	c->handles = malloc(DATA_MOST * sizeof(struct xy_handle *));
	c->task_table = calloc(TABLE, sizeof *c->task_table);
	c->data_table = calloc(TABLE, sizeof *c->data_table);
	c->shown = calloc(xy_tree_ncomponents(component->tree), sizeof *c->shown);
	r->tasks = malloc(XY__REHEARSAL_TASKS * sizeof *r->tasks);
	r->accesses = malloc(ACCESSES_MOST * sizeof *r->accesses);
	r->bytes = malloc(DATA_MOST * sizeof *r->bytes);
	r->us = malloc(US_MOST * sizeof *r->us);
	if (!r->classes || !r->archs || !c->samples || !c->tasks || !c->handles || !c->task_table || !c->data_table ||
	    !c->shown || !r->tasks || !r->accesses || !r->bytes || !r->us)
		return false;
	for (unsigned i = n; i-- > 0;) {
		unsigned class = xy_machine_worker(c->machine, i)->worker_class;

		if (class >= n)
			return false;
		r->classes[i] = class;
		r->archs[i] = xy_machine_worker(c->machine, i)->arch;
		c->samples[class] = i;
		r->nclasses = class + 1 > r->nclasses ? class + 1 : r->nclasses;
	}
	return true;
}

bool xy__rehearsal_copy(struct xy__rehearsal *r, struct xy_component *component)
{
	struct copy c = { .r = r, .machine = xy_component_machine(component) };
	bool done = copy_init(&c, component);

	if (done)
		copy_component(&c, component);
	done = done && !c.failed && r->ntasks > 1 && copy_sort(&c);
	if (done && c.nedges)
		qsort(c.edges, c.nedges, sizeof *c.edges, edge_compare);
	r->noise = c.known_us > 0 ? c.spread_us / c.known_us : 0;
	r->edges = c.edges;
	r->nedges = c.nedges;
	free(c.samples);
	free(c.tasks);
	free(c.handles);
	free(c.task_table);
	free(c.data_table);
	free(c.shown);
	return done;
}

void xy__rehearsal_fini(struct xy__rehearsal *r)
{
	free(r->classes);
	free(r->archs);
	free(r->tasks);
	free(r->accesses);
	free(r->edges);
	free(r->bytes);
	free(r->us);
	*r = (struct xy__rehearsal){ 0 };
}
