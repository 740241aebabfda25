/* SPDX-License-Identifier: MIT */
/* Dependencies between tasks: before submission, of tasks that have ended, of
 * the end, regenerated and static tasks. */
#include <starpu.h>

static unsigned order, seen[64];

static void note(void *buffers[], void *arg)
{
	(void)buffers;
	seen[(uintptr_t)arg] = STARPU_ATOMIC_ADD(&order, 1);
}

static struct starpu_codelet cl = { .cpu_funcs = { note }, .name = "note" };

static struct starpu_task *make(uintptr_t i)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = &cl;
	task->cl_arg = (void *)i;
	task->detach = 0;
	return task;
}

static void diamond(void)
{
	struct starpu_task *t[4], *succs[4];
	int ret;

	for (unsigned i = 0; i < 4; i++)
		t[i] = make(i);
	starpu_task_declare_deps(t[1], 1, t[0]);
	starpu_task_declare_deps(t[2], 1, t[0]);
	starpu_task_declare_deps_array(t[3], 2, t + 1);
	STARPU_ASSERT(starpu_task_get_task_succs(t[0], 4, succs) == 2 && succs[0] == t[1] && succs[1] == t[2]);
	for (int i = 3; i >= 0; i--) {
		STARPU_ASSERT(order == 0 && !starpu_task_finished(t[i]));
		STARPU_ASSERT(starpu_task_get_job_id(t[i]) > 0);
		ret = starpu_task_submit(t[i]);
		STARPU_CHECK_RETURN_VALUE(ret, "starpu_task_submit");
	}
	STARPU_ASSERT(starpu_task_wait(t[3]) == 0);
	STARPU_ASSERT(starpu_task_wait_array(t, 3) == 0);
	STARPU_ASSERT(seen[0] == 1 && seen[3] == 4);
}

static void ended(void)
{
	struct starpu_task *first = make(10), *second = make(11);

	first->destroy = 0;
	STARPU_ASSERT(starpu_task_submit(first) == 0);
	STARPU_ASSERT(starpu_task_wait(first) == 0);
	STARPU_ASSERT(starpu_task_finished(first));
	starpu_task_declare_deps_array(second, 1, &first);
	STARPU_ASSERT(starpu_task_submit(second) == 0);
	STARPU_ASSERT(starpu_task_wait(second) == 0);
	STARPU_ASSERT(seen[11] == seen[10] + 1);
	starpu_task_destroy(first);
}

static void end_deps(void)
{
	struct starpu_task *task = make(20), *inner = make(21), *after = make(22);

	starpu_task_declare_end_deps(task, 1, inner);
	starpu_task_end_dep_add(task, 1);
	starpu_task_declare_deps(after, 1, task);
	STARPU_ASSERT(starpu_task_submit(task) == 0);
	STARPU_ASSERT(starpu_task_submit(after) == 0);
	starpu_usleep(20000);
	STARPU_ASSERT(!seen[22]);
	starpu_task_end_dep_release(task);
	STARPU_ASSERT(starpu_task_submit(inner) == 0);
	STARPU_ASSERT(starpu_task_wait(after) == 0);
	STARPU_ASSERT(seen[22] > seen[21] && seen[22] > seen[20]);
	STARPU_ASSERT(starpu_task_wait(inner) == 0 && starpu_task_wait(task) == 0);
}

static struct starpu_task ring[3];
static unsigned rounds[3];

static void turn(void *arg)
{
	unsigned i = (unsigned)(uintptr_t)arg;

	if (++rounds[i] == 20)
		ring[i].regenerate = 0;
}

static void regenerated(void)
{
	for (unsigned i = 0; i < 3; i++) {
		starpu_task_init(&ring[i]);
		ring[i].cl = &cl;
		ring[i].cl_arg = (void *)(uintptr_t)(30 + i);
		ring[i].callback_func = turn;
		ring[i].callback_arg = (void *)(uintptr_t)i;
		ring[i].regenerate = 1;
	}
	for (unsigned i = 0; i < 3; i++)
		STARPU_ASSERT(starpu_task_submit(&ring[i]) == 0);
	starpu_task_wait_for_all();
	for (unsigned i = 0; i < 3; i++) {
		STARPU_ASSERT(rounds[i] == 20);
		starpu_task_clean(&ring[i]);
	}
}

static void static_tasks(void)
{
	static struct starpu_task task = STARPU_TASK_INITIALIZER;
	unsigned before = order;

	task.cl = &cl;
	task.cl_arg = (void *)40;
	for (int i = 0; i < 100; i++) {
		STARPU_ASSERT(starpu_task_submit(&task) == 0);
		starpu_do_schedule();
		STARPU_ASSERT(starpu_task_wait_for_all() == 0);
	}
	STARPU_ASSERT(order == before + 100);
	STARPU_ASSERT(starpu_task_wait(&task) == -EINVAL); /* detached */
	starpu_task_clean(&task);
}

int main(void)
{
	int ret = starpu_init(NULL);

	STARPU_CHECK_RETURN_VALUE_IS(ret, 0, "starpu_init");
	diamond();
	ended();
	end_deps();
	regenerated();
	static_tasks();
	STARPU_ASSERT(starpu_task_nsubmitted() == 0 && starpu_task_wait_for_n_submitted(0) == 0);
	starpu_shutdown();
	return 0;
}
