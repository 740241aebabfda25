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

#include <sched.h>
#include <stdbool.h>
#include <xylem.h>
#include <xylem/component.h>
#include <xylem/interface.h>
#include <xylem/tree.h>

#pragma GCC visibility push(hidden)

/* --- the runtime --- */

struct xs_global {
	struct xy_runtime *rt;                    /* (c) NULL before starpu_init */
	const struct xy_machine *machine;         /* (c) */
	unsigned generation;                      /* (c) counts starpu_init: what older ones cached is not
                          used */
	unsigned nworkers, nnodes;                /* (c) */
	char sched[64];                           /* (c) the policy that was asked for, "" for none */
	const struct starpu_sched_policy *policy; /* (c) of the program's own, or NULL */
	double start_s;                           /* (c) */
	bool silent;                              /* (c) STARPU_SILENT */
	bool worker_stats, bus_stats;             /* (c) printed at the end */
	bool copies_synchronous;                  /* (c) asked for; a program may query it */
	_Atomic int profiling;                    /* (a) starpu_profiling_status_set */
	_Atomic long nsubmitted;                  /* (a) tasks that have not ended */
	_Atomic int first_error;                  /* (a) of calls that can't return one; logged at shutdown */
	_Atomic unsigned pauses;                  /* (a) depth of starpu_pause */
	_Atomic unsigned sequential;              /* (a) of handles registered from now on */
	_Atomic int min_priority, max_priority;
	_Atomic int most_submitted, least_submitted; /* (a) submission waits at most for least; 0: never */
};
extern struct xs_global xs_global;

/* Logs a line to stderr, unless STARPU_SILENT. Returns error, and remembers it
 * for starpu_shutdown's log. */
__attribute__((format(printf, 2, 3))) int xs_fail(int error, const char *format, ...);
/* Logs a line and remembers nothing. */
__attribute__((format(printf, 1, 2))) void xs_note(const char *format, ...);

/* environment.c: the one place that reads STARPU_* variables. */
char *xs_getenv(const char *name);
/* The number in a variable, or the value given. */
double xs_setting(const char *name, double value);
/* Where the models are, and of which host. */
const char *xs_models_folder(void);
const char *xs_models_host(void);
/* Fills a configuration from the program's and the environment. 0, or -EINVAL
 * with a log line. The texts that it points to live in *texts, which the caller
 * frees. */
int xs_environment(struct xy_config *config, const struct starpu_conf *conf, char **texts);
/* The policy of Xylem's for a name of StarPU's, NULL for an unknown one. */
const char *xs_policy(const char *starpu_name);
/* 0 for the name or expression of a policy; -EINVAL with a log line. */
int xs_policy_check(const char *name);
/* The policy of a shared object, NULL if it has none of that name. */
const struct starpu_sched_policy *xs_policy_of_library(const char *file, const char *name);
/* The expression of a policy of Xylem's with StarPU's settings in it, in *room; or the name, without such settings. */
const char *xs_policy_text(const char *name, char *room, size_t size);
/* A whole number from a variable; otherwise the value is left alone. 0, or -EINVAL with a log line. */
int xs_number(const char *name, int *value);
/* Cores that the process may use. */
int xs_cores(void);
/* resources.c: the devices of an architecture: none, the first n as far as they are there, or all. */
void xs_devices(struct xy_config *config, enum xy_arch arch, int n, char *room, size_t size);
/* Devices by number, of which StarPU separates the numbers by spaces. */
void xs_devices_chosen(struct xy_device_config *config, const char *name, int n, char *room, size_t size);
/* Which OpenCL devices count as such: CPUs only if a variable says so. */
int xs_devices_of_opencl(struct xy_config *config);
/* Until the workers are there, this thread may use only the processors of STARPU_WORKERS_CPUID or workers_bindid:
 * workers find theirs among them. 1: the mask before is to be set again; 0: there are none such; -EINVAL. */
int xs_processors_narrow(const struct starpu_conf *conf, cpu_set_t *before);
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
	int error;            /* that the function reported: its task fails */
};
/* Without a call to find it: programs are linked with the library. */
#define XS_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
extern XS_THREAD_LOCAL struct xs_thread xs_thread;
int xs_worker(void);

/* --- tasks --- */

enum xs_job_state { XS_CREATED, XS_SUBMITTED, XS_ENDED };

/* What waits for the end of a job or a tag: a job, a tag, or a thread. */
struct xs_edge {
	struct xs_edge *next;
	struct xs_job *job; /* one of these three */
	struct xs_tag *tag;
	struct xs_waiter *waiter;
	bool ends;  /* the end of job waits, not its start */
	bool fired; /* since the start number fired_for of what it leads to */
	unsigned fired_for;
	struct xs_edge *in_next, *in_previous; /* of what it leads to */
};

/* What starts once its dependencies are fulfilled: all (d). */
struct xs_sink {
	struct xs_edge *in;
	unsigned ndeps, ndone; /* dependencies, and how often some were fulfilled since the last start */
	unsigned once;         /* fulfilled ones whose edge is gone */
	unsigned starts;
};

/* In the order in which they were declared. */
struct xs_edges {
	struct xs_edge *first, *last; /* last is valid unless first is NULL */
};

struct xs_tag {
	struct xs_tag *next;        /* (d) in its bucket */
	starpu_tag_t id;            /* (c) */
	struct xs_job *job;         /* (d) that was submitted with it last, until it is freed */
	struct xs_edges successors; /* (d) */
	struct xs_sink sink;        /* (d) */
	bool done;                  /* (d) */
};

/* tag_table.c, with xs_deps_lock held. A tag is made at the first call; NULL without memory, logged for a tag. */
struct xs_edge *xs_edge_create(void);
void xs_edge_free(struct xs_edge *edge);
struct xs_tag *xs_tag_find(starpu_tag_t id); /* NULL: there is none */
struct xs_tag *xs_tag_get(starpu_tag_t id);
void xs_tag_free(struct xs_tag *tag);
/* Calls end, which frees the tag, for each. */
void xs_tag_table_fini(void (*end)(struct xs_tag *tag));

/* A task of Xylem's that is submitted when all explicit dependencies of a job
 * are fulfilled. */
struct xs_gate {
	struct xy_task *task;
	_Atomic unsigned users; /* (a) the submitter, and the last dependency */
	struct xs_gate *next;   /* among those that are not in use */
};

struct xs_job {
	struct starpu_task *task;       /* (c) */
	struct xy_task *xy;             /* (o) kept to be waited for, or NULL */
	struct xs_gate *gate, *endgate; /* (d) until it opens */
	struct xs_edges successors;     /* (d) */
	_Atomic bool has_successors;    /* (a) */
	_Atomic int state;              /* (a) enum xs_job_state */
	struct xs_sink sink;            /* (d) explicit dependencies */
	_Atomic bool has_deps;          /* (a) */
	_Atomic bool has_tag;           /* (a) has had one: starpu_tag_remove may take it away at any time */
	unsigned nend;                  /* (d) dependencies of its end */
	struct xs_tag *tag;             /* (d) */
	unsigned long id;               /* (c) */
	_Atomic unsigned submissions;   /* (a) counts them */
	unsigned implementation;        /* (o) that runs */
	struct xy_task *kept;           /* (o) the task of Xylem's, while a policy of the program's has it */
	void (*check)(void *);          /* (o) of a task that is tried again, else NULL */
	struct starpu_task *next_try;   /* (o) of such a task */
	struct xs_epoch *epoch;         /* (o) of a transaction, or NULL */
	struct xs_job *meta;            /* (c) the job of the task that this is a try of, else NULL */
	struct xs_job *copy_of;         /* (c) of a parallel task, for which a policy copied this one, or NULL */
	unsigned nmembers, ncopies;     /* (o) workers that run it together, and copies for them */
	_Atomic unsigned narrived;      /* (a) of them */
	bool succeeded;                 /* (o) no try is needed */
	bool rebuffer;                  /* (o) some handle needs more than the buffers of Xylem's call
                  */
	bool embedded;                  /* (c) freed with the task */
	_Atomic bool stays;             /* (a) the task is not freed at its end */
	bool known;                     /* (d) a task that ends later still knows it: it is not freed */
	bool skipped;                   /* (d) it waits for itself: its function is not called */
	unsigned visit;                 /* (d) of the search for cycles */
	struct xs_job *next_gated, *previous_gated; /* (d) all with a gate */
};

/* The job of a task, made at the first call; NULL without memory. */
struct xs_job *xs_job(struct starpu_task *task);
int xs_submit(struct starpu_task *task, bool ordered);
void xs_task_free(struct starpu_task *task);
void xs_tasks_fini(void);

/* recursive.c: whether other tasks were submitted in the place of a task that has the functions for it */
bool xs_recursive(struct starpu_task *task);

/* run.c */
int xs_run_cpu(struct xy_call *call);
int xs_run_cuda(struct xy_call *call);
int xs_run_opencl(struct xy_call *call);
int xs_run_hip(struct xy_call *call);
/* Blocks a worker while the program has paused the runtime. */
void xs_wait_while_paused(void);
static inline void xs_wait_resume(void)
{
	if (__builtin_expect(atomic_load_explicit(&xs_global.pauses, memory_order_relaxed), 0))
		xs_wait_while_paused();
}
void xs_pause_fini(void);

/* codelet.c: the codelet of Xylem's for one of StarPU's, on these architectures
 * (STARPU_CPU | ...; -1: its own). NULL with *error 0: the task does nothing.
 */
const struct xy_codelet *xs_codelet(struct starpu_codelet *cl, int32_t where, int *error);
unsigned xs_archs(uint32_t where); /* XY_ON_* */

/* deps.c */
void xs_deps_submitted(struct xs_job *job, bool again, struct xs_gate **gate);
void xs_deps_ended(struct xs_job *job);
void xs_deps_forget(struct xs_job *job);
/* How many submitted jobs wait for tags or for other tasks that the program named. */
unsigned xs_deps_gated(void);
/* With the lock held: the job waits behind its gate no more. */
void xs_deps_ungate(struct xs_job *job);
/* Tasks that wait for each other: one of each cycle is skipped. 0, or -EDEADLK with a log line. */
int xs_deps_cycles(void);
/* Skips what still waits for tags or tasks. */
void xs_deps_abandon(void);
void xs_tags_fini(void);
void xs_gate_drop(struct xs_gate *gate);
struct xs_gate *xs_gate_create(void); /* with the lock held */
void xs_gate_open(struct xs_gate *gate);
extern pthread_mutex_t xs_deps_lock;

/* profile.c: a task that was profiled ended on a worker */
void xs_profile(unsigned worker, const struct starpu_profiling_task_info *info);
/* perf.c: the model of Xylem's for one of StarPU's; NULL: none. */
const struct xy_model *xs_model(struct starpu_perfmodel *model, bool energy);
struct xy_task *xs_probe(struct starpu_task *task, bool *own);
void xs_models_fini(void);

/* --- data --- */

struct xs_shape; /* a predefined interface */
struct xs_plan;
struct xs_reduction;

struct _starpu_data_state {
	struct xy_handle *xy; /* (c) */
	struct starpu_data_interface_ops *ops;
	const struct xs_shape *shape;      /* (c) NULL: an interface of the program's own */
	char *views;                       /* such an interface's struct, for each memory node */
	bool allocated, owns;              /* (o) its memory is there, and is ours to free */
	bool foreign;                      /* made by <xylem.h> */
	_Atomic bool initialised;          /* (a) was written, or has the program's content */
	struct _starpu_data_state *copy;   /* that starpu_data_dup_ro made, until the next write */
	struct _starpu_data_state *copied; /* what it is a copy of */
	unsigned copies;                   /* how often starpu_data_dup_ro returned it */
	_Atomic int acquired;              /* (a) by the program */
	bool slow;                         /* codelets get another struct than that of the call */
	int home_node;
	void *object;                /* of a disk that is its home */
	size_t counted;              /* of main memory */
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
/* How many handles have memory on a node; the first of them, at most room. */
unsigned xs_handles_on(unsigned node, struct _starpu_data_state **on, unsigned room);
/* Releases what the program has acquired. Whether there was any. */
bool xs_handles_release(void);
void xs_handles_fini(void);
/* partition.c */
int xs_plans_prepare(struct _starpu_data_state *h, enum starpu_data_access_mode mode);
void xs_plans_free(struct _starpu_data_state *h);
void xs_unpartition(struct _starpu_data_state *h);
/* bound.c: records tasks while it is asked to */
extern _Atomic bool xs_bound_records;
void xs_bound_submitted(struct starpu_task *task);
void xs_bound_fini(void);
/* counters.c: performance counters, while a program collects them */
extern _Atomic bool xs_counts;
void xs_count_submitted(const struct starpu_task *task);
void xs_count_ran(unsigned worker, const struct starpu_task *task, double us);
void xs_counters_fini(void);
/* hooks.c, tree.c */
void xs_hooks_fini(void);
void xs_tree_fini(void);
/* worker.c */
void xs_topology_fini(void);
/* disk.c: nodes behind those of the machine */
unsigned xs_disks(void);
bool xs_disk_is(int node);
void xs_disk_load(struct _starpu_data_state *h, void *object);
void xs_disk_store(struct _starpu_data_state *h, bool acquired);
void xs_disks_fini(void);
/* driver.c */
void xs_drivers_start(void);
/* opencl.c: notes the context and queue of each device */
void xs_opencl_start(void);
/* retry.c */
int xs_retry_submit(struct xs_job *job);
int xs_retry_run(struct xs_job *job, int (*call)(void *arg, struct starpu_task *task), void *arg);
/* team.c: sets of workers that the program made */
bool xs_team_workers(unsigned id, const unsigned **workers, unsigned *n);
/* A policy copies a task that it has, for each worker that is to run it. */
void xs_team_copied(struct xs_job *job, struct xs_job *copy);
/* A worker takes its copy, which is freed: the job of the task for the last one, else NULL. */
struct xs_job *xs_team_join(struct xs_job *copy);
int xs_team_run(struct starpu_task *task, unsigned n, struct xy_call *call,
		int (*function)(void *arg, struct starpu_task *task, struct xy_call *call), void *arg);
void xs_teams_fini(void);
/* policy.c: policies that the program brings along */
extern _Atomic bool xs_hub_is; /* (a) */
/* Whether there is one. */
static inline bool xs_hub(void)
{
	return __builtin_expect(atomic_load_explicit(&xs_hub_is, memory_order_relaxed), 0);
}
/* The component that calls them, for the runtime's table. */
extern const struct xy_component_ops *const xs_policy_components[];
void xs_policy_configure(struct xy_config *config);
/* Puts the component into a runtime that started without it. Whether it is there. */
bool xs_policy_install(void);
void xs_policy_start(const struct starpu_sched_policy *policy);
void xs_policy_stop(void);
void xs_policy_fini(void);
void xs_policy_quiet(bool again);
void xs_policy_submitted(struct starpu_task *task);
void xs_policy_before(struct starpu_task *task);
void xs_policy_after(struct starpu_task *task);
void xs_policy_do_schedule(void);
/* The agent that carries the call of a policy; NULL outside of one. */
struct xy_agent *xs_policy_agent(const struct xy_component **self);
/* collection.c */
void xs_collection_fill(struct starpu_worker_collection *c, int *ids, unsigned n);
/* transaction.c */
struct xs_epoch;
/* The epoch that a task joins at its submission. */
struct xs_epoch *xs_transaction_join(struct starpu_task *task);
bool xs_transaction_runs(const struct xs_epoch *epoch);
/* context.c */
void xs_contexts_start(void);
/* The policy of the program's that a context has, or NULL. */
const struct starpu_sched_policy *xs_context_policy(unsigned id);
bool xs_context_is(unsigned id);
bool xs_context_has(unsigned id, int worker);
void xs_context_start_policy(unsigned id, const struct starpu_sched_policy *policy);
/* The name of the policy that a context was made with, NULL for the runtime's. */
const char *xs_context_policy_name(unsigned id);
/* Notes, and calls for heteroprio, the function that prepares the policy of a context. */
void xs_context_prepare(unsigned id, const char *policy, void (*init)(unsigned));
void xs_context_stop_policy(unsigned id);
unsigned xs_context_current(void);
/* The workers of a task's context; false: all of them. */
bool xs_context_workers(unsigned id, const unsigned **workers, unsigned *n);
/* The struct of a handle in RAM. */
void *xs_view(const struct _starpu_data_state *h);
void xs_initialise(struct _starpu_data_state *h);
void xs_reduction_inherit(struct _starpu_data_state *child, const struct _starpu_data_state *parent);
void xs_copy_forget(struct _starpu_data_state *h);
/* opaque.c: handles of the program's own interfaces */
void *xs_opaque_view(const struct _starpu_data_state *h, unsigned node);
int xs_opaque_child(struct _starpu_data_state *child, const struct _starpu_data_state *parent,
		    struct starpu_data_filter *f, unsigned i, unsigned n);
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
/* Whether a predefined struct holds one dense array. */
bool xs_view_is_dense(const void *view);
/* ndim.c: sizes that are kept */
uint32_t *xs_sizes(const uint32_t *values, size_t n);
unsigned xs_ndim_parts(const void *view, struct xy_part *parts);
void xs_ndim_compact(void *view);

/* reduction.c */
/* memory.c: the limit of main memory, 0 for none */
void xs_memory_limit(size_t bytes);
void xs_reduction_free(struct _starpu_data_state *h);
bool xs_reduction_combines(const struct _starpu_data_state *h);

#pragma GCC visibility pop

#endif
