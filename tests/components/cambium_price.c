/* SPDX-License-Identifier: MIT */
/* Prices of workers' time: the whole machine costs 1, and the remaining work costs as much as it can. */
#include "cambium_bed.h"

/* What all remaining work costs with these prices if each task runs where it is cheapest. */
static double cost(const struct xy__cambium *c, const double *prices)
{
	double sum = 0;

	for (unsigned i = 0; i < c->ntypes; i++) {
		double least = INFINITY;

		for (unsigned k = 0; k < c->nclasses; k++)
			if (!isinf(c->types[i].us[k]))
				least = fmin(least, (double)c->types[i].us[k] * prices[k]);
		sum += c->types[i].left > 0 ? (double)c->types[i].left * least : 0;
	}
	return sum;
}

/* The machine costs 1, each type what it costs where it is cheapest, and the area is the sum. */
static void assert_consistent(const struct xy__cambium *c)
{
	double all = 0;

	for (unsigned k = 0; k < c->nclasses; k++)
		all += c->counts[k] * c->prices[k];
	assert_near(all, 1);
	assert_near(c->area_us, cost(c, c->prices));
	for (unsigned i = 0; i < c->ntypes; i++) {
		double least = INFINITY;

		for (unsigned k = 0; k < c->nclasses; k++)
			if (!isinf(c->types[i].us[k]))
				least = fmin(least, (double)c->types[i].us[k] * c->prices[k]);
		assert_near(c->types[i].price_us, least);
	}
}

static void the_only_class_costs_its_share(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:4", &c);

	(void)state;
	cambium_type(c, (float[]){ 10 }, 6);
	cambium_type(c, (float[]){ 50 }, 2);
	c->unpriced = 3;
	xy__cambium_price(c);
	assert_near(c->prices[0], 0.25);
	assert_near(c->types[0].price_us, 2.5);
	assert_near(c->types[1].price_us, 12.5);
	assert_near(c->area_us, 40);
	assert_int_equal(c->unpriced, 0);
	bed_close(bed);
}

/* Ten tasks are three times as fast on the device; the two cores take four, one on each half of the time. */
static void the_area_of_two_classes_is_the_best_division_of_work(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:2 cuda:1", &c);

	(void)state;
	cambium_type(c, (float[]){ 30, 10 }, 10);
	cambium_type(c, (float[]){ 10, 40 }, 6);
	xy__cambium_price(c);
	assert_near(c->prices[0], 0.2);
	assert_near(c->prices[1], 0.6);
	assert_near(c->area_us, 72);
	assert_consistent(c);
	/* the second type decides if there is more of it, and the first one again if it is the only one */
	c->types[1].left = 100;
	xy__cambium_price(c);
	assert_near(c->prices[0], 4. / 9);
	assert_near(c->prices[1], 1. / 9);
	assert_consistent(c);
	c->types[1].left = 0;
	xy__cambium_price(c);
	assert_near(c->area_us, 60);
	c->types[0].left = 1; /* the last one counts like any other */
	c->prices[0] = c->prices[1] = 1. / 3;
	xy__cambium_price(c);
	assert_near(c->area_us, 6);
	assert_consistent(c);
	bed_close(bed);
}

static void no_other_prices_of_two_classes_cost_more(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:3 cuda:2", &c);

	(void)state;
	for (unsigned round = 0; round < 50; round++) {
		c->ntypes = 0;
		for (unsigned i = 0; i < 6; i++) {
			float us[2] = { 1 + (float)(xy_agent_random(&bed->application) % 100),
					1 + (float)(xy_agent_random(&bed->application) % 100) };

			if (i == 4)
				us[round % 2] = INFINITY;
			cambium_type(c, us, (long)(xy_agent_random(&bed->application) % 20));
		}
		xy__cambium_price(c);
		assert_consistent(c);
		for (unsigned i = 0; i <= 1000; i++)
			assert_true(cost(c, (double[]){ i / 3000., (1000 - i) / 2000. }) <= c->area_us * 1.001);
	}
	bed_close(bed);
}

/* The best prices are 4/15, 1/15 and 2/3. */
static void three_classes_come_close(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:1 cuda:1 opencl:1", &c);

	(void)state;
	assert_int_equal(c->nclasses, 3);
	cambium_type(c, (float[]){ 10, 10, 1 }, 6);
	cambium_type(c, (float[]){ 5, 20, 2 }, 4);
	cambium_type(c, (float[]){ 1, 5, 2 }, 10);
	xy__cambium_price(c);
	assert_consistent(c);
	assert_true(c->area_us > 11.999 && c->area_us <= 12.0001);
	bed_close(bed);
}

static void a_class_with_little_to_do_costs_little(void **state)
{
	struct xy__cambium *c;
	struct bed *bed = cambium_open("cpu:2 cuda:1", &c);

	(void)state;
	cambium_type(c, (float[]){ 20, INFINITY }, 30);
	cambium_type(c, (float[]){ 20, 10 }, 2);
	xy__cambium_price(c);
	assert_consistent(c);
	assert_true(c->area_us > 299 && c->area_us <= 300.1);
	assert_true(c->prices[1] > 0);
	cambium_type(c, (float[]){ INFINITY, INFINITY }, 0);
	xy__cambium_price(c);
	assert_near(c->types[2].price_us, 0);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_only_class_costs_its_share),
		cmocka_unit_test(the_area_of_two_classes_is_the_best_division_of_work),
		cmocka_unit_test(no_other_prices_of_two_classes_cost_more),
		cmocka_unit_test(three_classes_come_close),
		cmocka_unit_test(a_class_with_little_to_do_costs_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
