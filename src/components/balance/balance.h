/* SPDX-License-Identifier: MIT */
/*
 * Private parts of balance: how fast each device is with the items of a task, and which device gets how many of them
 * next.
 *
 * Locking key: (c) constant after seal, (l) the component's lock.
 */
#ifndef XYLEM_COMPONENTS_BALANCE_BALANCE_H
#define XYLEM_COMPONENTS_BALANCE_BALANCE_H

#include "components/cutter.h"
#include "components/throughput.h"

enum { XY__BALANCE_SUBJECTS = 8 }; /* sorts of items of which the speeds are kept */

struct xy__balance_device {
	uint64_t load;       /* (l) items that it has, */
	unsigned pieces;     /* (l) in so many pieces */
	unsigned trying;     /* (l) level of a size that it has not measured and now has a piece of, + 1; 0: none */
	double ended_s;      /* (l) when it last ended one while it had another: that one was next; 0: it had none */
	size_t memory_bytes; /* (c) 0: not limited */
	int shared;          /* (c) its number in the table of the host; -1: not shared */
	/* (l) what was found about the task that is being cut: */
	bool serves;   /* it can run there, and no other process is in the way */
	unsigned room; /* pieces that it may have */
	double rate;   /* items per microsecond of all its workers; 0: not known */
};

/* A sort of items, and how fast each device is with it. */
struct xy__balance_subject {
	const void *like;                /* (l) what they have in common; only compared */
	struct xy__throughput *of;       /* (l) by device */
	struct xy__model_state **stored; /* (l) by device: keeps the measurements between runs; NULL: not kept */
};

struct xy__balance {
	struct xy__cutter cutter;
	double least_us; /* (c) option, and that below */
	bool sweep;
	struct xy__balance_device *of;                             /* (c) by device */
	struct xy__balance_subject subjects[XY__BALANCE_SUBJECTS]; /* (l) */
	unsigned nsubjects;                                        /* (l) that there have been */
};

/* --- balance_measure.c; the lock is held --- */

/* For init and fini. 0 or -ENOMEM. */
int xy__balance_measure_init(struct xy__balance *b);
void xy__balance_measure_fini(struct xy__balance *b);

/* The sort of a task's items; a new one takes the place of the oldest. */
struct xy__balance_subject *xy__balance_subject(struct xy__balance *b, const struct xy_task *task);

/* Whether a device should not try the size that it wants to: one like it is trying a size now. */
bool xy__balance_should_wait(const struct xy__balance *b, const struct xy__balance_subject *s, unsigned i);

/*
 * A piece has kept a device busy for so long. The model in which to note it, which the caller does without the lock; or
 * NULL.
 */
struct xy__model_state *xy__balance_learn(struct xy__balance *b, const struct xy_task *piece, unsigned i, double us);

/* What a piece is a piece of. */
const struct xy__division *xy__balance_division(const struct xy_task *task);
/* Bytes of a device's memory that an item needs; 0: not known. */
double xy__balance_item_bytes(const struct xy__division *division);
/* The items of which the data of several pieces fits into the memory of a device. */
double xy__balance_fit(const struct xy__balance_device *d, double item_bytes);

/* --- balance_choose.c; the lock is held --- */

/* A task, and the state of all devices that can run it. */
struct xy__balance_view {
	const struct xy_task *task;
	const struct xy__balance_subject *subject;
	double item_bytes;
	double rate;       /* items per microsecond of those that are known */
	uint64_t load;     /* items that they have */
	unsigned pieces;   /* in flight, anywhere */
	unsigned nserving; /* devices that can run it */
};

/* Looks at all devices; valid as long as the lock is held, and if each piece that is sent is counted. */
struct xy__balance_view xy__balance_look(struct xy__balance *b, const struct xy_task *task);
void xy__balance_count(struct xy__balance *b, struct xy__balance_view *view, unsigned i, uint64_t items);

/* Of the devices with room, the one that would be idle first. Its number, or count; *size is the next piece. */
unsigned xy__balance_choose(const struct xy__balance *b, const struct xy__balance_view *view, uint64_t *size);
/* For a piece that comes back: the device that would have done it first. Its number, or count. */
unsigned xy__balance_choose_again(const struct xy__balance *b, const struct xy__balance_view *view);

#endif
