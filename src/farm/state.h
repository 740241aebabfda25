/* SPDX-License-Identifier: MIT */
/*
 * The state of a farm: where each piece is and which jobs live, in memory and in state.sqlite. The manager is the only
 * writer. Every transition is one transaction that holds the new rows and the reason.
 */
#ifndef XYLEM_FARM_STATE_H
#define XYLEM_FARM_STATE_H

#include "farm/farm.h"
#include "graph/read.h"

#define FARM_NONE SIZE_MAX

enum farm_step {
	FARM_WAITING,   /* no job is there for it */
	FARM_BLOCKED,   /* a dependency is not done */
	FARM_SUBMITTED, /* a job that will take it, or another in its place, is in the queue */
	FARM_RUNNING,   /* a job has claimed it */
	FARM_DONE,
	FARM_FAILED,   /* its last job failed; another will be submitted */
	FARM_GIVEN_UP, /* failed too often, or was cancelled */
	FARM_STEPS
};

const char *farm_step_name(enum farm_step step);

/* A piece's record; pieces are numbered as in the farm. */
struct farm_record {
	enum farm_step step;
	unsigned fails, starts;
	int status, signal;            /* of the last job's command; -1: not known */
	size_t job;                    /* the job that runs it or stands for it, or FARM_NONE */
	int64_t since, started, ended; /* seconds of Unix time, 0: never */
	char *last_job;                /* id of the last job that had it, or NULL; owned */
};

/* A job in the queue. Ended jobs leave memory and stay in the file. */
struct farm_job {
	char *id; /* owned */
	char set[9];
	size_t piece; /* claimed, or the one that it stands for, or FARM_NONE */
	bool claimed, ended;
	char *verdict; /* why a kill rule or a user ended it, or NULL; owned */
	int64_t submitted, started;
	int64_t searched; /* bytes of its log in which kill rules looked; not in the file */
};

struct farm_state {
	const struct farm *farm;
	const struct farm_report *report;
	struct sqlite3 *base;
	struct farm_statements *statements;
	char id[7]; /* of the farm, in names of its jobs */
	struct farm_record *records;
	struct farm_job *jobs;
	size_t njobs, jobs_room;
	int64_t now;                              /* of the last transition; never goes back */
	bool stands_still;                        /* as the clock went back */
	void (*hook)(void *arg, unsigned points); /* called before and after each commit; for tests */
	void *hook_arg;
	unsigned points;
};

/* What a transition changed: rows of up to two pieces and two jobs. FARM_NONE: none. */
struct farm_change {
	size_t piece, other_piece, job, other_job;
	enum farm_step from; /* of piece */
	const char *reason;
};

/*
 * Opens the state of a farm whose folder exists, creating it the first time, and loads it. Pieces that are new in
 * farm.yml are added; those that are gone stay in the file and are left alone. read_only never writes: -ENOENT if
 * there is nothing yet. 0, or -errno after a message.
 */
int farm_state_open(struct farm_state *state, const struct farm *farm, bool read_only,
		    const struct farm_report *report);
void farm_state_close(struct farm_state *state);

/* Loads everything again, after a commit failed. */
int farm_state_reload(struct farm_state *state);

/* Sets the time of the transitions that follow. A clock that went back is noted once and stands still. */
void farm_state_set_time(struct farm_state *state, int64_t now);

/* Writes a transition. 0, or -errno after a message; nothing was written then. */
int farm_state_commit(struct farm_state *state, const struct farm_change *change);

/* Adds a job to memory; the pointer is valid until the next call. NULL without memory. */
struct farm_job *farm_state_add_job(struct farm_state *state, const char *id, const char *set);
/* Forgets jobs that ended; changes their numbers. */
void farm_state_sweep_jobs(struct farm_state *state);

/* Calls see for each transition of a piece (all for NULL), oldest first. */
int farm_state_history(struct farm_state *state, const char *piece,
		       void (*see)(void *arg, int64_t time, const char *piece, const char *from, const char *to,
				   const char *job, const char *reason),
		       void *arg);

/* Private parts (state_load.c). */
#define FARM_STATE_PATIENCE_MS 10000 /* with another process that writes */
int farm_state_load(struct farm_state *state);
/* Opens the file for reading, also where nothing can be written. 0 or a code of SQLite. */
int farm_state_open_to_read(struct farm_state *state, const char *path);
int farm_state_refuse(struct farm_state *state, const char *doing);

#endif
