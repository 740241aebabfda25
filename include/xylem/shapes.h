/* SPDX-License-Identifier: MIT */
/*
 * The predefined shapes of data: the struct that codelets see, and the registration of each. Define your own with
 * <xylem/interface.h>. Included by <xylem/data.h>.
 */
#ifndef XYLEM_SHAPES_H
#define XYLEM_SHAPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xy_runtime;
struct xy_handle;

#define XY_NDIMS 8 /* dimensions of an array */

/*
 * Registration creates a handle for memory that the application owns and must not access until
 * unregistration, except inside tasks or between acquire and release.
 * If all pointers are NULL, the runtime allocates zeroed memory at first use and frees it at
 * unregistration. Returns 0 or -EINVAL, -ENOMEM, -EOVERFLOW. Any thread.
 *
 * Sizes and ld* count elements; elem is the size of an element in bytes. The struct that codelets see begins
 * with the pointer to the elements. A shape with more than three sizes (ld* and elem included) is registered with that
 * struct, which is copied; the others take their sizes as arguments:
 *
 * 	xy_matrix_register(rt, &h, &(struct xy_matrix){ .ptr = m, .nx = 8, .ny = 4, .elem = sizeof *m });
 *
 * In the struct, an ld* of 0 means dense: no gap below that dimension. In C++17, fill in a variable and pass its
 * address.
 */

/* --- dense --- */

struct xy_variable {
	void *ptr;
	size_t size;
};
struct xy_vector {
	void *ptr;
	size_t n, elem;
};
struct xy_matrix {
	void *ptr;
	size_t nx, ny, ld, elem;
};
struct xy_block {
	void *ptr;
	size_t nx, ny, nz, ldy, ldz, elem;
};
struct xy_tensor {
	void *ptr;
	size_t nx, ny, nz, nt, ldy, ldz, ldt, elem;
};
struct xy_ndim {
	void *ptr;
	size_t ndims, n[XY_NDIMS], ld[XY_NDIMS], elem;
};

/* size bytes; n elements in a row. */
int xy_variable_register(struct xy_runtime *rt, struct xy_handle **h, void *ptr, size_t size);
int xy_vector_register(struct xy_runtime *rt, struct xy_handle **h, void *ptr, size_t n, size_t elem);
/* x is the contiguous dimension; element (x, y) is at ptr + (x + y * ld) * elem; ld >= nx, or 0. */
int xy_matrix_register(struct xy_runtime *rt, struct xy_handle **h, const struct xy_matrix *matrix);
/* Element (x, y, z) is at ptr + (x + y * ldy + z * ldz) * elem; ldy >= nx, or 0; ldz >= ldy * ny, or 0. */
int xy_block_register(struct xy_runtime *rt, struct xy_handle **h, const struct xy_block *block);
/* A block with a fourth dimension, t; ldt >= ldz * nz, or 0. */
int xy_tensor_register(struct xy_runtime *rt, struct xy_handle **h, const struct xy_tensor *tensor);
/*
 * 1 to XY_NDIMS dimensions: element i[] is at ptr + (i[0] * ld[0] + i[1] * ld[1] + ...) * elem. ld[0] is 1, or 0 for
 * 1; ld[d] >= ld[d - 1] * n[d - 1], or 0. Entries from ndims on are ignored.
 */
int xy_ndim_register(struct xy_runtime *rt, struct xy_handle **h, const struct xy_ndim *ndim);

/* --- sparse --- */

/* Compressed rows: row i has the entries from rowptr[i] - firstentry to rowptr[i + 1] - firstentry of nzval
 * and colind. nnz entries, which may be 0, and nrow + 1 in rowptr. */
struct xy_csr {
	void *nzval;
	uint32_t *colind, *rowptr;
	size_t nnz, nrow, firstentry, elem;
};

int xy_csr_register(struct xy_runtime *rt, struct xy_handle **h, const struct xy_csr *csr);

/* csr with dense blocks of r rows and c columns as entries: nnz and nrow count blocks. */
struct xy_bcsr {
	void *nzval;
	uint32_t *colind, *rowptr;
	size_t nnz, nrow, firstentry, r, c, elem;
};

int xy_bcsr_register(struct xy_runtime *rt, struct xy_handle **h, const struct xy_bcsr *bcsr);

/* Values with their coordinates, in any order, of a matrix of nx columns and ny rows. */
struct xy_coo {
	void *values;
	uint32_t *columns, *rows;
	size_t nx, ny, n_values, elem;
};

int xy_coo_register(struct xy_runtime *rt, struct xy_handle **h, const struct xy_coo *coo);

/* --- no data --- */

/* No data: only dependencies. */
int xy_void_register(struct xy_runtime *rt, struct xy_handle **h);

#ifdef __cplusplus
}
#endif
#endif
