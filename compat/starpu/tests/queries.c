/* SPDX-License-Identifier: MIT */
/* What a program may ask about workers, memory nodes, tasks and lists of tasks. */
#include "check.h"

static void nothing(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
}

static struct starpu_perfmodel model = { .type = STARPU_HISTORY_BASED, .symbol = "queries" };
static struct starpu_codelet cl = { .cpu_funcs = { nothing }, .name = "nothing", .model = &model };

static void workers_and_nodes(void)
{
	int ids[STARPU_NMAXWORKERS];
	unsigned nodes[STARPU_MAXNODES];
	char name[64];

	starpu_worker_wait_for_initialisation();
	starpu_wait_initialized();
	CHECK(starpu_worker_get_subworkerid(0) == 0 && starpu_worker_get_devnum(0) == 0);
	CHECK(starpu_worker_get_devids(STARPU_CPU_WORKER, ids, STARPU_NMAXWORKERS) ==
	      (int)starpu_cpu_worker_get_count());
	CHECK(starpu_memory_node_get_ids_by_type(STARPU_CPU_RAM, nodes, STARPU_MAXNODES) >= 1 && nodes[0] == 0);
	CHECK(starpu_memory_nodes_get_count_by_kind(STARPU_CPU_RAM) >= 1);
	CHECK(starpu_memory_node_get_name(STARPU_MAIN_RAM, name, sizeof name) > 0 && name[0]);
	CHECK(starpu_memory_node_get_devid(STARPU_MAIN_RAM) >= 0);
	CHECK(starpu_memory_nodes_numa_devid_to_id(0) == STARPU_MAIN_RAM);
	CHECK(!starpu_memory_get_used_all_nodes());
	CHECK(!starpu_max_fpga_worker_get_count() && !starpu_tcpip_sc_worker_get_count());
	CHECK(!starpu_mic_worker_get_count() && !starpu_mpi_ms_worker_get_count());
	CHECK(!starpu_asynchronous_cuda_copy_disabled() && !starpu_asynchronous_opencl_copy_disabled());
	CHECK(!starpu_asynchronous_hip_copy_disabled() && !starpu_map_enabled());
}

static void tasks(void)
{
	struct starpu_task *task = starpu_task_create(), *copy;
	unsigned mask, first = 9;

	task->cl = &cl;
	CHECK(task->status == STARPU_TASK_INIT && !strcmp(starpu_task_get_model_name(task), "queries"));
	CHECK(!strcmp(starpu_task_status_get_as_string(STARPU_TASK_READY), "STARPU_TASK_READY"));
	CHECK(starpu_worker_can_execute_task_impl(0, task, &mask) && mask == 1);
	CHECK(starpu_worker_can_execute_task_first_impl(0, task, &first) && first == 0);
	starpu_task_set_implementation(task, 0);
	copy = starpu_task_dup(task);
	CHECK(copy && copy->cl == &cl);
	copy->detach = 0;
	OK(starpu_task_submit(copy));
	OK(starpu_task_wait(copy));
	task->detach = task->destroy = 0;
	starpu_task_set_destroy(task);
	OK(starpu_task_submit(task));
	OK(starpu_task_wait(task));
	OK(starpu_task_wait_for_n_submitted_in_ctx(0, 0));
}

static void lists_of_tasks(void)
{
	struct starpu_task a, b;
	struct starpu_task_list list, other;

	starpu_task_init(&a);
	starpu_task_init(&b);
	starpu_task_list_init(&list);
	starpu_task_list_init(&other);
	starpu_task_list_push_back(&list, &a);
	starpu_task_list_push_front(&list, &b);
	CHECK(starpu_task_list_front(&list) == &b && starpu_task_list_back(&list) == &a);
	CHECK(starpu_task_list_begin(&list) == &b && starpu_task_list_next(&b) == &a);
	CHECK(starpu_task_list_next(&a) == starpu_task_list_end(&list));
	CHECK(starpu_task_list_ismember(&list, &a) && !starpu_task_list_ismember(&other, &a));
	starpu_task_list_move(&other, &list);
	CHECK(starpu_task_list_empty(&list));
	starpu_task_list_erase(&other, &b);
	CHECK(starpu_task_list_pop_front(&other) == &a && starpu_task_list_empty(&other));
	starpu_task_clean(&a);
	starpu_task_clean(&b);
}

static void flags_of_data(void)
{
	starpu_data_handle_t h;
	int value = 0, place[2] = { 3, 4 }, found[2];

	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	starpu_data_set_ooc_flag(h, 0);
	CHECK(!starpu_data_get_ooc_flag(h));
	starpu_data_set_sched_data(h, &value);
	CHECK(starpu_data_get_sched_data(h) == &value);
	starpu_data_set_coordinates_array(h, 2, place);
	CHECK(starpu_data_get_coordinates_array(h, 2, found) == 2 && found[1] == 4);
	OK(starpu_data_request_allocation(h, STARPU_MAIN_RAM));
	OK(starpu_data_prefetch_on_node_prio(h, STARPU_MAIN_RAM, 1, 2));
	OK(starpu_data_idle_prefetch_on_node_prio(h, STARPU_MAIN_RAM, 1, 2));
	starpu_memchunk_tidy(STARPU_MAIN_RAM);
	starpu_data_unregister(h);
}

int main(void)
{
	START();
	workers_and_nodes();
	tasks();
	lists_of_tasks();
	flags_of_data();
	starpu_shutdown();
	return 0;
}
