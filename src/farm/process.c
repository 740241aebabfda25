/* SPDX-License-Identifier: MIT */
/* Commands by posix_spawn, two pipes and poll. */
#include "farm/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double process_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int farm_process_attributes(posix_spawnattr_t *attributes, short flags)
{
	sigset_t none, all;

	if (posix_spawnattr_init(attributes))
		return -ENOMEM;
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setflags(attributes, (short)(flags | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
	posix_spawnattr_setsigmask(attributes, &none);
	posix_spawnattr_setsigdefault(attributes, &all);
	return 0;
}

static int process_spawn(char *const argv[], int output, int errors, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error;

	if (posix_spawn_file_actions_init(&actions))
		return -ENOMEM;
	/* A process group of its own: Ctrl-C is for the manager. */
	if (farm_process_attributes(&attributes, POSIX_SPAWN_SETPGROUP)) {
		posix_spawn_file_actions_destroy(&actions);
		return -ENOMEM;
	}
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, output, 1);
	posix_spawn_file_actions_adddup2(&actions, errors, 2);
	error = posix_spawnp(pid, argv[0], &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return -error;
}

/* Takes what a pipe holds; closes it at its end. */
static void process_take(int *from, struct xy__buffer *buffer)
{
	char block[65536];
	ssize_t n = read(*from, block, sizeof(block) - 1);

	if (n > 0) {
		block[n] = '\0';
		/* A zero byte would end the text: commands of schedulers print none. */
		xy__buffer_add(buffer, "%s", block);
	} else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
		close(*from);
		*from = -1;
	}
}

static int process_collect(int from[2], double end, struct xy__buffer *output, struct xy__buffer *errors)
{
	while (from[0] >= 0 || from[1] >= 0) {
		struct pollfd polled[2] = { { .fd = from[0], .events = POLLIN }, { .fd = from[1], .events = POLLIN } };
		double left = end - process_now();

		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(polled, 2, left > 60 ? 60000 : (int)(left * 1000) + 1) < 0 && errno != EINTR)
			return -errno;
		if (polled[0].revents)
			process_take(&from[0], output);
		if (polled[1].revents)
			process_take(&from[1], errors);
	}
	return 0;
}

int farm_process_run(char *const argv[], double timeout_s, struct xy__buffer *output, struct xy__buffer *errors,
		     int *status)
{
	int first[2] = { -1, -1 }, second[2] = { -1, -1 }, from[2], error, state = 0;
	double end = process_now() + timeout_s;
	pid_t pid;

	if (pipe2(first, O_CLOEXEC) || pipe2(second, O_CLOEXEC)) {
		error = -errno;
		if (first[0] >= 0) {
			close(first[0]);
			close(first[1]);
		}
		return error;
	}
	error = process_spawn(argv, first[1], second[1], &pid);
	close(first[1]);
	close(second[1]);
	from[0] = first[0];
	from[1] = second[0];
	if (!error) {
		error = process_collect(from, end, output, errors);
		if (error)
			kill(-pid, SIGKILL);
		while (waitpid(pid, &state, 0) < 0 && errno == EINTR)
			;
	}
	for (int i = 0; i < 2; i++)
		if (from[i] >= 0)
			close(from[i]);
	*status = WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
	return error ? error : output->failed || errors->failed ? -ENOMEM : 0;
}

char **farm_process_argv(const struct farm_words *words)
{
	char **argv = calloc(words->count + 1, sizeof(*argv));

	if (argv && words->count)
		memcpy(argv, words->at, words->count * sizeof(*argv));
	return argv;
}
