/* SPDX-License-Identifier: MIT */
/*
 * Test doubles of the few functions of cuBLAS, cuSOLVER and cuSPARSE that the driver and the examples call: bodies on
 * the host, run by the stream of the handle on the double of libcudart. Matrices are column-major.
 */
#ifndef DOUBLE_LIBRARIES_H
#define DOUBLE_LIBRARIES_H

#include <stddef.h>

#include "cudart_double.h"

/* What a handle of any of these libraries points to. */
struct double_handle {
	struct CUstream_st *stream;
};

/* Creates and destroys one; 0, or an error. */
int double_handle_create(struct double_handle **handle);
int double_handle_destroy(struct double_handle *handle);

/* Handles that have been made and not been destroyed, and how many were made, of all three libraries. */
unsigned cudart_double_handles(void);
unsigned cudart_double_handles_made(void);
/* The next creation fails with this error. */
void cudart_double_fail_handle(int error);

#endif
