/* SPDX-License-Identifier: MIT */
/* A plug-in with a policy that is built by calls, of a component that no expression knows. */
#include <xylem/tree.h>

static const struct xy_component_ops pipe_ops = {
	.name = "hidden-pipe",
	.summary = "passes everything on",
	.manual = "Every verb is the default one.\n",
	.size = sizeof(struct xy_component),
};

static int build(struct xy_tree *tree, void *arg)
{
	struct xy_component *root = xy_tree_add_named(tree, "fifo");
	struct xy_component *eager = xy_tree_add_named(tree, arg);
	int error = xy_tree_link(root, eager);

	for (unsigned i = 0; !error && i < xy_machine_nworkers(xy_tree_machine(tree)); i++) {
		struct xy_component *pipe = xy_tree_add(tree, &pipe_ops);

		error = xy_tree_link(eager, pipe) || xy_tree_link(pipe, xy_tree_worker(tree, i));
	}
	return error;
}

static const struct xy_policy built = {
	.name = "test-built",
	.summary = "a policy of a plug-in that is built by calls",
	.build = build,
	.build_arg = "eager",
};

const struct xy_plugin xy_plugin = {
	.abi = XY_ABI,
	.name = "built",
	.policies = (const struct xy_policy *const[]){ &built, NULL },
};
