/* SPDX-License-Identifier: MIT */
/*
 * The workers below cambium by kind, and by node within a kind. All of it is constant from then on.
 */
#include "components/cambium/cambium.h"

/* Tells the kinds of workers apart; those beyond the limit count as the last kind. */
static void seats_find_kinds(struct xy__cambium *c)
{
	for (unsigned i = 0; i < c->estimate.nseats; i++) {
		const struct xy__seat *seat = &c->estimate.seats[i];
		unsigned kind = seat->kind < XY__CAMBIUM_KINDS ? seat->kind : XY__CAMBIUM_KINDS - 1;

		if (seat->team)
			continue;
		c->kinds[seat->worker] = (uint8_t)kind;
		c->counts[kind]++;
		if (!c->seats[kind])
			c->seats[kind] = seat;
		if (kind >= c->nkinds)
			c->nkinds = kind + 1;
	}
}

static void seats_sort(struct xy__cambium *c)
{
	unsigned n = 0;

	for (unsigned kind = 0; kind < c->nkinds; kind++) {
		c->first_of_kind[kind] = n;
		for (unsigned i = 0; i < c->estimate.nseats; i++)
			if (!c->estimate.seats[i].team && c->kinds[c->estimate.seats[i].worker] == kind)
				c->by_kind[n++] = &c->estimate.seats[i];
		c->prices[kind] = 1.0 / c->base.nworkers;
	}
	c->first_of_kind[c->nkinds] = n;
}

/* One worker of each kind on each node. */
static void seats_find_nodes(struct xy__cambium *c)
{
	unsigned n = 0;

	for (unsigned kind = 0; kind < c->nkinds; kind++) {
		c->first_node[kind] = n;
		for (unsigned i = c->first_of_kind[kind]; i < c->first_of_kind[kind + 1]; i++) {
			unsigned k = c->first_node[kind];

			while (k < n && c->by_node[k]->node != c->by_kind[i]->node)
				k++;
			if (k == n)
				c->by_node[n++] = c->by_kind[i];
		}
	}
	c->first_node[c->nkinds] = n;
}

void xy__cambium_sort(struct xy__cambium *c)
{
	seats_find_kinds(c);
	seats_sort(c);
	seats_find_nodes(c);
}
