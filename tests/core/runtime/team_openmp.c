/* SPDX-License-Identifier: MIT */
/* Codelets that use OpenMP: as many threads as there are members in a team, one on a worker alone. */
#include "../../helper.h"

#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 4 };

/* Parallel tasks go to all workers together, others and those with choice 2 to one. */
static char policy[256];

static void find_team(void)
{
	struct xy_registry *registry;
	struct xy_machine *machine;
	struct xy_tree *tree;
	char text[32];

	snprintf(text, sizeof text, "this:%d", WORKERS);
	if (xy_registry_create(&registry, NULL, NULL, 0) || xy_machine_create(&machine, text, NULL, 0) ||
	    xy_tree_parse(&tree, "fifo | eager { each worker { }, each team { } }", machine, registry, NULL, 0))
		abort();
	/* the last one is the largest */
	snprintf(policy, sizeof policy,
		 "userchoice { fifo | eager { parallel-worker(id=%u) }, fifo | eager | each worker { } }",
		 xy_tree_root(tree)->nteams - 1);
	xy_tree_destroy(tree);
	xy_machine_destroy(machine);
	xy_registry_destroy(registry);
}

struct seen {
	unsigned nranks;
	int most, team, sum, cpus;
};

static int use_openmp(struct xy_call *call)
{
	struct seen *seen = call->arg;
	cpu_set_t set;
	int sum = 0, team = 0, cpus = 0;

	CPU_ZERO(&set);
	seen->nranks = call->nranks;
	seen->most = omp_get_max_threads();
#pragma omp parallel reduction(+ : sum) private(set)
	{
		sum += omp_get_thread_num() + 1;
#pragma omp single
		team = omp_get_num_threads();
#pragma omp critical
		if (!sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) > cpus)
			cpus = CPU_COUNT(&set);
	}
	seen->team = team;
	seen->sum = sum;
	seen->cpus = cpus;
	return 0;
}

static const struct xy_codelet together = { .cpu = { use_openmp }, .parallel = XY_FORK_JOIN };
static const struct xy_codelet alone = { .cpu = { use_openmp } };

static void a_team_has_as_many_threads_as_members(void **state)
{
	struct helper *h = helper_start(policy, WORKERS);
	int before = omp_get_max_threads();

	(void)state;
	helper_forget(h); /* workers share cores */
	for (unsigned i = 0; i < 5; i++) {
		struct seen seen = { 0 };

		HELPER_SUBMIT(h, .codelet = &together, .arg = &seen);
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(seen.nranks, WORKERS);
		assert_int_equal(seen.most, WORKERS);
		assert_int_equal(seen.team, WORKERS);
		assert_int_equal(seen.sum, WORKERS * (WORKERS + 1) / 2);
	}
	assert_int_equal(omp_get_max_threads(), before);
	assert_int_equal(helper_stop(h), 0);
}

static void a_worker_alone_has_one_thread(void **state)
{
	const char *const policies[] = { "tree-eager", policy };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct helper *h = helper_start(policies[i], WORKERS);

		helper_forget(h);
		for (unsigned w = 0; w < 2 * WORKERS; w++) {
			const unsigned worker = w / 2;
			struct seen seen = { 0 };

			/* also after it has led a team */
			HELPER_SUBMIT(h, .codelet = &together, .arg = &seen);
			HELPER_SUBMIT(h, .codelet = w % 2 ? &together : &alone, .arg = &seen, .workers = &worker,
				      .nworkers = 1, .choice = 2);
			assert_int_equal(helper_wait(h), 0);
			HELPER_SUBMIT(h, .codelet = &alone, .arg = &seen, .workers = &worker, .nworkers = 1,
				      .choice = 1);
			assert_int_equal(helper_wait(h), 0);
			assert_int_equal(seen.nranks, 1);
			assert_int_equal(seen.most, 1);
			assert_int_equal(seen.team, 1);
			assert_int_equal(seen.cpus, 1);
		}
		assert_int_equal(helper_stop(h), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_team_has_as_many_threads_as_members),
		cmocka_unit_test(a_worker_alone_has_one_thread),
	};

	/* LLVM's OpenMP would bind each thread anew at its first parallel region. */
	setenv("KMP_AFFINITY", "disabled", 1);
	helper_guard();
	find_team();
	return cmocka_run_group_tests_name("OpenMP in teams", tests, NULL, NULL);
}
