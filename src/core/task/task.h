/* SPDX-License-Identifier: MIT */
/*
 * Private parts of a task: six cache lines, of which a task with one access or none touches two.
 *
 * Locking key: (c) constant from submission to end, (q) the holder of the task: the queue that it
 * rests in, guarded by that queue's lock, or the agent that carries it, (a) atomic, (o) owner's pool.
 * A task's memory returns to its pool when the last reference is dropped, and to the system only when
 * the runtime stops, so that a stale pointer still points to a task; its generation tells whether it
 * is the same one.
 */
#ifndef XYLEM_CORE_TASK_TASK_H
#define XYLEM_CORE_TASK_TASK_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <xylem/component.h>
#include <xylem/task.h>

struct xy__division;
struct xy__pool;
struct xy__edge;

enum {
	XY__TASK_ACCESSES = XY_NHANDLES, /* that fit in the task */
	XY__TASK_EDGES = 6,
	XY__TASK_ARGUMENT = 32, /* bytes of a copied argument that fit */
	/* Counter of missing predecessors while the task is being submitted: it can't reach 0. */
	XY__SUBMITTING = 1 << 30
};

enum xy__task_state {
	XY__TASK_FREE,    /* in a pool */
	XY__TASK_CREATED, /* not submitted */
	XY__TASK_WAITING, /* for predecessors, or to commute */
	XY__TASK_READY,   /* in the inbox or the tree */
	XY__TASK_RUNNING,
	XY__TASK_HELD, /* by the application: an acquire */
	XY__TASK_ENDED
};

enum xy__task_flags {
	XY__TASK_COMMUTES = 1,    /* some access has XY_COMMUTE */
	XY__TASK_ACQUIRE = 2,     /* represents the application */
	XY__TASK_KEPT = 4,        /* came from xy_task_create: the user has a reference */
	XY__TASK_UNORDERED = 8,   /* some access gives no dependency */
	XY__TASK_TAKEN = 16,      /* (q) its commuting handles are its own */
	XY__TASK_UNCOUNTED = 32,  /* neither counted nor reported: an acquire, or given up */
	XY__TASK_CHOICE = 64,     /* the codelet has a second implementation for some architecture */
	XY__TASK_CALLBACK = 128,  /* callback, group, part, parent and children are defined */
	XY__TASK_WANTED = 256,    /* (q) a queue had its data brought to the node wanted_on */
	XY__TASK_UNFETCHED = 512, /* an acquire that does not need the data in RAM */
	/* a task with a codelet that is XY_NESTED: what it submits are its children; no acquire has a codelet */
	XY__TASK_NESTED = XY__TASK_UNFETCHED,
	XY__TASK_DATA = 1024,      /* moves data to RAM and ends: see data/data_task.h */
	XY__TASK_SENT = 2048,      /* (q) sent away by a worker that is dead: see sent_at */
	XY__TASK_CLOSES = 4096,    /* stands at the end of a group that reduces: see data/redux.h */
	XY__TASK_COMBINES = 8192,  /* works for one of those: nothing is barred */
	XY__TASK_REDUX = 16384,    /* some access has XY_REDUX */
	XY__TASK_MEASURED = 32768, /* its time is for a model */
};

/*
 * `target` waits for the task in whose list of successors the edge is. The target is a task, or a struct xy__waiter;
 * the low bits tell which, whether failure follows the edge, whether the target is an acquire, which gets the
 * reason, and whether the target waits with its end, not with its start.
 */
struct xy__edge {
	_Atomic(struct xy__edge *) next;
	_Atomic uintptr_t target; /* always relaxed: the list orders it */
};

enum { XY__EDGE_ORDER = 1, XY__EDGE_WAITER = 2, XY__EDGE_ACQUIRE = 4, XY__EDGE_END = 8, XY__EDGE_BITS = 15 };

/* Where an access has its data. */
enum { XY__PLACE_HERE, XY__PLACE_RAM, XY__PLACE_ANYWHERE };
struct xy__place {
	uint8_t wish; /* (c) one of these */
	uint8_t node; /* (q) that it has been given */
};

/* The rare parts of a task, from malloc. */
struct xy__task_extra {
	unsigned *workers; /* pinned to these, sorted */
	unsigned nworkers;
	unsigned choice;
	void *sched_data;  /* of the description */
	double deadline_s; /* likewise; 0: none */
	unsigned retries;  /* left */
	unsigned retries_asked;
	unsigned nafter;               /* explicit predecessors that had not ended: builder */
	void *argument;                /* a copy too large for the task */
	uintptr_t *accesses;           /* all of them, when too many for the task */
	struct xy_group *group;        /* of a task that may be submitted again: a reference, or NULL */
	struct xy_context *context;    /* where it runs; NULL: in the main one */
	void **buffers;                /* the codelet's buffers, if too many for the stack */
	struct xy__place *places;      /* by access, NULL: all where the worker is */
	bool unordered;                /* some access has XY_UNORDERED */
	struct xy__division *division; /* of a divisible task: see division.h */
	uint64_t declined;             /* (q) memory nodes whose workers can't run it: see decline.h ... */
	uint64_t passed;               /* (q) ... and those whose workers passed it on untried */
	bool insists;                  /* (q) none passes it on any more */
	char *reasons;                 /* (q) why it was declined, or NULL */
};

/* An access is a handle, which is aligned, with its mode in the low bits. XY_REDUX comes with XY_RW. */
enum { XY__MODE_UNORDERED = 16, XY__MODE_BITS = 63 }; /* unordered: gave no dependency at submission */

static inline uintptr_t xy__access(const struct xy_handle *handle, unsigned mode)
{
	return (uintptr_t)handle | mode;
}

static inline struct xy_handle *xy__access_handle(uintptr_t access)
{
	return (struct xy_handle *)(access & ~(uintptr_t)XY__MODE_BITS);
}

static inline unsigned xy__access_mode(uintptr_t access)
{
	return (unsigned)(access & XY__MODE_BITS);
}

struct xy_task {
	/* Used by queues and workers. */
	alignas(64) struct xy_task *next; /* (q) */
	struct xy_task *prev;             /* (q) */
	uint64_t arrival;                 /* (q) */
	_Atomic uintptr_t codelet;        /* (c) its address, with XY__NAMED; atomic for the dump only */
	void *arg;                        /* (c) */
	int priority;                     /* (c) */
	float length_us;                  /* (c) 0: not known; see xy__task_length_us */
	uint8_t archs;                    /* (c) architectures that can run it, and XY_ON_TEAM */
	bool constrained;                 /* (c) pinned, with a can_execute hook, or not for all teams */
	uint8_t implementation;           /* (q) */
	_Atomic uint8_t state;            /* (a) enum xy__task_state */
	uint16_t flags;                   /* (c) */
	uint16_t naccesses;               /* (c) */
	_Atomic uint32_t number;          /* (c) atomic for the dump only, always relaxed */
	_Atomic int status;               /* (a) 0 or why it failed */

	/* Dependencies; enough for one access. */
	alignas(64) _Atomic uint64_t successors; /* (a) see lockfree/successors.h */
	_Atomic int missing;                     /* (a) predecessors that have not ended */
	_Atomic int references;                  /* (a) */
	uint16_t nedges;                         /* in use: submitter; more than XY__TASK_EDGES: see more_edges */
	uint16_t edge_room;                      /* in the first block of more_edges */
	_Atomic uint32_t generation;             /* (a) which use of this memory it is */
	struct xy__pool *pool;                   /* (c) where its memory belongs */
	struct xy__task_extra *extra;            /* (c) or NULL */
	struct xy__edge first_edge;              /* in the lists of the predecessors, like `edges` */
	uintptr_t accesses[XY__TASK_ACCESSES];   /* (c) unless extra->accesses */

	/* Unused by most tasks. */
	struct xy__edge edges[XY__TASK_EDGES - 1];
	struct xy__edge_block *more_edges; /* (o) from the pool; defined if nedges says so */
	struct xy_task *child;             /* (q) */
	_Atomic(const char *) name;        /* (c) with XY__NAMED; atomic for the dump only */
	void (*callback)(void *, int);     /* (c) with XY__TASK_CALLBACK, or NULL */
	void *callback_arg;                /* (c) likewise */
	struct xy_group *group;            /* (c) with XY__TASK_CALLBACK, or NULL: is told of its end */
	uint8_t wanted_on;      /* (q) with XY__TASK_WANTED: where its data was brought; (l) of an acquire: its node */
	uint8_t sent_at;        /* (q) with XY__TASK_SENT: how many workers were dead then */
	uint8_t part;           /* (c) with XY__TASK_CALLBACK: see division.h */
	float expected_us;      /* (q) how long it is expected to take where it was sent */
	_Atomic uint32_t mark;  /* (a) of the last search for cycles that came by: relaxed */
	_Atomic uint32_t owner; /* (a) while rules are checked: who took it last, see tree/audit.h */
	struct xy_task *parent; /* (c) with XY__TASK_CALLBACK, or NULL: ends after this one */
	_Atomic int children;   /* (a) with XY__TASK_CALLBACK: see runtime/children.h */
	_Atomic int children_status; /* (a) likewise */
	_Atomic unsigned waits_on;   /* (a) the worker on which it waits for its children, plus 1; 0: none */
	float length_rest_us;        /* (c) what length_us was rounded by; undefined if that is 0 */
	alignas(8) unsigned char argument[XY__TASK_ARGUMENT]; /* (c) a copied one */
};
_Static_assert(sizeof(struct xy_task) == 384, "a task is six cache lines");
_Static_assert(offsetof(struct xy_task, first_edge) + sizeof(struct xy__edge) + 8 == 128,
	       "a task with one access is two cache lines");

/* Edges of a task with many predecessors; also the memory of a waiter. */
enum { XY__EDGE_BLOCK = 15 };
struct xy__edge_block {
	struct xy__edge_block *next;
	struct xy__pool *owner; /* (c) where its memory belongs */
	struct xy__edge edges[XY__EDGE_BLOCK];
};

enum { XY__NAMED = 1 }; /* in xy_task.codelet: the task has its own name */

static inline const struct xy_codelet *xy__task_codelet(const struct xy_task *task)
{
	return (const struct xy_codelet *)(atomic_load_explicit(&((struct xy_task *)task)->codelet,
								memory_order_relaxed) &
					   ~(uintptr_t)XY__NAMED);
}

#define XY__LENGTH_MAX_US 1e30

/* The length that the program gave, in two floats, of which most tasks touch one. 0: not known. */
static inline double xy__task_length_us(const struct xy_task *task)
{
	return task->length_us > 0 ? (double)task->length_us + (double)task->length_rest_us : 0;
}

static inline void xy__task_set_length(struct xy_task *task, double us)
{
	task->length_us = (float)us;
	if (us > 0)
		task->length_rest_us = (float)(us - (double)task->length_us);
}

/* An implementation that all members of a parallel-worker can run, XY_NIMPLEMENTATIONS without one. */
unsigned xy__task_team_implementation(const struct xy_task *task, const struct xy_component *team);

static inline void xy__task_set_state(struct xy_task *task, enum xy__task_state state)
{
	/* relaxed: for the dump, and for the owner of the reference, which has its own ordering */
	atomic_store_explicit(&task->state, (uint8_t)state, memory_order_relaxed);
}

static inline uint32_t xy__task_generation(const struct xy_task *task)
{
	return atomic_load_explicit(&((struct xy_task *)task)->generation, memory_order_relaxed);
}

/* Whether the memory is now used by another task; everything the earlier one did is then visible. */
static inline bool xy__task_is_another(const struct xy_task *task, uint32_t generation)
{
	/* acquire: pairs with the release in xy__task_open */
	return atomic_load_explicit(&((struct xy_task *)task)->generation, memory_order_acquire) != generation;
}

/*
 * Whether an asking worker may take the task: like xy_task_can_run, but a dead worker may take a task it has not given
 * back yet.
 */
bool xy__task_can_take(const struct xy_task *task, unsigned worker);
/*
 * Whether a live worker below can run it. For xy_task_can_run_below a dead worker counts too if there is no live one,
 * so that the task reaches it, wherever it rests, and fails.
 */
bool xy__task_can_run_alive_below(const struct xy_task *task, const struct xy_component *c);
/* Whether a live worker below can run the task, constrained or not. Once a worker has died, teams don't count. */
bool xy__task_has_live_below(const struct xy_task *task, const struct xy_component *c);
/* Whether some of what it reads is valid neither on the worker's node nor in RAM, but on other devices. */
bool xy__task_is_elsewhere(const struct xy_task *task, unsigned worker);
/* Whether any live worker of the machine can, present or not. */
bool xy__task_can_run_alive(const struct xy_task *task);

/* Where the data of the accesses is to be; NULL: all where the worker is. */
static inline struct xy__place *xy__task_places(const struct xy_task *task)
{
	return task->extra ? task->extra->places : NULL;
}

/* Whether a worker of the node may have to bring the data of an access, and to which node: *node is changed then. */
static inline bool xy__task_brings(const struct xy_task *task, unsigned i, unsigned *node)
{
	const struct xy__place *places = xy__task_places(task);

	if (places && places[i].wish == XY__PLACE_RAM)
		*node = 0;
	return !places || places[i].wish != XY__PLACE_ANYWHERE;
}

static inline uintptr_t *xy__task_accesses(struct xy_task *task)
{
	return task->naccesses <= XY__TASK_ACCESSES ? task->accesses : task->extra->accesses;
}

#endif
