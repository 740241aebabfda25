/* SPDX-License-Identifier: MIT */
/*
 * Recording a run as a task graph, in the text format of graphs (doc/graphs.md): what was submitted, on which data,
 * behind which tasks, and where and when it ran. Everything is kept in memory until the runtime stops.
 *
 * Locking key: (c) constant, (l) lock.
 */
#ifndef XYLEM_CORE_RUNTIME_RECORD_H
#define XYLEM_CORE_RUNTIME_RECORD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <xylem/task.h>

#define XY__RECORD_NONE UINT32_MAX

/* From a number to the first and the last thing that had it. */
struct xy__record_pair {
	uint64_t key;         /* 0: free */
	uint32_t first, last; /* XY__RECORD_NONE: none */
};

struct xy__record_map {
	struct xy__record_pair *pairs;
	uint32_t count, size; /* size: a power of two, or 0 */
};

struct xy__record_datum {
	char *name; /* or NULL */
	uint64_t bytes;
	uint32_t parent;     /* the whole it is a part of, or XY__RECORD_NONE */
	const void *plan;    /* which way of cutting the parent made it */
	bool cut;            /* it has the content of its parent */
	uint32_t first_part; /* of the parts that have its content, or XY__RECORD_NONE; the others by next_part */
	uint32_t next_part;
};

struct xy__record_access {
	uint32_t datum;
	unsigned mode;
};

struct xy__record_task {
	uint32_t kernel; /* or XY__RECORD_NONE */
	int32_t priority;
	char *name; /* or NULL */
	uint32_t first_access, naccesses;
	uint32_t order; /* in which tasks became ready, from 1; 0: it did not */
	int32_t worker; /* -1: it did not run */
	int status;
	float expected_us;
	double length_us, ready_s, start_s, end_s;
};

/* A task was told to wait for another one. */
struct xy__record_edge {
	uint64_t task, before; /* numbers of tasks */
	uint32_t before_index; /* or XY__RECORD_NONE: it was not submitted by then */
};

struct xy__record {
	struct xy_watch watch;        /* (c) the observer in place of ... */
	const struct xy_watch *other; /* (c) ... the application's, or NULL */
	double begun_s;               /* (c) */
	_Atomic int lock;
	bool failed;                            /* (l) there was not enough memory */
	uint32_t nready;                        /* (l) */
	struct xy__record_map handles, numbers; /* (l) to data, to tasks */
	/* (l) arrays */
	char **kernels;
	struct xy__record_datum *data;
	struct xy__record_task *tasks;
	struct xy__record_access *accesses;
	struct xy__record_edge *edges;
	uint32_t nkernels, ndata, ntasks, naccesses, nedges;
	uint32_t kernels_room, data_room, tasks_room, accesses_room, edges_room;
};

/* Starts recording if the settings say so; inserts itself before the observer. 0 or -ENOMEM. */
int xy__record_start(struct xy_runtime *rt);
/* Writes the file, with a line in the log if that fails. Nothing runs any more. */
void xy__record_stop(struct xy_runtime *rt);
void xy__record_free(struct xy_runtime *rt);

/* There is a new handle, perhaps where another one was. */
void xy__record_handle(struct xy_runtime *rt, const struct xy_handle *h);
/* A task, which is not submitted yet, is to wait for another one. */
void xy__record_after(struct xy_runtime *rt, const struct xy_task *task, const struct xy_task *before);

/* --- between record.c, record_data.c and record_write.c; the lock is held --- */

/* Makes room for one more item of an array. False without memory, which is noted. */
bool xy__record_room(struct xy__record *r, void *array, uint32_t count, uint32_t *room, size_t size);
/* NULL without memory. The key is not 0. */
struct xy__record_pair *xy__record_find(struct xy__record *r, struct xy__record_map *map, uint64_t key);
/* A task without anything; NULL without memory. */
struct xy__record_task *xy__record_add(struct xy__record *r);
/* An access of the task that was added last. */
void xy__record_access(struct xy__record *r, uint32_t datum, unsigned mode);

/* The number of a handle's data, which a task is about to use: tasks that cut and join it come before.
 * XY__RECORD_NONE without memory. */
uint32_t xy__record_use(struct xy__record *r, struct xy_handle *h);

/* 0 or -errno. */
int xy__record_write(struct xy__record *r, const struct xy_runtime *rt, const char *path);

#endif
