/* SPDX-License-Identifier: MIT */
/*
 * Devices in an order that is given: each may be left out, none may go before an earlier one. What is left
 * to do depends only on how many layers are done and which device is next, so both objectives are small
 * dynamic programs from the end.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "pipeline/pipeline.h"

/* The best way on from a state: its cost, then its number of stages. */
struct order_rest {
	double cost; /* INFINITY: no schedule */
	unsigned stages;
};

struct order {
	const struct pipeline_table *table;
	const struct pipeline_device *devices;
	unsigned ndevices, nlayers;
	double bottleneck;
	struct order_rest *rests; /* by next device (throughput) or this device (latency), layers done */
};

static struct order_rest *order_rest(const struct order *order, unsigned device, unsigned behind)
{
	return &order->rests[(size_t)device * (order->nlayers + 1) + behind];
}

static bool order_is_better(struct order_rest a, struct order_rest b)
{
	return a.cost < b.cost || (a.cost == b.cost && a.cost < INFINITY && a.stages < b.stages);
}

static int order_init(struct order *order, const struct pipeline_table *table, const struct pipeline_device *devices,
		      unsigned ndevices)
{
	size_t n = (size_t)(ndevices + 1) * (table->nlayers + 1);

	*order = (struct order){
		.table = table,
		.devices = devices,
		.ndevices = ndevices,
		.nlayers = table->nlayers,
	};
	if (n > PIPELINE_MEMORY_MAX / 2 / sizeof(order->rests[0]))
		return -E2BIG;
	order->rests = malloc(n * sizeof(order->rests[0]));
	return order->rests ? 0 : -ENOMEM;
}

static void order_add(struct pipeline_schedule *schedule, struct pipeline_device device, unsigned last)
{
	pipeline_schedule_add(schedule, device.type, last);
	schedule->stages[schedule->nstages - 1].host = device.host;
}

/* --- throughput: the cost of a rest is 0 if it keeps to the bottleneck --- */

/* A stage on a device, and what follows with later ones. */
static struct order_rest order_stage(const struct order *order, unsigned device, unsigned behind, unsigned last)
{
	struct order_rest rest = *order_rest(order, device + 1, last);

	if (!(pipeline_table_weight(order->table, order->devices[device].type, behind, last) <= order->bottleneck))
		rest.cost = INFINITY;
	rest.stages++;
	return rest;
}

static bool order_keeps(struct order *order, double bottleneck)
{
	unsigned n = order->nlayers;

	order->bottleneck = bottleneck;
	for (unsigned behind = 0; behind <= n; behind++)
		*order_rest(order, order->ndevices, behind) = (struct order_rest){ behind < n ? INFINITY : 0, 0 };
	for (unsigned d = order->ndevices; d-- > 0;)
		for (unsigned behind = 0; behind <= n; behind++) {
			struct order_rest best = *order_rest(order, d + 1, behind);

			for (unsigned last = behind + 1; last <= n; last++) {
				struct order_rest rest = order_stage(order, d, behind, last);

				if (order_is_better(rest, best))
					best = rest;
			}
			*order_rest(order, d, behind) = best;
		}
	return order_rest(order, 0, 0)->cost < INFINITY;
}

/* The stages with the fewest of them, then the first devices, then the smallest last layers. */
static void order_collect(const struct order *order, struct pipeline_schedule *schedule)
{
	unsigned behind = 0, stages = order_rest(order, 0, 0)->stages;

	for (unsigned d = 0; d < order->ndevices; d++)
		for (unsigned last = behind + 1; last <= order->nlayers; last++) {
			struct order_rest rest = order_stage(order, d, behind, last);

			if (rest.cost == INFINITY || rest.stages != stages)
				continue;
			order_add(schedule, order->devices[d], last);
			behind = last;
			stages--;
			break;
		}
}

int pipeline_order(const struct pipeline_table *table, const struct pipeline_device *devices, unsigned ndevices,
		   struct pipeline_schedule *schedule)
{
	size_t n, low = 0, high;
	double *candidates;
	struct order order;
	int error;

	schedule->nstages = 0;
	error = order_init(&order, table, devices, ndevices);
	if (error)
		return error;
	candidates = pipeline_table_candidates(table, &n);
	if (!candidates) {
		free(order.rests);
		return -ENOMEM;
	}
	for (high = n; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (order_keeps(&order, candidates[middle]))
			high = middle;
		else
			low = middle + 1;
	}
	if (low < n && order_keeps(&order, candidates[low]))
		order_collect(&order, schedule);
	free(candidates);
	free(order.rests);
	return 0;
}

/* --- latency: a rest begins with a stage on its device --- */

static double order_comm(const struct order *order, unsigned layer, unsigned a, unsigned b)
{
	return fmax(pipeline_table_link(order->table, order->devices[a].type, layer),
		    pipeline_table_link(order->table, order->devices[b].type, layer));
}

/* The best next device for the layers behind one, or ndevices; its cost with the way to it in *rest. */
static unsigned order_next(const struct order *order, unsigned device, unsigned layer, struct order_rest *rest)
{
	unsigned best = order->ndevices;

	*rest = (struct order_rest){ layer < order->nlayers ? INFINITY : 0, 0 };
	for (unsigned d = device + 1; layer < order->nlayers && d < order->ndevices; d++) {
		struct order_rest way = *order_rest(order, d, layer);

		way.cost += order_comm(order, layer, device, d);
		if (!order_is_better(way, *rest))
			continue;
		*rest = way;
		best = d;
	}
	return best;
}

static struct order_rest order_begin(const struct order *order, unsigned device, unsigned behind, unsigned *best_last)
{
	struct order_rest best = { INFINITY, 0 };

	for (unsigned last = behind + 1; last <= order->nlayers; last++) {
		struct order_rest rest;

		order_next(order, device, last, &rest);
		rest.cost += pipeline_table_compute(order->table, order->devices[device].type, behind, last);
		rest.stages++;
		if (!order_is_better(rest, best))
			continue;
		best = rest;
		*best_last = last;
	}
	return best;
}

int pipeline_order_latency(const struct pipeline_table *table, const struct pipeline_device *devices, unsigned ndevices,
			   struct pipeline_schedule *schedule)
{
	unsigned device = 0, last = 0, behind = 0;
	struct order_rest rest;
	struct order order;
	int error;

	schedule->nstages = 0;
	error = order_init(&order, table, devices, ndevices);
	if (error)
		return error;
	for (unsigned d = ndevices; d-- > 0;)
		for (unsigned i = 0; i < order.nlayers; i++)
			*order_rest(&order, d, i) = order_begin(&order, d, i, &last);
	for (unsigned d = 1; d < ndevices; d++)
		if (order_is_better(*order_rest(&order, d, 0), *order_rest(&order, device, 0)))
			device = d;
	if (!ndevices || order_rest(&order, device, 0)->cost == INFINITY)
		device = ndevices;
	while (device < ndevices) {
		order_begin(&order, device, behind, &last);
		order_add(schedule, devices[device], last);
		behind = last;
		device = order_next(&order, device, last, &rest);
	}
	free(order.rests);
	return 0;
}
