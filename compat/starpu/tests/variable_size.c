/* SPDX-License-Identifier: MIT */
/* Data that becomes larger while codelets use it. */
#include "check.h"

struct vs {
	uintptr_t ptr;
	size_t size;
	unsigned x, y;
};

static void reg(starpu_data_handle_t h, int home, void *i)
{
	struct vs *s = i;
	for (unsigned n = 0; n < STARPU_MAXNODES; n++) {
		struct vs *l = starpu_data_get_interface_on_node(h, n);
		*l = *s;
		if ((int)n != home)
			l->ptr = 0;
	}
}

static starpu_ssize_t al(void *i, unsigned n)
{
	struct vs *s = i;
	s->ptr = starpu_malloc_on_node_flags(n, s->size, STARPU_MALLOC_PINNED | STARPU_MALLOC_COUNT);
	if (!s->ptr)
		return -ENOMEM;
	return s->size;
}

static void fr(void *i, unsigned n)
{
	struct vs *s = i;
	starpu_free_on_node_flags(n, s->ptr, s->size, STARPU_MALLOC_PINNED | STARPU_MALLOC_COUNT);
	s->ptr = 0;
}

static size_t gs(starpu_data_handle_t h)
{
	return ((struct vs *)starpu_data_get_interface_on_node(h, 0))->size;
}

static uint32_t fo(starpu_data_handle_t h)
{
	struct vs *s = starpu_data_get_interface_on_node(h, 0);
	return starpu_hash_crc32c_be(s->x, s->y);
}

static int cmp(void *a, void *b)
{
	return ((struct vs *)a)->size == ((struct vs *)b)->size;
}

static starpu_ssize_t de(void *a, char *b, size_t n)
{
	return snprintf(b, n, "vv%u", ((struct vs *)a)->x);
}

static void dis(starpu_data_handle_t h, FILE *f)
{
	fprintf(f, "%zu\t", gs(h));
}

static int cp(void *s, unsigned sn, void *d, unsigned dn, void *as)
{
	struct vs *a = s, *b = d;
	return starpu_interface_copy(a->ptr, 0, sn, b->ptr, 0, dn, a->size, as);
}

static const struct starpu_data_copy_methods cm = { .any_to_any = cp };
static struct starpu_data_interface_ops ops = { .register_data_handle = reg,
						.allocate_data_on_node = al,
						.free_data_on_node = fr,
						.copy_methods = &cm,
						.get_size = gs,
						.footprint = fo,
						.compare = cmp,
						.display = dis,
						.describe = de,
						.interfaceid = STARPU_UNKNOWN_INTERFACE_ID,
						.interface_size = sizeof(struct vs),
						.dontcache = 0 };

static void k(void *b[], void *a)
{
	(void)a;
	struct vs *s = b[0];
	size_t sz = s->size + 1000;
	void *p = (void *)starpu_malloc_on_node_flags(starpu_worker_get_local_memory_node(), sz,
						      STARPU_MALLOC_PINNED | STARPU_MALLOC_COUNT |
							      STARPU_MEMORY_OVERFLOW);
	memcpy(p, (void *)s->ptr, s->size);
	starpu_free_on_node_flags(starpu_worker_get_local_memory_node(), s->ptr, s->size,
				  STARPU_MALLOC_PINNED | STARPU_MALLOC_COUNT);
	s->ptr = (uintptr_t)p;
	s->size = sz;
	((char *)p)[0]++;
}

static void in(void *b[], void *a)
{
	(void)a;
	struct vs *s = b[0];
	memset((void *)s->ptr, 0, s->size);
}

static struct starpu_codelet ck = { .cpu_funcs = { k }, .nbuffers = 1, .modes = { STARPU_RW } },
			     ci = { .cpu_funcs = { in }, .nbuffers = 1, .modes = { STARPU_W } };

int main(void)
{
	START();
	starpu_data_handle_t h[20];
	for (int i = 0; i < 20; i++) {
		struct vs s = { .size = 1000, .x = i, .y = i };
		starpu_data_register(&h[i], -1, &s, &ops);
		OK(starpu_task_insert(&ci, STARPU_W, h[i], 0));
	}
	for (int j = 0; j < 10; j++)
		for (int i = 0; i < 20; i++)
			OK(starpu_task_insert(&ck, STARPU_RW, h[i], 0));
	for (int i = 0; i < 20; i++) {
		OK(starpu_data_acquire(h[i], STARPU_R));
		struct vs *s = starpu_data_get_interface_on_node(h[i], 0);
		CHECK(s->size == 11000 && ((char *)s->ptr)[0] == 10);
		starpu_data_release(h[i]);
		starpu_data_unregister_submit(h[i]);
	}
	OK(starpu_task_wait_for_all());
	starpu_shutdown();
	return 0;
}
