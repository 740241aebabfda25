/* SPDX-License-Identifier: MIT */
/*
 * hybrid: cuts divisible tasks into pieces for unequal devices. The load of a device is the number of items sent to it
 * that have not ended. The task rests in the reservoir above: what is refused is what no device has room for.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xylem/tree.h>

#include "components/all.h"
#include "components/devices.h"
#include "components/share.h"
#include "core/task/division.h"
#include "core/tree/tree.h"

#define HYBRID_SIZE "1000"
#define HYBRID_LOOK_US 500.0     /* how soon other processes are looked at again */
#define HYBRID_MOST 4294967295.0 /* items of a piece */

/* Locking key: (c) constant after seal, (l) lock. */
struct hybrid_device {
	uint64_t size, capacity; /* (c) items of a piece, and that it may have at once */
	double priority;         /* (c) */
	uint64_t load;           /* (l) items that it has */
	unsigned shared;         /* (c) its number in the table of the host, if there is one */
};

struct hybrid {
	struct xy_component base;
	char devices[XY_OPTION_TEXT_SIZE], batch_sizes[XY_OPTION_TEXT_SIZE]; /* (c) options, and those below */
	char capacities[XY_OPTION_TEXT_SIZE], priorities[XY_OPTION_TEXT_SIZE], share[XY_OPTION_TEXT_SIZE];
	bool one, ranks, strict;
	unsigned local_rank, local_size;
	struct xy__devices all;   /* (c) */
	struct hybrid_device *of; /* (c) by device */
	unsigned *order;          /* (c) devices, the most urgent first */
	struct xy_lock lock;
	struct xy__aside aside;  /* tasks without items */
	struct xy__share *table; /* (c) shared with other processes, or NULL */
};

static struct hybrid *hybrid_of(struct xy_component *self)
{
	return (struct hybrid *)self;
}

static uint64_t hybrid_items(const struct xy_task *task)
{
	struct xy_range range = xy_task_range(task);

	return range.stop - range.start;
}

/* --- choosing; the lock is held --- */

/* Other processes may have what is left of a device. Then they are looked at again soon. */
static bool hybrid_reserve(struct hybrid *h, const struct hybrid_device *d)
{
	if (!h->table || xy__share_take(h->table, d->shared, d->size, d->capacity))
		return true;
	xy_component_at(&h->base, xy_component_now_us(&h->base) + HYBRID_LOOK_US);
	return false;
}

/* The most urgent device with room for a whole piece, which is taken in the table of the host; count: none. */
static unsigned hybrid_choose(struct hybrid *h, const struct xy_task *task)
{
	for (unsigned k = 0; k < h->all.count; k++) {
		const struct hybrid_device *d = &h->of[h->order[k]];

		if (d->load + d->size <= d->capacity && xy__device_serves(&h->all.of[h->order[k]], &h->base, task) &&
		    hybrid_reserve(h, d))
			return h->order[k];
	}
	return h->all.count;
}

/* For a piece that comes back from a device of another size: one where it fits, or that has nothing. */
static unsigned hybrid_choose_again(const struct hybrid *h, const struct xy_task *piece)
{
	uint64_t items = hybrid_items(piece);

	for (unsigned k = 0; k < h->all.count; k++) {
		const struct hybrid_device *d = &h->of[h->order[k]];

		if ((!d->load || d->load + items <= d->capacity) &&
		    xy__device_serves(&h->all.of[h->order[k]], &h->base, piece))
			return h->order[k];
	}
	return h->all.count;
}

/* Whether some device can ever run it. */
static bool hybrid_serves(const struct hybrid *h, const struct xy_task *task)
{
	for (unsigned i = 0; i < h->all.count; i++)
		if (xy__device_serves(&h->all.of[i], &h->base, task))
			return true;
	return false;
}

/* --- sending; the lock is held --- */

static void hybrid_unload(struct hybrid *h, unsigned i, uint64_t items)
{
	h->of[i].load -= items;
	if (h->table)
		xy__share_give(h->table, h->of[i].shared, items);
}

static bool hybrid_send(struct hybrid *h, struct xy_task *piece, unsigned i, struct xy_agent *by)
{
	uint64_t items = hybrid_items(piece);

	h->of[i].load += items;
	if (xy__device_push(&h->all.of[i], &h->base, piece, by))
		return true;
	hybrid_unload(h, i, items);
	return false;
}

/* No device is left for it. It fails, in whichever branch. */
static bool hybrid_send_lost(struct hybrid *h, struct xy_task *task, struct xy_agent *by)
{
	if (xy_task_is_divisible(task))
		xy__division_fail(task->extra->division, -ENODEV);
	task = xy_task_cut(&h->base, task, 1, XY_NO_PLACE, by);
	for (unsigned i = 0; i < h->base.nchildren; i++)
		if (xy_task_can_run_below(task, h->base.children[i]) && xy_push(h->base.children[i], task, by))
			return true;
	return false;
}

/* Cuts until all is sent or no device has room. */
static bool hybrid_divide(struct hybrid *h, struct xy_task *task, struct xy_agent *by)
{
	struct xy_task *piece;

	if (!hybrid_serves(h, task))
		return hybrid_send_lost(h, task, by);
	do {
		unsigned i = hybrid_choose(h, task);

		if (i == h->all.count)
			return false;
		piece = xy_task_cut(&h->base, task, h->of[i].size, i, by);
		if (h->table) /* the last one is shorter than what was taken for it */
			xy__share_give(h->table, h->of[i].shared, h->of[i].size - hybrid_items(piece));
		if (!hybrid_send(h, piece, i,
				 by)) /* no live worker any more: the piece finds another on its way back */
			hybrid_send_lost(h, piece, by);
	} while (piece != task);
	return true;
}

/* A piece that was sent before and has to run elsewhere, or once more. */
static bool hybrid_again(struct hybrid *h, struct xy_task *piece, unsigned place, struct xy_agent *by)
{
	unsigned i;

	if (place != XY_NO_PLACE)
		hybrid_unload(h, place, hybrid_items(piece));
	xy_task_cut(&h->base, piece, 1, XY_NO_PLACE, by);
	if (!hybrid_serves(h, piece))
		return hybrid_send_lost(h, piece, by);
	i = hybrid_choose_again(h, piece);
	if (i == h->all.count)
		return false;
	xy_task_cut(&h->base, piece, 1, i, by);
	if (h->table)
		xy__share_force(h->table, h->of[i].shared, hybrid_items(piece));
	return hybrid_send(h, piece, i, by);
}

/* --- the verbs --- */

static bool hybrid_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct hybrid *h = hybrid_of(self);
	unsigned place;
	bool taken;

	if (!xy_task_is_divisible(task) && !xy_task_place(task, self, &place)) {
		xy__aside_push(&h->aside, self, task, by);
		return true;
	}
	xy_lock_take(&h->lock, self, by);
	if (xy_task_is_divisible(task))
		taken = hybrid_divide(h, task, by);
	else
		taken = hybrid_again(h, task, place, by);
	xy_lock_drop(&h->lock, self, by);
	return taken;
}

/* Pieces are made when they are pushed: only tasks without items can be pulled. */
static struct xy_task *hybrid_pull(struct xy_component *self, struct xy_agent *by)
{
	return xy__aside_take(&hybrid_of(self)->aside, self, by);
}

/* What is stored above waits for a piece to end, not for a worker. */
static bool hybrid_can_pull(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by)
{
	(void)self;
	(void)offer;
	(void)by;
	return false;
}

static void hybrid_piece_ended(struct xy_component *self, const struct xy_task *piece, struct xy_agent *by)
{
	struct hybrid *h = hybrid_of(self);
	unsigned place;

	xy_lock_take(&h->lock, self, by);
	if (xy_task_place(piece, self, &place) && place != XY_NO_PLACE)
		hybrid_unload(h, place, hybrid_items(piece));
	xy_lock_drop(&h->lock, self, by);
	xy_can_push_parents(self, by);
}

/* Another process may have given back what it had. */
static void hybrid_tick(struct xy_component *self, struct xy_agent *by)
{
	xy_can_push_parents(self, by);
}

/* --- options --- */

/* The i-th value of a list with one value, or one for each device. *value stays if the list is empty. */
static int hybrid_value(struct hybrid *h, const char *option, const char *list, unsigned i, double *value)
{
	char item[64], *end;
	unsigned n = 0;

	if (!*list)
		return 0;
	for (const char *rest = list; xy__list_next(&rest, item, sizeof item);)
		n++;
	if (n != 1 && n != h->all.count)
		return xy_tree_fail(h->base.tree, -EINVAL,
				    "hybrid: %s has %u values for %u devices: give one for all, or one for each",
				    option, n, h->all.count);
	for (unsigned k = 0; k <= (n == 1 ? 0 : i); k++)
		xy__list_next(&list, item, sizeof item);
	*value = strtod(item, &end);
	if (end == item || *end || isnan(*value))
		return xy_tree_fail(h->base.tree, -EINVAL, "hybrid: %s: \"%s\" is not a number", option, item);
	if (*value < 0)
		return xy_tree_fail(h->base.tree, -EINVAL, "hybrid: %s: %s is negative", option, item);
	return 0;
}

/* A whole number of items. */
static int hybrid_count(struct hybrid *h, const char *option, const char *list, unsigned i, uint64_t *count)
{
	double value = (double)*count;
	int error = hybrid_value(h, option, list, i, &value);

	if (error)
		return error;
	if (value > 9e15 || value != floor(value))
		return xy_tree_fail(h->base.tree, -EINVAL, "hybrid: %s: %g is not a whole number of items", option,
				    value);
	*count = (uint64_t)value;
	return 0;
}

static int hybrid_device(struct hybrid *h, unsigned i)
{
	struct hybrid_device *d = &h->of[i];
	const char *sizes = *h->batch_sizes ? h->batch_sizes : HYBRID_SIZE;
	const char *name = h->all.of[i].name;
	int error = hybrid_count(h, "batch_sizes", sizes, i, &d->size);

	if (error)
		return error;
	if (!d->size)
		return xy_tree_fail(h->base.tree, -EINVAL, "hybrid: the batch size of \"%s\" is 0", name);
	if ((double)d->size > HYBRID_MOST)
		return xy_tree_fail(h->base.tree, -EINVAL, "hybrid: the batch size of \"%s\" is over 4294967295", name);
	d->capacity = d->size * h->all.of[i].nworkers;
	d->priority = 1;
	error = hybrid_count(h, "capacities", h->capacities, i, &d->capacity);
	if (!error)
		error = hybrid_value(h, "priorities", h->priorities, i, &d->priority);
	if (!error && d->capacity < d->size)
		return xy_tree_fail(h->base.tree, -EINVAL,
				    "hybrid: the capacity of \"%s\", %llu, is below its batch size, %llu", name,
				    (unsigned long long)d->capacity, (unsigned long long)d->size);
	return error;
}

/* Falling priority; the first listed among equals. */
static void hybrid_sort(struct hybrid *h)
{
	for (unsigned i = 0; i < h->all.count; i++) {
		unsigned k = i;

		for (; k > 0 && h->of[h->order[k - 1]].priority < h->of[i].priority; k--)
			h->order[k] = h->order[k - 1];
		h->order[k] = i;
	}
}

/* --- one device of several --- */

static void hybrid_keep(struct hybrid *h, unsigned i)
{
	struct hybrid_device own = h->of[i];

	xy__devices_keep(&h->all, i);
	h->of[0] = own;
}

/* A rank takes the device of its number. */
static int hybrid_take_rank(struct hybrid *h)
{
	unsigned n = h->all.count;

	if (h->strict && h->local_size && h->local_size < n)
		return xy_tree_fail(h->base.tree, -EINVAL,
				    "hybrid: %u devices for %u ranks on this host: some would be idle, and strict is "
				    "set",
				    n, h->local_size);
	if (h->local_size && h->local_size < n)
		snprintf(h->base.tree->warning, sizeof h->base.tree->warning,
			 "hybrid: %u devices for %u ranks on this host: some are idle", n, h->local_size);
	hybrid_keep(h, h->local_rank % n);
	return 0;
}

static int hybrid_take_one(struct hybrid *h)
{
	unsigned i = 0;

	if (*h->devices && h->all.count > 1)
		return xy_tree_fail(h->base.tree, -EINVAL, "hybrid: one device is wanted, but %u are given",
				    h->all.count);
	/* Nothing was said: rather a device than the CPUs. */
	while (i + 1 < h->all.count && h->all.of[i].index < 0)
		i++;
	hybrid_keep(h, i);
	return 0;
}

static bool hybrid_is_bounded(const struct xy_component *self)
{
	(void)self;
	return true;
}

static size_t hybrid_depth(struct xy_component *self, size_t *peak)
{
	*peak = xy_queue_peak(&hybrid_of(self)->aside.queue);
	return xy_queue_count(&hybrid_of(self)->aside.queue);
}

static void hybrid_each_task(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task), void *arg)
{
	xy__aside_each(&hybrid_of(self)->aside, self, visit, arg);
}

/* Joins the processes of this host that share the devices. */
static int hybrid_join(struct hybrid *h)
{
	int error = xy__devices_share(&h->table, &h->base, h->share), number;

	if (error)
		return error;
	for (unsigned i = 0; i < h->all.count; i++) {
		number = xy__share_device(h->table, h->all.of[i].name);
		if (number < 0)
			return xy_tree_fail(h->base.tree, number, "hybrid: too many devices are shared as \"%s\"",
					    h->share);
		h->of[i].shared = (unsigned)number;
	}
	return 0;
}

static void hybrid_fini(struct xy_component *self)
{
	struct hybrid *h = hybrid_of(self);

	xy__share_leave(h->table);
	h->table = NULL;
	xy__devices_fini(&h->all);
	free(h->of);
	free(h->order);
	h->of = NULL;
	h->order = NULL;
}

static int hybrid_set_up(struct hybrid *h)
{
	int error = xy__devices_init(&h->all, &h->base, h->devices);

	if (error)
		return error;
	h->of = calloc(h->all.count, sizeof *h->of);
	h->order = calloc(h->all.count, sizeof *h->order);
	if (!h->of || !h->order)
		return -ENOMEM;
	for (unsigned i = 0; i < h->all.count && !error; i++)
		error = hybrid_device(h, i);
	if (!error && h->ranks)
		error = hybrid_take_rank(h);
	else if (!error && h->one)
		error = hybrid_take_one(h);
	return error || !*h->share ? error : hybrid_join(h);
}

static int hybrid_init(struct xy_component *self)
{
	struct hybrid *h = hybrid_of(self);
	int error = hybrid_set_up(h);

	h->aside.queue.ordered = true;
	if (error)
		hybrid_fini(self);
	else
		hybrid_sort(h);
	return error;
}

#define HYBRID_TEXT(field, what) \
	{ \
		.name = #field, .help = what, .type = XY_OPTION_TEXT, .offset = offsetof(struct hybrid, field) \
	}
#define HYBRID_BOOL(field, what) \
	{ \
		.name = #field, .help = what, .type = XY_OPTION_BOOL, .offset = offsetof(struct hybrid, field), \
		.max = 1 \
	}

static const struct xy_option hybrid_options[] = {
	HYBRID_TEXT(devices, "such as cpu+cuda:0; all below if not set"),
	HYBRID_TEXT(batch_sizes, "items of a piece: one number, or one for each device; 1000 if not set"),
	HYBRID_TEXT(capacities, "items that a device may have at once; a piece per worker if not set"),
	HYBRID_TEXT(priorities, "the highest with room is served first; all equal if not set"),
	HYBRID_TEXT(share, "name of a table through which processes of this host share the devices"),
	HYBRID_BOOL(one, "use one device only"),
	HYBRID_BOOL(ranks, "use the device of this rank: its number on the host modulo the devices"),
	HYBRID_BOOL(strict, "with ranks: more devices than ranks is an error"),
	{ .name = "local_rank",
	  .help = "number of this rank on its host",
	  .type = XY_OPTION_UNSIGNED,
	  .offset = offsetof(struct hybrid, local_rank),
	  .max = INFINITY },
	{ .name = "local_size",
	  .help = "ranks on this host; 0: not known",
	  .type = XY_OPTION_UNSIGNED,
	  .offset = offsetof(struct hybrid, local_size),
	  .max = INFINITY },
	{ 0 }
};

const struct xy_component_ops xy__hybrid_ops = {
	.name = "hybrid",
	.summary = "cuts divisible tasks into pieces for devices of given sizes and capacities",
	.manual = "Of a divisible task, such as a batch, hybrid sends pieces to the devices below it: among\n"
		  "those with room for a whole piece (load + batch size <= capacity, also for the last,\n"
		  "shorter piece) to the one with the highest priority, the first listed among equals. The\n"
		  "load of a device is the items that it has; it grows when a piece is sent and falls when\n"
		  "the piece has ended. A device gets pieces until it is full, so that transfers and work\n"
		  "overlap.\n"
		  "\n"
		  "Lists have + between their items: devices=cpu+cuda:0, batch_sizes=100+5000. One value is\n"
		  "for all devices. XYLEM_BATCH_DEVICES and so on set what the expression does not; there,\n"
		  "commas separate.\n"
		  "\n"
		  "Each branch has workers of one device and begins with a reservoir without a limit; the\n"
		  "task waits in the reservoir above:\n"
		  "\n"
		  "  prio | hybrid(batch_sizes=500) | each node { prio | eager | each worker { } }\n"
		  "\n"
		  "With share=NAME, all processes of this user on the host that say so share the devices: a\n"
		  "piece is sent only if all of them together stay within the capacity. What a process had\n"
		  "that died is free again.\n"
		  "\n"
		  "The pieces of a device that is lost go to others. A task without items waits here until a\n"
		  "worker asks for one, whatever its device.\n",
	.flags = XY_STORES | XY_PUMPS | XY_MAPS | XY_CUTS,
	.size = sizeof(struct hybrid),
	.options = hybrid_options,
	.init = hybrid_init,
	.fini = hybrid_fini,
	.push = hybrid_push,
	.pull = hybrid_pull,
	.can_pull = hybrid_can_pull,
	.piece_ended = hybrid_piece_ended,
	.tick = hybrid_tick,
	.is_bounded = hybrid_is_bounded,
	.depth = hybrid_depth,
	.each_task = hybrid_each_task,
};
