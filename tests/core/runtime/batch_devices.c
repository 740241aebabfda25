/* SPDX-License-Identifier: MIT */
/*
 * Batches on CPUs and devices: data that is cut comes back whole, whichever device had a piece, and the pieces of a
 * lost device go to others.
 */
#include "../data/bed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xylem/batch.h>
#include <xylem/cuda.h>

#include "../../double/cudart_double.h"
#include "../data/bed_opencl.h"

enum { ITEMS = 3000, FIRST = 7, COLUMNS = 5, LD = 8 };

static const char hybrid[] =
	"prio | hybrid(batch_sizes=64) | each node { prio | eager | each worker { best-implementation } }";
static const char ahead[] = "prio | hybrid(batch_sizes=100, capacities=400) | each node { prio | eager | each worker "
			    "{ best-implementation } }";
static const char *const trees[] = { hybrid, ahead, "tree-batch-auto", "tree-eager" };

static uint32_t x[ITEMS], y[ITEMS], m[ITEMS][LD];

/* Pieces by worker. */
static struct {
	_Atomic unsigned pieces[16];
} seen;

static void seen_ended(void *arg, const struct xy_report *report)
{
	(void)arg;
	if (!report->status && xy_task_range(report->task).stop)
		atomic_fetch_add(&seen.pieces[report->worker], 1);
}

static const struct xy_watch watch = { .ended = seen_ended };

static struct helper *start(const char *tree, bool opencl)
{
	memset(&seen, 0, sizeof seen);
	return bed_start(2, &(struct xy_config){ .sched = tree, .watch = &watch }, opencl);
}

static unsigned pieces_on(struct helper *h, enum xy_arch arch)
{
	const struct xy_machine *machine = xy_runtime_machine(h->rt);
	unsigned n = 0;

	for (unsigned i = 0; i < xy_machine_nworkers(machine); i++)
		if (xy_machine_worker(machine, i)->arch == arch)
			n += seen.pieces[i];
	return n;
}

/* --- vectors --- */

static void check_vectors(struct helper *h)
{
	struct xy_handle *vector = bed_vector(h, x, ITEMS), *other = bed_vector(h, y, ITEMS);

	bed_submit(h, &bed_set, 11, vector, NULL, NULL);
	bed_submit(h, &bed_set, 5, other, NULL, NULL);
	for (unsigned round = 0; round < 3; round++)
		assert_int_equal(xy_batch_handles(h->rt, &bed_axpy,
						  &(struct xy_batch){
							  .start = FIRST,
							  .stop = ITEMS,
							  .arg = &(struct bed_arg){ 2 },
							  .handles = XY_ACCESSES({ vector, XY_R }, { other, XY_RW }) }),
				 0);
	bed_submit(h, &bed_add, 1, other, NULL, NULL);
	bed_unregister(h, &vector);
	bed_unregister(h, &other);
	for (uint32_t i = 0; i < ITEMS; i++) {
		uint32_t expected = 5 + i;

		for (unsigned round = 0; round < 3 && i >= FIRST; round++)
			expected = 3 * expected + 2 * (11 + i);
		if (y[i] != 3 * expected + 1)
			fail_msg("y[%u] is %u, not %u", i, y[i], 3 * expected + 1);
	}
}

static void vectors_come_back_whole_from_all_devices(void **state)
{
	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(trees); i++)
		for (unsigned opencl = 0; opencl <= (bed_has_opencl() ? 1u : 0u); opencl++) {
			struct helper *h = start(trees[i], opencl);

			check_vectors(h);
			if (i < 2) {
				assert_true(pieces_on(h, XY_CUDA) > 0);
				assert_true(!opencl || pieces_on(h, XY_OPENCL) > 0);
			}
			assert_int_equal(bed_stop(h, HELPER_ANY_LINES), 0);
		}
}

/* --- matrices --- */

struct rows {
	uint32_t *ptr;
	size_t nx, ny, ld;
	uint64_t first;
};

/* Row i of a matrix: m[i][k] = 10 m[i][k] + i + k. */
static void rows_change(const struct rows *r)
{
	for (size_t i = 0; i < r->ny; i++)
		for (size_t k = 0; k < r->nx; k++)
			r->ptr[i * r->ld + k] = (uint32_t)(10 * r->ptr[i * r->ld + k] + r->first + i + k);
}

static struct rows rows_of(struct xy_call *call)
{
	const struct xy_matrix *matrix = xy_matrix_at(call, 0);

	return (struct rows){ xy_pointer(call, 0), matrix->nx, matrix->ny, matrix->ld, xy_call_range(call).start };
}

static int rows_cpu(struct xy_call *call)
{
	struct rows r = rows_of(call);

	rows_change(&r);
	return 0;
}

static void rows_kernel(void *args)
{
	struct rows *r = args;

	r->ptr = cudart_double_readable(r->ptr);
	rows_change(r);
}

static int rows_cuda(struct xy_call *call)
{
	struct rows r = rows_of(call);

	return xy_cuda_check(call, cudart_double_launch(xy_cuda_stream(call), rows_kernel, &r, sizeof r));
}

static int rows_opencl(struct xy_call *call)
{
	return bed_opencl_rows(call, xy_matrix_at(call, 0), (uint32_t)xy_call_range(call).start);
}

static const struct xy_codelet rows = {
	.name = "rows", .cpu = { rows_cpu }, .cuda = { rows_cuda }, .opencl = { rows_opencl }
};

static void matrices_come_back_whole_from_all_devices(void **state)
{
	struct xy_handle *matrix;

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(trees); i++)
		for (unsigned opencl = 0; opencl <= (bed_has_opencl() ? 1u : 0u); opencl++) {
			struct helper *h = start(trees[i], opencl);
			const struct xy_matrix view = {
				.ptr = m, .nx = COLUMNS, .ny = ITEMS, .ld = LD, .elem = sizeof m[0][0]
			};

			for (unsigned k = 0; k < ITEMS * LD; k++)
				m[k / LD][k % LD] = 3;
			assert_int_equal(xy_matrix_register(h->rt, &matrix, &view), 0);
			assert_int_equal(
				xy_batch_handles(h->rt, &rows,
						 &(struct xy_batch){ .start = FIRST,
								     .stop = ITEMS - 1,
								     .handles = XY_ACCESSES({ matrix, XY_RW }) }),
				0);
			assert_int_equal(xy_unregister(&matrix), 0);
			for (unsigned k = 0; k < ITEMS; k++)
				for (unsigned j = 0; j < LD; j++) {
					bool changed = k >= FIRST && k < ITEMS - 1 && j < COLUMNS;

					if (m[k][j] != (changed ? 30 + k + j : 3))
						fail_msg("m[%u][%u] is %u", k, j, m[k][j]);
				}
			assert_true(i >= 2 || pieces_on(h, XY_CUDA) > 0);
			assert_int_equal(bed_stop(h, HELPER_ANY_LINES), 0);
		}
}

/* --- devices that are lost --- */

struct tally {
	_Atomic uint64_t sum; /* of the items that were done */
	uint64_t joined;
};

static void tally_kernel(void *args)
{
	struct {
		struct tally *tally;
		struct xy_range range;
	} *a = args;

	for (uint64_t i = a->range.start; i < a->range.stop; i++)
		atomic_fetch_add(&a->tally->sum, i);
}

static int tally_work(struct xy_batch_piece *piece, struct xy_batch_device *device)
{
	struct {
		struct tally *tally;
		struct xy_range range;
	} args = { piece->arg, piece->range };

	if (device->arch == XY_CUDA)
		return xy_cuda_check(device->call, cudart_double_launch(xy_cuda_stream(device->call), tally_kernel,
									&args, sizeof args));
	tally_kernel(&args);
	return 0;
}

static int tally_reduce(void *arg, struct xy_batch_piece *pieces, size_t n)
{
	struct tally *tally = arg;

	for (size_t i = 0; i < n; i++)
		tally->joined += pieces[i].range.stop - pieces[i].range.start;
	return 0;
}

static const struct xy_batch_ops tally_ops = {
	.name = "tally", .work = tally_work, .reduce = tally_reduce, .where = XY_ON_CPU | XY_ON_CUDA
};

/* The piece that was running there had no time to count its items. */
static void pieces_of_a_lost_device_go_to_others(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct helper *h = start(trees[i], false);
		struct tally tally = { 0 };

		assert_true(cudart_double_fail("operation", 1, 719));
		assert_int_equal(xy_batch_run(h->rt, &tally_ops, &(struct xy_batch){ .stop = ITEMS, .arg = &tally }),
				 0);
		assert_true(cudart_double_failed());
		assert_int_equal(tally.joined, ITEMS);
		assert_int_equal(tally.sum, (uint64_t)ITEMS * (ITEMS - 1) / 2);
		assert_int_equal(helper_lines_with(h, "is lost and no longer used"), 1);
		/* The runtime and the other devices stay usable. */
		tally = (struct tally){ 0 };
		assert_int_equal(xy_batch_run(h->rt, &tally_ops, &(struct xy_batch){ .stop = ITEMS, .arg = &tally }),
				 0);
		assert_int_equal(tally.joined, ITEMS);
		assert_int_equal(xy_wait(h->rt), 0);
		assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
	}
}

/* The functions run on CPUs, but this policy takes another device if there is one. */
static void says_that_no_device_can_run_it(void **state)
{
	struct helper *h = start("tree-batch-simple", false);
	struct xy_batch_ops ops = tally_ops;
	struct tally tally = { 0 };

	(void)state;
	ops.where = XY_ON_CPU;
	assert_int_equal(xy_batch_run(h->rt, &ops, &(struct xy_batch){ .stop = ITEMS, .arg = &tally }), -ENODEV);
	helper_one_line(h, "batch 'tally': items 0 to 3000 failed: no device that the policy uses can run them");
	assert_int_equal(tally.sum, 0);
	assert_int_equal(xy_wait(h->rt), -ENODEV);
	assert_int_equal(bed_stop(h, HELPER_ANY_LINES), 0);
}

/* Whatever the device was doing: copying in, computing, or copying out. */
static void results_that_are_lost_with_a_device_are_computed_again(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++)
		for (unsigned nth = 1; nth <= 6; nth++) {
			struct helper *h = start(trees[i], false);
			struct xy_handle *in, *out;
			unsigned lines;

			memset(y, 0, sizeof y);
			for (uint32_t k = 0; k < ITEMS; k++)
				x[k] = 7 * k;
			in = bed_vector(h, x, ITEMS);
			out = bed_vector(h, y, ITEMS);
			assert_true(cudart_double_fail("operation", nth, 719));
			assert_int_equal(xy_batch_handles(h->rt, &bed_copy,
							  &(struct xy_batch){ .stop = ITEMS,
									      .arg = &(struct bed_arg){ 9 },
									      .handles = XY_ACCESSES({ in, XY_R },
												     { out, XY_W }) }),
					 0);
			bed_unregister(h, &in);
			bed_unregister(h, &out);
			for (uint32_t k = 0; k < ITEMS; k++)
				if (y[k] != 7 * k + 9)
					fail_msg("y[%u] is %u after the loss in operation %u", k, y[k], nth);
			lines = helper_lines_with(h, "is lost and no longer used");
			assert_int_equal(lines, cudart_double_failed());
			assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
		}
}

/* A copy that the loss interrupts leaves half of its bytes in memory that is pinned. */
static void what_they_overwrote_is_put_back(void **state)
{
	(void)state;
	for (unsigned pinned = 0; pinned < 2; pinned++)
		for (unsigned i = 0; i < 3; i++)
			for (unsigned nth = 1; nth <= 8; nth++) {
				struct helper *h = start(trees[i], false);
				struct xy_handle *in, *out;

				for (uint32_t k = 0; k < ITEMS; k++) {
					x[k] = 7 * k;
					y[k] = 1000 + k;
				}
				if (pinned)
					assert_int_equal(xy_memory_pin(h->rt, y, sizeof y), 0);
				in = bed_vector(h, x, ITEMS);
				out = bed_vector(h, y, ITEMS);
				assert_true(cudart_double_fail("operation", nth, 719));
				assert_int_equal(
					xy_batch_handles(h->rt, &bed_axpy,
							 &(struct xy_batch){ .stop = ITEMS,
									     .arg = &(struct bed_arg){ 9 },
									     .handles = XY_ACCESSES({ in, XY_R },
												    { out, XY_RW }) }),
					0);
				bed_unregister(h, &in);
				bed_unregister(h, &out);
				for (uint32_t k = 0; k < ITEMS; k++)
					if (y[k] != 3 * (1000 + k) + 9 * 7 * k)
						fail_msg("y[%u] is %u after the loss in operation %u under %s", k, y[k],
							 nth, trees[i]);
				if (pinned)
					xy_memory_unpin(h->rt, y); /* a device that is lost reports an error */
				assert_int_equal(helper_lines_with(h, "is lost and no longer used"),
						 cudart_double_failed());
				assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
			}
}

/* The rows of a matrix have other data between them. */
static void rows_that_were_overwritten_are_put_back(void **state)
{
	const struct xy_matrix view = { .ptr = m, .nx = COLUMNS, .ny = ITEMS, .ld = LD, .elem = sizeof m[0][0] };
	struct xy_handle *matrix;

	(void)state;
	for (unsigned nth = 1; nth <= 6; nth++) {
		struct helper *h = start(hybrid, false);

		for (unsigned k = 0; k < ITEMS * LD; k++)
			m[k / LD][k % LD] = 3;
		assert_int_equal(xy_memory_pin(h->rt, m, sizeof m), 0);
		assert_int_equal(xy_matrix_register(h->rt, &matrix, &view), 0);
		assert_true(cudart_double_fail("operation", nth, 719));
		assert_int_equal(xy_batch_handles(h->rt, &rows,
						  &(struct xy_batch){ .stop = ITEMS,
								      .handles = XY_ACCESSES({ matrix, XY_RW }) }),
				 0);
		assert_int_equal(xy_unregister(&matrix), 0);
		xy_memory_unpin(h->rt, m);
		for (unsigned k = 0; k < ITEMS; k++)
			for (unsigned j = 0; j < LD; j++)
				if (m[k][j] != (j < COLUMNS ? 30 + k + j : 3))
					fail_msg("m[%u][%u] is %u after the loss in operation %u", k, j, m[k][j], nth);
		assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
	}
}

/* What no other memory has is gone: the batch fails and says so. */
static void data_that_only_the_lost_device_had_fails_the_batch(void **state)
{
	struct helper *h = start(hybrid, false);
	struct xy_handle *vector = bed_vector(h, x, ITEMS);

	(void)state;
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &bed_set, 5, vector, NULL, NULL);
	assert_int_equal(helper_wait(h), 0);
	assert_true(cudart_double_fail("operation", 1, 719));
	assert_int_equal(xy_batch_handles(h->rt, &bed_add,
					  &(struct xy_batch){ .stop = ITEMS,
							      .arg = &(struct bed_arg){ 9 },
							      .handles = XY_ACCESSES({ vector, XY_RW }) }),
			 -ENODEV);
	assert_int_equal(helper_lines_with(h, "items 0 to 3000 failed: their data can't be brought to RAM: the device "
					      "with the only copy is lost"),
			 1);
	assert_int_equal(xy_invalidate(vector), 0);
	bed_unregister(h, &vector);
	xy_wait(h->rt);
	assert_int_equal(helper_stop_lines(h, HELPER_ANY_LINES), 0);
}

/* --- pieces that a device declines --- */

static _Atomic uint64_t counted;

static int count_items(struct xy_call *call)
{
	struct xy_range range = xy_call_range(call);

	atomic_fetch_add(&counted, range.stop - range.start);
	return 0;
}

static const struct xy_codelet counter = {
	.name = "counter", .cpu = { count_items }, .cuda = { count_items }, .modes = { XY_R }
};

/* No piece fits there: the CPUs get all of them. */
static void pieces_that_a_device_has_no_room_for_go_to_others(void **state)
{
	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(trees); i++) {
		const struct xy_config config = { .sched = trees[i], .watch = &watch, .arch[XY_CUDA].limit = "2" };
		struct helper *h = bed_start(2, &config, false);
		struct xy_handle *vector = bed_vector(h, x, ITEMS);

		memset(&seen, 0, sizeof seen);
		atomic_store(&counted, 0);
		for (unsigned task = 0; task < 5; task++)
			HELPER_SUBMIT(h, .codelet = &counter, .handles = { vector }, .range = { 0, ITEMS });
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(atomic_load(&counted), 5 * ITEMS);
		bed_unregister(h, &vector);
		assert_int_equal(pieces_on(h, XY_CUDA), 0);
		assert_int_equal(bed_stop(h, HELPER_ANY_LINES), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_come_back_whole_from_all_devices),
		cmocka_unit_test(matrices_come_back_whole_from_all_devices),
		cmocka_unit_test(pieces_of_a_lost_device_go_to_others),
		cmocka_unit_test(says_that_no_device_can_run_it),
		cmocka_unit_test(results_that_are_lost_with_a_device_are_computed_again),
		cmocka_unit_test(what_they_overwrote_is_put_back),
		cmocka_unit_test(rows_that_were_overwritten_are_put_back),
		cmocka_unit_test(data_that_only_the_lost_device_had_fails_the_batch),
		cmocka_unit_test(pieces_that_a_device_has_no_room_for_go_to_others),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
