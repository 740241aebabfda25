/* SPDX-License-Identifier: MIT */
/*
 * For tests that need a running runtime: it listens to the test alone, its log lines are kept, and
 * nothing waits for ever: who waits too long fails with the runtime's dump.
 * Only the thread of the test may call what is here, unless said otherwise.
 */
#ifndef XYLEM_TESTS_HELPER_H
#define XYLEM_TESTS_HELPER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <xylem.h>
#include <xylem/tree.h>

#define HELPER_COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { HELPER_LINES = 256, HELPER_LINE = 256 };
/* Limit in seconds of every wait for something that takes milliseconds on an idle machine. */
enum { HELPER_WAIT_S = 120 };
#define HELPER_ANY_LINES (~0u)

/* A runtime under test. */
struct helper {
	struct xy_runtime *rt;
	pthread_mutex_t lock;
	unsigned nlines;                       /* (lock) log lines since the start or helper_forget */
	char lines[HELPER_LINES][HELPER_LINE]; /* (lock) the first of them */
};

/* So many repetitions in an ordinary build, fewer where a sanitizer makes each of them slow. */
unsigned helper_scale(unsigned n);

/* First in main: ends the program with a dump of all runtimes when it takes too long. */
void helper_guard(void);

/* A runtime with this policy (NULL: the default) and number of CPU workers. It must start. */
struct helper *helper_start(const char *sched, unsigned nworkers);
/* helper_start with other settings; the helper sets log and ignore_environment. */
struct helper *helper_start_with(const struct xy_config *config);
/* helper_start_with for a start that may fail: *error is what xy_start returned; rt may be NULL. */
struct helper *helper_try(const struct xy_config *config, int *error);
/* Stops the runtime, frees the helper, returns what xy_stop did. Any log line fails the test. */
int helper_stop(struct helper *h);
/* helper_stop that expects this many log lines, or HELPER_ANY_LINES. */
int helper_stop_lines(struct helper *h, unsigned lines);

/* xy_wait and xy_task_wait with a limit. */
int helper_wait(struct helper *h);
int helper_wait_task(struct helper *h, struct xy_task *task);
/* Waits until all workers are asleep. */
void helper_rest(struct helper *h);
/* Waits until *word is at least this much. */
void helper_reach(struct helper *h, _Atomic int *word, int value);

/* Log lines: how many; how many with this text; none from now on. Any thread. */
unsigned helper_lines(struct helper *h);
unsigned helper_lines_with(struct helper *h, const char *text);
void helper_forget(struct helper *h);
/* There has been exactly one line, with this text; forgets it. */
void helper_one_line(struct helper *h, const char *text);

/* What is written to stderr from begin to end, cut at the size of the buffer. */
void helper_stderr_begin(void);
void helper_stderr_end(char *text, size_t size);
/* How many lines there are in a text. */
unsigned helper_count_lines(const char *text);

/* Everything that xy_dump writes, to be freed by the caller. */
char *helper_dump(struct helper *h);

/* Numbers that follow from a seed. Any thread, one owner each. */
uint64_t helper_random(uint64_t *state);
static inline unsigned helper_below(uint64_t *state, unsigned n)
{
	return (unsigned)(helper_random(state) >> 33) % n;
}

/* --- tasks --- */

/* They must be taken. */
void helper_submit(struct helper *h, const struct xy_task_desc *desc);
struct xy_task *helper_create(struct helper *h, const struct xy_task_desc *desc);
#define HELPER_SUBMIT(h, ...) helper_submit(h, &(struct xy_task_desc){ __VA_ARGS__ })
#define HELPER_CREATE(h, ...) helper_create(h, &(struct xy_task_desc){ __VA_ARGS__ })

extern const struct xy_codelet helper_count; /* adds 1 to the _Atomic int that is its argument */
int helper_count_body(struct xy_call *call);
extern const struct xy_codelet helper_fail; /* returns -EIO */
/* For callbacks: stores the status in the int that is its argument. */
void helper_status(void *arg, int status);

/* A task with &gate as its argument goes in and stays until the gate is opened. */
struct gate {
	_Atomic int inside; /* how many have gone in */
	_Atomic int open;
};

extern const struct xy_codelet helper_gate;
/* Submits a task that waits at the gate, and waits until it is inside. */
void helper_block(struct helper *h, struct gate *gate);
/* Any thread. */
void helper_open(struct gate *gate);
/* For bodies of codelets: waits until *word is at least value; 0, or -ETIME after a long time. */
int helper_body_reach(_Atomic int *word, int value);
void helper_add(_Atomic int *word); /* adds 1 and wakes who waits for it */

#endif
