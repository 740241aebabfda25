/* SPDX-License-Identifier: MIT */
/* perfmodel-select: which branch a task takes, by what is known of it. */
#include "recording.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA };
enum { KNOWN, CALIBRATING, NONE };

/* A tree of an expression, all of whose branches begin with a fifo. */
static struct bed *open_select(const char *expression, struct xy_component **branches)
{
	struct bed *bed = bed_parse("cpu:1 cuda:1", expression);
	struct xy_component *root = xy_tree_root(bed->tree);

	for (unsigned i = 0; i < root->nchildren; i++)
		branches[i] = root->children[i];
	return bed;
}

static size_t depth(struct xy_component *c)
{
	return c->ops->depth(c, &(size_t){ 0 });
}

static const char three[] = "perfmodel-select { known: fifo, calibrating: fifo, none: fifo } | eager | each worker { }";

static void takes_the_branch_of_what_is_known(void **state)
{
	static const double known[] = { 3, 4 }, partly[] = { 3, 0 };
	struct xy_component *branches[3];
	struct bed *bed = open_select(three, branches);

	(void)state;
	bed_submit(bed, bed_task_lasting(bed, CPU | CUDA, known));
	assert_int_equal(depth(branches[KNOWN]), 1);
	bed_submit(bed, bed_task_lasting(bed, CPU | CUDA, partly));
	assert_int_equal(depth(branches[CALIBRATING]), 1);
	bed_submit(bed, bed_task(bed, CPU | CUDA));
	assert_int_equal(depth(branches[NONE]), 1);
	bed_close(bed);
}

static void only_workers_that_can_run_it_count(void **state)
{
	static const double partly[] = { 3, 0 };
	struct xy_component *branches[3];
	struct bed *bed = open_select(three, branches);

	(void)state;
	bed_submit(bed, bed_task_lasting(bed, CPU, partly));
	assert_int_equal(depth(branches[KNOWN]), 1);
	bed_submit(bed, bed_task_lasting(bed, CUDA, partly));
	assert_int_equal(depth(branches[CALIBRATING]), 1);
	bed_close(bed);
}

static void each_implementation_counts(void **state)
{
	static const double known[] = { 3, 4, 5, 6 }, partly[] = { 3, 4, 5, 0 };
	struct xy_component *branches[3];
	struct bed *bed = open_select(three, branches);

	(void)state;
	bed_submit(bed, bed_task_of_two(bed, CPU | CUDA, known));
	assert_int_equal(depth(branches[KNOWN]), 1);
	bed_submit(bed, bed_task_of_two(bed, CPU | CUDA, partly));
	assert_int_equal(depth(branches[CALIBRATING]), 1);
	bed_close(bed);
}

static void a_length_that_was_given_is_known(void **state)
{
	struct xy_component *branches[3];
	struct bed *bed = open_select(three, branches);
	struct xy_task *task = bed_task(bed, CPU);

	(void)state;
	task->length_us = 5;
	bed_submit(bed, task);
	assert_int_equal(depth(branches[KNOWN]), 1);
	bed_close(bed);
}

static void labels_count_and_not_the_order(void **state)
{
	static const double known[] = { 3, 4 };
	struct xy_component *branches[2];
	struct bed *bed = open_select("perfmodel-select { none: fifo, known: fifo } | eager | each worker { }",
				      branches);

	(void)state;
	bed_submit(bed, bed_task_lasting(bed, CPU, known));
	assert_int_equal(depth(branches[1]), 1);
	bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(depth(branches[0]), 1);
	bed_close(bed);
}

static void without_labels_the_order_counts_and_the_last_stands_for_the_rest(void **state)
{
	static const double known[] = { 3, 4 }, unknown[] = { 0, 0 };
	struct xy_component *branches[2];
	struct bed *bed = open_select("perfmodel-select { fifo, fifo } | eager | each worker { }", branches);

	(void)state;
	bed_submit(bed, bed_task_lasting(bed, CPU, known));
	assert_int_equal(depth(branches[0]), 1);
	bed_submit(bed, bed_task_lasting(bed, CPU, unknown));
	bed_submit(bed, bed_task(bed, CPU));
	assert_int_equal(depth(branches[1]), 2);
	bed_close(bed);
}

static void a_branch_that_can_not_run_it_is_left_out(void **state)
{
	static const double known[] = { 3, 4 };
	struct xy_component *branches[2];
	struct bed *bed = open_select("perfmodel-select { known: fifo | worker(id=0), none: fifo | worker(id=1) }",
				      branches);

	(void)state;
	bed_submit(bed, bed_task_lasting(bed, CUDA, known));
	assert_int_equal(depth(branches[1]), 1);
	bed_close(bed);
}

static void workers_ask_in_the_order_of_the_branches(void **state)
{
	static const double known[] = { 3, 4 };
	struct xy_component *branches[2];
	struct bed *bed = open_select("perfmodel-select { known: fifo | eager | each worker { },"
				      " none: fifo | eager | each worker { } }",
				      branches);
	struct xy_task *first = bed_task(bed, CPU), *second = bed_task_lasting(bed, CPU, known);

	(void)state;
	bed_submit(bed, first);
	bed_submit(bed, second);
	assert_ptr_equal(bed_pull(bed, 0), second);
	assert_ptr_equal(bed_pull(bed, 0), first);
	assert_null(bed_pull(bed, 0));
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_the_branch_of_what_is_known),
		cmocka_unit_test(only_workers_that_can_run_it_count),
		cmocka_unit_test(each_implementation_counts),
		cmocka_unit_test(a_length_that_was_given_is_known),
		cmocka_unit_test(labels_count_and_not_the_order),
		cmocka_unit_test(without_labels_the_order_counts_and_the_last_stands_for_the_rest),
		cmocka_unit_test(a_branch_that_can_not_run_it_is_left_out),
		cmocka_unit_test(workers_ask_in_the_order_of_the_branches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
