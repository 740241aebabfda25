/* SPDX-License-Identifier: MIT */
/* Contexts of a runtime that started with a predefined policy: with a policy of the program's, or by name. */
#include "check.h"
#include <starpu_scheduler.h>
#include <string.h>

#define NTASKS 200

struct queue {
	struct starpu_task_list tasks;
	starpu_pthread_mutex_t lock;
	int pushed, popped;
};
static int ran, prepared;

static void init(unsigned ctx)
{
	struct queue *queue = (struct queue *)calloc(1, sizeof *queue);

	starpu_task_list_init(&queue->tasks);
	STARPU_PTHREAD_MUTEX_INIT(&queue->lock, NULL);
	starpu_sched_ctx_set_policy_data(ctx, queue);
	starpu_sched_ctx_set_min_priority(ctx, -2);
	starpu_sched_ctx_set_max_priority(ctx, 7);
}

static void deinit(unsigned ctx)
{
	struct queue *queue = (struct queue *)starpu_sched_ctx_get_policy_data(ctx);

	CHECK(queue->pushed == NTASKS && queue->popped == NTASKS);
	STARPU_PTHREAD_MUTEX_DESTROY(&queue->lock);
	free(queue);
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

	CHECK(starpu_sched_ctx_contains_worker(starpu_worker_get_id(), ctx));
	STARPU_PTHREAD_MUTEX_LOCK(&queue->lock);
	if (!starpu_task_list_empty(&queue->tasks))
		task = starpu_task_list_pop_front(&queue->tasks);
	queue->popped += task != NULL;
	STARPU_PTHREAD_MUTEX_UNLOCK(&queue->lock);
	return task;
}

static void count(void *buffers[], void *arg)
{
	(void)arg;
	++*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
	STARPU_ATOMIC_ADD(&ran, 1);
}

static void prepare(unsigned ctx)
{
	(void)ctx;
	prepared++;
}

static struct starpu_codelet cl = { .cpu_funcs = { count }, .nbuffers = 1, .modes = { STARPU_RW } };
static struct starpu_sched_policy policy = {
	.init_sched = init, .deinit_sched = deinit, .push_task = push, .pop_task = pop, .policy_name = "in-order"
};

int main(void)
{
	starpu_data_handle_t handles[4];
	struct starpu_conf conf;
	unsigned ctx[2], named;
	int values[4] = { 0 }, workers[2] = { 0, 1 };

	starpu_conf_init(&conf);
	conf.ncpus = 3;
	conf.sched_policy_name = "dmda";
	OK(starpu_init(&conf));
	for (int i = 0; i < 4; i++)
		starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)&values[i], sizeof values[i]);
	for (int i = 0; i < NTASKS; i++) /* some are in the tree of dmda when it goes */
		OK(starpu_task_insert(&cl, STARPU_RW, handles[i % 4], 0));
	ctx[0] = starpu_sched_ctx_create(&workers[0], 1, "a", STARPU_SCHED_CTX_POLICY_STRUCT, &policy, 0);
	ctx[1] = starpu_sched_ctx_create(&workers[1], 1, "b", STARPU_SCHED_CTX_POLICY_STRUCT, &policy, 0);
	named = starpu_sched_ctx_create(workers, 2, "c", STARPU_SCHED_CTX_POLICY_NAME, "heteroprio",
					STARPU_SCHED_CTX_POLICY_INIT, prepare, 0);
	CHECK(starpu_sched_ctx_get_sched_policy(ctx[0]) == &policy && prepared == 1);
	CHECK(!strcmp(starpu_sched_ctx_get_sched_policy(named)->policy_name, "heteroprio"));
	CHECK(!strcmp(starpu_sched_ctx_get_sched_policy(0)->policy_name, "dmda"));
	CHECK(starpu_sched_ctx_create(workers, 2, "d", STARPU_SCHED_CTX_POLICY_NAME, "no-such-policy", 0) ==
	      STARPU_NMAX_SCHED_CTXS);
	CHECK(starpu_sched_ctx_get_sched_policy_init(named) == prepare);
	CHECK(starpu_sched_get_sched_policy_in_ctx(ctx[0]) == &policy);
	starpu_sched_ctx_set_context(&ctx[0]);
	CHECK(STARPU_MIN_PRIO == -2 && STARPU_MAX_PRIO == 7);
	starpu_sched_ctx_set_context(NULL);
	CHECK(STARPU_MIN_PRIO <= 0 && STARPU_MAX_PRIO >= 0);
	for (int i = 0; i < 2 * NTASKS; i++) {
		OK(starpu_task_insert(&cl, STARPU_RW, handles[i % 4], STARPU_SCHED_CTX, ctx[i % 2], 0));
		OK(starpu_task_insert(&cl, STARPU_RW, handles[i % 4], 0));
		OK(starpu_task_insert(&cl, STARPU_RW, handles[i % 4], STARPU_SCHED_CTX, named, 0));
	}
	OK(starpu_task_wait_for_all());
	starpu_sched_ctx_delete(named);
	starpu_sched_ctx_delete(ctx[1]);
	starpu_sched_ctx_delete(ctx[0]);
	OK(starpu_task_insert(&cl, STARPU_RW, handles[0], 0));
	for (int i = 0; i < 4; i++)
		starpu_data_unregister(handles[i]);
	starpu_shutdown();
	CHECK(ran == 7 * NTASKS + 1 && values[1] == 7 * NTASKS / 4);
	return 0;
}
