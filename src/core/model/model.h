/* SPDX-License-Identifier: MIT */
/*
 * The models of a runtime while it runs: what was stored, what is measured, and what follows from both. Models are
 * found by their address at first, entries by footprint; neither takes a lock once they are there.
 *
 * Locking key: (c) constant, (l) the lock of struct xy__perf, (a) atomic.
 */
#ifndef XYLEM_CORE_MODEL_MODEL_H
#define XYLEM_CORE_MODEL_MODEL_H

#include <xylem/task.h>

#include "core/perf/fit.h"
#include "core/perf/map.h"
#include "core/perf/stats.h"
#include "core/perf/store.h"

enum { XY__PERF_ENTRIES = 4096 }; /* footprints of one implementation on one architecture, at most */

/* Measurements of the tasks with one footprint. */
struct xy__entry {
	struct xy__row stored;   /* (c) identity, and what was stored: all zero behind terms if nothing */
	bool foreign;            /* (c) found by size, as its footprint is another program's */
	_Atomic bool told;       /* (a) a drift has been reported */
	_Atomic int64_t updated; /* (a) when it was last measured */
	struct xy__stats stats;
};

/* A curve that is read while it may be replaced. */
struct xy__fitted {
	_Atomic unsigned version;                                       /* (a) odd while it changes; 0: none */
	_Atomic double coefficients[XY_NTERMS + 1], error, least, most; /* (a) */
	_Atomic unsigned samples;                                       /* (a) */
};

/* An implementation on an architecture. */
struct xy__series {
	struct xy__map entries;    /* (l) to add */
	struct xy__fitted fitted;  /* (l) to write */
	_Atomic unsigned samples;  /* (a) of all entries */
	_Atomic unsigned next_fit; /* (a) how many of them it takes for a new curve */
	_Atomic bool foreign;      /* (a) some entries are */
	bool full;                 /* (l) no more entries are taken, which has been reported */
};

struct xy__model_state {
	struct xy__model_state *next; /* (c) */
	char *name;                   /* (c) */
	enum xy_model_kind kind;      /* (c) */
	unsigned nterms;              /* (c) */
	bool stored;                  /* (c) it has its own file */
	_Atomic bool measured;        /* (a) there is something new */
	struct xy__series series[XY_NARCH][XY__MODEL_IMPLEMENTATIONS];
};

struct xy__perf {
	struct xy__store store;           /* (c) */
	unsigned calibrate;               /* (c) 0, 1 or 2 */
	unsigned minimum;                 /* (c) samples below which a prediction is unknown */
	int64_t begun;                    /* (c) seconds since 1970 */
	const struct xy_machine *machine; /* (c) */
	_Atomic int lock;
	struct xy__map models;          /* (l) to add: from the address of a model to its state */
	struct xy__model_state *states; /* (l) */
};

void xy__perf_init(struct xy__perf *perf, const struct xy__store *store, const struct xy_machine *machine,
		   unsigned calibrate, unsigned minimum);
/* Stores what was measured, and frees everything. */
void xy__perf_fini(struct xy__perf *perf);
/* Stores what was measured. 0 or the first error. */
int xy__perf_save(struct xy__perf *perf);

static inline bool xy__model_is_measured(const struct xy_model *model)
{
	return model && model->kind >= XY_MODEL_HISTORY;
}

/* Whether tasks with this model have to be measured. */
static inline bool xy__perf_measures(const struct xy__perf *perf, const struct xy_model *model)
{
	return perf->calibrate && xy__model_is_measured(model);
}

struct xy_prediction xy__perf_predict(struct xy__perf *perf, const struct xy_model *model, const struct xy_task *task,
				      unsigned worker, unsigned implementation);
/* The value of that if the footprint of the task alone tells; 0: xy__perf_predict has to look. */
double xy__perf_known(const struct xy__perf *perf, const struct xy_model *model, const struct xy_task *task,
		      enum xy_arch arch, unsigned implementation);
/* Adds a measurement in microseconds or joules. */
void xy__perf_measure(struct xy__perf *perf, const struct xy_model *model, const struct xy_task *task, unsigned worker,
		      unsigned implementation, double value);

/*
 * Measurements that are not of a task, kept and stored as a model of this name that remembers each size. NULL without
 * memory, or if the name is too long.
 */
struct xy__model_state *xy__perf_named(struct xy__perf *perf, const char *name);
void xy__perf_note(struct xy__perf *perf, struct xy__model_state *state, enum xy_arch arch, double size, double us);
/* The median of what was noted for a size, and how often; 0: never. */
double xy__perf_recall(const struct xy__model_state *state, enum xy_arch arch, double size, unsigned *samples);

/* --- model_state.c: for the above --- */

/* The state of a model, made and loaded at first use; NULL without memory or a name. */
struct xy__model_state *xy__perf_state(struct xy__perf *perf, const struct xy_model *model);
/* An entry, made at first use from what `like` says; NULL without memory or when there are too many. */
struct xy__entry *xy__series_entry(struct xy__perf *perf, struct xy__model_state *state, const struct xy__row *like);
/* Measurements have come: maybe a new curve. */
void xy__series_fit(struct xy__perf *perf, struct xy__model_state *state, struct xy__series *series);

static inline uint64_t xy__entry_key(const struct xy__row *row, bool foreign)
{
	return foreign ? (uint64_t)1 << 63 | (uint64_t)row->size : (uint64_t)1 << 32 | row->footprint;
}

/* Mixes another number into a hash. */
static inline uint32_t xy__footprint_mix(uint32_t hash, uint64_t value)
{
	uint64_t mixed = (hash ^ value) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(mixed >> 32) ^ (uint32_t)mixed;
}

#endif
