/* SPDX-License-Identifier: MIT */
/* Sweeps: parameters of the base, times the product of the grid, times the rows of the list, times the changes. */
#include "farm/sweep.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "core/util/buffer.h"
#include "core/util/nearest.h"

#define SWEEP_MAX 1000000

/* Sets a parameter in a list that others may share: it is copied first. */
static struct farm_values sweep_with(struct farm *farm, const struct farm_values *values,
				     const struct farm_value *value)
{
	struct farm_values all = { 0 };
	bool there = false;

	for (size_t i = 0; i < values->count; i++) {
		bool same = !strcmp(values->at[i].name, value->name);

		farm_values_add(farm, &all, same ? *value : values->at[i]);
		there |= same;
	}
	if (!there)
		farm_values_add(farm, &all, *value);
	return all;
}

static int sweep_refuse(const struct farm_sweep *sweep, const struct farm_axis *axis, const char *what,
			const struct farm_report *report)
{
	farm_say(report, "%s:%u: %s: %s", sweep->source, axis->line, axis->name, what);
	return -EINVAL;
}

static int sweep_check(const struct farm_sweep *sweep, const struct farm_report *report)
{
	const struct farm_axes *kinds[] = { &sweep->grid, &sweep->list, &sweep->ablative };
	uint64_t points = 1;

	for (size_t k = 0; k < 3; k++) {
		uint64_t factor = k == 0 ? 1 : k == 1 && kinds[k]->count ? kinds[k]->at[0].count : 1;

		for (size_t i = 0; i < kinds[k]->count; i++) {
			const struct farm_axis *axis = &kinds[k]->at[i];

			if (!axis->count)
				return sweep_refuse(sweep, axis, "the sweep is empty: there are no values", report);
			for (size_t l = 0; l <= k; l++)
				for (size_t j = 0; j < (l == k ? i : kinds[l]->count); j++)
					if (!strcmp(kinds[l]->at[j].name, axis->name))
						return sweep_refuse(sweep, axis, "is swept twice", report);
			if (k == 1 && axis->count != kinds[k]->at[0].count) {
				farm_say(report, "%s:%u: %s: has %zu values but %s has %zu: lists must be equally long",
					 sweep->source, axis->line, axis->name, axis->count, kinds[k]->at[0].name,
					 kinds[k]->at[0].count);
				return -EINVAL;
			}
			factor = k == 0 ? factor * axis->count : k == 1 ? factor : factor + axis->count;
			if (factor > SWEEP_MAX)
				return sweep_refuse(sweep, axis, "the sweep has more than 1,000,000 points", report);
		}
		points *= factor;
		if (points > SWEEP_MAX) {
			farm_say(report, "%s:%u: the sweep has more than 1,000,000 points", sweep->source, sweep->line);
			return -EINVAL;
		}
	}
	return 0;
}

/* Replaces the points by factor as many, one after the other for each. */
static bool sweep_multiply(struct farm *farm, struct farm_points *points, size_t factor)
{
	size_t count = points->count * factor;
	struct farm_values *params = farm_alloc(farm, count * sizeof(*params));
	struct farm_values *changed = farm_alloc(farm, count * sizeof(*changed));

	if (!params || !changed)
		return false;
	for (size_t i = 0; i < count; i++) {
		params[i] = points->params[i / factor];
		changed[i] = points->changed[i / factor];
	}
	*points = (struct farm_points){ .count = count, .params = params, .changed = changed };
	return true;
}

static void sweep_set(struct farm *farm, struct farm_points *points, size_t i, const struct farm_value *value)
{
	points->params[i] = sweep_with(farm, &points->params[i], value);
	points->changed[i] = sweep_with(farm, &points->changed[i], value);
}

/* The base itself, then each value of each axis alone. */
static bool sweep_ablate(struct farm *farm, struct farm_points *points, const struct farm_axes *axes)
{
	size_t factor = 1, at = 1;

	for (size_t a = 0; a < axes->count; a++)
		factor += axes->at[a].count;
	if (!sweep_multiply(farm, points, factor))
		return false;
	for (size_t a = 0; a < axes->count; a++)
		for (size_t v = 0; v < axes->at[a].count; v++, at++)
			for (size_t i = at; i < points->count; i += factor)
				sweep_set(farm, points, i, &axes->at[a].values[v]);
	return true;
}

int farm_sweep_expand(struct farm *farm, const struct farm_sweep *sweep, struct farm_points *points,
		      const struct farm_report *report)
{
	int error = sweep_check(sweep, report);

	if (error)
		return error;
	*points = (struct farm_points){ .count = 1,
					.params = farm_alloc(farm, sizeof(*points->params)),
					.changed = farm_alloc(farm, sizeof(*points->changed)) };
	if (!points->params || !points->changed)
		return -ENOMEM;
	points->params[0] = sweep->base;
	for (size_t a = 0; a < sweep->grid.count; a++) {
		const struct farm_axis *axis = &sweep->grid.at[a];

		if (!sweep_multiply(farm, points, axis->count))
			return -ENOMEM;
		for (size_t i = 0; i < points->count; i++)
			sweep_set(farm, points, i, &axis->values[i % axis->count]);
	}
	if (sweep->list.count && !sweep_multiply(farm, points, sweep->list.at[0].count))
		return -ENOMEM;
	for (size_t a = 0; a < sweep->list.count; a++)
		for (size_t i = 0; i < points->count; i++)
			sweep_set(farm, points, i, &sweep->list.at[a].values[i % sweep->list.at[a].count]);
	if (sweep->ablative.count && !sweep_ablate(farm, points, &sweep->ablative))
		return -ENOMEM;
	return farm->failed ? -ENOMEM : 0;
}

/* --- {parameter} --- */

static void sweep_unknown(const struct farm_values *params, const char *name, size_t length, const char *source,
			  unsigned line, const struct farm_report *report)
{
	struct xy__message message;
	struct xy__nearest nearest;
	char suggestion[160];

	xy__nearest_init(&nearest, name, length);
	for (size_t i = 0; i < params->count; i++)
		xy__nearest_look(&nearest, params->at[i].name);
	xy__message_init(&message, suggestion, sizeof(suggestion));
	xy__nearest_say(&nearest, &message);
	farm_say(report, "%s:%u: {%.*s}: there is no such parameter%s (a brace itself is written twice)", source, line,
		 (int)length, name, suggestion);
}

char *farm_sweep_fill(struct farm *farm, const char *text, const struct farm_values *params, const char *source,
		      unsigned line, const struct farm_report *report)
{
	struct xy__buffer buffer = { 0 };
	char *filled = NULL;

	xy__buffer_add(&buffer, "%s", "");
	while (*text) {
		size_t n = strcspn(text, "{}"), length;
		const struct farm_value *value = NULL;

		xy__buffer_add(&buffer, "%.*s", (int)n, text);
		text += n;
		if (!*text)
			break;
		if (text[1] == *text || *text == '}') {
			xy__buffer_add(&buffer, "%c", *text);
			text += text[1] == *text ? 2 : 1;
			continue;
		}
		length = strcspn(++text, "}");
		for (size_t i = 0; i < params->count && !value; i++)
			if (strlen(params->at[i].name) == length && !strncmp(params->at[i].name, text, length))
				value = &params->at[i];
		if (!value || !text[length]) {
			sweep_unknown(params, text, length, source, line, report);
			goto out;
		}
		xy__buffer_add(&buffer, "%s", value->text);
		text += length + 1;
	}
	farm->failed |= buffer.failed;
	filled = buffer.failed ? NULL : farm_text(farm, "%s", buffer.at);
out:
	xy__buffer_fini(&buffer);
	return filled;
}

char *farm_sweep_name(struct farm *farm, const char *text, const struct farm_values *params,
		      const struct farm_values *changed, const char *source, unsigned line,
		      const struct farm_report *report)
{
	char *name = farm_sweep_fill(farm, text, params, source, line, report);

	if (!name || strchr(text, '{') || !changed->count)
		return name;
	for (size_t i = 0; i < changed->count && name; i++)
		name = farm_text(farm, "%s%s%s%s", name, i ? "_" : "__", changed->at[i].name, changed->at[i].text);
	return name;
}
