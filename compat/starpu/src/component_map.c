/* SPDX-License-Identifier: MIT */
/*
 * Mappers without a queue of their own: eager, random, eager_calibration, and mct, which decides by completion times.
 */
#include "component.h"

/* --- eager: to the child that asks --- */

/* The child that the thread's can_push comes from, which gets one task. */
static _Thread_local struct {
	const struct starpu_sched_component *at;
	struct starpu_sched_component *target;
	bool given;
} asking;

static int eager_push(struct starpu_sched_component *c, struct starpu_task *task)
{
	if (asking.at == c) {
		if (asking.given || !starpu_sched_component_can_execute_task(asking.target, task))
			return 1;
		asking.given = !component_push(asking.target, task);
		return !asking.given;
	}
	/* Nobody asks: a child with a queue takes it; bare workers are woken, and will ask. */
	for (unsigned i = 0; i < c->nchildren; i++) {
		struct starpu_sched_component *child = c->children[i];

		if (!starpu_sched_component_can_execute_task(child, task))
			continue;
		if (component_is_bare(child))
			child->can_pull(child);
		else if (!component_push(child, task))
			return 0;
	}
	return 1;
}

static int eager_can_push(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	__typeof__(asking) outer = asking;
	int moved;

	asking.at = c;
	asking.target = to;
	asking.given = false;
	starpu_sched_component_send_can_push_to_parents(c);
	moved = asking.given;
	asking = outer;
	return moved;
}

static struct starpu_task *eager_pull(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	eager_can_push(c, to);
	return NULL;
}

struct starpu_sched_component *starpu_sched_component_eager_create(struct starpu_sched_tree *tree, void *arg)
{
	struct starpu_sched_component *c = starpu_sched_component_create(tree, "eager");

	(void)arg;
	if (!c)
		return NULL;
	c->push_task = eager_push;
	c->pull_task = eager_pull;
	c->can_push = eager_can_push;
	c->can_pull = starpu_sched_component_can_pull_all;
	return c;
}

int starpu_sched_component_is_eager(struct starpu_sched_component *component)
{
	return component->push_task == eager_push;
}

/* --- decisions at push: a pull asks for one --- */

static struct starpu_task *decider_pull(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	(void)to;
	starpu_sched_component_send_can_push_to_parents(c);
	return NULL;
}

static struct starpu_sched_component *decider_create(struct starpu_sched_tree *tree, const char *name,
						     int (*push)(struct starpu_sched_component *, struct starpu_task *))
{
	struct starpu_sched_component *c = starpu_sched_component_create(tree, name);

	if (!c)
		return NULL;
	c->push_task = push;
	c->pull_task = decider_pull;
	/* Tasks above are waited for by those who decide, not by a worker. */
	c->can_pull = starpu_sched_component_send_can_push_to_parents;
	return c;
}

/* --- random: by the speed of the workers below --- */

static int random_push(struct starpu_sched_component *c, struct starpu_task *task)
{
	double speeds[c->nchildren + 1], sum = 0, at;

	for (unsigned i = 0; i < c->nchildren; i++) {
		struct starpu_bitmap *workers = c->children[i]->workers_in_ctx;

		speeds[i] = 0;
		if (starpu_sched_component_can_execute_task(c->children[i], task))
			for (int w = starpu_bitmap_first(workers); w >= 0; w = starpu_bitmap_next(workers, w))
				speeds[i] += xy_machine_worker(xs_global.machine, (unsigned)w)->speed;
		sum += speeds[i];
	}
	at = starpu_drand48() * sum;
	for (unsigned i = 0; i < c->nchildren; i++) {
		if (speeds[i] > 0 && at < speeds[i])
			return component_push(c->children[i], task);
		at -= speeds[i];
	}
	return sum > 0 ? 1 : -ENODEV;
}

struct starpu_sched_component *starpu_sched_component_random_create(struct starpu_sched_tree *tree, void *arg)
{
	(void)arg;
	return decider_create(tree, "random", random_push);
}

int starpu_sched_component_is_random(struct starpu_sched_component *component)
{
	return component->push_task == random_push;
}

/* --- eager_calibration: to a worker that has not measured it --- */

static int calibration_push(struct starpu_sched_component *c, struct starpu_task *task)
{
	for (unsigned i = 0; i < c->nchildren; i++) {
		struct starpu_bitmap *workers = c->children[i]->workers_in_ctx;

		for (int w = starpu_bitmap_first(workers); w >= 0; w = starpu_bitmap_next(workers, w)) {
			unsigned mask;

			if (!starpu_worker_can_execute_task_impl((unsigned)w, task, &mask))
				continue;
			for (unsigned n = 0; mask >> n; n++)
				if ((mask >> n & 1) && isnan(component_length(task, w, n))) {
					component_choose(task, n);
					if (!component_push(c->children[i], task))
						return 0;
				}
		}
	}
	return 1;
}

struct starpu_sched_component *starpu_sched_component_eager_calibration_create(struct starpu_sched_tree *tree,
									       void *arg)
{
	(void)arg;
	return decider_create(tree, "eager_calibration", calibration_push);
}

int starpu_sched_component_is_eager_calibration(struct starpu_sched_component *component)
{
	return component->push_task == calibration_push;
}

/* --- mct: the child where it would end first --- */

struct starpu_sched_component_mct_data component_weights(const struct starpu_sched_component_mct_data *given)
{
	if (given)
		return *given;
	return (struct starpu_sched_component_mct_data){
		.alpha = xs_setting("STARPU_SCHED_ALPHA", 1),
		.beta = xs_setting("STARPU_SCHED_BETA", 1),
		._gamma = xs_setting("STARPU_SCHED_GAMMA", 1000),
		.idle_power = xs_setting("STARPU_IDLE_POWER", 0),
	};
}

static double energy_of(struct starpu_sched_component *child, struct starpu_task *task)
{
	double joules;

	if (!task->cl->energy_model || component_worker(child) < 0)
		return 0;
	joules = starpu_task_expected_energy(
		task, starpu_worker_get_perf_archtype(component_worker(child), task->sched_ctx), 0);
	return isnan(joules) ? 0 : joules;
}

struct component_choice component_decide(struct starpu_sched_component *c,
					 const struct starpu_sched_component_mct_data *weights,
					 struct starpu_task *task)
{
	struct component_choice choice = { .child = -1 };
	double ends[c->nchildren + 1], lengths[c->nchildren + 1], transfers[c->nchildren + 1];
	double first = INFINITY, last = 0, best = INFINITY, now = starpu_timing_now();

	for (unsigned i = 0; i < c->nchildren; i++) {
		struct starpu_sched_component *child = c->children[i];

		lengths[i] = NAN;
		if (!starpu_sched_component_execute_preds(child, task, &lengths[i]))
			continue;
		if (isnan(lengths[i])) {
			choice.uncalibrated = true;
			continue;
		}
		transfers[i] = starpu_sched_component_transfer_length(child, task);
		ends[i] = fmax(now, child->estimated_end(child));
		last = fmax(last, ends[i]);
		ends[i] += lengths[i];
		first = fmin(first, ends[i]);
	}
	for (unsigned i = 0; i < c->nchildren; i++) {
		double fitness;

		if (isnan(lengths[i]))
			continue;
		fitness = weights->alpha * (ends[i] - first) + weights->beta * transfers[i] +
			  weights->_gamma * energy_of(c->children[i], task);
		if (ends[i] > last)
			fitness += weights->_gamma * weights->idle_power * (ends[i] - last) / 1e6;
		if (fitness < best) {
			best = fitness;
			choice.child = (int)i;
			choice.predicted = lengths[i];
			choice.transfer = transfers[i];
			choice.end = ends[i] + transfers[i];
		}
	}
	return choice;
}

int component_give(struct starpu_sched_component *c, const struct component_choice *choice, struct starpu_task *task)
{
	if (choice->child < 0)
		return choice->uncalibrated ? calibration_push(c, task) : 1;
	task->predicted = choice->predicted;
	task->predicted_transfer = choice->transfer;
	return component_push(c->children[choice->child], task);
}

static int mct_push(struct starpu_sched_component *c, struct starpu_task *task)
{
	struct component_choice choice = component_decide(c, c->data, task);

	return component_give(c, &choice, task);
}

static void mct_fini(struct starpu_sched_component *c)
{
	free(c->data);
}

struct starpu_sched_component *starpu_sched_component_mct_create(struct starpu_sched_tree *tree,
								 struct starpu_sched_component_mct_data *mct_data)
{
	struct starpu_sched_component *c = decider_create(tree, "mct", mct_push);
	struct starpu_sched_component_mct_data *weights = malloc(sizeof *weights);

	if (!c || !weights) {
		starpu_sched_component_destroy(c);
		free(weights);
		return NULL;
	}
	*weights = component_weights(mct_data);
	c->data = weights;
	c->deinit_data = mct_fini;
	return c;
}

int starpu_sched_component_is_mct(struct starpu_sched_component *component)
{
	return component->push_task == mct_push;
}
