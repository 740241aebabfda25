/* SPDX-License-Identifier: MIT */
/* The fibres of an explored run: who goes on at which point. */
#include "engines/explore.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

enum { STACK_BYTES = 256 * 1024, MOST_UNBROKEN = 2000, MOST_STEPS = 300000, PARK_ONE_IN = 3, MOST_PARKED = 300 };

uint64_t xy__explore_random(struct xy__explore *e)
{
	struct xy_agent dice = { .random = e->random };
	uint64_t number = xy_agent_random(&dice);

	e->random = dice.random;
	return number;
}

static bool fibre_can_run(const struct xy__fibre *fibre)
{
	int word;

	if (fibre->state != XY__FIBRE_BLOCKED)
		return fibre->state == XY__FIBRE_READY;
	word = atomic_load(&((struct xy_lock *)fibre->lock)->word);
	return !word || word == XY__LOCK_WATCHED;
}

/* One of those that can run, but for the current one; the current one if there is none. */
static unsigned fibre_pick_ready(struct xy__explore *e, bool parked)
{
	unsigned found = e->current, n = 0;

	for (unsigned i = 0; i < e->nfibres; i++)
		if (i != e->current && fibre_can_run(&e->fibres[i]) &&
		    (parked || e->fibres[i].parked_until <= e->base.steps) && xy__explore_random(e) % ++n == 0)
			found = i;
	return found;
}

/*
 * One that can run and is not parked; without any, one that is; without any, one that waits for that; else the current
 * one.
 */
static unsigned fibre_pick(struct xy__explore *e, bool waiting)
{
	unsigned found = fibre_pick_ready(e, false), n;

	if (found == e->current)
		found = fibre_pick_ready(e, true);
	n = found != e->current;
	for (unsigned i = 0; !n && waiting && i < e->nfibres; i++)
		if (i != e->current && e->fibres[i].state == XY__FIBRE_WAITING)
			found = i;
	return found;
}

static void fibre_switch(struct xy__explore *e, unsigned to)
{
	struct xy__fibre *from = &e->fibres[e->current];

	from->agent = xy__agent_current;
	e->current = to;
	e->unbroken = 0;
	swapcontext(&from->context, &e->fibres[to].context);
	xy__agent_become(e->fibres[e->current].agent);
}

/* Back to the calling thread, which will not let anything else run. */
static void fibre_give_up(struct xy__explore *e)
{
	e->hangs = true;
	e->hung = e->current;
	if (e->current)
		fibre_switch(e, 0);
}

bool xy__explore_others(struct xy__explore *e)
{
	struct xy__fibre *self = &e->fibres[e->current];
	unsigned to = fibre_pick(e, false);

	if (e->hangs || to == e->current)
		return false;
	self->state = XY__FIBRE_WAITING;
	fibre_switch(e, to);
	self->state = XY__FIBRE_READY;
	return !e->hangs;
}

void xy__explore_leave(struct xy__explore *e)
{
	fibre_switch(e, fibre_pick(e, true));
}

static void explore_note(struct xy__explore *e, const struct xy_component *at, const char *where)
{
	e->history[e->base.steps++ % XY__EXPLORE_HISTORY] =
		(struct xy__step){ .fibre = e->current, .component = at, .where = where };
	if (e->step)
		e->step(e->step_arg, at, where);
}

void xy__explore_point(struct xy__explore *e, const struct xy_component *at, const char *where)
{
	bool tired = ++e->unbroken > MOST_UNBROKEN;
	unsigned to;

	if (e->hangs)
		return;
	explore_note(e, at, where);
	if (e->base.steps > MOST_STEPS) {
		fibre_give_up(e);
		return;
	}
	if (!tired && ((e->most_switches && e->switches >= e->most_switches) || xy__explore_random(e) % e->one_in))
		return;
	to = fibre_pick_ready(e, tired);
	if (to == e->current)
		return;
	e->switches++;
	/* Mostly for a moment; now and then so long that the others come to rest. */
	if (xy__explore_random(e) % PARK_ONE_IN == 0)
		e->fibres[e->current].parked_until = e->base.steps + xy__explore_random(e) % MOST_PARKED;
	fibre_switch(e, to);
}

/* --- fibres --- */

static void fibre_main(unsigned high, unsigned low)
{
	struct xy__explore *e = (struct xy__explore *)((uintptr_t)high << 32 | low);
	struct xy__fibre *self = &e->fibres[e->current];

	xy__agent_become(NULL);
	self->run(e->rt, self->i);
	self->state = XY__FIBRE_DONE;
	for (;;) /* at least the calling thread waits */
		fibre_switch(e, fibre_pick(e, true));
}

static int fibre_begin(struct xy__explore *e, struct xy__fibre *fibre)
{
	fibre->stack = malloc(STACK_BYTES);
	if (!fibre->stack || getcontext(&fibre->context))
		return -ENOMEM;
	fibre->context.uc_stack.ss_sp = fibre->stack;
	fibre->context.uc_stack.ss_size = STACK_BYTES;
	fibre->context.uc_link = NULL;
	makecontext(&fibre->context, (void (*)(void))fibre_main, 2, (unsigned)((uintptr_t)e >> 32),
		    (unsigned)(uintptr_t)e);
	fibre->state = XY__FIBRE_READY;
	return 0;
}

int xy__explore_party(struct xy__explore *e, void (*run)(struct xy_runtime *rt, unsigned i), unsigned i)
{
	struct xy__fibre *fibre = &e->fibres[e->nfibres];

	*fibre = (struct xy__fibre){ .run = run, .i = i };
	e->nfibres++;
	fibre->state = XY__FIBRE_DONE;
	return fibre_begin(e, fibre);
}

bool xy__explore_parties_done(const struct xy__explore *e)
{
	for (unsigned i = e->rt->nworkers + 1; i < e->nfibres; i++)
		if (e->fibres[i].state != XY__FIBRE_DONE)
			return false;
	return true;
}

const char *xy__explore_name(const struct xy__explore *e, unsigned fibre)
{
	if (fibre && fibre <= e->rt->nworkers)
		return xy_machine_worker(e->rt->machine, fibre - 1)->name;
	return fibre ? "application" : "main";
}

const struct xy_trail *xy__explore_trail(const struct xy__explore *e, unsigned fibre)
{
	const struct xy__agent *agent = fibre == e->current ? xy__agent_current : e->fibres[fibre].agent;

	if (fibre && fibre <= e->rt->nworkers)
		agent = &e->rt->workers[fibre - 1].agent;
	return agent ? agent->base.trail : NULL;
}
