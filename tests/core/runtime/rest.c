/* SPDX-License-Identifier: MIT */
/*
 * A runtime whose tree is audited, which is so in the debug build: a broken rule is a log line and the error of the
 * next wait; a task that was not offered runs all the same, and one that is lost is named.
 */
#include "../../helper.h"

#include <errno.h>
#include <string.h>
#include <xylem/component.h>
#include "core/tree/audit.h"

struct pit {
	struct xy_component base;
	bool silent, loses; /* as its kind has it */
	struct xy_lock lock;
	struct xy_queue queue;
	XY_ATOMIC(unsigned) pushed;
};

static struct pit *pit(struct xy_component *self)
{
	return (struct pit *)self;
}

static bool pit_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct xy_offer offer = xy_offer_of(task);
	struct pit *p = pit(self);

	if (p->loses && atomic_fetch_add(&p->pushed, 1) == 3)
		return true;
	xy_lock_take(&p->lock, self, by);
	xy_queue_insert(&p->queue, task);
	if (!p->silent)
		xy_can_pull_children(self, &offer, by);
	xy_lock_drop(&p->lock, self, by);
	return true;
}

static struct xy_task *pit_pull(struct xy_component *self, struct xy_agent *by)
{
	struct xy_task *task;

	xy_lock_take(&pit(self)->lock, self, by);
	task = xy_queue_take(&pit(self)->queue, by);
	xy_lock_drop(&pit(self)->lock, self, by);
	return task;
}

static size_t pit_depth(struct xy_component *self, size_t *peak)
{
	*peak = xy_queue_peak(&pit(self)->queue);
	return xy_queue_count(&pit(self)->queue);
}

static void pit_each(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task), void *arg)
{
	struct xy_agent nobody = { .worker = -1 };

	xy_lock_take(&pit(self)->lock, self, &nobody);
	xy_queue_each(&pit(self)->queue, visit, arg);
	xy_lock_drop(&pit(self)->lock, self, &nobody);
}

static int pit_init_silent(struct xy_component *self)
{
	pit(self)->silent = true;
	return 0;
}

static int pit_init_loses(struct xy_component *self)
{
	pit(self)->loses = true;
	return 0;
}

static const struct xy_component_ops silent_ops = {
	.name = "silent",
	.flags = XY_STORES,
	.size = sizeof(struct pit),
	.init = pit_init_silent,
	.push = pit_push,
	.pull = pit_pull,
	.depth = pit_depth,
	.each_task = pit_each,
};

static const struct xy_component_ops loses_ops = {
	.name = "loses",
	.flags = XY_STORES,
	.size = sizeof(struct pit),
	.init = pit_init_loses,
	.push = pit_push,
	.pull = pit_pull,
	.depth = pit_depth,
	.each_task = pit_each,
};

static const struct xy_component_ops *const components[] = { &loses_ops, &silent_ops, NULL };

static int nothing(struct xy_call *call)
{
	(void)call;
	return 0;
}

static const struct xy_codelet codelet = { .name = "nothing", .cpu = { nothing } };

static struct helper *start(const char *sched)
{
	struct xy_config config = { .sched = sched, .ncpu = 2, .components = components };

	if (!xy__audit_always)
		skip();
	return helper_start_with(&config);
}

static void submit(struct helper *h, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(xy_submit(h->rt, &(struct xy_task_desc){ .codelet = &codelet }), 0);
}

static void a_task_that_was_not_offered_runs_and_is_an_error(void **state)
{
	struct helper *h = start("silent | eager | each worker { }");
	char first[512];

	(void)state;
	for (unsigned i = 0; i < 50 && !helper_lines(h); i++) {
		helper_rest(h);
		submit(h, 1);
		helper_wait(h);
	}
	assert_int_equal(helper_lines_with(h, "breaks the rule \"offer what you store\""), 1);
	assert_non_null(strstr(xy_error(h->rt), "silent#0"));
	assert_int_not_equal(xy_tree_broken_rules(xy_runtime_tree(h->rt), first, sizeof first), 0);
	assert_non_null(strstr(first, "task 'nothing'"));
	helper_stop_lines(h, HELPER_ANY_LINES);
}

static void a_lost_task_is_named(void **state)
{
	struct helper *h = start("loses | eager | each worker { }");

	(void)state;
	submit(h, 10);
	for (unsigned i = 0; i < 300 && !helper_lines(h); i++)
		assert_int_equal(xy_wait_for(h->rt, 0.2), -ETIMEDOUT);
	assert_int_equal(helper_lines_with(h, "loses#0 of"), 1);
	assert_int_equal(helper_lines_with(h, "breaks the rule \"lose no task\""), 1);
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), -EDEADLK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_that_was_not_offered_runs_and_is_an_error),
		cmocka_unit_test(a_lost_task_is_named),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
