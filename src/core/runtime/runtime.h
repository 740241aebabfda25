/* SPDX-License-Identifier: MIT */
/*
 * Inside of a runtime: agents, the inbox, those who wait, and the state of the workers.
 *
 * Locking key: (c) constant after start, (a) atomic, (o) owner: the worker's thread, or for an agent
 * of the application the thread that holds its lock, (w) wait_lock.
 */
#ifndef XYLEM_CORE_RUNTIME_H
#define XYLEM_CORE_RUNTIME_H

#include <pthread.h>
#include "core/machine/config.h"
#include "core/data/memory.h"
#include "core/machine/drivers.h"
#include "core/lockfree/ring.h"
#include "core/perf/bus.h"
#include "core/model/model.h"
#include "core/task/pool.h"
#include "core/task/task.h"
#include "core/tree/tree.h"
#include "core/util/futex.h"


enum {
	XY__APPLICATION_AGENTS = 8,   /* threads of the application share them by hash */
	XY__INBOX_SLOTS = 4096,
	XY__DEPARTED = 64,
	XY__ERROR_SIZE = 256
};

#define XY__FOREVER_S 1e9            /* waiting as long as this is waiting without a limit */

struct xy__slots;
struct xy__sim;

/* Tasks that are to end without running, each with its status, linked by next. */
struct xy__endings {
	struct xy_task *first, *last;
};

/* An agent with what the runtime keeps for it. */
struct xy__agent {
	alignas(128) struct xy_agent base;
	struct xy_runtime *runtime;          /* (c) */
	_Atomic int lock;                    /* held by the thread of the application that uses it */
	struct xy__agent *outer;             /* (o) what the thread was before it entered */
	struct xy__endings *endings;         /* (o) inside a callback: what ends meanwhile, else NULL */
	struct xy_task *closings;            /* (o) of reductions, to be submitted when no lock is held */
	unsigned depth;                      /* (o) calls inside of calls, not yet left */
	uint64_t number, number_end;         /* (o) task numbers left to give */
	unsigned room;                       /* (o) submissions until it looks whether there is room */
	struct xy__pool pool;                /* (o) */
	alignas(128) _Atomic uint64_t submitted;  /* (a) written by the owner only, summed by others */
	_Atomic uint64_t ended;                   /* (a) likewise */
};

enum xy__worker_state { XY__AWAKE, XY__LOOKING, XY__ASLEEP };

struct xy__worker {
	struct xy__agent agent;
	_Atomic int state;                   /* (a) enum xy__worker_state, also the futex */
	_Atomic uint64_t sleeps;             /* (a) owner writes */
	_Atomic uint64_t busy_ns;            /* (a) owner writes */
	_Atomic(struct xy_task *) running;   /* (a) for the dump */
	_Atomic double since_us;             /* (a) owner writes: when it began what it does now, ... */
	_Atomic double backlog_us;           /* (a) owner writes: ... which is expected to take so long, with the rest
					      * that it has taken; kept if rt->accounts */
	double started_s;                    /* (o) when the codelet was called, if the call is timed */
	struct xy_component *leaf;           /* (c) */
	struct xy_component **above;         /* (c) reservoirs on the way to the root */
	unsigned nabove;                     /* (c) */
	struct xy__slots *slots;             /* (o) of a device: what it has under way */
	unsigned id;                         /* (c) */
	unsigned node;                       /* (c) where its tasks' data has to be */
	unsigned queue;                      /* (c) among the workers of its device */
	enum xy_arch arch;                   /* (c) */
	struct xy__member *member;           /* (c) of teams; NULL: of none */
	bool special;                        /* (c) its calls are timed, or it is a member of teams */
	pthread_t thread;                    /* (c) */
};

struct xy_runtime {
	struct xy__settings settings;        /* (c) */
	struct xy__drivers drivers;          /* (c) open devices, as the machine has them */
	struct xy_machine *machine;          /* (c) */
	struct xy_registry *registry;        /* (c) */
	struct xy_tree *tree;                /* (c) */
	struct xy_component *root;           /* (c) */
	struct xy__tree_engine engine;       /* (c) */
	struct xy__sim *sim;                 /* (c) NULL: in real time */
	struct xy__record *record;           /* (c) NULL: the run is not recorded; see record.h */
	struct xy__deaths deaths;            /* (a) */
	struct xy__memory memory;            /* (a) */
	struct xy__perf perf;                /* (a) */
	struct xy__bus bus;                  /* (c) */
	unsigned nworkers;                   /* (c) */
	unsigned nthreads;                   /* (c) workers whose thread runs */
	bool accounts;                       /* (c) some component asks when workers will be free */
	bool skips;                          /* (c) cancelled tasks go through the tree, too, and may be taken */
	bool branches;                       /* (c) who offers itself a task may find another one before it */
	unsigned room_every;                 /* (c) submissions between two looks at the tasks in flight */
	struct xy__worker *workers;          /* (c) */
	struct xy__agent *applications;      /* (c) XY__APPLICATION_AGENTS of them */
	struct xy__ring_slot *slots;         /* (c) */
	struct xy__watchdog *watchdog;       /* (c) or NULL */

	struct xy__ring inbox;               /* (a) tasks that are ready and not in the tree yet */
	alignas(128) _Atomic int inbox_lock;
	struct xy_task *stranded;            /* (inbox_lock) refused by the root */
	_Atomic bool has_stranded;           /* (a) */
	_Atomic bool workers_differ;         /* (a) there may be tasks that some of them can't run */

	alignas(128) _Atomic unsigned sleepers;   /* (a) workers asleep */
	_Atomic int searchers;               /* (a) workers that look for a task */
	_Atomic unsigned resting;            /* (a) workers that looked a last time and have not got up since */

	alignas(128) _Atomic unsigned waiters;    /* (a) threads that wait for quiet or for room */
	_Atomic unsigned room_waiters;       /* (a) those of them that wait for room */
	_Atomic int news;                    /* (a) futex of the waiters: changes when they should look */
	_Atomic bool stopping;               /* (a) */

	alignas(128) _Atomic uint64_t next_number;  /* (a) of tasks, given to agents in blocks */
	_Atomic int graph_lock;              /* explicit dependencies */
	uint32_t graph_mark;                 /* (graph_lock) of the last walk */

	_Atomic int error_lock;
	int error;                           /* (error_lock) first since the last wait */
	char error_text[XY__ERROR_SIZE];     /* (error_lock) */
	char last_error[XY__ERROR_SIZE];     /* of the last wait: the waiting thread */

	_Atomic int partition_lock;          /* plans: taken before the locks of handles */
	_Atomic int handles_lock;
	struct xy_handle *handles;           /* (handles_lock) all that are registered */
	struct xy_handle *departed[XY__DEPARTED];  /* (handles_lock) the last that were */
	unsigned ndeparted;                  /* (handles_lock) how many there have been */
};

/* --- agent.c: who is calling --- */

/* What the calling thread is: a worker, or inside a call of the application; else NULL. The only
 * thread-local of the library: it lets a codelet or callback that calls the runtime again act as the
 * agent that runs it. Components never see it; they get the agent. */
extern _Thread_local struct xy__agent *xy__current
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

struct xy__agent *xy__enter_slowly(struct xy_runtime *rt, unsigned first);

/* The agent that the calling thread is for this runtime: its own if it is one of the runtime's
 * workers or inside a call already, else one of the application's, locked until xy__leave. */
static inline struct xy__agent *xy__enter(struct xy_runtime *rt)
{
	uintptr_t self = (uintptr_t)&xy__current; /* as good as the thread's name */
	unsigned first = (unsigned)(self >> 12 ^ self >> 20) % XY__APPLICATION_AGENTS;
	struct xy__agent *agent = &rt->applications[first];

	if (xy__current || !xy__lock_try(&agent->lock))
		return xy__enter_slowly(rt, first);
	xy__current = agent;
	return agent;
}

static inline void xy__leave(struct xy__agent *agent)
{
	if (agent->depth) {
		agent->depth--;
		return;
	}
	xy__current = agent->outer;
	agent->outer = NULL;
	xy__lock_drop(&agent->lock);
}

/* The agent if the thread is inside a codelet or callback of this runtime, else NULL. */
struct xy__agent *xy__inside(struct xy_runtime *rt);
/* Makes the calling thread a worker's for good. */
void xy__become(struct xy__agent *agent);
void xy__agent_init(struct xy__agent *agent, struct xy_runtime *rt, int worker);
/* Calls a function of the user's, which may take long: what it submits is not for this worker to take.
 * What ends meanwhile without running goes into endings, for the caller to deal with. */
void xy__call_back(struct xy__agent *agent, struct xy__endings *endings,
		   void (*callback)(void *arg, int status), void *arg, int status);
/* Takes new numbers for tasks. */
void xy__agent_numbers(struct xy__agent *agent);

static inline uint64_t xy__agent_number(struct xy__agent *agent)
{
	if (agent->number == agent->number_end)
		xy__agent_numbers(agent);
	return ++agent->number;
}

/* Counts in a shard; shard 0 is shared by all agents that have none of their own. */
static inline void xy__agent_count(_Atomic uint64_t *counter, const struct xy__agent *agent)
{
	if (agent->base.shard)
		atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1,
				      memory_order_relaxed);
	else
		atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static inline void xy__agent_add(_Atomic uint64_t *counter)
{
	/* release: pairs with the acquire in xy__runtime_live; only the owner writes */
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1,
			      memory_order_release);
}

/* The agent submits the task, which nobody else knows yet. */
static inline void xy__agent_submitted(struct xy__agent *agent, struct xy_task *task)
{
	const struct xy_watch *watch = agent->runtime->settings.watch;

	if (__builtin_expect(watch && watch->submitted, 0))
		watch->submitted(watch->arg, task);
	xy__agent_add(&agent->submitted);
}

/* --- inbox.c: from submission to the tree --- */

/* Moves everything that has been put into the tree. */
void xy__inbox_drain(struct xy_runtime *rt, struct xy__agent *agent);
/* Gives a ready task straight to the tree: what workers do. */
void xy__inbox_push(struct xy_runtime *rt, struct xy_task *task, struct xy__agent *agent);

/* The same for one that a component gives back. */
void xy__inbox_take_back(struct xy__tree_engine *engine, struct xy_task *task, struct xy_agent *by);

/* Whether somebody sleeps and nobody looks for tasks; to be asked after a fence. In a simulation whoever waits
 * looks after the inbox. */
static inline bool xy__inbox_urgent(struct xy_runtime *rt)
{
	return atomic_load_explicit(&rt->sleepers, memory_order_relaxed) && !xy__somebody_looks(&rt->engine) &&
	       !rt->sim;
}

/* Gives a ready task to the scheduler. */
static inline void xy__inbox_put(struct xy_runtime *rt, struct xy_task *task, struct xy__agent *agent)
{
	const struct xy_watch *watch = rt->settings.watch;

	xy__task_set_state(task, XY__TASK_READY);
	if (__builtin_expect(watch && watch->ready, 0))
		watch->ready(watch->arg, task, xy_now(rt));
	if (agent->base.worker >= 0) {
		xy__inbox_push(rt, task, agent);
		return;
	}
	while (!xy__ring_put(&rt->inbox, task))
		xy__inbox_drain(rt, agent);
	xy__fence(); /* pairs with the fence of a worker going to sleep, and that of drain */
	if (xy__inbox_urgent(rt))
		xy__inbox_drain(rt, agent);
}

static inline bool xy__inbox_has(struct xy_runtime *rt)
{
	return xy__ring_has(&rt->inbox) || atomic_load_explicit(&rt->has_stranded, memory_order_relaxed);
}

/* --- wait.c: waiting for the runtime --- */

/* Tasks submitted and not ended. Exact when it is 0. */
uint64_t xy__runtime_live(struct xy_runtime *rt);
/* Tells the waiters to look; cheap when there are none. */
void xy__runtime_news(struct xy_runtime *rt);
/* Waits while too many tasks are in flight and some of them can run. */
void xy__runtime_room(struct xy_runtime *rt);
/* Some tasks have ended: tells those who wait for room if there is some. */
void xy__runtime_progress(struct xy_runtime *rt);
/* Waits until no task is left, or until nothing moves any more. */
void xy__runtime_settle(struct xy_runtime *rt);
void xy__runtime_fail(struct xy_runtime *rt, const struct xy_task *task, int status, const char *reason);
/* Nothing moves: every worker sleeps and nothing is in the inbox. Not while others submit. */
bool xy__runtime_at_rest(struct xy_runtime *rt);

/* --- src/engines/threads.c --- */

int xy__threads_start(struct xy_runtime *rt);
void xy__threads_stop(struct xy_runtime *rt);
/* Offers to others what this worker does not take soon, though it said that it would. */
void xy__threads_offer_rest(struct xy__worker *worker);
/* A task for a worker that has others under way; NULL if there is none at the moment. */
struct xy_task *xy__threads_try(struct xy__worker *worker);
/* The worker's next task; NULL when the runtime stops. */
struct xy_task *xy__threads_next(struct xy__worker *worker);

/* The worker has found a task and looks no more, so that offers travel again. */
void xy__threads_found(struct xy__worker *worker);

/* --- src/engines/sim.c: the same in virtual time, in whichever thread waits --- */

/* The machine that is simulated; and the memory nodes and links of it, for data. */
int xy__sim_create(struct xy_runtime *rt);
void xy__sim_nodes(struct xy_runtime *rt);
int xy__sim_bus(struct xy_runtime *rt);
int xy__sim_start(struct xy_runtime *rt);
void xy__sim_destroy(struct xy_runtime *rt);
double xy__sim_now_us(const struct xy_runtime *rt);
/* sim_wait.c: lets things happen until a condition holds; false when so many seconds (negative: any number) are over
 * before it does. */
bool xy__sim_until(struct xy_runtime *rt, bool (*holds)(void *arg), void *arg, double seconds);
/* Lets something happen: for somebody who looks himself whether he can go on. */
void xy__sim_wait(struct xy_runtime *rt);
/* Whether the calling thread lets things happen at present: nobody else may touch the tree. */
bool xy__sim_is_mine(const struct xy_runtime *rt);
/* The inbox is full. */
void xy__sim_drain(struct xy_runtime *rt);
/* A transfer took no time: somebody is to look at it. */
void xy__sim_arrived(struct xy_runtime *rt);
/* A worker has something to look at. */
void xy__sim_tell(struct xy_runtime *rt, unsigned worker);
/* The application has submitted a task. */
void xy__sim_submitted(struct xy_runtime *rt);
bool xy__sim_at_rest(struct xy_runtime *rt);
/* Tasks that workers submitted, less those that ended on them. */
int64_t xy__sim_live(const struct xy_runtime *rt);
/* How long a task takes, as the machine file says; none where it does not. */
struct xy_prediction xy__sim_length(struct xy_runtime *rt, const struct xy_task *task, unsigned worker);

/* --- worker.c --- */

/* The implementation to use, and the function of it. */
xy_function *xy__worker_choose(const struct xy__worker *worker, struct xy_task *task);
/* The task has run: it ends, or is tried again. */
void xy__worker_finish(struct xy__worker *worker, struct xy_task *task, int status);
/* Says why a task failed here, where more is known than a number. */
void xy__worker_explain(struct xy__worker *worker, const struct xy_task *task, int status, const char *reason);

/* Whether anybody wants to know when tasks begin and end. */
static inline bool xy__runtime_is_timed(const struct xy_runtime *rt)
{
	return rt->settings.profile || rt->settings.watch || rt->accounts;
}
/* The worker takes a task, or is done with one. */
void xy__worker_account(struct xy__worker *worker, const struct xy_task *task, bool done);
/* What the tree asks: the time, and when a worker will be free. */
double xy__runtime_now_us(struct xy__tree_engine *engine);
double xy__runtime_free_us(struct xy__tree_engine *engine, unsigned worker);
/* Tells who watches. */
void xy__worker_report(struct xy__worker *worker, const struct xy_task *task, int status, double begin_s,
		       double start_s, double end_s);

/* --- device.c --- */

/* Room for the tasks that a worker of a device has under way. 0 or -ENOMEM. */
int xy__device_init(struct xy__worker *worker);
/* The memory nodes are known. */
void xy__device_place(struct xy__worker *worker);
/* The life of a worker of a device. */
void xy__device_run(struct xy__worker *worker);
/* For an engine that waits elsewhere: goes on with what the worker has, takes more if there is something to take
 * and room for it; true if anything came of that. And whether there is room, and whether data is waited for. */
bool xy__device_go_on(struct xy__worker *worker);
bool xy__device_take(struct xy__worker *worker);
bool xy__device_has_room(const struct xy__worker *worker);
enum xy__device_wait { XY__WAITS_NOT, XY__WAITS_FOR_DATA, XY__WAITS_FOR_MEMORY };
enum xy__device_wait xy__device_waits(const struct xy__worker *worker);

/* The life of a worker: until the engine has no more tasks for it. */
void xy__worker_run(struct xy__worker *worker);

/* --- watchdog.c --- */

int xy__watchdog_start(struct xy_runtime *rt);
void xy__watchdog_stop(struct xy_runtime *rt);

#endif
