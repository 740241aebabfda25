/* SPDX-License-Identifier: MIT */
/*
 * Data that is cut with a batch. The user's handles are acquired in RAM for as long as the batch lasts, so that tasks
 * before and after it keep their order. Each piece has handles of its own on its part of that memory; when it has
 * ended, its part is brought back and they are unregistered.
 */
#include "core/runtime/batch.h"

#include <errno.h>
#include <stdlib.h>

#include "core/runtime/runtime.h"
#include "core/task/handle.h"
#include "core/util/log.h"

/* Items that a handle has; 0 if it can't be cut. */
static size_t batch_data_items(const struct xy_handle *h)
{
	if (h->interface == &xy_vector_interface)
		return h->view.vector.n;
	return h->interface == &xy_matrix_interface ? h->view.matrix.ny : 0;
}

/* A handle on some items of another one, whose data is in RAM. */
static int batch_data_part(const struct xy_handle *h, struct xy_range range, struct xy_handle **part)
{
	if (h->interface == &xy_vector_interface) {
		const struct xy_vector *v = &h->view.vector;

		return xy_vector_register(h->runtime, part, (char *)v->ptr + range.start * v->elem,
					  range.stop - range.start, v->elem);
	}
	return xy_matrix_register(h->runtime, part,
				  &(struct xy_matrix){ .ptr = (char *)h->view.matrix.ptr +
							      range.start * h->view.matrix.ld * h->view.matrix.elem,
						       .nx = h->view.matrix.nx,
						       .ny = range.stop - range.start,
						       .ld = h->view.matrix.ld,
						       .elem = h->view.matrix.elem });
}

static int batch_data_refuse(struct xy_batch_job *job, unsigned i, const char *why)
{
	xy__log(&job->rt->settings.log, "a batch is not submitted: handles[%u] %s", i, why);
	return -EINVAL;
}

int xy__batch_data_init(struct xy_batch_job *job)
{
	const struct xy_access *given = job->batch.handles;

	for (unsigned i = 0; given && given[i].handle; i++) {
		const struct xy_handle *h = given[i].handle;

		if (i == XY_NHANDLES)
			return batch_data_refuse(job, i, "is one more than a batch can have");
		if (!xy__handle_serves(h, job->rt))
			return batch_data_refuse(job, i, "belongs to another runtime, or has been unregistered");
		if (given[i].mode != XY_R && given[i].mode != XY_W && given[i].mode != XY_RW)
			return batch_data_refuse(job, i, "has another mode than XY_R, XY_W and XY_RW");
		if (!batch_data_items(h))
			return batch_data_refuse(job, i, "is neither a vector nor a matrix");
		if (batch_data_items(h) < job->batch.stop)
			return batch_data_refuse(job, i, "has fewer items than the batch");
		for (unsigned k = 0; k < i; k++)
			if (given[k].handle == h)
				return batch_data_refuse(job, i, "is there twice");
		job->handles[i] = given[i];
		job->nhandles = i + 1;
	}
	return 0;
}

/* --- the user's handles --- */

static void batch_data_acquired(void *arg, int status)
{
	struct xy_batch_job *job = arg;
	int none = 0;

	if (status)
		atomic_compare_exchange_strong(&job->acquire_status, &none, status);
	if (atomic_fetch_sub(&job->awaited, 1) == 1)
		xy__batch_go(job);
}

int xy__batch_data_acquire(struct xy_batch_job *job)
{
	/* One more than there are: the job does not go on before all have been asked for. */
	atomic_store(&job->awaited, job->nhandles + 1);
	for (unsigned i = 0; i < job->nhandles; i++) {
		int error = xy_acquire_callback(job->handles[i].handle, job->handles[i].mode, batch_data_acquired, job);

		if (!error)
			continue;
		if (!i)
			return error;
		for (job->nhandles = i; i < XY_NHANDLES && job->handles[i].handle; i++)
			batch_data_acquired(job, error);
		break;
	}
	batch_data_acquired(job, 0);
	return 0;
}

void xy__batch_data_release(struct xy_batch_job *job)
{
	for (unsigned i = 0; i < job->nhandles; i++)
		xy_release(job->handles[i].handle);
}

/* --- parts of them --- */

int xy__batch_data_open(struct xy_batch_job *job, struct xy_access *accesses)
{
	struct xy_range all = { job->batch.start, job->batch.stop };

	for (unsigned i = 0; i < job->nhandles; i++) {
		int error = batch_data_part(job->handles[i].handle, all, &job->whole[i]);

		if (error)
			return error;
		accesses[i] = (struct xy_access){ job->whole[i], job->handles[i].mode };
	}
	accesses[job->nhandles] = (struct xy_access){ NULL, (enum xy_mode)0 };
	return 0;
}

int xy__batch_data_split(struct xy_batch_job *job, struct xy_piece *piece)
{
	for (unsigned i = 0; i < piece->naccesses; i++) {
		int error = batch_data_part(job->handles[i].handle, piece->range, &piece->accesses[i].handle);

		if (error) {
			while (i > 0)
				xy_unregister_submit(&piece->accesses[--i].handle);
			return error;
		}
	}
	return 0;
}

/* A part that is on its way back. */
struct batch_return {
	struct xy_batch_job *job;
	struct xy_handle *part;
};

static void batch_data_returned(void *arg, int status)
{
	struct batch_return *back = arg;
	struct xy_batch_job *job = back->job;

	if (status)
		xy__batch_fail(job, (struct xy_range){ job->batch.start, job->batch.stop }, status);
	else
		xy_release(back->part);
	xy_unregister_submit(&back->part);
	free(back);
	xy__batch_leave(job);
}

void xy__batch_data_return(struct xy_batch_job *job, const struct xy_access *accesses, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct batch_return *back = malloc(sizeof *back);
		struct xy_handle *part = accesses[i].handle;
		int error = back ? 0 : -ENOMEM;

		if (back) {
			*back = (struct batch_return){ job, part };
			atomic_fetch_add(&job->open, 1);
			error = xy_acquire_callback(part, XY_R, batch_data_returned, back);
			if (!error)
				continue;
			atomic_fetch_sub(&job->open, 1);
			free(back);
		}
		xy__batch_fail(job, (struct xy_range){ job->batch.start, job->batch.stop }, error);
		xy_unregister_submit(&part);
	}
}
