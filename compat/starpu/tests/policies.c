/* SPDX-License-Identifier: MIT */
/* A policy of the program's own, and all predefined ones. */
#include "check.h"

struct d {
	struct starpu_task_list l;
	starpu_pthread_mutex_t m;
	int pre, post, sub;
};
static struct d *G;

static void initp(unsigned c)
{
	struct d *p = calloc(1, sizeof *p);
	starpu_task_list_init(&p->l);
	STARPU_PTHREAD_MUTEX_INIT(&p->m, NULL);
	starpu_sched_ctx_set_policy_data(c, p);
	G = p;
}

static void deinit(unsigned c)
{
	struct d *p = starpu_sched_ctx_get_policy_data(c);
	CHECK(starpu_task_list_empty(&p->l));
	CHECK(p->pre == p->post);
	STARPU_PTHREAD_MUTEX_DESTROY(&p->m);
	free(p);
}

static int push(struct starpu_task *t)
{
	unsigned c = t->sched_ctx;
	struct d *p = starpu_sched_ctx_get_policy_data(c);
	STARPU_PTHREAD_MUTEX_LOCK(&p->m);
	starpu_task_list_push_front(&p->l, t);
	starpu_push_task_end(t);
	STARPU_PTHREAD_MUTEX_UNLOCK(&p->m);
	struct starpu_worker_collection *w = starpu_sched_ctx_get_worker_collection(c);
	struct starpu_sched_ctx_iterator it;
	w->init_iterator(w, &it);
	while (w->has_next(w, &it)) {
		int k = w->get_next(w, &it);
		starpu_wake_worker(k);
	}
	return 0;
}

static struct starpu_task *pop(unsigned c)
{
	struct d *p = starpu_sched_ctx_get_policy_data(c);
	STARPU_PTHREAD_MUTEX_LOCK(&p->m);
	struct starpu_task *t = NULL;
	if (!starpu_task_list_empty(&p->l))
		t = starpu_task_list_pop_back(&p->l);
	STARPU_PTHREAD_MUTEX_UNLOCK(&p->m);
	return t;
}

static void pre(struct starpu_task *t, unsigned c)
{
	(void)t;
	struct d *p = starpu_sched_ctx_get_policy_data(c);
	STARPU_ATOMIC_ADD(&p->pre, 1);
}

static void post(struct starpu_task *t, unsigned c)
{
	(void)t;
	struct d *p = starpu_sched_ctx_get_policy_data(c);
	STARPU_ATOMIC_ADD(&p->post, 1);
}

static struct starpu_sched_policy pol = { .init_sched = initp,
					  .deinit_sched = deinit,
					  .push_task = push,
					  .pop_task = pop,
					  .pre_exec_hook = pre,
					  .post_exec_hook = post,
					  .policy_name = "dummy",
					  .policy_description = "dummy",
					  .worker_type = STARPU_WORKER_LIST };
static int n;

static void f(void *b[], void *a)
{
	(void)b;
	(void)a;
	STARPU_ATOMIC_ADD(&n, 1);
}

static struct starpu_codelet cl = { .cpu_funcs = { f } };

int main(void)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.sched_policy = &pol;
	OK(starpu_init(&conf));
	CHECK(starpu_sched_get_sched_policy() && !strcmp(starpu_sched_get_sched_policy()->policy_name, "dummy"));
	for (int i = 0; i < 2000; i++)
		OK(starpu_task_insert(&cl, STARPU_PRIORITY, i % 5, 0));
	OK(starpu_task_wait_for_all());
	CHECK(n == 2000);
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl;
	t->synchronous = 1;
	t->execute_on_a_specific_worker = 1;
	t->workerid = 0;
	OK(starpu_task_submit(t));
	starpu_shutdown();
	struct starpu_sched_policy **p = starpu_sched_get_predefined_policies();
	for (; *p; p++) {
		puts((*p)->policy_name);
		starpu_conf_init(&conf);
		conf.sched_policy = *p;
		int r = starpu_init(&conf);
		if (r) {
			printf("policy %s: %d\n", (*p)->policy_name, r);
			exit(1);
		}
		n = 0;
		for (int i = 0; i < 50; i++)
			OK(starpu_task_insert(&cl, 0));
		OK(starpu_task_wait_for_all());
		CHECK(n == 50);
		starpu_shutdown();
	}
	return 0;
}
