/* SPDX-License-Identifier: MIT */
/*
 * The policies that come with the library, and the registry that has them and all components.
 */
#include "policies/all.h"

#include "components/all.h"
#include "core/tree/registry.h"

static const struct xy_policy *const policies[] = {
	&xy__policy_tree_batch_auto,
	&xy__policy_tree_batch_hybrid,
	&xy__policy_tree_batch_mpi,
	&xy__policy_tree_batch_simple,
	&xy__policy_tree_cambium,
	&xy__policy_tree_dmda,
	&xy__policy_tree_dmdap,
	&xy__policy_tree_dmdar,
	&xy__policy_tree_dmdas,
	&xy__policy_tree_eager,
	&xy__policy_tree_eager_prefetching,
	&xy__policy_tree_eager_prio,
	&xy__policy_tree_heft,
	&xy__policy_tree_heft_caches,
	&xy__policy_tree_heft_nodes,
	&xy__policy_tree_heft_prio,
	&xy__policy_tree_heft2,
	&xy__policy_tree_heteroprio,
	&xy__policy_tree_heteroprio_heft,
	&xy__policy_tree_in_order,
	&xy__policy_tree_parallel_heft,
	&xy__policy_tree_parallel_random,
	&xy__policy_tree_parallel_random_prio,
	&xy__policy_tree_pipeline,
	&xy__policy_tree_prio,
	&xy__policy_tree_prio_archs,
	&xy__policy_tree_prio_prefetching,
	&xy__policy_tree_random,
	&xy__policy_tree_random_prefetching,
	&xy__policy_tree_random_prio,
	&xy__policy_tree_random_prio_prefetching,
	&xy__policy_tree_ws,
	&xy__policy_tree_ws_caches,
	&xy__policy_tree_ws_nodes,
	NULL,
};

const char *xy_policy_default(const struct xy_machine *machine)
{
	for (unsigned i = 0; machine && i < xy_machine_nworkers(machine); i++)
		if (xy_machine_worker(machine, i)->arch != XY_CPU)
			return "tree-cambium";
	return "tree-eager";
}

int xy_registry_create(struct xy_registry **registry, const char *plugins, char *error, size_t error_size)
{
	const struct xy__builtin builtin = { .components = xy__components, .policies = policies };

	return xy__registry_create(registry, &builtin, plugins, error, error_size);
}
