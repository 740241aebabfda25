/* SPDX-License-Identifier: MIT */
/* Seven trees of components, one with a component of the program's own. */
#include "check.h"
#include <starpu_sched_component.h>
#include <starpu_scheduler.h>

static int n;

static void f(void *b[], void *a)
{
	(void)b;
	(void)a;
	STARPU_ATOMIC_ADD(&n, 1);
}

static struct starpu_codelet cl = { .cpu_funcs = { f } };

static void i1(unsigned c)
{
	starpu_sched_component_initialize_simple_scheduler(
		(starpu_sched_component_create_t)starpu_sched_component_eager_create, NULL,
		STARPU_SCHED_SIMPLE_DECIDE_WORKERS | STARPU_SCHED_SIMPLE_FIFO_ABOVE | STARPU_SCHED_SIMPLE_FIFOS_BELOW |
			STARPU_SCHED_SIMPLE_IMPL,
		c);
}

static void i2(unsigned c)
{
	starpu_sched_component_initialize_simple_scheduler(
		(starpu_sched_component_create_t)starpu_sched_component_mct_create, NULL,
		STARPU_SCHED_SIMPLE_DECIDE_WORKERS | STARPU_SCHED_SIMPLE_PERFMODEL | STARPU_SCHED_SIMPLE_FIFO_ABOVE |
			STARPU_SCHED_SIMPLE_FIFO_ABOVE_PRIO | STARPU_SCHED_SIMPLE_FIFOS_BELOW |
			STARPU_SCHED_SIMPLE_FIFOS_BELOW_PRIO | STARPU_SCHED_SIMPLE_FIFOS_BELOW_READY |
			STARPU_SCHED_SIMPLE_FIFOS_BELOW_EXP | STARPU_SCHED_SIMPLE_IMPL,
		c);
}

static void i3(unsigned c)
{
	struct starpu_sched_tree *t = starpu_sched_tree_create(c);
	struct starpu_sched_component *fifo = starpu_sched_component_fifo_create(t, NULL),
				      *eager = starpu_sched_component_eager_create(t, NULL);
	t->root = fifo;
	starpu_sched_component_connect(fifo, eager);
	struct starpu_sched_component_fifo_data fd = { .ntasks_threshold = 1, .exp_len_threshold = 1e9 };
	for (unsigned i = 0; i < starpu_worker_get_count(); i++) {
		struct starpu_sched_component *wc = starpu_sched_component_worker_new(c, i),
					      *ff = starpu_sched_component_fifo_create(t, &fd),
					      *bi = starpu_sched_component_best_implementation_create(t, NULL);
		starpu_sched_component_connect(ff, bi);
		starpu_sched_component_connect(bi, wc);
		starpu_sched_component_connect(eager, ff);
	}
	starpu_sched_tree_update_workers(t);
	starpu_sched_tree_update_workers_in_ctx(t);
	starpu_sched_ctx_set_policy_data(c, t);
}

static void i4(unsigned c)
{
	starpu_sched_component_initialize_simple_scheduler(
		(starpu_sched_component_create_t)starpu_sched_component_work_stealing_create, NULL,
		STARPU_SCHED_SIMPLE_DECIDE_WORKERS | STARPU_SCHED_SIMPLE_WS_BELOW | STARPU_SCHED_SIMPLE_IMPL, c);
}

static void i5(unsigned c)
{
	starpu_sched_component_initialize_simple_scheduler(
		(starpu_sched_component_create_t)starpu_sched_component_random_create, NULL,
		STARPU_SCHED_SIMPLE_DECIDE_WORKERS | STARPU_SCHED_SIMPLE_FIFO_ABOVE | STARPU_SCHED_SIMPLE_FIFOS_BELOW,
		c);
}

static void i6(unsigned c)
{
	starpu_sched_component_initialize_simple_schedulers(
		c, 2, (starpu_sched_component_create_t)starpu_sched_component_heteroprio_create, NULL,
		STARPU_SCHED_SIMPLE_DECIDE_WORKERS | STARPU_SCHED_SIMPLE_FIFOS_BELOW | STARPU_SCHED_SIMPLE_IMPL,
		(starpu_sched_component_create_t)starpu_sched_component_mct_create, NULL,
		STARPU_SCHED_SIMPLE_DECIDE_WORKERS | STARPU_SCHED_SIMPLE_FIFO_ABOVE | STARPU_SCHED_SIMPLE_FIFOS_BELOW |
			STARPU_SCHED_SIMPLE_IMPL);
}

static void de(unsigned c)
{
	struct starpu_sched_tree *t = starpu_sched_ctx_get_policy_data(c);
	starpu_sched_tree_destroy(t);
}

static int mypush(struct starpu_sched_component *c, struct starpu_task *t)
{
	for (unsigned i = 0; i < c->nchildren; i++) {
		int r = starpu_sched_component_push_task(c, c->children[i], t);
		if (!r)
			return 0;
	}
	return 1;
}

static void i7(unsigned c)
{
	struct starpu_sched_tree *t = starpu_sched_tree_create(c);
	struct starpu_sched_component *my = starpu_sched_component_create(t, "mine");
	my->push_task = mypush;
	struct starpu_sched_component *q = starpu_sched_component_prio_create(t, NULL);
	t->root = q;
	starpu_sched_component_connect(q, my);
	struct starpu_sched_component_prio_data pd = { .ntasks_threshold = 2, .exp_len_threshold = 1e9 };
	for (unsigned i = 0; i < starpu_worker_get_count(); i++) {
		struct starpu_sched_component *p = starpu_sched_component_prio_create(t, &pd);
		starpu_sched_component_connect(my, p);
		starpu_sched_component_connect(p, starpu_sched_component_worker_get(c, i));
	}
	starpu_sched_tree_update_workers(t);
	starpu_sched_tree_update_workers_in_ctx(t);
	starpu_sched_ctx_set_policy_data(c, t);
}

int main(void)
{
	void (*is[])(unsigned) = { i1, i2, i3, i4, i5, i6, i7 };
	for (unsigned k = 0; k < 7; k++) {
		struct starpu_sched_policy p = { .init_sched = is[k],
						 .deinit_sched = de,
						 .add_workers = starpu_sched_tree_add_workers,
						 .remove_workers = starpu_sched_tree_remove_workers,
						 .push_task = starpu_sched_tree_push_task,
						 .pop_task = starpu_sched_tree_pop_task,
						 .pre_exec_hook = starpu_sched_component_worker_pre_exec_hook,
						 .post_exec_hook = starpu_sched_component_worker_post_exec_hook,
						 .policy_name = "tree",
						 .policy_description = "t",
						 .worker_type = STARPU_WORKER_LIST };
		struct starpu_conf conf;
		starpu_conf_init(&conf);
		conf.sched_policy = &p;
		OK(starpu_init(&conf));
		n = 0;
		for (int i = 0; i < 500; i++)
			OK(starpu_task_insert(&cl, STARPU_PRIORITY, i % 3, 0));
		OK(starpu_task_wait_for_all());
		CHECK(n == 500);
		starpu_shutdown();
		printf("%u ok\n", k);
	}
	return 0;
}
