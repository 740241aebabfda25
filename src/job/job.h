/* SPDX-License-Identifier: MIT */
/* Private parts of the job library: a piece, and what the environment says about it. */
#ifndef XYLEM_JOB_JOB_H
#define XYLEM_JOB_JOB_H

#include <signal.h>
#include <xylem/farm.h>
#include "core/util/futex.h"
#include "graph/json.h"

/* The environment of a job; NULL: not set. Texts belong to the environment. */
struct job_environment {
	const char *folder, *set, *job;
	const char *piece, *file, *params, *goal; /* of the piece, if the job script chose it */
	double save_interval_s, log_interval_s;
};

/* Reads it; -ENXIO or -EINVAL with a sentence in error. The one place that reads variables. */
int job_environment_read(struct job_environment *environment, char *error, size_t size);

struct job_goal {
	double points, loss, time_s; /* negative: none */
	char **command;              /* ends with NULL; NULL: none; texts belong to the piece */
	double asked_s;              /* when the command was run last */
	bool reached;
};

/* Reads the goal out of an object of JSON; NULL: no goal. 0 or -ENOMEM. */
int job_goal_init(struct job_goal *goal, const struct json *json, const struct json_node *object);

struct xy_farm_piece {
	char *farm, *job; /* the farm's folder, the job's id */
	char *name, *file, *folder;
	/* Texts of JSON, and what was read out of them: the piece, or its parameters and its goal. */
	char *texts[2];
	struct json json[2];
	const struct json *params_json;
	const struct json_node *params; /* NULL: none */
	struct job_goal goal;
	double save_interval_s, log_interval_s;
	double claimed_s, saved_s;   /* seconds of xy__now */
	double logged_s;             /* 0: no line yet */
	double logged_cpu_s;         /* CPU time up to then */
	double work_s, work_began_s; /* in the user's function since then; 0: not in it */
	uint64_t points;             /* as the program said last, and whether that is in no line yet */
	double loss;
	bool has_news;
	bool has_work;     /* the program tells about its function */
	bool asked_to_end; /* SIGTERM came */
	bool handles[2];   /* SIGTERM, SIGUSR1: the library's handler is there */
};

/* Handlers of the two signals; each may be called twice. */
void job_signal_begin(struct xy_farm_piece *piece);
void job_signal_end(struct xy_farm_piece *piece);
/* Whether the signal has come since the last question. */
bool job_signal_came(int number);

/* From now on processor time counts for the piece. */
void job_progress_begin(struct xy_farm_piece *piece);
/* Writes a line now. */
int job_progress_write(struct xy_farm_piece *piece, uint64_t points, double loss, const char *text);

#endif
