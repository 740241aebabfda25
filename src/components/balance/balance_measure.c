/* SPDX-License-Identifier: MIT */
/*
 * What balance has measured: for each sort of items the throughput of each device over the size of pieces. With a name,
 * it stays in the folder of models for the next run.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "components/balance/balance.h"
#include "core/model/model.h"
#include "core/task/handle.h"
#include "core/task/pool.h"

enum {
	MEASURE_FIRST = 4096, /* the first piece of a worker is this part of an equal share */
	MEASURE_SWEEP = 3,    /* measurements of each size, if all are to be measured */
	MEASURE_MEMORY = 4,   /* pieces that should fit into a device's memory */
};

#define MEASURE_ALIKE 1.5 /* devices whose times differ by less are alike */

/* --- memory --- */

const struct xy__division *xy__balance_division(const struct xy_task *task)
{
	if (xy__task_part(task) == XY__PART_PIECE)
		task = xy__task_piece(task)->whole;
	return task->extra->division;
}

double xy__balance_item_bytes(const struct xy__division *division)
{
	double bytes = 0;

	for (unsigned i = 0; i < XY__TASK_ACCESSES && division->accesses[i]; i++)
		bytes += (double)xy__access_handle(division->accesses[i])->size_bytes;
	return bytes / (double)(division->all.stop - division->all.start) + division->item_bytes;
}

double xy__balance_fit(const struct xy__balance_device *d, double item_bytes)
{
	if (!d->memory_bytes || !(item_bytes > 0))
		return INFINITY;
	return fmax(1, (double)d->memory_bytes / MEASURE_MEMORY / item_bytes);
}

/* --- sorts of items --- */

static struct xy__growth measure_growth(const struct xy__balance *b, unsigned i, const struct xy__division *division)
{
	return (struct xy__growth){
		.least_us = b->least_us,
		.most = xy__throughput_level(
			(uint64_t)fmin(xy__balance_fit(&b->of[i], xy__balance_item_bytes(division)), 4e9)),
		.samples = b->sweep ? MEASURE_SWEEP : 0,
	};
}

/* What earlier runs have measured. In a simulation nothing is, so that it depends on nothing else. */
static void measure_recall(struct xy__balance *b, struct xy__balance_subject *s, const struct xy_task *task)
{
	const struct xy__division *division = xy__balance_division(task);
	struct xy__perf *perf = task->pool->length ? NULL : task->pool->perf;

	for (unsigned i = 0; i < b->cutter.all.count; i++) {
		const struct xy__device *device = &b->cutter.all.of[i];
		struct xy__growth growth = measure_growth(b, i, division);
		char name[XY__MODEL_NAME + XY__DEVICE_NAME + 16] = "";
		unsigned samples = 0;

		if (perf && division->model)
			xy__throughput_name(name, sizeof name, division->model, device->name, device->nworkers);
		s->stored[i] = *name ? xy__perf_named(perf, name) : NULL;
		for (unsigned level = 0; s->stored[i] && level < XY__THROUGHPUT_LEVELS; level++) {
			double us = xy__perf_recall(s->stored[i], device->arch, ldexp(1, (int)level), &samples);

			if (us > 0)
				xy__throughput_recall(&s->of[i], level, us, samples);
		}
		xy__throughput_resume(&s->of[i], &growth);
	}
}

static struct xy__balance_subject *measure_find(struct xy__balance *b, const void *like)
{
	for (unsigned i = 0; i < XY__BALANCE_SUBJECTS && i < b->nsubjects; i++)
		if (b->subjects[i].like == like)
			return &b->subjects[i];
	return NULL;
}

/* The first pieces are a small part of an equal share: no device, however slow, will be late because of its own. */
static unsigned measure_first(const struct xy__balance *b, const struct xy_task *task)
{
	uint64_t share = b->sweep ? 1 : xy__cutter_items(task) / MEASURE_FIRST / b->cutter.base.nworkers;

	return xy__throughput_level(share ? share : 1);
}

/* --- devices that are alike --- */

/* A device of the architecture of another, and about as fast with pieces that both have measured. */
static bool measure_alike(const struct xy__balance *b, const struct xy__balance_subject *s, unsigned i, unsigned k)
{
	const struct xy__throughput *t = &s->of[i], *other = &s->of[k];
	uint32_t both = t->measured & other->measured;
	unsigned level;

	if (k == i || b->cutter.all.of[k].arch != b->cutter.all.of[i].arch || !both)
		return false;
	level = 31 - (unsigned)__builtin_clz(both);
	return t->us_per_item[level] < other->us_per_item[level] * MEASURE_ALIKE &&
	       other->us_per_item[level] < t->us_per_item[level] * MEASURE_ALIKE;
}

/* A size that was bad for one device need not be tried by others that are like it. */
static void measure_adopt(struct xy__balance *b, struct xy__balance_subject *s, unsigned i,
			  const struct xy__division *division)
{
	struct xy__growth growth = measure_growth(b, i, division);
	struct xy__throughput *t = &s->of[i];

	for (unsigned k = 0; k < b->cutter.all.count && xy__throughput_tries(t); k++)
		if (measure_alike(b, s, i, k) && xy__throughput_is_bad(&s->of[k], t->level))
			xy__throughput_learn(t, (uint64_t)1 << t->level,
					     s->of[k].us_per_item[t->level] * (double)((uint64_t)1 << t->level),
					     &growth);
}

bool xy__balance_should_wait(const struct xy__balance *b, const struct xy__balance_subject *s, unsigned i)
{
	const struct xy__throughput *t = &s->of[i];
	bool tried = false;

	if (b->sweep || !xy__throughput_tries(t))
		return false;
	for (unsigned k = 0; k < b->cutter.all.count; k++) {
		if (k != i && !measure_alike(b, s, i, k))
			continue;
		if (s->of[k].measured >> t->level & 1)
			return false;
		tried |= b->of[k].trying == t->level + 1;
	}
	return tried;
}

struct xy__balance_subject *xy__balance_subject(struct xy__balance *b, const struct xy_task *task)
{
	const struct xy__division *division = xy__balance_division(task);
	struct xy__balance_subject *s = measure_find(b, division->like);

	if (!s) {
		s = &b->subjects[b->nsubjects++ % XY__BALANCE_SUBJECTS];
		s->like = division->like;
		memset(s->of, 0, b->cutter.all.count * sizeof *s->of);
		for (unsigned i = 0; i < b->cutter.all.count; i++)
			s->of[i].level = measure_first(b, task);
		measure_recall(b, s, task);
	} else if (division->start == division->all.start) {
		for (unsigned i = 0; i < b->cutter.all.count; i++)
			xy__throughput_doubt(&s->of[i]);
	}
	for (unsigned i = 0; i < b->cutter.all.count && !b->sweep; i++)
		if (xy__throughput_tries(&s->of[i]))
			measure_adopt(b, s, i, division);
	return s;
}

struct xy__model_state *xy__balance_learn(struct xy__balance *b, const struct xy_task *piece, unsigned i, double us)
{
	const struct xy__division *division = xy__balance_division(piece);
	struct xy__balance_subject *s = measure_find(b, division->like);
	uint64_t items = xy__cutter_items(piece);
	struct xy__growth growth;

	if (!s || !items || !(us > 0))
		return NULL;
	growth = measure_growth(b, i, division);
	xy__throughput_learn(&s->of[i], items, us, &growth);
	return items & (items - 1) ? NULL : s->stored[i];
}

/* --- set-up --- */

int xy__balance_measure_init(struct xy__balance *b)
{
	for (unsigned i = 0; i < XY__BALANCE_SUBJECTS; i++) {
		b->subjects[i].of = calloc(b->cutter.all.count, sizeof *b->subjects[i].of);
		b->subjects[i].stored = calloc(b->cutter.all.count, sizeof *b->subjects[i].stored);
		if (!b->subjects[i].of || !b->subjects[i].stored)
			return -ENOMEM;
	}
	return 0;
}

void xy__balance_measure_fini(struct xy__balance *b)
{
	for (unsigned i = 0; i < XY__BALANCE_SUBJECTS; i++) {
		free(b->subjects[i].of);
		free(b->subjects[i].stored);
		b->subjects[i] = (struct xy__balance_subject){ 0 };
	}
}
