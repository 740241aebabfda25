/* SPDX-License-Identifier: MIT */
/*
 * Trees of components: one for each context, and the functions that make it a policy.
 */
#include "component.h"

static struct starpu_sched_tree *trees[STARPU_NMAX_SCHED_CTXS]; /* changed while no task is there */
static _Thread_local struct starpu_sched_tree *last;

struct starpu_sched_tree *xy_starpu_last_tree(void)
{
	return last;
}

unsigned xy_starpu_last_context(void)
{
	return last ? last->sched_ctx_id : 0;
}

static bool context_is(unsigned id)
{
	if (id < STARPU_NMAX_SCHED_CTXS)
		return true;
	xs_fail(-EINVAL, "there is no context %u for a tree of components", id);
	return false;
}

struct starpu_sched_tree *starpu_sched_tree_create(unsigned sched_ctx_id)
{
	struct starpu_sched_tree *tree = context_is(sched_ctx_id) ? calloc(1, sizeof *tree) : NULL;

	if (!tree)
		return NULL;
	tree->workers = starpu_bitmap_create();
	tree->sched_ctx_id = sched_ctx_id;
	pthread_mutex_init(&tree->lock, NULL);
	if (trees[sched_ctx_id])
		xs_note("context %u has a tree of components already; the new one takes its place", sched_ctx_id);
	trees[sched_ctx_id] = last = tree;
	return tree;
}

void starpu_sched_tree_destroy(struct starpu_sched_tree *tree)
{
	if (!tree)
		return;
	starpu_sched_component_destroy_rec(tree->root);
	component_workers_fini(tree->sched_ctx_id);
	if (trees[tree->sched_ctx_id] == tree)
		trees[tree->sched_ctx_id] = NULL;
	if (last == tree)
		last = NULL;
	starpu_bitmap_destroy(tree->workers);
	pthread_mutex_destroy(&tree->lock);
	free(tree);
}

void starpu_sched_tree_deinitialize(unsigned sched_ctx_id)
{
	starpu_sched_tree_destroy(starpu_sched_tree_get(sched_ctx_id));
}

struct starpu_sched_tree *starpu_sched_tree_get(unsigned sched_ctx_id)
{
	return context_is(sched_ctx_id) ? trees[sched_ctx_id] : NULL;
}

/* --- which workers are where --- */

static void update(struct starpu_sched_component *c)
{
	if (starpu_sched_component_is_worker(c))
		return;
	starpu_bitmap_unset_all(c->workers);
	for (unsigned i = 0; i < c->nchildren; i++) {
		update(c->children[i]);
		starpu_bitmap_or(c->workers, c->children[i]->workers);
	}
	c->notify_change_workers(c);
}

void starpu_sched_tree_update_workers(struct starpu_sched_tree *t)
{
	if (t && t->root)
		update(t->root);
}

static int properties_of(const struct starpu_bitmap *workers)
{
	const struct xy_worker_info *first = NULL;
	int properties = STARPU_SCHED_COMPONENT_HOMOGENEOUS | STARPU_SCHED_COMPONENT_SINGLE_MEMORY_NODE;
	struct starpu_bitmap *set = (struct starpu_bitmap *)workers;

	for (int w = starpu_bitmap_first(set); w >= 0; w = starpu_bitmap_next(set, w)) {
		const struct xy_worker_info *info = xy_machine_worker(xs_global.machine, (unsigned)w);

		if (!info)
			continue;
		if (!first)
			first = info;
		if (info->worker_class != first->worker_class)
			properties &= ~STARPU_SCHED_COMPONENT_HOMOGENEOUS;
		if (info->node != first->node)
			properties &= ~STARPU_SCHED_COMPONENT_SINGLE_MEMORY_NODE;
	}
	return properties;
}

void component_properties(struct starpu_sched_component *c)
{
	if (c->tree && c->tree->workers)
		starpu_bitmap_unset_and(c->workers_in_ctx, c->workers, c->tree->workers);
	c->properties = properties_of(c->workers_in_ctx);
}

static void update_in_context(struct starpu_sched_component *c)
{
	component_properties(c);
	for (unsigned i = 0; i < c->nchildren; i++)
		update_in_context(c->children[i]);
	c->notify_change_workers(c);
}

void starpu_sched_tree_update_workers_in_ctx(struct starpu_sched_tree *t)
{
	if (t && t->root)
		update_in_context(t->root);
}

static void change_workers(unsigned context, const int *workers, unsigned n,
			   void (*change)(struct starpu_bitmap *b, int e))
{
	struct starpu_sched_tree *tree = starpu_sched_tree_get(context);

	if (!tree)
		return;
	pthread_mutex_lock(&tree->lock);
	for (unsigned i = 0; i < n; i++)
		change(tree->workers, workers[i]);
	starpu_sched_tree_update_workers(tree);
	starpu_sched_tree_update_workers_in_ctx(tree);
	pthread_mutex_unlock(&tree->lock);
}

void starpu_sched_tree_add_workers(unsigned sched_ctx_id, int *workerids, unsigned nworkers)
{
	change_workers(sched_ctx_id, workerids, nworkers, starpu_bitmap_set);
}

void starpu_sched_tree_remove_workers(unsigned sched_ctx_id, int *workerids, unsigned nworkers)
{
	change_workers(sched_ctx_id, workerids, nworkers, starpu_bitmap_unset);
}

/* --- a policy --- */

int starpu_sched_tree_push_task(struct starpu_task *task)
{
	struct starpu_sched_tree *tree = starpu_sched_tree_get(task->sched_ctx);

	return tree && tree->root ? component_push(tree->root, task) : 1;
}

struct starpu_task *starpu_sched_tree_pop_task(unsigned sched_ctx)
{
	int worker = xs_worker();
	struct starpu_sched_component *leaf = worker < 0 ? NULL : starpu_sched_component_worker_get(sched_ctx, worker);

	return leaf ? leaf->pull_task(leaf, NULL) : NULL;
}

static void schedule(struct starpu_sched_component *c)
{
	if (c->do_schedule)
		c->do_schedule(c);
	for (unsigned i = 0; i < c->nchildren; i++)
		schedule(c->children[i]);
}

void starpu_sched_tree_do_schedule(unsigned sched_ctx_id)
{
	struct starpu_sched_tree *tree = starpu_sched_tree_get(sched_ctx_id);

	if (tree && tree->root)
		schedule(tree->root);
}
