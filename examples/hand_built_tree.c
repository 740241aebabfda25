/* SPDX-License-Identifier: MIT */
/*
 * A tree built by calls runs tasks: a queue, a mapper that serves idle workers, and below it two tasks ahead for each
 * worker. The expression of tree-eager-prefetching gives an equal tree, which is checked.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <xylem.h>
#include <xylem/tree.h>

enum { TASKS = 1000 };

/* Calls can be chained without checks: whichever fails first is the reason that xy_start reports. */
static int build(struct xy_tree *tree, void *arg)
{
	struct xy_component *root = xy_tree_add_named(tree, "fifo");
	struct xy_component *eager = xy_tree_add_named(tree, "eager");
	int error = xy_component_set(root, "ready", "true") || xy_tree_link(root, eager);

	for (unsigned i = 0; i < xy_machine_nworkers(xy_tree_machine(tree)) && !error; i++) {
		struct xy_component *fifo = xy_tree_add_named(tree, "fifo");
		struct xy_component *best = xy_tree_add_named(tree, "best-implementation");

		error = xy_component_set(fifo, "ntasks", arg) || xy_component_set(fifo, "ready", "true") ||
			xy_tree_link(eager, fifo) || xy_tree_link(fifo, best) ||
			xy_tree_link(best, xy_tree_worker(tree, i));
	}
	return error;
}

static int count_cpu(struct xy_call *call)
{
	atomic_fetch_add((atomic_uint *)call->arg, 1);
	return 0;
}

static const struct xy_codelet count = { .name = "count", .cpu = { count_cpu } };

/* Whether the tree that runs is that of the policy. */
static bool is_policy(const struct xy_runtime *rt, const char *policy)
{
	struct xy_registry *registry = NULL;
	struct xy_tree *parsed = NULL;
	bool same = !xy_registry_create(&registry, NULL, NULL, 0) &&
		    !xy_tree_parse(&parsed, policy, xy_runtime_machine(rt), registry, NULL, 0) &&
		    xy_tree_equal(xy_runtime_tree(rt), parsed);

	xy_tree_destroy(parsed);
	xy_registry_destroy(registry);
	return same;
}

int main(void)
{
	struct xy_config config = { .tree = build, .tree_arg = "2" };
	atomic_uint counter = 0;
	struct xy_runtime *rt;
	bool right;

	if (xy_start(&rt, &config))
		return 1;
	for (unsigned i = 0; i < TASKS; i++)
		xy_submit(rt, &(struct xy_task_desc){ .codelet = &count, .arg = &counter, .length_us = 100 });
	xy_wait(rt);
	xy_tree_print(xy_runtime_tree(rt), stdout, XY_TREE_DRAWING, XY_PRINT_COUNTERS);
	right = is_policy(rt, "tree-eager-prefetching");
	printf("%s tree-eager-prefetching\n", right ? "the same as" : "NOT the same as");
	if (xy_is_simulated(rt))
		printf("%d tasks of 100 us took %g us of virtual time\n", TASKS, 1e6 * xy_now(rt));
	else
		printf("%u of %d tasks were run\n", counter, TASKS);
	right = right && (xy_is_simulated(rt) || counter == TASKS);
	return xy_stop(&rt) || !right;
}
