/* SPDX-License-Identifier: MIT */
/*
 * Task graphs as values: kernels, data and tasks in the order in which an application would submit them. They are
 * built, read from files, ranked, scheduled on paper and submitted to runtimes. A task stands behind those that it
 * waits for, so no graph has a cycle.
 */
#ifndef XYLEM_GRAPH_GRAPH_H
#define XYLEM_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <xylem/data.h>

struct xy_runtime;
struct xy_task;

#define GRAPH_NO_KERNEL UINT32_MAX          /* of a task that does nothing and takes no time */
#define GRAPH_TASKS_MAX 100000000u          /* tasks, data, and so on */
#define GRAPH_BYTES_MAX ((uint64_t)1 << 50) /* of a datum */
#define GRAPH_LENGTH_MAX_US 1e30            /* of a task or kernel */

struct graph_kernel {
	char *name;
	double length_us;  /* of its tasks on a worker of speed 1; 0: not known here */
	double nominal_us; /* instead, if the machine knows nothing of the kernel; 0: none. Not written to files */
};

struct graph_data {
	char *name; /* or NULL */
	uint64_t bytes;
};

struct graph_access {
	uint32_t data;
	enum xy_mode mode;
};

/* Measurements of a recorded task; times in microseconds from the start of the run. */
struct graph_record {
	int32_t worker; /* -1: nothing was recorded */
	double ready_us, start_us, end_us;
};

struct graph_task {
	uint32_t kernel; /* or GRAPH_NO_KERNEL */
	int32_t priority;
	double length_us;                 /* on a worker of speed 1; 0: as its kernel says */
	char *name;                       /* or NULL */
	double *costs;                    /* microseconds on each of the graph's processors, or NULL */
	struct graph_record *record;      /* or NULL */
	uint32_t first_access, naccesses; /* in graph.accesses */
	uint32_t first_before, nbefore;   /* in graph.before: explicit predecessors */
};

/* How tasks got their priorities. */
enum graph_priorities { GRAPH_PRIORITIES_APP, GRAPH_PRIORITIES_NONE, GRAPH_PRIORITIES_RANK };

/* Zero is an empty graph. Everything may be read; only the functions below write, but for priorities. */
struct graph {
	char *name; /* the text it was made from, or NULL */
	uint32_t nkernels, ndata, ntasks, naccesses, nbefore;
	uint32_t nprocessors; /* of the tasks' costs; 0: they have none */
	struct graph_kernel *kernels;
	struct graph_data *data;
	struct graph_task *tasks;
	struct graph_access *accesses;
	uint32_t *before;
	enum graph_priorities priorities; /* RANK: the caller is asked to call graph_rank */
	uint32_t kernels_room, data_room, tasks_room, accesses_room, before_room;
};

/* Frees what a graph holds and makes it empty. */
void graph_fini(struct graph *g);

/* --- building (graph.c) --- */

/* All give the index of what was added, or -EINVAL, -ENOMEM, -E2BIG; texts are copied. */

/* A kernel that exists by that name is not added again: returns its index. */
int graph_add_kernel(struct graph *g, const char *name, double length_us);
/* graph_add_kernel for a name known to be new, without a search. */
int graph__add_new_kernel(struct graph *g, const char *name, double length_us);
int graph_add_data(struct graph *g, const char *name, uint64_t bytes);

struct graph_task_desc {
	uint32_t kernel;
	int32_t priority;
	double length_us;
	const char *name;
	const struct graph_access *accesses;
	uint32_t naccesses;
	const uint32_t *before; /* tasks that were added before */
	uint32_t nbefore;
	const double *costs; /* one for each processor: needed if the graph has processors */
	const struct graph_record *record;
};
int graph_add_task(struct graph *g, const struct graph_task_desc *desc);

/* Declares that tasks have costs on this many processors; before the first task. 0 or -EINVAL. */
int graph_set_processors(struct graph *g, uint32_t nprocessors);
/* 0 or -ENOMEM. */
int graph_set_name(struct graph *g, const char *name);

/* Checks that the graph is consistent: indices, modes, numbers. 0, or -EINVAL with a sentence. */
int graph_check(const struct graph *g, char *error, size_t error_size);

/* Bytes of all data of a task: what models call its size. */
uint64_t graph_task_bytes(const struct graph *g, uint32_t task);
/* Its expected length on a worker of speed 1: its own, the mean of its costs, or its kernel's; 0: not known. */
double graph_task_length(const struct graph *g, uint32_t task);

/* --- edges (edges.c) --- */

/*
 * Dependencies, by data and explicit, each pair once. Task t has the predecessors before[before_at[t]] to
 * before[before_at[t + 1]], in rising order, and successors likewise.
 */
struct graph_edges {
	uint32_t ntasks;
	size_t nedges;
	size_t *before_at, *after_at;         /* ntasks + 1 */
	uint32_t *before, *after;             /* tasks */
	uint64_t *before_bytes, *after_bytes; /* bytes sent: 0 if only the order matters */
};

/* 0 or -ENOMEM; the graph is one that graph_check likes. */
int graph_edges_init(struct graph_edges *edges, const struct graph *g);
/* graph_edges_init where tasks that commute keep the order of submission, as a static schedule needs it. */
int graph_edges_init_ordered(struct graph_edges *edges, const struct graph *g);
void graph_edges_fini(struct graph_edges *edges);

/* --- ranks (rank.c) --- */

/* The bottom level of each task: the longest way from its beginning to the end of the graph, with these lengths. */
void graph_bottom_levels(const struct graph_edges *edges, const double *lengths, double *levels);

/* Sets priorities by bottom levels: 1,000,000,000 for the highest. lengths_us has one for each kernel; NULL: as
 * tasks and kernels say. With nothing known of any task, each counts 1. 0 or -ENOMEM. */
int graph_rank(struct graph *g, const double *lengths_us);

/* --- graphs by text (make.c) --- */

/*
 * Makes a graph: NAME[:SIZE][:OPTION=VALUE]..., such as "cholesky:16", "cholesky:16:tile=480", "stencil:16x200",
 * "random:layers=20:width=30:seed=7:priorities=none". 0; -ENOENT if there is no such name, -EINVAL, -E2BIG,
 * -ENOMEM, with a sentence. On failure the graph is empty.
 */
int graph_make(struct graph *g, const char *text, char *error, size_t error_size);
/* Name, form and a line about each; NULL after the last. */
const char *graph_make_help(unsigned i);

/* --- files (read*.c, write.c) --- */

/* Reads a graph from a file: our own format, STG, DOT or WfCommons JSON, found by its content. 0, -errno of the
 * file, -EINVAL, -E2BIG, -ENOMEM, with a sentence "FILE:LINE: ...". On failure the graph is empty. */
int graph_read(struct graph *g, const char *path, char *error, size_t error_size);
/* graph_read from memory; name is for messages. */
int graph_read_text(struct graph *g, const char *text, size_t length, const char *name, char *error, size_t error_size);
/* Opens a command-line argument: a graph by name if it exists, else a file. */
int graph_open(struct graph *g, const char *text, char *error, size_t error_size);

/*
 * Writes a graph in Xylem's own format, which reads back as the same graph; or in DOT, with its edges. 0, -ENOMEM, or
 * -EIO if the file has an error.
 */
int graph_write(const struct graph *g, FILE *file);
int graph_write_dot(const struct graph *g, FILE *file);
/* Writes WfCommons JSON, whose tasks, edges, data and lengths read back. 0, -ENOMEM or -EIO. */
int graph_write_wfcommons(const struct graph *g, FILE *file);

/* --- submitting (submit.c) --- */

/* Where and when a task is to run. Positions order the tasks of a worker. */
struct graph_place {
	uint32_t worker, position;
};

/* Encodes positions for the component in-order: this priority for the first, and one less for each further one. */
#define GRAPH_FIRST_POSITION (-1000000000)

struct graph_options {
	/* One for each task, or NULL: they are pinned to their workers, in an order that the policy tree-in-order
	 * keeps, and their own priorities don't count. Tasks that commute keep the order of submission: else one
	 * might hold the data while it waits for the turn of another. The runtime's window must be larger than the
	 * graph, as a task may wait for the turn of one that is submitted much later. */
	const struct graph_place *places;
};

struct graph_run;

/*
 * Submits all tasks to a runtime that simulates: their functions fail with -ENOSYS. The memory of data is address
 * space that must not be touched. The graph must stay as it is until graph_retract. The argument of each task is
 * its struct graph_task. Tasks with costs need at least as many processors as the runtime has workers (-EINVAL).
 * 0 or -errno; then *run is NULL and what was submitted has been waited for.
 */
int graph_submit(struct graph_run **run, const struct graph *g, struct xy_runtime *rt,
		 const struct graph_options *options);

/* The index of a submitted task in its graph; UINT32_MAX for any other task, such as one of a reduction. */
uint32_t graph_task_index(const struct graph *g, const struct xy_task *task);

/* The handle of a datum of the graph, until graph_retract. */
const struct xy_handle *graph_handle(const struct graph_run *run, uint32_t datum);

/* Waits for all tasks of the runtime and frees what graph_submit made, before the runtime stops; *run becomes NULL.
 * 0, or what xy_wait gave. With -ETIMEDOUT, when tasks are stuck in a simulation, nothing is freed. */
int graph_retract(struct graph_run **run);

#endif
