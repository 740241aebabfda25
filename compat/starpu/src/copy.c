/* SPDX-License-Identifier: MIT */
/*
 * Copies of data: into another handle, and copies that are only read, which are shared while their source does not
 * change.
 */
#include "internal.h"

static pthread_mutex_t copies_lock = PTHREAD_MUTEX_INITIALIZER;

static void copy_function(void *buffers[], void *arg)
{
	struct starpu_task *task = starpu_task_get_current();
	starpu_data_handle_t from = STARPU_TASK_GET_HANDLE(task, 1);
	const struct xy_interface *interface;
	struct xy_part to_parts[XY_NPARTS], from_parts[XY_NPARTS];
	unsigned n;

	(void)arg;
	if (!from->shape) {
		xs_opaque_copy(buffers[0], buffers[1], from->ops);
		return;
	}
	interface = xs_shape_interface(from->shape);
	n = interface->parts(buffers[0], to_parts);
	interface->parts(buffers[1], from_parts);
	for (unsigned p = 0; p < n; p++) {
		char *to = *(char **)((char *)buffers[0] + to_parts[p].pointer);
		const char *source = *(char **)((char *)buffers[1] + from_parts[p].pointer);
		size_t rows = 1;

		for (unsigned d = 0; d < to_parts[p].ndims; d++)
			rows *= to_parts[p].count[d];
		for (size_t row = 0; row < rows; row++) {
			size_t rest = row, a = 0, b = 0;

			for (unsigned d = 0; d < to_parts[p].ndims; d++) {
				a += rest % to_parts[p].count[d] * to_parts[p].stride[d];
				b += rest % to_parts[p].count[d] * from_parts[p].stride[d];
				rest /= to_parts[p].count[d];
			}
			memcpy(to + a, source + b, to_parts[p].row_bytes);
		}
	}
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
