/* SPDX-License-Identifier: MIT */
/*
 * Chooses among a type's tasks when data has to be moved: a task that is urgent and has its data near, and none that
 * another worker of this class would finish sooner because it has the data or less to do.
 */
#include <math.h>

#include "components/cambium/cambium.h"
#include "core/model/predict.h"

enum { NEAR_TASKS = 8, NEAR_TRIES = 4, NEAR_SEATS = 16 };

/* A microsecond of transfer counts like this many of rank. */
#define NEAR_WEIGHT 8.0f

float xy__cambium_transfer_us(const struct xy_task *task, unsigned worker)
{
	struct xy_prediction p = xy_task_transfer(task, worker);

	return p.kind == XY_PREDICTION_VALUE ? (float)p.us : 0;
}

/* Tasks of a type from a group on, the best of rank and nearness of their data first; none that can't be among those
 * that are tried. */
static unsigned near_list(const struct xy__cambium_type *t, unsigned group, unsigned worker,
			  struct xy__cambium_near *list)
{
	unsigned n = 0;

	for (unsigned i = group + 1; i-- > 0 && n < NEAR_TASKS;) {
		if (n >= NEAR_TRIES && list[NEAR_TRIES - 1].score >= t->groups[i].rank_us)
			break;
		for (struct xy_task *task = t->groups[i].first, *before = NULL; task && n < NEAR_TASKS;
		     before = task, task = task->next) {
			struct xy__cambium_near near = { .task = task,
							 .before = before,
							 .group = i,
							 .transfer_us = xy__cambium_transfer_us(task, worker) };
			unsigned k = n++;

			near.score = t->groups[i].rank_us - NEAR_WEIGHT * near.transfer_us;
			for (; k && list[k - 1].score < near.score; k--)
				list[k] = list[k - 1];
			list[k] = near;
		}
	}
	return n;
}

/* Those that were to be busy may have been done sooner. */
static void near_refresh(struct xy__cambium *c, unsigned worker, double now_us)
{
	unsigned first = c->first_of_class[c->classes[worker]], end = c->first_of_class[c->classes[worker] + 1];

	for (unsigned i = first; i < end && i < first + NEAR_SEATS; i++) {
		unsigned other = c->by_class[i]->worker;

		if (other != worker && c->ends_us[other] > now_us)
			c->ends_us[other] = xy_component_free_us(&c->base, other);
	}
}

/*
 * The margin by which a task must end sooner elsewhere: a little. If moving its result takes longer than the task
 * itself, and something follows, it is better to stay with the busy workers.
 */
static double near_margin(const struct xy__cambium *c, const struct xy__cambium_near *near,
			  const struct xy__cambium_type *t, unsigned worker, const struct xy__seat *other,
			  double now_us)
{
	bool works = c->ends_us[worker] > now_us, other_works = c->ends_us[other->worker] > now_us;
	double us = (double)t->us[c->classes[worker]], apart_us = 0;

	if (works != other_works && t->groups[near->group].tail_us > 0)
		apart_us = xy__predict_result_us(near->task, worker, other->worker);
	if (apart_us <= us)
		return XY__CAMBIUM_MOVES * us;
	return works ? apart_us : -apart_us;
}

/*
 * Another worker of the class that would finish the task sooner, because its data is nearer there or this one is busy;
 * NULL: none. Data arrives while this one is busy; when the others will ask is unknown.
 */
static const struct xy__seat *near_elsewhere(const struct xy__cambium *c, const struct xy__cambium_near *near,
					     const struct xy__cambium_type *t, unsigned worker, double now_us)
{
	unsigned class = c->classes[worker], node = xy_machine_worker(xy_component_machine(&c->base), worker)->node;
	double best_us = fmax(c->ends_us[worker], now_us + (double)near->transfer_us);
	unsigned first = c->first_of_class[class];
	const struct xy__seat *best = NULL;

	for (unsigned i = first; i < c->first_of_class[class + 1] && i < first + NEAR_SEATS; i++) {
		const struct xy__seat *seat = c->by_class[i];
		double us;

		if (seat->node == node)
			continue;
		us = fmax(c->ends_us[seat->worker], now_us) + near_margin(c, near, t, worker, seat, now_us);
		if (us < best_us) /* otherwise the transfer need not be known */
			us += (double)xy__cambium_transfer_us(near->task, seat->worker);
		if (us < best_us) {
			best_us = us;
			best = seat;
		}
	}
	return best;
}

struct xy__cambium_near xy__cambium_pick(struct xy__cambium *c, const struct xy__cambium_type *t, unsigned group,
					 unsigned worker, double now_us)
{
	struct xy__cambium_near list[NEAR_TASKS];
	unsigned n;

	if (!c->moves)
		return (struct xy__cambium_near){ .task = t->groups[group].first, .group = group };
	near_refresh(c, worker, now_us);
	n = near_list(t, group, worker, list);
	for (unsigned i = 0; i < n && i < NEAR_TRIES; i++) {
		const struct xy__seat *seat = near_elsewhere(c, &list[i], t, worker, now_us);

		if (!seat)
			return list[i];
		if (i == 0 && c->ends_us[seat->worker] <= now_us)
			c->wanted = seat;
	}
	return (struct xy__cambium_near){ .task = NULL, .transfer_us = list[0].transfer_us };
}
