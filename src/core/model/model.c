/* SPDX-License-Identifier: MIT */
/*
 * Predictions from models, and measurements to them: what components and workers call. Once a model and a footprint
 * are known nothing here takes a lock to predict.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "core/task/division.h"
#include "core/task/handle.h"
#include "core/model/model.h"

/* Curves are believed a little beyond the sizes that were measured. */
#define MODEL_BEYOND 1.1

static uint32_t model_task_footprint(const struct xy_task *task)
{
	const uintptr_t *accesses = xy__task_accesses((struct xy_task *)task);
	uint32_t hash = 0x811c9dc5;

	for (unsigned i = 0; i < task->naccesses; i++)
		hash = xy__footprint_mix(hash, xy__access_handle(accesses[i])->footprint);
	if (xy__task_part(task))
		hash = xy__footprint_mix(hash, xy_task_range(task).stop - xy_task_range(task).start);
	return hash;
}

static double model_task_size(const struct xy_task *task)
{
	const uintptr_t *accesses = xy__task_accesses((struct xy_task *)task);
	double size = 0;

	for (unsigned i = 0; i < task->naccesses; i++)
		size += (double)xy__access_handle(accesses[i])->size_bytes;
	if (!size && xy__task_part(task))
		size = (double)(xy_task_range(task).stop - xy_task_range(task).start);
	return size;
}

/* The footprint of a task for a model that has no terms. */
static inline uint32_t model_footprint(const struct xy_model *model, const struct xy_task *task)
{
	return model->footprint ? model->footprint(task) : model_task_footprint(task);
}

/* Computes the identity of a task for a model: footprint and size. */
static void model_look(const struct xy_model *model, const struct xy_task *task, struct xy__row *row)
{
	row->nterms = 0;
	if (model->kind == XY_MODEL_MULTIPLE && model->terms && model->nterms <= XY_NTERMS) {
		row->nterms = model->nterms;
		model->terms(task, row->terms);
		for (unsigned i = 0; i < row->nterms; i++)
			if (!isfinite(row->terms[i]))
				row->terms[i] = 0;
	}
	row->size = model->size ? model->size(task) : model_task_size(task);
	if (!(row->size >= 0) || row->size > 1e18)
		row->size = 0;
	if (!model->footprint && row->nterms) {
		row->footprint = 0x811c9dc5;
		for (unsigned i = 0; i < row->nterms; i++) {
			uint64_t bits;

			memcpy(&bits, &row->terms[i], sizeof bits);
			row->footprint = xy__footprint_mix(row->footprint, bits);
		}
	} else {
		row->footprint = model_footprint(model, task);
	}
}

/* xy__perf_state, without a call once the model is known. */
static inline struct xy__model_state *model_state(struct xy__perf *perf, const struct xy_model *model)
{
	struct xy__model_state *state = xy__map_find(&perf->models, (uintptr_t)model);

	return state ? state : xy__perf_state(perf, model);
}

/* The entry of a task if its footprint alone tells; NULL: it is not there, or more has to be looked at. */
static inline struct xy__entry *model_find_quickly(const struct xy__series *series, const struct xy_model *model,
						   const struct xy_task *task)
{
	if (model->kind == XY_MODEL_MULTIPLE)
		return NULL;
	return xy__map_find(&series->entries,
			    xy__entry_key(&(struct xy__row){ .footprint = model_footprint(model, task) }, false));
}

/* --- predictions --- */

static struct xy_prediction prediction_said(double value)
{
	if (value > 0 && isfinite(value))
		return (struct xy_prediction){ .kind = XY_PREDICTION_VALUE, .us = value };
	return (struct xy_prediction){ .kind = XY_PREDICTION_UNKNOWN };
}

static inline bool prediction_of_entry(const struct xy__entry *entry, unsigned minimum, struct xy_prediction *p)
{
	struct xy__stats *stats = entry ? (struct xy__stats *)&entry->stats : NULL;

	/* acquire: pairs with the release in stats.c */
	p->samples = stats ? atomic_load_explicit(&stats->samples, memory_order_acquire) : 0;
	if (!p->samples || p->samples < minimum)
		return false;
	p->kind = XY_PREDICTION_VALUE;
	p->us = atomic_load_explicit(&stats->median, memory_order_relaxed);
	p->spread = atomic_load_explicit(&stats->spread, memory_order_relaxed);
	return true;
}

static const struct xy__entry *series_find(const struct xy__series *series, const struct xy__row *row)
{
	const struct xy__entry *entry = xy__map_find(&series->entries, xy__entry_key(row, false));

	if (entry || !atomic_load_explicit(&((struct xy__series *)series)->foreign, memory_order_relaxed))
		return entry;
	return xy__map_find(&series->entries, xy__entry_key(row, true));
}

/* Copies the curve consistently; false without one. */
static bool fitted_read(struct xy__fitted *f, struct xy__curve *curve, double range[2], unsigned *samples)
{
	unsigned version;

	do {
		/* acquire, here and for the fields: what is read later is read later; pairs with series_publish */
		version = atomic_load_explicit(&f->version, memory_order_acquire);
		if (!version)
			return false;
		for (unsigned i = 0; i <= XY_NTERMS; i++)
			curve->coefficients[i] = atomic_load_explicit(&f->coefficients[i], memory_order_acquire);
		curve->error = atomic_load_explicit(&f->error, memory_order_acquire);
		range[0] = atomic_load_explicit(&f->least, memory_order_acquire);
		range[1] = atomic_load_explicit(&f->most, memory_order_acquire);
		*samples = atomic_load_explicit(&f->samples, memory_order_acquire);
	} while (version % 2 || atomic_load_explicit(&f->version, memory_order_relaxed) != version);
	return true;
}

static bool prediction_of_curve(const struct xy__perf *perf, const struct xy__model_state *state,
				const struct xy__series *series, const struct xy__row *row, struct xy_prediction *p)
{
	struct xy__curve curve;
	double range[2], value;

	if (!fitted_read((struct xy__fitted *)&series->fitted, &curve, range, &p->samples) ||
	    p->samples < perf->minimum)
		return false;
	if (state->kind == XY_MODEL_MULTIPLE) {
		value = xy__curve_terms(&curve, row->nterms, row->terms);
	} else {
		if (perf->calibrate && (row->size < range[0] / MODEL_BEYOND || row->size > range[1] * MODEL_BEYOND))
			return false;
		value = xy__curve_power(&curve, row->size);
	}
	if (!(value > 0) || !isfinite(value))
		return false;
	p->kind = XY_PREDICTION_VALUE;
	p->us = value;
	p->spread = value * curve.error;
	return true;
}

/* By all that is known of the task: size, terms, curves. */
static __attribute__((noinline)) struct xy_prediction predict_thoroughly(const struct xy__perf *perf,
									 const struct xy__model_state *state,
									 const struct xy__series *series,
									 const struct xy_model *model,
									 const struct xy_task *task)
{
	struct xy_prediction p = { .kind = XY_PREDICTION_UNKNOWN };
	struct xy__row row;

	model_look(model, task, &row);
	if (!prediction_of_entry(series_find(series, &row), perf->minimum, &p) && state->kind != XY_MODEL_HISTORY)
		prediction_of_curve(perf, state, series, &row, &p);
	return p;
}

double xy__perf_known(const struct xy__perf *perf, const struct xy_model *model, const struct xy_task *task,
		      enum xy_arch arch, unsigned implementation)
{
	const struct xy__model_state *state = xy__model_is_measured(model)
						      ? xy__map_find(&perf->models, (uintptr_t)model)
						      : NULL;
	struct xy__entry *entry = state ? model_find_quickly(&state->series[arch][implementation], model, task) : NULL;
	/* acquire: pairs with the release in stats.c */
	unsigned samples = entry ? atomic_load_explicit(&entry->stats.samples, memory_order_acquire) : 0;

	return samples && samples >= perf->minimum ? atomic_load_explicit(&entry->stats.median, memory_order_relaxed)
						   : 0;
}

struct xy_prediction xy__perf_predict(struct xy__perf *perf, const struct xy_model *model, const struct xy_task *task,
				      unsigned worker, unsigned implementation)
{
	const struct xy_worker_info *info = xy_machine_worker(perf->machine, worker);
	struct xy_prediction p = { .kind = XY_PREDICTION_UNKNOWN };
	struct xy__model_state *state;
	struct xy__series *series;

	if (!info || implementation >= XY__MODEL_IMPLEMENTATIONS)
		return (struct xy_prediction){ .kind = XY_PREDICTION_NONE };
	if (model->kind == XY_MODEL_ARCH)
		return prediction_said(model->per_arch ? model->per_arch(task, info->arch, implementation) : 0);
	if (model->kind == XY_MODEL_WORKER)
		return prediction_said(model->per_worker ? model->per_worker(task, worker, implementation) : 0);
	state = model_state(perf, model);
	if (!state)
		return (struct xy_prediction){ .kind = XY_PREDICTION_NONE };
	series = &state->series[info->arch][implementation];
	if (prediction_of_entry(model_find_quickly(series, model, task), perf->minimum, &p))
		return p;
	return predict_thoroughly(perf, state, series, model, task);
}

/* --- measurements --- */

static void model_tell_drift(struct xy__perf *perf, const struct xy__model_state *state, struct xy__entry *entry,
			     double before)
{
	if (atomic_exchange(&entry->told, true))
		return;
	xy__log(perf->store.log,
		"model '%s': on %s, implementation %u, what took %.4g (footprint %08x, size %.0f) now "
		"takes %.4g; the model follows",
		state->name, xy_arch_name(entry->stored.arch), entry->stored.implementation, before,
		(unsigned)entry->stored.footprint, entry->stored.size, atomic_load(&entry->stats.median));
}

/* A value for an entry of a series. */
static void model_take(struct xy__perf *perf, struct xy__model_state *state, struct xy__series *series,
		       struct xy__entry *entry, double value)
{
	enum xy__verdict verdict;
	double before;

	before = entry->stats.reference > 0 ? entry->stats.reference : atomic_load(&entry->stats.median);
	verdict = xy__stats_add(&entry->stats, value);
	atomic_store_explicit(&entry->updated, (int64_t)time(NULL), memory_order_relaxed);
	atomic_store_explicit(&state->measured, true, memory_order_relaxed);
	if (verdict == XY__DRIFT)
		model_tell_drift(perf, state, entry, before);
	if (atomic_fetch_add_explicit(&series->samples, 1, memory_order_relaxed) + 1 >=
		    atomic_load_explicit(&series->next_fit, memory_order_relaxed) &&
	    state->kind != XY_MODEL_HISTORY)
		xy__series_fit(perf, state, series);
}

/* A value for the entry that a row describes. */
static void model_take_row(struct xy__perf *perf, struct xy__model_state *state, const struct xy__row *row,
			   double value)
{
	struct xy__series *series = &state->series[row->arch][row->implementation];
	struct xy__entry *entry = xy__map_find(&series->entries, xy__entry_key(row, false));

	if (!entry)
		entry = xy__series_entry(perf, state, row);
	if (entry)
		model_take(perf, state, series, entry, value);
}

void xy__perf_measure(struct xy__perf *perf, const struct xy_model *model, const struct xy_task *task, unsigned worker,
		      unsigned implementation, double value)
{
	const struct xy_worker_info *info = xy_machine_worker(perf->machine, worker);
	struct xy__model_state *state = model_state(perf, model);
	struct xy__series *series;
	struct xy__entry *entry;

	if (!state || !info || implementation >= XY__MODEL_IMPLEMENTATIONS || !(value > 0) || !(value < 1e30))
		return;
	series = &state->series[info->arch][implementation];
	entry = model_find_quickly(series, model, task);
	if (entry) {
		model_take(perf, state, series, entry, value);
	} else {
		struct xy__row row = { .arch = info->arch, .implementation = implementation };

		model_look(model, task, &row);
		model_take_row(perf, state, &row, value);
	}
}

/* --- measurements that are not of a task --- */

static struct xy__row model_row(enum xy_arch arch, double size)
{
	return (struct xy__row){ .arch = arch,
				 .size = size,
				 .footprint = xy__footprint_mix(0x811c9dc5, (uint64_t)size) };
}

void xy__perf_note(struct xy__perf *perf, struct xy__model_state *state, enum xy_arch arch, double size, double us)
{
	struct xy__row row = model_row(arch, size);

	if (us > 0 && us < 1e30)
		model_take_row(perf, state, &row, us);
}

double xy__perf_recall(const struct xy__model_state *state, enum xy_arch arch, double size, unsigned *samples)
{
	struct xy__row row = model_row(arch, size);
	const struct xy__entry *entry = xy__map_find(&state->series[arch][0].entries, xy__entry_key(&row, false));
	struct xy_prediction p = { .kind = XY_PREDICTION_UNKNOWN };

	if (!prediction_of_entry(entry, 1, &p))
		return 0;
	*samples = p.samples;
	return p.us;
}
