/* SPDX-License-Identifier: MIT */
/*
 * The shapes of data that there are: what a codelet sees of each, and how each is registered. More can be
 * added: <xylem/interface.h>. Included by <xylem/data.h>.
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

#define XY_NDIMS 8               /* dimensions of an array */

/*
 * Registration gives a handle for memory that stays the application's and must not be touched
 * between registration and unregistration but inside tasks or between acquire and release.
 * NULL for all pointers lets the runtime allocate the memory, zeroed, at first use and free it at
 * unregistration. Returns 0 or -EINVAL, -ENOMEM, -EOVERFLOW. Any thread.
 *
 * Sizes count elements, ld* too; elem is the size of an element in bytes. What a codelet sees begins with
 * the pointer to the elements. With many sizes, xy_register with such a struct is easier to read:
 *
 *	xy_register(rt, &h, &xy_csr_interface, &(struct xy_csr){ .nzval = values, .colind = ... });
 */

/* --- dense --- */

struct xy_variable { void *ptr; size_t size; };
struct xy_vector { void *ptr; size_t n, elem; };
struct xy_matrix { void *ptr; size_t nx, ny, ld, elem; };
struct xy_block { void *ptr; size_t nx, ny, nz, ldy, ldz, elem; };
struct xy_tensor { void *ptr; size_t nx, ny, nz, nt, ldy, ldz, ldt, elem; };
struct xy_ndim { void *ptr; size_t ndims, n[XY_NDIMS], ld[XY_NDIMS], elem; };

/* size bytes; n elements in a row. */
int xy_variable_register(struct xy_runtime *rt, struct xy_handle **h, void *ptr, size_t size);
int xy_vector_register(struct xy_runtime *rt, struct xy_handle **h, void *ptr, size_t n, size_t elem);
/* x is the contiguous direction; element (x, y) is at ptr + (x + y * ld) * elem; ld >= nx. */
int xy_matrix_register(struct xy_runtime *rt, struct xy_handle **h, void *ptr, size_t ld, size_t nx,
		       size_t ny, size_t elem);
/* Element (x, y, z) is at ptr + (x + y * ldy + z * ldz) * elem; ldy >= nx, ldz >= ldy * ny. */
int xy_block_register(struct xy_runtime *rt, struct xy_handle **h, void *ptr, size_t ldy, size_t ldz,
		      size_t nx, size_t ny, size_t nz, size_t elem);
/* The same with a fourth direction, t; ldt >= ldz * nz. */
int xy_tensor_register(struct xy_runtime *rt, struct xy_handle **h, void *ptr, size_t ldy, size_t ldz,
		       size_t ldt, size_t nx, size_t ny, size_t nz, size_t nt, size_t elem);
/* 1 to XY_NDIMS directions: element i[] is at ptr + (i[0] * ld[0] + i[1] * ld[1] + ...) * elem. ld[0] is 1 and
 * ld[d] >= ld[d - 1] * n[d - 1]; ld == NULL: no gaps. */
int xy_ndim_register(struct xy_runtime *rt, struct xy_handle **h, void *ptr, const size_t *ld,
		     const size_t *n, unsigned ndims, size_t elem);

/* --- sparse --- */

/* Compressed rows: row i has the entries from rowptr[i] - firstentry to rowptr[i + 1] - firstentry of nzval
 * and colind. nnz entries, which may be 0, and nrow + 1 in rowptr. */
struct xy_csr { void *nzval; uint32_t *colind, *rowptr; size_t nnz, nrow, firstentry, elem; };

int xy_csr_register(struct xy_runtime *rt, struct xy_handle **h, void *nzval, uint32_t *colind, uint32_t *rowptr,
		    size_t nnz, size_t nrow, size_t firstentry, size_t elem);

/* The same with dense blocks of r rows and c columns as entries: nnz and nrow count blocks. */
struct xy_bcsr {
	void *nzval;
	uint32_t *colind, *rowptr;
	size_t nnz, nrow, firstentry, r, c, elem;
};

int xy_bcsr_register(struct xy_runtime *rt, struct xy_handle **h, void *nzval, uint32_t *colind, uint32_t *rowptr,
		     size_t nnz, size_t nrow, size_t firstentry, size_t r, size_t c, size_t elem);

/* Values with their coordinates, in any order, of a matrix of nx columns and ny rows. */
struct xy_coo { void *values; uint32_t *columns, *rows; size_t nx, ny, n_values, elem; };

int xy_coo_register(struct xy_runtime *rt, struct xy_handle **h, void *values, uint32_t *columns, uint32_t *rows,
		    size_t nx, size_t ny, size_t n_values, size_t elem);

/* --- nothing --- */

/* No data at all: only dependencies. */
int xy_void_register(struct xy_runtime *rt, struct xy_handle **h);

#ifdef __cplusplus
}
#endif
#endif
