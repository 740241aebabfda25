/* SPDX-License-Identifier: MIT */
/* Arrays that tasks only read: they go to a device once, and don't come back. */
#include "bed.h"

#include <errno.h>
#include <string.h>
#include <xylem/cuda.h>
#include <xylem/interface.h>
#include <xylem/partition.h>

#include "../../double/cudart_double.h"

enum {
	ROWS = 32,
	EACH = 3,
	ENTRIES = ROWS * EACH,
	VALUES = ENTRIES * 4,
	COLUMNS = ENTRIES * 4,
	POINTERS = (ROWS + 1) * 4
};

static uint32_t values[ENTRIES], columns[ENTRIES], rowptr[ROWS + 1];

/* --- a codelet that needs all arrays: each value becomes 3 times itself, plus its column, plus its row's length --- */

struct rows {
	uint32_t *values, *columns, *rowptr;
	size_t nrow, first;
	uint32_t factor;
};

static void rows_work(const struct rows *r)
{
	for (size_t i = 0; i < r->nrow; i++)
		for (size_t k = r->rowptr[i] - r->first; k < r->rowptr[i + 1] - r->first; k++)
			r->values[k] = r->factor * r->values[k] + r->columns[k] + r->rowptr[i + 1] - r->rowptr[i];
}

static void rows_kernel(void *args)
{
	struct rows *r = args;

	r->values = cudart_double_readable(r->values);
	r->columns = cudart_double_readable(r->columns);
	r->rowptr = cudart_double_readable(r->rowptr);
	rows_work(r);
}

static int rows_launch(struct xy_call *call, uint32_t factor)
{
	const struct xy_csr *m = xy_csr_at(call, 0);
	struct rows r = { m->nzval, m->colind, m->rowptr, m->nrow, m->firstentry, factor };

	return xy_cuda_check(call, cudart_double_launch(xy_cuda_stream(call), rows_kernel, &r, sizeof r));
}

static int change_cuda(struct xy_call *call)
{
	return rows_launch(call, 3);
}

static int write_cuda(struct xy_call *call)
{
	return rows_launch(call, 0);
}

static const struct xy_codelet change = { "change", .cuda = { change_cuda }, .modes = { XY_RW } };
static const struct xy_codelet overwrite = { "overwrite", .cuda = { write_cuda }, .modes = { XY_W } };

static struct xy_handle *matrix(struct helper *h)
{
	struct xy_handle *m;

	for (unsigned i = 0; i < ENTRIES; i++) {
		values[i] = i;
		columns[i] = 7 * i;
	}
	for (unsigned i = 0; i <= ROWS; i++)
		rowptr[i] = i * EACH;
	assert_int_equal(xy_csr_register(h->rt, &m,
					 &(struct xy_csr){ .nzval = values,
							   .colind = columns,
							   .rowptr = rowptr,
							   .nnz = ENTRIES,
							   .nrow = ROWS,
							   .elem = sizeof *values }),
			 0);
	return m;
}

static uint64_t moved(enum cudart_double_direction direction)
{
	struct cudart_double_traffic traffic;

	cudart_double_traffic(direction, &traffic);
	return traffic.bytes;
}

static void check_values(unsigned times, bool overwritten)
{
	for (uint32_t i = 0; i < ENTRIES; i++) {
		uint32_t value = overwritten ? 7 * i + EACH : i;

		for (unsigned k = 0; k < times; k++)
			value = 3 * value + 7 * i + EACH;
		assert_int_equal(values[i], value);
		assert_int_equal(columns[i], 7 * i);
	}
}

static void what_is_constant_moves_once(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	unsigned device = bed_worker(h, XY_CUDA, 0), node = bed_node(h, XY_CUDA, 0);
	struct xy_handle *m = matrix(h);

	(void)state;
	assert_int_equal(xy_handle_set_constant(m, 1 << 1 | 1 << 2), 0);
	for (unsigned round = 0; round < 4; round++) {
		bed_submit_on(h, device, &change, 0, m, NULL, NULL);
		assert_int_equal(xy_acquire(m, XY_RW), 0); /* so that it has to come and go each time */
		check_values(round + 1, false);
		assert_int_equal(xy_release(m), 0);
	}
	assert_int_equal(moved(CUDART_DOUBLE_IN), 4 * VALUES + COLUMNS + POINTERS);
	assert_int_equal(moved(CUDART_DOUBLE_OUT), 4 * VALUES);
	assert_int_equal(bed_stats(h, node).bytes_in, 4 * VALUES + COLUMNS + POINTERS);
	assert_int_equal(bed_stats(h, 0).bytes_in, 4 * VALUES);
	bed_unregister(h, &m);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* The task overwrites the values, but reads the other arrays; also on a device that gets them from another. */
static void a_task_that_overwrites_finds_what_is_constant(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *m = matrix(h);

	(void)state;
	assert_int_equal(xy_handle_set_constant(m, 1 << 1 | 1 << 2), 0);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 0), &overwrite, 0, m, NULL, NULL);
	bed_submit_on(h, bed_worker(h, XY_CUDA, 1), &change, 0, m, NULL, NULL);
	bed_unregister(h, &m);
	check_values(1, true);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* Neighbours have an entry of rowptr in common: it is not written, so they do not race. */
static void rows_on_two_devices_bring_no_rowptr_back(void **state)
{
	enum { PIECES = 8, ROUNDS = 10 };
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *m = matrix(h), *pieces[PIECES];
	const struct xy_filter filter = { .ops = &xy_filter_rows, .n = PIECES };

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		assert_int_equal(xy_partition(m, &filter, pieces, PIECES), 0);
		for (unsigned i = 0; i < PIECES; i++)
			bed_submit_on(h, bed_worker(h, XY_CUDA, i % 2), &change, 0, pieces[i], NULL, NULL);
		assert_int_equal(xy_unpartition(m), 0);
	}
	assert_int_equal(moved(CUDART_DOUBLE_OUT), ROUNDS * (VALUES + COLUMNS));
	bed_unregister(h, &m);
	check_values(ROUNDS, false);
	assert_int_equal(bed_stop(h, 0), 0);
}

/* Between two rounds of a plan, a task on the parent may write the arrays that are constant in the children. */
static void children_see_what_their_parent_wrote(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *m = matrix(h);
	struct xy_plan *plan;

	(void)state;
	assert_int_equal(xy_plan_create(m, &(struct xy_filter){ .ops = &xy_filter_rows, .n = 2 }, &plan), 0);
	for (unsigned round = 0; round < 2; round++) {
		assert_int_equal(xy_plan_begin(plan, XY_RW), 0);
		for (unsigned i = 0; i < 2; i++)
			bed_submit_on(h, bed_worker(h, XY_CUDA, i), &change, 0, xy_plan_child(plan, i), NULL, NULL);
		assert_int_equal(xy_plan_end(plan), 0);
		assert_int_equal(xy_acquire(m, XY_RW), 0);
		if (round)
			assert_int_equal(values[0], 3 * (7 * 0 + EACH) + EACH - 1); /* the first row is shorter now */
		rowptr[1] = EACH - 1;
		assert_int_equal(xy_release(m), 0);
	}
	assert_int_equal(xy_plan_destroy(&plan), 0);
	bed_unregister(h, &m);
	assert_int_equal(bed_stop(h, 0), 0);
}

static void refuses_arrays_that_are_not_there(void **state)
{
	struct helper *h = bed_start(1, NULL, false);
	struct xy_handle *m = matrix(h), *own = bed_vector(h, NULL, 10);

	(void)state;
	assert_int_equal(xy_handle_set_constant(NULL, 1), -EINVAL);
	helper_forget(h);
	assert_int_equal(xy_handle_set_constant(m, 1 << 3), -EINVAL);
	helper_one_line(h, "fewer arrays");
	assert_int_equal(xy_handle_set_constant(own, 1), -EINVAL);
	helper_one_line(h, "memory of the application");
	bed_unregister(h, &m);
	bed_unregister(h, &own);
	assert_int_equal(bed_stop(h, HELPER_ANY_LINES), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_constant_moves_once),
		cmocka_unit_test(a_task_that_overwrites_finds_what_is_constant),
		cmocka_unit_test(rows_on_two_devices_bring_no_rowptr_back),
		cmocka_unit_test(children_see_what_their_parent_wrote),
		cmocka_unit_test(refuses_arrays_that_are_not_there),
	};

	bed_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
