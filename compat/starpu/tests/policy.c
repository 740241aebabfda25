/* SPDX-License-Identifier: MIT */
/* A policy of the program's own: its functions are called in the right order, every task runs once, and queues of
 * workers, bound tasks and tasks that a policy holds back work. */
#include <assert.h>
#include <stdio.h>
#include <starpu.h>
#include <starpu_scheduler.h>

#define NTASKS 500

static struct starpu_task_list ready;
static starpu_pthread_mutex_t lock;
static int inits, deinits, pushes, pops, submits, befores, afters, notifies, added, removed, schedules;
static unsigned long ran;
static int hold; /* pops that get nothing, although there are tasks */

static void init(unsigned ctx)
{
	assert(ctx == 0 && starpu_worker_get_count() == 2);
	assert(starpu_worker_get_id() == -1);
	inits++;
	starpu_task_list_init(&ready);
	STARPU_PTHREAD_MUTEX_INIT(&lock, NULL);
	starpu_sched_ctx_set_policy_data(ctx, &ready);
}

static void deinit(unsigned ctx)
{
	assert(starpu_sched_ctx_get_policy_data(ctx) == &ready && starpu_task_list_empty(&ready));
	deinits++;
	STARPU_PTHREAD_MUTEX_DESTROY(&lock);
}

static void add(unsigned ctx, int *workers, unsigned n)
{
	assert(ctx == 0 && n == 2 && workers[0] == 0 && workers[1] == 1);
	added += (int)n;
}

static void take_away(unsigned ctx, int *workers, unsigned n)
{
	(void)workers;
	assert(ctx == 0);
	removed += (int)n;
}

static int push(struct starpu_task *task)
{
	struct starpu_worker_collection *workers = starpu_sched_ctx_get_worker_collection(task->sched_ctx);
	struct starpu_sched_ctx_iterator it;

	assert(starpu_sched_ctx_get_policy_data(task->sched_ctx) == &ready);
	starpu_worker_relax_on();
	STARPU_PTHREAD_MUTEX_LOCK(&lock);
	starpu_worker_relax_off();
	pushes++;
	if (task->name && task->name[0] == 'l')
		starpu_push_local_task(1, task, 0);
	else
		starpu_task_list_push_back(&ready, task);
	starpu_push_task_end(task);
	STARPU_PTHREAD_MUTEX_UNLOCK(&lock);
	workers->init_iterator_for_parallel_tasks(workers, &it, task);
	while (workers->has_next(workers, &it))
		starpu_wake_worker_relax_light(workers->get_next(workers, &it));
	return 0;
}

static struct starpu_task *pop(unsigned ctx)
{
	struct starpu_task *task = NULL;
	unsigned worker = starpu_worker_get_id_check();

	assert(ctx == 0 && worker < 2);
	STARPU_PTHREAD_MUTEX_LOCK(&lock);
	if (hold)
		hold--;
	else if (!starpu_task_list_empty(&ready)) {
		task = starpu_task_list_pop_front(&ready);
		pops++;
		assert(starpu_worker_can_execute_task(worker, task, 0));
	}
	STARPU_PTHREAD_MUTEX_UNLOCK(&lock);
	return task;
}

static void submitted(struct starpu_task *task)
{
	(void)task;
	STARPU_ATOMIC_ADD(&submits, 1);
}

static void before(struct starpu_task *task, unsigned ctx)
{
	assert(task->status == STARPU_TASK_RUNNING && ctx == 0 && starpu_worker_get_id() >= 0);
	STARPU_ATOMIC_ADD(&befores, 1);
}

static void after(struct starpu_task *task, unsigned ctx)
{
	(void)task;
	(void)ctx;
	STARPU_ATOMIC_ADD(&afters, 1);
}

static void notified(struct starpu_task *task, int worker, int perf_worker, unsigned ctx)
{
	assert(task->workerid == 1 && worker == 1 && perf_worker == 1 && ctx == 0);
	notifies++;
}

static void schedule(unsigned ctx)
{
	(void)ctx;
	STARPU_ATOMIC_ADD(&schedules, 1);
}

static struct starpu_sched_policy policy = {
	.init_sched = init,
	.deinit_sched = deinit,
	.add_workers = add,
	.remove_workers = take_away,
	.push_task = push,
	.pop_task = pop,
	.submit_hook = submitted,
	.pre_exec_hook = before,
	.post_exec_hook = after,
	.push_task_notify = notified,
	.do_schedule = schedule,
	.policy_name = "first-come",
	.policy_description = "first come, first served",
	.worker_type = STARPU_WORKER_LIST,
};

static void count(void *buffers[], void *arg)
{
	(void)buffers;
	if (arg)
		assert(starpu_worker_get_id() == 1);
	STARPU_ATOMIC_ADDL(&ran, 1);
}

static struct starpu_codelet cl = { .cpu_funcs = { count }, .name = "count" };

static void submit(const char *name, int bound)
{
	struct starpu_task *task = starpu_task_create();
	int ret;

	task->cl = &cl;
	task->name = name;
	task->cl_arg = bound || name ? &cl : NULL;
	task->execute_on_a_specific_worker = (unsigned)bound & 1;
	task->workerid = 1;
	ret = starpu_task_submit(task);
	STARPU_CHECK_RETURN_VALUE(ret, "starpu_task_submit");
}

static void bitmaps(void)
{
	struct starpu_bitmap *a = starpu_bitmap_create(), *b = starpu_bitmap_create(), *c = starpu_bitmap_create();

	assert(starpu_bitmap_first(a) == -1 && starpu_bitmap_cardinal(a) == 0);
	starpu_bitmap_set(a, 1);
	starpu_bitmap_set(a, 5);
	starpu_bitmap_set(b, 5);
	starpu_bitmap_set(b, 63);
	starpu_bitmap_unset_and(c, a, b);
	assert(starpu_bitmap_cardinal(c) == 1 && starpu_bitmap_get(c, 5) && starpu_bitmap_and_get(a, b, 5));
	starpu_bitmap_or(c, a);
	assert(starpu_bitmap_first(c) == 1 && starpu_bitmap_has_next(c, 1) && starpu_bitmap_next(c, 1) == 5);
	assert(starpu_bitmap_last(b) == 63);
	starpu_bitmap_unset(b, 63);
	assert(starpu_bitmap_last(b) == 5);
	starpu_bitmap_unset_all(b);
	assert(starpu_bitmap_cardinal(b) == 0);
	starpu_bitmap_destroy(a);
	starpu_bitmap_destroy(b);
	starpu_bitmap_destroy(c);
}

int main(void)
{
	struct starpu_conf conf;
	starpu_data_handle_t handle;
	int value = 7, ret;

	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.sched_policy = &policy;
	for (int round = 1; round <= 2; round++) {
		ran = 0;
		pushes = pops = submits = befores = afters = notifies = added = removed = schedules = 0;
		ret = starpu_init(&conf);
		STARPU_CHECK_RETURN_VALUE(ret, "starpu_init");
		assert(inits == round && added == 2);
		assert(starpu_sched_get_sched_policy() == &policy && starpu_sched_ctx_get_sched_policy(0) == &policy);
		for (int i = 0; i < NTASKS; i++)
			submit(NULL, 0);
		starpu_task_wait_for_all();
		assert(ran == NTASKS && pushes == NTASKS && pops == NTASKS && submits == NTASKS);
		assert(befores == NTASKS && afters == NTASKS && schedules > 0);
		submit("bound", 1);
		submit("local", 0);
		starpu_task_wait_for_all();
		assert(ran == NTASKS + 2 && notifies == 1 && pops == NTASKS);
		STARPU_PTHREAD_MUTEX_LOCK(&lock);
		hold = 20;
		STARPU_PTHREAD_MUTEX_UNLOCK(&lock);
		submit(NULL, 0);
		starpu_task_wait_for_all();
		assert(ran == NTASKS + 3 && !hold);
		starpu_do_schedule();
		starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
		assert(!starpu_data_acquire(handle, STARPU_RW));
		starpu_data_release(handle);
		starpu_data_unregister(handle);
		starpu_shutdown();
		assert(deinits == round && removed == 2);
	}
	bitmaps();
	return 0;
}
