/* SPDX-License-Identifier: MIT */
/*
 * The source of a transfer. Without figures of the bus: RAM if the content is there, else the near device from which
 * the fewest bytes are leaving.
 */
#include <math.h>

#include "core/data/source.h"
#include "core/data/transfer.h"
#include "core/runtime/engine.h"
#include "core/runtime/runtime.h"

static struct xy__node *source_node(const struct xy_handle *h, unsigned node)
{
	return &h->runtime->memory.nodes[node];
}

bool xy__source_reaches(const struct xy_handle *h, unsigned from, unsigned to)
{
	return source_node(h, from)->ram || source_node(h, to)->ram || (source_node(h, to)->peers & xy__bit(from));
}

static size_t source_leaving(const struct xy_handle *h, unsigned node)
{
	return atomic_load_explicit(&source_node(h, node)->leaving, memory_order_relaxed);
}

double xy__source_us(const struct xy_handle *h, unsigned from, unsigned to)
{
	const struct xy__bus *bus = &h->runtime->bus;
	double us;

	return bus->links && xy__bus_time(bus, from, to, h->size_bytes + source_leaving(h, from), &us) ? us : 0;
}

/* When the content would be there, from now on: INFINITY if that is unknown. */
static double source_arrival_us(const struct xy_handle *h, unsigned from, unsigned to, bool coming)
{
	double us = xy__source_us(h, from, to);

	if (!(us > 0))
		return INFINITY;
	if (coming)
		us += fmax(h->copies->on[from]->arrives_us - h->runtime->engine->now(h->runtime) * 1e6, 0);
	return us;
}

/* RAM, or the device from which the fewest bytes leave; disks last. */
static unsigned source_guess(const struct xy_handle *h, uint64_t valid, unsigned to)
{
	const struct xy__memory *memory = &h->runtime->memory;
	uint64_t near = valid & source_node(h, to)->peers, disk = memory->disk ? xy__bit(memory->disk) : 0;
	uint64_t nodes = near ? near : valid & ~disk ? valid & ~disk : valid;
	unsigned best = (unsigned)__builtin_ctzll(nodes);

	for (unsigned i = 0; valid >> i; i++)
		if ((valid >> i & 1) && source_node(h, i)->ram)
			return i;
	for (unsigned i = best + 1; i < XY__NNODES && nodes >> i; i++)
		if ((nodes >> i & 1) && source_leaving(h, i) < source_leaving(h, best))
			best = i;
	return best;
}

/*
 * Whether a device is sending the content to another one that reaches `to` as fast: a second transfer would slow down
 * the first, and end no sooner than one that follows it.
 */
static bool source_is_sending(const struct xy_handle *h, unsigned from, unsigned to)
{
	const struct xy__bus *bus = &h->runtime->bus;
	double direct_us, relay_us;

	if (source_node(h, from)->ram || source_node(h, to)->ram ||
	    !xy__bus_time(bus, from, to, h->size_bytes, &direct_us))
		return false;
	for (const struct xy__transfer *t = h->copies->transfers; t; t = t->sibling)
		if (!t->stale && t->from == from && !source_node(h, t->to)->ram && xy__source_reaches(h, t->to, to) &&
		    xy__bus_time(bus, t->to, to, h->size_bytes, &relay_us) && relay_us <= direct_us)
			return true;
	return false;
}

unsigned xy__source_choose(struct xy_handle *h, uint64_t valid, uint64_t coming, unsigned to)
{
	uint64_t nodes = valid | coming;
	unsigned best = 0;
	double best_us = INFINITY;

	for (unsigned i = 0; i < XY__NNODES && nodes >> i; i++) {
		double us;

		if (!(nodes >> i & 1) || !xy__source_reaches(h, i, to))
			continue;
		us = source_arrival_us(h, i, to, !(valid >> i & 1));
		if (us < best_us && !((valid >> i & 1) && source_is_sending(h, i, to))) {
			best = i;
			best_us = us;
		}
	}
	return isinf(best_us) ? source_guess(h, valid, to) : best;
}

uint64_t xy__source_relay(const struct xy_handle *h, unsigned from, uint64_t waiting)
{
	unsigned first = (unsigned)__builtin_ctzll(waiting);
	uint64_t relayed = 0;

	for (unsigned i = first + 1; i < XY__NNODES && waiting >> i; i++) {
		double relay_us = xy__source_us(h, first, i);

		if ((waiting >> i & 1) && !source_node(h, first)->ram && xy__source_reaches(h, first, i) &&
		    relay_us > 0 && relay_us <= xy__source_us(h, from, i))
			relayed |= xy__bit(i);
	}
	return relayed;
}
