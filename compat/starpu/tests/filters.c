/* SPDX-License-Identifier: MIT */
/* Partitions of vectors, matrices and blocks: synchronous, nested, planned, and
 * begun by their use. */
#include <starpu.h>

#define N 24

static void add(void *buffers[], void *arg)
{
	int *m = (int *)STARPU_MATRIX_GET_PTR(buffers[0]), k = *(int *)arg;

	for (unsigned y = 0; y < STARPU_MATRIX_GET_NY(buffers[0]); y++)
		for (unsigned x = 0; x < STARPU_MATRIX_GET_NX(buffers[0]); x++)
			m[y * STARPU_MATRIX_GET_LD(buffers[0]) + x] += k;
}
static void fill(void *buffers[], void *arg)
{
	int *v = (int *)STARPU_VECTOR_GET_PTR(buffers[0]), k = (int)(intptr_t)arg;

	for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		v[i] = k;
}
static void block_add(void *buffers[], void *arg)
{
	int *b = (int *)STARPU_BLOCK_GET_PTR(buffers[0]);

	(void)arg;
	for (unsigned z = 0; z < STARPU_BLOCK_GET_NZ(buffers[0]); z++)
		for (unsigned y = 0; y < STARPU_BLOCK_GET_NY(buffers[0]); y++)
			for (unsigned x = 0; x < STARPU_BLOCK_GET_NX(buffers[0]); x++)
				++b[z * STARPU_BLOCK_GET_LDZ(buffers[0]) + y * STARPU_BLOCK_GET_LDY(buffers[0]) + x];
}

static struct starpu_codelet add_cl = { .cpu_funcs = { add }, .nbuffers = 1, .modes = { STARPU_RW } };
static struct starpu_codelet fill_cl = { .cpu_funcs = { fill }, .nbuffers = 1, .modes = { STARPU_W } };
static struct starpu_codelet block_cl = { .cpu_funcs = { block_add }, .nbuffers = 1, .modes = { STARPU_RW } };

static void matrix(void)
{
	struct starpu_data_filter rows = { .filter_func = starpu_matrix_filter_vertical_block, .nchildren = 3 };
	struct starpu_data_filter columns = { .filter_func = starpu_matrix_filter_block, .nchildren = 2 };
	static int m[N][N];
	starpu_data_handle_t h;
	int k = 1;

	starpu_matrix_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)m, N, N, N, sizeof(int));
	starpu_data_map_filters(h, 2, &rows, &columns);
	STARPU_ASSERT(starpu_data_get_nb_children(h) == 3);
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 2; j++) {
			starpu_data_handle_t sub = starpu_data_get_sub_data(h, 2, i, j);
			int value = i * 10 + j;

			STARPU_ASSERT(starpu_matrix_get_nx(sub) == N / 2 && starpu_matrix_get_ny(sub) == N / 3);
			STARPU_ASSERT(starpu_task_insert(&add_cl, STARPU_RW, sub, STARPU_CL_ARGS_NFREE, &k, sizeof k,
							 0) == 0);
			STARPU_ASSERT(starpu_task_wait_for_all() == 0);
			STARPU_ASSERT(starpu_task_insert(&add_cl, STARPU_RW, sub, STARPU_CL_ARGS_NFREE, &value,
							 sizeof value, STARPU_TASK_SYNCHRONOUS, 1, 0) == 0);
		}
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	STARPU_ASSERT(starpu_task_insert(&add_cl, STARPU_RW, h, STARPU_CL_ARGS_NFREE, &k, sizeof k, 0) == 0);
	starpu_data_unregister(h);
	STARPU_ASSERT(m[0][0] == 2 && m[0][N - 1] == 3 && m[N - 1][0] == 22 && m[N - 1][N - 1] == 23);
}

static void vector(void)
{
	struct starpu_data_filter blocks = { .filter_func = starpu_vector_filter_block, .nchildren = 5 };
	static uint32_t lengths[] = { 1, 3, N - 4 };
	struct starpu_data_filter list = { .filter_func = starpu_vector_filter_list,
					   .nchildren = 3,
					   .filter_arg_ptr = lengths };
	struct starpu_data_filter halves = { .filter_func = starpu_vector_filter_divide_in_2,
					     .nchildren = 2,
					     .filter_arg = 7 };
	struct starpu_data_filter *filters[] = { &blocks, &list, &halves };
	static const int borders[] = { 5, 1, 7 };
	static int v[N];
	starpu_data_handle_t h;

	for (unsigned f = 0; f < 3; f++) {
		starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)v, N, sizeof *v);
		starpu_data_partition(h, filters[f]);
		for (int i = 0; i < starpu_data_get_nb_children(h); i++)
			STARPU_ASSERT(starpu_task_insert(&fill_cl, STARPU_W, starpu_data_get_child(h, (unsigned)i),
							 STARPU_CL_ARGS_NFREE, (void *)(intptr_t)(i + 1), (size_t)0,
							 0) == 0);
		starpu_data_unpartition(h, STARPU_MAIN_RAM);
		starpu_data_unregister(h);
		STARPU_ASSERT(v[0] == 1 && v[borders[f] - 1] == 1 && v[borders[f]] == 2);
		STARPU_ASSERT(v[N - 1] == (int)filters[f]->nchildren);
	}
}

static void plans(void)
{
	struct starpu_data_filter rows = { .filter_func = starpu_matrix_filter_vertical_block, .nchildren = 4 };
	struct starpu_data_filter columns = { .filter_func = starpu_matrix_filter_block, .nchildren = 4 };
	starpu_data_handle_t h, by_row[4], by_column[4];
	static int m[N][N];
	int k = 1;

	starpu_matrix_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)m, N, N, N, sizeof(int));
	starpu_data_partition_plan(h, &rows, by_row);
	starpu_data_partition_plan(h, &columns, by_column);
	for (int round = 0; round < 3; round++) {
		/* said by the program */
		starpu_data_partition_submit(h, 4, by_row);
		for (int i = 0; i < 4; i++)
			STARPU_ASSERT(starpu_task_insert(&add_cl, STARPU_RW, by_row[i], STARPU_CL_ARGS_NFREE, &k,
							 sizeof k, 0) == 0);
		starpu_data_unpartition_submit(h, 4, by_row, STARPU_MAIN_RAM);
		/* and not */
		for (int i = 0; i < 4; i++)
			STARPU_ASSERT(starpu_task_insert(&add_cl, STARPU_RW, by_column[i], STARPU_CL_ARGS_NFREE, &k,
							 sizeof k, 0) == 0);
		STARPU_ASSERT(
			starpu_task_insert(&add_cl, STARPU_RW, by_row[2], STARPU_CL_ARGS_NFREE, &k, sizeof k, 0) == 0);
		STARPU_ASSERT(starpu_task_insert(&add_cl, STARPU_RW, h, STARPU_CL_ARGS_NFREE, &k, sizeof k, 0) == 0);
	}
	STARPU_ASSERT(starpu_data_acquire(h, STARPU_R) == 0);
	STARPU_ASSERT(m[0][0] == 9 && m[N / 2][0] == 12);
	starpu_data_release(h);
	starpu_data_partition_readonly_submit(h, 4, by_row);
	starpu_data_unpartition_submit(h, 4, by_row, -1);
	starpu_data_partition_clean(h, 4, by_row);
	starpu_data_partition_clean_node(h, 4, by_column, STARPU_MAIN_RAM);
	starpu_data_unregister(h);
}

static void block(void)
{
	struct starpu_data_filter depth = { .filter_func = starpu_block_filter_depth_block, .nchildren = 2 };
	static int b[4][4][4];
	starpu_data_handle_t h;

	starpu_block_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)b, 4, 16, 4, 4, 4, sizeof(int));
	starpu_data_partition(h, &depth);
	for (unsigned i = 0; i < 2; i++)
		STARPU_ASSERT(starpu_task_insert(&block_cl, STARPU_RW, starpu_data_get_sub_data(h, 1, i), 0) == 0);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	starpu_data_unregister(h);
	for (int i = 0; i < 64; i++)
		STARPU_ASSERT((&b[0][0][0])[i] == 1);
}

static void copy_middle(void *buffers[], void *arg)
{
	const int *from = (int *)STARPU_VECTOR_GET_PTR(buffers[0]);
	int *to = (int *)STARPU_VECTOR_GET_PTR(buffers[1]);
	unsigned n = STARPU_VECTOR_GET_NX(buffers[1]);

	(void)arg;
	STARPU_ASSERT(STARPU_VECTOR_GET_NX(buffers[0]) == n + 4);
	for (unsigned i = 0; i < n; i++)
		to[i] = from[i] + from[i + 4];
}

/* Children that share elements with their neighbours, next to children that don't. */
static void shadows(void)
{
	static struct starpu_codelet cl = { .cpu_funcs = { copy_middle },
					    .nbuffers = 2,
					    .modes = { STARPU_R, STARPU_W } };
	struct starpu_data_filter wide = { .filter_func = starpu_vector_filter_block_shadow,
					   .nchildren = 3,
					   .filter_arg_ptr = (void *)(uintptr_t)2 };
	struct starpu_data_filter narrow = { .filter_func = starpu_vector_filter_block, .nchildren = 3 };
	int from[N + 4], to[N];
	starpu_data_handle_t a, b;

	for (int i = 0; i < N + 4; i++)
		from[i] = i;
	starpu_vector_data_register(&a, STARPU_MAIN_RAM, (uintptr_t)from, N + 4, sizeof *from);
	starpu_vector_data_register(&b, STARPU_MAIN_RAM, (uintptr_t)to, N, sizeof *to);
	starpu_data_partition(a, &wide);
	starpu_data_partition(b, &narrow);
	for (unsigned i = 0; i < 3; i++)
		STARPU_ASSERT(starpu_task_insert(&cl, STARPU_R, starpu_data_get_sub_data(a, 1, i), STARPU_W,
						 starpu_data_get_sub_data(b, 1, i), 0) == 0);
	starpu_data_unpartition(a, STARPU_MAIN_RAM);
	starpu_data_unpartition(b, STARPU_MAIN_RAM);
	starpu_data_unregister(a);
	starpu_data_unregister(b);
	for (int i = 0; i < N; i++)
		STARPU_ASSERT(to[i] == 2 * i + 4);
}

int main(void)
{
	STARPU_ASSERT(starpu_init(NULL) == 0);
	shadows();
	matrix();
	vector();
	plans();
	block();
	starpu_shutdown();
	return 0;
}
