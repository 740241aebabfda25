/* SPDX-License-Identifier: MIT */
/*
 * bcsr: a sparse matrix of dense blocks in compressed rows.
 */
#include <errno.h>

#include "core/data/sparse.h"
#include "core/util/message.h"

static unsigned bcsr_parts(const void *view, struct xy_part parts[XY_NPARTS])
{
	const struct xy_bcsr *bcsr = view;
	size_t block = bcsr->r * bcsr->c * bcsr->elem;

	parts[0] = xy__sparse_part(offsetof(struct xy_bcsr, nzval), bcsr->nnz, block);
	parts[1] = xy__sparse_part(offsetof(struct xy_bcsr, colind), bcsr->nnz, sizeof *bcsr->colind);
	parts[2] = xy__sparse_part(offsetof(struct xy_bcsr, rowptr), bcsr->nrow + 1, sizeof *bcsr->rowptr);
	return 3;
}

static int bcsr_check(const void *view, char *error, size_t error_size)
{
	const struct xy_bcsr *bcsr = view;
	struct xy__message message;
	int status;

	if (!bcsr->nrow || !bcsr->r || !bcsr->c || !bcsr->elem) {
		xy__message_init(&message, error, error_size);
		xy__message_add(&message, "the number of rows, or the size of the blocks or of the elements is 0");
		return -EINVAL;
	}
	status = xy__sparse_check_index("entries", bcsr->firstentry, bcsr->nnz, error, error_size);
	if (!status)
		status = xy__sparse_check_index("rows", 0, bcsr->nrow, error, error_size);
	if (!status)
		status = xy__sparse_check_bytes(bcsr->r, bcsr->c, error, error_size);
	if (!status)
		status = xy__sparse_check_bytes(bcsr->r * bcsr->c, bcsr->elem, error, error_size);
	if (!status)
		status = xy__sparse_check_bytes(bcsr->nnz, bcsr->r * bcsr->c * bcsr->elem, error, error_size);
	return status;
}

int xy_bcsr_register(struct xy_runtime *rt, struct xy_handle **h, const struct xy_bcsr *bcsr)
{
	return xy_register(rt, h, &xy_bcsr_interface, bcsr);
}

const struct xy_interface xy_bcsr_interface = {
	.name = "bcsr",
	.view_size = sizeof(struct xy_bcsr),
	.parts = bcsr_parts,
	.check = bcsr_check,
};
