/* SPDX-License-Identifier: MIT */
/*
 * An interface of one's own: complex numbers whose real and imaginary parts are in two arrays. The runtime
 * moves, allocates and packs them as it does its own shapes; see doc/data.md. A filter of one's own cuts them; see
 * doc/partition.md.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <xylem.h>
#include <xylem/interface.h>

/* The view of codelets. */
struct complexes {
	double *real, *imaginary;
	size_t n;
};

static unsigned complexes_parts(const void *view, struct xy_part parts[XY_NPARTS])
{
	const struct complexes *z = view;

	parts[0] = (struct xy_part){ .pointer = offsetof(struct complexes, real) };
	parts[1] = (struct xy_part){ .pointer = offsetof(struct complexes, imaginary) };
	parts[0].row_bytes = parts[1].row_bytes = z->n * sizeof(double);
	return 2;
}

/* An overflowing size must be found before parts is called. */
static int complexes_check(const void *view, char *error, size_t error_size)
{
	const struct complexes *z = view;

	if (z->n <= SIZE_MAX / sizeof(double))
		return 0;
	snprintf(error, error_size, "%zu numbers are too many", z->n);
	return -EOVERFLOW;
}

static const struct xy_interface complexes_interface = {
	.name = "complexes",
	.view_size = sizeof(struct complexes),
	.parts = complexes_parts,
	.check = complexes_check,
};

/* The i-th of n ranges of nearly equal length. */
static int complexes_range(const struct xy_cut *cut)
{
	const struct complexes *z = cut->parent;
	struct complexes *child = cut->child;
	size_t first = z->n * cut->i / cut->n, end = z->n * (cut->i + 1) / cut->n;

	if (first == end) {
		snprintf(cut->error, cut->error_size, "it would be empty");
		return -EINVAL;
	}
	*child = (struct complexes){ z->real + first, z->imaginary + first, end - first };
	return 0;
}

static const struct xy_filter_ops complexes_ranges = {
	.name = "ranges",
	.interface = &complexes_interface,
	.child = complexes_range,
};

/* z = z * w */
static int multiply_cpu(struct xy_call *call)
{
	const struct complexes *z = call->buffers[0], *w = call->buffers[1];

	for (size_t i = 0; i < z->n; i++) {
		double real = z->real[i] * w->real[i] - z->imaginary[i] * w->imaginary[i];

		z->imaginary[i] = z->real[i] * w->imaginary[i] + z->imaginary[i] * w->real[i];
		z->real[i] = real;
	}
	return 0;
}

static const struct xy_codelet multiply = {
	.name = "multiply",
	.cpu = { multiply_cpu },
	.modes = { XY_RW, XY_R },
};

int main(void)
{
	double real[] = { 1, 3 }, imaginary[] = { 2, -1 }, packed[4] = { 0 };
	double factor_real[] = { 2, 1 }, factor_imaginary[] = { 1, 1 };
	struct complexes numbers = { real, imaginary, 2 }, factors = { factor_real, factor_imaginary, 2 };
	const struct xy_filter halves = { .ops = &complexes_ranges, .n = 2 };
	struct xy_runtime *rt;
	struct xy_handle *z, *w, *z_halves[2], *w_halves[2];
	int error;

	if (xy_start(&rt, NULL) || xy_register(rt, &z, &complexes_interface, &numbers) ||
	    xy_register(rt, &w, &complexes_interface, &factors))
		return 1;
	xy_submit(rt, &(struct xy_task_desc){ .codelet = &multiply, .handles = { z, w } });
	/* Once more, in two tasks that may run beside each other. */
	error = xy_partition(z, &halves, z_halves, 2) || xy_partition(w, &halves, w_halves, 2);
	for (int i = 0; i < 2 && !error; i++)
		xy_submit(rt, &(struct xy_task_desc){ .codelet = &multiply, .handles = { z_halves[i], w_halves[i] } });
	error = error || xy_unpartition(z) || xy_unpartition(w) || xy_acquire(z, XY_R);
	if (!error) {
		error = xy_pack(z, packed, sizeof packed);
		xy_release(z);
	}
	error = error || xy_unregister(&z) || xy_unregister(&w);
	for (int i = 0; i < 2; i++)
		printf("%g%+gi\n", real[i], imaginary[i]);
	printf("packed: %g %g %g %g\n", packed[0], packed[1], packed[2], packed[3]);
	error = error || real[0] != -5 || imaginary[0] != 10 || real[1] != 2 || imaginary[1] != 6;
	return xy_stop(&rt) || error;
}
