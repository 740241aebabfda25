/* SPDX-License-Identifier: MIT */
/* worker: the slot, the wake-ups, and which offers concern it. */
#include "recording.h"

enum { CPU = XY_ON_CPU, CUDA = XY_ON_CUDA };

/* fifo | random { worker 0, worker 1 }: random pushes into the slots */
static struct bed *open_pushed(void)
{
	struct bed *bed = bed_open("cpu:2");
	struct xy_component *random = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__random_ops);

	bed_add_worker(bed, random, 0);
	bed_add_worker(bed, random, 1);
	bed_seal(bed);
	return bed;
}

static bool push(struct bed *bed, unsigned worker, struct xy_task *task)
{
	return xy_push(xy_tree_worker(bed->tree, worker), task, &bed->application);
}

static void has_room_for_one_task(void **state)
{
	struct bed *bed = open_pushed();
	struct xy_component *leaf = xy_tree_worker(bed->tree, 0);
	struct xy_task *a = bed_task(bed, CPU), *b = bed_task(bed, CPU);
	size_t peak;

	(void)state;
	assert_int_equal(leaf->ops->depth(leaf, &peak), 0);
	assert_int_equal(peak, 0);
	assert_true(push(bed, 0, a));
	assert_false(push(bed, 0, b));
	assert_int_equal(leaf->ops->depth(leaf, &peak), 1);
	assert_int_equal(peak, 1);
	assert_ptr_equal(bed_pull(bed, 0), a);
	assert_true(push(bed, 0, b));
	assert_ptr_equal(bed_pull(bed, 0), b);
	assert_null(bed_pull(bed, 0));
	bed_close(bed);
}

static void wakes_its_worker_for_a_task_in_the_slot(void **state)
{
	struct bed *bed = open_pushed();

	(void)state;
	assert_true(push(bed, 1, bed_task(bed, CPU)));
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 1);
	bed_close(bed);
}

static void fetches_the_next_task_when_one_had_been_refused(void **state)
{
	struct bed *bed = open_pushed();
	struct xy_component *leaf = xy_tree_worker(bed->tree, 0);
	struct xy_task *tasks[3];
	size_t peak;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		bed_submit(bed, tasks[i] = bed_task(bed, CPU));
	/* both slots are full and the third waits above */
	assert_non_null(bed_pull(bed, 0));
	assert_int_equal(leaf->ops->depth(leaf, &peak), 1);
	assert_ptr_equal(bed_pull(bed, 0), tasks[2]);
	bed_close(bed);
}

/* Gives one task each time that there is room below, and tries no second one. */
struct giver {
	struct xy_component base;
	struct xy_task *next;
	unsigned asked;
};

static bool giver_can_push(struct xy_component *self, struct xy_component *child, struct xy_agent *by)
{
	struct giver *giver = (struct giver *)self;
	struct xy_task *task = giver->next;

	giver->asked++;
	giver->next = NULL;
	return task && xy_push(child, task, by);
}

static const struct xy_component_ops giver_ops = {
	.name = "giver",
	.size = sizeof(struct giver),
	.can_push = giver_can_push,
};

static void asks_again_once_what_it_was_given_is_taken(void **state)
{
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *top = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &giver_ops);
	struct giver *giver = (struct giver *)top;
	struct xy_task *a = bed_task(bed, CPU), *b = bed_task(bed, CPU);

	(void)state;
	bed_add_worker(bed, top, 0);
	bed_seal(bed);
	assert_true(push(bed, 0, a));
	assert_false(push(bed, 0, b));
	giver->next = b;
	assert_ptr_equal(bed_pull(bed, 0), a);
	assert_int_equal(giver->asked, 1);
	assert_ptr_equal(bed_pull(bed, 0), b);
	assert_int_equal(giver->asked, 2);
	bed_close(bed);
}

static void looks_into_the_slot_again_after_asking_above(void **state)
{
	struct bed *bed = bed_open("cpu:1");
	struct xy_component *random = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__random_ops);
	struct xy_component *between = bed_add(bed, random, &recorder_ops);
	struct xy_task *task = bed_task(bed, CPU);

	(void)state;
	bed_add_worker(bed, between, 0);
	bed_seal(bed);
	recorder(between)->refuses = true;
	bed_submit(bed, task);
	recorder(between)->refuses = false;
	/* the answer to the question is a push */
	assert_ptr_equal(bed_pull(bed, 0), task);
	assert_int_equal(recorder(between)->npushed, 1);
	bed_close(bed);
}

static void an_offer_wakes_it_if_it_sleeps(void **state)
{
	struct bed *bed = open_pushed();
	struct xy_offer offer = { .archs = CPU };

	(void)state;
	assert_true(xy_can_pull(xy_tree_worker(bed->tree, 1), &offer, &bed->application));
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], 1);
	bed_wake(bed, 1);
	assert_false(xy_can_pull(xy_tree_worker(bed->tree, 1), &offer, &bed->application));
	bed_close(bed);
}

static void the_first_offer_to_itself_needs_no_wake_up(void **state)
{
	struct bed *bed = open_pushed();
	struct xy_component *leaf = xy_tree_worker(bed->tree, 0);
	struct xy_offer offer = { .archs = CPU };

	(void)state;
	bed_wake(bed, 0);
	assert_true(xy_can_pull(leaf, &offer, &bed->workers[0]));
	assert_int_equal(bed->nwoken, 0);
	assert_true(bed->workers[0].for_others);
	assert_false(xy_can_pull(leaf, &offer, &bed->workers[0]));
	bed_close(bed);
}

static void refuses_offers_that_it_cannot_run(void **state)
{
	struct bed *bed = open_pushed();
	struct xy_component *leaf = xy_tree_worker(bed->tree, 0);
	struct xy_offer cuda = { .archs = CUDA };
	struct xy_offer other = { .archs = CPU, .task = bed_task_pinned(bed, CPU, 1) };

	(void)state;
	assert_false(xy_can_pull(leaf, &cuda, &bed->application));
	assert_false(xy_can_pull(leaf, &other, &bed->application));
	assert_int_equal(bed->nwoken, 0);
	bed_close(bed);
}

static void nobody_is_woken_without_an_engine(void **state)
{
	struct bed *bed = open_pushed();
	struct xy_offer offer = { .archs = CPU };

	(void)state;
	bed->tree->engine = NULL;
	assert_false(xy_can_pull(xy_tree_worker(bed->tree, 0), &offer, &bed->application));
	assert_true(push(bed, 0, bed_task(bed, CPU)));
	bed_close(bed);
}

static void count_task(void *arg, const struct xy_task *task)
{
	(void)task;
	++*(unsigned *)arg;
}

static void shows_the_task_in_the_slot(void **state)
{
	struct bed *bed = open_pushed();
	struct xy_component *leaf = xy_tree_worker(bed->tree, 0);
	unsigned count = 0;

	(void)state;
	leaf->ops->each_task(leaf, count_task, &count);
	assert_int_equal(count, 0);
	assert_true(push(bed, 0, bed_task(bed, CPU)));
	leaf->ops->each_task(leaf, count_task, &count);
	assert_int_equal(count, 1);
	bed_close(bed);
}

/* fifo | mct { worker 0, worker 1 } */
static void gives_back_what_it_can_not_run_any_more(void **state)
{
	struct bed *bed = bed_open("cpu:2");
	struct xy_component *mct = bed_add(bed, bed_add(bed, NULL, &xy__fifo_ops), &xy__mct_ops);
	struct xy_task *task = bed_task_pinned(bed, XY_ON_CPU, 0);

	(void)state;
	bed_add_worker(bed, mct, 0);
	bed_add_worker(bed, mct, 1);
	bed_seal(bed);
	bed_submit(bed, task);
	task->extra->workers[0] = 1;
	assert_null(bed_pull(bed, 0));
	assert_ptr_equal(bed_pull(bed, 1), task);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_room_for_one_task),
		cmocka_unit_test(wakes_its_worker_for_a_task_in_the_slot),
		cmocka_unit_test(fetches_the_next_task_when_one_had_been_refused),
		cmocka_unit_test(asks_again_once_what_it_was_given_is_taken),
		cmocka_unit_test(looks_into_the_slot_again_after_asking_above),
		cmocka_unit_test(an_offer_wakes_it_if_it_sleeps),
		cmocka_unit_test(the_first_offer_to_itself_needs_no_wake_up),
		cmocka_unit_test(refuses_offers_that_it_cannot_run),
		cmocka_unit_test(nobody_is_woken_without_an_engine),
		cmocka_unit_test(shows_the_task_in_the_slot),
		cmocka_unit_test(gives_back_what_it_can_not_run_any_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
