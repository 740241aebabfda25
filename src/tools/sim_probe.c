/* SPDX-License-Identifier: MIT */
/*
 * How long the tasks of a graph take on the workers of a machine: asked of a runtime that simulates, for one task
 * of each kind, so that bounds and static schedulers count with what the simulator does.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <xylem/component.h>
#include "tools/sim.h"

enum {
	PROBE_CLASSES = 1024, /* at most: workers all different, with costs of their own */
	PROBE_FEW = 1 << 10,
	PROBE_MANY = 1 << 24, /* bytes, to find out about links */
};
#define PROBE_ASKED_MAX 50000000u /* questions about workers; after that classes are believed */

struct probe {
	struct sim_case *c;
	struct graph samples; /* a task of each kind, without edges */
	bool rows;            /* the second time: durations, the first time: classes */
	size_t asked;
	double *us; /* by worker, of one task */
	int error;
};

/* --- kinds --- */

/* Whether two tasks are of one kind; tasks with costs are all different. */
static bool probe_same(const struct graph *g, uint32_t a, uint32_t b)
{
	const struct graph_task *first = &g->tasks[a], *second = &g->tasks[b];

	return first->kernel == second->kernel && first->length_us == second->length_us && !first->costs &&
	       !second->costs && graph_task_bytes(g, a) == graph_task_bytes(g, b);
}

static size_t probe_hash(const struct graph *g, uint32_t task)
{
	uint64_t hash = graph_task_bytes(g, task) * 0x9e3779b97f4a7c15u + g->tasks[task].kernel, bits;

	memcpy(&bits, &g->tasks[task].length_us, sizeof(bits));
	hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u ^ bits * 0x94d049bb133111ebu;
	if (g->tasks[task].costs)
		hash = task * 0xd1342543de82ef95u;
	return (size_t)(hash ^ hash >> 31);
}

static int probe_add_sample(struct probe *probe, uint32_t task)
{
	const struct graph *g = &probe->c->graph;
	const struct graph_task *from = &g->tasks[task];
	uint64_t bytes = graph_task_bytes(g, task);
	struct graph_access access = { .mode = XY_RW };
	struct graph_task_desc desc = {
		.kernel = from->kernel,
		.length_us = from->length_us,
		.costs = from->costs,
		.accesses = &access,
		.naccesses = bytes > 0,
	};
	int index = bytes ? graph_add_data(&probe->samples, NULL, bytes) : 0;

	access.data = (uint32_t)index;
	return index < 0 ? index : graph_add_task(&probe->samples, &desc);
}

static int probe_find_kinds(struct probe *probe, uint32_t *table, size_t size)
{
	struct sim_case *c = probe->c;
	const struct graph *g = &c->graph;
	uint32_t *first = malloc((g->ntasks + (size_t)1) * sizeof(*first));
	int error = first ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < g->ntasks && !error; i++) {
		size_t at = probe_hash(g, i) & (size - 1);

		while (table[at] && !probe_same(g, first[table[at] - 1], i))
			at = (at + 1) & (size - 1);
		if (!table[at]) {
			int index = probe_add_sample(probe, i);

			error = index < 0 ? index : 0;
			first[c->nkinds++] = i;
			table[at] = c->nkinds;
		}
		c->kind[i] = table[at] - 1;
	}
	free(first);
	return error;
}

static int probe_kinds(struct probe *probe)
{
	const struct graph *g = &probe->c->graph;
	size_t size = 16;
	uint32_t *table;
	int error = 0;

	while (size < 2 * (size_t)g->ntasks)
		size *= 2;
	table = calloc(size, sizeof(*table));
	if (!table)
		return -ENOMEM;
	if (g->nprocessors)
		error = graph_set_processors(&probe->samples, g->nprocessors);
	for (uint32_t k = 0; k < g->nkernels && !error; k++) {
		int index = graph_add_kernel(&probe->samples, g->kernels[k].name, g->kernels[k].length_us);

		error = index < 0 ? index : 0;
	}
	if (!error)
		error = probe_find_kinds(probe, table, size);
	free(table);
	return error;
}

/* --- asking --- */

static double probe_ask(const struct probe *probe, const struct xy_task *task, uint32_t sample, unsigned worker)
{
	struct xy_prediction length;

	if (probe->samples.tasks[sample].kernel == GRAPH_NO_KERNEL)
		return 0;
	length = xy_task_length(task, worker, 0);
	return length.kind == XY_PREDICTION_VALUE && xy_task_can_run(task, worker) ? length.us : INFINITY;
}

/* Splits classes whose workers differ about a task. */
static void probe_split(struct probe *probe)
{
	struct sim_case *c = probe->c;
	unsigned before = c->nclasses;

	for (unsigned w = 0; w < c->nworkers; w++) {
		unsigned old = c->class[w], new;

		if (probe->us[w] == probe->us[c->classes[old].first])
			continue;
		for (new = before; new < c->nclasses; new ++)
			if (c->classes[new].count == old && probe->us[c->classes[new].first] == probe->us[w])
				break;
		if (new == PROBE_CLASSES) {
			probe->error = -E2BIG;
			return;
		}
		/* While classes are split, count is the one that a class comes from. */
		if (new == c->nclasses)
			c->classes[c->nclasses++] = (struct sim_class){ .first = w, .count = old };
		c->class[w] = new;
	}
}

static void probe_submitted(void *arg, const struct xy_task *task)
{
	struct probe *probe = arg;
	struct sim_case *c = probe->c;
	uint32_t sample = (uint32_t)((struct graph_task *)xy_task_argument(task) - probe->samples.tasks);

	if (probe->rows) {
		for (unsigned k = 0; k < c->nclasses; k++)
			c->kind_us[(size_t)sample * c->nclasses + k] = probe_ask(probe, task, sample,
										 c->classes[k].first);
		return;
	}
	if (probe->asked > PROBE_ASKED_MAX || probe->error)
		return;
	probe->asked += c->nworkers;
	for (unsigned w = 0; w < c->nworkers; w++)
		probe->us[w] = probe_ask(probe, task, sample, w);
	probe_split(probe);
}

static void probe_log(void *arg, const char *line)
{
	struct probe *probe = arg;

	/* Once it has started, it is not interesting what happens to the samples. */
	if (!probe->us)
		tool_say("%s", line);
}

static void probe_machine(struct probe *probe, const struct xy_machine *machine)
{
	struct sim_case *c = probe->c;
	unsigned count[XY_NARCH] = { 0 };
	size_t length = 0;

	for (unsigned w = 0; w < c->nworkers; w++) {
		count[xy_machine_worker(machine, w)->arch]++;
		c->infos[w] = *xy_machine_worker(machine, w);
		c->node[w] = c->request->transfers ? c->infos[w].node : 0;
	}
	for (unsigned a = 0; a < XY_NARCH; a++)
		if (count[a])
			length += (size_t)snprintf(c->workers + length, sizeof(c->workers) - length, "%s%u %s",
						   length ? ", " : "", count[a], xy_arch_name((enum xy_arch)a));
}

/* A line through what two sizes take. */
static int probe_bus(struct sim_case *c, const struct xy_runtime *rt)
{
	c->nnodes = xy_machine_nnodes(xy_runtime_machine(rt));
	c->latency_us = calloc((size_t)c->nnodes * c->nnodes, sizeof(*c->latency_us));
	c->us_per_byte = calloc((size_t)c->nnodes * c->nnodes, sizeof(*c->us_per_byte));
	c->node_names = calloc(c->nnodes, sizeof(*c->node_names));
	c->node_bytes = calloc(c->nnodes, sizeof(*c->node_bytes));
	if (!c->latency_us || !c->us_per_byte || !c->node_names || !c->node_bytes)
		return -ENOMEM;
	for (unsigned i = 0; i < c->nnodes; i++) {
		const struct xy_node_info *info = xy_machine_node(xy_runtime_machine(rt), i);

		snprintf(c->node_names[i], sizeof(*c->node_names), "%s", info->name);
		c->node_bytes[i] = info->memory_bytes;
	}
	for (unsigned i = 0; i < c->nnodes * c->nnodes; i++) {
		struct xy_prediction few = xy_bus_time_us(rt, i / c->nnodes, i % c->nnodes, PROBE_FEW);
		struct xy_prediction many = xy_bus_time_us(rt, i / c->nnodes, i % c->nnodes, PROBE_MANY);

		if (few.kind != XY_PREDICTION_VALUE || many.kind != XY_PREDICTION_VALUE)
			continue;
		c->us_per_byte[i] = (many.us - few.us) / (PROBE_MANY - PROBE_FEW);
		c->latency_us[i] = fmax(0, few.us - c->us_per_byte[i] * PROBE_FEW);
	}
	return 0;
}

/* The first time: room for what is by worker. */
static int probe_begin(struct probe *probe, const struct xy_runtime *rt)
{
	struct sim_case *c = probe->c;
	const struct xy_machine *machine = xy_runtime_machine(rt);

	c->nworkers = xy_machine_nworkers(machine);
	if (probe->samples.nprocessors && c->nworkers > probe->samples.nprocessors) {
		tool_say("the graph has costs for %u processors, but the machine has %u workers",
			 probe->samples.nprocessors, c->nworkers);
		return -EINVAL;
	}
	c->class = calloc(c->nworkers, sizeof(*c->class));
	c->node = calloc(c->nworkers, sizeof(*c->node));
	c->infos = calloc(c->nworkers, sizeof(*c->infos));
	c->classes = calloc(PROBE_CLASSES, sizeof(*c->classes));
	probe->us = calloc(c->nworkers, sizeof(*probe->us));
	if (!c->class || !c->node || !c->infos || !c->classes || !probe->us)
		return -ENOMEM;
	c->nclasses = 1;
	probe_machine(probe, machine);
	return probe_bus(c, rt);
}

/* Submits the samples once. They may fail where nothing is known about them. */
static int probe_pass(struct probe *probe)
{
	struct xy_watch watch = { .arg = probe, .submitted = probe_submitted };
	struct xy_config config = sim_case_config(probe->c, "tree-eager", 0, &watch);
	struct xy_runtime *rt;
	struct graph_run *run;
	int error;

	config.log = probe_log;
	config.log_arg = probe;
	config.sim_noise = 0;
	error = xy_start(&rt, &config);
	if (!error && !probe->rows)
		error = probe_begin(probe, rt);
	if (!error) {
		error = graph_submit(&run, &probe->samples, rt, NULL);
		graph_retract(&run);
	}
	xy_stop(&rt);
	return error ? error : probe->error;
}

static void probe_count(struct sim_case *c)
{
	for (unsigned k = 0; k < c->nclasses; k++)
		c->classes[k].count = 0;
	for (unsigned w = c->nworkers; w-- > 0;) {
		c->classes[c->class[w]].count++;
		c->classes[c->class[w]].first = w;
	}
}

int sim_probe(struct sim_case *c)
{
	struct probe probe = { .c = c };
	int error;

	c->kind = calloc(c->graph.ntasks + (size_t)1, sizeof(*c->kind));
	error = c->kind ? probe_kinds(&probe) : -ENOMEM;
	if (!error)
		error = probe_pass(&probe);
	if (!error) {
		probe_count(c);
		c->kind_us = malloc(((size_t)c->nkinds * c->nclasses + 1) * sizeof(*c->kind_us));
		error = c->kind_us ? 0 : -ENOMEM;
	}
	probe.rows = true;
	if (!error)
		error = probe_pass(&probe);
	free(probe.us);
	graph_fini(&probe.samples);
	return error;
}
