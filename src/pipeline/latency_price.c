/* SPDX-License-Identifier: MIT */
/*
 * A lower bound on the rest of a partial schedule: its cost with unlimited hosts that each have a price, minus the
 * prices of all existing hosts. Any prices give a valid bound, because a schedule pays for no more hosts than exist;
 * good ones, found step by step, make it almost exact where hosts are scarce.
 */
#include <string.h>

#include "pipeline/latency.h"

enum { LATENCY_STEPS = 300 }; /* towards the best prices */

/* The best stage of a group behind a layer, if hosts are without end but not free; what follows included. */
static double latency_begin(const struct latency *latency, unsigned layer, unsigned group, unsigned *best_last)
{
	double least = INFINITY;

	for (unsigned last = layer + 1; latency->nhosts[group] && last <= latency->nlayers; last++) {
		double value = latency->price[group] + pipeline_table_compute(latency->table, group, layer, last) +
			       latency->rest[latency_at(latency, last, group)];

		if (!(value < least))
			continue;
		least = value;
		*best_last = last;
	}
	return least;
}

/* Fills the lower bound on the rest after each layer. */
static void latency_fill_rest(struct latency *latency)
{
	unsigned last, n = latency->nlayers;

	for (unsigned t = 0; t < latency->ntypes; t++)
		latency->rest[latency_at(latency, n, t)] = 0;
	for (unsigned layer = n; layer-- > 1;) {
		for (unsigned t = 0; t < latency->ntypes; t++)
			latency->begin[t] = latency_begin(latency, layer, t, &last);
		for (unsigned t = 0; t < latency->ntypes; t++) {
			double least = INFINITY;

			for (unsigned next = 0; next < latency->ntypes; next++)
				least = fmin(least, latency_comm(latency, layer, t, next) + latency->begin[next]);
			latency->rest[latency_at(latency, layer, t)] = least;
		}
	}
}

/* How many hosts of each group the best schedule uses at these prices, and its cost with them. */
static double latency_relaxed(const struct latency *latency, unsigned *used)
{
	unsigned layer = 0, type = 0, last = 0;
	double total = 0;

	memset(used, 0, latency->ntypes * sizeof(*used));
	while (layer < latency->nlayers) {
		unsigned best = 0, best_last = 0;
		double least = INFINITY;

		for (unsigned t = 0; t < latency->ntypes; t++) {
			double value = latency_begin(latency, layer, t, &last);

			if (layer)
				value += latency_comm(latency, layer, type, t);
			if (!(value < least))
				continue;
			least = value;
			best = t;
			best_last = last;
		}
		if (!layer)
			total = least;
		if (least == INFINITY)
			return INFINITY;
		used[best]++;
		type = best;
		layer = best_last;
	}
	return total;
}

/* The prices of all hosts. */
static double latency_all_prices(const struct latency *latency)
{
	double sum = 0;

	for (unsigned t = 0; t < latency->ntypes; t++)
		sum += latency->price[t] * latency->nhosts[t];
	return sum;
}

double pipeline_latency_prices(const struct latency *latency, uint32_t label, unsigned group)
{
	const uint16_t *used = latency_used(latency, label) + latency->ntypes;
	double sum = 0;

	for (unsigned t = 0; t < latency->ntypes; t++)
		sum += latency->price[t] * (used[t] + (t == group));
	return sum;
}

/*
 * Raises the prices of overused groups and lowers the others while the bound for the whole grows; leaves the best
 * prices. The step is Polyak's, with the cost of the known schedule.
 */
void pipeline_latency_find_prices(struct latency *latency, double *best_price, unsigned *used)
{
	double best = -INFINITY, scale = 1;
	unsigned since = 0;

	for (unsigned step = 0; step < LATENCY_STEPS && scale > 1e-3; step++) {
		double value, square = 0;

		latency_fill_rest(latency);
		value = latency_relaxed(latency, used) - latency_all_prices(latency);
		if (value > best) {
			best = value;
			memcpy(best_price, latency->price, latency->ntypes * sizeof(*best_price));
			since = 0;
		} else if (++since == 10) {
			scale /= 2;
			since = 0;
		}
		for (unsigned t = 0; t < latency->ntypes; t++) {
			double excess = (double)used[t] - latency->nhosts[t];

			square += excess > 0 || latency->price[t] > 0 ? excess * excess : 0;
		}
		if (!(square > 0) || !(value < latency->reached) || !(latency->reached < INFINITY))
			break;
		for (unsigned t = 0; t < latency->ntypes; t++)
			latency->price[t] = fmax(0, latency->price[t] + scale * (latency->reached - value) / square *
										((double)used[t] - latency->nhosts[t]));
	}
	memcpy(latency->price, best_price, latency->ntypes * sizeof(*best_price));
	latency->all_prices = latency_all_prices(latency);
	latency_fill_rest(latency);
}
