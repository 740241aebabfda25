/* SPDX-License-Identifier: MIT */
/*
 * Collects what becomes of each task while the runtime runs. Tasks are known by their numbers, handles by their
 * addresses. Without memory nothing more is collected and nothing is written.
 */
#include "core/runtime/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/task/division.h"
#include "core/task/handle.h"
#include "core/runtime/runtime.h"
#include "core/util/futex.h"

bool xy__record_room(struct xy__record *r, void *array, uint32_t count, uint32_t *room, size_t size)
{
	void **place = array, *larger;
	uint32_t wanted = *room ? 2 * *room : 64;

	if (count < *room)
		return !r->failed;
	larger = wanted > *room ? realloc(*place, (size_t)wanted * size) : NULL;
	r->failed |= !larger;
	if (larger) {
		*place = larger;
		*room = wanted;
	}
	return !r->failed;
}

/* --- maps --- */

static struct xy__record_pair *map_place(const struct xy__record_map *map, uint64_t key)
{
	uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32);

	for (;; i++) {
		struct xy__record_pair *pair = &map->pairs[i & (map->size - 1)];

		if (pair->key == key || !pair->key)
			return pair;
	}
}

static bool map_grow(struct xy__record_map *map)
{
	struct xy__record_map larger = { .size = map->size ? 2 * map->size : 256, .count = map->count };

	larger.pairs = calloc(larger.size, sizeof *larger.pairs);
	if (!larger.pairs)
		return false;
	for (uint32_t i = 0; i < map->size; i++)
		if (map->pairs[i].key)
			*map_place(&larger, map->pairs[i].key) = map->pairs[i];
	free(map->pairs);
	*map = larger;
	return true;
}

struct xy__record_pair *xy__record_find(struct xy__record *r, struct xy__record_map *map, uint64_t key)
{
	struct xy__record_pair *pair;

	if (2 * map->count >= map->size && !map_grow(map)) {
		r->failed = true;
		return NULL;
	}
	pair = map_place(map, key);
	if (!pair->key) {
		*pair = (struct xy__record_pair){ key, XY__RECORD_NONE, XY__RECORD_NONE };
		map->count++;
	}
	return pair;
}

/* --- tasks --- */

struct xy__record_task *xy__record_add(struct xy__record *r)
{
	if (!xy__record_room(r, &r->tasks, r->ntasks, &r->tasks_room, sizeof *r->tasks))
		return NULL;
	r->tasks[r->ntasks] = (struct xy__record_task){
		.kernel = XY__RECORD_NONE,
		.worker = -1,
		.first_access = r->naccesses,
	};
	return &r->tasks[r->ntasks++];
}

void xy__record_access(struct xy__record *r, uint32_t datum, unsigned mode)
{
	if (!xy__record_room(r, &r->accesses, r->naccesses, &r->accesses_room, sizeof *r->accesses))
		return;
	r->accesses[r->naccesses++] = (struct xy__record_access){ datum, mode };
	r->tasks[r->ntasks - 1].naccesses++;
}

/* The name by which the simulator finds durations. */
static const char *record_kernel_name(const struct xy_codelet *codelet)
{
	if (codelet->model && codelet->model->name)
		return codelet->model->name;
	return codelet->name && *codelet->name ? codelet->name : "task";
}

/* There are few kernels, and the last is often the next. */
static uint32_t record_kernel(struct xy__record *r, const struct xy_codelet *codelet)
{
	const char *name;
	char *copy;

	if (!codelet)
		return XY__RECORD_NONE;
	name = record_kernel_name(codelet);
	for (uint32_t i = r->nkernels; i-- > 0;)
		if (!strcmp(r->kernels[i], name))
			return i;
	copy = strdup(name);
	if (!copy || !xy__record_room(r, &r->kernels, r->nkernels, &r->kernels_room, sizeof *r->kernels)) {
		free(copy);
		r->failed = true;
		return XY__RECORD_NONE;
	}
	r->kernels[r->nkernels] = copy;
	return r->nkernels++;
}

static void record_accesses(struct xy__record *r, struct xy_task *task)
{
	const uintptr_t *accesses = xy__task_accesses(task);

	for (unsigned i = 0; i < task->naccesses; i++) {
		const struct xy_handle *h = xy__access_handle(accesses[i]);
		struct xy__record_pair *pair = xy__record_find(r, &r->handles, (uintptr_t)h);

		if (pair && pair->last != XY__RECORD_NONE)
			xy__record_access(r, pair->last, xy__access_mode(accesses[i]));
	}
}

/* The data come first, as that may add tasks. */
static void record_submitted(struct xy__record *r, struct xy_task *task)
{
	const uintptr_t *accesses = xy__task_accesses(task);
	const struct xy_codelet *codelet = xy__task_codelet(task);
	struct xy__record_pair *pair = xy__record_find(r, &r->numbers, xy_task_number(task) + 1);
	struct xy__record_task *t;

	for (unsigned i = 0; i < task->naccesses; i++)
		xy__record_use(r, xy__access_handle(accesses[i]));
	t = pair ? xy__record_add(r) : NULL;
	if (!t)
		return;
	pair->last = r->ntasks - 1;
	if (pair->first == XY__RECORD_NONE)
		pair->first = pair->last;
	t->kernel = record_kernel(r, codelet);
	t->priority = task->priority;
	t->length_us = xy__task_length_us(task);
	if (atomic_load_explicit(&task->codelet, memory_order_relaxed) & XY__NAMED)
		t->name = strdup(xy_task_name(task));
	record_accesses(r, task);
}

static void record_watch_submitted(void *arg, const struct xy_task *task)
{
	struct xy__record *r = arg;

	if (r->other && r->other->submitted)
		r->other->submitted(r->other->arg, task);
	if (task->flags & XY__TASK_COMBINES) /* follows from the modes of others */
		return;
	if (xy__task_part(task) == XY__PART_PIECE) /* the whole is recorded */
		return;
	xy__lock_take(&r->lock);
	if (!r->failed)
		record_submitted(r, (struct xy_task *)task);
	xy__lock_drop(&r->lock);
}

/* A task that has been submitted; NULL if it is none of those that are recorded. The lock is held. */
static struct xy__record_task *record_find(struct xy__record *r, const struct xy_task *task)
{
	const struct xy_task *whole = xy__task_part(task) == XY__PART_PIECE ? xy__task_piece(task)->whole : task;
	struct xy__record_pair *pair = r->failed || !r->numbers.size
					       ? NULL
					       : map_place(&r->numbers, xy_task_number(whole) + 1);

	return pair && pair->key && pair->last != XY__RECORD_NONE ? &r->tasks[pair->last] : NULL;
}

static void record_watch_ready(void *arg, const struct xy_task *task, double now_s)
{
	struct xy__record *r = arg;
	struct xy__record_task *t;

	if (r->other && r->other->ready)
		r->other->ready(r->other->arg, task, now_s);
	xy__lock_take(&r->lock);
	t = record_find(r, task);
	if (t) {
		t->ready_s = now_s - r->begun_s;
		t->order = ++r->nready;
	}
	xy__lock_drop(&r->lock);
}

/* Each member of a team reports its part of a parallel task; a task that failed may be tried again. */
static void record_watch_ended(void *arg, const struct xy_report *report)
{
	double start_s, end_s;
	struct xy__record *r = arg;
	struct xy__record_task *t;

	if (r->other && r->other->ended)
		r->other->ended(r->other->arg, report);
	xy__lock_take(&r->lock);
	t = record_find(r, report->task);
	if (t) {
		bool first = t->worker < 0 || t->status;

		start_s = report->start_s - r->begun_s;
		end_s = report->end_s - r->begun_s;
		t->start_s = first || start_s < t->start_s ? start_s : t->start_s;
		t->end_s = first || end_s > t->end_s ? end_s : t->end_s;
		t->worker = first ? (int32_t)report->worker : t->worker;
		t->status = report->status;
		t->expected_us = report->task->expected_us;
	}
	xy__lock_drop(&r->lock);
}

static void record_watch_moved(void *arg, const struct xy_transfer_report *report)
{
	struct xy__record *r = arg;

	r->other->moved(r->other->arg, report);
}

/* --- what is not watched --- */

void xy__record_handle(struct xy_runtime *rt, const struct xy_handle *h)
{
	struct xy__record *r = rt->record;
	struct xy__record_pair *pair;

	xy__lock_take(&r->lock);
	pair = r->failed || !r->handles.size ? NULL : map_place(&r->handles, (uintptr_t)h);
	if (pair && pair->key)
		pair->last = XY__RECORD_NONE;
	xy__lock_drop(&r->lock);
}

void xy__record_after(struct xy_runtime *rt, const struct xy_task *task, const struct xy_task *before)
{
	struct xy__record *r = rt->record;
	struct xy__record_pair *pair;

	xy__lock_take(&r->lock);
	pair = r->failed ? NULL : xy__record_find(r, &r->numbers, xy_task_number(before) + 1);
	if (pair && xy__record_room(r, &r->edges, r->nedges, &r->edges_room, sizeof *r->edges))
		r->edges[r->nedges++] = (struct xy__record_edge){
			.task = xy_task_number(task) + 1,
			.before = pair->key,
			.before_index = pair->last,
		};
	xy__lock_drop(&r->lock);
}

/* --- from start to end --- */

int xy__record_start(struct xy_runtime *rt)
{
	struct xy__record *r;

	if (!*rt->settings.record)
		return 0;
	r = calloc(1, sizeof *r);
	if (!r)
		return -ENOMEM;
	r->watch = (struct xy_watch){
		.arg = r,
		.submitted = record_watch_submitted,
		.ready = record_watch_ready,
		.ended = record_watch_ended,
	};
	r->other = rt->settings.watch;
	if (r->other && r->other->moved)
		r->watch.moved = record_watch_moved;
	r->begun_s = xy_now(rt);
	rt->settings.watch = &r->watch;
	rt->record = r;
	return 0;
}

void xy__record_free(struct xy_runtime *rt)
{
	struct xy__record *r = rt->record;

	if (!r)
		return;
	rt->settings.watch = r->other;
	rt->record = NULL;
	for (uint32_t i = 0; i < r->nkernels; i++)
		free(r->kernels[i]);
	for (uint32_t i = 0; i < r->ndata; i++)
		free(r->data[i].name);
	for (uint32_t i = 0; i < r->ntasks; i++)
		free(r->tasks[i].name);
	free(r->kernels);
	free(r->data);
	free(r->tasks);
	free(r->accesses);
	free(r->edges);
	free(r->handles.pairs);
	free(r->numbers.pairs);
	free(r);
}

void xy__record_stop(struct xy_runtime *rt)
{
	struct xy__record *r = rt->record;
	int error;

	if (!r)
		return;
	error = r->failed ? -ENOMEM : xy__record_write(r, rt, rt->settings.record);
	if (error)
		xy__log(&rt->settings.log, "the run is not recorded in %s: %s", rt->settings.record, strerror(-error));
}
