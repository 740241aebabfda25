/* SPDX-License-Identifier: MIT */
/*
 * The test bed and the recording kinds.
 */
#include "recording.h"

/* --- the bed --- */

static int bed_nothing(struct xy_call *call)
{
	(void)call;
	return 0;
}

static const struct xy_codelet bed_codelet = {
	.cpu = { bed_nothing },
	.cuda = { bed_nothing },
	.opencl = { bed_nothing },
};

static double bed_length(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	(void)implementation;
	return ((const double *)xy_task_argument(task))[worker];
}

static double bed_length_of_two(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	return ((const double *)xy_task_argument(task))[2 * worker + implementation];
}

static const struct xy_model bed_model = { .kind = XY_MODEL_WORKER, .per_worker = bed_length };
static const struct xy_model bed_model_of_two = { .kind = XY_MODEL_WORKER, .per_worker = bed_length_of_two };

static const struct xy_codelet bed_lasting = {
	.cpu = { bed_nothing },
	.cuda = { bed_nothing },
	.opencl = { bed_nothing },
	.model = &bed_model,
};

static const struct xy_codelet bed_two = {
	.cpu = { bed_nothing, bed_nothing },
	.cuda = { bed_nothing, bed_nothing },
	.opencl = { bed_nothing, bed_nothing },
	.model = &bed_model_of_two,
};

static double bed_engine_now(struct xy__tree_engine *engine)
{
	return ((struct bed *)((char *)engine - offsetof(struct bed, engine)))->now_us;
}

static double bed_engine_free(struct xy__tree_engine *engine, unsigned worker)
{
	struct bed *bed = (struct bed *)((char *)engine - offsetof(struct bed, engine));

	return bed->free_us[worker] > bed->now_us ? bed->free_us[worker] : bed->now_us;
}

static enum xy__wake bed_engine_wake(struct xy__tree_engine *engine, unsigned worker)
{
	struct bed *bed = (struct bed *)((char *)engine - offsetof(struct bed, engine));

	if (bed->awake[worker])
		return XY__WAKE_BUSY;
	assert_in_range(bed->nwoken, 0, BED_RECORDS - 1);
	bed->woken[bed->nwoken++] = worker;
	return XY__WAKE_WOKEN;
}

static void bed_engine_prefetch(struct xy__tree_engine *engine, struct xy_task *task, unsigned worker,
				struct xy_agent *by)
{
	struct bed *bed = (struct bed *)((char *)engine - offsetof(struct bed, engine));

	(void)by;
	assert_in_range(bed->nprefetched, 0, BED_RECORDS - 1);
	bed->prefetched_for[bed->nprefetched] = worker;
	bed->prefetched[bed->nprefetched++] = task;
	if (bed->meanwhile)
		bed->meanwhile(bed);
}

/* Pieces belong to the bed like all tasks; the memory is set by the caller. */
static struct xy_task *bed_engine_cut(struct xy__tree_engine *engine, struct xy_task *task, struct xy_agent *by)
{
	struct bed *bed = (struct bed *)((char *)engine - offsetof(struct bed, engine));
	struct xy_task *piece = bed_task(bed, task->archs);

	(void)by;
	piece->flags |= XY__TASK_CALLBACK;
	piece->codelet = task->codelet;
	task->extra->division->open++;
	return piece;
}

static void bed_engine_uncut(struct xy__tree_engine *engine, struct xy_task *piece, struct xy_agent *by)
{
	(void)engine;
	(void)by;
	xy__task_piece(piece)->whole->extra->division->open--;
}

struct bed *bed_open(const char *machine)
{
	struct bed *bed = calloc(1, sizeof *bed);
	char error[256] = "";

	assert_non_null(bed);
	if (xy_machine_create(&bed->machine, machine, error, sizeof error))
		fail_msg("machine %s: %s", machine, error);
	assert_in_range(xy_machine_nworkers(bed->machine), 1, BED_WORKERS);
	if (xy_registry_create(&bed->registry, NULL, error, sizeof error))
		fail_msg("%s", error);
	bed->tree = xy_tree_create(bed->machine, bed->registry);
	assert_non_null(bed->tree);
	bed->pool.machine = bed->machine;
	bed->perf.machine = bed->machine;
	bed->pool.perf = &bed->perf;
	bed->application.worker = -1;
	for (unsigned i = 0; i < xy_machine_nworkers(bed->machine); i++) {
		const struct xy_worker_info *info = xy_machine_worker(bed->machine, i);

		bed->workers[i] = (struct xy_agent){
			.worker = (int)i,
			.archs = 1u << info->arch,
			.random = i,
		};
		bed->engine.archs |= 1u << info->arch;
	}
	bed->sleepers = xy_machine_nworkers(bed->machine);
	bed->engine.sleepers = &bed->sleepers;
	bed->engine.searchers = &bed->searchers;
	bed->engine.wake = bed_engine_wake;
	bed->engine.now_us = bed_engine_now;
	bed->engine.free_us = bed_engine_free;
	bed->engine.prefetch = bed_engine_prefetch;
	bed->engine.cut = bed_engine_cut;
	bed->engine.uncut = bed_engine_uncut;
	return bed;
}

/* Trails for the agents, if the tree is audited. */
static void bed_follow(struct bed *bed)
{
	assert_int_equal(xy__trail_begin(&bed->application, bed->tree), 0);
	for (unsigned i = 0; i < xy_machine_nworkers(bed->machine); i++)
		assert_int_equal(xy__trail_begin(&bed->workers[i], bed->tree), 0);
}

void bed_audit(struct bed *bed)
{
	if (bed->tree->audit)
		return;
	assert_int_equal(xy__audit_begin(bed->tree), 0);
	bed_follow(bed);
}

struct bed *bed_parse(const char *machine, const char *expression)
{
	struct bed *bed = bed_open(machine);
	char error[1024] = "";

	xy_tree_destroy(bed->tree);
	bed->tree = NULL;
	if (xy_tree_parse(&bed->tree, expression, bed->machine, bed->registry, error, sizeof error))
		fail_msg("%s", error);
	bed->tree->engine = &bed->engine;
	bed_follow(bed);
	return bed;
}

void bed_close(struct bed *bed)
{
	char broken[512];

	if (bed->tree && xy_tree_broken_rules(bed->tree, broken, sizeof broken) && !bed->wrong)
		fail_msg("%s", broken);
	xy__trail_end(&bed->application);
	for (unsigned i = 0; i < BED_WORKERS; i++)
		xy__trail_end(&bed->workers[i]);
	xy_tree_destroy(bed->tree);
	xy_registry_destroy(bed->registry);
	xy_machine_destroy(bed->machine);
	for (unsigned i = 0; i < bed->ntasks; i++) {
		if (bed->tasks[i]->extra) {
			free(bed->tasks[i]->extra->workers);
			free(bed->tasks[i]->extra->division);
		}
		free(bed->tasks[i]->extra);
		free(bed->tasks[i]);
	}
	free(bed);
}

struct xy_component *bed_add(struct bed *bed, struct xy_component *parent, const struct xy_component_ops *ops)
{
	struct xy_component *c = xy_tree_add(bed->tree, ops);

	assert_non_null(c);
	if (parent)
		assert_int_equal(xy_tree_link(parent, c), 0);
	return c;
}

struct xy_component *bed_add_with(struct bed *bed, struct xy_component *parent, const struct xy_component_ops *ops,
				  const char *option, const char *value)
{
	struct xy_component *c = bed_add(bed, parent, ops);

	assert_int_equal(xy_component_set(c, option, value), 0);
	return c;
}

struct xy_component *bed_add_worker(struct bed *bed, struct xy_component *parent, unsigned worker)
{
	struct xy_component *leaf = xy_tree_worker(bed->tree, worker);

	assert_int_equal(xy_tree_link(parent, leaf), 0);
	return leaf;
}

void bed_seal(struct bed *bed)
{
	char error[1024] = "";

	if (xy_tree_seal(bed->tree, error, sizeof error))
		fail_msg("%s", error);
	bed->tree->engine = &bed->engine;
	bed_follow(bed);
}

struct xy_task *bed_task_with_priority(struct bed *bed, unsigned archs, int priority)
{
	struct xy_task *task = aligned_alloc(alignof(struct xy_task), sizeof *task);

	assert_non_null(task);
	assert_in_range(bed->ntasks, 0, BED_RECORDS - 1);
	memset(task, 0, sizeof *task);
	task->pool = &bed->pool;
	task->codelet = (uintptr_t)&bed_codelet;
	task->archs = (uint8_t)archs;
	task->priority = priority;
	task->number = bed->ntasks + 1;
	bed->tasks[bed->ntasks++] = task;
	return task;
}

struct xy_task *bed_task(struct bed *bed, unsigned archs)
{
	return bed_task_with_priority(bed, archs, 0);
}

struct xy_task *bed_task_pinned(struct bed *bed, unsigned archs, unsigned worker)
{
	struct xy_task *task = bed_task(bed, archs);

	task->constrained = true;
	task->extra = calloc(1, sizeof *task->extra);
	assert_non_null(task->extra);
	task->extra->workers = malloc(sizeof *task->extra->workers);
	assert_non_null(task->extra->workers);
	task->extra->workers[0] = worker;
	task->extra->nworkers = 1;
	return task;
}

struct xy_task *bed_task_divisible(struct bed *bed, unsigned archs, uint64_t items)
{
	struct xy_task *task = bed_task(bed, archs);

	task->extra = calloc(1, sizeof *task->extra);
	assert_non_null(task->extra);
	task->extra->division = calloc(1, sizeof *task->extra->division);
	assert_non_null(task->extra->division);
	task->extra->division->all = (struct xy_range){ 0, items };
	task->flags |= XY__TASK_CALLBACK;
	task->part = XY__PART_WHOLE;
	xy__division_open(task);
	return task;
}

void bed_end(struct bed *bed, struct xy_task *piece, unsigned worker, int status)
{
	bool whole = xy__task_part(piece) == XY__PART_WHOLE;
	struct xy__division *d = (whole ? piece : xy__task_piece(piece)->whole)->extra->division;
	struct xy_component *cutter = whole ? d->cutter : xy__task_piece(piece)->cutter;

	if (status)
		xy__division_fail(d, status);
	d->open--;
	if (cutter && cutter->ops->piece_ended)
		cutter->ops->piece_ended(cutter, piece, &bed->workers[worker]);
}

void bed_return(struct bed *bed, struct xy_task *piece, unsigned worker)
{
	struct xy_component *cutter = xy__task_piece(piece)->cutter;

	cutter->ops->piece_ended(cutter, piece, &bed->workers[worker]);
	xy__task_piece(piece)->place = XY_NO_PLACE;
	bed_submit(bed, piece);
}

struct xy_task *bed_task_lasting(struct bed *bed, unsigned archs, const double *lengths_us)
{
	struct xy_task *task = bed_task(bed, archs);

	task->codelet = (uintptr_t)&bed_lasting;
	task->arg = (void *)lengths_us;
	return task;
}

struct xy_task *bed_task_of_two(struct bed *bed, unsigned archs, const double *lengths_us)
{
	struct xy_task *task = bed_task_lasting(bed, archs, lengths_us);

	task->codelet = (uintptr_t)&bed_two;
	task->flags |= XY__TASK_CHOICE;
	return task;
}

void bed_submit(struct bed *bed, struct xy_task *task)
{
	assert_true(xy_push(xy_tree_root(bed->tree), task, &bed->application));
}

struct xy_task *bed_pull(struct bed *bed, unsigned worker)
{
	return xy_pull(xy_tree_worker(bed->tree, worker), &bed->workers[worker]);
}

void bed_forget(struct bed *bed)
{
	bed->nwoken = 0;
	xy_agent_offer_to_itself(&bed->application);
	for (unsigned i = 0; i < BED_WORKERS; i++)
		xy_agent_offer_to_itself(&bed->workers[i]);
}

void bed_wake(struct bed *bed, unsigned worker)
{
	bed->awake[worker] = true;
	bed->sleepers--;
}

/* --- recorders --- */

static void recorder_note(struct recorder *r, struct xy_task *task)
{
	assert_in_range(r->npushed, 0, BED_RECORDS - 1);
	r->pushed[r->npushed++] = task;
}

static bool recorder_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct recorder *r = recorder(self);

	if (r->refuses || !xy_push(self->children[0], task, by)) {
		r->nrefused++;
		return false;
	}
	recorder_note(r, task);
	return true;
}

static struct xy_task *recorder_pull(struct xy_component *self, struct xy_agent *by)
{
	recorder(self)->npulls++;
	return xy_pull_parents(self, by);
}

static bool recorder_can_pull(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by)
{
	struct recorder *r = recorder(self);

	assert_in_range(r->noffers, 0, BED_RECORDS - 1);
	r->offers[r->noffers++] = *offer;
	return xy_can_pull_children(self, offer, by);
}

static bool basin_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct recorder *r = recorder(self);

	(void)by;
	if (r->nheld >= r->room) {
		r->nrefused++;
		return false;
	}
	recorder_note(r, task);
	r->held[r->nheld++] = task;
	return true;
}

static struct xy_task *basin_pull(struct xy_component *self, struct xy_agent *by)
{
	struct recorder *r = recorder(self);

	r->npulls++;
	for (unsigned i = 0; i < r->nheld; i++) {
		struct xy_task *task = r->held[i];

		if (xy_task_can_run(task, (unsigned)by->worker)) {
			r->nheld--;
			memmove(r->held + i, r->held + i + 1, (r->nheld - i) * sizeof r->held[0]);
			return task;
		}
	}
	return xy_pull_parents(self, by);
}

static bool basin_is_bounded(const struct xy_component *self)
{
	(void)self;
	return true;
}

static size_t basin_depth(struct xy_component *self, size_t *peak)
{
	*peak = recorder(self)->npushed;
	return recorder(self)->nheld;
}

struct recorder *recorder(struct xy_component *c)
{
	assert_true(c->ops == &recorder_ops || c->ops == &basin_ops);
	return (struct recorder *)c;
}

void basin_empty(struct xy_component *c)
{
	recorder(c)->nheld = 0;
}

const struct xy_component_ops recorder_ops = {
	.name = "recorder",
	.summary = "passes everything on",
	.manual = "For tests.\n",
	.size = sizeof(struct recorder),
	.push = recorder_push,
	.pull = recorder_pull,
	.can_pull = recorder_can_pull,
};

const struct xy_component_ops basin_ops = {
	.name = "basin",
	.summary = "holds what it has room for",
	.manual = "For tests.\n",
	.flags = XY_STORES | XY_PUMPS,
	.size = sizeof(struct recorder),
	.push = basin_push,
	.pull = basin_pull,
	.can_pull = recorder_can_pull,
	.is_bounded = basin_is_bounded,
	.depth = basin_depth,
};
