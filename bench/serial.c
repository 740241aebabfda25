/* SPDX-License-Identifier: MIT */
/*
 * What keeps many workers from working at once: per policy and task, in steady state, the instructions inside locks
 * that several workers take, and the atomic read-modify-writes on cache lines that several workers modify. Two cores
 * can't show contention, but these numbers don't depend on cores or load: the workers of a forked process are run one
 * at a time, instruction by instruction, each from the body of one task to the body of its next.
 *
 *   bench/serial [--quick] [POLICY ...]     --quick: fewer tasks
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xylem.h>

#include "serial.h"

enum { WORKERS = 4, CHAINS = 2 * WORKERS, WARM = 8, CANNOT = 77 };

/* The bound below: so many workers, at a pace of two cycles of 3.8 GHz per instruction. */
#define MANY 64
#define NS_PER_INSTRUCTION (2000.0 / 64 / 60)
#define MOST_UNDER_LOCK 60     /* then that many workers keep up with tasks of 2 us */
#define MOST_SHARED (1.0 / 32) /* "none": what is done once for 64 tasks remains */

/* Between the process that steps and the one that is stepped. */
struct shared {
	_Atomic int threads[WORKERS]; /* by worker */
	_Atomic unsigned waiting;     /* workers in the first task */
	_Atomic unsigned submitted;   /* everything is; what this one was told otherwise */
	_Atomic bool go;
};

static struct shared *shared;
static unsigned tasks = 64; /* of each worker, that are counted */

struct row {
	const char *sched; /* NULL: the default */
	bool ours;         /* with the target for tree-ws and the default: nothing is shared */
	bool central;      /* with the target for a central queue */
};

static const struct row rows[] = {
	{ .sched = "tree-eager", .central = true }, { .sched = "tree-prio" }, { .sched = "tree-eager-prefetching" },
	{ .sched = "tree-ws", .ours = true },       { .ours = true },
};

/* --- the process that is stepped --- */

/* Where the steps of a task begin and end. */
static __attribute__((noinline)) int serial_body(struct xy_call *call)
{
	(void)call;
	__asm__ volatile("");
	return 0;
}

/* Keeps its worker until all is submitted. */
static int serial_gate(struct xy_call *call)
{
	atomic_store(&shared->threads[call->worker], (int)gettid());
	atomic_fetch_add(&shared->waiting, 1);
	while (!atomic_load(&shared->go))
		sched_yield();
	return 0;
}

static void be_silent(void *arg, const char *line)
{
	(void)arg;
	(void)line;
}

/* One after the other: a policy with queues above its workers gives each to a worker that has nothing yet. */
static int submit_gates(struct xy_runtime *rt, const struct xy_codelet *gate, struct xy_handle **chains)
{
	int error = 0;

	for (unsigned i = 0; i < WORKERS && !error; i++) {
		struct xy_task_desc desc = { .codelet = gate };

		for (unsigned k = 0; chains && k < CHAINS / WORKERS; k++)
			desc.handles[k] = chains[k * WORKERS + i];
		error = xy_submit(rt, &desc);
		while (!error && atomic_load(&shared->waiting) <= i)
			sched_yield();
	}
	return error;
}

/* Two chains for each worker, behind what runs now: each task is made ready by the one before, and as many wait as
 * run. */
static int submit_chains(struct xy_runtime *rt)
{
	static const struct xy_codelet gate = { .cpu = { serial_gate }, .modes = { XY_RW, XY_RW } };
	static const struct xy_codelet link = { .cpu = { serial_body }, .modes = { XY_RW } };
	static uint64_t cells[CHAINS];
	struct xy_handle *chains[CHAINS];
	int error = 0;

	for (unsigned i = 0; i < CHAINS && !error; i++)
		error = xy_variable_register(rt, &chains[i], &cells[i], sizeof cells[i]);
	error = error ? error : submit_gates(rt, &gate, chains);
	for (unsigned i = 0; i < CHAINS * (tasks + WARM + 2) && !error; i++)
		error = xy_submit(rt, &(struct xy_task_desc){ .codelet = &link, .handles = { chains[i % CHAINS] } });
	return error;
}

/* Tasks without data, which the workers find in the inbox. */
static int submit_independent(struct xy_runtime *rt)
{
	static const struct xy_codelet gate = { .cpu = { serial_gate } };
	static const struct xy_codelet alone = { .cpu = { serial_body } };
	int error = submit_gates(rt, &gate, NULL);

	for (unsigned i = 0; i < WORKERS * (tasks + WARM + 2) && !error; i++)
		error = xy_submit(rt, &(struct xy_task_desc){ .codelet = &alone });
	return error;
}

/* Never returns. */
static void child_run(const struct row *row, int (*submit)(struct xy_runtime *rt))
{
	const struct xy_config config = {
		.sched = row->sched,
		.ncpu = WORKERS,
		.bind = XY_NO,
		.window = 1 << 20,
		.ignore_environment = true,
		.log = be_silent,
	};
	struct xy_runtime *rt;

	if (xy_start(&rt, &config) || submit(rt))
		_exit(1);
	atomic_store(&shared->submitted, 1);
	for (;;)
		pause();
}

/* --- the process that steps --- */

/* 0 when everything is submitted; else the child is gone. */
static int wait_submitted(pid_t child)
{
	while (!atomic_load(&shared->submitted)) {
		if (waitpid(child, NULL, WNOHANG) == child)
			return -ECHILD;
		usleep(1000);
	}
	return 0;
}

/* The workers take turns, a task each, so that none of them waits for another. */
static int step_all(struct steps *steps, unsigned rounds)
{
	int error = 0;

	for (unsigned i = 0; i < rounds * WORKERS && !error; i++)
		error = steps_run(steps, atomic_load(&shared->threads[i % WORKERS]), i % WORKERS,
				  (uintptr_t)serial_body);
	return error;
}

static int step_child(pid_t child, struct steps *steps)
{
	int error = wait_submitted(child);

	for (unsigned i = 0; i < WORKERS && !error; i++)
		error = steps_seize(atomic_load(&shared->threads[i]));
	atomic_store(&shared->go, true);
	if (!error)
		error = step_all(steps, WARM);
	memset(steps, 0, sizeof *steps);
	return error ? error : step_all(steps, tasks);
}

static int measure(const struct row *row, int (*submit)(struct xy_runtime *rt), struct steps *steps)
{
	pid_t child;
	int error;

	memset(shared, 0, sizeof *shared);
	memset(steps, 0, sizeof *steps);
	fflush(stdout);
	child = fork();
	if (child < 0)
		return -errno;
	if (!child)
		child_run(row, submit);
	error = step_child(child, steps);
	kill(child, SIGKILL);
	while (waitpid(-1, NULL, __WALL) > 0) /* its threads, of which this is the parent, too */
		;
	return error;
}

/* --- the table --- */

struct result {
	double instructions, under_locks, under_one, shared;
};

static void verdict(bool reached, const char *name, const char *target, double found)
{
	printf("  %-12s %s: %s: %.2f\n", reached ? "reached" : "NOT REACHED", name, target, found);
}

static int print_row(const struct row *row, int (*submit)(struct xy_runtime *rt), struct result *found)
{
	static struct steps steps;
	double n = (double)WORKERS * tasks;
	uint64_t largest;
	int error = measure(row, submit, &steps);

	if (error) {
		fprintf(stderr, "serial: %s: %s\n", row->sched ? row->sched : "default",
			error == -ETIME ? "a worker waits for something" : strerror(-error));
		return error;
	}
	found->instructions = (double)steps.instructions / n;
	found->under_locks = (double)steps_shared(steps.locks, &largest) / n;
	found->under_one = (double)largest / n;
	found->shared = (double)steps_shared(steps.lines, &largest) / n;
	printf("%-24s %12.1f %12.1f %12.1f %12.2f %12.2f\n", row->sched ? row->sched : "default", found->instructions,
	       found->under_locks, found->under_one, found->shared,
	       MANY * found->under_one * NS_PER_INSTRUCTION / 1000);
	return 0;
}

static void print_head(const char *which)
{
	printf("\n%s, %u workers, per task\n%-24s %12s %12s %12s %12s %12s\n", which, (unsigned)WORKERS, "",
	       "instructions", "under locks", "under one", "shared RMW", "64 keep up");
	printf("%-24s %12s %12s %12s %12s %12s\n", "", "", "shared", "of them", "", "with us");
}

static bool is_wanted(const struct row *row, char *const *wanted)
{
	if (!*wanted)
		return true;
	for (; *wanted; wanted++)
		if (!strcmp(*wanted, row->sched ? row->sched : "default"))
			return true;
	return false;
}

static int print_all(char *const *wanted)
{
	struct result found[sizeof rows / sizeof rows[0]] = { 0 }, other;
	int error = 0;

	print_head("tasks that their workers made ready");
	for (size_t i = 0; i < sizeof rows / sizeof rows[0] && !error; i++)
		if (is_wanted(&rows[i], wanted))
			error = print_row(&rows[i], submit_chains, &found[i]);
	print_head("tasks that the application submitted");
	for (size_t i = 0; i < sizeof rows / sizeof rows[0] && !error; i++)
		if (is_wanted(&rows[i], wanted))
			error = print_row(&rows[i], submit_independent, &other);
	if (error)
		return error;
	printf("\nTargets for tasks that their workers made ready:\n");
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *name = rows[i].sched ? rows[i].sched : "default";

		if (rows[i].central && found[i].instructions > 0)
			verdict(found[i].under_one <= MOST_UNDER_LOCK, name, "at most 60 instructions under one lock",
				found[i].under_one);
		if (rows[i].ours && found[i].instructions > 0)
			verdict(found[i].under_locks == 0 && found[i].shared <= MOST_SHARED, name,
				"no shared lock, no shared read-modify-write", found[i].shared);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int error;

	if (argc > 1 && !strcmp(argv[1], "--quick")) {
		tasks = 16;
		argv++;
	}
	(void)argc;
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED) {
		perror("serial: mmap");
		return 1;
	}
	error = print_all(argv + 1);
	if (error == -EPERM || error == -ENOSYS)
		return CANNOT; /* ptrace is not allowed here */
	return error ? 1 : 0;
}
