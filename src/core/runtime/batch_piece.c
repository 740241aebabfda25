/* SPDX-License-Identifier: MIT */
/*
 * The pieces of a batch: each runs the user's functions in order, and its result is kept until all are joined. Only
 * pieces in flight have memory, apart from results.
 */
#include "core/runtime/batch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/division.h"
#include "core/runtime/runtime.h"
#include "core/runtime/worker.h"
#include "core/util/log.h"

/* --- devices --- */

static void batch_place_name(struct xy__batch_place *place, const struct xy_worker_info *info)
{
	if (info->device < 0)
		snprintf(place->name, sizeof place->name, "cpu");
	else
		snprintf(place->name, sizeof place->name, "%s:%d", xy_arch_name(info->arch), info->device);
}

int xy__batch_places_init(struct xy_batch_job *job)
{
	const struct xy_machine *machine = xy_runtime_machine(job->rt);
	unsigned n = xy_machine_nworkers(machine);

	job->places = calloc(n, sizeof *job->places);
	if (!job->places)
		return -ENOMEM;
	job->nplaces = n;
	for (unsigned i = 0; i < n; i++) {
		const struct xy_worker_info *info = xy_machine_worker(machine, i), *other;

		for (job->places[i].first = 0; job->places[i].first < i; job->places[i].first++) {
			other = xy_machine_worker(machine, job->places[i].first);
			if (other->arch == info->arch && other->device == info->device)
				break;
		}
		pthread_mutex_init(&job->places[i].lock, NULL);
		batch_place_name(&job->places[i], info);
	}
	return 0;
}

void xy__batch_places_fini(struct xy_batch_job *job)
{
	for (unsigned i = 0; i < job->nplaces; i++)
		pthread_mutex_destroy(&job->places[i].lock);
	free(job->places);
}

/* The first piece on a device opens it; others that come meanwhile wait. That time is none of the pieces' own. */
static int batch_begin(struct xy_batch_job *job, struct xy__batch_place *place, struct xy_batch_device *device)
{
	/* acquire: pairs with the release below */
	if (!job->ops.begin || atomic_load_explicit(&place->begun, memory_order_acquire))
		return place->status;
	pthread_mutex_lock(&place->lock);
	if (!atomic_load_explicit(&place->begun, memory_order_relaxed)) {
		place->status = job->ops.begin(job->batch.arg, device);
		place->state = device->state;
		/* release: pairs with the acquire above */
		atomic_store_explicit(&place->begun, true, memory_order_release);
	}
	pthread_mutex_unlock(&place->lock);
	job->rt->workers[device->call->worker].opened_s = xy_now(job->rt);
	return place->status;
}

int xy__batch_call(struct xy_call *call)
{
	struct xy__batch_piece *own = call->arg;
	struct xy_batch_job *job = own->job;
	struct xy__batch_place *place = &job->places[job->places[call->worker].first];
	const struct xy_worker_info *info = xy_machine_worker(xy_runtime_machine(job->rt), call->worker);
	struct xy_batch_device device = { place->name, info->arch, info->device, NULL, call };
	int error = batch_begin(job, place, &device);

	device.state = place->state;
	own->piece.range = xy_call_range(call);
	if (own->piece.range.start == own->piece.range.stop)
		return 0;
	if (!error && job->ops.prepare)
		error = job->ops.prepare(&own->piece, &device);
	return error ? error : job->ops.work(&own->piece, &device);
}

/* --- from a piece to its end --- */

int xy__batch_split(void *arg, struct xy_piece *piece)
{
	struct xy__batch_round *round = arg;
	struct xy_batch_job *job = round->job;
	struct xy__batch_piece *own;

	atomic_store_explicit(&round->divided, true, memory_order_relaxed);
	if (job->ops.codelet)
		return xy__batch_data_split(job, piece);
	own = calloc(1, sizeof *own);
	if (!own)
		return -ENOMEM;
	own->piece = (struct xy_batch_piece){ .range = piece->range, .arg = job->batch.arg };
	own->job = job;
	piece->arg = own;
	return 0;
}

void xy__batch_joined(void *arg, const struct xy_piece *piece, int status)
{
	struct xy_batch_job *job = ((struct xy__batch_round *)arg)->job;

	if (job->ops.codelet) {
		struct xy_batch_piece own = { .range = piece->range };

		xy__batch_end(job, &own, status);
		xy__batch_data_return(job, piece->range, piece->accesses, piece->naccesses);
		return;
	}
	xy__batch_end(job, piece->arg, status);
	free(piece->arg);
}

void xy__batch_fail(struct xy_batch_job *job, struct xy_range range, int status)
{
	xy__batch_fail_because(job, range, status, strerror(abs(status)));
}

/* Drops the error if there is no memory for it. The lock is held. */
static void batch_keep_error(struct xy_batch_job *job, const struct xy_batch_error *error)
{
	if (job->errors_kept == job->errors_room && job->errors_room < XY__BATCH_ERRORS) {
		size_t room = job->errors_room ? 2 * job->errors_room : 4;
		struct xy_batch_error *errors = realloc(job->errors, room * sizeof *errors);

		if (errors) {
			job->errors = errors;
			job->errors_room = room;
		}
	}
	if (job->errors_kept < job->errors_room)
		job->errors[job->errors_kept++] = *error;
}

void xy__batch_fail_because(struct xy_batch_job *job, struct xy_range range, int status, const char *why)
{
	pthread_mutex_lock(&job->lock);
	if (!job->nerrors++)
		job->status = status;
	batch_keep_error(job, &(struct xy_batch_error){ range, status });
	pthread_mutex_unlock(&job->lock);
	if (job->first.task)
		xy__division_fail(job->first.task->extra->division, status);
	if (status != -ECANCELED)
		xy__log(&job->rt->settings.log, "batch '%s': items %llu to %llu failed: %s", job->codelet.name,
			(unsigned long long)range.start, (unsigned long long)range.stop, why);
}

bool xy__batch_has_failed(struct xy_batch_job *job)
{
	bool failed;

	pthread_mutex_lock(&job->lock);
	failed = job->nerrors;
	pthread_mutex_unlock(&job->lock);
	return failed;
}

/* Keeps what reduce or discard will need. The lock is held. */
static int batch_keep(struct xy_batch_job *job, const struct xy_batch_piece *piece)
{
	if (job->npieces == job->pieces_room) {
		size_t room = job->pieces_room ? 2 * job->pieces_room : 64;
		struct xy_batch_piece *pieces = realloc(job->pieces, room * sizeof *pieces);

		if (!pieces)
			return -ENOMEM;
		job->pieces = pieces;
		job->pieces_room = room;
	}
	job->pieces[job->npieces++] = *piece;
	return 0;
}

/* What there is to report. The lock is held, or all pieces have ended. */
static struct xy_batch_progress batch_progress(struct xy_batch_job *job, double now_s)
{
	struct xy_batch_progress progress = { .done = job->done, .total = job->batch.stop - job->batch.start };

	if (job->done && now_s > job->begun_s) {
		progress.items_per_s = (double)job->done / (now_s - job->begun_s);
		progress.left_s = (double)(progress.total - job->done) / progress.items_per_s;
	}
	job->shown = job->done;
	job->shown_s = now_s;
	return progress;
}

/* Whether it is time to report; the caller then does, and nobody else meanwhile. The lock is held. */
static bool batch_shows(struct xy_batch_job *job, struct xy_batch_progress *progress)
{
	double now = job->batch.progress ? xy_now(job->rt) : 0;
	double every = job->batch.progress_s > 0 ? job->batch.progress_s : 0.5;

	if (!job->batch.progress || job->showing || now - job->shown_s < every)
		return false;
	job->showing = true;
	*progress = batch_progress(job, now);
	return true;
}

void xy__batch_show_end(struct xy_batch_job *job)
{
	struct xy_batch_progress progress;

	if (!job->batch.progress || job->status || job->shown == job->done)
		return;
	progress = batch_progress(job, xy_now(job->rt));
	job->batch.progress(job->batch.arg, &progress);
}

void xy__batch_end(struct xy_batch_job *job, struct xy_batch_piece *piece, int status)
{
	struct xy_batch_progress progress;
	bool shows;
	int error = 0;

	if (!status && job->ops.finish && !xy_is_simulated(job->rt))
		status = job->ops.finish(piece);
	pthread_mutex_lock(&job->lock);
	if (job->ops.reduce && (!status || piece->data || piece->result))
		error = batch_keep(job, piece);
	status = status ? status : error;
	if (!status)
		job->done += piece->range.stop - piece->range.start;
	shows = batch_shows(job, &progress);
	pthread_mutex_unlock(&job->lock);
	if (error && job->ops.discard && (piece->data || piece->result) && !xy_is_simulated(job->rt))
		job->ops.discard(piece);
	if (status)
		xy__batch_fail(job, piece->range, status);
	if (!shows)
		return;
	job->batch.progress(job->batch.arg, &progress);
	pthread_mutex_lock(&job->lock);
	job->showing = false;
	pthread_mutex_unlock(&job->lock);
}

/* --- joining --- */

static int batch_piece_compare(const void *a, const void *b)
{
	uint64_t first = ((const struct xy_batch_piece *)a)->range.start;
	uint64_t second = ((const struct xy_batch_piece *)b)->range.start;

	return first < second ? -1 : first > second;
}

static int batch_error_compare(const void *a, const void *b)
{
	uint64_t first = ((const struct xy_batch_error *)a)->range.start;
	uint64_t second = ((const struct xy_batch_error *)b)->range.start;

	return first < second ? -1 : first > second;
}

int xy__batch_reduce(struct xy_batch_job *job)
{
	bool simulated = xy_is_simulated(job->rt);
	int status = job->status;

	for (size_t i = 0; status && job->ops.discard && i < job->npieces && !simulated; i++)
		job->ops.discard(&job->pieces[i]);
	if (!status && job->ops.reduce && !simulated) {
		qsort(job->pieces, job->npieces, sizeof *job->pieces, batch_piece_compare);
		status = job->ops.reduce(job->batch.arg, job->pieces, job->npieces);
		if (status)
			xy__batch_fail(job, (struct xy_range){ job->batch.start, job->batch.stop }, status);
	}
	if (job->errors_kept > 1)
		qsort(job->errors, job->errors_kept, sizeof *job->errors, batch_error_compare);
	return status;
}
