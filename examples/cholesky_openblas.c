/* SPDX-License-Identifier: MIT */
/*
 * The number of threads inside a call of BLAS, for OpenBLAS.
 */
#include "cholesky.h"

#include <cblas.h>

unsigned kernels_blas_threads(unsigned n)
{
	openblas_set_num_threads((int)n);
	return (unsigned)openblas_get_num_threads();
}
