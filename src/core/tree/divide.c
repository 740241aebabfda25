/* SPDX-License-Identifier: MIT */
/* Cutting pieces off a task, for components. */
#include <assert.h>
#include <errno.h>

#include "core/task/division.h"
#include "core/tree/tree.h"

/* The task fails, and what is left of it will not run. */
static struct xy_task *divide_give_up(struct xy_task *task, int error)
{
	xy__division_fail(task->extra->division, error);
	xy__division_close(task);
	return task;
}

/* The rest as a piece. */
static struct xy_task *divide_rest(struct xy_component *self, struct xy_task *task, unsigned place)
{
	struct xy__division *d = task->extra->division;
	int error;

	d->cutter = self;
	d->place = place;
	xy__division_close(task);
	if (d->start == d->all.stop)
		return task;
	error = xy__division_split(task);
	if (error)
		return divide_give_up(task, error);
	d->joins = d->joined != NULL;
	return task;
}

static void divide_set_place(struct xy_component *self, struct xy_task *task, unsigned place)
{
	if (xy__task_part(task) == XY__PART_PIECE) {
		xy__task_piece(task)->cutter = self;
		xy__task_piece(task)->place = place;
	} else if (xy__task_part(task) == XY__PART_WHOLE) {
		task->extra->division->cutter = self;
		task->extra->division->place = place;
	}
}

struct xy_task *xy_task_cut(struct xy_component *self, struct xy_task *task, uint64_t items, unsigned place,
			    struct xy_agent *by)
{
	struct xy__tree_engine *engine = self->tree->engine;
	struct xy__division *d;
	struct xy_task *piece;
	int error;

	assert(items > 0);
	if (!xy_task_is_divisible(task)) {
		divide_set_place(self, task, place);
		return task;
	}
	d = task->extra->division;
	if (items > UINT32_MAX && items < d->all.stop - d->start)
		items = UINT32_MAX;
	/* acquire: pairs with the release in xy__division_fail */
	if (items >= d->all.stop - d->start || atomic_load_explicit(&d->status, memory_order_acquire))
		return divide_rest(self, task, place);
	piece = engine && engine->cut ? engine->cut(engine, task, by) : NULL;
	if (!piece)
		return divide_give_up(task, -ENOMEM);
	xy__division_cut(task, piece, (uint32_t)items);
	error = xy__division_split(piece);
	if (error) {
		engine->uncut(engine, piece, by);
		return divide_give_up(task, error);
	}
	divide_set_place(self, piece, place);
	return piece;
}
