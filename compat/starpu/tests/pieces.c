/* SPDX-License-Identifier: MIT */
/* Parts of matrices, blocks and tensors, also those with fewer dimensions: where they begin, and their sizes. */
#include "check.h"

static int numbers[2 * 4 * 6 * 8];

/* The first number of child i, which is its place in the whole. */
static int first(starpu_data_handle_t h, int i)
{
	return *(int *)starpu_data_get_local_ptr(starpu_data_get_sub_data(h, 1, i));
}

#define PARTS(h, filter, n, position, ops) \
	starpu_data_partition(h, &(struct starpu_data_filter){ .filter_func = (filter), \
							       .nchildren = (n), \
							       .filter_arg_ptr = (void *)(position), \
							       .get_child_ops = (ops) }); \
	CHECK(starpu_data_get_nb_children(h) == (n))

static void matrices(void)
{
	uint32_t place[2] = { 3, 2 };
	starpu_data_handle_t h, child;

	starpu_matrix_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)numbers, 8, 8, 6, sizeof(int));
	PARTS(h, starpu_matrix_filter_pick_vector_y, 2, (uintptr_t)1, starpu_matrix_filter_pick_vector_child_ops);
	CHECK(first(h, 0) == 8 && first(h, 1) == 16 && starpu_vector_get_nx(starpu_data_get_sub_data(h, 1, 1)) == 8);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	PARTS(h, starpu_matrix_filter_pick_variable, 1, place, starpu_matrix_filter_pick_variable_child_ops);
	CHECK(first(h, 0) == 19);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	PARTS(h, starpu_matrix_filter_block_shadow, 2, (uintptr_t)1, NULL);
	child = starpu_data_get_sub_data(h, 1, 1);
	CHECK(first(h, 1) == 3 && starpu_matrix_get_nx(child) == 5 && starpu_matrix_get_local_ld(child) == 8);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	PARTS(h, starpu_matrix_filter_vertical_block_shadow, 2, (uintptr_t)1, NULL);
	CHECK(first(h, 1) == 16 && starpu_matrix_get_ny(starpu_data_get_sub_data(h, 1, 1)) == 4);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	starpu_data_unregister(h);
}

static void blocks(void)
{
	starpu_data_handle_t h, child;

	starpu_block_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)numbers, 8, 48, 8, 6, 4, sizeof(int));
	PARTS(h, starpu_block_filter_pick_matrix_y, 3, (uintptr_t)2, starpu_block_filter_pick_matrix_child_ops);
	child = starpu_data_get_sub_data(h, 1, 2);
	CHECK(first(h, 0) == 16 && first(h, 2) == 32 && starpu_matrix_get_nx(child) == 8);
	CHECK(starpu_matrix_get_ny(child) == 4 && starpu_matrix_get_local_ld(child) == 48);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	PARTS(h, starpu_block_filter_block_shadow, 2, (uintptr_t)1, NULL);
	CHECK(first(h, 1) == 3 && starpu_block_get_nx(starpu_data_get_sub_data(h, 1, 1)) == 5);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	PARTS(h, starpu_block_filter_vertical_block_shadow, 2, (uintptr_t)1, NULL);
	CHECK(first(h, 1) == 16 && starpu_block_get_ny(starpu_data_get_sub_data(h, 1, 1)) == 4);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	PARTS(h, starpu_block_filter_depth_block_shadow, 2, (uintptr_t)1, NULL);
	CHECK(first(h, 1) == 48 && starpu_block_get_nz(starpu_data_get_sub_data(h, 1, 1)) == 3);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	starpu_data_unregister(h);
}

static void tensors_in_slices(starpu_data_handle_t h)
{
	PARTS(h, starpu_tensor_filter_block, 2, (uintptr_t)0, NULL);
	CHECK(first(h, 1) == 4 && starpu_tensor_get_nx(starpu_data_get_sub_data(h, 1, 1)) == 4);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	PARTS(h, starpu_tensor_filter_vertical_block, 2, (uintptr_t)0, NULL);
	CHECK(first(h, 1) == 24 && starpu_tensor_get_ny(starpu_data_get_sub_data(h, 1, 1)) == 3);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	PARTS(h, starpu_tensor_filter_depth_block, 2, (uintptr_t)0, NULL);
	CHECK(first(h, 1) == 96 && starpu_tensor_get_nz(starpu_data_get_sub_data(h, 1, 1)) == 2);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	PARTS(h, starpu_tensor_filter_block_shadow, 2, (uintptr_t)1, NULL);
	CHECK(first(h, 1) == 3 && starpu_tensor_get_nx(starpu_data_get_sub_data(h, 1, 1)) == 5);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	PARTS(h, starpu_tensor_filter_vertical_block_shadow, 2, (uintptr_t)1, NULL);
	CHECK(first(h, 1) == 16 && starpu_tensor_get_ny(starpu_data_get_sub_data(h, 1, 1)) == 4);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	PARTS(h, starpu_tensor_filter_depth_block_shadow, 2, (uintptr_t)1, NULL);
	CHECK(first(h, 1) == 48 && starpu_tensor_get_nz(starpu_data_get_sub_data(h, 1, 1)) == 3);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
}

static void tensors(void)
{
	uint32_t place[4] = { 1, 2, 3, 1 };
	starpu_data_handle_t h, child;

	starpu_tensor_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)numbers, 8, 48, 192, 8, 6, 4, 2, sizeof(int));
	tensors_in_slices(h);
	PARTS(h, starpu_tensor_filter_pick_block_t, 2, (uintptr_t)0, starpu_tensor_filter_pick_block_child_ops);
	CHECK(first(h, 1) == 192 && starpu_block_get_nz(starpu_data_get_sub_data(h, 1, 1)) == 4);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	PARTS(h, starpu_tensor_filter_pick_block_z, 2, (uintptr_t)2, starpu_tensor_filter_pick_block_child_ops);
	child = starpu_data_get_sub_data(h, 1, 0);
	CHECK(first(h, 0) == 96 && starpu_block_get_nz(child) == 2 && starpu_block_get_local_ldz(child) == 192);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	PARTS(h, starpu_tensor_filter_pick_block_y, 6, (uintptr_t)0, starpu_tensor_filter_pick_block_child_ops);
	child = starpu_data_get_sub_data(h, 1, 5);
	CHECK(first(h, 5) == 40 && starpu_block_get_ny(child) == 4 && starpu_block_get_local_ldy(child) == 48);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	PARTS(h, starpu_tensor_filter_pick_variable, 1, place, starpu_tensor_filter_pick_variable_child_ops);
	CHECK(first(h, 0) == 1 + 2 * 8 + 3 * 48 + 192);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	starpu_data_unregister(h);
}

int main(void)
{
	for (int i = 0; i < (int)(sizeof numbers / sizeof *numbers); i++)
		numbers[i] = i;
	START();
	matrices();
	blocks();
	tensors();
	starpu_shutdown();
	return 0;
}
