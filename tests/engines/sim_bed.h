/* SPDX-License-Identifier: MIT */
/*
 * Simulations under test: machines are texts in the test, and all that happens to tasks is written down.
 * A task is known by its mark, which is its argument; those of the runtime's own have none.
 */
#ifndef XYLEM_TESTS_ENGINES_SIM_BED_H
#define XYLEM_TESTS_ENGINES_SIM_BED_H

#include "../helper.h"

enum { SIM_MARKS = 8192 };

/* What happened to a task. Times in microseconds. */
struct sim_fate {
	unsigned submitted, ready, ended; /* how often */
	unsigned worker;
	int status; /* of the last try */
	double ready_us, begin_us, start_us, end_us;
};

struct sim_bed {
	struct helper *h;
	struct xy_runtime *rt;
	struct xy_watch watch;
	pthread_mutex_t lock;
	uint64_t digest;                  /* (lock) of all reports, to the bit */
	unsigned nended, nforeign;        /* (lock) reports, and those of tasks without a mark */
	unsigned noverlaps;               /* (lock) reports of a worker that did something else at the time */
	double *busy_until_us;            /* (lock) by worker */
	struct sim_fate fates[SIM_MARKS]; /* (lock) */
};

/* Two cores; two cores and two GPUs on one switch, 1000 bytes per microsecond and way, 5 us until the first one. */
extern const char sim_two_cores[], sim_two_gpus[];

/* A simulation of the machine that the text describes, or of a shipped one; the rest as in config, if not NULL. */
struct sim_bed *sim_start(const char *machine, const char *sched, const struct xy_config *config);
/* Stops it, with this many lines in the log; returns what xy_stop did. */
int sim_stop(struct sim_bed *bed, unsigned lines);
/* A file with this text, for as long as the program runs. */
const char *sim_file(const char *text);

double sim_now_us(const struct sim_bed *bed);
/* Waits for all tasks, which must have gone well. */
void sim_wait(struct sim_bed *bed);

/* Times are equal but for rounding. */
#define sim_assert_us(found, expected) sim_assert_us_at(found, expected, __FILE__, __LINE__)
void sim_assert_us_at(double found, double expected, const char *file, int line);

/* The next mark, for .arg. */
#define SIM_MARK(i) ((void *)(uintptr_t)((i) + 1))

/* Codelets for CPUs and CUDA devices that must not be called: without data, and with handles of these modes. */
extern const struct xy_codelet sim_plain, sim_read, sim_write, sim_update, sim_copy, sim_commute, sim_add, sim_zero,
	sim_join, sim_scratch;
/* Their counterparts for CUDA devices only. */
extern const struct xy_codelet sim_plain_gpu, sim_update_gpu, sim_read_gpu;

/* Submits a task with this mark, which takes so long on a core. */
#define SIM_SUBMIT(bed, i, us, ...) \
	helper_submit((bed)->h, &(struct xy_task_desc){ .arg = SIM_MARK(i), .length_us = us, __VA_ARGS__ })

/* A vector of bytes whose memory is the application's, or the runtime's: neither may be touched. */
struct xy_handle *sim_vector(struct sim_bed *bed, size_t bytes);
void sim_unregister(struct xy_handle **handle);

struct xy_node_stats sim_stats(const struct sim_bed *bed, unsigned node);

#endif
