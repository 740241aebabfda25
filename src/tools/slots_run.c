/* SPDX-License-Identifier: MIT */
/*
 * The loop of `xylem slots`: starts a repetition in each free slot, waits for ends and signals, and
 * reports. Invariant: a repetition that was asked for is done, skipped, failed, unfinished or waiting,
 * and only with the first two is the exit status 0.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/slots.h"

#define RUN_SWEEPS 100u
#define RUN_LOOK_S 1.0 /* between two looks for children that ended: a library's thread may have taken the signal */

struct run {
	const struct slots_job *job;
	struct slots_rep *reps;
	unsigned next;              /* the first repetition that was not looked at yet */
	struct slots_rep **running; /* by slot */
	unsigned nrunning;
	int signals; /* descriptor */
	sigset_t old_mask;
	bool stopping; /* no more is started */
	struct slots_keeper keeper;
	struct slots_guard guard;
};

void slots_run_stop(const struct slots_job *job, struct slots_rep *rep, const char *reason)
{
	if (!rep->reason[0])
		snprintf(rep->reason, sizeof(rep->reason), "%s", reason);
	if (rep->kill_s == 0)
		rep->kill_s = xy__now() + job->grace_s;
	kill(-rep->pid, SIGTERM);
	kill(-rep->pid, SIGCONT);
}

/* The free slot whose GPUs carry the fewest repetitions, so that few of them spread; -1: none. */
static int run_free_slot(const struct run *run)
{
	const struct slots_division *division = &run->job->division;
	unsigned least = run->nrunning + 1;
	int best = -1;

	for (unsigned slot = 0; slot < division->nslots; slot++) {
		unsigned load = 0;

		if (run->running[slot])
			continue;
		for (unsigned other = 0; other < division->nslots; other++)
			load += run->running[other] &&
				slots_division_gpu(division, other) == slots_division_gpu(division, slot);
		if (load < least) {
			least = load;
			best = (int)slot;
		}
	}
	return best;
}

static void run_start(struct run *run, struct slots_rep *rep, unsigned slot)
{
	int error = slots_rep_start(run->job, rep, slot);
	char path[4096];

	if (error) {
		/* A command that is not there will not be there for the others. */
		run->stopping = run->stopping || error == -ENOENT || error == -EACCES || error == -ENOEXEC;
		rep->result = SLOTS_FAILED;
		slots_rep_release(run->job, rep, "did not start");
		return;
	}
	run->keeper.groups[slot] = rep->pid;
	run->running[slot] = rep;
	run->nrunning++;
	rep->result = SLOTS_RUNNING;
	rep->start_s = xy__now();
	slots_rep_path(run->job, rep->number, ".log", path, sizeof(path));
	printf("rep %u: runs in slot %u, log %s\n", rep->number, slot, path);
}

static void run_fill(struct run *run)
{
	int slot;

	while (!run->stopping && run->next < run->job->nreps && (slot = run_free_slot(run)) >= 0) {
		struct slots_rep *rep = &run->reps[run->next++];
		int claimed = slots_rep_claim(run->job, rep);

		if (claimed > 0) {
			rep->result = SLOTS_SKIPPED;
			printf("rep %u: skipped, its folder holds results (--overwrite runs it again)\n", rep->number);
		} else if (claimed < 0) {
			rep->result = SLOTS_FAILED;
		} else {
			run_start(run, rep, (unsigned)slot);
		}
	}
	fflush(stdout);
}

/* Says what came of a repetition that did not succeed, and keeps its claim file. */
static void run_failed(struct run *run, struct slots_rep *rep, int status, double seconds)
{
	char how[256];

	if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(how, sizeof(how), "exit status %d", WEXITSTATUS(status));
	if (rep->cancelled || (WIFEXITED(status) && WEXITSTATUS(status) == TOOL_UNFINISHED && !rep->reason[0]))
		rep->result = SLOTS_UNFINISHED;
	else
		rep->result = SLOTS_FAILED;
	tool_say("slots: rep %u: %s after %.1f s: %s%s%s", rep->number,
		 rep->result == SLOTS_FAILED ? "failed" : "not finished", seconds, how, rep->reason[0] ? ", " : "",
		 rep->reason);
	slots_rep_release(run->job, rep, how);
}

static void run_ended(struct run *run, unsigned slot, int status)
{
	struct slots_rep *rep = run->running[slot];
	double seconds = xy__now() - rep->start_s;

	/* What it left running in its group must not disturb the next one in this slot. */
	kill(-rep->pid, SIGKILL);
	run->keeper.groups[slot] = 0;
	run->running[slot] = NULL;
	run->nrunning--;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && (rep->cancelled || !rep->reason[0])) {
		rep->result = SLOTS_DONE;
		printf("rep %u: done after %.1f s\n", rep->number, seconds);
		slots_rep_release(run->job, rep, NULL);
	} else {
		run_failed(run, rep, status, seconds);
	}
	rep->pid = 0;
	fflush(stdout);
}

/* Takes all children that have ended: repetitions, and orphans of theirs. */
static void run_reap(struct run *run)
{
	siginfo_t info;

	for (;;) {
		bool ours = false;
		int status;

		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid == 0)
			return;
		/* The guard waits for its own child. */
		if (info.si_pid == run->guard.smi.pid && slots_smi_read(&run->guard.smi))
			slots_guard_turn(&run->guard, run->job, run->running);
		if (waitpid(info.si_pid, &status, WNOHANG) != info.si_pid)
			continue;
		for (unsigned slot = 0; slot < run->job->division.nslots && !ours; slot++)
			if (run->running[slot] && run->running[slot]->pid == info.si_pid) {
				run_ended(run, slot, status);
				ours = true;
			}
	}
}

/* A signal goes to all repetitions; those that end a program also end the run. */
static void run_signal(struct run *run, int number)
{
	bool ends = number == SIGTERM || number == SIGINT || number == SIGHUP;
	char reason[64];

	snprintf(reason, sizeof(reason), "after signal %d to the tool", number);
	if (ends && !run->stopping)
		tool_say("slots: %s: stopping %u repetition%s", strsignal(number), run->nrunning,
			 run->nrunning == 1 ? "" : "s");
	for (unsigned slot = 0; slot < run->job->division.nslots; slot++) {
		struct slots_rep *rep = run->running[slot];

		if (!rep)
			continue;
		if (ends && run->stopping) /* asked twice */
			kill(-rep->pid, SIGKILL);
		else
			kill(-rep->pid, number);
		if (ends && !rep->reason[0]) {
			snprintf(rep->reason, sizeof(rep->reason), "%s", reason);
			rep->cancelled = true;
		}
		if (ends && rep->kill_s == 0)
			rep->kill_s = xy__now() + run->job->grace_s;
	}
	run->stopping = run->stopping || ends;
}

static void run_signals(struct run *run)
{
	struct signalfd_siginfo info;

	while (read(run->signals, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			run_signal(run, (int)info.ssi_signo);
}

/* Sends what is due, and says when the next is. */
static double run_kill_due(struct run *run)
{
	double now = xy__now(), next = now + RUN_LOOK_S;

	for (unsigned slot = 0; slot < run->job->division.nslots; slot++) {
		struct slots_rep *rep = run->running[slot];

		if (!rep || rep->kill_s == 0)
			continue;
		if (now >= rep->kill_s) {
			kill(-rep->pid, SIGKILL);
			rep->kill_s = now + 1;
		}
		if (rep->kill_s < next)
			next = rep->kill_s;
	}
	return next;
}

static void run_wait(struct run *run)
{
	struct pollfd wait[2] = { { .fd = run->signals, .events = POLLIN } };
	double next = run_kill_due(run), guard = slots_guard_turn(&run->guard, run->job, run->running);
	double left;

	wait[1] = (struct pollfd){ .fd = run->guard.smi.output, .events = POLLIN };
	left = (guard < next ? guard : next) - xy__now();
	poll(wait, 2, left > 0 ? (int)(left * 1000) + 1 : 0);
	run_signals(run);
	run_reap(run);
}

/* Ends orphans that left the group of their repetition: they are children of the tool by now. */
static void run_sweep(const struct run *run)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	for (unsigned i = 0; i < RUN_SWEEPS; i++) {
		FILE *file = fopen(path, "re");
		unsigned found = 0;
		int pid;

		while (file && fscanf(file, "%d", &pid) == 1)
			if (pid != run->keeper.pid) {
				kill(pid, SIGKILL);
				waitpid(pid, NULL, 0);
				found++;
			}
		if (file)
			fclose(file);
		if (found == 0)
			return;
	}
}

static void run_list(const struct run *run, enum slots_result result, const char *words)
{
	unsigned count = 0;

	for (unsigned i = 0; i < run->job->nreps; i++)
		if (run->reps[i].result == result)
			printf("%s%u", count++ ? " " : words, run->reps[i].number);
	if (count > 0)
		printf("\n");
}

static enum tool_status run_report(const struct run *run)
{
	unsigned counts[SLOTS_NRESULTS] = { 0 };

	for (unsigned i = 0; i < run->job->nreps; i++)
		counts[run->reps[i].result]++;
	printf("%u repetition%s: %u done, %u skipped, %u failed, %u unfinished, %u not started\n", run->job->nreps,
	       run->job->nreps == 1 ? "" : "s", counts[SLOTS_DONE], counts[SLOTS_SKIPPED], counts[SLOTS_FAILED],
	       counts[SLOTS_UNFINISHED], counts[SLOTS_WAITING]);
	run_list(run, SLOTS_FAILED, "failed: ");
	run_list(run, SLOTS_UNFINISHED, "unfinished: ");
	run_list(run, SLOTS_WAITING, "not started: ");
	return counts[SLOTS_FAILED]                                ? TOOL_WRONG
	       : counts[SLOTS_UNFINISHED] || counts[SLOTS_WAITING] ? TOOL_UNFINISHED
								   : TOOL_OK;
}

static int run_listen(struct run *run)
{
	static const int numbers[] = { SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2 };
	sigset_t set;

	sigemptyset(&set);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&set, numbers[i]);
	/* A caller may have left it ignored, and then there would be no ends to wait for. */
	signal(SIGCHLD, SIG_DFL);
	if (sigprocmask(SIG_BLOCK, &set, &run->old_mask))
		return -errno;
	run->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return run->signals < 0 ? -errno : 0;
}

static int run_init(struct run *run, const struct slots_job *job)
{
	int error;

	*run = (struct run){ .job = job, .signals = -1 };
	run->reps = calloc(job->nreps, sizeof(*run->reps));
	run->running = calloc(job->division.nslots, sizeof(*run->running));
	if (!run->reps || !run->running)
		return -ENOMEM;
	for (unsigned i = 0; i < job->nreps; i++)
		run->reps[i] = (struct slots_rep){ .number = job->reps[i], .claim = -1 };
	error = run_listen(run);
	if (!error)
		error = slots_keeper_init(&run->keeper, job->division.nslots, job->grace_s);
	if (!error)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	return error;
}

static void run_fini(struct run *run)
{
	if (run->signals >= 0) {
		close(run->signals);
		sigprocmask(SIG_SETMASK, &run->old_mask, NULL);
	}
	free(run->reps);
	free(run->running);
}

enum tool_status slots_run(const struct slots_job *job)
{
	struct run run;
	enum tool_status status = TOOL_FAILED;
	int error = run_init(&run, job);

	if (error) {
		tool_say("slots: %s", strerror(-error));
		run_fini(&run);
		return status;
	}
	slots_guard_init(&run.guard, job);
	for (run_fill(&run); run.nrunning > 0; run_fill(&run))
		run_wait(&run);
	slots_guard_fini(&run.guard);
	run_sweep(&run);
	slots_keeper_fini(&run.keeper);
	status = run_report(&run);
	run_fini(&run);
	return status;
}
