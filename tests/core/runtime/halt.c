/* SPDX-License-Identifier: MIT */
/* Halting a runtime in which a component does not return, or asks for it. */
#include "../../helper.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <xylem/component.h>

#include "core/runtime/runtime.h"

/* --- a component that passes tasks on, and does not return while `stuck` is set --- */

struct sticky {
	struct xy_component base;
	struct xy_lock lock;
};

static _Atomic int stuck, inside, done;
static bool locks;

static bool sticky_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct sticky *s = (struct sticky *)self;
	bool taken;

	if (locks)
		xy_lock_take(&s->lock, self, by);
	if (atomic_load(&stuck))
		helper_add(&inside);
	while (atomic_load(&stuck))
		sched_yield();
	taken = xy_push(self->children[0], task, by);
	if (locks)
		xy_lock_drop(&s->lock, self, by);
	return taken;
}

static void sticky_wait(struct sticky *s)
{
	struct xy_agent nobody = { .worker = -1 };

	xy_lock_take(&s->lock, &s->base, &nobody);
	xy_lock_drop(&s->lock, &s->base, &nobody);
}

static void sticky_each_task(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task), void *arg)
{
	(void)visit;
	(void)arg;
	sticky_wait((struct sticky *)self);
}

static void sticky_inherit(struct xy_component *self, struct xy_component *old)
{
	(void)self;
	sticky_wait((struct sticky *)old);
}

static const struct xy_component_ops sticky_ops = {
	.name = "sticky",
	.size = sizeof(struct sticky),
	.push = sticky_push,
	.each_task = sticky_each_task,
};

/* Its heir waits for its lock. */
static const struct xy_component_ops legator_ops = {
	.name = "legator",
	.size = sizeof(struct sticky),
	.inherit = sticky_inherit,
};

/* --- a component that asks for another tree --- */

static struct xy_runtime *runtime;
static _Atomic int error_inside;

static void changer_submitted(struct xy_component *self, const struct xy_task *task, struct xy_agent *by)
{
	(void)self;
	(void)task;
	(void)by;
	atomic_store(&error_inside, xy_set_policy(runtime, "tree-eager"));
}

static const struct xy_component_ops changer_ops = {
	.name = "changer",
	.size = sizeof(struct xy_component),
	.submitted = changer_submitted,
};

static const struct xy_component_ops *const own[] = { &sticky_ops, &legator_ops, &changer_ops, NULL };

/* --- tests --- */

/* The worker itself pushes what it submits. */
static int parent(struct xy_call *call)
{
	helper_add(call->arg);
	while (!atomic_load(&stuck))
		sched_yield();
	return xy_insert(call->runtime, &helper_count, xy_arg(&done));
}

static const struct xy_codelet parent_codelet = { .name = "parent", .cpu = { parent } };

/* All workers are on their way into the component, and one has got there. */
static struct helper *get_stuck(unsigned nworkers)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .sched = "sticky | fifo | eager | each worker { }",
								  .components = own,
								  .ncpu = nworkers,
								  .bind = XY_NO });
	_Atomic int started = 0;

	helper_forget(h);
	h->rt->halt_limit_s = 0.1;
	atomic_store(&stuck, 0);
	atomic_store(&inside, 0);
	atomic_store(&done, 0);
	for (unsigned i = 0; i < nworkers; i++)
		assert_int_equal(xy_insert(h->rt, &parent_codelet, xy_arg(&started), xy_on(i)), 0);
	helper_reach(h, &started, (int)nworkers);
	atomic_store(&stuck, 1);
	helper_reach(h, &inside, 1);
	return h;
}

/* Nothing has changed: it goes on when the component does, and can be halted then. */
static void get_going(struct helper *h, const struct xy_tree *tree, int ntasks)
{
	struct xy_context *context = NULL;

	assert_ptr_equal(xy_runtime_tree(h->rt), tree);
	assert_int_equal(xy_context_create(h->rt, &(struct xy_context_desc){ .name = "none" }, &context), -ETIMEDOUT);
	assert_null(context);
	atomic_store(&stuck, 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(done, ntasks);
	helper_forget(h);
	h->rt->halt_limit_s = 20;
	assert_int_equal(xy_set_policy(h->rt, "tree-prio"), 0);
	assert_int_equal(xy_insert(h->rt, &helper_count, xy_arg(&done)), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(done, ntasks + 1);
	assert_int_equal(helper_stop(h), 0);
}

static void gives_up_when_a_component_does_not_return(void **state)
{
	struct xy_tree *tree;
	struct helper *h;

	(void)state;
	locks = false;
	h = get_stuck(1);
	tree = xy_runtime_tree(h->rt);
	assert_int_equal(xy_set_policy(h->rt, "tree-prio"), -ETIMEDOUT);
	helper_one_line(h, "the trees stay as they are: worker cpu0 does not return from");
	get_going(h, tree, 1);
}

static void names_the_component_whose_lock_is_kept(void **state)
{
	struct xy_tree *tree;
	struct helper *h;

	(void)state;
	locks = true;
	h = get_stuck(2);
	tree = xy_runtime_tree(h->rt);
	while (!atomic_load(&xy_tree_root(tree)->awaited))
		sched_yield();
	assert_int_equal(xy_worker_remove(h->rt, 1), -ETIMEDOUT);
	helper_one_line(h, "keeps the lock of sticky#0, taken in push");
	get_going(h, tree, 2);
}

/* No agent is inside the component, but its lock was never dropped. */
static void gives_up_when_a_lock_is_left(const char *sched, const char *line)
{
	struct helper *h = helper_start_with(
		&(struct xy_config){ .sched = sched, .components = own, .ncpu = 2, .bind = XY_NO });
	struct xy_agent nobody = { .worker = -1 };
	struct sticky *s = (struct sticky *)xy_tree_root(xy_runtime_tree(h->rt));

	helper_forget(h);
	h->rt->halt_limit_s = 5; /* enough to halt, on a slow machine too */
	atomic_store(&stuck, 0);
	atomic_store(&done, 0);
	locks = false;
	xy_lock_take(&s->lock, &s->base, &nobody);
	assert_int_equal(xy_set_policy(h->rt, sched), -ETIMEDOUT);
	helper_one_line(h, line);
	assert_ptr_equal(xy_tree_root(xy_runtime_tree(h->rt)), s);
	assert_int_equal(xy_insert(h->rt, &helper_count, xy_arg(&done)), 0);
	assert_int_equal(helper_wait(h), 0);
	xy_lock_drop(&s->lock, &s->base, &nobody);
	h->rt->halt_limit_s = 20;
	assert_int_equal(xy_set_policy(h->rt, sched), 0);
	assert_int_equal(xy_insert(h->rt, &helper_count, xy_arg(&done)), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(done, 2);
	assert_int_equal(helper_stop(h), 0);
}

static void gives_up_when_a_component_does_not_show_its_tasks(void **state)
{
	(void)state;
	gives_up_when_a_lock_is_left(
		"sticky | fifo | eager | each worker { }",
		"the trees stay as they are: a thread of the application keeps the lock of sticky#0");
}

static void gives_up_when_a_component_has_no_answer_for_its_heir(void **state)
{
	(void)state;
	gives_up_when_a_lock_is_left("legator | fifo | eager | each worker { }",
				     "a thread of the application keeps the lock of legator#0");
}

/* No stack is as large as the default now: -EAGAIN, and nothing has changed. */
static void says_that_no_thread_can_ask(const char *sched)
{
	struct helper *h = helper_start_with(
		&(struct xy_config){ .sched = sched, .components = own, .ncpu = 2, .bind = XY_NO });
	const struct xy_tree *tree = xy_runtime_tree(h->rt);
	pthread_attr_t large, old;
	char dumped[4096];
	FILE *dump = tmpfile();

	assert_non_null(dump);
	locks = false;
	atomic_store(&stuck, 0);
	atomic_store(&done, 0);
	assert_int_equal(pthread_getattr_default_np(&old), 0);
	assert_int_equal(pthread_attr_init(&large), 0);
	assert_int_equal(pthread_attr_setstacksize(&large, (size_t)1 << 50), 0);
	assert_int_equal(pthread_setattr_default_np(&large), 0);
	assert_int_equal(xy_set_policy(h->rt, sched), -EAGAIN);
	helper_one_line(h, "the trees stay as they are: no thread can ask the components what they hold");
	helper_forget(h);
	assert_int_equal(xy_dump(h->rt, fileno(dump)), 0);
	rewind(dump);
	dumped[fread(dumped, 1, sizeof dumped - 1, dump)] = '\0';
	fclose(dump);
	assert_non_null(strstr(dumped, " can't be asked: "));
	assert_null(strstr(dumped, " does not answer"));
	assert_int_equal(pthread_setattr_default_np(&old), 0);
	pthread_attr_destroy(&large);
	pthread_attr_destroy(&old);
	assert_ptr_equal(xy_runtime_tree(h->rt), tree);
	assert_int_equal(xy_set_policy(h->rt, sched), 0);
	assert_int_equal(xy_insert(h->rt, &helper_count, xy_arg(&done)), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(done, 1);
	assert_int_equal(helper_stop(h), 0);
}

static void says_that_no_thread_can_ask_for_tasks(void **state)
{
	(void)state;
	says_that_no_thread_can_ask("fifo | eager | each worker { }");
}

static void says_that_no_thread_can_ask_for_an_heir(void **state)
{
	(void)state;
	says_that_no_thread_can_ask("legator | fifo | eager | each worker { }");
}

static void refuses_to_replace_the_tree_of_the_caller(void **state)
{
	struct helper *h = helper_start_with(&(struct xy_config){
		.sched = "fifo | changer | eager | each worker { }", .components = own, .ncpu = 1 });

	(void)state;
	runtime = h->rt;
	atomic_store(&done, 0);
	assert_int_equal(xy_insert(h->rt, &helper_count, xy_arg(&done)), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(error_inside, -EDEADLK);
	helper_one_line(h, "a component's function can't replace its own tree");
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_up_when_a_component_does_not_return),
		cmocka_unit_test(names_the_component_whose_lock_is_kept),
		cmocka_unit_test(gives_up_when_a_component_does_not_show_its_tasks),
		cmocka_unit_test(gives_up_when_a_component_has_no_answer_for_its_heir),
		cmocka_unit_test(says_that_no_thread_can_ask_for_tasks),
		cmocka_unit_test(says_that_no_thread_can_ask_for_an_heir),
		cmocka_unit_test(refuses_to_replace_the_tree_of_the_caller),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
