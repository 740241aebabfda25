/* SPDX-License-Identifier: MIT */
/*
 * tensor: an array of four dimensions.
 */
#include "core/data/array.h"

static struct xy__array tensor_array(const struct xy_tensor *tensor)
{
	return (struct xy__array){
		4,
		{ tensor->nx, tensor->ny, tensor->nz, tensor->nt },
		{ 1, tensor->ldy, tensor->ldz, tensor->ldt },
		tensor->elem,
	};
}

static unsigned tensor_parts(const void *view, struct xy_part parts[XY_NPARTS])
{
	struct xy__array array = tensor_array(view);

	return xy__array_part(&array, offsetof(struct xy_tensor, ptr), parts);
}

static void tensor_compact(void *view)
{
	struct xy_tensor *tensor = view;

	tensor->ldy = tensor->nx;
	tensor->ldz = tensor->ldy * tensor->ny;
	tensor->ldt = tensor->ldz * tensor->nz;
}

static int tensor_check(const void *view, char *error, size_t error_size)
{
	struct xy__array array = tensor_array(view);

	return xy__array_check(&array, error, error_size);
}

int xy_tensor_register(struct xy_runtime *rt, struct xy_handle **h, const struct xy_tensor *tensor)
{
	struct xy_tensor view;

	if (tensor) {
		view = *tensor;
		view.ldy = view.ldy ? view.ldy : view.nx;
		view.ldz = view.ldz ? view.ldz : view.ldy * view.ny;
		view.ldt = view.ldt ? view.ldt : view.ldz * view.nz;
	}
	return xy_register(rt, h, &xy_tensor_interface, tensor ? &view : NULL);
}

const struct xy_interface xy_tensor_interface = {
	.name = "tensor",
	.view_size = sizeof(struct xy_tensor),
	.parts = tensor_parts,
	.compact = tensor_compact,
	.check = tensor_check,
};
