/* SPDX-License-Identifier: MIT */
/* Trees that the program builds by calls, and components of its own: they run tasks in both engines, and what is wrong
 * with them is said. */
#include "../../helper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xylem/component.h>

enum { TASKS = 300 };

/* --- trees --- */

/* The tree of the document: a queue, eager, and two tasks kept ready for each worker. */
static int build_prefetching(struct xy_tree *tree, void *arg)
{
	struct xy_component *root = xy_tree_add_named(tree, "fifo");
	struct xy_component *eager = xy_tree_add_named(tree, "eager");
	int error = xy_tree_link(root, eager);

	for (unsigned i = 0; i < xy_machine_nworkers(xy_tree_machine(tree)) && !error; i++) {
		struct xy_component *fifo = xy_tree_add_named(tree, "fifo");

		error = xy_component_set(fifo, "ntasks", arg) || xy_tree_link(eager, fifo) ||
			xy_tree_link(fifo, xy_tree_worker(tree, i));
	}
	return error;
}

/* Passes everything on, as its verbs are the default ones. */
static const struct xy_component_ops pipe_ops = {
	.name = "own-pipe",
	.summary = "passes tasks on",
	.size = sizeof(struct xy_component),
};
static const struct xy_component_ops small_ops = { .name = "own-small", .size = 1 };

static int build_own(struct xy_tree *tree, void *arg)
{
	struct xy_component *root = xy_tree_add_named(tree, "fifo");
	struct xy_component *pipe = xy_tree_add(tree, &pipe_ops), *eager = xy_tree_add_named(tree, "eager");
	int error = xy_tree_link(root, pipe) || xy_tree_link(pipe, eager);

	(void)arg;
	for (unsigned i = 0; i < xy_machine_nworkers(xy_tree_machine(tree)) && !error; i++)
		error = xy_tree_link(eager, xy_tree_worker(tree, i));
	return error;
}

static int build_misspelt(struct xy_tree *tree, void *arg)
{
	(void)arg;
	return xy_tree_link(xy_tree_add_named(tree, "fifo"), xy_tree_add_named(tree, "egaer"));
}

static int build_without_such_option(struct xy_tree *tree, void *arg)
{
	return xy_component_set(xy_tree_add_named(tree, "fifo"), arg, "0");
}

static int build_twice_linked(struct xy_tree *tree, void *arg)
{
	struct xy_component *root = xy_tree_add_named(tree, "fifo"), *eager = xy_tree_add_named(tree, "eager");

	(void)arg;
	return xy_tree_link(root, eager) || xy_tree_link(root, eager);
}

static int build_for_nobody(struct xy_tree *tree, void *arg)
{
	(void)arg;
	return xy_tree_link(xy_tree_add_named(tree, "fifo"), xy_tree_worker(tree, 77));
}

static int build_too_small(struct xy_tree *tree, void *arg)
{
	(void)arg;
	return xy_tree_add(tree, &small_ops) ? 0 : -EPROTO;
}

static int build_says_why(struct xy_tree *tree, void *arg)
{
	xy_tree_add_named(tree, "nothing");
	return xy_tree_fail(tree, -EPERM, "there are %u workers, and %s", xy_machine_nworkers(xy_tree_machine(tree)),
			    (const char *)arg);
}

static int build_says_nothing(struct xy_tree *tree, void *arg)
{
	(void)tree;
	(void)arg;
	return -EDOM;
}

static int build_nothing(struct xy_tree *tree, void *arg)
{
	(void)tree;
	(void)arg;
	return 0;
}

static int build_open(struct xy_tree *tree, void *arg)
{
	struct xy_component *root = xy_tree_add_named(tree, "fifo");

	(void)arg;
	return xy_tree_link(root, xy_tree_add_named(tree, "eager"));
}

/* --- tests --- */

static void run(const struct xy_config *config, const char *policy)
{
	struct helper *h = helper_start_with(config);
	struct xy_registry *registry;
	struct xy_tree *parsed = NULL;
	struct xy_counters counters;
	_Atomic int count = 0;

	for (unsigned i = 0; i < TASKS; i++)
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &count, .length_us = 10);
	assert_int_equal(helper_wait(h), 0);
	if (!xy_is_simulated(h->rt))
		assert_int_equal(count, TASKS);
	xy_component_counters(xy_tree_root(xy_runtime_tree(h->rt)), &counters);
	assert_int_equal(counters.pushed, TASKS);
	if (policy) {
		assert_int_equal(xy_registry_create(&registry, NULL, NULL, 0), 0);
		assert_int_equal(xy_tree_parse(&parsed, policy, xy_runtime_machine(h->rt), registry, NULL, 0), 0);
		assert_true(xy_tree_equal(xy_runtime_tree(h->rt), parsed));
		xy_tree_destroy(parsed);
		xy_registry_destroy(registry);
	}
	assert_int_equal(helper_stop(h), 0);
}

static const struct xy_component_ops *const own[] = { &pipe_ops, NULL };

static void a_tree_built_by_calls_runs_tasks(void **state)
{
	static const char same[] = "fifo | eager | each worker { fifo(ntasks=2) }";

	(void)state;
	run(&(struct xy_config){ .tree = build_prefetching, .tree_arg = "2", .ncpu = 2 }, same);
	run(&(struct xy_config){ .tree = build_prefetching, .tree_arg = "2", .sim = "cpu:3" }, same);
	run(&(struct xy_config){ .tree = build_own, .ncpu = 2 }, NULL);
	run(&(struct xy_config){ .tree = build_own, .sim = "cpu:3" }, NULL);
}

static void a_component_of_the_program_stands_in_expressions(void **state)
{
	static const char text[] = "fifo | own-pipe | eager | each worker { own-pipe }";

	(void)state;
	run(&(struct xy_config){ .sched = text, .components = own, .ncpu = 2 }, NULL);
	run(&(struct xy_config){ .sched = text, .components = own, .sim = "cpu:3" }, NULL);
}

static void the_dump_names_the_tree_of_the_program(void **state)
{
	struct helper *h = helper_start_with(&(struct xy_config){ .tree = build_own, .ncpu = 1 });
	char *text = helper_dump(h);

	(void)state;
	assert_non_null(strstr(text, "config.tree"));
	assert_non_null(strstr(text, "own-pipe"));
	free(text);
	assert_int_equal(helper_stop(h), 0);
}

static void refuse(const struct xy_config *config, int expected, const char *says)
{
	struct xy_config plain = *config, simulated = *config;

	plain.ncpu = 1;
	simulated.sim = "cpu:1";
	for (int i = 0; i < 2; i++) {
		int error;
		struct helper *h = helper_try(i ? &simulated : &plain, &error);

		assert_int_equal(error, expected);
		assert_null(h->rt);
		if (helper_lines(h) != 1 || !helper_lines_with(h, says))
			fail_msg("%u lines, the first is \"%s\" and not \"%s\"", helper_lines(h), h->lines[0], says);
		helper_stop_lines(h, HELPER_ANY_LINES);
	}
}

static void says_why_a_tree_can_t_be_built(void **state)
{
	static const struct {
		struct xy_config config;
		int error;
		const char *says;
	} cases[] = {
		{ { .tree = build_misspelt },
		  -ENOENT,
		  "config.tree: the tree can't be built: there is no component \"egaer\"; did you mean \"eager\"" },
		{ { .tree = build_prefetching, .tree_arg = "0" },
		  -ERANGE,
		  "config.tree: the tree can't be built: fifo#2: ntasks is a whole number from 1 to inf, not 0" },
		{ { .tree = build_without_such_option, .tree_arg = "tasks" },
		  -ENOENT,
		  "can't be built: fifo#0 has no option \"tasks\"" },
		{ { .tree = build_twice_linked },
		  -EEXIST,
		  "can't be built: eager#1 can't be linked below fifo#0: it is below it already" },
		{ { .tree = build_for_nobody }, -EINVAL, "can't be built: there is no worker 77: the machine has 1" },
		{ { .tree = build_too_small },
		  -EPROTO,
		  "can't be built: the component \"own-small\" is smaller than struct xy_component" },
		{ { .tree = build_says_why, .tree_arg = "two are needed" },
		  -EPERM,
		  "config.tree: the tree can't be built: there are 1 workers, and two are needed" },
		{ { .tree = build_says_nothing }, -EDOM, "config.tree: the tree can't be built: Numerical argument" },
	};

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(cases); i++)
		refuse(&cases[i].config, cases[i].error, cases[i].says);
}

static void refuses_a_tree_that_can_t_be_sealed(void **state)
{
	(void)state;
	refuse(&(struct xy_config){ .tree = build_open }, -EINVAL, "config.tree: eager#1 has nothing below it");
	refuse(&(struct xy_config){ .tree = build_nothing }, -EINVAL, "config.tree: ");
}

static void refuses_two_trees_and_bad_components(void **state)
{
	static const struct xy_component_ops *const small[] = { &small_ops, NULL };
	static const struct xy_component_ops taken_ops = { .name = "tree-ws", .size = sizeof(struct xy_component) };
	static const struct xy_component_ops *const taken[] = { &pipe_ops, &taken_ops, NULL };

	(void)state;
	refuse(&(struct xy_config){ .tree = build_own, .sched = "tree-ws" }, -EINVAL, "both sched and tree are set");
	refuse(&(struct xy_config){ .components = small }, -EPROTO, "config.components: the component \"own-small\"");
	refuse(&(struct xy_config){ .components = taken }, -EEXIST, "config.components defines \"tree-ws\"");
	refuse(&(struct xy_config){ .sched = "tree-w" }, -ENOENT, "config.sched: there is no policy and no component");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tree_built_by_calls_runs_tasks),
		cmocka_unit_test(a_component_of_the_program_stands_in_expressions),
		cmocka_unit_test(the_dump_names_the_tree_of_the_program),
		cmocka_unit_test(says_why_a_tree_can_t_be_built),
		cmocka_unit_test(refuses_a_tree_that_can_t_be_sealed),
		cmocka_unit_test(refuses_two_trees_and_bad_components),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
