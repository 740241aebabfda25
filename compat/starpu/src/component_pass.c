/* SPDX-License-Identifier: MIT */
/*
 * Components that tasks pass: perfmodel_select, best_implementation, stage, userchoice, and chains made by a recipe.
 */
#include "component.h"

/* --- perfmodel_select: by what is known about the task's duration --- */

static int select_push(struct starpu_sched_component *c, struct starpu_task *task)
{
	const struct starpu_sched_component_perfmodel_select_data *data = c->data;
	struct starpu_sched_component *to;
	double length = 0;

	if (!starpu_sched_component_execute_preds(c, task, &length))
		return 1;
	to = isnan(length) ? data->calibrator_component
	     : length > 0  ? data->perfmodel_component
			   : data->no_perfmodel_component;
	return to ? component_push(to, task) : 1;
}

static struct starpu_task *select_pull(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	(void)to;
	starpu_sched_component_send_can_push_to_parents(c);
	return NULL;
}

static void free_data(struct starpu_sched_component *c)
{
	free(c->data);
}

struct starpu_sched_component *starpu_sched_component_perfmodel_select_create(
	struct starpu_sched_tree *tree, struct starpu_sched_component_perfmodel_select_data *perfmodel_select_data)
{
	struct starpu_sched_component *c = starpu_sched_component_create(tree, "perfmodel_select");
	struct starpu_sched_component_perfmodel_select_data *data = malloc(sizeof *data);

	if (!c || !data || !perfmodel_select_data) {
		starpu_sched_component_destroy(c);
		free(data);
		return NULL;
	}
	*data = *perfmodel_select_data;
	c->data = data;
	c->push_task = select_push;
	c->pull_task = select_pull;
	c->can_pull = starpu_sched_component_send_can_push_to_parents;
	c->deinit_data = free_data;
	return c;
}

int starpu_sched_component_is_perfmodel_select(struct starpu_sched_component *component)
{
	return component->push_task == select_push;
}

/* --- best_implementation: the fastest one on the worker below --- */

static bool best_choose(struct starpu_task *task, int worker)
{
	unsigned mask, best = 0;
	double least = INFINITY;
	bool unknown = false;

	if (worker < 0 || !starpu_worker_can_execute_task_impl((unsigned)worker, task, &mask))
		return false;
	while (!(mask >> best & 1))
		best++;
	for (unsigned i = best; mask >> i && !unknown; i++) {
		double us = mask >> i & 1 ? component_length(task, worker, i) : 0;

		unknown = isnan(us);
		if (unknown || (us > 0 && us < least)) {
			best = i;
			least = us;
		}
	}
	component_choose(task, best);
	task->predicted = unknown || isinf(least) ? 0 : least;
	task->predicted_transfer = starpu_task_expected_data_transfer_time_for(task, (unsigned)worker);
	return true;
}

static int best_push(struct starpu_sched_component *c, struct starpu_task *task)
{
	for (int w = component_worker(c); w >= 0; w = starpu_bitmap_next(c->workers_in_ctx, w))
		if (best_choose(task, w))
			break;
	return c->nchildren ? component_push(c->children[0], task) : 1;
}

static struct starpu_task *best_pull(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	struct starpu_task *task = starpu_sched_component_parents_pull_task(c, to);

	if (task)
		best_choose(task, xs_worker() >= 0 ? xs_worker() : component_worker(c));
	return task;
}

struct starpu_sched_component *starpu_sched_component_best_implementation_create(struct starpu_sched_tree *tree,
										 void *arg)
{
	struct starpu_sched_component *c = starpu_sched_component_create(tree, "best_implementation");

	(void)arg;
	if (!c)
		return NULL;
	c->push_task = best_push;
	c->pull_task = best_pull;
	return c;
}

/* --- stage: its parents are asked in order --- */

static int stage_push(struct starpu_sched_component *c, struct starpu_task *task)
{
	return c->nchildren ? component_push(c->children[0], task) : 1;
}

struct starpu_sched_component *starpu_sched_component_stage_create(struct starpu_sched_tree *tree, void *arg)
{
	struct starpu_sched_component *c = starpu_sched_component_create(tree, "stage");

	(void)arg;
	if (c)
		c->push_task = stage_push;
	return c;
}

int starpu_sched_component_is_stage(struct starpu_sched_component *component)
{
	return component->push_task == stage_push;
}

bool component_is_bare(const struct starpu_sched_component *c)
{
	while ((c->push_task == best_push || c->push_task == stage_push) && c->nchildren == 1)
		c = c->children[0];
	return starpu_sched_component_is_simple_worker((struct starpu_sched_component *)c);
}

/* --- userchoice: the child that the task's sched_data numbers --- */

static int choice_push(struct starpu_sched_component *c, struct starpu_task *task)
{
	uintptr_t choice = (uintptr_t)task->sched_data;

	if (choice < c->nchildren)
		return component_push(c->children[choice], task);
	return xs_fail(-EINVAL, "task '%s' chooses branch %lu of %u", starpu_task_get_name(task), (unsigned long)choice,
		       c->nchildren);
}

struct starpu_sched_component *starpu_sched_component_userchoice_create(struct starpu_sched_tree *tree, void *arg)
{
	struct starpu_sched_component *c = starpu_sched_component_create(tree, "userchoice");

	(void)arg;
	if (c)
		c->push_task = choice_push;
	return c;
}

int starpu_sched_component_is_userchoice(struct starpu_sched_component *component)
{
	return component->push_task == choice_push;
}

/* --- recipes --- */

struct starpu_sched_component_composed_recipe {
	struct ingredient {
		starpu_sched_component_create_t create;
		void *arg;
	} * all;
	unsigned n;
};

struct starpu_sched_component_composed_recipe *starpu_sched_component_composed_recipe_create(void)
{
	return calloc(1, sizeof(struct starpu_sched_component_composed_recipe));
}

void starpu_sched_component_composed_recipe_add(struct starpu_sched_component_composed_recipe *recipe,
						starpu_sched_component_create_t create_component, void *arg)
{
	struct ingredient *grown = realloc(recipe->all, (recipe->n + 1) * sizeof *grown);

	if (!grown) {
		xs_fail(-ENOMEM, "no memory for a recipe of components");
		return;
	}
	recipe->all = grown;
	grown[recipe->n++] = (struct ingredient){ create_component, arg };
}

struct starpu_sched_component_composed_recipe *starpu_sched_component_composed_recipe_create_singleton(
	starpu_sched_component_create_t create_component, void *arg)
{
	struct starpu_sched_component_composed_recipe *recipe = starpu_sched_component_composed_recipe_create();

	if (recipe)
		starpu_sched_component_composed_recipe_add(recipe, create_component, arg);
	return recipe;
}

void starpu_sched_component_composed_recipe_destroy(struct starpu_sched_component_composed_recipe *recipe)
{
	if (recipe)
		free(recipe->all);
	free(recipe);
}

/* The chain inside one component: those above see its top, those below its bottom. */
struct chain {
	unsigned n;
	struct starpu_sched_component *links[];
};

static struct starpu_sched_component *chain_top(const struct starpu_sched_component *c)
{
	return ((struct chain *)c->data)->links[0];
}

static struct starpu_sched_component *chain_bottom(const struct starpu_sched_component *c)
{
	struct chain *chain = c->data;

	return chain->links[chain->n - 1];
}

static int chain_push(struct starpu_sched_component *c, struct starpu_task *task)
{
	return component_push(chain_top(c), task);
}

static struct starpu_task *chain_pull(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	if (to == chain_top(c))
		return starpu_sched_component_parents_pull_task(c, to);
	return chain_bottom(c)->pull_task(chain_bottom(c), to);
}

static int chain_can_push(struct starpu_sched_component *c, struct starpu_sched_component *to)
{
	if (to == chain_top(c))
		return starpu_sched_component_can_push(c, to);
	return chain_bottom(c)->can_push(chain_bottom(c), to);
}

static int chain_can_pull(struct starpu_sched_component *c)
{
	return chain_top(c)->can_pull(chain_top(c));
}

static double chain_end(struct starpu_sched_component *c)
{
	return chain_top(c)->estimated_end(chain_top(c));
}

static double chain_load(struct starpu_sched_component *c)
{
	return chain_top(c)->estimated_load(chain_top(c));
}

static void chain_add_child(struct starpu_sched_component *c, struct starpu_sched_component *child)
{
	starpu_sched_component_add_child(c, child);
	chain_bottom(c)->add_child(chain_bottom(c), child);
}

static void chain_remove_child(struct starpu_sched_component *c, struct starpu_sched_component *child)
{
	for (unsigned i = 0; i < c->nchildren; i++)
		if (c->children[i] == child)
			c->children[i--] = c->children[--c->nchildren];
	chain_bottom(c)->remove_child(chain_bottom(c), child);
}

static void chain_workers(struct starpu_sched_component *c)
{
	struct chain *chain = c->data;

	for (unsigned i = 0; i < chain->n; i++) {
		*chain->links[i]->workers = *c->workers;
		*chain->links[i]->workers_in_ctx = *c->workers_in_ctx;
		chain->links[i]->properties = c->properties;
		chain->links[i]->notify_change_workers(chain->links[i]);
	}
}

static void chain_fini(struct starpu_sched_component *c)
{
	struct chain *chain = c->data;

	for (unsigned i = 0; i < chain->n; i++) {
		chain->links[i]->nchildren = chain->links[i]->nparents = 0;
		starpu_sched_component_destroy(chain->links[i]);
	}
	free(chain);
}

static void chain_verbs(struct starpu_sched_component *c)
{
	c->push_task = chain_push;
	c->pull_task = chain_pull;
	c->can_push = chain_can_push;
	c->can_pull = chain_can_pull;
	c->estimated_end = chain_end;
	c->estimated_load = chain_load;
	c->add_child = chain_add_child;
	c->remove_child = chain_remove_child;
	c->notify_change_workers = chain_workers;
	c->deinit_data = chain_fini;
}

struct starpu_sched_component *starpu_sched_component_composed_component_create(
	struct starpu_sched_tree *tree, struct starpu_sched_component_composed_recipe *recipe)
{
	struct starpu_sched_component *c;
	struct chain *chain;

	if (!recipe || !recipe->n) {
		xs_fail(-EINVAL, "a recipe of components is empty");
		return NULL;
	}
	if (recipe->n == 1)
		return recipe->all[0].create(tree, recipe->all[0].arg);
	chain = calloc(1, sizeof *chain + recipe->n * sizeof *chain->links);
	c = starpu_sched_component_create(tree, "composed");
	for (; chain && c && chain->n < recipe->n; chain->n++) {
		unsigned i = chain->n;

		chain->links[i] = recipe->all[i].create(tree, recipe->all[i].arg);
		if (!chain->links[i])
			break;
		if (i)
			starpu_sched_component_connect(chain->links[i - 1], chain->links[i]);
	}
	if (!c || !chain || chain->n < recipe->n) {
		if (c && chain) {
			c->data = chain;
			chain_fini(c);
		} else {
			free(chain);
		}
		starpu_sched_component_destroy(c);
		return NULL;
	}
	c->data = chain;
	chain->links[0]->add_parent(chain->links[0], c);
	chain_verbs(c);
	return c;
}
