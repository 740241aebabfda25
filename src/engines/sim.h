/* SPDX-License-Identifier: MIT */
/*
 * Private parts of a simulation: the clock, pending events, and which workers have something to look at.
 * A waiting thread runs the simulation; one thread at a time does, and no other touches the tree and the workers:
 * tasks that become ready elsewhere stay in the inbox. Time stands still while the application is at work.
 *
 * Locking key: (c) constant, (p) the pumping thread, (l) lock: application threads may start transfers while another
 * one pumps, (a) atomic.
 */
#ifndef XYLEM_ENGINES_SIM_H
#define XYLEM_ENGINES_SIM_H

#include "core/machine/platform.h"
#include "core/runtime/engine.h"
#include "core/util/buffer.h"

struct xy__sim;

/* A memory node, as its driver sees it. */
struct xy_device {
	struct xy__sim *sim;
	unsigned node;
	_Atomic uintptr_t next_address; /* (a) of inaccessible memory */
};

/* A kernel or a transfer in flight. */
struct xy_event {
	struct xy_event *next;   /* (l) free, or behind it in its channel */
	bool done;               /* (l) */
	unsigned from, to, kind; /* of a transfer: its route, and which channel of the device it is in */
	unsigned device;
	double left, rate; /* (l) bytes, and bytes per microsecond at present */
};

/* Something that happens at a known time: a kernel ends. */
struct xy__sim_moment {
	double at_us;
	uint64_t number; /* the order among equals */
	unsigned worker;
	struct xy_event *event;
};

/* Transfers of one kind on one device, one after the other. */
struct xy__sim_channel {
	struct xy_event *first, *last; /* (l) the first is in flight */
};

struct xy__sim {
	struct xy_runtime *runtime;    /* (c) */
	struct xy__platform *platform; /* (c) */
	struct xy_device *devices;     /* (c) by node */
	_Atomic int lock;
	_Atomic unsigned turns, turn; /* (a) threads that came to pump, and which one's turn it is */
	_Atomic uintptr_t pumping;    /* (a) the thread that is, 0: none */
	_Atomic double now_us;        /* (p) to write */

	struct xy__sim_moment *moments; /* (l) a heap: the next one first */
	unsigned nmoments, capacity;    /* (l) */
	uint64_t nnumbers;              /* (l) moments so far */
	struct xy_event *free;          /* (l) */
	struct xy_event **blocks;       /* (l) their memory */
	unsigned nblocks;

	unsigned *queue;                   /* (l) workers that have something to look at, a ring */
	unsigned queue_first, queue_count; /* (l) */
	_Atomic uint64_t *asleep;          /* (a) a bit for each worker */
	bool *queued;                      /* (l) by worker */
	uint8_t *waits;                    /* (p) by worker: enum xy__slots_wait */
	unsigned *waiters, nwaiters;       /* (p) those that do */
	unsigned nhungry;                  /* (p) those of them that wait for memory */
	_Atomic bool arrived;              /* (a) transfers have ended without notice */
	bool news;                         /* (p) something has ended */
	double *busy_until_us;             /* (l) by worker: when its device has done what was launched */
	bool retried;                      /* (p) waiting tasks have looked in vain */
	_Atomic unsigned ticks_in_vain;    /* (p) to write: ticks since a worker did something */
	bool halted_inside;                /* (p) trees are exchanged in the middle of what happens */
	_Atomic int64_t live;              /* (p) to write: tasks that workers submitted, less those ended */
	_Atomic bool stuck;                /* (a) it was said that nothing can happen any more */
	_Atomic bool lacks_duration;       /* (a) it was said that a task has no duration */
	bool abandoned;                    /* (p) it was said that a component keeps a lock */

	struct xy__sim_channel *channels; /* (l) three for each node */
	struct xy_event **flows;          /* (l) transfers in flight */
	unsigned nflows;                  /* (l) */
	unsigned *link_users;             /* (l) by link */
	double flows_at_us;               /* (l) when `left` was true */
	double flows_next_us;             /* (l) when the first of them ends, if nothing changes */
};

/* --- src/engines/sim.c --- */

/* A worker has something to look at. The lock is held. */
void xy__sim_call(struct xy__sim *sim, unsigned worker);
/* Runs one event, not after until_us; false without one. By the pumping thread, like the next two. */
bool xy__sim_happen(struct xy__sim *sim, double until_us);
/* Only advances time. */
bool xy__sim_go_on(struct xy__sim *sim, double until_us);
/* Moves tasks that application threads have put into the inbox to the tree. */
void xy__sim_drain_now(struct xy__sim *sim);
/* Whether an event is pending, or a tick that may move a task. */
bool xy__sim_has_future(struct xy__sim *sim);
/* When the next event is, without ticks; INFINITY: none is pending. */
double xy__sim_next_us(struct xy__sim *sim);

/* --- src/engines/sim_tick.c; by the pumping thread --- */

/* When the next tick is, INFINITY without one. */
double xy__sim_tick_us(struct xy__sim *sim);
bool xy__sim_tick_may_move(struct xy__sim *sim);
/* Calls the ticks that are due next, not after until_us, unless something else happens before; false without one. */
bool xy__sim_tick(struct xy__sim *sim, double until_us);

/* --- src/engines/sim_machine.c, as struct xy__engine_ops says --- */

int xy__sim_open(struct xy_runtime *rt);
void xy__sim_place(struct xy_runtime *rt);
int xy__sim_bus(struct xy_runtime *rt);
void xy__sim_close(struct xy_runtime *rt);
/* Writes the workers, memories and links of a runtime as a machine file, which `sim` of the settings may be, too; false
 * if that can't be, as transfer times are unknown, say. */
bool xy__sim_describe(const struct xy_runtime *rt, struct xy__buffer *file);
struct xy_prediction xy__sim_length(struct xy_runtime *rt, const struct xy_task *task, unsigned worker);

/* --- src/engines/sim_wait.c, as struct xy__engine_ops says --- */

bool xy__sim_wait_until(struct xy_runtime *rt, const struct xy__condition *condition, double seconds);
void xy__sim_pause(struct xy_runtime *rt, unsigned *rounds);
void xy__sim_drain(struct xy_runtime *rt, struct xy__agent *agent);
void xy__sim_submitted(struct xy_runtime *rt);
int xy__sim_ticks(struct xy_runtime *rt);
int xy__sim_halt(struct xy_runtime *rt, struct xy__agent *by);
void xy__sim_resume(struct xy_runtime *rt, struct xy__agent *by);
bool xy__sim_abandoned(struct xy__tree_engine *engine, struct xy_component *component, int word);

/* --- src/engines/sim_event.c --- */

/* The next moment; there is one, and the lock is held. */
struct xy__sim_moment xy__sim_moment_take(struct xy__sim *sim);
/* An event at a known time; NULL without memory. The lock is not held. */
struct xy_event *xy__sim_event_at(struct xy__sim *sim, double at_us, unsigned worker);
struct xy_event *xy__sim_event(struct xy__sim *sim);
void xy__sim_event_free(struct xy__sim *sim, struct xy_event *event);

static inline double xy__sim_time(const struct xy__sim *sim)
{
	return atomic_load_explicit(&((struct xy__sim *)sim)->now_us, memory_order_relaxed);
}

/* --- src/drivers/sim.c --- */

extern const struct xy_driver xy__sim_driver;

/* --- src/drivers/sim_flow.c: transfers that share links --- */

/* Starts a transfer of these bytes, in the order of its channel. The lock is held. */
void xy__sim_flow_begin(struct xy__sim *sim, struct xy_event *event, double bytes);
/* Ends those that have arrived at flows_next_us, which is now. The lock is held. */
void xy__sim_flow_arrive(struct xy__sim *sim);

#endif
