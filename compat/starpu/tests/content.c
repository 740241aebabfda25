/* SPDX-License-Identifier: MIT */
/* Content: initialised by a codelet where it was never written or was discarded, copies that are only read, and the
 * memory nodes of accesses. */
#include <starpu.h>

static void one(void *buffers[], void *arg)
{
	*(unsigned *)STARPU_VARIABLE_GET_PTR(buffers[0]) = arg ? *(unsigned *)arg : 1;
}
static void multiply(void *buffers[], void *arg)
{
	(void)arg;
	*(unsigned *)STARPU_VARIABLE_GET_PTR(buffers[0]) *= *(unsigned *)STARPU_VARIABLE_GET_PTR(buffers[1]);
}
static void twice(void *buffers[], void *arg)
{
	(void)arg;
	*(unsigned *)STARPU_VARIABLE_GET_PTR(buffers[0]) *= 2;
}

static struct starpu_codelet one_cl = { .cpu_funcs = { one }, .nbuffers = 1, .modes = { STARPU_W } };
static struct starpu_codelet multiply_cl = { .cpu_funcs = { multiply },
					     .nbuffers = 2,
					     .modes = { STARPU_RW | STARPU_COMMUTE, STARPU_R } };
static struct starpu_codelet twice_cl = { .cpu_funcs = { twice }, .nbuffers = 1, .modes = { STARPU_RW } };
static struct starpu_codelet redux_cl = { .cpu_funcs = { twice }, .nbuffers = 1, .modes = { STARPU_REDUX } };
/* A codelet that nothing may be written to. */
static const struct starpu_codelet constant_cl = {
	.where = STARPU_CPU, .cpu_funcs = { twice }, .nbuffers = 1, .modes = { STARPU_RW }, .checked = 1
};

static unsigned read_value(starpu_data_handle_t h)
{
	unsigned value;

	STARPU_ASSERT(starpu_data_acquire(h, STARPU_R) == 0);
	value = *(unsigned *)starpu_data_get_local_ptr(h);
	starpu_data_release(h);
	return value;
}

static void initialised(void)
{
	starpu_data_handle_t h;
	unsigned three = 3;

	starpu_variable_data_register(&h, -1, 0, sizeof(unsigned));
	starpu_data_set_reduction_methods(h, NULL, &one_cl);
	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < 5; i++)
			STARPU_ASSERT(starpu_task_insert(&twice_cl, STARPU_RW, h, 0) == 0);
		STARPU_ASSERT(read_value(h) == 32);
		switch (round) {
		case 0:
			starpu_data_invalidate(h);
			break;
		case 1:
			starpu_data_deinitialize(h);
			break;
		default:
			starpu_data_deinitialize_submit(h);
		}
	}
	starpu_data_set_reduction_methods_with_args(h, &multiply_cl, NULL, &one_cl, &three);
	STARPU_ASSERT(starpu_task_insert(&twice_cl, STARPU_RW, h, 0) == 0);
	STARPU_ASSERT(read_value(h) == 6);
	starpu_data_invalidate_submit(h);
	starpu_data_set_reduction_methods(h, &multiply_cl, &one_cl);
	for (int i = 0; i < 6; i++)
		STARPU_ASSERT(starpu_task_insert(&redux_cl, STARPU_REDUX, h, 0) == 0);
	STARPU_ASSERT(read_value(h) == 64);
	starpu_data_unregister(h);
}

static void copies(void)
{
	starpu_data_handle_t h, a, b, c;
	unsigned value = 5;

	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	STARPU_ASSERT(starpu_data_dup_ro(&a, h) == 0);
	starpu_data_unregister(a);
	STARPU_ASSERT(starpu_data_dup_ro(&a, h, 1) == 0 && starpu_data_dup_ro(&b, h) == 0 && a == b);
	STARPU_ASSERT(starpu_data_dup_ro(&c, a) == 0 && c == a);
	STARPU_ASSERT(starpu_task_insert(&twice_cl, STARPU_RW, h, 0) == 0);
	starpu_data_unregister_submit(c);
	STARPU_ASSERT(starpu_data_dup_ro(&c, h) == 0 && c != a);
	STARPU_ASSERT(read_value(starpu_data_dup_ro_get(a)) == 5 && read_value(c) == 10 && read_value(h) == 10);
	starpu_data_unregister(a);
	starpu_data_unregister(h);
	STARPU_ASSERT(read_value(b) == 5 && read_value(c) == 10);
	starpu_data_unregister(b);
	starpu_data_unregister(c);
}

/* --- nodes --- */

static void check_nodes(void *buffers[], void *arg)
{
	struct starpu_task *task = starpu_task_get_current();
	unsigned n = STARPU_TASK_GET_NBUFFERS(task);

	(void)arg;
	for (unsigned i = 0; i < n; i++) {
		int node = starpu_task_get_current_data_node(i);

		STARPU_ASSERT(node == (STARPU_TASK_GET_NODE(task, i, -42) == STARPU_SPECIFIC_NODE_NONE ? -1 : 0));
		if (node == STARPU_MAIN_RAM)
			++*(unsigned *)STARPU_VARIABLE_GET_PTR(buffers[i]);
	}
}

static struct starpu_codelet nodes_cl = { .cpu_funcs = { check_nodes },
					  .nbuffers = 3,
					  .modes = { STARPU_RW, STARPU_RW, STARPU_RW },
					  .specific_nodes = 1,
					  .nodes = { STARPU_SPECIFIC_NODE_CPU, STARPU_SPECIFIC_NODE_LOCAL,
						     STARPU_SPECIFIC_NODE_NONE } };
static struct starpu_codelet any_cl = { .cpu_funcs = { check_nodes }, .nbuffers = STARPU_VARIABLE_NBUFFERS };

static void nodes(void)
{
	enum { N = STARPU_NMAXBUFS + 4 };
	static const int kinds[] = { STARPU_SPECIFIC_NODE_CPU,
				     STARPU_SPECIFIC_NODE_SLOW,
				     STARPU_SPECIFIC_NODE_FAST,
				     STARPU_SPECIFIC_NODE_LOCAL_OR_CPU,
				     STARPU_SPECIFIC_NODE_LOCAL_OR_SIMILAR_OR_CPU,
				     STARPU_MAIN_RAM };
	struct starpu_data_descr descriptions[N];
	struct starpu_data_mode_node_descr both[N];
	starpu_data_handle_t h[N];
	unsigned values[N] = { 0 };
	int where[N];

	STARPU_ASSERT(starpu_memory_nodes_get_count() >= 1);
	for (unsigned i = 0; i < N; i++) {
		starpu_variable_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)&values[i], sizeof values[i]);
		where[i] = kinds[i % 6];
		descriptions[i] = (struct starpu_data_descr){ h[i], STARPU_RW };
		both[i] = (struct starpu_data_mode_node_descr){ h[i], STARPU_RW, where[i] };
	}
	STARPU_ASSERT(starpu_task_insert(&nodes_cl, STARPU_RW, h[0], STARPU_RW, h[1], STARPU_RW, h[2], 0) == 0);
	STARPU_ASSERT(starpu_task_insert(&any_cl, STARPU_DATA_MODE_ARRAY, descriptions, N, STARPU_NODE_ARRAY, where, N,
					 0) == 0);
	STARPU_ASSERT(starpu_task_insert(&any_cl, STARPU_DATA_MODE_NODE_ARRAY, both, N, 0) == 0);
	for (unsigned i = 0; i < N; i++)
		starpu_data_unregister(h[i]);
	for (unsigned i = 0; i < N; i++)
		STARPU_ASSERT(values[i] == 2u + (i < 2));
}

static void constant(void)
{
	unsigned value = 1;
	starpu_data_handle_t h;

	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	for (int i = 0; i < 3; i++)
		STARPU_ASSERT(starpu_task_insert((struct starpu_codelet *)&constant_cl, STARPU_RW, h, 0) == 0);
	starpu_data_unregister(h);
	STARPU_ASSERT(value == 8);
}

int main(void)
{
	struct starpu_conf conf;

	starpu_conf_init(&conf);
	conf.ncuda = conf.nopencl = 0;
	STARPU_CHECK_RETURN_VALUE(starpu_init(&conf), "starpu_init");
	initialised();
	copies();
	nodes();
	constant();
	starpu_shutdown();
	return 0;
}
