/* SPDX-License-Identifier: MIT */
/* A tree of components with a leaf for all workers together: parallel tasks go there, others to single workers. */
#include "check.h"
#include <starpu_sched_component.h>

#define NTASKS 40

static int nmembers, nranks, nfirst, nalone;

/* Chooses a leaf by the type of the task. */
static int choose(struct starpu_sched_component *component, struct starpu_task *task)
{
	static int next;
	int n = (int)component->nchildren - 1; /* the last child is the team */

	if (task->cl->type == STARPU_SEQ && task->priority == 0)
		return starpu_sched_component_push_task(component, component->children[STARPU_ATOMIC_ADD(&next, 1) % n],
							task);
	return starpu_sched_component_push_task(component, component->children[n], task);
}

static void init(unsigned ctx)
{
	struct starpu_sched_tree *tree = starpu_sched_tree_create(ctx);
	struct starpu_sched_component *mapper = starpu_sched_component_create(tree, "by type"), *team;
	unsigned workers[STARPU_NMAXWORKERS], n = starpu_worker_get_count();

	mapper->push_task = choose;
	tree->root = mapper;
	for (unsigned i = 0; i < n; i++) {
		workers[i] = i;
		starpu_sched_component_connect(mapper, starpu_sched_component_worker_new(ctx, (int)i));
	}
	team = starpu_sched_component_parallel_worker_create(tree, n, workers);
	CHECK(team && starpu_sched_component_is_combined_worker(team) && starpu_sched_component_is_worker(team));
	CHECK(!starpu_sched_component_is_simple_worker(team));
	CHECK(starpu_sched_component_worker_get_workerid(team) == (int)n);
	CHECK(starpu_sched_component_worker_get(ctx, (int)n) == team);
	starpu_sched_component_connect(mapper, team);
	starpu_sched_tree_update_workers(tree);
	starpu_sched_tree_update_workers_in_ctx(tree);
	CHECK(team->estimated_end(team) > 0 && team->estimated_load(team) == 0);
	nmembers = (int)n;
	starpu_sched_ctx_set_policy_data(ctx, tree);
}

static void deinit(unsigned ctx)
{
	starpu_sched_tree_destroy((struct starpu_sched_tree *)starpu_sched_ctx_get_policy_data(ctx));
}

static void rank(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	CHECK(starpu_combined_worker_get_size() == nmembers);
	STARPU_ATOMIC_ADD(&nranks, 1);
	if (starpu_combined_worker_get_rank() == 0)
		STARPU_ATOMIC_ADD(&nfirst, 1);
}

static void alone(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	STARPU_ATOMIC_ADD(&nalone, 1);
}

static struct starpu_codelet parallel = { .type = STARPU_SPMD, .max_parallelism = INT_MAX, .cpu_funcs = { rank } };
static struct starpu_codelet sequential = { .cpu_funcs = { alone } };

int main(void)
{
	struct starpu_sched_policy policy = { .init_sched = init,
					      .deinit_sched = deinit,
					      .add_workers = starpu_sched_tree_add_workers,
					      .remove_workers = starpu_sched_tree_remove_workers,
					      .push_task = starpu_sched_tree_push_task,
					      .pop_task = starpu_sched_tree_pop_task,
					      .pre_exec_hook = starpu_sched_component_worker_pre_exec_hook,
					      .post_exec_hook = starpu_sched_component_worker_post_exec_hook,
					      .policy_name = "teams",
					      .worker_type = STARPU_WORKER_LIST };
	struct starpu_conf conf;

	starpu_conf_init(&conf);
	conf.ncpus = 3;
	conf.sched_policy = &policy;
	OK(starpu_init(&conf));
	for (int i = 0; i < NTASKS; i++) {
		OK(starpu_task_insert(&parallel, 0));
		OK(starpu_task_insert(&sequential, STARPU_PRIORITY, i % 2, 0)); /* some go to the team by mistake */
	}
	OK(starpu_task_wait_for_all());
	starpu_shutdown();
	CHECK(nranks == NTASKS * nmembers && nfirst == NTASKS && nalone == NTASKS);
	return 0;
}
