/* SPDX-License-Identifier: MIT */
/* Handles: shapes, memory, wrong sizes, names, and unregistration that waits. */
#include "../../helper.h"

#include <errno.h>
#include <string.h>

#include "core/util/futex.h"

/* --- shapes --- */

/* What a codelet saw of its first access. */
static union {
	struct xy_variable variable;
	struct xy_vector vector;
	struct xy_matrix matrix;
	struct xy_block block;
} seen;
static void *seen_pointer;
static unsigned seen_count;

static int see_variable(struct xy_call *call)
{
	seen.variable = *xy_variable_at(call, 0);
	return 0;
}

static int see_vector(struct xy_call *call)
{
	seen.vector = *xy_vector_at(call, 0);
	return 0;
}

static int see_matrix(struct xy_call *call)
{
	seen.matrix = *xy_matrix_at(call, 0);
	return 0;
}

static int see_block(struct xy_call *call)
{
	seen.block = *xy_block_at(call, 0);
	return 0;
}

static int see_pointer(struct xy_call *call)
{
	seen_pointer = xy_pointer(call, 0);
	seen_count = call->nbuffers;
	return 0;
}

static void look(struct helper *h, xy_function *function, struct xy_handle *handle)
{
	struct xy_codelet codelet = { .name = "look", .cpu = { function }, .modes = { XY_R } };

	HELPER_SUBMIT(h, .codelet = &codelet, .handles = { handle });
	assert_int_equal(helper_wait(h), 0);
}

static void shows_codelets_the_registered_shape(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *variable, *vector, *matrix, *block, *nothing;
	double data[64];

	(void)state;
	assert_int_equal(xy_variable_register(h->rt, &variable, data, 24), 0);
	assert_int_equal(xy_vector_register(h->rt, &vector, data, 5, 8), 0);
	assert_int_equal(xy_matrix_register(h->rt, &matrix,
					    &(struct xy_matrix){ .ptr = data, .nx = 4, .ny = 3, .ld = 6, .elem = 8 }),
			 0);
	assert_int_equal(
		xy_block_register(
			h->rt, &block,
			&(struct xy_block){ .ptr = data, .nx = 3, .ny = 5, .nz = 2, .ldy = 4, .ldz = 20, .elem = 8 }),
		0);
	assert_int_equal(xy_void_register(h->rt, &nothing), 0);

	look(h, see_variable, variable);
	assert_ptr_equal(seen.variable.ptr, data);
	assert_int_equal(seen.variable.size, 24);
	look(h, see_vector, vector);
	assert_ptr_equal(seen.vector.ptr, data);
	assert_int_equal(seen.vector.n, 5);
	assert_int_equal(seen.vector.elem, 8);
	look(h, see_matrix, matrix);
	assert_ptr_equal(seen.matrix.ptr, data);
	assert_int_equal(seen.matrix.nx, 4);
	assert_int_equal(seen.matrix.ny, 3);
	assert_int_equal(seen.matrix.ld, 6);
	assert_int_equal(seen.matrix.elem, 8);
	look(h, see_block, block);
	assert_ptr_equal(seen.block.ptr, data);
	assert_int_equal(seen.block.nx, 3);
	assert_int_equal(seen.block.ny, 5);
	assert_int_equal(seen.block.nz, 2);
	assert_int_equal(seen.block.ldy, 4);
	assert_int_equal(seen.block.ldz, 20);
	assert_int_equal(seen.block.elem, 8);
	look(h, see_pointer, nothing);
	assert_null(seen_pointer);

	assert_ptr_equal(xy_handle_pointer(matrix), data);
	assert_int_equal(xy_handle_size(variable), 24);
	assert_int_equal(xy_handle_size(vector), 40);
	assert_int_equal(xy_handle_size(matrix), 96);
	assert_int_equal(xy_handle_size(block), 240);
	assert_int_equal(xy_handle_size(nothing), 0);
	assert_int_equal(xy_unregister(&variable), 0);
	assert_null(variable);
	assert_int_equal(xy_unregister(&vector), 0);
	assert_int_equal(xy_unregister(&matrix), 0);
	assert_int_equal(xy_unregister(&block), 0);
	assert_int_equal(xy_unregister(&nothing), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* --- memory of the runtime --- */

static int fill_body(struct xy_call *call)
{
	const struct xy_matrix *m = xy_matrix_at(call, 0);
	int *p = m->ptr;

	for (size_t y = 0; y < m->ny; y++)
		for (size_t x = 0; x < m->nx; x++)
			p[x + y * m->ld] = (int)(10 * y + x);
	return 0;
}

static void allocates_memory_at_first_use(void **state)
{
	static const struct xy_codelet fill = { .name = "fill", .cpu = { fill_body }, .modes = { XY_W } };
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *m;
	int *p;

	(void)state;
	assert_int_equal(
		xy_matrix_register(h->rt, &m, &(struct xy_matrix){ .nx = 4, .ny = 3, .ld = 5, .elem = sizeof(int) }),
		0);
	HELPER_SUBMIT(h, .codelet = &fill, .handles = { m });
	assert_int_equal(xy_acquire(m, XY_R), 0);
	p = xy_handle_pointer(m);
	assert_non_null(p);
	for (int y = 0; y < 3; y++)
		for (int x = 0; x < 4; x++)
			assert_int_equal(p[x + y * 5], 10 * y + x);
	assert_int_equal(xy_release(m), 0);
	assert_int_equal(xy_unregister(&m), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void an_acquire_is_a_first_use_too(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *v;

	(void)state;
	assert_int_equal(xy_vector_register(h->rt, &v, NULL, 100, 8), 0);
	assert_int_equal(xy_acquire(v, XY_W), 0);
	memset(xy_handle_pointer(v), 1, 800);
	assert_int_equal(xy_release(v), 0);
	look(h, see_vector, v);
	assert_ptr_equal(seen.vector.ptr, xy_handle_pointer(v));
	assert_int_equal(((char *)seen.vector.ptr)[799], 1);
	assert_int_equal(xy_unregister(&v), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void frees_memory_that_was_never_used(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *v;

	(void)state;
	assert_int_equal(xy_vector_register(h->rt, &v, NULL, 100, 8), 0);
	assert_int_equal(xy_unregister(&v), 0);
	assert_int_equal(helper_stop(h), 0);
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

static void memory_that_is_not_there_is_an_error_of_the_task(void **state)
{
	static const struct xy_codelet fill = { .name = "fill", .cpu = { fill_body }, .modes = { XY_W } };
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *x, *unused;

	(void)state;
	assert_int_equal(xy_variable_register(h->rt, &x, NULL, (size_t)1 << 60), 0);
	assert_int_equal(xy_variable_register(h->rt, &unused, NULL, (size_t)1 << 60), 0);
	assert_int_equal(xy_unregister(&unused), 0);
	assert_int_equal(xy_acquire(x, XY_W), -ENOMEM);
	helper_one_line(h, "memory");
	assert_int_equal(xy_release(x), -EINVAL);
	helper_one_line(h, "not acquired");
	HELPER_SUBMIT(h, .codelet = &fill, .handles = { x });
	assert_int_equal(helper_wait(h), -ENOMEM);
	assert_int_equal(xy_unregister(&x), -ENOMEM);
	assert_null(x);
	assert_int_equal(helper_stop(h), 0);
}

static int meet_body(struct xy_call *call)
{
	_Atomic int *n = call->arg;
	_Atomic int *mine = xy_pointer(call, 0);

	/* the buffer is this task's alone, though another one uses the same handle at this moment */
	atomic_store(mine, (int)call->worker);
	helper_add(n);
	if (helper_body_reach(n, 2))
		return -ETIME;
	return atomic_load(mine) == (int)call->worker && xy_vector_at(call, 0)->n == 7 ? 0 : -ERANGE;
}

static void gives_each_task_a_scratch_buffer_of_its_own(void **state)
{
	static const struct xy_codelet meet = { .name = "meet", .cpu = { meet_body }, .modes = { XY_SCRATCH } };
	struct helper *h = helper_start("tree-eager", 2);
	struct xy_handle *v;
	int content[7] = { 1, 2, 3, 4, 5, 6, 7 };

	(void)state;
	assert_int_equal(xy_vector_register(h->rt, &v, content, 7, sizeof(int)), 0);
	for (int i = 0; i < 20; i++) {
		_Atomic int n = 0;

		HELPER_SUBMIT(h, .codelet = &meet, .handles = { v }, .arg = &n);
		HELPER_SUBMIT(h, .codelet = &meet, .handles = { v }, .arg = &n);
		assert_int_equal(helper_wait(h), 0);
	}
	assert_int_equal(content[0], 1);
	assert_int_equal(xy_unregister(&v), 0);
	assert_int_equal(helper_stop(h), 0);
}

static int count_buffers(struct xy_call *call)
{
	for (unsigned i = 0; i < call->nbuffers; i++)
		if (*(unsigned *)xy_pointer(call, i) != i)
			return -ERANGE;
	seen_count = call->nbuffers;
	return 0;
}

static void a_task_may_use_any_number_of_handles(void **state)
{
	enum { MOST = 300 };
	static const struct xy_codelet codelet = { .name = "many", .cpu = { count_buffers } };
	static const unsigned counts[] = { 1, 4, 8, 9, 16, 17, MOST };
	struct helper *h = helper_start(NULL, 2);
	static struct xy_access accesses[MOST], some[MOST + 1];
	static unsigned data[MOST];

	(void)state;
	for (unsigned i = 0; i < MOST; i++) {
		data[i] = i;
		accesses[i].mode = i % 2 ? XY_R : XY_RW;
		assert_int_equal(xy_variable_register(h->rt, &accesses[i].handle, &data[i], sizeof data[i]), 0);
	}
	for (unsigned i = 0; i < HELPER_COUNT(counts); i++) {
		memcpy(some, accesses, counts[i] * sizeof *some);
		HELPER_SUBMIT(h, .codelet = &codelet, .accesses = some);
		assert_int_equal(helper_wait(h), 0);
		assert_int_equal(seen_count, counts[i]);
	}
	for (unsigned i = 0; i < MOST; i++)
		assert_int_equal(xy_unregister(&accesses[i].handle), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* --- broken callers --- */

static void refuses_sizes_that_make_no_sense(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_runtime *rt = h->rt;
	struct xy_handle *x;
	char data[8];
	size_t huge = (size_t)1 << (sizeof huge * 8 - 2);

	(void)state;
#define REFUSED(error, call) \
	do { \
		assert_int_equal(call, error); \
		helper_one_line(h, "_register"); \
	} while (0)
	REFUSED(-EINVAL, xy_variable_register(rt, &x, data, 0));
	REFUSED(-EINVAL, xy_vector_register(rt, &x, data, 0, 1));
	REFUSED(-EINVAL, xy_vector_register(rt, &x, data, 1, 0));
	REFUSED(-EOVERFLOW, xy_vector_register(rt, &x, data, huge, 4));
	REFUSED(-EINVAL, xy_matrix_register(rt, &x, &(struct xy_matrix){ data, 2, 1, 1, 1 }));
	REFUSED(-EINVAL, xy_matrix_register(rt, &x, &(struct xy_matrix){ data, 0, 1, 1, 1 }));
	REFUSED(-EINVAL, xy_matrix_register(rt, &x, &(struct xy_matrix){ data, 1, 0, 1, 1 }));
	REFUSED(-EINVAL, xy_matrix_register(rt, &x, &(struct xy_matrix){ data, 1, 1, 1, 0 }));
	REFUSED(-EOVERFLOW, xy_matrix_register(rt, &x, &(struct xy_matrix){ data, 1, 4, huge, 1 }));
	REFUSED(-EOVERFLOW, xy_matrix_register(rt, &x, &(struct xy_matrix){ data, 1, 2, huge, 2 }));
	REFUSED(-EINVAL, xy_block_register(rt, &x, &(struct xy_block){ data, 2, 2, 1, 2, 3, 1 }));
	REFUSED(-EINVAL, xy_block_register(rt, &x, &(struct xy_block){ data, 2, 2, 1, 1, 4, 1 }));
	REFUSED(-EINVAL, xy_block_register(rt, &x, &(struct xy_block){ data, 1, 1, 0, 1, 1, 1 }));
	REFUSED(-EINVAL, xy_block_register(rt, &x, &(struct xy_block){ data, 1, 0, 1, 1, 1, 1 }));
	REFUSED(-EOVERFLOW, xy_block_register(rt, &x, &(struct xy_block){ data, 1, 4, 1, huge, huge, 1 }));
	REFUSED(-EOVERFLOW, xy_block_register(rt, &x, &(struct xy_block){ data, 1, 1, 4, 1, huge, 1 }));
	REFUSED(-EOVERFLOW, xy_block_register(rt, &x, &(struct xy_block){ data, 1, 1, 1, 1, huge, 4 }));
	REFUSED(-EINVAL, xy_variable_register(rt, NULL, data, 1));
	REFUSED(-EINVAL, xy_vector_register(rt, NULL, data, 1, 1));
	REFUSED(-EINVAL, xy_matrix_register(rt, NULL, &(struct xy_matrix){ data, 1, 1, 1, 1 }));
	REFUSED(-EINVAL, xy_block_register(rt, NULL, &(struct xy_block){ data, 1, 1, 1, 1, 1, 1 }));
	REFUSED(-EINVAL, xy_void_register(rt, NULL));
#undef REFUSED
	assert_int_equal(helper_stop(h), 0);
}

static void says_so_once_when_there_is_no_handle(void **state)
{
	struct xy_handle *x = NULL;
	char text[4096];
	char data[8];

	(void)state;
	helper_stderr_begin();
	assert_int_equal(xy_variable_register(NULL, &x, data, 1), -EINVAL);
	assert_int_equal(xy_vector_register(NULL, &x, data, 1, 1), -EINVAL);
	assert_int_equal(xy_matrix_register(NULL, &x, &(struct xy_matrix){ .ptr = data, .nx = 1, .ny = 1, .elem = 1 }),
			 -EINVAL);
	assert_int_equal(
		xy_block_register(
			NULL, &x,
			&(struct xy_block){ .ptr = data, .nx = 1, .ny = 1, .nz = 1, .ldy = 1, .ldz = 1, .elem = 1 }),
		-EINVAL);
	assert_int_equal(xy_void_register(NULL, &x), -EINVAL);
	assert_int_equal(xy_unregister(&x), -EINVAL);
	assert_int_equal(xy_unregister(NULL), -EINVAL);
	assert_int_equal(xy_acquire(NULL, XY_R), -EINVAL);
	assert_int_equal(xy_acquire_callback(NULL, XY_R, helper_status, NULL), -EINVAL);
	assert_int_equal(xy_release(NULL), -EINVAL);
	assert_int_equal(xy_handle_set_sequential(NULL, true), -EINVAL);
	assert_int_equal(xy_handle_set_name(NULL, "x"), -EINVAL);
	helper_stderr_end(text, sizeof text);
	assert_int_equal(helper_count_lines(text), 12);
	assert_null(xy_handle_pointer(NULL));
	assert_int_equal(xy_handle_size(NULL), 0);
	assert_non_null(xy_handle_name(NULL));
}

static void keeps_a_copy_of_the_name(void **state)
{
	struct helper *h = helper_start(NULL, 1);
	struct xy_handle *x;
	char name[8] = "matrix";

	(void)state;
	assert_int_equal(xy_void_register(h->rt, &x), 0);
	assert_non_null(xy_handle_name(x));
	assert_int_equal(xy_handle_set_name(x, name), 0);
	name[0] = 'M';
	assert_string_equal(xy_handle_name(x), "matrix");
	assert_int_equal(xy_handle_set_name(x, "other"), 0);
	assert_string_equal(xy_handle_name(x), "other");
	assert_int_equal(xy_handle_set_name(x, NULL), -EINVAL);
	helper_one_line(h, "xy_handle_set_name");
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* --- unregistration --- */

static int late_body(struct xy_call *call)
{
	double end = xy__now() + 0.002;

	while (xy__now() < end)
		;
	helper_add(call->arg);
	return 0;
}

static void unregistration_waits_for_all_who_use_it(void **state)
{
	static const enum xy_mode modes[] = { XY_R, XY_W, XY_RW, XY_SCRATCH, XY_RW | XY_COMMUTE };
	static const struct xy_codelet late = { .name = "late", .cpu = { late_body } };
	struct helper *h = helper_start(NULL, 2);

	(void)state;
	for (unsigned i = 0; i < 2 * HELPER_COUNT(modes); i++) {
		struct xy_handle *x;
		struct xy_access access;
		_Atomic int n = 0;

		assert_int_equal(xy_variable_register(h->rt, &x, NULL, 8), 0);
		assert_int_equal(xy_handle_set_sequential(x, i % 2), 0);
		access = (struct xy_access){ x, modes[i / 2] };
		for (int j = 0; j < 4; j++)
			HELPER_SUBMIT(h, .codelet = &late, .arg = &n, .accesses = XY_ACCESSES(access));
		assert_int_equal(xy_unregister(&x), 0);
		assert_int_equal(n, 4);
	}
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void unregistration_returns_the_error_of_the_last_writer(void **state)
{
	static const struct xy_codelet fill = { .name = "fill", .cpu = { see_pointer } };
	struct helper *h = helper_start(NULL, 2);
	struct xy_handle *x, *y;

	(void)state;
	assert_int_equal(xy_variable_register(h->rt, &x, NULL, 8), 0);
	assert_int_equal(xy_variable_register(h->rt, &y, NULL, 8), 0);
	HELPER_SUBMIT(h, .codelet = &helper_fail, .accesses = XY_ACCESSES({ x, XY_W }));
	HELPER_SUBMIT(h, .codelet = &helper_fail, .accesses = XY_ACCESSES({ y, XY_W }));
	HELPER_SUBMIT(h, .codelet = &fill, .accesses = XY_ACCESSES({ y, XY_W }));
	assert_int_equal(xy_unregister(&x), -EIO);
	assert_null(x);
	assert_int_equal(xy_unregister(&y), 0);
	assert_int_equal(helper_wait(h), -EIO);
	assert_int_equal(helper_stop(h), 0);
}

struct inside {
	struct xy_handle *x;
	int error;
};

static int unregister_body(struct xy_call *call)
{
	struct inside *inside = call->arg;

	inside->error = xy_unregister(&inside->x);
	return 0;
}

static void unregistration_inside_a_codelet_does_nothing(void **state)
{
	static const struct xy_codelet codelet = { .name = "inside", .cpu = { unregister_body } };
	struct helper *h = helper_start(NULL, 2);
	struct inside inside = { .error = 1 };
	struct gate gate = { 0 };
	struct xy_access access;

	(void)state;
	assert_int_equal(xy_void_register(h->rt, &inside.x), 0);
	assert_int_equal(xy_handle_set_sequential(inside.x, false), 0);
	HELPER_SUBMIT(h, .codelet = &codelet, .arg = &inside);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(inside.error, -EDEADLK);
	assert_non_null(inside.x);
	helper_one_line(h, "xy_unregister");
	/* the handle still gives no dependency: both are inside at the same time */
	access = (struct xy_access){ inside.x, XY_RW };
	for (int i = 0; i < 2; i++)
		HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = &gate, .accesses = XY_ACCESSES(access));
	helper_reach(h, &gate.inside, 2);
	helper_open(&gate);
	assert_int_equal(xy_unregister(&inside.x), 0);
	assert_int_equal(helper_stop(h), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_codelets_the_registered_shape),
		cmocka_unit_test(allocates_memory_at_first_use),
		cmocka_unit_test(an_acquire_is_a_first_use_too),
		cmocka_unit_test(frees_memory_that_was_never_used),
		cmocka_unit_test(memory_that_is_not_there_is_an_error_of_the_task),
		cmocka_unit_test(gives_each_task_a_scratch_buffer_of_its_own),
		cmocka_unit_test(a_task_may_use_any_number_of_handles),
		cmocka_unit_test(refuses_sizes_that_make_no_sense),
		cmocka_unit_test(says_so_once_when_there_is_no_handle),
		cmocka_unit_test(keeps_a_copy_of_the_name),
		cmocka_unit_test(unregistration_waits_for_all_who_use_it),
		cmocka_unit_test(unregistration_returns_the_error_of_the_last_writer),
		cmocka_unit_test(unregistration_inside_a_codelet_does_nothing),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
