/* SPDX-License-Identifier: MIT */
/*
 * A table of names: open addressing, at most half full.
 */
#include "graph/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t names_hash(const char *text)
{
	uint64_t hash = 14695981039346656037u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 1099511628211u;
	return (uint32_t)(hash ^ (hash >> 32));
}

/* Where a text is, or where it would be. */
static struct graph__name *names_slot(const struct graph__names *names, const char *text)
{
	uint32_t at = names_hash(text) & (names->room - 1);

	while (names->slots[at].text && strcmp(names->slots[at].text, text))
		at = (at + 1) & (names->room - 1);
	return &names->slots[at];
}

bool graph__names_find(const struct graph__names *names, const char *text, uint32_t *number)
{
	const struct graph__name *slot = names->room ? names_slot(names, text) : NULL;

	if (!slot || !slot->text)
		return false;
	*number = slot->number;
	return true;
}

static int names_grow(struct graph__names *names)
{
	struct graph__names larger = { .count = names->count, .room = names->room ? 2 * names->room : 64 };

	larger.slots = calloc(larger.room, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < names->room; i++)
		if (names->slots[i].text)
			*names_slot(&larger, names->slots[i].text) = names->slots[i];
	free(names->slots);
	*names = larger;
	return 0;
}

int graph__names_add(struct graph__names *names, const char *text, uint32_t number)
{
	if (2 * (names->count + 1) > names->room && names_grow(names))
		return -ENOMEM;
	*names_slot(names, text) = (struct graph__name){ text, number };
	names->count++;
	return 0;
}

void graph__names_fini(struct graph__names *names)
{
	free(names->slots);
	*names = (struct graph__names){ 0 };
}
