/* SPDX-License-Identifier: MIT */
/*
 * Private parts of `xylem slots`: what is to run, one repetition, the loop, the guard of GPU memory and
 * the keeper that ends repetitions when the tool itself was killed. One thread uses all of it.
 */
#ifndef XYLEM_TOOLS_SLOTS_H
#define XYLEM_TOOLS_SLOTS_H

#include <sys/types.h>
#include "core/util/futex.h"
#include "farm/slots.h"
#include "farm/slots_cpus.h"
#include "farm/slots_gpus.h"
#include "farm/slots_smi.h"
#include "tools/tool.h"

/* What is to run and in which slots; constant while it runs. */
struct slots_job {
	const char *folder;
	bool overwrite, mps, memory_stops;
	bool bind;                           /* repetitions to their processors; otherwise only threads are limited */
	double grace_s;                      /* from the signal that ends a repetition to SIGKILL */
	unsigned long long gpu_memory_bytes; /* 0: not watched */
	double gpu_share;                    /* of a repetition; 0: GPUs are not divided */
	char *const *command;                /* ends with NULL */
	unsigned nreps, *reps;               /* their numbers, each once */
	struct slots_gpus gpus;
	struct slots_cpus cpus;
	struct slots_division division;
};

enum slots_result { SLOTS_WAITING, SLOTS_RUNNING, SLOTS_DONE, SLOTS_SKIPPED, SLOTS_FAILED, SLOTS_UNFINISHED };
#define SLOTS_NRESULTS 6

/* Unfinished: it asked to be run again, or was stopped together with the tool. */
struct slots_rep {
	unsigned number;
	enum slots_result result;
	pid_t pid;              /* also its process group, while it runs */
	int claim;              /* descriptor of its locked file, -1: none */
	double start_s, kill_s; /* when it began; when SIGKILL is due, 0: never */
	bool warned;            /* about its GPU memory */
	char reason[128];       /* why the tool stopped it, "" if it did not */
	bool cancelled;         /* stopped because the tool was */
};

/* --- a repetition: slots_rep.c --- */

/* Writes the path of a repetition's folder with something behind it, such as ".log". */
void slots_rep_path(const struct slots_job *job, unsigned number, const char *suffix, char *path, size_t size);

/* Makes its folder and claims it. 0; 1 if there are results; -errno, with a message, if it failed or
 * another process runs it. */
int slots_rep_claim(const struct slots_job *job, struct slots_rep *rep);

/* Starts the command in a slot; 0 or -errno with a message. */
int slots_rep_start(const struct slots_job *job, struct slots_rep *rep, unsigned slot);

/* Gives the claim back: removes the file of a finished one, or writes into it why there is no result. */
void slots_rep_release(const struct slots_job *job, struct slots_rep *rep, const char *why);

/* --- the environment of a repetition: slots_environment.c --- */

/* A new environment for posix_spawn; NULL without memory. slots_environment_free ends it. */
char **slots_environment(const struct slots_job *job, const struct slots_rep *rep, unsigned slot);
void slots_environment_free(char **environment);

/* The processors or GPUs of a slot as a list. */
void slots_environment_cpus(const struct slots_job *job, unsigned slot, char *text, size_t size);
void slots_environment_gpus(const struct slots_job *job, unsigned slot, char *text, size_t size);

/* --- the loop: slots_run.c --- */

/* Runs everything and says what came of it. */
enum tool_status slots_run(const struct slots_job *job);

/* Ends a repetition with SIGTERM, later with SIGKILL; the reason goes into the report. */
void slots_run_stop(const struct slots_job *job, struct slots_rep *rep, const char *reason);

/* --- the guard: slots_guard.c --- */

struct slots_guard {
	struct slots_smi smi;
	double next_s, limit_s; /* when to ask; until when to wait for an answer, 0: not asked */
	unsigned failures;      /* in a row */
	bool off;
};

/* Asks nvidia-smi once whether it answers; says so if not, and watches nothing then. */
void slots_guard_init(struct slots_guard *guard, const struct slots_job *job);
void slots_guard_fini(struct slots_guard *guard);

/* Looks after the question; running[slot] is NULL for a free slot. Returns when to be called again. */
double slots_guard_turn(struct slots_guard *guard, const struct slots_job *job, struct slots_rep *const *running);

/* --- the keeper: slots_keeper.c --- */

struct slots_keeper {
	pid_t pid;
	int alarm; /* the keeper acts when this end of a pipe closes without a word */
	unsigned ngroups;
	volatile pid_t *groups; /* shared with the keeper: process groups to end, 0: none */
};

/* Starts the process; 0 or -errno. */
int slots_keeper_init(struct slots_keeper *keeper, unsigned ngroups, double grace_s);
/* Sends it home. */
void slots_keeper_fini(struct slots_keeper *keeper);

#endif
