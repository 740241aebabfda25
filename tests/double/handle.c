/* SPDX-License-Identifier: MIT */
/* Handles of the doubles of cuBLAS, cuSOLVER and cuSPARSE: in the double of libcudart, to be counted together. */
#include <stdatomic.h>
#include <stdlib.h>

#include "libraries.h"

static _Atomic unsigned handles_live, handles_made;
static _Atomic int handles_error;

int double_handle_create(struct double_handle **handle)
{
	int error = atomic_exchange(&handles_error, 0);

	if (error)
		return error;
	*handle = calloc(1, sizeof **handle);
	if (!*handle)
		return 3;
	atomic_fetch_add(&handles_live, 1);
	atomic_fetch_add(&handles_made, 1);
	return 0;
}

int double_handle_destroy(struct double_handle *handle)
{
	if (!handle)
		return 1;
	atomic_fetch_sub(&handles_live, 1);
	free(handle);
	return 0;
}

unsigned cudart_double_handles(void)
{
	return atomic_load(&handles_live);
}

unsigned cudart_double_handles_made(void)
{
	return atomic_load(&handles_made);
}

void cudart_double_fail_handle(int error)
{
	atomic_store(&handles_error, error);
}
