/* SPDX-License-Identifier: MIT */
/* The supervisor of a job on this computer: cores, limits on time and memory, and nothing left behind. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/util/text.h"
#include "farm/environment.h"
#include "farm/files.h"
#include "farm/local.h"
#include "farm/process.h"
#include "farm/quote.h"

extern char **environ;

#define SUPERVISE_FD 3
#define SUPERVISE_PATIENCE_S 10 /* from SIGTERM to SIGKILL */
#define SUPERVISE_STEP_MS 200   /* between two looks at the memory */

/* The session and the resident memory of a process; false if it is gone. */
static bool supervise_process(const char *name, long *session, uint64_t *bytes, char *state)
{
	char path[64], text[1024], *at;
	unsigned long pages;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	/* The name in brackets may hold anything. Behind it: state ppid pgrp session, and as field 24 the pages. */
	at = strrchr(text, ')');
	if (!at || sscanf(at + 1, " %c %*d %*d %ld", state, session) != 2 ||
	    sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %*u %*u %lu",
		   &pages) != 1)
		return false;
	*bytes = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
	return true;
}

struct farm_session farm_local_session(long session, int number)
{
	struct farm_session found = { 0 };
	DIR *processes = opendir("/proc");
	struct dirent *entry;

	while (processes && (entry = readdir(processes))) {
		long other, pid = isdigit((unsigned char)entry->d_name[0]) ? atol(entry->d_name) : 0;
		uint64_t bytes;
		char state;

		if (!pid || pid == (long)getpid() || !supervise_process(entry->d_name, &other, &bytes, &state) ||
		    other != session || state == 'Z')
			continue;
		found.count++;
		found.bytes += bytes;
		if (number)
			kill((pid_t)pid, number);
	}
	if (processes)
		closedir(processes);
	return found;
}

static void supervise_bind(const char *cores)
{
	cpu_set_t set;
	uint64_t core;

	CPU_ZERO(&set);
	while (xy__text_unsigned(&cores, CPU_SETSIZE - 1, &core)) {
		CPU_SET(core, &set);
		cores += *cores == ',';
	}
	if (CPU_COUNT(&set))
		sched_setaffinity(0, sizeof(set), &set);
}

static double supervise_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int supervise_start(const struct farm_local_order *order, pid_t *pid)
{
	char *argv[] = { "bash", (char *)order->script, NULL };
	posix_spawnattr_t attributes;
	int error;

	if (farm_process_attributes(&attributes, POSIX_SPAWN_SETPGROUP))
		return -ENOMEM;
	error = posix_spawnp(pid, argv[0], NULL, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	return -error;
}

struct supervise {
	const struct farm_local_order *order;
	pid_t pid;
	double begin, end; /* when SIGKILL is due; 0: not yet */
	bool warned;
	char reason[160];
};

/* Asks the job to end, and makes it after a while. */
static void supervise_end(struct supervise *s, const char *reason)
{
	if (s->end)
		return;
	snprintf(s->reason, sizeof(s->reason), "%s", reason);
	kill(s->pid, SIGTERM);
	s->end = supervise_now() + SUPERVISE_PATIENCE_S;
}

static void supervise_look(struct supervise *s)
{
	const struct farm_local_order *order = s->order;
	double now = supervise_now(), age = now - s->begin;
	char reason[160];

	if (s->end && now > s->end)
		farm_local_session(getpid(), SIGKILL);
	if (order->time_limit_s && order->warning_s && !s->warned && age + order->warning_s >= order->time_limit_s) {
		s->warned = true;
		kill(s->pid, SIGUSR1);
	}
	if (order->time_limit_s && age >= order->time_limit_s) {
		snprintf(reason, sizeof(reason), "the time limit of %u s is over", order->time_limit_s);
		supervise_end(s, reason);
	}
	if (order->memory_bytes) {
		uint64_t used = farm_local_session(getpid(), 0).bytes;

		if (used > order->memory_bytes && !*s->reason) {
			snprintf(s->reason, sizeof(s->reason), "it uses %llu MB and memory is %llu MB",
				 (unsigned long long)(used >> 20), (unsigned long long)(order->memory_bytes >> 20));
			farm_local_session(getpid(), SIGKILL);
		}
	}
}

/* Waits for the script, looking at limits and signals; its wait status. */
static int supervise_wait(struct supervise *s)
{
	struct timespec step = { .tv_nsec = SUPERVISE_STEP_MS * 1000000L };
	sigset_t signals;
	int state = 0, number;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	while (waitpid(s->pid, &state, WNOHANG) == 0) {
		number = sigtimedwait(&signals, NULL, &step);
		if (number == SIGTERM || number == SIGINT)
			supervise_end(s, "it was cancelled");
		else if (number == SIGUSR1)
			kill(s->pid, SIGUSR1);
		supervise_look(s);
	}
	return state;
}

/* Ends what the script left behind, so that the job is over when its supervisor is. */
static void supervise_clean(void)
{
	struct timespec step = { .tv_nsec = 50 * 1000000L };

	for (int i = 0; farm_local_session(getpid(), i ? SIGKILL : SIGTERM).count && i < 100; i++)
		nanosleep(&step, NULL);
}

/* Says why in ended/ if the job could not, or knows less. */
static void supervise_report(const struct supervise *s, int state)
{
	struct xy__buffer text = { 0 };
	char *path = farm_files_path_of(s->order->folder, "ended", s->order->job, "");

	if (path && *s->reason) {
		xy__buffer_add(&text, "{\"job\":");
		farm_quote_json(&text, s->order->job);
		xy__buffer_add(&text, ",\"piece\":\"\",\"status\":%d,\"signal\":0,\"time\":%lld,\"reason\":",
			       WIFEXITED(state) && WEXITSTATUS(state) ? WEXITSTATUS(state) : 1, (long long)time(NULL));
		farm_quote_json(&text, s->reason);
		xy__buffer_add(&text, "}\n");
		if (!text.failed)
			farm_files_replace(path, text.at, text.length);
	}
	xy__buffer_fini(&text);
	free(path);
}

int farm_local_supervise(const struct farm_local_order *order, const struct farm_report *report)
{
	struct supervise s = { .order = order, .begin = supervise_now() };
	char line[64];
	int state, error, length = snprintf(line, sizeof(line), "{\"pid\":%ld}\n", (long)getpid());

	if (lseek(SUPERVISE_FD, 0, SEEK_END) < 0 || write(SUPERVISE_FD, line, (size_t)length) != length)
		farm_say(report, "job %s: its file can't be written: %s", order->job, strerror(errno));
	supervise_bind(order->cores);
	if (setenv(FARM_ENV_JOB, order->job, 1) || (*order->gpus && setenv("CUDA_VISIBLE_DEVICES", order->gpus, 1)))
		return 1;
	error = supervise_start(order, &s.pid);
	if (error) {
		farm_say(report, "job %s: bash can't be started: %s", order->job, strerror(-error));
		return 1;
	}
	state = supervise_wait(&s);
	supervise_clean();
	supervise_report(&s, state);
	return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}
