/* SPDX-License-Identifier: MIT */
/* Collections of workers of the program's own. */
#include "check.h"

static int n;

static void f(void *b[], void *a)
{
	(void)b;
	(void)a;
	STARPU_ATOMIC_ADD(&n, 1);
}

static struct starpu_codelet cl = { .cpu_funcs = { f } };

static void use(struct starpu_worker_collection *src, enum starpu_worker_collection_type ty)
{
	struct starpu_worker_collection *c = calloc(1, sizeof *c);
	c->has_next = src->has_next;
	c->get_next = src->get_next;
	c->add = src->add;
	c->remove = src->remove;
	c->init = src->init;
	c->deinit = src->deinit;
	c->init_iterator = src->init_iterator;
	c->init_iterator_for_parallel_tasks = src->init_iterator_for_parallel_tasks;
	c->type = ty;
	int p[64];
	unsigned np = starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, p, 64);
	CHECK(c->init);
	c->init(c);
	for (unsigned i = 0; i < np; i++)
		CHECK(c->add(c, p[i]) == p[i]);
	struct starpu_sched_ctx_iterator it;
	c->init_iterator(c, &it);
	unsigned k = 0;
	while (c->has_next(c, &it)) {
		int w = c->get_next(c, &it);
		CHECK(w == p[k] || ty == STARPU_WORKER_TREE);
		OK(starpu_task_insert(&cl, STARPU_EXECUTE_ON_WORKER, w, 0));
		k++;
	}
	CHECK(k == np);
	CHECK(c->remove(c, p[0]) == p[0]);
	k = 0;
	c->init_iterator(c, &it);
	while (c->has_next(c, &it)) {
		c->get_next(c, &it);
		k++;
	}
	CHECK(k == np - 1);
	OK(starpu_task_wait_for_all());
	c->deinit(c);
	free(c);
}

int main(void)
{
	START();
	use(&starpu_worker_list, STARPU_WORKER_LIST);
	use(&starpu_worker_tree, STARPU_WORKER_TREE);
	starpu_shutdown();
	return 0;
}
