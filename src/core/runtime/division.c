/* SPDX-License-Identifier: MIT */
/*
 * Divisible tasks in a runtime. A piece is counted like any task, so that waiting needs to know nothing about it; the
 * whole holds its data and its place in the order of submission until the last piece has ended.
 */
#include "core/runtime/division.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/deps.h"
#include "core/runtime/notes.h"
#include "core/runtime/task_build.h"
#include "core/tree/lock.h"

/* --- making --- */

const char *xy__division_objection(const struct xy_task_desc *desc)
{
	unsigned n = 0;

	if (desc->range.start >= desc->range.stop)
		return "its range is empty: start must be less than stop";
	if (!desc->codelet)
		return "it has a range, but no codelet";
	for (; desc->accesses ? desc->accesses[n].handle != NULL : n < XY_NHANDLES && desc->handles[n]; n++) {
		unsigned mode = desc->accesses ? desc->accesses[n].mode : desc->codelet->modes[n];

		if (mode != XY_R && mode != XY_W && mode != XY_RW)
			return "a divisible task can access data with the modes XY_R, XY_W and XY_RW only";
		if (mode != XY_R && !desc->split)
			return "it is divisible and writes data, but has no split to name the data of a piece";
	}
	return n > XY_NHANDLES ? "a divisible task can have at most 8 accesses" : NULL;
}

int xy__division_create(struct xy_task *task, const struct xy_task_desc *desc)
{
	struct xy__task_extra *extra = xy__task_extra(task);
	struct xy__division *d;

	if (xy__division_objection(desc))
		return -EINVAL;
	d = extra ? calloc(1, sizeof *d) : NULL;
	if (!d)
		return -ENOMEM;
	extra->division = d;
	d->all = desc->range;
	d->split = desc->split;
	d->joined = desc->joined;
	d->callback_arg = desc->callback_arg;
	d->like = desc->codelet;
	d->model = desc->codelet->name;
	d->arg = task->arg;
	d->length_us = xy__task_length_us(task);
	memcpy(d->accesses, task->accesses, task->naccesses * sizeof d->accesses[0]);
	if (!(task->flags & XY__TASK_CALLBACK))
		xy__task_set_callback(task, NULL, NULL);
	task->part = XY__PART_WHOLE;
	xy__division_open(task);
	return 0;
}

/* --- pieces --- */

/* Pieces that may run again, or on few workers only, need more than their own memory. */
static bool division_copy_rare(struct xy_task *piece, const struct xy_task *whole)
{
	const struct xy__task_extra *from = whole->extra;
	struct xy__task_extra *extra;

	if (!from->retries_asked && !from->nworkers && !from->choice && !from->sched_data && !from->context &&
	    from->deadline_s == 0)
		return true;
	extra = xy__task_extra(piece);
	if (!extra)
		return false;
	extra->retries = extra->retries_asked = from->retries_asked;
	extra->choice = from->choice;
	extra->sched_data = from->sched_data;
	extra->deadline_s = from->deadline_s;
	extra->context = from->context;
	if (!from->nworkers)
		return true;
	extra->workers = malloc(from->nworkers * sizeof *extra->workers);
	if (!extra->workers)
		return false;
	memcpy(extra->workers, from->workers, from->nworkers * sizeof *extra->workers);
	extra->nworkers = from->nworkers;
	return true;
}

struct xy_task *xy__division_take(struct xy__tree_engine *engine, struct xy_task *task, struct xy_agent *by)
{
	struct xy__agent *agent = (struct xy__agent *)by;
	const struct xy_codelet *codelet = xy__task_codelet(task);
	struct xy_task *piece = xy__task_take(agent, &(struct xy_task_desc){ .codelet = codelet });

	(void)engine;
	if (!piece)
		return NULL;
	xy__task_set_callback(piece, NULL, NULL);
	/* relaxed: no other thread knows it. For an audit, the component that cuts it has it. */
	atomic_store_explicit(&piece->owner, 0, memory_order_relaxed);
	piece->flags |= task->flags & (XY__TASK_CHOICE | XY__TASK_MEASURED);
	if (!division_copy_rare(piece, task)) {
		xy__task_unref(piece, agent);
		return NULL;
	}
	/* acquire: pairs with the release in xy__task_set_name */
	if (atomic_load_explicit(&task->codelet, memory_order_acquire) & XY__NAMED)
		xy__task_set_name(piece, xy_task_name(task));
	/* relaxed: the rest is open as well, so that this can't be the first one after the last */
	atomic_fetch_add_explicit(&task->extra->division->open, 1, memory_order_relaxed);
	xy__task_set_state(piece, XY__TASK_READY);
	xy__notes_count(agent, piece);
	return piece;
}

void xy__division_give(struct xy__tree_engine *engine, struct xy_task *piece, struct xy_agent *by)
{
	struct xy__agent *agent = (struct xy__agent *)by;
	struct xy__division *d = xy__task_piece(piece)->whole->extra->division;

	(void)engine;
	/* relaxed: the rest is still open */
	atomic_fetch_sub_explicit(&d->open, 1, memory_order_relaxed);
	xy__task_set_state(piece, XY__TASK_ENDED);
	xy__successors_close(&piece->successors, xy__task_generation(piece));
	xy__agent_add(&agent->ended);
	xy__task_unref(piece, agent);
}

/* --- ends --- */

/* The hook of the description, called like a callback. */
struct division_join {
	const struct xy__division *division;
	struct xy_piece view;
};

static void division_call(void *arg, int status)
{
	struct division_join *join = arg;

	join->division->joined(join->division->callback_arg, &join->view, status);
}

static void division_join(struct xy_task *piece, struct xy__division *d, int status, struct xy__endings *endings,
			  struct xy__agent *agent)
{
	struct division_join join = { .division = d };

	xy__division_view(piece, &join.view);
	xy__agent_call_back(agent, endings, division_call, &join, status);
}

static void division_tell(struct xy_component *cutter, const struct xy_task *piece, struct xy__agent *agent)
{
	if (cutter && cutter->ops->piece_ended) {
		agent->base.verb = XY__VERB_PIECE_ENDED;
		cutter->ops->piece_ended(cutter, piece, &agent->base);
	}
}

void xy__division_return(struct xy_task *task, struct xy__agent *agent)
{
	struct xy__piece *piece = xy__task_piece(task);

	if (task->part == XY__PART_PIECE) {
		division_tell(piece->cutter, task, agent);
		piece->place = XY_NO_PLACE;
	} else if (task->extra->division->last) {
		division_tell(task->extra->division->cutter, task, agent);
		task->extra->division->place = XY_NO_PLACE;
	}
}

void xy__division_leave_tree(struct xy_task *task, const struct xy_tree *tree)
{
	struct xy__division *d = task->part == XY__PART_WHOLE ? task->extra->division : NULL;
	struct xy_component **cutter = d ? &d->cutter : &xy__task_piece(task)->cutter;

	if (!*cutter || (*cutter)->tree == tree)
		return;
	*cutter = NULL;
	if (d)
		d->place = XY_NO_PLACE;
	else
		xy__task_piece(task)->place = XY_NO_PLACE;
}

/* One piece less, or the rest; true for the last. */
static bool division_leave(struct xy__division *d)
{
	/* acq_rel: what all pieces did happens before the end of the whole */
	return atomic_fetch_sub_explicit(&d->open, 1, memory_order_acq_rel) == 1;
}

static void division_end_piece(struct xy_task *piece, int status, struct xy__endings *endings, struct xy__agent *agent)
{
	struct xy_task *whole = xy__task_piece(piece)->whole;
	struct xy__division *d = whole->extra->division;

	if (status)
		xy__division_fail(d, status);
	if (d->joined)
		division_join(piece, d, status, endings, agent);
	division_tell(xy__task_piece(piece)->cutter, piece, agent);
	if (!division_leave(d))
		return;
	atomic_store_explicit(&whole->status, atomic_load_explicit(&d->status, memory_order_relaxed),
			      memory_order_relaxed);
	xy__endings_add(endings, whole);
}

bool xy__division_end(struct xy_task *task, int *status, struct xy__endings *endings, struct xy__agent *agent)
{
	struct xy__division *d;

	if (task->part == XY__PART_PIECE) {
		division_end_piece(task, *status, endings, agent);
		return true;
	}
	d = task->extra->division;
	/* acquire: pairs with division_leave; 0 only if the last piece found the rest ended */
	if (atomic_load_explicit(&d->open, memory_order_acquire)) {
		if (*status)
			xy__division_fail(d, *status);
		if (d->joins)
			division_join(task, d, *status, endings, agent);
		division_tell(d->cutter, task, agent); /* only now: the callback may have replaced the tree */
		if (!division_leave(d))
			return false;
	}
	*status = atomic_load_explicit(&d->status, memory_order_relaxed);
	memcpy(task->accesses, d->accesses, task->naccesses * sizeof d->accesses[0]);
	return true;
}
