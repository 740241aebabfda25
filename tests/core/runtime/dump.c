/* SPDX-License-Identifier: MIT */
/* The dump of a runtime in which a component keeps its lock. It can't be stopped, so it has a process of its own. */
#include "../../helper.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/runtime/runtime.h"

enum { CHILD_SECONDS = 60 };

static void write_line(void *arg, const char *line)
{
	dprintf(*(int *)arg, "log: %s\n", line);
}

static int child_start(struct xy_runtime **rt, const char *sched, int *pipe, double watchdog_s)
{
	struct xy_config config = {
		.ncpu = 2,
		.sched = sched,
		.plugins = "tests/plugins/.libs/keeps_lock.so",
		.watchdog_s = watchdog_s,
		.ignore_environment = true,
		.log = write_line,
		.log_arg = pipe,
	};

	alarm(CHILD_SECONDS);
	return xy_start(rt, &config);
}

/* A task whose worker gets stuck; the watchdog writes to the log, and then this thread dumps. */
static int child_task_stuck(int *pipe)
{
	struct xy_runtime *rt;
	_Atomic int n = 0;

	if (child_start(&rt, "keeps-lock | eager | each worker { }", pipe, 0.5) ||
	    xy_submit(rt, &(struct xy_task_desc){ .codelet = &helper_count, .arg = &n }))
		return 1;
	if (xy_wait_for(rt, 4) == 0)
		return 2;
	return xy_dump(rt, *pipe) ? 3 : 0;
}

/* Two workers: one keeps the lock, and the other sleeps for it after its first task. */
static int child_both_stuck(int *pipe)
{
	struct gate gate = { 0 };
	struct xy_runtime *rt;

	if (child_start(&rt, "keeps-lock(after=1, silent) | eager | each worker { }", pipe, 0) ||
	    xy_submit(rt, &(struct xy_task_desc){ .codelet = &helper_gate, .arg = &gate }))
		return 1;
	while (!atomic_load(&gate.inside))
		sched_yield();
	if (xy_submit(rt, &(struct xy_task_desc){ .codelet = &helper_gate, .arg = &gate }))
		return 2;
	helper_open(&gate);
	while (!atomic_load(&rt->main.root->awaited))
		sched_yield();
	return xy_dump(rt, *pipe) ? 3 : 0;
}

/* Whether a line of the text says who has kept the lock, for how long and in which verb. */
static bool says_who(const char *text, const char *before)
{
	const char *line = strstr(text, before), *end = line ? strchr(line + 1, '\n') : NULL;
	char what[8] = "";
	float seconds;
	unsigned cpu;

	if (!end || sscanf(line + strlen(before), "%u, for at least %f s, in %7s", &cpu, &seconds, what) != 3)
		return false;
	return cpu < 2 && seconds > 0 && seconds < CHILD_SECONDS && !strcmp(what, "pull");
}

/* Everything that is written to the pipe, until all ends are closed. */
static char *read_all(int fd)
{
	size_t size = 0, capacity = 1 << 20;
	char *text = malloc(capacity);
	ssize_t n;

	assert_non_null(text);
	while ((n = read(fd, text + size, capacity - 1 - size)) > 0)
		size += (size_t)n;
	text[size] = '\0';
	return text;
}

/* What a child writes until it ends, which it must do with status 0. */
static char *output_of(int (*run)(int *pipe))
{
	int pipes[2], status;
	pid_t child;
	char *text;

	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		close(pipes[0]);
		_exit(run(&pipes[1]));
	}
	close(pipes[1]);
	text = read_all(pipes[0]);
	close(pipes[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail_msg("status %x after: %s", status, text);
	return text;
}

static void says_who_keeps_the_lock_and_ends(void **state)
{
	char *text = output_of(child_task_stuck), *own;

	(void)state;
	/* the watchdog's, through the log: all of it */
	if (!strstr(text, "log: no task has ended for 0.5 seconds") ||
	    !says_who(text, "log:   keeps-lock#0 does not answer: its lock is held by worker cpu") ||
	    !strstr(text, "log: workers:"))
		fail_msg("the log has no whole dump: %s", text);
	/* the thread's own */
	own = strstr(text, "\nxylem: 1 tasks submitted");
	if (!own || !says_who(own, "\n  keeps-lock#0 does not answer: its lock is held by worker cpu") ||
	    !strstr(own, "\nwaiting tasks:\n") || !strstr(own, "\nworkers:\n  cpu0: "))
		fail_msg("no whole dump: %s", text);
	free(text);
}

/* The counters of a queue can be read without its lock. */
static void says_who_keeps_a_lock_that_the_dump_does_not_need(void **state)
{
	char *text = output_of(child_both_stuck);

	(void)state;
	if (!says_who(text, "\n  keeps-lock#0 does not answer: its lock is held by worker cpu") ||
	    !strstr(text, "\nworkers:\n  cpu0: "))
		fail_msg("no whole dump: %s", text);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_who_keeps_the_lock_and_ends),
		cmocka_unit_test(says_who_keeps_a_lock_that_the_dump_does_not_need),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
