/* SPDX-License-Identifier: MIT */
/*
 * A model's layers over heterogeneous devices, as a pipeline: the problem, its costs, the ways to solve
 * it, and how the result is shown. Layers are counted from 1. Nothing here knows where files come from.
 */
#ifndef XYLEM_PIPELINE_PIPELINE_H
#define XYLEM_PIPELINE_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
	PIPELINE_LAYERS_MAX = 1024,
	PIPELINE_TYPES_MAX = 256,
};

/* Memory limit of all tables of a search together. */
#define PIPELINE_MEMORY_MAX ((size_t)450 << 20)

/* Where messages go: one line each, behind the program's name. */
struct pipeline_report {
	FILE *file;
	const char *program;
};

__attribute__((format(printf, 2, 3))) void pipeline_say(const struct pipeline_report *report, const char *format, ...);

struct pipeline_type {
	char *name;
	double bw_Mbps, mem_MB;
	double *time_s; /* by layer, from 0 */
	unsigned nhosts;
	char **hosts; /* in the order in which they are used */
};

struct pipeline_problem {
	char *model;
	unsigned nlayers;
	double *mem_MB; /* by layer, from 0 */
	uint64_t parameters_in;
	uint64_t *parameters_out; /* by layer, from 0 */
	unsigned dtype_size;      /* bytes for each parameter */
	uint64_t batch_size, buffers_in, buffers_out;
	unsigned ntypes;
	struct pipeline_type *types; /* sorted by name; each has a profile */
};

/* Whether two types have equal figures, so that their hosts are interchangeable. */
bool pipeline_type_is_same(const struct pipeline_problem *problem, unsigned a, unsigned b);

/* Frees what a problem holds, not the problem itself. */
void pipeline_problem_fini(struct pipeline_problem *problem);

struct pipeline_stage {
	unsigned type, host;  /* host: number in its type's list */
	unsigned first, last; /* layers */
};

struct pipeline_schedule {
	unsigned nstages;              /* 0: nothing fits */
	struct pipeline_stage *stages; /* room for one stage for each layer */
};

/* An empty schedule for a problem; false without memory. */
bool pipeline_schedule_init(struct pipeline_schedule *schedule, const struct pipeline_problem *problem);
void pipeline_schedule_fini(struct pipeline_schedule *schedule);

/* Adds a stage behind the last one. */
void pipeline_schedule_add(struct pipeline_schedule *schedule, unsigned type, unsigned last);

/* Gives each stage the next host of its type. */
void pipeline_schedule_name_hosts(struct pipeline_schedule *schedule);

/* --- costs (cost.c) --- */

/* Seconds that a type of device computes layers first..last, summed from left to right. */
double pipeline_compute(const struct pipeline_problem *problem, unsigned type, unsigned first, unsigned last);

/* Seconds that the output of a layer travels between devices, the slower of which has this bandwidth. */
double pipeline_comm(const struct pipeline_problem *problem, unsigned layer, double bw_Mbps);

/* Bytes that a device must have more of than this to hold layers first..last. */
double pipeline_memory(const struct pipeline_problem *problem, unsigned first, unsigned last);

/* The part of it that is for buffers. */
double pipeline_buffers(const struct pipeline_problem *problem, unsigned first, unsigned last);

/* Figures of a whole schedule. */
struct pipeline_cost {
	double bottleneck; /* the greatest of all compute and comm times */
	double latency;    /* their sum: the way of one microbatch */
	unsigned stage;    /* which one binds, from 0 */
	bool comm;         /* whether sending is its bottleneck */
};

struct pipeline_cost pipeline_cost(const struct pipeline_problem *problem, const struct pipeline_schedule *schedule);
/* Of one stage of a schedule: the time to send its output, 0 for the last one. */
double pipeline_stage_comm(const struct pipeline_problem *problem, const struct pipeline_schedule *schedule,
			   unsigned stage);

/* --- all stages there can be (table.c) --- */

/*
 * For each type and each first and last layer the seconds of computing, or INFINITY where memory does
 * not suffice; for each type and layer the seconds of sending its output at that type's bandwidth. As
 * the slower side counts, sending takes the greater one of both sides' values.
 */
struct pipeline_table {
	unsigned nlayers, ntypes;
	double *compute;
	double *link;
};

/* 0, -ENOMEM, or -E2BIG for more than PIPELINE_MEMORY_MAX. */
int pipeline_table_init(struct pipeline_table *table, const struct pipeline_problem *problem);
void pipeline_table_fini(struct pipeline_table *table);

/* Layers behind..last of a type, without the layer "behind" itself, which the stage before ends with. */
static inline double pipeline_table_compute(const struct pipeline_table *table, unsigned type, unsigned behind,
					    unsigned last)
{
	return table->compute[((size_t)type * table->nlayers + behind) * table->nlayers + last - 1];
}

static inline double pipeline_table_link(const struct pipeline_table *table, unsigned type, unsigned layer)
{
	return layer && layer < table->nlayers ? table->link[(size_t)type * table->nlayers + layer] : 0;
}

/* The greatest of computing, receiving and sending: a schedule is as slow as its worst stage. */
static inline double pipeline_table_weight(const struct pipeline_table *table, unsigned type, unsigned behind,
					   unsigned last)
{
	double compute = pipeline_table_compute(table, type, behind, last);
	double before = pipeline_table_link(table, type, behind), after = pipeline_table_link(table, type, last);
	double link = before > after ? before : after;

	return compute > link ? compute : link;
}

/* Every finite weight once, sorted: what a bottleneck can be. NULL without memory. */
double *pipeline_table_candidates(const struct pipeline_table *table, size_t *n);

/* --- solvers: 0, with an empty schedule if nothing fits, or -ENOMEM or -E2BIG --- */

/* The least bottleneck; of those the fewest stages; of those the first in the order of types, then of
 * last layers, compared stage by stage (search.c). */
int pipeline_search(const struct pipeline_problem *problem, const struct pipeline_table *table,
		    struct pipeline_schedule *schedule);

/* pipeline_search for the least latency (latency.c). */
int pipeline_latency(const struct pipeline_problem *problem, const struct pipeline_table *table,
		     struct pipeline_schedule *schedule);

/* One device, in an order that is given. */
struct pipeline_device {
	unsigned type, host;
};

/* Both searches for a fixed order of devices, some of which may stay unused; hosts are set (order.c). */
int pipeline_order(const struct pipeline_table *table, const struct pipeline_device *devices, unsigned ndevices,
		   struct pipeline_schedule *schedule);
int pipeline_order_latency(const struct pipeline_table *table, const struct pipeline_device *devices, unsigned ndevices,
			   struct pipeline_schedule *schedule);

/* The dynamic program over all states, in the order of PipeEdge's scheduler: the first of the equally
 * good ones. figures[t] is the type whose figures count for type t, or ntypes for none (plain.c). */
int pipeline_plain(const struct pipeline_problem *problem, const struct pipeline_table *table, const unsigned *figures,
		   struct pipeline_schedule *schedule);

/* The figures that PipeEdge's scheduler takes: device number t of all devices for type t. */
void pipeline_plain_figures(const struct pipeline_problem *problem, unsigned *figures);

/* Says which constraint leaves no schedule; otherwise: that it is none of the problem's (explain.c). */
void pipeline_explain(const struct pipeline_problem *problem, const struct pipeline_table *table, const char *otherwise,
		      const struct pipeline_report *report);

/* --- output (print.c, draw.c) --- */

void pipeline_print(const struct pipeline_problem *problem, const struct pipeline_schedule *schedule, FILE *file);
/* Both as comments of YAML, so that the whole output is still a schedule. */
void pipeline_print_cost(const struct pipeline_problem *problem, const struct pipeline_schedule *schedule, FILE *file);
void pipeline_print_table(const struct pipeline_problem *problem, const struct pipeline_schedule *schedule, FILE *file);
void pipeline_draw(const struct pipeline_problem *problem, const struct pipeline_schedule *schedule, FILE *file);

/* --- the command (command.c) --- */

/* All of it: 0, or 1 when something is wrong, with a message for the report. */
int pipeline_command(int argc, char **argv, FILE *out, const struct pipeline_report *report);

#endif
