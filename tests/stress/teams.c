/* SPDX-License-Identifier: MIT */
/*
 * Many teams that overlap, and tasks of all kinds that depend on each other. What they compute is compared
 * with a serial model; each runtime prints its seed.
 */
#include "../helper.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CELLS = 8, TASKS = 400 };

/* No atomics: only the order that the handle gives keeps tasks apart, and barriers keep ranks apart. */
struct cell {
	long sum;
	unsigned char marks[64]; /* by rank of the task that has it */
};

struct world {
	struct helper *h;
	struct xy_handle *handles[CELLS];
	struct cell cells[CELLS];
	long model[CELLS];
	_Atomic int wrong, ranks;
	uint64_t random;
};

/* The argument of a task. */
struct order {
	struct world *world;
	unsigned pause_us;
	unsigned fail; /* so many tries fail first, in the last rank */
	_Atomic unsigned tries;
};

static void rest(unsigned us)
{
	if (us)
		nanosleep(&(struct timespec){ .tv_nsec = (long)us * 1000 }, NULL);
}

static void check(struct world *world, bool right)
{
	if (!right)
		atomic_fetch_add(&world->wrong, 1);
}

static int alone_body(struct xy_call *call)
{
	struct order *order = call->arg;

	check(order->world, call->nranks == 1 && call->rank == 0);
	rest(order->pause_us);
	for (unsigned i = 0; i < call->nbuffers; i++)
		((struct cell *)xy_pointer(call, i))->sum++;
	return 0;
}

static int fork_body(struct xy_call *call)
{
	struct order *order = call->arg;

	if (atomic_fetch_add(&order->tries, 1) < order->fail)
		return -EIO;
	rest(order->pause_us);
	for (unsigned i = 0; i < call->nbuffers; i++)
		((struct cell *)xy_pointer(call, i))->sum++;
	return 0;
}

/* Each rank leaves a mark, and the first adds one if all did. */
static int spmd_body(struct xy_call *call)
{
	struct order *order = call->arg;
	bool fails = false;

	atomic_fetch_add(&order->world->ranks, 1);
	if (call->rank + 1 == call->nranks)
		fails = atomic_fetch_add(&order->tries, 1) < order->fail;
	if (fails)
		return -EIO;
	rest(call->rank % 2 ? order->pause_us : 0);
	for (unsigned i = 0; i < call->nbuffers; i++) {
		struct cell *cell = xy_pointer(call, i);
		int error;

		cell->marks[call->rank] = (unsigned char)(call->rank + 1);
		error = xy_call_barrier(call);
		if (error)
			return error;
		for (unsigned r = 0; r < call->nranks; r++)
			check(order->world, cell->marks[r] == r + 1);
		error = xy_call_barrier(call);
		if (error)
			return error;
		cell->marks[call->rank] = 0;
		if (call->rank == 0)
			cell->sum++;
	}
	return 0;
}

static const struct xy_codelet codelets[] = {
	{ .name = "alone", .cpu = { alone_body } },
	{ .name = "fork", .cpu = { fork_body }, .parallel = XY_FORK_JOIN },
	{ .name = "spmd", .cpu = { spmd_body }, .parallel = XY_SPMD },
	{ .name = "spmd2", .cpu = { spmd_body }, .parallel = XY_SPMD, .most_ranks = 2 },
	{ .name = "fork3", .cpu = { fork_body }, .parallel = XY_FORK_JOIN, .most_ranks = 3 },
};

static void submit_some(struct world *world, struct order *orders, unsigned n, unsigned nworkers)
{
	uint64_t *random = &world->random;

	for (unsigned i = 0; i < n; i++) {
		unsigned kind = helper_below(random, HELPER_COUNT(codelets)), naccesses = 1 + helper_below(random, 3);
		unsigned first = helper_below(random, CELLS), worker = helper_below(random, nworkers);
		struct xy_access accesses[4] = { 0 };

		orders[i] = (struct order){
			.world = world,
			.pause_us = helper_below(random, 16) ? 0 : helper_below(random, 60),
			.fail = kind && !helper_below(random, 10) ? 1 + helper_below(random, 2) : 0,
		};
		for (unsigned k = 0; k < naccesses; k++) {
			unsigned cell = (first + k * 3) % CELLS;

			accesses[k] = (struct xy_access){ world->handles[cell], XY_RW };
			world->model[cell]++;
		}
		HELPER_SUBMIT(world->h, .codelet = &codelets[kind], .arg = &orders[i], .accesses = accesses,
			      .retries = 2, .choice = helper_below(random, 3),
			      .priority = (int)helper_below(random, 5) - 2, .workers = &worker,
			      .nworkers = helper_below(random, 8) ? 0 : 1);
	}
}

static void run_world(const char *sched, const char *machine, unsigned seed)
{
	struct world *world = calloc(1, sizeof *world);
	struct order *orders = calloc(TASKS, sizeof *orders);
	unsigned n = helper_scale(TASKS), nworkers;

	assert_non_null(world);
	assert_non_null(orders);
	print_message("# seed %u, %s, %s\n", seed, machine, sched);
	world->random = seed;
	world->h = helper_start_with(&(struct xy_config){
		.sched = sched, .machine = machine, .seed = seed + 1, .profile = seed % 2, .numa = seed % 3 == 1 });
	helper_forget(world->h);
	nworkers = xy_machine_nworkers(xy_runtime_machine(world->h->rt));
	for (unsigned i = 0; i < CELLS; i++)
		assert_int_equal(xy_variable_register(world->h->rt, &world->handles[i], &world->cells[i],
						      sizeof world->cells[i]),
				 0);
	for (unsigned done = 0, part; done < n; done += part) {
		part = 1 + helper_below(&world->random, n - done);
		submit_some(world, orders + done, part, nworkers);
		if (helper_below(&world->random, 2))
			assert_int_equal(helper_wait(world->h), 0);
	}
	assert_int_equal(helper_wait(world->h), 0);
	assert_int_equal(world->wrong, 0);
	for (unsigned i = 0; i < CELLS; i++) {
		assert_int_equal(xy_unregister(&world->handles[i]), 0);
		assert_int_equal(world->cells[i].sum, world->model[i]);
	}
	assert_int_equal(helper_stop(world->h), 0);
	free(orders);
	free(world);
}

static const char *const policies[] = {
	"tree-parallel-random",
	"tree-parallel-random-prio",
	"fifo | eager { each worker { }, each team { } }",
	"fifo | eager { each team { prio(ntasks=3) }, each worker { fifo(ntasks=1) } }",
	"work-stealing { each worker { best-implementation }, each team { fifo } }",
	"fifo | work-stealing { each team { stage }, each worker { prio(ntasks=2) } }",
	("userchoice { fifo | eager | each worker { }, fifo | eager { each worker { stage }, each team { } }, "
	 "prio | random { each worker { stage | stage }, each team { fifo } } }"),
	"tree-random",
};

static const char *const machines[] = {
	"this:4", "this(numa:2 core:3)", "this:1", "this(package:2 l3:2 core:2)",
	"this:7", "this(numa:3 core:1)", "this:2",
};

static void teams_that_overlap_run_all_tasks(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < helper_scale(28); seed++)
		run_world(policies[seed % HELPER_COUNT(policies)], machines[seed % HELPER_COUNT(machines)], seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(teams_that_overlap_run_all_tasks),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
