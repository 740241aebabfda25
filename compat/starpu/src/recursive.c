/* SPDX-License-Identifier: MIT */
/*
 * Recursive tasks: other tasks are submitted in the place of one, mostly on parts of its data. This is decided when the
 * task is submitted, so its parts take its place in the order; plans begin and end by themselves.
 */
#include "internal.h"

typedef int (*decide_t)(struct starpu_task *task, void *arg, void **buffers);
typedef void (*replace_t)(struct starpu_task *task, void *arg, void **buffers);

/* The buffers of a task, for functions that look at its data; with the content if the mode asks for it. */
static bool buffers_get(struct starpu_task *task, unsigned n, void **buffers, bool *acquired)
{
	bool ready = true;

	for (unsigned i = 0; i < n; i++) {
		starpu_data_handle_t h = STARPU_TASK_GET_HANDLE(task, i);

		acquired[i] = h && (STARPU_TASK_GET_MODE(task, i) & STARPU_RECURSIVE_TASK_STRONG) && !xs_thread.task &&
			      !starpu_data_acquire(h, STARPU_R);
		buffers[i] = h ? xs_view(h) : NULL;
		ready = ready && h;
	}
	return ready;
}

static void buffers_put(struct starpu_task *task, unsigned n, const bool *acquired)
{
	for (unsigned i = 0; i < n; i++)
		if (acquired[i])
			starpu_data_release(STARPU_TASK_GET_HANDLE(task, i));
}

bool xs_recursive(struct starpu_task *task)
{
	struct starpu_codelet *cl = task->cl;
	unsigned n = STARPU_TASK_GET_NBUFFERS(task);
	decide_t decide;
	replace_t replace;
	bool is = false;

	decide = (decide_t)(task->recursive_task_func ? task->recursive_task_func : cl->recursive_task_func);
	replace = (replace_t)(task->recursive_task_gen_dag_func ? task->recursive_task_gen_dag_func
								: cl->recursive_task_gen_dag_func);
	if (decide) {
		void *buffers[n + 1];
		bool acquired[n + 1];

		/* StarPU asks at submission, and once more before the task would run. */
		if (buffers_get(task, n, buffers, acquired))
			is = decide(task, task->recursive_task_func_arg, buffers) ||
			     decide(task, task->recursive_task_func_arg, buffers);
		buffers_put(task, n, acquired);
		if (is)
			replace(task, task->recursive_task_gen_dag_func_arg, buffers);
	}
	return is;
}
