/* SPDX-License-Identifier: MIT */
/* A policy that gives tasks only once the program asks it to schedule, or waits; and one that gives all at once. */
#include "check.h"
#include <starpu_scheduler.h>

#define NTASKS 100

static struct starpu_task_list held, ready;
static starpu_pthread_mutex_t lock = STARPU_PTHREAD_MUTEX_INITIALIZER;
static int ran, notified;

static void init(unsigned ctx)
{
	(void)ctx;
	starpu_task_list_init(&held);
	starpu_task_list_init(&ready);
}

static int push(struct starpu_task *task)
{
	STARPU_PTHREAD_MUTEX_LOCK(&lock);
	starpu_task_list_push_back(&held, task);
	starpu_push_task_end(task);
	STARPU_PTHREAD_MUTEX_UNLOCK(&lock);
	return 0;
}

static void schedule(unsigned ctx)
{
	(void)ctx;
	STARPU_PTHREAD_MUTEX_LOCK(&lock);
	while (!starpu_task_list_empty(&held))
		starpu_task_list_push_back(&ready, starpu_task_list_pop_front(&held));
	STARPU_PTHREAD_MUTEX_UNLOCK(&lock);
	for (unsigned i = 0; i < starpu_worker_get_count(); i++)
		starpu_wake_worker_relax_light((int)i);
}

static struct starpu_task *pop(unsigned ctx)
{
	struct starpu_task *task = NULL;

	(void)ctx;
	STARPU_PTHREAD_MUTEX_LOCK(&lock);
	if (!starpu_task_list_empty(&ready))
		task = starpu_task_list_pop_front(&ready);
	STARPU_PTHREAD_MUTEX_UNLOCK(&lock);
	return task;
}

static void notify(struct starpu_task *task, int worker, int as, unsigned ctx)
{
	(void)task;
	CHECK(worker == 0 && as == 0 && ctx == 0);
	notified++;
}

static void count(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	STARPU_ATOMIC_ADD(&ran, 1);
}

static struct starpu_codelet cl = { .cpu_funcs = { count } };

static void again(void *arg)
{
	(void)arg;
	OK(starpu_task_insert(&cl, 0));
}

int main(void)
{
	struct starpu_sched_policy policy = { .init_sched = init,
					      .push_task = push,
					      .pop_task = pop,
					      .do_schedule = schedule,
					      .push_task_notify = notify,
					      .policy_name = "deferring" };
	struct starpu_conf conf;

	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.sched_policy = &policy;
	OK(starpu_init(&conf));
	for (int round = 1; round <= 3; round++) {
		for (int i = 0; i < NTASKS; i++)
			OK(starpu_task_insert(&cl, 0));
		CHECK(ran == (round - 1) * NTASKS);
		if (round == 1)
			starpu_do_schedule();
		OK(starpu_task_wait_for_all());
		CHECK(ran == round * NTASKS);
	}
	OK(starpu_task_insert(&cl, STARPU_CALLBACK, again, 0)); /* its successor comes while the program waits */
	OK(starpu_task_wait_for_all());
	OK(starpu_task_insert(&cl, STARPU_EXECUTE_ON_WORKER, 0, 0));
	OK(starpu_task_wait_for_all());
	CHECK(ran == 3 * NTASKS + 3 && notified == 1);
	starpu_shutdown();
	return 0;
}
