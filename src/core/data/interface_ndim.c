/* SPDX-License-Identifier: MIT */
/*
 * ndim: an array of up to XY_NDIMS dimensions. In the view, sizes of dimensions that are not there are 0.
 */
#include <errno.h>
#include <string.h>

#include "core/data/array.h"
#include "core/util/message.h"

static struct xy__array ndim_array(const struct xy_ndim *ndim)
{
	struct xy__array array = { .ndims = (unsigned)ndim->ndims, .elem = ndim->elem };

	memcpy(array.n, ndim->n, sizeof array.n);
	memcpy(array.ld, ndim->ld, sizeof array.ld);
	return array;
}

static unsigned ndim_parts(const void *view, struct xy_part parts[XY_NPARTS])
{
	struct xy__array array = ndim_array(view);

	return xy__array_part(&array, offsetof(struct xy_ndim, ptr), parts);
}

static void ndim_compact(void *view)
{
	struct xy_ndim *ndim = view;

	for (unsigned d = 1; d < ndim->ndims; d++)
		ndim->ld[d] = ndim->ld[d - 1] * ndim->n[d - 1];
}

static int ndim_check(const void *view, char *error, size_t error_size)
{
	const struct xy_ndim *ndim = view;
	struct xy__array array = ndim_array(ndim);
	struct xy__message message;

	xy__message_init(&message, error, error_size);
	if (ndim->ndims < 1 || ndim->ndims > XY_NDIMS)
		xy__message_add(&message, "%zu dimensions; there can be 1 to %d", ndim->ndims, XY_NDIMS);
	else if (ndim->ld[0] != 1)
		xy__message_add(&message, "leading dimension 0 is %zu, but must be 1", ndim->ld[0]);
	else
		return xy__array_check(&array, error, error_size);
	return -EINVAL;
}

int xy_ndim_register(struct xy_runtime *rt, struct xy_handle **h, const struct xy_ndim *ndim)
{
	struct xy_ndim view = { 0 };

	if (ndim) {
		view.ptr = ndim->ptr;
		view.ndims = ndim->ndims;
		view.elem = ndim->elem;
	}
	for (unsigned d = 0; d < view.ndims && d < XY_NDIMS; d++) {
		size_t dense = d ? view.ld[d - 1] * view.n[d - 1] : 1;

		view.n[d] = ndim->n[d];
		view.ld[d] = ndim->ld[d] ? ndim->ld[d] : dense;
	}
	return xy_register(rt, h, &xy_ndim_interface, ndim ? &view : NULL);
}

const struct xy_interface xy_ndim_interface = {
	.name = "ndim",
	.view_size = sizeof(struct xy_ndim),
	.parts = ndim_parts,
	.compact = ndim_compact,
	.check = ndim_check,
};
