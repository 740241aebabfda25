/* SPDX-License-Identifier: MIT */
/* A tree of components in the spelling of StarPU's first modular schedulers: fathers, and constructors without the
 * tree. A queue, an eager mapper, and a short queue above each worker. */
#include <assert.h>
#include <starpu.h>
#include <starpu_sched_component.h>
#include <starpu_scheduler.h>

#define NTASKS 300

static void build(unsigned sched_ctx_id)
{
	struct starpu_sched_component_fifo_data limits = { .ntasks_threshold = 2, .exp_len_threshold = 1000000000.0 };
	struct starpu_sched_component *eager, *fifo, *worker;
	struct starpu_sched_tree *tree;
	unsigned i;

	starpu_sched_ctx_create_worker_collection(sched_ctx_id, STARPU_WORKER_LIST);
	tree = starpu_sched_tree_create(sched_ctx_id);
	tree->root = starpu_sched_component_fifo_create(NULL);
	eager = starpu_sched_component_eager_create(NULL);
	tree->root->add_child(tree->root, eager);
	eager->add_father(eager, tree->root);
	for (i = 0; i < starpu_worker_get_count() + starpu_combined_worker_get_count(); i++) {
		worker = starpu_sched_component_worker_get(i);
		fifo = starpu_sched_component_fifo_create(&limits);
		fifo->add_child(fifo, worker);
		worker->add_father(worker, fifo);
		eager->add_child(eager, fifo);
		fifo->add_father(fifo, eager);
	}
	assert(eager->nfathers == 1 && eager->fathers[0] == tree->root && eager->nchildren == 2);
	starpu_sched_tree_update_workers(tree);
	starpu_sched_ctx_set_policy_data(sched_ctx_id, (void *)tree);
}

static void destroy(unsigned sched_ctx_id)
{
	struct starpu_sched_tree *tree = (struct starpu_sched_tree *)starpu_sched_ctx_get_policy_data(sched_ctx_id);

	starpu_sched_tree_destroy(tree);
	starpu_sched_ctx_delete_worker_collection(sched_ctx_id);
}

static struct starpu_sched_policy policy = {
	.init_sched = build,
	.deinit_sched = destroy,
	.add_workers = starpu_sched_tree_add_workers,
	.remove_workers = starpu_sched_tree_remove_workers,
	.push_task = starpu_sched_tree_push_task,
	.pop_task = starpu_sched_tree_pop_task,
	.pre_exec_hook = starpu_sched_component_worker_pre_exec_hook,
	.post_exec_hook = starpu_sched_component_worker_post_exec_hook,
	.pop_every_task = NULL,
	.policy_name = "tree-eager-prefetching",
	.policy_description = "eager with short queues",
};

static int ran;

static void count(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	STARPU_ATOMIC_ADD(&ran, 1);
}

static struct starpu_codelet cl = { .cpu_funcs = { count } };

int main(void)
{
	struct starpu_conf conf;

	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.sched_policy = &policy;
	assert(!starpu_init(&conf));
	for (int i = 0; i < NTASKS; i++)
		assert(!starpu_task_insert(&cl, 0));
	starpu_task_wait_for_all();
	assert(ran == NTASKS);
	starpu_shutdown();
	return 0;
}
