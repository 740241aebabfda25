/* SPDX-License-Identifier: MIT */
/* A graph on a machine: opened, with priorities, durations and bounds. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/platform.h"
#include "tools/sim.h"

/* Tasks in flight: as many as tree-cambium rehearses; more on large machines, by their workers. */
enum { CASE_WINDOW = 4096, CASE_EACH = 4 };
#define CASE_GUARD_S 1 /* a simulation never waits that long in vain */

static void case_log(void *arg, const char *line)
{
	(void)arg;
	tool_say("%s", line);
}

/* The requested window; else more than the runtime's default, as nothing computes meanwhile. */
static unsigned case_window(const struct sim_case *c)
{
	unsigned least = CASE_EACH * c->nworkers;

	if (c->request->window)
		return c->request->window;
	return least > CASE_WINDOW ? least : CASE_WINDOW;
}

struct xy_config sim_case_config(const struct sim_case *c, const char *sched, uint64_t seed,
				 const struct xy_watch *watch)
{
	const struct sim_request *r = c->request;

	return (struct xy_config){
		.sched = sched,
		.sim = r->machine,
		.machines = r->settings.machines,
		.plugins = r->settings.plugins,
		.sim_noise = r->noise,
		.sim_submit_us = r->submit_us,
		.sim_overhead_us = r->overhead_us,
		.seed = seed,
		.window = case_window(c),
		.sim_shared = !r->transfers,
		.guard_s = CASE_GUARD_S,
		.watch = watch,
		.ignore_environment = true,
		.log = case_log,
	};
}

static enum tool_status case_status(int error, const char *what)
{
	if (error == -ENOMEM)
		tool_say("%s: %s", what, strerror(ENOMEM));
	return error == -ENOMEM ? TOOL_FAILED : tool_status_of(error);
}

/* --- durations --- */

/* A machine that is a text knows no kernel. What is wrong with a file is said when it is simulated. */
static void case_nominal(struct sim_case *c)
{
	struct xy__platform *p = NULL;

	if (xy__platform_read(&p, c->request->machine, c->request->settings.machines, NULL, 0))
		p = NULL;
	for (uint32_t k = 0; k < c->graph.nkernels; k++) {
		bool known = c->graph.kernels[k].length_us > 0;

		for (unsigned i = 0; p && i < xy__platform_nkernels(p); i++)
			known = known || !strcmp(xy__platform_kernel_name(p, i), c->graph.kernels[k].name);
		if (!known)
			c->graph.kernels[k].length_us = c->graph.kernels[k].nominal_us;
	}
	xy__platform_destroy(p);
}

/* By task; a kernel that no class knows is an error. */
static int case_durations(struct sim_case *c)
{
	const struct graph *g = &c->graph;

	c->duration_us = malloc(((size_t)g->ntasks * c->nclasses + 1) * sizeof(*c->duration_us));
	c->class_workers = malloc((c->nclasses + (size_t)1) * sizeof(*c->class_workers));
	if (!c->duration_us || !c->class_workers)
		return -ENOMEM;
	for (unsigned k = 0; k < c->nclasses; k++)
		c->class_workers[k] = c->classes[k].count;
	for (uint32_t i = 0; i < g->ntasks; i++) {
		const double *row = &c->kind_us[(size_t)c->kind[i] * c->nclasses];
		bool runs = false;

		for (unsigned k = 0; k < c->nclasses; k++)
			runs = runs || isfinite(row[k]);
		if (!runs) {
			const char *name = g->tasks[i].name;

			tool_say("neither the machine nor the graph gives a duration of %s with %llu "
				 "bytes on %s%s%s",
				 g->kernels[g->tasks[i].kernel].name, (unsigned long long)graph_task_bytes(g, i),
				 c->request->machine, name ? ": see task " : "", name ? name : "");
			return -EINVAL;
		}
		memcpy(&c->duration_us[(size_t)i * c->nclasses], row, c->nclasses * sizeof(*row));
	}
	return 0;
}

/* The mean over workers, by kernel: of its first task, as ranks only need orders of magnitude. */
static int case_rank(struct sim_case *c)
{
	double *lengths = calloc(c->graph.nkernels + (size_t)1, sizeof(*lengths));
	int error;

	if (!lengths)
		return -ENOMEM;
	for (uint32_t i = c->graph.ntasks; i-- > 0;) {
		double sum = 0;
		unsigned n = 0;

		for (unsigned k = 0; k < c->nclasses; k++)
			if (isfinite(sim_case_us(c, i, k))) {
				sum += sim_case_us(c, i, k) * c->classes[k].count;
				n += c->classes[k].count;
			}
		if (c->graph.tasks[i].kernel != GRAPH_NO_KERNEL && n)
			lengths[c->graph.tasks[i].kernel] = sum / n;
	}
	error = graph_rank(&c->graph, lengths);
	free(lengths);
	return error;
}

static int case_prioritise(struct sim_case *c)
{
	const char *wish = c->request->priorities;

	if (wish && !strcmp(wish, "none"))
		for (uint32_t i = 0; i < c->graph.ntasks; i++)
			c->graph.tasks[i].priority = 0;
	if (wish ? !strcmp(wish, "rank") : c->graph.priorities == GRAPH_PRIORITIES_RANK)
		return case_rank(c);
	return 0;
}

/* --- all of it --- */

static enum tool_status case_bounds(struct sim_case *c)
{
	struct bound_problem problem = {
		.ntasks = c->graph.ntasks,
		.nclasses = c->nclasses,
		.workers = c->class_workers,
		.duration_us = c->duration_us,
		.first = c->edges.before_at,
		.predecessors = c->edges.before,
	};
	char message[BOUND_MESSAGE] = "";
	int error = bound_compute(&problem, c->request->limit_s, &c->bounds, message);

	if (error == -EINVAL)
		tool_say("%s", message);
	return error ? case_status(error, "bounds") : TOOL_OK;
}

static enum tool_status case_open(struct sim_case *c)
{
	char error[512] = "";
	int status = graph_open(&c->graph, c->request->graph, error, sizeof(error));

	if (status) {
		tool_say("%s", error);
		return tool_status_of(status);
	}
	if (!c->graph.ntasks) {
		tool_say("%s: contains no task", c->request->graph);
		return TOOL_WRONG;
	}
	return TOOL_OK;
}

enum tool_status sim_case_init(struct sim_case *c, const struct sim_request *request)
{
	enum tool_status status;
	int error;

	*c = (struct sim_case){ .request = request };
	status = case_open(c);
	if (status != TOOL_OK)
		return status;
	case_nominal(c);
	error = sim_probe(c);
	if (!error)
		error = case_durations(c);
	if (!error)
		error = case_prioritise(c);
	if (!error)
		error = graph_edges_init(&c->edges, &c->graph);
	return error ? case_status(error, request->graph) : case_bounds(c);
}

void sim_case_fini(struct sim_case *c)
{
	graph_edges_fini(&c->edges);
	graph_fini(&c->graph);
	free(c->class);
	free(c->node);
	free(c->infos);
	free(c->node_names);
	free(c->node_bytes);
	free(c->latency_us);
	free(c->us_per_byte);
	free(c->classes);
	free(c->kind);
	free(c->kind_us);
	free(c->duration_us);
	free(c->class_workers);
}
