/* SPDX-License-Identifier: MIT */
/*
 * Arrays of any number of dimensions. StarPU's struct has pointers to its sizes, and views are copied byte by byte:
 * so sizes are kept once for each combination of values, and live as long as the library.
 */
#include "internal.h"

struct sizes {
	struct sizes *next;
	size_t n;
	uint32_t values[];
};

static pthread_mutex_t sizes_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sizes *all_sizes;

uint32_t *xs_sizes(const uint32_t *values, size_t n)
{
	struct sizes *s;

	pthread_mutex_lock(&sizes_lock);
	for (s = all_sizes; s; s = s->next)
		if (s->n == n && (!n || !memcmp(s->values, values, n * sizeof *values)))
			break;
	if (!s && (s = malloc(sizeof *s + (n ? n : 1) * sizeof *values))) {
		s->n = n;
		if (n)
			memcpy(s->values, values, n * sizeof *values);
		s->next = all_sizes;
		all_sizes = s;
	}
	pthread_mutex_unlock(&sizes_lock);
	return s ? s->values : NULL;
}

unsigned xs_ndim_parts(const void *view, struct xy_part *parts)
{
	const struct starpu_ndim_interface *a = view;

	*parts = (struct xy_part){ .pointer = offsetof(struct starpu_ndim_interface, ptr),
				   .row_bytes = (a->ndim ? a->nn[0] : 1) * a->elemsize };
	for (size_t d = 1; d < a->ndim; d++) {
		parts->count[parts->ndims] = a->nn[d];
		parts->stride[parts->ndims++] = a->ldn[d] * a->elemsize;
	}
	return 1;
}

void xs_ndim_compact(void *view)
{
	struct starpu_ndim_interface *a = view;
	uint32_t ldn[XY_NDIMS] = { 1 }, *kept;

	for (size_t d = 1; d < a->ndim; d++)
		ldn[d] = ldn[d - 1] * a->nn[d - 1];
	kept = xs_sizes(ldn, a->ndim);
	if (kept)
		a->ldn = kept;
}

void starpu_ndim_data_register(starpu_data_handle_t *handleptr, int home_node, uintptr_t ptr, uint32_t *ldn,
			       uint32_t *nn, size_t ndim, size_t elemsize)
{
	struct starpu_ndim_interface a = { .id = STARPU_NDIM_INTERFACE_ID, .ndim = ndim, .elemsize = elemsize };
	uint32_t dense[XY_NDIMS] = { 1 };

	*handleptr = NULL;
	if (ndim > XY_NDIMS || (ndim && !nn)) {
		xs_fail(-EINVAL, "starpu_ndim_data_register: %zu dimensions; there can be up to %d", ndim, XY_NDIMS);
		return;
	}
	for (size_t d = 1; d < ndim; d++)
		dense[d] = dense[d - 1] * nn[d - 1];
	a.nn = xs_sizes(nn, ndim);
	a.ldn = xs_sizes(ldn && home_node >= 0 ? ldn : dense, ndim);
	a.allocsize = elemsize;
	for (size_t d = 0; d < ndim; d++)
		a.allocsize *= nn[d];
	if (!a.nn || !a.ldn) {
		xs_fail(-ENOMEM, "starpu_ndim_data_register: no memory");
		return;
	}
	a.ptr = a.dev_handle = home_node < 0 ? 0 : ptr;
	starpu_data_register(handleptr, home_node, &a, &starpu_interface_ndim_ops);
}

static const struct starpu_ndim_interface *view_of(starpu_data_handle_t handle)
{
	return xy_handle_view(handle->xy);
}

uint32_t *starpu_ndim_get_nn(starpu_data_handle_t handle)
{
	return view_of(handle)->nn;
}

uint32_t starpu_ndim_get_ni(starpu_data_handle_t handle, size_t i)
{
	return view_of(handle)->nn[i];
}

uint32_t *starpu_ndim_get_local_ldn(starpu_data_handle_t handle)
{
	return view_of(handle)->ldn;
}

uint32_t starpu_ndim_get_local_ldi(starpu_data_handle_t handle, size_t i)
{
	return view_of(handle)->ldn[i];
}

uintptr_t starpu_ndim_get_local_ptr(starpu_data_handle_t handle)
{
	return view_of(handle)->ptr;
}

size_t starpu_ndim_get_ndim(starpu_data_handle_t handle)
{
	return view_of(handle)->ndim;
}

size_t starpu_ndim_get_elemsize(starpu_data_handle_t handle)
{
	return view_of(handle)->elemsize;
}
