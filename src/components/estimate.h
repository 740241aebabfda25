/* SPDX-License-Identifier: MIT */
/*
 * For mappers that predict: when a task would end with each worker below. What is constant is collected when the
 * tree is sealed; predictions for a task are made once for each class of workers and each memory node, and only as far
 * as they are asked for. Everything is read without a lock, so that an answer may be a moment old.
 */
#ifndef XYLEM_COMPONENTS_ESTIMATE_H
#define XYLEM_COMPONENTS_ESTIMATE_H

#include "core/task/task.h"

enum { XY__ESTIMATE_CLASSES = 32, XY__ESTIMATE_NODES = 64 };

/* A place on the way to a worker where tasks rest; `share` of them run before a new task there. */
struct xy__wait {
	struct xy_component *at;
	double share;
};

/* A worker, or a team, below a mapper. All (c). */
struct xy__seat {
	unsigned child;            /* which leads to it */
	unsigned worker;           /* of a team: its first member */
	enum xy_arch arch;         /* of the worker */
	unsigned class, node;      /* workers of one class are equally fast; out of range: like no other worker */
	struct xy_component *team; /* or NULL */
	unsigned nwaits;
	struct xy__wait *waits;
};

/*
 * Seats of one class in one memory node: most tasks take equally long there, so only the time they become free counts.
 */
struct xy__group {
	unsigned *seats; /* in rising order */
	unsigned count;
};

/* All (c). */
struct xy__estimate {
	const struct xy_component *self;
	unsigned nseats;
	struct xy__seat *seats; /* in order of the children */
	unsigned *first;        /* by child: its first seat; one more at the end */
	unsigned ngroups;
	struct xy__group *groups; /* of all seats; a seat like no other is its own group */
	unsigned nclassed;
	struct xy__group *classed; /* all seats by class alone, for tasks whose data is near to all */
	unsigned *members;         /* storage of the members of both */
};

/* How long a task takes on a worker. */
struct xy__length {
	bool runs;    /* it can run there at all */
	bool known;   /* us is the expected time of the fastest implementation */
	bool missing; /* some implementation needs measurements; the first of those is `unknown` */
	uint8_t implementation, unknown;
	unsigned samples; /* of the one that is missing */
	double us;
};

/* Predictions for one task; lives on the caller's stack. */
struct xy__forecast {
	const struct xy__estimate *estimate;
	const struct xy_task *task;
	double now_us;    /* for callers that compare: the time of comparison */
	double least_us;  /* see xy__forecast_least_us; negative: not computed yet */
	bool alike;       /* workers of a class take equally long */
	uint32_t classes; /* mask of those in lengths */
	uint64_t nodes;   /* mask of those in transfers */
	struct xy__length lengths[XY__ESTIMATE_CLASSES];
	double transfers[XY__ESTIMATE_NODES];
};

/* For a component's init and fini. 0 or -ENOMEM; after that fini does no harm. */
int xy__estimate_init(struct xy__estimate *estimate, const struct xy_component *self);
/* After init, for components that ask when seats are free. 0 or -ENOMEM. */
int xy__estimate_find_waits(struct xy__estimate *estimate);
void xy__estimate_fini(struct xy__estimate *estimate);

void xy__forecast_init(struct xy__forecast *forecast, const struct xy__estimate *estimate, const struct xy_task *task);
struct xy__length xy__forecast_length(struct xy__forecast *forecast, const struct xy__seat *seat);

/* The seats that may differ in what the task takes there: the first of each group if it is alike in all, else all. */
static inline unsigned xy__forecast_count(const struct xy__forecast *f)
{
	return f->alike ? f->estimate->ngroups : f->estimate->nseats;
}

static inline const struct xy__seat *xy__forecast_seat(const struct xy__forecast *f, unsigned i)
{
	return &f->estimate->seats[f->alike ? f->estimate->groups[i].seats[0] : i];
}

/* Transfer time of its data; 0 if unknown. */
double xy__forecast_transfer_us(struct xy__forecast *forecast, const struct xy__seat *seat);

/* The shortest known duration below; INFINITY without one. */
double xy__forecast_least_us(struct xy__forecast *forecast);

/*
 * When a worker is expected to finish everything sent to it, as seen from now_us: comparing takes time, and the last
 * seat compared must not look later for that. If the result is not before limit_us, any time from there on will do.
 */
double xy__seat_free_us(const struct xy__estimate *estimate, const struct xy__seat *seat, double now_us,
			double limit_us);

/* What is known about a task on all workers below. */
enum xy_prediction_kind xy__forecast_kind(struct xy__forecast *forecast);

#endif
