/* SPDX-License-Identifier: MIT */
/*
 * Parallel tasks in a runtime: how often a codelet is called, by whom, on which cores; barriers, failures,
 * retries, statistics, and what a dump says of a team that is not complete.
 */
#include "../../helper.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 4 };

/* See find_teams. */
static char whole[64], pairs[128], policy[512];
static unsigned pair[2];

static struct helper *start_teams(void)
{
	struct helper *h = helper_start(policy, WORKERS);

	helper_forget(h); /* workers share cores */
	return h;
}

/* --- what calls see --- */

struct seen {
	_Atomic int calls, nranks, wrong;
	_Atomic unsigned ranks, workers; /* masks */
	void *const *buffers;            /* of rank 0 */
	_Atomic int value;
};

static int note(struct xy_call *call)
{
	struct seen *seen = call->arg;

	atomic_fetch_add(&seen->calls, 1);
	atomic_store(&seen->nranks, (int)call->nranks);
	atomic_fetch_or(&seen->ranks, 1u << call->rank);
	atomic_fetch_or(&seen->workers, 1u << call->worker);
	return 0;
}

static const struct xy_codelet note_spmd = { .name = "note", .cpu = { note }, .parallel = XY_SPMD };
static const struct xy_codelet note_fork = { .name = "note", .cpu = { note }, .parallel = XY_FORK_JOIN };
static const struct xy_codelet note_alone = { .name = "note", .cpu = { note } };

static void an_spmd_codelet_is_called_once_for_each_rank(void **state)
{
	struct helper *h = start_teams();
	struct seen seen = { 0 };

	(void)state;
	HELPER_SUBMIT(h, .codelet = &note_spmd, .arg = &seen);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(seen.calls, WORKERS);
	assert_int_equal(seen.nranks, WORKERS);
	assert_int_equal(seen.ranks, 0xf);
	assert_int_equal(seen.workers, 0xf);
	assert_int_equal(helper_stop(h), 0);
}

static void a_fork_join_codelet_is_called_once(void **state)
{
	struct helper *h = start_teams();
	struct seen seen = { 0 };

	(void)state;
	HELPER_SUBMIT(h, .codelet = &note_fork, .arg = &seen);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(seen.calls, 1);
	assert_int_equal(seen.nranks, WORKERS);
	assert_int_equal(seen.ranks, 1);
	assert_int_equal(seen.workers, 1);
	assert_int_equal(helper_stop(h), 0);
}

static void on_a_worker_alone_there_is_one_rank(void **state)
{
	const struct xy_codelet *const codelets[] = { &note_spmd, &note_fork, &note_alone };
	const char *const policies[] = { "tree-eager", policy };

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		struct helper *h = helper_start(policies[i / 3], WORKERS);
		struct seen seen = { 0 };

		helper_forget(h);
		HELPER_SUBMIT(h, .codelet = codelets[i % 3], .arg = &seen, .choice = 3);
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(seen.calls, 1);
		assert_int_equal(seen.nranks, 1);
		assert_int_equal(seen.ranks, 1);
		assert_int_equal(helper_stop(h), 0);
	}
}

static void sequential_tasks_never_go_to_a_team(void **state)
{
	struct helper *h = start_teams();
	struct seen seen = { 0 };

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		HELPER_SUBMIT(h, .codelet = &note_alone, .arg = &seen, .choice = 1 + i % 3);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(seen.calls, 100);
	assert_int_equal(seen.nranks, 1);
	assert_int_equal(helper_stop(h), 0);
}

static void most_ranks_bounds_the_team(void **state)
{
	static const struct xy_codelet two = { .cpu = { note }, .parallel = XY_SPMD, .most_ranks = 2 };
	static const struct xy_codelet one = { .cpu = { note }, .parallel = XY_SPMD, .most_ranks = 1 };
	struct helper *h = start_teams();
	struct seen seen = { 0 };

	(void)state;
	HELPER_SUBMIT(h, .codelet = &two, .arg = &seen);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(seen.calls, 2);
	assert_int_equal(seen.nranks, 2);
	HELPER_SUBMIT(h, .codelet = &one, .arg = &seen);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(seen.calls, 3);
	assert_int_equal(seen.nranks, 1);
	assert_int_equal(helper_stop(h), 0);
}

static void a_pinned_task_needs_all_members(void **state)
{
	struct helper *h = start_teams();
	struct seen seen = { 0 };

	(void)state;
	HELPER_SUBMIT(h, .codelet = &note_spmd, .arg = &seen, .workers = pair, .nworkers = 2);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(seen.calls, 2);
	assert_int_equal(seen.workers, 1u << pair[0] | 1u << pair[1]);
	HELPER_SUBMIT(h, .codelet = &note_spmd, .arg = &seen, .workers = pair + 1, .nworkers = 1);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(seen.calls, 3);
	assert_int_equal(seen.nranks, 1);
	assert_int_equal(helper_stop(h), 0);
}

static bool even_or_second(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	(void)task;
	return worker % 2 == 0 || implementation == 1;
}

static int note_second(struct xy_call *call)
{
	struct seen *seen = call->arg;

	if (call->implementation != 1)
		atomic_fetch_add(&seen->wrong, 1);
	return note(call);
}

static void all_members_run_an_implementation_that_all_can(void **state)
{
	static const struct xy_codelet choosy = { .cpu = { note_second, note_second },
						  .parallel = XY_SPMD,
						  .can_execute = even_or_second };
	struct helper *h = start_teams();
	struct seen seen = { 0 };

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		HELPER_SUBMIT(h, .codelet = &choosy, .arg = &seen);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(seen.calls, 10 * WORKERS);
	assert_int_equal(seen.wrong, 0);
	assert_int_equal(helper_stop(h), 0);
}

static int share(struct xy_call *call)
{
	struct seen *seen = call->arg;
	int *numbers = xy_pointer(call, 0);

	if (call->rank == 0)
		seen->buffers = call->buffers;
	numbers[call->rank] = (int)call->rank + 1;
	if (xy_call_barrier(call))
		return -EIO;
	if (seen->buffers != call->buffers)
		atomic_fetch_add(&seen->wrong, 1);
	for (unsigned i = 0; i < call->nranks; i++)
		if (numbers[i] != (int)i + 1)
			atomic_fetch_add(&seen->wrong, 1);
	return 0;
}

static void all_ranks_have_the_same_buffers(void **state)
{
	static const struct xy_codelet codelet = { .cpu = { share }, .parallel = XY_SPMD, .modes = { XY_W } };
	struct helper *h = start_teams();
	struct xy_handle *x;
	struct seen seen = { 0 };
	int numbers[WORKERS] = { 0 };

	(void)state;
	assert_int_equal(xy_vector_register(h->rt, &x, numbers, WORKERS, sizeof numbers[0]), 0);
	HELPER_SUBMIT(h, .codelet = &codelet, .handles = { x }, .arg = &seen);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(seen.wrong, 0);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* --- barriers --- */

enum { BARRIERS = 200 };

static int meet_often(struct xy_call *call)
{
	struct seen *seen = call->arg;

	for (int i = 0; i < BARRIERS; i++) {
		atomic_fetch_add(&seen->value, 1);
		if (xy_call_barrier(call))
			return -EIO;
		if (atomic_load(&seen->value) < (i + 1) * (int)call->nranks)
			atomic_fetch_add(&seen->wrong, 1);
	}
	return 0;
}

static void nobody_passes_a_barrier_before_all_have_come(void **state)
{
	static const struct xy_codelet codelet = { .cpu = { meet_often }, .parallel = XY_SPMD };
	struct helper *h = start_teams();

	(void)state;
	for (unsigned choice = 0; choice < 3; choice++) {
		struct seen seen = { 0 };

		HELPER_SUBMIT(h, .codelet = &codelet, .arg = &seen, .choice = 1 + choice);
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(seen.wrong, 0);
		assert_int_equal(seen.value, BARRIERS * (choice ? choice == 1 ? 2 : 1 : WORKERS));
	}
	assert_int_equal(helper_stop(h), 0);
}

static int desert(struct xy_call *call)
{
	struct seen *seen = call->arg;
	int error = 0;

	if (call->rank == 2)
		return -EIO;
	for (int i = 0; i < 3; i++)
		if (xy_call_barrier(call) == -ECANCELED)
			error++;
	atomic_fetch_add(&seen->value, error);
	return 0;
}

static void a_barrier_ends_when_a_rank_has_returned(void **state)
{
	static const struct xy_codelet codelet = { .cpu = { desert }, .parallel = XY_SPMD };
	struct helper *h = start_teams();
	struct seen seen = { 0 };

	(void)state;
	for (int i = 1; i <= 20; i++) {
		HELPER_SUBMIT(h, .codelet = &codelet, .arg = &seen);
		assert_int_equal(helper_wait(h), -EIO);
		assert_int_equal(seen.value, i * 9);
	}
	assert_int_equal(helper_stop(h), 0);
}

static int barrier_status(struct xy_call *call)
{
	*(int *)call->arg = xy_call_barrier(call);
	return 0;
}

static void only_spmd_calls_have_a_barrier(void **state)
{
	static const struct xy_codelet fork = { .cpu = { barrier_status }, .parallel = XY_FORK_JOIN };
	static const struct xy_codelet alone = { .cpu = { barrier_status } };
	struct helper *h = start_teams();
	int status = 0;

	(void)state;
	HELPER_SUBMIT(h, .codelet = &fork, .arg = &status);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(status, -EINVAL);
	helper_one_line(h, "xy_call_barrier");
	HELPER_SUBMIT(h, .codelet = &alone, .arg = &status);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(status, -EINVAL);
	helper_one_line(h, "xy_call_barrier");
	assert_int_equal(helper_stop(h), 0);
}

/* --- failures --- */

static int fail_in_some(struct xy_call *call)
{
	struct seen *seen = call->arg;

	if (call->rank == 0)
		atomic_fetch_add(&seen->calls, 1);
	return call->rank < 2 ? 0 : -(int)call->rank;
}

static void the_failure_of_a_rank_is_that_of_the_task(void **state)
{
	static const struct xy_codelet codelet = { .cpu = { fail_in_some }, .parallel = XY_SPMD };
	struct helper *h = start_teams();
	struct xy_handle *x;
	struct seen seen = { 0 };
	struct xy_access access = { .mode = XY_W };
	int status = 1;

	(void)state;
	assert_int_equal(xy_void_register(h->rt, &x), 0);
	access.handle = x;
	HELPER_SUBMIT(h, .codelet = &codelet, .arg = &seen, .accesses = XY_ACCESSES(access), .retries = 2);
	access.mode = XY_R;
	HELPER_SUBMIT(h, .codelet = &note_spmd, .arg = &seen, .accesses = XY_ACCESSES(access),
		      .callback = helper_status, .callback_arg = &status);
	assert_int_equal(helper_wait(h), -2);
	assert_int_equal(seen.calls, 3);
	assert_int_equal(status, -ECANCELED);
	assert_int_equal(xy_unregister(&x), -2);
	assert_int_equal(helper_stop(h), 0);
}

static int fail_twice(struct xy_call *call)
{
	_Atomic int *tries = call->arg;

	return atomic_fetch_add(tries, 1) < 2 ? -EIO : 0;
}

static void a_fork_join_task_is_tried_again(void **state)
{
	static const struct xy_codelet codelet = { .cpu = { fail_twice }, .parallel = XY_FORK_JOIN };
	struct helper *h = start_teams();
	_Atomic int tries = 0;

	(void)state;
	HELPER_SUBMIT(h, .codelet = &codelet, .arg = &tries, .retries = 5);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(tries, 3);
	assert_int_equal(helper_stop(h), 0);
}

/* --- order, stopping, looking --- */

static int submit_more(struct xy_call *call)
{
	struct seen *seen = call->arg;

	return xy_submit(call->runtime, &(struct xy_task_desc){ .codelet = &note_alone, .arg = seen, .choice = 3 });
}

static void ranks_may_submit_tasks(void **state)
{
	static const struct xy_codelet codelet = { .cpu = { submit_more }, .parallel = XY_SPMD };
	struct helper *h = start_teams();
	struct seen seen = { 0 };

	(void)state;
	for (unsigned i = 0; i < 50; i++)
		HELPER_SUBMIT(h, .codelet = &codelet, .arg = &seen, .choice = 1 + i % 2);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(seen.calls, 25 * WORKERS + 25 * 2);
	assert_int_equal(helper_stop(h), 0);
}

static void stopping_waits_for_teams(void **state)
{
	(void)state;
	for (unsigned i = 0; i < helper_scale(20); i++) {
		struct helper *h = start_teams();
		struct seen seen = { 0 };

		for (unsigned j = 0; j < 30; j++)
			HELPER_SUBMIT(h, .codelet = j % 3 ? &note_spmd : &note_fork, .arg = &seen, .choice = 1 + j % 3);
		assert_int_equal(helper_stop(h), 0);
		assert_int_equal(seen.calls, 10 + 10 * 2 + 10);
	}
}

static void a_task_is_counted_once(void **state)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .sched = policy, .ncpu = WORKERS, .profile = true });
	struct seen seen = { 0 };
	struct xy_worker_stats stats;
	unsigned long long tasks = 0;

	(void)state;
	helper_forget(h);
	for (unsigned i = 0; i < 20; i++)
		HELPER_SUBMIT(h, .codelet = i % 2 ? &note_spmd : &note_fork, .arg = &seen);
	assert_int_equal(helper_wait(h), 0);
	for (unsigned i = 0; i < WORKERS; i++) {
		assert_int_equal(xy_worker_stats(h->rt, i, &stats), 0);
		tasks += stats.tasks;
		assert_true(stats.busy_s > 0);
	}
	assert_int_equal(tasks, 20);
	assert_int_equal(helper_stop(h), 0);
}

static void the_dump_tells_who_is_missing(void **state)
{
	struct helper *h = start_teams();
	struct gate gate = { 0 };
	struct seen seen = { 0 };
	const unsigned second = 1;
	char *dump = NULL;

	(void)state;
	HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = &gate, .workers = &second, .nworkers = 1, .choice = 3);
	helper_reach(h, &gate.inside, 1);
	HELPER_SUBMIT(h, .codelet = &note_spmd, .arg = &seen, .name = "assembly");
	for (unsigned i = 0; i < 10000; i++) {
		free(dump);
		dump = helper_dump(h);
		if (strstr(dump, "calls for 'assembly' (number 2), not there: cpu1\n") && strstr(dump, "cpu0 is in "))
			break;
		sched_yield();
	}
	if (!strstr(dump, "calls for 'assembly' (number 2), not there: cpu1\n"))
		fail_msg("%s", dump);
	free(dump);
	assert_int_equal(seen.calls, 0);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(seen.calls, WORKERS);
	assert_int_equal(helper_stop(h), 0);
}

/* While a team has tasks, its members still run their own: a team that goes on until then comes to an end. */
static _Atomic int own_done, rounds;
static int again(struct xy_call *call);
static const struct xy_codelet again_codelet = { .name = "again", .cpu = { again }, .parallel = XY_SPMD };

static int again(struct xy_call *call)
{
	if (call->rank || atomic_load(&own_done) >= WORKERS)
		return 0;
	if (atomic_fetch_add(&rounds, 1) > 1000000)
		return -ETIME;
	return xy_submit(call->runtime, &(struct xy_task_desc){ .codelet = &again_codelet });
}

/* For words that nobody wakes a waiter for. */
static void come_to(_Atomic int *word, int value)
{
	while (atomic_load(word) < value)
		sched_yield();
}

static void a_busy_team_leaves_time_for_its_members(void **state)
{
	struct helper *h = start_teams();

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		HELPER_SUBMIT(h, .codelet = &again_codelet);
	come_to(&rounds, 100);
	for (unsigned w = 0; w < WORKERS; w++)
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &own_done, .workers = &w, .nworkers = 1, .choice = 3);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(own_done, WORKERS);
	assert_int_equal(helper_stop(h), 0);
}

/* And a team comes together although its members always have something of their own to do. */
static _Atomic int team_done, own_rounds;

static int own_again(struct xy_call *call);
static const struct xy_codelet own_codelet = { .name = "own", .cpu = { own_again } };

static int own_again(struct xy_call *call)
{
	if (atomic_load(&team_done))
		return 0;
	if (atomic_fetch_add(&own_rounds, 1) > 10000000)
		return -ETIME;
	return xy_submit(call->runtime, &(struct xy_task_desc){ .codelet = &own_codelet, .choice = 3 });
}

static int end_it(struct xy_call *call)
{
	if (!call->rank)
		atomic_fetch_add(&team_done, 1);
	return 0;
}

static void busy_members_come_to_their_team(void **state)
{
	static const struct xy_codelet end = { .cpu = { end_it }, .parallel = XY_FORK_JOIN };
	struct helper *h = start_teams();

	(void)state;
	for (unsigned i = 0; i < 3 * WORKERS; i++)
		HELPER_SUBMIT(h, .codelet = &own_codelet, .choice = 3);
	come_to(&own_rounds, 100);
	HELPER_SUBMIT(h, .codelet = &end);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(team_done, 1);
	assert_int_equal(helper_stop(h), 0);
}

/* --- threads of the codelet's own --- */

static int count_cpus(struct xy_call *call)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	*(int *)call->arg = sched_getaffinity(0, sizeof set, &set) ? -1 : CPU_COUNT(&set);
	return 0;
}

/* How many processors workers are bound to. */
static int bound_cpus(const struct xy_runtime *rt)
{
	const struct xy_machine *machine = xy_runtime_machine(rt);
	cpu_set_t set;

	CPU_ZERO(&set);
	for (unsigned i = 0; i < xy_machine_nworkers(machine); i++)
		CPU_SET((size_t)xy_machine_worker(machine, i)->pu, &set);
	return CPU_COUNT(&set);
}

static void a_fork_join_codelet_has_the_cores_of_all(void **state)
{
	static const struct xy_codelet fork = { .cpu = { count_cpus }, .parallel = XY_FORK_JOIN };
	static const struct xy_codelet alone = { .cpu = { count_cpus } };
	struct helper *h = start_teams();
	const unsigned first = 0;
	int n = 0;

	(void)state;
	HELPER_SUBMIT(h, .codelet = &fork, .arg = &n);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(n, bound_cpus(h->rt));
	HELPER_SUBMIT(h, .codelet = &alone, .arg = &n, .workers = &first, .nworkers = 1, .choice = 3);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(n, 1);
	assert_int_equal(helper_stop(h), 0);
}

/* What a library of threads would have: found in the process by name. */
static _Thread_local int mkl_threads;
int MKL_Set_Num_Threads_Local(int n);
int MKL_Set_Num_Threads_Local(int n)
{
	int before = mkl_threads;

	mkl_threads = n;
	return before;
}

static _Atomic int openblas_threads = 7;
int openblas_get_parallel(void);
int openblas_get_parallel(void)
{
	return 1;
}

int openblas_get_num_threads(void);
int openblas_get_num_threads(void)
{
	return atomic_load(&openblas_threads);
}

void openblas_set_num_threads(int n);
void openblas_set_num_threads(int n)
{
	atomic_store(&openblas_threads, n);
}

static int count_threads(struct xy_call *call)
{
	int *n = call->arg;

	n[0] = mkl_threads;
	n[1] = atomic_load(&openblas_threads);
	return 0;
}

static void libraries_are_told_how_many_threads_there_are(void **state)
{
	static const struct xy_codelet fork = { .cpu = { count_threads }, .parallel = XY_FORK_JOIN };
	static const struct xy_codelet alone = { .cpu = { count_threads } };
	struct helper *h = start_teams();
	int n[2];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		/* one number for the whole process is touched only when nobody else is left */
		HELPER_SUBMIT(h, .codelet = &fork, .arg = n);
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(n[0], WORKERS);
		assert_int_equal(n[1], WORKERS);
		HELPER_SUBMIT(h, .codelet = &fork, .arg = n, .choice = 2);
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(n[0], 2);
		assert_int_equal(n[1], 7);
		for (unsigned w = 0; w < WORKERS; w++) {
			HELPER_SUBMIT(h, .codelet = &alone, .arg = n, .workers = &w, .nworkers = 1, .choice = 3);
			assert_int_equal(helper_wait(h), 0);
			assert_int_equal(n[0], 1);
			assert_int_equal(n[1], 7);
		}
	}
	assert_int_equal(helper_stop(h), 0);
}

/* --- the policy --- */

/* Parallel tasks go to the team of all workers, to teams of two with choice 2, and all with choice 3 to workers. Which
 * teams those are depends on the cores here. */
static void find_teams(void)
{
	struct xy_registry *registry;
	struct xy_machine *machine;
	struct xy_tree *tree;
	char text[32];
	size_t used = 0;

	snprintf(text, sizeof text, "this:%d", WORKERS);
	if (xy_registry_create(&registry, NULL, NULL, 0) || xy_machine_create(&machine, text, NULL, 0) ||
	    xy_tree_parse(&tree, "fifo | eager { each worker { }, each team { } }", machine, registry, NULL, 0))
		abort();
	for (unsigned i = 0; i < xy_tree_root(tree)->nteams; i++) {
		const struct xy_component *team = xy_tree_root(tree)->teams[i];

		if (team->nmembers == WORKERS)
			snprintf(whole, sizeof whole, "parallel-worker(id=%u)", i);
		if (team->nmembers != 2)
			continue;
		memcpy(pair, team->members, sizeof pair);
		used += (size_t)snprintf(pairs + used, sizeof pairs - used, "%sparallel-worker(id=%u)",
					 used ? ", " : "", i);
	}
	snprintf(policy, sizeof policy,
		 "userchoice { fifo | eager { %s }, fifo | eager { %s }, fifo | eager | each worker { } }", whole,
		 pairs);
	xy_tree_destroy(tree);
	xy_machine_destroy(machine);
	xy_registry_destroy(registry);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_spmd_codelet_is_called_once_for_each_rank),
		cmocka_unit_test(a_fork_join_codelet_is_called_once),
		cmocka_unit_test(on_a_worker_alone_there_is_one_rank),
		cmocka_unit_test(sequential_tasks_never_go_to_a_team),
		cmocka_unit_test(most_ranks_bounds_the_team),
		cmocka_unit_test(a_pinned_task_needs_all_members),
		cmocka_unit_test(all_members_run_an_implementation_that_all_can),
		cmocka_unit_test(all_ranks_have_the_same_buffers),
		cmocka_unit_test(nobody_passes_a_barrier_before_all_have_come),
		cmocka_unit_test(a_barrier_ends_when_a_rank_has_returned),
		cmocka_unit_test(only_spmd_calls_have_a_barrier),
		cmocka_unit_test(the_failure_of_a_rank_is_that_of_the_task),
		cmocka_unit_test(a_fork_join_task_is_tried_again),
		cmocka_unit_test(ranks_may_submit_tasks),
		cmocka_unit_test(stopping_waits_for_teams),
		cmocka_unit_test(a_task_is_counted_once),
		cmocka_unit_test(the_dump_tells_who_is_missing),
		cmocka_unit_test(a_busy_team_leaves_time_for_its_members),
		cmocka_unit_test(busy_members_come_to_their_team),
		cmocka_unit_test(a_fork_join_codelet_has_the_cores_of_all),
		cmocka_unit_test(libraries_are_told_how_many_threads_there_are),
	};

	helper_guard();
	find_teams();
	return cmocka_run_group_tests_name("team", tests, NULL, NULL);
}
