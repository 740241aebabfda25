/* SPDX-License-Identifier: MIT */
/* Packing and unpacking: each interface there and back with gaps, and who may do it when. */
#include "../../helper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xylem/interface.h>

enum { ROOM = 4096 };

/* Memory with other bytes in each of its places. */
struct room {
	unsigned char bytes[ROOM];
};

static void room_fill(struct room *room, uint64_t *seed)
{
	for (unsigned i = 0; i < ROOM; i++)
		room->bytes[i] = (unsigned char)helper_below(seed, 256);
}

/* Packs what is registered as `from` and unpacks it to what is registered as `to`, which looks different. */
static void carry(struct helper *h, struct xy_handle *from, struct xy_handle *to, unsigned char *bytes, size_t size)
{
	size_t packed = 0;

	assert_int_equal(xy_handle_packed_size(from, &packed), 0);
	assert_int_equal(packed, size);
	assert_int_equal(xy_handle_packed_size(to, &packed), 0);
	assert_int_equal(packed, size);
	assert_int_equal(xy_acquire(from, XY_R), 0);
	assert_int_equal(xy_pack(from, bytes, size), 0);
	assert_int_equal(xy_release(from), 0);
	assert_int_equal(xy_acquire(to, XY_W), 0);
	assert_int_equal(xy_unpack(to, bytes, size), 0);
	assert_int_equal(xy_release(to), 0);
	assert_int_equal(xy_unregister(&from), 0);
	assert_int_equal(xy_unregister(&to), 0);
	assert_int_equal(helper_lines(h), 0);
}

/* --- dense arrays --- */

struct dense_case {
	const char *name;
	unsigned ndims;
	size_t n[XY_NDIMS], ld[2][XY_NDIMS], elem; /* ld[0] where it is packed, ld[1] where it is unpacked */
};

static const struct dense_case dense_cases[] = {
	{ "variable", 1, { 1 }, { { 1 }, { 1 } }, 13 },
	{ "vector", 1, { 17 }, { { 1 }, { 1 } }, 3 },
	{ "matrix", 2, { 5, 4 }, { { 1, 7 }, { 1, 5 } }, 8 },
	{ "matrix", 2, { 5, 4 }, { { 1, 5 }, { 1, 9 } }, 3 },
	{ "block", 3, { 3, 4, 5 }, { { 1, 4, 19 }, { 1, 3, 13 } }, 4 },
	{ "tensor", 4, { 2, 3, 4, 3 }, { { 1, 3, 10, 41 }, { 1, 2, 7, 30 } }, 5 },
	{ "ndim", 1, { 9 }, { { 1 }, { 1 } }, 8 },
	{ "ndim", 5, { 2, 3, 2, 2, 3 }, { { 1, 3, 10, 21, 44 }, { 1, 2, 7, 15, 30 } }, 4 },
	{ "ndim",
	  8,
	  { 2, 2, 2, 2, 2, 2, 2, 2 },
	  { { 1, 3, 7, 15, 31, 63, 127, 255 }, { 1, 2, 4, 8, 16, 32, 64, 128 } },
	  1 },
};

static struct xy_handle *dense_register(struct xy_runtime *rt, const struct dense_case *c, unsigned side, void *ptr)
{
	const size_t *n = c->n, *ld = c->ld[side], elem = c->elem;
	const struct xy_matrix matrix = { ptr, n[0], n[1], ld[1], elem };
	const struct xy_block block = { ptr, n[0], n[1], n[2], ld[1], ld[2], elem };
	const struct xy_tensor tensor = { ptr, n[0], n[1], n[2], n[3], ld[1], ld[2], ld[3], elem };
	struct xy_ndim ndim = { .ptr = ptr, .ndims = c->ndims, .elem = elem };
	struct xy_handle *h = NULL;

	memcpy(ndim.n, n, c->ndims * sizeof *n);
	memcpy(ndim.ld, ld, c->ndims * sizeof *ld);
	switch (c->name[0]) {
	case 'v':
		assert_int_equal(elem == 13 ? xy_variable_register(rt, &h, ptr, elem)
					    : xy_vector_register(rt, &h, ptr, n[0], elem),
				 0);
		break;
	case 'm':
		assert_int_equal(xy_matrix_register(rt, &h, &matrix), 0);
		break;
	case 'b':
		assert_int_equal(xy_block_register(rt, &h, &block), 0);
		break;
	case 't':
		assert_int_equal(xy_tensor_register(rt, &h, &tensor), 0);
		break;
	default:
		assert_int_equal(xy_ndim_register(rt, &h, &ndim), 0);
	}
	return h;
}

/* What the bytes and the other memory should be: the elements in order, and what was in the gaps. */
static size_t dense_expect(const struct dense_case *c, const struct room *from, struct room *bytes, struct room *to)
{
	size_t index[XY_NDIMS] = { 0 }, size = 0, total = 1;

	for (unsigned d = 0; d < c->ndims; d++)
		total *= c->n[d];
	for (size_t i = 0; i < total; i++) {
		size_t at[2] = { 0 };

		for (unsigned d = 0; d < c->ndims; d++) {
			at[0] += index[d] * c->ld[0][d] * c->elem;
			at[1] += index[d] * c->ld[1][d] * c->elem;
		}
		memcpy(bytes->bytes + size, from->bytes + at[0], c->elem);
		memcpy(to->bytes + at[1], from->bytes + at[0], c->elem);
		size += c->elem;
		for (unsigned d = 0; d < c->ndims && ++index[d] == c->n[d]; d++)
			index[d] = 0;
	}
	return size;
}

static void dense_arrays_go_there_and_back(void **state)
{
	static struct room from, to, bytes, expected_to, expected_bytes;
	struct helper *h = helper_start(NULL, 1);
	uint64_t seed = 6;

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(dense_cases); i++) {
		const struct dense_case *c = &dense_cases[i];
		size_t size;

		room_fill(&from, &seed);
		room_fill(&to, &seed);
		room_fill(&bytes, &seed);
		expected_to = to;
		expected_bytes = bytes;
		/* at an odd address: bytes need no alignment */
		size = dense_expect(c, &from, &expected_bytes, &expected_to);
		memmove(expected_bytes.bytes + 1, expected_bytes.bytes, size);
		expected_bytes.bytes[0] = bytes.bytes[0];
		carry(h, dense_register(h->rt, c, 0, &from), dense_register(h->rt, c, 1, &to), bytes.bytes + 1, size);
		assert_memory_equal(&bytes, &expected_bytes, 1 + size);
		assert_memory_equal(&to, &expected_to, ROOM);
	}
	assert_int_equal(helper_stop(h), 0);
}

/* --- the others --- */

static void sparse_matrices_go_there_and_back(void **state)
{
	double values[] = { 1, 2, 3, 4, 5, 6 }, got_values[6] = { 0 };
	uint32_t columns[] = { 0, 1, 2 }, rows[] = { 0, 1, 3 }, got_columns[3] = { 0 }, got_rows[3] = { 0 };
	unsigned char bytes[48 + 12 + 12];
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *from, *to;

	(void)state;
	assert_int_equal(
		xy_csr_register(
			h->rt, &from,
			&(struct xy_csr){
				.nzval = values, .colind = columns, .rowptr = rows, .nnz = 3, .nrow = 2, .elem = 8 }),
		0);
	assert_int_equal(xy_csr_register(h->rt, &to,
					 &(struct xy_csr){ .nzval = got_values,
							   .colind = got_columns,
							   .rowptr = got_rows,
							   .nnz = 3,
							   .nrow = 2,
							   .elem = 8 }),
			 0);
	carry(h, from, to, bytes, 24 + 12 + 12);
	assert_memory_equal(bytes, values, 24);
	assert_memory_equal(bytes + 24, columns, 12);
	assert_memory_equal(bytes + 36, rows, 12);
	assert_memory_equal(got_values, values, 24);
	assert_memory_equal(got_columns, columns, 12);
	assert_memory_equal(got_rows, rows, 12);
	memset(got_values, 0, sizeof got_values);
	memset(got_rows, 0, sizeof got_rows);
	assert_int_equal(xy_bcsr_register(h->rt, &from,
					  &(struct xy_bcsr){ .nzval = values,
							     .colind = columns,
							     .rowptr = rows,
							     .nnz = 3,
							     .nrow = 2,
							     .r = 1,
							     .c = 2,
							     .elem = 8 }),
			 0);
	assert_int_equal(xy_bcsr_register(h->rt, &to,
					  &(struct xy_bcsr){ .nzval = got_values,
							     .colind = got_columns,
							     .rowptr = got_rows,
							     .nnz = 3,
							     .nrow = 2,
							     .r = 1,
							     .c = 2,
							     .elem = 8 }),
			 0);
	carry(h, from, to, bytes, sizeof bytes);
	assert_memory_equal(got_values, values, 48);
	assert_memory_equal(got_rows, rows, 12);
	memset(got_values, 0, sizeof got_values);
	memset(got_rows, 0, sizeof got_rows);
	assert_int_equal(xy_coo_register(h->rt, &from,
					 &(struct xy_coo){ .values = values,
							   .columns = columns,
							   .rows = rows,
							   .nx = 4,
							   .ny = 4,
							   .n_values = 3,
							   .elem = 16 }),
			 0);
	assert_int_equal(xy_coo_register(h->rt, &to,
					 &(struct xy_coo){ .values = got_values,
							   .columns = got_columns,
							   .rows = got_rows,
							   .nx = 4,
							   .ny = 4,
							   .n_values = 3,
							   .elem = 16 }),
			 0);
	carry(h, from, to, bytes, sizeof bytes);
	assert_memory_equal(got_values, values, 48);
	assert_memory_equal(got_rows, rows, 12);
	assert_int_equal(helper_stop(h), 0);
}

static void nothing_packs_to_nothing(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *from, *to;

	(void)state;
	assert_int_equal(xy_void_register(h->rt, &from), 0);
	assert_int_equal(xy_void_register(h->rt, &to), 0);
	carry(h, from, to, NULL, 0);
	assert_int_equal(helper_stop(h), 0);
}

static void memory_of_the_runtime_can_be_unpacked_to(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *x;
	int numbers[3] = { 1, 2, 3 }, got[3] = { 0 };

	(void)state;
	assert_int_equal(
		xy_matrix_register(h->rt, &x, &(struct xy_matrix){ .nx = 1, .ny = 3, .ld = 2, .elem = sizeof(int) }),
		0);
	assert_int_equal(xy_acquire(x, XY_RW), 0);
	assert_int_equal(xy_unpack(x, numbers, sizeof numbers), 0);
	assert_int_equal(((int *)xy_handle_pointer(x))[4], 3);
	assert_int_equal(xy_pack(x, got, sizeof got), 0);
	assert_memory_equal(got, numbers, sizeof got);
	assert_int_equal(xy_release(x), 0);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* --- a form of the interface's own: numbers below 256 as one byte each --- */

struct small {
	int *numbers;
	size_t n;
};

static unsigned small_parts(const void *view, struct xy_part parts[XY_NPARTS])
{
	parts[0] = (struct xy_part){ .row_bytes = ((const struct small *)view)->n * sizeof(int) };
	return 1;
}

static size_t small_packed_bytes(const void *view)
{
	return ((const struct small *)view)->n;
}

static void small_pack(const void *view, void *bytes)
{
	const struct small *small = view;

	for (size_t i = 0; i < small->n; i++)
		((unsigned char *)bytes)[i] = (unsigned char)small->numbers[i];
}

static void small_unpack(void *view, const void *bytes)
{
	struct small *small = view;

	for (size_t i = 0; i < small->n; i++)
		small->numbers[i] = ((const unsigned char *)bytes)[i];
}

static void an_interface_may_pack_in_its_own_form(void **state)
{
	static const struct xy_interface interface = {
		.name = "small",
		.view_size = sizeof(struct small),
		.parts = small_parts,
		.packed_bytes = small_packed_bytes,
		.pack = small_pack,
		.unpack = small_unpack,
	};
	int numbers[] = { 7, 200, 0 }, got[3] = { 0 };
	unsigned char bytes[3];
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *from, *to;

	(void)state;
	assert_int_equal(xy_register(h->rt, &from, &interface, &(struct small){ numbers, 3 }), 0);
	assert_int_equal(xy_register(h->rt, &to, &interface, &(struct small){ got, 3 }), 0);
	carry(h, from, to, bytes, 3);
	assert_int_equal(bytes[1], 200);
	assert_memory_equal(got, numbers, sizeof got);
	assert_int_equal(helper_stop(h), 0);
}

/* --- broken callers --- */

static void only_who_holds_the_data_packs_it(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *x;
	int number = 1, bytes = 2;
	size_t size;

	(void)state;
	assert_int_equal(xy_variable_register(h->rt, &x, &number, sizeof number), 0);
	assert_int_equal(xy_handle_set_name(x, "numbers"), 0);
	assert_int_equal(xy_pack(x, &bytes, sizeof bytes), -EINVAL);
	helper_one_line(h, "'numbers' is not acquired for reading");
	assert_int_equal(xy_unpack(x, &bytes, sizeof bytes), -EINVAL);
	helper_one_line(h, "'numbers' is not acquired for writing");
	assert_int_equal(xy_acquire(x, XY_R), 0);
	assert_int_equal(xy_unpack(x, &bytes, sizeof bytes), -EINVAL);
	helper_one_line(h, "not acquired for writing");
	assert_int_equal(xy_release(x), 0);
	assert_int_equal(xy_acquire(x, XY_W), 0);
	assert_int_equal(xy_pack(x, &bytes, sizeof bytes), -EINVAL);
	helper_one_line(h, "not acquired for reading");
	assert_int_equal(xy_release(x), 0);
	assert_int_equal(number, 1);
	assert_int_equal(bytes, 2);
	assert_int_equal(xy_acquire(x, XY_RW | XY_COMMUTE), 0);
	assert_int_equal(xy_pack(x, &bytes, 3), -EINVAL);
	helper_one_line(h, "3 bytes");
	assert_int_equal(xy_pack(x, NULL, 4), -EINVAL);
	helper_one_line(h, "xy_pack");
	assert_int_equal(xy_unpack(x, &bytes, 5), -EINVAL);
	helper_one_line(h, "5 bytes");
	assert_int_equal(xy_handle_packed_size(x, NULL), -EINVAL);
	helper_one_line(h, "xy_handle_packed_size");
	assert_int_equal(xy_pack(x, &bytes, 4), 0);
	assert_int_equal(bytes, 1);
	assert_int_equal(xy_release(x), 0);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);

	helper_stderr_begin();
	assert_int_equal(xy_pack(NULL, &bytes, 4), -EINVAL);
	assert_int_equal(xy_unpack(NULL, &bytes, 4), -EINVAL);
	assert_int_equal(xy_handle_packed_size(NULL, &size), -EINVAL);
	helper_stderr_end((char[1024]){ 0 }, 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dense_arrays_go_there_and_back),
		cmocka_unit_test(sparse_matrices_go_there_and_back),
		cmocka_unit_test(nothing_packs_to_nothing),
		cmocka_unit_test(memory_of_the_runtime_can_be_unpacked_to),
		cmocka_unit_test(an_interface_may_pack_in_its_own_form),
		cmocka_unit_test(only_who_holds_the_data_packs_it),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
