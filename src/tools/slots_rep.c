/* SPDX-License-Identifier: MIT */
/*
 * One repetition: its folder, its log, the file that says that it has not finished, its process. The
 * file is locked by the tool and by the process, so no repetition runs twice at once; it stays when
 * either dies, so half a result is never taken for a whole one.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/util/buffer.h"
#include "tools/slots.h"

void slots_rep_path(const struct slots_job *job, unsigned number, const char *suffix, char *path, size_t size)
{
	snprintf(path, size, "%s/rep_%02u%s", job->folder, number, suffix);
}

static int rep_fail(const struct slots_rep *rep, const char *path, int error)
{
	tool_say("slots: rep %u: %s: %s", rep->number, path, strerror(error));
	return -error;
}

/* Makes a folder and those above it. */
static int rep_make_folder(const char *path)
{
	char part[PATH_MAX];

	for (size_t i = 1;; i++) {
		if (path[i] && path[i] != '/')
			continue;
		snprintf(part, sizeof(part), "%.*s", (int)i, path);
		if (mkdir(part, 0777) && errno != EEXIST)
			return errno;
		if (!path[i])
			return 0;
	}
}

/* 1: something is in it; 0: it is empty or not there; -errno. */
static int rep_has_results(const char *path)
{
	DIR *folder = opendir(path);
	int found = 0;

	if (!folder)
		return errno == ENOENT ? 0 : -errno;
	for (struct dirent *entry; !found && (entry = readdir(folder));)
		found = strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(folder);
	return found;
}

/* Whether the locked file is still the one that has this path: another process may have finished the
 * repetition and removed it between our look and our lock. */
static bool rep_is_there(const struct slots_rep *rep)
{
	struct stat about;

	return fstat(rep->claim, &about) == 0 && about.st_nlink > 0;
}

/* Locks the file of a repetition, which says who runs it. */
static int rep_lock(struct slots_rep *rep, const char *path)
{
	rep->claim = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (rep->claim < 0)
		return rep_fail(rep, path, errno);
	if (flock(rep->claim, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno == EWOULDBLOCK) {
		tool_say("slots: rep %u: another process is running it (see %s)", rep->number, path);
		errno = EBUSY;
	} else {
		rep_fail(rep, path, errno);
	}
	close(rep->claim);
	rep->claim = -1;
	return -errno;
}

int slots_rep_claim(const struct slots_job *job, struct slots_rep *rep)
{
	char folder[PATH_MAX], file[PATH_MAX];
	bool unfinished;
	int found, error;

	slots_rep_path(job, rep->number, "", folder, sizeof(folder));
	slots_rep_path(job, rep->number, ".unfinished", file, sizeof(file));
	unfinished = access(file, F_OK) == 0;
	found = rep_has_results(folder);
	if (found < 0)
		return rep_fail(rep, folder, -found);
	if (found && !unfinished && !job->overwrite)
		return 1;
	error = rep_make_folder(folder);
	if (error)
		return rep_fail(rep, folder, error);
	error = rep_lock(rep, file);
	if (error || rep_is_there(rep))
		return error;
	close(rep->claim);
	rep->claim = -1;
	return slots_rep_claim(job, rep);
}

/* Replaces what the claimed file says. */
static void rep_note(const struct slots_rep *rep, const char *text)
{
	char host[HOST_NAME_MAX + 1] = "", line[512], date[32] = "";
	time_t now = time(NULL);
	struct tm parts;
	ssize_t n;

	gethostname(host, sizeof(host) - 1);
	if (gmtime_r(&now, &parts))
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &parts);
	snprintf(line, sizeof(line), "%s %s process %d: %s\n", date, host, (int)rep->pid, text);
	if (ftruncate(rep->claim, 0) == 0) {
		n = pwrite(rep->claim, line, strlen(line), 0);
		(void)n; /* the file counts, not what is in it */
	}
}

/* An argument with {rep}, {slot} and {folder} replaced; NULL without memory. */
static char *rep_argument(const char *text, const struct slots_rep *rep, unsigned slot, const char *folder)
{
	struct xy__buffer buffer = { 0 };

	xy__buffer_add(&buffer, "%s", "");
	while (*text) {
		size_t plain = strcspn(text, "{");

		xy__buffer_add(&buffer, "%.*s", (int)plain, text);
		text += plain;
		if (!strncmp(text, "{rep}", 5)) {
			xy__buffer_add(&buffer, "%u", rep->number);
			text += 5;
		} else if (!strncmp(text, "{slot}", 6)) {
			xy__buffer_add(&buffer, "%u", slot);
			text += 6;
		} else if (!strncmp(text, "{folder}", 8)) {
			xy__buffer_add(&buffer, "%s", folder);
			text += 8;
		} else if (*text) {
			xy__buffer_add(&buffer, "%c", *text++);
		}
	}
	if (buffer.failed)
		xy__buffer_fini(&buffer);
	return buffer.at;
}

static char **rep_arguments(const struct slots_job *job, const struct slots_rep *rep, unsigned slot)
{
	char folder[PATH_MAX], whole[PATH_MAX];
	char **arguments;
	size_t n = 0;

	slots_rep_path(job, rep->number, "", folder, sizeof(folder));
	while (job->command[n])
		n++;
	arguments = calloc(n + 1, sizeof(*arguments));
	for (size_t i = 0; arguments && i < n; i++) {
		arguments[i] = rep_argument(job->command[i], rep, slot, realpath(folder, whole) ? whole : folder);
		if (!arguments[i]) {
			slots_environment_free(arguments);
			return NULL;
		}
	}
	return arguments;
}

/* Input from nowhere, output to the log, the claim kept, its own process group, signals as usual. */
static int rep_attributes(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, const char *log,
			  int claim)
{
	sigset_t none, all;
	int error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

	sigemptyset(&none);
	sigfillset(&all);
	sigdelset(&all, SIGKILL);
	sigdelset(&all, SIGSTOP);
	if (!error)
		error = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND,
							 0666);
	if (!error)
		error = posix_spawn_file_actions_adddup2(actions, STDOUT_FILENO, STDERR_FILENO);
	if (!error) /* onto itself: open in the new program too */
		error = posix_spawn_file_actions_adddup2(actions, claim, claim);
	if (!error)
		error = posix_spawnattr_setsigmask(attributes, &none);
	if (!error)
		error = posix_spawnattr_setsigdefault(attributes, &all);
	if (!error)
		error = posix_spawnattr_setpgroup(attributes, 0);
	if (!error)
		error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
								     POSIX_SPAWN_SETPGROUP);
	return error;
}

/* Starts a process that inherits the affinity of the slot, which the tool takes on for this moment. */
static int rep_spawn(const struct slots_job *job, struct slots_rep *rep, unsigned slot, char **arguments,
		     char **environment, const char *log)
{
	unsigned n = job->bind ? job->division.cpus_per_slot : 0;
	size_t size, all_size;
	cpu_set_t *own = n ? slots_cpus_set(&job->cpus, job->division.cpus + slot * n, n, &size) : NULL;
	cpu_set_t *all = n ? slots_cpus_set(&job->cpus, NULL, 0, &all_size) : NULL;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error = n && (!own || !all) ? ENOMEM : posix_spawn_file_actions_init(&actions);

	if (error)
		goto out;
	error = posix_spawnattr_init(&attributes);
	if (error)
		goto out_actions;
	error = rep_attributes(&actions, &attributes, log, rep->claim);
	if (!error && n && sched_setaffinity(0, size, own))
		error = errno;
	if (!error)
		error = posix_spawnp(&rep->pid, arguments[0], &actions, &attributes, arguments, environment);
	if (n)
		sched_setaffinity(0, all_size, all);
	posix_spawnattr_destroy(&attributes);
out_actions:
	posix_spawn_file_actions_destroy(&actions);
out:
	if (own)
		CPU_FREE(own);
	if (all)
		CPU_FREE(all);
	return -error;
}

int slots_rep_start(const struct slots_job *job, struct slots_rep *rep, unsigned slot)
{
	char **arguments = rep_arguments(job, rep, slot), **environment = slots_environment(job, rep, slot);
	int error = arguments && environment ? 0 : -ENOMEM;
	char log[PATH_MAX];
	int file;

	slots_rep_path(job, rep->number, ".log", log, sizeof(log));
	/* Tried here, so that a message names the right file. */
	file = open(log, O_WRONLY | O_CREAT | O_CLOEXEC | (job->overwrite ? O_TRUNC : 0), 0666);
	if (file < 0)
		error = rep_fail(rep, log, errno);
	else
		close(file);
	if (!error) {
		error = rep_spawn(job, rep, slot, arguments, environment, log);
		if (error)
			rep_fail(rep, arguments[0], -error);
		else
			rep_note(rep, "running");
	}
	slots_environment_free(arguments);
	slots_environment_free(environment);
	return error;
}

void slots_rep_release(const struct slots_job *job, struct slots_rep *rep, const char *why)
{
	char file[PATH_MAX];

	slots_rep_path(job, rep->number, ".unfinished", file, sizeof(file));
	if (why)
		rep_note(rep, why);
	else if (unlink(file))
		rep_fail(rep, file, errno);
	close(rep->claim);
	rep->claim = -1;
}
