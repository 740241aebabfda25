/* SPDX-License-Identifier: MIT */
/*
 * vector: elements one after the other.
 */
#include "core/data/array.h"

static struct xy__array vector_array(const struct xy_vector *vector)
{
	return (struct xy__array){ 1, { vector->n }, { 1 }, vector->elem };
}

static unsigned vector_parts(const void *view, struct xy_part parts[XY_NPARTS])
{
	struct xy__array array = vector_array(view);

	return xy__array_part(&array, offsetof(struct xy_vector, ptr), parts);
}

static int vector_check(const void *view, char *error, size_t error_size)
{
	struct xy__array array = vector_array(view);

	return xy__array_check(&array, error, error_size);
}

int xy_vector_register(struct xy_runtime *rt, struct xy_handle **h, void *ptr, size_t n, size_t elem)
{
	return xy_register(rt, h, &xy_vector_interface, &(struct xy_vector){ ptr, n, elem });
}

const struct xy_interface xy_vector_interface = {
	.name = "vector",
	.view_size = sizeof(struct xy_vector),
	.parts = vector_parts,
	.check = vector_check,
};
