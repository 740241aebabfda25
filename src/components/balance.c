/* SPDX-License-Identifier: MIT */
/*
 * balance: cuts divisible tasks so that all devices end together, without being told any number. It measures each
 * piece; the size for a device doubles while that pays, and shrinks again towards the end of the batch. Measurements
 * stay for the next batch of its sort, and in the folder of models for the next run.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xylem/tree.h>

#include "components/all.h"
#include "components/devices.h"
#include "components/share.h"
#include "components/throughput.h"
#include "core/model/model.h"
#include "core/task/division.h"
#include "core/task/handle.h"
#include "core/task/pool.h"

enum {
	BALANCE_GUIDED = 6,   /* a worker gets this part of what it should still do */
	BALANCE_PROBE = 16,   /* a device of unknown speed gets at most this part of what is left */
	BALANCE_FIRST = 4096, /* the first piece of a worker is this part of an equal share */
	BALANCE_SUBJECTS = 8, /* sorts of items of which the speeds are kept */
	BALANCE_SWEEP = 3,    /* measurements of each size, if all are to be measured */
};
#define BALANCE_LOOK_US 500.0 /* how soon other processes are looked at again */
#define BALANCE_MEMORY 4      /* pieces that should fit into a device's memory */

/* Locking key: (c) constant after seal, (l) lock. */
struct balance_device {
	uint64_t load;       /* (l) items that it has, */
	unsigned pieces;     /* (l) in so many pieces */
	bool refused;        /* (l) other processes have it now */
	double ended_s;      /* (l) when it last ended one while it had another: that one was next; 0: it had none */
	size_t memory_bytes; /* (c) 0: not limited */
	int shared;          /* (c) its number in the table of the host; -1: not shared */
};

/* A sort of items, and how fast each device is with it. */
struct balance_subject {
	const void *like;                /* (l) what they have in common; only compared */
	struct xy__throughput *of;       /* (l) by device */
	struct xy__model_state **stored; /* (l) by device: keeps the measurements between runs; NULL: not kept */
};

struct balance {
	struct xy_component base;
	char devices[XY_OPTION_TEXT_SIZE]; /* (c) option, and those below */
	char share[XY_OPTION_TEXT_SIZE];
	double least_us;
	bool sweep;
	struct xy__devices all;                            /* (c) */
	struct balance_device *of;                         /* (c) by device */
	struct balance_subject subjects[BALANCE_SUBJECTS]; /* (l) */
	unsigned nsubjects;                                /* (l) that there have been */
	struct xy_lock lock;
	struct xy__aside aside;  /* tasks without items */
	struct xy__share *table; /* (c) shared with other processes, or NULL */
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

/* What a piece is a piece of. */
static const struct xy__division *balance_division(const struct xy_task *task)
{
	if (xy__task_part(task) == XY__PART_PIECE)
		task = xy__task_piece(task)->whole;
	return task->extra->division;
}

/* Items per microsecond of all its workers; 0: not known. */
static double balance_rate(const struct balance *b, const struct balance_subject *s, unsigned i)
{
	double us = s->of[i].recent;

	return us > 0 ? b->all.of[i].nworkers / us : 0;
}

/* The items of which the data of several pieces fits into the memory of a device. */
static double balance_fit(const struct balance_device *d, const struct xy__division *division)
{
	double bytes = 0;

	for (unsigned i = 0; i < XY__TASK_ACCESSES && division->accesses[i]; i++)
		bytes += (double)xy__access_handle(division->accesses[i])->size_bytes;
	bytes = bytes / (double)(division->all.stop - division->all.start) + division->item_bytes;
	return d->memory_bytes && bytes > 0 ? fmax(1, (double)d->memory_bytes / BALANCE_MEMORY / bytes) : INFINITY;
}

/* --- measuring; the lock is held --- */

static struct xy__growth balance_growth(const struct balance *b, unsigned i, const struct xy__division *division)
{
	return (struct xy__growth){
		.least_us = b->least_us,
		.most = xy__throughput_level((uint64_t)fmin(balance_fit(&b->of[i], division), 4e9)),
		.samples = b->sweep ? BALANCE_SWEEP : 0,
	};
}

/* What earlier runs have measured. In a simulation nothing is, so that it depends on nothing else. */
static void balance_recall(struct balance *b, struct balance_subject *s, const struct xy_task *task)
{
	const struct xy__division *division = balance_division(task);
	struct xy__perf *perf = task->pool->length ? NULL : task->pool->perf;

	for (unsigned i = 0; i < b->all.count; i++) {
		const struct xy__device *device = &b->all.of[i];
		struct xy__growth growth = balance_growth(b, i, division);
		char name[XY__MODEL_NAME + XY__DEVICE_NAME + 16] = "";
		unsigned samples = 0;

		if (perf && division->model)
			xy__throughput_name(name, sizeof name, division->model, device->name, device->nworkers);
		s->stored[i] = *name ? xy__perf_named(perf, name) : NULL;
		for (unsigned level = 0; s->stored[i] && level < XY__THROUGHPUT_LEVELS; level++) {
			double us = xy__perf_recall(s->stored[i], device->arch, ldexp(1, (int)level), &samples);

			if (us > 0)
				xy__throughput_recall(&s->of[i], level, us, samples);
		}
		xy__throughput_resume(&s->of[i], &growth);
	}
}

static struct balance_subject *balance_find(struct balance *b, const void *like)
{
	for (unsigned i = 0; i < BALANCE_SUBJECTS; i++)
		if (b->subjects[i].like == like)
			return &b->subjects[i];
	return NULL;
}

/* The first pieces are a small part of an equal share: no device, however slow, will be late because of its own. */
static unsigned balance_first(const struct balance *b, const struct xy_task *task)
{
	uint64_t share = b->sweep ? 1 : balance_items(task) / BALANCE_FIRST / b->base.nworkers;

	return xy__throughput_level(share ? share : 1);
}

/* The sort of a task's items; a new one takes the place of the oldest. */
static struct balance_subject *balance_subject(struct balance *b, const struct xy_task *task)
{
	const struct xy__division *division = balance_division(task);
	struct balance_subject *s = balance_find(b, division->like);

	if (!s) {
		s = &b->subjects[b->nsubjects++ % BALANCE_SUBJECTS];
		s->like = division->like;
		memset(s->of, 0, b->all.count * sizeof *s->of);
		for (unsigned i = 0; i < b->all.count; i++)
			s->of[i].level = balance_first(b, task);
		balance_recall(b, s, task);
	} else if (division->start == division->all.start) {
		for (unsigned i = 0; i < b->all.count; i++)
			xy__throughput_doubt(&s->of[i]);
	}
	return s;
}

/* --- how much for whom; the lock is held --- */

/* The state of all devices that can run a task. */
struct balance_view {
	double rate;     /* items per microsecond of those that are known */
	uint64_t load;   /* items that they have */
	unsigned pieces; /* in flight, anywhere */
};

static struct balance_view balance_look(const struct balance *b, const struct balance_subject *s,
					const struct xy_task *task)
{
	struct balance_view view = { 0 };

	for (unsigned i = 0; i < b->all.count; i++) {
		view.pieces += b->of[i].pieces;
		if (!xy__device_serves(&b->all.of[i], &b->base, task))
			continue;
		view.rate += balance_rate(b, s, i);
		view.load += b->of[i].load;
	}
	return view;
}

/* Pieces that a device may have: one ahead if data has to be moved there. */
static unsigned balance_room(const struct balance *b, const struct balance_subject *s, unsigned i)
{
	unsigned workers = b->all.of[i].nworkers;

	return b->all.of[i].index >= 0 && s->of[i].known ? 2 * workers : workers;
}

/* The items of the next piece for a device; 0: it has enough. */
static uint64_t balance_size(const struct balance *b, const struct balance_subject *s, unsigned i,
			     const struct xy_task *task, const struct balance_view *view)
{
	const struct balance_device *d = &b->of[i];
	const struct xy__throughput *t = &s->of[i];
	double left = (double)balance_items(task), rate = balance_rate(b, s, i), workers = b->all.of[i].nworkers;
	double most = balance_fit(d, balance_division(task)), least, due, size;

	if (!(rate > 0) || (b->sweep && !t->settled)) {
		most = fmin(most, left / BALANCE_PROBE);
	} else {
		least = fmin(most, t->tail);
		due = (left + (double)view->load) / view->rate * rate - (double)d->load;
		if (due < least / 2 && view->pieces)
			return 0;
		most = fmin(most, fmax(due / workers / BALANCE_GUIDED, least));
	}
	size = xy__throughput_size(t, most);
	return size < 1 ? 1 : (uint64_t)1 << xy__throughput_level((uint64_t)size);
}

/* Of the devices with room, the one that would be idle first. Its number, or count; *size is the next piece. */
static unsigned balance_choose(const struct balance *b, const struct balance_subject *s, const struct xy_task *task,
			       uint64_t *size)
{
	struct balance_view view = balance_look(b, s, task);
	unsigned best = b->all.count;
	double soonest = INFINITY;

	for (unsigned i = 0; i < b->all.count; i++) {
		double rate = balance_rate(b, s, i), idle = rate > 0 ? (double)b->of[i].load / rate : b->of[i].pieces;
		uint64_t items;

		if (b->of[i].refused || b->of[i].pieces >= balance_room(b, s, i) || idle >= soonest ||
		    !xy__device_serves(&b->all.of[i], &b->base, task))
			continue;
		items = balance_size(b, s, i, task, &view);
		if (!items)
			continue;
		soonest = idle;
		best = i;
		*size = items;
	}
	return best;
}

/* Other processes may have the device. Then they are looked at again soon. */
static bool balance_reserve(struct balance *b, const struct balance_subject *s, unsigned i)
{
	if (b->of[i].shared < 0 || xy__share_take(b->table, (unsigned)b->of[i].shared, 1, balance_room(b, s, i)))
		return true;
	xy_component_at(&b->base, xy_component_now_us(&b->base) + BALANCE_LOOK_US);
	b->of[i].refused = true;
	return false;
}

/* balance_choose, of the devices that other processes leave. */
static unsigned balance_choose_free(struct balance *b, const struct balance_subject *s, const struct xy_task *task,
				    uint64_t *size)
{
	unsigned i;

	for (unsigned k = 0; k < b->all.count; k++)
		b->of[k].refused = false;
	do
		i = balance_choose(b, s, task, size);
	while (i < b->all.count && !balance_reserve(b, s, i));
	return i;
}

static bool balance_serves(const struct balance *b, const struct xy_task *task)
{
	for (unsigned i = 0; i < b->all.count; i++)
		if (xy__device_serves(&b->all.of[i], &b->base, task))
			return true;
	return false;
}

/* --- sending; the lock is held --- */

static void balance_end(struct balance *b, const struct xy_task *piece, unsigned place)
{
	if (place == XY_NO_PLACE)
		return;
	b->of[place].load -= balance_items(piece);
	b->of[place].pieces--;
	if (b->of[place].shared >= 0)
		xy__share_give(b->table, (unsigned)b->of[place].shared, 1);
}

static bool balance_send(struct balance *b, struct xy_task *piece, unsigned i, struct xy_agent *by)
{
	uint64_t items = balance_items(piece);

	b->of[i].load += items;
	b->of[i].pieces++;
	if (xy__device_push(&b->all.of[i], &b->base, piece, by))
		return true;
	balance_end(b, piece, i);
	return false;
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
	const struct balance_subject *s = balance_subject(b, task);
	struct xy_task *piece;

	if (!balance_serves(b, task))
		return balance_send_lost(b, task, by);
	do {
		uint64_t size = 1;
		unsigned i = balance_choose_free(b, s, task, &size);

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
	const struct balance_subject *s = balance_subject(b, task);
	unsigned best = b->all.count;
	double least = INFINITY;

	for (unsigned i = 0; i < b->all.count; i++) {
		double rate = balance_rate(b, s, i), cost;

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
	if (b->of[best].shared >= 0)
		xy__share_force(b->table, (unsigned)b->of[best].shared, 1);
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

/*
 * How long a piece kept its device busy. If it was next in line, that is the time since the one before ended, including
 * a wait for its data. The lock is held.
 */
static double balance_lasted_us(struct balance *b, unsigned place, const struct xy_report *report)
{
	struct balance_device *d = &b->of[place];
	double begin_s = report->start_s;

	if (b->all.of[place].nworkers > 1)
		return (report->end_s - begin_s) * 1e6;
	if (d->ended_s > 0)
		begin_s = d->ended_s;
	d->ended_s = d->pieces > 1 ? report->end_s : 0;
	return (report->end_s - begin_s) * 1e6;
}

static void balance_ended(struct xy_component *self, const struct xy_report *report, struct xy_agent *by)
{
	struct balance *b = balance_of(self);
	struct xy__model_state *stored = NULL;
	const struct xy__division *division;
	struct balance_subject *s;
	uint64_t items;
	unsigned place;
	double us;

	if (xy_task_is_divisible(report->task) || !xy_task_place(report->task, self, &place) || place == XY_NO_PLACE)
		return;
	items = balance_items(report->task);
	division = balance_division(report->task);
	xy_lock_take(&b->lock, self, by);
	us = balance_lasted_us(b, place, report);
	s = balance_find(b, division->like);
	if (!report->status && us > 0 && items && s) {
		struct xy__growth growth = balance_growth(b, place, division);

		xy__throughput_learn(&s->of[place], items, us, &growth);
		stored = items & (items - 1) ? NULL : s->stored[place];
	}
	xy_lock_drop(&b->lock, self, by);
	if (stored && report->task->pool->perf->calibrate)
		xy__perf_note(report->task->pool->perf, stored, b->all.of[place].arch, (double)items, us);
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

/* Another process may have given back what it had. */
static void balance_tick(struct xy_component *self, struct xy_agent *by)
{
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

	xy__share_leave(b->table);
	b->table = NULL;
	xy__devices_fini(&b->all);
	free(b->of);
	b->of = NULL;
	for (unsigned i = 0; i < BALANCE_SUBJECTS; i++) {
		free(b->subjects[i].of);
		free(b->subjects[i].stored);
		b->subjects[i] = (struct balance_subject){ 0 };
	}
}

/* Joins the processes of this host that share the devices. Pieces are counted; the CPUs are each process's own. */
static int balance_join(struct balance *b)
{
	int error = xy__devices_share(&b->table, &b->base, b->share);

	for (unsigned i = 0; i < b->all.count && !error; i++) {
		char name[XY__DEVICE_NAME + 8];

		if (b->all.of[i].index < 0)
			continue;
		snprintf(name, sizeof name, "%s pieces", b->all.of[i].name);
		b->of[i].shared = xy__share_device(b->table, name);
		if (b->of[i].shared < 0)
			error = xy_tree_fail(b->base.tree, b->of[i].shared,
					     "balance: too many devices are shared as \"%s\"", b->share);
	}
	return error;
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
	for (unsigned i = 0; i < BALANCE_SUBJECTS && !error; i++) {
		b->subjects[i].of = calloc(b->all.count, sizeof *b->subjects[i].of);
		b->subjects[i].stored = calloc(b->all.count, sizeof *b->subjects[i].stored);
		if (!b->subjects[i].of || !b->subjects[i].stored)
			error = -ENOMEM;
	}
	for (unsigned i = 0; i < b->all.count && !error; i++) {
		unsigned worker = self->children[b->all.of[i].children[0]]->workers[0];

		b->of[i].shared = -1;
		if (b->all.of[i].index >= 0)
			b->of[i].memory_bytes =
				xy_machine_node(machine, xy_machine_worker(machine, worker)->node)->memory_bytes;
	}
	if (!error && *b->share)
		error = balance_join(b);
	if (error)
		balance_fini(self);
	return error;
}

static const struct xy_option balance_options[] = {
	{ .name = "devices",
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
	{ .name = "share",
	  .help = "name of a table through which processes of this host share "
		  "the devices",
	  .type = XY_OPTION_TEXT,
	  .offset = offsetof(struct balance, share) },
	{ .name = "sweep",
	  .help = "measure pieces of all sizes, to tune (see: xylem batch)",
	  .type = XY_OPTION_BOOL,
	  .offset = offsetof(struct balance, sweep),
	  .max = 1 },
	{ 0 }
};

const struct xy_component_ops xy__balance_ops = {
	.name = "balance",
	.summary = "cuts divisible tasks so that all devices end together, and measures how",
	.manual = "Of a divisible task, such as a batch, balance sends pieces to the devices below it. It\n"
		  "begins with small pieces and doubles the size for a device while its throughput grows by\n"
		  "more than 8 % with four times the items, or its pieces last less than least_us; pieces\n"
		  "never exceed a quarter of the device's memory. From the measured speeds follows when all\n"
		  "devices together will have done what is left; a device gets a sixth of what it should\n"
		  "still do at most, so that the last pieces become short and all end together. A device\n"
		  "whose speed changes is measured again with each piece.\n"
		  "\n"
		  "If the batch or the codelet has a name, its measurements are kept with the performance\n"
		  "models for the next run: as NAME.cuda0, or NAME.cpu-8 for eight CPU workers.\n"
		  "\n"
		  "With share=NAME, all processes of this user on the host that say so share the devices,\n"
		  "but not the CPUs: together they send a device as many pieces as one would.\n"
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
	.tick = balance_tick,
	.is_bounded = balance_is_bounded,
	.depth = balance_depth,
	.each_task = balance_each_task,
};
