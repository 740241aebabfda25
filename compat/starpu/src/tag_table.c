/* SPDX-License-Identifier: MIT */
/*
 * The tags by their numbers, in a table that grows with them, and the edges that hang on tags and jobs. Both are cut
 * from chunks and used again. All is called with xs_deps_lock held.
 */
#include "internal.h"

/* --- chunks of structs of one size --- */

#define CHUNK 64u

struct item {
	struct item *next;
};

struct chunk {
	struct chunk *next;
	max_align_t items[];
};

struct pool {
	size_t size;
	struct item *spare;   /* (d) */
	struct chunk *chunks; /* (d) */
	unsigned long used;   /* (d) */
};

static void *pool_take(struct pool *pool)
{
	struct item *item = pool->spare;

	if (!item) {
		struct chunk *chunk = malloc(sizeof *chunk + CHUNK * pool->size);

		if (!chunk)
			return NULL;
		chunk->next = pool->chunks;
		pool->chunks = chunk;
		for (unsigned i = CHUNK; i--;) {
			struct item *more = (struct item *)((char *)chunk->items + i * pool->size);

			more->next = item;
			item = more;
		}
	}
	pool->spare = item->next;
	pool->used++;
	return item;
}

static void pool_give(struct pool *pool, void *memory)
{
	struct item *item = memory;

	item->next = pool->spare;
	pool->spare = item;
	pool->used--;
}

/* Static tasks of the program may still have edges: then the chunks stay for the next start. */
static void pool_fini(struct pool *pool)
{
	if (pool->used)
		return;
	pool->spare = NULL;
	while (pool->chunks) {
		struct chunk *chunk = pool->chunks;

		pool->chunks = chunk->next;
		free(chunk);
	}
}

static struct pool tags = { .size = sizeof(struct xs_tag) };
static struct pool edges = { .size = sizeof(struct xs_edge) };

/* --- edges --- */

struct xs_edge *xs_edge_create(void)
{
	return pool_take(&edges);
}

void xs_edge_free(struct xs_edge *edge)
{
	pool_give(&edges, edge);
}

/* --- the table --- */

#define FIRST_BITS 8u

static struct xs_tag **buckets; /* (d) 1 << bits of them, NULL before the first tag */
static unsigned bits;           /* (d) */

/* Programs number their tags by coordinates: all bits count. */
static struct xs_tag **bucket_of(starpu_tag_t id)
{
	return &buckets[((id ^ id >> 32) * 0x9E3779B97F4A7C15u) >> (64 - bits)];
}

/* Twice as many buckets; without memory the lists become longer. */
static void table_grow(void)
{
	unsigned long n = buckets ? 1ul << bits : 0;
	unsigned more = buckets ? bits + 1 : FIRST_BITS;
	struct xs_tag **old = buckets, **grown = calloc(1ul << more, sizeof(struct xs_tag *));

	if (!grown)
		return;
	buckets = grown;
	bits = more;
	for (unsigned long i = 0; i < n; i++)
		while (old[i]) {
			struct xs_tag *tag = old[i], **bucket = bucket_of(tag->id);

			old[i] = tag->next;
			tag->next = *bucket;
			*bucket = tag;
		}
	free(old);
}

struct xs_tag *xs_tag_find(starpu_tag_t id)
{
	struct xs_tag *tag = buckets ? *bucket_of(id) : NULL;

	while (tag && tag->id != id)
		tag = tag->next;
	return tag;
}

static struct xs_tag *tag_create(starpu_tag_t id)
{
	struct xs_tag *tag, **bucket;

	if (!buckets || tags.used >> bits)
		table_grow();
	tag = buckets ? pool_take(&tags) : NULL;
	if (!tag) {
		xs_fail(-ENOMEM, "no memory for tag %llu", (unsigned long long)id);
		return NULL;
	}
	bucket = bucket_of(id);
	*tag = (struct xs_tag){ .id = id, .next = *bucket };
	*bucket = tag;
	return tag;
}

struct xs_tag *xs_tag_get(starpu_tag_t id)
{
	struct xs_tag *tag = xs_tag_find(id);

	return tag ? tag : tag_create(id);
}

void xs_tag_free(struct xs_tag *tag)
{
	struct xs_tag **at = bucket_of(tag->id);

	while (*at != tag)
		at = &(*at)->next;
	*at = tag->next;
	pool_give(&tags, tag);
}

void xs_tag_table_fini(void (*end)(struct xs_tag *tag))
{
	for (unsigned long i = 0; buckets && i < 1ul << bits; i++)
		while (buckets[i])
			end(buckets[i]);
	free(buckets);
	buckets = NULL;
	bits = 0;
	pool_fini(&tags);
	pool_fini(&edges);
}
