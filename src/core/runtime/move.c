/* SPDX-License-Identifier: MIT */
/*
 * Moving tasks from tree to tree. The order: from the leaves to the root, since what is further down was decided first;
 * among the components of a level the first task of each, then the second of each, and so on, so that each queue keeps
 * its own order; then tasks that were in no tree. Tasks are noted only by what components show (each_task) and by their
 * state: a component that hides its tasks can't lose them.
 */
#include "core/runtime/move.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "core/data/prefetch.h"
#include "core/runtime/deps.h"
#include "core/runtime/division.h"
#include "core/runtime/inbox.h"
#include "core/runtime/runtime.h"
#include "core/runtime/shown.h"
#include "core/runtime/task_build.h"

/* Groups after those of a tree's levels. */
enum { MOVE_HIDDEN = INT_MAX - 3, MOVE_STRANDED, MOVE_UNSERVED, MOVE_INBOX };

struct xy__move {
	struct xy_task *task;
	int group;       /* deepest level first, then the groups above */
	unsigned source; /* its component */
	uint64_t place;  /* in it */
};

/* Where the next ones come from. */
struct move_source {
	struct xy__moves *moves;
	int group;
	unsigned source;
	uint64_t place;
};

static int move_compare(const void *left, const void *right)
{
	const struct xy__move *a = left, *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return a->source < b->source ? -1 : a->source > b->source;
}

/* --- noting --- */

static void move_note(struct move_source *from, struct xy_task *task, uint64_t place)
{
	struct xy__moves *moves = from->moves;

	if (atomic_load_explicit(&task->state, memory_order_relaxed) != XY__TASK_READY ||
	    moves->count == moves->capacity)
		return; /* noted already */
	xy__task_set_state(task, XY__TASK_WAITING);
	moves->at[moves->count++] = (struct xy__move){ task, from->group, from->source, place };
}

/* 0, or why a component does not show its tasks. */
static int move_note_tree(struct xy__moves *moves, struct xy_tree *tree)
{
	struct move_source from = { .moves = moves };
	struct xy_component *last = NULL;
	struct xy__shown_list list;
	int error = xy__shown_list(moves->rt, tree, &list);

	for (size_t i = 0; i < list.count; i++) {
		struct xy_component *c = list.at[i].component;

		if (c != last)
			from = (struct move_source){ .moves = moves, .group = -(int)c->level, .source = c->id };
		last = c;
		if (list.at[i].task)
			move_note(&from, list.at[i].task, from.place++);
	}
	free(list.at);
	return error;
}

/* Nothing moves after all. */
static void move_unnote(struct xy__moves *moves)
{
	while (moves->count)
		xy__task_set_state(moves->at[--moves->count].task, XY__TASK_READY);
}

static void move_note_list(struct xy__moves *moves, struct xy_task **list, int group)
{
	struct move_source from = { .moves = moves, .group = group, .place = UINT64_MAX };

	/* The last one is the first in the list. */
	for (struct xy_task *next; *list; *list = next) {
		next = (*list)->next;
		move_note(&from, *list, from.place--);
	}
}

static void move_note_inbox(struct xy__moves *moves)
{
	struct move_source from = { .moves = moves, .group = MOVE_INBOX };
	struct xy_task *task;

	while ((task = xy__ring_take(&moves->rt->inbox)))
		move_note(&from, task, from.place++);
}

static void move_each_task(struct xy_runtime *rt, void (*visit)(void *arg, struct xy_task *task), void *arg)
{
	for (unsigned i = 0; i < rt->nworkers; i++)
		xy__pool_each(&rt->workers[i].agent.pool, visit, arg);
	for (unsigned i = 0; i < XY__APPLICATION_AGENTS; i++)
		xy__pool_each(&rt->applications[i].pool, visit, arg);
}

static void move_count(void *arg, struct xy_task *task)
{
	struct xy__moves *moves = arg;

	moves->capacity += atomic_load_explicit(&task->state, memory_order_relaxed) == XY__TASK_READY;
}

static void move_note_hidden(void *arg, struct xy_task *task)
{
	struct move_source *from = arg;

	if (xy__inbox_context(from->moves->rt, task)->changes)
		move_note(from, task, xy_task_number(task));
}

int xy__moves_note(struct xy__moves *moves)
{
	struct xy_runtime *rt = moves->rt;
	struct move_source hidden = { .moves = moves, .group = MOVE_HIDDEN };
	int error = 0;

	move_each_task(rt, move_count, moves);
	moves->at = malloc((moves->capacity + 1) * sizeof *moves->at);
	if (!moves->at)
		return -ENOMEM;
	for (unsigned k = 0; k < rt->ncontexts && !error; k++)
		if (rt->contexts[k]->changes && rt->contexts[k]->tree)
			error = move_note_tree(moves, rt->contexts[k]->tree);
	if (error) {
		move_unnote(moves);
		return error;
	}
	move_note_list(moves, &rt->stranded, MOVE_STRANDED);
	atomic_fetch_and_explicit(&rt->inbox_state, (unsigned char)~XY__INBOX_STRANDED, memory_order_relaxed);
	move_note_list(moves, &rt->unserved, MOVE_UNSERVED);
	rt->nunserved = 0;
	move_note_inbox(moves);
	move_each_task(rt, move_note_hidden, &hidden);
	qsort(moves->at, moves->count, sizeof *moves->at, move_compare);
	return 0;
}

/* --- moving --- */

static void move_forget(void *context, struct xy_task *task)
{
	if (task->extra && task->extra->context == context)
		task->extra->context = NULL;
}

void xy__moves_forget(struct xy_runtime *rt, struct xy_context *context)
{
	move_each_task(rt, move_forget, context);
}

/* What was decided on the way through the old tree holds no more. */
static void move_reset(struct xy_task *task)
{
	if (task->flags & XY__TASK_WANTED)
		xy__task_unwant(task);
	task->expected_us = 0;
	task->implementation = 0;
	atomic_store_explicit(&task->owner, 0, memory_order_relaxed);
}

/* Tasks of parallel codelets are for the teams of their tree, and pieces have no place in one that is gone. */
static void move_fit(void *arg, struct xy_task *task)
{
	const struct xy_codelet *codelet = xy__task_codelet(task);
	struct xy_runtime *rt = arg;
	enum xy__task_state state = atomic_load_explicit(&task->state, memory_order_relaxed);

	if (state != XY__TASK_ENDED && xy__task_part(task))
		xy__division_leave_tree(task, xy__inbox_context(rt, task)->tree);
	if (codelet && codelet->parallel && (state == XY__TASK_CREATED || state == XY__TASK_WAITING))
		task->archs = (uint8_t)xy__task_team_archs(task, codelet, task->archs & XY_ON_ALL,
							   xy__inbox_context(rt, task)->root);
}

void xy__moves_make(struct xy__moves *moves, struct xy__agent *agent)
{
	struct xy__endings *before = agent->endings;
	struct xy_runtime *rt = moves->rt;

	move_each_task(rt, move_fit, rt);
	if (!before)
		agent->endings = &moves->endings;
	for (size_t i = 0; i < moves->count; i++) {
		struct xy_task *task = moves->at[i].task;

		move_reset(task);
		if (atomic_load_explicit(&task->status, memory_order_relaxed) && !rt->skips) {
			xy__endings_add(agent->endings, task);
			continue;
		}
		xy__task_set_state(task, XY__TASK_READY);
		xy__inbox_push(rt, task, agent);
	}
	agent->endings = before;
}

void xy__moves_end(struct xy__moves *moves, struct xy__agent *agent)
{
	xy__deps_end_list(&moves->endings, agent);
	free(moves->at);
}
