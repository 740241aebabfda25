/* SPDX-License-Identifier: MIT */
/*
 * coo: a sparse matrix as values with their coordinates.
 */
#include <errno.h>

#include "core/data/sparse.h"
#include "core/util/message.h"

static unsigned coo_parts(const void *view, struct xy_part parts[XY_NPARTS])
{
	const struct xy_coo *coo = view;

	parts[0] = xy__sparse_part(offsetof(struct xy_coo, values), coo->n_values, coo->elem);
	parts[1] = xy__sparse_part(offsetof(struct xy_coo, columns), coo->n_values, sizeof *coo->columns);
	parts[2] = xy__sparse_part(offsetof(struct xy_coo, rows), coo->n_values, sizeof *coo->rows);
	return 3;
}

static int coo_check(const void *view, char *error, size_t error_size)
{
	const struct xy_coo *coo = view;
	struct xy__message message;
	int status;

	if (!coo->nx || !coo->ny || !coo->elem) {
		xy__message_init(&message, error, error_size);
		xy__message_add(&message, "the number of columns or rows, or the size of the values is 0");
		return -EINVAL;
	}
	status = xy__sparse_check_index("columns", 0, coo->nx, error, error_size);
	if (!status)
		status = xy__sparse_check_index("rows", 0, coo->ny, error, error_size);
	if (!status)
		status = xy__sparse_check_bytes(coo->n_values, coo->elem, error, error_size);
	return status ? status : xy__sparse_check_bytes(coo->n_values, sizeof *coo->rows, error, error_size);
}

int xy_coo_register(struct xy_runtime *rt, struct xy_handle **h, const struct xy_coo *coo)
{
	return xy_register(rt, h, &xy_coo_interface, coo);
}

const struct xy_interface xy_coo_interface = {
	.name = "coo",
	.view_size = sizeof(struct xy_coo),
	.parts = coo_parts,
	.check = coo_check,
};
