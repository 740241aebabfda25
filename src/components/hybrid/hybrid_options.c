/* SPDX-License-Identifier: MIT */
/* The options of hybrid: lists with one value, or one for each device. Each fault has its own message. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <xylem/tree.h>

#include "components/hybrid/hybrid.h"
#include "core/tree/tree.h"

#define HYBRID_SIZE "1000"
#define HYBRID_MOST 4294967295.0 /* items of a piece */

/* --- lists --- */

/* The i-th value of a list with one value, or one for each device. *value stays if the list is empty. */
static int hybrid_value(struct xy__hybrid *h, const char *option, const char *list, unsigned i, double *value)
{
	char item[64], *end;
	unsigned n = 0;

	if (!*list)
		return 0;
	for (const char *rest = list; xy__list_next(&rest, item, sizeof item);)
		n++;
	if (n != 1 && n != h->cutter.all.count)
		return xy_tree_fail(h->cutter.base.tree, -EINVAL,
				    "hybrid: %s has %u values for %u device%s: give one for all, or one for each",
				    option, n, h->cutter.all.count, h->cutter.all.count == 1 ? "" : "s");
	for (unsigned k = 0; k <= (n == 1 ? 0 : i); k++)
		xy__list_next(&list, item, sizeof item);
	*value = strtod(item, &end);
	if (end == item || *end || isnan(*value))
		return xy_tree_fail(h->cutter.base.tree, -EINVAL, "hybrid: %s: \"%s\" is not a number", option, item);
	if (*value < 0)
		return xy_tree_fail(h->cutter.base.tree, -EINVAL, "hybrid: %s: %s is negative", option, item);
	return 0;
}

/* A whole number of items. */
static int hybrid_count(struct xy__hybrid *h, const char *option, const char *list, unsigned i, uint64_t *count)
{
	double value = (double)*count;
	int error = hybrid_value(h, option, list, i, &value);

	if (error)
		return error;
	if (value > 9e15 || value != floor(value))
		return xy_tree_fail(h->cutter.base.tree, -EINVAL, "hybrid: %s: %g is not a whole number of items",
				    option, value);
	*count = (uint64_t)value;
	return 0;
}

static int hybrid_device(struct xy__hybrid *h, unsigned i)
{
	struct xy__hybrid_device *d = &h->of[i];
	const char *sizes = *h->batch_sizes ? h->batch_sizes : HYBRID_SIZE;
	const char *name = h->cutter.all.of[i].name;
	int error = hybrid_count(h, "batch_sizes", sizes, i, &d->size);

	if (error)
		return error;
	if (!d->size)
		return xy_tree_fail(h->cutter.base.tree, -EINVAL, "hybrid: the batch size of \"%s\" is 0", name);
	if ((double)d->size > HYBRID_MOST)
		return xy_tree_fail(h->cutter.base.tree, -EINVAL, "hybrid: the batch size of \"%s\" is over 4294967295",
				    name);
	d->capacity = d->size * h->cutter.all.of[i].nworkers;
	d->priority = 1;
	error = hybrid_count(h, "capacities", h->capacities, i, &d->capacity);
	if (!error)
		error = hybrid_value(h, "priorities", h->priorities, i, &d->priority);
	if (!error && d->capacity < d->size)
		return xy_tree_fail(h->cutter.base.tree, -EINVAL,
				    "hybrid: the capacity of \"%s\", %llu, is below its batch size, %llu", name,
				    (unsigned long long)d->capacity, (unsigned long long)d->size);
	return error;
}

/* Falling priority; the first listed among equals. */
static void hybrid_sort(struct xy__hybrid *h)
{
	for (unsigned i = 0; i < h->cutter.all.count; i++) {
		unsigned k = i;

		for (; k > 0 && h->of[h->order[k - 1]].priority < h->of[i].priority; k--)
			h->order[k] = h->order[k - 1];
		h->order[k] = i;
	}
}

/* --- one device of several --- */

static void hybrid_keep(struct xy__hybrid *h, unsigned i)
{
	struct xy__hybrid_device own = h->of[i];

	xy__devices_keep(&h->cutter.all, i);
	h->of[0] = own;
}

/* Whether a device is one to choose from: if none are listed, the CPUs are not, unless there is nothing else. */
static bool hybrid_offers(const struct xy__hybrid *h, unsigned i)
{
	return *h->cutter.devices || h->cutter.all.of[i].index >= 0 || h->cutter.all.count == 1;
}

static unsigned hybrid_offered(const struct xy__hybrid *h)
{
	unsigned n = 0;

	for (unsigned i = 0; i < h->cutter.all.count; i++)
		n += hybrid_offers(h, i);
	return n;
}

static void hybrid_keep_offered(struct xy__hybrid *h, unsigned number)
{
	for (unsigned i = 0; i < h->cutter.all.count; i++)
		if (hybrid_offers(h, i) && !number--) {
			hybrid_keep(h, i);
			return;
		}
}

/* A rank takes the device of its number. */
static int hybrid_take_rank(struct xy__hybrid *h)
{
	unsigned n = hybrid_offered(h), ranks = h->local_size;
	const char *some = ranks == 1 ? "rank" : "ranks";

	if (h->strict && ranks && ranks < n)
		return xy_tree_fail(h->cutter.base.tree, -EINVAL,
				    "hybrid: %u devices for %u %s on this host: some would be idle, and strict is set",
				    n, ranks, some);
	if (ranks && ranks < n)
		snprintf(h->cutter.base.tree->warning, sizeof h->cutter.base.tree->warning,
			 "hybrid: %u devices for %u %s on this host: some are idle", n, ranks, some);
	hybrid_keep_offered(h, h->local_rank % n);
	return 0;
}

static int hybrid_take_one(struct xy__hybrid *h)
{
	if (*h->cutter.devices && h->cutter.all.count > 1)
		return xy_tree_fail(h->cutter.base.tree, -EINVAL, "hybrid: one device is wanted, but %u are given",
				    h->cutter.all.count);
	hybrid_keep_offered(h, 0);
	return 0;
}

int xy__hybrid_read(struct xy__hybrid *h)
{
	int error = 0;

	for (unsigned i = 0; i < h->cutter.all.count && !error; i++)
		error = hybrid_device(h, i);
	if (!error && h->ranks)
		error = hybrid_take_rank(h);
	else if (!error && h->one)
		error = hybrid_take_one(h);
	if (!error)
		hybrid_sort(h);
	return error;
}

/* --- the table --- */

#define HYBRID_TEXT(option, field, what) \
	{ \
		.name = option, .help = what, .type = XY_OPTION_TEXT, .offset = offsetof(struct xy__hybrid, field) \
	}
#define HYBRID_BOOL(field, what) \
	{ \
		.name = #field, .help = what, .type = XY_OPTION_BOOL, .offset = offsetof(struct xy__hybrid, field), \
		.max = 1 \
	}

const struct xy_option xy__hybrid_options[] = {
	HYBRID_TEXT("devices", cutter.devices, "such as cpu+cuda:0; all below if not set"),
	HYBRID_TEXT("batch_sizes", batch_sizes,
		    "items of a piece: one number, or one for each device; 1000 if not set"),
	HYBRID_TEXT("capacities", capacities, "items that a device may have at once; a piece per worker if not set"),
	HYBRID_TEXT("priorities", priorities, "the highest with room is served first; all equal if not set"),
	HYBRID_TEXT("share", cutter.share, "name of a table through which processes of this host share the devices"),
	HYBRID_BOOL(one, "use one device only"),
	HYBRID_BOOL(ranks, "use the device of this rank: its number on the host modulo the devices"),
	HYBRID_BOOL(strict, "with ranks: more devices than ranks is an error"),
	{ .name = "local_rank",
	  .help = "number of this rank on its host",
	  .type = XY_OPTION_UNSIGNED,
	  .offset = offsetof(struct xy__hybrid, local_rank),
	  .max = INFINITY },
	{ .name = "local_size",
	  .help = "ranks on this host; 0: not known",
	  .type = XY_OPTION_UNSIGNED,
	  .offset = offsetof(struct xy__hybrid, local_size),
	  .max = INFINITY },
	{ 0 }
};
