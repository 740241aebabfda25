/* SPDX-License-Identifier: MIT */
/*
 * Sweeps of CW2: axes may nest (a.b), a list combines the n-th values, a grid all of them, ablative changes one
 * parameter at a time and keeps the point without a change. Names are short as CW2 makes them.
 */
#include "farm/cw2.h"

#include <ctype.h>
#include <string.h>

#include "core/util/buffer.h"

#define SWEEP_POINTS 1000000u
#define SWEEP_DEPTH 16u

struct sweep_axis {
	char *name;                     /* with dots */
	const struct farm_node *values; /* a list */
};

struct sweep_axes {
	size_t count;
	struct sweep_axis *at;
};

/* Adds the axes below a map, whose own name is prefix. */
static bool sweep_axes(const struct farm_reader *reader, const struct farm_node *map, const char *prefix,
		       unsigned depth, struct sweep_axes *axes)
{
	for (const struct farm_node *item = map->first; item; item = item->next) {
		char *name = farm_text(reader->farm, "%s%s%s", prefix, *prefix ? "." : "", item->key);
		struct sweep_axis *more;

		if (!name)
			return false;
		if (item->kind == FARM_MAP && depth < SWEEP_DEPTH) {
			if (!sweep_axes(reader, item, name, depth + 1, axes))
				return false;
			continue;
		}
		if (item->kind != FARM_LIST || !item->first)
			return farm_read_refuse(reader, item, "must be a list of values");
		more = farm_alloc(reader->farm, (axes->count + 1) * sizeof(*more));
		if (!more)
			return false;
		if (axes->count)
			memcpy(more, axes->at, axes->count * sizeof(*more));
		more[axes->count] = (struct sweep_axis){ .name = name, .values = item };
		axes->at = more;
		axes->count++;
	}
	return true;
}

static bool sweep_read(const struct farm_reader *reader, const struct farm_node *experiment, const char *key,
		       struct sweep_axes *axes)
{
	const struct farm_node *map = farm_node_find(experiment, key);

	*axes = (struct sweep_axes){ 0 };
	if (!map || farm_node_is_null(map))
		return true;
	if (map->kind != FARM_MAP)
		return farm_read_refuse(reader, map, "must be a map of parameters and lists of values");
	if (!sweep_axes(reader, map, "", 0, axes))
		return false;
	return axes->count || farm_read_refuse(reader, map, "the sweep is empty");
}

/* --- names --- */

/* Three letters of each outer part, and the first letter of each word of the last one: net.learning_rate is net.lr. */
static void sweep_short(struct xy__buffer *buffer, const char *name)
{
	const char *leaf = strrchr(name, '.');

	for (const char *at = name; leaf && at < leaf; at += strcspn(at, ".") + 1) {
		size_t length = strcspn(at, ".");

		xy__buffer_add(buffer, "%.*s.", (int)(length < 3 ? length : 3), at);
	}
	for (const char *at = leaf ? leaf + 1 : name; *at;) {
		xy__buffer_add(buffer, "%c", *at);
		at += strcspn(at, "_");
		at += *at == '_';
	}
}

/* Whether two axes have one short name: then they are written out. */
static bool sweep_is_ambiguous(const struct sweep_axes *axes)
{
	bool same = false;

	for (size_t i = 0; i < axes->count && !same; i++)
		for (size_t j = 0; j < i && !same; j++) {
			struct xy__buffer a = { 0 }, b = { 0 };

			sweep_short(&a, axes->at[i].name);
			sweep_short(&b, axes->at[j].name);
			same = a.at && b.at && !strcmp(a.at, b.at);
			xy__buffer_fini(&a);
			xy__buffer_fini(&b);
		}
	return same;
}

/* A value as Python would write it, without what does not belong into a name. */
static void sweep_value(const struct farm_reader *reader, struct xy__buffer *buffer, const struct farm_node *value)
{
	const char *text = value->kind == FARM_SCALAR ? value->text : farm_node_json(reader->farm, value);

	if (value->kind == FARM_SCALAR && value->plain && farm_node_is_null(value))
		text = "None";
	else if (value->kind == FARM_SCALAR && value->plain && (!strcmp(text, "true") || !strcmp(text, "false")))
		text = *text == 't' ? "True" : "False";
	for (; text && *text; text++)
		if (strchr("([,", *text))
			xy__buffer_add(buffer, "_");
		else if (!strchr(")]' \"", *text))
			xy__buffer_add(buffer, "%c", *text);
}

static char *sweep_suffix(const struct farm_reader *reader, const char *before, const struct sweep_axis *axis,
			  const struct farm_node *value, bool whole)
{
	struct xy__buffer buffer = { 0 };
	char *suffix;

	xy__buffer_add(&buffer, "%s%s", before, *before ? "_" : "__");
	if (whole)
		xy__buffer_add(&buffer, "%s", axis->name);
	else
		sweep_short(&buffer, axis->name);
	sweep_value(reader, &buffer, value);
	reader->farm->failed |= buffer.failed;
	suffix = buffer.failed ? NULL : farm_text(reader->farm, "%s", buffer.at);
	xy__buffer_fini(&buffer);
	return suffix;
}

/* --- points --- */

/* A map with one value at the end of a name with dots. */
static struct farm_node *sweep_overlay(const struct farm_reader *reader, const char *name,
				       const struct farm_node *value)
{
	size_t length = strcspn(name, ".");
	struct farm_node *map = farm_alloc(reader->farm, sizeof(*map)), *inner;

	inner = name[length] ? sweep_overlay(reader, name + length + 1, value)
			     : farm_node_merge(reader->farm, NULL, value);
	if (!map || !inner)
		return NULL;
	*map = (struct farm_node){ .kind = FARM_MAP, .source = value->source, .line = value->line, .first = inner };
	inner->key = farm_text(reader->farm, "%.*s", (int)length, name);
	return map;
}

static bool sweep_point(const struct farm_reader *reader, const struct farm_cw2_point *from,
			const struct sweep_axis *axis, const struct farm_node *value, bool whole,
			struct farm_cw2_point *to)
{
	struct farm_node *overlay = sweep_overlay(reader, axis->name, value);

	to->params = overlay ? farm_node_merge(reader->farm, from->params, overlay) : NULL;
	to->suffix = sweep_suffix(reader, from->suffix, axis, value, whole);
	return to->params && to->suffix;
}

static bool sweep_room(const struct farm_reader *reader, const struct farm_node *experiment, size_t count,
		       size_t factor, struct farm_cw2_points *points)
{
	if (factor > SWEEP_POINTS / count)
		return farm_read_refuse(reader, experiment, "the sweep has more than %u points", SWEEP_POINTS);
	*points = (struct farm_cw2_points){ .count = count * factor,
					    .at = farm_alloc(reader->farm, count * factor * sizeof(*points->at)) };
	return points->at != NULL;
}

static const struct farm_node *sweep_nth(const struct farm_node *list, size_t n)
{
	const struct farm_node *item = list->first;

	while (n-- > 0)
		item = item->next;
	return item;
}

/* Each point with each value of an axis. */
static bool sweep_multiply(const struct farm_reader *reader, const struct farm_node *experiment,
			   const struct sweep_axis *axis, bool whole, struct farm_cw2_points *points)
{
	size_t factor = farm_node_length(axis->values), at = 0;
	struct farm_cw2_points more;

	if (!sweep_room(reader, experiment, points->count, factor, &more))
		return false;
	for (size_t i = 0; i < points->count; i++)
		for (const struct farm_node *value = axis->values->first; value; value = value->next)
			if (!sweep_point(reader, &points->at[i], axis, value, whole, &more.at[at++]))
				return false;
	*points = more;
	return true;
}

/* Each point with the n-th values of all axes. */
static bool sweep_zip(const struct farm_reader *reader, const struct farm_node *experiment,
		      const struct sweep_axes *axes, struct farm_cw2_points *points)
{
	bool whole = sweep_is_ambiguous(axes);
	size_t rows = axes->count ? farm_node_length(axes->at[0].values) : 1;
	struct farm_cw2_points more;

	for (size_t a = 1; a < axes->count; a++)
		if (farm_node_length(axes->at[a].values) != rows)
			return farm_read_refuse(reader, axes->at[a].values,
						"has %zu values, but %s has %zu: "
						"lists must be "
						"equally "
						"long",
						farm_node_length(axes->at[a].values), axes->at[0].name, rows);
	if (!sweep_room(reader, experiment, points->count, rows, &more))
		return false;
	for (size_t i = 0; i < more.count; i++) {
		more.at[i] = points->at[i / rows];
		for (size_t a = 0; a < axes->count; a++)
			if (!sweep_point(reader, &more.at[i], &axes->at[a], sweep_nth(axes->at[a].values, i % rows),
					 whole, &more.at[i]))
				return false;
	}
	*points = more;
	return true;
}

/* All points, then each of them with one change. */
static bool sweep_ablate(const struct farm_reader *reader, const struct farm_node *experiment,
			 const struct sweep_axes *axes, struct farm_cw2_points *points)
{
	bool whole = sweep_is_ambiguous(axes);
	size_t factor = 1, at = points->count;
	struct farm_cw2_points more;

	for (size_t a = 0; a < axes->count; a++)
		factor += farm_node_length(axes->at[a].values);
	if (!sweep_room(reader, experiment, points->count, factor, &more))
		return false;
	memcpy(more.at, points->at, points->count * sizeof(*more.at));
	for (size_t i = 0; i < points->count; i++)
		for (size_t a = 0; a < axes->count; a++)
			for (const struct farm_node *value = axes->at[a].values->first; value; value = value->next)
				if (!sweep_point(reader, &points->at[i], &axes->at[a], value, whole, &more.at[at++]))
					return false;
	*points = more;
	return true;
}

bool farm_cw2_expand(const struct farm_reader *reader, const struct farm_node *experiment,
		     struct farm_cw2_points *points)
{
	struct farm_node *params = farm_node_find(experiment, "params");
	struct farm_node *none = farm_alloc(reader->farm, sizeof(*none));
	struct sweep_axes list, grid, ablative;
	bool whole;

	if (!none || !sweep_room(reader, experiment, 1, 1, points) || !sweep_read(reader, experiment, "list", &list) ||
	    !sweep_read(reader, experiment, "grid", &grid) || !sweep_read(reader, experiment, "ablative", &ablative))
		return false;
	*none = (struct farm_node){ .kind = FARM_MAP, .source = experiment->source, .line = experiment->line };
	if (params && !farm_node_is_null(params) && params->kind != FARM_MAP)
		return farm_read_refuse(reader, params, "must be a map of parameters");
	points->at[0] = (struct farm_cw2_point){ .params = params && params->kind == FARM_MAP ? params : none,
						 .suffix = "" };
	if (!sweep_zip(reader, experiment, &list, points))
		return false;
	whole = sweep_is_ambiguous(&grid);
	for (size_t a = 0; a < grid.count; a++)
		if (!sweep_multiply(reader, experiment, &grid.at[a], whole, points))
			return false;
	return sweep_ablate(reader, experiment, &ablative, points);
}
