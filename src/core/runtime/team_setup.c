/* SPDX-License-Identifier: MIT */
/* Teams: making what they need to run, membership of workers, and what a dump says about them. */
#include "core/runtime/team.h"

#include <errno.h>
#include <stdlib.h>

#include "core/runtime/agent.h"
#include "core/runtime/worker.h"

/* --- set-up --- */

static void round_free(struct xy__team_round *round)
{
	if (!round)
		return;
	CPU_FREE(round->cpus);
	CPU_FREE(round->own);
	free(round->statuses);
	free(round);
}

/* The sets of processors that the leader is bound to during a fork-join call and after it. */
static bool round_cpus(struct xy__team_round *round, const struct xy_runtime *rt, const struct xy_component *team)
{
	int highest = -1;

	for (unsigned i = 0; i < team->nmembers; i++) {
		int pu = xy_machine_worker(rt->machine, team->members[i])->pu;

		if (pu < 0)
			return true;
		highest = pu > highest ? pu : highest;
	}
	round->cpus = CPU_ALLOC((size_t)highest + 1);
	round->own = CPU_ALLOC((size_t)highest + 1);
	round->cpus_size = CPU_ALLOC_SIZE((size_t)highest + 1);
	if (!round->cpus || !round->own)
		return false;
	CPU_ZERO_S(round->cpus_size, round->cpus);
	CPU_ZERO_S(round->cpus_size, round->own);
	for (unsigned i = team->nmembers; i-- > 0;)
		CPU_SET_S((size_t)xy_machine_worker(rt->machine, team->members[i])->pu, round->cpus_size, round->cpus);
	CPU_SET_S((size_t)xy_machine_worker(rt->machine, team->members[0])->pu, round->cpus_size, round->own);
	return true;
}

static struct xy__team_round *round_create(const struct xy_runtime *rt, const struct xy_component *team)
{
	struct xy__team_round *round = calloc(1, sizeof *round);
	unsigned ncpus = 0;

	if (!round)
		return NULL;
	for (unsigned i = 0; i < rt->nworkers; i++)
		ncpus += rt->workers[i].arch == XY_CPU;
	round->whole = team->nmembers == ncpus;
	round->statuses = calloc(team->nmembers, sizeof *round->statuses);
	if (!round->statuses || (rt->settings.bind && !round_cpus(round, rt, team))) {
		round_free(round);
		return NULL;
	}
	return round;
}

int xy__team_prepare(struct xy_runtime *rt, struct xy_tree *tree)
{
	for (unsigned i = 0; i < tree->root->nteams; i++) {
		struct xy__team *team = xy__team_of(tree->root->teams[i]);

		team->round = round_create(rt, &team->base);
		if (!team->round)
			return -ENOMEM;
	}
	return 0;
}

void xy__team_release(struct xy_tree *tree)
{
	for (unsigned i = 0; i < tree->root->nteams; i++)
		round_free(xy__team_of(tree->root->teams[i])->round);
}

int xy__team_member(struct xy__worker *worker)
{
	if (!worker->membership)
		worker->membership = calloc(1, sizeof *worker->membership);
	return worker->membership ? 0 : -ENOMEM;
}

struct xy__team **xy__team_enlist(struct xy__worker *worker, struct xy__team **teams, unsigned nteams)
{
	struct xy__member *m = worker->membership;
	struct xy__team **before = m ? m->teams : NULL;
	bool nested = atomic_load(&worker->agent.runtime->notes) & XY__NOTES_CHILDREN;

	atomic_store(&worker->choosy, nteams || nested);
	if (m) {
		m->teams = teams;
		m->nteams = nteams;
		worker->member = nteams || m->place.team ? m : NULL;
	}
	return before;
}

void xy__team_free(struct xy__worker *worker)
{
	if (worker->membership)
		free(worker->membership->teams);
	free(worker->membership);
}

/* --- looking --- */

struct missing {
	struct xy_runtime *rt;
	const struct xy_component *team;
	FILE *out;
};

static void dump_missing(void *arg, const struct xy_task *task, const bool *arrived)
{
	const struct missing *m = arg;
	const char *before = "";

	fprintf(m->out, "  %s#%u calls for '%s' (number %llu), not there: ", m->team->ops->name, m->team->id,
		xy_task_name(task), xy_task_number(task));
	for (unsigned i = 0; i < m->team->nmembers; i++)
		if (!arrived[i]) {
			fprintf(m->out, "%s%s", before, xy_machine_worker(m->rt->machine, m->team->members[i])->name);
			before = ", ";
		}
	fprintf(m->out, "\n");
}

void xy__team_dump(struct xy_runtime *rt, const struct xy_component *root, FILE *out)
{
	fprintf(out, "teams:\n");
	for (unsigned i = 0; i < root->nteams; i++) {
		struct missing missing = { rt, root->teams[i], out };

		xy__team_missing(xy__team_of(root->teams[i]), dump_missing, &missing);
	}
	for (unsigned i = 0; i < rt->nworkers; i++) {
		struct xy__member *m = rt->workers[i].context->root == root ? rt->workers[i].membership : NULL;
		struct xy__team *team = m ? atomic_load(&m->joined) : NULL;

		if (team)
			fprintf(out, "  %s is in %s#%u\n", xy_machine_worker(rt->machine, i)->name,
				team->base.ops->name, team->base.id);
	}
}
