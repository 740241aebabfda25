/* SPDX-License-Identifier: MIT */
/* What would hang or end a program of StarPU's is an error with a log line. */
#include <starpu.h>

static int in_codelet, in_callback;

static void wait(void *buffers[], void *arg)
{
	starpu_data_handle_t handle = (starpu_data_handle_t)arg;

	(void)buffers;
	in_codelet = starpu_task_wait_for_all() + starpu_data_acquire(handle, STARPU_R) + starpu_tag_wait(1);
}

static void callback(void *arg)
{
	(void)arg;
	in_callback = starpu_task_wait_for_all();
}

static int never(unsigned worker, struct starpu_task *task, unsigned implementation)
{
	(void)worker;
	(void)task;
	(void)implementation;
	return 0;
}

static struct starpu_codelet cl = { .cpu_funcs = { wait }, .name = "wait" };
static struct starpu_codelet nobody = { .cpu_funcs = { wait }, .can_execute = never };
static struct starpu_codelet elsewhere = { .cpu_funcs = { wait }, .where = STARPU_CUDA };
static struct starpu_codelet none = { .nbuffers = 0 };

static void never_called(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	STARPU_ABORT();
}

/* Tasks that wait for each other: StarPU waits for ever. */
static void cycle(void)
{
	static struct starpu_codelet cl = { .cpu_funcs = { never_called } };
	struct starpu_task *tasks[3];

	for (int i = 0; i < 3; i++)
		tasks[i] = starpu_task_create();
	tasks[0]->cl = &cl;
	for (int i = 0; i < 3; i++)
		starpu_task_declare_deps_array(tasks[i], 1, &tasks[(i + 2) % 3]);
	for (int i = 2; i >= 0; i--)
		STARPU_ASSERT(starpu_task_submit(tasks[i]) == 0);
	STARPU_ASSERT(starpu_task_wait_for_all() == -EDEADLK);
	STARPU_ASSERT(starpu_task_wait_for_all() == 0);
}

int main(void)
{
	struct starpu_task zeroed, *task;
	starpu_data_handle_t handle;
	int value = 0;

	memset(&zeroed, 0, sizeof zeroed);
	STARPU_ASSERT(starpu_task_insert(&cl, 0) == -ENODEV); /* not initialised */
	STARPU_ASSERT(starpu_init(NULL) == 0);
	starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	STARPU_ASSERT(starpu_task_submit(NULL) == -EINVAL && starpu_task_submit(&zeroed) == -EINVAL);
	STARPU_ASSERT(starpu_task_insert(&nobody, 0) == -ENODEV);
	if (!starpu_cuda_worker_get_count())
		STARPU_ASSERT(starpu_task_insert(&elsewhere, 0) == -ENODEV);
	STARPU_ASSERT(starpu_task_insert(&none, 0) == -ENODEV);
	STARPU_ASSERT(starpu_task_insert(&cl, STARPU_EXECUTE_ON_WORKER, 1000, 0) == -ENODEV);
	task = starpu_task_create();
	task->cl = &cl;
	task->cl_arg = handle;
	task->callback_func = callback;
	task->detach = 0;
	STARPU_ASSERT(starpu_task_submit(task) == 0);
	STARPU_ASSERT(starpu_task_wait(task) == 0);
	STARPU_ASSERT(in_codelet == 3 * -EDEADLK && in_callback == -EDEADLK);
	starpu_data_release(handle);        /* not acquired */
	starpu_data_unpartition(handle, 0); /* not partitioned */
	starpu_data_unregister(handle);
	cycle();
	starpu_shutdown();
	return 0;
}
