/* SPDX-License-Identifier: MIT */
/* What cambium expects of the workers, and which task it chooses for one of them. */
#include "cambium_bed.h"

enum { CORE = 0, DEVICE = 1 };

/* Stores a task of a type; so much follows it. */
static struct xy_task *store(struct bed *bed, struct xy__cambium *c, unsigned type, float tail_us)
{
	struct xy_task *task = bed_task(bed, XY_ON_ALL);

	assert_true(xy__cambium_insert(c, type, task, tail_us, tail_us));
	return task;
}

/* --- what is expected --- */

/* The device's time costs three times as much as a core's: the prices are 0.2 and 0.6. */
static struct bed *open_priced(struct xy__cambium **c)
{
	struct bed *bed = cambium_open("cpu:2 cuda:1", c);

	cambium_type(*c, (float[]){ 30, 10 }, 10);
	xy__cambium_price(*c);
	assert_near((*c)->area_us, 60);
	return bed;
}

static void the_time_left_is_for_all_work_and_all_that_runs(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = open_priced(&c);

	(void)state;
	assert_near(xy__cambium_outlook(c, 0, 1000).left_us, 60);
	c->ends_us[0] = 1050;
	c->ends_us[1] = 900; /* it should have ended: no work is left, rather than less than none */
	c->ends_us[2] = 1020;
	assert_near(xy__cambium_outlook(c, 0, 1000).left_us, 60 + 50 * 0.2 + 20 * 0.6);
	assert_near(c->running_us[CORE], 50);
	assert_near(c->soonest_us[CORE], 0);
	assert_near(c->soonest_us[DEVICE], 20);
	bed_close(bed);
}

static void the_time_left_is_for_the_longest_path_too(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = open_priced(&c);

	(void)state;
	c->ends_us[0] = 1050;
	c->tails_us[0] = 200;
	c->tails_us[1] = 220; /* from now on */
	assert_near(xy__cambium_outlook(c, 0, 1000).left_us, 250);
	store(bed, c, 0, 100);
	assert_near(xy__cambium_outlook(c, 0, 1000).left_us, 250);
	store(bed, c, 0, 400);
	store(bed, c, 0, 300);
	assert_near(xy__cambium_outlook(c, 0, 1000).left_us, 410);
	store(bed, c, cambium_type(c, (float[]){ 20, 60 }, 0), 500); /* of another type */
	assert_near(xy__cambium_outlook(c, 0, 1000).left_us, 520);
	bed_close(bed);
}

static void less_time_is_left_if_more_will_be_submitted(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = open_priced(&c);
	double left;

	(void)state;
	c->view_us = 60;
	c->more = true;
	left = xy__cambium_outlook(c, 0, 0).left_us;
	assert_true(left > 0 && left < 60);
	c->view_us = 6000;
	assert_near(xy__cambium_outlook(c, 0, 0).left_us, 0);
	bed_close(bed);
}

/* With so many workers each decision would take long; but what is known must not grow old. */
static void very_many_workers_are_not_looked_at_each_time(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:256", &c);
	unsigned looks = 0;

	(void)state;
	xy__cambium_outlook(c, 0, 0);
	c->ends_us[7] = 100;
	xy__cambium_outlook(c, 0, 0);
	assert_near(c->running_us[0], 0);
	while (c->running_us[0] < 100 && looks++ < 256)
		xy__cambium_outlook(c, 0, 0);
	assert_in_range(looks, 1, 8);
	c->looks = 0; /* a task has begun */
	c->ends_us[8] = 100;
	xy__cambium_outlook(c, 0, 0);
	assert_near(c->running_us[0], 200);
	bed_close(bed);
}

/* Only cores are fast on a task to come, after which 100 us follow; 300 us are left. */
static struct bed *open_claimed(struct xy__cambium **c)
{
	struct bed *bed = cambium_open("cpu:2 cuda:1", c);
	unsigned type = cambium_type(*c, (float[]){ 10, 1000 }, 1);

	(*c)->types[type].tops[0] = 100;
	(*c)->types[type].ntops = 1;
	(*c)->area_us = 300;
	(*c)->ends_us[1] = 1000;
	return bed;
}

static void the_last_worker_of_a_class_is_due_for_what_needs_it(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = open_claimed(&c);
	double due = 300 - (100 * c->slack + 10);

	(void)state;
	for (unsigned k = 0; k < c->nclasses; k++)
		c->prices[k] = 0; /* what runs is not of interest here */
	assert_near(xy__cambium_outlook(c, 0, 0).due_us, due);
	c->caution = 2;
	assert_near(xy__cambium_outlook(c, 0, 0).due_us, 300 - (100 * c->slack * 2 + 10));
	c->caution = 100; /* it should be there already */
	assert_near(xy__cambium_outlook(c, 0, 0).due_us, 0);
	c->caution = 1;
	/* another one is free by then */
	c->ends_us[1] = due + 0.01;
	assert_near(xy__cambium_outlook(c, 0, 0).due_us, due);
	c->ends_us[1] = due;
	assert_true(isinf(xy__cambium_outlook(c, 0, 0).due_us));
	/* at another time */
	c->ends_us[1] = 1000 + due;
	assert_true(isinf(xy__cambium_outlook(c, 0, 1000).due_us));
	/* the device is of no use */
	assert_true(isinf(xy__cambium_outlook(c, 2, 0).due_us));
	bed_close(bed);
}

static void the_most_urgent_claim_counts(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = open_claimed(&c);
	unsigned type = cambium_type(c, (float[]){ 20, 1000 }, 1);

	(void)state;
	for (unsigned k = 0; k < c->nclasses; k++)
		c->prices[k] = 0;
	c->types[type].tops[0] = 150;
	c->types[type].tops[1] = 50;
	c->types[type].ntops = 2;
	assert_near(xy__cambium_outlook(c, 0, 0).due_us, 300 - (150 * c->slack + 20));
	c->types[type].begun = 1;
	assert_near(xy__cambium_outlook(c, 0, 0).due_us, 300 - (100 * c->slack + 10));
	c->types[type].tops[1] = 120;
	assert_near(xy__cambium_outlook(c, 0, 0).due_us, 300 - (120 * c->slack + 20));
	c->types[type].begun = 2; /* all that are known */
	assert_near(xy__cambium_outlook(c, 0, 0).due_us, 300 - (100 * c->slack + 10));
	bed_close(bed);
}

static void nothing_is_due_without_a_claim(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = open_claimed(&c);

	(void)state;
	c->types[0].left = 0;
	assert_true(isinf(xy__cambium_outlook(c, 0, 0).due_us));
	c->types[0].left = 1;
	c->types[0].us[DEVICE] = 10; /* equally fast */
	assert_true(isinf(xy__cambium_outlook(c, 0, 0).due_us));
	c->types[0].us[DEVICE] = INFINITY; /* only cores can run it */
	assert_false(isinf(xy__cambium_outlook(c, 0, 0).due_us));
	c->types[0].us[DEVICE] = 1000;
	c->types[0].begun = 1;
	assert_true(isinf(xy__cambium_outlook(c, 0, 0).due_us));
	/* the same for the device */
	c->types[0] =
		(struct xy__cambium_type){ .us = { 1000, 10 }, .least_us = 10, .fast = DEVICE, .left = 1, .ntops = 1 };
	assert_false(isinf(xy__cambium_outlook(c, 2, 0).due_us));
	c->types[0].us[CORE] = 10.5;
	assert_true(isinf(xy__cambium_outlook(c, 2, 0).due_us));
	bed_close(bed);
	bed = cambium_open("cpu:2", &c);
	c->types[cambium_type(c, (float[]){ 10 }, 1)].ntops = 1;
	c->ends_us[1] = 1000;
	assert_true(isinf(xy__cambium_outlook(c, 0, 0).due_us));
	bed_close(bed);
}

/* --- choosing --- */

static struct xy__cambium_choice choose(struct xy__cambium *c, unsigned class, double left_us, double due_us)
{
	struct xy__cambium_outlook o = { .class = class, .left_us = left_us, .due_us = due_us };

	xy__cambium_outlook(c, c->seats[class]->worker, 0);
	return xy__cambium_choose(c, &o);
}

/* The core takes a task if the device would not end it sooner, behind all that it has to do first. */
static void a_slow_class_takes_what_would_end_later_elsewhere(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1", &c);
	unsigned type = cambium_type(c, (float[]){ 30, 10 }, 0);

	(void)state;
	store(bed, c, type, 50);
	assert_int_equal(choose(c, CORE, 0, INFINITY).type, -1); /* 20 on the device */
	store(bed, c, type, 50);
	assert_int_equal(choose(c, CORE, 0, INFINITY).type, (int)type); /* 30 on both */
	c->backlog_us[DEVICE] = 10;
	c->ends_us[1] = 9;
	assert_int_equal(choose(c, CORE, 0, INFINITY).type, -1); /* 29 */
	c->ends_us[1] = 11;
	assert_int_equal(choose(c, CORE, 0, INFINITY).type, (int)type);
	c->backlog_us[DEVICE] = 0;
	c->ends_us[1] = 21;
	assert_int_equal(choose(c, CORE, 0, INFINITY).type, (int)type);
	bed_close(bed);
}

/* Now the device is the slow one. */
static void a_slow_device_takes_what_would_end_later_on_a_core(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1", &c);
	unsigned type = cambium_type(c, (float[]){ 10, 30 }, 0);

	(void)state;
	store(bed, c, type, 50);
	assert_int_equal(choose(c, DEVICE, 0, INFINITY).type, -1);
	c->ends_us[0] = 30;
	assert_int_equal(choose(c, DEVICE, 0, INFINITY).type, (int)type);
	bed_close(bed);
}

/* Two devices share what there is to do; but neither begins before the first is free. */
static void all_workers_of_the_faster_class_count(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:2", &c);
	unsigned type = cambium_type(c, (float[]){ 30, 10 }, 0);

	(void)state;
	store(bed, c, type, 50);
	c->backlog_us[DEVICE] = 39;
	assert_int_equal(choose(c, CORE, 0, INFINITY).type, -1);
	c->backlog_us[DEVICE] = 41;
	assert_int_equal(choose(c, CORE, 0, INFINITY).type, (int)type);
	c->backlog_us[DEVICE] = 0;
	c->ends_us[1] = c->ends_us[2] = 19;
	assert_int_equal(choose(c, CORE, 0, INFINITY).type, -1);
	c->ends_us[1] = c->ends_us[2] = 21;
	assert_int_equal(choose(c, CORE, 0, INFINITY).type, (int)type);
	bed_close(bed);
}

/* The fastest of the other classes counts. */
static void a_task_that_ends_sooner_on_any_class_is_left_to_it(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1 opencl:1", &c);
	unsigned type = cambium_type(c, (float[]){ 30, 10, 29 }, 0);

	(void)state;
	store(bed, c, type, 50);
	c->ends_us[1] = 1000;
	assert_int_equal(choose(c, CORE, 0, INFINITY).type, -1);
	c->ends_us[2] = 1000;
	assert_int_equal(choose(c, CORE, 0, INFINITY).type, (int)type);
	c->types[type].us[2] = INFINITY;
	c->ends_us[2] = 0;
	assert_int_equal(choose(c, CORE, 0, INFINITY).type, (int)type);
	bed_close(bed);
}

/* The most urgent one that still has time after it has run here. */
static void a_slow_class_takes_what_has_time(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1", &c);
	unsigned type = cambium_type(c, (float[]){ 30, 10 }, 0);
	struct xy__cambium_choice choice;

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		store(bed, c, type, 20 * (float)i);
	c->backlog_us[DEVICE] = 0;
	for (unsigned i = 0; i < 6; i++) {
		double left = 30 + 20 * i * c->slack;

		choice = choose(c, CORE, left - 0.01, INFINITY);
		assert_int_equal(choice.type, i ? (int)type : -1);
		assert_true(!i || choice.group == i - 1);
		choice = choose(c, CORE, left + 0.01, INFINITY);
		assert_int_equal(choice.type, (int)type);
		assert_int_equal(choice.group, i);
		assert_near(choice.rank_us, 20 * i + 10);
	}
	/* caution grows with regret */
	c->caution = 2;
	assert_int_equal(choose(c, CORE, 30 + 60 * 2 * c->slack + 0.01, INFINITY).group, 3);
	bed_close(bed);
}

static void a_worker_that_is_due_takes_nothing_long(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1", &c);
	unsigned type = cambium_type(c, (float[]){ 30, 10 }, 0);

	(void)state;
	store(bed, c, type, 0);
	assert_int_equal(choose(c, CORE, 1000, 29).type, -1);
	assert_int_equal(choose(c, CORE, 1000, 30).type, (int)type);
	assert_int_equal(choose(c, DEVICE, 1000, 5).type, (int)type); /* there it is fastest */
	bed_close(bed);
}

static void nothing_is_wasted(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open_with("cpu:1 cuda:1", "waste", "2", &c);
	unsigned type = cambium_type(c, (float[]){ 30, 10 }, 1), other = cambium_type(c, (float[]){ 10, 15 }, 1);

	(void)state;
	c->prices[CORE] = c->prices[DEVICE] = 0.5;
	c->types[type].price_us = c->types[other].price_us = 5;
	store(bed, c, type, 0);
	assert_int_equal(choose(c, CORE, 1000, INFINITY).type, -1); /* three times as dear */
	store(bed, c, other, 0);
	assert_int_equal(choose(c, DEVICE, 1000, INFINITY).type, (int)type);
	bed_close(bed);
	bed = cambium_open_with("cpu:1 cuda:1", "waste", "3", &c);
	type = cambium_type(c, (float[]){ 30, 10 }, 1);
	c->prices[CORE] = c->prices[DEVICE] = 0.5;
	c->types[type].price_us = 5;
	store(bed, c, type, 0);
	assert_int_equal(choose(c, CORE, 1000, INFINITY).type, (int)type);
	assert_near(choose(c, CORE, 1000, INFINITY).cost, 3);
	/* of a large machine, a task takes a small share */
	c->prices[CORE] = c->prices[DEVICE] = 0.01;
	c->types[type].price_us = 0.1;
	assert_near(choose(c, CORE, 1000, INFINITY).cost, 3);
	bed_close(bed);
}

/* Two types are fastest on the device; the first one is cheaper on cores. */
static void the_fastest_class_leaves_for_last_what_is_cheaper_elsewhere(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1", &c);
	unsigned cheap = cambium_type(c, (float[]){ 12, 10 }, 1), dear = cambium_type(c, (float[]){ 100, 10 }, 1);

	(void)state;
	c->prices[CORE] = 0.2;
	c->prices[DEVICE] = 0.8;
	c->types[cheap].price_us = 2.4;
	c->types[dear].price_us = 8;
	store(bed, c, cheap, 40);
	assert_int_equal(choose(c, DEVICE, 1000, INFINITY).type, (int)cheap);
	assert_near(choose(c, DEVICE, 1000, INFINITY).cost, 8 / 2.4);
	store(bed, c, dear, 0);
	assert_int_equal(choose(c, DEVICE, 1000, INFINITY).type, (int)dear);
	c->types[cheap].price_us = 5; /* a little cheaper */
	assert_int_equal(choose(c, DEVICE, 1000, INFINITY).type, (int)dear);
	/* no other class would end it in time: by rank */
	assert_int_equal(choose(c, DEVICE, 12 + 40 * c->slack + 0.01, INFINITY).type, (int)dear);
	assert_int_equal(choose(c, DEVICE, 12 + 40 * c->slack - 0.01, INFINITY).type, (int)cheap);
	c->caution = 3;
	assert_int_equal(choose(c, DEVICE, 12 + 40 * c->slack + 0.01, INFINITY).type, (int)cheap);
	bed_close(bed);
}

/* A core is faster on both types, too. */
static void cores_leave_for_last_what_is_cheaper_on_devices(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1", &c);
	unsigned cheap = cambium_type(c, (float[]){ 10, 12 }, 1), dear = cambium_type(c, (float[]){ 10, 100 }, 1);

	(void)state;
	c->prices[CORE] = 0.8;
	c->prices[DEVICE] = 0.2;
	c->types[cheap].price_us = 2.4;
	c->types[dear].price_us = 8;
	store(bed, c, cheap, 40);
	store(bed, c, dear, 0);
	assert_int_equal(choose(c, CORE, 1000, INFINITY).type, (int)dear);
	assert_int_equal(choose(c, CORE, 20, INFINITY).type, (int)cheap);
	bed_close(bed);
}

/*
 * A chain of 20 tasks, and so many tasks beside it, all 30 us on the core and 10 us on the device. If the core begins
 * the chain, the device can go on for so long only.
 */
static struct bed *open_beside(unsigned beside, struct xy__cambium **c)
{
	static const double lengths[] = { 30, 10 };
	struct bed *bed = cambium_open("cpu:1 cuda:1", c);
	struct xy_task *first = bed_task_lasting(bed, XY_ON_CPU | XY_ON_CUDA, lengths), *last = first;

	for (unsigned i = 1; i < 20; i++) {
		struct xy_task *task = bed_task_lasting(bed, XY_ON_CPU | XY_ON_CUDA, lengths);

		cambium_follows(task, last);
		last = task;
	}
	bed_submit(bed, first);
	for (unsigned i = 0; i < beside; i++)
		bed_submit(bed, bed_task_lasting(bed, XY_ON_CPU | XY_ON_CUDA, lengths));
	xy__cambium_look(*c, 0);
	(*c)->backlog_us[DEVICE] = 0; /* only the time that is left counts */
	return bed;
}

static void the_others_must_have_work_while_a_slow_class_is_busy(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = open_beside(1, &c);
	double need, has;

	(void)state;
	/* little is beside the chain: the core may take what nothing waits for */
	assert_int_equal(c->types[0].ngroups, 2);
	assert_int_equal(choose(c, CORE, 10000, INFINITY).type, 0);
	assert_int_equal(choose(c, CORE, 10000, INFINITY).group, 0);
	/* and nothing that takes longer than all the rest */
	c->waste = INFINITY;
	c->types[0].us[CORE] = 2000;
	assert_int_equal(choose(c, CORE, 10000, INFINITY).type, -1);
	bed_close(bed);
	/* so much that the device would not run out of work: the most urgent */
	bed = open_beside(20, &c);
	assert_int_equal(choose(c, CORE, 10000, INFINITY).group, 1);
	/* twice as much is needed if more is to come */
	need = (double)c->types[0].us[CORE];
	has = xy__cambium_free_us(c, c->types[0].groups[1].first, 0);
	c->types[0].us[CORE] *= (float)(has / need / 1.6);
	assert_int_equal(choose(c, CORE, 10000, INFINITY).group, 1);
	c->more = true;
	assert_int_equal(choose(c, CORE, 10000, INFINITY).group, 0);
	bed_close(bed);
}

static void among_the_cheapest_the_highest_rank_comes_first(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1", &c);
	unsigned a = cambium_type(c, (float[]){ 10 }, 1), b = cambium_type(c, (float[]){ 20 }, 1);

	(void)state;
	xy__cambium_price(c);
	assert_int_equal(choose(c, CORE, 100, INFINITY).type, -1);
	store(bed, c, a, 30);
	store(bed, c, b, 20); /* both have the rank 40: the first stays */
	assert_int_equal(choose(c, CORE, 100, INFINITY).type, (int)a);
	store(bed, c, b, 21);
	assert_int_equal(choose(c, CORE, 100, INFINITY).type, (int)b);
	store(bed, c, a, 50);
	assert_int_equal(choose(c, CORE, 100, INFINITY).type, (int)a);
	assert_int_equal(choose(c, CORE, 100, INFINITY).group, 1);
	assert_near(choose(c, CORE, 100, INFINITY).rank_us, 60);
	assert_near(choose(c, CORE, 100, INFINITY).cost, 0);
	bed_close(bed);
}

static void a_class_takes_only_what_it_can_run(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1", &c);
	unsigned type = cambium_type(c, (float[]){ INFINITY, 10 }, 1);

	(void)state;
	store(bed, c, type, 0);
	c->ends_us[1] = 1000;
	assert_int_equal(choose(c, CORE, 1000, INFINITY).type, -1);
	assert_int_equal(choose(c, DEVICE, 1000, INFINITY).type, (int)type);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_time_left_is_for_all_work_and_all_that_runs),
		cmocka_unit_test(the_time_left_is_for_the_longest_path_too),
		cmocka_unit_test(less_time_is_left_if_more_will_be_submitted),
		cmocka_unit_test(very_many_workers_are_not_looked_at_each_time),
		cmocka_unit_test(the_last_worker_of_a_class_is_due_for_what_needs_it),
		cmocka_unit_test(the_most_urgent_claim_counts),
		cmocka_unit_test(nothing_is_due_without_a_claim),
		cmocka_unit_test(a_slow_class_takes_what_would_end_later_elsewhere),
		cmocka_unit_test(a_slow_device_takes_what_would_end_later_on_a_core),
		cmocka_unit_test(all_workers_of_the_faster_class_count),
		cmocka_unit_test(a_task_that_ends_sooner_on_any_class_is_left_to_it),
		cmocka_unit_test(a_slow_class_takes_what_has_time),
		cmocka_unit_test(a_worker_that_is_due_takes_nothing_long),
		cmocka_unit_test(nothing_is_wasted),
		cmocka_unit_test(the_fastest_class_leaves_for_last_what_is_cheaper_elsewhere),
		cmocka_unit_test(cores_leave_for_last_what_is_cheaper_on_devices),
		cmocka_unit_test(the_others_must_have_work_while_a_slow_class_is_busy),
		cmocka_unit_test(among_the_cheapest_the_highest_rank_comes_first),
		cmocka_unit_test(a_class_takes_only_what_it_can_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
