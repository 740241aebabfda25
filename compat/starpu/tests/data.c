/* SPDX-License-Identifier: MIT */
/* Data: order from accesses, callbacks of acquires, reductions, commuting,
 * scratch, accesses without order, copies. */
#include <starpu.h>

static void increment(void *buffers[], void *arg)
{
	(void)arg;
	++*(unsigned *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}
static void add(void *buffers[], void *arg)
{
	(void)arg;
	*(unsigned *)STARPU_VARIABLE_GET_PTR(buffers[0]) += *(unsigned *)STARPU_VARIABLE_GET_PTR(buffers[1]);
}
static void zero(void *buffers[], void *arg)
{
	STARPU_ASSERT(!arg || *(int *)arg == 7);
	*(unsigned *)STARPU_VARIABLE_GET_PTR(buffers[0]) = 0;
}
static void with_scratch(void *buffers[], void *arg)
{
	unsigned *scratch = (unsigned *)STARPU_VECTOR_GET_PTR(buffers[1]);

	(void)arg;
	for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[1]); i++)
		scratch[i] = i;
	*(unsigned *)STARPU_VARIABLE_GET_PTR(buffers[0]) += scratch[3];
}

static struct starpu_codelet cl = { .cpu_funcs = { increment }, .nbuffers = 1, .modes = { STARPU_RW } };
static struct starpu_codelet any = { .cpu_funcs = { increment }, .nbuffers = STARPU_VARIABLE_NBUFFERS };
static struct starpu_codelet redux_task = { .cpu_funcs = { increment }, .nbuffers = 1, .modes = { STARPU_REDUX } };
static struct starpu_codelet redux_cl = { .cpu_funcs = { add }, .nbuffers = 2, .modes = { STARPU_RW, STARPU_R } };
static struct starpu_codelet init_cl = { .cpu_funcs = { zero }, .nbuffers = 1, .modes = { STARPU_W } };
static struct starpu_codelet scratch_cl = { .cpu_funcs = { with_scratch },
					    .nbuffers = 2,
					    .modes = { STARPU_RW, STARPU_SCRATCH } };

static starpu_data_handle_t handle;
static unsigned value, acquired;

static void increments(void)
{
	for (int i = 0; i < 100; i++)
		STARPU_ASSERT(starpu_task_insert(&cl, STARPU_RW, handle, 0) == 0);
	for (int i = 0; i < 100; i++)
		STARPU_ASSERT(starpu_task_insert(&any, STARPU_RW | STARPU_COMMUTE, handle, 0) == 0);
	STARPU_ASSERT(starpu_data_acquire_on_node(handle, STARPU_MAIN_RAM, STARPU_RW) == 0);
	STARPU_ASSERT(value == 200);
	value = 0;
	starpu_data_release_on_node(handle, STARPU_MAIN_RAM);
}

static void callback(void *arg)
{
	STARPU_ASSERT(arg == &value);
	acquired = value;
	starpu_data_release(handle);
}

static void callbacks(void)
{
	for (int i = 0; i < 10; i++)
		STARPU_ASSERT(starpu_task_insert(&cl, STARPU_RW, handle, 0) == 0);
	STARPU_ASSERT(starpu_data_acquire_cb(handle, STARPU_RW, callback, &value) == 0);
	STARPU_ASSERT(starpu_task_insert(&cl, STARPU_RW, handle, 0) == 0);
	STARPU_ASSERT(starpu_task_wait_for_all() == 0);
	STARPU_ASSERT(starpu_data_acquire(handle, STARPU_W) == 0);
	STARPU_ASSERT(acquired == 10);
	STARPU_ASSERT(starpu_data_acquire_try(handle, STARPU_W) == -EAGAIN);
	value = 0;
	starpu_data_release(handle);
	while (starpu_data_acquire_try(handle, STARPU_RW))
		starpu_usleep(100);
	starpu_data_release(handle);
}

static void reductions(void)
{
	static int seven = 7;

	STARPU_ASSERT(starpu_task_insert(&redux_task, STARPU_REDUX, handle, 0) == -EINVAL);
	starpu_data_set_reduction_methods(handle, &redux_cl, &init_cl);
	for (int i = 0; i < 50; i++)
		STARPU_ASSERT(starpu_task_insert(&redux_task, STARPU_REDUX, handle, 0) == 0);
	STARPU_ASSERT(starpu_data_acquire(handle, STARPU_R) == 0);
	STARPU_ASSERT(value == 50);
	starpu_data_release(handle);
	starpu_data_set_reduction_methods_with_args(handle, &redux_cl, NULL, &init_cl, &seven);
	for (int i = 0; i < 50; i++)
		STARPU_ASSERT(starpu_task_insert(&redux_task, STARPU_REDUX, handle, 0) == 0);
	STARPU_ASSERT(starpu_data_acquire(handle, STARPU_RW) == 0);
	STARPU_ASSERT(value == 100);
	value = 0;
	starpu_data_release(handle);
}

static void scratch(void)
{
	starpu_data_handle_t room;

	starpu_vector_data_register(&room, -1, 0, 8, sizeof(unsigned));
	for (int i = 0; i < 10; i++)
		STARPU_ASSERT(starpu_task_insert(&scratch_cl, STARPU_RW, handle, STARPU_SCRATCH, room, 0) == 0);
	starpu_data_unregister_submit(room);
	STARPU_ASSERT(starpu_data_acquire(handle, STARPU_RW) == 0);
	STARPU_ASSERT(value == 30);
	value = 0;
	starpu_data_release(handle);
}

/* Submitted in the wrong order, ordered by dependencies alone, and never two at
 * a time. */
static void unordered(void)
{
	struct starpu_task *first = starpu_task_build(&init_cl, STARPU_W, handle, STARPU_SEQUENTIAL_CONSISTENCY, 0, 0);
	struct starpu_task *second = starpu_task_build(&cl, STARPU_RW, handle, STARPU_SEQUENTIAL_CONSISTENCY, 0, 0);

	value = 5;
	starpu_task_declare_deps(second, 1, first);
	STARPU_ASSERT(starpu_task_submit(second) == 0);
	STARPU_ASSERT(starpu_task_submit(first) == 0);
	STARPU_ASSERT(starpu_task_wait_for_all() == 0);
	STARPU_ASSERT(value == 1);
	starpu_data_set_sequential_consistency_flag(handle, 0);
	STARPU_ASSERT(!starpu_data_get_sequential_consistency_flag(handle));
	for (int i = 0; i < 200; i++)
		STARPU_ASSERT(starpu_task_insert(&cl, STARPU_RW, handle, 0) == 0);
	STARPU_ASSERT(starpu_task_wait_for_all() == 0);
	STARPU_ASSERT(value == 201);
	starpu_data_set_sequential_consistency_flag(handle, 1);
}

static void copies(void)
{
	unsigned other = 77;
	starpu_data_handle_t from, same, read_only;
	starpu_ssize_t count;
	void *packed;

	starpu_variable_data_register(&from, STARPU_MAIN_RAM, (uintptr_t)&other, sizeof other);
	STARPU_ASSERT(starpu_data_cpy(handle, from, 0, NULL, NULL) == 0);
	STARPU_ASSERT(value == 77);
	starpu_data_register_same(&same, from);
	STARPU_ASSERT(starpu_data_cpy(same, from, 1, NULL, NULL) == 0);
	STARPU_ASSERT(starpu_data_dup_ro(&read_only, same, 1) == 0);
	STARPU_ASSERT(starpu_data_acquire(read_only, STARPU_R) == 0);
	STARPU_ASSERT(*(unsigned *)starpu_variable_get_local_ptr(read_only) == 77);
	STARPU_ASSERT(starpu_data_pack(read_only, &packed, &count) == 0 && count == sizeof(unsigned));
	starpu_data_release(read_only);
	*(unsigned *)packed = 78;
	STARPU_ASSERT(starpu_data_acquire(same, STARPU_W) == 0);
	STARPU_ASSERT(starpu_data_unpack(same, packed, sizeof(unsigned)) == 0);
	STARPU_ASSERT(*(unsigned *)starpu_data_handle_to_pointer(same, STARPU_MAIN_RAM) == 78);
	starpu_data_release(same);
	starpu_data_invalidate_submit(same);
	starpu_data_unregister_no_coherency(same);
	starpu_data_unregister(read_only);
	starpu_data_unregister(from);
}

static void lower(void *arg)
{
	value++;
	starpu_data_release_to(handle, STARPU_R);
	*(unsigned *)arg = 1;
	starpu_data_release(handle);
}

/* The data is released in part, by a thread and by a callback. */
static void releases_in_part(void)
{
	unsigned lowered = 0;

	value = 0;
	STARPU_ASSERT(starpu_data_acquire(handle, STARPU_RW) == 0);
	value++;
	STARPU_ASSERT(starpu_task_insert(&cl, STARPU_RW, handle, 0) == 0);
	starpu_data_release_to(handle, STARPU_R);
	STARPU_ASSERT(value == 2);
	starpu_data_release(handle);
	STARPU_ASSERT(starpu_data_acquire_cb(handle, STARPU_RW, lower, &lowered) == 0);
	STARPU_ASSERT(starpu_task_insert(&cl, STARPU_RW, handle, 0) == 0);
	STARPU_ASSERT(starpu_data_acquire(handle, STARPU_R) == 0);
	STARPU_ASSERT(value == 4);
	starpu_data_release_to(handle, STARPU_NONE);
	starpu_task_wait_for_all();
	STARPU_ASSERT(lowered);
	value = 0;
}

int main(void)
{
	starpu_data_handle_t nothing;

	STARPU_ASSERT(starpu_init(NULL) == 0);
	starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	starpu_void_data_register(&nothing);
	starpu_data_set_user_data(handle, &value);
	STARPU_ASSERT(starpu_data_get_user_data(handle) == &value);
	STARPU_ASSERT(starpu_data_get_interface_id(handle) == STARPU_VARIABLE_INTERFACE_ID);
	STARPU_ASSERT(starpu_data_prefetch_on_node(handle, STARPU_MAIN_RAM, 1) == 0);
	STARPU_ASSERT(starpu_data_fetch_on_node(handle, STARPU_MAIN_RAM, 0) == 0);
	starpu_data_wont_use(handle);
	increments();
	releases_in_part();
	callbacks();
	reductions();
	scratch();
	unordered();
	copies();
	starpu_data_unregister(nothing);
	starpu_data_unregister(handle);
	starpu_shutdown();
	return 0;
}
