/* SPDX-License-Identifier: MIT */
/* Interfaces without a runtime: sizes, memory, and copies compared with those of one element after the other. */
#include "../../helper.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/interface.h"

/* --- random arrays --- */

/* A dense array as the formulas of <xylem/shapes.h> have it. */
struct dense {
	unsigned ndims;
	size_t n[XY_NDIMS], ld[XY_NDIMS], elem;
	unsigned char *memory;
	size_t room; /* of memory: up to the end of the last gap */
};

union any_view {
	struct xy_variable variable;
	struct xy_vector vector;
	struct xy_matrix matrix;
	struct xy_block block;
	struct xy_tensor tensor;
	struct xy_ndim ndim;
	struct xy_csr csr;
	struct xy_bcsr bcsr;
	struct xy_coo coo;
};

static void view_of_dense(const struct xy_interface *interface, const struct dense *a, union any_view *view)
{
	const size_t *n = a->n, *ld = a->ld;

	memset(view, 0, sizeof *view);
	if (interface == &xy_variable_interface)
		view->variable = (struct xy_variable){ a->memory, a->elem };
	if (interface == &xy_vector_interface)
		view->vector = (struct xy_vector){ a->memory, n[0], a->elem };
	if (interface == &xy_matrix_interface)
		view->matrix = (struct xy_matrix){ a->memory, n[0], n[1], ld[1], a->elem };
	if (interface == &xy_block_interface)
		view->block = (struct xy_block){ a->memory, n[0], n[1], n[2], ld[1], ld[2], a->elem };
	if (interface == &xy_tensor_interface)
		view->tensor = (struct xy_tensor){ a->memory, n[0], n[1], n[2], n[3], ld[1], ld[2], ld[3], a->elem };
	if (interface == &xy_ndim_interface) {
		view->ndim = (struct xy_ndim){ .ptr = a->memory, .ndims = a->ndims, .elem = a->elem };
		memcpy(view->ndim.n, n, sizeof a->n);
		memcpy(view->ndim.ld, ld, sizeof a->ld);
	}
}

/* Dimensions between which there are gaps, sometimes. */
static void dense_gaps(struct dense *a, uint64_t *seed)
{
	a->ld[0] = 1;
	for (unsigned d = 1; d < a->ndims; d++)
		a->ld[d] = a->ld[d - 1] * a->n[d - 1] + (helper_below(seed, 2) ? helper_below(seed, 4) : 0);
	a->room = a->ld[a->ndims - 1] * a->n[a->ndims - 1] * a->elem;
	a->memory = malloc(a->room);
	assert_non_null(a->memory);
	for (size_t i = 0; i < a->room; i++)
		a->memory[i] = (unsigned char)helper_below(seed, 256);
}

static struct dense dense_random(unsigned ndims, uint64_t *seed)
{
	struct dense a = { .ndims = ndims, .elem = 1 + helper_below(seed, 9) };

	for (unsigned d = 0; d < ndims; d++)
		a.n[d] = 1 + helper_below(seed, ndims > 4 ? 3 : 6);
	dense_gaps(&a, seed);
	return a;
}

/* An array with the other's extents and element size, but different gaps. */
static struct dense dense_like(const struct dense *other, uint64_t *seed)
{
	struct dense a = *other;

	dense_gaps(&a, seed);
	return a;
}

static size_t dense_offset(const struct dense *a, const size_t *index)
{
	size_t offset = 0;

	for (unsigned d = 0; d < a->ndims; d++)
		offset += index[d] * a->ld[d];
	return offset * a->elem;
}

/* Element by element, into memory laid out as `to`. */
static void dense_copy(unsigned char *memory, const struct dense *to, const struct dense *from)
{
	size_t index[XY_NDIMS] = { 0 }, total = 1;

	for (unsigned d = 0; d < to->ndims; d++)
		total *= to->n[d];
	for (size_t i = 0; i < total; i++) {
		memcpy(memory + dense_offset(to, index), from->memory + dense_offset(from, index), to->elem);
		for (unsigned d = 0; d < to->ndims && ++index[d] == to->n[d]; d++)
			index[d] = 0;
	}
}

static void copy(const struct xy_interface *interface, const void *to, const void *from)
{
	struct xy__copy_list list;

	assert_int_equal(xy__interface_copies(interface, 0, to, from, &list), 0);
	for (unsigned i = 0; i < list.count; i++)
		xy__copy_in_ram(&list.items[i]);
	xy__copy_list_fini(&list);
}

static void copies_what_single_elements_would_copy(void **state)
{
	static const struct {
		const struct xy_interface *interface;
		unsigned ndims;
	} kinds[] = {
		{ &xy_variable_interface, 1 }, { &xy_vector_interface, 1 }, { &xy_matrix_interface, 2 },
		{ &xy_block_interface, 3 },    { &xy_tensor_interface, 4 }, { &xy_ndim_interface, 1 },
		{ &xy_ndim_interface, 2 },     { &xy_ndim_interface, 3 },   { &xy_ndim_interface, 4 },
		{ &xy_ndim_interface, 5 },     { &xy_ndim_interface, 6 },   { &xy_ndim_interface, 7 },
		{ &xy_ndim_interface, 8 },
	};
	uint64_t seed = 3;

	(void)state;
	for (unsigned round = 0; round < helper_scale(4000); round++) {
		unsigned kind = round % HELPER_COUNT(kinds);
		uint64_t here = seed;
		struct dense from = dense_random(kinds[kind].ndims, &seed);
		struct dense to;
		union any_view to_view, from_view;
		unsigned char *expected;

		if (kinds[kind].interface == &xy_variable_interface)
			from.n[0] = 1;
		to = dense_like(&from, &seed);
		expected = malloc(to.room);
		assert_non_null(expected);
		memcpy(expected, to.memory, to.room);
		dense_copy(expected, &to, &from);
		view_of_dense(kinds[kind].interface, &to, &to_view);
		view_of_dense(kinds[kind].interface, &from, &from_view);
		copy(kinds[kind].interface, &to_view, &from_view);
		if (memcmp(expected, to.memory, to.room))
			fail_msg("%s, %u dimensions: not the same with seed %llu", kinds[kind].interface->name,
				 kinds[kind].ndims, (unsigned long long)here);
		free(expected);
		free(to.memory);
		free(from.memory);
	}
}

/* --- sparse matrices: three plain arrays --- */

static void sparse_view(const struct xy_interface *interface, union any_view *view, size_t nnz)
{
	memset(view, 0, sizeof *view);
	if (interface == &xy_csr_interface)
		view->csr = (struct xy_csr){ .nnz = nnz, .nrow = 7, .firstentry = 1, .elem = 8 };
	if (interface == &xy_bcsr_interface)
		view->bcsr = (struct xy_bcsr){ .nnz = nnz, .nrow = 7, .r = 2, .c = 3, .elem = 4 };
	if (interface == &xy_coo_interface)
		view->coo = (struct xy_coo){ .nx = 9, .ny = 8, .n_values = nnz, .elem = 2 };
}

static void copies_each_array_of_a_sparse_matrix(void **state)
{
	static const struct {
		const struct xy_interface *interface;
		size_t bytes[3]; /* of five entries */
	} kinds[] = {
		{ &xy_csr_interface, { 40, 20, 32 } },
		{ &xy_bcsr_interface, { 120, 20, 32 } },
		{ &xy_coo_interface, { 10, 20, 20 } },
	};
	uint64_t seed = 4;

	(void)state;
	for (unsigned k = 0; k < HELPER_COUNT(kinds); k++) {
		union any_view from, to;
		void **from_pointers = (void **)&from, **to_pointers = (void **)&to;

		sparse_view(kinds[k].interface, &from, 5);
		assert_int_equal(xy__interface_allocate_ram(kinds[k].interface, &from, NULL), 0);
		xy__interface_compact(kinds[k].interface, &to, &from);
		assert_int_equal(xy__interface_allocate_ram(kinds[k].interface, &to, NULL), 0);
		for (unsigned i = 0; i < 3; i++)
			for (size_t byte = 0; byte < kinds[k].bytes[i]; byte++)
				((char *)from_pointers[i])[byte] = (char)helper_below(&seed, 256);
		copy(kinds[k].interface, &to, &from);
		for (unsigned i = 0; i < 3; i++)
			assert_memory_equal(to_pointers[i], from_pointers[i], kinds[k].bytes[i]);
		xy__interface_free_ram(kinds[k].interface, &from, NULL);
		xy__interface_free_ram(kinds[k].interface, &to, NULL);
		for (unsigned i = 0; i < 3; i++)
			assert_null(to_pointers[i]);
	}
}

static void empty_arrays_need_neither_memory_nor_copies(void **state)
{
	struct xy_csr csr = { .nrow = 3, .elem = 8 }, other = csr;
	struct xy_coo coo = { .nx = 3, .ny = 3, .elem = 8 };
	struct xy__copy_list list;

	(void)state;
	assert_int_equal(xy__interface_allocate_ram(&xy_csr_interface, &csr, NULL), 0);
	assert_null(csr.nzval);
	assert_null(csr.colind);
	assert_non_null(csr.rowptr);
	assert_false(xy__interface_has_memory(&xy_csr_interface, &other));
	assert_int_equal(xy__interface_allocate_ram(&xy_csr_interface, &other, NULL), 0);
	assert_true(xy__interface_has_memory(&xy_csr_interface, &other));
	assert_int_equal(xy__interface_copies(&xy_csr_interface, 0, &csr, &other, &list), 0);
	assert_int_equal(list.count, 1);
	assert_ptr_equal(list.items[0].to.memory, csr.rowptr);
	assert_int_equal(list.items[0].row_bytes, 16);
	xy__copy_list_fini(&list);
	xy__interface_free_ram(&xy_csr_interface, &csr, NULL);
	xy__interface_free_ram(&xy_csr_interface, &other, NULL);

	assert_true(xy__interface_has_memory(&xy_coo_interface, &coo));
	assert_int_equal(xy__interface_copies(&xy_coo_interface, 0, &coo, &coo, &list), 0);
	assert_int_equal(list.count, 0);
	xy__copy_list_fini(&list);
}

/* --- how many copies --- */

static void what_has_no_gaps_on_both_sides_is_one_row(void **state)
{
	char a[240], b[240];
	struct xy_ndim to = { a, 4, { 2, 3, 4, 5 }, { 1, 2, 6, 24 }, 2 }, from = to;
	struct xy__copy_list list;

	(void)state;
	from.ptr = b;
	assert_int_equal(xy__interface_copies(&xy_ndim_interface, 0, &to, &from, &list), 0);
	assert_int_equal(list.count, 1);
	assert_ptr_equal(list.items[0].to.memory, a);
	assert_ptr_equal(list.items[0].from.memory, b);
	assert_int_equal(list.items[0].to.offset, 0);
	assert_int_equal(list.items[0].row_bytes, 240);
	assert_int_equal(list.items[0].nrows, 1);
	assert_int_equal(list.items[0].nplanes, 1);
	xy__copy_list_fini(&list);
}

static void dimensions_without_a_gap_between_them_become_one(void **state)
{
	/* gaps in the destination only, after each line and after each volume */
	struct xy_tensor to = { NULL, 2, 3, 4, 5, 3, 9, 40, 2 }, from = { NULL, 2, 3, 4, 5, 2, 6, 24, 2 };
	struct xy__copy_list list;

	(void)state;
	assert_int_equal(xy__interface_copies(&xy_tensor_interface, 0, &to, &from, &list), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.items[0].row_bytes, 4);
	assert_int_equal(list.items[0].nrows, 12);
	assert_int_equal(list.items[0].to_row, 6);
	assert_int_equal(list.items[0].from_row, 4);
	assert_int_equal(list.items[0].nplanes, 5);
	assert_int_equal(list.items[0].to_plane, 80);
	assert_int_equal(list.items[0].from_plane, 48);
	xy__copy_list_fini(&list);
}

static void more_than_three_dimensions_are_several_copies(void **state)
{
	struct xy_ndim to = { NULL, 5, { 2, 2, 2, 3, 4 }, { 1, 3, 7, 15, 46 }, 1 }, from = to;
	struct xy__copy_list list;

	(void)state;
	assert_int_equal(xy__interface_copies(&xy_ndim_interface, 0, &to, &from, &list), 0);
	assert_int_equal(list.count, 12);
	for (unsigned i = 0; i < 12; i++) {
		assert_int_equal(list.items[i].nrows, 2);
		assert_int_equal(list.items[i].nplanes, 2);
		assert_int_equal(list.items[i].to.offset, i % 3 * 15 + i / 3 * 46);
		assert_int_equal(list.items[i].from.offset, list.items[i].to.offset);
	}
	xy__copy_list_fini(&list);
}

static void too_many_copies_are_an_error(void **state)
{
	size_t n = (size_t)1 << 20;
	struct xy_ndim view = { NULL, 5, { 1, 2, 2, n, n }, { 1, 2, 5, 11, 11 * n + 1 }, 1 };
	struct xy__copy_list list;

	(void)state;
	assert_int_equal(xy__interface_copies(&xy_ndim_interface, 0, &view, &view, &list), -ENOMEM);
	xy__copy_list_fini(&list);
}

/* --- sizes --- */

static void counts_the_content_and_the_span(void **state)
{
	struct xy_matrix matrix = { NULL, 4, 3, 6, 8 };
	struct xy_block block = { NULL, 3, 5, 2, 4, 30, 8 };
	struct xy_part parts[XY_NPARTS];

	(void)state;
	assert_int_equal(xy__interface_parts(&xy_matrix_interface, &matrix, parts), 1);
	assert_int_equal(xy__part_bytes(parts), 96);
	assert_int_equal(xy__part_span(parts), (2 * 6 + 4) * 8);
	assert_int_equal(xy__interface_parts(&xy_block_interface, &block, parts), 1);
	assert_int_equal(xy__part_bytes(parts), 240);
	assert_int_equal(xy__part_span(parts), (30 + 4 * 4 + 3) * 8);
	assert_int_equal(xy__interface_parts(&xy_void_interface, &matrix, parts), 0);
}

static void compacting_takes_gaps_and_memory_away(void **state)
{
	uint64_t seed = 5;

	(void)state;
	for (unsigned ndims = 1; ndims <= XY_NDIMS; ndims++) {
		struct dense a = dense_random(ndims, &seed);
		struct xy_ndim compact;
		union any_view view;
		struct xy_part part[XY_NPARTS];

		view_of_dense(&xy_ndim_interface, &a, &view);
		xy__interface_compact(&xy_ndim_interface, &compact, &view);
		assert_null(compact.ptr);
		assert_memory_equal(compact.n, a.n, sizeof a.n);
		assert_int_equal(xy__interface_parts(&xy_ndim_interface, &compact, part), 1);
		assert_int_equal(xy__part_span(part), xy__part_bytes(part));
		xy__interface_parts(&xy_ndim_interface, &view, part);
		assert_int_equal(xy__part_span(part) <= a.room, 1);
		assert_ptr_equal(view.ndim.ptr, a.memory);
		free(a.memory);
	}
}

static void memory_of_the_library_is_zero_in_gaps_too(void **state)
{
	struct xy_matrix matrix = { NULL, 4, 3, 6, 8 };

	(void)state;
	assert_int_equal(xy__interface_allocate_ram(&xy_matrix_interface, &matrix, NULL), 0);
	for (unsigned i = 0; i < (2 * 6 + 4) * 8; i++)
		assert_int_equal(((char *)matrix.ptr)[i], 0);
	assert_int_equal(matrix.ld, 6);
	xy__interface_free_ram(&xy_matrix_interface, &matrix, NULL);
}

/* --- two arrays, as a view says --- */

struct two {
	void *pointers[2];
	struct xy_part parts[2];
};

static unsigned two_parts(const void *view, struct xy_part parts[XY_NPARTS])
{
	memcpy(parts, ((const struct two *)view)->parts, 2 * sizeof *parts);
	parts[1].pointer = sizeof(void *);
	return 2;
}

static const struct xy_interface two_interface = {
	.name = "two",
	.view_size = sizeof(struct two),
	.parts = two_parts,
};

static void a_count_of_zero_makes_an_array_empty(void **state)
{
	struct two view = { .parts = {
				    { .row_bytes = 8, .ndims = 2, .count = { 0, 3 }, .stride = { 8, 8 } },
				    { .row_bytes = 8, .ndims = 1, .count = { 3 }, .stride = { 16 } },
			    } };
	struct xy_part parts[XY_NPARTS];
	struct xy__copy_list list;

	(void)state;
	assert_int_equal(xy__interface_parts(&two_interface, &view, parts), 2);
	assert_int_equal(parts[0].row_bytes, 0);
	assert_int_equal(xy__part_span(&parts[0]), 0);
	assert_int_equal(xy__part_bytes(&parts[0]), 0);
	assert_int_equal(xy__part_span(&parts[1]), 40);
	assert_int_equal(xy__interface_copies(&two_interface, 0, &view, &view, &list), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.items[0].nrows, 3);
	xy__copy_list_fini(&list);
}

/* So that the sanitizers too answer with NULL when there is not enough memory. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void gets_memory_for_all_arrays_or_none(void **state)
{
	struct two view = { .parts = { { .row_bytes = 8 }, { .row_bytes = (size_t)1 << 60 } } };

	(void)state;
	assert_int_equal(xy__interface_allocate_ram(&two_interface, &view, NULL), -ENOMEM);
	assert_null(view.pointers[0]);
	assert_null(view.pointers[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_what_single_elements_would_copy),
		cmocka_unit_test(copies_each_array_of_a_sparse_matrix),
		cmocka_unit_test(empty_arrays_need_neither_memory_nor_copies),
		cmocka_unit_test(what_has_no_gaps_on_both_sides_is_one_row),
		cmocka_unit_test(dimensions_without_a_gap_between_them_become_one),
		cmocka_unit_test(more_than_three_dimensions_are_several_copies),
		cmocka_unit_test(too_many_copies_are_an_error),
		cmocka_unit_test(counts_the_content_and_the_span),
		cmocka_unit_test(compacting_takes_gaps_and_memory_away),
		cmocka_unit_test(memory_of_the_library_is_zero_in_gaps_too),
		cmocka_unit_test(a_count_of_zero_makes_an_array_empty),
		cmocka_unit_test(gets_memory_for_all_arrays_or_none),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
