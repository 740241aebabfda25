/* SPDX-License-Identifier: MIT */
/* All kinds of arguments of starpu_task_insert; packing and unpacking;
 * callbacks and prologues. */
#include <starpu.h>

static unsigned called, sum;

static void count(void *arg)
{
	STARPU_ATOMIC_ADD(&called, *(unsigned *)arg);
}

static void values(void *buffers[], void *arg)
{
	struct starpu_codelet_pack_arg_data state;
	struct starpu_task *task = starpu_task_get_current();
	int a, b, *copy, *pointer;
	char left[64];
	size_t size;

	(void)buffers;
	starpu_codelet_unpack_args(arg, &a, 0);
	STARPU_ASSERT(a == 1);
	starpu_codelet_unpack_args_and_copyleft(arg, left, sizeof left, &a, 0);
	starpu_codelet_unpack_args(left, &b, 0);
	STARPU_ASSERT(b == 2);
	starpu_codelet_unpack_arg_init(&state, arg, task->cl_arg_size);
	starpu_codelet_unpack_arg(&state, &a, sizeof a);
	starpu_codelet_dup_arg(&state, (void **)&copy, &size);
	STARPU_ASSERT(a == 1 && *copy == 2 && size == sizeof(int));
	free(copy);
	starpu_codelet_pick_arg(&state, (void **)&pointer, &size);
	STARPU_ASSERT(*pointer == 3);
	starpu_codelet_unpack_arg_fini(&state);
	STARPU_ASSERT(!strcmp(starpu_task_get_name(task), "with values"));
}

static void sums(void *buffers[], void *arg)
{
	struct starpu_task *task = starpu_task_get_current();

	(void)arg;
	for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); i++) {
		STARPU_ASSERT(STARPU_TASK_GET_MODE(task, i) & STARPU_R);
		sum += *(unsigned *)STARPU_VARIABLE_GET_PTR(buffers[i]);
	}
}

static struct starpu_codelet values_cl = { .cpu_funcs = { values } };
static struct starpu_codelet sums_cl = { .cpu_funcs = { sums }, .nbuffers = STARPU_VARIABLE_NBUFFERS };
static struct starpu_codelet two_cl = { .cpu_funcs = { sums }, .nbuffers = 2, .modes = { STARPU_R, STARPU_RW } };

static unsigned *number(unsigned n)
{
	unsigned *p = (unsigned *)malloc(sizeof *p);

	*p = n;
	return p;
}

static void with_values(void)
{
	struct starpu_codelet_pack_arg_data state;
	unsigned one = 1;
	int v[3] = { 1, 2, 3 };
	void *packed;
	size_t size;

	STARPU_ASSERT(starpu_task_insert(&values_cl, STARPU_VALUE, &v[0], sizeof(int), STARPU_VALUE, &v[1], sizeof(int),
					 STARPU_VALUE, &v[2], sizeof(int), STARPU_NAME, "with values", STARPU_CALLBACK,
					 count, STARPU_CALLBACK_ARG, number(10), STARPU_PROLOGUE_CALLBACK, count,
					 STARPU_PROLOGUE_CALLBACK_ARG_NFREE, &one, STARPU_PROLOGUE_CALLBACK_POP, count,
					 STARPU_PROLOGUE_CALLBACK_POP_ARG_NFREE, &one, 0) == 0);
	starpu_codelet_pack_args(&packed, &size, STARPU_VALUE, &v[0], sizeof(int), STARPU_VALUE, &v[1], sizeof(int),
				 STARPU_VALUE, &v[2], sizeof(int), 0);
	STARPU_ASSERT(starpu_task_insert(&values_cl, STARPU_CL_ARGS, packed, size, STARPU_NAME, "with values",
					 STARPU_CALLBACK_WITH_ARG_NFREE, count, &one, 0) == 0);
	starpu_codelet_pack_arg_init(&state);
	for (int i = 0; i < 3; i++)
		starpu_codelet_pack_arg(&state, &v[i], sizeof v[i]);
	starpu_codelet_pack_arg_fini(&state, &packed, &size);
	STARPU_ASSERT(starpu_task_insert(&values_cl, STARPU_CL_ARGS, packed, size, STARPU_NAME, "with values",
					 STARPU_CALLBACK, count, STARPU_CALLBACK_ARG_NFREE, &one, 0) == 0);
	STARPU_ASSERT(starpu_task_wait_for_all() == 0);
	STARPU_ASSERT(called == 14);
}

static void with_data(void)
{
	struct starpu_task *first, *second;
	starpu_data_handle_t handles[20];
	struct starpu_data_descr descriptions[20];
	unsigned numbers[20];

	for (unsigned i = 0; i < 20; i++) {
		numbers[i] = i;
		starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)&numbers[i], sizeof(unsigned));
		descriptions[i].handle = handles[i];
		descriptions[i].mode = STARPU_R;
	}
	STARPU_ASSERT(starpu_task_insert(&sums_cl, STARPU_DATA_MODE_ARRAY, descriptions, 20, STARPU_TASK_SYNCHRONOUS, 1,
					 0) == 0);
	STARPU_ASSERT(sum == 190);
	STARPU_ASSERT(starpu_task_insert(&two_cl, STARPU_DATA_ARRAY, handles + 1, 2, STARPU_TAG, (starpu_tag_t)77,
					 STARPU_FLOPS, 1e3, 0) == 0);
	STARPU_ASSERT(starpu_tag_wait(77) == 0);
	STARPU_ASSERT(sum == 193);
	first = starpu_task_build(&two_cl, STARPU_R, handles[1], STARPU_RW, handles[2], 0);
	second = starpu_task_build(&two_cl, STARPU_R, handles[3], STARPU_RW, handles[4], STARPU_TASK_DEPS_ARRAY, 1,
				   &first, 0);
	STARPU_ASSERT(first && second && starpu_task_submit(second) == 0 && starpu_task_submit(first) == 0);
	STARPU_ASSERT(starpu_task_wait_for_all() == 0);
	STARPU_ASSERT(sum == 203);
	for (unsigned i = 0; i < 20; i++)
		starpu_data_unregister(handles[i]);
}

int main(void)
{
	STARPU_ASSERT(starpu_init(NULL) == 0);
	with_values();
	with_data();
	starpu_shutdown();
	return 0;
}
