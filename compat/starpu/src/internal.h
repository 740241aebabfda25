/* SPDX-License-Identifier: MIT */
/*
 * Private parts of the StarPU interface: one runtime for the process, a job
 * behind each submitted task, a record behind each handle. Everything stands on
 * the public headers of Xylem.
 *
 * Locking key: (c) constant after set-up, (d) deps_lock, (a) atomic, (o) the
 * thread that submits or ends the task.
 */
#ifndef XYLEM_STARPU_INTERNAL_H
#define XYLEM_STARPU_INTERNAL_H

#define STARPU_USE_DEPRECATED_API /* the library fills in deprecated fields    \
                                     without warnings */
#include <starpu.h>

#include <stdbool.h>
#include <xylem.h>
#include <xylem/component.h>
#include <xylem/interface.h>
#include <xylem/tree.h>

/* --- the runtime --- */

struct xs_global {
	struct xy_runtime *rt;            /* (c) NULL before starpu_init */
	const struct xy_machine *machine; /* (c) */
	unsigned generation;              /* (c) counts starpu_init: what older ones cached is not
                          used */
	unsigned nworkers, nnodes;        /* (c) */
	char sched[64];                   /* (c) the policy that was asked for, "" for none */
	double start_s;                   /* (c) */
	bool silent;                      /* (c) STARPU_SILENT */
	bool copies_synchronous;          /* (c) asked for; a program may query it */
	_Atomic int profiling;            /* (a) starpu_profiling_status_set */
	_Atomic long nsubmitted;          /* (a) tasks that have not ended */
	_Atomic int first_error;          /* (a) of calls that can't return one; logged at shutdown */
	_Atomic unsigned pauses;          /* (a) depth of starpu_pause */
	_Atomic unsigned sequential;      /* (a) of handles registered from now on */
	_Atomic int min_priority, max_priority;
};
extern struct xs_global xs_global;

/* Logs a line to stderr, unless STARPU_SILENT. Returns error, and remembers it
 * for starpu_shutdown's log. */
__attribute__((format(printf, 2, 3))) int xs_fail(int error, const char *format, ...);
/* Logs a line and remembers nothing. */
__attribute__((format(printf, 1, 2))) void xs_note(const char *format, ...);

/* environment.c: the one place that reads STARPU_* variables. */
char *xs_getenv(const char *name);
/* Fills a configuration from the program's and the environment. 0, or -EINVAL
 * with a log line. The texts that it points to live in *texts, which the caller
 * frees. */
int xs_environment(struct xy_config *config, const struct starpu_conf *conf, char **texts);
/* The policy of Xylem's for a name of StarPU's, NULL for an unknown one. */
const char *xs_policy(const char *starpu_name);
/* The i-th name of StarPU's list, NULL past the last. */
const char *xs_policy_name(unsigned i);

/* --- threads --- */

/* What the thread is doing: which task's function or callback it is in, and on
 * which worker. */
struct xs_thread {
	struct starpu_task *task;
	struct xy_call *call; /* inside a function of a codelet */
	int worker;           /* -1 unless the thread is a worker's */
	unsigned generation;  /* for which worker holds */
};
extern _Thread_local struct xs_thread xs_thread;
int xs_worker(void);

/* --- tasks --- */

enum xs_job_state { XS_CREATED, XS_SUBMITTED, XS_ENDED };

/* What waits for the end of a job or a tag: a job, a tag, or a thread. */
struct xs_edge {
	struct xs_edge *next;
	struct xs_job *job; /* one of these three */
	struct xs_tag *tag;
	struct xs_waiter *waiter;
	bool ends; /* the end of job waits, not its start */
};

/* A task of Xylem's that is submitted when all explicit dependencies of a job
 * are fulfilled. */
struct xs_gate {
	struct xy_task *task;
	_Atomic unsigned users; /* (a) the submitter, and the last dependency */
};

struct xs_job {
	struct starpu_task *task;       /* (c) */
	struct xy_task *xy;             /* (o) kept to be waited for, or NULL */
	struct xs_gate *gate, *endgate; /* (d) until it opens */
	struct xs_edge *successors;     /* (d) */
	_Atomic bool has_successors;    /* (a) */
	_Atomic int state;              /* (a) enum xs_job_state */
	unsigned ndeps, ndone;          /* (d) explicit dependencies, and how many are fulfilled */
	unsigned nend;                  /* (d) dependencies of its end */
	struct xs_tag *tag;             /* (d) */
	unsigned long id;               /* (c) */
	_Atomic unsigned submissions;   /* (a) counts them */
	unsigned implementation;        /* (o) that runs */
	bool rebuffer;                  /* (o) some handle needs more than the buffers of Xylem's call
                  */
	bool embedded;                  /* (c) freed with the task */
};

/* The job of a task, made at the first call; NULL without memory. */
struct xs_job *xs_job(struct starpu_task *task);
int xs_submit(struct starpu_task *task, bool ordered);
void xs_task_free(struct starpu_task *task);

/* run.c */
int xs_run_cpu(struct xy_call *call);
int xs_run_cuda(struct xy_call *call);
int xs_run_opencl(struct xy_call *call);
int xs_run_hip(struct xy_call *call);
/* Blocks a worker while the program has paused the runtime. */
void xs_wait_resume(void);
void xs_pause_fini(void);

/* codelet.c: the codelet of Xylem's for one of StarPU's, on these architectures
 * (STARPU_CPU | ...; -1: its own). NULL with *error 0: the task does nothing.
 */
const struct xy_codelet *xs_codelet(struct starpu_codelet *cl, int32_t where, int *error);
unsigned xs_archs(uint32_t where); /* XY_ON_* */

/* deps.c */
void xs_deps_submitted(struct xs_job *job, bool again, struct xs_gate **gate);
void xs_deps_ended(struct xs_job *job, bool regenerate);
void xs_deps_forget(struct xs_job *job);
void xs_tags_fini(void);
void xs_gate_drop(struct xs_gate *gate);
struct xs_gate *xs_gate_create(void);
void xs_gate_open(struct xs_gate *gate);
extern pthread_mutex_t xs_deps_lock;

/* perf.c: the model of Xylem's for one of StarPU's; NULL: none. */
const struct xy_model *xs_model(struct starpu_perfmodel *model);
void xs_models_fini(void);

/* --- data --- */

struct xs_shape; /* a predefined interface */
struct xs_plan;
struct xs_reduction;

struct _starpu_data_state {
	struct xy_handle *xy; /* (c) */
	struct starpu_data_interface_ops *ops;
	const struct xs_shape *shape; /* (c) NULL: an interface of the program's own */
	void *view;                   /* such an interface's struct */
	bool allocated, owns;         /* (o) its memory is there, and is ours to free */
	bool foreign;                 /* made by <xylem.h> */
	bool slow;                    /* codelets get another struct than that of the call */
	int home_node;
	_Atomic unsigned sequential; /* (a) */
	unsigned ooc;
	void *user_data, *sched_data;
	int *coordinates;
	unsigned ncoordinates;
	pthread_rwlock_t lock;                         /* excludes accesses without order from each other */
	struct _starpu_data_state *parent, **children; /* of a partition or plan */
	unsigned nchildren, index;
	struct xs_plan *plan;  /* that it is a child of */
	struct xs_plan *plans; /* of its own */
	struct xs_reduction *reduction;
	struct _starpu_data_state *next, *previous; /* all handles, for starpu_data_lookup and the end */
};

enum xy_mode xs_mode(enum starpu_data_access_mode mode);
/* Prepares an access that is submitted now. 0 or -EINVAL, -EBUSY with a log
 * line. */
int xs_access(struct _starpu_data_state *h, enum starpu_data_access_mode mode, enum xy_mode *xy_mode);
struct _starpu_data_state *xs_handle_wrap(struct xy_handle *xy, struct starpu_data_interface_ops *ops, int home_node);
void xs_handle_free(struct _starpu_data_state *h);
void xs_handles_fini(void);
/* partition.c */
int xs_plans_prepare(struct _starpu_data_state *h, enum starpu_data_access_mode mode);
void xs_plans_free(struct _starpu_data_state *h);
void xs_unpartition(struct _starpu_data_state *h);
/* worker.c */
void xs_topology_fini(void);
/* context.c */
void xs_contexts_start(void);
/* The workers of a task's context; false: all of them. */
bool xs_context_workers(unsigned id, const unsigned **workers, unsigned *n);
/* opaque.c: handles of the program's own interfaces */
int xs_opaque_allocate(struct _starpu_data_state *h);
void *xs_opaque_scratch(struct _starpu_data_state *h);
void xs_opaque_scratch_free(struct _starpu_data_state *h, void *view);
void xs_opaque_register(starpu_data_handle_t *handle, int home_node, void *data_interface,
			struct starpu_data_interface_ops *ops);
void xs_opaque_fini(struct _starpu_data_state *h);
int xs_opaque_copy(void *dst, void *src, const struct starpu_data_interface_ops *ops);
/* shapes.c */
const struct xs_shape *xs_shape_of(const struct starpu_data_interface_ops *ops);
const struct xy_interface *xs_shape_interface(const struct xs_shape *shape);
struct starpu_data_interface_ops *xs_shape_ops(const struct xs_shape *shape);
/* The address behind a struct of a shape, NULL if it has none. */
void *xs_shape_pointer(const struct xs_shape *shape, const void *view);
/* A struct of a shape from one of <xylem.h>'s, in *room. */
void *xs_shape_convert(const struct xy_interface *from, const void *view, void *room);
#define XS_VIEW_ROOM 256

void xs_reduction_free(struct _starpu_data_state *h);

#endif
