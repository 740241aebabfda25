/* SPDX-License-Identifier: MIT */
/*
 * Copies of data: into another handle, and copies that are only read, which are shared while their source does not
 * change.
 */
#include "shapes.h"

static pthread_mutex_t copies_lock = PTHREAD_MUTEX_INITIALIZER;

static void copy_function(void *buffers[], void *arg)
{
	struct starpu_task *task = starpu_task_get_current();
	starpu_data_handle_t from = STARPU_TASK_GET_HANDLE(task, 1);

	(void)arg;
	if (from->shape)
		xs_shape_copy(from->shape, buffers[1], STARPU_MAIN_RAM, buffers[0], STARPU_MAIN_RAM);
	else
		xs_opaque_copy(buffers[0], buffers[1], from->ops);
}

static struct starpu_codelet copy_codelet = {
	.cpu_funcs = { copy_function }, .nbuffers = 2, .modes = { STARPU_W, STARPU_R }, .name = "copy"
};

int starpu_data_cpy_priority(starpu_data_handle_t dst_handle, starpu_data_handle_t src_handle, int asynchronous,
			     void (*callback_func)(void *), void *callback_arg, int priority)
{
	struct starpu_task *task;
	int error;

	if (dst_handle->ops != src_handle->ops)
		return xs_fail(-EINVAL, "starpu_data_cpy: the two handles have different interfaces");
	if (dst_handle->shape && xy_handle_size(dst_handle->xy) != xy_handle_size(src_handle->xy))
		return xs_fail(-EINVAL, "starpu_data_cpy: the two handles have different sizes");
	task = starpu_task_create();
	if (!task)
		return -ENOMEM;
	task->cl = &copy_codelet;
	task->handles[0] = dst_handle;
	task->handles[1] = src_handle;
	task->callback_func = callback_func;
	task->callback_arg = callback_arg;
	task->priority = priority;
	task->synchronous = !asynchronous;
	error = starpu_task_submit(task);
	if (error)
		xs_task_free(task);
	return error;
}

int starpu_data_cpy(starpu_data_handle_t dst_handle, starpu_data_handle_t src_handle, int asynchronous,
		    void (*callback_func)(void *), void *callback_arg)
{
	return starpu_data_cpy_priority(dst_handle, src_handle, asynchronous, callback_func, callback_arg, 0);
}

/* --- shared copies --- */

void xs_copy_forget(struct _starpu_data_state *h)
{
	pthread_mutex_lock(&copies_lock);
	if (h->copy)
		h->copy->copied = NULL;
	h->copy = NULL;
	if (h->copied)
		h->copied->copy = NULL;
	h->copied = NULL;
	pthread_mutex_unlock(&copies_lock);
}

static starpu_data_handle_t copy_share(struct _starpu_data_state *source)
{
	struct _starpu_data_state *copy;

	pthread_mutex_lock(&copies_lock);
	copy = source->copies ? source : source->copy;
	if (copy)
		copy->copies++;
	pthread_mutex_unlock(&copies_lock);
	return copy;
}

int _starpu_data_dup_ro(starpu_data_handle_t *dst_handle, starpu_data_handle_t src_handle, int asynchronous, ...)
{
	int error;

	*dst_handle = copy_share(src_handle);
	if (*dst_handle)
		return 0;
	starpu_data_register_same(dst_handle, src_handle);
	if (!*dst_handle)
		return -ENOMEM;
	error = starpu_data_cpy(*dst_handle, src_handle, asynchronous, NULL, NULL);
	if (error) {
		starpu_data_unregister(*dst_handle);
		*dst_handle = NULL;
		return error;
	}
	pthread_mutex_lock(&copies_lock);
	(*dst_handle)->copies = 1;
	(*dst_handle)->copied = src_handle;
	src_handle->copy = *dst_handle;
	pthread_mutex_unlock(&copies_lock);
	return 0;
}

starpu_data_handle_t starpu_data_dup_ro_get(starpu_data_handle_t handle)
{
	return handle;
}
