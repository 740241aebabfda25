/* SPDX-License-Identifier: MIT */
/* A runtime at rest and a runtime that is stuck: next to no processor time, and a dump that says why. */
#include "../helper.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/runtime/agent.h"
#include "core/runtime/inbox.h"
#include "core/runtime/runtime.h"
#include "core/runtime/worker.h"

/* --- processor time --- */

enum { LOOKS = 20, GETS_UP = 20 };

/* The threads of runtimes, by their names: how many there are, how many of them could run now, and how often all of
 * them have given up a core so far. */
struct activity {
	unsigned threads, runnable;
	unsigned long switches;
};

/* Reads a file of a thread below /proc/self/task; false if the thread has ended. */
static bool read_of_thread(const char *thread, const char *name, char *text, size_t size)
{
	char path[300];
	FILE *file;
	size_t n;

	snprintf(path, sizeof path, "/proc/self/task/%s/%s", thread, name);
	file = fopen(path, "r");
	if (!file)
		return false;
	n = fread(text, 1, size - 1, file);
	text[n] = '\0';
	fclose(file);
	return n > 0;
}

static unsigned long number_after(const char *text, const char *word)
{
	const char *found = strstr(text, word);

	assert_non_null(found);
	return strtoul(found + strlen(word), NULL, 10);
}

static struct activity activity_now(void)
{
	struct activity now = { 0 };
	DIR *folder = opendir("/proc/self/task");
	struct dirent *entry;

	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		char text[4096];

		if (!read_of_thread(entry->d_name, "comm", text, sizeof text) || strncmp(text, "xylem-", 6) != 0 ||
		    !read_of_thread(entry->d_name, "status", text, sizeof text))
			continue;
		now.threads++;
		now.runnable += strstr(text, "State:\tR") != NULL;
		now.switches += number_after(text, "\nvoluntary_ctxt_switches:");
		now.switches += number_after(text, "\nnonvoluntary_ctxt_switches:");
	}
	closedir(folder);
	return now;
}

/*
 * For a second, so many threads of runtimes sleep. One that spins could run whenever one looks, one that polls gets up
 * again and again, however little of a busy machine they get; processor time would not tell there.
 */
static void check_sleep(unsigned threads)
{
	struct activity before = activity_now(), now = before;
	unsigned seen_runnable = 0;

	for (unsigned i = 0; i < LOOKS; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = 1000000000 / LOOKS }, NULL);
		now = activity_now();
		assert_in_range(now.threads, threads, threads + 1); /* one for the watchdog */
		seen_runnable += now.runnable > 0;
	}
	if (seen_runnable > LOOKS / 2)
		fail_msg("a thread could run in %u of %d looks", seen_runnable, LOOKS);
	if (now.switches - before.switches > GETS_UP)
		fail_msg("threads got up %lu times", now.switches - before.switches);
}

static void an_idle_runtime_uses_no_processor(void **state)
{
	static const struct xy_config configs[] = {
		{ .ncpu = 8 },
		{ .ncpu = 2, .sched = "tree-eager-prefetching", .watchdog_s = 1 },
	};

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(configs); i++) {
		struct helper *h = helper_start_with(&configs[i]);
		_Atomic int n = 0;

		for (int j = 0; j < 1000; j++)
			HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n);
		assert_int_equal(helper_wait(h), 0);
		helper_rest(h);
		check_sleep(configs[i].ncpu);
		assert_int_equal(n, 1000);
		assert_int_equal(helper_stop(h), 0);
	}
}

/* The application waits in a thread that is looked at as well. */
static void *wait_for_all(void *h)
{
	pthread_setname_np(pthread_self(), "xylem-waits");
	return (void *)(intptr_t)xy_wait_for(((struct helper *)h)->rt, HELPER_WAIT_S);
}

static void workers_that_wait_for_a_long_task_use_no_processor(void **state)
{
	struct helper *h = helper_start(NULL, 8);
	struct gate gate = { 0 };
	pthread_t application;
	void *status;
	double end = xy__now() + HELPER_WAIT_S;

	(void)state;
	helper_block(h, &gate);
	assert_int_equal(pthread_create(&application, NULL, wait_for_all, h), 0);
	while ((atomic_load(&h->rt->resting) != 7 || activity_now().runnable) && xy__now() < end)
		sched_yield();
	assert_int_equal(atomic_load(&h->rt->resting), 7);
	check_sleep(8 + 1);
	helper_open(&gate);
	assert_int_equal(pthread_join(application, &status), 0);
	assert_int_equal((intptr_t)status, 0);
	assert_int_equal(helper_stop(h), 0);
}

/* --- dumps --- */

/* A task that stands at a gate, and others that wait for it in different ways. */
struct stuck {
	struct helper *h;
	struct gate gate;
	struct xy_handle *x;
	struct xy_task *never;
};

static struct stuck *stuck_begin(const struct xy_config *config)
{
	struct stuck *s = calloc(1, sizeof *s);
	struct xy_access write, read;

	assert_non_null(s);
	s->h = helper_start_with(config);
	assert_int_equal(xy_void_register(s->h->rt, &s->x), 0);
	assert_int_equal(xy_handle_set_name(s->x, "the matrix"), 0);
	write = (struct xy_access){ s->x, XY_W };
	read = (struct xy_access){ s->x, XY_R };
	HELPER_SUBMIT(s->h, .codelet = &helper_gate, .name = "the culprit", .arg = &s->gate,
		      .accesses = XY_ACCESSES(write));
	HELPER_SUBMIT(s->h, .name = "the victim", .accesses = XY_ACCESSES(read));
	s->never = HELPER_CREATE(s->h, .name = "the forgotten one");
	HELPER_SUBMIT(s->h, .name = "the patient one", .after = &s->never, .nafter = 1);
	helper_reach(s->h, &s->gate.inside, 1);
	return s;
}

/* Waits until one worker is asleep, besides the one at the gate. One that was called may get up late. */
static void stuck_rest(struct stuck *s)
{
	double end = xy__now() + HELPER_WAIT_S;
	unsigned asleep;

	do {
		asleep = 0;
		for (unsigned i = 0; i < s->h->rt->nworkers; i++)
			asleep += atomic_load(&s->h->rt->workers[i].state) == XY__ASLEEP;
		sched_yield();
	} while (asleep != 1 && xy__now() < end);
	assert_int_equal(asleep, 1);
}

static void stuck_end(struct stuck *s, unsigned lines)
{
	helper_open(&s->gate);
	assert_int_equal(xy_task_submit(s->never), 0);
	xy_task_release(s->never);
	assert_int_equal(helper_wait(s->h), 0);
	assert_int_equal(xy_unregister(&s->x), 0);
	assert_int_equal(helper_stop_lines(s->h, lines), 0);
	free(s);
}

/* The line of the text that begins about `name`. */
static void line_about(const char *text, const char *name, char *line, size_t size)
{
	const char *begin = strstr(text, name);
	size_t n;

	if (!begin)
		fail_msg("'%s' is not in:\n%s", name, text);
	n = strcspn(begin, "\n");
	snprintf(line, size, "%.*s", (int)n, begin);
}

static void check_dump(const char *text)
{
	char line[512];

	assert_non_null(strstr(text, "3 tasks submitted and not ended"));
	assert_non_null(strstr(text, "tree-eager"));
	line_about(text, "'the victim'", line, sizeof line);
	assert_non_null(strstr(line, "waits for 'the culprit'"));
	assert_non_null(strstr(line, "running"));
	line_about(text, "'the patient one'", line, sizeof line);
	assert_non_null(strstr(line, "waits for 'the forgotten one'"));
	assert_non_null(strstr(line, "not submitted"));
	line_about(text, "workers:", line, sizeof line);
	assert_non_null(strstr(text, "running 'the culprit'"));
	assert_non_null(strstr(text, "asleep"));
}

static void a_dump_says_what_each_task_waits_for(void **state)
{
	struct stuck *s = stuck_begin(&(struct xy_config){ .sched = "tree-eager", .ncpu = 2 });
	char *text;

	(void)state;
	stuck_rest(s);
	text = helper_dump(s->h);
	check_dump(text);
	free(text);
	stuck_end(s, 0);
}

static void a_dump_shows_what_the_application_holds(void **state)
{
	struct helper *h = helper_start("tree-eager", 1);
	struct xy_access access;
	struct xy_handle *x;
	char *text, line[512];

	(void)state;
	assert_int_equal(xy_void_register(h->rt, &x), 0);
	assert_int_equal(xy_handle_set_name(x, "the matrix"), 0);
	assert_int_equal(xy_acquire(x, XY_W), 0);
	access = (struct xy_access){ x, XY_R };
	HELPER_SUBMIT(h, .name = "the victim", .accesses = XY_ACCESSES(access));
	text = helper_dump(h);
	line_about(text, "'the victim'", line, sizeof line);
	assert_non_null(strstr(line, "waits for 'the matrix', held by the application"));
	free(text);
	assert_int_equal(xy_release(x), 0);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(xy_unregister(&x), 0);
	assert_int_equal(helper_stop(h), 0);
}

static void a_dump_shows_what_rests_in_queues(void **state)
{
	struct helper *h = helper_start("tree-eager", 1);
	struct gate gate = { 0 };
	_Atomic int n = 0;
	char *text, line[512];

	(void)state;
	helper_block(h, &gate);
	for (int i = 0; i < 20; i++)
		HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n, .name = "the next one");
	xy__inbox_drain(h->rt, &h->rt->applications[0]);
	text = helper_dump(h);
	line_about(text, "fifo#0 holds 20", line, sizeof line);
	assert_non_null(strstr(line, "'the next one'"));
	assert_non_null(strstr(line, "and others"));
	free(text);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(helper_stop(h), 0);
}

/* Log lines of the helper from number `begin` on, as one text. How many there are in all. */
static unsigned log_text(struct helper *h, unsigned begin, char *text, size_t size)
{
	unsigned n;

	text[0] = '\0';
	pthread_mutex_lock(&h->lock);
	n = h->nlines;
	for (unsigned i = begin; i < n && i < HELPER_LINES; i++)
		snprintf(text + strlen(text), size - strlen(text), "%s\n", h->lines[i]);
	pthread_mutex_unlock(&h->lock);
	return n;
}

/* As log_text, when the end of a dump has come. */
static unsigned log_until(struct helper *h, const char *last, unsigned begin, char *text, size_t size)
{
	double end = xy__now() + HELPER_WAIT_S;
	unsigned n;

	do {
		sched_yield();
		n = log_text(h, begin, text, size);
	} while (!strstr(text, last) && xy__now() < end);
	return n;
}

/* The watchdog may bark before everything is as it will be, on a machine that has much else to do. A task that ends
 * lets it count anew. */
static void the_watchdog_barks_once_when_nothing_moves(void **state)
{
	char text[65536], rest[65536];
	double limit = xy__now() + HELPER_WAIT_S;
	unsigned barks = 0, begin, end = 0;
	struct stuck *s;

	(void)state;
	s = stuck_begin(&(struct xy_config){ .sched = "tree-eager", .ncpu = 2, .watchdog_s = 0.1 });
	stuck_rest(s);
	do {
		if (barks++)
			HELPER_SUBMIT(s->h, .name = "another one");
		begin = end;
		end = log_until(s->h, "cpu1:", begin, text, sizeof text);
	} while (!(strstr(text, "3 tasks") && strstr(text, "asleep")) && xy__now() < limit);
	assert_int_equal(xy_wait_for(s->h->rt, 0.3), -ETIMEDOUT);
	log_text(s->h, begin, rest, sizeof rest);
	check_dump(rest);
	assert_memory_equal(text, rest, strlen(text));
	assert_int_equal(helper_lines_with(s->h, "no task has ended for 0.1 seconds"), barks);
	stuck_end(s, HELPER_ANY_LINES); /* it may bark again if that takes long */
}

static void the_watchdog_is_quiet_without_tasks(void **state)
{
	const struct timespec second = { .tv_sec = 1 };
	char text[4096];
	struct helper *h;
	_Atomic int n = 0;

	(void)state;
	helper_stderr_begin();
	h = helper_start_with(&(struct xy_config){ .ncpu = 1, .watchdog_s = 0.4 });
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n);
	assert_int_equal(helper_wait(h), 0);
	nanosleep(&second, NULL);
	/* what comes now is progress, though long after the last */
	HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n);
	assert_int_equal(helper_wait(h), 0);
	assert_int_equal(helper_stop(h), 0);
	helper_stderr_end(text, sizeof text);
	assert_string_equal(text, "");
}

static void a_signal_asks_all_runtimes_for_a_dump(void **state)
{
	char text[65536];
	struct stuck *s;
	struct helper *other;
	struct sigaction action;

	(void)state;
	s = stuck_begin(&(struct xy_config){ .sched = "tree-eager", .ncpu = 2 });
	stuck_rest(s);
	other = helper_start("tree-random-prio", 1);
	raise(SIGUSR1);
	log_until(s->h, "cpu1:", 0, text, sizeof text);
	check_dump(text);
	log_until(other, "cpu0:", 0, text, sizeof text);
	assert_non_null(strstr(text, "policy tree-random-prio"));
	assert_int_equal(helper_stop_lines(other, HELPER_ANY_LINES), 0);
	stuck_end(s, HELPER_ANY_LINES);
	/* and gives the signal back */
	assert_int_equal(sigaction(SIGUSR1, NULL, &action), 0);
	assert_true(action.sa_handler == SIG_DFL);
}

static _Atomic int own_signals;

static void own_handler(int number)
{
	(void)number;
	atomic_fetch_add(&own_signals, 1);
}

static void a_signal_that_the_program_uses_is_left_to_it(void **state)
{
	struct sigaction mine = { .sa_handler = own_handler }, old, now;
	char text[4096];
	struct helper *h;

	(void)state;
	assert_int_equal(sigaction(SIGUSR1, &mine, &old), 0);
	helper_stderr_begin();
	h = helper_start(NULL, 1);
	raise(SIGUSR1);
	assert_int_equal(helper_stop(h), 0);
	helper_stderr_end(text, sizeof text);
	assert_int_equal(own_signals, 1);
	assert_string_equal(text, "");
	assert_int_equal(sigaction(SIGUSR1, &old, &now), 0);
	assert_true(now.sa_handler == own_handler);
}

/* --- a dump while everything moves --- */

struct dumper {
	struct helper *h;
	_Atomic int stop;
	int dumps, error;
	FILE *file;
};

static void *dump_thread(void *arg)
{
	struct dumper *dumper = arg;

	while (!atomic_load(&dumper->stop) && !dumper->error) {
		dumper->error = xy_dump(dumper->h->rt, fileno(dumper->file));
		if (ftruncate(fileno(dumper->file), 0))
			dumper->error = -errno;
		dumper->dumps++;
	}
	return NULL;
}

static void dumps_while_tasks_fly(void **state)
{
	static const struct xy_codelet add = { .name = "add", .cpu = { helper_count_body }, .modes = { XY_RW, XY_R } };
	struct dumper dumper = { .h = helper_start(NULL, 2), .file = tmpfile() };
	struct xy_handle *x[4];
	pthread_t thread;
	_Atomic int n = 0;
	int tasks = (int)helper_scale(20000);

	(void)state;
	assert_non_null(dumper.file);
	for (int i = 0; i < 4; i++)
		assert_int_equal(xy_void_register(dumper.h->rt, &x[i]), 0);
	assert_int_equal(pthread_create(&thread, NULL, dump_thread, &dumper), 0);
	for (int i = 0; i < tasks; i++) {
		HELPER_SUBMIT(dumper.h, .codelet = &add, .handles = { x[i % 4], x[(i + 1) % 4] }, .arg = &n);
		if (i % 1000 == 0) {
			assert_int_equal(xy_acquire(x[0], XY_RW), 0);
			assert_int_equal(xy_release(x[0]), 0);
		}
	}
	assert_int_equal(helper_wait(dumper.h), 0);
	atomic_store(&dumper.stop, 1);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(dumper.error, 0);
	assert_true(dumper.dumps > 0);
	assert_int_equal(n, tasks);
	for (int i = 0; i < 4; i++)
		assert_int_equal(xy_unregister(&x[i]), 0);
	assert_int_equal(helper_stop(dumper.h), 0);
	fclose(dumper.file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_idle_runtime_uses_no_processor),
		cmocka_unit_test(workers_that_wait_for_a_long_task_use_no_processor),
		cmocka_unit_test(a_dump_says_what_each_task_waits_for),
		cmocka_unit_test(a_dump_shows_what_the_application_holds),
		cmocka_unit_test(a_dump_shows_what_rests_in_queues),
		cmocka_unit_test(the_watchdog_barks_once_when_nothing_moves),
		cmocka_unit_test(the_watchdog_is_quiet_without_tasks),
		cmocka_unit_test(a_signal_asks_all_runtimes_for_a_dump),
		cmocka_unit_test(a_signal_that_the_program_uses_is_left_to_it),
		cmocka_unit_test(dumps_while_tasks_fly),
	};

	helper_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
