/* SPDX-License-Identifier: MIT */
/*
 * pipeline: each stage has its own branch and queues. A stage starts nothing while enough tasks wait to enter the next
 * one, so the work in flight is bounded however much is submitted. The last stage never waits, nor do tasks inside a
 * stage, so there is always progress.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "components/pipeline_schedule.h"
#include "components/spread.h"
#include "core/task/queue.h"
#include "core/task/task.h"
#include "core/tree/tree.h"

/* Locking key: (c) constant after seal, (l) the component's lock, (a) atomic. */
struct pipeline_stage {
	unsigned first;           /* (c) its first layer: what carries this number enters the stage */
	unsigned child;           /* (c) its branch */
	int next;                 /* (c) the previous stage with the same branch, -1 without one */
	struct xy_queue entering; /* (l) */
	struct xy_queue inside;   /* (l) */
};

struct pipeline {
	struct xy_component base;
	char file[XY_OPTION_TEXT_SIZE]; /* (c) option */
	unsigned ahead;                 /* (c) option */
	unsigned nstages;               /* (c) */
	struct pipeline_stage *stages;  /* (c) */
	unsigned nlayers;               /* (c) */
	unsigned *stage_of;             /* (c) by layer - 1; NULL: each layer is a stage */
	int *last;                      /* (c) by child: its last stage, -1 if it has none */
	struct xy__spread spread;       /* (a) for what belongs to no stage */
	_Atomic size_t count, peak;     /* (a) tasks in all queues, (l) to write */
	struct xy_lock lock;
	struct xy_queue others; /* (l) what belongs to no stage, or can't run there */
};

static struct pipeline *pipeline(struct xy_component *self)
{
	return (struct pipeline *)self;
}

/* The stage of a task, -1 if it has none or no worker there can run it. */
static int pipeline_stage_of(const struct pipeline *p, const struct xy_task *task)
{
	unsigned layer = xy_task_choice(task), stage;

	if (!layer || layer > p->nlayers)
		return -1;
	stage = p->stage_of ? p->stage_of[layer - 1] : layer - 1;
	return xy_task_can_run_below(task, p->base.children[p->stages[stage].child]) ? (int)stage : -1;
}

static struct xy_component *pipeline_child(const struct pipeline *p, int stage)
{
	return p->base.children[p->stages[stage].child];
}

/* Whether a stage may start a task. The lock is held, here and below. */
static bool pipeline_is_open(const struct pipeline *p, int stage)
{
	return (unsigned)stage + 1 == p->nstages || xy_queue_count(&p->stages[stage + 1].entering) < p->ahead;
}

static void pipeline_add(struct pipeline *p, struct xy_queue *queue, struct xy_task *task)
{
	size_t count = atomic_load_explicit(&p->count, memory_order_relaxed) + 1;

	xy_queue_insert(queue, task);
	atomic_store_explicit(&p->count, count, memory_order_relaxed);
	if (count > atomic_load_explicit(&p->peak, memory_order_relaxed))
		atomic_store_explicit(&p->peak, count, memory_order_relaxed);
}

static void pipeline_count_less(struct pipeline *p)
{
	atomic_store_explicit(&p->count, atomic_load_explicit(&p->count, memory_order_relaxed) - 1,
			      memory_order_relaxed);
}

/* --- down --- */

static bool pipeline_spread(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	return xy__spread_push(self, &pipeline(self)->spread, task, by);
}

/* Pushes the first tasks of a queue into a branch, as many as it takes, but no more than `most`. */
static bool pipeline_pass(struct pipeline *p, struct xy_queue *queue, struct xy_component *child, unsigned most,
			  struct xy_agent *by)
{
	bool any = false;

	while (most-- && xy_queue_count(queue)) {
		struct xy_task *task = xy_queue_first(queue);

		if (!(child ? xy__queue_give(queue, task, xy_push, child, by)
			    : xy__queue_give(queue, task, pipeline_spread, &p->base, by)))
			break;
		pipeline_count_less(p);
		any = true;
	}
	return any;
}

/* Something has left the entrance of a stage: the one before it may be open again, and so on. */
static void pipeline_open_before(struct pipeline *p, int stage, struct xy_agent *by)
{
	while (--stage >= 0 && xy_queue_count(&p->stages[stage].entering) && pipeline_is_open(p, stage)) {
		struct xy_queue *queue = &p->stages[stage].entering;
		struct xy_component *child = pipeline_child(p, stage);
		const struct xy_task *task = xy_queue_first(queue);

		if (!child->takes_pushes) {
			xy_can_pull(child, &(struct xy_offer){ xy_task_archs(task), task }, by);
			return;
		}
		if (!pipeline_pass(p, queue, child, UINT_MAX, by))
			return;
	}
}

/* Fills a branch that takes pushes with what a stage has for it. */
static bool pipeline_fill(struct pipeline *p, int stage, struct xy_agent *by)
{
	struct pipeline_stage *s = &p->stages[stage];
	struct xy_component *child = pipeline_child(p, stage);
	bool any = pipeline_pass(p, &s->inside, child, UINT_MAX, by);

	while (pipeline_is_open(p, stage) && pipeline_pass(p, &s->entering, child, 1, by)) {
		pipeline_open_before(p, stage, by);
		any = true;
	}
	return any;
}

/* Notifies the workers that may take a task just stored. */
static void pipeline_tell(struct pipeline *p, int stage, const struct xy_task *task, struct xy_agent *by)
{
	const struct xy_offer offer = { xy_task_archs(task), task };

	if (stage < 0) {
		bool leads = xy_queue_first(&p->others) == task;

		if (!pipeline_pass(p, &p->others, NULL, 1, by) || !leads)
			xy__spread_offer(&p->base, &p->spread, &offer, by);
	} else if (pipeline_child(p, stage)->takes_pushes) {
		pipeline_fill(p, stage, by);
	} else if (xy_task_choice(task) != p->stages[stage].first || pipeline_is_open(p, stage)) {
		xy_can_pull(pipeline_child(p, stage), &offer, by);
	}
}

static bool pipeline_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct pipeline *p = pipeline(self);
	int stage = pipeline_stage_of(p, task);
	struct xy_queue *queue = &p->others;

	if (stage < 0 && !xy_task_can_run_below(task, self))
		return false;
	if (stage >= 0)
		queue = xy_task_choice(task) == p->stages[stage].first ? &p->stages[stage].entering
								       : &p->stages[stage].inside;
	xy_lock_take(&p->lock, self, by);
	pipeline_add(p, queue, task);
	pipeline_tell(p, stage, task, by);
	xy_lock_drop(&p->lock, self, by);
	return true;
}

/* --- up --- */

/* Tasks inside a stage go before tasks that enter it. */
static struct xy_task *pipeline_take_of(struct pipeline *p, int stage, struct xy_agent *by)
{
	struct pipeline_stage *s = &p->stages[stage];
	struct xy_task *task = xy_queue_take(&s->inside, by);

	if (task || !pipeline_is_open(p, stage))
		return task;
	task = xy_queue_take(&s->entering, by);
	if (task)
		pipeline_open_before(p, stage, by);
	return task;
}

static struct xy_task *pipeline_take(struct pipeline *p, struct xy_agent *by)
{
	int own = xy__spread_own(&p->spread, by);
	struct xy_task *task = NULL;

	if (!atomic_load_explicit(&p->count, memory_order_relaxed))
		return NULL;
	xy_lock_take(&p->lock, &p->base, by);
	for (int stage = own < 0 ? -1 : p->last[own]; stage >= 0 && !task; stage = p->stages[stage].next)
		task = pipeline_take_of(p, stage, by);
	if (!task)
		task = xy_queue_take(&p->others, by);
	if (task)
		pipeline_count_less(p);
	xy_lock_drop(&p->lock, &p->base, by);
	return task;
}

/* A task from above may be for another stage. */
static struct xy_task *pipeline_pull(struct xy_component *self, struct xy_agent *by)
{
	struct xy_task *task = pipeline_take(pipeline(self), by);

	if (task || !self->nparents || !xy_can_push_parents(self, by))
		return task;
	return pipeline_take(pipeline(self), by);
}

static bool pipeline_can_push(struct xy_component *self, struct xy_component *child, struct xy_agent *by)
{
	struct pipeline *p = pipeline(self);
	int i = xy__spread_own(&p->spread, by);
	bool moved = false;

	xy__spread_room(self, &p->spread, child, by);
	if (i < 0 || self->children[i] != child)
		for (i = 0; self->children[i] != child; i++)
			;
	if (child->takes_pushes && atomic_load_explicit(&p->count, memory_order_relaxed)) {
		xy_lock_take(&p->lock, self, by);
		for (int stage = p->last[i]; stage >= 0; stage = p->stages[stage].next)
			moved |= pipeline_fill(p, stage, by);
		moved |= pipeline_pass(p, &p->others, NULL, UINT_MAX, by);
		xy_lock_drop(&p->lock, self, by);
	}
	return moved || xy_can_push_parents(self, by);
}

static bool pipeline_can_pull(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by)
{
	return xy__spread_offer(self, &pipeline(self)->spread, offer, by);
}

/* --- set-up --- */

static int pipeline_wrong(struct pipeline *p, const char *what, const char *host)
{
	struct xy__message message;

	xy__message_init(&message, p->base.tree->why, sizeof p->base.tree->why);
	xy__message_add(&message, "%s: ", p->file);
	xy__message_add(&message, what, host);
	return -EINVAL;
}

/* The worker of this name below, -1 without one. */
static int pipeline_worker(const struct pipeline *p, const char *name)
{
	for (unsigned i = 0; i < p->base.nworkers; i++)
		if (!strcmp(xy_machine_worker(xy_component_machine(&p->base), p->base.workers[i])->name, name))
			return (int)p->base.workers[i];
	return -1;
}

/* Hosts are the names of workers, or all of them are something else: then the branches follow each other. */
static int pipeline_place(struct pipeline *p, const struct xy__schedule *schedule)
{
	unsigned named = 0;

	for (unsigned i = 0; i < schedule->nstages; i++)
		named += pipeline_worker(p, schedule->stages[i].host) >= 0;
	for (unsigned i = 0; i < schedule->nstages; i++) {
		const char *host = schedule->stages[i].host;
		int worker = pipeline_worker(p, host);

		if (named && worker < 0)
			return pipeline_wrong(p, "no worker is called %s, but other hosts are workers", host);
		if (!named && i >= p->base.nchildren)
			return pipeline_wrong(p,
					      "no branch for %s: the schedule has more stages than "
					      "there are branches",
					      host);
		p->stages[i].first = schedule->stages[i].first;
		p->stages[i].child = named ? (unsigned)xy_component_child_of(&p->base, (unsigned)worker) : i;
	}
	return 0;
}

/* The stages as a file has them. */
static int pipeline_read(struct pipeline *p)
{
	struct xy__schedule schedule;
	struct xy__message message;
	int status;

	xy__message_init(&message, p->base.tree->why, sizeof p->base.tree->why);
	status = xy__schedule_read(&schedule, p->file, &message);
	if (status)
		return status;
	p->nstages = schedule.nstages;
	p->nlayers = schedule.stages[p->nstages - 1].last;
	p->stages = calloc(p->nstages, sizeof *p->stages);
	p->stage_of = calloc(p->nlayers, sizeof *p->stage_of);
	status = p->stages && p->stage_of ? pipeline_place(p, &schedule) : -ENOMEM;
	for (unsigned i = 0; i < schedule.nstages && !status; i++)
		for (unsigned layer = schedule.stages[i].first; layer <= schedule.stages[i].last; layer++)
			p->stage_of[layer - 1] = i;
	xy__schedule_fini(&schedule);
	return status;
}

/* A stage for each branch. */
static int pipeline_number(struct pipeline *p)
{
	p->nstages = p->nlayers = p->base.nchildren;
	p->stages = calloc(p->nstages, sizeof *p->stages);
	for (unsigned i = 0; i < p->nstages && p->stages; i++) {
		p->stages[i].first = i + 1;
		p->stages[i].child = i;
	}
	return p->stages ? 0 : -ENOMEM;
}

static void pipeline_fini(struct xy_component *self)
{
	struct pipeline *p = pipeline(self);

	xy__spread_fini(&p->spread);
	free(p->stages);
	free(p->stage_of);
	free(p->last);
	p->stages = NULL;
	p->stage_of = NULL;
	p->last = NULL;
}

static int pipeline_init(struct xy_component *self)
{
	struct pipeline *p = pipeline(self);
	int status = *p->file ? pipeline_read(p) : pipeline_number(p);

	p->last = malloc(self->nchildren * sizeof *p->last);
	if (!status && (!p->last || xy__spread_init(&p->spread, self)))
		status = -ENOMEM;
	if (status) {
		pipeline_fini(self);
		return status;
	}
	for (unsigned i = 0; i < self->nchildren; i++)
		p->last[i] = -1;
	p->others.ordered = true;
	for (unsigned i = 0; i < p->nstages; i++) {
		struct pipeline_stage *s = &p->stages[i];

		s->entering.ordered = s->inside.ordered = true;
		s->next = p->last[s->child];
		p->last[s->child] = (int)i;
	}
	return 0;
}

/* --- looking --- */

static bool pipeline_is_bounded(const struct xy_component *self)
{
	(void)self;
	return false;
}

static size_t pipeline_depth(struct xy_component *self, size_t *peak)
{
	*peak = atomic_load_explicit(&pipeline(self)->peak, memory_order_relaxed);
	return atomic_load_explicit(&pipeline(self)->count, memory_order_relaxed);
}

static void pipeline_each_task(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task),
			       void *arg)
{
	struct pipeline *p = pipeline(self);
	struct xy_agent nobody = { .worker = -1 };

	xy_lock_take(&p->lock, self, &nobody);
	for (unsigned i = p->nstages; i-- > 0;) {
		xy_queue_each(&p->stages[i].inside, visit, arg);
		xy_queue_each(&p->stages[i].entering, visit, arg);
	}
	xy_queue_each(&p->others, visit, arg);
	xy_lock_drop(&p->lock, self, &nobody);
}

static const struct xy_option pipeline_options[] = {
	{ .name = "file",
	  .help = "schedule file, as written by sched-pipeline",
	  .type = XY_OPTION_TEXT,
	  .offset = offsetof(struct pipeline, file) },
	{ .name = "ahead",
	  .help = "limit of tasks waiting to enter a stage before the previous stage pauses",
	  .type = XY_OPTION_UNSIGNED,
	  .offset = offsetof(struct pipeline, ahead),
	  .initial = 2,
	  .min = 1,
	  .max = INFINITY },
	{ 0 }
};

const struct xy_component_ops xy__pipeline_ops = {
	.name = "pipeline",
	.summary = "sends each task to the branch of its layer, stage after stage",
	.manual = "The field `choice` of a task's description is the number of its layer, from 1. The file,\n"
		  "a list of `- host: [first, last]` as written by sched-pipeline, assigns layers to\n"
		  "stages. If a host is the name of a worker, such as cuda0, it is that worker; if no host\n"
		  "is, the stages take the branches below in order. Without a file, each branch is a stage\n"
		  "of one layer. Tasks with another number, and those that no worker in the branch of their\n"
		  "stage can run, go to idle workers.\n"
		  "\n"
		  "A stage has a queue for tasks that enter it, those of its first layer, and one for the\n"
		  "rest, which goes first. It starts nothing while `ahead` tasks wait to enter the next\n"
		  "stage: so a slow stage holds back earlier ones, and memory in flight is bounded however\n"
		  "much is submitted. Within a queue, the highest priority goes first, then the oldest.\n"
		  "\n"
		  "A branch that begins with a limited reservoir is kept filled, and what is there is not\n"
		  "held back any more: with fifo(ntasks=2) above each worker, ahead=4 keeps the pace where\n"
		  "sending data is the bottleneck. A branch with an unlimited reservoir takes everything at\n"
		  "once, so earlier stages are not held back at all. pipeline never refuses a task,\n"
		  "so it can be the root of a tree.\n",
	.flags = XY_STORES | XY_PUMPS | XY_MAPS,
	.size = sizeof(struct pipeline),
	.options = pipeline_options,
	.init = pipeline_init,
	.fini = pipeline_fini,
	.push = pipeline_push,
	.pull = pipeline_pull,
	.can_push = pipeline_can_push,
	.can_pull = pipeline_can_pull,
	.is_bounded = pipeline_is_bounded,
	.depth = pipeline_depth,
	.each_task = pipeline_each_task,
};
