/* SPDX-License-Identifier: MIT */
/* More data than main memory may hold: the rest goes to a disk. */
#include "check.h"

/* more data than STARPU_LIMIT_CPU_MEM, swapped to a disk */
#define NB 64
#define SZ (1 << 20)
static void wr(void *b[], void *a)
{
	memset((void *)STARPU_VECTOR_GET_PTR(b[0]), (int)(intptr_t)a, SZ);
}

static void ck(void *b[], void *a)
{
	char *p = (char *)STARPU_VECTOR_GET_PTR(b[0]);
	for (int i = 0; i < SZ; i += 997)
		CHECK(p[i] == (char)(intptr_t)a);
}

static struct starpu_codelet cw = { .cpu_funcs = { wr }, .nbuffers = 1, .modes = { STARPU_W } },
			     cc = { .cpu_funcs = { ck }, .nbuffers = 1, .modes = { STARPU_R } };

int main(void)
{
	char dir[] = "/tmp/xoocXXXXXX";
	CHECK(mkdtemp(dir));
	setenv("STARPU_LIMIT_CPU_MEM", "16", 1);
	setenv("STARPU_DISK_SWAP", dir, 1);
	setenv("STARPU_DISK_SWAP_BACKEND", "unistd", 1);
	setenv("STARPU_DISK_SWAP_SIZE", "200", 1);
	START();
	starpu_data_handle_t h[NB];
	for (int i = 0; i < NB; i++) {
		starpu_vector_data_register(&h[i], -1, 0, SZ, 1);
		OK(starpu_task_insert(&cw, STARPU_W, h[i], STARPU_CL_ARGS_NFREE, (void *)(intptr_t)i, (size_t)0, 0));
	}
	OK(starpu_task_wait_for_all());
	for (int i = 0; i < NB; i++)
		OK(starpu_task_insert(&cc, STARPU_R, h[i], STARPU_CL_ARGS_NFREE, (void *)(intptr_t)i, (size_t)0, 0));
	OK(starpu_task_wait_for_all());
	printf("used %ld total %ld\n", (long)starpu_memory_get_used(0), (long)starpu_memory_get_total(0));
	for (int i = 0; i < NB; i++)
		starpu_data_unregister(h[i]);
	starpu_shutdown();
	rmdir(dir);
	return 0;
}
