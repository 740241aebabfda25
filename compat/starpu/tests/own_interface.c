/* SPDX-License-Identifier: MIT */
/* An interface of the program's own: complex numbers in two arrays, with one copy method for all nodes, packing,
 * scratch, copies into another handle, and a filter of its own. */
#include <starpu.h>

struct complex_interface {
	enum starpu_data_interface_id id;
	double *real;
	double *imaginary;
	int nx;
};

static void complex_register(starpu_data_handle_t handle, int home_node, void *data_interface)
{
	struct complex_interface *given = data_interface;

	for (int node = 0; node < STARPU_MAXNODES; node++) {
		struct complex_interface *local = (struct complex_interface *)starpu_data_get_interface_on_node(
			handle, (unsigned)node);

		local->id = given->id;
		local->nx = given->nx;
		local->real = node == home_node ? given->real : NULL;
		local->imaginary = node == home_node ? given->imaginary : NULL;
	}
}

static starpu_ssize_t complex_allocate(void *data_interface, unsigned node)
{
	struct complex_interface *c = data_interface;
	size_t bytes = (size_t)c->nx * sizeof(double);

	c->real = (double *)starpu_malloc_on_node_flags(node, bytes, 0);
	c->imaginary = (double *)starpu_malloc_on_node(node, bytes);
	return c->real && c->imaginary ? (starpu_ssize_t)(2 * bytes) : -ENOMEM;
}

static void complex_free(void *data_interface, unsigned node)
{
	struct complex_interface *c = data_interface;
	size_t bytes = (size_t)c->nx * sizeof(double);

	starpu_free_on_node(node, (uintptr_t)c->real, bytes);
	starpu_free_on_node(node, (uintptr_t)c->imaginary, bytes);
}

static size_t complex_size(starpu_data_handle_t handle)
{
	struct complex_interface *c = starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM);

	return 2 * (size_t)c->nx * sizeof(double);
}

static uint32_t complex_footprint(starpu_data_handle_t handle)
{
	return starpu_hash_crc32c_be((uint32_t)complex_size(handle), 0);
}

static int complex_copy(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node,
			void *async_data)
{
	struct complex_interface *src = src_interface, *dst = dst_interface;
	size_t bytes = (size_t)src->nx * sizeof(double);
	int error = starpu_interface_copy((uintptr_t)src->real, 0, src_node, (uintptr_t)dst->real, 0, dst_node, bytes,
					  async_data);

	return error ? error
		     : starpu_interface_copy2d((uintptr_t)src->imaginary, 0, src_node, (uintptr_t)dst->imaginary, 0,
					       dst_node, sizeof(double), (size_t)src->nx, sizeof(double),
					       sizeof(double), async_data);
}

static int complex_pack(starpu_data_handle_t handle, unsigned node, void **ptr, starpu_ssize_t *count)
{
	struct complex_interface *c = starpu_data_get_interface_on_node(handle, node);
	size_t bytes = (size_t)c->nx * sizeof(double);

	*count = (starpu_ssize_t)(2 * bytes);
	if (!ptr)
		return 0;
	*ptr = (void *)starpu_malloc_on_node_flags(node, 2 * bytes, 0);
	memcpy(*ptr, c->real, bytes);
	memcpy((char *)*ptr + bytes, c->imaginary, bytes);
	return 0;
}

static int complex_unpack(starpu_data_handle_t handle, unsigned node, void *ptr, size_t count)
{
	struct complex_interface *c = starpu_data_get_interface_on_node(handle, node);

	memcpy(c->real, ptr, count / 2);
	memcpy(c->imaginary, (char *)ptr + count / 2, count / 2);
	starpu_free_on_node_flags(node, (uintptr_t)ptr, count, 0);
	return 0;
}

static const struct starpu_data_copy_methods complex_methods = { .any_to_any = complex_copy };
static struct starpu_data_interface_ops complex_ops = { .register_data_handle = complex_register,
							.allocate_data_on_node = complex_allocate,
							.free_data_on_node = complex_free,
							.copy_methods = &complex_methods,
							.get_size = complex_size,
							.footprint = complex_footprint,
							.interfaceid = STARPU_UNKNOWN_INTERFACE_ID,
							.interface_size = sizeof(struct complex_interface),
							.pack_data = complex_pack,
							.unpack_data = complex_unpack };

static void complex_halves(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
			   unsigned nparts)
{
	struct complex_interface *parent = parent_interface, *child = child_interface;
	int length = parent->nx / (int)nparts;

	(void)f;
	*child = *parent;
	child->nx = length;
	if (parent->real) {
		child->real = parent->real + (int)id * length;
		child->imaginary = parent->imaginary + (int)id * length;
	}
}

static void conjugate(void *buffers[], void *arg)
{
	struct complex_interface *c = buffers[0];

	(void)arg;
	for (int i = 0; i < c->nx; i++)
		c->imaginary[i] = -c->imaginary[i];
}

static void set(void *buffers[], void *arg)
{
	struct complex_interface *c = buffers[0], *scratch = buffers[1];

	(void)arg;
	for (int i = 0; i < c->nx; i++)
		scratch->real[i] = i;
	for (int i = 0; i < c->nx; i++) {
		c->real[i] = scratch->real[i];
		c->imaginary[i] = 2 * scratch->real[i];
	}
}

static struct starpu_codelet conjugate_cl = { .cpu_funcs = { conjugate }, .nbuffers = 1, .modes = { STARPU_RW } };
static struct starpu_codelet set_cl = { .cpu_funcs = { set }, .nbuffers = 2, .modes = { STARPU_W, STARPU_SCRATCH } };

static starpu_data_handle_t register_complex(int home_node, double *real, double *imaginary, int nx)
{
	struct complex_interface c = { .real = real, .imaginary = imaginary, .nx = nx };
	starpu_data_handle_t handle;

	if (complex_ops.interfaceid == STARPU_UNKNOWN_INTERFACE_ID)
		complex_ops.interfaceid = starpu_data_interface_get_next_id();
	c.id = complex_ops.interfaceid;
	starpu_data_register(&handle, home_node, &c, &complex_ops);
	STARPU_ASSERT(starpu_data_get_interface_id(handle) == complex_ops.interfaceid);
	return handle;
}

static void cut(starpu_data_handle_t handle, double *imaginary)
{
	struct starpu_data_filter f = { .filter_func = complex_halves, .nchildren = 2 };
	starpu_data_handle_t children[2];

	starpu_data_partition(handle, &f);
	STARPU_ASSERT(starpu_task_insert(&conjugate_cl, STARPU_RW, starpu_data_get_sub_data(handle, 1, 1), 0) == 0);
	starpu_data_unpartition(handle, STARPU_MAIN_RAM);
	STARPU_ASSERT(imaginary[0] == 0 && imaginary[1] == 2 && imaginary[2] == -4 && imaginary[3] == -6);
	starpu_data_partition_plan(handle, &f, children);
	STARPU_ASSERT(starpu_task_insert(&conjugate_cl, STARPU_RW, children[1], 0) == 0);
	STARPU_ASSERT(starpu_task_insert(&conjugate_cl, STARPU_RW, handle, 0) == 0);
	starpu_data_partition_clean(handle, 2, children);
	STARPU_ASSERT(starpu_data_acquire(handle, STARPU_R) == 0);
	STARPU_ASSERT(imaginary[1] == -2 && imaginary[2] == -4 && imaginary[3] == -6);
	starpu_data_release(handle);
}

int main(void)
{
	double real[4] = { 9, 9, 9, 9 }, imaginary[4] = { 9, 9, 9, 9 };
	starpu_data_handle_t given, own;
	struct complex_interface *view;
	starpu_ssize_t count;
	void *packed;

	STARPU_CHECK_RETURN_VALUE(starpu_init(NULL), "starpu_init");
	given = register_complex(STARPU_MAIN_RAM, real, imaginary, 4);
	own = register_complex(-1, NULL, NULL, 4);
	view = starpu_data_get_interface_on_node(given, STARPU_MAIN_RAM);
	STARPU_ASSERT(view->real == real && starpu_data_get_size(given) == sizeof real + sizeof imaginary);
	STARPU_ASSERT(starpu_data_test_if_allocated_on_node(given, STARPU_MAIN_RAM));
	STARPU_ASSERT(!starpu_data_test_if_allocated_on_node(own, STARPU_MAIN_RAM));
	STARPU_ASSERT(starpu_task_insert(&set_cl, STARPU_W, own, STARPU_SCRATCH, given, 0) == 0);
	STARPU_ASSERT(starpu_data_cpy(given, own, 0, NULL, NULL) == 0);
	STARPU_ASSERT(real[3] == 3 && imaginary[3] == 6);
	cut(given, imaginary);
	STARPU_ASSERT(starpu_data_acquire(given, STARPU_R) == 0 && starpu_data_acquire(own, STARPU_W) == 0);
	STARPU_ASSERT(starpu_data_pack(given, &packed, &count) == 0 && count == 8 * sizeof(double));
	STARPU_ASSERT(starpu_data_unpack(own, packed, (size_t)count) == 0);
	view = starpu_data_get_interface_on_node(own, STARPU_MAIN_RAM);
	STARPU_ASSERT(view->real[2] == 2 && view->imaginary[2] == -4);
	starpu_data_release(own);
	starpu_data_release(given);
	starpu_data_unregister(own);
	starpu_data_unregister(given);
	starpu_shutdown();
	return 0;
}
