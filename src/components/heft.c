/* SPDX-License-Identifier: MIT */
/*
 * heft: holds some tasks back and maps the most urgent of them first, like mct. Invariant: beyond the window, and once
 * a worker has asked, one of the first tasks rests here only if its best branch has no room for it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "components/mct.h"
#include "components/spread.h"
#include "core/task/queue.h"

enum { HEFT_LOOKS = 64 }; /* tasks that are looked at together */

/* Locking key: (c) constant after seal, (l) lock, (a) atomic. */
struct heft {
	struct xy__mct mct;       /* its base comes first */
	unsigned window;          /* (c) */
	struct xy__spread spread; /* for offers */
	struct xy_lock lock;
	struct xy_queue queue;    /* (l) its count (a) */
	unsigned *expecting;      /* (l) seats to which mct.ahead_us applies */
	unsigned nexpecting;      /* (l) */
	struct xy__choice choice; /* (l) where the task goes that is being given away */
	_Atomic bool changed;     /* (a) tasks or room have come since all was mapped that could be, ... */
	_Atomic double mapped_us; /* (a) ... which was then: later, workers may be free that were not expected */
};

static struct heft *heft(struct xy_component *self)
{
	return (struct heft *)self;
}

/* --- mapping: the lock is held --- */

static bool heft_give(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	return xy__mct_give(&heft(self)->mct, task, &heft(self)->choice, by);
}

/* A seat will get what takes so long. */
static void heft_expect(struct heft *h, unsigned seat, double us)
{
	if (!(h->mct.ahead_us[seat] > 0))
		h->expecting[h->nexpecting++] = seat;
	h->mct.ahead_us[seat] += us > 0 ? us : 1e-9; /* so that it is listed once */
}

/* Sends a task to its best place; if that is full it waits, and what is mapped after it takes that into account. */
static bool heft_map(struct heft *h, struct xy_task *task, struct xy_agent *by)
{
	struct xy__mct *m = &h->mct;
	struct xy__forecast f;

	xy__forecast_init(&f, &m->estimate, task);
	h->choice = xy__mct_choose(m, &f);
	if (!h->choice.seat)
		return false;
	if (!xy__mct_is_full(m, h->choice.seat->child, task) &&
	    xy__queue_give(&h->queue, task, heft_give, &m->base, by))
		return true;
	heft_expect(h, (unsigned)(h->choice.seat - m->estimate.seats), h->choice.end_us - h->choice.start_us);
	return false;
}

static void heft_begin(struct heft *h)
{
	while (h->nexpecting) {
		unsigned seat = h->expecting[--h->nexpecting];

		h->mct.ahead_us[seat] = 0;
		xy__mct_look(&h->mct, seat);
	}
}

/* The first tasks in order; again if all of them found room. */
static bool heft_map_all(struct heft *h, struct xy_agent *by)
{
	struct xy_task *tasks[HEFT_LOOKS];
	unsigned n, left;
	bool moved = false;

	heft_begin(h);
	do {
		n = left = xy__queue_some(&h->queue, tasks, HEFT_LOOKS);
		for (unsigned i = 0; i < n && xy__mct_has_room(&h->mct, tasks[i]); i++)
			left -= heft_map(h, tasks[i], by);
		moved |= left < n;
	} while (n && !left);
	return moved;
}

static bool heft_pump(struct heft *h, struct xy_agent *by)
{
	double now;
	bool moved;

	if (!xy_queue_count(&h->queue))
		return false;
	now = xy_component_now_us(&h->mct.base);
	if (atomic_load(&h->mapped_us) == now && !atomic_load(&h->changed))
		return false;
	xy_lock_take(&h->lock, &h->mct.base, by);
	atomic_store(&h->changed, false); /* a later change announces itself later, and asks again */
	atomic_store(&h->mapped_us, now);
	moved = heft_map_all(h, by);
	xy_lock_drop(&h->lock, &h->mct.base, by);
	return moved;
}

/* --- verbs --- */

static bool heft_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct xy_offer offer = xy_offer_of(task);
	struct heft *h = heft(self);
	bool mapped = false;

	if (!xy_task_can_run_below(task, self))
		return false;
	xy_lock_take(&h->lock, self, by);
	xy__queue_insert(&h->queue, task);
	atomic_store(&h->changed, true);
	if (xy_queue_count(&h->queue) > h->window) {
		struct xy_task *first = xy_queue_first(&h->queue);

		heft_begin(h);
		mapped = heft_map(h, first, by) && first == task;
	}
	if (!mapped && offer.task) /* constrained: it must not leave while it is being looked at */
		xy__spread_offer(self, &h->spread, &offer, by);
	xy_lock_drop(&h->lock, self, by);
	if (!mapped && !offer.task)
		xy_can_pull(self, &offer, by);
	return true;
}

static struct xy_task *heft_pull(struct xy_component *self, struct xy_agent *by)
{
	xy__mct_asked(&heft(self)->mct, by);
	heft_pump(heft(self), by);
	xy_can_push_parents(self, by);
	return NULL;
}

static bool heft_can_push(struct xy_component *self, struct xy_component *child, struct xy_agent *by)
{
	bool moved;

	xy__mct_room(&heft(self)->mct, child, by);
	atomic_store(&heft(self)->changed, true);
	moved = heft_pump(heft(self), by);
	return xy_can_push_parents(self, by) || moved;
}

static bool heft_can_pull(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by)
{
	return xy__spread_offer(self, &heft(self)->spread, offer, by);
}

/* --- set-up and looking --- */

static void heft_fini(struct xy_component *self)
{
	struct heft *h = heft(self);

	free(h->mct.ahead_us);
	free(h->expecting);
	h->mct.ahead_us = NULL;
	h->expecting = NULL;
	xy__spread_fini(&h->spread);
	xy__mct_fini(self);
}

static int heft_init(struct xy_component *self)
{
	struct heft *h = heft(self);
	int error = xy__mct_init(self);

	h->queue.ordered = true;
	if (error)
		return error;
	error = xy__spread_init(&h->spread, self);
	h->mct.ahead_us = calloc(h->mct.estimate.nseats, sizeof(*h->mct.ahead_us));
	h->expecting = calloc(h->mct.estimate.nseats, sizeof(*h->expecting));
	if (!error && (!h->mct.ahead_us || !h->expecting))
		error = -ENOMEM;
	if (error)
		heft_fini(self);
	return error;
}

static bool heft_is_bounded(const struct xy_component *self)
{
	(void)self;
	return false;
}

static size_t heft_depth(struct xy_component *self, size_t *peak)
{
	*peak = xy_queue_peak(&heft(self)->queue);
	return xy_queue_count(&heft(self)->queue);
}

static void heft_each_task(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task), void *arg)
{
	struct xy_agent nobody = { .worker = -1 };

	xy_lock_take(&heft(self)->lock, self, &nobody);
	xy_queue_each(&heft(self)->queue, visit, arg);
	xy_lock_drop(&heft(self)->lock, self, &nobody);
}

static void heft_each_distinct(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task),
			       void *arg)
{
	struct xy_agent nobody = { .worker = -1 };

	xy_lock_take(&heft(self)->lock, self, &nobody);
	xy_queue_each_distinct(&heft(self)->queue, visit, arg);
	xy_lock_drop(&heft(self)->lock, self, &nobody);
}

static const struct xy_option heft_options[] = { { .name = "window",
						   .help = "tasks held back until a worker asks",
						   .type = XY_OPTION_UNSIGNED,
						   .offset = offsetof(struct heft, window),
						   .initial = 32,
						   .min = 0,
						   .max = INFINITY },
						 { .name = "alpha",
						   .help = "weight of the time until the task finishes",
						   .type = XY_OPTION_DOUBLE,
						   .offset = offsetof(struct heft, mct.alpha),
						   .initial = 1,
						   .min = 0,
						   .max = 1e9 },
						 { .name = "beta",
						   .help = "weight of the time to transfer its data",
						   .type = XY_OPTION_DOUBLE,
						   .offset = offsetof(struct heft, mct.beta),
						   .initial = 1,
						   .min = 0,
						   .max = 1e9 },
						 { .name = "gamma",
						   .help = "value of a joule in microseconds",
						   .type = XY_OPTION_DOUBLE,
						   .offset = offsetof(struct heft, mct.gamma),
						   .initial = 1000,
						   .min = 0,
						   .max = 1e9 },
						 { .name = "idle_w",
						   .help = "watts the machine uses while it waits for the last worker",
						   .type = XY_OPTION_DOUBLE,
						   .offset = offsetof(struct heft, mct.idle_w),
						   .initial = 0,
						   .min = 0,
						   .max = 1e9 },
						 { 0 } };

const struct xy_component_ops xy__heft_ops = {
	.name = "heft",
	.summary = "holds tasks back for a while and maps the most urgent first",
	.manual = "Decides like mct, whose manual explains the other options, but not at once: up to\n"
		  "`window` tasks wait here until a worker asks for one. Then they are mapped in order of\n"
		  "priority, so that the most urgent of several ready tasks has the first choice. Beyond\n"
		  "`window`, each arriving task causes the most urgent one to be mapped.\n"
		  "\n"
		  "A task whose best branch is full waits here. The tasks behind it, among the 64 most\n"
		  "urgent, are mapped as if it were already in that branch, so that they don't wait in vain\n"
		  "for the same worker. heft never refuses a task, so it can be the root of a tree.\n",
	.flags = XY_STORES | XY_PUMPS | XY_MAPS | XY_DECIDES | XY_PREDICTS | XY_SHARES,
	.size = sizeof(struct heft),
	.options = heft_options,
	.init = heft_init,
	.fini = heft_fini,
	.push = heft_push,
	.pull = heft_pull,
	.can_push = heft_can_push,
	.can_pull = heft_can_pull,
	.is_bounded = heft_is_bounded,
	.depth = heft_depth,
	.each_task = heft_each_task,
	.each_distinct = heft_each_distinct,
};
