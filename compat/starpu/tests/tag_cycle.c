/* SPDX-License-Identifier: MIT */
/* Regenerated tasks in a ring of tags, which the program starts. */
#include "check.h"

static unsigned n = 300;
static struct starpu_task t[4];
static starpu_pthread_mutex_t m = STARPU_PTHREAD_MUTEX_INITIALIZER;
static starpu_pthread_cond_t c = STARPU_PTHREAD_COND_INITIALIZER;
static int done;
static unsigned count, cnt[4];

static void f(void *b[], void *a)
{
	(void)b;
	(void)a;
	STARPU_ATOMIC_ADD(&count, 1);
}

static struct starpu_codelet cl = { .cpu_funcs = { f }, .nbuffers = 0 };

static void cb(void *a)
{
	unsigned i = (unsigned)(uintptr_t)a;
	if (++cnt[i] == n)
		t[i].regenerate = 0;
	if (i == 3) {
		if (cnt[3] == n) {
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
		t[i].use_tag = 1;
		t[i].tag_id = i + 1;
		t[i].detach = 1;
		t[i].callback_func = cb;
		t[i].callback_arg = (void *)(uintptr_t)i;
	}
	starpu_tag_declare_deps(1, 1, (starpu_tag_t)4);
	starpu_tag_declare_deps(2, 1, (starpu_tag_t)1);
	starpu_tag_declare_deps(3, 1, (starpu_tag_t)1);
	starpu_tag_declare_deps(4, 2, (starpu_tag_t)2, (starpu_tag_t)3);
	for (int i = 0; i < 4; i++)
		OK(starpu_task_submit(&t[i]));
	starpu_tag_notify_restart_from_apps(4);
	STARPU_PTHREAD_MUTEX_LOCK(&m);
	while (!done)
		STARPU_PTHREAD_COND_WAIT(&c, &m);
	STARPU_PTHREAD_MUTEX_UNLOCK(&m);
	OK(starpu_task_wait_for_all());
	CHECK(count == 4 * n);
	starpu_shutdown();
	return 0;
}
