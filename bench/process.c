/* SPDX-License-Identifier: MIT */
/*
 * Runs one program with a time limit and finds the number in its output. Output goes to memory files,
 * so that nothing blocks whatever is printed; the limit is the child's own alarm, which outlives exec.
 */
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "driver.h"

enum { EXIT_IMPOSSIBLE = 77 };

static volatile sig_atomic_t interrupted;
static char home[] = "/tmp/xylem-bench-XXXXXX";

static void interrupt(int signal_number)
{
	(void)signal_number;
	interrupted = 1;
}

bool process_interrupted(void)
{
	return interrupted;
}

int process_prepare(void)
{
	struct sigaction action = { .sa_handler = interrupt };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (!mkdtemp(home))
		return -errno;
	return setenv("STARPU_HOME", home, 1) ? -errno : 0;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	(void)type;
	(void)where;
	return remove(path);
}

void process_clean(void)
{
	nftw(home, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void become(const struct command *command, int out, int err)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	if (command->variable)
		setenv(command->variable, command->value, 1);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	alarm(settings.limit_s);
	execvp(command->arguments[0], (char *const *)command->arguments);
	perror(command->arguments[0]);
	_exit(127);
}

/* The whole content of a memory file, as a string to free; NULL without memory. */
static char *content(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = size < 0 ? NULL : calloc(1, (size_t)size + 1);

	if (text && pread(fd, text, (size_t)size, 0) != size) {
		free(text);
		return NULL;
	}
	return text;
}

/* The number behind the key; callgrind writes "Collected : 123", the programs "ns_per_task 1.2". */
static bool find_number(int fd, const char *key, double *number)
{
	char *text = content(fd), *found = text ? strstr(text, key) : NULL, *end = NULL;

	if (found) {
		found += strlen(key);
		found += strspn(found, " :");
		*number = strtod(found, &end);
	}
	free(text);
	return found && end != found;
}

static void explain(const struct command *command, int err, int status)
{
	char *text = content(err);

	fputs("\nbench: failed:", stderr);
	for (const char *const *a = command->arguments; *a; a++)
		fprintf(stderr, strchr(*a, ' ') ? " '%s'" : " %s", *a);
	if (WIFSIGNALED(status))
		fprintf(stderr, ": %s\n", strsignal(WTERMSIG(status)));
	else
		fprintf(stderr, ": exit status %d\n", WEXITSTATUS(status));
	if (text)
		fputs(text, stderr);
	free(text);
}

static bool find_numbers(int out, int err, const char *const *keys, double *numbers)
{
	for (unsigned i = 0; keys[i]; i++)
		if (!find_number(out, keys[i], &numbers[i]) && !find_number(err, keys[i], &numbers[i]))
			return false;
	return true;
}

static enum outcome judge(const struct command *command, int out, int err, int status, const char *const *keys,
			  double *numbers)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		return TOO_SLOW;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_IMPOSSIBLE)
		return IMPOSSIBLE;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && find_numbers(out, err, keys, numbers))
		return MEASURED;
	if (!interrupted)
		explain(command, err, status);
	return BROKEN;
}

enum outcome process_measure(const struct command *command, double *number)
{
	const char *const keys[] = { command->key, NULL };

	return process_measure_all(command, keys, number);
}

enum outcome process_measure_all(const struct command *command, const char *const *keys, double *numbers)
{
	int out = memfd_create("stdout", MFD_CLOEXEC), err = memfd_create("stderr", MFD_CLOEXEC);
	enum outcome outcome = BROKEN;
	int status = 0;
	pid_t child;

	if (out < 0 || err < 0) {
		perror("bench: memory file");
		goto end;
	}
	fflush(NULL);
	child = fork();
	if (child == 0)
		become(command, out, err);
	if (child < 0) {
		perror("bench: fork");
		goto end;
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	outcome = judge(command, out, err, status, keys, numbers);
end:
	if (out >= 0)
		close(out);
	if (err >= 0)
		close(err);
	return outcome;
}
