/* SPDX-License-Identifier: MIT */
/*
 * For mappers that accept any child for a task: the child of the calling worker comes first, then the others in turn,
 * so that tasks and wake-ups spread.
 */
#ifndef XYLEM_COMPONENTS_SPREAD_H
#define XYLEM_COMPONENTS_SPREAD_H

#include <xylem/component.h>

/* Locking key: (c) constant after seal, (a) atomic. */
struct xy__spread {
	int *own;              /* (c) by worker: the child that leads to it, -1 if none does */
	_Atomic uint8_t *full; /* (a) by refusal: the set that the child refused, and has not said can_push since */
	_Atomic unsigned turn; /* (a) index of a child; relaxed, a turn that is lost does no harm */
	bool keeps;            /* (c) what only one device has is not pushed to another; false unless set after init */
};

/* For the component's init and fini: 0 or -ENOMEM. */
int xy__spread_init(struct xy__spread *spread, const struct xy_component *self);
void xy__spread_fini(struct xy__spread *spread);

/* The child that leads to the agent's worker, -1 if none does. */
static inline int xy__spread_own(const struct xy__spread *spread, const struct xy_agent *by)
{
	return by->worker < 0 ? -1 : spread->own[by->worker];
}

/*
 * Pushes to the first child that accepts, among those that take pushes and have a worker that can run the task. A child
 * that refused is skipped until it announces room. With `keeps`, a task whose data only a device has is not pushed to
 * others while there is a child for that device: it waits for room there, or for a worker that pulls it.
 */
bool xy__spread_push(struct xy_component *self, struct xy__spread *spread, struct xy_task *task, struct xy_agent *by);

/* A child has room: for can_push. */
void xy__spread_room(struct xy_component *self, struct xy__spread *spread, const struct xy_component *child,
		     const struct xy_agent *by);

/*
 * Tells the children until one wakes a worker: those with devices first, as they are faster as a rule. An
 * application thread tells the worker last that it shares its processor with.
 */
bool xy__spread_offer(struct xy_component *self, struct xy__spread *spread, const struct xy_offer *offer,
		      struct xy_agent *by);

#endif
