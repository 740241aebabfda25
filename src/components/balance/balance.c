/* SPDX-License-Identifier: MIT */
/*
 * balance: cuts divisible tasks so that all devices end together, without being told any number. It measures each
 * piece; the size for a device doubles while that pays, and shrinks again towards the end of the batch.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <xylem/tree.h>

#include "components/all.h"
#include "components/balance/balance.h"
#include "components/share.h"
#include "core/model/model.h"
#include "core/task/pool.h"

static struct xy__balance *balance_of(struct xy_component *self)
{
	return (struct xy__balance *)self;
}

/* --- sending; the lock is held --- */

static void balance_end(struct xy__balance *b, const struct xy_task *piece, unsigned place)
{
	uint64_t items = xy__cutter_items(piece);

	if (place == XY_NO_PLACE)
		return;
	b->of[place].load -= items;
	b->of[place].pieces--;
	if (items && b->of[place].trying == xy__throughput_level(items) + 1)
		b->of[place].trying = 0;
	if (b->of[place].shared >= 0)
		xy__share_give(b->cutter.table, (unsigned)b->of[place].shared, 1);
}

/* Other processes may have the device. Then they are looked at again soon. */
static bool balance_reserve(struct xy__balance *b, unsigned i)
{
	struct xy__balance_device *d = &b->of[i];

	if (d->shared < 0 || xy__share_take(b->cutter.table, (unsigned)d->shared, 1, d->room))
		return true;
	xy_component_at(&b->cutter.base, xy_component_now_us(&b->cutter.base) + XY__CUTTER_LOOK_US);
	d->serves = false;
	return false;
}

static bool balance_send(struct xy__balance *b, struct xy__balance_view *view, struct xy_task *piece, unsigned i,
			 struct xy_agent *by)
{
	xy__balance_count(b, view, i, xy__cutter_items(piece));
	if (xy__device_push(&b->cutter.all.of[i], &b->cutter.base, piece, by))
		return true;
	balance_end(b, piece, i);
	b->of[i].serves = false;
	return false;
}

/* Cuts until all is sent or no device should get more. */
static bool balance_divide(struct xy__balance *b, struct xy_task *task, struct xy_agent *by)
{
	struct xy__balance_view view = xy__balance_look(b, task);
	struct xy_task *piece;

	if (!view.nserving)
		return xy__cutter_give_up(&b->cutter, task, by);
	do {
		uint64_t size = 1;
		unsigned i;

		do
			i = xy__balance_choose(b, &view, &size);
		while (i < b->cutter.all.count && !balance_reserve(b, i));
		if (i == b->cutter.all.count)
			return false;
		piece = xy_task_cut(&b->cutter.base, task, size, i, by);
		if (!balance_send(b, &view, piece, i, by))
			xy__cutter_give_up(&b->cutter, piece, by);
	} while (piece != task);
	return true;
}

/* A piece that was sent before and has to run elsewhere, or once more. */
static bool balance_again(struct xy__balance *b, struct xy_task *piece, unsigned place, struct xy_agent *by)
{
	struct xy__balance_view view;
	unsigned i;

	balance_end(b, piece, place);
	xy_task_cut(&b->cutter.base, piece, 1, XY_NO_PLACE, by);
	view = xy__balance_look(b, piece);
	i = xy__balance_choose_again(b, &view);
	if (i == b->cutter.all.count)
		return xy__cutter_give_up(&b->cutter, piece, by);
	xy_task_cut(&b->cutter.base, piece, 1, i, by);
	if (b->of[i].shared >= 0)
		xy__share_force(b->cutter.table, (unsigned)b->of[i].shared, 1);
	return balance_send(b, &view, piece, i, by);
}

/* --- the verbs --- */

static bool balance_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct xy__balance *b = balance_of(self);
	unsigned place = XY_NO_PLACE;
	bool taken;

	if (xy__cutter_sets_aside(&b->cutter, task, by))
		return true;
	xy_lock_take(&b->cutter.lock, self, by);
	if (xy_task_is_divisible(task)) {
		taken = balance_divide(b, task, by);
	} else {
		xy_task_place(task, self, &place);
		taken = balance_again(b, task, place, by);
	}
	xy_lock_drop(&b->cutter.lock, self, by);
	return taken;
}

/*
 * How long a piece kept its device busy. If it was next in line, that is the time since the one before ended, including
 * a wait for its data; so it is for all pieces of a sweep, none of which is next in line. The lock is held.
 */
static double balance_lasted_us(struct xy__balance *b, unsigned place, const struct xy_report *report)
{
	struct xy__balance_device *d = &b->of[place];
	bool fetched = b->sweep && xy__balance_division(report->task)->accesses[0];
	double begin_s = fetched ? report->begin_s : report->start_s;

	if (b->cutter.all.of[place].nworkers > 1)
		return (report->end_s - begin_s) * 1e6;
	if (d->ended_s > 0)
		begin_s = d->ended_s;
	d->ended_s = d->pieces > 1 ? report->end_s : 0;
	return (report->end_s - begin_s) * 1e6;
}

static void balance_ended(struct xy_component *self, const struct xy_report *report, struct xy_agent *by)
{
	struct xy__balance *b = balance_of(self);
	struct xy__model_state *stored = NULL;
	const struct xy_task *piece = report->task;
	unsigned place;
	double us;

	if (xy_task_is_divisible(piece) || !xy_task_place(piece, self, &place) || place == XY_NO_PLACE)
		return;
	xy_lock_take(&b->cutter.lock, self, by);
	us = balance_lasted_us(b, place, report);
	if (!report->status)
		stored = xy__balance_learn(b, piece, place, us);
	xy_lock_drop(&b->cutter.lock, self, by);
	if (stored && piece->pool->perf->calibrate)
		xy__perf_note(piece->pool->perf, stored, b->cutter.all.of[place].arch, (double)xy__cutter_items(piece),
			      us);
}

static void balance_piece_ended(struct xy_component *self, const struct xy_task *piece, struct xy_agent *by)
{
	struct xy__balance *b = balance_of(self);
	unsigned place;

	xy_lock_take(&b->cutter.lock, self, by);
	if (xy_task_place(piece, self, &place))
		balance_end(b, piece, place);
	xy_lock_drop(&b->cutter.lock, self, by);
	xy_can_push_parents(self, by);
}

/* --- set-up --- */

static void balance_fini(struct xy_component *self)
{
	struct xy__balance *b = balance_of(self);

	xy__balance_measure_fini(b);
	xy__cutter_fini(&b->cutter);
	free(b->of);
	b->of = NULL;
}

/* Joins the processes of this host that share the devices. Pieces are counted; the CPUs are each process's own. */
static int balance_join(struct xy__balance *b)
{
	int error = xy__cutter_join(&b->cutter);

	for (unsigned i = 0; i < b->cutter.all.count && !error; i++) {
		char name[XY__DEVICE_NAME + 8];

		if (b->cutter.all.of[i].index < 0)
			continue;
		snprintf(name, sizeof name, "%s pieces", b->cutter.all.of[i].name);
		b->of[i].shared = xy__cutter_share_device(&b->cutter, name);
		if (b->of[i].shared < 0)
			error = b->of[i].shared;
	}
	return error;
}

static int balance_find_devices(struct xy__balance *b)
{
	const struct xy_component *self = &b->cutter.base;
	const struct xy_machine *machine = xy_component_machine(self);

	b->of = calloc(b->cutter.all.count, sizeof *b->of);
	if (!b->of)
		return -ENOMEM;
	for (unsigned i = 0; i < b->cutter.all.count; i++) {
		const struct xy__device *device = &b->cutter.all.of[i];
		unsigned worker = self->children[device->children[0]]->workers[0];

		b->of[i].shared = -1;
		if (device->index >= 0)
			b->of[i].memory_bytes =
				xy_machine_node(machine, xy_machine_worker(machine, worker)->node)->memory_bytes;
	}
	return 0;
}

static int balance_init(struct xy_component *self)
{
	struct xy__balance *b = balance_of(self);
	int error = xy__cutter_init(&b->cutter);

	if (!error)
		error = balance_find_devices(b);
	if (!error)
		error = xy__balance_measure_init(b);
	if (!error && *b->cutter.share)
		error = balance_join(b);
	if (error)
		balance_fini(self);
	return error;
}

static const struct xy_option balance_options[] = {
	{ .name = "devices",
	  .help = "such as cpu+cuda:0; all below if not set",
	  .type = XY_OPTION_TEXT,
	  .offset = offsetof(struct xy__balance, cutter.devices) },
	{ .name = "least_us",
	  .help = "pieces grow until they last this long",
	  .type = XY_OPTION_DOUBLE,
	  .offset = offsetof(struct xy__balance, least_us),
	  .initial = 200,
	  .min = 0,
	  .max = 1e9 },
	{ .name = "share",
	  .help = "name of a table through which processes of this host share "
		  "the devices",
	  .type = XY_OPTION_TEXT,
	  .offset = offsetof(struct xy__balance, cutter.share) },
	{ .name = "sweep",
	  .help = "measure pieces of all sizes, to tune (see: xylem batch)",
	  .type = XY_OPTION_BOOL,
	  .offset = offsetof(struct xy__balance, sweep),
	  .max = 1 },
	{ 0 }
};

const struct xy_component_ops xy__balance_ops = {
	.name = "balance",
	.summary = "cuts divisible tasks so that all devices end together, and measures how",
	.manual = "Of a divisible task, such as a batch, balance sends pieces to the devices below it. It\n"
		  "begins with small pieces and doubles the size for a device while its throughput grows by\n"
		  "more than 12 % with four times the items, or its pieces last less than least_us; pieces\n"
		  "never exceed a quarter of the device's memory. From the measured speeds follows when all\n"
		  "devices together will have done what is left; a device gets a sixth of what it should\n"
		  "still do at most, so that the last pieces become short and all end together; it gets none\n"
		  "if the others can end before it would. A device whose speed changes is measured again with\n"
		  "each piece.\n"
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
	.size = sizeof(struct xy__balance),
	.options = balance_options,
	.init = balance_init,
	.fini = balance_fini,
	.push = balance_push,
	.pull = xy__cutter_pull,
	.can_pull = xy__cutter_can_pull,
	.ended = balance_ended,
	.piece_ended = balance_piece_ended,
	.tick = xy__cutter_tick,
	.is_bounded = xy__cutter_is_bounded,
	.depth = xy__cutter_depth,
	.each_task = xy__cutter_each_task,
};
