/* SPDX-License-Identifier: MIT */
/* Recursive tasks in the spelling of StarPU 1.4, where they are bubbles, with functions of two arguments. */
#include "check.h"

#ifndef STARPU_BUBBLE
#error "a program asks for bubbles"
#endif

#define N 64
#define NPARTS 4

static starpu_data_handle_t parts[NPARTS];
static int on_parts, on_all;

static void increment(void *buffers[], void *arg)
{
	int *v = (int *)STARPU_VECTOR_GET_PTR(buffers[0]);
	unsigned n = STARPU_VECTOR_GET_NX(buffers[0]);

	(void)arg;
	for (unsigned i = 0; i < n; i++)
		v[i]++;
	STARPU_ATOMIC_ADD(n == N ? &on_all : &on_parts, 1);
}

static struct starpu_codelet leaf = { .cpu_funcs = { increment }, .nbuffers = 1, .modes = { STARPU_RW } };

static int is_bubble(struct starpu_task *task, void *arg)
{
	CHECK(task);
	return arg && *(int *)arg;
}

static void bubble_func(struct starpu_task *task, void *arg)
{
	starpu_data_handle_t *handles = arg;

	for (int i = 0; i < NPARTS; i++)
		OK(starpu_task_insert(&leaf, STARPU_RW, handles[i], STARPU_BUBBLE_PARENT, task, 0));
}

static struct starpu_codelet bubble = { .cpu_funcs = { increment },
					.bubble_func = is_bubble,
					.bubble_gen_dag_func = bubble_func,
					.nbuffers = 1,
					.modes = { STARPU_RW } };

int main(void)
{
	struct starpu_data_filter quarters = { .filter_func = starpu_vector_filter_block, .nchildren = NPARTS };
	struct starpu_task *task = starpu_task_create();
	starpu_data_handle_t handle;
	int v[N] = { 0 }, yes = 1, no = 0;

	START();
	starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)v, N, sizeof v[0]);
	starpu_data_partition_plan(handle, &quarters, parts);
	for (int i = 0; i < 10; i++)
		OK(starpu_task_insert(&bubble, STARPU_RW, handle, STARPU_BUBBLE_FUNC, is_bubble, STARPU_BUBBLE_FUNC_ARG,
				      i % 2 ? &yes : &no, STARPU_BUBBLE_GEN_DAG_FUNC, bubble_func,
				      STARPU_BUBBLE_GEN_DAG_FUNC_ARG, parts, 0));
	task->cl = &bubble;
	task->handles[0] = handle;
	task->bubble_func = is_bubble;
	task->bubble_func_arg = &yes;
	task->bubble_gen_dag_func = bubble_func;
	task->bubble_gen_dag_func_arg = parts;
	CHECK(!task->bubble_parent);
	OK(starpu_task_submit(task));
	OK(starpu_task_wait_for_all());
	starpu_data_partition_clean(handle, NPARTS, parts);
	starpu_data_unregister(handle);
	for (int i = 0; i < N; i++)
		CHECK(v[i] == 11);
	CHECK(on_all == 5 && on_parts == 6 * NPARTS);
	starpu_shutdown();
	return 0;
}
