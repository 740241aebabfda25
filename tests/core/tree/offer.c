/* SPDX-License-Identifier: MIT */
/* Offering again what rests above a component that turned tasks or workers away. */
#include "../../components/recording.h"

#include "core/tree/offer.h"

enum { CPU0, CPU1, CUDA0, OPENCL0 };

/* root | recorder | eager | each worker { }, on three architectures. */
static struct xy_component *open_below(struct bed *bed, struct xy_component *above)
{
	struct xy_component *gate = bed_add(bed, above, &recorder_ops), *eager = bed_add(bed, gate, &xy__eager_ops);

	for (unsigned i = CPU0; i <= OPENCL0; i++)
		bed_add_worker(bed, eager, i);
	bed_seal(bed);
	return gate;
}

static struct recorder *offer_again(struct bed *bed, struct xy_component *gate)
{
	recorder(gate)->noffers = 0;
	bed_forget(bed);
	xy_offer_again(gate, &bed->application);
	return recorder(gate);
}

/* A basin does not list its tasks. */
static void what_is_not_listed_is_offered_to_each_architecture(void **state)
{
	struct bed *bed = bed_open("cpu:2 cuda:1 opencl:1");
	struct xy_component *root = bed_add(bed, NULL, &xy__fifo_ops), *basin = bed_add(bed, root, &basin_ops);
	struct xy_component *gate = open_below(bed, basin);
	struct recorder *r;

	(void)state;
	recorder(basin)->room = 1;
	assert_int_equal(offer_again(bed, gate)->noffers, 0); /* it holds nothing */
	bed_submit(bed, bed_task(bed, XY_ON_CPU));
	assert_int_equal(recorder(basin)->nheld, 1);
	r = offer_again(bed, gate);
	assert_int_equal(r->noffers, 3);
	assert_int_equal(r->offers[0].archs, XY_ON_CPU);
	assert_int_equal(r->offers[1].archs, XY_ON_CUDA);
	assert_int_equal(r->offers[2].archs, XY_ON_OPENCL);
	assert_int_equal(bed->nwoken, 3);
	bed_close(bed);
}

static void what_is_listed_is_offered_to_those_that_can_run_it(void **state)
{
	struct bed *bed = bed_open("cpu:2 cuda:1 opencl:1");
	struct xy_component *root = bed_add(bed, NULL, &xy__fifo_ops), *gate = open_below(bed, root);
	struct recorder *r;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		bed_submit(bed, bed_task(bed, XY_ON_CUDA));
		bed_submit(bed, bed_task(bed, XY_ON_CPU | XY_ON_OPENCL));
	}
	r = offer_again(bed, gate);
	assert_int_equal(r->noffers, 2); /* one for each set of architectures */
	assert_int_equal(r->offers[0].archs, XY_ON_CUDA);
	assert_int_equal(r->offers[1].archs, XY_ON_CPU | XY_ON_OPENCL);
	bed_close(bed);
}

static void the_only_worker_of_a_pinned_task_is_woken(void **state)
{
	struct bed *bed = bed_open("cpu:2 cuda:1 opencl:1");
	struct xy_component *root = bed_add(bed, NULL, &xy__fifo_ops), *gate = open_below(bed, root);

	(void)state;
	bed_submit(bed, bed_task_pinned(bed, XY_ON_CPU, CPU1));
	offer_again(bed, gate);
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], CPU1);
	bed_close(bed);
}

/* A worker that takes a task offers the others. That of a pinned task was woken when it came. */
static void a_worker_offers_what_it_leaves_but_not_pinned_tasks(void **state)
{
	struct bed *bed = bed_open("cpu:2 cuda:1 opencl:1");
	struct xy_component *root = bed_add(bed, NULL, &xy__fifo_ops);

	(void)state;
	open_below(bed, root);
	bed_submit(bed, bed_task_pinned(bed, XY_ON_CPU, CPU1));
	bed_forget(bed);
	xy__offer_stored(root, &bed->workers[CPU0]);
	assert_int_equal(bed->nwoken, 0);
	bed_submit(bed, bed_task(bed, XY_ON_CUDA));
	bed_forget(bed);
	xy__offer_stored(root, &bed->workers[CPU0]);
	assert_int_equal(bed->nwoken, 1);
	assert_int_equal(bed->woken[0], CUDA0);
	bed_close(bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_listed_is_offered_to_each_architecture),
		cmocka_unit_test(what_is_listed_is_offered_to_those_that_can_run_it),
		cmocka_unit_test(the_only_worker_of_a_pinned_task_is_woken),
		cmocka_unit_test(a_worker_offers_what_it_leaves_but_not_pinned_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
