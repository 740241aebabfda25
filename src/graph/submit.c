/* SPDX-License-Identifier: MIT */
/*
 * Submits a graph to a runtime through the public interface. Data is inaccessible address space; a task with explicit
 * successors is created and kept until all are submitted, the others are submitted without a reference.
 */
#include "graph/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <xylem/task.h>

#include "core/util/arch.h"

struct graph_run {
	const struct graph *g;
	struct xy_runtime *rt;
	struct xy_codelet *codelets; /* by kernel */
	struct xy_codelet init, combine;
	struct xy_handle **handles; /* by datum */
	void *space;                /* where all data would be */
	size_t space_bytes;
	/* While submitting. */
	struct xy_task **kept;      /* by task: those that others wait for explicitly */
	bool *waited;               /* by task: others wait for it explicitly */
	int *priorities;            /* by task: if places are given */
	struct xy_access *accesses; /* of one task */
	struct xy_task **after;     /* of one task */
};

static int submit_body(struct xy_call *call)
{
	(void)call;
	return -ENOSYS;
}

static double submit_cost(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	const struct graph_task *own = xy_task_argument(task);

	(void)implementation;
	return own && own->costs ? own->costs[worker] : 0;
}

/* Of tasks that know their costs. It is shared by all graphs, as models must outlive runtimes. */
static const struct xy_model submit_model = { .name = "costs", .kind = XY_MODEL_WORKER, .per_worker = submit_cost };

/* How long reductions take: a pass over the data at 10 GB/s. */
static double submit_pass(const struct xy_task *task, enum xy_arch arch, unsigned implementation)
{
	const struct xy_handle *handle = xy_task_handle(task, 0);

	(void)arch;
	(void)implementation;
	return 1 + (handle ? (double)xy_handle_size(handle) / 10000 : 0);
}

static const struct xy_model submit_pass_model = { .name = "pass", .kind = XY_MODEL_ARCH, .per_arch = submit_pass };

/* The codelet with an implementation for each architecture. */
static struct xy_codelet submit_everywhere(struct xy_codelet codelet)
{
	xy__arch_implement(&codelet, XY_ON_ALL, submit_body);
	return codelet;
}

static int submit_codelets(struct graph_run *run)
{
	run->codelets = calloc(run->g->nkernels + (size_t)1, sizeof(*run->codelets));
	if (!run->codelets)
		return -ENOMEM;
	for (uint32_t i = 0; i < run->g->nkernels; i++)
		run->codelets[i] = submit_everywhere((struct xy_codelet){
			.name = run->g->kernels[i].name,
			.model = run->g->nprocessors ? &submit_model : NULL,
		});
	run->init = submit_everywhere(
		(struct xy_codelet){ .name = "redux-init", .modes = { XY_W }, .model = &submit_pass_model });
	run->combine = submit_everywhere(
		(struct xy_codelet){ .name = "redux-combine", .modes = { XY_RW, XY_R }, .model = &submit_pass_model });
	return 0;
}

/* Each datum has its own addresses, none of which can be touched. */
static int submit_data(struct graph_run *run)
{
	const struct graph *g = run->g;
	size_t at = 0;
	int error = 0;

	for (uint32_t i = 0; i < g->ndata; i++)
		if (__builtin_add_overflow(run->space_bytes, g->data[i].bytes, &run->space_bytes))
			return -ENOMEM;
	run->handles = calloc(g->ndata + (size_t)1, sizeof(*run->handles));
	if (!run->handles)
		return -ENOMEM;
	if (run->space_bytes) {
		run->space = mmap(NULL, run->space_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
				  0);
		if (run->space == MAP_FAILED)
			run->space = NULL;
		if (!run->space)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < g->ndata && !error; i++) {
		size_t bytes = (size_t)g->data[i].bytes;

		error = bytes ? xy_variable_register(run->rt, &run->handles[i], (char *)run->space + at, bytes)
			      : xy_void_register(run->rt, &run->handles[i]);
		if (!error && g->data[i].name)
			error = xy_handle_set_name(run->handles[i], g->data[i].name);
		at += bytes;
	}
	return error;
}

/* Data that tasks reduce into. */
static int submit_reductions(struct graph_run *run)
{
	bool *done = calloc(run->g->ndata + (size_t)1, sizeof(*done));
	int error = done ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < run->g->naccesses && !error; i++) {
		uint32_t datum = run->g->accesses[i].data;

		if (run->g->accesses[i].mode == XY_REDUX && !done[datum]) {
			done[datum] = true;
			error = xy_handle_set_reduction(run->handles[datum], &run->init, &run->combine);
		}
	}
	free(done);
	return error;
}

/* Room for the longest lists of one task, and for the tasks that others wait for. */
static int submit_room(struct graph_run *run)
{
	const struct graph *g = run->g;
	size_t accesses = 1, after = 1;

	for (uint32_t t = 0; t < g->ntasks; t++) {
		accesses = g->tasks[t].naccesses > accesses ? g->tasks[t].naccesses : accesses;
		after = g->tasks[t].nbefore > after ? g->tasks[t].nbefore : after;
	}
	run->accesses = malloc((accesses + 1) * sizeof(*run->accesses));
	run->after = malloc(after * sizeof(*run->after));
	if (!run->accesses || !run->after)
		return -ENOMEM;
	if (!g->nbefore)
		return 0;
	run->waited = calloc(g->ntasks, sizeof(*run->waited));
	run->kept = calloc(g->ntasks, sizeof(*run->kept));
	if (!run->waited || !run->kept)
		return -ENOMEM;
	for (uint32_t i = 0; i < g->nbefore; i++)
		run->waited[g->before[i]] = true;
	return 0;
}

struct submit_item {
	struct graph_place place;
	uint32_t task;
};

static int submit_compare(const void *a, const void *b)
{
	const struct submit_item *x = a, *y = b;

	if (x->place.worker != y->place.worker)
		return x->place.worker < y->place.worker ? -1 : 1;
	return (x->place.position > y->place.position) - (x->place.position < y->place.position);
}

/* Priorities that tell positions. Tasks that do nothing come to no worker, so they are not counted. */
static int submit_order(struct graph_run *run, const struct graph_place *places)
{
	uint32_t n = run->g->ntasks, count = 0;
	struct submit_item *items = malloc((n + (size_t)1) * sizeof(*items));

	run->priorities = calloc(n + (size_t)1, sizeof(*run->priorities));
	if (!items || !run->priorities) {
		free(items);
		return -ENOMEM;
	}
	for (uint32_t t = 0; t < n; t++)
		items[t] = (struct submit_item){ places[t], t };
	qsort(items, n, sizeof(*items), submit_compare);
	for (uint32_t i = 0; i < n; i++) {
		if (!i || items[i].place.worker != items[i - 1].place.worker)
			count = 0;
		if (run->g->tasks[items[i].task].kernel != GRAPH_NO_KERNEL)
			run->priorities[items[i].task] = GRAPH_FIRST_POSITION - (int)count++;
	}
	free(items);
	return 0;
}

static int submit_task(struct graph_run *run, uint32_t t, const struct graph_place *place)
{
	const struct graph *g = run->g;
	const struct graph_task *task = &g->tasks[t];
	double length_us = task->kernel == GRAPH_NO_KERNEL || task->costs ? 0
			   : task->length_us > 0                          ? task->length_us
									  : g->kernels[task->kernel].length_us;
	struct xy_task_desc desc = {
		.codelet = task->kernel == GRAPH_NO_KERNEL ? NULL : &run->codelets[task->kernel],
		.accesses = run->accesses,
		.arg = (void *)task,
		.name = task->name,
		.length_us = length_us,
		.after = run->after,
		.nafter = task->nbefore,
		.priority = place ? run->priorities[t] : task->priority,
		.workers = place ? &place->worker : NULL,
		.nworkers = place && task->kernel != GRAPH_NO_KERNEL,
	};
	int error;

	for (uint32_t i = 0; i < task->naccesses; i++) {
		const struct graph_access *access = &g->accesses[task->first_access + i];

		run->accesses[i] = (struct xy_access){ run->handles[access->data],
						       place ? access->mode & ~XY_COMMUTE : access->mode };
	}
	run->accesses[task->naccesses] = (struct xy_access){ .handle = NULL };
	for (uint32_t i = 0; i < task->nbefore; i++)
		run->after[i] = run->kept[g->before[task->first_before + i]];
	if (!run->waited || !run->waited[t])
		return xy_submit(run->rt, &desc);
	error = xy_task_create(run->rt, &desc, &run->kept[t]);
	return error ? error : xy_task_submit(run->kept[t]);
}

/* Frees what only submission needs. */
static void submit_end(struct graph_run *run)
{
	for (uint32_t t = 0; run->kept && t < run->g->ntasks; t++)
		xy_task_release(run->kept[t]);
	free(run->kept);
	free(run->waited);
	free(run->priorities);
	free(run->accesses);
	free(run->after);
	run->kept = NULL;
	run->waited = NULL;
	run->priorities = NULL;
	run->accesses = NULL;
	run->after = NULL;
}

int graph_submit(struct graph_run **run, const struct graph *g, struct xy_runtime *rt,
		 const struct graph_options *options)
{
	const struct graph_place *places = options ? options->places : NULL;
	int error = -EINVAL;

	*run = NULL;
	if (g->nprocessors && xy_machine_nworkers(xy_runtime_machine(rt)) > g->nprocessors)
		return error;
	*run = calloc(1, sizeof(**run));
	if (!*run)
		return -ENOMEM;
	**run = (struct graph_run){ .g = g, .rt = rt };
	error = submit_codelets(*run);
	if (!error)
		error = submit_data(*run);
	if (!error)
		error = submit_reductions(*run);
	if (!error)
		error = submit_room(*run);
	if (!error && places)
		error = submit_order(*run, places);
	for (uint32_t t = 0; t < g->ntasks && !error; t++)
		error = submit_task(*run, t, places ? &places[t] : NULL);
	submit_end(*run);
	if (error)
		graph_retract(run);
	return error;
}

uint32_t graph_task_index(const struct graph *g, const struct xy_task *task)
{
	uintptr_t first = (uintptr_t)g->tasks, own = (uintptr_t)xy_task_argument(task);

	if (own < first || own >= (uintptr_t)(g->tasks + g->ntasks))
		return UINT32_MAX;
	return (uint32_t)((own - first) / sizeof(struct graph_task));
}

const struct xy_handle *graph_handle(const struct graph_run *run, uint32_t datum)
{
	return run->handles[datum];
}

int graph_retract(struct graph_run **run)
{
	struct graph_run *r = *run;
	int error;

	*run = NULL;
	if (!r)
		return 0;
	error = xy_wait(r->rt);
	if (error == -ETIMEDOUT) /* tasks are stuck, and still have their codelets and data */
		return error;
	for (uint32_t i = 0; r->handles && i < r->g->ndata; i++)
		if (r->handles[i]) {
			int status = xy_unregister(&r->handles[i]);

			error = error ? error : status;
		}
	if (r->space)
		munmap(r->space, r->space_bytes);
	free(r->handles);
	free(r->codelets);
	free(r);
	return error;
}
