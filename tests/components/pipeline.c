/* SPDX-License-Identifier: MIT */
/* pipeline: each task to the branch of its layer, and slow stages hold back those before. */
#include "recording.h"

#include <errno.h>
#include <unistd.h>

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA };

static struct xy_task *with_layer(struct xy_task *task, unsigned layer)
{
	task->extra = calloc(1, sizeof *task->extra);
	assert_non_null(task->extra);
	task->extra->choice = layer;
	return task;
}

static struct xy_task *task_of_layer(struct bed *bed, unsigned archs, unsigned layer)
{
	return with_layer(bed_task(bed, archs), layer);
}

static struct xy_task *submit_layer(struct bed *bed, unsigned layer)
{
	struct xy_task *task = task_of_layer(bed, CPU, layer);

	bed_submit(bed, task);
	return task;
}

/* A file in the current folder with this text; the expression with its name. */
static void write_schedule(const char *text, char *path, size_t size)
{
	FILE *file;

	snprintf(path, size, "pipeline_%ld.yml", (long)getpid());
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static struct bed *parse_schedule(const char *machine, const char *schedule, const char *below)
{
	char path[64], expression[256];
	struct bed *bed;

	write_schedule(schedule, path, sizeof path);
	snprintf(expression, sizeof expression, "pipeline(file=%s) | each worker { %s }", path, below);
	bed = bed_parse(machine, expression);
	unlink(path);
	return bed;
}

static void without_a_schedule_the_number_is_that_of_the_branch(void **state)
{
	struct bed *bed = bed_parse("cpu:3", "pipeline | each worker { }");
	struct xy_task *second = submit_layer(bed, 2), *third = submit_layer(bed, 3);

	(void)state;
	assert_null(bed_pull(bed, 0));
	assert_ptr_equal(bed_pull(bed, 2), third);
	assert_ptr_equal(bed_pull(bed, 1), second);
	bed_close(bed);
}

/* pipeline { basin | worker i, ... } */
static void anybody_may_say_that_a_branch_has_room(void **state)
{
	struct bed *bed = bed_open("cpu:2");
	struct xy_component *root = bed_add(bed, NULL, &xy__pipeline_ops), *basins[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		basins[i] = bed_add(bed, root, &basin_ops);
		bed_add_worker(bed, basins[i], i);
	}
	bed_seal(bed);
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 2; i++)
			submit_layer(bed, i + 1);
		for (unsigned i = 0; i < 2; i++) { /* the application, then the worker of the other branch */
			recorder(basins[i])->room = round + 1;
			assert_true(xy_can_push_parents(basins[i], round ? &bed->workers[1 - i] : &bed->application));
			assert_int_equal(recorder(basins[i])->npushed, round + 1);
			assert_ptr_equal(recorder(basins[i])->pushed[round], bed->tasks[2 * round + i]);
		}
	}
	bed_close(bed);
}

static void a_schedule_says_whose_a_layer_is(void **state)
{
	static const char *const schedules[] = {
		"- a: [1, 2]\n- b-1.c: [3, 3]\n- c: [4, 6]\n",
		"# comment\n---\n\n-  \"a \\\"\\\\\\x41\" : [ 1,2 ] # comment\n- d:e: [3, 3]\r\n- c:[4,6]",
		"- cpu0: [1, 2]\n- cpu1: [3, 3]\n- cpu2: [4, 6]\n",
		"- 'it''s: [1, 1]': [1, 2]\n- 'b' : [3, 3]\n- c\t : [4, 6]\n",
		"- a:\t[1, 2]\n- b:\t [3, 3]\n- c: \t[4, 6]\n",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof schedules / sizeof schedules[0]; i++) {
		struct bed *bed = parse_schedule("cpu:3", schedules[i], "");
		struct xy_task *tasks[7];

		for (unsigned layer = 1; layer <= 6; layer++)
			tasks[layer] = submit_layer(bed, layer);
		assert_ptr_equal(bed_pull(bed, 0), tasks[2]);
		assert_ptr_equal(bed_pull(bed, 0), tasks[1]);
		assert_null(bed_pull(bed, 0));
		assert_ptr_equal(bed_pull(bed, 1), tasks[3]);
		assert_ptr_equal(bed_pull(bed, 2), tasks[5]);
		assert_ptr_equal(bed_pull(bed, 2), tasks[6]);
		assert_ptr_equal(bed_pull(bed, 2), tasks[4]);
		bed_close(bed);
	}
}

static void hosts_may_be_workers_in_any_order(void **state)
{
	static const char *const schedules[] = {
		"- cpu2: [1, 1]\n- cpu0: [2, 2]\n",
		"- 'cpu2': [1, 1]\n- \"cpu\\x30\": [2, 2]\n",
		"- cpu2 : [1, 1]\n-\tcpu0\t: [2, 2]\n",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof schedules / sizeof schedules[0]; i++) {
		struct bed *bed = parse_schedule("cpu:3", schedules[i], "");
		struct xy_task *first = submit_layer(bed, 1), *second = submit_layer(bed, 2);

		assert_null(bed_pull(bed, 1));
		assert_ptr_equal(bed_pull(bed, 0), second);
		assert_ptr_equal(bed_pull(bed, 2), first);
		bed_close(bed);
	}
}

/* Two that wait to enter a stage are enough; what is inside of a stage goes on. */
static void a_slow_stage_holds_back_the_one_before(void **state)
{
	struct bed *bed = parse_schedule("cpu:3", "- a: [1, 2]\n- b: [3, 4]\n- c: [5, 5]\n", "");
	struct xy_task *inside;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		submit_layer(bed, 1);
	assert_ptr_equal(bed_pull(bed, 0), bed->tasks[0]);
	submit_layer(bed, 3);
	submit_layer(bed, 3);
	assert_null(bed_pull(bed, 0));
	inside = submit_layer(bed, 2);
	assert_ptr_equal(bed_pull(bed, 0), inside);
	assert_null(bed_pull(bed, 0));
	/* the second stage goes on, and calls the first */
	bed_forget(bed);
	assert_ptr_equal(bed_pull(bed, 1), bed->tasks[3]);
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 0);
	assert_ptr_equal(bed_pull(bed, 0), bed->tasks[1]);
	/* the third never waits */
	for (unsigned i = 0; i < 5; i++)
		submit_layer(bed, 5);
	assert_null(bed_pull(bed, 1));
	for (unsigned i = 0; i < 5; i++)
		assert_non_null(bed_pull(bed, 2));
	assert_ptr_equal(bed_pull(bed, 1), bed->tasks[4]);
	bed_close(bed);
}

static void only_the_worker_of_the_stage_is_woken(void **state)
{
	struct bed *bed = bed_parse("cpu:3", "pipeline | each worker { }");

	(void)state;
	submit_layer(bed, 2);
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 1);
	submit_layer(bed, 3);
	assert_int_equal(bed->nwoken, 2);
	assert_int_equal(bed->woken[1], 2);
	/* nobody for what may not begin */
	submit_layer(bed, 2);
	bed_forget(bed);
	submit_layer(bed, 1);
	assert_int_equal(bed->nwoken, 0);
	bed_close(bed);
}

/* No layer, no such layer, or one that its worker can't run. */
static void other_tasks_go_to_whoever_is_free(void **state)
{
	struct bed *bed = bed_parse("cpu:2 cuda:1", "pipeline | each worker { }");
	struct xy_task *odd;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		odd = submit_layer(bed, i ? 99 : 0);
		assert_null(bed_pull(bed, 2));
		assert_ptr_equal(bed_pull(bed, i), odd);
	}
	odd = task_of_layer(bed, CUDA, 1);
	bed_submit(bed, odd);
	assert_null(bed_pull(bed, 0));
	assert_ptr_equal(bed_pull(bed, 2), odd);
	bed_close(bed);
}

static void keeps_bounded_queues_below_filled(void **state)
{
	struct bed *bed = bed_parse("cpu:2", "pipeline | each worker { fifo(ntasks=1) }");
	struct xy_component *root = xy_tree_root(bed->tree);
	size_t peak;

	(void)state;
	/* one in the queue of the second, two that wait to enter, and then the first stage stops */
	for (unsigned i = 0; i < 3; i++)
		submit_layer(bed, 2);
	for (unsigned i = 0; i < 2; i++)
		submit_layer(bed, 1);
	submit_layer(bed, 0);
	assert_int_equal(root->ops->depth(root, &peak), 4);
	assert_ptr_equal(bed_pull(bed, 1), bed->tasks[0]);
	assert_ptr_equal(bed_pull(bed, 0), bed->tasks[5]);
	assert_ptr_equal(bed_pull(bed, 0), bed->tasks[3]);
	assert_ptr_equal(bed_pull(bed, 1), bed->tasks[1]);
	assert_ptr_equal(bed_pull(bed, 1), bed->tasks[2]);
	assert_ptr_equal(bed_pull(bed, 0), bed->tasks[4]);
	assert_int_equal(root->ops->depth(root, &peak), 0);
	bed_close(bed);
}

/* What is further on goes first. */
static void one_worker_may_have_several_stages(void **state)
{
	struct bed *bed = parse_schedule("cpu:2", "- cpu0: [1, 1]\n- cpu1: [2, 2]\n- cpu0: [3, 3]\n", "");
	struct xy_task *tasks[4];

	(void)state;
	for (unsigned layer = 1; layer <= 3; layer++)
		tasks[layer] = submit_layer(bed, layer);
	assert_ptr_equal(bed_pull(bed, 0), tasks[3]);
	assert_ptr_equal(bed_pull(bed, 0), tasks[1]);
	assert_ptr_equal(bed_pull(bed, 1), tasks[2]);
	bed_close(bed);
}

static void the_highest_priority_goes_first_within_a_queue(void **state)
{
	static const unsigned order[] = { 4, 3, 5, 1, 0, 2 };
	struct bed *bed = parse_schedule("cpu:1", "- a: [1, 2]\n", "");

	(void)state;
	for (unsigned layer = 1; layer <= 2; layer++)
		for (int priority = 0; priority < 3; priority++)
			bed_submit(bed, with_layer(bed_task_with_priority(bed, CPU, priority % 2), layer));
	for (unsigned i = 0; i < 6; i++)
		assert_ptr_equal(bed_pull(bed, 0), bed->tasks[order[i]]);
	bed_close(bed);
}

/* Every queue below is full when they come; they go down as soon as one is not. */
static void other_tasks_wait_for_room_below(void **state)
{
	struct bed *bed = bed_parse("cpu:2", "pipeline | each worker { fifo(ntasks=1) }");
	struct xy_component *root = xy_tree_root(bed->tree);
	size_t peak;

	(void)state;
	submit_layer(bed, 1);
	submit_layer(bed, 2);
	for (unsigned i = 0; i < 2; i++)
		submit_layer(bed, 0);
	assert_int_equal(root->ops->depth(root, &peak), 2);
	for (unsigned i = 0; i < 4; i++) {
		assert_ptr_equal(bed_pull(bed, i % 2), bed->tasks[i]);
		assert_int_equal(root->ops->depth(root, &peak), i ? 0 : 1);
	}
	bed_close(bed);
}

static void a_wrong_schedule_is_explained(void **state)
{
	static const struct {
		const char *schedule, *words;
	} cases[] = {
		{ "- a: [1, 2]\n- b: [4, 5]\n", "line 2: it does not begin right after the previous stage" },
		{ "- a: [0, 2]\n", "line 1: the first stage does not begin with layer 1" },
		{ "- a: [1, 0]\n", "the last layer is before the first" },
		{ "a: [1, 1]\n", "line 1: expected" },
		{ "- a: [1, 1] b\n", "line 1: expected" },
		{ "- a: [1, 2, 3]\n", "line 1: expected" },
		{ "- a [1, 1]\n", "line 1: expected" },
		{ "- \"a: [1, 1]\n", "line 1: expected" },
		{ "- 'a: [1, 1]\n", "line 1: expected" },
		{ "- 'a'': [1, 1]\n", "line 1: expected" },
		{ "- '': [1, 1]\n", "line 1: expected" },
		{ "- \"a\\x00\": [1, 1]\n", "line 1: expected" },
		{ "- : [1, 1]\n", "line 1: expected" },
		{ "- a: [1, 99999999999]\n", "line 1: expected" },
		{ "[]\n", "nothing fitted" },
		{ "\n", "no stages" },
		{ "- a: [1, 1]\n- b: [2, 2]\n- c: [3, 3]\n", "no branch for c" },
		{ "- cpu0: [1, 1]\n- b: [2, 2]\n", "no worker is called b" },
	};
	char path[64], expression[256], error[512];

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct bed *bed = bed_open("cpu:2");
		struct xy_tree *tree = NULL;

		write_schedule(cases[i].schedule, path, sizeof path);
		snprintf(expression, sizeof expression, "pipeline(file=%s) | each worker { }", path);
		assert_int_equal(xy_tree_parse(&tree, expression, bed->machine, bed->registry, error, sizeof error),
				 -EINVAL);
		if (!strstr(error, cases[i].words) || !strstr(error, path))
			fail_msg("\"%s\": %s", cases[i].schedule, error);
		unlink(path);
		assert_true(xy_tree_parse(&tree, expression, bed->machine, bed->registry, error, sizeof error) < 0);
		assert_non_null(strstr(error, "No such file"));
		bed_close(bed);
	}
}

/* pipeline { basin | worker 0, worker 1 } */
static struct bed *open_with_basin(struct xy_component **basin)
{
	struct bed *bed = bed_open("cpu:2");
	struct xy_component *root = bed_add(bed, NULL, &xy__pipeline_ops);

	*basin = bed_add(bed, root, &basin_ops);
	bed_add_worker(bed, *basin, 0);
	bed_add_worker(bed, root, 1);
	bed_seal(bed);
	return bed;
}

static void a_stage_that_opens_gets_all_that_it_takes(void **state)
{
	struct xy_component *basin;
	struct bed *bed = open_with_basin(&basin);

	(void)state;
	recorder(basin)->room = 3;
	for (unsigned i = 0; i < 3; i++)
		submit_layer(bed, 2);
	for (unsigned i = 0; i < 2; i++)
		submit_layer(bed, 1);
	assert_non_null(bed_pull(bed, 1));
	assert_int_equal(recorder(basin)->npushed, 0);
	assert_non_null(bed_pull(bed, 1));
	assert_int_equal(recorder(basin)->npushed, 2);
	bed_close(bed);
}

static void a_task_is_offered_when_another_one_goes_down(void **state)
{
	struct xy_component *basin;
	struct bed *bed = open_with_basin(&basin);
	struct xy_task *pinned = bed_task_pinned(bed, CPU, 1);
	unsigned before;

	(void)state;
	recorder(basin)->room = 1;
	bed_submit(bed, pinned);
	bed_submit(bed, bed_task(bed, CPU)); /* waits behind it */
	assert_int_equal(recorder(basin)->npushed, 0);
	assert_ptr_equal(bed_pull(bed, 1), pinned);
	before = bed->nwoken;
	bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(recorder(basin)->npushed, 1);
	assert_int_equal(bed->nwoken, before + 1);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_schedule_the_number_is_that_of_the_branch),
		cmocka_unit_test(anybody_may_say_that_a_branch_has_room),
		cmocka_unit_test(a_schedule_says_whose_a_layer_is),
		cmocka_unit_test(hosts_may_be_workers_in_any_order),
		cmocka_unit_test(a_slow_stage_holds_back_the_one_before),
		cmocka_unit_test(only_the_worker_of_the_stage_is_woken),
		cmocka_unit_test(other_tasks_go_to_whoever_is_free),
		cmocka_unit_test(keeps_bounded_queues_below_filled),
		cmocka_unit_test(one_worker_may_have_several_stages),
		cmocka_unit_test(the_highest_priority_goes_first_within_a_queue),
		cmocka_unit_test(other_tasks_wait_for_room_below),
		cmocka_unit_test(a_wrong_schedule_is_explained),
		cmocka_unit_test(a_stage_that_opens_gets_all_that_it_takes),
		cmocka_unit_test(a_task_is_offered_when_another_one_goes_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
