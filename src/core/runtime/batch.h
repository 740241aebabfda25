/* SPDX-License-Identifier: MIT */
/*
 * A batch is a divisible task with an empty one behind it, the finale, which ends when all is joined: waiting for the
 * batch is waiting for that.
 *
 * Locking key: (c) constant from submission to end, (l) lock, (a) atomic, (o) the device's own lock.
 */
#ifndef XYLEM_CORE_RUNTIME_BATCH_H
#define XYLEM_CORE_RUNTIME_BATCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <xylem/batch.h>

enum { XY__BATCH_ERRORS = 1024, XY__BATCH_NAME = 24 };

/* By worker; that of the first worker of a device is the device's. */
struct xy__batch_place {
	unsigned first;            /* (c) worker of its device */
	char name[XY__BATCH_NAME]; /* (c) */
	pthread_mutex_t lock;
	_Atomic bool begun; /* (a) begin has returned: status and state are constant */
	int status;         /* (o) of begin */
	void *state;        /* (o) */
};

/* A piece knows its batch. */
struct xy__batch_piece {
	struct xy_batch_piece piece; /* first */
	struct xy_batch_job *job;
};

/* A divisible task of the batch: the first does all, further ones what was lost with a device. */
struct xy__batch_round {
	struct xy_batch_job *job;             /* (c) */
	struct xy_range range;                /* (c) */
	struct xy_task *task;                 /* (c) once it is submitted */
	struct xy_handle *whole[XY_NHANDLES]; /* (c) once the data is there: the part in the range */
	_Atomic bool divided;                 /* (a) */
};

struct xy_batch_job {
	struct xy_runtime *rt;                 /* (c) */
	struct xy_batch_ops ops;               /* (c) */
	struct xy_batch batch;                 /* (c) */
	struct xy_codelet codelet;             /* (c) of the pieces */
	struct xy__batch_piece all;            /* (c) the whole as one piece, if it is not divided */
	struct xy__batch_round first;          /* (c) its task is kept */
	struct xy_task *before;                /* (c) with handles: stands for `after`, or NULL */
	struct xy_task *gate;                  /* (c) not submitted until all is done, so that ... */
	struct xy_task *finale;                /* (c) ... this one waits */
	unsigned nhandles;                     /* (c) */
	struct xy_access handles[XY_NHANDLES]; /* (c) the user's */
	unsigned nplaces;                      /* (c) */
	struct xy__batch_place *places;        /* (c) by worker */
	double begun_s;                        /* (c) */
	_Atomic unsigned awaited;              /* (a) handles to be acquired */
	_Atomic unsigned open;                 /* (a) the task, and pieces whose data is on its way back */
	_Atomic unsigned references;           /* (a) the user's and the runtime's */
	_Atomic int acquire_status;            /* (a) why the data is not there */

	pthread_mutex_t lock;
	struct xy_batch_piece *pieces; /* (l) that ended well */
	size_t npieces, pieces_room;   /* (l) */
	struct xy_batch_error *errors; /* (l) errors_kept of them */
	size_t nerrors, errors_kept;   /* (l) */
	size_t errors_room;            /* (l) */
	int status;                    /* (l) the first of them */
	uint64_t done;                 /* (l) items */
	uint64_t shown;                /* (l) items in the last report of progress, */
	double shown_s;                /* (l) and when it was */
	bool showing;                  /* (l) progress is being called */
};

/* --- batch_piece.c: what happens to a piece --- */

/* All implementations of the batch's codelet, unless the user has one. */
int xy__batch_call(struct xy_call *call);
int xy__batch_split(void *arg, struct xy_piece *piece);
void xy__batch_joined(void *arg, const struct xy_piece *piece, int status);
/* The end of a piece, or of the undivided whole. */
void xy__batch_end(struct xy_batch_job *job, struct xy_batch_piece *piece, int status);
/* Notes an error; new pieces are not begun. */
void xy__batch_fail(struct xy_batch_job *job, struct xy_range range, int status);
/* xy__batch_fail with a reason for the log. */
void xy__batch_fail_because(struct xy_batch_job *job, struct xy_range range, int status, const char *why);
bool xy__batch_has_failed(struct xy_batch_job *job);
/* Reports that all items are done, unless the last report said so; all pieces have ended. */
void xy__batch_show_end(struct xy_batch_job *job);
/* Joins the results; all pieces have ended. 0 or the batch's error. */
int xy__batch_reduce(struct xy_batch_job *job);
int xy__batch_places_init(struct xy_batch_job *job);
void xy__batch_places_fini(struct xy_batch_job *job);

/* --- batch_data.c: data that is cut --- */

/* Checks and copies the handles of the batch. 0 or -EINVAL, with a line in the log. */
int xy__batch_data_init(struct xy_batch_job *job);
/* Acquires them; the job goes on with xy__batch_go. 0, or an error if none was acquired. */
int xy__batch_data_acquire(struct xy_batch_job *job);
/* The data is there: makes the handles of a round. 0 or -errno. */
int xy__batch_data_open(struct xy__batch_round *round, struct xy_access *accesses);
/* Handles of a piece in place of those of the whole. */
int xy__batch_data_split(struct xy_batch_job *job, struct xy_piece *piece);
/* Brings the parts of a piece back to RAM and unregisters them; the job is open until then. */
void xy__batch_data_return(struct xy_batch_job *job, struct xy_range range, const struct xy_access *accesses,
			   unsigned n);
/* Gives the user's handles back. */
void xy__batch_data_release(struct xy_batch_job *job);

/* --- batch.c --- */

/* The data is acquired, or will not be: the task is submitted. */
void xy__batch_go(struct xy_batch_job *job);
/* Does some items again, whose results were lost. The job must be open. 0 or -ENOMEM. */
int xy__batch_redo(struct xy_batch_job *job, struct xy_range range);
/* One of what the job is open for has ended. */
void xy__batch_leave(struct xy_batch_job *job);

#endif
