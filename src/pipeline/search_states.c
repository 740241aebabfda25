/* SPDX-License-Identifier: MIT */
/*
 * States are numbered in the order of their hosts, group after group. The number of a state is how many come before it,
 * which follows from how many ways there are to use at most so many hosts of the groups behind each group.
 */
#include "pipeline/search_states.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/pipeline.h"

#define STATES_MAX (PIPELINE_MEMORY_MAX / 4 / sizeof(uint32_t)) /* pairs of a state and a group */

struct numbering {
	const unsigned *most;
	unsigned ngroups, nlayers;
	size_t *ways;   /* by group and hosts: ways to use at most so many of this group and those behind it */
	unsigned *used; /* by group, in the state at hand */
	size_t *fewer;  /* by group: states before the one at hand, as far as this group and those behind it tell, with
			 * one host less to use */
};

static size_t *numbering_ways(const struct numbering *n, unsigned group, unsigned hosts)
{
	return &n->ways[(size_t)group * (n->nlayers + 1) + hosts];
}

static int numbering_init(struct numbering *n, const unsigned *most, unsigned ngroups, unsigned nlayers)
{
	*n = (struct numbering){ .most = most, .ngroups = ngroups, .nlayers = nlayers };
	n->ways = malloc((size_t)(ngroups + 1) * (nlayers + 1) * sizeof(*n->ways));
	n->used = calloc(ngroups + 1, sizeof(*n->used));
	n->fewer = calloc(ngroups + 1, sizeof(*n->fewer));
	if (!n->ways || !n->used || !n->fewer)
		return -ENOMEM;
	for (unsigned hosts = 0; hosts <= nlayers; hosts++)
		*numbering_ways(n, ngroups, hosts) = 1;
	for (unsigned group = ngroups; group-- > 0;)
		for (unsigned hosts = 0; hosts <= nlayers; hosts++) {
			size_t sum = 0;

			for (unsigned use = 0; use <= most[group] && use <= hosts && sum <= STATES_MAX; use++)
				sum += *numbering_ways(n, group + 1, hosts - use);
			*numbering_ways(n, group, hosts) = sum <= STATES_MAX ? sum : STATES_MAX + 1;
		}
	return 0;
}

static void numbering_fini(struct numbering *n)
{
	free(n->ways);
	free(n->used);
	free(n->fewer);
}

/* States that come before one with `use` hosts of a group because they have fewer, with so many hosts left to use. */
static size_t numbering_before(const struct numbering *n, unsigned group, unsigned use, unsigned left)
{
	size_t sum = 0;

	for (unsigned fewer = 0; fewer < use; fewer++)
		sum += *numbering_ways(n, group + 1, left - fewer);
	return sum;
}

/* The states after the one at hand, which uses so many hosts. */
static void numbering_nexts(struct numbering *n, unsigned hosts, uint32_t *next)
{
	unsigned left = n->nlayers - hosts;
	size_t before = 0;

	if (!left) {
		memset(next, 0xff, n->ngroups * sizeof(*next));
		return;
	}
	n->fewer[n->ngroups] = 0;
	for (unsigned group = n->ngroups; group-- > 0;) {
		left += n->used[group];
		n->fewer[group] = n->fewer[group + 1] + numbering_before(n, group, n->used[group], left - 1);
	}
	for (unsigned group = 0; group < n->ngroups; group++) {
		next[group] = UINT32_MAX;
		if (n->used[group] < n->most[group])
			next[group] = (uint32_t)(before + numbering_before(n, group, n->used[group] + 1, left) +
						 n->fewer[group + 1]);
		before += numbering_before(n, group, n->used[group], left);
		left -= n->used[group];
	}
}

/* Moves on to the state that comes next in order. */
static void numbering_step(struct numbering *n, unsigned *hosts)
{
	for (unsigned group = n->ngroups; group-- > 0;) {
		if (n->used[group] < n->most[group] && *hosts < n->nlayers) {
			n->used[group]++;
			++*hosts;
			return;
		}
		*hosts -= n->used[group];
		n->used[group] = 0;
	}
}

size_t search_states_count(const unsigned *most, unsigned ngroups, unsigned nlayers)
{
	struct numbering n;
	size_t count = 0;

	if (!numbering_init(&n, most, ngroups, nlayers))
		count = *numbering_ways(&n, 0, nlayers);
	numbering_fini(&n);
	return ngroups && count > STATES_MAX / ngroups ? 0 : count;
}

int search_states_init(struct search_states *states, const unsigned *most, unsigned ngroups, unsigned nlayers)
{
	struct numbering n;
	unsigned hosts = 0;
	int error = numbering_init(&n, most, ngroups, nlayers);

	*states = (struct search_states){ .ngroups = ngroups };
	if (!error) {
		states->count = *numbering_ways(&n, 0, nlayers);
		states->next = malloc((states->count * ngroups + 1) * sizeof(*states->next));
		states->hosts = malloc(states->count * sizeof(*states->hosts));
		if (!states->next || !states->hosts)
			error = -ENOMEM;
	}
	for (size_t state = 0; state < states->count && !error; state++) {
		states->hosts[state] = (uint16_t)hosts;
		numbering_nexts(&n, hosts, &states->next[state * ngroups]);
		numbering_step(&n, &hosts);
	}
	numbering_fini(&n);
	if (error)
		search_states_fini(states);
	return error;
}

void search_states_fini(struct search_states *states)
{
	free(states->next);
	free(states->hosts);
	*states = (struct search_states){ 0 };
}
