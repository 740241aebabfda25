/* SPDX-License-Identifier: MIT */
/*
 * Shared by the readers of graph files: the text with its name for messages, names that map to numbers, and the draft
 * that collects tasks and edges in any order before they become a graph.
 */
#ifndef XYLEM_GRAPH_READ_H
#define XYLEM_GRAPH_READ_H

#include "core/util/message.h"
#include "graph/graph.h"

/* --- a text --- */

struct graph_source {
	char *text; /* readers may write into it; a zero byte follows */
	size_t length;
	const char *name;           /* of the file */
	struct xy__message message; /* empty until something is wrong */
};

/* Says "NAME:LINE: ...", once; returns -EINVAL. */
__attribute__((format(printf, 3, 4))) int graph__refuse(struct graph_source *source, unsigned line, const char *format,
							...);
/* graph__refuse for an error without a line; returns it. */
int graph__refuse_whole(struct graph_source *source, int error);

/* --- names (names.c) --- */

struct graph__name {
	const char *text; /* NULL: free */
	uint32_t number;
};

/* Texts to numbers. Zero is empty; the texts are the caller's and must stay. */
struct graph__names {
	struct graph__name *slots;
	uint32_t count, room; /* room is a power of 2, or 0 */
};

/* Looks up the number of a text; false if it is unknown. */
bool graph__names_find(const struct graph__names *names, const char *text, uint32_t *number);
/* Adds a text that is not there. 0 or -ENOMEM. */
int graph__names_add(struct graph__names *names, const char *text, uint32_t number);
void graph__names_fini(struct graph__names *names);

/* --- drafts (draft.c) --- */

struct draft_task {
	uint32_t kernel;
	int32_t priority;
	double length_us;
	const char *name; /* borrowed */
	double *costs;    /* owned */
	struct graph_record record;
	bool recorded;
	unsigned line;
	uint32_t first_access, naccesses;
};

struct draft_edge {
	uint32_t from, to;
	uint64_t bytes;
	unsigned line;
};

/* Kernels and data go into the graph at once, tasks and edges when all is read. */
struct draft {
	struct graph *g;
	struct graph_source *source;
	struct draft_task *tasks;
	struct graph_access *accesses;
	struct draft_edge *edges;
	uint32_t ntasks, naccesses, nedges, tasks_room, accesses_room, edges_room;
	struct graph__names kernels; /* of the graph; their texts are the graph's */
};

/* Each gives 0 or -errno after a message. */

/* The kernel of that name, added if it is not there. */
int graph__draft_kernel(struct draft *draft, const char *name, double length_us, uint32_t *kernel);
/* A task without accesses; the pointer is valid until the next one is added. */
int graph__draft_task(struct draft *draft, struct draft_task **task);
/* An access of the task that was added last. */
int graph__draft_access(struct draft *draft, uint32_t data, enum xy_mode mode);
int graph__draft_edge(struct draft *draft, struct draft_edge edge);
/*
 * Moves everything into the graph. Bytes of an edge become a datum that one end writes and the other reads, unless
 * one of the two does nothing. Tasks keep their order as far as their edges let them; a cycle is an error.
 */
int graph__draft_finish(struct draft *draft);
void graph__draft_fini(struct draft *draft);

/* --- the formats --- */

int graph__read_own(struct graph *g, struct graph_source *source);
int graph__read_stg(struct graph *g, struct graph_source *source);
int graph__read_dot(struct graph *g, struct graph_source *source);
int graph__read_wfcommons(struct graph *g, struct graph_source *source);

#endif
