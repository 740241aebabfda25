/* SPDX-License-Identifier: MIT */
/* Tags: declared before and after, notified by the program, waited for, used
 * again; a task graph of them. */
#include <starpu.h>

#define NK 8
#define TAG(i, j) ((starpu_tag_t)((i)*100 + (j) + 1))

static int done[NK][NK];
static unsigned callbacks;

static void cell(void *buffers[], void *arg)
{
	int k = (int)(intptr_t)arg, i = k / NK, j = k % NK;

	(void)buffers;
	STARPU_ASSERT(!i || done[i - 1][j]);
	STARPU_ASSERT(!j || done[i][j - 1]);
	done[i][j] = 1;
}

static struct starpu_codelet cl = { .cpu_funcs = { cell }, .nbuffers = 0, .name = "cell" };
static struct starpu_codelet empty = { .where = STARPU_NOWHERE };

static void callback(void *arg)
{
	STARPU_ASSERT(starpu_task_get_current());
	STARPU_ATOMIC_ADD(&callbacks, (unsigned)(uintptr_t)arg);
}

static void wavefront(void)
{
	for (int i = NK - 1; i >= 0; i--)
		for (int j = NK - 1; j >= 0; j--) {
			struct starpu_task *task = starpu_task_create();

			task->cl = &cl;
			task->cl_arg = (void *)(intptr_t)(i * NK + j);
			task->use_tag = 1;
			task->tag_id = TAG(i, j);
			if (i && j)
				starpu_tag_declare_deps(TAG(i, j), 2, TAG(i - 1, j), TAG(i, j - 1));
			else if (i || j)
				starpu_tag_declare_deps(TAG(i, j), 1, i ? TAG(i - 1, j) : TAG(i, j - 1));
			else
				starpu_tag_declare_deps(TAG(0, 0), 1, (starpu_tag_t)99999);
			STARPU_ASSERT(starpu_task_submit(task) == 0);
			STARPU_ASSERT(starpu_tag_get_task(TAG(i, j)) == task);
		}
	STARPU_ASSERT(starpu_task_nsubmitted() == NK * NK);
	STARPU_ASSERT(!done[0][0]);
	starpu_tag_notify_from_apps(99999);
	STARPU_ASSERT(starpu_tag_wait(TAG(NK - 1, NK - 1)) == 0);
	STARPU_ASSERT(done[NK - 1][NK - 1]);
	starpu_task_wait_for_all();
	for (int i = 0; i < NK; i++)
		for (int j = 0; j < NK; j++)
			starpu_tag_remove(TAG(i, j));
}

static void again(void)
{
	static struct starpu_task task;
	starpu_tag_t tags[2] = { 5001, 5002 };

	starpu_task_init(&task);
	task.cl = &empty;
	task.use_tag = 1;
	task.tag_id = 5000;
	task.detach = 0;
	task.callback_func = callback;
	task.callback_arg = (void *)1;
	for (int i = 0; i < 10; i++) {
		STARPU_ASSERT(starpu_task_submit(&task) == 0);
		STARPU_ASSERT(starpu_task_wait(&task) == 0);
		STARPU_ASSERT(starpu_tag_wait(5000) == 0);
	}
	STARPU_ASSERT(callbacks == 10);
	starpu_task_clean(&task);
	starpu_create_sync_task(tags[0], 0, NULL, callback, (void *)10);
	starpu_create_sync_task(tags[1], 1, tags, callback, (void *)100);
	STARPU_ASSERT(starpu_tag_wait_array(2, tags) == 0);
	starpu_create_callback_task(callback, (void *)1000);
	starpu_task_wait_for_all();
	STARPU_ASSERT(callbacks == 1120);
	starpu_tag_restart(tags[0]);
	starpu_tag_declare_deps_array(6000, 1, tags);
	starpu_create_sync_task(6000, 0, NULL, callback, (void *)10000);
	starpu_tag_notify_restart_from_apps(tags[0]);
	STARPU_ASSERT(starpu_tag_wait(6000) == 0);
}

#define SIDE 40
#define POINT(y, x) ((starpu_tag_t)(y) << 32 | (starpu_tag_t)(x))
#define START POINT(SIDE, SIDE)

static void tagged(starpu_tag_t tag)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = &empty;
	task->use_tag = 1;
	task->tag_id = tag;
	task->callback_func = callback;
	task->callback_arg = (void *)1;
	STARPU_ASSERT(starpu_task_submit(task) == 0);
}

/* Tags that differ in their upper or lower half only, more than the table begins with, and all behind one. Their
 * numbers serve again after they were removed. */
static void many(void)
{
	for (int round = 0; round < 2; round++) {
		callbacks = 0;
		for (int i = 0; i < SIDE * SIDE; i++) {
			int y = i / SIDE, x = i % SIDE;

			starpu_tag_declare_deps(POINT(y, x), 1, START);
			if (x && y)
				starpu_tag_declare_deps(POINT(y, x), 2, POINT(y - 1, x), POINT(y, x - 1));
			tagged(POINT(y, x));
		}
		STARPU_ASSERT(starpu_task_nsubmitted() == SIDE * SIDE);
		STARPU_ASSERT(callbacks == 0);
		starpu_tag_notify_from_apps(START);
		STARPU_ASSERT(starpu_tag_wait(POINT(SIDE - 1, SIDE - 1)) == 0);
		starpu_task_wait_for_all();
		STARPU_ASSERT(callbacks == SIDE * SIDE);
		for (int i = 0; i < SIDE * SIDE; i++)
			starpu_tag_remove(POINT(i / SIDE, i % SIDE));
		starpu_tag_remove(START);
	}
}

/* Its task may still be on its way out of the worker then. */
static void a_tag_is_removed_when_its_wait_ends(void)
{
	for (starpu_tag_t id = 5000; id < 5300; id++) {
		struct starpu_task *task = starpu_task_create();

		task->cl = &starpu_codelet_nop;
		task->use_tag = 1;
		task->tag_id = id;
		starpu_tag_declare_deps(id + 1000, 1, id);
		STARPU_ASSERT(starpu_task_submit(task) == 0);
		STARPU_ASSERT(starpu_tag_wait(id) == 0);
		starpu_tag_remove(id);
		starpu_tag_remove(id + 1000);
	}
	STARPU_ASSERT(starpu_task_wait_for_all() == 0);
}

int main(void)
{
	STARPU_ASSERT(starpu_initialize(NULL, NULL, NULL) == 0);
	a_tag_is_removed_when_its_wait_ends();
	wavefront();
	again();
	many();
	starpu_shutdown();
	return 0;
}
