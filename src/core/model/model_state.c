/* SPDX-License-Identifier: MIT */
/*
 * The lives of models: made and loaded when first seen, fitted now and then, stored at the end together with what
 * other processes have stored meanwhile.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/model/model.h"
#include "core/util/futex.h"

void xy__perf_init(struct xy__perf *perf, const struct xy__store *store, const struct xy_machine *machine,
		   unsigned calibrate, unsigned minimum)
{
	*perf = (struct xy__perf){ .store = *store,
				   .machine = machine,
				   .calibrate = calibrate,
				   .minimum = calibrate ? minimum : 1,
				   .begun = (int64_t)time(NULL) };
}

/* --- entries --- */

/* The lock is held. */
static struct xy__entry *series_add(struct xy__series *series, const struct xy__row *row, bool foreign)
{
	struct xy__entry *entry = calloc(1, sizeof *entry);

	if (!entry)
		return NULL;
	entry->stored = *row;
	entry->foreign = foreign;
	atomic_init(&entry->updated, row->updated);
	if (row->samples) {
		struct xy__moments moments = xy__moments_of(row->samples, row->mean, row->deviation);

		xy__stats_seed(&entry->stats, row->median, row->spread, &moments);
		series->samples += (unsigned)row->samples;
	}
	if (!xy__map_add(&series->entries, xy__entry_key(row, foreign), entry)) {
		free(entry);
		return NULL;
	}
	return entry;
}

struct xy__entry *xy__series_entry(struct xy__perf *perf, struct xy__model_state *state, const struct xy__row *like)
{
	struct xy__series *series = &state->series[like->arch][like->implementation];
	struct xy__entry *entry;

	xy__lock_take(&perf->lock);
	entry = xy__map_find(&series->entries, xy__entry_key(like, false));
	if (!entry && series->entries.count < XY__PERF_ENTRIES) {
		entry = series_add(series, like, false);
	} else if (!entry && !series->full) {
		series->full = true;
		xy__log(perf->store.log, "model '%s': more than %d footprints on %s; further ones are not measured",
			state->name, XY__PERF_ENTRIES, xy_arch_name(like->arch));
	}
	xy__lock_drop(&perf->lock);
	return entry;
}

/* --- curves --- */

struct points {
	struct xy__point *at;
	unsigned n;
	double least, most;
};

static void points_add(void *arg, void *value)
{
	struct points *points = arg;
	struct xy__entry *entry = value;
	unsigned samples = atomic_load(&entry->stats.samples);

	if (!samples || !(entry->stored.size > 0 || entry->stored.nterms))
		return;
	points->at[points->n++] = (struct xy__point){
		.size = entry->stored.size,
		.value = atomic_load(&entry->stats.median),
		.weight = samples < XY__STATS_WINDOW ? samples : XY__STATS_WINDOW,
		.terms = entry->stored.terms,
	};
	points->least = fmin(points->least, entry->stored.size);
	points->most = fmax(points->most, entry->stored.size);
}

static void series_publish(struct xy__fitted *f, const struct xy__curve *curve, const struct points *points,
			   unsigned samples)
{
	unsigned version = atomic_load_explicit(&f->version, memory_order_relaxed);

	atomic_store_explicit(&f->version, version + 1, memory_order_relaxed);
	/* release, for each: the odd version is seen first; pairs with fitted_read */
	for (unsigned i = 0; i <= XY_NTERMS; i++)
		atomic_store_explicit(&f->coefficients[i], curve->coefficients[i], memory_order_release);
	atomic_store_explicit(&f->error, curve->error, memory_order_release);
	atomic_store_explicit(&f->least, points->least, memory_order_release);
	atomic_store_explicit(&f->most, points->most, memory_order_release);
	atomic_store_explicit(&f->samples, samples, memory_order_release);
	atomic_store_explicit(&f->version, version + 2, memory_order_release);
}

/* The lock is held. */
static void series_fit(struct xy__model_state *state, struct xy__series *series)
{
	struct points points = { .at = malloc((series->entries.count + 1) * sizeof *points.at), .least = INFINITY };
	unsigned samples = atomic_load(&series->samples);
	struct xy__curve curve;
	bool found;

	atomic_store(&series->next_fit, samples + 1 + (samples / 8 < 4096 ? samples / 8 : 4096));
	if (!points.at)
		return;
	xy__map_each(&series->entries, points_add, &points);
	if (state->kind == XY_MODEL_MULTIPLE)
		found = xy__fit_terms(points.at, points.n, state->nterms, &curve);
	else if (state->kind == XY_MODEL_LINEAR)
		found = xy__fit_power(points.at, points.n, &curve);
	else
		found = xy__fit_power_constant(points.at, points.n, &curve);
	if (found)
		series_publish(&series->fitted, &curve, &points, samples);
	free(points.at);
}

void xy__series_fit(struct xy__perf *perf, struct xy__model_state *state, struct xy__series *series)
{
	if (!xy__lock_try(&perf->lock))
		return; /* the next measurement will do */
	if (atomic_load(&series->samples) >= atomic_load(&series->next_fit))
		series_fit(state, series);
	xy__lock_drop(&perf->lock);
}

/* --- models --- */

enum { STATE_SERIES = XY_NARCH * XY__MODEL_IMPLEMENTATIONS };

static struct xy__series *state_series(struct xy__model_state *state, unsigned i)
{
	return &state->series[i / XY__MODEL_IMPLEMENTATIONS][i % XY__MODEL_IMPLEMENTATIONS];
}

static bool state_takes(const struct xy__model_state *state, const struct xy__row *row)
{
	return state->kind != XY_MODEL_MULTIPLE || row->nterms == state->nterms;
}

static void state_load(struct xy__perf *perf, struct xy__model_state *state, const char *suffix)
{
	struct xy__model_file file;

	if (xy__store_load(&perf->store, state->name, suffix, &file))
		return;
	for (unsigned i = 0; i < file.nrows; i++) {
		struct xy__row *row = &file.rows[i];
		struct xy__series *series = &state->series[row->arch][row->implementation];

		if (!state_takes(state, row) || xy__map_find(&series->entries, xy__entry_key(row, file.foreign)))
			continue;
		series_add(series, row, file.foreign);
		if (file.foreign)
			atomic_store(&series->foreign, true);
	}
	xy__model_file_fini(&file);
}

static struct xy__model_state *state_create(struct xy__perf *perf, const struct xy_model *model, bool stored)
{
	struct xy__model_state *state = calloc(1, sizeof *state);

	if (!state)
		return NULL;
	state->name = strdup(model->name);
	if (!state->name) {
		free(state);
		return NULL;
	}
	state->kind = model->kind;
	state->nterms = model->nterms <= XY_NTERMS ? model->nterms : XY_NTERMS;
	state->stored = stored;
	if (stored && perf->calibrate != 2) {
		state_load(perf, state, ".model");
		state_load(perf, state, "");
	}
	for (unsigned i = 0; i < STATE_SERIES && state->kind != XY_MODEL_HISTORY; i++)
		if (state_series(state, i)->entries.count)
			series_fit(state, state_series(state, i));
	state->next = perf->states;
	perf->states = state;
	return state;
}

/* The state that a model of this name and kind has in common with others, made if it is new. The lock is held. */
static struct xy__model_state *perf_find(struct xy__perf *perf, const struct xy_model *model)
{
	struct xy__model_state *state = perf->states;

	for (; state && (!state->stored || strcmp(state->name, model->name)); state = state->next)
		;
	if (!state)
		return state_create(perf, model, true);
	if (state->kind == model->kind && state->nterms == model->nterms)
		return state;
	xy__log(perf->store.log,
		"model '%s': there are two of this name and of different kinds; one of them "
		"is not stored",
		model->name);
	return state_create(perf, model, false);
}

/* The lock is held. */
static struct xy__model_state *perf_add(struct xy__perf *perf, const struct xy_model *model)
{
	struct xy__model_state *state = perf_find(perf, model);

	if (state && !xy__map_add(&perf->models, (uintptr_t)model, state))
		return NULL;
	return state;
}

struct xy__model_state *xy__perf_named(struct xy__perf *perf, const char *name)
{
	struct xy__model_state *state;

	if (!*name || strlen(name) >= XY__MODEL_NAME)
		return NULL;
	xy__lock_take(&perf->lock);
	state = perf_find(perf, &(struct xy_model){ .name = name, .kind = XY_MODEL_HISTORY });
	xy__lock_drop(&perf->lock);
	return state;
}

struct xy__model_state *xy__perf_state(struct xy__perf *perf, const struct xy_model *model)
{
	struct xy__model_state *state = xy__map_find(&perf->models, (uintptr_t)model);

	if (state || !model->name || !*model->name || strlen(model->name) >= XY__MODEL_NAME)
		return state;
	xy__lock_take(&perf->lock);
	state = xy__map_find(&perf->models, (uintptr_t)model);
	if (!state)
		state = perf_add(perf, model);
	xy__lock_drop(&perf->lock);
	return state;
}

/* --- storing --- */

struct saving {
	struct xy__perf *perf;
	struct xy__model_state *state;
	struct xy__model_file *result;
	bool failed;
};

static uint64_t saving_count(uint64_t n)
{
	return n < UINT32_MAX ? n : UINT32_MAX;
}

/* Adds the measurements of this run to a row that others may have changed since it was loaded. */
static void saving_merge(struct xy__row *row, struct xy__entry *entry)
{
	struct xy__stats *stats = &entry->stats;
	struct xy__moments there = xy__moments_of(row->samples, row->mean, row->deviation), all;
	double median = atomic_load(&stats->median), spread = atomic_load(&stats->spread);
	bool changed = row->samples != entry->stored.samples || row->updated != entry->stored.updated;
	double mine = stats->gained.n < XY__STATS_WINDOW ? (double)stats->gained.n : XY__STATS_WINDOW;
	double others = row->samples < XY__STATS_WINDOW ? (double)row->samples : XY__STATS_WINDOW;
	double share = changed && !stats->changed && mine < XY__STATS_WINDOW ? mine / (mine + others) : 1;

	all = stats->changed ? stats->gained : xy__moments_merge(there, stats->gained);
	row->samples = saving_count(all.n);
	row->mean = all.mean;
	row->deviation = xy__moments_deviation(&all);
	row->median = share * median + (1 - share) * row->median;
	row->spread = share * spread + (1 - share) * row->spread;
	row->outliers = saving_count(row->outliers + stats->outliers);
	row->drifts += stats->drifts;
	row->updated = atomic_load(&entry->updated);
}

static void saving_entry(void *arg, void *value)
{
	struct saving *saving = arg;
	struct xy__entry *entry = value;
	struct xy__row *row;

	if (entry->foreign || !(entry->stats.gained.n + entry->stats.outliers))
		return;
	row = xy__model_file_find(saving->result, &entry->stored);
	if (!row) {
		if (!entry->stats.gained.n)
			return;
		row = xy__model_file_add(saving->result);
		if (!row) {
			saving->failed = true;
			return;
		}
		*row = entry->stored;
		row->samples = row->outliers = row->drifts = 0;
		row->mean = row->deviation = row->median = row->spread = 0;
	}
	saving_merge(row, entry);
}

/* Rows that are stored, if they still count, and what was measured here. */
static int saving_make(void *arg, const struct xy__model_file *stored, struct xy__model_file *result)
{
	struct saving *saving = arg;
	struct xy__model_state *state = saving->state;
	bool anew = saving->perf->calibrate == 2 && stored && stored->saved < saving->perf->begun;

	xy__store_name(result->name, sizeof result->name, state->name);
	xy__store_name(result->host, sizeof result->host, saving->perf->store.host);
	result->kind = state->kind;
	result->saved = (int64_t)time(NULL);
	saving->result = result;
	for (unsigned i = 0; stored && !anew && i < stored->nrows; i++) {
		struct xy__row *row = state_takes(state, &stored->rows[i]) ? xy__model_file_add(result) : NULL;

		if (row)
			*row = stored->rows[i];
	}
	for (unsigned i = 0; i < STATE_SERIES; i++)
		xy__map_each(&state_series(state, i)->entries, saving_entry, saving);
	return saving->failed ? -ENOMEM : 0;
}

int xy__perf_save(struct xy__perf *perf)
{
	int error = 0, lock = -1;

	for (struct xy__model_state *s = perf->states; s; s = s->next) {
		struct saving saving = { .perf = perf, .state = s };
		int status;

		if (!s->stored || !atomic_load(&s->measured) || !*perf->store.folder)
			continue;
		if (lock < 0) { /* a fault of the folder is logged once, not per model */
			lock = xy__store_lock(&perf->store);
			if (lock < 0)
				return lock;
			close(lock);
		}
		status = xy__store_update(&perf->store, s->name, saving_make, &saving);
		error = error ? error : status;
	}
	return error;
}

static void entry_free(void *arg, void *value)
{
	(void)arg;
	free(value);
}

void xy__perf_fini(struct xy__perf *perf)
{
	if (!perf->machine)
		return;
	xy__perf_save(perf);
	while (perf->states) {
		struct xy__model_state *state = perf->states;

		perf->states = state->next;
		for (unsigned i = 0; i < STATE_SERIES; i++) {
			xy__map_each(&state_series(state, i)->entries, entry_free, NULL);
			xy__map_fini(&state_series(state, i)->entries);
		}
		free(state->name);
		free(state);
	}
	xy__map_fini(&perf->models);
	perf->machine = NULL;
}
