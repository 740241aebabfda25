/* SPDX-License-Identifier: MIT */
/*
 * Divisible tasks: what is left of them, and what a piece is. Memory and counting are the runtime's part.
 */
#include "core/task/division.h"

#include <errno.h>
#include <string.h>

#include "core/task/handle.h"
#include "core/task/pool.h"

bool xy_task_is_divisible(const struct xy_task *task)
{
	return xy__task_part(task) == XY__PART_WHOLE && !task->extra->division->last;
}

struct xy_range xy_task_range(const struct xy_task *task)
{
	enum xy__task_part part = xy__task_part(task);

	if (part == XY__PART_WHOLE)
		return (struct xy_range){ task->extra->division->start, task->extra->division->all.stop };
	if (part == XY__PART_PIECE) {
		const struct xy__piece *piece = xy__task_piece(task);

		return (struct xy_range){ piece->start, piece->start + piece->items };
	}
	return (struct xy_range){ 0, 0 };
}

struct xy_range xy_call_range(const struct xy_call *call)
{
	return xy_task_range(call->task);
}

bool xy_task_place(const struct xy_task *task, const struct xy_component *self, unsigned *place)
{
	enum xy__task_part part = xy__task_part(task);

	if (part == XY__PART_PIECE) {
		*place = xy__task_piece(task)->place;
		return xy__task_piece(task)->cutter == self;
	}
	if (part == XY__PART_NONE || !task->extra->division->last)
		return false;
	*place = task->extra->division->place;
	return task->extra->division->cutter == self;
}

void xy__division_open(struct xy_task *task)
{
	struct xy__division *d = task->extra->division;

	d->start = d->all.start;
	d->last = false;
	d->joins = false;
	d->cutter = NULL;
	task->arg = d->arg;
	xy__task_set_length(task, d->length_us);
	atomic_store_explicit(&d->status, 0, memory_order_relaxed);
	atomic_store_explicit(&d->open, 1, memory_order_relaxed);
}

/* The expected time of some items, if all take equally long. */
static double division_length(const struct xy__division *d, uint64_t items)
{
	return d->length_us * (double)items / (double)(d->all.stop - d->all.start);
}

void xy__division_cut(struct xy_task *task, struct xy_task *piece, uint32_t items)
{
	struct xy__division *d = task->extra->division;

	*xy__task_piece(piece) = (struct xy__piece){ .whole = task, .start = d->start, .items = items };
	d->start += items;
	piece->part = XY__PART_PIECE;
	piece->arg = d->arg;
	piece->priority = task->priority;
	piece->archs = task->archs;
	piece->constrained = task->constrained || xy__pool_has_deaths(task->pool); /* it avoids those that are dead */
	xy__task_set_length(piece, division_length(d, items));
	piece->naccesses = task->naccesses;
	memcpy(piece->accesses, d->accesses, task->naccesses * sizeof d->accesses[0]);
}

void xy__division_close(struct xy_task *task)
{
	struct xy__division *d = task->extra->division;
	/* acquire: pairs with the release in xy__division_fail */
	int status = atomic_load_explicit(&d->status, memory_order_acquire);

	d->last = true;
	if (status) {
		d->start = d->all.stop;
		atomic_store_explicit(&task->status, status, memory_order_relaxed);
	}
	xy__task_set_length(task, division_length(d, d->all.stop - d->start));
}

void xy__division_fail(struct xy__division *division, int status)
{
	int none = 0;

	/* release: pairs with the acquire of readers */
	atomic_compare_exchange_strong_explicit(&division->status, &none, status, memory_order_release,
						memory_order_relaxed);
}

void xy__division_view(const struct xy_task *piece, struct xy_piece *view)
{
	view->range = xy_task_range(piece);
	view->arg = piece->arg;
	view->naccesses = piece->naccesses;
	for (unsigned i = 0; i < piece->naccesses; i++)
		view->accesses[i] = (struct xy_access){ xy__access_handle(piece->accesses[i]),
							(enum xy_mode)xy__access_mode(piece->accesses[i]) };
}

/* Two pieces must not write one handle; what split names belongs to the piece. */
static int division_take_access(struct xy_task *piece, const struct xy_task *whole, unsigned i,
				const struct xy_access *access)
{
	uintptr_t own = whole->extra->division->accesses[i];

	if (!access->handle || access->mode != (enum xy_mode)xy__access_mode(own))
		return -EINVAL;
	if (access->handle == xy__access_handle(own) && access->mode != XY_R)
		return -EINVAL;
	piece->accesses[i] = xy__access(access->handle, access->mode);
	return 0;
}

int xy__division_split(struct xy_task *piece)
{
	struct xy_task *whole = xy__task_part(piece) == XY__PART_PIECE ? xy__task_piece(piece)->whole : piece;
	const struct xy__division *d = whole->extra->division;
	struct xy_piece view;
	int error;

	if (!d->split)
		return 0;
	xy__division_view(piece, &view);
	error = d->split(d->callback_arg, &view);
	if (!error && view.naccesses != piece->naccesses)
		error = -EINVAL;
	for (unsigned i = 0; i < piece->naccesses && !error; i++)
		error = division_take_access(piece, whole, i, &view.accesses[i]);
	if (error)
		memcpy(piece->accesses, d->accesses, piece->naccesses * sizeof d->accesses[0]);
	else
		piece->arg = view.arg;
	return error;
}
