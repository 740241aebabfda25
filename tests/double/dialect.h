/* SPDX-License-Identifier: MIT */
/*
 * Whose library the double plays: CUDA's, unless the header of another one, which renames its functions, was included
 * before.
 */
#ifndef DOUBLE_DIALECT_H
#define DOUBLE_DIALECT_H

#ifndef DOUBLE_PREFIX
#define DOUBLE_PREFIX "cuda"                           /* of functions and errors */
#define DOUBLE_TITLE "CUDA"                            /* in sentences of the driver */
#define DOUBLE_HEADER "xylem/cuda.h"                   /* for codelets */
#define DOUBLE_HOST_ALLOC "cudaHostAlloc"              /* a function */
#define DOUBLE_ALLOCATE "MallocFromPoolAsync"          /* what the driver calls, without the prefix */
#define DOUBLE_VARIABLE(name) "CUDART_DOUBLE_" name    /* of the double */
#define DOUBLE_VISIBLE "CUDA_VISIBLE_DEVICES"          /* the library's own */
#define DOUBLE_VERSION 13000                           /* of the library */
#define DOUBLE_ATTRIBUTE_MAX_PITCH cudaDevAttrMaxPitch /* its number */
#endif

#endif
