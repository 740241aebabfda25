/* SPDX-License-Identifier: MIT */
/*
 * The leaf of a worker, for the engines that run one.
 */
#ifndef XYLEM_COMPONENTS_WORKER_H
#define XYLEM_COMPONENTS_WORKER_H

#include <xylem/component.h>

#include "core/tree/component.h"

/* Locking key: (c) constant after seal, (l) lock, (a) atomic. */
struct xy__leaf {
	struct xy_component base;
	unsigned id; /* (c) option */
	bool moves;  /* (c) data may have to be moved to where it computes */
	struct xy_lock lock;
	bool turned_away;               /* (l) a push was refused and can_push has not been said since */
	_Atomic bool used;              /* (a) something was pushed ever */
	_Atomic(struct xy_task *) slot; /* (l) to change it, (a) to see whether it is worth the lock */
	_Atomic float slot_us;          /* (l) to change it, (a) how long that is expected to take */
};

static inline struct xy_task *xy__worker_slot(const struct xy__leaf *leaf)
{
	/* relaxed: only the lock's holder dereferences the task */
	return atomic_load_explicit(&((struct xy__leaf *)leaf)->slot, memory_order_relaxed);
}

/* The task in the slot, or NULL. */
struct xy_task *xy__worker_take(struct xy__leaf *leaf, struct xy_agent *by);
/* What a worker does if nothing came from above. */
struct xy_task *xy__worker_look_again(struct xy__leaf *leaf, struct xy_agent *by);

/* The result of a pull by the leaf's worker: inline, for the loop of a worker. */
static inline __attribute__((always_inline)) struct xy_task *xy__worker_pull(struct xy_component *self,
									     struct xy_agent *by)
{
	struct xy__leaf *leaf = (struct xy__leaf *)self;
	struct xy_task *task = xy__worker_slot(leaf) ? xy__worker_take(leaf, by) : NULL;

	if (__builtin_expect(!task, 1))
		task = self->nparents == 1 ? xy__pull(self->parents[0], by) : xy_pull_parents(self, by);
	return __builtin_expect(task != NULL, 1) ? task : xy__worker_look_again(leaf, by);
}

#endif
