/* SPDX-License-Identifier: MIT */
/*
 * The driver: runs the programs of the runtimes as processes of their own, one after the other and
 * interleaved in rounds, so that none disturbs another and all meet the same noise.
 */
#ifndef BENCH_DRIVER_H
#define BENCH_DRIVER_H

#include <stdbool.h>
#include <stdio.h>

#define MAX_ROUNDS 100
#define MAX_SUBJECTS 12
#define NCOLUMNS 2

/* --- what the user asked for --- */

struct settings {
	const char *peers; /* folder of the programs */
	unsigned rounds;
	unsigned workers;     /* in the second column of the tables */
	unsigned limit_s;     /* time limit of a process */
	bool quick;           /* smaller graphs */
	const char *valgrind; /* NULL: none */
	FILE *csv;            /* NULL: none */
};
extern struct settings settings;

/* --- processes (process.c) --- */

enum outcome { NOTHING, MEASURED, IMPOSSIBLE, TOO_SLOW, BROKEN };

#define MAX_ARGUMENTS 24

struct command {
	const char *arguments[MAX_ARGUMENTS]; /* NULL-terminated, the program first */
	const char *variable, *value;         /* set in its environment; NULL: none */
	const char *key;                      /* the word before the number that it prints */
};

/* Runs the command and finds the number behind each key; NULL ends the keys. */
enum outcome process_measure_all(const struct command *command, const char *const *keys, double *numbers);

/* Runs the command and finds the number. A broken one leaves its messages on stderr. */
enum outcome process_measure(const struct command *command, double *number);
bool process_interrupted(void);
/* Catches SIGINT, and gives StarPU a folder to write to, which the second one removes. */
int process_prepare(void);
void process_clean(void);

/* --- numbers (series.c) --- */

struct series {
	enum outcome outcome; /* of all rounds: one that could not measure counts only if none could */
	unsigned n;
	double values[MAX_ROUNDS];
};

void series_add(struct series *series, enum outcome outcome, double value);
double series_median(const struct series *series); /* of n > 0 values */
double series_min(const struct series *series);
double series_max(const struct series *series);
/* Whether nothing is wrong with the runtime: a peer may be too slow, Xylem that does not end hangs. */
bool series_is_sound(const struct series *series, bool is_xylem);
/* Whether another round makes sense: not after a failure or a time limit. */
bool series_goes_on(const struct series *series);
/* "123", "12.3" or what happened instead, right-aligned in 9 columns. */
void series_print_number(const struct series *series, double value);
/* One sample for --csv; row and column say where in the table. */
void series_record(const char *bench, const char *row, const char *column, enum outcome outcome, double value);

/* --- runtimes (subjects.c) --- */

struct subject {
	const char *runtime, *sched; /* sched NULL: its default, or it has none */
	const char *program;         /* in settings.peers */
	const char *package;         /* Debian's, for who misses it; NULL: our own */
	const char *extra;           /* one more argument, or NULL */
};
extern const struct subject subjects[MAX_SUBJECTS];

enum {
	XYLEM_EAGER,
	XYLEM_PREFETCHING,
	XYLEM_WS,
	XYLEM_HELP,
	XYLEM_DEFAULT,
	STARPU_MODULAR,
	STARPU_EAGER,
	STARPU_LWS,
	OPENMP_GCC,
	OPENMP_CLANG,
	TBB,
	TASKFLOW
};

bool subject_is_xylem(unsigned subject);
bool subject_is_starpu(unsigned subject);
const char *subject_name(unsigned subject);
/* Whether its program was built. */
bool subject_is_here(unsigned subject);
/* Its program's path, followed by the bench's arguments, --workers and --sched. */
struct command subject_command(unsigned subject, const char *const *arguments, unsigned workers);
/* subject_command under another policy. */
struct command subject_command_sched(unsigned subject, const char *const *arguments, unsigned workers,
				     const char *sched);
void subjects_print_missing(void);

/* --- benches --- */

/* A bench with a row per runtime (tables.c). */
struct table {
	const char *name, *title, *unit;
	double scale;                   /* from the unit printed by the programs */
	const char *full[4], *quick[4]; /* arguments of the programs, name included */
	struct {
		const char *title;
		unsigned workers;
		const char *key;
	} columns[NCOLUMNS];
	bool few; /* only Xylem and StarPU have it */
};
enum { INDEPENDENT, CHAIN, WAVEFRONT, STENCIL, FANS, METG, WAKE, MEMORY, START_STOP, NTABLES };
extern const struct table tables[NTABLES];

bool table_run(const struct table *table); /* false: something is broken */
/* The series of a cell, NULL if it was not measured. */
const struct series *table_result(unsigned table, unsigned column, unsigned subject);

#define MAX_HOPS 8
bool hops_run(void);        /* cost of a pass-through component (hops.c) */
bool hops_cost(double *ns); /* the larger slope; false: not measured */

/* A bench of data: a line per program, and several numbers from each of up to two runs (sheets.c). */
#define MAX_LINES 10
#define SHEET_COLUMNS 4
struct sheet {
	const char *name, *title;
	struct sheet_line {
		const char *name, *program, *extra[4];
	} lines[MAX_LINES];
	struct sheet_run {
		const char *full[4], *quick[4]; /* arguments of the program, name included */
		unsigned accesses;              /* of each task: counts instructions per access; 0: does not */
		struct {
			const char *title, *key;
		} columns[SHEET_COLUMNS];
	} runs[2];
};
enum { FETCH, MODELS, OVERLAP, BANDWIDTH, DEVICES, NSHEETS };
enum { MODELS_NONE, MODELS_MEASURED, MODELS_TWO, MODELS_CHOSEN };
enum { FETCH_RAM, FETCH_NODES };
enum { OVERLAP_EAGER, OVERLAP_PREFETCHING };
enum { BANDWIDTH_IN_BARE, BANDWIDTH_IN, BANDWIDTH_OUT_BARE, BANDWIDTH_OUT };
enum {
	DEVICES_EAGER,
	DEVICES_PREFETCHING,
	DEVICES_WS,
	DEVICES_MODULAR_EAGER,
	DEVICES_MODULAR_PREFETCHING,
	DEVICES_LWS,
	DEVICES_DMDAR
};
enum { DEVICES_PRODUCT, DEVICES_CHAIN };
enum { DEVICES_TIME, DEVICES_BYTES };
extern const struct sheet sheets[NSHEETS];

bool line_is_xylem(const struct sheet_line *line);
bool sheet_run(const struct sheet *sheet); /* false: something is broken */
/* The series of a number, NULL if it was not measured. */
const struct series *sheet_result(unsigned sheet, unsigned line, unsigned run, unsigned column);

bool instructions_run(void); /* instructions per task (instructions.c) */
/* Instructions of all threads of a command. */
enum outcome instructions_measure(const struct command *plain, double *instructions);
/* The i-th row with a target: its name, the most instructions, and how many were found, 0 if that was not measured.
 * False: there is none. */
bool instructions_target(unsigned i, const char **name, double *most, double *found);

void verdicts_print(void); /* what was to be reached, and was or was not (verdicts.c) */

#endif
