/* SPDX-License-Identifier: MIT */
/* Filters of vectors, matrices and blocks, of the program's own, and nested. */
#include "check.h"

#define NX 60
static void sc(void *b[], void *a)
{
	int f = *(int *)a;
	int *x = (int *)STARPU_VECTOR_GET_PTR(b[0]);
	for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(b[0]); i++)
		x[i] *= f;
}

static struct starpu_codelet cl = { .cpu_funcs = { sc }, .nbuffers = 1, .modes = { STARPU_RW } };

static void ms(void *b[], void *a)
{
	int f = *(int *)a;
	int *x = (int *)STARPU_MATRIX_GET_PTR(b[0]);
	unsigned ld = STARPU_MATRIX_GET_LD(b[0]);
	for (unsigned j = 0; j < STARPU_MATRIX_GET_NY(b[0]); j++)
		for (unsigned i = 0; i < STARPU_MATRIX_GET_NX(b[0]); i++)
			x[j * ld + i] += f;
}

static struct starpu_codelet cm = { .cpu_funcs = { ms }, .nbuffers = 1, .modes = { STARPU_RW } };

static void bs(void *b[], void *a)
{
	int f = *(int *)a;
	int *x = (int *)STARPU_BLOCK_GET_PTR(b[0]);
	unsigned ldy = STARPU_BLOCK_GET_LDY(b[0]), ldz = STARPU_BLOCK_GET_LDZ(b[0]);
	for (unsigned k = 0; k < STARPU_BLOCK_GET_NZ(b[0]); k++)
		for (unsigned j = 0; j < STARPU_BLOCK_GET_NY(b[0]); j++)
			for (unsigned i = 0; i < STARPU_BLOCK_GET_NX(b[0]); i++)
				x[k * ldz + j * ldy + i] = f;
}

static struct starpu_codelet cb = { .cpu_funcs = { bs }, .nbuffers = 1, .modes = { STARPU_RW } };

static void vs(void *b[], void *a)
{
	*(int *)STARPU_VARIABLE_GET_PTR(b[0]) = *(int *)a;
}

static struct starpu_codelet cv = { .cpu_funcs = { vs }, .nbuffers = 1, .modes = { STARPU_RW } };

static void myfilter(void *p, void *c, struct starpu_data_filter *f, unsigned id, unsigned n)
{
	struct starpu_vector_interface *vp = p, *vc = c;
	(void)f;
	CHECK(id < n);
	unsigned len = vp->nx / n;
	STARPU_ASSERT_MSG(n <= vp->nx, "too many");
	vc->id = vp->id;
	vc->nx = len;
	vc->elemsize = vp->elemsize;
	vc->allocsize = len * vp->elemsize;
	if (vp->dev_handle) {
		vc->ptr = vp->ptr + id * len * vp->elemsize;
		vc->dev_handle = vp->dev_handle;
		vc->offset = vp->offset + id * len * vp->elemsize;
	}
}

static unsigned gn(struct starpu_data_filter *f, starpu_data_handle_t h)
{
	(void)f;
	return starpu_vector_get_nx(h) / 10;
}

int main(void)
{
	START();
	int v[NX];
	for (int i = 0; i < NX; i++)
		v[i] = i;
	starpu_data_handle_t h;
	starpu_vector_data_register(&h, 0, (uintptr_t)v, NX, sizeof *v);
	int f2 = 2;
	int *pf = &f2;
	(void)pf;
	struct starpu_data_filter f = { .filter_func = starpu_vector_filter_block, .nchildren = 6 };
	starpu_data_partition(h, &f);
	CHECK(starpu_data_get_nb_children(h) == 6);
	for (int i = 0; i < 6; i++)
		OK(starpu_task_insert(&cl, STARPU_RW, starpu_data_get_sub_data(h, 1, i), STARPU_CL_ARGS_NFREE, &f2,
				      sizeof f2, 0));
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	struct starpu_data_filter g = { .filter_func = myfilter, .get_nchildren = gn };
	starpu_data_partition(h, &g);
	CHECK(starpu_data_get_nb_children(h) == 6);
	for (int i = 0; i < 6; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &cl;
		t->handles[0] = starpu_data_get_child(h, i);
		t->cl_arg = &f2;
		t->cl_arg_size = sizeof f2;
		OK(starpu_task_submit(t));
	}
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	/* two levels */ struct starpu_data_filter a = { .filter_func = starpu_vector_filter_block, .nchildren = 3 },
						   b2 = { .filter_func = starpu_vector_filter_divide_in_2,
							  .nchildren = 2 };
	starpu_data_map_filters(h, 2, &a, &b2);
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 2; j++)
			OK(starpu_task_insert(&cl, STARPU_RW, starpu_data_get_sub_data(h, 2, i, j),
					      STARPU_CL_ARGS_NFREE, &f2, sizeof f2, 0));
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	uint32_t lens[3] = { 10, 20, 30 };
	struct starpu_data_filter l = { .filter_func = starpu_vector_filter_list,
					.nchildren = 3,
					.filter_arg_ptr = lens };
	starpu_data_partition(h, &l);
	CHECK(starpu_vector_get_nx(starpu_data_get_sub_data(h, 1, 2)) == 30);
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	struct starpu_data_filter ll = { .filter_func = starpu_vector_filter_list_long,
					 .nchildren = 2,
					 .filter_arg_ptr = (long[]){ 20, 40 } };
	starpu_data_partition(h, &ll);
	starpu_data_unpartition(h, 0);
	struct starpu_data_filter pv = { .filter_func = starpu_vector_filter_pick_variable,
					 .nchildren = 5,
					 .filter_arg_ptr = (void *)(uintptr_t)3,
					 .get_child_ops = starpu_vector_filter_pick_variable_child_ops };
	starpu_data_partition(h, &pv);
	int x = 1000;
	for (int i = 0; i < 5; i++)
		OK(starpu_task_insert(&cv, STARPU_RW, starpu_data_get_sub_data(h, 1, i), STARPU_CL_ARGS_NFREE, &x,
				      sizeof x, 0));
	starpu_data_unpartition(h, 0);
	starpu_data_unregister(h);
	for (int i = 0; i < NX; i++)
		CHECK(v[i] == (i >= 3 && i < 8 ? 1000 : 8 * i));
	int m[8][12] = { { 0 } };
	starpu_matrix_data_register(&h, 0, (uintptr_t)m, 12, 12, 8, sizeof(int));
	struct starpu_data_filter mb = { .filter_func = starpu_matrix_filter_block, .nchildren = 3 },
				  mv = { .filter_func = starpu_matrix_filter_vertical_block, .nchildren = 4 };
	starpu_data_map_filters(h, 2, &mb, &mv);
	int fs[12];
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 4; j++) {
			fs[i * 4 + j] = i * 4 + j;
			OK(starpu_task_insert(&cm, STARPU_RW, starpu_data_get_sub_data(h, 2, i, j),
					      STARPU_CL_ARGS_NFREE, &fs[i * 4 + j], sizeof(int), 0));
		}
	starpu_data_unpartition(h, 0);
	starpu_data_unregister(h);
	for (int y = 0; y < 8; y++)
		for (int xx = 0; xx < 12; xx++)
			CHECK(m[y][xx] == (xx / 4) * 4 + y / 2);
	int bl[4][6][8];
	memset(bl, 0, sizeof bl);
	starpu_block_data_register(&h, 0, (uintptr_t)bl, 8, 48, 8, 6, 4, sizeof(int));
	struct starpu_data_filter bb = { .filter_func = starpu_block_filter_block, .nchildren = 2 },
				  bv = { .filter_func = starpu_block_filter_vertical_block, .nchildren = 3 },
				  bd = { .filter_func = starpu_block_filter_depth_block, .nchildren = 2 };
	starpu_data_map_filters(h, 3, &bb, &bv, &bd);
	int bf[12];
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 3; j++)
			for (int k = 0; k < 2; k++) {
				int q = i * 6 + j * 2 + k;
				bf[q] = q;
				OK(starpu_task_insert(&cb, STARPU_RW, starpu_data_get_sub_data(h, 3, i, j, k),
						      STARPU_CL_ARGS_NFREE, &bf[q], sizeof(int), 0));
			}
	starpu_data_unpartition(h, 0);
	struct starpu_data_filter bm = { .filter_func = starpu_block_filter_pick_matrix_z,
					 .nchildren = 4,
					 .filter_arg_ptr = (void *)0,
					 .get_child_ops = starpu_block_filter_pick_matrix_child_ops };
	starpu_data_partition(h, &bm);
	CHECK(starpu_matrix_get_nx(starpu_data_get_sub_data(h, 1, 3)) == 8 &&
	      starpu_matrix_get_ny(starpu_data_get_sub_data(h, 1, 3)) == 6);
	starpu_data_unpartition(h, 0);
	starpu_data_unregister(h);
	for (int z = 0; z < 4; z++)
		for (int y = 0; y < 6; y++)
			for (int xx = 0; xx < 8; xx++)
				CHECK(bl[z][y][xx] == (xx / 4) * 6 + (y / 2) * 2 + z / 2);
	/* shadow */ int s[12 + 2];
	for (int i = 0; i < 14; i++)
		s[i] = i;
	starpu_vector_data_register(&h, 0, (uintptr_t)s, 14, sizeof(int));
	struct starpu_data_filter sh = { .filter_func = starpu_vector_filter_block_shadow,
					 .nchildren = 4,
					 .filter_arg_ptr = (void *)(uintptr_t)1 };
	starpu_data_partition(h, &sh);
	for (int i = 0; i < 4; i++)
		CHECK(starpu_vector_get_nx(starpu_data_get_sub_data(h, 1, i)) == 5);
	starpu_data_unpartition(h, 0);
	starpu_data_unregister(h);
	starpu_shutdown();
	return 0;
}
