/* SPDX-License-Identifier: MIT */
/*
 * matrix: lines of elements, with a distance between their beginnings.
 */
#include "core/data/array.h"

static struct xy__array matrix_array(const struct xy_matrix *matrix)
{
	return (struct xy__array){ 2, { matrix->nx, matrix->ny }, { 1, matrix->ld }, matrix->elem };
}

static unsigned matrix_parts(const void *view, struct xy_part parts[XY_NPARTS])
{
	struct xy__array array = matrix_array(view);

	return xy__array_part(&array, offsetof(struct xy_matrix, ptr), parts);
}

static void matrix_compact(void *view)
{
	struct xy_matrix *matrix = view;

	matrix->ld = matrix->nx;
}

static int matrix_check(const void *view, char *error, size_t error_size)
{
	struct xy__array array = matrix_array(view);

	return xy__array_check(&array, error, error_size);
}

int xy_matrix_register(struct xy_runtime *rt, struct xy_handle **h, const struct xy_matrix *matrix)
{
	struct xy_matrix view;

	if (matrix) {
		view = *matrix;
		view.ld = view.ld ? view.ld : view.nx;
	}
	return xy_register(rt, h, &xy_matrix_interface, matrix ? &view : NULL);
}

const struct xy_interface xy_matrix_interface = {
	.name = "matrix",
	.view_size = sizeof(struct xy_matrix),
	.parts = matrix_parts,
	.compact = matrix_compact,
	.check = matrix_check,
};
