/* SPDX-License-Identifier: MIT */
/* A limit of main memory, for what is counted. */
#include "check.h"

int main(void)
{
	setenv("STARPU_LIMIT_CPU_MEM", "1", 1);
	START();
	void *b1, *b2;
	CHECK(starpu_memory_get_total(0) == 1 << 20);
	OK(starpu_malloc_flags(&b1, 1024 * 1024 - 1024, STARPU_MALLOC_PINNED | STARPU_MALLOC_COUNT));
	int r = starpu_malloc_flags(&b2, 1024 * 512, STARPU_MALLOC_PINNED | STARPU_MALLOC_COUNT);
	CHECK(r == -ENOMEM);
	OK(starpu_malloc_flags(&b2, 1024 * 512, STARPU_MALLOC_PINNED));
	starpu_free_flags(b2, 1024 * 512, STARPU_MALLOC_PINNED);
	starpu_free_flags(b1, 1024 * 1024 - 1024, STARPU_MALLOC_PINNED | STARPU_MALLOC_COUNT);
	OK(starpu_malloc_flags(&b2, 1024 * 512, STARPU_MALLOC_PINNED | STARPU_MALLOC_COUNT));
	CHECK(starpu_memory_get_available(0) == (1 << 20) - 1024 * 512);
	starpu_data_handle_t h;
	starpu_vector_data_register(&h, -1, 0, 1024 * 256, 1);
	OK(starpu_data_acquire(h, STARPU_W));
	starpu_data_release(h);
	starpu_data_unregister(h);
	starpu_free_flags(b2, 1024 * 512, STARPU_MALLOC_PINNED | STARPU_MALLOC_COUNT);
	starpu_shutdown();
	return 0;
}
