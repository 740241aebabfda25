/* SPDX-License-Identifier: MIT */
/*
 * Tracks what depends on the tasks given to slow workers. While one of those runs, its descendants can't start; so the
 * others must have enough independent work, or they run out of it. Sets are those of the view; what was held when the
 * view was made is mapped to its places.
 */
#include <string.h>
#include <stdlib.h>

#include "components/cambium/cambium.h"

enum { WORD = 64 };

static void hold_add(uint64_t *set, const uint64_t *other, unsigned words)
{
	for (unsigned i = 0; i < words; i++)
		set[i] |= other[i];
}

/* All that waits for what slow workers run. */
static void hold_gather(struct xy__cambium *c, double now_us)
{
	memset(c->held, 0, c->words * sizeof *c->held);
	if (c->carried_until_us > now_us)
		hold_add(c->held, c->carried, c->words);
	for (unsigned i = 0; i < c->base.nworkers; i++) {
		uint32_t node = c->holds[c->base.workers[i]];

		if (node)
			hold_add(c->held, &c->view.sets[(size_t)(node - 1) * c->words], c->words);
	}
	c->held_is_known = true;
}

double xy__cambium_free_us(struct xy__cambium *c, const struct xy_task *task, double now_us)
{
	const struct xy__cambium_node *node = xy__cambium_find(&c->view, task);
	const uint64_t *set = node ? &c->view.sets[(size_t)(node - c->view.nodes) * c->words] : c->held;
	double free_us = 0;
	unsigned at = 0;

	if (!c->words)
		return 0;
	if (!c->held_is_known)
		hold_gather(c, now_us);
	for (unsigned i = 0; i < c->ntypes; i++) {
		unsigned count = 0;

		for (unsigned end = at + c->types[i].words; at < end; at++)
			count += (unsigned)__builtin_popcountll(c->present[at] & ~c->held[at] & ~set[at]);
		free_us += count * c->types[i].price_us;
	}
	return free_us;
}

void xy__cambium_hold(struct xy__cambium *c, const struct xy_task *task, unsigned worker, bool slow)
{
	const struct xy__cambium_node *node = xy__cambium_find(&c->view, task);
	unsigned index = node ? (unsigned)(node - c->view.nodes) : 0;

	if (slow || c->holds[worker])
		c->held_is_known = false;
	c->holds[worker] = slow && node && c->words ? index + 1 : 0;
	if (node && node->type < XY__CAMBIUM_NOTYPE && c->words)
		c->present[c->view.links[index].place / WORD] &= ~((uint64_t)1 << c->view.links[index].place % WORD);
}

static bool hold_reserve(struct xy__cambium *c, unsigned words)
{
	uint64_t *sets;

	if (words <= c->hold_room)
		return true;
	sets = realloc(c->present, 3 * (size_t)words * sizeof *sets);
	if (!sets)
		return false;
	c->present = sets;
	c->hold_room = words;
	return true;
}

/* Where a node of the view before is now, its bit is set. */
static void hold_carry(struct xy__cambium *c, const uint64_t *held)
{
	for (unsigned i = 0; i < c->old.n; i++) {
		const struct xy__cambium_node *node = &c->old.nodes[i], *now;
		unsigned place = c->old.links[i].place;

		if (node->begun || node->type >= XY__CAMBIUM_NOTYPE || !(held[place / WORD] >> place % WORD & 1))
			continue;
		now = xy__cambium_find(&c->view, node->task);
		if (now && now->generation == node->generation && now->type < XY__CAMBIUM_NOTYPE) {
			place = c->view.links[now - c->view.nodes].place;
			c->carried[place / WORD] |= (uint64_t)1 << place % WORD;
		}
	}
}

void xy__cambium_hold_anew(struct xy__cambium *c, uint64_t *held, unsigned words)
{
	double until_us = 0;

	for (unsigned i = 0; i < c->base.nworkers; i++) {
		unsigned worker = c->base.workers[i];

		if (c->holds[worker] && c->ends_us[worker] > until_us)
			until_us = c->ends_us[worker];
		c->holds[worker] = 0;
	}
	c->words = hold_reserve(c, words) ? words : 0;
	c->held_is_known = false;
	if (!c->words)
		return;
	c->held = c->present + c->words;
	c->carried = c->held + c->words;
	memset(c->present, 0, 3 * (size_t)c->words * sizeof *c->present);
	for (unsigned i = 0; i < c->view.n; i++)
		if (c->view.nodes[i].type < XY__CAMBIUM_NOTYPE)
			c->present[c->view.links[i].place / WORD] |= (uint64_t)1 << c->view.links[i].place % WORD;
	if (held)
		hold_carry(c, held);
	if (until_us > c->carried_until_us)
		c->carried_until_us = until_us;
}

uint64_t *xy__cambium_held(struct xy__cambium *c, double now_us)
{
	uint64_t *held;

	if (!c->words)
		return NULL;
	hold_gather(c, now_us);
	held = malloc(c->words * sizeof *held);
	return held ? memcpy(held, c->held, c->words * sizeof *held) : NULL;
}
