/* SPDX-License-Identifier: MIT */
/* Exploring interleavings: a case runs in the same way each time, and finds what only an interleaving shows. */
#include "../helper.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xylem/check.h>
#include <xylem/component.h>
#include <xylem/task.h>

struct hasty {
	struct xy_component base;
	struct xy_lock lock;
	struct xy_queue queue;
};

static struct hasty *hasty(struct xy_component *self)
{
	return (struct hasty *)self;
}

/* Offers the task before it is there. */
static bool hasty_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	struct xy_offer offer = xy_offer_of(task);

	xy_can_pull_children(self, &offer, by);
	xy_lock_take(&hasty(self)->lock, self, by);
	xy_queue_insert(&hasty(self)->queue, task);
	xy_lock_drop(&hasty(self)->lock, self, by);
	return true;
}

static struct xy_task *hasty_pull(struct xy_component *self, struct xy_agent *by)
{
	struct xy_task *task;

	xy_lock_take(&hasty(self)->lock, self, by);
	task = xy_queue_take(&hasty(self)->queue, by);
	xy_lock_drop(&hasty(self)->lock, self, by);
	return task;
}

static size_t hasty_depth(struct xy_component *self, size_t *peak)
{
	*peak = xy_queue_peak(&hasty(self)->queue);
	return xy_queue_count(&hasty(self)->queue);
}

static const struct xy_component_ops hasty_ops = {
	.name = "hasty",
	.flags = XY_STORES,
	.size = sizeof(struct hasty),
	.push = hasty_push,
	.pull = hasty_pull,
	.depth = hasty_depth,
};

static const struct xy_component_ops *const components[] = { &hasty_ops, NULL };

static void a_seed_gives_the_same_run(void **state)
{
	struct xy_check check = { .sched = "tree-heft" };
	struct xy_check_result first, second;

	(void)state;
	for (check.seed = 1; check.seed <= 30; check.seed++) {
		assert_int_equal(xy_check_run(&check, &first), 0);
		assert_int_equal(xy_check_run(&check, &second), 0);
		assert_false(first.broken);
		assert_string_equal(first.text, "");
		assert_true(first.steps == second.steps && first.steps > 0);
		assert_int_equal(first.switches, second.switches);
		assert_string_equal(first.machine, second.machine);
	}
}

static void an_offer_that_comes_too_early_is_found(void **state)
{
	struct xy_check check = { .sched = "hasty | eager | each worker { }", .components = components };
	struct xy_check_result result = { 0 }, again;

	(void)state;
	for (check.seed = 1; check.seed <= 2000 && !result.broken; check.seed++)
		assert_int_equal(xy_check_run(&check, &result), 0);
	assert_true(result.broken);
	assert_non_null(strstr(result.text, "hasty#0 of "));
	assert_non_null(strstr(result.text, "\"offer what you store\""));
	assert_non_null(strstr(result.history, "pull hasty#0\n"));
	check.seed--;
	assert_int_equal(xy_check_run(&check, &again), 0);
	assert_string_equal(again.text, result.text);
	assert_string_equal(again.history, result.history);
}

static void limits_keep_a_case_small(void **state)
{
	struct xy_check check = { .sched = "tree-eager", .machine = "cpu:2", .ntasks = 3, .switches = 2, .seed = 7 };
	struct xy_check_result result;

	(void)state;
	assert_int_equal(xy_check_run(&check, &result), 0);
	assert_int_equal(result.ntasks, 3);
	assert_in_range(result.switches, 0, 2);
	assert_string_equal(result.machine, "cpu:2");
}

/* No task is left out because the explorer has no function for a device. */
static void devices_of_all_architectures_get_tasks(void **state)
{
	struct xy_check check = { .sched = "tree-eager" };
	struct xy_check_result cuda, other;
	char machine[32];

	(void)state;
	for (check.seed = 1; check.seed <= 20; check.seed++) {
		check.machine = "cpu:1 cuda:1";
		assert_int_equal(xy_check_run(&check, &cuda), 0);
		for (unsigned arch = XY_CUDA; arch < XY_NARCH; arch++) {
			snprintf(machine, sizeof machine, "cpu:1 %s:1", xy_arch_name(arch));
			check.machine = machine;
			assert_int_equal(xy_check_run(&check, &other), 0);
			assert_true(cuda.steps > 0 && other.steps == cuda.steps);
		}
	}
}

/* What a component sees of the tasks of all seeds. */
static struct {
	unsigned divisible, cut, parallel, failed, iterations;
} seen;

static void watcher_submitted(struct xy_component *self, const struct xy_task *task, struct xy_agent *by)
{
	(void)self, (void)by;
	seen.divisible += xy_task_is_divisible(task);
	seen.parallel += (xy_task_archs(task) & XY_ON_TEAM) != 0;
}

static void watcher_ended(struct xy_component *self, const struct xy_report *report, struct xy_agent *by)
{
	(void)self, (void)by;
	seen.failed += report->status == -EIO;
}

static void watcher_iteration(struct xy_component *self, uint64_t number, struct xy_agent *by)
{
	(void)self, (void)number, (void)by;
	seen.iterations++;
}

static void watcher_passed(struct xy_component *self, struct xy_task *task, struct xy_agent *by)
{
	(void)self, (void)by;
	seen.cut += xy_task_range(task).stop > 0 && !xy_task_is_divisible(task);
}

static const struct xy_component_ops watcher_ops = {
	.name = "watcher",
	.size = sizeof(struct xy_component),
	.passed = watcher_passed,
	.submitted = watcher_submitted,
	.ended = watcher_ended,
	.iteration = watcher_iteration,
};

static const struct xy_component_ops *const watchers[] = { &watcher_ops, NULL };

static void count_joins(void *arg, const struct xy_component *at, const char *where)
{
	(void)at;
	*(unsigned *)arg += !strcmp(where, "join");
}

static void tasks_are_of_all_sorts(void **state)
{
	unsigned joins = 0;
	struct xy_check check = {
		.sched = "fifo | divide(items=3) | watcher | eager { each team { }, each worker { } }",
		.components = watchers,
		.machine = "cpu:2",
		.step = count_joins,
		.step_arg = &joins,
	};
	struct xy_check_result result;

	(void)state;
	memset(&seen, 0, sizeof seen);
	for (check.seed = 1; check.seed <= 100; check.seed++) {
		assert_int_equal(xy_check_run(&check, &result), 0);
		assert_string_equal(result.text, "");
	}
	assert_true(seen.divisible && seen.cut && seen.parallel && seen.failed && seen.iterations);
	assert_true(joins > 1);
}

static void what_cannot_run_is_refused_with_a_reason(void **state)
{
	struct xy_check_result result;

	(void)state;
	assert_int_equal(xy_check_run(NULL, &result), -EINVAL);
	assert_int_equal(xy_check_run(&(struct xy_check){ .sched = "tree-eager" }, NULL), -EINVAL);
	assert_int_equal(xy_check_run(&(struct xy_check){ 0 }, &result), -EINVAL);
	assert_int_not_equal(xy_check_run(&(struct xy_check){ .sched = "fifi | eager | each worker { }" }, &result), 0);
	assert_non_null(strstr(result.text, "fifi"));
	assert_int_not_equal(xy_check_run(&(struct xy_check){ .sched = "tree-eager", .machine = "cpus" }, &result), 0);
	assert_true(*result.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_seed_gives_the_same_run), cmocka_unit_test(an_offer_that_comes_too_early_is_found),
		cmocka_unit_test(limits_keep_a_case_small),  cmocka_unit_test(devices_of_all_architectures_get_tasks),
		cmocka_unit_test(tasks_are_of_all_sorts),    cmocka_unit_test(what_cannot_run_is_refused_with_a_reason),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
