/* SPDX-License-Identifier: MIT */
/* Four tasks in a diamond that are regenerated until each has run often enough. */
#include "check.h"

static unsigned n = 500, cnt[4];
static struct starpu_task t[4];
static starpu_pthread_mutex_t m = STARPU_PTHREAD_MUTEX_INITIALIZER;
static starpu_pthread_cond_t c = STARPU_PTHREAD_COND_INITIALIZER;
static int done;

static void f(void *b[], void *a)
{
	(void)b;
	(void)a;
}

static struct starpu_codelet cl = { .cpu_funcs = { f }, .cuda_funcs = { f }, .opencl_funcs = { f }, .nbuffers = 0 };

static void cb(void *a)
{
	unsigned i = (unsigned)(uintptr_t)a;
	cnt[i]++;
	if (cnt[i] == n) {
		t[i].regenerate = 0;
		if (i == 3) {
			STARPU_PTHREAD_MUTEX_LOCK(&m);
			done = 1;
			STARPU_PTHREAD_COND_SIGNAL(&c);
			STARPU_PTHREAD_MUTEX_UNLOCK(&m);
		}
	}
}

int main(void)
{
	START();
	for (unsigned i = 0; i < 4; i++) {
		starpu_task_init(&t[i]);
		t[i].cl = &cl;
		t[i].destroy = 0;
		t[i].regenerate = 1;
		t[i].callback_func = cb;
		t[i].callback_arg = (void *)(uintptr_t)i;
		t[i].cl_arg = &cnt[i];
		t[i].cl_arg_size = sizeof cnt[i];
	}
	struct starpu_task *db[] = { &t[0] }, *dd[] = { &t[1], &t[2] };
	starpu_task_declare_deps_array(&t[1], 1, db);
	starpu_task_declare_deps_array(&t[2], 1, db);
	starpu_task_declare_deps_array(&t[3], 2, dd);
	for (int i = 3; i >= 0; i--)
		OK(starpu_task_submit(&t[i]));
	STARPU_PTHREAD_MUTEX_LOCK(&m);
	while (!done)
		STARPU_PTHREAD_COND_WAIT(&c, &m);
	STARPU_PTHREAD_MUTEX_UNLOCK(&m);
	OK(starpu_task_wait_for_all());
	for (int i = 0; i < 4; i++) {
		CHECK(cnt[i] == n);
		starpu_task_clean(&t[i]);
	}
	starpu_shutdown();
	return 0;
}
