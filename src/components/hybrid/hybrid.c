/* SPDX-License-Identifier: MIT */
/*
 * hybrid: cuts divisible tasks into pieces for unequal devices. The load of a device is the number of items sent to it
 * that have not ended.
 */
#include <errno.h>
#include <stdlib.h>
#include <xylem/tree.h>

#include "components/all.h"
#include "components/hybrid/hybrid.h"
#include "components/share.h"

static struct xy__hybrid *hybrid_of(struct xy_component *self)
{
	return (struct xy__hybrid *)self;
}

/* --- choosing; the lock is held --- */

/* Other processes may have what is left of a device. Then they are looked at again soon. */
static bool hybrid_reserve(struct xy__hybrid *h, const struct xy__hybrid_device *d)
{
	if (!h->cutter.table || xy__share_take(h->cutter.table, d->shared, d->size, d->capacity))
		return true;
	xy_component_at(&h->cutter.base, xy_component_now_us(&h->cutter.base) + XY__CUTTER_LOOK_US);
	return false;
}

/* The most urgent device with room for a whole piece, which is taken in the table of the host; count: none. */
static unsigned hybrid_choose(struct xy__hybrid *h, const struct xy_task *task)
{
	for (unsigned k = 0; k < h->cutter.all.count; k++) {
		const struct xy__hybrid_device *d = &h->of[h->order[k]];

		if (d->load + d->size <= d->capacity &&
		    xy__device_serves(&h->cutter.all.of[h->order[k]], &h->cutter.base, task) && hybrid_reserve(h, d))
			return h->order[k];
	}
	return h->cutter.all.count;
}

/* For a piece that comes back from a device of another size: one where it fits, or that has nothing. */
static unsigned hybrid_choose_again(const struct xy__hybrid *h, const struct xy_task *piece)
{
	uint64_t items = xy__cutter_items(piece);

	for (unsigned k = 0; k < h->cutter.all.count; k++) {
		const struct xy__hybrid_device *d = &h->of[h->order[k]];

		if ((!d->load || d->load + items <= d->capacity) &&
		    xy__device_serves(&h->cutter.all.of[h->order[k]], &h->cutter.base, piece))
			return h->order[k];
	}
	return h->cutter.all.count;
}

/* --- sending; the lock is held --- */

static void hybrid_unload(struct xy__hybrid *h, unsigned i, uint64_t items)
{
	h->of[i].load -= items;
	if (h->cutter.table)
		xy__share_give(h->cutter.table, h->of[i].shared, items);
}

static bool hybrid_send(struct xy__hybrid *h, struct xy_task *piece, unsigned i, struct xy_agent *by)
{
	uint64_t items = xy__cutter_items(piece);

	h->of[i].load += items;
	if (xy__device_push(&h->cutter.all.of[i], &h->cutter.base, piece, by))
		return true;
	hybrid_unload(h, i, items);
	return false;
}

/* Cuts until all is sent or no device has room. */
static bool hybrid_divide(struct xy__hybrid *h, struct xy_task *task, struct xy_agent *by)
{
	struct xy_task *piece;

	if (!xy__cutter_serves(&h->cutter, task))
		return xy__cutter_give_up(&h->cutter, task, by);
	do {
		unsigned i = hybrid_choose(h, task);

		if (i == h->cutter.all.count)
			return false;
		piece = xy_task_cut(&h->cutter.base, task, h->of[i].size, i, by);
		if (h->cutter.table) /* the last one is shorter than what was taken for it */
			xy__share_give(h->cutter.table, h->of[i].shared, h->of[i].size - xy__cutter_items(piece));
		if (!hybrid_send(h, piece, i, by)) /* its last worker has just died */
			xy__cutter_give_up(&h->cutter, piece, by);
	} while (piece != task);
	return true;
}

/* A piece that was sent before and has to run elsewhere, or once more. */
static bool hybrid_again(struct xy__hybrid *h, struct xy_task *piece, unsigned place, struct xy_agent *by)
{
	unsigned i;

	if (place != XY_NO_PLACE)
		hybrid_unload(h, place, xy__cutter_items(piece));
	xy_task_cut(&h->cutter.base, piece, 1, XY_NO_PLACE, by);
	if (!xy__cutter_serves(&h->cutter, piece))
		return xy__cutter_give_up(&h->cutter, piece, by);
	i = hybrid_choose_again(h, piece);
	if (i == h->cutter.all.count)
		return false;
	xy_task_cut(&h->cutter.base, piece, 1, i, by);
	if (h->cutter.table)
		xy__share_force(h->cutter.table, h->of[i].shared, xy__cutter_items(piece));
	return hybrid_send(h, piece, i, by);
}

/* --- the verbs --- */

static bool hybrid_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct xy__hybrid *h = hybrid_of(self);
	unsigned place = XY_NO_PLACE;
	bool taken;

	if (xy__cutter_sets_aside(&h->cutter, task, by))
		return true;
	xy_lock_take(&h->cutter.lock, self, by);
	if (xy_task_is_divisible(task)) {
		taken = hybrid_divide(h, task, by);
	} else {
		xy_task_place(task, self, &place);
		taken = hybrid_again(h, task, place, by);
	}
	xy_lock_drop(&h->cutter.lock, self, by);
	return taken;
}

static void hybrid_piece_ended(struct xy_component *self, const struct xy_task *piece, struct xy_agent *by)
{
	struct xy__hybrid *h = hybrid_of(self);
	unsigned place;

	xy_lock_take(&h->cutter.lock, self, by);
	if (xy_task_place(piece, self, &place) && place != XY_NO_PLACE)
		hybrid_unload(h, place, xy__cutter_items(piece));
	xy_lock_drop(&h->cutter.lock, self, by);
	xy_can_push_parents(self, by);
}

/* --- set-up --- */

static void hybrid_fini(struct xy_component *self)
{
	struct xy__hybrid *h = hybrid_of(self);

	xy__cutter_fini(&h->cutter);
	free(h->of);
	free(h->order);
	h->of = NULL;
	h->order = NULL;
}

static int hybrid_join(struct xy__hybrid *h)
{
	int error = xy__cutter_join(&h->cutter);

	for (unsigned i = 0; i < h->cutter.all.count && !error; i++) {
		int number = xy__cutter_share_device(&h->cutter, h->cutter.all.of[i].name);

		if (number < 0)
			error = number;
		else
			h->of[i].shared = (unsigned)number;
	}
	return error;
}

static int hybrid_init(struct xy_component *self)
{
	struct xy__hybrid *h = hybrid_of(self);
	int error = xy__cutter_init(&h->cutter);

	if (!error) {
		h->of = calloc(h->cutter.all.count, sizeof *h->of);
		h->order = calloc(h->cutter.all.count, sizeof *h->order);
		error = h->of && h->order ? xy__hybrid_read(h) : -ENOMEM;
	}
	if (!error && *h->cutter.share)
		error = hybrid_join(h);
	if (error)
		hybrid_fini(self);
	return error;
}

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
		  "With the option one or ranks, the CPUs are a device only if the option devices lists them,\n"
		  "or if there is no other device.\n"
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
	.size = sizeof(struct xy__hybrid),
	.options = xy__hybrid_options,
	.init = hybrid_init,
	.fini = hybrid_fini,
	.push = hybrid_push,
	.pull = xy__cutter_pull,
	.can_pull = xy__cutter_can_pull,
	.piece_ended = hybrid_piece_ended,
	.tick = xy__cutter_tick,
	.is_bounded = xy__cutter_is_bounded,
	.depth = xy__cutter_depth,
	.each_task = xy__cutter_each_task,
};
