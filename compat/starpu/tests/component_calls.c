/* SPDX-License-Identifier: MIT */
/* What components say about themselves, by type and by estimate, and trees with the components that are rarely used. */
#include "check.h"
#include <starpu_sched_component.h>
#include <starpu_scheduler.h>

static int ran;

static void count(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	STARPU_ATOMIC_ADD(&ran, 1);
}

static struct starpu_codelet cl = { .cpu_funcs = { count } };

static void types(struct starpu_sched_tree *tree)
{
	struct starpu_sched_component *c[] = {
		starpu_sched_component_work_stealing_create(tree, NULL),
		starpu_sched_component_random_create(tree, NULL),
		starpu_sched_component_eager_prio_create(tree, NULL),
		starpu_sched_component_heft_create(tree, NULL),
		starpu_sched_component_heteroprio_create(tree, NULL),
		starpu_sched_component_stage_create(tree, NULL),
		starpu_sched_component_userchoice_create(tree, NULL),
	};
	struct starpu_sched_component_heteroprio_data data = { NULL, 1 };
	struct starpu_sched_component *with = starpu_sched_component_heteroprio_create(tree, &data);

	for (unsigned i = 0; i < sizeof c / sizeof *c; i++) {
		CHECK(!!starpu_sched_component_is_work_stealing(c[i]) == (i == 0));
		CHECK(!!starpu_sched_component_is_random(c[i]) == (i == 1));
		CHECK(!!starpu_sched_component_is_eager_prio(c[i]) == (i == 2));
		CHECK(!!starpu_sched_component_is_heft(c[i]) == (i == 3));
		CHECK(!!starpu_sched_component_is_heteroprio(c[i]) == (i == 4));
		CHECK(!!starpu_sched_component_is_stage(c[i]) == (i == 5));
		starpu_sched_component_destroy(c[i]);
	}
	CHECK(starpu_sched_component_is_heteroprio(with));
	starpu_sched_component_destroy(with);
}

/* fifo | composed { fifo, best implementation } per worker, added by its calls. */
static void build(unsigned ctx)
{
	struct starpu_sched_tree *tree = starpu_sched_tree_create(ctx);
	struct starpu_sched_component *fifo = starpu_sched_component_fifo_create(tree, NULL),
				      *eager = starpu_sched_component_eager_prio_create(tree, NULL);
	struct starpu_sched_component_composed_recipe *recipe = starpu_sched_component_composed_recipe_create_singleton(
		(starpu_sched_component_create_t)starpu_sched_component_best_implementation_create, NULL);

	types(tree);
	tree->root = fifo;
	starpu_sched_component_connect(fifo, eager);
	for (unsigned i = 0; i < starpu_worker_get_count(); i++) {
		struct starpu_sched_component *leaf = starpu_sched_component_worker_new(ctx, (int)i);
		struct starpu_sched_component *chain = starpu_sched_component_composed_component_create(tree, recipe);

		chain->add_child(chain, leaf);
		leaf->add_parent(leaf, chain);
		starpu_sched_component_connect(eager, chain);
	}
	starpu_sched_component_composed_recipe_destroy(recipe);
	starpu_sched_tree_update_workers(tree);
	starpu_sched_tree_update_workers_in_ctx(tree);
	starpu_sched_ctx_set_policy_data(ctx, tree);
}

static void destroy(unsigned ctx)
{
	starpu_sched_tree_destroy(starpu_sched_ctx_get_policy_data(ctx));
}

static void estimates(void)
{
	struct starpu_sched_tree *tree = starpu_sched_ctx_get_policy_data(0);
	struct starpu_sched_component *root = tree->root;
	struct starpu_task *task = starpu_task_create();
	enum starpu_sched_component_properties homogeneous = STARPU_SCHED_COMPONENT_HOMOGENEOUS,
					       one_node = STARPU_SCHED_COMPONENT_SINGLE_MEMORY_NODE;
	double length;

	task->cl = &cl;
	CHECK(starpu_sched_component_can_execute_task(root, task));
	CHECK(starpu_sched_component_estimated_load(root) >= 0);
	CHECK(starpu_sched_component_estimated_end_min(root) >= 0);
	CHECK(starpu_sched_component_estimated_end_average(root) >= 0);
	CHECK(starpu_sched_component_estimated_end_min_add(root, 100) >=
	      starpu_sched_component_estimated_end_min(root));
	CHECK(starpu_sched_component_execute_preds(root, task, &length));
	CHECK(starpu_sched_component_transfer_length(root, task) == 0);
	starpu_sched_component_prefetch_on_node(root, task);
	CHECK(!!STARPU_SCHED_COMPONENT_IS_HOMOGENEOUS(root) == !!(root->properties & (int)homogeneous));
	CHECK(!!STARPU_SCHED_COMPONENT_IS_SINGLE_MEMORY_NODE(root) == !!(root->properties & (int)one_node));
	CHECK(!starpu_sched_component_send_can_push_to_parents(root)); /* it has none */
	CHECK(!starpu_sched_component_parents_pull_task(root, root->children[0]));
	starpu_sched_component_can_pull_all(root);
	starpu_task_destroy(task);
}

int main(void)
{
	struct starpu_sched_policy policy = {
		.init_sched = build,
		.deinit_sched = destroy,
		.add_workers = starpu_sched_tree_add_workers,
		.remove_workers = starpu_sched_tree_remove_workers,
		.push_task = starpu_sched_tree_push_task,
		.pop_task = starpu_sched_tree_pop_task,
		.pre_exec_hook = starpu_sched_component_worker_pre_exec_hook,
		.post_exec_hook = starpu_sched_component_worker_post_exec_hook,
		.policy_name = "calls",
		.policy_description = "components that are rarely used",
		.worker_type = STARPU_WORKER_LIST,
	};
	struct starpu_conf conf;

	CHECK((STARPU_SCHED_SIMPLE_DECIDE_MASK & STARPU_SCHED_SIMPLE_PRE_DECISION) == 0);
	starpu_conf_init(&conf);
	conf.sched_policy = &policy;
	OK(starpu_init(&conf));
	for (int i = 0; i < 200; i++)
		OK(starpu_task_insert(&cl, STARPU_PRIORITY, i % 3, 0));
	OK(starpu_task_wait_for_all());
	CHECK(ran == 200);
	estimates();
	starpu_shutdown();
	return 0;
}
