/* SPDX-License-Identifier: MIT */
/*
 * A farm as its file describes it: pure data, after defaults, imports and sweeps. Everything in it belongs to the
 * farm and lives until farm_fini; readers get memory from farm_alloc and farm_text and never free it.
 */
#ifndef XYLEM_FARM_FARM_H
#define XYLEM_FARM_FARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a message goes: one sentence without a newline. */
struct farm_report {
	void (*say)(void *arg, const char *line);
	void *arg;
};

/* Says a sentence; cut to 2,000 bytes. */
__attribute__((format(printf, 2, 3))) void farm_say(const struct farm_report *report, const char *format, ...);

enum farm_scheduler { FARM_SLURM, FARM_PBS, FARM_LOCAL };

/* How repetitions share what a job was given (the word behind `scheduler:` in CW2's files). */
enum farm_share { FARM_SHARE_NONE, FARM_SHARE_MP, FARM_SHARE_HOREKA, FARM_SHARE_KLUSTER, FARM_SHARE_CPU };

struct farm_words {
	size_t count;
	char **at;
};

/* A parameter of a piece or a variable of its environment. */
struct farm_value {
	char *name;
	char *text; /* as it is put into commands and names */
	char *json; /* as it is put into JSON */
};

struct farm_values {
	size_t count;
	struct farm_value *at;
};

/* What a job asks the scheduler for, and what its script does before the command. Zero or NULL: not said. */
struct farm_resources {
	unsigned cores; /* or: */
	unsigned nodes, cores_per_node;
	unsigned ntasks, cpus_per_task; /* CW2's spelling of the same */
	unsigned num_threads;           /* 0: 1 */
	unsigned time_limit_s, warning_s;
	bool exclusive, requeue;
	char *partition, *memory, *gres;
	struct farm_words extra_scheduler; /* options for sbatch or qsub, one word each; sbatch_args too */
	struct farm_words late_resources;  /* a command that prints such options when a job is submitted */
	struct farm_values env;            /* extra_env_vars */
	char *extra_script;                /* lines of shell */
	struct farm_words mpiexec;         /* words before the command */
	char *executor;
};

/* When a piece is done, besides its program saying so. */
struct farm_goal {
	uint64_t points;     /* 0: none */
	double loss, time_s; /* negative: none */
	struct farm_words command;
};

/* Repetitions of one command in shares of a job. Zero: not said. */
struct farm_repetitions {
	unsigned count, per_job, parallel;
	double gpus_per_rep;
	unsigned cpus_per_rep;
	enum farm_share share;
	bool mps;     /* repetitions on one GPU get their share of a server of CUDA's MPS */
	char *folder; /* of the folders of repetitions; NULL: that of the piece's data */
};

struct farm_piece {
	char *name;
	char *file; /* the name as a file name; farm_check sets it */
	struct farm_words argv;
	struct farm_values params;
	const char *entry;            /* the name in jobs: before a sweep or repetitions changed it, or NULL */
	struct farm_words depends_on; /* names */
	size_t *needs;                /* depends_on as indices; farm_check sets it */
	struct farm_resources resources;
	struct farm_goal goal;
	char set[9]; /* the name of its resource set; farm_check sets it */
	bool claims_itself;
	const char *source; /* the file that it is from, for messages */
	unsigned line;      /* and its line */
};

struct farm {
	char *name;
	char *file;   /* farm.yml, absolute */
	char *base;   /* the folder of farm.yml, absolute: where commands run */
	char *folder; /* the farm's folder, absolute */
	enum farm_scheduler scheduler;
	unsigned max_simultaneous_jobs; /* 100 */
	unsigned max_fails_per_job;     /* 50 */
	uint64_t max_fails;             /* of all pieces together; 0: no such limit */
	double interval_s;              /* 60 */
	double save_interval_s;         /* 300 */
	double log_interval_s;          /* 30 */
	char *kill_on_error;            /* "srun: error:"; NULL: no rule */
	bool kill_is_pattern;           /* an extended regular expression, written /…/ */
	size_t npieces;
	struct farm_piece *pieces;

	size_t npieces_room;       /* private: see farm_add */
	struct farm_block *blocks; /* private: what farm_alloc gave */
	bool failed;               /* private: some farm_alloc failed */
};

/* Makes an empty farm with the defaults. */
void farm_init(struct farm *farm);
void farm_fini(struct farm *farm);

/* Zeroed memory that lives as long as the farm. NULL without memory: then farm->failed is set and farm_check fails. */
void *farm_alloc(struct farm *farm, size_t size);
__attribute__((format(printf, 2, 3))) char *farm_text(struct farm *farm, const char *format, ...);

/* Adds a word or a value to a list. */
void farm_words_add(struct farm *farm, struct farm_words *words, const char *word);
void farm_values_add(struct farm *farm, struct farm_values *values, struct farm_value value);

/* Adds a piece with the given content. The pointer is valid until the next call; NULL without memory. */
struct farm_piece *farm_add(struct farm *farm, const struct farm_piece *piece);

/*
 * Adds the pieces of a command with repetitions, `xylem slots` in front of the command: one for each reps_per_job.
 * tool is the path of xylem.
 */
void farm_add_repetitions(struct farm *farm, const struct farm_piece *piece, const struct farm_repetitions *repetitions,
			  const char *tool);

/*
 * Checks a farm and completes it: names are there once and fit into file names, commands are not empty, dependencies
 * exist and have no cycle; sets file, needs and set. Returns 0, or -EINVAL or -ENOMEM after a message with the line.
 */
int farm_check(struct farm *farm, const struct farm_report *report);

#endif
