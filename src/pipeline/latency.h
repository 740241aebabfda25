/* SPDX-License-Identifier: MIT */
/*
 * Shared by the two parts of the search for the least latency: labels, and prices of hosts. Types with equal figures
 * are one group, as their hosts are interchangeable; a group is the number of its first type.
 */
#ifndef XYLEM_PIPELINE_LATENCY_H
#define XYLEM_PIPELINE_LATENCY_H

#include <math.h>

#include "pipeline/pipeline.h"

struct latency_label {
	double cost;
	double key;            /* the cost and the prices of the hosts that it uses */
	uint32_t parent, next; /* next: in the list of its layer and type */
	uint16_t type, last, stages;
};

struct latency {
	const struct pipeline_problem *problem;
	const struct pipeline_table *table;
	unsigned nlayers, ntypes;
	unsigned group[PIPELINE_TYPES_MAX];  /* by type */
	unsigned nhosts[PIPELINE_TYPES_MAX]; /* by group, 0 for what is none */
	double *price, all_prices;           /* by group, of one host; of all hosts together */
	double *begin;   /* by group: what is left at least if it is next; for one layer at a time */
	double *rest;    /* by last layer and group: what is left at least, with prices */
	double reached;  /* the cost of the best schedule found so far */
	unsigned few;    /* how many labels a list may have, 0: all */
	bool cut;        /* a list has lost labels to that limit */
	uint32_t *lists; /* by last layer and group */
	struct latency_label *labels;
	uint16_t *used; /* by label: hosts of each type, then of each group */
	uint32_t nlabels, capacity;
};

static inline size_t latency_at(const struct latency *latency, unsigned layer, unsigned type)
{
	return (size_t)layer * latency->ntypes + type;
}

static inline uint16_t *latency_used(const struct latency *latency, uint32_t label)
{
	return &latency->used[(size_t)label * 2 * latency->ntypes];
}

static inline double latency_comm(const struct latency *latency, unsigned layer, unsigned a, unsigned b)
{
	return fmax(pipeline_table_link(latency->table, a, layer), pipeline_table_link(latency->table, b, layer));
}

/* The prices of those hosts that a label uses, and of one more of a group. */
double pipeline_latency_prices(const struct latency *latency, uint32_t label, unsigned group);

/* Finds prices, and with them what is left at least behind each layer; `reached` is set. Both arrays have room for each
 * type and are only worked with. */
void pipeline_latency_find_prices(struct latency *latency, double *best_price, unsigned *used);

#endif
