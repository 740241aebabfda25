/* SPDX-License-Identifier: MIT */
/*
 * Runtimes, codelets and tasks. Unless said otherwise a function may be called by any thread, also
 * inside codelets and callbacks, and returns 0 or -errno with one line in the log.
 */
#ifndef XYLEM_TASK_H
#define XYLEM_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xylem/data.h>
#include <xylem/machine.h>
#include <xylem/perf.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xy_runtime;
struct xy_task;

/* --- runtimes --- */

enum xy_bind { XY_BIND_DEFAULT, XY_BIND_YES, XY_BIND_NO };
enum xy_prefetch { XY_PREFETCH_DEFAULT, XY_PREFETCH_YES, XY_PREFETCH_NO };
#define XY_NCPU_NONE (~0u)      /* no CPU workers, devices only; as 0 in the environment */
#define XY_PIPELINE_NONE (-1)   /* fetch nothing ahead; as 0 in the environment */

/* What became of a task that was run, or tried. Times are those of xy_now. */
struct xy_report {
	const struct xy_task *task;
	unsigned worker, implementation;
	int status;               /* 0, or an error; with retries left it is run again */
	double begin_s;           /* its worker took it; then its data was brought */
	double start_s, end_s;    /* its implementation ran */
};

/* Is told about each task. Any thread calls it, in the middle of things: it must be quick and may only ask about the
 * task. Functions that are NULL are not called. */
struct xy_watch {
	void *arg;
	void (*submitted)(void *arg, const struct xy_task *task);     /* before it can become ready */
	void (*ready)(void *arg, const struct xy_task *task, double now_s);
	void (*ended)(void *arg, const struct xy_report *report);     /* before tasks that wait for it run */
};

/* What a program may choose; a field that is zero means the default. A variable of the environment
 * (see `xylem env`) wins over a field, unless ignore_environment is set. */
struct xy_config {
	const char *sched;        /* SCHED: a policy, an expression, or @file */
	const char *machine;      /* XYLEM_MACHINE: see xy_machine_create */
	const char *machines;     /* XYLEM_MACHINES: folders of machine files, separated by ':' */
	unsigned ncpu;            /* XYLEM_NCPU: CPU workers, 0 = one per allowed core */
	enum xy_bind bind;        /* XYLEM_BIND: bind workers to cores (default yes) */
	unsigned window;          /* XYLEM_WINDOW: tasks in flight before submission waits */
	double watchdog_s;        /* XYLEM_WATCHDOG: seconds without progress before a dump, 0 = never */
	uint64_t seed;            /* XYLEM_SEED: of everything random */
	const char *plugins;      /* XYLEM_PLUGINS: shared objects, separated by ':' */
	bool profile;             /* XYLEM_PROFILE: measure the time inside codelets */

	const char *drivers;      /* XYLEM_DRIVERS: folders with drivers of devices, separated by ':' */
	const char *cuda_devices;     /* XYLEM_CUDA_DEVICES: which devices get workers, "none" for none */
	const char *opencl_devices;   /* XYLEM_OPENCL_DEVICES */
	unsigned cuda_workers;    /* XYLEM_CUDA_WORKERS: for each device, 0 = 1 */
	int cuda_pipeline;        /* XYLEM_CUDA_PIPELINE: tasks whose data is fetched while another runs; */
	int opencl_pipeline;      /* XYLEM_OPENCL_PIPELINE    0 = the default, XY_PIPELINE_NONE = none */
	const char *limit_cuda;   /* XYLEM_LIMIT_CUDA: bytes that data may use on each device: "512M" for */
	const char *limit_opencl; /* XYLEM_LIMIT_OPENCL    all, "1G,512M" for each one; with K, M or G */
	enum xy_prefetch prefetch; /* XYLEM_PREFETCH: fetch what a task needs once its device is known */
	bool numa;                /* XYLEM_NUMA: have copies of data in each NUMA node, as in a device's memory */

	const char *models;       /* XYLEM_MODELS: folder of performance models; "none": they are not stored */
	const char *host;         /* XYLEM_HOST: whose models, NULL = this computer's */
	enum xy_calibrate calibrate;  /* XYLEM_CALIBRATE */
	unsigned calibrate_samples;   /* XYLEM_CALIBRATE_SAMPLES: measurements that a prediction needs, 0 = 10 */

	const char *sim;          /* XYLEM_SIM: simulate on this machine, a name or a file: see doc/sim.md */
	double sim_noise;         /* XYLEM_SIM_NOISE: relative spread of durations, such as 0.1 */
	double sim_submit_us;     /* XYLEM_SIM_SUBMIT: what a submission takes in the simulation */
	double sim_overhead_us;   /* XYLEM_SIM_OVERHEAD: what a worker needs for each task besides its duration */
	bool sim_shared;          /* XYLEM_SIM_SHARED: as if all memory were one, so that nothing has to be moved */
	const char *record;       /* XYLEM_RECORD: a file to write the run to as a graph; NULL: none */
	const struct xy_watch *watch;  /* is told about tasks until xy_stop returns; NULL: nobody */

	bool ignore_environment;  /* then models are stored only where `models` says */
	/* Receives each log line (no newline) instead of stderr. Any thread calls it. */
	void (*log)(void *log_arg, const char *line);
	void *log_arg;
};

/* Starts a runtime: workers, tree, everything. config may be NULL. On failure *rt is NULL. */
int xy_start(struct xy_runtime **rt, const struct xy_config *config);

/* Waits for all tasks, ends the workers, frees everything and sets *rt to NULL. Returns what xy_wait
 * would. Tasks that can never run (they wait for one that was never submitted) are cancelled. Handles
 * must have been unregistered and created tasks released before; what was not is freed with a log line.
 * -EDEADLK inside a codelet or callback. A NULL *rt is allowed. */
int xy_stop(struct xy_runtime **rt);

/* Makes the machine that a runtime with this configuration would have: looks for drivers and devices, but
 * keeps none open. The caller destroys it. Returns what xy_start would; a log line says why. */
int xy_machine_of_config(struct xy_machine **machine, const struct xy_config *config);

/* Seconds on the runtime's clock: that of the computer, or since the start of a simulation. */
double xy_now(const struct xy_runtime *rt);

/* Whether tasks are only simulated: then nothing computes, and data is never what it should be. */
bool xy_is_simulated(const struct xy_runtime *rt);

/* Its machine, until it stops; NULL for NULL. */
const struct xy_machine *xy_runtime_machine(const struct xy_runtime *rt);

/* --- codelets --- */

#define XY_NIMPLEMENTATIONS 4   /* implementations per architecture */
#define XY_NMODES 8             /* accesses that a codelet can declare the modes of */

/* What an implementation is called with. */
struct xy_call {
	struct xy_runtime *runtime;
	struct xy_task *task;
	void *arg;                /* the task's argument */
	unsigned worker;          /* who runs it */
	unsigned implementation;  /* which of the codelet's */
	unsigned nbuffers;
	void *const *buffers;     /* a struct xy_vector * and so on per access */
	unsigned rank, nranks;    /* of a parallel task: which of the threads that run it, and how many */
	void *stream;             /* CUDA: the cudaStream_t, OpenCL: the cl_command_queue to work on */
	const void *services;     /* of the driver: see <xylem/cuda.h>, <xylem/opencl.h> */
};

/* Returns 0, or an error which makes the task fail. */
typedef int xy_function(struct xy_call *call);

/* How a CPU implementation uses a parallel-worker; on a plain worker it is called once, with nranks 1. */
enum xy_parallel {
	XY_SEQUENTIAL,            /* one thread */
	XY_FORK_JOIN,             /* called once, may use nranks threads of its own (OpenMP, a threaded BLAS) */
	XY_SPMD                   /* called nranks times at once, with ranks from 0 */
};

/* A kernel in several implementations; constant while tasks use it. */
struct xy_codelet {
	const char *name;
	enum xy_parallel parallel;
	unsigned most_ranks;                           /* of a parallel one; 0 = any number */
	unsigned where;                                /* XY_ON_*; 0 = wherever it is implemented */
	xy_function *cpu[XY_NIMPLEMENTATIONS];         /* filled from 0 */
	xy_function *cuda[XY_NIMPLEMENTATIONS];
	xy_function *opencl[XY_NIMPLEMENTATIONS];
	enum xy_mode modes[XY_NMODES];                 /* of the task's handles, in order: as many */
	const struct xy_model *model;                  /* how long it takes; NULL: a task's length_us says it */
	const struct xy_model *energy_model;           /* how many joules it needs */
	/* Optional: may this worker run this task with this implementation? Must be quick, and give
	 * the same answer each time for the same arguments. Called with locks held: it calls nothing. */
	bool (*can_execute)(const struct xy_task *task, unsigned worker, unsigned implementation);
};

/* Waits until all ranks of an SPMD call have come here. 0; -ECANCELED when a rank has returned and won't
 * come; -EINVAL for another kind of call. Only for the thread that was called with it. */
int xy_call_barrier(struct xy_call *call);

/* The i-th buffer of a call. Undefined when i >= nbuffers or the handle is of another shape. */
static inline void *xy_pointer(const struct xy_call *call, unsigned i)
{
	return *(void **)call->buffers[i];
}
static inline const struct xy_variable *xy_variable(const struct xy_call *call, unsigned i)
{
	return (const struct xy_variable *)call->buffers[i];
}
static inline const struct xy_vector *xy_vector(const struct xy_call *call, unsigned i)
{
	return (const struct xy_vector *)call->buffers[i];
}
static inline const struct xy_matrix *xy_matrix(const struct xy_call *call, unsigned i)
{
	return (const struct xy_matrix *)call->buffers[i];
}
static inline const struct xy_block *xy_block(const struct xy_call *call, unsigned i)
{
	return (const struct xy_block *)call->buffers[i];
}
static inline const struct xy_tensor *xy_tensor(const struct xy_call *call, unsigned i)
{
	return (const struct xy_tensor *)call->buffers[i];
}
static inline const struct xy_ndim *xy_ndim(const struct xy_call *call, unsigned i)
{
	return (const struct xy_ndim *)call->buffers[i];
}
static inline const struct xy_csr *xy_csr(const struct xy_call *call, unsigned i)
{
	return (const struct xy_csr *)call->buffers[i];
}
static inline const struct xy_bcsr *xy_bcsr(const struct xy_call *call, unsigned i)
{
	return (const struct xy_bcsr *)call->buffers[i];
}
static inline const struct xy_coo *xy_coo(const struct xy_call *call, unsigned i)
{
	return (const struct xy_coo *)call->buffers[i];
}

/* --- tasks --- */

#define XY_NHANDLES 6           /* handles that fit in a description */

struct xy_access {
	struct xy_handle *handle;
	enum xy_mode mode;
};

/* Everything about a task; copied, so it may live on the stack. Unset fields are zero. */
struct xy_task_desc {
	const struct xy_codelet *codelet;        /* NULL: does nothing, for dependencies only */
	struct xy_handle *handles[XY_NHANDLES];  /* up to the first NULL; modes from the codelet */
	const struct xy_access *accesses;        /* instead of handles: any number, with modes */
	unsigned naccesses;
	void *arg;                               /* borrowed until the task ends ... */
	size_t arg_size;                         /* ... unless non-zero: that many bytes are copied */
	int priority;                            /* higher first, where the policy looks at it */
	unsigned retries;                        /* how often a failing task is run again */
	const char *name;                        /* for messages, borrowed; NULL: the codelet's */
	/* Called once when the task has ended, before anybody who waits for it is told. */
	void (*callback)(void *callback_arg, int status);
	void *callback_arg;
	struct xy_task *const *after;            /* tasks that must end before this one begins */
	unsigned nafter;
	const unsigned *workers;                 /* only on these workers; nworkers 0: on any */
	unsigned nworkers;
	unsigned choice;                         /* the branch that `userchoice` takes, from 0; the layer or stage
	                                          * for `pipeline`, from 1 */
	double length_us;                        /* without a model: expected time on a CPU core; 0: not known */
	bool synchronous;                        /* xy_submit returns when the task has ended */
};

/*
 * Submits a task that nobody will refer to again. It runs once its predecessors have ended: those in
 * desc->after, and for each handle the tasks submitted before that conflict with its mode.
 * Waits while too many tasks are in flight, except inside codelets and callbacks. Returns 0, or
 * -EINVAL (NULL or contradictory description), -ENODEV (no worker can run it), -ENOMEM, -ESHUTDOWN, and for a
 * synchronous task its status. On error nothing was submitted.
 */
int xy_submit(struct xy_runtime *rt, const struct xy_task_desc *desc);

/* Makes a task without submitting it; the caller owns the reference *task until xy_task_release. */
int xy_task_create(struct xy_runtime *rt, const struct xy_task_desc *desc, struct xy_task **task);

/* Makes `task`, not submitted yet, wait for `before`, in whatever state that one is.
 * -EBUSY when task is submitted, -ELOOP when it would wait for itself in the end. */
int xy_task_after(struct xy_task *task, struct xy_task *before);

/* Submits a created task, or submits it again once it has ended (-EBUSY before that). */
int xy_task_submit(struct xy_task *task);

/* Waits until the task has ended and returns its status: 0, what its function returned, or
 * -ECANCELED. -EINVAL when it was not submitted, -EDEADLK inside a codelet or callback. */
int xy_task_wait(struct xy_task *task);
/* The same with a limit; -ETIMEDOUT. */
int xy_task_wait_for(struct xy_task *task, double seconds);

/* Gives up the reference; the task still runs. NULL is allowed. A task that was never submitted is
 * freed; tasks that were to wait for it are cancelled when they are submitted. */
void xy_task_release(struct xy_task *task);

/* The name of its description, or else of its codelet. */
const char *xy_task_name(const struct xy_task *task);
unsigned long long xy_task_number(const struct xy_task *task); /* in order of creation, from 1 */

/* Waits until no task is left. Returns 0 or the status of the first task that failed since the last
 * wait; xy_error then tells about it. -EDEADLK inside a codelet or callback. */
int xy_wait(struct xy_runtime *rt);
int xy_wait_for(struct xy_runtime *rt, double seconds);

/* One line about the error that the last xy_wait returned, "" without one. Valid until the next. */
const char *xy_error(const struct xy_runtime *rt);

/* Writes the tree, the queues, the waiting tasks and the workers' states to a file descriptor. */
int xy_dump(struct xy_runtime *rt, int fd);

/* What a worker did since the start. */
struct xy_worker_stats {
	unsigned long long tasks;   /* ended on it, whether well or not */
	unsigned long long sleeps;
	double busy_s;              /* inside codelets; 0 unless profiling was asked for */
};
int xy_worker_stats(const struct xy_runtime *rt, unsigned worker, struct xy_worker_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
