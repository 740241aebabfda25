/* SPDX-License-Identifier: MIT */
/* A runtime at rest and a runtime that is stuck: next to no processor time, and a dump that says why. */
#include "../helper.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "core/runtime/runtime.h"

/* --- processor time --- */

static double processor_s(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static void an_idle_runtime_uses_no_processor(void **state)
{
	static const struct xy_config configs[] = {
		{ .ncpu = 8 }, { .ncpu = 2, .sched = "tree-eager-prefetching", .watchdog_s = 1 },
	};
	const struct timespec second = { .tv_sec = 1 };

	(void)state;
	for (unsigned i = 0; i < HELPER_COUNT(configs); i++) {
		struct helper *h = helper_start_with(&configs[i]);
		_Atomic int n = 0;
		double before;

		for (int j = 0; j < 1000; j++)
			HELPER_SUBMIT(h, .codelet = &helper_count, .arg = &n);
		assert_int_equal(helper_wait(h), 0);
		helper_rest(h);
		before = processor_s();
		nanosleep(&second, NULL);
		assert_true(processor_s() - before < 0.01);
		assert_int_equal(helper_stop(h), 0);
	}
}

static void workers_that_wait_for_a_long_task_use_no_processor(void **state)
{
	const struct timespec second = { .tv_sec = 1 };
	struct helper *h = helper_start(NULL, 8);
	struct gate gate = { 0 };
	double before;

	(void)state;
	helper_block(h, &gate);
	while (atomic_load(&h->rt->resting) != 7)
		sched_yield();
	before = processor_s();
	assert_int_equal(xy_wait_for(h->rt, 0.2), -ETIMEDOUT);
	nanosleep(&second, NULL);
	assert_true(processor_s() - before < 0.012);
	helper_open(&gate);
	assert_int_equal(helper_wait(h), 0);
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
	HELPER_SUBMIT(s->h, .codelet = &helper_gate, .name = "the culprit", .arg = &s->gate, .accesses = &write,
		      .naccesses = 1);
	HELPER_SUBMIT(s->h, .name = "the victim", .accesses = &read, .naccesses = 1);
	s->never = HELPER_CREATE(s->h, .name = "the forgotten one");
	HELPER_SUBMIT(s->h, .name = "the patient one", .after = &s->never, .nafter = 1);
	helper_reach(s->h, &s->gate.inside, 1);
	return s;
}

/* Waits until one worker is asleep, besides the one at the gate. One that was called may get up late. */
static void stuck_rest(struct stuck *s)
{
	double end = xy__now() + 20;
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
	HELPER_SUBMIT(h, .name = "the victim", .accesses = &access, .naccesses = 1);
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

/* Reads what has been written to stderr, from `begin` on, until the end of a dump is there. Where that ends. */
static size_t stderr_until(const char *last, size_t begin, char *text, size_t size)
{
	double end = xy__now() + 20;

	for (;;) {
		ssize_t n = pread(STDERR_FILENO, text, size - 1, (off_t)begin);
		const char *found, *line_end;

		text[n > 0 ? n : 0] = '\0';
		found = strstr(text, last);
		line_end = found ? strchr(found, '\n') : NULL;
		if (line_end || xy__now() > end)
			return line_end ? begin + (size_t)(line_end + 1 - text) : begin;
		sched_yield();
	}
}

/* The watchdog may bark before everything is as it will be, on a machine that has much else to do. A task that ends
 * lets it count anew. */
static void the_watchdog_barks_once_when_nothing_moves(void **state)
{
	char text[8192], rest[65536];
	size_t begin, end = 0;
	double limit = xy__now() + 20;
	unsigned barks = 0;
	struct stuck *s;

	(void)state;
	helper_stderr_begin();
	s = stuck_begin(&(struct xy_config){ .sched = "tree-eager", .ncpu = 2, .watchdog_s = 0.1 });
	stuck_rest(s);
	do {
		if (barks++)
			HELPER_SUBMIT(s->h, .name = "another one");
		begin = end;
		end = stderr_until("cpu1:", begin, text, sizeof text);
	} while (!(strstr(text, "3 tasks") && strstr(text, "asleep")) && xy__now() < limit);
	assert_int_equal(xy_wait_for(s->h->rt, 0.3), -ETIMEDOUT);
	helper_stderr_end(rest, sizeof rest);
	text[end - begin] = '\0';
	check_dump(text);
	assert_string_equal(text, rest + begin);
	assert_int_equal(helper_lines_with(s->h, "no task has ended for 0.1 seconds"), barks);
	assert_int_equal(helper_lines(s->h), barks);
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
	char text[8192];
	struct stuck *s;
	struct helper *other;
	struct sigaction action;

	(void)state;
	helper_stderr_begin();
	s = stuck_begin(&(struct xy_config){ .sched = "tree-eager", .ncpu = 2 });
	stuck_rest(s);
	other = helper_start("tree-random-prio", 1);
	raise(SIGUSR1);
	stderr_until("cpu1:", 0, text, sizeof text);
	stderr_until("policy tree-random-prio", 0, text, sizeof text);
	helper_stderr_end(text, sizeof text);
	check_dump(text);
	assert_non_null(strstr(text, "policy tree-random-prio"));
	assert_int_equal(helper_stop(other), 0);
	stuck_end(s, 0);
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
