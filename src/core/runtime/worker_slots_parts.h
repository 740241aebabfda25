/* SPDX-License-Identifier: MIT */
/* The slots of a device worker, and what the files of worker_slots share. Its worker alone uses them. */
#ifndef XYLEM_CORE_RUNTIME_WORKER_SLOTS_PARTS_H
#define XYLEM_CORE_RUNTIME_WORKER_SLOTS_PARTS_H

#include "core/data/fetch.h"
#include "core/runtime/decline.h"
#include "core/runtime/streams.h"
#include "core/runtime/worker.h"

enum { XY__SLOT_BUFFERS = 16 };

enum slot_state {
	SLOT_FREE,
	SLOT_FETCHING,
	SLOT_INITIALISING,
	SLOT_LAUNCHED,
	SLOT_GATHERING,
	SLOT_HELPING /* in a simulation: the task is a team's */
};

struct xy__slot {
	enum slot_state state;
	struct xy__fetch fetch;
	struct xy_event *event;
	struct xy__run run; /* if timed */
	double begin;       /* when it was launched, if that is needed */
	double device_us;   /* how long the device took, as it says; negative: it did not say */
	uint64_t launch;    /* the number of its launch */
	unsigned stream;    /* that it was launched on, or will be if it is behind others */
	bool streams;       /* it counts there */
	bool behind;        /* predecessors of its task still run here, and it ends after them */
	int status;         /* why its launch has failed, while it waits for these */
	void *few[XY__SLOT_BUFFERS];
};

struct xy__slots {
	struct xy__worker *worker;
	struct xy__node *node;
	unsigned size, used;
	unsigned fetching; /* those that wait for their data */
	uint64_t launches; /* so far */
	bool several;      /* memory nodes: there may be something to fetch */
	double ended;      /* when the last one did that is measured */
	struct xy__streams streams;
	struct xy__declines declines;
	struct xy__slot slots[];
};

/* --- worker_slots_life.c --- */

/* Whether the duration of its task is needed. */
bool xy__slot_is_timed(const struct xy__slots *all, const struct xy__slot *slot);
/* The seconds that its task took, which ends now. Once for each launch. */
double xy__slot_took(struct xy__slots *all, struct xy__slot *slot, double now);
/* Notes how long its task took, which ends with this status. */
void xy__slot_measure(struct xy__slots *all, struct xy__slot *slot, int status);
/* Puts a task into a free slot. */
void xy__slot_begin(struct xy__slots *all, struct xy__slot *slot, struct xy_task *task);
/* Its task has ended, or can't run, and holds no data any more. */
void xy__slot_leave(struct xy__slots *all, struct xy__slot *slot, int status);
/* xy__slot_leave for a task that still holds its data. */
void xy__slot_end(struct xy__slots *all, struct xy__slot *slot, int status);
/* Its task leaves it without having run: -ECANCELED, or -EAGAIN if it goes back. */
void xy__slot_vacate(struct xy__slots *all, struct xy__slot *slot, int status);
/* All that the driver knows about a failed launch: a line of the log for each of its lines. */
void xy__slot_log_details(const struct xy__slots *all, const struct xy__slot *slot);

/* --- worker_slots_behind.c --- */

/* Takes a task that waits only for what runs here into a free slot. False: there is none. */
bool xy__slot_follow(struct xy__slots *all, struct xy__slot *slot);
/* Its launch has failed, or its data can't be had: it is too early to say so. */
void xy__slot_keep(struct xy__slots *all, struct xy__slot *slot, int status);
/* Looks after a task that was taken behind others. True: it has ended. */
bool xy__slot_catch_up(struct xy__slots *all, struct xy__slot *slot);

#endif
