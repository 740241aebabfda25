/* SPDX-License-Identifier: MIT */
/*
 * The filter for sparse matrices: a child is a range of rows, with the entries of those. Its rowptr is a piece of the
 * parent's, so that neighbours have one entry of it in common; it is never written, nor copied back.
 */
#include <errno.h>
#include <stdint.h>

#include "core/data/filter.h"
#include "core/util/message.h"

/* Shared by csr and bcsr: an entry of the latter is a block. */
static int rows_nrow(const struct xy_cut *cut, size_t *nrow)
{
	struct xy__message message;

	if (cut->interface == &xy_csr_interface) {
		*nrow = ((const struct xy_csr *)cut->parent)->nrow;
		return 0;
	}
	if (cut->interface == &xy_bcsr_interface) {
		*nrow = ((const struct xy_bcsr *)cut->parent)->nrow;
		return 0;
	}
	xy__message_init(&message, cut->error, cut->error_size);
	xy__message_add(&message, "the filter is for csr and bcsr, not for %s", cut->interface->name);
	return -EINVAL;
}

static int rows_count(const struct xy_cut *cut, unsigned *n)
{
	size_t nrow;
	int error = rows_nrow(cut, &nrow);

	if (error)
		return error;
	return cut->filter->lengths ? xy__range_check_list(cut, *n, nrow) : xy__range_check(cut, *n, nrow);
}

/* The entries of some rows, counted from the first that the parent has. */
static int rows_entries(const struct xy_cut *cut, const uint32_t *rowptr, size_t firstentry, size_t nnz,
			struct xy__range rows, struct xy__range *entries)
{
	uint32_t begin = rowptr[rows.first], end = rowptr[rows.first + rows.length];
	struct xy__message message;

	if (begin >= firstentry && begin <= end && end - firstentry <= nnz) {
		*entries = (struct xy__range){ begin - firstentry, end - begin };
		return 0;
	}
	xy__message_init(&message, cut->error, cut->error_size);
	xy__message_add(&message,
			"rowptr says that rows %zu to %zu are entries %u to %u, but there are %zu from %zu on",
			rows.first, rows.first + rows.length - 1, begin, end, nnz, firstentry);
	return -EINVAL;
}

/* An array without entries may have no memory. */
static void *rows_at(void *array, size_t bytes)
{
	return array ? (char *)array + bytes : NULL;
}

static int rows_csr(const struct xy_cut *cut, struct xy__range rows)
{
	const struct xy_csr *parent = cut->parent;
	struct xy_csr *child = cut->child;
	struct xy__range entries;
	int error = rows_entries(cut, parent->rowptr, parent->firstentry, parent->nnz, rows, &entries);

	if (error)
		return error;
	*child = (struct xy_csr){
		.nzval = rows_at(parent->nzval, entries.first * parent->elem),
		.colind = rows_at(parent->colind, entries.first * sizeof *parent->colind),
		.rowptr = parent->rowptr + rows.first,
		.nnz = entries.length,
		.nrow = rows.length,
		.firstentry = parent->firstentry + entries.first,
		.elem = parent->elem,
	};
	return 0;
}

static int rows_bcsr(const struct xy_cut *cut, struct xy__range rows)
{
	const struct xy_bcsr *parent = cut->parent;
	struct xy_bcsr *child = cut->child;
	struct xy__range entries;
	int error = rows_entries(cut, parent->rowptr, parent->firstentry, parent->nnz, rows, &entries);

	if (error)
		return error;
	*child = *parent;
	child->nzval = rows_at(parent->nzval, entries.first * parent->r * parent->c * parent->elem);
	child->colind = rows_at(parent->colind, entries.first * sizeof *parent->colind);
	child->rowptr = parent->rowptr + rows.first;
	child->nnz = entries.length;
	child->nrow = rows.length;
	child->firstentry = parent->firstentry + entries.first;
	return 0;
}

static int rows_child(const struct xy_cut *cut)
{
	struct xy__range rows;
	size_t nrow;
	int error = rows_nrow(cut, &nrow);

	if (error)
		return error;
	rows = cut->filter->lengths ? xy__range_of_list(cut->filter->lengths, cut->i) : xy__range(cut->i, cut->n, nrow);
	return cut->interface == &xy_csr_interface ? rows_csr(cut, rows) : rows_bcsr(cut, rows);
}

const struct xy_filter_ops xy_filter_rows = {
	.name = "rows",
	.reads = true,
	.constant = 1 << 2, /* rowptr */
	.count = rows_count,
	.child = rows_child,
};
