/* SPDX-License-Identifier: MIT */
/*
 * balance: cuts divisible tasks so that all devices end together, without being told any number. It measures each
 * piece; the size for a device doubles while that pays, and shrinks again towards the end of the batch. What it has
 * measured stays for the next batch of the same codelet.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <xylem/tree.h>

#include "components/all.h"
#include "components/devices.h"
#include "core/task/division.h"
#include "core/task/handle.h"

enum {
	BALANCE_LEVELS = 32, /* sizes are powers of two, */
	BALANCE_REACH = 2,   /* and compared with that so many levels below: */
	BALANCE_TAIL = 16,   /* the smallest piece at the end is the best size divided by this */
	BALANCE_GUIDED = 2,  /* a worker gets this part of what it should still do */
	BALANCE_PROBE = 16,  /* a device of unknown speed gets at most this part of what is left */
};
#define BALANCE_GAIN 1.08  /* the throughput must grow by this to go on */
#define BALANCE_FOLLOW 0.4 /* weight of a new measurement */
#define BALANCE_MEMORY 4   /* pieces that should fit into a device's memory */

/* Locking key: (c) constant after seal, (l) lock. */
struct balance_device {
	double us_per_item[BALANCE_LEVELS]; /* (l) measured at each size; 0: not yet */
	double recent_us_per_item;          /* (l) of the last pieces; 0: none has ended */
	unsigned level;                     /* (l) of the size that is used: 2^level items */
	bool settled;                       /* (l) larger pieces don't pay */
	uint64_t load;                      /* (l) items that it has, */
	unsigned pieces;                    /* (l) in so many pieces */
	size_t memory_bytes;                /* (c) 0: not limited */
};

struct balance {
	struct xy_component base;
	char devices[XY_OPTION_TEXT_SIZE]; /* (c) option, and those below */
	double least_us;
	struct xy__devices all;           /* (c) */
	struct balance_device *of;        /* (c) by device */
	const struct xy_codelet *codelet; /* (l) that was measured; only compared */
	struct xy_lock lock;
	struct xy__aside aside; /* tasks without items */
};

static struct balance *balance_of(struct xy_component *self)
{
	return (struct balance *)self;
}

static uint64_t balance_items(const struct xy_task *task)
{
	struct xy_range range = xy_task_range(task);

	return range.stop - range.start;
}

static unsigned balance_level(uint64_t items)
{
	unsigned level = items ? 63u - (unsigned)__builtin_clzll(items) : 0;

	return level < BALANCE_LEVELS ? level : BALANCE_LEVELS - 1;
}

/* Items per microsecond of all its workers; 0: not known. */
static double balance_rate(const struct balance *b, unsigned i)
{
	double us = b->of[i].recent_us_per_item;

	return us > 0 ? b->all.of[i].nworkers / us : 0;
}

/* --- measuring; the lock is held --- */

/* Another codelet: nothing is known. */
static void balance_forget(struct balance *b)
{
	for (unsigned i = 0; i < b->all.count; i++) {
		struct balance_device *d = &b->of[i];

		for (unsigned k = 0; k < BALANCE_LEVELS; k++)
			d->us_per_item[k] = 0;
		d->recent_us_per_item = 0;
		d->level = 0;
		d->settled = false;
	}
}

/* Whether twice the size is worth trying. */
static void balance_grow(const struct balance *b, struct balance_device *d, double us)
{
	double now = d->us_per_item[d->level];
	double before = d->level >= BALANCE_REACH ? d->us_per_item[d->level - BALANCE_REACH] : 0;

	if (d->level + 1 == BALANCE_LEVELS || (us >= b->least_us && before > 0 && before < now * BALANCE_GAIN))
		d->settled = true;
	else
		d->level++;
}

static void balance_learn(struct balance *b, struct balance_device *d, uint64_t items, double us)
{
	unsigned level = balance_level(items);
	double each = us / (double)items, *at = &d->us_per_item[level];

	*at = *at > 0 ? *at + (each - *at) * BALANCE_FOLLOW : each;
	if (d->settled && level + 1 >= d->level && d->recent_us_per_item > 0)
		d->recent_us_per_item += (each - d->recent_us_per_item) * BALANCE_FOLLOW;
	else if (!d->settled)
		d->recent_us_per_item = each;
	if (!d->settled && level == d->level)
		balance_grow(b, d, us);
}

/* --- how much for whom; the lock is held --- */

/* The state of all devices that can run a task. */
struct balance_view {
	double rate;     /* items per microsecond of those that are known */
	uint64_t load;   /* items that they have */
	unsigned pieces; /* in flight, anywhere */
};

static struct balance_view balance_look(const struct balance *b, const struct xy_task *task)
{
	struct balance_view view = { 0 };

	for (unsigned i = 0; i < b->all.count; i++) {
		view.pieces += b->of[i].pieces;
		if (!xy__device_serves(&b->all.of[i], &b->base, task))
			continue;
		view.rate += balance_rate(b, i);
		view.load += b->of[i].load;
	}
	return view;
}

/* The items of which the data of several pieces fits into the memory of a device. */
static double balance_fit(const struct balance_device *d, const struct xy_task *task)
{
	const struct xy__division *division = task->extra->division;
	double bytes = 0;

	for (unsigned i = 0; d->memory_bytes && i < task->naccesses; i++)
		bytes += (double)xy__access_handle(division->accesses[i])->size_bytes;
	bytes /= (double)(division->all.stop - division->all.start);
	return bytes > 0 ? (double)d->memory_bytes / BALANCE_MEMORY / bytes : INFINITY;
}

/* Pieces that a device may have: one ahead if data has to be moved there. */
static unsigned balance_room(const struct balance *b, unsigned i)
{
	unsigned workers = b->all.of[i].nworkers;

	return b->of[i].settled && b->all.of[i].index >= 0 ? 2 * workers : workers;
}

/* The items of the next piece for a device; 0: it has enough. */
static uint64_t balance_size(const struct balance *b, unsigned i, const struct xy_task *task,
			     const struct balance_view *view)
{
	const struct balance_device *d = &b->of[i];
	double left = (double)balance_items(task), rate = balance_rate(b, i), workers = b->all.of[i].nworkers;
	double size = ldexp(1, (int)d->level), floor_size = fmax(1, size / BALANCE_TAIL), due;

	size = fmin(size, balance_fit(d, task));
	if (!(rate > 0) || !d->settled) {
		size = fmin(size, left / BALANCE_PROBE);
		floor_size = 1;
	}
	if (rate > 0) {
		due = (left + (double)view->load) / view->rate * rate - (double)d->load;
		if (due < floor_size / 2 && view->pieces)
			return 0;
		size = fmin(size, fmax(due / workers / BALANCE_GUIDED, floor_size));
	}
	return size < 1 ? 1 : (uint64_t)size;
}

/* Of the devices with room, the one that would be idle first. Its number, or count; *size is the next piece. */
static unsigned balance_choose(const struct balance *b, const struct xy_task *task, uint64_t *size)
{
	struct balance_view view = balance_look(b, task);
	unsigned best = b->all.count;
	double soonest = INFINITY;

	for (unsigned i = 0; i < b->all.count; i++) {
		double rate = balance_rate(b, i), idle = rate > 0 ? (double)b->of[i].load / rate : b->of[i].pieces;
		uint64_t items;

		if (b->of[i].pieces >= balance_room(b, i) || idle >= soonest ||
		    !xy__device_serves(&b->all.of[i], &b->base, task))
			continue;
		items = balance_size(b, i, task, &view);
		if (!items)
			continue;
		soonest = idle;
		best = i;
		*size = items;
	}
	return best;
}

static bool balance_serves(const struct balance *b, const struct xy_task *task)
{
	for (unsigned i = 0; i < b->all.count; i++)
		if (xy__device_serves(&b->all.of[i], &b->base, task))
			return true;
	return false;
}

/* --- sending; the lock is held --- */

static bool balance_send(struct balance *b, struct xy_task *piece, unsigned i, struct xy_agent *by)
{
	uint64_t items = balance_items(piece);

	b->of[i].load += items;
	b->of[i].pieces++;
	if (xy__device_push(&b->all.of[i], &b->base, piece, by))
		return true;
	b->of[i].load -= items;
	b->of[i].pieces--;
	return false;
}

static void balance_end(struct balance *b, const struct xy_task *piece, unsigned place)
{
	if (place == XY_NO_PLACE)
		return;
	b->of[place].load -= balance_items(piece);
	b->of[place].pieces--;
}

/* No device is left for it. It fails, in whichever branch. */
static bool balance_send_lost(struct balance *b, struct xy_task *task, struct xy_agent *by)
{
	if (xy_task_is_divisible(task))
		xy__division_fail(task->extra->division, -ENODEV);
	task = xy_task_cut(&b->base, task, 1, XY_NO_PLACE, by);
	for (unsigned i = 0; i < b->base.nchildren; i++)
		if (xy_task_can_run_below(task, b->base.children[i]) && xy_push(b->base.children[i], task, by))
			return true;
	return false;
}

static bool balance_divide(struct balance *b, struct xy_task *task, struct xy_agent *by)
{
	struct xy_task *piece;

	if (xy__task_codelet(task) != b->codelet) {
		balance_forget(b);
		b->codelet = xy__task_codelet(task);
	}
	if (!balance_serves(b, task))
		return balance_send_lost(b, task, by);
	do {
		uint64_t size = 1;
		unsigned i = balance_choose(b, task, &size);

		if (i == b->all.count)
			return false;
		piece = xy_task_cut(&b->base, task, size, i, by);
		if (!balance_send(b, piece, i, by))
			balance_send_lost(b, piece, by);
	} while (piece != task);
	return true;
}

/* A piece that comes back goes to the device that would have done it first. */
static bool balance_again(struct balance *b, struct xy_task *task, struct xy_agent *by)
{
	unsigned best = b->all.count;
	double least = INFINITY;

	for (unsigned i = 0; i < b->all.count; i++) {
		double rate = balance_rate(b, i), cost;

		if (!xy__device_serves(&b->all.of[i], &b->base, task))
			continue;
		cost = rate > 0 ? (double)(b->of[i].load + balance_items(task)) / rate : 1e300;
		if (cost < least) {
			least = cost;
			best = i;
		}
	}
	if (best == b->all.count)
		return balance_send_lost(b, task, by);
	xy_task_cut(&b->base, task, 1, best, by);
	return balance_send(b, task, best, by);
}

/* --- the verbs --- */

static bool balance_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct balance *b = balance_of(self);
	unsigned place;
	bool taken;

	if (!xy_task_is_divisible(task) && !xy_task_place(task, self, &place)) {
		xy__aside_push(&b->aside, self, task, by);
		return true;
	}
	xy_lock_take(&b->lock, self, by);
	if (xy_task_is_divisible(task)) {
		taken = balance_divide(b, task, by);
	} else {
		balance_end(b, task, place);
		xy_task_cut(self, task, 1, XY_NO_PLACE, by);
		taken = balance_again(b, task, by);
	}
	xy_lock_drop(&b->lock, self, by);
	return taken;
}

/* Pieces are made when they are pushed: only tasks without items can be pulled. */
static struct xy_task *balance_pull(struct xy_component *self, struct xy_agent *by)
{
	return xy__aside_take(&balance_of(self)->aside, self, by);
}

/* What is stored above waits for a piece to end, not for a worker. */
static bool balance_can_pull(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by)
{
	(void)self;
	(void)offer;
	(void)by;
	return false;
}

static void balance_ended(struct xy_component *self, const struct xy_report *report, struct xy_agent *by)
{
	struct balance *b = balance_of(self);
	double us = (report->end_s - report->start_s) * 1e6;
	unsigned place;

	if (report->status || !(us > 0) || xy_task_is_divisible(report->task) ||
	    !xy_task_place(report->task, self, &place) || place == XY_NO_PLACE)
		return;
	xy_lock_take(&b->lock, self, by);
	if (xy__task_codelet(report->task) == b->codelet && balance_items(report->task))
		balance_learn(b, &b->of[place], balance_items(report->task), us);
	xy_lock_drop(&b->lock, self, by);
}

static void balance_piece_ended(struct xy_component *self, const struct xy_task *piece, struct xy_agent *by)
{
	struct balance *b = balance_of(self);
	unsigned place;

	xy_lock_take(&b->lock, self, by);
	if (xy_task_place(piece, self, &place))
		balance_end(b, piece, place);
	xy_lock_drop(&b->lock, self, by);
	xy_can_push_parents(self, by);
}

/* --- set-up --- */

static bool balance_is_bounded(const struct xy_component *self)
{
	(void)self;
	return true;
}

static size_t balance_depth(struct xy_component *self, size_t *peak)
{
	*peak = xy_queue_peak(&balance_of(self)->aside.queue);
	return xy_queue_count(&balance_of(self)->aside.queue);
}

static void balance_each_task(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task),
			      void *arg)
{
	xy__aside_each(&balance_of(self)->aside, self, visit, arg);
}

static void balance_fini(struct xy_component *self)
{
	struct balance *b = balance_of(self);

	xy__devices_fini(&b->all);
	free(b->of);
	b->of = NULL;
}

static int balance_init(struct xy_component *self)
{
	const struct xy_machine *machine = xy_component_machine(self);
	struct balance *b = balance_of(self);
	int error = xy__devices_init(&b->all, self, b->devices);

	b->aside.queue.ordered = true;
	if (!error)
		b->of = calloc(b->all.count, sizeof *b->of);
	if (!error && !b->of)
		error = -ENOMEM;
	for (unsigned i = 0; i < b->all.count && !error; i++) {
		unsigned worker = self->children[b->all.of[i].children[0]]->workers[0];

		if (b->all.of[i].index >= 0)
			b->of[i].memory_bytes =
				xy_machine_node(machine, xy_machine_worker(machine, worker)->node)->memory_bytes;
	}
	if (error)
		balance_fini(self);
	return error;
}

static const struct xy_option balance_options[] = { { .name = "devices",
						      .help = "such as cpu+cuda:0; all below if not set",
						      .type = XY_OPTION_TEXT,
						      .offset = offsetof(struct balance, devices) },
						    { .name = "least_us",
						      .help = "pieces grow until they last this long",
						      .type = XY_OPTION_DOUBLE,
						      .offset = offsetof(struct balance, least_us),
						      .initial = 200,
						      .min = 0,
						      .max = 1e9 },
						    { 0 } };

const struct xy_component_ops xy__balance_ops = {
	.name = "balance",
	.summary = "cuts divisible tasks so that all devices end together, and measures how",
	.manual = "Of a divisible task, such as a batch, balance sends pieces to the devices below it. It\n"
		  "begins with one item for each worker and doubles the size for a device while its\n"
		  "throughput grows by more than 8 % with four times the items, or its pieces last less\n"
		  "than least_us; pieces never exceed a quarter of the device's memory. From the measured\n"
		  "speeds follows when all devices together will have done what is left; a device gets half\n"
		  "of what it should still do at most, so that the last pieces become short and all end\n"
		  "together. A device whose speed changes is measured again with each piece.\n"
		  "\n"
		  "Each branch has workers of one device and begins with a reservoir without a limit; the\n"
		  "task waits in the reservoir above:\n"
		  "\n"
		  "  prio | balance | each node { prio | eager | each worker { } }\n"
		  "\n"
		  "The pieces of a device that is lost go to others. A task without items waits here until a\n"
		  "worker asks for one, whatever its device.\n",
	.flags = XY_STORES | XY_PUMPS | XY_MAPS | XY_CUTS,
	.size = sizeof(struct balance),
	.options = balance_options,
	.init = balance_init,
	.fini = balance_fini,
	.push = balance_push,
	.pull = balance_pull,
	.can_pull = balance_can_pull,
	.ended = balance_ended,
	.piece_ended = balance_piece_ended,
	.is_bounded = balance_is_bounded,
	.depth = balance_depth,
	.each_task = balance_each_task,
};
