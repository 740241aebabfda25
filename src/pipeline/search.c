/* SPDX-License-Identifier: MIT */
/*
 * The least bottleneck, exactly. As hosts of one type are alike, a state is how many layers are done and
 * how many hosts of each type are used; whether a stage is quick enough depends on nothing else. So for
 * a given bottleneck the states that can be reached are one bit set for each layer, made of shifts and
 * unions, and the least one is found by halving the list of all times there can be. Types with equal figures are one
 * group. Where few layers leave most combinations of hosts unused, states are numbered (search_states.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/pipeline.h"
#include "pipeline/search_states.h"

enum { SEARCH_BITS = 64, SEARCH_GAIN = 16 }; /* numbered states are slower, each by about this */

struct search {
	const struct pipeline_table *table;
	const struct pipeline_problem *problem;
	unsigned nlayers, ngroups;
	unsigned group[PIPELINE_TYPES_MAX]; /* by type */
	unsigned type[PIPELINE_TYPES_MAX];  /* by group: the first of its types */
	unsigned most[PIPELINE_TYPES_MAX];  /* by group: hosts that can be of use */
	size_t nstates, nwords;
	size_t stride[PIPELINE_TYPES_MAX]; /* by group; state + stride: one more host of the group is used */
	struct search_states numbered;     /* instead of strides and room, if it has states */
	uint64_t *room;                    /* for each group the states that leave a host of it */
	uint64_t *reach;                   /* for each number of layers the states that are reached */
	uint64_t *scratch, *sum;           /* a set each */
};

static uint64_t *search_set(const struct search *search, uint64_t *sets, unsigned i)
{
	return sets + i * search->nwords;
}

static bool search_has(const uint64_t *set, size_t state)
{
	return set[state / SEARCH_BITS] >> state % SEARCH_BITS & 1;
}

static void search_put(uint64_t *set, size_t state)
{
	set[state / SEARCH_BITS] |= (uint64_t)1 << state % SEARCH_BITS;
}

static void search_unite(uint64_t *restrict set, const uint64_t *restrict other, size_t nwords)
{
	for (size_t k = 0; k < nwords; k++)
		set[k] |= other[k];
}

static double search_weight(const struct search *search, unsigned group, unsigned behind, unsigned last)
{
	return pipeline_table_weight(search->table, search->type[group], behind, last);
}

/* The state with one more host of a group used, SEARCH_STATES_NONE if none is left. */
static size_t search_next(const struct search *search, size_t state, unsigned group)
{
	if (search->numbered.count)
		return search_states_next(&search->numbered, state, group);
	return search_has(search_set(search, search->room, group), state) ? state + search->stride[group]
									  : SEARCH_STATES_NONE;
}

/* search_use and search_unuse for numbered states. */
static void search_use_numbered(const struct search *search, uint64_t *sum, const uint64_t *set, unsigned group)
{
	for (size_t k = 0; k < search->nwords; k++)
		for (uint64_t word = set[k]; word; word &= word - 1) {
			size_t next = search_next(search, k * SEARCH_BITS + (unsigned)__builtin_ctzll(word), group);

			if (next != SEARCH_STATES_NONE)
				search_put(sum, next);
		}
}

static void search_unuse_numbered(const struct search *search, uint64_t *sum, const uint64_t *set, unsigned group)
{
	for (size_t state = 0; state < search->nstates; state++) {
		size_t next = search_next(search, state, group);

		if (next != SEARCH_STATES_NONE && search_has(set, next))
			search_put(sum, state);
	}
}

/* sum |= every state of set that leaves a host of the group, with one more of them used. */
static void search_use(const struct search *search, uint64_t *restrict sum, const uint64_t *restrict set,
		       unsigned group)
{
	const uint64_t *room = search_set(search, search->room, group);
	size_t words = search->stride[group] / SEARCH_BITS;
	unsigned bits = search->stride[group] % SEARCH_BITS;
	uint64_t carry = 0;

	if (search->numbered.count) {
		search_use_numbered(search, sum, set, group);
		return;
	}
	for (size_t k = 0; k + words < search->nwords; k++) {
		uint64_t word = set[k] & room[k];

		sum[k + words] |= word << bits | carry;
		carry = bits ? word >> (SEARCH_BITS - bits) : 0;
	}
}

/* The way back: sum |= every state that leaves a host of the group and is in set with one more used. */
static void search_unuse(const struct search *search, uint64_t *restrict sum, const uint64_t *restrict set,
			 unsigned group)
{
	const uint64_t *room = search_set(search, search->room, group);
	size_t words = search->stride[group] / SEARCH_BITS;
	unsigned bits = search->stride[group] % SEARCH_BITS;

	if (search->numbered.count) {
		search_unuse_numbered(search, sum, set, group);
		return;
	}
	for (size_t k = 0; k + words < search->nwords; k++) {
		uint64_t word = set[k + words] >> bits;

		if (bits && k + words + 1 < search->nwords)
			word |= set[k + words + 1] << (SEARCH_BITS - bits);
		sum[k] |= word & room[k];
	}
}

static bool search_is_empty(const struct search *search, const uint64_t *set)
{
	for (size_t k = 0; k < search->nwords; k++)
		if (set[k])
			return false;
	return true;
}

/* Fills reach for a bottleneck; says whether all layers can be done. */
static bool search_forward(struct search *search, double bottleneck)
{
	size_t bytes = search->nwords * sizeof(uint64_t);

	memset(search->reach, 0, (search->nlayers + 1) * bytes);
	search_put(search->reach, 0);
	for (unsigned last = 1; last <= search->nlayers; last++) {
		uint64_t *to = search_set(search, search->reach, last);

		for (unsigned t = 0; t < search->ngroups; t++) {
			bool any = false;

			for (unsigned behind = 0; behind < last; behind++) {
				if (!(search_weight(search, t, behind, last) <= bottleneck))
					continue;
				if (!any)
					memset(search->scratch, 0, bytes);
				any = true;
				search_unite(search->scratch, search_set(search, search->reach, behind),
					     search->nwords);
			}
			if (any)
				search_use(search, to, search->scratch, t);
		}
	}
	return !search_is_empty(search, search_set(search, search->reach, search->nlayers));
}

/* How many stages a state stands for. */
static unsigned search_stages(const struct search *search, size_t state)
{
	unsigned n = 0;

	if (search->numbered.count)
		return search_states_hosts(&search->numbered, state);
	for (unsigned t = 0; t < search->ngroups; t++) {
		n += (unsigned)(state % (search->most[t] + 1));
		state /= search->most[t] + 1;
	}
	return n;
}

/* Keeps of the states with all layers done those with the fewest stages. */
static void search_keep_fewest(struct search *search)
{
	uint64_t *end = search_set(search, search->reach, search->nlayers);
	unsigned fewest = search->nlayers + 1;

	for (int pass = 0; pass < 2; pass++)
		for (size_t k = 0; k < search->nwords; k++)
			for (uint64_t word = end[k]; word; word &= word - 1) {
				unsigned bit = (unsigned)__builtin_ctzll(word);
				unsigned stages = search_stages(search, k * SEARCH_BITS + bit);

				if (pass == 0 && stages < fewest)
					fewest = stages;
				if (pass == 1 && stages > fewest)
					end[k] &= ~((uint64_t)1 << bit);
			}
}

/* Keeps of all states those from which one of the kept ends is reached. */
static void search_backward(struct search *search, double bottleneck)
{
	size_t bytes = search->nwords * sizeof(uint64_t);

	for (unsigned behind = search->nlayers; behind-- > 0;) {
		uint64_t *from = search_set(search, search->reach, behind);

		memset(search->sum, 0, bytes);
		for (unsigned t = 0; t < search->ngroups; t++) {
			memset(search->scratch, 0, bytes);
			for (unsigned last = behind + 1; last <= search->nlayers; last++)
				if (search_weight(search, t, behind, last) <= bottleneck)
					search_unite(search->scratch, search_set(search, search->reach, last),
						     search->nwords);
			search_unuse(search, search->sum, search->scratch, t);
		}
		for (size_t k = 0; k < search->nwords; k++)
			from[k] &= search->sum[k];
	}
}

/* Whether a type has a host left, and no earlier one of its group has. */
static bool search_is_first(const struct search *search, const unsigned *used, unsigned type)
{
	for (unsigned t = 0; t < type; t++)
		if (search->group[t] == search->group[type] && used[t] < search->problem->types[t].nhosts)
			return false;
	return used[type] < search->problem->types[type].nhosts;
}

/* Adds the first stage in order that leads from a state to an end; moves on to its state. */
static void search_step(struct search *search, double bottleneck, size_t *state, unsigned *used,
			struct pipeline_schedule *schedule)
{
	unsigned behind = schedule->nstages ? schedule->stages[schedule->nstages - 1].last : 0;

	for (unsigned t = 0; t < search->problem->ntypes; t++) {
		unsigned group = search->group[t];
		size_t next = search_next(search, *state, group);

		if (next == SEARCH_STATES_NONE || !search_is_first(search, used, t))
			continue;
		for (unsigned last = behind + 1; last <= search->nlayers; last++) {
			if (!(search_weight(search, group, behind, last) <= bottleneck) ||
			    !search_has(search_set(search, search->reach, last), next))
				continue;
			pipeline_schedule_add(schedule, t, last);
			used[t]++;
			*state = next;
			return;
		}
	}
}

static void search_fini(struct search *search)
{
	search_states_fini(&search->numbered);
	free(search->room);
	free(search->reach);
	free(search->scratch);
	free(search->sum);
}

static void search_fill_room(struct search *search)
{
	for (size_t state = 0; state < search->nstates; state++) {
		size_t rest = state;

		for (unsigned t = 0; t < search->ngroups; t++) {
			if (rest % (search->most[t] + 1) < search->most[t])
				search_put(search_set(search, search->room, t), state);
			rest /= search->most[t] + 1;
		}
	}
}

static void search_find_groups(struct search *search)
{
	const struct pipeline_problem *problem = search->problem;

	for (unsigned t = 0; t < problem->ntypes; t++) {
		unsigned group = 0, hosts;

		while (group < search->ngroups && !pipeline_type_is_same(problem, search->type[group], t))
			group++;
		if (group == search->ngroups)
			search->type[search->ngroups++] = t;
		search->group[t] = group;
		hosts = search->most[group] + problem->types[t].nhosts;
		search->most[group] = hosts < search->nlayers ? hosts : search->nlayers;
	}
}

/* Chooses between all combinations of hosts and the numbered ones. */
static int search_find_states(struct search *search)
{
	size_t limit = PIPELINE_MEMORY_MAX / 2 / (search->nlayers + search->ngroups + 3) * 8, few;
	bool over = false;

	search->nstates = 1;
	for (unsigned t = 0; t < search->ngroups && !over; t++) {
		search->stride[t] = search->nstates;
		over = search->nstates > limit / (search->most[t] + 1);
		search->nstates *= search->most[t] + 1;
	}
	few = search_states_count(search->most, search->ngroups, search->nlayers);
	if (!few || (!over && few > search->nstates / SEARCH_GAIN))
		return over ? -E2BIG : 0;
	search->nstates = few;
	return search_states_init(&search->numbered, search->most, search->ngroups, search->nlayers);
}

static int search_init(struct search *search, const struct pipeline_problem *problem,
		       const struct pipeline_table *table)
{
	int error;

	*search = (struct search){ .table = table, .problem = problem, .nlayers = table->nlayers };
	search_find_groups(search);
	error = search_find_states(search);
	if (error)
		return error;
	search->nwords = (search->nstates + SEARCH_BITS - 1) / SEARCH_BITS;
	search->room = calloc((search->ngroups + 1) * search->nwords, sizeof(uint64_t));
	search->reach = calloc((table->nlayers + 1) * search->nwords, sizeof(uint64_t));
	search->scratch = calloc(search->nwords, sizeof(uint64_t));
	search->sum = calloc(search->nwords, sizeof(uint64_t));
	if (!search->room || !search->reach || !search->scratch || !search->sum) {
		search_fini(search);
		return -ENOMEM;
	}
	if (!search->numbered.count)
		search_fill_room(search);
	return 0;
}

/* The number of the least candidate that suffices, or n. */
static size_t search_least(struct search *search, const double *candidates, size_t n)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (search_forward(search, candidates[middle]))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

int pipeline_search(const struct pipeline_problem *problem, const struct pipeline_table *table,
		    struct pipeline_schedule *schedule)
{
	unsigned used[PIPELINE_TYPES_MAX] = { 0 };
	size_t n, least, state = 0;
	struct search search;
	double *candidates;
	int error;

	error = search_init(&search, problem, table);
	if (error)
		return error;
	candidates = pipeline_table_candidates(table, &n);
	if (!candidates) {
		search_fini(&search);
		return -ENOMEM;
	}
	schedule->nstages = 0;
	least = search_least(&search, candidates, n);
	if (least < n) {
		search_forward(&search, candidates[least]);
		search_keep_fewest(&search);
		search_backward(&search, candidates[least]);
		while (!schedule->nstages || schedule->stages[schedule->nstages - 1].last < table->nlayers)
			search_step(&search, candidates[least], &state, used, schedule);
	}
	pipeline_schedule_name_hosts(schedule);
	free(candidates);
	search_fini(&search);
	return 0;
}
