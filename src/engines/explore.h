/* SPDX-License-Identifier: MIT */
/*
 * The engine that explores interleavings: each worker, and each thread of the application, is a fibre; all run in the
 * calling thread, one at a time. A fibre gives way at the points of the component interface that the audit calls, when
 * it waits for a lock, and when its worker sleeps; a seed decides to whom. So a run is a function of its seed.
 *
 * Everything is (o): of the calling thread.
 */
#ifndef XYLEM_ENGINES_EXPLORE_H
#define XYLEM_ENGINES_EXPLORE_H

#include <ucontext.h>
#include "core/runtime/engine.h"
#include "core/tree/audit.h"

enum { XY__EXPLORE_HISTORY = 32, XY__EXPLORE_PARTIES = 2 };

enum xy__fibre_state {
	XY__FIBRE_READY,
	XY__FIBRE_ASLEEP,  /* its worker sleeps */
	XY__FIBRE_BLOCKED, /* waits for a lock */
	XY__FIBRE_WAITING, /* waits until nothing else runs */
	XY__FIBRE_DONE
};

struct xy__fibre {
	ucontext_t context;
	void *stack; /* NULL: that of the calling thread */
	enum xy__fibre_state state;
	unsigned long long parked_until; /* a step; before it others go on, if any can */
	const struct xy_lock *lock;      /* it is blocked for, ... */
	struct xy_component *lock_of;    /* ... and whose that is */
	struct xy__agent *agent;         /* that its thread-local is while it does not run */
	void (*run)(struct xy_runtime *rt, unsigned i);
	unsigned i; /* of the worker, or of the application's thread */
};

struct xy__step {
	unsigned fibre;
	const struct xy_component *component;
	const char *where;
};

/* Fibre 0 is the calling thread, then the workers, then the application's threads. */
struct xy__explore {
	struct xy__explorer base;
	struct xy_runtime *rt;
	uint64_t random;
	struct xy__fibre *fibres;
	unsigned nfibres, current;
	unsigned one_in;   /* points at which another fibre goes on */
	unsigned switches; /* so far, and at most: 0 is no limit */
	unsigned most_switches;
	unsigned unbroken; /* points since the last one */
	bool hangs;        /* given up: no fibre but the first runs again */
	unsigned hung;     /* ... because of this one */
	unsigned nticks;   /* calls of ticks */
	unsigned fails;    /* one in so many runs of a task fails; 0: none */
	double skipped_us; /* time that passed without a step, until a tick */
	void *arg;         /* for the functions of its parties */
	struct xy__step history[XY__EXPLORE_HISTORY];
	void (*step)(void *step_arg, const struct xy_component *at, const char *where);
	void *step_arg;
};

extern const struct xy__engine_ops xy__explore_engine;

uint64_t xy__explore_random(struct xy__explore *e);
/* A fibre of the application, which begins when others give way. 0 or -ENOMEM. */
int xy__explore_party(struct xy__explore *e, void (*run)(struct xy_runtime *rt, unsigned i), unsigned i);
/* Whether all fibres of the application are done. */
bool xy__explore_parties_done(const struct xy__explore *e);
/* Lets others run until none can; false once the run is given up. */
bool xy__explore_others(struct xy__explore *e);
/* The current fibre can't go on: another does. The calling thread waits at least. */
void xy__explore_leave(struct xy__explore *e);
/* Another fibre may go on here. */
void xy__explore_point(struct xy__explore *e, const struct xy_component *at, const char *where);
/* The name of a fibre. */
const char *xy__explore_name(const struct xy__explore *e, unsigned fibre);
/* The trail of a fibre, or NULL. */
const struct xy_trail *xy__explore_trail(const struct xy__explore *e, unsigned fibre);

#endif
