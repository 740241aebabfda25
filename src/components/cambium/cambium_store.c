/* SPDX-License-Identifier: MIT */
/*
 * The tasks that are here: by type, and within a type in order of rank. The invariant: the groups of a type have
 * different keys, rise with them, and none is empty.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "components/cambium/cambium.h"
#include "core/task/lookahead.h"
#include "core/model/predict.h"

/* Lengths that differ by less than an eighth or so make no other type. */
#define TYPE_STEPS 6
/* Moving data counts if it takes such a part of a task's time. */
#define TYPE_FAR 0.25f
/*
 * Beyond this multiple of the task's time on its best class, moving is not worth it: a link that did nothing else would
 * take away no more than this share of the work.
 */
#define TYPE_WORTH 2

enum { TYPES_FAR = XY__CAMBIUM_TYPES / 2 };

/* --- types --- */

static int type_step(float us)
{
	return isinf(us) ? INT16_MAX : (int)lroundf(log2f(us) * TYPE_STEPS);
}

static int type_distance(const struct xy__cambium *c, const struct xy__cambium_type *t, const float *us)
{
	int distance = 0;

	for (unsigned k = 0; k < c->nclasses; k++)
		if (t->us[k] != us[k])
			distance += abs(type_step(t->us[k]) - type_step(us[k]));
	return distance;
}

/* How long a task takes on each class; false if it can't run anywhere below. */
static bool type_lengths(struct xy__cambium *c, const struct xy_task *task, float *us)
{
	struct xy__forecast forecast;
	bool runs[XY__CAMBIUM_CLASSES], known[XY__CAMBIUM_CLASSES], any = false;
	float least = INFINITY;

	xy__forecast_init(&forecast, &c->estimate, task);
	for (unsigned k = 0; k < c->nclasses; k++) {
		struct xy__length length = xy__forecast_length(&forecast, c->seats[k]);

		runs[k] = length.runs;
		known[k] = length.runs && length.known && length.us > 0;
		us[k] = known[k] ? (float)length.us : INFINITY;
		any |= runs[k];
		if (us[k] < least)
			least = us[k];
	}
	if (isinf(least))
		least = c->guess_us;
	else
		c->guess_us += (least - c->guess_us) / 16;
	for (unsigned k = 0; k < c->nclasses; k++)
		if (runs[k] && !known[k])
			us[k] = least;
	return any;
}

static void type_init(struct xy__cambium *c, struct xy__cambium_type *t, const float *us)
{
	/* the memory of groups is used again */
	*t = (struct xy__cambium_type){ .least_us = INFINITY, .groups = t->groups, .room = t->room };
	for (unsigned k = 0; k < XY__CAMBIUM_CLASSES; k++) {
		t->us[k] = k < c->nclasses ? us[k] : INFINITY;
		if (t->us[k] < t->least_us) {
			t->least_us = t->us[k];
			t->fast = k;
		}
	}
}

static unsigned type_add(struct xy__cambium *c, unsigned base, const float *us)
{
	type_init(c, &c->types[c->ntypes], us);
	c->types[c->ntypes].base = base;
	return c->ntypes++;
}

unsigned xy__cambium_type_of(struct xy__cambium *c, const struct xy_task *task)
{
	float us[XY__CAMBIUM_CLASSES];
	unsigned nearest = XY__CAMBIUM_NOTYPE;
	int least = INT32_MAX;

	if (!xy__task_codelet(task) || task->flags & (XY__TASK_ACQUIRE | XY__TASK_DATA | XY__TASK_CLOSES) ||
	    !type_lengths(c, task, us))
		return XY__CAMBIUM_NOTYPE;
	for (unsigned i = 0; i < c->ntypes; i++)
		if (c->types[i].base == i && !memcmp(c->types[i].us, us, c->nclasses * sizeof *us))
			return i;
	for (unsigned i = 0; i < c->ntypes; i++) {
		int distance = c->types[i].base == i ? type_distance(c, &c->types[i], us) : INT32_MAX;

		if (distance < least) {
			least = distance;
			nearest = i;
		}
	}
	if (least == 0 || c->ntypes == XY__CAMBIUM_TYPES)
		return nearest;
	return type_add(c, c->ntypes, us);
}

/* Transfer times of a task's data to the nearest worker of each class, and those workers. */
static void type_moves(const struct xy__cambium *c, const struct xy_task *task, float *moves,
		       const struct xy__seat **seats)
{
	for (unsigned k = 0; k < c->nclasses; k++) {
		moves[k] = INFINITY;
		seats[k] = c->seats[k];
		for (unsigned i = c->first_node[k]; i < c->first_node[k + 1] && moves[k] > 0; i++) {
			float us = xy__cambium_transfer_us(task, c->by_node[i]->worker);

			if (us < moves[k]) {
				moves[k] = us;
				seats[k] = c->by_node[i];
			}
		}
	}
}

/* The best class of a task if its data, once moved, also serves its descendants. */
static unsigned type_best(const struct xy__cambium *c, const struct xy__cambium_type *t, const float *moves,
			  float path_us)
{
	float part = t->least_us / (t->least_us + path_us);
	unsigned best = t->fast;

	for (unsigned k = 0; k < c->nclasses; k++)
		if (t->us[k] + part * moves[k] < t->us[best] + part * moves[best])
			best = k;
	return best;
}

/* The number of places, at most nodes, to which the result of a task may have to be moved. */
static unsigned type_readers(const struct xy_task *task, unsigned nodes)
{
	struct xy__lookahead ahead = xy__lookahead_of(task);
	unsigned n = 0;

	while (n < nodes && xy__lookahead_next(&ahead))
		n++;
	return n;
}

/* To powers of two, so that there are few types. */
static float type_round(float us)
{
	return exp2f(roundf(log2f(us)));
}

/*
 * The durations of a task on each class if its data is moved there, and its result to its best class; false if this
 * changes nothing. For the best class, data arrives while it is busy.
 */
static bool type_lengthen(const struct xy__cambium *c, const struct xy__cambium_type *t, const struct xy_task *task,
			  float path_us, float *us)
{
	const struct xy__seat *seats[XY__CAMBIUM_CLASSES];
	float moves[XY__CAMBIUM_CLASSES];
	bool any = false;
	unsigned best, readers;

	type_moves(c, task, moves, seats);
	best = type_best(c, t, moves, path_us);
	readers = type_readers(task, c->first_node[best + 1] - c->first_node[best]);
	for (unsigned k = 0; k < c->nclasses; k++) {
		us[k] = t->us[k];
		if (k == best || isinf(us[k]))
			continue;
		moves[k] += (float)(readers * xy__predict_result_us(task, seats[k]->worker, seats[best]->worker));
		if (moves[k] > TYPE_WORTH * t->us[best])
			us[k] = INFINITY;
		else if (moves[k] > TYPE_FAR * us[k])
			us[k] += type_round(moves[k]);
		else
			continue;
		any = true;
	}
	return any;
}

unsigned xy__cambium_type_now(struct xy__cambium *c, unsigned type, const struct xy_task *task, float path_us)
{
	float us[XY__CAMBIUM_CLASSES];

	if (!c->moves || c->nclasses < 2 || !type_lengthen(c, &c->types[type], task, path_us, us))
		return type;
	for (unsigned i = 0; i < c->ntypes; i++)
		if (c->types[i].base == type && !memcmp(c->types[i].us, us, c->nclasses * sizeof *us))
			return i;
	if (c->ntypes >= TYPES_FAR)
		return type;
	type = type_add(c, type, us);
	xy__cambium_price(c);
	return type;
}

/* --- groups --- */

static bool group_before(const struct xy__cambium_group *a, const struct xy__cambium_group *b)
{
	if (a->rank_us != b->rank_us)
		return a->rank_us < b->rank_us;
	return a->tail_us != b->tail_us ? a->tail_us < b->tail_us : a->priority < b->priority;
}

static bool groups_reserve(struct xy__cambium_type *t)
{
	unsigned room = t->room ? 2 * t->room : 8;
	struct xy__cambium_group *groups;

	if (t->ngroups < t->room)
		return true;
	groups = realloc(t->groups, room * sizeof *groups);
	if (!groups)
		return false;
	t->groups = groups;
	t->room = room;
	return true;
}

bool xy__cambium_insert(struct xy__cambium *c, unsigned type, struct xy_task *task, float path_us, float area_us)
{
	struct xy__cambium_type *t = &c->types[type];
	struct xy__cambium_group key = { .rank_us = path_us + t->least_us,
					 .priority = task->priority,
					 .tail_us = path_us > area_us ? path_us : area_us,
					 .first = task,
					 .last = task };
	unsigned low = 0, high = t->ngroups;

	if (!groups_reserve(t))
		return false;
	task->next = NULL;
	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (group_before(&t->groups[middle], &key))
			low = middle + 1;
		else
			high = middle;
	}
	if (low < t->ngroups && !group_before(&key, &t->groups[low])) {
		t->groups[low].last->next = task;
		t->groups[low].last = task;
	} else {
		memmove(&t->groups[low + 1], &t->groups[low], (t->ngroups++ - low) * sizeof *t->groups);
		t->groups[low] = key;
	}
	t->ntasks++;
	c->backlog_us[t->fast] += (double)t->least_us;
	return true;
}

void xy__cambium_remove(struct xy__cambium *c, unsigned type, unsigned group, struct xy_task *task,
			struct xy_task *before)
{
	struct xy__cambium_type *t = &c->types[type];
	struct xy__cambium_group *g = &t->groups[group];

	if (before)
		before->next = task->next;
	else
		g->first = task->next;
	if (g->last == task)
		g->last = before;
	if (!g->first)
		memmove(g, g + 1, (--t->ngroups - group) * sizeof *g);
	c->backlog_us[t->fast] -= (double)t->least_us;
	if (!--t->ntasks && c->backlog_us[t->fast] < 0)
		c->backlog_us[t->fast] = 0;
}

struct xy_task *xy__cambium_empty(struct xy__cambium *c)
{
	struct xy_task *first = NULL;

	for (unsigned i = 0; i < c->ntypes; i++) {
		struct xy__cambium_type *t = &c->types[i];

		for (unsigned k = 0; k < t->ngroups; k++) {
			t->groups[k].last->next = first;
			first = t->groups[k].first;
		}
		t->ngroups = t->ntasks = 0;
		t->ntops = t->begun = 0;
		t->left = 0;
	}
	memset(c->backlog_us, 0, sizeof c->backlog_us);
	return first;
}
