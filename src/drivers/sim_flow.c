/* SPDX-License-Identifier: MIT */
/*
 * Transfers in a simulation. Those of one channel, a device and a direction, run one after the other; concurrent ones
 * share the links of their routes: each link divides its bandwidth equally, and a transfer runs at its smallest share.
 * The latency of a route counts as additional bytes.
 */
#include <math.h>

#include "engines/sim.h"

static const struct xy__platform_route *flow_route(const struct xy__sim *sim, const struct xy_event *event)
{
	return xy__platform_route(sim->platform, event->from, event->to);
}

static void flow_count(struct xy__sim *sim, const struct xy_event *event, int by)
{
	const struct xy__platform_route *route = flow_route(sim, event);

	for (unsigned i = 0; i < route->nlinks; i++)
		sim->link_users[route->links[i]] += (unsigned)by;
}

static double flow_rate(const struct xy__sim *sim, const struct xy_event *event)
{
	const struct xy__platform_route *route = flow_route(sim, event);
	double rate = route->bytes_per_us;

	for (unsigned i = 0; i < route->nlinks; i++) {
		const struct xy__platform_link *link = &sim->platform->links[route->links[i]];

		rate = fmin(rate, link->bytes_per_us / sim->link_users[route->links[i]]);
	}
	return rate;
}

/* Accounts for the bytes moved since the last change, at the previous rates. */
static void flow_catch_up(struct xy__sim *sim)
{
	double now = xy__sim_time(sim), passed = now - sim->flows_at_us;

	for (unsigned i = 0; i < sim->nflows; i++)
		sim->flows[i]->left -= sim->flows[i]->rate * passed;
	sim->flows_at_us = now;
}

/* The rates from now on, and which transfer ends first. */
static void flow_share(struct xy__sim *sim)
{
	sim->flows_next_us = INFINITY;
	for (unsigned i = 0; i < sim->nflows; i++) {
		struct xy_event *event = sim->flows[i];

		event->rate = flow_rate(sim, event);
		sim->flows_next_us = fmin(sim->flows_next_us, sim->flows_at_us + fmax(event->left, 0) / event->rate);
	}
}

static void flow_start(struct xy__sim *sim, struct xy_event *event)
{
	sim->flows[sim->nflows++] = event;
	flow_count(sim, event, 1);
}

static struct xy__sim_channel *flow_channel(const struct xy__sim *sim, const struct xy_event *event)
{
	return &sim->channels[event->device * 3 + event->kind];
}

void xy__sim_flow_begin(struct xy__sim *sim, struct xy_event *event, double bytes)
{
	const struct xy__platform_route *route = flow_route(sim, event);
	struct xy__sim_channel *channel = flow_channel(sim, event);

	event->next = NULL;
	event->left = bytes + route->latency_us * route->bytes_per_us;
	if (channel->first) {
		channel->last->next = event;
		channel->last = event;
		return;
	}
	channel->first = channel->last = event;
	flow_catch_up(sim);
	flow_start(sim, event);
	flow_share(sim);
}

/* The transfer at i has arrived: the next of its channel begins. */
static void flow_end(struct xy__sim *sim, unsigned i)
{
	struct xy_event *event = sim->flows[i];
	struct xy__sim_channel *channel = flow_channel(sim, event);

	flow_count(sim, event, -1);
	sim->flows[i] = sim->flows[--sim->nflows];
	event->done = true;
	channel->first = event->next;
	if (channel->first)
		flow_start(sim, channel->first);
}

void xy__sim_flow_arrive(struct xy__sim *sim)
{
	const double nearly = 1e-6; /* of a byte: what is lost in rounding */
	unsigned i = 0;

	flow_catch_up(sim);
	while (i < sim->nflows)
		if (sim->flows[i]->left <= nearly + sim->flows[i]->rate * sim->flows_at_us * 1e-15)
			flow_end(sim, i);
		else
			i++;
	flow_share(sim);
}
