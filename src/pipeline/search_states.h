/* SPDX-License-Identifier: MIT */
/*
 * Numbers for the combinations of hosts that a schedule can use: no more hosts than layers. With many groups and few
 * layers those are few of all combinations.
 */
#ifndef XYLEM_PIPELINE_SEARCH_STATES_H
#define XYLEM_PIPELINE_SEARCH_STATES_H

#include <stddef.h>
#include <stdint.h>

#define SEARCH_STATES_NONE SIZE_MAX

struct search_states {
	size_t count; /* 0: none are numbered */
	unsigned ngroups;
	uint32_t *next;  /* by state and group: the state with one more host of it; UINT32_MAX: none is left */
	uint16_t *hosts; /* by state: hosts used */
};

/* How many there are for this many hosts of each group; 0 if they would take too much memory. */
size_t search_states_count(const unsigned *most, unsigned ngroups, unsigned nlayers);
/* Numbers them, from 0 for no host; 0 or -ENOMEM. */
int search_states_init(struct search_states *states, const unsigned *most, unsigned ngroups, unsigned nlayers);
void search_states_fini(struct search_states *states);

static inline size_t search_states_next(const struct search_states *states, size_t state, unsigned group)
{
	uint32_t next = states->next[state * states->ngroups + group];

	return next == UINT32_MAX ? SEARCH_STATES_NONE : next;
}

static inline unsigned search_states_hosts(const struct search_states *states, size_t state)
{
	return states->hosts[state];
}

#endif
