/* SPDX-License-Identifier: MIT */
/*
 * Dense arrays: the checks of their sizes, and their description in bytes.
 */
#include "core/data/array.h"

#include <errno.h>

#include "core/util/message.h"

int xy__array_check(const struct xy__array *array, char *error, size_t error_size)
{
	struct xy__message message;
	size_t extent = 1;

	xy__message_init(&message, error, error_size);
	for (unsigned d = 0; d < array->ndims; d++) {
		if (!array->n[d] || !array->elem) {
			xy__message_add(&message, "a size is 0");
			return -EINVAL;
		}
		if (array->ld[d] < extent) {
			xy__message_add(&message, "leading dimension %u is %zu, less than the %zu elements below it", d,
					array->ld[d], extent);
			return -EINVAL;
		}
		if (__builtin_mul_overflow(array->ld[d], array->n[d], &extent)) {
			xy__message_add(&message, "the number of elements does not fit");
			return -EOVERFLOW;
		}
	}
	if (__builtin_mul_overflow(extent, array->elem, &extent)) {
		xy__message_add(&message, "the size in bytes does not fit");
		return -EOVERFLOW;
	}
	return 0;
}

unsigned xy__array_part(const struct xy__array *array, size_t pointer, struct xy_part *part)
{
	part->pointer = pointer;
	part->row_bytes = array->n[0] * array->elem;
	part->ndims = array->ndims - 1;
	for (unsigned d = 1; d < array->ndims; d++) {
		part->count[d - 1] = array->n[d];
		part->stride[d - 1] = array->ld[d] * array->elem;
	}
	return 1;
}
