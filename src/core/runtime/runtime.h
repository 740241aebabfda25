/* SPDX-License-Identifier: MIT */
/*
 * Everything that a runtime has.
 *
 * Locking key: (c) constant after start, (a) atomic, (h) written while the runtime is halted: see halt.h; otherwise the
 * lock that is named.
 */
#ifndef XYLEM_CORE_RUNTIME_RUNTIME_H
#define XYLEM_CORE_RUNTIME_RUNTIME_H

#include "core/data/node.h"
#include "core/lockfree/ring.h"
#include <pthread.h>
#include "core/machine/config.h"
#include "core/machine/drivers.h"
#include "core/model/model.h"
#include "core/perf/bus.h"
#include "core/runtime/context.h"
#include "core/task/pool.h"
#include "core/task/task.h"
#include "core/tree/tree.h"
#include "core/util/futex.h"

enum {
	XY__APPLICATION_AGENTS = 8, /* threads of the application share them by hash */
	XY__INBOX_SLOTS = 4096,
	XY__DEPARTED = 64,
	XY__TAG_BUCKETS = 64,
	XY__ERROR_SIZE = 1024
};

/* Why a task is not just stored when it is submitted. The first two: what must be told. */
enum {
	XY__NOTES_SUBMITTED = 1,
	XY__NOTES_READY = 2,
	XY__NOTES_CHILDREN = 4, /* tasks may have a parent */
	XY__NOTES_ROUTED = 8,   /* as `routed` below */
	XY__NOTES_ENGINE = 16,  /* the engine hears of it */
	XY__NOTES_LOST = 32,    /* some device is lost */
	XY__NOTES_STOPPING = 64 /* as `stopping` below */
};

/* Of the inbox: tasks were refused by the root; the tree orders what it has, so that workers move all into it before
 * they pull; and such a move is under way. */
enum { XY__INBOX_STRANDED = 1, XY__INBOX_ORDERED = 2, XY__INBOX_MOVING = 4 };

#define XY__FOREVER_S 1e9 /* a timeout this long means none */

struct xy__agent;
struct xy__batch_defaults;
struct xy__engine_ops;
struct xy__explore;
struct xy__record;
struct xy__rehearsal;
struct xy__sim;
struct xy__timer;
struct xy__watchdog;
struct xy__worker;

struct xy_runtime {
	struct xy__settings settings;          /* (c) */
	struct xy__drivers drivers;            /* (c) open devices, as the machine has them */
	struct xy_machine *machine;            /* (c) */
	struct xy_registry *registry;          /* (c) */
	struct xy__batch_defaults *batch;      /* (c) what the settings say about batches, for the registry */
	const struct xy__engine_ops *engine;   /* (c) what runs the workers */
	struct xy__sim *sim;                   /* (c) private to src/engines/sim.c */
	const struct xy__rehearsal *rehearsal; /* (c) that it is for, or NULL; private to src/engines/rehearsal.c */
	struct xy__timer *timer;               /* (c) private to src/engines/timer.c */
	struct xy__explore *explore;           /* (c) private to src/engines/explore.c */
	_Atomic int halted;                    /* (a) 1 while trees are exchanged; a futex */
	bool routed;                    /* (h) tasks differ in where they go: several contexts, or workers away */
	bool accounts;                  /* (h) some component asks when workers will be free */
	bool awaits;                    /* (h) cancelled tasks go through the tree, too */
	bool skips;                     /* (h) workers may take tasks that are not to run, such as those */
	bool branches;                  /* (h) a worker that keeps an offer may find another task first */
	bool shares;                    /* (h) a device may go on with successors of its tasks: see behind.h */
	const int *started_here;        /* (c) 0 in a child process; see fork.h */
	struct xy__record *record;      /* (c) NULL: the run is not recorded; see record.h */
	struct xy__deaths deaths;       /* (a) */
	struct xy__places places;       /* (c) */
	struct xy__memory memory;       /* (a) */
	struct xy__perf perf;           /* (a) */
	struct xy__bus bus;             /* (c) */
	unsigned nworkers;              /* (c) */
	unsigned nthreads;              /* (c) private to src/engines/threads.c: workers whose thread runs */
	unsigned nshards;               /* (c) of the counters of each component */
	unsigned archs;                 /* (c) of all workers, present or not */
	_Atomic uint64_t *asleep;       /* (c) see struct xy__tree_engine; NULL: not tracked */
	bool shared_memory;             /* (c) all workers use one memory, whatever nodes the machine has */
	bool repeatable;                /* (c) nothing depends on addresses: runs are reproducible */
	_Atomic bool notes_runs;        /* (a) a hook wants to hear of starts or ends */
	_Atomic unsigned char notes;    /* (a) XY__NOTES_*; see notes.h */
	unsigned epochs;                /* (h) trees so far */
	_Atomic bool audits;            /* (a) the rules of components are checked */
	_Atomic bool ticks;             /* (a) there has been a tree with ticks */
	unsigned room_every;            /* (c) submissions between two looks at the tasks in flight */
	struct xy__worker *workers;     /* (c) */
	struct xy__agent *applications; /* (c) XY__APPLICATION_AGENTS of them */
	struct xy__ring_slot *slots;    /* (c) */
	struct xy__watchdog *watchdog;  /* (c) or NULL */

	struct xy__ring inbox; /* (a) tasks that are ready and not in the tree yet */
	alignas(128) _Atomic int inbox_lock;
	struct xy_task *stranded;          /* (inbox_lock) refused by the root */
	struct xy_task *unserved;          /* (inbox_lock) no worker of its context can run it now */
	_Atomic uint64_t nunserved;        /* (inbox_lock) to write */
	_Atomic unsigned char inbox_state; /* (a) XY__INBOX_* */
	_Atomic int order_lock;            /* with XY__INBOX_ORDERED: held while tasks move into the tree */
	_Atomic bool workers_differ;       /* (a) there may be tasks that some of them can't run */

	alignas(128) _Atomic unsigned resting; /* (a) workers that looked a last time and have not got up since */

	_Atomic int change_lock;                   /* held while trees are exchanged, or looked at from outside */
	_Atomic(struct xy__agent *) halted_by;     /* (a) the agent that exchanges them */
	struct xy_tree *retired;                   /* (change_lock) old trees that may be in use */
	struct xy_context *destroyed;              /* (change_lock) contexts whose trees may be in use */
	double halt_limit_s;                       /* (c) how long a change waits for functions of components */
	struct xy_component *nowhere;              /* (c) the leaf of workers that are away */
	unsigned ncontexts;                        /* (h) at least 1 */
	struct xy_context *contexts[XY__CONTEXTS]; /* (h) the main one first */
	struct xy_context main, away;              /* and the one of workers that are in none, which has no tree */

	alignas(128) _Atomic unsigned waiters; /* (a) threads that wait for quiet or for room */
	_Atomic unsigned room_waiters;         /* (a) those of them that wait for room */
	_Atomic int news;                      /* (a) futex of the waiters: changes when they should look */
	_Atomic unsigned waiting;     /* (a) threads that wait without a limit, for anything: for the watchdog ... */
	_Atomic uint64_t waits_ended; /* (a) ... and how many such waits have ended */
	_Atomic bool stopping;        /* (a) */
	_Atomic unsigned probes;      /* (a) threads that ask components; see probe.h */

	alignas(128) _Atomic uint64_t next_number; /* (a) of tasks, given to agents in blocks */
	_Atomic int cycles_lock;                   /* explicit dependencies */
	uint32_t cycles_mark;                      /* (cycles_lock) of the last walk */

	_Atomic int aside_lock;
	struct xy_task *aside, **aside_end; /* (aside_lock) nested tasks that a waiting worker took: see children.h */
	_Atomic unsigned naside;            /* (a) how many */

	_Atomic int error_lock;
	int error;                       /* (error_lock) first since the last wait */
	char error_text[XY__ERROR_SIZE]; /* (error_lock) */
	char last_error[XY__ERROR_SIZE]; /* of the last wait: the waiting thread */

	_Atomic int iteration_lock; /* one call of xy_iteration at a time */

	_Atomic int tags_lock;
	struct xy_group *tags[XY__TAG_BUCKETS]; /* (tags_lock) see group.h */

	_Atomic int partition_lock; /* plans: taken before the locks of handles */
	_Atomic int handles_lock;
	struct xy_handle *handles;                /* (handles_lock) all that are registered */
	struct xy_handle *departed[XY__DEPARTED]; /* (handles_lock) the last that were */
	unsigned ndeparted;                       /* (handles_lock) how many there have been */
};

/* The policy or expression of a context: the requested one, or the machine's default. */
const char *xy__runtime_policy(const struct xy_context *context);
/* Starts a runtime as xy_start does, on the first of these engines (NULL-terminated) that serves its settings. */
int xy__runtime_start(struct xy_runtime **out, const struct xy_config *config,
		      const struct xy__engine_ops *const engines[]);

/* The runtime whose tree asks. */
static inline struct xy_runtime *xy__runtime_of(struct xy__tree_engine *engine)
{
	return xy__context_of(engine)->runtime;
}

/* Whether anything needs the start and end times of tasks. */
static inline bool xy__runtime_is_timed(const struct xy_runtime *rt)
{
	return rt->settings.profile || rt->settings.watch || rt->accounts || rt->notes_runs;
}

#endif
