/* SPDX-License-Identifier: MIT */
/* Filters: where the children of each are, and what is wrong with those that make no sense. */
#include "../../helper.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xylem/interface.h>

#define FILTER(...) (&(struct xy_filter){ .ops = __VA_ARGS__ })

static int set_body(struct xy_call *call)
{
	const struct xy_vector *v = xy_vector_at(call, 0);

	for (size_t i = 0; i < v->n; i++)
		((int *)v->ptr)[i] = *(int *)call->arg;
	return 0;
}

static const struct xy_codelet set = { .name = "set", .cpu = { set_body }, .modes = { XY_W } };

static struct xy_handle *vector(struct helper *h, int *v, size_t n)
{
	struct xy_handle *x;

	assert_int_equal(xy_vector_register(h->rt, &x, v, n, sizeof *v), 0);
	assert_int_equal(xy_handle_set_name(x, "v"), 0);
	return x;
}

/* --- dense filters --- */

/* The first element and the length of each child of a vector, as text. */
static void expect_vector(struct helper *h, const struct xy_filter *filter, size_t n, const char *expected)
{
	int v[64];
	struct xy_handle *x = vector(h, v, n);
	char text[256] = "", *at = text;
	struct xy_plan *plan = NULL;

	assert_int_equal(xy_plan_create(x, filter, &plan), 0);
	for (unsigned i = 0; i < xy_plan_nchildren(plan); i++) {
		const struct xy_vector *child = xy_handle_view(xy_plan_child(plan, i));

		assert_ptr_equal(xy_handle_interface(xy_plan_child(plan, i)), &xy_vector_interface);
		assert_int_equal(child->elem, sizeof *v);
		at += sprintf(at, "%td+%zu ", (int *)child->ptr - v, child->n);
	}
	assert_string_equal(text, expected);
	assert_null(xy_plan_child(plan, xy_plan_nchildren(plan)));
	assert_int_equal(xy_plan_destroy(&plan), 0);
	assert_null(plan);
	assert_int_equal(xy_unregister(&x), 0);
}

static void cuts_vectors(void **state)
{
	static const size_t lengths[] = { 5, 1, 4 };
	struct helper *h = helper_start(NULL, 1);

	(void)state;
	expect_vector(h, FILTER(&xy_filter_blocks, .n = 2), 10, "0+5 5+5 ");
	expect_vector(h, FILTER(&xy_filter_blocks, .n = 3), 10, "0+4 4+3 7+3 ");
	expect_vector(h, FILTER(&xy_filter_blocks, .n = 4), 7, "0+2 2+2 4+2 6+1 ");
	expect_vector(h, FILTER(&xy_filter_blocks, .n = 3), 3, "0+1 1+1 2+1 ");
	expect_vector(h, FILTER(&xy_filter_blocks, .n = 1), 3, "0+3 ");
	expect_vector(h, FILTER(&xy_filter_list, .n = 3, .lengths = lengths), 10, "0+5 5+1 6+4 ");
	expect_vector(h, FILTER(&xy_filter_halves), 10, "0+5 5+5 ");
	expect_vector(h, FILTER(&xy_filter_halves, .n = 2), 7, "0+4 4+3 ");
	expect_vector(h, FILTER(&xy_filter_halves, .length = 1), 7, "0+1 1+6 ");
	expect_vector(h, FILTER(&xy_filter_shadow, .n = 2, .length = 1), 10, "0+6 4+6 ");
	expect_vector(h, FILTER(&xy_filter_shadow, .n = 3, .length = 2), 11, "0+7 3+6 5+6 ");
	expect_vector(h, FILTER(&xy_filter_shadow, .n = 2), 4, "0+2 2+2 ");
	expect_vector(h, FILTER(&xy_filter_grid, .grid = { 3 }), 4, "0+2 2+1 3+1 ");
	assert_int_equal(helper_stop(h), 0);
}

static void refuses_filters_that_make_no_sense(void **state)
{
	static const size_t few[] = { 5, 1 }, many[] = { 5, 6 }, zero[] = { 10, 0 }, huge[] = { 5, SIZE_MAX };
	static const struct xy_filter_ops nothing = { .name = "nothing" };
	const struct {
		struct xy_filter filter;
		const char *text;
	} wrong[] = {
		{ { .ops = NULL, .n = 2 }, "no ops" },
		{ { .ops = &nothing, .n = 2 }, "no ops" },
		{ { .ops = &xy_filter_blocks }, "zero children" },
		{ { .ops = &xy_filter_blocks, .n = 11 }, "some would be empty" },
		{ { .ops = &xy_filter_blocks, .n = UINT32_MAX }, "some would be empty" },
		{ { .ops = &xy_filter_blocks, .n = 2, .dimension = 1 }, "no dimension 1" },
		{ { .ops = &xy_filter_list, .n = 2 }, "list of lengths is missing" },
		{ { .ops = &xy_filter_list, .lengths = few }, "zero children" },
		{ { .ops = &xy_filter_list, .n = 2, .lengths = few }, "add up to 6, not to 10" },
		{ { .ops = &xy_filter_list, .n = 2, .lengths = many }, "length 1 is 6" },
		{ { .ops = &xy_filter_list, .n = 2, .lengths = zero }, "length 1 is 0" },
		{ { .ops = &xy_filter_list, .n = 2, .lengths = huge }, "length 1 is" },
		{ { .ops = &xy_filter_halves, .n = 3 }, "there are two halves" },
		{ { .ops = &xy_filter_halves, .length = 10 }, "leaves nothing" },
		{ { .ops = &xy_filter_shadow, .n = 2, .length = 5 }, "leave nothing" },
		{ { .ops = &xy_filter_shadow, .n = 2, .length = SIZE_MAX }, "leave nothing" },
		{ { .ops = &xy_filter_shadow, .n = 3, .length = 4 }, "some would be empty" },
		{ { .ops = &xy_filter_shadow, .length = 1 }, "zero children" },
		{ { .ops = &xy_filter_grid }, "zero children" },
		{ { .ops = &xy_filter_grid, .grid = { 2, 2 } }, "no dimension 1" },
		{ { .ops = &xy_filter_grid, .grid = { 11 } }, "some would be empty" },
		{ { .ops = &xy_filter_grid, .grid = { 2 }, .n = 3 }, "3 are requested" },
		{ { .ops = &xy_filter_rows, .n = 2 }, "for csr and bcsr" },
	};
	struct helper *h = helper_start(NULL, 1);
	struct xy_plan *plan = (struct xy_plan *)&h;
	int v[10] = { 0 };
	struct xy_handle *x = vector(h, v, 10), *y, *children[2];

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(wrong); i++) {
		assert_int_equal(xy_plan_create(x, &wrong[i].filter, &plan), -EINVAL);
		assert_null(plan);
		helper_one_line(h, wrong[i].text);
		assert_int_equal(xy_partition(x, &wrong[i].filter, children, 2), -EINVAL);
		helper_one_line(h, wrong[i].text);
	}
	assert_int_equal(xy_variable_register(h->rt, &y, v, sizeof v), 0);
	assert_int_equal(xy_partition(y, FILTER(&xy_filter_blocks, .n = 2), NULL, 0), -EINVAL);
	helper_one_line(h, "not for variable");
	assert_int_equal(xy_unregister(&y), 0);
	assert_int_equal(xy_vector_register(h->rt, &y, NULL, 1 << 20, 1), 0);
	assert_int_equal(xy_partition(y, FILTER(&xy_filter_blocks, .n = 1 << 17), NULL, 0), -EINVAL);
	helper_one_line(h, "too many children");
	assert_int_equal(xy_unregister(&y), 0);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* Each element of an array of four dimensions belongs to one child, at the right place. */
static void cuts_in_any_dimension(void **state)
{
	enum { X = 5, Y = 4, Z = 3, T = 2, LDY = 6, LDZ = 30, LDT = 95 };
	static int a[T * LDT];
	static const struct xy_block block = { a, X, Y, Z, LDY, LDZ, sizeof *a };
	static const struct xy_tensor tensor = { a, X, Y, Z, T, LDY, LDZ, LDT, sizeof *a };
	static const struct xy_ndim ndim = { a, 4, { X, Y, Z, T }, { 1, LDY, LDZ, LDT }, sizeof *a };
	static const unsigned sizes[] = { X, Y, Z, T }, lds[] = { 1, LDY, LDZ, LDT };
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *x;
	struct xy_plan *plan;

	(void)state;
	for (unsigned d = 0; d < 4; d++) {
		const struct xy_filter blocks = { .ops = &xy_filter_blocks, .n = 2, .dimension = d };
		size_t first = (sizes[d] + 1) / 2;

		if (d < 3) {
			const struct xy_block *child;

			assert_int_equal(xy_register(h->rt, &x, &xy_block_interface, &block), 0);
			assert_int_equal(xy_plan_create(x, &blocks, &plan), 0);
			child = xy_handle_view(xy_plan_child(plan, 1));
			assert_ptr_equal(child->ptr, a + first * lds[d]);
			assert_int_equal(child->nx, d == 0 ? X - first : X);
			assert_int_equal(child->ny, d == 1 ? Y - first : Y);
			assert_int_equal(child->nz, d == 2 ? Z - first : Z);
			assert_int_equal(child->ldy, LDY);
			assert_int_equal(child->ldz, LDZ);
			assert_int_equal(xy_plan_destroy(&plan), 0);
			assert_int_equal(xy_unregister(&x), 0);
		}
		{
			const struct xy_tensor *child;

			assert_int_equal(xy_register(h->rt, &x, &xy_tensor_interface, &tensor), 0);
			assert_int_equal(xy_plan_create(x, FILTER(&xy_filter_halves, .dimension = d), &plan), 0);
			child = xy_handle_view(xy_plan_child(plan, 1));
			assert_ptr_equal(child->ptr, a + first * lds[d]);
			assert_int_equal(child->nx, d == 0 ? X - first : X);
			assert_int_equal(child->ny, d == 1 ? Y - first : Y);
			assert_int_equal(child->nz, d == 2 ? Z - first : Z);
			assert_int_equal(child->nt, d == 3 ? T - first : T);
			assert_int_equal(child->ldt, LDT);
			assert_int_equal(xy_plan_destroy(&plan), 0);
			assert_int_equal(xy_unregister(&x), 0);
		}
		{
			const struct xy_ndim *child;

			assert_int_equal(xy_register(h->rt, &x, &xy_ndim_interface, &ndim), 0);
			assert_int_equal(xy_plan_create(x, &blocks, &plan), 0);
			child = xy_handle_view(xy_plan_child(plan, 1));
			assert_ptr_equal(child->ptr, a + first * lds[d]);
			for (unsigned e = 0; e < 4; e++) {
				assert_int_equal(child->n[e], d == e ? sizes[e] - first : sizes[e]);
				assert_int_equal(child->ld[e], lds[e]);
			}
			assert_int_equal(xy_plan_destroy(&plan), 0);
			assert_int_equal(xy_unregister(&x), 0);
		}
	}
	assert_int_equal(helper_stop(h), 0);
}

/* Numbers each element with 100 times the child and its place in it. */
static int number_body(struct xy_call *call)
{
	const struct xy_matrix *m = xy_matrix_at(call, 0);

	for (size_t y = 0; y < m->ny; y++)
		for (size_t x = 0; x < m->nx; x++)
			((int *)m->ptr)[x + y * m->ld] = 100 * *(int *)call->arg + (int)(x + 10 * y);
	return 0;
}

static const struct xy_codelet number = { .name = "number", .cpu = { number_body }, .modes = { XY_W } };

static void cuts_matrices_in_grids(void **state)
{
	enum { X = 5, Y = 3, LD = 7 };
	static const int expected[Y][X] = {
		{ 0, 1, 2, 100, 101 },
		{ 10, 11, 12, 110, 111 },
		{ 200, 201, 202, 300, 301 },
	};
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *m, *children[4];
	int a[Y * LD];

	(void)state;
	memset(a, -1, sizeof a);
	assert_int_equal(
		xy_matrix_register(h->rt, &m,
				   &(struct xy_matrix){ .ptr = a, .nx = X, .ny = Y, .ld = LD, .elem = sizeof *a }),
		0);
	assert_int_equal(xy_partition(m, FILTER(&xy_filter_grid, .grid = { 2, 2 }), children, 4), 0);
	for (int i = 0; i < 4; i++)
		HELPER_SUBMIT(h, .codelet = &number, .handles = { children[i] }, .arg = &i, .arg_size = sizeof i);
	assert_int_equal(xy_unpartition(m), 0);
	for (unsigned y = 0; y < Y; y++)
		for (unsigned x = 0; x < LD; x++)
			assert_int_equal(a[x + y * LD], x < X ? expected[y][x] : -1);
	assert_int_equal(xy_unregister(&m), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* --- sparse filters --- */

static void cuts_sparse_matrices_by_rows(void **state)
{
	static const size_t lengths[] = { 1, 4 };
	/* The entries are numbered from 3 on; row 1 is empty, and so are the last two. */
	uint32_t colind[6] = { 0, 2, 1, 0, 1, 2 }, rowptr[6] = { 3, 5, 5, 9, 9, 9 };
	double values[6];
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *m, *children[5];
	const struct xy_csr *child;

	(void)state;
	assert_int_equal(xy_csr_register(h->rt, &m,
					 &(struct xy_csr){ .nzval = values,
							   .colind = colind,
							   .rowptr = rowptr,
							   .nnz = 6,
							   .nrow = 5,
							   .firstentry = 3,
							   .elem = sizeof *values }),
			 0);
	assert_int_equal(xy_partition(m, FILTER(&xy_filter_rows, .n = 2), children, 2), 0);
	child = xy_handle_view(children[0]);
	assert_int_equal(child->nrow, 3);
	assert_int_equal(child->nnz, 6);
	assert_int_equal(child->firstentry, 3);
	child = xy_handle_view(children[1]);
	assert_int_equal(child->nrow, 2);
	assert_int_equal(child->nnz, 0);
	assert_int_equal(child->firstentry, 9);
	assert_int_equal(xy_unpartition(m), 0);
	assert_int_equal(xy_partition(m, FILTER(&xy_filter_rows, .n = 2, .lengths = lengths), children, 2), 0);
	child = xy_handle_view(children[1]);
	assert_ptr_equal(child->nzval, values + 2);
	assert_ptr_equal(child->colind, colind + 2);
	assert_ptr_equal(child->rowptr, rowptr + 1);
	assert_int_equal(child->nnz, 4);
	assert_int_equal(child->firstentry, 5);
	assert_int_equal(xy_unpartition(m), 0);
	assert_int_equal(xy_partition(m, FILTER(&xy_filter_rows, .n = 5), children, 5), 0);
	assert_int_equal(xy_unpartition(m), 0);
	assert_int_equal(xy_partition(m, FILTER(&xy_filter_rows, .n = 6), NULL, 0), -EINVAL);
	helper_one_line(h, "some would be empty");
	assert_int_equal(xy_partition(m, FILTER(&xy_filter_rows), NULL, 0), -EINVAL);
	helper_one_line(h, "zero children");
	assert_int_equal(xy_partition(m, FILTER(&xy_filter_blocks, .n = 2), NULL, 0), -EINVAL);
	helper_one_line(h, "not for csr");
	rowptr[2] = 20;
	assert_int_equal(xy_partition(m, FILTER(&xy_filter_rows, .n = 5), NULL, 0), -EINVAL);
	helper_one_line(h, "child 1 of 5: rowptr says");
	assert_int_equal(xy_unregister(&m), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void cuts_sparse_matrices_of_blocks(void **state)
{
	enum { R = 2, C = 3 };
	uint32_t colind[4] = { 0, 1, 1, 0 }, rowptr[4] = { 0, 1, 3, 4 };
	float values[4 * R * C];
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *m, *children[3];
	const struct xy_bcsr *child;

	(void)state;
	assert_int_equal(xy_bcsr_register(h->rt, &m,
					  &(struct xy_bcsr){ .nzval = values,
							     .colind = colind,
							     .rowptr = rowptr,
							     .nnz = 4,
							     .nrow = 3,
							     .r = R,
							     .c = C,
							     .elem = sizeof *values }),
			 0);
	assert_int_equal(xy_partition(m, FILTER(&xy_filter_rows, .n = 3), children, 3), 0);
	child = xy_handle_view(children[1]);
	assert_ptr_equal(child->nzval, values + R * C);
	assert_ptr_equal(child->colind, colind + 1);
	assert_ptr_equal(child->rowptr, rowptr + 1);
	assert_int_equal(child->nnz, 2);
	assert_int_equal(child->nrow, 1);
	assert_int_equal(child->firstentry, 1);
	assert_int_equal(child->r, R);
	assert_int_equal(child->c, C);
	assert_int_equal(xy_unpartition(m), 0);
	assert_int_equal(xy_unregister(&m), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* Writes the row pointers of a matrix without entries. */
static int rowptr_body(struct xy_call *call)
{
	const struct xy_csr *csr = xy_csr_at(call, 0);

	for (size_t i = 0; i <= csr->nrow; i++)
		csr->rowptr[i] = (uint32_t)(i < 2 ? i : 2);
	return 0;
}

static void waits_for_what_a_filter_reads(void **state)
{
	static const struct xy_codelet write = { .name = "write", .cpu = { rowptr_body }, .modes = { XY_W } };
	struct helper *h = helper_start(NULL, 1);
	struct gate gate = { 0 };
	struct xy_plan *plan;
	struct xy_handle *m;

	(void)state;
	assert_int_equal(xy_csr_register(h->rt, &m, &(struct xy_csr){ .nnz = 2, .nrow = 4, .elem = sizeof(int) }), 0);
	helper_block(h, &gate);
	HELPER_SUBMIT(h, .codelet = &write, .handles = { m });
	helper_open(&gate);
	assert_int_equal(xy_plan_create(m, FILTER(&xy_filter_rows, .n = 4), &plan), 0);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(((const struct xy_csr *)xy_handle_view(xy_plan_child(plan, i)))->nnz, i < 2);
	assert_int_equal(xy_plan_destroy(&plan), 0);
	assert_int_equal(xy_unregister(&m), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* --- filters of one's own --- */

/* Column i of a matrix whose columns are contiguous, as a vector. */
static int column_count(const struct xy_cut *cut, unsigned *n)
{
	*n = (unsigned)((const struct xy_matrix *)cut->parent)->ny;
	return 0;
}

static int column_child(const struct xy_cut *cut)
{
	const struct xy_matrix *m = cut->parent;
	struct xy_vector *v = cut->child;

	*v = (struct xy_vector){ (char *)m->ptr + cut->i * m->ld * m->elem, m->nx, m->elem };
	return 0;
}

static const struct xy_filter_ops columns = {
	.name = "columns",
	.interface = &xy_matrix_interface,
	.child_interface = &xy_vector_interface,
	.count = column_count,
	.child = column_child,
};

static void cuts_with_filters_of_ones_own(void **state)
{
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *m, *x, *children[3];
	int a[3 * 4] = { 0 }, seven = 7;

	(void)state;
	assert_int_equal(
		xy_matrix_register(h->rt, &m,
				   &(struct xy_matrix){ .ptr = a, .nx = 3, .ny = 3, .ld = 4, .elem = sizeof *a }),
		0);
	assert_int_equal(xy_partition(m, FILTER(&columns), children, 3), 0);
	HELPER_SUBMIT(h, .codelet = &set, .handles = { children[1] }, .arg = &seven);
	assert_int_equal(xy_unpartition(m), 0);
	for (unsigned i = 0; i < 12; i++)
		assert_int_equal(a[i], i >= 4 && i < 7 ? 7 : 0);
	assert_int_equal(xy_unregister(&m), 0);
	x = vector(h, a, 12);
	assert_int_equal(xy_partition(x, FILTER(&columns), NULL, 0), -EINVAL);
	helper_one_line(h, "another interface");
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

enum wrong { OUTSIDE = 1, NOWHERE, EMPTY, TALKS, SILENT };

/* Goes wrong at the second child. */
static int wrong_child(const struct xy_cut *cut)
{
	const struct xy_vector *parent = cut->parent;
	struct xy_vector *v = cut->child;
	enum wrong wrong = cut->i ? *(const enum wrong *)cut->filter->arg : 0;

	*v = (struct xy_vector){ parent->ptr, 1, parent->elem };
	if (wrong == OUTSIDE)
		v->n = parent->n + 1;
	else if (wrong == NOWHERE)
		v->ptr = NULL;
	else if (wrong == EMPTY)
		v->n = 0;
	else if (wrong == TALKS)
		snprintf(cut->error, cut->error_size, "the moon is full");
	return wrong == TALKS || wrong == SILENT ? -EDOM : 0;
}

static void checks_what_filters_say(void **state)
{
	static const struct xy_filter_ops ops = { .name = "wrong", .child = wrong_child };
	static const char *const texts[] = {
		[OUTSIDE] = "child 1 of 2: it is not in the memory",
		[NOWHERE] = "not in the memory",
		[EMPTY] = "a size is 0",
		[TALKS] = "the moon is full",
		[SILENT] = "Numerical argument",
	};
	struct helper *h = helper_start(NULL, 1);
	int v[4];
	struct xy_handle *x = vector(h, v, 4);

	(void)state;
	for (enum wrong wrong = OUTSIDE; wrong <= SILENT; wrong++) {
		int error = xy_partition(x, FILTER(&ops, .n = 2, .arg = &wrong), NULL, 0);

		assert_int_equal(error, wrong >= TALKS ? -EDOM : -EINVAL);
		helper_one_line(h, texts[wrong]);
	}
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_vectors),
		cmocka_unit_test(refuses_filters_that_make_no_sense),
		cmocka_unit_test(cuts_in_any_dimension),
		cmocka_unit_test(cuts_matrices_in_grids),
		cmocka_unit_test(cuts_sparse_matrices_by_rows),
		cmocka_unit_test(cuts_sparse_matrices_of_blocks),
		cmocka_unit_test(waits_for_what_a_filter_reads),
		cmocka_unit_test(cuts_with_filters_of_ones_own),
		cmocka_unit_test(checks_what_filters_say),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
