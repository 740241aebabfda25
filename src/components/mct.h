/* SPDX-License-Identifier: MIT */
/*
 * The decision of mct, also for other mappers that make it: in which branch a task ends soonest, at what price.
 */
#ifndef XYLEM_COMPONENTS_MCT_H
#define XYLEM_COMPONENTS_MCT_H

#include "components/estimate.h"
#include "components/soonest.h"

/* The group of a seat and its number there; and its class. */
struct xy__mct_place {
	unsigned group, member, classed, classed_member;
};

/* Begins the instances of all components that decide like this. Locking key: (c) constant after seal, (a) atomic. */
struct xy__mct {
	struct xy_component base;
	double alpha;                 /* (c) weight of the time until the task has ended */
	double beta;                  /* (c) weight of the time to transfer its data */
	double gamma;                 /* (c) microseconds that a joule is worth */
	double idle_w;                /* (c) watts of the machine while it waits for the last worker */
	struct xy__estimate estimate; /* (c) */
	int *own;                     /* (c) by worker: its seat, -1 without one */
	struct xy__soonest *soonest;  /* by group, then by class; of small ones empty */
	struct xy__mct_place *places; /* (c) by seat */
	_Atomic unsigned *room;       /* (a) by child: how often it has said can_push */
	_Atomic uint64_t *full;       /* (a) by refusal: the set that the child refused, and its room then */
	_Atomic float guess_us;       /* (a) duration of recent tasks, for those without a prediction */
	/* For components that decide with a lock held, else NULL: by seat, what will be sent there before. Then
	 * branches that are full may be chosen as well. */
	double *ahead_us;
};

/* Where a task ends at the least cost. */
struct xy__choice {
	const struct xy__seat *seat; /* NULL: no branch has a place for it */
	unsigned implementation;
	bool known; /* the time is expected, not only guessed */
	double length_us, transfer_us;
	double start_us, end_us;
	double cost;
};

/* 0 or -ENOMEM. */
int xy__mct_init(struct xy_component *self);
void xy__mct_fini(struct xy_component *self);

/* The best place for a task among the branches that have not refused one like it since they had room. */
struct xy__choice xy__mct_choose(struct xy__mct *mct, struct xy__forecast *forecast);

/* Whether a branch has refused such a task since it last had room. */
bool xy__mct_is_full(const struct xy__mct *mct, unsigned child, const struct xy_task *task);
/* Whether some branch has not. Always true of a constrained task, for which refusals are not remembered. */
bool xy__mct_has_room(const struct xy__mct *mct, const struct xy_task *task);
/* Marks the task with what is expected and pushes it there. */
bool xy__mct_give(struct xy__mct *mct, struct xy_task *task, const struct xy__choice *choice, struct xy_agent *by);

/* Pushes a task into the best branch, into the next best one if that refuses, and so on. */
bool xy__mct_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by);

/* Notes that a child has room. */
void xy__mct_room(struct xy__mct *mct, const struct xy_component *child, const struct xy_agent *by);
/* Notes that the expected time of a seat may have fallen; and that this holds for the asking worker's. */
void xy__mct_look(struct xy__mct *mct, unsigned seat);
void xy__mct_asked(struct xy__mct *mct, const struct xy_agent *by);

/* The verbs of a mapper that decides and stores nothing: a pull becomes can_push. */
struct xy_task *xy__mct_pull(struct xy_component *self, struct xy_agent *by);
bool xy__mct_can_push(struct xy_component *self, struct xy_component *child, struct xy_agent *by);

#endif
