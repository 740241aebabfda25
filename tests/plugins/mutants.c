/* SPDX-License-Identifier: MIT */
/*
 * Reservoirs that are wrong on purpose, each with one mistake of those that doc/components.md lists. The right one,
 * mutant-none, hands out tasks in order and keeps at most `ntasks`, if that is set; the others differ from it where
 * their name is asked for.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <xylem/component.h>

enum mistake {
	NONE,
	SILENT,
	EARLY,
	POPPED,
	KEPT_LOCK,
	RELOCKED,
	LOCK_UP,
	TWICE,
	ANY_WORKER,
	REFUSED,
	LOST,
	UPWARDS,
	WAITS,
	CRASHES,
	HOOK_LOCK_UP,
	SLEEPS,
	NMISTAKES
};

struct mutant {
	struct xy_component base;
	unsigned ntasks;     /* option */
	struct xy_lock lock; /* guards what follows */
	bool turned_away;
	struct xy_queue queue;
};

static const struct xy_component_ops mutant_ops[NMISTAKES];

static struct mutant *mutant(struct xy_component *self)
{
	return (struct mutant *)self;
}

static bool is(const struct xy_component *self, enum mistake mistake)
{
	return self->ops == &mutant_ops[mistake];
}

/* Inserts the task if there is room. The lock is held. */
static bool mutant_insert(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct mutant *m = mutant(self);
	bool room = xy_queue_count(&m->queue) < m->ntasks;
	struct xy_offer offer = xy_offer_of(task);

	if (!room && !is(self, LOST)) {
		m->turned_away = true;
		return false;
	}
	if (room)
		xy_queue_insert(&m->queue, task);
	if (!is(self, EARLY) && !is(self, SILENT))
		xy_can_pull_children(self, &offer, by);
	return true;
}

/* Takes the first task out, tries the child without the lock, and puts the task back. */
static void mutant_pop_and_push(struct xy_component *self, struct xy_agent *by)
{
	struct mutant *m = mutant(self);
	struct xy_task *task;

	xy_lock_take(&m->lock, self, by);
	task = xy_queue_first(&m->queue);
	if (task)
		xy_queue_remove(&m->queue, task);
	xy_lock_drop(&m->lock, self, by);
	if (!task)
		return;
	for (unsigned i = 0; i < self->nchildren; i++)
		if (xy_task_can_run_below(task, self->children[i]) && xy_push(self->children[i], task, by))
			return;
	xy_lock_take(&m->lock, self, by);
	xy_queue_insert(&m->queue, task);
	xy_lock_drop(&m->lock, self, by);
}

static bool mutant_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct mutant *m = mutant(self);
	struct xy_offer offer = xy_offer_of(task);
	bool taken;

	if (is(self, EARLY))
		xy_can_pull_children(self, &offer, by);
	xy_lock_take(&m->lock, self, by);
	taken = mutant_insert(self, task, by);
	if (is(self, RELOCKED)) {
		xy_lock_take(&m->lock, self, by);
		xy_lock_drop(&m->lock, self, by);
	}
	if (!taken && is(self, KEPT_LOCK))
		return false;
	xy_lock_drop(&m->lock, self, by);
	if (!taken && is(self, UPWARDS))
		return xy_push(self->parents[0], task, by);
	if (taken && is(self, POPPED))
		mutant_pop_and_push(self, by);
	return taken && !is(self, REFUSED);
}

/* Finds the first task and takes it out later, under another turn of the lock. */
static struct xy_task *mutant_take_late(struct xy_component *self, struct xy_agent *by)
{
	struct mutant *m = mutant(self);
	struct xy_task *task;

	xy_lock_take(&m->lock, self, by);
	task = xy_queue_first(&m->queue);
	if (task && !xy_task_can_run(task, (unsigned)by->worker))
		task = NULL;
	xy_lock_drop(&m->lock, self, by);
	if (!task)
		return NULL;
	xy_lock_take(&m->lock, self, by);
	if (xy_queue_first(&m->queue) == task)
		xy_queue_remove(&m->queue, task);
	xy_lock_drop(&m->lock, self, by);
	return task;
}

static struct xy_task *mutant_take(struct xy_component *self, struct xy_agent *by)
{
	struct mutant *m = mutant(self);
	struct xy_task *task;

	if (!is(self, ANY_WORKER))
		return xy_queue_take(&m->queue, by);
	task = xy_queue_first(&m->queue);
	if (task)
		xy_queue_remove(&m->queue, task);
	return task;
}

static struct xy_task *mutant_pull(struct xy_component *self, struct xy_agent *by)
{
	struct mutant *m = mutant(self);
	struct xy_task *task;
	bool refill;

	if (is(self, CRASHES) && xy_queue_count(&m->queue) > 1)
		abort();
	if (is(self, TWICE) && (task = mutant_take_late(self, by)))
		return task;
	while (is(self, WAITS) && !xy_queue_count(&m->queue) && self->nparents)
		xy_can_push_parents(self, by);
	if (is(self, SLEEPS))
		nanosleep(&(struct timespec){ 1, 200000000 }, NULL);
	xy_lock_take(&m->lock, self, by);
	task = mutant_take(self, by);
	refill = task && m->turned_away;
	if (refill)
		m->turned_away = false;
	if (refill && is(self, LOCK_UP)) {
		xy_can_push_parents(self, by);
		refill = false;
	}
	xy_lock_drop(&m->lock, self, by);
	if (refill)
		xy_can_push_parents(self, by);
	return task ? task : xy_pull_parents(self, by);
}

static void mutant_ended(struct xy_component *self, const struct xy_report *report, struct xy_agent *by)
{
	(void)report;
	xy_lock_take(&mutant(self)->lock, self, by);
	xy_can_push_parents(self, by);
	xy_lock_drop(&mutant(self)->lock, self, by);
}

static bool mutant_is_bounded(const struct xy_component *self)
{
	return ((const struct mutant *)self)->ntasks != UINT_MAX;
}

static size_t mutant_depth(struct xy_component *self, size_t *peak)
{
	*peak = xy_queue_peak(&mutant(self)->queue);
	return xy_queue_count(&mutant(self)->queue);
}

static void mutant_each(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task), void *arg)
{
	struct xy_agent nobody = { .worker = -1 };

	xy_lock_take(&mutant(self)->lock, self, &nobody);
	xy_queue_each(&mutant(self)->queue, visit, arg);
	xy_lock_drop(&mutant(self)->lock, self, &nobody);
}

static const struct xy_option mutant_options[] = { { .name = "ntasks",
						     .help = "refuse tasks beyond this number",
						     .type = XY_OPTION_UNSIGNED,
						     .offset = offsetof(struct mutant, ntasks),
						     .initial = INFINITY,
						     .min = 1,
						     .max = INFINITY },
						   { 0 } };

#define MUTANT(mistake, text) \
	[mistake] = { \
		.name = "mutant-" text, \
		.summary = "wrong on purpose", \
		.flags = XY_STORES, \
		.size = sizeof(struct mutant), \
		.options = mutant_options, \
		.push = mutant_push, \
		.pull = mutant_pull, \
		.is_bounded = mutant_is_bounded, \
		.depth = mutant_depth, \
		.each_task = mutant_each, \
		.ended = (mistake) == HOOK_LOCK_UP ? mutant_ended : NULL, \
	}

static const struct xy_component_ops mutant_ops[NMISTAKES] = {
	MUTANT(NONE, "none"),       MUTANT(SILENT, "silent"),       MUTANT(EARLY, "early"),
	MUTANT(POPPED, "popped"),   MUTANT(KEPT_LOCK, "kept-lock"), MUTANT(RELOCKED, "relocked"),
	MUTANT(LOCK_UP, "lock-up"), MUTANT(TWICE, "twice"),         MUTANT(ANY_WORKER, "any-worker"),
	MUTANT(REFUSED, "refused"), MUTANT(LOST, "lost"),           MUTANT(UPWARDS, "upwards"),
	MUTANT(WAITS, "waits"),     MUTANT(CRASHES, "crashes"),     MUTANT(HOOK_LOCK_UP, "hook-lock-up"),
	MUTANT(SLEEPS, "sleeps"),
};

static const struct xy_component_ops *const components[] = {
	&mutant_ops[NONE],
	&mutant_ops[SILENT],
	&mutant_ops[EARLY],
	&mutant_ops[POPPED],
	&mutant_ops[KEPT_LOCK],
	&mutant_ops[RELOCKED],
	&mutant_ops[LOCK_UP],
	&mutant_ops[TWICE],
	&mutant_ops[ANY_WORKER],
	&mutant_ops[REFUSED],
	&mutant_ops[LOST],
	&mutant_ops[UPWARDS],
	&mutant_ops[WAITS],
	&mutant_ops[CRASHES],
	&mutant_ops[HOOK_LOCK_UP],
	&mutant_ops[SLEEPS],
	NULL,
};

const struct xy_plugin xy_plugin = { .abi = XY_ABI, .name = "mutants", .components = components };
