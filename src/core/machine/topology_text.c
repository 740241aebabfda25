/* SPDX-License-Identifier: MIT */
/*
 * Synthetic topologies in hwloc's notation, read here because hwloc needs quadratic time and memory
 * for many cores and doesn't say what is wrong with a text. A level is type:count with attributes
 * in parentheses, which are passed over; [numa] hangs memory below the level before it.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "core/machine/topology.h"
#include "core/util/text.h"

enum text_type { TEXT_PART, TEXT_NODE, TEXT_CORE, TEXT_PU, TEXT_UNKNOWN };

static const char *const text_parts[] = {
	"package", "pack",    "socket",  "die",     "group",   "l5",  "l4",  "l3",  "l2",  "l1",
	"l5cache", "l4cache", "l3cache", "l2cache", "l1cache", "l1d", "l1i", "l2i", "l3i", NULL,
};
static const char *const text_nodes[] = { "numa", "numanode", "node", NULL };

struct text_reader {
	const char *at, *end;            /* the rest of the text */
	unsigned nlevels;                /* above the cores */
	unsigned counts[XY__LEVELS_MAX]; /* parts of a level in one part of the level before */
	int package_level, cache_level;  /* of packages and of last-level caches; -1: none */
	int node_level;                  /* cores of one part of it share memory; -1: all do */
	unsigned ncores;                 /* so far: the parts of the last level */
	bool node, core, pu;             /* seen */
	char *error;
	size_t error_size;
};

static bool text_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool text_is_in(const char *name, const char *const *names)
{
	while (*names && strcasecmp(*names, name))
		names++;
	return *names;
}

/* Remembers the last level if it is that of packages, or the first of caches. */
static void text_note_part(struct text_reader *p, const char *name)
{
	if (*name == 'p' || *name == 'P' || *name == 's' || *name == 'S')
		p->package_level = (int)p->nlevels - 1;
	else if ((*name == 'l' || *name == 'L') && p->cache_level < 0)
		p->cache_level = (int)p->nlevels - 1;
}

/* Reads a name of letters and digits. */
static enum text_type text_type(struct text_reader *p, char name[16])
{
	size_t length = 0;

	while (p->at + length < p->end && text_is_letter(p->at[length]) && length < 15) {
		name[length] = p->at[length];
		length++;
	}
	name[length] = '\0';
	p->at += length;
	if (!strcasecmp(name, "core"))
		return TEXT_CORE;
	if (!strcasecmp(name, "pu"))
		return TEXT_PU;
	if (text_is_in(name, text_nodes))
		return TEXT_NODE;
	return text_is_in(name, text_parts) ? TEXT_PART : TEXT_UNKNOWN;
}

/* Passes over "(...)" if it stands here. */
static int text_skip_attributes(struct text_reader *p)
{
	const char *close;

	if (p->at >= p->end || *p->at != '(')
		return 0;
	close = memchr(p->at, ')', (size_t)(p->end - p->at));
	if (!close) {
		xy__text_print(p->error, p->error_size, "this parenthesis is not closed");
		return -EINVAL;
	}
	p->at = close + 1;
	return 0;
}

/* "[numa]" or "[numa(memory=1GB)]". */
static int text_memory(struct text_reader *p)
{
	const char *start = p->at++;
	char name[16];
	int error;

	if (text_type(p, name) != TEXT_NODE) {
		p->at = start;
		xy__text_print(p->error, p->error_size, "only [numa] can be in brackets");
		return -EINVAL;
	}
	error = text_skip_attributes(p);
	if (error)
		return error;
	if (p->at >= p->end || *p->at != ']') {
		p->at = start;
		xy__text_print(p->error, p->error_size, "this bracket is not closed");
		return -EINVAL;
	}
	p->at++;
	if (!p->core)
		p->node_level = (int)p->nlevels - 1;
	return 0;
}

/* Why a level of this type can't stand here, or NULL. */
static const char *text_refuse(const struct text_reader *p, enum text_type type)
{
	if (p->pu)
		return "nothing can be inside a pu";
	if (p->core && type == TEXT_CORE)
		return "there is a level of cores already";
	if (p->core && type == TEXT_NODE)
		return "memory nodes can't be inside a core";
	if (p->node && type == TEXT_NODE)
		return "there is a level of memory nodes already";
	if ((type == TEXT_PART || type == TEXT_NODE) && !p->core && p->nlevels == XY__LEVELS_MAX)
		return "too many levels (16 at most)";
	return NULL;
}

static int text_add(struct text_reader *p, enum text_type type, unsigned count)
{
	bool is_core = type == TEXT_CORE || (type == TEXT_PU && !p->core);

	if (!p->core) {
		if (count > XY__CORES_MAX / p->ncores) {
			xy__text_print(p->error, p->error_size, "this makes more than %u cores", XY__CORES_MAX);
			return -ERANGE;
		}
		p->ncores *= count;
		if (!is_core)
			p->counts[p->nlevels++] = count;
		if (type == TEXT_NODE)
			p->node_level = (int)p->nlevels - 1;
	}
	p->node |= type == TEXT_NODE;
	p->core |= is_core;
	p->pu |= type == TEXT_PU;
	return 0;
}

static int text_level(struct text_reader *p)
{
	const char *start = p->at, *refused, *digits;
	char name[16];
	enum text_type type = text_type(p, name);
	uint64_t count;
	int error;

	if (type == TEXT_UNKNOWN) {
		p->at = start;
		xy__text_print(p->error, p->error_size,
			       "expected package, die, group, numa, l3, l2, l1, core or pu, then "
			       "':' and how many");
		return -EINVAL;
	}
	refused = text_refuse(p, type);
	if (refused) {
		p->at = start;
		xy__text_print(p->error, p->error_size, "%s", refused);
		return -EINVAL;
	}
	if (p->at >= p->end || *p->at != ':') {
		xy__text_print(p->error, p->error_size, "expected ':' and a number after %s", name);
		return -EINVAL;
	}
	digits = ++p->at;
	if (!xy__text_unsigned(&p->at, XY__CORES_MAX, &count) || count == 0) {
		error = p->at == digits ? -EINVAL : -ERANGE;
		p->at = digits;
		xy__text_print(p->error, p->error_size, "expected a number from 1 to %u", XY__CORES_MAX);
		return error;
	}
	error = text_add(p, type, (unsigned)count);
	if (error)
		p->at = digits;
	else if (type == TEXT_PART && !p->core)
		text_note_part(p, name);
	return error ? error : text_skip_attributes(p);
}

static int text_parse(struct text_reader *p)
{
	const char *start = p->at;
	int error = 0;

	while (!error) {
		bool first = p->at == start;

		while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
			p->at++;
		if (p->at >= p->end)
			break;
		if (*p->at == '[')
			error = text_memory(p);
		else if (*p->at == '(' && first)
			error = text_skip_attributes(p);
		else
			error = text_level(p);
		if (!error && p->at < p->end && !strchr(" \t[", *p->at)) {
			xy__text_print(p->error, p->error_size, "expected a space");
			error = -EINVAL;
		}
	}
	if (!error && !p->core) {
		xy__text_print(p->error, p->error_size, "no cores: end with a level such as core:4");
		error = -EINVAL;
	}
	return error;
}

static int text_build(const struct text_reader *p, struct xy__topology *t)
{
	unsigned span[XY__LEVELS_MAX]; /* cores in one part */
	int error = xy__topology_init(t, p->ncores, p->nlevels);

	if (error)
		return error;
	for (unsigned level = 0, rest = p->ncores; level < p->nlevels; level++)
		span[level] = rest /= p->counts[level];
	for (unsigned i = 0; i < p->ncores; i++) {
		struct xy__core *core = xy__topology_core(t, i);

		for (unsigned level = 0; level < p->nlevels; level++)
			core->part[level] = i / span[level];
		core->node = p->node_level < 0 ? 0 : core->part[p->node_level];
		core->package = p->package_level < 0 ? 0 : core->part[p->package_level];
		core->cache = p->cache_level < 0 ? core->package : core->part[p->cache_level];
	}
	error = xy__topology_build(t);
	if (error)
		xy__topology_fini(t);
	return error;
}

int xy__topology_of_text(struct xy__topology *t, const char **begin, const char *end, char *error, size_t error_size)
{
	struct text_reader reader = {
		.at = *begin,
		.end = end,
		.ncores = 1,
		.package_level = -1,
		.cache_level = -1,
		.node_level = -1,
		.error = error,
		.error_size = error_size,
	};
	int status = text_parse(&reader);

	*begin = reader.at;
	if (!status)
		status = text_build(&reader, t);
	return status;
}
