/* SPDX-License-Identifier: MIT */
/*
 * Operations in flight in a simulation, and events at known times, the next one first. Simultaneous events are in the
 * order in which they were scheduled.
 */
#include <stdlib.h>

#include "engines/sim.h"

enum { BLOCK_EVENTS = 64, FIRST_MOMENTS = 64 };

/* --- events --- */

/* More of them; the lock is held. */
static bool events_add(struct xy__sim *sim)
{
	struct xy_event **blocks = realloc(sim->blocks, (sim->nblocks + 1) * sizeof *blocks);
	struct xy_event *block = blocks ? calloc(BLOCK_EVENTS, sizeof *block) : NULL;

	if (blocks)
		sim->blocks = blocks;
	if (!block)
		return false;
	sim->blocks[sim->nblocks++] = block;
	for (unsigned i = 0; i < BLOCK_EVENTS; i++) {
		block[i].next = sim->free;
		sim->free = &block[i];
	}
	return true;
}

/* The lock is held. */
static struct xy_event *event_take(struct xy__sim *sim)
{
	struct xy_event *event;

	if (!sim->free && !events_add(sim))
		return NULL;
	event = sim->free;
	sim->free = event->next;
	event->done = false;
	return event;
}

struct xy_event *xy__sim_event(struct xy__sim *sim)
{
	struct xy_event *event;

	xy__lock_take(&sim->lock);
	event = event_take(sim);
	xy__lock_drop(&sim->lock);
	return event;
}

void xy__sim_event_free(struct xy__sim *sim, struct xy_event *event)
{
	xy__lock_take(&sim->lock);
	event->next = sim->free;
	sim->free = event;
	xy__lock_drop(&sim->lock);
}

/* --- moments --- */

static bool moment_before(const struct xy__sim_moment *a, const struct xy__sim_moment *b)
{
	return a->at_us != b->at_us ? a->at_us < b->at_us : a->number < b->number;
}

static bool moments_reserve(struct xy__sim *sim)
{
	unsigned capacity = sim->capacity ? 2 * sim->capacity : FIRST_MOMENTS;
	struct xy__sim_moment *moments;

	if (sim->nmoments < sim->capacity)
		return true;
	moments = realloc(sim->moments, capacity * sizeof *moments);
	if (!moments)
		return false;
	sim->moments = moments;
	sim->capacity = capacity;
	return true;
}

static void moments_insert(struct xy__sim *sim, struct xy__sim_moment moment)
{
	unsigned i = sim->nmoments++;

	while (i && moment_before(&moment, &sim->moments[(i - 1) / 2])) {
		sim->moments[i] = sim->moments[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	sim->moments[i] = moment;
}

struct xy__sim_moment xy__sim_moment_take(struct xy__sim *sim)
{
	struct xy__sim_moment first = sim->moments[0], last = sim->moments[--sim->nmoments];
	unsigned i = 0, child;

	while ((child = 2 * i + 1) < sim->nmoments) {
		if (child + 1 < sim->nmoments && moment_before(&sim->moments[child + 1], &sim->moments[child]))
			child++;
		if (!moment_before(&sim->moments[child], &last))
			break;
		sim->moments[i] = sim->moments[child];
		i = child;
	}
	sim->moments[i] = last;
	return first;
}

struct xy_event *xy__sim_event_at(struct xy__sim *sim, double at_us, unsigned worker)
{
	struct xy_event *event = NULL;

	xy__lock_take(&sim->lock);
	if (moments_reserve(sim))
		event = event_take(sim);
	if (event)
		moments_insert(sim, (struct xy__sim_moment){ at_us, sim->nnumbers++, worker, event });
	xy__lock_drop(&sim->lock);
	return event;
}
