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
 * The rules, which the debug build asserts:
 * - One owner. A true push and a non-NULL pull move the task across the link; otherwise it stays where
 *   it was. Pass a stored task on with xy_queue_pass, which keeps your claim on it until it is taken.
 * - Locks nest downwards. You may hold your own lock during push and can_pull, never during pull and
 *   can_push. Guard your state with struct xy_lock.
 * - After storing a task, say so with can_pull; after making room, say so with can_push. There is no
 *   need to repeat an offer after a pull: a worker that has found a task after looking for one offers
 *   what is left in the reservoirs above it, which it sees through ops->depth.
 * - Never hand a task to a worker that cannot run it (xy_task_can_run; xy_queue does it for you).
 */
#ifndef XYLEM_COMPONENT_H
#define XYLEM_COMPONENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xylem/machine.h>
#include <xylem/perf.h>

struct xy_component;
struct xy_task;
struct xy_tree;
struct xy_runtime;

/* Changes whenever the structs below do; a plug-in made for another one is refused. */
#define XY_ABI 3u

/* In masks of architectures: a team of CPU workers, as if that were another kind of processor. Tasks of a
 * parallel codelet have it besides XY_ON_CPU, if the tree has a parallel-worker. */
#define XY_ON_TEAM (1u << XY_NARCH)

/* --- who is calling --- */

/* The thread that carries a call through the tree: a worker's, or the application's. Owner only. */
struct xy_agent {
	int worker;                /* its worker, -1 for the application */
	unsigned archs;            /* mask with the architecture of its worker, 0 for the application */
	struct xy_component *team; /* the parallel-worker that it pulls for, else NULL; archs is XY_ON_TEAM then */
	unsigned shard;            /* where it counts */
	uint64_t random;           /* state of xy_agent_random */
	unsigned offers;           /* the first offer of a task made to itself needs no wake-up; ... */
	unsigned offered;          /* ... the architectures of that task, 0 when it is constrained */
	bool gave_back;            /* xy_give_back was called: there may be a task where it has looked before */
	unsigned held;             /* debug build: component locks held, ... */
	unsigned held_levels[16];  /* ... and the levels of their components, falling down the tree */
};

/* The next number of the agent's own sequence, uniform in [0, 2^32). */
uint32_t xy_agent_random(struct xy_agent *by);

/* --- options --- */

enum xy_option_type { XY_OPTION_BOOL, XY_OPTION_UNSIGNED, XY_OPTION_DOUBLE, XY_OPTION_TEXT };

#define XY_OPTION_TEXT_SIZE 512

/* One option of a kind: the text form, the C form and --help all come from this. The field at
 * `offset` in the instance is a bool, an unsigned, a double, or for text a char[XY_OPTION_TEXT_SIZE],
 * which begins empty. Text has no spaces and none of ()[]{}|,;=#"'\ and `, so that an expression can have it. */
struct xy_option {
	const char *name;          /* NULL ends the table */
	const char *help;
	enum xy_option_type type;
	size_t offset;
	double initial, min, max;  /* max may be INFINITY; an unsigned or double of INFINITY means no limit */
};

/* --- a kind of component --- */

enum xy_component_flags {
	XY_STORES  = 1,   /* a reservoir: tasks rest here */
	XY_PUMPS   = 2,   /* pushes what it stores down when told can_push, and when something arrives */
	XY_MAPS    = 4,   /* may have several children; pushes only at those with takes_pushes, as the
	                   * others pull, unless it decides */
	XY_DECIDES = 8,   /* chooses at push: a pull does not pass through, it becomes can_push upwards */
	XY_LEAF    = 16,  /* a worker, or a team of them: no children */
	XY_PREDICTS = 32, /* asks when workers will be free: then the runtime keeps account of that */
	XY_AWAITS  = 64,  /* waits for certain tasks: then those that are cancelled come too, and end when a
	                   * worker takes them, without running */
};

/* Who may take what is offered. */
struct xy_offer {
	unsigned archs;               /* workers of these architectures ... */
	const struct xy_task *task;   /* ... and when not NULL, only those that can run this task. The
	                               * caller keeps the task where it is during the call. */
};

struct xy_component_ops {
	const char *name;
	const char *summary;              /* one line */
	const char *manual;               /* a page of plain text for `xylem components NAME` */
	unsigned flags;
	size_t size;                      /* of the instance, which begins with struct xy_component */
	const struct xy_option *options;  /* NULL: none */
	const char *const *labels;        /* names of the branches it knows, NULL-terminated; NULL: none */

	/* Called by seal when the shape is final and options are set, and at the end. Both optional.
	 * init returns 0 or -errno; fini is called exactly if init succeeded. */
	int (*init)(struct xy_component *self);
	void (*fini)(struct xy_component *self);

	/* The verbs. A NULL verb is the default:
	 *   push      offer the task to each child in order until one takes it
	 *   pull      ask each parent in order until one gives a task
	 *   can_push  tell each parent in order until one moves a task
	 *   can_pull  tell each child in order until one wakes a worker */
	bool (*push)(struct xy_component *self, struct xy_task *task, struct xy_agent *by);
	struct xy_task *(*pull)(struct xy_component *self, struct xy_agent *by);
	bool (*can_push)(struct xy_component *self, struct xy_component *child, struct xy_agent *by);
	bool (*can_pull)(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by);

	/* Shortcuts, both optional: a component works the same without them, only slower.
	 *   push_many  push for several tasks in order; returns how many of the first it took
	 *   passed     goes with a NULL pull: is shown each task that a pull brings through */
	size_t (*push_many)(struct xy_component *self, struct xy_task *const *tasks, size_t n,
			    struct xy_agent *by);
	void (*passed)(struct xy_component *self, struct xy_task *task, struct xy_agent *by);

	/* Whether push can refuse a task with the options as they are. NULL: only if a child does. */
	bool (*is_bounded)(const struct xy_component *self);
	/* Stored tasks now, and the most there ever were. Needed with XY_STORES. Any thread, no lock of
	 * a component is held. */
	size_t (*depth)(struct xy_component *self, size_t *peak);
	/* How long what is stored here, not below, is expected to take on one worker, in microseconds. NULL: 0.
	 * Any thread, without a lock, also while locks of others are held. */
	double (*stored_us)(struct xy_component *self);
	/* Calls visit for each stored task, in the order in which they would leave. NULL: none. */
	void (*each_task)(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task),
			  void *arg);
	/* The same for one task of each set of architectures, and for each that is constrained. NULL: each_task. */
	void (*each_kind)(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task),
			  void *arg);
};

/* --- an instance --- */

/* Counters of one agent for one component. */
struct xy_shard {
	_Atomic uint64_t pushed, pulled, refused, woken;
	char pad[32];
};

/* Base of every component; embed it first. All (c): constant after seal. */
struct xy_component {
	const struct xy_component_ops *ops;
	struct xy_tree *tree;
	unsigned id;                     /* in order of xy_tree_add */
	unsigned level;                  /* longest way from the root */
	unsigned nparents, nchildren;
	struct xy_component **parents, **children;
	unsigned archs;                  /* architectures of the workers below, XY_ON_TEAM if there is a team */
	unsigned nworkers;               /* workers whose own leaf is below, in rising order; where there are only */
	unsigned *workers;               /* teams (archs is XY_ON_TEAM), their members */
	unsigned nteams;                 /* the parallel-workers below */
	struct xy_component **teams;
	unsigned nmembers;               /* of a parallel-worker: its workers, in rising order */
	const unsigned *members;
	bool takes_pushes;               /* pushing down into it makes sense: a reservoir, decision or team below */
	bool predicted;                  /* something above predicts: tasks come with what they are expected to take */
	const char *label;               /* of the branch that it begins, or NULL */
	/* Where a pull of it ends: the nearest at or above it that answers pulls or has not one parent; and
	 * the nearest from it to there with `passed`, or NULL. */
	struct xy_component *source, *looker;
	struct xy_shard *shards;         /* (a) */
};

/* The instance as its kind, or NULL when it is of another kind. */
static inline void *xy_component_as(struct xy_component *c, const struct xy_component_ops *ops)
{
	return c && c->ops == ops ? c : NULL;
}

/* Which child leads to a worker (the first one if several do), -1 if none. */
int xy_component_child_of(const struct xy_component *c, unsigned worker);

/* The machine of its tree. */
const struct xy_machine *xy_component_machine(const struct xy_component *c);

/* The time in microseconds on the clock of whoever runs the tree; 0 where nobody does. */
double xy_component_now_us(const struct xy_component *c);
/* When a worker is expected to have done what it has begun; not before now. For kinds with XY_PREDICTS. */
double xy_component_free_us(const struct xy_component *c, unsigned worker);

/* --- the dispatchers: the only way to call a verb --- */

/* Each does what the kind's verb or its default does, checks the rules, and counts. What they return is at the top. */
bool xy_push(struct xy_component *to, struct xy_task *task, struct xy_agent *by);
/* Pushes tasks in order until one is refused; returns how many were taken. */
size_t xy_push_many(struct xy_component *to, struct xy_task *const *tasks, size_t n, struct xy_agent *by);
struct xy_task *xy_pull(struct xy_component *from, struct xy_agent *by);
bool xy_can_push(struct xy_component *parent, struct xy_component *child, struct xy_agent *by);
bool xy_can_pull(struct xy_component *child, const struct xy_offer *offer, struct xy_agent *by);

/* The defaults of the verbs, for components that want them at some moment. */
struct xy_task *xy_pull_parents(struct xy_component *self, struct xy_agent *by);
bool xy_can_push_parents(struct xy_component *self, struct xy_agent *by);
bool xy_can_pull_children(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by);

/*
 * The message back up, for a task that is yours and for which what was decided above does not hold any more: it has
 * been measured meanwhile, or its model is gone, or nobody below can run it now. It enters the tree anew, and whoever
 * decides there does so again; it never gets lost. An up call: hold no lock, and take the task out of your queue first.
 */
void xy_give_back(struct xy_component *self, struct xy_task *task, struct xy_agent *by);

/* The offer of a task. Constrained tasks (pinned, or with a can_execute hook) carry themselves, so
 * that such an offer must be made while the component holds the task. */
struct xy_offer xy_offer_of(const struct xy_task *task);

/* Whether one offer can stand for all these tasks: nothing constrains them and their architectures are
 * the same. It has to be made twice, as the one who makes it counts as the taker of the first. */
bool xy_offer_of_many(struct xy_task *const *tasks, size_t n, struct xy_offer *offer);

/* --- what a component may ask of a task --- */

int xy_task_priority(const struct xy_task *task);                         /* higher is more urgent */
unsigned xy_task_choice(const struct xy_task *task);                      /* of its description, for userchoice */
unsigned xy_task_archs(const struct xy_task *task);                       /* where it can run; XY_ON_TEAM */
bool xy_task_can_run(const struct xy_task *task, unsigned worker);
bool xy_task_can_run_below(const struct xy_task *task, const struct xy_component *c);
bool xy_task_can_run_with(const struct xy_task *task, unsigned worker, unsigned implementation);
struct xy_prediction xy_task_length(const struct xy_task *task, unsigned worker, unsigned implementation);
/* The same for its energy, in joules; none when the codelet has no model of it. */
struct xy_prediction xy_task_energy(const struct xy_task *task, unsigned worker, unsigned implementation);
/* Bytes that the task reads and that have to be moved to where this worker computes. */
size_t xy_task_missing_bytes(const struct xy_task *task, unsigned worker);
/* How long moving them takes, each from the nearest copy, one after the other; a value of 0 when all is there. */
struct xy_prediction xy_task_transfer(const struct xy_task *task, unsigned worker);
/* Begins to move them. For a queue whose workers all compute in one place, with any of them, before it stores the
 * task; the data need not have come when the task leaves. Without a running engine it does nothing. */
void xy_task_prefetch(struct xy_task *task, unsigned worker, const struct xy_component *self, struct xy_agent *by);
/* The implementation that runs, unless something below chooses another. For the owner of the task, before a push. */
void xy_task_set_implementation(struct xy_task *task, unsigned implementation);
/* How long it takes where it is sent, as far as its owner knows, in microseconds; before a push, for kinds with
 * XY_PREDICTS. Queues below add it up (stored_us), and the worker that gets it counts as busy for so long. */
void xy_task_set_expected(struct xy_task *task, double us);

/* --- locks --- */

/* A lock for a component's state: short critical sections, spins briefly, then sleeps. */
struct xy_lock {
	_Atomic int word;          /* 0 free, 1 taken, 2 taken and somebody sleeps */
};

/* The slow sides of the two functions below. */
void xy_lock_wait(struct xy_lock *lock);
void xy_lock_wake(struct xy_lock *lock);
/* The debug build's check that locks nest downwards. */
void xy_lock_note(struct xy_component *self, struct xy_agent *by, bool taken);
#ifdef XY_DEBUG
#define XY_LOCK_NOTES 1
#else
#define XY_LOCK_NOTES 0
#endif

static inline void xy_lock_take(struct xy_lock *lock, struct xy_component *self, struct xy_agent *by)
{
	int expected = 0;

	/* acquire: pairs with the release in xy_lock_drop */
	if (!atomic_compare_exchange_strong_explicit(&lock->word, &expected, 1, memory_order_acquire,
						     memory_order_relaxed))
		xy_lock_wait(lock);
	if (XY_LOCK_NOTES)
		xy_lock_note(self, by, true);
}

static inline void xy_lock_drop(struct xy_lock *lock, struct xy_component *self, struct xy_agent *by)
{
	if (XY_LOCK_NOTES)
		xy_lock_note(self, by, false);
	/* release: pairs with the acquire in xy_lock_take and xy_lock_wait */
	if (atomic_exchange_explicit(&lock->word, 0, memory_order_release) == 2)
		xy_lock_wake(lock);
}

/* --- queues --- */

/* Tasks in order, taken by workers that can run them. Zero is empty; the links are inside the tasks,
 * so nothing is allocated and nothing can fail. The owner of the queue guards it with a lock; only
 * xy_queue_count, xy_queue_peak and xy_queue_length_us may be called without. */
#define XY_NLANES (2 * XY_ON_TEAM)
#define XY_QUEUE_READY 64u
#define XY_QUEUE_PREDICTED (1u << 31)

struct xy_queue_lane {
	struct xy_task *front, *back;    /* priority 0, or all of an unordered queue: in order of arrival */
	struct xy_task *heap;            /* other priorities, highest first */
};

struct xy_queue {
	_Atomic size_t count;
	_Atomic size_t peak;
	size_t simple;                   /* inserting is simple below so many: the peak, 0 if it predicts */
	_Atomic double length_us;        /* sum of the lengths; written with the lock held */
	uint64_t arrivals;
	unsigned used;                   /* lanes that are not empty, and XY_QUEUE_PREDICTED */
	bool ordered;                    /* by priority; set it before use */
	struct xy_queue_lane lanes[XY_NLANES + 1];  /* by architectures; the last: constrained tasks */
};

/* Before use, for a component that is predicted: the lengths are those that tasks are expected to take where they
 * were sent, and not only what their descriptions say. */
void xy_queue_predict(struct xy_queue *q);
void xy_queue_insert(struct xy_queue *q, struct xy_task *task);
/* The first task that the agent's worker can run: highest priority, oldest first. NULL if there is none. */
struct xy_task *xy_queue_take(struct xy_queue *q, const struct xy_agent *by);
/* The same with the youngest of priority 0 first: the owner's end of a work-stealing queue. */
struct xy_task *xy_queue_take_newest(struct xy_queue *q, const struct xy_agent *by);
/* Of the first XY_QUEUE_READY tasks of the highest priority that the agent's worker can run, the one that misses
 * the fewest bytes where it computes; the oldest among equals. */
struct xy_task *xy_queue_take_ready(struct xy_queue *q, const struct xy_agent *by);
/* The first task whoever may run it. */
struct xy_task *xy_queue_first(struct xy_queue *q);
/* The first task that can run below c. */
struct xy_task *xy_queue_first_for(struct xy_queue *q, const struct xy_component *c);
/* Pushes a task of the queue into a child, with the owner's lock held. If refused it keeps its place. */
bool xy_queue_pass(struct xy_queue *q, struct xy_task *task, struct xy_component *to, struct xy_agent *by);
/* Takes a task of the queue out of it. */
void xy_queue_remove(struct xy_queue *q, struct xy_task *task);
static inline size_t xy_queue_count(const struct xy_queue *q)
{
	return atomic_load_explicit(&((struct xy_queue *)q)->count, memory_order_relaxed);
}
static inline size_t xy_queue_peak(const struct xy_queue *q)
{
	return atomic_load_explicit(&((struct xy_queue *)q)->peak, memory_order_relaxed);
}
static inline double xy_queue_length_us(const struct xy_queue *q)
{
	return atomic_load_explicit(&((struct xy_queue *)q)->length_us, memory_order_relaxed);
}
/* Calls visit for each task, in the order in which they would leave. */
void xy_queue_each(struct xy_queue *q, void (*visit)(void *arg, const struct xy_task *task), void *arg);
/* One task for each set of architectures, then each constrained one. */
void xy_queue_each_kind(struct xy_queue *q, void (*visit)(void *arg, const struct xy_task *task), void *arg);

/* --- plug-ins --- */

struct xy_policy {
	const char *name;
	const char *summary;
	const char *expression;
};

/* A shared object named in XYLEM_PLUGINS defines `const struct xy_plugin xy_plugin`. */
struct xy_plugin {
	unsigned abi;                                     /* XY_ABI */
	const char *name;
	const struct xy_component_ops *const *components; /* NULL-terminated, or NULL */
	const struct xy_policy *const *policies;          /* NULL-terminated, or NULL */
};

#endif
