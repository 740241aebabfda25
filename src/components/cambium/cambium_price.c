/* SPDX-License-Identifier: MIT */
/*
 * Prices. Among all prices of workers' time with which the whole machine costs 1, finds those that make the remaining
 * work most expensive if each task runs where it is cheapest. That sum is the dual of the linear program that divides
 * the tasks among the classes of workers: a lower bound on the remaining time, exact for two classes.
 */
#include <math.h>
#include <string.h>

#include "components/cambium/cambium.h"

enum { PRICE_ROUNDS = 3 };

/* What runs on one class only counts as so many times slower elsewhere: the other class may become almost worthless. */
#define PRICE_MOST 1e4

static double price_of(const struct xy__cambium *c, const struct xy__cambium_type *t, const double *prices)
{
	double least = INFINITY;

	for (unsigned k = 0; k < c->nclasses; k++)
		if (t->us[k] * prices[k] < least)
			least = t->us[k] * prices[k];
	return isinf(least) ? 0 : least;
}

static double price_all(const struct xy__cambium *c, const double *prices)
{
	double sum = 0;

	for (unsigned i = 0; i < c->ntypes; i++)
		if (c->types[i].left > 0)
			sum += (double)c->types[i].left * price_of(c, &c->types[i], prices);
	return sum;
}

/*
 * Tries other ratios between the prices of two classes: those at which some type costs equally much on both. The sum is
 * concave with its corners there.
 */
static double price_pair(struct xy__cambium *c, unsigned a, unsigned b, double best)
{
	double worth = c->counts[a] * c->prices[a] + c->counts[b] * c->prices[b], prices[XY__CAMBIUM_CLASSES];
	double kept_a = c->prices[a], kept_b = c->prices[b];

	memcpy(prices, c->prices, sizeof prices);
	for (unsigned i = 0; i < c->ntypes; i++) {
		const struct xy__cambium_type *t = &c->types[i];
		double relation, sum;

		if (t->left <= 0 || (isinf(t->us[a]) && isinf(t->us[b])))
			continue;
		relation = fmin(fmax((double)t->us[a] / (double)t->us[b], 1 / PRICE_MOST), PRICE_MOST);
		prices[a] = worth / (c->counts[a] + c->counts[b] * relation);
		prices[b] = prices[a] * relation;
		sum = price_all(c, prices);
		if (sum > best * (1 + 1e-9)) {
			best = sum;
			kept_a = prices[a];
			kept_b = prices[b];
		}
	}
	c->prices[a] = kept_a;
	c->prices[b] = kept_b;
	return best;
}

void xy__cambium_price(struct xy__cambium *c)
{
	unsigned rounds = c->nclasses > 2 ? PRICE_ROUNDS : 1;
	double best = price_all(c, c->prices);

	for (unsigned round = 0; round < rounds; round++)
		for (unsigned a = 0; a < c->nclasses; a++)
			for (unsigned b = a + 1; b < c->nclasses; b++)
				best = price_pair(c, a, b, best);
	for (unsigned i = 0; i < c->ntypes; i++)
		c->types[i].price_us = price_of(c, &c->types[i], c->prices);
	c->area_us = best;
	c->unpriced = 0;
}
