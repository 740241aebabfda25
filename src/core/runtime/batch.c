/* SPDX-License-Identifier: MIT */
/* Batches: submitting them, waiting, and their end. */
#include "core/runtime/batch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/agent.h"
#include "core/runtime/division.h"
#include "core/runtime/runtime.h"
#include "core/util/arch.h"
#include "core/util/log.h"

/* --- checks --- */

static int batch_refuse(struct xy_runtime *rt, const char *why)
{
	xy__log(rt ? &rt->settings.log : NULL, "a batch is not submitted: %s", why);
	return -EINVAL;
}

static int batch_check_ops(struct xy_runtime *rt, const struct xy_batch_ops *ops, const struct xy_batch *batch)
{
	if (ops->codelet) {
		if (ops->begin || ops->prepare || ops->work || ops->finish || ops->reduce || ops->discard)
			return batch_refuse(rt, "it has a codelet and functions: use one of the two");
		return 0;
	}
	if (!ops->work)
		return batch_refuse(rt, "the function 'work' is not set");
	if (!ops->reduce)
		return batch_refuse(rt, "the function 'reduce' is not set");
	if (batch->handles && batch->handles[0].handle)
		return batch_refuse(rt, "handles are cut for a codelet, not for the function 'work'");
	return 0;
}

static int batch_check(struct xy_runtime *rt, const struct xy_batch_ops *ops, const struct xy_batch *batch)
{
	if (!rt)
		return batch_refuse(NULL, "no runtime (stopped, or never started)");
	if (!ops)
		return batch_refuse(rt, "no functions");
	if (!batch)
		return batch_refuse(rt, "no description");
	if (batch->start >= batch->stop)
		return batch_refuse(rt, "its range is empty: start must be less than stop");
	return batch_check_ops(rt, ops, batch);
}

/* --- jobs --- */

static void batch_unref(struct xy_batch_job *job)
{
	if (atomic_fetch_sub(&job->references, 1) != 1)
		return;
	xy_task_release(job->before);
	xy_task_release(job->gate);
	xy_task_release(job->finale);
	xy_task_release(job->first.task);
	xy__batch_places_fini(job);
	pthread_mutex_destroy(&job->lock);
	free(job->pieces);
	free(job->errors);
	free(job);
}

static void batch_codelet(struct xy_batch_job *job)
{
	if (job->ops.codelet) {
		job->codelet = *job->ops.codelet;
		memset(job->codelet.modes, 0, sizeof job->codelet.modes);
	} else {
		xy__arch_implement(&job->codelet, job->ops.where ? job->ops.where : XY_ON_CPU, xy__batch_call);
	}
	if (job->ops.name)
		job->codelet.name = job->ops.name;
	if (!job->codelet.name)
		job->codelet.name = "batch";
	if (job->ops.model)
		job->codelet.model = job->ops.model;
}

/* The empty tasks around the batch. 0 or -errno. */
static int batch_frame(struct xy_batch_job *job)
{
	const struct xy_batch *b = &job->batch;
	int error = xy_task_create(job->rt, &(struct xy_task_desc){ .name = "end of a batch" }, &job->gate);

	if (!error)
		error = xy_task_create(job->rt,
				       &(struct xy_task_desc){ .name = "batch", .after = &job->gate, .nafter = 1 },
				       &job->finale);
	if (!error && job->nhandles && b->nafter)
		error = xy_task_create(
			job->rt,
			&(struct xy_task_desc){ .name = "begin of a batch", .after = b->after, .nafter = b->nafter },
			&job->before);
	if (!error && job->before)
		error = xy_task_submit(job->before);
	return error ? error : xy_task_submit(job->finale);
}

static struct xy_batch_job *batch_create(struct xy_runtime *rt, const struct xy_batch_ops *ops,
					 const struct xy_batch *batch, int *error)
{
	struct xy_batch_job *job = calloc(1, sizeof *job);

	*error = -ENOMEM;
	if (!job)
		return NULL;
	job->rt = rt;
	job->ops = *ops;
	job->batch = *batch;
	job->all.piece = (struct xy_batch_piece){ .range = { batch->start, batch->stop }, .arg = batch->arg };
	job->all.job = job;
	job->first = (struct xy__batch_round){ .job = job, .range = job->all.piece.range };
	atomic_init(&job->references, 1);
	atomic_init(&job->open, 1);
	pthread_mutex_init(&job->lock, NULL);
	batch_codelet(job);
	*error = xy__batch_places_init(job);
	if (!*error)
		*error = xy__batch_data_init(job);
	if (!*error)
		return job;
	batch_unref(job);
	return NULL;
}

/* --- the end --- */

/* All is back: joins the results, tells the user, lets others go on. The runtime's reference is dropped. */
static void batch_finish(struct xy_batch_job *job)
{
	int status;

	xy__batch_show_end(job);
	status = xy__batch_reduce(job);
	xy__batch_data_release(job);
	if (job->batch.callback)
		job->batch.callback(job->batch.arg, status);
	if (status) { /* never submitted: what waits for the batch is cancelled */
		xy_task_release(job->gate);
		job->gate = NULL;
	} else {
		xy_task_submit(job->gate);
	}
	batch_unref(job);
}

void xy__batch_leave(struct xy_batch_job *job)
{
	if (atomic_fetch_sub(&job->open, 1) == 1)
		batch_finish(job);
}

/* Whether its mapper found no device for what was left. */
static bool batch_was_given_up(const struct xy__batch_round *round)
{
	struct xy_range rest = round->task ? xy_task_range(round->task) : round->range;

	return rest.start == rest.stop;
}

/* What no piece has told: the end of an undivided round, and a failure that is none of a piece. */
static void batch_round_note(struct xy__batch_round *round, int status)
{
	struct xy_batch_job *job = round->job;
	struct xy_batch_piece again = { .range = round->range };

	if (status && xy__batch_has_failed(job))
		return;
	if (status == -ENODEV && batch_was_given_up(round))
		xy__batch_fail_because(job, round->range, status, "no device that the policy uses can run them");
	else if (!atomic_load(&round->divided))
		xy__batch_end(job, round == &job->first ? &job->all.piece : &again, status);
	else if (status)
		xy__batch_fail(job, round->range, status);
}

/* The task of a round has ended, and with it all pieces. */
static void batch_round_ended(void *arg, int status)
{
	struct xy__batch_round *round = arg;
	struct xy_batch_job *job = round->job;
	struct xy_access whole[XY_NHANDLES];
	unsigned n = 0;

	batch_round_note(round, status);
	for (; n < job->nhandles && round->whole[n]; n++)
		whole[n] = (struct xy_access){ round->whole[n], job->handles[n].mode };
	xy__batch_data_return(job, round->range, whole, n);
	if (round != &job->first) {
		xy_task_release(round->task);
		free(round);
	}
	xy__batch_leave(job);
}

/* --- the beginning --- */

/* Whose measurements are of use for this batch: those of batches with its functions. */
static void batch_describe(const struct xy_batch_job *job, struct xy__division *d)
{
	d->like = job->ops.codelet ? (const void *)job->ops.codelet : (const void *)(uintptr_t)job->ops.work;
	d->model = job->ops.name ? job->ops.name : job->ops.codelet ? job->ops.codelet->name : NULL;
	d->item_bytes = (double)job->ops.item_bytes;
}

static int batch_round_submit(struct xy__batch_round *round)
{
	struct xy_batch_job *job = round->job;
	const struct xy_batch *b = &job->batch;
	struct xy_access accesses[XY_NHANDLES + 1];
	bool waits = round == &job->first;
	struct xy_task_desc desc = {
		.codelet = &job->codelet,
		.arg = job->ops.codelet ? b->arg : (void *)&job->all,
		.range = round->range,
		.split = xy__batch_split,
		.joined = xy__batch_joined,
		.callback = batch_round_ended,
		.callback_arg = round,
		.retries = b->retries,
		.priority = b->priority,
		.length_us = b->length_us,
		.after = job->nhandles ? &job->before : b->after,
		.nafter = !waits          ? 0
			  : job->nhandles ? job->before != NULL
					  : b->nafter,
	};
	int error = xy__batch_data_open(round, accesses);

	if (job->nhandles)
		desc.accesses = accesses;
	if (!error)
		error = xy_task_create(job->rt, &desc, &round->task);
	if (error)
		return error;
	batch_describe(job, round->task->extra->division);
	return xy_task_submit(round->task);
}

static void batch_round_begin(struct xy__batch_round *round, int error)
{
	if (!error)
		error = batch_round_submit(round);
	if (!error)
		return;
	if (round->task && atomic_load(&round->task->state) == XY__TASK_CREATED) {
		xy_task_release(round->task);
		round->task = NULL;
	}
	batch_round_ended(round, error);
}

void xy__batch_go(struct xy_batch_job *job)
{
	int error = atomic_load(&job->acquire_status);
	char why[160];

	job->begun_s = job->shown_s = xy_now(job->rt);
	if (error) {
		snprintf(why, sizeof why, "their data can't be brought to RAM: %s",
			 error == -ENODEV ? "the device with the only copy is lost" : strerror(abs(error)));
		xy__batch_fail_because(job, job->first.range, error, why);
	}
	batch_round_begin(&job->first, error);
}

int xy__batch_redo(struct xy_batch_job *job, struct xy_range range)
{
	struct xy__batch_round *round = calloc(1, sizeof *round);

	if (!round)
		return -ENOMEM;
	*round = (struct xy__batch_round){ .job = job, .range = range };
	pthread_mutex_lock(&job->lock);
	job->done -= range.stop - range.start;
	pthread_mutex_unlock(&job->lock);
	atomic_fetch_add(&job->open, 1);
	batch_round_begin(round, 0);
	return 0;
}

int xy_batch_submit(struct xy_runtime *rt, const struct xy_batch_ops *ops, const struct xy_batch *batch,
		    struct xy_batch_job **out)
{
	struct xy_batch_job *job;
	int error;

	if (!out)
		return batch_refuse(rt, "the output pointer is NULL");
	*out = NULL;
	error = batch_check(rt, ops, batch);
	if (error)
		return error;
	job = batch_create(rt, ops, batch, &error);
	if (!job)
		return error;
	error = batch_frame(job);
	if (error) {
		batch_unref(job);
		return error;
	}
	*out = job;
	atomic_fetch_add(&job->references, 1); /* the runtime's */
	if (!job->nhandles) {
		xy__batch_go(job);
		return 0;
	}
	error = xy__batch_data_acquire(job);
	if (error) {
		job->nhandles = 0;
		atomic_store(&job->acquire_status, error);
		xy__batch_go(job);
	}
	return 0;
}

/* --- waiting --- */

int xy_batch_wait(struct xy_batch_job *job)
{
	int status;

	if (!job)
		return batch_refuse(NULL, "xy_batch_wait: no job");
	status = xy_task_wait(job->finale);
	if (status && status != -ECANCELED)
		return status;
	return job->status;
}

struct xy_task *xy_batch_task(struct xy_batch_job *job)
{
	return job ? job->finale : NULL;
}

size_t xy_batch_errors(const struct xy_batch_job *job, struct xy_batch_error *errors, size_t n)
{
	if (!job)
		return 0;
	for (size_t i = 0; i < n && i < job->nerrors; i++)
		errors[i] = i < job->errors_kept ? job->errors[i] : (struct xy_batch_error){ 0 };
	return job->nerrors;
}

void xy_batch_release(struct xy_batch_job *job)
{
	if (job)
		batch_unref(job);
}

int xy_batch_run(struct xy_runtime *rt, const struct xy_batch_ops *ops, const struct xy_batch *batch)
{
	struct xy_batch_job *job;
	int error;

	if (rt && xy__agent_inside(rt)) {
		xy__log(&rt->settings.log, "xy_batch_run: a codelet or callback can't wait for a batch");
		return -EDEADLK;
	}
	error = xy_batch_submit(rt, ops, batch, &job);
	if (error)
		return error;
	error = xy_batch_wait(job);
	xy_batch_release(job);
	return error;
}

int xy_batch_handles(struct xy_runtime *rt, const struct xy_codelet *codelet, const struct xy_batch *batch)
{
	const struct xy_batch_ops ops = { .codelet = codelet };

	if (!codelet)
		return batch_refuse(rt, "no codelet");
	return xy_batch_run(rt, &ops, batch);
}
