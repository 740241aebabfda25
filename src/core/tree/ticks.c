/* SPDX-License-Identifier: MIT */
/* Ticks: a binary heap of components by time, and by their numbers at equal times, so that runs are reproducible. */
#include "core/tree/ticks.h"
#include "core/tree/lock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "core/tree/tree.h"
#include "core/util/futex.h"

#define SOONEST_US 1.0 /* from now: a component that asks for no delay must not stop virtual time */

int xy__ticks_init(struct xy__ticks *ticks, unsigned count)
{
	xy__ticks_fini(ticks);
	atomic_store_explicit(&ticks->next_us, INFINITY, memory_order_relaxed);
	if (!count)
		return 0;
	ticks->line = malloc(count * sizeof(struct xy_component *));
	return ticks->line ? 0 : -ENOMEM;
}

void xy__ticks_fini(struct xy__ticks *ticks)
{
	free(ticks->line);
	ticks->line = NULL;
	ticks->count = 0;
}

/* --- the heap; the lock is held --- */

static bool tick_before(const struct xy_component *a, const struct xy_component *b)
{
	return a->tick_us != b->tick_us ? a->tick_us < b->tick_us : a->id < b->id;
}

static void tick_put(struct xy__ticks *ticks, unsigned i, struct xy_component *c)
{
	ticks->line[i] = c;
	c->tick_place = i + 1;
}

/* Moves a component up from a place that is free. */
static void tick_rise(struct xy__ticks *ticks, unsigned i, struct xy_component *c)
{
	while (i && tick_before(c, ticks->line[(i - 1) / 2])) {
		tick_put(ticks, i, ticks->line[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	tick_put(ticks, i, c);
}

static void tick_remove_first(struct xy__ticks *ticks)
{
	struct xy_component *last = ticks->line[--ticks->count];
	unsigned i = 0, child;

	ticks->line[0]->tick_place = 0;
	if (!ticks->count)
		return;
	while ((child = 2 * i + 1) < ticks->count) {
		if (child + 1 < ticks->count && tick_before(ticks->line[child + 1], ticks->line[child]))
			child++;
		if (!tick_before(ticks->line[child], last))
			break;
		tick_put(ticks, i, ticks->line[child]);
		i = child;
	}
	tick_put(ticks, i, last);
}

/* For those that look without the lock. */
static void ticks_publish(struct xy__ticks *ticks)
{
	atomic_store(&ticks->next_us, ticks->count ? ticks->line[0]->tick_us : INFINITY);
}

/* --- asking --- */

void xy_component_at(struct xy_component *self, double when_us)
{
	struct xy_tree *tree = self->tree;
	struct xy__ticks *ticks = &tree->ticks;
	double soonest_us = xy_component_now_us(self) + SOONEST_US;
	bool earlier = false;

	if (!self->ops->tick || !(when_us < INFINITY))
		return;
	if (when_us < soonest_us)
		when_us = soonest_us;
	xy__lock_take(&ticks->lock);
	if (!self->tick_place || when_us < self->tick_us) {
		unsigned place = self->tick_place ? self->tick_place - 1 : ticks->count++;

		self->tick_us = when_us;
		tick_rise(ticks, place, self);
		earlier = self->tick_place == 1;
		ticks_publish(ticks);
	}
	xy__lock_drop(&ticks->lock);
	if (earlier && tree->engine && tree->engine->alarm)
		tree->engine->alarm(tree->engine);
}

/* --- calling --- */

double xy__ticks_next_us(struct xy_tree *tree)
{
	return tree->hooks.have & XY__HOOK_TICK ? atomic_load(&tree->ticks.next_us) : INFINITY;
}

/* Takes the first one if it is due; NULL if not. It counts as begun before it leaves the line. */
static struct xy_component *tick_take(struct xy__ticks *ticks, double now_us)
{
	struct xy_component *first = NULL;

	xy__lock_take(&ticks->lock);
	if (ticks->count && ticks->line[0]->tick_us <= now_us) {
		first = ticks->line[0];
		atomic_fetch_add(&ticks->begun, 1);
		tick_remove_first(ticks);
		ticks_publish(ticks);
	}
	xy__lock_drop(&ticks->lock);
	return first;
}

bool xy__ticks_run(struct xy_tree *tree, struct xy_agent *by)
{
	struct xy__ticks *ticks = &tree->ticks;
	double now_us = tree->engine && tree->engine->now_us ? tree->engine->now_us(tree->engine) : 0;
	struct xy_component *c;
	bool any = false;

	if (xy__ticks_next_us(tree) > now_us)
		return false;
	/* A component that asks again is due a microsecond later at least, so this ends. */
	while ((c = tick_take(ticks, now_us))) {
		by->verb = XY__VERB_TICK;
		c->verbs->tick(c, by);
		atomic_fetch_add(&ticks->ended, 1);
		any = true;
	}
	return any;
}

/* Whether a component stores tasks. */
static bool ticks_tree_stores(struct xy_tree *tree)
{
	for (unsigned i = 0; i < tree->ncomponents; i++) {
		struct xy_component *c = tree->components[i];
		size_t peak;

		if (c->ops->depth && c->ops->depth(c, &peak))
			return true;
	}
	return false;
}

bool xy__ticks_may_move(struct xy_tree *tree)
{
	struct xy__ticks *ticks = &tree->ticks;
	unsigned ended;

	if (!(tree->hooks.have & XY__HOOK_TICK))
		return false;
	/* In this order: a tick that begins meanwhile is seen, as it may move a task from where it is looked for next
	 * to where it was looked for before. */
	ended = atomic_load(&ticks->ended);
	if (isinf(atomic_load(&ticks->next_us)) && atomic_load(&ticks->begun) == ended)
		return false;
	return atomic_load(&ticks->begun) != ended || ticks_tree_stores(tree) || atomic_load(&ticks->begun) != ended;
}
