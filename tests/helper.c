/* SPDX-License-Identifier: MIT */
/* Runtimes under test; see helper.h. */
#include "helper.h"
#include "core/runtime/engine.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GUARD_S = 230, RUNTIMES = 16 };

#if defined(__has_feature)
#define HELPER_HAS(x) __has_feature(x)
#else
#define HELPER_HAS(x) 0
#endif

#if defined(__SANITIZE_THREAD__) || HELPER_HAS(thread_sanitizer)
enum { SLOWER = 10 };
#elif defined(__SANITIZE_ADDRESS__) || HELPER_HAS(address_sanitizer)
enum { SLOWER = 3 };
#else
enum { SLOWER = 1 };
#endif

unsigned helper_scale(unsigned n)
{
	return n / SLOWER ? n / SLOWER : 1;
}

/* --- the guard --- */

static pthread_mutex_t guard_lock = PTHREAD_MUTEX_INITIALIZER;
static struct xy_runtime *guard_runtimes[RUNTIMES];

static void guard_exchange(struct xy_runtime *from, struct xy_runtime *to)
{
	pthread_mutex_lock(&guard_lock);
	for (unsigned i = 0; i < RUNTIMES; i++)
		if (guard_runtimes[i] == from) {
			guard_runtimes[i] = to;
			break;
		}
	pthread_mutex_unlock(&guard_lock);
}

static void *guard_main(void *arg)
{
	_Atomic int never = 0;
	double end = xy__now() + GUARD_S;

	(void)arg;
	while (xy__now() < end)
		xy__futex_wait(&never, 0, end - xy__now());
	fprintf(stderr, "still running after %d s\n", GUARD_S);
	pthread_mutex_lock(&guard_lock);
	for (unsigned i = 0; i < RUNTIMES; i++)
		if (guard_runtimes[i])
			xy_dump(guard_runtimes[i], STDERR_FILENO);
	_exit(99);
}

void helper_guard(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, guard_main, NULL) || pthread_detach(thread)) {
		fprintf(stderr, "no thread for the guard\n");
		exit(99);
	}
}

/* --- runtimes --- */

static void helper_log(void *arg, const char *line)
{
	struct helper *h = arg;

	pthread_mutex_lock(&h->lock);
	if (h->nlines < HELPER_LINES)
		snprintf(h->lines[h->nlines], HELPER_LINE, "%s", line);
	h->nlines++;
	pthread_mutex_unlock(&h->lock);
}

struct helper *helper_try(const struct xy_config *config, int *error)
{
	struct helper *h = calloc(1, sizeof *h);
	struct xy_config c = *config;

	assert_non_null(h);
	pthread_mutex_init(&h->lock, NULL);
	c.ignore_environment = true;
	/* Those of the build, and no devices but those that a test names. */
	c.drivers = c.drivers ? c.drivers : HELPER_DRIVERS;
	c.arch[XY_CUDA].devices = c.arch[XY_CUDA].devices ? c.arch[XY_CUDA].devices : "none";
	c.arch[XY_OPENCL].devices = c.arch[XY_OPENCL].devices ? c.arch[XY_OPENCL].devices : "none";
	c.log = helper_log;
	c.log_arg = h;
	*error = xy_start(&h->rt, &c);
	if (h->rt)
		guard_exchange(NULL, h->rt);
	return h;
}

struct helper *helper_start_with(const struct xy_config *config)
{
	int error;
	struct helper *h = helper_try(config, &error);

	if (error)
		fail_msg("xy_start returned %d: %s", error, h->lines[0]);
	assert_non_null(h->rt);
	helper_forget(h); /* that workers share cores is not of interest */
	return h;
}

struct helper *helper_start(const char *sched, unsigned nworkers)
{
	return helper_start_with(&(struct xy_config){ .sched = sched, .ncpu = nworkers });
}

int helper_stop_lines(struct helper *h, unsigned lines)
{
	struct xy_runtime *rt = h->rt;
	int status = xy_stop(&h->rt);

	assert_null(h->rt);
	guard_exchange(rt, NULL);
	if (h->nlines != lines && lines != HELPER_ANY_LINES) {
		for (unsigned i = 0; i < h->nlines && i < HELPER_LINES; i++)
			print_error("log: %s\n", h->lines[i]);
		fail_msg("%u log lines instead of %u", h->nlines, lines);
	}
	pthread_mutex_destroy(&h->lock);
	free(h);
	return status;
}

int helper_stop(struct helper *h)
{
	return helper_stop_lines(h, 0);
}

static void helper_late(struct helper *h, const char *what)
{
	xy_dump(h->rt, STDERR_FILENO);
	fail_msg("%s took more than %d s", what, HELPER_WAIT_S);
}

int helper_wait(struct helper *h)
{
	int status = xy_wait_for(h->rt, HELPER_WAIT_S);

	if (status == -ETIMEDOUT)
		helper_late(h, "xy_wait");
	return status;
}

int helper_wait_task(struct helper *h, struct xy_task *task)
{
	int status = xy_task_wait_for(task, HELPER_WAIT_S);

	if (status == -ETIMEDOUT)
		helper_late(h, "xy_task_wait");
	return status;
}

void helper_rest(struct helper *h)
{
	double end = xy__now() + HELPER_WAIT_S;

	while (!h->rt->engine->at_rest(h->rt)) {
		if (xy__now() >= end)
			helper_late(h, "falling asleep");
		sched_yield();
	}
}

int helper_body_reach(_Atomic int *word, int value)
{
	double end = xy__now() + HELPER_WAIT_S;
	int now;

	while ((now = atomic_load(word)) < value) {
		if (xy__now() >= end)
			return -ETIME;
		xy__futex_wait(word, now, end - xy__now());
	}
	return 0;
}

void helper_reach(struct helper *h, _Atomic int *word, int value)
{
	if (helper_body_reach(word, value))
		helper_late(h, "something that was to happen");
}

void helper_add(_Atomic int *word)
{
	atomic_fetch_add(word, 1);
	xy__futex_wake(word, INT_MAX);
}

/* --- log lines --- */

unsigned helper_lines(struct helper *h)
{
	unsigned n;

	pthread_mutex_lock(&h->lock);
	n = h->nlines;
	pthread_mutex_unlock(&h->lock);
	return n;
}

unsigned helper_lines_with(struct helper *h, const char *text)
{
	unsigned n = 0;

	pthread_mutex_lock(&h->lock);
	for (unsigned i = 0; i < h->nlines && i < HELPER_LINES; i++)
		n += strstr(h->lines[i], text) != NULL;
	pthread_mutex_unlock(&h->lock);
	return n;
}

void helper_forget(struct helper *h)
{
	pthread_mutex_lock(&h->lock);
	h->nlines = 0;
	pthread_mutex_unlock(&h->lock);
}

void helper_one_line(struct helper *h, const char *text)
{
	if (helper_lines(h) != 1 || helper_lines_with(h, text) != 1)
		fail_msg("%u log lines, the first is '%s': there should be one with '%s'", helper_lines(h),
			 h->nlines ? h->lines[0] : "", text);
	helper_forget(h);
}

/* --- stderr and the dump --- */

static FILE *stderr_file;
static int stderr_saved;

static FILE *helper_file(void)
{
	FILE *file = tmpfile();

	assert_non_null(file);
	return file;
}

static size_t helper_read(FILE *file, char *text, size_t size)
{
	size_t n;

	rewind(file);
	n = fread(text, 1, size - 1, file);
	text[n] = '\0';
	fclose(file);
	return n;
}

void helper_stderr_begin(void)
{
	stderr_file = helper_file();
	fflush(stderr);
	stderr_saved = dup(STDERR_FILENO);
	dup2(fileno(stderr_file), STDERR_FILENO);
}

void helper_stderr_end(char *text, size_t size)
{
	fflush(stderr);
	dup2(stderr_saved, STDERR_FILENO);
	close(stderr_saved);
	helper_read(stderr_file, text, size);
}

unsigned helper_count_lines(const char *text)
{
	unsigned n = 0;

	while ((text = strchr(text, '\n'))) {
		n++;
		text++;
	}
	return n;
}

char *helper_dump(struct helper *h)
{
	enum { SIZE = 1 << 16 };
	FILE *file = helper_file();
	char *text = malloc(SIZE);

	assert_non_null(text);
	assert_int_equal(xy_dump(h->rt, fileno(file)), 0);
	helper_read(file, text, SIZE);
	return text;
}

uint64_t helper_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* --- tasks --- */

void helper_submit(struct helper *h, const struct xy_task_desc *desc)
{
	assert_int_equal(xy_submit(h->rt, desc), 0);
}

struct xy_task *helper_create(struct helper *h, const struct xy_task_desc *desc)
{
	struct xy_task *task;

	assert_int_equal(xy_task_create(h->rt, desc, &task), 0);
	assert_non_null(task);
	return task;
}

int helper_count_body(struct xy_call *call)
{
	helper_add(call->arg);
	return 0;
}

static int fail_body(struct xy_call *call)
{
	(void)call;
	return -EIO;
}

const struct xy_codelet helper_count = { .name = "count", .cpu = { helper_count_body } };
const struct xy_codelet helper_fail = { .name = "fail", .cpu = { fail_body } };

void helper_status(void *arg, int status)
{
	*(int *)arg = status;
}

static int gate_body(struct xy_call *call)
{
	struct gate *gate = call->arg;

	helper_add(&gate->inside);
	return helper_body_reach(&gate->open, 1);
}

const struct xy_codelet helper_gate = { .name = "gate", .cpu = { gate_body } };

void helper_block(struct helper *h, struct gate *gate)
{
	int before = atomic_load(&gate->inside);

	HELPER_SUBMIT(h, .codelet = &helper_gate, .arg = gate);
	helper_reach(h, &gate->inside, before + 1);
}

void helper_open(struct gate *gate)
{
	atomic_store(&gate->open, 1);
	xy__futex_wake(&gate->open, INT_MAX);
}
