/* SPDX-License-Identifier: MIT */
/* A heap of seats by when they are free; see soonest.h. Among equals the first member comes first. */
#include "components/soonest.h"

#include <errno.h>
#include <stdlib.h>
#include "core/util/futex.h"

int xy__soonest_init(struct xy__soonest *s, unsigned count)
{
	*s = (struct xy__soonest){ .count = count };
	s->heap = malloc(count * sizeof *s->heap);
	s->places = malloc(count * sizeof *s->places);
	s->keys = calloc(count, sizeof *s->keys);
	if (!s->heap || !s->places || !s->keys)
		return -ENOMEM;
	for (unsigned i = 0; i < count; i++)
		s->heap[i] = s->places[i] = i;
	return 0;
}

void xy__soonest_fini(struct xy__soonest *s)
{
	free(s->heap);
	free(s->places);
	free(s->keys);
	*s = (struct xy__soonest){ 0 };
}

static bool soonest_before(const struct xy__soonest *s, unsigned a, unsigned b)
{
	return s->keys[a] < s->keys[b] || (s->keys[a] <= s->keys[b] && a < b);
}

static void soonest_put(struct xy__soonest *s, unsigned place, unsigned member)
{
	s->heap[place] = member;
	s->places[member] = place;
}

/* Moves a member to where its key belongs. */
static void soonest_sift(struct xy__soonest *s, unsigned member)
{
	unsigned place = s->places[member], child;

	for (; place && soonest_before(s, member, s->heap[(place - 1) / 2]); place = (place - 1) / 2)
		soonest_put(s, place, s->heap[(place - 1) / 2]);
	while ((child = 2 * place + 1) < s->count) {
		if (child + 1 < s->count && soonest_before(s, s->heap[child + 1], s->heap[child]))
			child++;
		if (!soonest_before(s, s->heap[child], member))
			break;
		soonest_put(s, place, s->heap[child]);
		place = child;
	}
	soonest_put(s, place, member);
}

unsigned xy__soonest_find(struct xy__soonest *s, xy__soonest_free *free_us, void *arg, double now_us, double *start_us)
{
	unsigned member;

	xy__lock_take(&s->lock);
	for (;;) {
		double us;

		member = s->heap[0];
		us = free_us(arg, member);
		*start_us = us;
		if (us <= now_us || us <= s->keys[member])
			break;
		s->keys[member] = us;
		soonest_sift(s, member);
		if (s->heap[0] == member)
			break;
	}
	xy__lock_drop(&s->lock);
	return member;
}

void xy__soonest_set(struct xy__soonest *s, unsigned member, double free_us)
{
	xy__lock_take(&s->lock);
	s->keys[member] = free_us;
	soonest_sift(s, member);
	xy__lock_drop(&s->lock);
}
