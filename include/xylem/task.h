/* SPDX-License-Identifier: MIT */
/*
 * Runtimes, codelets and tasks. Unless stated otherwise, any thread may call a function, even inside codelets and
 * callbacks, and it returns 0 or -errno with one log line.
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

struct xy_context;
struct xy_group;
struct xy_runtime;
struct xy_task;
struct xy_tree;
struct xy_component_ops;

/* --- runtimes --- */

/* Values of struct xy_config. In every field, 0 or NULL is the default; "none" in a text, XY_NONE in a number and XY_NO
 * in a switch turn it off. */
#define XY_NONE (~0u) /* as 0 in the environment */
enum xy_switch { XY_DEFAULT, XY_YES, XY_NO };

/* Reports a task that has run, or was attempted. Times are those of xy_now. */
struct xy_report {
	const struct xy_task *task;
	unsigned worker, implementation;
	int status;            /* 0, or an error; with retries left it runs again */
	double begin_s;        /* its worker took it; then its data was fetched */
	double start_s, end_s; /* its implementation ran */
};

/* Reports a transfer between memory nodes that has ended. Times are those of xy_now. */
struct xy_transfer_report {
	const struct xy_handle *handle;
	unsigned from, to;        /* memory nodes */
	unsigned long long bytes; /* moved */
	int status;               /* 0, or the driver's error */
	double issued_s;          /* its driver got it */
	double start_s, end_s;    /* transfers of one device and direction run one after the other */
};

/*
 * Task observer. Called from any thread, on the hot path: it must be fast and may only query the task. NULL functions
 * are not called.
 */
struct xy_watch {
	void *arg;
	void (*submitted)(void *arg, const struct xy_task *task); /* before it can become ready */
	/* All that it waits for has ended; without a codelet, it has ended too. */
	void (*ready)(void *arg, const struct xy_task *task, double now_s);
	void (*ended)(void *arg, const struct xy_report *report);          /* before its successors run */
	void (*moved)(void *arg, const struct xy_transfer_report *report); /* before a task uses the copy */
};

/* Settings of a program for the devices of an architecture. */
struct xy_device_config {
	const char *devices; /* XYLEM_CUDA_DEVICES: which devices get workers */
	unsigned workers;    /* XYLEM_CUDA_WORKERS: for each device (default 1) */
	unsigned ahead;      /* XYLEM_CUDA_AHEAD: tasks whose data is fetched while another runs (default 2) */
	unsigned streams;    /* XYLEM_CUDA_STREAMS: of each worker, for short kernels (default 1) */
	const char *limit;   /* XYLEM_CUDA_LIMIT: bytes that data may use: "512M" on each device, "1G,512M" by device */
};

/* Settings of a program. An environment variable (see `xylem env`) overrides a field, unless ignore_environment is
 * set. */
struct xy_config {
	const char *sched; /* SCHED: a policy, an expression, or @file */
	/* In place of sched: builds the tree for the machine that was found, as an xy_policy's build does; see
	 * <xylem/tree.h>. A SCHED in the environment takes precedence. */
	int (*tree)(struct xy_tree *tree, void *tree_arg);
	void *tree_arg;
	const struct xy_component_ops *const *components; /* of the program itself; NULL-terminated, or NULL */
	const char *machine;                              /* XYLEM_MACHINE: see xy_machine_create */
	const char *machines;        /* XYLEM_MACHINES: folders of machine files, separated by ':' */
	unsigned ncpu;               /* XYLEM_NCPU: CPU workers (default one per core left by device workers) */
	enum xy_switch bind;         /* XYLEM_BIND: bind workers to cores (default yes) */
	enum xy_switch device_cores; /* XYLEM_DEVICE_CORES: device workers have cores of their own (default yes) */
	enum xy_switch help;         /* XYLEM_HELP: threads that wait run tasks for idle CPU workers (default no) */
	unsigned window;             /* XYLEM_WINDOW: tasks in flight before submission blocks */
	double watchdog_s;           /* XYLEM_WATCHDOG: seconds without progress before a dump (default never) */
	double guard_s;              /* XYLEM_GUARD: seconds before a policy that stalls is replaced (default never) */
	uint64_t seed;               /* XYLEM_SEED: of all random numbers */
	const char *plugins;         /* XYLEM_PLUGINS: shared objects, separated by ':' */

	enum xy_switch profile; /* XYLEM_PROFILE: measure the time inside codelets (default no) */
	enum xy_switch sigusr1; /* XYLEM_SIGUSR1: dump on SIGUSR1, where the program has no handler (default yes) */

	const char *drivers;     /* XYLEM_DRIVERS: folders with drivers of devices, separated by ':' */
	enum xy_switch prefetch; /* XYLEM_PREFETCH: fetch a task's data once its device is known (default yes) */
	enum xy_switch numa;     /* XYLEM_NUMA: each NUMA node is a memory node (default no) */
	struct xy_device_config arch[XY_NARCH]; /* by architecture: .arch[XY_CUDA].devices; CPUs have none */
	const char *limit_ram; /* XYLEM_LIMIT_RAM: RAM for data that the runtime allocates, such as "4G" */
	const char *disk;      /* XYLEM_DISK: where the rest goes: "/scratch:100G", several separated by ',' */

	const char *models;          /* XYLEM_MODELS: folder of performance models; "none": not stored */
	const char *host;            /* XYLEM_HOST: host of the models, NULL: this computer */
	enum xy_calibrate calibrate; /* XYLEM_CALIBRATE */
	unsigned calibrate_samples;  /* XYLEM_CALIBRATE_SAMPLES: measurements that a prediction needs (default 10) */

	const char *sim;              /* XYLEM_SIM: simulate on this machine, a name or a file: see doc/sim.md */
	double sim_noise;             /* XYLEM_SIM_NOISE: relative spread of durations, such as 0.1 */
	double sim_submit_us;         /* XYLEM_SIM_SUBMIT: duration of a simulated submission */
	double sim_overhead_us;       /* XYLEM_SIM_OVERHEAD: time of a worker per task, besides the task's duration */
	enum xy_switch sim_shared;    /* XYLEM_SIM_SHARED: all memory is one node, nothing is transferred */
	const char *batch_devices;    /* XYLEM_BATCH_DEVICES: "cpu,cuda:0"; this and those below: see doc/batch.md */
	const char *batch_sizes;      /* XYLEM_BATCH_SIZES: items of a piece, for all devices or for each */
	const char *batch_capacities; /* XYLEM_BATCH_CAPACITIES: items that a device may have at once */
	const char *batch_priorities; /* XYLEM_BATCH_PRIORITIES: the highest is served first */
	const char *batch_share;      /* XYLEM_BATCH_SHARE: processes of this host with this name share devices */
	enum xy_switch batch_strict;  /* XYLEM_BATCH_STRICT: more devices than ranks is an error (default no) */
	unsigned batch_rank;          /* XYLEM_BATCH_RANK: of this process on its host (default as mpirun says) */
	unsigned batch_ranks;         /* XYLEM_BATCH_RANKS: on this host (default as mpirun says); see <xylem/mpi.h> */
	const char *record;           /* XYLEM_RECORD: a file to which the run is written as a graph */
	const struct xy_watch *watch; /* task observer, until xy_stop returns; NULL: none */

	bool ignore_environment; /* models are then stored only if `models` is set */
	/* Receives each log line (no newline) instead of stderr. Called from any thread. */
	void (*log)(void *log_arg, const char *line);
	void *log_arg;
};

/* Starts a runtime. config may be NULL. On failure *rt is NULL. */
int xy_start(struct xy_runtime **rt, const struct xy_config *config);

/*
 * Waits for all tasks, ends the workers, frees everything and sets *rt to NULL. Returns what xy_wait would. Tasks that
 * can never run (they wait for one that was never submitted) are cancelled. Unregister all handles and release all
 * created tasks first; any left over are freed with a log line. -EDEADLK inside a codelet or callback. A NULL *rt is
 * allowed. A child process made by fork can't use the runtime: there, xy_stop and calls that submit or wait return
 * -ESHUTDOWN and change nothing. The child may start its own runtime.
 */
int xy_stop(struct xy_runtime **rt);

/*
 * Makes the machine that a runtime with this configuration would have: probes for drivers and devices, but keeps none
 * open. The caller destroys it. Returns what xy_start would, with a log line on failure.
 */
int xy_machine_of_config(struct xy_machine **machine, const struct xy_config *config);

/* Seconds on the runtime's clock: the computer's, or virtual time since the start of a simulation. */
double xy_now(const struct xy_runtime *rt);

/* Whether tasks are only simulated: no kernel runs; buffer contents are undefined. */
bool xy_is_simulated(const struct xy_runtime *rt);

/* Its machine, until it stops; NULL for NULL. */
const struct xy_machine *xy_runtime_machine(const struct xy_runtime *rt);

/* --- codelets --- */

#define XY_NIMPLEMENTATIONS 4 /* implementations per architecture */
#define XY_NHANDLES 8         /* handles whose modes a codelet declares; see .accesses for more */

/* The arguments of an implementation. */
struct xy_call {
	struct xy_runtime *runtime;
	struct xy_task *task;
	void *arg;               /* the task's argument */
	unsigned worker;         /* that runs it */
	unsigned implementation; /* which of the codelet's */
	unsigned nbuffers;
	void *const *buffers;  /* a struct xy_vector * and so on per access */
	unsigned rank, nranks; /* of a parallel task: the calling thread's number, and how many call */
	void *stream;          /* the cudaStream_t, cl_command_queue or hipStream_t to launch on */
	const void *services;  /* of the driver: see <xylem/cuda.h>, <xylem/opencl.h>, <xylem/hip.h> */
	double *device_us;     /* for drivers: where to store how long the device works on it; NULL: not needed */
};

/* Returns 0, or an error if the task failed. */
typedef int xy_function(struct xy_call *call);

/* How a CPU implementation uses several workers; on a single one it is called once, with nranks 1. */
enum xy_parallel {
	XY_SEQUENTIAL, /* one thread */
	XY_FORK_JOIN,  /* called once, may use nranks threads of its own (OpenMP, a threaded BLAS) */
	XY_SPMD,       /* called nranks times in parallel, with ranks from 0 */
	XY_NESTED      /* one thread on a CPU; the tasks it submits are its children: see xy_wait_children */
};

/* A kernel with one or more implementations; constant while tasks use it. */
struct xy_codelet {
	const char *name;
	enum xy_parallel parallel;
	unsigned most_ranks;                   /* of a parallel one; 0 = any number */
	unsigned where;                        /* XY_ON_*; 0 = every architecture it is implemented for */
	xy_function *cpu[XY_NIMPLEMENTATIONS]; /* filled from 0 */
	xy_function *cuda[XY_NIMPLEMENTATIONS];
	xy_function *opencl[XY_NIMPLEMENTATIONS];
	xy_function *hip[XY_NIMPLEMENTATIONS];
	/* Of the task's handles, in order: one each; ends at 0 if there are fewer. The compiler refuses more than
	 * XY_NHANDLES as excess elements: leave the modes out then, and submit tasks with .accesses or by xy_insert. */
	enum xy_mode modes[XY_NHANDLES];
	const struct xy_model *model;        /* of its duration; NULL: uses the task's length_us */
	const struct xy_model *energy_model; /* of its energy in joules */
	/*
	 * Optional: may this worker run this task with this implementation? Must be fast, and always give the same
	 * answer for the same arguments. Called with locks held: it must call nothing.
	 */
	bool (*can_execute)(const struct xy_task *task, unsigned worker, unsigned implementation);
	/*
	 * Its functions are called only after all that they depend on has ended, callbacks included. Otherwise a device
	 * worker may call one while tasks it depends on still run on the queue of the call. Set it for functions that
	 * use other queues, or what earlier tasks have left outside of handles.
	 */
	bool never_behind;
};

/*
 * Waits for all ranks of an SPMD call. 0; -ECANCELED if a rank has already returned; -EINVAL in any other call. Only
 * for the thread that was called with it.
 */
int xy_call_barrier(struct xy_call *call);

/* The memory node of the i-th buffer of a call: the worker's, except with XY_IN_RAM and XY_ANYWHERE. */
unsigned xy_call_node(const struct xy_call *call, unsigned i);

/* The i-th buffer of a call. Undefined if i >= nbuffers or the handle has another shape. */
static inline void *xy_pointer(const struct xy_call *call, unsigned i)
{
	return *(void **)call->buffers[i];
}
static inline const struct xy_variable *xy_variable_at(const struct xy_call *call, unsigned i)
{
	return (const struct xy_variable *)call->buffers[i];
}
static inline const struct xy_vector *xy_vector_at(const struct xy_call *call, unsigned i)
{
	return (const struct xy_vector *)call->buffers[i];
}
static inline const struct xy_matrix *xy_matrix_at(const struct xy_call *call, unsigned i)
{
	return (const struct xy_matrix *)call->buffers[i];
}
static inline const struct xy_block *xy_block_at(const struct xy_call *call, unsigned i)
{
	return (const struct xy_block *)call->buffers[i];
}
static inline const struct xy_tensor *xy_tensor_at(const struct xy_call *call, unsigned i)
{
	return (const struct xy_tensor *)call->buffers[i];
}
static inline const struct xy_ndim *xy_ndim_at(const struct xy_call *call, unsigned i)
{
	return (const struct xy_ndim *)call->buffers[i];
}
static inline const struct xy_csr *xy_csr_at(const struct xy_call *call, unsigned i)
{
	return (const struct xy_csr *)call->buffers[i];
}
static inline const struct xy_bcsr *xy_bcsr_at(const struct xy_call *call, unsigned i)
{
	return (const struct xy_bcsr *)call->buffers[i];
}
static inline const struct xy_coo *xy_coo_at(const struct xy_call *call, unsigned i)
{
	return (const struct xy_coo *)call->buffers[i];
}

/* --- tasks --- */

struct xy_access {
	struct xy_handle *handle;
	enum xy_mode mode;
};

/* A piece of a divisible task, for the hooks of its description. */
struct xy_piece {
	struct xy_range range;
	void *arg; /* that of the whole task; split may set another one for this piece */
	unsigned naccesses;
	struct xy_access accesses[XY_NHANDLES]; /* those of the whole task; split may set other handles */
};

/*
 * The items that a call is to work on: those of the piece, or of a divisible task that was not divided; { 0, 0 } for
 * any other task.
 */
struct xy_range xy_call_range(const struct xy_call *call);

#ifndef __cplusplus
/* Accesses of a description: .accesses = XY_ACCESSES({ a, XY_R }, { b, XY_RW }). C++ has xy_insert. */
#define XY_ACCESSES(...) ((const struct xy_access[]){ __VA_ARGS__, { NULL, (enum xy_mode)0 } })
#endif

/* The description of a task; copied, so it may live on the stack. Unset fields are zero. */
struct xy_task_desc {
	const struct xy_codelet *codelet;       /* NULL: does nothing, for dependencies only */
	struct xy_handle *handles[XY_NHANDLES]; /* up to the first NULL; the codelet declares their modes */
	const struct xy_access *accesses;       /* instead of handles: with modes, any number, up to { NULL, 0 } */
	void *arg;                              /* borrowed until the task ends ... */
	size_t arg_size;                        /* ... unless non-zero: that many bytes are copied */
	int priority;                           /* higher first, if the policy uses it */
	unsigned retries;                       /* how often a failing task runs again */
	const char *name;                       /* for messages, borrowed; NULL: the codelet's */
	/* Called once when the task has ended, before any waiting thread is woken. */
	void (*callback)(void *callback_arg, int status);
	void *callback_arg;
	struct xy_task *const *after; /* nafter tasks that must end before this one starts */
	const unsigned *workers;      /* only on these nworkers workers, which must exist; none: on any */
	unsigned nafter, nworkers;
	struct xy_group *group; /* to be waited for together: see <xylem/group.h> */
	uint64_t tag;           /* likewise, by number instead; 0: none */
	double length_us;       /* without a model: expected time on a CPU core; 0: unknown */
	unsigned choice;        /* from 1: the branch that `userchoice` takes, the layer for `pipeline`; 0: none */
	bool synchronous;       /* xy_submit returns when the task has ended */
	/* For components of one's own; those of the library don't look at these two. */
	void *sched_data;           /* borrowed until the task ends */
	double deadline_s;          /* time of xy_now by which the task should have ended; 0: none */
	struct xy_context *context; /* whose workers run it: see <xylem/context.h>; NULL: the main one */
	/*
	 * A divisible task: components may cut pieces off, each with a part of the items and the task's codelet,
	 * priority and retries. The task ends when all of them have. A piece that fails stops further cutting. It only
	 * reads handles, unless split replaces those that it writes by others.
	 */
	struct xy_range range; /* stop is 0: not divisible */
	/*
	 * Optional, for each piece before it can run: 0, or an error with which the task fails. Called with locks held:
	 * it may register data, nothing else. A task that is not divided has no piece.
	 */
	int (*split)(void *callback_arg, struct xy_piece *piece);
	/* Optional: a callback, in any thread, for each piece that has ended and whose split succeeded. */
	void (*joined)(void *callback_arg, const struct xy_piece *piece, int status);
};

/*
 * Submits a task without keeping a reference. It runs once its predecessors have ended: those in
 * desc->after, and for each handle the earlier tasks that conflict with its mode.
 * Blocks while too many tasks are in flight, except inside codelets and callbacks. Returns 0, or
 * -EINVAL (NULL or contradictory description), -ENODEV (no worker can run it), -ENOMEM, -ESHUTDOWN, and for a
 * synchronous task its status. On error nothing was submitted.
 */
int xy_submit(struct xy_runtime *rt, const struct xy_task_desc *desc);

/* Creates a task without submitting it; the caller owns the reference *task until xy_task_release. */
int xy_task_create(struct xy_runtime *rt, const struct xy_task_desc *desc, struct xy_task **task);

/*
 * Orders `task`, not submitted yet, after `before`, whatever the state of `before`.
 * -EBUSY if task is submitted, -ELOOP if this would make a cycle.
 */
int xy_task_after(struct xy_task *task, struct xy_task *before);

/*
 * Delays the end of `task` until `before` has ended: its successors and the threads that wait for it keep waiting.
 * `task` is not submitted yet, or the caller is its codelet (call->task). If `before` fails, `task` fails with its
 * status. -EBUSY if task is submitted, -ELOOP if `before` waits for it.
 */
int xy_task_end_after(struct xy_task *task, struct xy_task *before);

/*
 * In an XY_NESTED codelet: waits for its children: the tasks it submitted, with all that these end after. The worker
 * runs other tasks meanwhile. Returns 0 or the status of the first that failed since the last wait. Without a wait, the
 * task ends after its children and fails if one of them did. -EINVAL in any other codelet or thread; -EDEADLK in a
 * callback, or if a child waits for the task itself. In a simulation codelets are not called.
 */
int xy_wait_children(struct xy_call *call);

/* Submits a created task, or submits it again once it has ended (-EBUSY before that). */
int xy_task_submit(struct xy_task *task);

/*
 * Waits until the task has ended and returns its status: 0, the error its function returned, or
 * -ECANCELED. -EINVAL if it was not submitted, -EDEADLK inside a codelet or callback.
 */
int xy_task_wait(struct xy_task *task);
/* xy_task_wait with a timeout; -ETIMEDOUT. */
int xy_task_wait_for(struct xy_task *task, double seconds);

/*
 * Drops the reference; the task still runs. NULL is allowed. A task that was never submitted is freed; tasks ordered
 * after it are cancelled when they are submitted.
 */
void xy_task_release(struct xy_task *task);

/* The name of its description, or else of its codelet. */
const char *xy_task_name(const struct xy_task *task);
unsigned long long xy_task_number(const struct xy_task *task); /* in order of creation, from 1 */

/*
 * Waits until no task is left. Returns 0 or the status of the first task that failed since the last wait; xy_error
 * then describes it. -EDEADLK inside a codelet or callback.
 */
int xy_wait(struct xy_runtime *rt);
int xy_wait_for(struct xy_runtime *rt, double seconds);

/*
 * Calls a function once on each worker of these architectures (XY_ON_*; 0: all) and waits. It runs in the worker's
 * thread with its device current, like an implementation of a codelet. For per-worker set-up: handles of libraries, or
 * memory that codelets find by call->worker. Returns 0, the first error that a call returned, -ENODEV if a worker can't
 * be reached, -EDEADLK inside a codelet or callback. In a simulation nothing is called.
 */
int xy_on_each_worker(struct xy_runtime *rt, unsigned archs, xy_function *function, void *arg);

/*
 * Marks the start of an iteration of the program's main loop, for components with the hook `iteration`: tasks that the
 * calling thread submits from now on belong to it. The program chooses the number.
 */
int xy_iteration(struct xy_runtime *rt, uint64_t number);

/* One line about the error that the last xy_wait returned; "" if it returned 0. Valid until the next xy_wait. */
const char *xy_error(const struct xy_runtime *rt);

/*
 * Writes the tree, the queues, the waiting tasks and the workers' states to a file descriptor. Never blocks: a
 * component that does not answer within half a second gets a line that says who holds its lock, for how long and in
 * which verb, as far as is known.
 */
int xy_dump(struct xy_runtime *rt, int fd);

/* What a worker did since the start. */
struct xy_worker_stats {
	unsigned long long tasks; /* ended on it, successfully or not */
	unsigned long long sleeps;
	double busy_s; /* inside codelets; 0 without profiling */
};
int xy_worker_stats(const struct xy_runtime *rt, unsigned worker, struct xy_worker_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
