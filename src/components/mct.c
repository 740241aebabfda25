/* SPDX-License-Identifier: MIT */
/*
 * mct: sends each task to the worker with the earliest expected finish time. Nothing is locked: estimates are read,
 * then the task is pushed, so two threads that decide at once may not see each other's task.
 */
#include "components/mct.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "components/reservoir.h"
#include "core/task/refusals.h"
#include "core/tree/tree.h"

enum { MCT_MEMORY = 16 }; /* a guess is the mean of about this many tasks */

static struct xy__mct *mct_of(struct xy_component *self)
{
	return (struct xy__mct *)self;
}

/* --- room --- */

/* Never 0, which is no refusal: every task has architectures. */
static uint64_t mct_refusal(unsigned room, const struct xy_task *task)
{
	return (uint64_t)room << 8 | task->archs;
}

/*
 * A child that refuses says can_push later. It is left alone until then; should it have said so between the look at
 * `room` and the refusal, the two differ, and it is asked again.
 */
bool xy__mct_is_full(const struct xy__mct *m, unsigned child, const struct xy_task *task)
{
	unsigned room = atomic_load_explicit(&m->room[child], memory_order_relaxed);

	return !task->constrained && atomic_load_explicit(&m->full[xy__refusal(child, task)], memory_order_relaxed) ==
					     mct_refusal(room, task);
}

bool xy__mct_has_room(const struct xy__mct *m, const struct xy_task *task)
{
	for (unsigned i = 0; i < m->base.nchildren; i++)
		if (!xy__mct_is_full(m, i, task))
			return true;
	return false;
}

void xy__mct_room(struct xy__mct *m, const struct xy_component *child, const struct xy_agent *by)
{
	int own = by->worker < 0 ? -1 : m->own[by->worker];
	unsigned i = 0;

	xy__mct_asked(m, by);
	if (own >= 0 && m->base.children[m->estimate.seats[own].child] == child)
		i = m->estimate.seats[own].child;
	while (m->base.children[i] != child)
		i++;
	atomic_fetch_add(&m->room[i], 1);
}

/* --- the seats that are free first --- */

void xy__mct_look(struct xy__mct *m, unsigned seat)
{
	const struct xy__mct_place *place = &m->places[seat];
	struct xy__soonest *soonest = &m->soonest[place->group], *classed = &m->soonest[place->classed];
	double free_us;

	if (!soonest->count && !classed->count)
		return;
	free_us = xy__seat_free_us(&m->estimate, &m->estimate.seats[seat], 0, INFINITY);
	if (soonest->count)
		xy__soonest_set(soonest, place->member, free_us);
	if (classed->count)
		xy__soonest_set(classed, place->classed_member, free_us);
}

void xy__mct_asked(struct xy__mct *m, const struct xy_agent *by)
{
	if (by->worker >= 0 && m->own[by->worker] >= 0)
		xy__mct_look(m, (unsigned)m->own[by->worker]);
}

/* --- choosing --- */

static float mct_guess(const struct xy__mct *m)
{
	return atomic_load_explicit(&((struct xy__mct *)m)->guess_us, memory_order_relaxed);
}

/* Two threads may overwrite each other's: it is a guess. */
static void mct_learn(struct xy__mct *m, double length_us)
{
	float guess = mct_guess(m);

	atomic_store_explicit(&m->guess_us, guess + ((float)length_us - guess) / MCT_MEMORY, memory_order_relaxed);
}

/* Used where the task has no prediction: its best prediction below, else the mean of recent tasks. */
static double mct_fallback(const struct xy__mct *m, struct xy__forecast *f)
{
	double least = xy__forecast_least_us(f);

	return isinf(least) ? (double)mct_guess(m) : least;
}

/* The joules of a task; 0 if they are not known. */
static double mct_energy(const struct xy__mct *m, const struct xy__forecast *f, const struct xy__choice *c)
{
	const struct xy_codelet *codelet = xy__task_codelet(f->task);
	struct xy_prediction p;

	if (!codelet || !codelet->energy_model || m->gamma == 0)
		return 0;
	p = xy_task_energy(f->task, c->seat->worker, c->implementation);
	return p.kind == XY_PREDICTION_VALUE ? p.joules : 0;
}

/* When the last worker will have done what has been sent to it. */
static double mct_latest(const struct xy__mct *m, double now_us)
{
	double latest = 0;

	for (unsigned i = 0; i < m->estimate.nseats; i++)
		latest = fmax(latest, xy__seat_free_us(&m->estimate, &m->estimate.seats[i], now_us, INFINITY));
	return latest;
}

/* The cost of the task on a seat, whenever it starts; false if it can't run there. */
static bool mct_place(const struct xy__mct *m, struct xy__forecast *f, const struct xy__seat *seat,
		      struct xy__choice *c)
{
	struct xy__length length = xy__forecast_length(f, seat);

	if (!length.runs)
		return false;
	*c = (struct xy__choice){ .seat = seat,
				  .known = length.known && !length.missing,
				  .implementation = length.missing ? length.unknown : length.implementation };
	c->length_us = length.known ? length.us : mct_fallback(m, f);
	c->transfer_us = xy__forecast_transfer_us(f, seat);
	return true;
}

static double mct_start_us(const struct xy__mct *m, const struct xy__forecast *f, const struct xy__seat *seat,
			   double limit_us)
{
	double start_us = xy__seat_free_us(&m->estimate, seat, f->now_us, limit_us);

	return m->ahead_us ? start_us + m->ahead_us[seat - m->estimate.seats] : start_us;
}

/* Completes the cost for a start at start_us. */
static void mct_price(const struct xy__mct *m, const struct xy__forecast *f, double start_us, double latest,
		      struct xy__choice *c)
{
	c->start_us = start_us;
	c->end_us = fmax(start_us, f->now_us + c->transfer_us) + c->length_us;
	c->cost = m->alpha * (c->end_us - f->now_us) + m->beta * c->transfer_us + m->gamma * mct_energy(m, f, c);
	if (m->idle_w > 0 && c->end_us > latest)
		c->cost += m->gamma * m->idle_w * (c->end_us - latest) * 1e-6;
}

/* Among equals, the first. */
static void mct_prefer(struct xy__choice *best, const struct xy__choice *c)
{
	if (!best->seat || c->cost < best->cost || (c->cost == best->cost && c->seat < best->seat))
		*best = *c;
}

/* While a choice is made. */
struct mct_search {
	double latest;                /* see mct_latest */
	struct xy__choice best, full; /* of the branches that have room, and of the others */
};

static void mct_consider(const struct xy__mct *m, struct xy__forecast *f, const struct xy__seat *seat,
			 struct mct_search *search)
{
	bool is_full = xy__mct_is_full(m, seat->child, f->task);
	struct xy__choice c;

	if (!xy_task_can_run_below(f->task, m->base.children[seat->child]) || !mct_place(m, f, seat, &c) ||
	    (is_full && !c.known))
		return;
	mct_price(m, f, mct_start_us(m, f, seat, INFINITY), search->latest, &c);
	mct_prefer(is_full ? &search->full : &search->best, &c);
}

/* A group while a choice is made. */
struct mct_group {
	const struct xy__mct *mct;
	const struct xy__forecast *forecast;
	const struct xy__group *group;
};

static double mct_free_us(void *arg, unsigned member)
{
	const struct mct_group *g = arg;

	return mct_start_us(g->mct, g->forecast, &g->mct->estimate.seats[g->group->seats[member]], INFINITY);
}

/* In a large group: only the seat that is free first, if it has room. False: it has not. */
static bool mct_consider_soonest(const struct xy__mct *m, struct xy__forecast *f, const struct xy__group *group,
				 struct xy__soonest *soonest, struct mct_search *search)
{
	struct mct_group g = { m, f, group };
	struct xy__choice c;
	double start_us;
	unsigned member;

	if (!mct_place(m, f, &m->estimate.seats[group->seats[0]], &c))
		return true;
	member = xy__soonest_find(soonest, mct_free_us, &g, f->now_us, &start_us);
	c.seat = &m->estimate.seats[group->seats[member]];
	if (xy__mct_is_full(m, c.seat->child, f->task))
		return false;
	mct_price(m, f, start_us, search->latest, &c);
	mct_prefer(&search->best, &c);
	return true;
}

/*
 * Within a group, the seat that is free first is cheapest, and no seat can be cheaper than one that is free before the
 * data arrives. A full seat counts only if it is cheaper than the best with room.
 */
static void mct_consider_group(const struct xy__mct *m, struct xy__forecast *f, const struct xy__group *group,
			       struct xy__soonest *heap, struct mct_search *search)
{
	struct xy__choice c;
	double soonest, first = INFINITY;

	if (heap->count && mct_consider_soonest(m, f, group, heap, search))
		return;
	if (!mct_place(m, f, &m->estimate.seats[group->seats[0]], &c))
		return;
	soonest = f->now_us + c.transfer_us;
	for (unsigned i = 0; i < group->count && first > soonest; i++) {
		double start_us;
		bool is_full;

		c.seat = &m->estimate.seats[group->seats[i]];
		start_us = mct_start_us(m, f, c.seat, first);
		if (start_us >= first)
			continue;
		is_full = xy__mct_is_full(m, c.seat->child, f->task);
		if (!is_full)
			first = start_us;
		else if (!c.known)
			continue;
		mct_price(m, f, start_us, search->latest, &c);
		mct_prefer(is_full ? &search->full : &search->best, &c);
	}
}

/* Whether the seats of a group differ only in when they are free. */
static bool mct_has_groups(const struct xy__mct *m, const struct xy__forecast *f)
{
	const struct xy_codelet *codelet = xy__task_codelet(f->task);

	return f->alike && (m->gamma == 0 || !codelet || !codelet->energy_model);
}

/* Whether no worker misses data of the task. */
static bool mct_is_near(const struct xy__mct *m, const struct xy_task *task)
{
	const struct xy__tree_engine *engine = m->base.tree->engine;

	return !task->naccesses || (engine && engine->one_memory);
}

/*
 * Ties go to the first seat with room. If the best seat is full the task waits for it: elsewhere it would finish later,
 * and delay others there. But this requires a prediction: a task never waits for a guess.
 */
struct xy__choice xy__mct_choose(struct xy__mct *m, struct xy__forecast *f)
{
	const struct xy__estimate *e = &m->estimate;
	struct mct_search search = { .best.seat = NULL, .full.seat = NULL };

	f->now_us = xy_component_now_us(&m->base);
	search.latest = m->idle_w > 0 ? mct_latest(m, f->now_us) : 0;
	if (mct_has_groups(m, f) && mct_is_near(m, f->task))
		for (unsigned i = 0; i < e->nclassed; i++)
			mct_consider_group(m, f, &e->classed[i], &m->soonest[e->ngroups + i], &search);
	else if (mct_has_groups(m, f))
		for (unsigned i = 0; i < e->ngroups; i++)
			mct_consider_group(m, f, &e->groups[i], &m->soonest[i], &search);
	else
		for (unsigned i = 0; i < e->nseats; i++)
			mct_consider(m, f, &e->seats[i], &search);
	if (!search.full.seat || (search.best.seat && (!search.best.known || search.best.cost <= search.full.cost)))
		return search.best;
	if (!m->ahead_us)
		search.full.seat = NULL;
	return search.full;
}

/* --- pushing --- */

/* Marks the task with what is expected and gives it to the branch. */
bool xy__mct_give(struct xy__mct *m, struct xy_task *task, const struct xy__choice *c, struct xy_agent *by)
{
	struct xy_component *child = m->base.children[c->seat->child];
	uint64_t refusal = mct_refusal(atomic_load(&m->room[c->seat->child]), task);
	/* once taken, the task belongs to others */
	_Atomic uint64_t *full = task->constrained ? NULL : &m->full[xy__refusal(c->seat->child, task)];
	double length_us = c->end_us - c->start_us;
	bool taken;

	xy_task_set_implementation(task, c->implementation);
	task->expected_us = (float)length_us;
	taken = xy_push(child, task, by);
	if (full && (!taken || xy__reservoir_close(child, by)))
		atomic_store(full, refusal);
	if (taken && c->known)
		mct_learn(m, length_us);
	return taken;
}

/* A constrained task is like no other, so refusals are not remembered. */
static bool mct_push_constrained(struct xy__mct *m, struct xy_task *task, struct xy__forecast *f, struct xy_agent *by)
{
	struct xy__choice best = xy__mct_choose(m, f), c;

	if (!best.seat || xy__mct_give(m, task, &best, by))
		return best.seat;
	for (unsigned k = 0; k < m->estimate.nseats; k++) {
		const struct xy__seat *seat = &m->estimate.seats[k];

		if (seat->child == best.seat->child || !mct_place(m, f, seat, &c))
			continue;
		mct_price(m, f, mct_start_us(m, f, seat, INFINITY), INFINITY, &c);
		if (xy__mct_give(m, task, &c, by))
			return true;
	}
	return false;
}

bool xy__mct_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct xy__mct *m = mct_of(self);
	struct xy__forecast forecast;
	struct xy__choice c;

	if (!xy__mct_has_room(m, task))
		return false;
	xy__forecast_init(&forecast, &m->estimate, task);
	if (task->constrained)
		return mct_push_constrained(m, task, &forecast, by);
	do {
		c = xy__mct_choose(m, &forecast);
		if (c.seat && xy__mct_give(m, task, &c, by))
			return true;
	} while (c.seat);
	return false;
}

struct xy_task *xy__mct_pull(struct xy_component *self, struct xy_agent *by)
{
	xy__mct_asked(mct_of(self), by);
	xy_can_push_parents(self, by);
	return NULL;
}

bool xy__mct_can_push(struct xy_component *self, struct xy_component *child, struct xy_agent *by)
{
	xy__mct_room(mct_of(self), child, by);
	return xy_can_push_parents(self, by);
}

/* --- set-up --- */

/* Heaps for large groups and classes. False without memory. */
static bool mct_init_soonest(struct xy__mct *m)
{
	const struct xy__estimate *e = &m->estimate;

	m->soonest = calloc(e->ngroups + (size_t)e->nclassed + 1, sizeof *m->soonest);
	m->places = calloc(e->nseats + 1, sizeof *m->places);
	if (!m->soonest || !m->places)
		return false;
	for (unsigned i = 0; i < e->ngroups + e->nclassed; i++) {
		const struct xy__group *group = i < e->ngroups ? &e->groups[i] : &e->classed[i - e->ngroups];

		for (unsigned k = 0; k < group->count; k++) {
			struct xy__mct_place *place = &m->places[group->seats[k]];

			*(i < e->ngroups ? &place->group : &place->classed) = i;
			*(i < e->ngroups ? &place->member : &place->classed_member) = k;
		}
		if (group->count >= XY__SOONEST_LEAST && xy__soonest_init(&m->soonest[i], group->count))
			return false;
	}
	return true;
}

int xy__mct_init(struct xy_component *self)
{
	struct xy__mct *m = mct_of(self);
	unsigned nworkers = xy_machine_nworkers(xy_component_machine(self));

	m->own = malloc(nworkers * sizeof *m->own);
	m->room = calloc(self->nchildren, sizeof *m->room);
	m->full = calloc(self->nchildren, XY__REFUSALS * sizeof *m->full);
	atomic_init(&m->guess_us, 1);
	if (xy__estimate_init(&m->estimate, self) || xy__estimate_find_waits(&m->estimate) || !mct_init_soonest(m) ||
	    !m->own || !m->room || !m->full) {
		xy__mct_fini(self);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < nworkers; i++)
		m->own[i] = -1;
	/* backwards: the first child that leads to a worker counts */
	for (unsigned i = m->estimate.nseats; i-- > 0;)
		if (!m->estimate.seats[i].team)
			m->own[m->estimate.seats[i].worker] = (int)i;
	return 0;
}

void xy__mct_fini(struct xy_component *self)
{
	struct xy__mct *m = mct_of(self);

	for (unsigned i = 0; m->soonest && i < m->estimate.ngroups + m->estimate.nclassed; i++)
		xy__soonest_fini(&m->soonest[i]);
	xy__estimate_fini(&m->estimate);
	free(m->soonest);
	free(m->places);
	m->soonest = NULL;
	m->places = NULL;
	free(m->full);
	free(m->room);
	free(m->own);
	m->own = NULL;
	m->room = NULL;
	m->full = NULL;
}

static const struct xy_option mct_options[] = { { .name = "alpha",
						  .help = "weight of the time until the task finishes",
						  .type = XY_OPTION_DOUBLE,
						  .offset = offsetof(struct xy__mct, alpha),
						  .initial = 1,
						  .min = 0,
						  .max = 1e9 },
						{ .name = "beta",
						  .help = "weight of the time to transfer its data",
						  .type = XY_OPTION_DOUBLE,
						  .offset = offsetof(struct xy__mct, beta),
						  .initial = 1,
						  .min = 0,
						  .max = 1e9 },
						{ .name = "gamma",
						  .help = "value of a joule in microseconds",
						  .type = XY_OPTION_DOUBLE,
						  .offset = offsetof(struct xy__mct, gamma),
						  .initial = 1000,
						  .min = 0,
						  .max = 1e9 },
						{ .name = "idle_w",
						  .help = "watts the machine uses while it waits for the last worker",
						  .type = XY_OPTION_DOUBLE,
						  .offset = offsetof(struct xy__mct, idle_w),
						  .initial = 0,
						  .min = 0,
						  .max = 1e9 },
						{ 0 } };

const struct xy_component_ops xy__mct_ops = {
	.name = "mct",
	.summary = "sends each task to the worker with the earliest expected finish time",
	.manual = "On each worker below, the task would start once the worker has finished its current task\n"
		  "and those stored on the way to it, and its data has arrived; its duration is the\n"
		  "prediction for its fastest implementation there. The task goes to the branch of the\n"
		  "worker with the least\n"
		  "\n"
		  "  alpha * time until its end + beta * time to move its data + gamma * joules\n"
		  "\n"
		  "all in microseconds; among equals the first. With idle_w, the energy that the whole\n"
		  "machine uses while it waits for this task alone counts too. If that branch is full, the\n"
		  "task stays above until there is room, because it would finish later elsewhere; a task\n"
		  "without a prediction there goes to the best branch that has room.\n"
		  "\n"
		  "A worker on which the task still has to be measured counts as fast as the best known\n"
		  "one, so that it is tried soon. If no prediction is known at all, tasks are assumed to\n"
		  "take as long as recent ones, which spreads them by number.\n"
		  "\n"
		  "mct decides: a worker never takes a task from above it. Put a reservoir at the head of\n"
		  "each branch; without a limit, all tasks are mapped when they become ready.\n",
	.flags = XY_MAPS | XY_DECIDES | XY_PREDICTS | XY_SHARES,
	.size = sizeof(struct xy__mct),
	.options = mct_options,
	.init = xy__mct_init,
	.fini = xy__mct_fini,
	.push = xy__mct_push,
	.pull = xy__mct_pull,
	.can_push = xy__mct_can_push,
};
