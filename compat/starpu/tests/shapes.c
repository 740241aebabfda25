/* SPDX-License-Identifier: MIT */
/* Sparse data, tensors, and an interface of the program's own. */
#include <starpu.h>

static void sparse(void *buffers[], void *arg)
{
	int *values = (int *)STARPU_CSR_GET_NZVAL(buffers[0]);
	uint32_t *columns = STARPU_CSR_GET_COLIND(buffers[0]), *rows = STARPU_CSR_GET_ROWPTR(buffers[0]);

	(void)arg;
	for (unsigned row = 0; row < STARPU_CSR_GET_NROW(buffers[0]); row++)
		for (unsigned i = rows[row]; i < rows[row + 1]; i++)
			values[i - STARPU_CSR_GET_FIRSTENTRY(buffers[0])] +=
				(int)columns[i - STARPU_CSR_GET_FIRSTENTRY(buffers[0])];
	STARPU_ASSERT(STARPU_CSR_GET_NNZ(buffers[0]) > 0 && STARPU_CSR_GET_ELEMSIZE(buffers[0]) == sizeof(int));
}

static void blocks(void *buffers[], void *arg)
{
	int *values = (int *)STARPU_BCSR_GET_NZVAL(buffers[0]);
	uint32_t n = STARPU_BCSR_GET_NNZ(buffers[0]) * STARPU_BCSR_GET_R(buffers[0]) * STARPU_BCSR_GET_C(buffers[0]);

	(void)arg;
	STARPU_ASSERT(STARPU_BCSR_GET_ROWPTR(buffers[0])[0] == STARPU_BCSR_GET_FIRSTENTRY(buffers[0]));
	STARPU_ASSERT(STARPU_BCSR_GET_COLIND(buffers[0]) && STARPU_BCSR_GET_ELEMSIZE(buffers[0]) == sizeof(int));
	for (uint32_t i = 0; i < n; i++)
		values[i] += (int)STARPU_BCSR_GET_NROW(buffers[0]);
}

static void coordinates(void *buffers[], void *arg)
{
	int *values = (int *)STARPU_COO_GET_VALUES(buffers[0]);

	(void)arg;
	for (uint32_t i = 0; i < STARPU_COO_GET_NVALUES(buffers[0]); i++)
		values[i] = (int)(STARPU_COO_GET_ROWS(buffers[0])[i] * 10 + STARPU_COO_GET_COLUMNS(buffers[0])[i]);
}

static void tensor(void *buffers[], void *arg)
{
	int *v = (int *)STARPU_TENSOR_GET_PTR(buffers[0]);

	(void)arg;
	for (unsigned t = 0; t < STARPU_TENSOR_GET_NT(buffers[0]); t++)
		for (unsigned z = 0; z < STARPU_TENSOR_GET_NZ(buffers[0]); z++)
			for (unsigned y = 0; y < STARPU_TENSOR_GET_NY(buffers[0]); y++)
				for (unsigned x = 0; x < STARPU_TENSOR_GET_NX(buffers[0]); x++)
					++v[t * STARPU_TENSOR_GET_LDT(buffers[0]) +
					    z * STARPU_TENSOR_GET_LDZ(buffers[0]) +
					    y * STARPU_TENSOR_GET_LDY(buffers[0]) + x];
}

struct point {
	int x, y;
};

static void points(void *buffers[], void *arg)
{
	struct point *p = (struct point *)STARPU_MULTIFORMAT_GET_CPU_PTR(buffers[0]);

	(void)arg;
	for (unsigned i = 0; i < STARPU_MULTIFORMAT_GET_NX(buffers[0]); i++)
		p[i].y = p[i].x;
}

static struct starpu_multiformat_data_interface_ops formats = { .cpu_elemsize = sizeof(struct point) };
static struct starpu_codelet points_cl = { .cpu_funcs = { points }, .nbuffers = 1, .modes = { STARPU_RW } };
static struct starpu_codelet sparse_cl = { .cpu_funcs = { sparse }, .nbuffers = 1, .modes = { STARPU_RW } };
static struct starpu_codelet blocks_cl = { .cpu_funcs = { blocks }, .nbuffers = 1, .modes = { STARPU_RW } };
static struct starpu_codelet coo_cl = { .cpu_funcs = { coordinates }, .nbuffers = 1, .modes = { STARPU_RW } };
static struct starpu_codelet tensor_cl = { .cpu_funcs = { tensor }, .nbuffers = 1, .modes = { STARPU_RW } };

static void predefined(void)
{
	int nz[] = { 1, 2, 3, 4 }, bnz[8] = { 0 }, values[3], t[16] = { 0 };
	uint32_t columns[] = { 0, 1, 2, 3 }, rows[] = { 0, 1, 3, 4 }, bcolumns[] = { 0, 1 }, brows[] = { 0, 1, 2 };
	struct point p[2] = { { 5, 0 }, { 6, 0 } };
	uint32_t x[] = { 1, 2, 3 }, y[] = { 3, 2, 1 };
	struct starpu_data_filter by_rows = { .filter_func = starpu_csr_filter_vertical_block, .nchildren = 2 };
	struct starpu_data_filter by_blocks = { .filter_func = starpu_bcsr_filter_vertical_block, .nchildren = 2 };
	starpu_data_handle_t h;

	starpu_csr_data_register(&h, STARPU_MAIN_RAM, 4, 3, (uintptr_t)nz, columns, rows, 0, sizeof(int));
	starpu_data_partition(h, &by_rows);
	for (unsigned i = 0; i < 2; i++)
		STARPU_ASSERT(starpu_task_insert(&sparse_cl, STARPU_RW, starpu_data_get_sub_data(h, 1, i), 0) == 0);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	starpu_data_unregister(h);
	STARPU_ASSERT(nz[0] == 1 && nz[1] == 3 && nz[2] == 5 && nz[3] == 7);
	starpu_bcsr_data_register(&h, STARPU_MAIN_RAM, 2, 2, (uintptr_t)bnz, bcolumns, brows, 0, 2, 2, sizeof(int));
	starpu_data_partition(h, &by_blocks);
	for (unsigned i = 0; i < 2; i++)
		STARPU_ASSERT(starpu_task_insert(&blocks_cl, STARPU_RW, starpu_data_get_sub_data(h, 1, i), 0) == 0);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	starpu_data_unregister(h);
	STARPU_ASSERT(bnz[0] == 1 && bnz[7] == 1);
	starpu_coo_data_register(&h, STARPU_MAIN_RAM, 4, 4, 3, x, y, (uintptr_t)values, sizeof(int));
	STARPU_ASSERT(starpu_task_insert(&coo_cl, STARPU_RW, h, 0) == 0);
	starpu_data_unregister(h);
	STARPU_ASSERT(values[0] == 31 && values[2] == 13);
	starpu_tensor_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)t, 2, 4, 8, 2, 2, 2, 2, sizeof(int));
	STARPU_ASSERT(starpu_task_insert(&tensor_cl, STARPU_RW, h, 0) == 0);
	starpu_data_unregister(h);
	STARPU_ASSERT(t[0] == 1 && t[15] == 1);
	starpu_multiformat_data_register(&h, STARPU_MAIN_RAM, p, 2, &formats);
	STARPU_ASSERT(starpu_task_insert(&points_cl, STARPU_RW, h, 0) == 0);
	starpu_data_unregister(h);
	STARPU_ASSERT(p[0].y == 5 && p[1].y == 6);
}

/* --- complex numbers in two arrays, as an interface of the program's own ---
 */

struct complex_interface {
	double *real, *imaginary;
	int n;
};

static void complex_register(starpu_data_handle_t handle, XYLEM_STARPU_HOME home_node, void *data_interface)
{
	const struct complex_interface *given = (const struct complex_interface *)data_interface;

	for (unsigned node = 0; node < STARPU_MAXNODES; node++) {
		struct complex_interface *local = (struct complex_interface *)starpu_data_get_interface_on_node(handle,
														node);

		*local = *given;
		if ((int)node != (int)home_node)
			local->real = local->imaginary = NULL;
		if (node == STARPU_MAIN_RAM)
			break;
	}
}

static starpu_ssize_t complex_allocate(void *data_interface, unsigned node)
{
	struct complex_interface *c = (struct complex_interface *)data_interface;
	size_t bytes = (size_t)c->n * sizeof(double);

	c->real = (double *)starpu_malloc_on_node(node, bytes);
	c->imaginary = (double *)starpu_malloc_on_node(node, bytes);
	return c->real && c->imaginary ? (starpu_ssize_t)(2 * bytes) : -ENOMEM;
}

static void complex_free(void *data_interface, unsigned node)
{
	struct complex_interface *c = (struct complex_interface *)data_interface;

	starpu_free_on_node(node, (uintptr_t)c->real, (size_t)c->n * sizeof(double));
	starpu_free_on_node(node, (uintptr_t)c->imaginary, (size_t)c->n * sizeof(double));
}

static size_t complex_size(starpu_data_handle_t handle)
{
	const struct complex_interface *c = (const struct complex_interface *)starpu_data_get_interface_on_node(
		handle, STARPU_MAIN_RAM);

	return 2 * (size_t)c->n * sizeof(double);
}

static int complex_copy(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node,
			void *async_data)
{
	const struct complex_interface *from = (const struct complex_interface *)src_interface;
	const struct complex_interface *to = (const struct complex_interface *)dst_interface;
	size_t bytes = (size_t)from->n * sizeof(double);

	return starpu_interface_copy((uintptr_t)from->real, 0, src_node, (uintptr_t)to->real, 0, dst_node, bytes,
				     async_data) +
	       starpu_interface_copy((uintptr_t)from->imaginary, 0, src_node, (uintptr_t)to->imaginary, 0, dst_node,
				     bytes, async_data);
}

static const struct starpu_data_copy_methods complex_methods = { .any_to_any = complex_copy };
static struct starpu_data_interface_ops complex_ops = {
	.register_data_handle = complex_register,
	.allocate_data_on_node = complex_allocate,
	.free_data_on_node = complex_free,
	.copy_methods = &complex_methods,
	.get_size = complex_size,
	.interfaceid = STARPU_UNKNOWN_INTERFACE_ID,
	.interface_size = sizeof(struct complex_interface),
};

static void conjugate(void *buffers[], void *arg)
{
	struct complex_interface *c = (struct complex_interface *)buffers[0];

	(void)arg;
	for (int i = 0; i < c->n; i++) {
		c->real[i] += 1;
		c->imaginary[i] = -c->imaginary[i];
	}
}

static struct starpu_codelet conjugate_cl = { .cpu_funcs = { conjugate }, .nbuffers = 1, .modes = { STARPU_RW } };

static void own(void)
{
	double real[2] = { 1, 2 }, imaginary[2] = { 3, 4 };
	struct complex_interface mine = { real, imaginary, 2 }, *view;
	starpu_data_handle_t h, copy;

	complex_ops.interfaceid = (enum starpu_data_interface_id)starpu_data_interface_get_next_id();
	starpu_data_register(&h, STARPU_MAIN_RAM, &mine, &complex_ops);
	STARPU_ASSERT(starpu_data_get_size(h) == 4 * sizeof(double));
	STARPU_ASSERT(starpu_task_insert(&conjugate_cl, STARPU_RW, h, 0) == 0);
	starpu_data_register(&copy, -1, &mine, &complex_ops);
	STARPU_ASSERT(starpu_data_cpy(copy, h, 1, NULL, NULL) == 0);
	STARPU_ASSERT(starpu_task_insert(&conjugate_cl, STARPU_RW, copy, 0) == 0);
	STARPU_ASSERT(starpu_data_acquire(copy, STARPU_R) == 0);
	view = (struct complex_interface *)starpu_data_get_interface_on_node(copy, STARPU_MAIN_RAM);
	STARPU_ASSERT(view->real != real && view->real[0] == 3 && view->imaginary[1] == 4);
	starpu_data_release(copy);
	starpu_data_unregister(copy);
	starpu_data_unregister(h);
	STARPU_ASSERT(real[1] == 3 && imaginary[0] == -3);
}

int main(void)
{
	STARPU_ASSERT(starpu_init(NULL) == 0);
	predefined();
	own();
	starpu_shutdown();
	return 0;
}
