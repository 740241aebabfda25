/* SPDX-License-Identifier: MIT */
/*
 * The workers below cambium by class, and by node within a class. All of it is constant from then on.
 */
#include "components/cambium/cambium.h"

/* Tells the classes of workers apart; those beyond the limit count as the last class. */
static void seats_find_classes(struct xy__cambium *c)
{
	for (unsigned i = 0; i < c->estimate.nseats; i++) {
		const struct xy__seat *seat = &c->estimate.seats[i];
		unsigned class = seat->class < XY__CAMBIUM_CLASSES ? seat->class : XY__CAMBIUM_CLASSES - 1;

		if (seat->team)
			continue;
		c->classes[seat->worker] = (uint8_t) class;
		c->counts[class]++;
		if (!c->seats[class])
			c->seats[class] = seat;
		if (class >= c->nclasses)
			c->nclasses = class + 1;
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
