/* SPDX-License-Identifier: MIT */
/* A policy of the program's that gives each SPMD task to all workers, as copies with a barrier. */
#include "check.h"
#include <starpu_scheduler.h>

#define NTASKS 50

static struct starpu_task_list lists[STARPU_NMAXWORKERS];
static starpu_pthread_mutex_t lock = STARPU_PTHREAD_MUTEX_INITIALIZER;
static int together = -1, nmembers, *members;
static int nranks, nfirst, nleft;

static void init(unsigned ctx)
{
	(void)ctx;
	for (int i = 0; i < STARPU_NMAXWORKERS; i++)
		starpu_task_list_init(&lists[i]);
}

static void deinit(unsigned ctx)
{
	(void)ctx;
	for (int i = 0; i < STARPU_NMAXWORKERS; i++)
		nleft += !starpu_task_list_empty(&lists[i]);
}

static void add(unsigned ctx, int *workers, unsigned n)
{
	(void)ctx;
	together = starpu_combined_worker_assign_workerid((int)n, workers);
	CHECK(together >= (int)starpu_worker_get_count());
	OK(starpu_combined_worker_get_description(together, &nmembers, &members));
	CHECK(nmembers == (int)n);
}

static int push(struct starpu_task *task)
{
	STARPU_PTHREAD_MUTEX_LOCK(&lock);
	if (task->cl->type == STARPU_SPMD && starpu_combined_worker_can_execute_task((unsigned)together, task, 0)) {
		starpu_parallel_task_barrier_init(task, together);
		for (int i = 0; i < nmembers; i++) {
			struct starpu_task *copy = starpu_task_dup(task);

			copy->destroy = 1;
			starpu_task_list_push_back(&lists[members[i]], copy);
		}
	} else {
		starpu_task_list_push_back(&lists[0], task);
	}
	starpu_push_task_end(task);
	STARPU_PTHREAD_MUTEX_UNLOCK(&lock);
	for (unsigned i = 0; i < starpu_worker_get_count(); i++)
		starpu_wake_worker_relax_light((int)i);
	return 0;
}

static struct starpu_task *pop(unsigned ctx)
{
	struct starpu_task_list *list = &lists[starpu_worker_get_id()];
	struct starpu_task *task = NULL;

	(void)ctx;
	STARPU_PTHREAD_MUTEX_LOCK(&lock);
	if (!starpu_task_list_empty(list))
		task = starpu_task_list_pop_front(list);
	STARPU_PTHREAD_MUTEX_UNLOCK(&lock);
	return task;
}

static void rank(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	CHECK(starpu_combined_worker_get_size() == nmembers || starpu_combined_worker_get_size() == 1);
	STARPU_ATOMIC_ADD(&nranks, 1);
	if (starpu_combined_worker_get_rank() == 0)
		STARPU_ATOMIC_ADD(&nfirst, 1);
}

static struct starpu_codelet parallel = { .type = STARPU_SPMD, .max_parallelism = INT_MAX, .cpu_funcs = { rank } };
static struct starpu_codelet sequential = { .cpu_funcs = { rank } };

int main(void)
{
	struct starpu_sched_policy policy = { .init_sched = init,
					      .deinit_sched = deinit,
					      .add_workers = add,
					      .push_task = push,
					      .pop_task = pop,
					      .policy_name = "together",
					      .worker_type = STARPU_WORKER_LIST };
	struct starpu_conf conf;

	starpu_conf_init(&conf);
	conf.ncpus = 3;
	conf.sched_policy = &policy;
	OK(starpu_init(&conf));
	for (int i = 0; i < NTASKS; i++)
		OK(starpu_task_insert(i % 2 ? &parallel : &sequential, 0));
	OK(starpu_task_wait_for_all());
	starpu_shutdown();
	CHECK(nfirst == NTASKS && nranks == NTASKS / 2 * (1 + nmembers) && !nleft);
	return 0;
}
