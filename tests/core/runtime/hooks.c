/* SPDX-License-Identifier: MIT */
/* Hooks of components in running runtimes, in real and in virtual time: what is told about tasks, and ticks. */
#include "../../helper.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <xylem/component.h>

#include "core/runtime/notes.h"

enum { TASKS = 200 };

/* --- ear: hears of everything --- */

struct ear {
	struct xy_component base;
	_Atomic int submitted, started, ended, failed, measured, iterations;
	_Atomic uint64_t number;
	_Atomic int early; /* ends that were told before the start */
};

static void ear_submitted(struct xy_component *self, const struct xy_task *task, struct xy_agent *by)
{
	(void)task;
	(void)by;
	atomic_fetch_add(&((struct ear *)self)->submitted, 1);
}

static void ear_started(struct xy_component *self, const struct xy_task *task, struct xy_agent *by)
{
	assert_true(xy_task_can_run(task, (unsigned)by->worker));
	atomic_fetch_add(&((struct ear *)self)->started, 1);
}

static void ear_ended(struct xy_component *self, const struct xy_report *report, struct xy_agent *by)
{
	struct ear *ear = (struct ear *)self;

	if (atomic_fetch_add(&ear->ended, 1) >= atomic_load(&ear->started) || by->worker != (int)report->worker)
		atomic_fetch_add(&ear->early, 1);
	if (report->status)
		atomic_fetch_add(&ear->failed, 1);
	if (report->end_s >= report->start_s && report->start_s >= report->begin_s && report->begin_s > 0)
		atomic_fetch_add(&ear->measured, 1);
}

static void ear_iteration(struct xy_component *self, uint64_t number, struct xy_agent *by)
{
	(void)by;
	atomic_fetch_add(&((struct ear *)self)->iterations, 1);
	atomic_store(&((struct ear *)self)->number, number);
}

static const struct xy_component_ops ear_ops = {
	.name = "ear",
	.size = sizeof(struct ear),
	.submitted = ear_submitted,
	.started = ear_started,
	.ended = ear_ended,
	.iteration = ear_iteration,
};

/* --- pen: stores tasks, and lets one go at each tick --- */

struct pen {
	struct xy_component base;
	double every_us;
	bool periodic; /* ticks whether there are tasks or not */
	bool shut;     /* lets none go */
	struct xy_lock lock;
	unsigned released; /* (lock) tasks that may go */
	struct xy_queue queue;
	_Atomic int ticks, overlaps, inside;
};

static struct pen *pen_of(struct xy_component *c)
{
	return (struct pen *)c;
}

static bool pen_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct pen *pen = pen_of(self);

	xy_lock_take(&pen->lock, self, by);
	xy_queue_insert(&pen->queue, task);
	xy_component_at(self, xy_component_now_us(self) + pen->every_us);
	xy_lock_drop(&pen->lock, self, by);
	return true;
}

static struct xy_task *pen_pull(struct xy_component *self, struct xy_agent *by)
{
	struct pen *pen = pen_of(self);
	struct xy_task *task = NULL;

	xy_lock_take(&pen->lock, self, by);
	if (pen->released)
		task = xy_queue_take(&pen->queue, by);
	pen->released -= task != NULL;
	xy_lock_drop(&pen->lock, self, by);
	return task;
}

static void pen_tick(struct xy_component *self, struct xy_agent *by)
{
	struct pen *pen = pen_of(self);
	struct xy_task *first;
	bool more;

	if (atomic_fetch_add(&pen->inside, 1))
		atomic_fetch_add(&pen->overlaps, 1);
	helper_add(&pen->ticks);
	xy_lock_take(&pen->lock, self, by);
	first = xy_queue_first(&pen->queue);
	if (first && !pen->shut) {
		struct xy_offer offer = xy_offer_of(first);

		pen->released++;
		xy_can_pull_children(self, &offer, by);
	}
	more = pen->periodic || xy_queue_count(&pen->queue) > pen->released;
	xy_lock_drop(&pen->lock, self, by);
	if (more)
		xy_component_at(self, xy_component_now_us(self) + pen->every_us);
	atomic_fetch_sub(&pen->inside, 1);
}

static size_t pen_depth(struct xy_component *self, size_t *peak)
{
	*peak = xy_queue_peak(&pen_of(self)->queue);
	return xy_queue_count(&pen_of(self)->queue);
}

static int pen_init(struct xy_component *self)
{
	if (pen_of(self)->periodic)
		xy_component_at(self, 0);
	return 0;
}

static const struct xy_option pen_options[] = {
	{ "every_us", "time between tasks", XY_OPTION_DOUBLE, offsetof(struct pen, every_us), 100, 0, INFINITY },
	{ "periodic", "ticks without tasks, too", XY_OPTION_BOOL, offsetof(struct pen, periodic), 0, 0, 1 },
	{ "shut", "lets nothing go", XY_OPTION_BOOL, offsetof(struct pen, shut), 0, 0, 1 },
	{ 0 }
};

static const struct xy_component_ops pen_ops = {
	.name = "pen",
	.flags = XY_STORES,
	.size = sizeof(struct pen),
	.options = pen_options,
	.init = pen_init,
	.push = pen_push,
	.pull = pen_pull,
	.depth = pen_depth,
	.tick = pen_tick,
};

/* --- helpers --- */

static const struct xy_component_ops *const own[] = { &ear_ops, &pen_ops, NULL };

/* Real time, or virtual time with as many workers. */
static struct helper *start(bool simulated, const char *sched)
{
	return helper_start_with(&(struct xy_config){
		.sched = sched, .components = own, .ncpu = simulated ? 0 : 2, .sim = simulated ? "cpu:2" : NULL });
}

static void *component(struct helper *h, const char *name)
{
	struct xy_tree *tree = xy_runtime_tree(h->rt);

	for (unsigned i = 0; i < xy_tree_ncomponents(tree); i++)
		if (!strcmp(xy_tree_component(tree, i)->ops->name, name))
			return xy_tree_component(tree, i);
	fail_msg("no component %s", name);
	return NULL;
}

/* --- tests --- */

static void hear_of_every_task(bool simulated)
{
	struct helper *h = start(simulated, "fifo | ear | eager | each worker { ear }");
	struct ear *ear = component(h, "ear");
	_Atomic int count = 0;

	for (unsigned i = 0; i < TASKS; i++)
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &count, .length_us = 10);
	HELPER_SUBMIT(h, .name = "for dependencies only");
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(ear->submitted, TASKS);
	assert_int_equal(ear->started, TASKS);
	assert_int_equal(ear->ended, TASKS);
	assert_int_equal(ear->measured, simulated ? ear->measured : TASKS);
	assert_int_equal(ear->failed, 0);
	assert_int_equal(ear->early, 0);
	assert_int_equal(xy_iteration(h->rt, 7), 0);
	assert_int_equal(ear->iterations, 1);
	assert_int_equal(ear->number, 7);
	assert_int_equal(helper_stop(h), 0);
}

static void hooks_hear_of_every_task(void **state)
{
	(void)state;
	hear_of_every_task(false);
	hear_of_every_task(true);
}

static void each_attempt_starts_and_ends(void **state)
{
	struct helper *h = start(false, "fifo | ear | eager | each worker { }");
	struct ear *ear = component(h, "ear");

	(void)state;
	HELPER_SUBMIT(h, .codelet = &helper_fail, .retries = 2);
	assert_int_equal(helper_wait(h), -EIO);
	assert_int_equal(ear->submitted, 1);
	assert_int_equal(ear->started, 3);
	assert_int_equal(ear->ended, 3);
	assert_int_equal(ear->failed, 3);
	helper_forget(h);
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
}

static void let_go_by_ticks(bool simulated)
{
	struct helper *h = start(simulated, "pen(every_us=50) | eager | each worker { }");
	struct pen *pen = component(h, "pen");
	_Atomic int count = 0;

	for (unsigned i = 0; i < TASKS; i++)
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &count, .length_us = 1);
	assert_int_equal(helper_wait(h), 0);
	assert_true(pen->ticks >= TASKS);
	assert_int_equal(pen->overlaps, 0);
	if (simulated) { /* one every 50 us, to the microsecond */
		assert_int_equal(pen->ticks, TASKS);
		assert_true(fabs(xy_now(h->rt) * 1e6 - (50.0 * TASKS + 1)) < 1e-3);
	}
	assert_int_equal(helper_stop(h), 0);
}

static void tasks_rest_until_a_tick_lets_them_go(void **state)
{
	(void)state;
	let_go_by_ticks(false);
	let_go_by_ticks(true);
}

/* Resting for a tick is not being stuck. */
static void stop_waits_for_ticks(void **state)
{
	(void)state;
	for (int simulated = 0; simulated < 2; simulated++) {
		struct helper *h = start(simulated, "pen(every_us=2000) | eager | each worker { }");
		_Atomic int count = 0;

		for (unsigned i = 0; i < 5; i++)
			HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &count, .length_us = 1);
		assert_int_equal(helper_stop(h), 0);
		assert_int_equal(count, simulated ? 0 : 5);
	}
}

/* A tick that comes again and again is no reason to wait for what will never be. */
static void stop_does_not_wait_for_ticks_that_change_nothing(void **state)
{
	(void)state;
	for (int simulated = 0; simulated < 2; simulated++) {
		struct helper *h = start(simulated, "pen(every_us=20, periodic) | eager | each worker { }");
		struct xy_task *never, *after;

		never = HELPER_CREATE(h, .codelet = &helper_fail, .length_us = 1);
		after = HELPER_CREATE(h, .codelet = &helper_fail, .length_us = 1, .after = &never, .nafter = 1);
		assert_int_equal(xy_task_submit(after), 0);
		xy_task_release(after);
		assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), -ECANCELED);
	}
}

/* In virtual time ticks that never let a task go come to an end. */
static void ticks_in_vain_end_in_a_simulation(void **state)
{
	struct helper *h = start(true, "pen(every_us=20, shut) | eager | each worker { }");

	(void)state;
	HELPER_SUBMIT(h, .codelet = &helper_fail, .length_us = 1);
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), -EDEADLK);
}

/* A new tree races with a timer that always has something to do in the old one. */
static void no_tick_runs_in_a_tree_that_is_replaced(void **state)
{
	const char *policy = "pen(every_us=1, periodic) | eager | each worker { }";
	struct helper *h = start(false, policy);
	_Atomic int count = 0;

	(void)state;
	for (unsigned i = 0; i < helper_scale(100); i++) {
		struct pen *pen = component(h, "pen");

		helper_reach(h, &pen->ticks, atomic_load(&pen->ticks) + 1);
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &count);
		assert_int_equal(xy_set_policy(h->rt, i % 2 ? policy : "tree-eager"), 0);
		if (i % 2 == 0)
			assert_int_equal(xy_set_policy(h->rt, policy), 0);
	}
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(count, (int)helper_scale(100));
	assert_int_equal(helper_stop(h), 0);
}

static void a_timer_begins_when_a_tree_needs_it(void **state)
{
	struct helper *h = start(false, "tree-eager");
	_Atomic int count = 0;

	(void)state;
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &count);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_set_policy(h->rt, "pen | eager | each worker { }"), 0);
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &count);
	assert_int_equal(helper_wait(h), 0);
	assert_true(((struct pen *)component(h, "pen"))->ticks > 0);
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hooks_hear_of_every_task),
		cmocka_unit_test(each_attempt_starts_and_ends),
		cmocka_unit_test(tasks_rest_until_a_tick_lets_them_go),
		cmocka_unit_test(stop_waits_for_ticks),
		cmocka_unit_test(stop_does_not_wait_for_ticks_that_change_nothing),
		cmocka_unit_test(ticks_in_vain_end_in_a_simulation),
		cmocka_unit_test(no_tick_runs_in_a_tree_that_is_replaced),
		cmocka_unit_test(a_timer_begins_when_a_tree_needs_it),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
