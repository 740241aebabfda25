/* SPDX-License-Identifier: MIT */
/*
 * One round of the manager: what the queue and the files say, against the state. It reads no clock, starts no process
 * and touches no file itself; what must be done outside goes through struct farm_hands. The order of reading matters:
 * the queue first, then claims and ends, then what is done, so that a job that left the queue has left its files.
 */
#ifndef XYLEM_FARM_ROUND_H
#define XYLEM_FARM_ROUND_H

#include "farm/state.h"

/* A job of this farm as the scheduler shows it. */
struct farm_queued {
	char id[64];
	char set[9];
	bool running;   /* else it waits */
	bool ended;     /* the scheduler still shows it, but it is over */
	char cause[32]; /* what the scheduler calls its end or its waiting, or "" */
};

struct farm_queue {
	struct farm_queued *at;
	size_t count, room;
};

/* Adds an entry; NULL without memory. */
struct farm_queued *farm_queue_add(struct farm_queue *queue);
void farm_queue_fini(struct farm_queue *queue);

struct farm_claim {
	size_t piece;
	char job[64];
};

struct farm_end {
	char job[64];
	bool had_piece;
	int status, signal;
	char reason[160];
};

struct farm_kill {
	size_t job; /* number in the state */
	char reason[160];
};

struct farm_seen {
	const struct farm_queue *queue;
	const bool *done, *claimed;      /* by piece: whether there is such a file */
	const struct farm_claim *claims; /* of pieces that the state does not show as running */
	size_t nclaims;
	const struct farm_end *ends;
	size_t nends;
	const struct farm_kill *kills; /* jobs that a kill rule ends */
	size_t nkills;
};

/* What a round does to the world. */
struct farm_hands {
	void (*release)(void *arg, size_t piece);   /* removes a claim */
	void (*hold)(void *arg, size_t piece);      /* makes a claim that no job has, so that none takes it */
	void (*forget)(void *arg, const char *job); /* removes the file of a job's end */
	void (*cancel)(void *arg, const char *job, bool killed); /* ends a job; killed: its log moves to old_logs */
	void *arg;
};

/* Jobs to submit for a set, which a piece stands for. */
struct farm_order {
	size_t piece;
	unsigned count;
};

struct farm_round {
	struct farm_state *state;
	struct farm_hands hands;
	struct farm_order *orders; /* result, owned */
	size_t norders, orders_room;
	bool over;                   /* result: nothing is left to do */
	bool spent;                  /* result: the budget of failures of the whole farm is spent */
	struct farm_claim *suspects; /* claims whose jobs were in no queue last time; owned */
	size_t nsuspects;
};

/* Reconciles. 0 or -errno after a message: then the state must be reloaded. */
int farm_round(struct farm_round *round, const struct farm_seen *seen);
/* Notes that a job was submitted for a set: the first open piece counts as submitted. */
int farm_round_submitted(struct farm_round *round, size_t order, const char *job);
void farm_round_fini(struct farm_round *round);

/* What a user asks for; the reasons are "cancelled by the user" and "retried by the user". */
int farm_round_cancel(struct farm_round *round, size_t piece);
int farm_round_retry(struct farm_round *round, size_t piece);

/* Private parts of rounds. */

/* Moves a piece to another step in one transaction, together with a job unless that is FARM_NONE. */
__attribute__((format(printf, 5, 6))) int farm_round_move(struct farm_round *round, size_t piece, enum farm_step to,
							  size_t job, const char *format, ...);

/* Whether a piece waits for a job; the first such piece of a set from *from on, which moves, or FARM_NONE. */
bool farm_round_is_open(const struct farm_record *r);
size_t farm_round_open(const struct farm_state *state, const char *set, size_t *from);

/* Fills the orders of a round (round_orders.c). 0 or -ENOMEM. */
int farm_round_fill_orders(struct farm_round *round);

#endif
