/* SPDX-License-Identifier: MIT */
/* The double of cuSPARSE: handles only. */
#include "libraries.h"

int cusparseCreate(struct double_handle **handle);
int cusparseDestroy(struct double_handle *handle);
int cusparseSetStream(struct double_handle *handle, struct CUstream_st *stream);

int cusparseCreate(struct double_handle **handle)
{
	return double_handle_create(handle);
}

int cusparseDestroy(struct double_handle *handle)
{
	return double_handle_destroy(handle);
}

int cusparseSetStream(struct double_handle *handle, struct CUstream_st *stream)
{
	handle->stream = stream;
	return 0;
}
