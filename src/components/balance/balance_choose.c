/* SPDX-License-Identifier: MIT */
/*
 * Which device gets the next piece under balance, and how large it is: from the measured speeds follows when all
 * devices together will have done what is left, and so what each should still do.
 */
#include <math.h>

#include "components/balance/balance.h"

enum {
	CHOOSE_GUIDED = 6, /* a worker gets this part of what it should still do */
	CHOOSE_RISK = 45,  /* a larger part of that, of a size that may be bad, is tried by one of several devices */
	CHOOSE_SOON = 4,   /* when a piece gets so close to the smallest for the end, smaller ones are tried */
	CHOOSE_PROBE = 16, /* a device of unknown speed gets at most this part of what is left */
};

#define CHOOSE_BEFORE 0.99 /* that part of a time is before it */

/*
 * Pieces that a device may have: one ahead if data has to be moved there. None to tune: the ends of two pieces that are
 * seen together say little about each.
 */
static unsigned choose_room(const struct xy__balance *b, const struct xy__device *device,
			    const struct xy__throughput *t)
{
	return device->index >= 0 && t->known && !b->sweep ? 2 * device->nworkers : device->nworkers;
}

struct xy__balance_view xy__balance_look(struct xy__balance *b, const struct xy_task *task)
{
	struct xy__balance_view view = {
		.task = task,
		.subject = xy__balance_subject(b, task),
		.item_bytes = xy__balance_item_bytes(xy__balance_division(task)),
	};

	for (unsigned i = 0; i < b->cutter.all.count; i++) {
		const struct xy__device *device = &b->cutter.all.of[i];
		const struct xy__throughput *t = &view.subject->of[i];
		struct xy__balance_device *d = &b->of[i];

		view.pieces += d->pieces;
		d->serves = xy__device_serves(device, &b->cutter.base, task);
		if (!d->serves)
			continue;
		d->room = choose_room(b, device, t);
		d->rate = t->recent > 0 ? device->nworkers / t->recent : 0;
		view.rate += d->rate;
		view.load += d->load;
		view.nserving++;
	}
	return view;
}

void xy__balance_count(struct xy__balance *b, struct xy__balance_view *view, unsigned i, uint64_t items)
{
	const struct xy__throughput *t = &view->subject->of[i];
	struct xy__balance_device *d = &b->of[i];

	if (items && !(t->measured >> xy__throughput_level(items) & 1))
		d->trying = xy__throughput_level(items) + 1;
	d->load += items;
	d->pieces++;
	view->load += items;
	view->pieces++;
}

/* When all sizes are to be measured: whether a device has some to try that are no larger than `most`. */
static bool choose_measures(const struct xy__throughput *t, double most)
{
	return !t->settled && ldexp(1, (int)t->level) <= most;
}

/* Then one that has none leaves the items to those that do. */
static bool choose_leaves(const struct xy__balance *b, const struct xy__balance_view *view, unsigned i, double most)
{
	bool others = false;

	for (unsigned k = 0; k < b->cutter.all.count && !others; k++)
		others = k != i && b->of[k].serves && choose_measures(&view->subject->of[k], most);
	return others && !choose_measures(&view->subject->of[i], most);
}

/* Whether all that is left is done elsewhere before a device would end another piece. */
static bool choose_ends_late(const struct xy__balance *b, const struct xy__balance_view *view, unsigned i, double items,
			     double left)
{
	double workers = b->cutter.all.of[i].nworkers;
	double begun = workers > 1 ? 0 : (double)b->of[i].load, us = (begun + items) * workers / b->of[i].rate;

	for (unsigned k = 0; k < b->cutter.all.count && left > 0; k++) {
		const struct xy__balance_device *d = &b->of[k];
		double tail = view->subject->of[k].tail, most;

		if (k == i || !d->serves || !(d->rate > 0) || !(tail > 0))
			continue;
		workers = b->cutter.all.of[k].nworkers;
		most = floor(us * CHOOSE_BEFORE * d->rate / workers / tail) * tail * workers - (double)d->load;
		left -= fmax(0, most);
	}
	return left <= 0;
}

/* The items of the next piece for a device; 0: it has enough. */
static uint64_t choose_size(const struct xy__balance *b, const struct xy__balance_view *view, unsigned i)
{
	const struct xy__balance_device *d = &b->of[i];
	const struct xy__throughput *t = &view->subject->of[i];
	double left = (double)xy__cutter_items(view->task), workers = b->cutter.all.of[i].nworkers;
	double most = xy__balance_fit(d, view->item_bytes), least, due = INFINITY, size;

	if (b->sweep && choose_leaves(b, view, i, left / CHOOSE_PROBE))
		return 0;
	if (!(d->rate > 0) || (b->sweep && !t->settled)) {
		most = fmin(most, left / CHOOSE_PROBE);
	} else {
		due = (left + (double)view->load) / view->rate * d->rate - (double)d->load;
		least = t->tail;
		if (due < least * CHOOSE_SOON * workers)
			least = xy__throughput_last_size(t, due / workers);
		least = fmin(most, least);
		if (due < 2 * least * workers && view->pieces && choose_ends_late(b, view, i, least, left))
			return 0;
		most = fmin(most, fmax(due / workers / CHOOSE_GUIDED, least));
		if (t->finer > 0 && d->trying != xy__throughput_level((uint64_t)t->finer) + 1 &&
		    most < t->tail * CHOOSE_SOON && (t->settled || ldexp(1, (int)t->level) > most))
			return (uint64_t)t->finer;
	}
	size = xy__throughput_size(t, most);
	if (size * CHOOSE_RISK > due / workers && xy__balance_should_wait(b, view->subject, i))
		size = xy__throughput_known_size(t, most);
	return size < 1 ? 1 : (uint64_t)1 << xy__throughput_level((uint64_t)size);
}

unsigned xy__balance_choose(const struct xy__balance *b, const struct xy__balance_view *view, uint64_t *size)
{
	unsigned best = b->cutter.all.count;
	double soonest = INFINITY;

	for (unsigned i = 0; i < b->cutter.all.count; i++) {
		const struct xy__balance_device *d = &b->of[i];
		double idle;
		uint64_t items;

		if (!d->serves || d->pieces >= d->room)
			continue;
		idle = d->rate > 0 ? (double)d->load / d->rate : d->pieces;
		if (idle >= soonest)
			continue;
		items = choose_size(b, view, i);
		if (!items)
			continue;
		soonest = idle;
		best = i;
		*size = items;
	}
	return best;
}

unsigned xy__balance_choose_again(const struct xy__balance *b, const struct xy__balance_view *view)
{
	uint64_t items = xy__cutter_items(view->task);
	unsigned best = b->cutter.all.count;
	double least = INFINITY;

	for (unsigned i = 0; i < b->cutter.all.count; i++) {
		const struct xy__balance_device *d = &b->of[i];
		double cost = d->rate > 0 ? (double)(d->load + items) / d->rate : 1e300;

		if (d->serves && cost < least) {
			least = cost;
			best = i;
		}
	}
	return best;
}
