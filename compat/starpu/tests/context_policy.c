/* SPDX-License-Identifier: MIT */
/* Contexts with a policy of their own, what is asked about contexts, and bundles. */
#include <assert.h>
#include <stdlib.h>
#include <starpu.h>
#include <starpu_scheduler.h>

#define NTASKS 100

struct queue {
	struct starpu_task_list tasks;
	starpu_pthread_mutex_t lock;
	int pushed, workers;
};
static int starts, stops, closed, ran[2];

static void init(unsigned ctx)
{
	struct queue *queue = (struct queue *)calloc(1, sizeof *queue);

	starts++;
	starpu_task_list_init(&queue->tasks);
	STARPU_PTHREAD_MUTEX_INIT(&queue->lock, NULL);
	starpu_sched_ctx_set_policy_data(ctx, queue);
}

static void deinit(unsigned ctx)
{
	struct queue *queue = (struct queue *)starpu_sched_ctx_get_policy_data(ctx);

	assert(starpu_task_list_empty(&queue->tasks));
	STARPU_PTHREAD_MUTEX_DESTROY(&queue->lock);
	free(queue);
	stops++;
}

static void add(unsigned ctx, int *workers, unsigned n)
{
	(void)workers;
	((struct queue *)starpu_sched_ctx_get_policy_data(ctx))->workers += (int)n;
}

static int push(struct starpu_task *task)
{
	struct queue *queue = (struct queue *)starpu_sched_ctx_get_policy_data(task->sched_ctx);

	STARPU_PTHREAD_MUTEX_LOCK(&queue->lock);
	queue->pushed++;
	starpu_task_list_push_back(&queue->tasks, task);
	starpu_push_task_end(task);
	STARPU_PTHREAD_MUTEX_UNLOCK(&queue->lock);
	return 0;
}

static struct starpu_task *pop(unsigned ctx)
{
	struct queue *queue = (struct queue *)starpu_sched_ctx_get_policy_data(ctx);
	struct starpu_task *task = NULL;

	assert(starpu_sched_ctx_contains_worker(starpu_worker_get_id(), ctx));
	STARPU_PTHREAD_MUTEX_LOCK(&queue->lock);
	if (!starpu_task_list_empty(&queue->tasks))
		task = starpu_task_list_pop_front(&queue->tasks);
	STARPU_PTHREAD_MUTEX_UNLOCK(&queue->lock);
	return task;
}

static struct starpu_sched_policy policy = { .init_sched = init,
					     .deinit_sched = deinit,
					     .add_workers = add,
					     .push_task = push,
					     .pop_task = pop,
					     .policy_name = "in-order" };

static void count(void *buffers[], void *arg)
{
	(void)buffers;
	if (arg)
		assert(starpu_worker_get_id() == 1);
	STARPU_ATOMIC_ADD(&ran[arg != NULL], 1);
}

static double ten(struct starpu_task *task, unsigned nimpl)
{
	(void)task;
	(void)nimpl;
	return 10.0;
}

static struct starpu_perfmodel model = { .type = STARPU_COMMON, .cost_function = ten, .symbol = "ten" };
static struct starpu_codelet cl = { .cpu_funcs = { count }, .model = &model };

static void on_close(unsigned ctx, void *arg)
{
	assert(ctx == 1 && arg == &closed);
	closed++;
}

static void bundles(void)
{
	struct starpu_perfmodel_arch *arch = starpu_worker_get_perf_archtype(0, 0);
	struct starpu_task *tasks[3];
	starpu_task_bundle_t bundle;

	starpu_task_bundle_create(&bundle);
	for (int i = 0; i < 3; i++) {
		tasks[i] = starpu_task_create();
		tasks[i]->cl = &cl;
		assert(!starpu_task_bundle_insert(bundle, tasks[i]));
	}
	assert(starpu_task_bundle_expected_length(bundle, arch, 0) == 30.0 / starpu_worker_get_relative_speedup(arch));
	assert(starpu_task_bundle_expected_energy(bundle, arch, 0) == 0.0);
	assert(starpu_task_bundle_expected_data_transfer_time(bundle, STARPU_MAIN_RAM) == 0.0);
	starpu_task_bundle_close(bundle);
	for (int i = 0; i < 3; i++) {
		assert(!starpu_task_bundle_remove(bundle, tasks[i]));
		starpu_task_destroy(tasks[i]);
	}
}

static void questions(unsigned ctx)
{
	int *workers;
	unsigned *list;

	assert(starpu_sched_ctx_get_workers_list_raw(ctx, &workers) == 1 && workers[0] == 1);
	assert(starpu_sched_ctx_get_nshared_workers(0, ctx) == 1);
	assert(starpu_sched_ctx_contains_type_of_worker(STARPU_CPU_WORKER, ctx));
	assert(!starpu_sched_ctx_contains_type_of_worker(STARPU_CUDA_WORKER, ctx));
	assert(starpu_sched_ctx_overlapping_ctxs_on_worker(1) && !starpu_sched_ctx_overlapping_ctxs_on_worker(0));
	assert(starpu_worker_get_sched_ctx_list(1, &list) == 2 && list[1] == ctx);
	free(list);
	assert(!starpu_sched_ctx_set_min_priority(ctx, -3) && !starpu_sched_ctx_set_max_priority(ctx, 4));
	assert(starpu_sched_ctx_get_min_priority(ctx) == -3 && starpu_sched_ctx_max_priority_is_set(ctx));
	assert(starpu_sched_ctx_min_priority_is_set(ctx) && !starpu_sched_ctx_min_priority_is_set(0));
	starpu_sched_ctx_set_inheritor(ctx, 0);
	assert(starpu_sched_ctx_get_inheritor(ctx) == 0);
	assert(!starpu_worker_is_blocked_in_parallel(0) && !starpu_worker_is_slave_somewhere(0));
}

int main(void)
{
	struct starpu_conf conf;
	struct queue *queue;
	unsigned ctx;
	int second[] = { 1 };

	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.sched_policy = &policy;
	assert(!starpu_init(&conf));
	ctx = starpu_sched_ctx_create(second, 1, "second", STARPU_SCHED_CTX_POLICY_STRUCT, &policy, 0);
	assert(ctx == 1 && starts == 2 && starpu_sched_ctx_get_sched_policy(ctx) == &policy);
	starpu_sched_ctx_register_close_callback(ctx, on_close, &closed);
	questions(ctx);
	for (int i = 0; i < NTASKS; i++) {
		struct starpu_task *task = starpu_task_create();

		task->cl = &cl;
		task->cl_arg = i % 2 ? &cl : NULL;
		if (i % 2)
			assert(!starpu_task_submit_to_ctx(task, ctx));
		else
			assert(!starpu_task_submit(task));
	}
	starpu_task_wait_for_all();
	queue = (struct queue *)starpu_sched_ctx_get_policy_data(ctx);
	assert(ran[0] == NTASKS / 2 && ran[1] == NTASKS / 2 && queue->pushed == NTASKS / 2 && queue->workers == 1);
	starpu_sched_ctx_delete(ctx);
	assert(stops == 1 && closed == 1);
	bundles();
	assert(!starpu_task_insert(&cl, 0));
	starpu_shutdown();
	assert(stops == 2 && ran[0] == NTASKS / 2 + 1);
	return 0;
}
