/* SPDX-License-Identifier: MIT */
/* What the settings say about batches, as defaults of the components that divide them. */
#include "core/runtime/batch_defaults.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <xylem/component.h>

#include "core/runtime/runtime.h"
#include "core/tree/registry.h"

enum { DEFAULTS_MAX = 12 };

struct xy__batch_defaults {
	struct xy__default table[DEFAULTS_MAX + 1];
	unsigned count;
	char texts[DEFAULTS_MAX][XY_OPTION_TEXT_SIZE];
};

/* Commas mean something else in expressions: there, + separates. */
static void defaults_add(struct xy__batch_defaults *all, const char *component, const char *option, const char *value,
			 const char *from)
{
	char *text = all->texts[all->count];

	if (!*value)
		return;
	snprintf(text, XY_OPTION_TEXT_SIZE, "%s", value);
	for (char *at = text; *at; at++)
		if (*at == ',')
			*at = '+';
	all->table[all->count++] = (struct xy__default){ component, option, text, from };
}

static void defaults_add_number(struct xy__batch_defaults *all, const char *option, unsigned number, const char *from)
{
	char text[16];

	snprintf(text, sizeof text, "%u", number);
	defaults_add(all, "hybrid", option, text, from);
}

int xy__batch_defaults_init(struct xy_runtime *rt)
{
	const struct xy__settings *s = &rt->settings;
	struct xy__batch_defaults *all = calloc(1, sizeof *all);

	rt->batch = all;
	if (!all)
		return -ENOMEM;
	defaults_add(all, "hybrid", "devices", s->batch_devices, "XYLEM_BATCH_DEVICES");
	defaults_add(all, "balance", "devices", s->batch_devices, "XYLEM_BATCH_DEVICES");
	defaults_add(all, "hybrid", "batch_sizes", s->batch_sizes, "XYLEM_BATCH_SIZES");
	defaults_add(all, "hybrid", "capacities", s->batch_capacities, "XYLEM_BATCH_CAPACITIES");
	defaults_add(all, "hybrid", "priorities", s->batch_priorities, "XYLEM_BATCH_PRIORITIES");
	defaults_add(all, "hybrid", "share", s->batch_share, "XYLEM_BATCH_SHARE");
	defaults_add(all, "balance", "share", s->batch_share, "XYLEM_BATCH_SHARE");
	if (s->batch_strict)
		defaults_add(all, "hybrid", "strict", "1", "XYLEM_BATCH_STRICT");
	if (s->batch_rank != UINT_MAX)
		defaults_add_number(all, "local_rank", s->batch_rank, "XYLEM_BATCH_RANK");
	if (s->batch_ranks)
		defaults_add_number(all, "local_size", s->batch_ranks, "the number of ranks on this host");
	xy__registry_set_defaults(rt->registry, all->table);
	return 0;
}
