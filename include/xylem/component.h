/* SPDX-License-Identifier: MIT */
/*
 * For authors of components. A component is a place that tasks pass through or rest in. Four verbs
 * cross a link between two components, named after what the receiver may now do:
 *
 *   push      parent -> child   take this task          true: taken
 *   can_pull  parent -> child   I have work for these   true: a worker was woken
 *   pull      child -> parent   give me a task          a task, or NULL
 *   can_push  child -> parent   I have room             true: a task moved
 *
 * The rules, which the debug build and `xylem check --run` check (doc/components.md):
 * - One owner. A true push and a non-NULL pull move the task across the link; otherwise it stays where
 *   it was. Pass on a stored task with xy_queue_pass; it stays yours until the child has taken it.
 * - Locks nest downwards. You may hold your own lock during push and can_pull, never during pull and
 *   can_push. Guard your state with struct xy_lock.
 * - After storing a task, call can_pull; after making room, call can_push. Don't repeat an offer after
 *   a pull: a worker that finds a task after searching offers what is left in the reservoirs above it,
 *   which it sees through ops->depth.
 * - Never give a task to a worker that can't run it (xy_task_can_run; xy_queue checks it for you).
 */
#ifndef XYLEM_COMPONENT_H
#define XYLEM_COMPONENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xylem/agent.h>
#include <xylem/atomic.h>
#include <xylem/lock.h>
#include <xylem/machine.h>
#include <xylem/perf.h>
#include <xylem/queue.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xy_component;
struct xy_report;
struct xy_task;
struct xy_tree;
struct xy_runtime;

/* Changes with the structs below; a plug-in built for another value is refused. */
#define XY_ABI 10u

/*
 * In architecture masks: a team of CPU workers, as another architecture. Tasks of a parallel codelet have it besides
 * XY_ON_CPU, if the tree has a parallel-worker.
 */
#define XY_ON_TEAM (1u << XY_NARCH)

/* --- options --- */

enum xy_option_type { XY_OPTION_BOOL, XY_OPTION_UNSIGNED, XY_OPTION_DOUBLE, XY_OPTION_TEXT };

#define XY_OPTION_TEXT_SIZE 512

/*
 * An option of a component: the text form, the C form and --help all derive from it. The field at `offset` in the
 * instance is a bool, an unsigned, a double, or for text a char[XY_OPTION_TEXT_SIZE], initially empty. Text is
 * ASCII without ", \ and `; an expression has it in double quotes if it has spaces or any of ()[]{}|,;=#'.
 */
struct xy_option {
	const char *name; /* NULL ends the table */
	const char *help;
	enum xy_option_type type;
	size_t offset;
	double initial, min, max; /* max may be INFINITY; an unsigned or double of INFINITY means no limit */
};

/* --- component types --- */

enum xy_component_flags {
	XY_STORES = 1,     /* a reservoir: stores tasks */
	XY_PUMPS = 2,      /* pushes its tasks down on can_push, and when a task arrives */
	XY_MAPS = 4,       /* may have several children; pushes only to those with takes_pushes, as the others pull,
			   * unless it decides */
	XY_DECIDES = 8,    /* chooses at push: a pull does not pass through, it becomes can_push upwards */
	XY_LEAF = 16,      /* a worker, or a team of workers: no children */
	XY_PREDICTS = 32,  /* asks when workers will be free, which makes the runtime track it */
	XY_AWAITS = 64,    /* waits for certain tasks: cancelled ones come too, and end when a worker takes them,
			   * without running */
	XY_REFUSES = 128,  /* push may refuse a task, whatever the options: in place of is_bounded */
	XY_CUTS = 256,     /* calls xy_task_cut */
	XY_ORDERS = 512,   /* gives the most urgent of its tasks first: nothing that is ready stays outside of the tree
			   * while a worker pulls */
	XY_CHOOSES = 1024, /* `passed` is only for tasks whose codelet has several implementations for some
			    * architecture */
	XY_SHARES = 2048,  /* does not mind which worker runs a task, as long as none that would be faster waits: a
			    * device with nothing else to do may go on with what depends on its own tasks */
};

/* The workers that may take an offered task. */
struct xy_offer {
	unsigned archs;             /* workers of these architectures ... */
	const struct xy_task *task; /* ... and if not NULL, only those that can run this task. The caller holds the
				     * task during the call. */
};

struct xy_component_ops {
	const char *name;
	const char *summary; /* one line */
	const char *manual;  /* a page of plain text for `xylem components NAME` */
	unsigned flags;
	size_t size;                     /* of the instance, which begins with struct xy_component; at most 16 MiB */
	const struct xy_option *options; /* NULL: none */
	const char *const *labels;       /* labels of its branches, NULL-terminated; NULL: none */

	/*
	 * Called by seal once the shape is final and options are set, and at destruction. Both optional. init returns
	 * 0 or -errno; fini is called exactly if init succeeded.
	 */
	int (*init)(struct xy_component *self);
	void (*fini)(struct xy_component *self);

	/*
	 * The verbs. A NULL verb is the default:
	 *   push      offer the task to each child in order until one takes it
	 *   pull      ask each parent in order until one gives a task
	 *   can_push  notify each parent in order until one moves a task
	 *   can_pull  notify each child in order until one wakes a worker
	 */
	bool (*push)(struct xy_component *self, struct xy_task *task, struct xy_agent *by);
	struct xy_task *(*pull)(struct xy_component *self, struct xy_agent *by);
	bool (*can_push)(struct xy_component *self, struct xy_component *child, struct xy_agent *by);
	bool (*can_pull)(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by);

	/*
	 * Optional shortcuts: a component works without them, only slower.
	 *   push_many  push for several tasks in order; returns how many of the first it took
	 *   passed     with a NULL pull: observes each task that a pull brings through
	 */
	size_t (*push_many)(struct xy_component *self, struct xy_task *const *tasks, size_t n, struct xy_agent *by);
	void (*passed)(struct xy_component *self, struct xy_task *task, struct xy_agent *by);

	/*
	 * With XY_CUTS: a piece that this component cut has ended, well or not, or leaves its place to run again. A
	 * call up: no lock is held. Call can_push afterwards if that made room. NULL: ignored.
	 */
	void (*piece_ended)(struct xy_component *self, const struct xy_task *piece, struct xy_agent *by);

	/* Whether this instance lets pulls pass as if `pull` were NULL. Seal asks, before init. NULL: it does not. */
	bool (*passes_pulls)(const struct xy_component *self);
	/* Whether push can refuse a task with the current options. NULL: with XY_REFUSES, or if a child does. */
	bool (*is_bounded)(const struct xy_component *self);
	/* The number of stored tasks, and its peak. Required with XY_STORES. Any thread; no component lock is held. */
	size_t (*depth)(struct xy_component *self, size_t *peak);
	/*
	 * Expected time of the tasks stored here, not below, on one worker, in microseconds. NULL: 0. Any thread,
	 * without a lock, even while other locks are held.
	 */
	double (*stored_us)(struct xy_component *self);
	/* Calls visit for each stored task, in the order in which they would leave. NULL: none. */
	void (*each_task)(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task), void *arg);
	/*
	 * Called on a component of a new tree that replaces a running one, with the component of its type and workers
	 * in the old tree: takes over what that one has learnt, such as positions or averages, but no tasks; the
	 * runtime pushes these again. No other function runs meanwhile. NULL: starts afresh.
	 */
	void (*inherit)(struct xy_component *self, struct xy_component *old);
	/* each_task for one task of each set of architectures, and for each constrained task. NULL: each_task. */
	void (*each_distinct)(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task),
			      void *arg);

	/*
	 * Hooks, all optional. Seal notes which components have which; a tree without them pays nothing. Each is called
	 * without a lock, so it may take its own and make any call, up or down; it must not block. Calls from several
	 * threads may overlap, except those of tick, iteration and workers_changed. `by` is the calling agent.
	 *   tick       the time of xy_component_at has come
	 *   started    the worker of `by`, which is below, has taken a task, and will fetch its data and run it
	 *   ended      a task that went down is over: it ran on report->worker (end_s - start_s says how long), or
	 *              won't (-ECANCELED). A status other than 0 with retries left, and -EAGAIN (no worker ran it: a
	 *              device is lost, or a component below gave it back), mean that it returns to the root. Called
	 *              before its successors become ready. struct xy_report is in <xylem/task.h>
	 *   submitted  a task with a codelet was submitted, and can't become ready before the call returns
	 *   iteration  the program called xy_iteration
	 *   workers_changed  a worker has arrived (present) and may pull at once, or has left and takes no more tasks.
	 *              If the change replaces the tree, the hooks of the new tree are called
	 * started and ended report every task of the workers below, also one that reached them through another branch.
	 */
	void (*tick)(struct xy_component *self, struct xy_agent *by);
	void (*started)(struct xy_component *self, const struct xy_task *task, struct xy_agent *by);
	void (*ended)(struct xy_component *self, const struct xy_report *report, struct xy_agent *by);
	void (*submitted)(struct xy_component *self, const struct xy_task *task, struct xy_agent *by);
	void (*iteration)(struct xy_component *self, uint64_t number, struct xy_agent *by);
	void (*workers_changed)(struct xy_component *self, unsigned worker, bool present, struct xy_agent *by);
};

/* --- an instance --- */

/* Counters of one agent for one component. */
struct xy_shard {
	XY_ATOMIC(uint64_t) pushed, pulled, refused, woken;
	char pad[32];
};

/* Base of every component; embed it first. All (c): constant after seal. */
struct xy_component {
	const struct xy_component_ops *ops;
	const struct xy_component_ops *verbs; /* what the dispatchers call: ops, or functions that check around them */
	struct xy_tree *tree;
	unsigned id;    /* in order of xy_tree_add */
	unsigned level; /* longest path from the root */
	unsigned nparents, nchildren;
	struct xy_component **parents, **children;
	unsigned archs; /* architectures of the workers below; XY_ON_TEAM if there is a team */
	/* Workers whose own leaf is below, in rising order; with teams alone (archs is XY_ON_TEAM), their members. */
	unsigned nworkers;
	unsigned *workers;
	unsigned nteams; /* the parallel-workers below */
	struct xy_component **teams;
	unsigned nmembers; /* of a parallel-worker: its workers, in rising order */
	const unsigned *members;
	bool takes_pushes; /* accepts pushes: a reservoir, decision or team is below */
	bool predicted;    /* a component above predicts: tasks arrive with their expected duration */
	const char *label; /* of the branch that it starts, or NULL */
	/*
	 * Where its pulls end: the nearest component at or above it that answers pulls or does not have exactly one
	 * parent; and the nearest from it to there with `passed`, or NULL.
	 */
	struct xy_component *source, *looker;
	bool looks_at_all;       /* a component with `passed` on that way lacks XY_CHOOSES */
	struct xy_shard *shards; /* (a) */
	/* (a) for the dump: the lock that a thread last slept for, and when it began to; NULL: none did */
	XY_ATOMIC(struct xy_lock *) awaited;
	XY_ATOMIC(double) awaited_s;
	double tick_us;      /* guarded by the library: when to call tick, ... */
	unsigned tick_place; /* ... and where it stands in line, from 1; 0: not at all */
};

/* The instance as its type, or NULL if it is of another type. */
static inline void *xy_component_as(struct xy_component *c, const struct xy_component_ops *ops)
{
	return c && c->ops == ops ? c : NULL;
}

/* The child that leads to a worker (the first of several), -1 without one. */
int xy_component_child_of(const struct xy_component *c, unsigned worker);

/* The machine of its tree. */
const struct xy_machine *xy_component_machine(const struct xy_component *c);

/* The engine's clock in microseconds; 0 without an engine. */
double xy_component_now_us(const struct xy_component *c);
/* When a worker is expected to finish what it has started; not before now. For components with XY_PREDICTS. */
double xy_component_free_us(const struct xy_component *c, unsigned worker);

/*
 * Requests one call of tick, at this time of xy_component_now_us or soon after, at least a microsecond from now. Of
 * several requests the earliest counts. Until it is due, tasks stored here do not count as stuck. Any thread, in any
 * verb or hook, with locks held; in init, the request is due when the runtime starts. INFINITY requests nothing.
 */
void xy_component_at(struct xy_component *self, double when_us);

/* --- the dispatchers: the only way to call a verb --- */

/* Each calls the component's verb or its default, checks the rules, and counts. Results are as described at the top. */
bool xy_push(struct xy_component *to, struct xy_task *task, struct xy_agent *by);
/* Pushes tasks in order until one is refused; returns how many were taken. */
size_t xy_push_many(struct xy_component *to, struct xy_task *const *tasks, size_t n, struct xy_agent *by);
struct xy_task *xy_pull(struct xy_component *from, struct xy_agent *by);
bool xy_can_push(struct xy_component *parent, struct xy_component *child, struct xy_agent *by);
bool xy_can_pull(struct xy_component *child, const struct xy_offer *offer, struct xy_agent *by);

/* The default verbs, for components that need them explicitly. */
struct xy_task *xy_pull_parents(struct xy_component *self, struct xy_agent *by);
bool xy_can_push_parents(struct xy_component *self, struct xy_agent *by);
bool xy_can_pull_children(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by);
/* The pull of a component that decides: asks those above to push, and gives nothing. */
struct xy_task *xy_pull_by_push(struct xy_component *self, struct xy_agent *by);

/*
 * For a component that refused tasks or workers and would accept them now: the components above, up to the next one
 * that decides, push to it and offer what they store. An upward call: hold no lock. Can be called in tick.
 */
void xy_offer_again(struct xy_component *self, struct xy_agent *by);

/*
 * Returns a task you own to the root when an earlier decision no longer holds: it has been measured, its model is
 * gone, or no worker below can run it now. The decisions are then made anew; the task is never lost. An upward call:
 * hold no lock, and remove the task from your queue first.
 */
void xy_give_back(struct xy_component *self, struct xy_task *task, struct xy_agent *by);

/*
 * The offer of a task. The offer of a constrained task (pinned, or with a can_execute hook) contains the task, so it
 * must be made while the component holds it.
 */
struct xy_offer xy_offer_of(const struct xy_task *task);

/*
 * Whether one offer can represent all these tasks: none is constrained and their architectures are equal. Make it
 * twice, because the first may be kept by the offering worker.
 */
bool xy_offer_of_many(struct xy_task *const *tasks, size_t n, struct xy_offer *offer);

/* --- queries about a task --- */

int xy_task_priority(const struct xy_task *task);       /* higher is more urgent */
unsigned xy_task_choice(const struct xy_task *task);    /* of its description, for userchoice */
void *xy_task_sched_data(const struct xy_task *task);   /* of its description, NULL without one */
double xy_task_deadline_us(const struct xy_task *task); /* by xy_component_now_us; INFINITY without one */
unsigned xy_task_archs(const struct xy_task *task);     /* where it can run; XY_ON_TEAM */
bool xy_task_can_run(const struct xy_task *task, unsigned worker);
bool xy_task_can_run_below(const struct xy_task *task, const struct xy_component *c);
bool xy_task_can_run_with(const struct xy_task *task, unsigned worker, unsigned implementation);
struct xy_prediction xy_task_length(const struct xy_task *task, unsigned worker, unsigned implementation);
/* xy_task_length for its energy, in joules; none if the codelet has no energy model. */
struct xy_prediction xy_task_energy(const struct xy_task *task, unsigned worker, unsigned implementation);
/* Bytes that the task reads and that must be transferred to the worker's node. */
size_t xy_task_missing_bytes(const struct xy_task *task, unsigned worker);
/* The time of these transfers, each from the nearest copy, one after the other; a value of 0 if nothing is missing. */
struct xy_prediction xy_task_transfer(const struct xy_task *task, unsigned worker);
/*
 * Starts these transfers. For a queue whose workers all compute in one node, with any of them, before it stores the
 * task; the data need not have arrived when the task leaves. Does nothing without a running engine.
 */
void xy_task_prefetch(struct xy_task *task, unsigned worker, const struct xy_component *self, struct xy_agent *by);
/* The implementation to run, unless a component below chooses another. For the owner of the task, before a push. */
void xy_task_set_implementation(struct xy_task *task, unsigned implementation);
/*
 * The expected duration where the task is sent, in microseconds; for components with XY_PREDICTS, before a push.
 * Queues below sum it up (stored_us), and the receiving worker counts as busy for that long.
 */
void xy_task_set_expected(struct xy_task *task, double us);

/* --- divisible tasks --- */

/* Whether pieces can be cut off the task. False for pieces, the last one included. */
bool xy_task_is_divisible(const struct xy_task *task);

/*
 * Cuts the first `items` items, at least 1, off a divisible task that you own or that is being pushed to you, and
 * returns the piece, which you own and push like any task. If no more than `items` are left, returns the task itself as
 * the last piece; likewise if an earlier piece has failed, but then the last piece is empty and will not run. A task
 * that is not divisible is its own only piece.
 *
 * xy_task_place of the piece is `place`. piece_ended is called with it when it has ended, or is about to return through
 * the root to run again or elsewhere; a piece that returns has XY_NO_PLACE until you cut it again, as its own piece.
 */
#define XY_NO_PLACE UINT32_MAX
struct xy_task *xy_task_cut(struct xy_component *self, struct xy_task *task, uint64_t items, unsigned place,
			    struct xy_agent *by);
/* Whether this component cut the piece, and which place it gave; false for any other task. */
bool xy_task_place(const struct xy_task *piece, const struct xy_component *self, unsigned *place);

/* --- plug-ins --- */

/* A policy is an expression, or a function that builds its tree by calls. */
struct xy_policy {
	const char *name;
	const char *summary;
	const char *expression; /* NULL: build makes the tree */
	/* Adds components to an empty tree, for the machine of xy_tree_machine, and does not seal it. 0, or an
	 * error, whose reason is that of xy_tree_fail or else of the first call that failed. */
	int (*build)(struct xy_tree *tree, void *build_arg);
	void *build_arg;
};

/* A shared object named in XYLEM_PLUGINS defines this as xy_plugin. */
struct xy_plugin {
	unsigned abi; /* XY_ABI */
	const char *name;
	const struct xy_component_ops *const *components; /* NULL-terminated, or NULL */
	const struct xy_policy *const *policies;          /* NULL-terminated, or NULL */
};
extern const struct xy_plugin xy_plugin;

#ifdef __cplusplus
}
#endif
#endif
