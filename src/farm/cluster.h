/* SPDX-License-Identifier: MIT */
/*
 * Schedulers: one const struct each, chosen by the key `scheduler`. A job belongs to a farm by its name, which
 * ends with
 * the farm's id and the resource set (14 hexadecimal digits), so that the queue alone tells whose it is.
 */
#ifndef XYLEM_FARM_CLUSTER_H
#define XYLEM_FARM_CLUSTER_H

#include "core/util/buffer.h"
#include "farm/round.h"

struct farm_cluster;

struct farm_cluster_ops {
	const char *name;
	const char *job;      /* shell text for the id of the job that a script runs in */
	const char *prologue; /* further lines of the script, or "" */
	unsigned most;        /* jobs in one submission */

	/* Lists the jobs of this farm with one command. 0 or -errno after a message. */
	int (*queue)(struct farm_cluster *cluster, struct farm_queue *queue);

	/*
	 * Submits up to count equal jobs whose script is ready and adds their ids. 0 or -errno with the
	 * scheduler's words
	 * in error. It may submit fewer: what is missing is asked for again in the next round.
	 */
	int (*submit)(struct farm_cluster *cluster, const struct farm_piece *piece, unsigned count,
		      struct farm_words *ids, char *error, size_t size);

	/* Ends jobs. Jobs that are gone already are fine. 0 or -errno after a message. */
	int (*cancel)(struct farm_cluster *cluster, const struct farm_words *ids);
};

extern const struct farm_cluster_ops farm_slurm, farm_pbs, farm_local;

/* PLAIN: neither says that it is one of the others, so arrays are not used. */
enum farm_pbs_kind { FARM_PBS_UNKNOWN, FARM_PBS_PRO, FARM_PBS_TORQUE, FARM_PBS_PLAIN };

struct farm_cluster {
	const struct farm_cluster_ops *ops;
	struct farm *farm;   /* memory for ids and arguments comes from scratch, not from here */
	struct farm scratch; /* emptied in each round */
	const char *id;      /* of the farm */
	const char *tool;    /* path of xylem */
	const struct farm_report *report;
	int status;             /* of the last command */
	bool silent;            /* it printed nothing at all */
	enum farm_pbs_kind pbs; /* pbs: which one it is */
	unsigned ncores, ngpus; /* local: what there is */
};

/* Prepares for a farm. tool and id must stay. */
void farm_cluster_init(struct farm_cluster *cluster, struct farm *farm, const char *id, const char *tool,
		       const struct farm_report *report);
void farm_cluster_fini(struct farm_cluster *cluster);

/* The name of a farm's jobs of a set, at most max bytes long. */
char *farm_cluster_tag(struct farm_cluster *cluster, const char *set, size_t max);
/* Whether a job's name is of this farm; copies its set. */
bool farm_cluster_is_own(const struct farm_cluster *cluster, const char *name, char set[9]);

/* Runs a command of the scheduler. 0 and its output, or -errno; then error has what it said, in one line. */
int farm_cluster_run(struct farm_cluster *cluster, const struct farm_words *words, struct xy__buffer *output,
		     char *error, size_t size);

/* Adds the options that a set's late_resources command prints. 0, or -errno and error. */
int farm_cluster_late(struct farm_cluster *cluster, const struct farm_piece *piece, struct farm_words *words,
		      char *error, size_t size);

/* The path of a set's script. */
char *farm_cluster_script(struct farm_cluster *cluster, const char *set);

/* Parsers of what schedulers print, for tests with recorded output. */
int farm_slurm_parse(const struct farm_cluster *cluster, char *text, struct farm_queue *queue);
int farm_pbs_parse(const struct farm_cluster *cluster, char *text, struct farm_queue *queue);
enum farm_pbs_kind farm_pbs_kind_of(const char *version);
/* The ids of an array's tasks from what qsub printed; none if it printed no id of an array. */
void farm_pbs_tasks(struct farm *memory, const char *id, unsigned count, struct farm_words *ids);

#endif
