/* SPDX-License-Identifier: MIT */
/*
 * Chooses the task a worker should take, if any: from the estimates of the others, the remaining time, and the cost of
 * each type of held task on this class of worker. Changes nothing but the cached estimates.
 */
#include <math.h>

#include "components/cambium/cambium.h"

enum { OUTLOOK_WORKERS = 64 };

/* A class is kept free for tasks that take so much longer elsewhere. */
#define RESERVE 1.2
/* Of what follows the part of the graph that is submitted, so much of that part's time counts as if it were urgent. */
#define BEYOND 0.3
/*
 * While a slow worker has a task there must be this many times as much other work; if more is about to be submitted,
 * the longer of the two.
 */
#define WORK 1.3
#define WORK_BEYOND 2.0

/* --- what is expected --- */

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

static double positive(double us)
{
	return us > 0 ? us : 0;
}

/* When the workers will be free. With very many it is not looked at for each decision. */
static void cambium_survey(struct xy__cambium *c, double now_us)
{
	const unsigned *workers = c->base.workers;

	if (c->looks++ && c->looks <= c->base.nworkers / OUTLOOK_WORKERS)
		return;
	c->looks = 1;
	c->path_end_us = 0;
	for (unsigned k = 0; k < c->nclasses; k++) {
		c->running_us[k] = 0;
		c->soonest_us[k] = INFINITY;
	}
	for (unsigned i = 0; i < c->base.nworkers; i++) {
		unsigned worker = workers[i], class = c->classes[worker];
		double left = positive(c->ends_us[worker] - now_us);

		c->running_us[class] += left;
		c->soonest_us[class] = smaller(c->soonest_us[class], left);
		if (c->tails_us[worker] > 0)
			c->path_end_us = larger(c->path_end_us, now_us + left + (double)c->tails_us[worker]);
	}
}

/*
 * The longest time that an unstarted task needs from its start, if it is much slower elsewhere than on this class;
 * negative without one.
 */
static double cambium_claim(const struct xy__cambium *c, unsigned class)
{
	double claim = -1;

	for (unsigned i = 0; i < c->ntypes; i++) {
		const struct xy__cambium_type *t = &c->types[i];
		float other = INFINITY;

		if (t->fast != class || t->left <= 0 || t->begun >= t->ntops)
			continue;
		for (unsigned k = 0; k < c->nclasses; k++)
			if (k != class && t->us[k] < other)
				other = t->us[k];
		if (other >= (float)RESERVE * t->least_us)
			claim = larger(claim, (double)t->tops[t->begun] * c->slack * c->caution + (double)t->least_us);
	}
	return claim;
}

/* Until when a worker may be away: there should be another one of its class when the most urgent task that only this
 * class does quickly becomes ready. */
static double cambium_due(const struct xy__cambium *c, unsigned worker, double now_us, double left_us)
{
	unsigned class = c->classes[worker];
	double claim = c->nclasses > 1 && c->counts[class] <= OUTLOOK_WORKERS ? cambium_claim(c, class) : -1, due;

	if (claim < 0)
		return INFINITY;
	due = positive(left_us - claim);
	for (unsigned i = c->first_of_class[class]; i < c->first_of_class[class + 1]; i++) {
		unsigned other = c->by_class[i]->worker;

		if (other != worker && c->ends_us[other] - now_us <= due)
			return INFINITY;
	}
	return due;
}

struct xy__cambium_outlook xy__cambium_outlook(struct xy__cambium *c, unsigned worker, double now_us)
{
	struct xy__cambium_outlook o = { .class = c->classes[worker], .left_us = c->area_us, .now_us = now_us };

	cambium_survey(c, now_us);
	for (unsigned k = 0; k < c->nclasses; k++)
		o.left_us += c->running_us[k] * c->prices[k];
	o.left_us = larger(o.left_us, c->path_end_us - now_us);
	for (unsigned i = 0; i < c->ntypes; i++)
		if (c->types[i].ngroups)
			o.left_us = larger(o.left_us, (double)c->types[i].groups[c->types[i].ngroups - 1].tail_us +
							      (double)c->types[i].least_us);
	if (c->more)
		o.left_us = positive(o.left_us - BEYOND * c->view_us);
	o.due_us = cambium_due(c, worker, now_us, o.left_us);
	return o;
}

/* --- choosing --- */

/* When a task of a type would end on another class, behind everything held that is fastest there. */
static double choice_elsewhere(const struct xy__cambium *c, const struct xy__cambium_type *t, unsigned class)
{
	double end = INFINITY;

	for (unsigned k = 0; k < c->nclasses; k++) {
		double start = (c->running_us[k] + c->backlog_us[k]) / c->counts[k];

		if (k != class && !isinf(t->us[k]))
			end = smaller(end, larger(start, c->soonest_us[k]) + (double)t->us[k]);
	}
	return end;
}

static bool choice_leaves_work(struct xy__cambium *c, const struct xy__cambium_type *t,
			       const struct xy__cambium_outlook *o, unsigned group)
{
	double need = (c->more ? WORK_BEYOND : WORK) * (double)t->us[o->class];

	return !c->words || xy__cambium_free_us(c, t->groups[group].first, o->now_us) >= need;
}

/* Of the tasks that may wait for so long as this takes on this class the most urgent; meanwhile the others must have
 * enough to do. */
static bool choice_with_time(struct xy__cambium *c, const struct xy__cambium_type *t,
			     const struct xy__cambium_outlook *o, unsigned *group)
{
	double most = (o->left_us - (double)t->us[o->class]) / (c->slack * c->caution);
	unsigned low = 0, high = t->ngroups;

	while (low < high) { /* tails rise with ranks, more or less */
		unsigned middle = (low + high) / 2;

		if ((double)t->groups[middle].tail_us <= most)
			low = middle + 1;
		else
			high = middle;
	}
	*group = low ? low - 1 : 0;
	if (!low || choice_leaves_work(c, t, o, *group))
		return low;
	*group = 0;
	return low > 1 && choice_leaves_work(c, t, o, 0);
}

/* On the fastest class: tasks that no other class can end in time go by rank, like those cheapest here. */
static double cost_if_fast(const struct xy__cambium *c, const struct xy__cambium_type *t,
			   const struct xy__cambium_outlook *o, double cost)
{
	double tail = (double)t->groups[t->ngroups - 1].tail_us * c->slack * c->caution;

	for (unsigned k = 0; k < c->nclasses; k++)
		if (k != o->class && (double)t->us[k] + tail <= o->left_us)
			return cost;
	return 0;
}

/* Whether a task of a type is for this class, and which. */
static bool choice_consider(struct xy__cambium *c, const struct xy__cambium_type *t,
			    const struct xy__cambium_outlook *o, struct xy__cambium_choice *choice)
{
	float us = t->us[o->class];

	choice->cost = t->price_us > 0 ? (double)us * c->prices[o->class] / t->price_us : 0;
	choice->group = t->ngroups - 1;
	if (us <= t->least_us) {
		choice->cost = cost_if_fast(c, t, o, choice->cost);
	} else if (choice->cost > c->waste || (double)us > o->due_us) {
		return false;
	} else if ((double)us > choice_elsewhere(c, t, o->class) && !choice_with_time(c, t, o, &choice->group)) {
		return false;
	}
	if (choice->cost < 1.0001)
		choice->cost = 0;
	choice->rank_us = t->groups[choice->group].rank_us;
	return true;
}

struct xy__cambium_choice xy__cambium_choose(struct xy__cambium *c, const struct xy__cambium_outlook *o)
{
	struct xy__cambium_choice best = { .type = -1 }, choice;

	for (unsigned i = 0; i < c->ntypes; i++) {
		const struct xy__cambium_type *t = &c->types[i];

		if (!t->ngroups || isinf(t->us[o->class]) || !choice_consider(c, t, o, &choice))
			continue;
		if (best.type < 0 || choice.cost < best.cost ||
		    (choice.cost <= best.cost && choice.rank_us > best.rank_us)) {
			best = choice;
			best.type = (int)i;
		}
	}
	return best;
}
