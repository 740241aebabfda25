/* SPDX-License-Identifier: MIT */
/* Codelets with CUDA functions, as programs of StarPU's write them, on the test double of CUDA: streams, copies,
 * handles of libraries, errors. */
#include <assert.h>
#include <stdio.h>
#include <starpu.h>
#include <starpu_cublas.h>
#include <starpu_cublas_v2.h>
#include <starpu_cuda.h>
#include <starpu_cusolver.h>
#include <starpu_cusparse.h>

static unsigned runs;

static void clear_cuda(void *buffers[], void *arg)
{
	cudaStream_t stream = starpu_cuda_get_local_stream();
	cudaError_t status;

	(void)arg;
	assert(stream && stream == starpu_cuda_get_current_stream());
	status = cudaMemsetAsync((void *)STARPU_VECTOR_GET_PTR(buffers[0]), 1,
				 STARPU_VECTOR_GET_NX(buffers[0]) * STARPU_VECTOR_GET_ELEMSIZE(buffers[0]), stream);
	if (status != cudaSuccess)
		STARPU_CUDA_REPORT_ERROR(status);
	cudaStreamSynchronize(stream);
	STARPU_ATOMIC_ADD(&runs, 1);
}

static struct starpu_codelet clear_cl = {
	.where = STARPU_CUDA, .cuda_funcs = { clear_cuda }, .nbuffers = 1, .modes = { STARPU_W }
};

/* Copies the first vector to the second, on the device, in one, two and three dimensions. */
static void copy_cuda(void *buffers[], void *arg)
{
	cudaStream_t stream = starpu_cuda_get_local_stream();
	char *from = (char *)STARPU_VECTOR_GET_PTR(buffers[0]), *to = (char *)STARPU_VECTOR_GET_PTR(buffers[1]);
	int node = starpu_worker_get_local_memory_node();

	(void)arg;
	assert(starpu_cuda_copy_async_sync(from, node, to, node, 64, stream, cudaMemcpyDeviceToDevice) == -EAGAIN);
	assert(starpu_cuda_copy_async_sync(from + 64, node, to + 64, node, 64, NULL, cudaMemcpyDeviceToDevice) == 0);
	assert(starpu_cuda_copy2d_async_sync(from + 128, node, to + 128, node, 32, 2, 32, 32, stream,
					     cudaMemcpyDeviceToDevice) == -EAGAIN);
	assert(starpu_cuda_copy3d_async_sync(from + 192, node, to + 192, node, 16, 2, 16, 16, 2, 32, 32, stream,
					     cudaMemcpyDeviceToDevice) == -EAGAIN);
	STARPU_ATOMIC_ADD(&runs, 1);
}

static struct starpu_codelet copy_cl = {
	.cuda_funcs = { copy_cuda }, .cuda_flags = { STARPU_CUDA_ASYNC }, .nbuffers = 2, .modes = { STARPU_R, STARPU_W }
};

static void vectors(void)
{
	enum { N = 256 };
	unsigned char a[N] = { 0 }, b[N] = { 0 };
	starpu_data_handle_t ha, hb;

	starpu_vector_data_register(&ha, STARPU_MAIN_RAM, (uintptr_t)a, N, 1);
	starpu_vector_data_register(&hb, STARPU_MAIN_RAM, (uintptr_t)b, N, 1);
	assert(!starpu_task_insert(&clear_cl, STARPU_W, ha, 0));
	assert(!starpu_task_insert(&copy_cl, STARPU_R, ha, STARPU_W, hb, 0));
	starpu_data_unregister(ha);
	starpu_data_unregister(hb);
	for (int i = 0; i < N; i++)
		assert(a[i] == 1 && b[i] == 1);
	assert(runs == 2);
}

static void product_cuda(void *buffers[], void *arg)
{
	const double one = 1;
	int n = (int)STARPU_MATRIX_GET_NX(buffers[0]);

	(void)arg;
	starpu_cublas_set_stream();
	assert(starpu_cusparse_get_local_handle() && starpu_cusolverDn_get_local_handle());
	if (cublasDgemm_v2(starpu_cublas_get_local_handle(), 0, 0, n, n, n, &one,
			   (const double *)STARPU_MATRIX_GET_PTR(buffers[0]), n,
			   (const double *)STARPU_MATRIX_GET_PTR(buffers[1]), n, &one,
			   (double *)STARPU_MATRIX_GET_PTR(buffers[2]), n))
		STARPU_CUBLAS_REPORT_ERROR(1);
}

static struct starpu_codelet product_cl = { .cuda_funcs = { product_cuda },
					    .cuda_flags = { STARPU_CUDA_ASYNC },
					    .nbuffers = 3,
					    .modes = { STARPU_R, STARPU_R, STARPU_RW } };

static void products(void)
{
	enum { N = 4 };
	double m[3][N * N];
	starpu_data_handle_t h[3];

	for (int i = 0; i < N * N; i++) {
		m[0][i] = 1;
		m[1][i] = 2;
		m[2][i] = 3;
	}
	for (int k = 0; k < 3; k++)
		starpu_matrix_data_register(&h[k], STARPU_MAIN_RAM, (uintptr_t)m[k], N, N, N, sizeof(double));
	assert(!starpu_task_insert(&product_cl, STARPU_R, h[0], STARPU_R, h[1], STARPU_RW, h[2], 0));
	for (int k = 0; k < 3; k++)
		starpu_data_unregister(h[k]);
	for (int i = 0; i < N * N; i++)
		assert(m[2][i] == 3 + 2 * N);
}

static void fails_cuda(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	STARPU_CUDA_REPORT_ERROR(cudaErrorInvalidValue);
}

int main(void)
{
	static struct starpu_codelet fails_cl = { .cuda_funcs = { fails_cuda } };
	const struct cudaDeviceProp *properties;
	int device = -1;

	assert(!starpu_init(NULL));
	assert(starpu_cuda_worker_get_count() == 2);
	starpu_cublas_init();
	starpu_cusparse_init();
	starpu_cusolver_init();
	assert(!starpu_cuda_get_local_stream() && !starpu_cublas_get_local_handle());
	starpu_cuda_set_device(1);
	assert(!cudaGetDevice(&device) && device == 1);
	properties = starpu_cuda_get_device_properties(starpu_worker_get_by_type(STARPU_CUDA_WORKER, 0));
	assert(properties && properties->name[0]);
	vectors();
	products();
	assert(!starpu_task_insert(&fails_cl, 0));
	starpu_task_wait_for_all(); /* ends, as a failed task; the log says why */
	starpu_cusolver_shutdown();
	starpu_cusparse_shutdown();
	starpu_cublas_shutdown();
	starpu_shutdown();
	return 0;
}
