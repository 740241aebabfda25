/* SPDX-License-Identifier: MIT */
/* Memory by every call that allocates some. */
#include "check.h"

static int al, fr;

static int hook_alloc(unsigned n, void **p, size_t s, int fl)
{
	(void)n;
	(void)fl;
	*p = malloc(s);
	al++;
	return *p ? 0 : -ENOMEM;
}

static int hook_free(unsigned n, void *p, size_t s, int fl)
{
	(void)n;
	(void)s;
	(void)fl;
	free(p);
	fr++;
	return 0;
}

int main(void)
{
	START();
	void *p;
	OK(starpu_malloc(&p, 1000));
	memset(p, 0, 1000);
	starpu_free_noflag(p, 1000);
	OK(starpu_malloc_flags(&p, 1000, STARPU_MALLOC_PINNED | STARPU_MALLOC_COUNT));
	starpu_free_flags(p, 1000, STARPU_MALLOC_PINNED | STARPU_MALLOC_COUNT);
	uintptr_t q = starpu_malloc_on_node(0, 100);
	CHECK(q);
	starpu_free_on_node(0, q, 100);
	q = starpu_malloc_on_node_flags(0, 100, STARPU_MALLOC_PINNED);
	starpu_free_on_node_flags(0, q, 100, STARPU_MALLOC_PINNED);
	char b[100];
	OK(starpu_memory_pin(b, 100));
	OK(starpu_memory_unpin(b, 100));
	CHECK(starpu_memory_get_total(0) >= -1);
	OK(starpu_memory_allocate(0, 1000, STARPU_MEMORY_OVERFLOW));
	starpu_memory_deallocate(0, 1000);
	starpu_memory_wait_available(0, 10);
	CHECK(starpu_memory_get_total_all_nodes() >= -1);
	CHECK(starpu_memory_get_available_all_nodes() >= -1);
	starpu_malloc_set_align(64);
	OK(starpu_malloc(&p, 10));
	CHECK((uintptr_t)p % 64 == 0);
	starpu_free_noflag(p, 10);
	CHECK(starpu_memory_nodes_get_count() >= 1);
	CHECK(starpu_node_get_kind(0) == STARPU_CPU_RAM);
	starpu_malloc_on_node_set_default_flags(0, STARPU_MALLOC_COUNT);
	starpu_malloc_set_hooks(hook_alloc, hook_free);
	OK(starpu_malloc(&p, 10));
	starpu_free_noflag(p, 10);
	starpu_malloc_set_hooks(NULL, NULL);
	starpu_shutdown();
	return 0;
}
