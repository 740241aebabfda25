/* SPDX-License-Identifier: MIT */
/*
 * Policies, workers and contexts change under load: each task runs once, and those that use a handle run in the order
 * of their submission. Prints its seeds; with one as its argument it runs that alone.
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
	"fifo | divide(items=7) | fifo | eager | each worker { }",
};

enum { CELLS = 8, WORKERS = 4, CHANGES = 40, MOST_WAITING = 1000 };

/* Locking key: (c) constant, (a) atomic, (s) the submitter, (l) lock. */
struct bed {
	struct helper *h;                          /* (c) */
	struct xy_handle *cells[CELLS];            /* (c) */
	unsigned long data[CELLS];                 /* written by tasks: only dependencies keep them apart */
	unsigned long submitted[CELLS];            /* (s) how often each was to be */
	unsigned long items;                       /* (s) of divisible tasks */
	_Atomic unsigned long ran, nested, ranged; /* (a) */
	_Atomic unsigned long disordered;          /* (a) tasks that found another value than those before them leave */
	_Atomic bool over;                         /* (a) */
	uint64_t seed;                             /* (c) */
	pthread_mutex_t lock;       /* held while tasks are submitted to the context, or it is destroyed */
	struct xy_context *context; /* (l), the changer writes; or NULL */
	bool window;                /* (c) submitting may block; then there is no context */
};

/* The argument of a task: what it should find in its cells. */
struct errand {
	struct bed *bed;
	unsigned long found[2];
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
	struct errand *errand = call->arg;
	struct bed *bed = errand->bed;

	if (call->rank)
		return 0;
	for (unsigned i = 0; i < call->nbuffers; i++)
		if ((*(unsigned long *)xy_pointer(call, i))++ != errand->found[i])
			atomic_fetch_add(&bed->disordered, 1);
	if (atomic_fetch_add(&bed->ran, 1) % 16 == 0 &&
	    xy_insert(call->runtime, &nested_codelet, xy_arg(bed), xy_priority(1)))
		return -EIO;
	return 0;
}

static int range_run(struct xy_call *call)
{
	struct xy_range range = xy_call_range(call);

	atomic_fetch_add(&((struct bed *)call->arg)->ranged, range.stop - range.start);
	return 0;
}

static const struct xy_codelet add_codelet = { .name = "add", .cpu = { add_run } };
static const struct xy_codelet spmd_codelet = { .name = "spmd", .cpu = { add_run }, .parallel = XY_SPMD };
static const struct xy_codelet join_codelet = { .name = "join", .cpu = { add_run }, .parallel = XY_FORK_JOIN };
static const struct xy_codelet range_codelet = { .name = "range", .cpu = { range_run } };

static void submit_range(struct bed *bed, uint64_t *random)
{
	unsigned items = 1 + helper_below(random, 100);

	bed->items += items;
	assert_int_equal(xy_submit(bed->h->rt, &(struct xy_task_desc){ .codelet = &range_codelet,
								       .arg = bed,
								       .range = { 0, items },
								       .context = bed->context }),
			 0);
}

static void submit_add(struct bed *bed, uint64_t *random)
{
	static const struct xy_codelet *const codelets[] = { &add_codelet, &add_codelet, &spmd_codelet, &join_codelet };
	unsigned first = helper_below(random, CELLS), second = helper_below(random, CELLS);
	unsigned worker = helper_below(random, WORKERS);
	struct xy_access accesses[3] = { { bed->cells[first], XY_RW } };
	struct errand errand = { .bed = bed };
	struct xy_task_desc desc = {
		.codelet = codelets[helper_below(random, 4)],
		.accesses = accesses,
		.arg = &errand,
		.arg_size = sizeof errand,
		.priority = (int)helper_below(random, 5),
		.workers = &worker,
		.nworkers = helper_below(random, 8) == 0,
		.context = helper_below(random, 2) ? bed->context : NULL,
	};

	errand.found[0] = bed->submitted[first]++;
	if (second != first && helper_below(random, 2)) {
		accesses[1] = (struct xy_access){ bed->cells[second], XY_RW };
		errand.found[1] = bed->submitted[second]++;
	}
	assert_int_equal(xy_submit(bed->h->rt, &desc), 0);
}

/* How many tasks that is. */
static unsigned submit_one(struct bed *bed, uint64_t *random)
{
	bool ranged = helper_below(random, 16) == 0;

	pthread_mutex_lock(&bed->lock);
	if (ranged)
		submit_range(bed, random);
	else
		submit_add(bed, random);
	pthread_mutex_unlock(&bed->lock);
	return !ranged;
}

/* --- changes --- */

/* A context comes, or goes. */
static int change_context(struct bed *bed, const unsigned *workers, unsigned n, const char *policy)
{
	const struct xy_context_desc desc = { .policy = policy, .workers = workers, .nworkers = n };
	struct xy_context *context = bed->context;
	int error = context ? 0 : xy_context_create(bed->h->rt, &desc, &context);

	if (error)
		return error;
	pthread_mutex_lock(&bed->lock);
	bed->context = bed->context ? NULL : context;
	pthread_mutex_unlock(&bed->lock);
	return bed->context ? 0 : xy_context_destroy(&context);
}

static int change_one(struct bed *bed, uint64_t *random)
{
	const char *policy = policies[helper_below(random, HELPER_COUNT(policies))];
	unsigned workers[WORKERS], n = 0, what = helper_below(random, 6);

	for (unsigned i = 0; i < WORKERS; i++)
		if (helper_below(random, 2))
			workers[n++] = i;
	switch (what) {
	case 0:
		return xy_worker_remove(bed->h->rt, helper_below(random, WORKERS));
	case 1:
		return xy_worker_add(bed->h->rt, helper_below(random, WORKERS));
	case 2:
		return xy_set_workers(bed->h->rt, workers, n);
	case 3:
		return bed->window ? 0 : change_context(bed, workers, n, policy);
	default:
		return xy_set_policy(bed->h->rt, policy);
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
	if ((bed->context && change_context(bed, NULL, 0, NULL)) ||
	    xy_set_workers(bed->h->rt, (unsigned[]){ 0, 1, 2, 3 }, WORKERS))
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
	bed->window = seed % 2;
	pthread_mutex_init(&bed->lock, NULL);
	bed->h = helper_start_with(&(struct xy_config){ .sched = policies[seed % HELPER_COUNT(policies)],
							.ncpu = WORKERS,
							.bind = XY_NO,
							.window = bed->window ? 300 : 0 });
	helper_forget(bed->h);
	for (unsigned i = 0; i < CELLS; i++)
		assert_int_equal(xy_variable_register(bed->h->rt, &bed->cells[i], &bed->data[i], sizeof bed->data[i]),
				 0);
	assert_int_equal(pthread_create(&thread, NULL, change_all, bed), 0);
	while (!atomic_load(&bed->over) && total < 200000) {
		if (total - atomic_load(&bed->ran) < MOST_WAITING)
			total += submit_one(bed, &random);
		else
			sched_yield();
	}
	pthread_join(thread, NULL);
	assert_int_equal(helper_wait(bed->h), 0);
	assert_int_equal(bed->ran, total);
	assert_int_equal(bed->nested, (total + 15) / 16);
	assert_int_equal(bed->ranged, bed->items);
	assert_int_equal(bed->disordered, 0);
	for (unsigned i = 0; i < CELLS; i++) {
		xy_unregister(&bed->cells[i]);
		assert_int_equal(bed->data[i], bed->submitted[i]);
	}
	assert_int_equal(helper_stop_lines(bed->h, HELPER_ANY_LINES), 0);
	pthread_mutex_destroy(&bed->lock);
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
