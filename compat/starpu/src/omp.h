/* SPDX-License-Identifier: MIT */
/*
 * OpenMP's regions and tasks behind starpu_omp_*: a region is a team of threads, and explicit tasks wait in a queue of
 * the region until a thread of it comes to a barrier, a taskwait or the end of a group.
 *
 * Locking key: (r) the region's lock, (t) the thread's own, (c) constant.
 */
#ifndef XYLEM_STARPU_OMP_H
#define XYLEM_STARPU_OMP_H

#include "internal.h"

struct omp_group {
	struct omp_group *outer; /* (c) */
	unsigned left;           /* (r) tasks that have not ended */
};

struct omp_task {
	struct omp_task *parent;  /* (c) */
	struct omp_group *group;  /* (t) that new tasks join */
	struct omp_group *joined; /* (c) */
	unsigned children;        /* (r) that have not ended */
	unsigned references;      /* (r) itself and its children */
	unsigned waits;           /* (r) for tasks before it */
	struct omp_task **after;  /* (r) tasks that wait for it */
	unsigned nafter;
	struct omp_task *next;          /* (r) in the queue */
	struct omp_task *newer, *older; /* (r) all that have not ended */
	starpu_cpu_func_t function;     /* (c) and what follows */
	void *argument;
	bool frees, final, explicit_task;
	unsigned nbuffers;
	starpu_data_handle_t *handles;
	enum starpu_data_access_mode *modes;
};

/* A loop that threads of a team share; each thread comes to it once. */
struct omp_loop {
	struct omp_loop *next;
	unsigned long number;
	unsigned long long iterations, chunk, taken; /* taken: (r) */
	unsigned long long ordered;                  /* (r) the iteration whose turn it is */
	unsigned left;                               /* (r) threads that have not finished it */
	int schedule;
};

struct omp_region {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	struct omp_thread *master; /* (c) the thread that began the region, in the outer one */
	unsigned nthreads, level, active_level;
	unsigned arrived, barriers;                    /* (r) */
	unsigned pending;                              /* (r) tasks that have not ended */
	struct omp_task *ready, **ready_end, *unended; /* (r) */
	unsigned long singles;                         /* (r) */
	void *copied;                                  /* (r) data of the thread that ran a single */
	struct omp_loop *loops;                        /* (r) */
};

struct omp_thread {
	struct omp_region *region;
	unsigned number;
	struct omp_task *task;
	unsigned long singles, loops;
	bool executor; /* of the last single */
	struct omp_loop *loop;
	unsigned long long first, count, static_next, ordered;
	bool is_ordered;
};

/* This thread's place; the initial region's for threads that StarPU did not start. */
struct omp_thread *xs_omp_thread(void);
void xs_omp_region_init(struct omp_region *region, struct omp_thread *master, unsigned nthreads);
void xs_omp_region_fini(struct omp_region *region);
void xs_omp_bind(struct omp_thread *thread);
/* With the lock held: runs ready tasks until *count is 0. */
void xs_omp_help(struct omp_thread *thread, const unsigned *count);
/* With the lock held: runs one ready task; false if there is none. */
bool xs_omp_run_one(struct omp_thread *thread);
void xs_omp_task_unref(struct omp_task *task);
unsigned xs_omp_team_size(const struct omp_thread *thread, int wanted);
void xs_omp_schedule(int *schedule, unsigned long long *chunk);
int xs_omp_api_init(void);

#endif
