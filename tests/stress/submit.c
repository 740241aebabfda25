/* SPDX-License-Identifier: MIT */
/* Submission from everywhere: many threads, codelets within codelets, runtimes that come and go. */
#include "../helper.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- many threads, the same handles --- */

enum { THREADS = 12, CELLS = 5 };

struct cell {
	struct xy_handle *handle;
	/* No atomics: only the order that the handle gives keeps tasks apart. */
	long sum;
	unsigned last[THREADS]; /* number of the last task of each thread that wrote it */
	bool wrong;
};

struct shared {
	struct helper *h;
	struct cell cells[CELLS];
	_Atomic int wrong;
};

struct thread {
	struct shared *shared;
	unsigned id, ntasks;
	long added[CELLS];
	int error;
};

/* The argument of a task: who submitted it, and as which of its tasks. */
struct origin {
	struct shared *shared;
	unsigned thread, number;
};

static int write_body(struct xy_call *call)
{
	struct origin *origin = call->arg;

	for (unsigned i = 0; i < call->nbuffers; i++) {
		struct cell *cell = xy_pointer(call, i);

		cell->sum++;
		/* tasks of one thread come in the order in which it submitted them */
		cell->wrong |= cell->last[origin->thread] >= origin->number;
		cell->last[origin->thread] = origin->number;
	}
	return 0;
}

static int read_body(struct xy_call *call)
{
	struct origin *origin = call->arg;

	for (unsigned i = 0; i < call->nbuffers; i++)
		if (((struct cell *)xy_pointer(call, i))->last[origin->thread] > origin->number)
			atomic_fetch_add(&origin->shared->wrong, 1);
	return 0;
}

static const struct xy_codelet write_codelet = { .name = "write", .cpu = { write_body } };
static const struct xy_codelet read_codelet = { .name = "read", .cpu = { read_body } };

/* One task with up to three accesses, some of which may name the same handle. */
static int submit_one(struct thread *thread, unsigned number, uint64_t *seed)
{
	struct shared *shared = thread->shared;
	struct origin origin = { shared, thread->id, number };
	bool writes = helper_below(seed, 3);
	struct xy_access accesses[4] = { 0 };
	unsigned cells[3], n = 0;

	for (unsigned i = 1 + helper_below(seed, 3); i; i--) {
		unsigned cell = helper_below(seed, CELLS);

		if ((n > 0 && cells[0] == cell) || (n > 1 && cells[1] == cell))
			continue;
		cells[n] = cell;
		accesses[n++] = (struct xy_access){ shared->cells[cell].handle, writes ? XY_RW : XY_R };
		thread->added[cell] += writes;
	}
	return xy_submit(shared->h->rt, &(struct xy_task_desc){ .codelet = writes ? &write_codelet : &read_codelet,
								.arg = &origin,
								.arg_size = sizeof origin,
								.accesses = accesses,
								.synchronous = helper_below(seed, 100) == 0 });
}

static void *submit_thread(void *arg)
{
	struct thread *thread = arg;
	uint64_t seed = thread->id + 1;

	for (unsigned i = 1; i <= thread->ntasks && !thread->error; i++) {
		thread->error = submit_one(thread, i, &seed);
		if (!thread->error && helper_below(&seed, 500) == 0)
			thread->error = xy_wait(thread->shared->h->rt);
		if (!thread->error && helper_below(&seed, 200) == 0) {
			struct xy_handle *x = thread->shared->cells[i % CELLS].handle;

			thread->error = xy_acquire(x, XY_R);
			if (!thread->error)
				thread->error = xy_release(x);
		}
	}
	return NULL;
}

static void run_threads(const char *sched, unsigned nworkers, unsigned nthreads)
{
	struct shared shared = { .h = helper_start(sched, nworkers) };
	struct thread threads[THREADS] = { { 0 } };
	pthread_t ids[THREADS];
	long sums[CELLS] = { 0 };

	for (unsigned i = 0; i < CELLS; i++)
		assert_int_equal(xy_variable_register(shared.h->rt, &shared.cells[i].handle, &shared.cells[i],
						      sizeof shared.cells[i]),
				 0);
	for (unsigned i = 0; i < nthreads; i++) {
		threads[i] = (struct thread){ .shared = &shared, .id = i, .ntasks = helper_scale(3000) };
		assert_int_equal(pthread_create(&ids[i], NULL, submit_thread, &threads[i]), 0);
	}
	for (unsigned i = 0; i < nthreads; i++) {
		assert_int_equal(pthread_join(ids[i], NULL), 0);
		assert_int_equal(threads[i].error, 0);
		for (unsigned j = 0; j < CELLS; j++)
			sums[j] += threads[i].added[j];
	}
	assert_int_equal(helper_wait(shared.h), 0);
	for (unsigned i = 0; i < CELLS; i++) {
		assert_int_equal(xy_unregister(&shared.cells[i].handle), 0);
		assert_int_equal(shared.cells[i].sum, sums[i]);
		assert_false(shared.cells[i].wrong);
	}
	assert_int_equal(shared.wrong, 0);
	assert_int_equal(helper_stop(shared.h), 0);
}

static void threads_share_handles(void **state)
{
	(void)state;
	print_message("# seeds 1 to %u\n", THREADS);
	run_threads("tree-ws", 2, 8);
	run_threads("tree-eager", 4, 8);
	/* more than there are agents for */
	run_threads("tree-eager-prefetching", 2, THREADS);
}

/* --- created tasks in many threads --- */

struct lane {
	struct helper *h;
	unsigned rounds;
	_Atomic int n;
	int error;
};

/* Builds small graphs in the wrong order, submits them, waits, submits some again. */
static void *lane_thread(void *arg)
{
	struct lane *lane = arg;

	for (unsigned i = 0; i < lane->rounds && !lane->error; i++) {
		struct xy_task *tasks[4] = { NULL };
		struct xy_task_desc desc = { .codelet = &helper_count, .arg = &lane->n };

		for (unsigned j = 0; j < 4 && !lane->error; j++)
			lane->error = xy_task_create(lane->h->rt, &desc, &tasks[j]);
		for (unsigned j = 0; j < 3 && !lane->error; j++)
			lane->error = xy_task_after(tasks[j], tasks[j + 1]);
		for (unsigned j = 0; j < 4 && !lane->error; j++)
			lane->error = xy_task_submit(tasks[j]);
		for (unsigned j = 0; j < 2 && !lane->error; j++) {
			lane->error = xy_task_wait(tasks[j]);
			if (!lane->error)
				lane->error = xy_task_submit(tasks[j]);
		}
		for (unsigned j = 0; j < 4; j++)
			xy_task_release(tasks[j]);
	}
	return NULL;
}

static void threads_build_graphs_of_their_own(void **state)
{
	struct helper *h = helper_start(NULL, 4);
	struct lane lanes[8];
	pthread_t ids[8];

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		lanes[i] = (struct lane){ .h = h, .rounds = helper_scale(500) };
		assert_int_equal(pthread_create(&ids[i], NULL, lane_thread, &lanes[i]), 0);
	}
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(pthread_join(ids[i], NULL), 0);
	assert_int_equal(helper_wait(h), 0);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(lanes[i].error, 0);
		assert_int_equal(lanes[i].n, 6 * lanes[i].rounds);
	}
	assert_int_equal(helper_stop(h), 0);
}

/* --- codelets that submit codelets --- */

struct tree {
	struct tree *root;
	unsigned depth;
	_Atomic int nodes;
};

static int node_body(struct xy_call *call)
{
	static const struct xy_codelet node = { .name = "node", .cpu = { node_body } };
	const struct tree *self = call->arg;
	int error = 0;

	atomic_fetch_add(&self->root->nodes, 1);
	for (unsigned i = 0; self->depth && i < 3 && !error; i++) {
		struct tree child = { .root = self->root, .depth = self->depth - 1 };

		error = xy_submit(call->runtime,
				  &(struct xy_task_desc){ .codelet = &node, .arg = &child, .arg_size = sizeof child });
	}
	return error;
}

static void codelets_submit_trees_of_tasks(void **state)
{
	static const struct xy_codelet node = { .name = "node", .cpu = { node_body } };
	static const struct {
		const char *sched;
		unsigned nworkers;
	} runs[] = {
		{ "tree-ws", 1 },
		{ "tree-ws", 8 },
		{ "tree-eager", 2 },
		{ "tree-random-prefetching", 3 },
	};

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(runs); i++) {
		struct helper *h = helper_start_with(
			&(struct xy_config){ .sched = runs[i].sched, .ncpu = runs[i].nworkers, .window = 50 });
		struct tree tree = { .depth = 8 };

		tree.root = &tree;
		HELPER_SUBMIT(h, .codelet = &node, .arg = &tree);
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(tree.nodes, 9841);
		assert_int_equal(helper_stop(h), 0);
	}
}

static void a_hundred_workers_share_two_thousand_tasks(void **state)
{
	static const char *const policies[] = { "tree-ws", "tree-eager", "tree-random-prio-prefetching" };

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(policies); i++) {
		struct helper *h = helper_start(policies[i], 100);
		_Atomic int n = 0;

		for (unsigned j = 0; j < 2000; j++)
			HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n);
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(n, 2000);
		assert_int_equal(helper_stop(h), 0);
	}
}

/* --- runtimes that come and go --- */

static void starts_and_stops_a_thousand_times(void **state)
{
	unsigned times = helper_scale(1000);

	(void)state;
	for (unsigned i = 0; i < times; i++) {
		struct helper *h = helper_start(i % 3 ? NULL : "tree-eager-prefetching", 1 + i % 3);
		_Atomic int n = 0;

		for (unsigned j = 0; j < i % 4; j++)
			HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n);
		if (i % 2)
			assert_int_equal(helper_wait(h), 0);
		assert_int_equal(helper_stop(h), 0);
		assert_int_equal(n, i % 4);
	}
}

static void ignore_line(void *arg, const char *line)
{
	(void)arg, (void)line;
}

static void *start_stop_thread(void *arg)
{
	for (unsigned i = 0; i < helper_scale(100); i++) {
		struct xy_runtime *rt;
		_Atomic int n = 0;

		if (xy_start(&rt,
			     &(struct xy_config){ .machine = "cpu:2", .ignore_environment = true, .log = ignore_line }))
			return arg;
		for (unsigned j = 0; j < 10; j++)
			if (xy_submit(rt, &(struct xy_task_desc){ .codelet = &helper_count, .arg = &n }))
				return arg;
		if (xy_stop(&rt) || n != 10)
			return arg;
	}
	return NULL;
}

static void runtimes_come_and_go_in_several_threads(void **state)
{
	pthread_t threads[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, start_stop_thread, threads), 0);
	for (unsigned i = 0; i < 4; i++) {
		void *result;

		assert_int_equal(pthread_join(threads[i], &result), 0);
		assert_null(result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_share_handles),
		cmocka_unit_test(threads_build_graphs_of_their_own),
		cmocka_unit_test(codelets_submit_trees_of_tasks),
		cmocka_unit_test(a_hundred_workers_share_two_thousand_tasks),
		cmocka_unit_test(starts_and_stops_a_thousand_times),
		cmocka_unit_test(runtimes_come_and_go_in_several_threads),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
