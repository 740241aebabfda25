/* SPDX-License-Identifier: MIT */
/*
 * csr: a sparse matrix in compressed rows.
 */
#include <errno.h>

#include "core/data/sparse.h"
#include "core/util/message.h"

static unsigned csr_parts(const void *view, struct xy_part parts[XY_NPARTS])
{
	const struct xy_csr *csr = view;

	parts[0] = xy__sparse_part(offsetof(struct xy_csr, nzval), csr->nnz, csr->elem);
	parts[1] = xy__sparse_part(offsetof(struct xy_csr, colind), csr->nnz, sizeof *csr->colind);
	parts[2] = xy__sparse_part(offsetof(struct xy_csr, rowptr), csr->nrow + 1, sizeof *csr->rowptr);
	return 3;
}

static int csr_check(const void *view, char *error, size_t error_size)
{
	const struct xy_csr *csr = view;
	struct xy__message message;
	int status;

	if (!csr->nrow || !csr->elem) {
		xy__message_init(&message, error, error_size);
		xy__message_add(&message, "the number of rows or the size of the elements is 0");
		return -EINVAL;
	}
	status = xy__sparse_check_index("entries", csr->firstentry, csr->nnz, error, error_size);
	if (!status)
		status = xy__sparse_check_index("rows", 0, csr->nrow, error, error_size);
	return status ? status : xy__sparse_check_bytes(csr->nnz, csr->elem, error, error_size);
}

int xy_csr_register(struct xy_runtime *rt, struct xy_handle **h, const struct xy_csr *csr)
{
	return xy_register(rt, h, &xy_csr_interface, csr);
}

const struct xy_interface xy_csr_interface = {
	.name = "csr",
	.view_size = sizeof(struct xy_csr),
	.parts = csr_parts,
	.check = csr_check,
};
