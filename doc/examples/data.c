/* SPDX-License-Identifier: MIT */
/*
 * The programs of doc/data.md in one: each function is a section there. Ends with 0 if every result is
 * as the page says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xylem.h>
#include <xylem/interface.h>

static void expect(bool right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "data: not as the page says: %s\n", what);
	exit(1);
}

/* --- order of submission --- */

static int set_cpu(struct xy_call *call)
{
	*(double *)xy_pointer(call, 0) = *(double *)call->arg;
	return 0;
}

static int add_cpu(struct xy_call *call)
{
	*(double *)xy_pointer(call, 1) += *(double *)xy_pointer(call, 0);
	return 0;
}

static const struct xy_codelet set = { .name = "set", .cpu = { set_cpu }, .modes = { XY_W } };
static const struct xy_codelet add = { .name = "add", .cpu = { add_cpu }, .modes = { XY_R, XY_RW } };

static void order(struct xy_runtime *rt)
{
	double a = 0, b = 0, one = 1, two = 2;
	struct xy_handle *ha = NULL, *hb = NULL;
	int error;

	error = xy_variable_register(rt, &ha, &a, sizeof a) || xy_variable_register(rt, &hb, &b, sizeof b);
	expect(!error, "registering two variables");
	xy_submit(rt, &(struct xy_task_desc){ .codelet = &set, .handles = { ha }, .arg = &one });
	xy_submit(rt, &(struct xy_task_desc){ .codelet = &set, .handles = { hb }, .arg = &two });
	xy_submit(rt, &(struct xy_task_desc){ .codelet = &add, .handles = { ha, hb } });
	xy_submit(rt, &(struct xy_task_desc){ .codelet = &add, .handles = { hb, hb } });
	error = xy_unregister(&ha) || xy_unregister(&hb);
	expect(!error && a == 1 && b == 6, "two variables");
}

/* --- a part of a matrix --- */

static int fill_cpu(struct xy_call *call)
{
	const struct xy_matrix *m = xy_matrix_at(call, 0);
	float *element = m->ptr;

	for (size_t y = 0; y < m->ny; y++)
		for (size_t x = 0; x < m->nx; x++)
			element[x + y * m->ld] = *(float *)call->arg;
	return 0;
}

static const struct xy_codelet fill = { .name = "fill", .cpu = { fill_cpu }, .modes = { XY_W } };

static void matrix(struct xy_runtime *rt)
{
	enum { N = 100, HALF = N / 2 };
	float *m = calloc(N * N, sizeof *m), left = 1, right = 2;
	struct xy_handle *halves[2] = { NULL };
	struct xy_matrix half;
	int error;

	/* Two handles on parts of one array that don't overlap: ld is that of the whole. */
	half = (struct xy_matrix){ .ptr = m, .nx = HALF, .ny = N, .ld = N, .elem = sizeof *m };
	error = xy_matrix_register(rt, &halves[0], &half);
	half.ptr = m + HALF;
	error = error || xy_matrix_register(rt, &halves[1], &half);
	expect(m && !error, "registering a matrix");
	xy_submit(rt, &(struct xy_task_desc){ .codelet = &fill, .handles = { halves[0] }, .arg = &left });
	xy_submit(rt, &(struct xy_task_desc){ .codelet = &fill, .handles = { halves[1] }, .arg = &right });
	error = xy_unregister(&halves[0]) || xy_unregister(&halves[1]);
	expect(!error && m[HALF - 1] == 1 && m[HALF] == 2 && m[N * N - 1] == 2, "two halves of a matrix");
	free(m);
}

/* --- a sparse matrix --- */

/* y = m * x, with m in compressed rows */
static int product_cpu(struct xy_call *call)
{
	const struct xy_csr *m = xy_csr_at(call, 0);
	const double *values = m->nzval, *x = xy_pointer(call, 1);
	double *y = xy_pointer(call, 2);

	for (size_t row = 0; row < m->nrow; row++) {
		y[row] = 0;
		for (uint32_t i = m->rowptr[row]; i < m->rowptr[row + 1]; i++)
			y[row] += values[i] * x[m->colind[i]];
	}
	return 0;
}

static const struct xy_codelet product = {
	.name = "product",
	.cpu = { product_cpu },
	.modes = { XY_R, XY_R, XY_W },
};

static void sparse(struct xy_runtime *rt)
{
	double values[] = { 2, 3, 4 }, x[] = { 1, 10, 100 }, y[2];
	uint32_t columns[] = { 0, 2, 1 }, rows[] = { 0, 2, 3 };
	struct xy_handle *m = NULL, *hx = NULL, *hy = NULL;
	int error;

	/* 2 0 3
	 * 0 4 0 */
	error = xy_csr_register(rt, &m,
				&(struct xy_csr){ .nzval = values,
						  .colind = columns,
						  .rowptr = rows,
						  .nnz = 3,
						  .nrow = 2,
						  .elem = sizeof *values });
	error = error || xy_vector_register(rt, &hx, x, 3, sizeof *x) || xy_vector_register(rt, &hy, y, 2, sizeof *y);
	expect(!error, "registering a sparse matrix");
	xy_submit(rt, &(struct xy_task_desc){ .codelet = &product, .handles = { m, hx, hy } });
	error = xy_unregister(&m) || xy_unregister(&hx) || xy_unregister(&hy);
	expect(!error && y[0] == 302 && y[1] == 40, "a product with a sparse matrix");
}

/* --- content as bytes --- */

static void pack(struct xy_runtime *rt)
{
	float padded[] = { 1, 2, 0, 3, 4, 0 }, other[] = { 0, 0, 0, 0 };
	const struct xy_matrix gaps = { .ptr = padded, .nx = 2, .ny = 2, .ld = 3, .elem = sizeof *padded };
	const struct xy_matrix dense = { .ptr = other, .nx = 2, .ny = 2, .elem = sizeof *other };
	struct xy_handle *from = NULL, *to = NULL;
	size_t size = 0;
	char *bytes;
	int error;

	error = xy_matrix_register(rt, &from, &gaps) || xy_matrix_register(rt, &to, &dense) ||
		xy_handle_packed_size(from, &size);
	bytes = malloc(size);
	expect(!error && bytes && size == 4 * sizeof(float), "the size of a packed matrix");
	error = xy_acquire(from, XY_R);
	if (!error) {
		error = xy_pack(from, bytes, size);
		xy_release(from);
	}
	/* here the bytes could go through a file or to another process */
	error = error || xy_acquire(to, XY_W);
	if (!error) {
		error = xy_unpack(to, bytes, size);
		xy_release(to);
	}
	free(bytes);
	error = error || xy_unregister(&from) || xy_unregister(&to);
	expect(!error && other[0] == 1 && other[1] == 2 && other[2] == 3 && other[3] == 4, "packing and unpacking");
}

/* --- temporary data --- */

static void temporary_data(struct xy_runtime *rt)
{
	struct xy_handle *temporary = NULL, *h = NULL;
	double x = 2, one = 1;
	int error;

	error = xy_variable_register(rt, &temporary, NULL, sizeof x) || xy_variable_register(rt, &h, &x, sizeof x);
	expect(!error, "registering temporary data");
	xy_submit(rt, &(struct xy_task_desc){ .codelet = &set, .handles = { temporary }, .arg = &one });
	xy_submit(rt, &(struct xy_task_desc){ .codelet = &add, .handles = { temporary, h } });
	error = xy_unregister_submit(&temporary); /* its memory is freed after the second task */
	error = error || xy_unregister(&h) || xy_wait(rt);
	expect(!error && !temporary && x == 3, "temporary data");
}

/* --- the application's turn --- */

static void acquire(struct xy_runtime *rt)
{
	double x = 0, one = 1;
	struct xy_handle *h;
	int error = xy_variable_register(rt, &h, &x, sizeof x);

	expect(!error, "registering a variable");
	xy_submit(rt, &(struct xy_task_desc){ .codelet = &set, .handles = { h }, .arg = &one });
	error = xy_acquire(h, XY_RW); /* waits for the task above */
	if (!error) {
		x += 10;
		xy_release(h);
	}
	xy_submit(rt, &(struct xy_task_desc){ .codelet = &add, .handles = { h, h } });
	error = error ? error : xy_unregister(&h);
	expect(!error && x == 22, "acquire and release");
}

/* --- memory of the runtime, as a vector and as scratch --- */

static int reverse_cpu(struct xy_call *call)
{
	const struct xy_vector *v = xy_vector_at(call, 0);
	int *numbers = v->ptr, *scratch = xy_pointer(call, 1);

	for (size_t i = 0; i < v->n; i++)
		scratch[v->n - 1 - i] = numbers[i];
	memcpy(numbers, scratch, v->n * v->elem);
	return 0;
}

static const struct xy_codelet reverse = {
	.name = "reverse",
	.cpu = { reverse_cpu },
	.modes = { XY_RW, XY_SCRATCH },
};

static void scratch(struct xy_runtime *rt)
{
	struct xy_handle *numbers = NULL, *room = NULL;
	int error, *p;

	/* NULL: the runtime has the memory, from the first use to the end of the handle. */
	error = xy_vector_register(rt, &numbers, NULL, 5, sizeof(int)) ||
		xy_vector_register(rt, &room, NULL, 5, sizeof(int)) || xy_acquire(numbers, XY_W);
	expect(!error, "a vector without memory of ours");
	p = xy_handle_pointer(numbers);
	for (int i = 0; i < 5; i++)
		p[i] = i;
	xy_release(numbers);
	for (int i = 0; i < 3; i++)
		xy_submit(rt, &(struct xy_task_desc){ .codelet = &reverse, .handles = { numbers, room } });
	error = xy_acquire(numbers, XY_R);
	expect(!error && p[0] == 4 && p[4] == 0, "reversing with scratch");
	xy_release(numbers);
	expect(!xy_unregister(&numbers) && !xy_unregister(&room), "unregistering");
}

/* --- in any order, one at a time --- */

static int accumulate_cpu(struct xy_call *call)
{
	*(long *)xy_pointer(call, 0) += *(int *)call->arg;
	return 0;
}

static const struct xy_codelet accumulate = {
	.name = "accumulate",
	.cpu = { accumulate_cpu },
	.modes = { XY_RW | XY_COMMUTE },
};

static void commute(struct xy_runtime *rt)
{
	long sum = 0;
	struct xy_handle *h;
	int error = xy_variable_register(rt, &h, &sum, sizeof sum);

	for (int i = 0; i < 100 && !error; i++)
		error = xy_submit(rt,
				  &(struct xy_task_desc){
					  .codelet = &accumulate, .handles = { h }, .arg = &i, .arg_size = sizeof i });
	error = error ? error : xy_unregister(&h);
	expect(!error && sum == 4950, "accumulating");
}

/* --- many accesses, modes per task, dependencies without data --- */

static int count_cpu(struct xy_call *call)
{
	*(unsigned *)call->arg = call->nbuffers;
	return 0;
}

static const struct xy_codelet count = { .name = "count", .cpu = { count_cpu } };

static void at_the_call(struct xy_runtime *rt)
{
	struct xy_handle *x = NULL, *y = NULL;
	unsigned counted = 0;
	int error;

	expect(!xy_void_register(rt, &x) && !xy_void_register(rt, &y), "registering");
	error = xy_submit(rt, &(struct xy_task_desc){ .codelet = &count,
						      .arg = &counted,
						      .accesses = XY_ACCESSES({ x, XY_R }, { y, XY_RW | XY_COMMUTE }),
						      .synchronous = true });
	expect(!error && counted == 2, "modes at the call");
	expect(!xy_unregister(&x) && !xy_unregister(&y), "unregistering");
}

static void many(struct xy_runtime *rt)
{
	enum { MANY = 20 };
	struct xy_access accesses[MANY + 1] = { 0 }; /* one more: it ends at a NULL handle */
	unsigned counted = 0;
	int error = 0;

	for (unsigned i = 0; i < MANY && !error; i++) {
		error = xy_void_register(rt, &accesses[i].handle); /* no data: order only */
		accesses[i].mode = i % 2 ? XY_R : XY_RW;
	}
	expect(!error, "registering handles without data");
	error = xy_submit(rt, &(struct xy_task_desc){
				      .codelet = &count, .arg = &counted, .accesses = accesses, .synchronous = true });
	for (unsigned i = 0; i < MANY; i++)
		xy_unregister(&accesses[i].handle);
	expect(!error && counted == MANY, "many accesses");
}

int main(void)
{
	struct xy_runtime *rt;

	expect(!xy_start(&rt, NULL), "starting");
	order(rt);
	matrix(rt);
	sparse(rt);
	pack(rt);
	temporary_data(rt);
	acquire(rt);
	scratch(rt);
	commute(rt);
	at_the_call(rt);
	many(rt);
	expect(!xy_stop(&rt), "stopping");
	return 0;
}
