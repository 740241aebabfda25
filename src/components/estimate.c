/* SPDX-License-Identifier: MIT */
/*
 * When a task would end with each worker below a mapper.
 */
#include "components/estimate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "core/model/predict.h"
#include "core/tree/tree.h"

/* --- what is constant --- */

/* Notes that what rests in c comes before a task for the seat. False without memory. */
static bool seat_wait(struct xy__seat *seat, struct xy_component *c)
{
	unsigned places = c->nteams && !(c->archs & XY_ON_ALL) ? c->nteams : c->nworkers;
	struct xy__wait *waits;

	for (unsigned i = 0; i < seat->nwaits; i++)
		if (seat->waits[i].at == c)
			return true;
	waits = realloc(seat->waits, (seat->nwaits + 1) * sizeof *waits);
	if (!waits)
		return false;
	waits[seat->nwaits++] = (struct xy__wait){ .at = c, .share = 1.0 / places };
	seat->waits = waits;
	return true;
}

/* While ways are followed. */
struct estimate_search {
	struct xy__estimate *estimate;
	unsigned *marks; /* by component: 1 + the last child that it was found below */
	unsigned *seats; /* by worker: 1 + its seat below that child */
	unsigned child;
};

/* Tasks resting in c run before a new task for the seats below it. */
static bool search_note(struct estimate_search *search, struct xy_component *c)
{
	struct xy__estimate *e = search->estimate;
	unsigned first = e->first[search->child], end = e->first[search->child + 1];

	for (unsigned i = 0; (c->archs & XY_ON_ALL) && i < c->nworkers; i++)
		if (!seat_wait(&e->seats[search->seats[c->workers[i]] - 1], c))
			return false;
	for (unsigned i = 0; i < c->nteams; i++)
		for (unsigned k = first; k < end; k++)
			if (e->seats[k].team == c->teams[i] && !seat_wait(&e->seats[k], c))
				return false;
	return true;
}

/* Everything from c downwards, once. */
static bool search_down(struct estimate_search *search, struct xy_component *c)
{
	if (search->marks[c->id] == search->child + 1)
		return true;
	search->marks[c->id] = search->child + 1;
	if (c->ops->stored_us && !search_note(search, c))
		return false;
	for (unsigned i = 0; i < c->nchildren; i++)
		if (!search_down(search, c->children[i]))
			return false;
	return true;
}

int xy__estimate_find_waits(struct xy__estimate *e)
{
	const struct xy_component *self = e->self;
	struct estimate_search search = {
		.estimate = e,
		.marks = calloc(xy_tree_ncomponents(self->tree), sizeof *search.marks),
		.seats = calloc(xy_machine_nworkers(xy_component_machine(self)), sizeof *search.seats),
	};
	bool found = search.marks && search.seats;

	for (unsigned i = 0; found && i < self->nchildren; i++) {
		search.child = i;
		for (unsigned k = e->first[i]; k < e->first[i + 1]; k++)
			if (!e->seats[k].team)
				search.seats[e->seats[k].worker] = k + 1;
		found = search_down(&search, self->children[i]);
	}
	free(search.marks);
	free(search.seats);
	return found ? 0 : -ENOMEM;
}

static void estimate_add(struct xy__estimate *e, unsigned child, unsigned worker, struct xy_component *team)
{
	const struct xy_worker_info *info = xy_machine_worker(xy_component_machine(e->self), worker);

	e->seats[e->nseats++] = (struct xy__seat){
		.child = child,
		.worker = worker,
		.team = team,
		.arch = info->arch,
		.node = info->node,
		.class = team || info->worker_class > XY__ESTIMATE_CLASSES ? XY__ESTIMATE_CLASSES : info->worker_class,
	};
}

static void estimate_add_child(struct xy__estimate *e, unsigned i)
{
	const struct xy_component *child = e->self->children[i];

	e->first[i] = e->nseats;
	for (unsigned k = 0; (child->archs & XY_ON_ALL) && k < child->nworkers; k++)
		estimate_add(e, i, child->workers[k], NULL);
	for (unsigned k = 0; k < child->nteams; k++)
		estimate_add(e, i, child->teams[k]->members[0], child->teams[k]);
}

/* --- groups --- */

/* A table entry for seats that may be alike, -1 for one that is like no other. */
static int seat_likeness(const struct xy__seat *seat, bool by_node)
{
	if (seat->team || seat->class >= XY__ESTIMATE_CLASSES)
		return -1;
	if (!by_node)
		return (int)(seat->class * XY__ESTIMATE_NODES);
	return seat->node >= XY__ESTIMATE_NODES ? -1 : (int)(seat->class * XY__ESTIMATE_NODES + seat->node);
}

/* Counts the groups and their members; group_of is by seat. Returns how many groups there are. */
static unsigned groups_count(const struct xy__estimate *e, bool by_node, struct xy__group *groups, unsigned *group_of)
{
	unsigned known[XY__ESTIMATE_CLASSES * XY__ESTIMATE_NODES] = { 0 }; /* 1 + the group of those that are alike */
	unsigned n = 0;

	for (unsigned i = 0; i < e->nseats; i++) {
		int likeness = seat_likeness(&e->seats[i], by_node);

		group_of[i] = likeness >= 0 && known[likeness] ? known[likeness] - 1 : n++;
		if (likeness >= 0)
			known[likeness] = group_of[i] + 1;
		groups[group_of[i]].count++;
	}
	return n;
}

/* Returns how many groups there are. */
static unsigned groups_fill(const struct xy__estimate *e, bool by_node, struct xy__group *groups, unsigned *members,
			    unsigned *group_of)
{
	unsigned n = groups_count(e, by_node, groups, group_of), used = 0;

	for (unsigned i = 0; i < n; i++) {
		groups[i].seats = members + used;
		used += groups[i].count;
		groups[i].count = 0;
	}
	for (unsigned i = 0; i < e->nseats; i++) {
		struct xy__group *group = &groups[group_of[i]];

		group->seats[group->count++] = i;
	}
	return n;
}

/* False without memory. */
static bool groups_init(struct xy__estimate *e)
{
	unsigned *group_of = malloc((e->nseats + 1) * sizeof *group_of);
	bool done;

	e->groups = calloc(e->nseats + 1, sizeof *e->groups);
	e->classed = calloc(e->nseats + 1, sizeof *e->classed);
	e->members = malloc(2 * (size_t)(e->nseats + 1) * sizeof *e->members);
	done = group_of && e->groups && e->classed && e->members;
	if (done) {
		e->ngroups = groups_fill(e, true, e->groups, e->members, group_of);
		e->nclassed = groups_fill(e, false, e->classed, e->members + e->nseats, group_of);
	}
	free(group_of);
	return done;
}

int xy__estimate_init(struct xy__estimate *e, const struct xy_component *self)
{
	unsigned most = 0;

	*e = (struct xy__estimate){ .self = self };
	for (unsigned i = 0; i < self->nchildren; i++)
		most += self->children[i]->nworkers + self->children[i]->nteams;
	e->seats = calloc(most + 1, sizeof *e->seats);
	e->first = calloc(self->nchildren + 1, sizeof *e->first);
	for (unsigned i = 0; e->seats && e->first && i < self->nchildren; i++)
		estimate_add_child(e, i);
	if (!e->seats || !e->first)
		goto no_memory;
	e->first[self->nchildren] = e->nseats;
	if (!groups_init(e))
		goto no_memory;
	return 0;
no_memory:
	xy__estimate_fini(e);
	return -ENOMEM;
}

void xy__estimate_fini(struct xy__estimate *e)
{
	for (unsigned i = 0; i < e->nseats; i++)
		free(e->seats[i].waits);
	free(e->seats);
	free(e->first);
	free(e->groups);
	free(e->classed);
	free(e->members);
	*e = (struct xy__estimate){ 0 };
}

/* --- a task --- */

static bool forecast_is_alike(const struct xy_task *task)
{
	const struct xy_codelet *codelet = xy__task_codelet(task);

	return !task->constrained && !(codelet && codelet->model && codelet->model->kind == XY_MODEL_WORKER);
}

void xy__forecast_init(struct xy__forecast *f, const struct xy__estimate *e, const struct xy_task *task)
{
	f->estimate = e;
	f->task = task;
	f->least_us = -1;
	f->alike = forecast_is_alike(task);
	f->classes = 0;
	f->nodes = 0;
}

/* Takes another implementation into account. */
static void length_add(struct xy__length *length, unsigned implementation, struct xy_prediction p)
{
	if (!length->runs)
		length->implementation = (uint8_t)implementation;
	length->runs = true;
	if (p.kind == XY_PREDICTION_UNKNOWN && !length->missing) {
		length->missing = true;
		length->unknown = (uint8_t)implementation;
		length->samples = p.samples;
	}
	if (p.kind == XY_PREDICTION_VALUE && (!length->known || p.us < length->us)) {
		length->known = true;
		length->implementation = (uint8_t)implementation;
		length->us = p.us;
	}
}

/* Where there is one implementation only, as in most codelets. */
static inline struct xy__length length_alone(const struct xy_task *task, const struct xy__seat *seat)
{
	double us = task->archs >> seat->arch & 1 ? xy__predict_known_us(task, seat->arch) : 0;
	struct xy_prediction p;

	if (us > 0)
		return (struct xy__length){ .runs = true, .known = true, .us = us };
	if (!xy_task_can_run_with(task, seat->worker, 0))
		return (struct xy__length){ .runs = false };
	p = xy_task_length(task, seat->worker, 0);
	return (struct xy__length){ .runs = true,
				    .known = p.kind == XY_PREDICTION_VALUE,
				    .missing = p.kind == XY_PREDICTION_UNKNOWN,
				    .samples = p.samples,
				    .us = p.us };
}

static struct xy__length length_on_worker(const struct xy_task *task, const struct xy__seat *seat)
{
	struct xy__length length = { 0 };

	if (!task->constrained && !(task->flags & XY__TASK_CHOICE))
		return length_alone(task, seat);
	for (unsigned i = 0; i < XY_NIMPLEMENTATIONS; i++)
		if (xy_task_can_run_with(task, seat->worker, i))
			length_add(&length, i, xy_task_length(task, seat->worker, i));
	return length;
}

/* All members together, as if nothing were lost by that: teams are not measured. */
static struct xy__length length_in_team(const struct xy_task *task, const struct xy__seat *seat)
{
	struct xy__length length = { .runs = xy_task_can_run_below(task, seat->team) };
	unsigned implementation = length.runs ? xy__task_team_implementation(task, seat->team) : 0;

	if (length.runs) {
		length_add(&length, implementation, xy_task_length(task, seat->worker, implementation));
		length.implementation = (uint8_t)implementation;
		length.us /= seat->team->nmembers;
		length.missing = false;
	}
	return length;
}

struct xy__length xy__forecast_length(struct xy__forecast *f, const struct xy__seat *seat)
{
	if (seat->team)
		return length_in_team(f->task, seat);
	if (!f->alike || seat->class >= XY__ESTIMATE_CLASSES)
		return length_on_worker(f->task, seat);
	if (!(f->classes >> seat->class & 1)) {
		f->lengths[seat->class] = length_on_worker(f->task, seat);
		f->classes |= 1u << seat->class;
	}
	return f->lengths[seat->class];
}

double xy__forecast_least_us(struct xy__forecast *f)
{
	if (f->least_us >= 0)
		return f->least_us;
	f->least_us = INFINITY;
	for (unsigned i = 0; i < xy__forecast_count(f); i++) {
		struct xy__length length = xy__forecast_length(f, xy__forecast_seat(f, i));

		if (length.known)
			f->least_us = fmin(f->least_us, length.us);
	}
	return f->least_us;
}

static double transfer_us(const struct xy_task *task, unsigned worker)
{
	struct xy_prediction p = xy_task_transfer(task, worker);

	return p.kind == XY_PREDICTION_VALUE ? p.us : 0;
}

double xy__forecast_transfer_us(struct xy__forecast *f, const struct xy__seat *seat)
{
	if (!f->task->naccesses)
		return 0;
	if (seat->node >= XY__ESTIMATE_NODES)
		return transfer_us(f->task, seat->worker);
	if (!(f->nodes >> seat->node & 1)) {
		f->transfers[seat->node] = transfer_us(f->task, seat->worker);
		f->nodes |= (uint64_t)1 << seat->node;
	}
	return f->transfers[seat->node];
}

double xy__seat_free_us(const struct xy__estimate *e, const struct xy__seat *seat, double now_us, double limit_us)
{
	double free_us = fmax(xy__tree_free_us(e->self->tree, seat->worker), now_us);

	for (unsigned i = 1; seat->team && i < seat->team->nmembers; i++)
		free_us = fmax(free_us, xy__tree_free_us(e->self->tree, seat->team->members[i]));
	for (unsigned i = 0; i < seat->nwaits && free_us < limit_us; i++)
		free_us += seat->waits[i].share * seat->waits[i].at->ops->stored_us(seat->waits[i].at);
	return free_us;
}

enum xy_prediction_kind xy__forecast_kind(struct xy__forecast *f)
{
	enum xy_prediction_kind kind = XY_PREDICTION_NONE;

	for (unsigned i = 0; i < xy__forecast_count(f); i++) {
		struct xy__length length = xy__forecast_length(f, xy__forecast_seat(f, i));

		if (length.missing)
			return XY_PREDICTION_UNKNOWN;
		if (length.known)
			kind = XY_PREDICTION_VALUE;
	}
	return kind;
}
