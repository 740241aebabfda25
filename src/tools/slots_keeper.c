/* SPDX-License-Identifier: MIT */
/*
 * The keeper: a process that ends all repetitions when the tool dies without a word (SIGKILL), so that
 * none is left behind on the computer. It knows their process groups from shared memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/slots.h"

#define KEEPER_LOOK_NS 100000000L

static bool keeper_signal(struct slots_keeper *keeper, int number)
{
	bool any = false;

	for (unsigned i = 0; i < keeper->ngroups; i++)
		if (keeper->groups[i] > 0 && !kill(-keeper->groups[i], number))
			any = true;
	return any;
}

static void keeper_end_all(struct slots_keeper *keeper, double grace_s)
{
	double end = xy__now() + grace_s;
	bool any = keeper_signal(keeper, SIGTERM);

	keeper_signal(keeper, SIGCONT);
	while (any && xy__now() < end) {
		nanosleep(&(struct timespec){ .tv_nsec = KEEPER_LOOK_NS }, NULL);
		any = keeper_signal(keeper, 0);
	}
	keeper_signal(keeper, SIGKILL);
}

/* The life of the keeper. It holds no file of the tool, so that readers of its output see the end. */
static void keeper_work(struct slots_keeper *keeper, int alarm, double grace_s)
{
	int nowhere = open("/dev/null", O_RDWR);
	ssize_t n;
	char word;

	setsid();
	for (int i = 0; nowhere >= 0 && i <= STDERR_FILENO; i++)
		dup2(nowhere, i);
	do
		n = read(alarm, &word, 1);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		keeper_end_all(keeper, grace_s);
	_exit(0);
}

int slots_keeper_init(struct slots_keeper *keeper, unsigned ngroups, double grace_s)
{
	void *shared = mmap(NULL, ngroups * sizeof(pid_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int ends[2], error;

	if (shared == MAP_FAILED)
		return -errno;
	*keeper = (struct slots_keeper){ .ngroups = ngroups, .groups = shared };
	if (pipe2(ends, O_CLOEXEC)) {
		error = errno;
		goto fail;
	}
	keeper->alarm = ends[1];
	keeper->pid = fork();
	if (keeper->pid == 0) {
		close(ends[1]);
		keeper_work(keeper, ends[0], grace_s);
	}
	error = errno;
	close(ends[0]);
	if (keeper->pid > 0)
		return 0;
	close(ends[1]);
fail:
	munmap(shared, ngroups * sizeof(pid_t));
	return -error;
}

void slots_keeper_fini(struct slots_keeper *keeper)
{
	ssize_t n = write(keeper->alarm, "e", 1);

	(void)n; /* a keeper that is gone needs no word */
	close(keeper->alarm);
	while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR)
		;
	munmap((void *)keeper->groups, keeper->ngroups * sizeof(pid_t));
}
