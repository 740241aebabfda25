/* SPDX-License-Identifier: MIT */
/* Sparse matrices, tensors, arrays of n dimensions and void data. */
#include "check.h"

static void cr(void *b[], void *a)
{
	(void)a;
	CHECK(STARPU_CSR_GET_NNZ(b[0]) == 5);
	CHECK(STARPU_CSR_GET_NROW(b[0]) == 3);
	float *v = (float *)STARPU_CSR_GET_NZVAL(b[0]);
	uint32_t *rp = STARPU_CSR_GET_ROWPTR(b[0]), *ci = STARPU_CSR_GET_COLIND(b[0]);
	CHECK(rp[3] == 5 && ci[4] == 2);
	for (int i = 0; i < 5; i++)
		v[i] *= 2;
}

static void co(void *b[], void *a)
{
	(void)a;
	CHECK(STARPU_COO_GET_NVALUES(b[0]) == 4);
	CHECK(STARPU_COO_GET_NX(b[0]) == 8 && STARPU_COO_GET_NY(b[0]) == 9);
	int *v = (int *)STARPU_COO_GET_VALUES(b[0]);
	for (int i = 0; i < 4; i++)
		v[i]++;
}

static void bc(void *b[], void *a)
{
	(void)a;
	CHECK(STARPU_BCSR_GET_NNZ(b[0]) == 2);
	CHECK(STARPU_BCSR_GET_NROW(b[0]) == 2);
	CHECK(STARPU_BCSR_GET_R(b[0]) == 2 && STARPU_BCSR_GET_C(b[0]) == 2);
	int *v = (int *)STARPU_BCSR_GET_NZVAL(b[0]);
	for (int i = 0; i < 8; i++)
		v[i]++;
}

static void te(void *b[], void *a)
{
	(void)a;
	CHECK(STARPU_TENSOR_GET_NX(b[0]) == 2 && STARPU_TENSOR_GET_NT(b[0]) == 5);
	int *v = (int *)STARPU_TENSOR_GET_PTR(b[0]);
	size_t lt = STARPU_TENSOR_GET_LDT(b[0]);
	for (int t = 0; t < 5; t++)
		v[t * lt] = t;
}

static void nd(void *b[], void *a)
{
	(void)a;
	CHECK(STARPU_NDIM_GET_NDIM(b[0]) == 3);
	uint32_t *nn = STARPU_NDIM_GET_NN(b[0]), *ld = STARPU_NDIM_GET_LDN(b[0]);
	int *v = (int *)STARPU_NDIM_GET_PTR(b[0]);
	for (unsigned k = 0; k < nn[2]; k++)
		for (unsigned j = 0; j < nn[1]; j++)
			for (unsigned i = 0; i < nn[0]; i++)
				v[k * ld[2] + j * ld[1] + i] = k;
}

static void vo(void *b[], void *a)
{
	(void)b;
	(void)a;
}
#define C(n, f) static struct starpu_codelet n = { .cpu_funcs = { f }, .nbuffers = 1, .modes = { STARPU_RW } }
C(ccr, cr);
C(cco, co);
C(cbc, bc);
C(cte, te);
C(cnd, nd);
C(cvo, vo);

static void run(struct starpu_codelet *c, starpu_data_handle_t h)
{
	OK(starpu_task_insert(c, STARPU_RW, h, 0));
	OK(starpu_data_acquire(h, STARPU_R));
	void *p;
	starpu_ssize_t n;
	OK(starpu_data_pack(h, &p, &n));
	starpu_free_noflag(p, n);
	starpu_data_release(h);
}

int main(void)
{
	START();
	starpu_data_handle_t h;
	float nz[5] = { 1, 2, 3, 4, 5 };
	uint32_t ci[5] = { 0, 1, 1, 0, 2 }, rp[4] = { 0, 2, 3, 5 };
	starpu_csr_data_register(&h, 0, 5, 3, (uintptr_t)nz, ci, rp, 0, sizeof(float));
	run(&ccr, h);
	CHECK(starpu_csr_get_nnz(h) == 5);
	starpu_data_unregister(h);
	CHECK(nz[4] == 10);
	uint32_t cols[4] = { 0, 1, 2, 3 }, rows[4] = { 3, 2, 1, 0 };
	int vals[4] = { 1, 2, 3, 4 };
	starpu_coo_data_register(&h, 0, 8, 9, 4, cols, rows, (uintptr_t)vals, sizeof(int));
	run(&cco, h);
	starpu_data_unregister(h);
	CHECK(vals[3] == 5);
	int bv[8] = { 0 };
	uint32_t bci[2] = { 0, 1 }, brp[3] = { 0, 1, 2 };
	starpu_bcsr_data_register(&h, 0, 2, 2, (uintptr_t)bv, bci, brp, 0, 2, 2, sizeof(int));
	run(&cbc, h);
	struct starpu_data_filter f = { .filter_func = starpu_bcsr_filter_vertical_block, .nchildren = 2 };
	starpu_data_partition(h, &f);
	starpu_data_unpartition(h, 0);
	starpu_data_unregister(h);
	CHECK(bv[7] == 1);
	int t[5][4][3][2];
	memset(t, 0, sizeof t);
	starpu_tensor_data_register(&h, 0, (uintptr_t)t, 2, 6, 24, 2, 3, 4, 5, sizeof(int));
	run(&cte, h);
	struct starpu_data_filter tf = { .filter_func = starpu_tensor_filter_time_block, .nchildren = 5 };
	starpu_data_partition(h, &tf);
	starpu_data_unpartition(h, 0);
	starpu_data_unregister(h);
	CHECK(t[4][0][0][0] == 4);
	int n3[4][3][2];
	memset(n3, 0, sizeof n3);
	uint32_t nn[3] = { 2, 3, 4 }, ld[3] = { 1, 2, 6 };
	starpu_ndim_data_register(&h, 0, (uintptr_t)n3, ld, nn, 3, sizeof(int));
	run(&cnd, h);
	struct starpu_data_filter nf = { .filter_func = starpu_ndim_filter_block, .filter_arg = 2, .nchildren = 4 };
	starpu_data_partition(h, &nf);
	starpu_data_unpartition(h, 0);
	starpu_data_unregister(h);
	CHECK(n3[3][2][1] == 3);
	starpu_void_data_register(&h);
	OK(starpu_task_insert(&cvo, STARPU_RW, h, 0));
	starpu_data_unregister(h);
	starpu_shutdown();
	return 0;
}
