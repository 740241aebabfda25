/* SPDX-License-Identifier: MIT */
/*
 * Trees of tasks that wait for their children, or end after them, among tasks that depend on each other by data. Each
 * parent finds that all below it have ended; each runtime prints its seed.
 */
#include "../helper.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 6, MOST_NODES = 1200, MOST_CHILDREN = 5, DEPTH = 5 };

/* A task of the tree. The cells have no atomics: only the order that the handles give keeps tasks apart. */
struct node {
	struct world *world;
	struct node *children[MOST_CHILDREN];
	unsigned nchildren, level;
	int cell;   /* that it writes, or -1 */
	bool nests; /* it has children */
	bool waits, extends, fails;
	_Atomic int ended;
};

struct world {
	struct helper *h;
	struct xy_handle *handles[CELLS];
	long cells[CELLS], model[CELLS];
	struct node nodes[MOST_NODES];
	unsigned nnodes;
	_Atomic int wrong;
	uint64_t random;
};

static int leaf_body(struct xy_call *call);
static int nested_body(struct xy_call *call);
static const struct xy_codelet leaf = { .name = "leaf", .cpu = { leaf_body } };
static const struct xy_codelet nested = { .name = "nested", .cpu = { nested_body }, .parallel = XY_NESTED };

static void node_end(void *arg, int status)
{
	struct node *node = arg;

	(void)status;
	for (unsigned i = 0; i < node->nchildren; i++)
		if (!atomic_load(&node->children[i]->ended))
			atomic_fetch_add(&node->world->wrong, 1);
	atomic_store(&node->ended, 1);
}

static int node_submit(struct xy_runtime *rt, struct node *node, struct xy_task *extends)
{
	struct xy_access access[2] = { { 0 } };
	struct xy_task_desc desc = { .codelet = node->nests ? &nested : &leaf,
				     .arg = node,
				     .callback = node_end,
				     .callback_arg = node,
				     .priority = (int)node->level,
				     .accesses = node->cell < 0 ? NULL : access };
	struct xy_task *task;
	int error;

	if (node->cell >= 0)
		access[0] = (struct xy_access){ node->world->handles[node->cell], XY_RW };
	if (!extends)
		return xy_submit(rt, &desc);
	error = xy_task_create(rt, &desc, &task);
	if (error)
		return error;
	error = xy_task_end_after(extends, task);
	if (!error)
		error = xy_task_submit(task);
	xy_task_release(task);
	return error;
}

static int leaf_body(struct xy_call *call)
{
	struct node *node = call->arg;

	if (node->cell >= 0)
		(*(long *)xy_pointer(call, 0))++;
	return node->fails ? -EIO : 0;
}

static int nested_body(struct xy_call *call)
{
	struct node *node = call->arg;
	int error = 0, status;

	for (unsigned i = 0; i < node->nchildren && !error; i++)
		error = node_submit(call->runtime, node->children[i], node->extends && i % 2 ? call->task : NULL);
	if (error || !node->waits)
		return error;
	status = xy_wait_children(call);
	if (status && status != -EIO && status != -ECANCELED)
		atomic_fetch_add(&node->world->wrong, 1);
	for (unsigned i = 0; i < node->nchildren; i++)
		if (!atomic_load(&node->children[i]->ended))
			atomic_fetch_add(&node->world->wrong, 1);
	return 0;
}

/* Only leaves write cells, so that no child waits for its parent. */
static struct node *make_node(struct world *world, unsigned level)
{
	struct node *node = &world->nodes[world->nnodes++];
	uint64_t *random = &world->random;

	*node = (struct node){ .world = world, .level = level, .cell = -1 };
	if (level < DEPTH && helper_below(random, 3))
		for (unsigned i = helper_below(random, MOST_CHILDREN); i && world->nnodes < MOST_NODES; i--)
			node->children[node->nchildren++] = make_node(world, level + 1);
	node->nests = node->nchildren || !helper_below(random, 4);
	node->waits = helper_below(random, 3);
	node->extends = !helper_below(random, 3);
	node->fails = !node->nests && !helper_below(random, 100);
	if (!node->nests && helper_below(random, 2)) {
		node->cell = (int)helper_below(random, CELLS);
		node->fails = false;
		world->model[node->cell]++;
	}
	return node;
}

static void run_world(const char *sched, unsigned nworkers, unsigned seed)
{
	struct world *world = calloc(1, sizeof *world);

	assert_non_null(world);
	print_message("# seed %u, %u workers, %s\n", seed, nworkers, sched);
	world->random = seed;
	world->h = helper_start_with(&(struct xy_config){ .sched = sched, .ncpu = nworkers, .window = 64 });
	for (unsigned i = 0; i < CELLS; i++)
		assert_int_equal(xy_variable_register(world->h->rt, &world->handles[i], &world->cells[i],
						      sizeof world->cells[i]),
				 0);
	for (unsigned i = 0; i < helper_scale(60) && world->nnodes < MOST_NODES - 300; i++)
		assert_int_equal(node_submit(world->h->rt, make_node(world, 0), NULL), 0);
	helper_wait(world->h);
	assert_int_equal(world->wrong, 0);
	for (unsigned i = 0; i < world->nnodes; i++)
		assert_int_equal(world->nodes[i].ended, 1);
	for (unsigned i = 0; i < CELLS; i++) {
		assert_int_equal(xy_unregister(&world->handles[i]), 0);
		assert_int_equal(world->cells[i], world->model[i]);
	}
	assert_int_equal(helper_stop_lines(world->h, HELPER_ANY_LINES), 0);
	free(world);
}

static const char *const policies[] = {
	"tree-eager",
	"tree-ws",
	"tree-prio-prefetching",
	"tree-random-prio",
	"tree-eager-prio",
	"tree-parallel-random",
	"fifo | eager | each worker { fifo(ntasks=3) | best-implementation }",
};

static void parents_end_after_all_below_them(void **state)
{
	const char *only = getenv("XYLEM_TEST_SEED");
	unsigned first = only ? (unsigned)atoi(only) : 0, n = only ? 1 : helper_scale(42);

	(void)state;
	for (unsigned seed = first; seed < first + n; seed++)
		run_world(policies[seed % HELPER_COUNT(policies)], 1 + seed % 5, seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parents_end_after_all_below_them),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
