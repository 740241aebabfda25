/* SPDX-License-Identifier: MIT */
/* Arrays of any number of dimensions, and filters whose children have fewer. */
#include <starpu.h>

#define NX 6
#define NY 4
#define NZ 3

static int cells[NZ][NY][NX];

static void fill(void)
{
	for (int z = 0; z < NZ; z++)
		for (int y = 0; y < NY; y++)
			for (int x = 0; x < NX; x++)
				cells[z][y][x] = 100 * z + 10 * y + x;
}

static void negate_ndim(void *buffers[], void *arg)
{
	const uint32_t *nn = STARPU_NDIM_GET_NN(buffers[0]), *ldn = STARPU_NDIM_GET_LDN(buffers[0]);
	int *p = (int *)STARPU_NDIM_GET_PTR(buffers[0]);

	(void)arg;
	STARPU_NDIM_CHECK(buffers[0]);
	STARPU_ASSERT(STARPU_NDIM_GET_NDIM(buffers[0]) == 3 && STARPU_NDIM_GET_ELEMSIZE(buffers[0]) == sizeof(int));
	for (uint32_t z = 0; z < nn[2]; z++)
		for (uint32_t y = 0; y < nn[1]; y++)
			for (uint32_t x = 0; x < nn[0]; x++)
				p[z * ldn[2] + y * ldn[1] + x] *= -1;
}

static void negate_matrix(void *buffers[], void *arg)
{
	int *p = (int *)STARPU_MATRIX_GET_PTR(buffers[0]);

	(void)arg;
	for (uint32_t y = 0; y < STARPU_MATRIX_GET_NY(buffers[0]); y++)
		for (uint32_t x = 0; x < STARPU_MATRIX_GET_NX(buffers[0]); x++)
			p[y * STARPU_MATRIX_GET_LD(buffers[0]) + x] *= -1;
}

static void negate_variable(void *buffers[], void *arg)
{
	(void)arg;
	*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]) *= -1;
}

static struct starpu_codelet ndim_cl = { .cpu_funcs = { negate_ndim }, .nbuffers = 1, .modes = { STARPU_RW } };
static struct starpu_codelet matrix_cl = { .cpu_funcs = { negate_matrix }, .nbuffers = 1, .modes = { STARPU_RW } };
static struct starpu_codelet variable_cl = { .cpu_funcs = { negate_variable }, .nbuffers = 1, .modes = { STARPU_RW } };

static int negative(void)
{
	int n = 0;

	for (int z = 0; z < NZ; z++)
		for (int y = 0; y < NY; y++)
			for (int x = 0; x < NX; x++)
				n += cells[z][y][x] < 0;
	return n;
}

static starpu_data_handle_t whole(void)
{
	uint32_t nn[3] = { NX, NY, NZ }, ldn[3] = { 1, NX, NX * NY };
	starpu_data_handle_t h;

	fill();
	starpu_ndim_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)cells, ldn, nn, 3, sizeof(int));
	STARPU_ASSERT(h && starpu_ndim_get_ndim(h) == 3 && starpu_ndim_get_ni(h, 1) == NY);
	STARPU_ASSERT(starpu_ndim_get_nn(h)[2] == NZ && starpu_ndim_get_local_ldn(h)[2] == NX * NY);
	STARPU_ASSERT(starpu_ndim_get_local_ldi(h, 1) == NX && starpu_ndim_get_local_ptr(h) == (uintptr_t)cells);
	STARPU_ASSERT(starpu_ndim_get_elemsize(h) == sizeof(int));
	return h;
}

/* Runs a codelet on each child of the array, and says how many elements are negative then. */
static int parts(struct starpu_data_filter f, struct starpu_codelet *cl)
{
	starpu_data_handle_t h = whole();

	starpu_data_partition(h, &f);
	for (int i = 0; i < starpu_data_get_nb_children(h); i++)
		STARPU_ASSERT(starpu_task_insert(cl, STARPU_RW, starpu_data_get_sub_data(h, 1, i), 0) == 0);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	starpu_data_unregister(h);
	return negative();
}

static void blocks(void)
{
	uint32_t at[3] = { 5, 2, 1 };
	starpu_data_handle_t h;

	starpu_block_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)cells, NX, NX * NY, NX, NY, NZ, sizeof(int));
	fill();
	struct starpu_data_filter z = { .filter_func = starpu_block_filter_pick_matrix_z,
					.filter_arg_ptr = (void *)1,
					.nchildren = 2,
					.get_child_ops = starpu_block_filter_pick_matrix_child_ops };
	starpu_data_partition(h, &z);
	for (int i = 0; i < 2; i++)
		STARPU_ASSERT(starpu_task_insert(&matrix_cl, STARPU_RW, starpu_data_get_sub_data(h, 1, i), 0) == 0);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	STARPU_ASSERT(negative() == 2 * NX * NY && cells[0][3][3] == 33 && cells[1][0][0] == -100);
	fill();
	struct starpu_data_filter one = { .filter_func = starpu_block_filter_pick_variable,
					  .filter_arg_ptr = at,
					  .nchildren = 1,
					  .get_child_ops = starpu_block_filter_pick_variable_child_ops };
	starpu_data_partition(h, &one);
	STARPU_ASSERT(starpu_task_insert(&variable_cl, STARPU_RW, starpu_data_get_sub_data(h, 1, 0), 0) == 0);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	starpu_data_unregister(h);
	STARPU_ASSERT(negative() == 1 && cells[1][2][5] == -125);
}

int main(void)
{
	starpu_data_handle_t h;

	STARPU_CHECK_RETURN_VALUE(starpu_init(NULL), "starpu_init");
	h = whole();
	STARPU_ASSERT(starpu_task_insert(&ndim_cl, STARPU_RW, h, 0) == 0);
	starpu_data_unregister(h);
	STARPU_ASSERT(negative() == NX * NY * NZ - 1);
	STARPU_ASSERT(parts((struct starpu_data_filter){ .filter_func = starpu_ndim_filter_block,
							 .filter_arg = 1,
							 .nchildren = 3 },
			    &ndim_cl) == NX * NY * NZ - 1);
	STARPU_ASSERT(parts((struct starpu_data_filter){ .filter_func = starpu_ndim_filter_pick_matrix,
							 .filter_arg = 2,
							 .filter_arg_ptr = (void *)1,
							 .nchildren = 2,
							 .get_child_ops = starpu_ndim_filter_pick_matrix_child_ops },
			    &matrix_cl) == 2 * NX * NY);
	STARPU_ASSERT(cells[0][1][1] == 11 && cells[2][1][1] == -211);
	blocks();
	starpu_shutdown();
	return 0;
}
