/* SPDX-License-Identifier: MIT */
/*
 * For mappers that do not care which child takes a task: the child of whoever calls comes first, then
 * the others in turn, so that tasks and wake-ups spread.
 */
#ifndef XYLEM_COMPONENTS_SPREAD_H
#define XYLEM_COMPONENTS_SPREAD_H

#include <xylem/component.h>

/* Locking key: (c) constant after seal, (a) atomic. */
struct xy__spread {
	int *own;               /* (c) by worker: the child that leads to it, -1 if none does */
	_Atomic bool *full;     /* (a) by child and lane: it refused and has not said can_push since */
	_Atomic unsigned turn;  /* (a) index of a child; relaxed, a turn that is lost does no harm */
};

/* For the component's init and fini: 0 or -ENOMEM. */
int xy__spread_init(struct xy__spread *spread, const struct xy_component *self);
void xy__spread_fini(struct xy__spread *spread);

/* The child that leads to the agent's worker, -1 if none does. */
static inline int xy__spread_own(const struct xy__spread *spread, const struct xy_agent *by)
{
	return by->worker < 0 ? -1 : spread->own[by->worker];
}

/* Pushes into the first child that takes it, of those where pushing makes sense and somebody can run
 * the task. One that refused is left alone until it says that it has room. */
bool xy__spread_push(struct xy_component *self, struct xy__spread *spread, struct xy_task *task,
		     struct xy_agent *by);

/* A child has room: for can_push. */
void xy__spread_room(struct xy_component *self, struct xy__spread *spread,
		     const struct xy_component *child, const struct xy_agent *by);

/* Tells the children until one wakes a worker: those with devices first, as they are faster as a rule. */
bool xy__spread_offer(struct xy_component *self, struct xy__spread *spread, const struct xy_offer *offer,
		      struct xy_agent *by);

#endif
