/* SPDX-License-Identifier: MIT */
/*
 * A tree of the machine for policies: groups and processing units, whose identifiers are those that bindings use.
 */
#include "internal.h"

void starpu_tree_reset_visited(struct starpu_tree *tree, char *visited)
{
	if (tree->is_pu && tree->id >= 0)
		visited[tree->id] = 0;
	for (int i = 0; i < tree->arity; i++)
		starpu_tree_reset_visited(&tree->nodes[i], visited);
}

void starpu_tree_prepare_children(unsigned arity, struct starpu_tree *father)
{
	father->nodes = calloc(arity ? arity : 1, sizeof *father->nodes);
	father->arity = father->nodes ? (int)arity : 0;
}

void starpu_tree_insert(struct starpu_tree *tree, int id, int level, int is_pu, int arity, struct starpu_tree *father)
{
	*tree = (struct starpu_tree){
		.nodes = tree->nodes, .father = father, .arity = arity, .id = id, .level = level, .is_pu = is_pu
	};
}

struct starpu_tree *starpu_tree_get(struct starpu_tree *tree, int id)
{
	struct starpu_tree *found = NULL;

	if (!tree || (tree->is_pu && tree->id == id))
		return tree;
	for (int i = 0; i < tree->arity && tree->nodes && !found; i++)
		found = starpu_tree_get(&tree->nodes[i], id);
	return found;
}

static struct starpu_tree *tree_first(struct starpu_tree *tree, const char *visited, const char *present)
{
	struct starpu_tree *found = NULL;

	if (tree->is_pu && tree->id >= 0 && present[tree->id] && !visited[tree->id])
		return tree;
	for (int i = 0; i < tree->arity && tree->nodes && !found; i++)
		found = tree_first(&tree->nodes[i], visited, present);
	return found;
}

/* The nearest unit that is there and was not visited: in ever larger groups around the node. */
struct starpu_tree *starpu_tree_get_neighbour(struct starpu_tree *tree, struct starpu_tree *node, char *visited,
					      char *present)
{
	struct starpu_tree *found = NULL;

	for (struct starpu_tree *group = node ? node->father : NULL; group && !found; group = group->father) {
		found = tree_first(group, visited, present);
		if (group == tree)
			break;
	}
	return found;
}

void starpu_tree_free(struct starpu_tree *tree)
{
	for (int i = 0; i < tree->arity && tree->nodes; i++)
		starpu_tree_free(&tree->nodes[i]);
	free(tree->nodes);
	tree->nodes = NULL;
	tree->arity = 0;
}

static struct starpu_tree machine; /* set with tree_lock, until the runtime stops */
static bool there;
static pthread_mutex_t tree_lock = PTHREAD_MUTEX_INITIALIZER;

static void tree_fill(struct starpu_tree *tree, hwloc_obj_t object, int level, struct starpu_tree *father)
{
	bool unit = object->type == HWLOC_OBJ_PU;

	starpu_tree_insert(tree, unit ? (int)object->logical_index : -1, level, unit, 0, father);
	starpu_tree_prepare_children(object->arity, tree);
	for (int i = 0; i < tree->arity; i++)
		tree_fill(&tree->nodes[i], object->children[i], level + 1, tree);
}

struct starpu_tree *starpu_workers_get_tree(void)
{
	hwloc_topology_t topology = starpu_get_hwloc_topology();

	pthread_mutex_lock(&tree_lock);
	if (!there && topology) {
		tree_fill(&machine, hwloc_get_root_obj(topology), 0, NULL);
		there = true;
	}
	pthread_mutex_unlock(&tree_lock);
	return there ? &machine : NULL;
}

void xs_tree_fini(void)
{
	pthread_mutex_lock(&tree_lock);
	if (there)
		starpu_tree_free(&machine);
	there = false;
	pthread_mutex_unlock(&tree_lock);
}

/* --- priorities of heteroprio: Xylem's component finds its own order by measured lengths --- */

void starpu_heteroprio_set_nb_prios(unsigned sched_ctx_id, enum starpu_heteroprio_types arch, unsigned max_prio)
{
	(void)sched_ctx_id;
	(void)arch;
	(void)max_prio;
}

void starpu_heteroprio_set_mapping(unsigned sched_ctx_id, enum starpu_heteroprio_types arch, unsigned source_prio,
				   unsigned dest_bucket_id)
{
	(void)sched_ctx_id;
	(void)arch;
	(void)source_prio;
	(void)dest_bucket_id;
}

void starpu_heteroprio_set_faster_arch(unsigned sched_ctx_id, enum starpu_heteroprio_types arch, unsigned bucket_id)
{
	(void)sched_ctx_id;
	(void)arch;
	(void)bucket_id;
}

void starpu_heteroprio_set_arch_slow_factor(unsigned sched_ctx_id, enum starpu_heteroprio_types arch,
					    unsigned bucket_id, float slow_factor)
{
	(void)sched_ctx_id;
	(void)arch;
	(void)bucket_id;
	(void)slow_factor;
}
