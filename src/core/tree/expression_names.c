/* SPDX-License-Identifier: MIT */
/*
 * The names that `let` has defined, in buckets. The names of a tree end with it: those that were defined last are the
 * first of their buckets.
 */
#include "core/tree/expression_parts.h"

#include <string.h>
#include "core/tree/registry.h"

/* FNV-1a */
static unsigned name_bucket(const char *name, size_t length)
{
	uint32_t hash = 2166136261u;

	while (length--)
		hash = (hash ^ (unsigned char)*name++) * 16777619u;
	return hash % XY__NAME_BUCKETS;
}

struct xy__let *xy__name_find(const struct xy__expression *x, const char *name, size_t length)
{
	struct xy__let *let = x->visible ? x->visible[name_bucket(name, length)] : NULL;

	while (let && (let->length != length || memcmp(let->name, name, length)))
		let = let->hidden;
	return let;
}

const char *xy__name_fault(const struct xy__expression *x, const char *name, size_t length)
{
	char text[64] = "";

	if (length >= sizeof(text))
		return "a name has at most 63 characters";
	memcpy(text, name, length);
	if (xy__is_keyword(text))
		return "this is a word of the language";
	if (xy_registry_component(x->registry, text))
		return "this is the name of a component";
	if (xy_registry_policy(x->registry, text))
		return "this is the name of a policy";
	return xy__name_find(x, name, length) ? "this name is defined already" : NULL;
}

void xy__name_define(struct xy__expression *x, struct xy__let *let)
{
	unsigned bucket = name_bucket(let->name, let->length);

	let->hidden = x->visible[bucket];
	x->visible[bucket] = let;
}

void xy__names_forget(struct xy__expression *x, const struct xy__let *let)
{
	/* one for each, whichever it is: all of them go */
	for (; let; let = let->next) {
		struct xy__let **bucket = &x->visible[name_bucket(let->name, let->length)];

		*bucket = (*bucket)->hidden;
	}
}
