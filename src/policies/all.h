/* SPDX-License-Identifier: MIT */
/*
 * The policies that come with the library, one file each.
 */
#ifndef XYLEM_POLICIES_ALL_H
#define XYLEM_POLICIES_ALL_H

#include <xylem/component.h>

extern const struct xy_policy xy__policy_tree_batch_auto;
extern const struct xy_policy xy__policy_tree_batch_hybrid;
extern const struct xy_policy xy__policy_tree_batch_mpi;
extern const struct xy_policy xy__policy_tree_batch_simple;
extern const struct xy_policy xy__policy_tree_cambium;
extern const struct xy_policy xy__policy_tree_dmda;
extern const struct xy_policy xy__policy_tree_dmdap;
extern const struct xy_policy xy__policy_tree_dmdar;
extern const struct xy_policy xy__policy_tree_dmdas;
extern const struct xy_policy xy__policy_tree_eager;
extern const struct xy_policy xy__policy_tree_eager_prefetching;
extern const struct xy_policy xy__policy_tree_eager_prio;
extern const struct xy_policy xy__policy_tree_heft;
extern const struct xy_policy xy__policy_tree_heft_caches;
extern const struct xy_policy xy__policy_tree_heft_nodes;
extern const struct xy_policy xy__policy_tree_heft_prio;
extern const struct xy_policy xy__policy_tree_heft2;
extern const struct xy_policy xy__policy_tree_heteroprio;
extern const struct xy_policy xy__policy_tree_heteroprio_heft;
extern const struct xy_policy xy__policy_tree_in_order;
extern const struct xy_policy xy__policy_tree_parallel_heft;
extern const struct xy_policy xy__policy_tree_parallel_random;
extern const struct xy_policy xy__policy_tree_parallel_random_prio;
extern const struct xy_policy xy__policy_tree_pipeline;
extern const struct xy_policy xy__policy_tree_prio;
extern const struct xy_policy xy__policy_tree_prio_archs;
extern const struct xy_policy xy__policy_tree_prio_prefetching;
extern const struct xy_policy xy__policy_tree_random;
extern const struct xy_policy xy__policy_tree_random_prefetching;
extern const struct xy_policy xy__policy_tree_random_prio;
extern const struct xy_policy xy__policy_tree_random_prio_prefetching;
extern const struct xy_policy xy__policy_tree_ws;
extern const struct xy_policy xy__policy_tree_ws_caches;
extern const struct xy_policy xy__policy_tree_ws_nodes;

#endif
