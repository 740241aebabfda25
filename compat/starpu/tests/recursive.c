/* SPDX-License-Identifier: MIT */
/* Recursive tasks: others take the place of a task, on parts of its data, and on parts of those. */
#include <starpu.h>

#define PARTS 4
#define SIZE 64

static int vector[SIZE];
static unsigned whole, parts, ended;
static starpu_data_handle_t handle, sub[PARTS], subsub[PARTS][PARTS];

static void twice(void *buffers[], void *arg)
{
	int *v = (int *)STARPU_VECTOR_GET_PTR(buffers[0]);
	unsigned n = STARPU_VECTOR_GET_NX(buffers[0]);

	(void)arg;
	STARPU_ATOMIC_ADD(n == SIZE ? &whole : &parts, 1);
	for (unsigned i = 0; i < n; i++)
		v[i] *= 2;
}

static int never(struct starpu_task *task, void *arg)
{
	(void)task;
	(void)arg;
	return 0;
}

static int has_plans(struct starpu_task *task, void *arg, void **buffers)
{
	(void)arg;
	(void)buffers;
	return starpu_data_partition_get_nplans(STARPU_TASK_GET_HANDLE(task, 0)) > 0;
}

/* Depends on the content, which must be there: the mode says so. */
static int is_large(struct starpu_task *task, void *arg, void **buffers)
{
	const int *v = (int *)STARPU_VECTOR_GET_PTR(buffers[0]);

	(void)task;
	return v[0] >= *(int *)arg;
}

static struct starpu_codelet cl, plain = { .cpu_funcs = { twice }, .nbuffers = 1 };

static void split_more(struct starpu_task *task, void *arg, void **buffers)
{
	starpu_data_handle_t *children = arg;

	(void)buffers;
	for (int i = 0; i < PARTS; i++)
		STARPU_ASSERT(
			starpu_task_insert(&plain, STARPU_RW, children[i], STARPU_RECURSIVE_TASK_PARENT, task, 0) == 0);
}

static void split(struct starpu_task *task, void *arg)
{
	starpu_data_handle_t *children = arg;

	STARPU_ASSERT(STARPU_TASK_GET_HANDLE(task, 0) == handle);
	for (int i = 0; i < PARTS; i++)
		STARPU_ASSERT(starpu_task_insert(&cl, STARPU_RW, children[i], STARPU_RECURSIVE_TASK_FUNC,
						 i % 2 ? (int (*)())has_plans : (int (*)())never,
						 STARPU_RECURSIVE_TASK_GEN_DAG_FUNC, split_more,
						 STARPU_RECURSIVE_TASK_GEN_DAG_FUNC_ARG, subsub[i], 0) == 0);
}

static struct starpu_codelet cl = {
	.cpu_funcs = { twice }, .recursive_task_func = has_plans, .recursive_task_gen_dag_func = split, .nbuffers = 1
};
static struct starpu_codelet strong = { .cpu_funcs = { twice },
					.recursive_task_func = is_large,
					.recursive_task_gen_dag_func = split,
					.nbuffers = 1,
					.modes = { STARPU_RW | STARPU_RECURSIVE_TASK_STRONG } };

static void callback(void *arg)
{
	STARPU_ASSERT(arg == &ended);
	ended = parts;
}

int main(void)
{
	struct starpu_data_filter f = { .filter_func = starpu_vector_filter_block, .nchildren = PARTS };
	int limit = 16, low = 1000;

	STARPU_CHECK_RETURN_VALUE(starpu_init(NULL), "starpu_init");
	for (int i = 0; i < SIZE; i++)
		vector[i] = 1;
	starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)vector, SIZE, sizeof *vector);
	starpu_data_partition_plan(handle, &f, sub);
	for (int i = 0; i < PARTS; i++)
		starpu_data_partition_plan(sub[i], &f, subsub[i]);
	STARPU_ASSERT(starpu_data_partition_get_nplans(handle) == 1);
	STARPU_ASSERT(starpu_task_insert(&plain, STARPU_RW, handle, 0) == 0);
	STARPU_ASSERT(starpu_task_insert(&cl, STARPU_RW, handle, STARPU_RECURSIVE_TASK_GEN_DAG_FUNC_ARG, sub,
					 STARPU_CALLBACK_WITH_ARG_NFREE, callback, &ended, 0) == 0);
	STARPU_ASSERT(starpu_task_insert(&plain, STARPU_RW, handle, 0) == 0);
	STARPU_ASSERT(starpu_task_insert(&cl, STARPU_RW, handle, STARPU_RECURSIVE_TASK_GEN_DAG_FUNC_ARG, sub,
					 STARPU_TASK_SYNCHRONOUS, 1, 0) == 0);
	STARPU_ASSERT(whole == 2 && parts == 2 * 10 && ended == 10);
	STARPU_ASSERT(starpu_task_insert(&strong, STARPU_RW | STARPU_RECURSIVE_TASK_STRONG, handle,
					 STARPU_RECURSIVE_TASK_FUNC_ARG, &limit, STARPU_RECURSIVE_TASK_GEN_DAG_FUNC_ARG,
					 sub, 0) == 0);
	STARPU_ASSERT(starpu_task_insert(&strong, STARPU_RW | STARPU_RECURSIVE_TASK_STRONG, handle,
					 STARPU_RECURSIVE_TASK_FUNC_ARG, &low, STARPU_RECURSIVE_TASK_GEN_DAG_FUNC_ARG,
					 sub, 0) == 0);
	starpu_task_wait_for_all();
	STARPU_ASSERT(whole == 3 && parts == 3 * 10);
	for (int i = 0; i < PARTS; i++)
		starpu_data_partition_clean(sub[i], PARTS, subsub[i]);
	starpu_data_partition_clean(handle, PARTS, sub);
	starpu_data_unregister(handle);
	for (int i = 0; i < SIZE; i++)
		STARPU_ASSERT(vector[i] == 64);
	starpu_shutdown();
	return 0;
}
