/* SPDX-License-Identifier: MIT */
/*
 * Sets of workers.
 */
#include "internal.h"

#define BITS ((int)(8 * sizeof(unsigned long)))
#define NWORDS ((int)(sizeof((struct starpu_bitmap *)0)->bits / sizeof(unsigned long)))

static bool inside(int e)
{
	return e >= 0 && e < NWORDS * BITS;
}

struct starpu_bitmap *starpu_bitmap_create(void)
{
	return calloc(1, sizeof(struct starpu_bitmap));
}

void starpu_bitmap_init(struct starpu_bitmap *b)
{
	memset(b, 0, sizeof *b);
}

void starpu_bitmap_destroy(struct starpu_bitmap *b)
{
	free(b);
}

int starpu_bitmap_get(struct starpu_bitmap *b, int e)
{
	return inside(e) && (b->bits[e / BITS] >> (e % BITS) & 1);
}

void starpu_bitmap_set(struct starpu_bitmap *b, int e)
{
	if (!inside(e) || starpu_bitmap_get(b, e))
		return;
	b->bits[e / BITS] |= 1ul << (e % BITS);
	b->cardinal++;
}

void starpu_bitmap_unset(struct starpu_bitmap *b, int e)
{
	if (!starpu_bitmap_get(b, e))
		return;
	b->bits[e / BITS] &= ~(1ul << (e % BITS));
	b->cardinal--;
}

void starpu_bitmap_unset_all(struct starpu_bitmap *b)
{
	starpu_bitmap_init(b);
}

static void count(struct starpu_bitmap *b)
{
	b->cardinal = 0;
	for (int i = 0; i < NWORDS; i++)
		b->cardinal += __builtin_popcountl(b->bits[i]);
}

void starpu_bitmap_unset_and(struct starpu_bitmap *a, struct starpu_bitmap *b, struct starpu_bitmap *c)
{
	for (int i = 0; i < NWORDS; i++)
		a->bits[i] = b->bits[i] & c->bits[i];
	count(a);
}

void starpu_bitmap_or(struct starpu_bitmap *a, struct starpu_bitmap *b)
{
	for (int i = 0; i < NWORDS; i++)
		a->bits[i] |= b->bits[i];
	count(a);
}

int starpu_bitmap_and_get(struct starpu_bitmap *b1, struct starpu_bitmap *b2, int e)
{
	return starpu_bitmap_get(b1, e) && starpu_bitmap_get(b2, e);
}

int starpu_bitmap_cardinal(struct starpu_bitmap *b)
{
	return b->cardinal;
}

int starpu_bitmap_next(struct starpu_bitmap *b, int e)
{
	while (inside(++e))
		if (starpu_bitmap_get(b, e))
			return e;
	return -1;
}

int starpu_bitmap_first(struct starpu_bitmap *b)
{
	return starpu_bitmap_next(b, -1);
}

int starpu_bitmap_last(struct starpu_bitmap *b)
{
	for (int e = NWORDS * BITS - 1; e >= 0; e--)
		if (starpu_bitmap_get(b, e))
			return e;
	return -1;
}

int starpu_bitmap_has_next(struct starpu_bitmap *b, int e)
{
	return starpu_bitmap_next(b, e) >= 0;
}
