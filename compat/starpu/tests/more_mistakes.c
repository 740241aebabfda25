/* SPDX-License-Identifier: MIT */
/* Mistakes: each gives an error or a log line, and nothing ends or hangs. */
#include "check.h"

static struct starpu_task *self;
static int r1, r2;

static void own(void *b[], void *a)
{
	(void)b;
	(void)a;
	r1 = starpu_task_wait(self);
}

static struct starpu_codelet cl = { .cpu_funcs = { own } };

static void f(void *b[], void *a)
{
	(void)b;
	(void)a;
}

static struct starpu_codelet c1 = { .cpu_funcs = { f }, .nbuffers = 1, .modes = { STARPU_R } };
static starpu_data_handle_t H;

static void unr(void *b[], void *a)
{
	(void)b;
	(void)a;
	starpu_data_unregister(H);
	starpu_tag_wait(7);
	r2 = starpu_task_wait_for_n_submitted(0);
	starpu_data_partition(H, NULL);
}

static struct starpu_codelet cu = { .cpu_funcs = { unr }, .nbuffers = 1, .modes = { STARPU_RW } };

int main(void)
{
	CHECK(starpu_task_submit(NULL) != 0);
	START();
	CHECK(starpu_task_submit(NULL) != 0);
	self = starpu_task_create();
	self->cl = &cl;
	self->detach = 0;
	OK(starpu_task_submit(self));
	OK(starpu_task_wait(self));
	CHECK(r1 == -EDEADLK);
	int v;
	starpu_variable_data_register(&H, 0, (uintptr_t)&v, sizeof v);
	struct starpu_task *t = starpu_task_create();
	t->cl = &c1;
	CHECK(starpu_task_submit(t) != 0);
	starpu_task_destroy(t);
	CHECK(starpu_task_insert(&c1, STARPU_W, H, 0) == -EINVAL);
	CHECK(starpu_task_insert(&c1, STARPU_R, H, STARPU_R, H, 0) != 0);
	CHECK(starpu_task_insert(&c1, 0) != 0);
	OK(starpu_task_insert(&cu, STARPU_RW, H, 0));
	OK(starpu_task_wait_for_all());
	CHECK(r2 == -EDEADLK);
	struct starpu_data_filter bf = { .filter_func = starpu_vector_filter_block, .nchildren = 0 };
	starpu_data_partition(H, &bf);
	starpu_data_unpartition(H, 0);
	CHECK(starpu_data_get_sub_data(H, 1, 3) == NULL);
	starpu_data_release(H);
	struct starpu_task z;
	memset(&z, 0, sizeof z);
	CHECK(starpu_task_submit(&z) == -EINVAL);
	starpu_data_unregister(NULL);
	CHECK(starpu_data_acquire(NULL, STARPU_R) != 0);
	starpu_tag_remove(1234);
	CHECK(starpu_task_wait(NULL) != 0);
	starpu_task_destroy(NULL);
	starpu_data_unregister(H);
	struct starpu_conf c;
	memset(&c, 0, sizeof c);
	CHECK(starpu_init(&c) != 0);
	struct starpu_task *u = starpu_task_create();
	u->cl = &cl;
	u->execute_on_a_specific_worker = 1;
	u->workerid = 99;
	CHECK(starpu_task_submit(u) != 0);
	starpu_task_destroy(u);
	CHECK(starpu_worker_get_type(99) == STARPU_ANY_WORKER || 1);
	CHECK(starpu_worker_get_devid(99) < 0);
	char nm[8];
	starpu_worker_get_name(99, nm, 8);
	starpu_shutdown();
	starpu_shutdown();
	CHECK(starpu_task_wait_for_all() != 0);
	return 0;
}
