/* SPDX-License-Identifier: MIT */
/*
 * Policies, workers and contexts change under load: each task runs once, after those it depends on, in a codelet that
 * meets others or in none. Prints its seeds.
 */
#include "../helper.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const policies[] = {
	"tree-eager",
	"tree-prio",
	"tree-ws",
	"tree-eager-prefetching",
	"tree-dmdas",
	"tree-cambium",
	"tree-random",
	"fifo | fifo(ntasks=3) | eager | each worker { fifo(ntasks=1) }",
	"heteroprio | each worker { prio(ntasks=2) | best-implementation }",
	"fifo | eager { each team { }, each worker { } }",
};

enum { CELLS = 8, WORKERS = 4, CHANGES = 40 };

struct bed {
	struct helper *h;
	struct xy_handle *cells[CELLS];
	unsigned long data[CELLS];      /* written by tasks, without atomics: only dependencies keep them apart */
	unsigned long submitted[CELLS]; /* how often each was to be */
	_Atomic unsigned long ran, nested;
	_Atomic bool over;
	uint64_t seed;
	struct xy_context *context; /* or NULL */
};

/* --- tasks --- */

static int nested_run(struct xy_call *call)
{
	atomic_fetch_add(&((struct bed *)call->arg)->nested, 1);
	return 0;
}

static const struct xy_codelet nested_codelet = { .name = "nested", .cpu = { nested_run } };

static int add_run(struct xy_call *call)
{
	struct bed *bed = call->arg;

	if (call->rank)
		return 0;
	for (unsigned i = 0; i < call->nbuffers; i++)
		++*(unsigned long *)xy_pointer(call, i);
	if (atomic_fetch_add(&bed->ran, 1) % 16 == 0 &&
	    xy_insert(call->runtime, &nested_codelet, xy_arg(bed), xy_priority(1)))
		return -EIO;
	return 0;
}

static const struct xy_codelet add_codelet = { .name = "add", .cpu = { add_run } };
static const struct xy_codelet spmd_codelet = { .name = "spmd", .cpu = { add_run }, .parallel = XY_SPMD };
static const struct xy_codelet join_codelet = { .name = "join", .cpu = { add_run }, .parallel = XY_FORK_JOIN };

static void submit_one(struct bed *bed, uint64_t *random)
{
	static const struct xy_codelet *const codelets[] = { &add_codelet, &add_codelet, &spmd_codelet, &join_codelet };
	unsigned first = helper_below(random, CELLS), second = helper_below(random, CELLS);
	unsigned worker = helper_below(random, WORKERS);
	struct xy_access accesses[3] = { { bed->cells[first], XY_RW } };
	struct xy_task_desc desc = {
		.codelet = codelets[helper_below(random, 4)],
		.accesses = accesses,
		.arg = bed,
		.priority = (int)helper_below(random, 5),
		.workers = &worker,
		.nworkers = helper_below(random, 8) == 0,
	};

	bed->submitted[first]++;
	if (second != first && helper_below(random, 2)) {
		accesses[1] = (struct xy_access){ bed->cells[second], XY_RW };
		bed->submitted[second]++;
	}
	assert_int_equal(xy_submit(bed->h->rt, &desc), 0);
}

/* --- changes --- */

static int change_one(struct bed *bed, uint64_t *random)
{
	unsigned workers[WORKERS], n = 0;

	switch (helper_below(random, 4)) {
	case 0:
		return xy_worker_remove(bed->h->rt, helper_below(random, WORKERS));
	case 1:
		return xy_worker_add(bed->h->rt, helper_below(random, WORKERS));
	case 2:
		for (unsigned i = 0; i < WORKERS; i++)
			if (helper_below(random, 2))
				workers[n++] = i;
		return xy_set_workers(bed->h->rt, workers, n);
	default:
		return xy_set_policy(bed->h->rt, policies[helper_below(random, HELPER_COUNT(policies))]);
	}
}

static void *change_all(void *arg)
{
	struct bed *bed = arg;
	uint64_t random = bed->seed * 7919;

	for (unsigned i = 0; i < helper_scale(CHANGES); i++) {
		int error = change_one(bed, &random);

		if (error) {
			fprintf(stderr, "seed %llu: change %u: %d\n", (unsigned long long)bed->seed, i, error);
			abort();
		}
		for (unsigned k = helper_below(&random, 200); k; k--)
			sched_yield();
	}
	if (xy_set_workers(bed->h->rt, (unsigned[]){ 0, 1, 2, 3 }, WORKERS))
		abort();
	atomic_store(&bed->over, true);
	return NULL;
}

static void run_with_changes(uint64_t seed)
{
	struct bed *bed = calloc(1, sizeof *bed);
	uint64_t random = seed;
	pthread_t thread;
	unsigned long total = 0;

	printf("# seed %llu\n", (unsigned long long)seed);
	bed->seed = seed;
	bed->h = helper_start_with(&(struct xy_config){
		.sched = policies[seed % HELPER_COUNT(policies)], .ncpu = WORKERS, .bind = XY_NO, .window = 300 });
	helper_forget(bed->h);
	for (unsigned i = 0; i < CELLS; i++)
		assert_int_equal(xy_variable_register(bed->h->rt, &bed->cells[i], &bed->data[i], sizeof bed->data[i]),
				 0);
	assert_int_equal(pthread_create(&thread, NULL, change_all, bed), 0);
	while (!atomic_load(&bed->over) && total < 200000) {
		submit_one(bed, &random);
		total++;
	}
	pthread_join(thread, NULL);
	assert_int_equal(helper_wait(bed->h), 0);
	assert_int_equal(bed->ran, total);
	assert_int_equal(bed->nested, (total + 15) / 16);
	for (unsigned i = 0; i < CELLS; i++) {
		xy_unregister(&bed->cells[i]);
		assert_int_equal(bed->data[i], bed->submitted[i]);
	}
	assert_int_equal(helper_stop_lines(bed->h, HELPER_ANY_LINES), 0);
	free(bed);
}

static void loses_nothing_while_policies_and_workers_change(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++)
		run_with_changes(seed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loses_nothing_while_policies_and_workers_change),
	};

	helper_guard();
	if (argc > 1) {
		run_with_changes(strtoull(argv[1], NULL, 10));
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
