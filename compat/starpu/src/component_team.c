/* SPDX-License-Identifier: MIT */
/*
 * Leaves that stand for several workers: each of them gets a copy of a parallel task. A task that is not parallel goes
 * to the member that is free first.
 */
#include "component.h"

struct team {
	int id;
	unsigned context;
	int n, *members; /* of the set of workers */
};

static struct starpu_sched_component *team_member(const struct team *team, int i)
{
	return starpu_sched_component_worker_get(team->context, team->members[i]);
}

static int team_push_to_one(const struct team *team, struct starpu_task *task)
{
	struct starpu_sched_component *best = NULL;

	for (int i = 0; i < team->n; i++) {
		struct starpu_sched_component *member = team_member(team, i);

		if (!starpu_worker_can_execute_task((unsigned)team->members[i], task, 0))
			continue;
		if (!best || member->estimated_end(member) < best->estimated_end(best))
			best = member;
	}
	return best ? component_push(best, task) : 1;
}

/* Once all copies are with the members, the task may run and be freed. */
static int team_push(struct starpu_sched_component *c, struct starpu_task *task)
{
	const struct team *team = c->data;
	struct starpu_task *copies[STARPU_NMAXWORKERS];
	int n = 0;

	if (!starpu_combined_worker_can_execute_task((unsigned)team->id, task, 0))
		return team_push_to_one(team, task);
	while (n < team->n && (copies[n] = starpu_task_dup(task)))
		n++;
	if (!n)
		return team_push_to_one(team, task);
	starpu_parallel_task_barrier_init_n(task, n);
	starpu_push_task_end(task);
	for (int i = 0; i < n; i++) {
		struct starpu_sched_component *member = team_member(team, i);

		component_push(member, copies[i]);
	}
	return 0;
}

static int team_can_pull(struct starpu_sched_component *c)
{
	const struct team *team = c->data;
	int woken = 0;

	for (int i = 0; i < team->n; i++)
		woken |= starpu_wake_worker(team->members[i]);
	return woken;
}

/* It is free once all members are. */
static double team_end(struct starpu_sched_component *c)
{
	const struct team *team = c->data;
	double end = 0;

	for (int i = 0; i < team->n; i++) {
		struct starpu_sched_component *member = team_member(team, i);

		end = fmax(end, member->estimated_end(member));
	}
	return end;
}

static double team_load(struct starpu_sched_component *c)
{
	const struct team *team = c->data;
	double load = 0;

	for (int i = 0; i < team->n; i++) {
		struct starpu_sched_component *member = team_member(team, i);

		load = fmax(load, member->estimated_load(member));
	}
	return load;
}

static struct starpu_task *team_pull(struct starpu_sched_component *from, struct starpu_sched_component *to)
{
	(void)from;
	(void)to;
	return NULL;
}

static void team_fini(struct starpu_sched_component *c)
{
	free(c->data);
}

struct starpu_sched_component *component_team_create(unsigned context, int id)
{
	struct starpu_sched_component *c = starpu_sched_component_create(starpu_sched_tree_get(context), "team");
	struct team *team = c ? calloc(1, sizeof *team) : NULL;

	if (!team) {
		starpu_sched_component_destroy(c);
		return NULL;
	}
	team->id = id;
	team->context = context;
	starpu_combined_worker_get_description(id, &team->n, &team->members);
	c->data = team;
	c->push_task = team_push;
	c->pull_task = team_pull;
	c->can_pull = team_can_pull;
	c->estimated_end = team_end;
	c->estimated_load = team_load;
	c->deinit_data = team_fini;
	for (int i = 0; i < team->n; i++)
		starpu_bitmap_set(c->workers, team->members[i]);
	component_properties(c);
	return c;
}

int component_team_id(const struct starpu_sched_component *c)
{
	return ((const struct team *)c->data)->id;
}

int starpu_sched_component_is_combined_worker(struct starpu_sched_component *component)
{
	return component->push_task == team_push;
}

struct starpu_sched_component *starpu_sched_component_parallel_worker_create(struct starpu_sched_tree *tree,
									     unsigned nworkers, unsigned *workers)
{
	int members[STARPU_NMAXWORKERS], id;

	if (nworkers > STARPU_NMAXWORKERS)
		return NULL;
	for (unsigned i = 0; i < nworkers; i++)
		members[i] = (int)workers[i];
	id = starpu_combined_worker_assign_workerid((int)nworkers, members);
	return id < 0 ? NULL : starpu_sched_component_worker_get(tree->sched_ctx_id, id);
}
