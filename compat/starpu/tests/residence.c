/* SPDX-License-Identifier: MIT */
/* Where data is: its memory, its content, and the program's own memory for it. */
#include "check.h"

static void increment(void *buffers[], void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < STARPU_MATRIX_GET_NX(buffers[0]); i++)
		((int *)STARPU_MATRIX_GET_PTR(buffers[0]))[i]++;
}

static void fill(void *buffers[], void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		((int *)STARPU_VECTOR_GET_PTR(buffers[0]))[i] = 7;
}

static struct starpu_codelet increments = { .cpu_funcs = { increment }, .nbuffers = 1, .modes = { STARPU_RW } };
static struct starpu_codelet fills = { .cpu_funcs = { fill }, .nbuffers = 1, .modes = { STARPU_W } };

static void data_without_memory_has_no_content(void)
{
	starpu_data_handle_t h, *handles;
	int allocated, valid, loading, requested, *states;
	unsigned n;

	starpu_vector_data_register(&h, -1, 0, 10, sizeof(int));
	starpu_data_query_status2(h, STARPU_MAIN_RAM, &allocated, &valid, &loading, &requested);
	CHECK(!allocated && !valid && !loading && !requested);
	starpu_data_get_node_data(STARPU_MAIN_RAM, &handles, &states, &n);
	CHECK(!n);
	free(handles);
	free(states);
	OK(starpu_task_insert(&fills, STARPU_W, h, 0));
	OK(starpu_data_fetch_on_node(h, STARPU_MAIN_RAM, 0));
	CHECK(((int *)starpu_data_get_local_ptr(h))[9] == 7);
	starpu_data_query_status(h, STARPU_MAIN_RAM, &allocated, &valid, &requested);
	CHECK(allocated && valid && !requested);
	starpu_data_get_node_data(STARPU_MAIN_RAM, &handles, &states, &n);
	CHECK(n == 1 && handles[0] == h && states[0]);
	free(handles);
	free(states);
	CHECK(starpu_data_is_on_node_excluding_prefetch(h, STARPU_MAIN_RAM));
	CHECK(!starpu_data_test_if_mapped_on_node(h, STARPU_MAIN_RAM));
	CHECK(!starpu_data_can_evict(h, STARPU_MAIN_RAM, STARPU_FETCH));
	CHECK(!strcmp(starpu_data_get_interface_ops(h)->name, "STARPU_VECTOR_INTERFACE"));
	starpu_data_unregister(h);
}

static void the_program_gives_memory_later(void)
{
	int values[10] = { 0 }, more[3 * 5] = { 0 };
	starpu_data_handle_t h;

	starpu_vector_data_register(&h, -1, 0, 10, sizeof(int));
	starpu_vector_ptr_register(h, STARPU_MAIN_RAM, (uintptr_t)values, (uintptr_t)values, 0);
	OK(starpu_task_insert(&fills, STARPU_W, h, 0));
	starpu_data_unregister(h);
	CHECK(values[0] == 7 && values[9] == 7);
	starpu_matrix_data_register(&h, -1, 0, 4, 4, 3, sizeof(int));
	starpu_matrix_ptr_register(h, STARPU_MAIN_RAM, (uintptr_t)more, (uintptr_t)more, 0, 5);
	OK(starpu_data_acquire(h, STARPU_W));
	CHECK(starpu_matrix_get_local_ld(h) == 5 && starpu_matrix_get_local_ptr(h) == (uintptr_t)more);
	starpu_data_release_to_on_node(h, STARPU_R, STARPU_MAIN_RAM);
	starpu_data_release(h);
	OK(starpu_task_insert(&increments, STARPU_RW, h, 0));
	starpu_data_unregister(h);
	CHECK(more[3] == 1 && more[4] == 0 && more[5] == 0);
}

static void parts_are_read_without_an_order(void)
{
	int values[10] = { 0 };
	starpu_data_handle_t h, parts[2];
	struct starpu_data_filter halves = { .filter_func = starpu_vector_filter_block, .nchildren = 2 };

	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)values, 10, sizeof(int));
	starpu_data_partition_plan(h, &halves, parts);
	starpu_data_partition_readonly_submit_sequential_consistency(h, 2, parts, 1);
	OK(starpu_data_acquire(parts[1], STARPU_R));
	starpu_data_release(parts[1]);
	starpu_data_unpartition_submit(h, 2, parts, STARPU_MAIN_RAM);
	starpu_data_partition_clean(h, 2, parts);
	starpu_data_unregister(h);
}

static void content_of_parts_is_content(void)
{
	struct starpu_data_filter halves = { .filter_func = starpu_vector_filter_block, .nchildren = 2 };
	starpu_data_handle_t h;
	int valid;

	starpu_vector_data_register(&h, -1, 0, 10, sizeof(int));
	starpu_data_partition(h, &halves);
	for (int i = 0; i < 2; i++)
		OK(starpu_task_insert(&fills, STARPU_W, starpu_data_get_sub_data(h, 1, i), 0));
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	starpu_data_query_status(h, STARPU_MAIN_RAM, NULL, &valid, NULL);
	CHECK(valid);
	starpu_data_unregister(h);
}

static void defaults_are_those_of_StarPU(void)
{
	struct starpu_conf conf;
	struct starpu_task *task = starpu_task_create();
	int error;

	OK(starpu_conf_init(&conf));
	CHECK(conf.calibrate == 0 && conf.bus_calibrate == 0 && conf.reserve_ncpus == -1 && conf.ncpus == -1);
	CHECK(STARPU_MIN_PRIO < 0 && STARPU_MAX_PRIO > 0);
	task->cl = &fills;
	CHECK(starpu_worker_type_can_execute_task(STARPU_CPU_WORKER, task));
	CHECK(!starpu_worker_type_can_execute_task(STARPU_CUDA_WORKER, task));
	starpu_task_destroy(task);
	CHECK(!starpu_interface_map(0, 0, 0, 0, 8, &error) && error == -EIO);
	CHECK(starpu_interface_update_map(0, 0, 0, 0, 0, 0, 8) == -EIO &&
	      starpu_interface_unmap(0, 0, 0, 0, 0, 8) == -EIO);
}

/* StarPU aborts here. */
static void a_read_of_nothing_is_remembered(void)
{
	FILE *log = tmpfile();
	int screen = dup(STDERR_FILENO);
	char text[200] = "";
	starpu_data_handle_t h;

	CHECK(log && screen >= 0 && dup2(fileno(log), STDERR_FILENO) >= 0);
	starpu_matrix_data_register(&h, -1, 0, 4, 4, 3, sizeof(int));
	OK(starpu_task_insert(&increments, STARPU_RW, h, 0));
	OK(starpu_task_wait_for_all());
	starpu_data_unregister(h);
	CHECK(dup2(screen, STDERR_FILENO) >= 0);
	rewind(log);
	CHECK(fread(text, 1, sizeof text - 1, log) && strstr(text, "is read, but nothing wrote it"));
	fclose(log);
	close(screen);
}

int main(void)
{
	START();
	data_without_memory_has_no_content();
	the_program_gives_memory_later();
	parts_are_read_without_an_order();
	content_of_parts_is_content();
	defaults_are_those_of_StarPU();
	a_read_of_nothing_is_remembered();
	starpu_shutdown();
	return 0;
}
