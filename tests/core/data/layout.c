/* SPDX-License-Identifier: MIT */
/* Data with a layout of its own on CUDA devices: pairs of doubles in RAM, two arrays of floats there. */
#include "bed.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <xylem/cuda.h>
#include <xylem/insert.h>
#include <xylem/interface.h>
#include <xylem/partition.h>

#include "../../double/cudart_double.h"

enum { N = 100, STEPS = 400, NDATA = 6 };

static _Atomic unsigned conversions_in, conversions_out;
static _Atomic int conversion_error;

/* --- the interface --- */

struct pair {
	double x, y;
};

/* The view of codelets: pairs on CPUs, two arrays on CUDA devices. */
struct points {
	struct pair *pairs;
	float *x, *y;
	size_t n;
	bool apart;
};

static unsigned points_parts(const void *view, struct xy_part parts[XY_NPARTS])
{
	const struct points *p = view;

	if (!p->apart) {
		parts[0] = (struct xy_part){ .pointer = offsetof(struct points, pairs) };
		parts[0].row_bytes = p->n * sizeof(struct pair);
		return 1;
	}
	parts[0] = (struct xy_part){ .pointer = offsetof(struct points, x) };
	parts[1] = (struct xy_part){ .pointer = offsetof(struct points, y) };
	parts[0].row_bytes = parts[1].row_bytes = p->n * sizeof(float);
	return 2;
}

static bool points_layout(void *view, enum xy_arch arch)
{
	((struct points *)view)->apart = arch == XY_CUDA;
	return arch == XY_CUDA;
}

static int points_to_device(void *device_view, const void *view, enum xy_arch arch)
{
	const struct points *to = device_view, *from = view;

	(void)arch;
	for (size_t i = 0; i < from->n; i++) {
		to->x[i] = (float)from->pairs[i].x;
		to->y[i] = (float)from->pairs[i].y;
	}
	atomic_fetch_add(&conversions_in, 1);
	return atomic_load(&conversion_error);
}

static int points_from_device(void *view, const void *device_view, enum xy_arch arch)
{
	const struct points *to = view, *from = device_view;

	(void)arch;
	for (size_t i = 0; i < to->n; i++)
		to->pairs[i] = (struct pair){ from->x[i], from->y[i] };
	atomic_fetch_add(&conversions_out, 1);
	return atomic_load(&conversion_error);
}

static const struct xy_interface points_interface = {
	.name = "points",
	.view_size = sizeof(struct points),
	.parts = points_parts,
	.layout = points_layout,
	.to_device = points_to_device,
	.from_device = points_from_device,
};

/* --- codelets: y += k, x += 2 y --- */

static int move_cpu(struct xy_call *call)
{
	const struct points *p = call->buffers[0];

	if (p->apart)
		return -EFAULT;
	for (size_t i = 0; i < p->n; i++) {
		p->pairs[i].y += ((const struct bed_arg *)call->arg)->k;
		p->pairs[i].x += 2 * p->pairs[i].y;
	}
	return 0;
}

struct work {
	struct points points;
	uint32_t k;
};

static void move_kernel(void *args)
{
	const struct work *w = args;
	float *x = cudart_double_readable(w->points.x), *y = cudart_double_readable(w->points.y);

	for (size_t i = 0; i < w->points.n; i++) {
		y[i] += (float)w->k;
		x[i] += 2 * y[i];
	}
}

static int move_cuda(struct xy_call *call)
{
	struct work w = { *(const struct points *)call->buffers[0], ((const struct bed_arg *)call->arg)->k };

	return !w.points.apart
		       ? -EFAULT
		       : xy_cuda_check(call, cudart_double_launch(xy_cuda_stream(call), move_kernel, &w, sizeof w));
}

static const struct xy_codelet move = {
	.name = "move",
	.cpu = { move_cpu },
	.cuda = { move_cuda },
	.modes = { XY_RW },
};

static void pairs_move(struct pair *pairs, size_t n, uint32_t k)
{
	for (size_t i = 0; i < n; i++) {
		pairs[i].y += k;
		pairs[i].x += 2 * pairs[i].y;
	}
}

/* --- the runtime --- */

static struct helper *start(const char *limit)
{
	atomic_store(&conversions_in, 0);
	atomic_store(&conversions_out, 0);
	atomic_store(&conversion_error, 0);
	return bed_start(1, &(struct xy_config){ .arch[XY_CUDA].limit = limit, .sched = "tree-random" }, false);
}

static struct xy_handle *points_register(struct helper *h, struct pair *pairs, size_t n)
{
	struct xy_handle *p;

	assert_int_equal(xy_register(h->rt, &p, &points_interface, &(struct points){ .pairs = pairs, .n = n }), 0);
	return p;
}

/* 0 for the CPU, 1 and 2 for the devices. */
static void move_on(struct helper *h, unsigned where, struct xy_handle *p, uint32_t k)
{
	bed_submit_on(h, where ? bed_worker(h, XY_CUDA, where - 1) : bed_worker(h, XY_CPU, 0), &move, k, p, NULL, NULL);
}

static void each_architecture_has_its_layout(void **state)
{
	struct helper *h = start(NULL);
	struct pair pairs[N] = { { 0 } }, model[N] = { { 0 } };
	struct xy_handle *p = points_register(h, pairs, N);

	(void)state;
	for (unsigned i = 0; i < 9; i++) {
		move_on(h, i % 3, p, i);
		pairs_move(model, N, i);
	}
	bed_unregister(h, &p);
	assert_memory_equal(pairs, model, sizeof pairs);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void between_devices_of_one_kind_nothing_is_converted(void **state)
{
	struct helper *h = start(NULL);
	struct pair pairs[N] = { { 0 } };
	struct xy_handle *p = points_register(h, pairs, N);

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		move_on(h, 1 + i % 2, p, 1);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(atomic_load(&conversions_in), 1);
	assert_int_equal(atomic_load(&conversions_out), 0);
	assert_int_equal(bed_stats(h, bed_node(h, XY_CUDA, 1)).bytes_in, 3 * N * 2 * sizeof(float));
	bed_unregister(h, &p);
	assert_int_equal(atomic_load(&conversions_out), 1);
	assert_true(pairs[0].y == 6 && pairs[0].x == 42);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void the_size_there_is_that_of_the_layout(void **state)
{
	struct helper *h = start("1000"); /* 800 bytes there, 1600 in RAM */
	struct pair pairs[N] = { { 0 } };
	struct xy_handle *p = points_register(h, pairs, N), *q = points_register(h, NULL, N);

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		move_on(h, 1, i % 2 ? p : q, 1);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(bed_stats(h, bed_node(h, XY_CUDA, 0)).most_bytes, 800);
	assert_int_equal(xy_acquire(q, XY_R), 0);
	assert_true(((struct pair *)xy_handle_pointer(q))[N - 1].x == 6);
	xy_release(q);
	bed_unregister(h, &p);
	bed_unregister(h, &q);
	assert_true(pairs[N - 1].x == 6);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void content_that_can_not_be_converted_fails_its_readers(void **state)
{
	struct helper *h = start(NULL);
	struct pair pairs[N] = { { 0 } };
	struct xy_handle *p = points_register(h, pairs, N), *q = points_register(h, NULL, N);

	(void)state;
	move_on(h, 1, q, 1);
	assert_int_equal(helper_wait(h), 0);
	atomic_store(&conversion_error, -EILSEQ);
	move_on(h, 1, p, 1);
	assert_int_equal(helper_wait(h), -EILSEQ);
	assert_int_equal(xy_acquire(q, XY_R), -EILSEQ);
	atomic_store(&conversion_error, 0);
	assert_int_equal(xy_acquire(q, XY_R), 0);
	assert_true(((struct pair *)xy_handle_pointer(q))[0].x == 2);
	xy_release(q);
	bed_unregister(h, &q);
	assert_int_equal(xy_unregister(&p), -EILSEQ);
	assert_int_equal(bed_stop(h, HELPER_ANY_LINES), 0);
}

/* The i-th of n ranges. */
static int points_range(const struct xy_cut *cut)
{
	const struct points *p = cut->parent;
	struct points *child = cut->child;
	size_t first = p->n * cut->i / cut->n;

	*child = (struct points){ .pairs = p->pairs + first, .n = p->n * (cut->i + 1) / cut->n - first };
	return 0;
}

static const struct xy_filter_ops ranges = {
	.name = "ranges",
	.interface = &points_interface,
	.child = points_range,
};

static void children_are_converted_by_way_of_ram(void **state)
{
	const struct xy_filter filter = { .ops = &ranges, .n = 3 };
	struct helper *h = start(NULL);
	struct pair pairs[N] = { { 0 } }, model[N] = { { 0 } };
	struct xy_handle *p = points_register(h, pairs, N), *pieces[3];

	(void)state;
	move_on(h, 1, p, 1);
	assert_int_equal(xy_partition(p, &filter, pieces, 3), 0);
	for (unsigned i = 0; i < 3; i++)
		move_on(h, i, pieces[i], 2);
	assert_int_equal(xy_unpartition(p), 0);
	move_on(h, 2, p, 3);
	bed_unregister(h, &p);
	for (unsigned k = 1; k <= 3; k++)
		pairs_move(model, N, k);
	assert_memory_equal(pairs, model, sizeof pairs);
	assert_int_equal(bed_stop(h, 0), 0);
}

struct program {
	struct helper *h;
	uint64_t random;
	struct xy_handle *p[NDATA];
	struct pair model[NDATA][N];
};

/* The i-th range of three is moved by its number, on any worker. */
static void step_pieces(struct program *p, unsigned i)
{
	const struct xy_filter filter = { .ops = &ranges, .n = 3 };
	struct xy_plan *plan;

	assert_int_equal(xy_plan_create(p->p[i], &filter, &plan), 0);
	assert_int_equal(xy_plan_begin(plan, XY_RW), 0);
	for (unsigned k = 0; k < 3; k++) {
		size_t first = N * k / 3;

		bed_submit(p->h, &move, k, xy_plan_child(plan, k), NULL, NULL);
		pairs_move(p->model[i] + first, N * (k + 1) / 3 - first, k);
	}
	assert_int_equal(xy_plan_end(plan), 0);
	assert_int_equal(xy_plan_destroy(&plan), 0);
}

static void step(struct program *p)
{
	unsigned i = helper_below(&p->random, NDATA), kind = helper_below(&p->random, 12);
	unsigned node = bed_node(p->h, XY_CUDA, helper_below(&p->random, 2));
	uint32_t k = helper_below(&p->random, 3);

	if (kind == 0) {
		assert_int_equal(xy_prefetch(p->p[i], node), 0);
	} else if (kind == 1) {
		assert_int_equal(xy_acquire(p->p[i], XY_R), 0);
		assert_memory_equal(xy_handle_pointer(p->p[i]), p->model[i], sizeof p->model[i]);
		xy_release(p->p[i]);
	} else if (kind == 2) {
		assert_int_equal(xy_evict(p->p[i], node), 0);
	} else if (kind == 3) {
		xy_handle_set_write_through(p->p[i], k ? 0 : 1 | (uint64_t)1 << node);
	} else if (p->model[i][0].y < 100 && kind == 4) { /* floats are exact */
		step_pieces(p, i);
	} else if (p->model[i][0].y < 100) {
		bed_submit(p->h, &move, k, p->p[i], NULL, NULL);
		pairs_move(p->model[i], N, k);
	}
}

static void random_programs_compute_the_same_as_on_a_cpu(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= helper_scale(10); seed++) {
		struct program p = { .h = start("2000"), .random = seed }; /* two of six */

		print_message("# seed %llu\n", (unsigned long long)seed);
		for (unsigned i = 0; i < NDATA; i++)
			p.p[i] = points_register(p.h, NULL, N);
		for (unsigned n = 0; n < STEPS; n++)
			step(&p);
		for (unsigned i = 0; i < NDATA; i++)
			bed_unregister(p.h, &p.p[i]);
		assert_int_equal(bed_stop(p.h, 0), 0);
	}
}

/* Nothing leaks, and what is said to be right is. */
static void any_call_of_the_driver_may_fail(void **state)
{
	(void)state;
	for (unsigned nth = 1; nth <= 200; nth += 1 + 4 * (helper_scale(2) == 1)) {
		struct helper *h = start("2000");
		struct pair pairs[N] = { { 0 } }, model[N] = { { 0 } };
		struct xy_handle *p = points_register(h, pairs, N);
		bool struck;

		assert_true(cudart_double_fail(NULL, nth, 1));
		for (unsigned i = 0; i < 6; i++) {
			bed_submit(h, &move, i, p, NULL, NULL);
			pairs_move(model, N, i);
		}
		if (!xy_unregister(&p))
			assert_memory_equal(pairs, model, sizeof pairs);
		struck = cudart_double_failed();
		bed_stop(h, HELPER_ANY_LINES);
		if (!struck)
			break;
	}
}

static void what_makes_no_sense_is_refused(void **state)
{
	struct helper *h = start(NULL);
	struct pair pairs[N] = { { 0 } };
	struct xy_interface half = points_interface;
	struct xy_handle *p, *q = points_register(h, NULL, N);

	(void)state;
	half.from_device = NULL;
	assert_int_equal(xy_register(h->rt, &p, &half, &(struct points){ .pairs = pairs, .n = N }), -EINVAL);
	assert_int_equal(helper_lines_with(h, "some of layout, to_device and from_device, but not all"), 1);
	assert_int_equal(xy_handle_set_home(q, bed_node(h, XY_CUDA, 0), &(struct points){ .pairs = pairs, .n = N }),
			 -EINVAL);
	bed_unregister(h, &q);
	p = points_register(h, pairs, N);
	assert_int_equal(xy_handle_set_constant(p, 1), -EINVAL);
	bed_unregister(h, &p);
	assert_int_equal(bed_stop(h, HELPER_ANY_LINES), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_architecture_has_its_layout),
		cmocka_unit_test(between_devices_of_one_kind_nothing_is_converted),
		cmocka_unit_test(the_size_there_is_that_of_the_layout),
		cmocka_unit_test(content_that_can_not_be_converted_fails_its_readers),
		cmocka_unit_test(children_are_converted_by_way_of_ram),
		cmocka_unit_test(random_programs_compute_the_same_as_on_a_cpu),
		cmocka_unit_test(any_call_of_the_driver_may_fail),
		cmocka_unit_test(what_makes_no_sense_is_refused),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
