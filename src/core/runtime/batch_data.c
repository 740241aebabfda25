/* SPDX-License-Identifier: MIT */
/*
 * Data that is cut with a batch. The user's handles are acquired in RAM for as long as the batch lasts, so that tasks
 * before and after it keep their order. Each piece has handles of its own on its part of that memory; when it has
 * ended, its part is brought back and they are unregistered.
 */
#include "core/runtime/batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/copy.h"
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

int xy__batch_data_open(struct xy__batch_round *round, struct xy_access *accesses)
{
	const struct xy_batch_job *job = round->job;

	for (unsigned i = 0; i < job->nhandles; i++) {
		int error = batch_data_part(job->handles[i].handle, round->range, &round->whole[i]);

		if (error)
			return error;
		accesses[i] = (struct xy_access){ round->whole[i], job->handles[i].mode };
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

/* --- what a piece overwrites --- */

/* The bytes of a handle in RAM, row by row: what is between the rows belongs to others. */
struct batch_rows {
	char *ptr;
	size_t n, bytes, stride;
};

static struct batch_rows batch_data_rows(const struct xy_handle *h)
{
	const struct xy_matrix *m = &h->view.matrix;
	const struct xy_vector *v = &h->view.vector;

	if (h->interface == &xy_vector_interface)
		return (struct batch_rows){ v->ptr, 1, v->n * v->elem, 0 };
	return (struct batch_rows){ m->ptr, m->ny, m->nx * m->elem, m->ld * m->elem };
}

/*
 * A device has overwritten what the piece read, and RAM still has it: a copy of that, to be freed, in case the device
 * is lost while the result comes back. NULL if none is needed, or none can be had.
 */
static char *batch_data_save(struct xy_handle *h)
{
	struct batch_rows rows = batch_data_rows(h);
	char *saved = NULL;

	if (!h->copies || xy_is_simulated(h->runtime))
		return NULL;
	xy__lock_take(&h->lock);
	if (!(atomic_load(&h->valid) & xy__bit(XY__RAM)) && !h->copies->ram.incoming)
		saved = malloc(rows.n * rows.bytes);
	for (size_t i = 0; saved && i < rows.n; i++)
		memcpy(saved + i * rows.bytes, rows.ptr + i * rows.stride, rows.bytes);
	xy__lock_drop(&h->lock);
	return saved;
}

static void batch_data_restore(const struct batch_rows *rows, const char *saved)
{
	for (size_t i = 0; i < rows->n; i++)
		memcpy(rows->ptr + i * rows->stride, saved + i * rows->bytes, rows->bytes);
}

/* --- the way back --- */

struct batch_return;

/* A handle of a piece. */
struct batch_part {
	struct batch_return *back;
	struct xy_handle *handle;
	enum xy_mode mode;
	struct batch_rows rows;
	char *saved; /* what it overwrote, or NULL */
};

/* A piece whose data is on its way back. Locking key: (c) constant, (a) atomic. */
struct batch_return {
	struct xy_batch_job *job;             /* (c) */
	struct xy_range range;                /* (c) */
	unsigned n;                           /* (c) */
	struct batch_part parts[XY_NHANDLES]; /* (c) */
	_Atomic unsigned awaited;             /* (a) parts, and one until all have been asked for */
	_Atomic int status;                   /* (a) the first error */
};

/*
 * With a device that is lost goes what it had computed. RAM has what the piece read, unless it was being overwritten:
 * then what was saved is put back. False if that is lost too.
 */
static bool batch_data_recover(struct batch_return *back)
{
	bool simulated = xy_is_simulated(back->job->rt);

	for (unsigned i = 0; i < back->n; i++)
		if (back->parts[i].mode == XY_RW && !back->parts[i].saved && !simulated)
			return false;
	for (unsigned i = 0; i < back->n; i++)
		if (back->parts[i].saved)
			batch_data_restore(&back->parts[i].rows, back->parts[i].saved);
	return true;
}

/* A piece whose result did not come back runs again, if it can. */
static void batch_data_fail(struct batch_return *back, int status)
{
	struct xy_batch_job *job = back->job;

	if (status == -ENODEV && !xy__batch_has_failed(job)) {
		if (!batch_data_recover(back)) {
			xy__batch_fail_because(job, back->range, status,
					       "their device is lost, and with it the only copy of data that they "
					       "read and write");
			return;
		}
		status = xy__batch_redo(job, back->range);
	}
	if (status)
		xy__batch_fail(job, back->range, status);
}

static void batch_data_leave(struct batch_return *back)
{
	struct xy_batch_job *job = back->job;
	int status;

	if (atomic_fetch_sub(&back->awaited, 1) != 1)
		return;
	status = atomic_load(&back->status);
	if (status)
		batch_data_fail(back, status);
	for (unsigned i = 0; i < back->n; i++)
		free(back->parts[i].saved);
	free(back);
	xy__batch_leave(job);
}

static void batch_data_returned(void *arg, int status)
{
	struct batch_part *part = arg;
	int none = 0;

	if (status) {
		atomic_compare_exchange_strong(&part->back->status, &none, status);
		xy_invalidate(part->handle); /* so that unregistering it is no second failure */
	} else {
		xy_release(part->handle);
	}
	xy_unregister_submit(&part->handle);
	batch_data_leave(part->back);
}

void xy__batch_data_return(struct xy_batch_job *job, struct xy_range range, const struct xy_access *accesses,
			   unsigned n)
{
	struct batch_return *back = n ? calloc(1, sizeof *back) : NULL;

	if (!back) {
		if (n)
			xy__batch_fail(job, range, -ENOMEM);
		for (unsigned i = 0; i < n; i++)
			xy_unregister_submit(&(struct xy_handle *){ accesses[i].handle });
		return;
	}
	back->job = job;
	back->range = range;
	back->n = n;
	atomic_init(&back->awaited, n + 1);
	atomic_fetch_add(&job->open, 1);
	for (unsigned i = 0; i < n; i++) {
		struct batch_part *part = &back->parts[i];
		int error;

		*part = (struct batch_part){ back, accesses[i].handle, accesses[i].mode,
					     batch_data_rows(accesses[i].handle), NULL };
		if (part->mode == XY_RW)
			part->saved = batch_data_save(part->handle);
		error = xy_acquire_callback(part->handle, XY_R, batch_data_returned, part);
		if (error)
			batch_data_returned(part, error);
	}
	batch_data_leave(back);
}
