/* SPDX-License-Identifier: MIT */
/*
 * eager-calibration: spreads tasks that need measurements over the classes of workers and the implementations that lack
 * them. It holds tasks that find no room. Invariant: a task rests here only while all workers that can run it are full.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "components/estimate.h"
#include "components/spread.h"
#include "core/task/queue.h"
#include "core/task/refusals.h"

enum { CALIBRATION_COUNTERS = 512 };

/* Locking key: (c) constant after seal, (l) lock, (a) atomic. */
struct calibration {
	struct xy_component base;
	struct xy__estimate estimate; /* (c) */
	struct xy__spread spread;     /* for offers */
	struct xy_lock lock;
	uint8_t *full; /* (l) by refusal: the set that the child refused, without room since */
	unsigned turn[XY__ESTIMATE_CLASSES + 1]; /* (l) by class: the seat after the one that got the last task */
	unsigned sent[CALIBRATION_COUNTERS];     /* (l) tasks by codelet, class of worker and implementation */
	bool measures_only;                      /* (l) tasks that need no measurements leave by `back` */
	struct xy_task *back, **back_end;        /* (l) to be given back, linked by next */
	struct xy_queue queue;                   /* (l) its count (a) */
};

static struct calibration *calibration(struct xy_component *self)
{
	return (struct calibration *)self;
}

/* --- where measurements are missing --- */

/* Different ones may share a counter, which only makes the spread less even. */
static unsigned *calibration_sent(struct calibration *c, const struct xy_task *task, const struct xy__seat *seat,
				  unsigned implementation)
{
	uint64_t codelet = (uint64_t)(uintptr_t)xy__task_codelet(task) >> 4;
	uint64_t key = (codelet * 64 + seat->class) * XY_NIMPLEMENTATIONS + implementation;

	return &c->sent[(key * 0x9e3779b97f4a7c15u >> 32) % CALIBRATION_COUNTERS];
}

static bool calibration_is_full(const struct calibration *c, const struct xy__seat *seat, const struct xy_task *task)
{
	return !task->constrained && c->full[xy__refusal(seat->child, task)] == task->archs;
}

/* How far a seat is from having its turn among those of its class. */
static unsigned calibration_distance(const struct calibration *c, unsigned seat)
{
	unsigned turn = c->turn[c->estimate.seats[seat].class];

	return seat >= turn ? seat - turn : seat + c->estimate.nseats - turn;
}

/*
 * Among the seats with room that lack measurements, the one that has received the fewest tasks of this codelet, in turn
 * among equals; NULL without one.
 */
static const struct xy__seat *calibration_find(struct calibration *c, struct xy__forecast *f, unsigned *implementation)
{
	const struct xy__seat *best = NULL;
	unsigned least = 0, nearest = 0;

	for (unsigned i = 0; i < c->estimate.nseats; i++) {
		const struct xy__seat *seat = &c->estimate.seats[i];
		unsigned sent, distance = calibration_distance(c, i);
		struct xy__length length;

		if (calibration_is_full(c, seat, f->task))
			continue;
		length = xy__forecast_length(f, seat);
		if (!length.missing)
			continue;
		sent = *calibration_sent(c, f->task, seat, length.unknown);
		if (!best || sent < least || (sent == least && distance < nearest)) {
			best = seat;
			least = sent;
			nearest = distance;
			*implementation = length.unknown;
		}
	}
	return best;
}

/* --- down: the lock is held --- */

static bool calibration_give(struct calibration *c, struct xy_task *task, const struct xy__seat *seat,
			     unsigned implementation, struct xy_agent *by)
{
	xy_task_set_implementation(task, implementation);
	if (xy_push(c->base.children[seat->child], task, by)) {
		c->turn[seat->class] = (unsigned)(seat - c->estimate.seats + 1) % c->estimate.nseats;
		return true;
	}
	if (!task->constrained)
		c->full[xy__refusal(seat->child, task)] = task->archs;
	return false;
}

/* Gives the task to any seat with room. */
static bool calibration_give_any(struct calibration *c, struct xy_task *task, struct xy__forecast *f,
				 struct xy_agent *by)
{
	for (unsigned k = 0; k < c->estimate.nseats; k++) {
		const struct xy__seat *seat = &c->estimate.seats[k];
		struct xy__length length;

		if (calibration_is_full(c, seat, task))
			continue;
		length = xy__forecast_length(f, seat);
		if (length.runs && calibration_give(c, task, seat, length.implementation, by))
			return true;
	}
	return false;
}

/* Gives a task away; what needs no measurements any more may leave upwards. */
static bool calibration_place(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct calibration *c = calibration(self);
	const struct xy__seat *seat;
	struct xy__forecast f;
	unsigned implementation = 0, *sent;
	double least;

	xy__forecast_init(&f, &c->estimate, task);
	if (c->measures_only && xy__forecast_kind(&f) == XY_PREDICTION_VALUE) {
		task->next = NULL;
		*c->back_end = task;
		c->back_end = &task->next;
		return true;
	}
	least = xy__forecast_least_us(&f);
	task->expected_us = isinf(least) ? 0 : (float)least;
	while ((seat = calibration_find(c, &f, &implementation))) {
		sent = calibration_sent(c, task, seat, implementation);
		if (calibration_give(c, task, seat, implementation, by)) {
			++*sent;
			return true;
		}
		if (task->constrained)
			break;
	}
	return calibration_give_any(c, task, &f, by);
}

static bool calibration_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct calibration *c = calibration(self);

	if (!xy_task_can_run_below(task, self))
		return false;
	xy_lock_take(&c->lock, self, by);
	xy__queue_insert(&c->queue, task);
	if (xy__queue_leads(&c->queue, task))
		xy__queue_give(&c->queue, task, calibration_place, self, by);
	xy_lock_drop(&c->lock, self, by);
	return true;
}

/* --- up --- */

/* Passes on what it can. No lock is held, so that tasks can be given back. */
static bool calibration_pump(struct calibration *c, struct xy_agent *by)
{
	struct xy_task *back;
	bool moved;

	if (!xy_queue_count(&c->queue))
		return false;
	xy_lock_take(&c->lock, &c->base, by);
	c->measures_only = true;
	c->back = NULL;
	c->back_end = &c->back;
	moved = xy__queue_pump(&c->queue, calibration_place, &c->base, by);
	c->measures_only = false;
	back = c->back;
	xy_lock_drop(&c->lock, &c->base, by);
	while (back) {
		struct xy_task *next = back->next;

		xy_give_back(&c->base, back, by);
		back = next;
	}
	return moved;
}

static bool calibration_can_push(struct xy_component *self, struct xy_component *child, struct xy_agent *by)
{
	struct calibration *c = calibration(self);
	unsigned i = 0;
	bool moved;

	while (self->children[i] != child)
		i++;
	xy_lock_take(&c->lock, self, by);
	memset(&c->full[i * XY__REFUSALS], 0, XY__REFUSALS);
	xy_lock_drop(&c->lock, self, by);
	moved = calibration_pump(c, by);
	return xy_can_push_parents(self, by) || moved;
}

static struct xy_task *calibration_pull(struct xy_component *self, struct xy_agent *by)
{
	calibration_pump(calibration(self), by);
	xy_can_push_parents(self, by);
	return NULL;
}

static bool calibration_can_pull(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by)
{
	return xy__spread_offer(self, &calibration(self)->spread, offer, by);
}

/* --- set-up and looking --- */

static void calibration_fini(struct xy_component *self)
{
	struct calibration *c = calibration(self);

	xy__spread_fini(&c->spread);
	xy__estimate_fini(&c->estimate);
	free(c->full);
	c->full = NULL;
}

static int calibration_init(struct xy_component *self)
{
	struct calibration *c = calibration(self);

	c->queue.ordered = true;
	c->full = calloc(self->nchildren, XY__REFUSALS);
	if (xy__estimate_init(&c->estimate, self) || xy__spread_init(&c->spread, self) || !c->full) {
		calibration_fini(self);
		return -ENOMEM;
	}
	return 0;
}

static bool calibration_is_bounded(const struct xy_component *self)
{
	(void)self;
	return false;
}

static size_t calibration_depth(struct xy_component *self, size_t *peak)
{
	*peak = xy_queue_peak(&calibration(self)->queue);
	return xy_queue_count(&calibration(self)->queue);
}

static void calibration_each_task(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task),
				  void *arg)
{
	struct xy_agent nobody = { .worker = -1 };

	xy_lock_take(&calibration(self)->lock, self, &nobody);
	xy_queue_each(&calibration(self)->queue, visit, arg);
	xy_lock_drop(&calibration(self)->lock, self, &nobody);
}

static void calibration_each_distinct(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task),
				      void *arg)
{
	struct xy_agent nobody = { .worker = -1 };

	xy_lock_take(&calibration(self)->lock, self, &nobody);
	xy_queue_each_distinct(&calibration(self)->queue, visit, arg);
	xy_lock_drop(&calibration(self)->lock, self, &nobody);
}

const struct xy_component_ops xy__eager_calibration_ops = {
	.name = "eager-calibration",
	.summary = "spreads tasks over the workers that still have to be measured",
	.manual = "A task whose model lacks measurements goes to a class of workers on which it has to be\n"
		  "measured, with the implementation to be measured: to the pair of class and\n"
		  "implementation that has received the fewest tasks of its codelet so far. If all those\n"
		  "workers are busy, it goes to any worker with room that can run it.\n"
		  "\n"
		  "Below are the workers themselves, or branches with small reservoirs: tasks that find no\n"
		  "room are held here, in order of priority. Tasks that need no more measurements by the\n"
		  "time there is room return to the root, where a mapper may use the new predictions: see\n"
		  "perfmodel-select.\n",
	.flags = XY_STORES | XY_PUMPS | XY_MAPS | XY_DECIDES | XY_SHARES,
	.size = sizeof(struct calibration),
	.init = calibration_init,
	.fini = calibration_fini,
	.push = calibration_push,
	.pull = calibration_pull,
	.can_push = calibration_can_push,
	.can_pull = calibration_can_pull,
	.is_bounded = calibration_is_bounded,
	.depth = calibration_depth,
	.each_task = calibration_each_task,
	.each_distinct = calibration_each_distinct,
};
