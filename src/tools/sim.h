/* SPDX-License-Identifier: MIT */
/*
 * Shared by `xylem sim` and `xylem bound`: a graph on a machine with all durations, one simulated run with the events
 * of each task, and output.
 */
#ifndef XYLEM_TOOLS_SIM_H
#define XYLEM_TOOLS_SIM_H

#include <stdio.h>
#include <xylem.h>
#include "bound/bound.h"
#include "graph/graph.h"
#include "tools/tool.h"

/* The command line. Strings belong to argv, or to the settings. */
struct sim_request {
	const char *machine, *graph; /* of the case at hand */
	const char *policies;        /* NULL for a bound */
	bool alone;                  /* the only case */
	const char *gantt, *schedule, *plot;
	const char *priorities; /* NULL: as the graph has them */
	double noise, submit_us, overhead_us, limit_s;
	uint64_t seed;
	unsigned repeat, window;
	bool transfers, json, csv;
	enum bound_kind bound;
	struct xy__settings settings;
};

/* Reads options; NULL is one that was not given. They say what is wrong (sim.c). */
bool sim_read_number(const char *option, const char *text, double least, double most, double *value);
bool sim_read_bound(const char *text, enum bound_kind *kind);

/* --- a graph on a machine (sim_case.c) --- */

/* Workers of one class take equally long for every task of the graph. */
struct sim_class {
	unsigned first, count; /* a worker of it, how many */
};

struct sim_case {
	const struct sim_request *request;
	struct graph graph;
	struct graph_edges edges;
	unsigned nworkers, nclasses, nkinds;
	unsigned *class;              /* by worker */
	struct xy_worker_info *infos; /* by worker */
	unsigned *node;               /* by worker: its memory node; without transfers there is one */
	unsigned nnodes;
	char (*node_names)[16];           /* by memory node */
	unsigned long long *node_bytes;   /* by memory node: its size; 0 without limit */
	double *latency_us, *us_per_byte; /* [from * nnodes + to] */
	struct sim_class *classes;
	unsigned *kind;          /* by task: tasks of one kind take equally long */
	double *kind_us;         /* [kind * nclasses + class]; INFINITY where nothing is known */
	double *duration_us;     /* by task */
	unsigned *class_workers; /* by class */
	char workers[96];        /* for people: "9 cpu, 3 cuda" */
	struct bound_set bounds;
};

/* Opens graph and machine, finds durations and bounds. Says what is wrong; fini is needed in any case. */
enum tool_status sim_case_init(struct sim_case *c, const struct sim_request *request);
void sim_case_fini(struct sim_case *c);

static inline double sim_case_us(const struct sim_case *c, uint32_t task, unsigned class)
{
	return c->duration_us[(size_t)task * c->nclasses + class];
}

/* The configuration of a simulating runtime; log lines go to stderr. */
struct xy_config sim_case_config(const struct sim_case *c, const char *sched, uint64_t seed,
				 const struct xy_watch *watch);
/*
 * Determines the durations of a case (sim_probe.c): classes, kinds and their durations. 0, or -errno after a message.
 */
int sim_probe(struct sim_case *c);

/* --- one run (sim_run.c) --- */

/* Seconds of virtual time; worker is UINT32_MAX for a task that no worker ran. */
struct sim_event {
	double ready_s, begin_s, start_s, end_s;
	uint32_t worker;
};

/* A transfer. Seconds of virtual time. */
struct sim_move {
	const struct xy_handle *handle; /* only for comparison */
	uint32_t datum;                 /* of the graph; UINT32_MAX: a copy that a reduction uses, say */
	unsigned from, to;              /* memory nodes */
	unsigned long long bytes;
	double issued_s, start_s, end_s;
};

/* Of all workers' time until the makespan, in seconds. */
struct sim_idle {
	double path_s;   /* nothing was ready that the worker could run */
	double data_s;   /* it waited for the data of its task */
	double choice_s; /* something it could run was ready, and went elsewhere or waited */
};

struct sim_run {
	struct sim_event *events; /* by task, then those of tasks that the runtime adds for reductions */
	uint32_t nevents, room;
	struct sim_move *moves; /* in the order in which they ended; for a schedule only */
	size_t nmoves, moves_room;
	double makespan_s;
	double cpu_s;             /* that the computer needed */
	unsigned long long bytes; /* moved between memory nodes */
	struct sim_idle idle;
};

/* Runs the graph once. places: where a static scheduler put the tasks, or NULL. Says what is wrong. */
enum tool_status sim_run_init(struct sim_run *run, const struct sim_case *c, const char *policy, uint64_t seed,
			      const struct graph_place *places);
void sim_run_fini(struct sim_run *run);

/* Fills in idle (sim_idle.c). 0 or -ENOMEM. */
int sim_run_idle(struct sim_run *run, const struct sim_case *c);

/* --- static schedulers (sim_static.c) --- */

/* Runs static schedules: each worker runs its tasks in order. */
#define SIM_STATIC_TREE "tree-in-order"

/* Whether a policy is a static scheduler: "heft", "cpop", "peft". */
bool sim_is_static(const char *policy);
/* Places of all tasks, to be freed, and the makespan as planned; NULL after a message. */
struct graph_place *sim_static_places(const struct sim_case *c, const char *policy, double *planned_s);

/* --- a batch in place of a graph (sim_batch.c) --- */

enum tool_status sim_batch(const struct sim_request *request, const char *text);

/* --- results (sim_print.c) --- */

/* All runs of one policy. */
struct sim_row {
	char *policy;
	bool failed;
	unsigned nruns;
	double *makespan_s;   /* by run, rising */
	double planned_s;     /* by a static scheduler; 0: none */
	double cpu_us;        /* of the computer, by task, the median */
	struct sim_run first; /* events are kept for a chart or a schedule only */
};

void sim_print_table(const struct sim_case *c, const struct sim_row *rows, unsigned nrows);
void sim_print_json(const struct sim_case *c, const struct sim_row *rows, unsigned nrows);
/* A line for each policy; the one with the names of columns apart. */
void sim_print_csv_head(void);
void sim_print_csv(const struct sim_case *c, const struct sim_row *rows, unsigned nrows);
/* The bound in percent of a makespan. */
double sim_percent(const struct sim_case *c, double makespan_s);
/* A field of CSV, quoted if need be. */
void sim_print_field(FILE *out, const char *text);
/* The lines about the bounds alone, with the makespan of a recorded run if there is one (0: none). */
void sim_print_bounds(const struct sim_case *c, double recorded_s);
void sim_print_bounds_json(const struct sim_case *c, double recorded_s);

/* --- chart (sim_gantt.c) --- */

enum tool_status sim_gantt(const struct sim_case *c, const struct sim_row *rows, unsigned nrows, const char *path);

/* --- schedules (sim_schedule.c) --- */

/* Writes the first run of each policy as CSV: one line per task, then one per transfer. */
enum tool_status sim_schedule(const struct sim_case *c, const struct sim_row *rows, unsigned nrows, const char *path);

/* --- comparison of policies over several cases (sim_plot.c) --- */

struct sim_point {
	char *policy, *label; /* of the case */
	double percent;
};

struct sim_plot {
	struct sim_point *points;
	size_t npoints, room;
};

/* Adds the runs of a case. 0 or -ENOMEM. */
int sim_plot_add(struct sim_plot *plot, const struct sim_case *c, const struct sim_row *rows, unsigned nrows);
/* Draws them as SVG: the bound in percent of the makespan, by policy. */
enum tool_status sim_plot_draw(const struct sim_plot *plot, const struct sim_request *request, const char *path);
void sim_plot_fini(struct sim_plot *plot);

#endif
