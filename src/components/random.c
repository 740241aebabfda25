/* SPDX-License-Identifier: MIT */
/*
 * random: draws the branch of each task, weighted by the speed of the workers there that can run it.
 * The only state is constant: the speeds of the branches by architecture.
 */
#include <errno.h>
#include <stdlib.h>
#include "components/spread.h"
#include "core/task/task.h"

/* How often a branch is drawn after refusals before the remaining ones are tried in turn. */
enum { RANDOM_DRAWS = 8 };

/* Speeds of workers by architecture; those of teams come last. */
struct random_speeds {
	double of[XY_NARCH + 1];
};

/* Locking key: (c) constant after seal, (a) atomic. */
struct random {
	struct xy_component base;
	struct random_speeds *branches; /* (c) */
	struct random_speeds total;     /* (c) */
	struct xy__spread spread;       /* (a) for offers */
};

static double random_speed(const struct xy_component *c, unsigned worker)
{
	return xy_machine_worker(xy_component_machine(c), worker)->speed;
}

/* All members of a team together. */
static double random_team_speed(const struct xy_component *team)
{
	double speed = 0;

	for (unsigned i = 0; i < team->nmembers; i++)
		speed += random_speed(team, team->members[i]);
	return speed;
}

/* What the workers of these architectures can do together. */
static double random_sum(const struct random_speeds *speeds, unsigned archs)
{
	double sum = 0;

	for (; archs; archs &= archs - 1)
		sum += speeds->of[__builtin_ctz(archs)];
	return sum;
}

/* The weight of a branch for a task. */
static double random_weight(const struct random *r, unsigned i, const struct xy_task *task)
{
	const struct xy_component *child = r->base.children[i];
	double weight = 0;

	if (!task->constrained)
		return random_sum(&r->branches[i], task->archs);
	for (unsigned k = 0; (child->archs & XY_ON_ALL) && k < child->nworkers; k++)
		if (xy_task_can_run(task, child->workers[k]))
			weight += random_speed(child, child->workers[k]);
	for (unsigned k = 0; k < child->nteams; k++)
		if (xy_task_can_run_below(task, child->teams[k]))
			weight += random_team_speed(child->teams[k]);
	return weight;
}

static double random_total(const struct random *r, const struct xy_task *task)
{
	double total = 0;

	if (!task->constrained)
		return random_sum(&r->total, task->archs);
	for (unsigned i = 0; i < r->base.nchildren; i++)
		total += random_weight(r, i, task);
	return total;
}

/* The branches that have been tried in one push. */
struct random_tried {
	unsigned count;
	unsigned branches[RANDOM_DRAWS];
};

static bool random_was_tried(const struct random_tried *tried, unsigned i)
{
	for (unsigned k = 0; k < tried->count; k++)
		if (tried->branches[k] == i)
			return true;
	return false;
}

/* The branch at this point of the cumulative weights of all untried ones; nchildren at the end. */
static unsigned random_at(const struct random *r, const struct xy_task *task, const struct random_tried *tried,
			  double point)
{
	unsigned last = r->base.nchildren;

	for (unsigned i = 0; i < r->base.nchildren; i++) {
		double weight = random_weight(r, i, task);

		if (weight <= 0 || random_was_tried(tried, i))
			continue;
		if (point < weight)
			return i;
		point -= weight;
		last = i; /* rounding may leave a rest */
	}
	return last;
}

static bool random_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct random *r = (struct random *)self;
	struct random_tried tried = { 0 };
	double total = random_total(r, task);

	while (tried.count < RANDOM_DRAWS) {
		double point = total * ((double)xy_agent_random(by) / 4294967296.0);
		unsigned i = random_at(r, task, &tried, point);

		if (i == self->nchildren)
			return false;
		if (xy_push(self->children[i], task, by))
			return true;
		tried.branches[tried.count++] = i;
		total -= random_weight(r, i, task);
	}
	for (unsigned i = 0; i < self->nchildren; i++)
		if (!random_was_tried(&tried, i) && random_weight(r, i, task) > 0 &&
		    xy_push(self->children[i], task, by))
			return true;
	return false;
}

/* The branch of a task is drawn when it is pushed, so it can't be pulled from above. */
static struct xy_task *random_pull(struct xy_component *self, struct xy_agent *by)
{
	xy_can_push_parents(self, by);
	return NULL;
}

static bool random_can_pull(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by)
{
	return xy__spread_offer(self, &((struct random *)self)->spread, offer, by);
}

static void random_weigh(struct random_speeds *branch, const struct xy_component *child)
{
	for (unsigned k = 0; (child->archs & XY_ON_ALL) && k < child->nworkers; k++)
		branch->of[xy_machine_worker(xy_component_machine(child), child->workers[k])->arch] += random_speed(
			child, child->workers[k]);
	for (unsigned k = 0; k < child->nteams; k++)
		branch->of[XY_NARCH] += random_team_speed(child->teams[k]);
}

static int random_init(struct xy_component *self)
{
	struct random *r = (struct random *)self;

	r->branches = calloc(self->nchildren, sizeof *r->branches);
	if (!r->branches || xy__spread_init(&r->spread, self)) {
		free(r->branches);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < self->nchildren; i++)
		random_weigh(&r->branches[i], self->children[i]);
	for (unsigned i = 0; i < self->nchildren; i++)
		for (unsigned arch = 0; arch <= XY_NARCH; arch++)
			r->total.of[arch] += r->branches[i].of[arch];
	return 0;
}

static void random_fini(struct xy_component *self)
{
	struct random *r = (struct random *)self;

	xy__spread_fini(&r->spread);
	free(r->branches);
}

const struct xy_component_ops xy__random_ops = {
	.name = "random",
	.summary = "sends each task to a random branch, weighted by speed",
	.manual = "The probability of a branch is proportional to the sum of the speeds of its workers that\n"
		  "can run the task; a team counts as all of its members. If the branch refuses, another is\n"
		  "drawn among the rest; after eight refusals the remaining ones are tried in order. If all\n"
		  "refuse, the task stays in the reservoir above. The random numbers come from the\n"
		  "runtime's seed, so that a run in one thread is reproducible.\n"
		  "\n"
		  "random decides: a worker never takes a task from above it. When a worker asks for one,\n"
		  "the reservoir above is told to push. Put a reservoir at the head of each branch, or each\n"
		  "worker has only one task at hand.\n",
	.flags = XY_MAPS | XY_DECIDES | XY_SHARES,
	.size = sizeof(struct random),
	.init = random_init,
	.fini = random_fini,
	.push = random_push,
	.pull = random_pull,
	.can_pull = random_can_pull,
};
