/* SPDX-License-Identifier: MIT */
/*
 * StarPU's functions for CUDA that need the runtime: streams and handles of libraries of the worker that calls. Those
 * that only call CUDA are in the header, so that CUDA is not needed here.
 */
#include "internal.h"
#include <xylem/cuda.h>

struct CUstream_st *starpu_cuda_get_local_stream(void);
struct cublasContext *starpu_cublas_get_local_handle(void);
struct cusparseContext *starpu_cusparse_get_local_handle(void);
struct cusolverDnContext *starpu_cusolverDn_get_local_handle(void);

/* The call that runs in this thread on a CUDA worker, or NULL. */
static const struct xy_call *cuda_call(void)
{
	const struct xy_call *call = xs_thread.call;

	return call && starpu_worker_get_type((int)call->worker) == STARPU_CUDA_WORKER ? call : NULL;
}

struct CUstream_st *starpu_cuda_get_local_stream(void)
{
	return cuda_call() ? xy_cuda_stream(cuda_call()) : NULL;
}

struct cublasContext *starpu_cublas_get_local_handle(void)
{
	return cuda_call() ? xy_cublas(cuda_call()) : NULL;
}

struct cusparseContext *starpu_cusparse_get_local_handle(void)
{
	return cuda_call() ? xy_cusparse(cuda_call()) : NULL;
}

struct cusolverDnContext *starpu_cusolverDn_get_local_handle(void)
{
	return cuda_call() ? xy_cusolver(cuda_call()) : NULL;
}

/* --- handles are made here, or at the first use --- */

static int make_blas(struct xy_call *call)
{
	return xy_cublas(call) ? 0 : -ENOSYS;
}

static int make_sparse(struct xy_call *call)
{
	return xy_cusparse(call) ? 0 : -ENOSYS;
}

static int make_solver(struct xy_call *call)
{
	return xy_cusolver(call) ? 0 : -ENOSYS;
}

static void make(xy_function *function, const char *what)
{
	int error = starpu_cuda_worker_get_count() ? xy_on_each_worker(xs_global.rt, XY_ON_CUDA, function, NULL) : 0;

	if (error)
		xs_fail(error, "%s: %s", what, strerror(-error));
}

void starpu_cublas_init(void)
{
	make(make_blas, "starpu_cublas_init");
}

void starpu_cusparse_init(void)
{
	make(make_sparse, "starpu_cusparse_init");
}

void starpu_cusolver_init(void)
{
	make(make_solver, "starpu_cusolver_init");
}

/* The runtime destroys its handles when it stops. */
void starpu_cublas_shutdown(void)
{
}

void starpu_cusparse_shutdown(void)
{
}

void starpu_cusolver_shutdown(void)
{
}

/* A worker's handle is on its stream from the beginning. */
void starpu_cublas_set_stream(void)
{
}

void starpu_xylem_report_error(const char *func, const char *file, int line, const char *text)
{
	xs_fail(-EIO, "%s:%d: %s: %s", file, line, func, text);
	if (xs_thread.call)
		xs_thread.error = -EIO;
}
