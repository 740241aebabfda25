/* SPDX-License-Identifier: MIT */
/*
 * The workers below cambium by class, and by node within a class. All of it is constant from then on.
 */
#include "components/cambium/cambium.h"

#include <string.h>

/* Numbers the classes of the workers below, which may be a part of the machine's; those beyond the limit count as the
 * last class. */
static void seats_find_classes(struct xy__cambium *c)
{
	uint8_t numbers[XY__ESTIMATE_CLASSES + 1];

	memset(numbers, UINT8_MAX, sizeof numbers);
	for (unsigned i = 0; i < c->estimate.nseats; i++) {
		const struct xy__seat *seat = &c->estimate.seats[i];
		uint8_t *class = &numbers[seat->class];

		if (seat->team)
			continue;
		if (*class == UINT8_MAX)
			*class = (uint8_t)(c->nclasses < XY__CAMBIUM_CLASSES ? c->nclasses++ : XY__CAMBIUM_CLASSES - 1);
		c->classes[seat->worker] = *class;
		c->by_worker[seat->worker] = seat;
		c->counts[*class]++;
		if (!c->seats[*class])
			c->seats[*class] = seat;
	}
}

static void seats_sort(struct xy__cambium *c)
{
	unsigned n = 0;

	for (unsigned class = 0; class < c->nclasses; class ++) {
		c->first_of_class[class] = n;
		for (unsigned i = 0; i < c->estimate.nseats; i++)
			if (!c->estimate.seats[i].team && c->classes[c->estimate.seats[i].worker] == class)
				c->by_class[n++] = &c->estimate.seats[i];
		c->prices[class] = 1.0 / c->base.nworkers;
	}
	c->first_of_class[c->nclasses] = n;
}

/* One worker of each class on each node. */
static void seats_find_nodes(struct xy__cambium *c)
{
	unsigned n = 0;

	for (unsigned class = 0; class < c->nclasses; class ++) {
		c->first_node[class] = n;
		for (unsigned i = c->first_of_class[class]; i < c->first_of_class[class + 1]; i++) {
			unsigned k = c->first_node[class];

			while (k < n && c->by_node[k]->node != c->by_class[i]->node)
				k++;
			if (k == n)
				c->by_node[n++] = c->by_class[i];
		}
	}
	c->first_node[c->nclasses] = n;
}

void xy__cambium_sort(struct xy__cambium *c)
{
	seats_find_classes(c);
	seats_sort(c);
	seats_find_nodes(c);
}
