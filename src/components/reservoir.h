/* SPDX-License-Identifier: MIT */
/*
 * The implementation of fifo, prio and eager-prio: a queue, optionally limited, that pumps. They differ in their
 * options, in whether the queue is ordered, and in the number of children.
 */
#ifndef XYLEM_COMPONENTS_RESERVOIR_H
#define XYLEM_COMPONENTS_RESERVOIR_H

#include <xylem/component.h>
#include "components/spread.h"

/* Locking key: (c) constant after seal, (l) lock, (a) atomic. */
struct xy__reservoir {
	struct xy_component base;
	unsigned ntasks;  /* (c) limit on the number of tasks */
	double length_us; /* (c) limit on their expected length */
	bool bounded;     /* (c) one of the two is finite */
	bool predicts;    /* (c) the length is limited, and no component above says how long tasks take */
	bool ready;       /* (c) a worker gets the task that misses the fewest bytes, ... */
	bool picks;       /* (c) ... and the machine has several nodes; see reservoir_picks */
	bool quick;       /* (c) a pull takes the first task, and nobody waits for the room */
	int prefetch_for; /* (c) a worker below when all compute in one of several nodes, else -1 */
	bool pushes;      /* (c) some child takes pushes */
	bool stores;      /* (c) a push only stores and offers */
	bool exchanges;   /* (c) a worker that takes a task of a full one brings the next along */
	char pad[64];     /* separates what all threads read from what the lock's holder writes */
	struct xy_lock lock;
	_Atomic bool turned_away; /* (l) to write, (a): a push was refused and can_push has not been said since */
	struct xy__spread spread; /* with several children */
	struct xy_queue queue;    /* (l) its count (a) */
	char pad_end[64];
};

/*
 * For a component that has just pushed into another one: true if that is a reservoir without room, which then says
 * can_push as if it had refused the next task.
 */
bool xy__reservoir_close(struct xy_component *self, struct xy_agent *by);

/* Options ntasks, length_us and ready. */
extern const struct xy_option xy__reservoir_options[];

/* The inits set whether the queue is ordered; a component without these options is unbounded. */
int xy__reservoir_init_fifo(struct xy_component *self);
int xy__reservoir_init_prio(struct xy_component *self);
void xy__reservoir_fini(struct xy_component *self);

size_t xy__reservoir_push_many(struct xy_component *self, struct xy_task *const *tasks, size_t n, struct xy_agent *by);
bool xy__reservoir_push(struct xy_component *self, struct xy_task *task, struct xy_agent *by);
struct xy_task *xy__reservoir_pull(struct xy_component *self, struct xy_agent *by);
bool xy__reservoir_can_push(struct xy_component *self, struct xy_component *child, struct xy_agent *by);
bool xy__reservoir_can_pull(struct xy_component *self, const struct xy_offer *offer, struct xy_agent *by);
bool xy__reservoir_is_bounded(const struct xy_component *self);
size_t xy__reservoir_depth(struct xy_component *self, size_t *peak);
double xy__reservoir_stored_us(struct xy_component *self);
void xy__reservoir_each_task(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task),
			     void *arg);
void xy__reservoir_each_distinct(struct xy_component *self, void (*visit)(void *arg, const struct xy_task *task),
				 void *arg);

#endif
