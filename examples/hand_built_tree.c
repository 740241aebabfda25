/* SPDX-License-Identifier: MIT */
/*
 * A tree built by calls: a queue, a mapper that serves whoever is free, and below it two tasks kept
 * ready for each worker. The expression of tree-eager-prefetching gives the same tree, which is checked.
 */
#include <stdio.h>
#include <xylem.h>
#include <xylem/tree.h>

/* Calls can be chained without checks: a NULL or a wrong option is an error that link, set or seal
 * reports in the end. */
static int build(struct xy_tree *tree, unsigned nworkers)
{
	struct xy_component *root = xy_tree_add_named(tree, "fifo");
	struct xy_component *eager = xy_tree_add_named(tree, "eager");
	int error = xy_component_set(root, "ready", "true") || xy_tree_link(root, eager);

	for (unsigned i = 0; i < nworkers && !error; i++) {
		struct xy_component *fifo = xy_tree_add_named(tree, "fifo");
		struct xy_component *best = xy_tree_add_named(tree, "best-implementation");

		error = xy_component_set(fifo, "ntasks", "2") || xy_component_set(fifo, "ready", "true") ||
			xy_tree_link(eager, fifo) || xy_tree_link(fifo, best) ||
			xy_tree_link(best, xy_tree_worker(tree, i));
	}
	return error;
}

int main(void)
{
	char message[500] = "";
	struct xy_machine *machine = NULL;
	struct xy_registry *registry = NULL;
	struct xy_tree *built = NULL, *parsed = NULL;
	bool same = false;

	if (!xy_machine_create(&machine, "cpu:3", message, sizeof message) &&
	    !xy_registry_create(&registry, NULL, message, sizeof message) &&
	    (built = xy_tree_create(machine, registry)) && !build(built, xy_machine_nworkers(machine)) &&
	    !xy_tree_seal(built, message, sizeof message) &&
	    !xy_tree_parse(&parsed, "tree-eager-prefetching", machine, registry, message, sizeof message)) {
		xy_tree_print(built, stdout, XY_TREE_DRAWING, 0);
		same = xy_tree_equal(built, parsed);
		printf("%s tree-eager-prefetching\n", same ? "the same as" : "NOT the same as");
	} else {
		fprintf(stderr, "hand_built_tree: %s\n", message);
	}
	xy_tree_destroy(parsed);
	xy_tree_destroy(built);
	xy_registry_destroy(registry);
	xy_machine_destroy(machine);
	return same ? 0 : 1;
}
