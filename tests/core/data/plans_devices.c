/* SPDX-License-Identifier: MIT */
/* Plans on devices: what is moved, also when one of them disappears; and plans of several threads. */
#include "bed.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "../../double/cudart_double.h"
#include "core/data/copy.h"

enum { N = 64, BYTES = N * sizeof(uint32_t) };

#define FILTER(...) (&(struct xy_filter){ .ops = __VA_ARGS__ })

static uint32_t x[N];

static struct xy_handle *named(struct helper *h, uint32_t *ptr)
{
	struct xy_handle *v = bed_vector(h, ptr, N);

	assert_int_equal(xy_handle_set_name(v, "v"), 0);
	return v;
}

static struct xy_plan *blocks(struct xy_handle *v, unsigned n)
{
	struct xy_plan *plan;

	assert_int_equal(xy_plan_create(v, FILTER(&xy_filter_blocks, .n = n), &plan), 0);
	assert_int_equal(xy_plan_nchildren(plan), n);
	return plan;
}

/* --- devices --- */

static uint64_t moved(enum cudart_double_direction direction)
{
	struct cudart_double_traffic traffic;

	cudart_double_traffic(direction, &traffic);
	return traffic.bytes;
}

static void content_moves_once_between_devices(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	unsigned devices[2] = { bed_worker(h, XY_CUDA, 0), bed_worker(h, XY_CUDA, 1) };
	struct xy_handle *v = named(h, x);
	struct xy_plan *plan = blocks(v, 2);

	(void)state;
	memset(x, 0, sizeof x);
	bed_submit_on(h, devices[0], &bed_set, 5, v, NULL, NULL);
	assert_int_equal(xy_plan_begin(plan, XY_RW), 0);
	for (unsigned i = 0; i < 4; i++)
		bed_submit_on(h, devices[i % 2], &bed_add, i, xy_plan_child(plan, i % 2), NULL, NULL);
	assert_int_equal(xy_plan_end(plan), 0);
	bed_submit_on(h, devices[1], &bed_add, 9, v, NULL, NULL);
	assert_int_equal(xy_plan_destroy(&plan), 0);
	bed_unregister(h, &v);
	for (unsigned i = 0; i < N; i++) {
		uint32_t k = i / (N / 2);

		assert_int_equal(x[i], 3 * (3 * (3 * (5 + i) + k) + 2 + k) + 9);
	}
	/* The second half goes to the other device and comes back; then the whole goes there. */
	assert_int_equal(moved(CUDART_DOUBLE_PEER), BYTES / 2 + BYTES / 2 + BYTES);
	assert_int_equal(moved(CUDART_DOUBLE_OUT), BYTES);
	assert_int_equal(moved(CUDART_DOUBLE_IN), 0);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void children_inherit_what_was_said_about_the_parent(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = named(h, x);
	struct xy_plan *plan;

	(void)state;
	memset(x, 0, sizeof x);
	assert_int_equal(xy_handle_set_write_through(v, 1), 0);
	assert_int_equal(xy_advise(v, XY_ADVICE_KEEP), 0);
	assert_int_equal(xy_handle_set_reduction(v, &bed_zero, &bed_join), 0);
	plan = blocks(v, 2);
	assert_int_equal(xy_plan_begin(plan, XY_RW), 0);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, 5, xy_plan_child(plan, 0), NULL, NULL);
	for (unsigned i = 0; i < 10; i++)
		bed_submit(h, &bed_more, 3, xy_plan_child(plan, 1), NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	for (unsigned i = 0; i < 20000 && !(xy_handle_nodes(xy_plan_child(plan, 0)) & 1); i++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	assert_true(xy_handle_nodes(xy_plan_child(plan, 0)) & 1);
	assert_int_equal(xy_plan_child(plan, 0)->copies->advice, XY_ADVICE_KEEP);
	assert_int_equal(xy_plan_end(plan), 0);
	assert_int_equal(xy_plan_destroy(&plan), 0);
	bed_unregister(h, &v);
	assert_int_equal(x[1], 6);
	assert_int_equal(x[N - 1], 30);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* Each task takes the advice back, maybe while the plan is made. */
static void plans_are_made_while_tasks_use_the_parent(void **state)
{
	enum { ROUNDS = 20, PLANS = 8 };
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = named(h, x);
	struct xy_plan *plans[PLANS];

	(void)state;
	memset(x, 0, sizeof x);
	for (unsigned i = 0; i < ROUNDS; i++) {
		assert_int_equal(xy_advise(v, XY_ADVICE_WONT_USE), 0);
		bed_submit_on(h, bed_worker(h, XY_CUDA, i % 2), &bed_bump, 1, v, NULL, NULL);
		for (unsigned k = 0; k < PLANS; k++)
			plans[k] = blocks(v, 2);
		assert_int_equal(helper_wait(h), 0);
		for (unsigned k = 0; k < PLANS; k++)
			assert_int_equal(xy_plan_destroy(&plans[k]), 0);
	}
	bed_unregister(h, &v);
	assert_int_equal(x[0], ROUNDS);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void what_readers_share_stays_where_it_is(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	unsigned device = bed_worker(h, XY_CUDA, 0), node = bed_node(h, XY_CUDA, 0);
	struct xy_handle *v = named(h, x), *out = bed_vector(h, NULL, N / 2);
	struct xy_plan *plan = blocks(v, 2);

	(void)state;
	bed_submit_on(h, device, &bed_set, 5, v, NULL, NULL);
	assert_int_equal(xy_plan_begin(plan, XY_R), 0);
	bed_submit_on(h, device, &bed_copy, 1, xy_plan_child(plan, 1), out, NULL);
	assert_int_equal(xy_plan_end(plan), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_acquire(v, XY_R), 0);
	assert_int_equal(xy_handle_nodes(v), 1 | 1u << node);
	xy_release(v);
	assert_int_equal(moved(CUDART_DOUBLE_IN), 0);
	assert_int_equal(xy_plan_destroy(&plan), 0);
	assert_int_equal(xy_acquire(out, XY_R), 0);
	assert_int_equal(*(const uint32_t *)xy_handle_pointer(out), 6 + N / 2);
	xy_release(out);
	bed_unregister(h, &v);
	bed_unregister(h, &out);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* What was never written can't be read in pieces, but can be written in pieces. */
static void content_that_is_nowhere_may_be_written_in_pieces(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *v = named(h, x);
	struct xy_plan *plan = blocks(v, 2);

	(void)state;
	assert_int_equal(xy_invalidate(v), 0);
	assert_int_equal(xy_plan_begin(plan, XY_RW), 0);
	assert_int_equal(xy_acquire(xy_plan_child(plan, 0), XY_R), -ENODATA);
	for (unsigned i = 0; i < 2; i++)
		bed_submit_on(h, bed_worker(h, XY_CUDA, i), &bed_set, i, xy_plan_child(plan, i), NULL, NULL);
	assert_int_equal(xy_plan_end(plan), 0);
	assert_int_equal(xy_acquire(v, XY_R), 0);
	assert_int_equal(x[N - 1], N / 2);
	xy_release(v);
	assert_int_equal(xy_plan_destroy(&plan), 0);
	bed_unregister(h, &v);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* A plan with a piece for each device, between two uses of the whole. True if the result is there; it is right then. */
static bool run_on_devices(struct helper *h)
{
	struct xy_handle *v = named(h, x);
	struct xy_plan *plan = blocks(v, 2);
	bool there;

	memset(x, 0, sizeof x);
	bed_submit(h, &bed_set, 5, v, NULL, NULL);
	assert_int_equal(xy_plan_begin(plan, XY_RW), 0);
	for (unsigned i = 0; i < 2; i++)
		bed_submit(h, &bed_add, i, xy_plan_child(plan, i), NULL, NULL);
	assert_int_equal(xy_plan_end(plan), 0);
	bed_submit(h, &bed_add, 9, v, NULL, NULL);
	there = !xy_acquire(v, XY_R);
	for (unsigned i = 0; i < N && there; i++)
		assert_int_equal(x[i], 3 * (3 * (5 + i) + i / (N / 2)) + 9);
	if (there)
		xy_release(v);
	assert_int_equal(xy_plan_destroy(&plan), 0);
	assert_int_equal(!xy_unregister(&v), there);
	return there;
}

/* A device is lost at the first thing that it does, at the second, and so on. */
static void a_device_may_disappear_at_any_moment(void **state)
{
	const struct xy_config config = { .sched = "tree-random" };
	unsigned n = 0;
	bool struck;

	(void)state;
	do {
		struct helper *h = bed_start(1, &config, false);
		bool there;

		assert_true(cudart_double_fail("operation", ++n, 719));
		there = run_on_devices(h);
		helper_wait(h); /* with an error or without, but it comes to an end */
		struck = cudart_double_failed();
		assert_true(there || struck);
		helper_forget(h);
		bed_stop(h, 0);
	} while (struck && n < 100);
	assert_in_range(n, 2, 99);
}

/* --- threads --- */

enum { THREADS = 3, VECTOR = 12 };

struct thread {
	struct helper *h;
	struct xy_handle *shared; /* which another thread cuts now and then */
	uint32_t memory[VECTOR];
	pthread_t id;
	unsigned rounds, used, refused;
	int error;
};

static int add_one(struct xy_runtime *rt, struct xy_handle *v)
{
	struct bed_arg arg = { 1 };

	return xy_submit(rt, &(struct xy_task_desc){
				     .codelet = &bed_add, .handles = { v }, .arg = &arg, .arg_size = sizeof arg });
}

static void *thread_main(void *arg)
{
	struct thread *t = arg;
	struct xy_plan *plan;
	struct xy_handle *v;
	int error;

	t->error = xy_vector_register(t->h->rt, &v, t->memory, VECTOR, sizeof *t->memory);
	t->error = t->error ? t->error : xy_plan_create(v, FILTER(&xy_filter_blocks, .n = 3), &plan);
	for (unsigned i = 0; i < t->rounds && !t->error; i++) {
		t->error = xy_plan_begin(plan, XY_RW);
		for (unsigned j = 0; j < 3 && !t->error; j++)
			t->error = add_one(t->h->rt, xy_plan_child(plan, j));
		t->error = t->error ? t->error : xy_plan_end(plan);
		t->error = t->error ? t->error : add_one(t->h->rt, v);
		error = t->error ? t->error : add_one(t->h->rt, t->shared);
		t->used += !error;
		t->refused += error == -EBUSY;
		t->error = error == -EBUSY ? 0 : error;
	}
	t->error = t->error ? t->error : xy_plan_destroy(&plan);
	t->error = t->error ? t->error : xy_unregister(&v);
	return NULL;
}

static uint32_t times(uint32_t value, unsigned n)
{
	while (n-- > 0)
		value = 3 * value + 1;
	return value;
}

/* What one thread cuts, others may try to use: they do or they don't, and it is counted. */
static void several_threads_cut_at_once(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *v = bed_vector(h, x, N);
	struct xy_plan *plan = blocks(v, 2);
	struct thread threads[THREADS];
	unsigned rounds = helper_scale(300), used = 0;

	(void)state;
	memset(x, 0, sizeof x);
	for (unsigned i = 0; i < THREADS; i++) {
		threads[i] = (struct thread){ .h = h, .shared = v, .rounds = rounds };
		assert_int_equal(pthread_create(&threads[i].id, NULL, thread_main, &threads[i]), 0);
	}
	for (unsigned i = 0; i < rounds; i++) {
		assert_int_equal(xy_plan_begin(plan, XY_RW), 0);
		assert_int_equal(add_one(h->rt, xy_plan_child(plan, 0)), 0);
		assert_int_equal(add_one(h->rt, xy_plan_child(plan, 1)), 0);
		assert_int_equal(xy_plan_end(plan), 0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i].id, NULL), 0);
		assert_int_equal(threads[i].error, 0);
		assert_int_equal(threads[i].used + threads[i].refused, rounds);
		assert_int_equal(threads[i].memory[0], times(0, 2 * rounds));
		used += threads[i].used;
	}
	helper_forget(h);
	assert_int_equal(xy_plan_destroy(&plan), 0);
	bed_unregister(h, &v);
	assert_int_equal(x[0], times(0, rounds + used));
	assert_int_equal(x[N - 1], times(0, rounds + used));
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(content_moves_once_between_devices),
		cmocka_unit_test(children_inherit_what_was_said_about_the_parent),
		cmocka_unit_test(plans_are_made_while_tasks_use_the_parent),
		cmocka_unit_test(what_readers_share_stays_where_it_is),
		cmocka_unit_test(content_that_is_nowhere_may_be_written_in_pieces),
		cmocka_unit_test(a_device_may_disappear_at_any_moment),
		cmocka_unit_test(several_threads_cut_at_once),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
