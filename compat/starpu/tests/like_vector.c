/* SPDX-License-Identifier: MIT */
/* An interface made from the functions of the predefined vector, and those functions. */
#include "check.h"

static struct starpu_data_interface_ops my;

static void f(void *b[], void *a)
{
	(void)a;
	CHECK(STARPU_VECTOR_GET_NX(b[0]) == 10);
	int *x = (int *)STARPU_VECTOR_GET_PTR(b[0]);
	for (int i = 0; i < 10; i++)
		x[i] = i;
}

static struct starpu_codelet cw = { .cpu_funcs = { f }, .nbuffers = 1, .modes = { STARPU_W } };

static void g(void *b[], void *a)
{
	(void)a;
	int *x = (int *)STARPU_VECTOR_GET_PTR(b[0]);
	for (int i = 0; i < 10; i++)
		CHECK(x[i] == i);
}

static struct starpu_codelet cr = { .cpu_funcs = { g }, .nbuffers = 1, .modes = { STARPU_R } };

int main(void)
{
	START();
	my = starpu_interface_vector_ops;
	CHECK(my.register_data_handle && my.allocate_data_on_node && my.free_data_on_node && my.copy_methods &&
	      my.get_size && my.footprint && my.compare && my.describe && my.pack_data && my.unpack_data &&
	      my.interface_size == sizeof(struct starpu_vector_interface));
	my.interfaceid = (enum starpu_data_interface_id)starpu_data_interface_get_next_id();
	my.name = "MYVEC";
	struct starpu_vector_interface v;
	memset(&v, 0, sizeof v);
	v.id = my.interfaceid;
	v.nx = 10;
	v.elemsize = sizeof(int);
	v.allocsize = 10 * sizeof(int);
	starpu_data_handle_t h;
	starpu_data_register(&h, -1, &v, &my);
	OK(starpu_task_insert(&cw, STARPU_W, h, 0));
	OK(starpu_task_insert(&cr, STARPU_R, h, 0));
	OK(starpu_data_acquire(h, STARPU_R));
	struct starpu_vector_interface *vi = starpu_data_get_interface_on_node(h, 0);
	CHECK(((int *)vi->ptr)[9] == 9);
	starpu_data_release(h);
	starpu_data_unregister(h);
	int d[10];
	struct starpu_vector_interface w;
	memset(&w, 0, sizeof w);
	w.id = STARPU_VECTOR_INTERFACE_ID;
	w.ptr = (uintptr_t)d;
	w.dev_handle = (uintptr_t)d;
	w.nx = 10;
	w.elemsize = sizeof(int);
	w.allocsize = sizeof d;
	starpu_data_register(&h, STARPU_MAIN_RAM, &w, &starpu_interface_vector_ops);
	OK(starpu_task_insert(&cw, STARPU_W, h, 0));
	starpu_data_unregister(h);
	CHECK(d[9] == 9);
	struct starpu_data_interface_ops *all[] = { &starpu_interface_vector_ops,  &starpu_interface_matrix_ops,
						    &starpu_interface_block_ops,   &starpu_interface_tensor_ops,
						    &starpu_interface_ndim_ops,    &starpu_interface_csr_ops,
						    &starpu_interface_bcsr_ops,    &starpu_interface_coo_ops,
						    &starpu_interface_variable_ops };
	for (int i = 0; i < 9; i++) {
		printf("%d:%d%d%d%d%d%d%d%d%d%d\n", i, !!all[i]->register_data_handle, !!all[i]->allocate_data_on_node,
		       !!all[i]->free_data_on_node, !!all[i]->copy_methods, !!all[i]->get_size, !!all[i]->footprint,
		       !!all[i]->compare, !!all[i]->describe, !!all[i]->pack_data, !!all[i]->to_pointer);
		CHECK(all[i]->describe && all[i]->get_size && all[i]->interface_size);
	}
	starpu_vector_data_register(&h, 0, (uintptr_t)d, 10, sizeof(int));
	char buf[100];
	CHECK(starpu_data_get_interface_ops(h)->describe(starpu_data_get_interface_on_node(h, 0), buf, 100) > 0);
	puts(buf);
	CHECK(starpu_data_get_interface_ops(h)->get_size(h) == 40);
	CHECK(starpu_data_get_interface_ops(h)->footprint(h) != 0);
	CHECK(starpu_data_get_interface_ops(h)->to_pointer(starpu_data_get_interface_on_node(h, 0), 0) == d);
	CHECK(starpu_data_pointer_is_inside(h, 0, &d[3]));
	CHECK(!starpu_data_pointer_is_inside(h, 0, &h));
	starpu_data_handle_t h2;
	int e[10];
	starpu_vector_data_register(&h2, 0, (uintptr_t)e, 10, sizeof(int));
	CHECK(starpu_data_get_interface_ops(h)->compare(starpu_data_get_interface_on_node(h, 0),
							starpu_data_get_interface_on_node(h2, 0)));
	{
		const struct starpu_data_copy_methods *m = starpu_interface_vector_ops.copy_methods;
		void *s = starpu_data_get_interface_on_node(h, 0), *t = starpu_data_get_interface_on_node(h2, 0);
		d[5] = 77;
		if (m->ram_to_ram)
			OK(m->ram_to_ram(s, 0, t, 0));
		else
			OK(m->any_to_any(s, 0, t, 0, NULL));
		CHECK(e[5] == 77);
	}
	starpu_data_unregister(h2);
	starpu_data_unregister(h);
	starpu_shutdown();
	return 0;
}
