/* SPDX-License-Identifier: MIT */
/*
 * Reductions, and the codelets that initialise data: content that was never written, or that was invalidated, is
 * initialised before it is read or added to.
 */
#include "internal.h"

struct xs_closure {
	struct starpu_codelet *cl;
	void *arg;
};
struct xs_reduction {
	struct xs_closure init, combine;
	struct xy_codelet xy_init, xy_combine;
};

static int reduction_run(struct xy_call *call)
{
	const struct xs_closure *closure = call->arg;
	struct xs_thread outer = xs_thread;

	xs_thread = (struct xs_thread){ NULL, call, (int)call->worker, xs_global.generation, 0 };
	closure->cl->cpu_funcs[call->implementation]((void **)call->buffers, closure->arg);
	xs_thread.task = outer.task;
	xs_thread.call = outer.call;
	return 0;
}

void xs_reduction_free(struct _starpu_data_state *h)
{
	free(h->reduction);
	h->reduction = NULL;
}

bool xs_reduction_combines(const struct _starpu_data_state *h)
{
	return h->reduction && h->reduction->combine.cl;
}

void xs_initialise(struct _starpu_data_state *h)
{
	const struct xs_closure *init = &h->reduction->init;
	struct starpu_task *task;
	int error;

	if (!init->cl || atomic_exchange(&h->initialised, true))
		return;
	task = starpu_task_create();
	if (!task)
		return;
	task->cl = init->cl;
	task->handles[0] = h;
	task->cl_arg = init->arg;
	error = starpu_task_submit(task);
	if (error) {
		xs_task_free(task);
		xs_fail(error, "'%s' can't be initialised: %s", xy_handle_name(h->xy), strerror(-error));
	}
}

static int reduction_set(struct _starpu_data_state *h, struct xs_reduction *r)
{
	int error;

	r->xy_init = (struct xy_codelet){ .name = r->init.cl->name ? r->init.cl->name : "init",
					  .cpu = { reduction_run },
					  .modes = { XY_W } };
	r->xy_combine = (struct xy_codelet){ .name = r->combine.cl->name ? r->combine.cl->name : "redux",
					     .cpu = { reduction_run },
					     .modes = { XY_RW, XY_R } };
	if (!r->init.cl->cpu_funcs[0] || !r->combine.cl->cpu_funcs[0])
		return -ENODEV;
	error = xy_handle_set_reduction(h->xy, &r->xy_init, &r->xy_combine);
	return error ? error : xy_handle_set_reduction_args(h->xy, &r->init, &r->combine);
}

void starpu_data_set_reduction_methods_with_args(starpu_data_handle_t handle, struct starpu_codelet *redux_cl,
						 void *redux_cl_arg, struct starpu_codelet *init_cl, void *init_cl_arg)
{
	struct xs_reduction *r = handle->reduction ? handle->reduction : calloc(1, sizeof *r);
	int error = 0, ignored;

	if (!r) {
		xs_fail(-ENOMEM, "no memory for a reduction");
		return;
	}
	if (redux_cl)
		xs_codelet(redux_cl, -1, &ignored);
	if (init_cl)
		xs_codelet(init_cl, -1, &ignored);
	r->init = (struct xs_closure){ init_cl, init_cl_arg };
	r->combine = (struct xs_closure){ redux_cl, redux_cl_arg };
	if (redux_cl && init_cl && handle->shape)
		error = reduction_set(handle, r);
	if (error)
		xs_fail(error, "starpu_data_set_reduction_methods: %s", strerror(-error));
	handle->reduction = r;
	for (unsigned i = 0; i < handle->nchildren; i++)
		starpu_data_set_reduction_methods_with_args(handle->children[i], redux_cl, redux_cl_arg, init_cl,
							    init_cl_arg);
}

void xs_reduction_inherit(struct _starpu_data_state *child, const struct _starpu_data_state *parent)
{
	const struct xs_reduction *r = parent->reduction;

	if (r)
		starpu_data_set_reduction_methods_with_args(child, r->combine.cl, r->combine.arg, r->init.cl,
							    r->init.arg);
}

void starpu_data_set_reduction_methods(starpu_data_handle_t handle, struct starpu_codelet *redux_cl,
				       struct starpu_codelet *init_cl)
{
	starpu_data_set_reduction_methods_with_args(handle, redux_cl, NULL, init_cl, NULL);
}
