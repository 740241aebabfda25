/* SPDX-License-Identifier: MIT */
/*
 * crash FARM.yml XYLEM POINT: a manager that kills itself with SIGKILL before or after one of its commits; crash.sh
 * starts it at every point. Ends with 0 when all is done, so when there was no such point any more.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "farm/manager.h"

static void say(void *arg, const char *line)
{
	(void)arg;
	fprintf(stderr, "%s\n", line);
}

static void crash(void *arg, unsigned point)
{
	const unsigned *chosen = arg;

	if (point == *chosen)
		kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
	const struct farm_report report = { .say = say };
	struct timespec pause = { .tv_nsec = 50 * 1000000L };
	struct farm_manager manager;
	struct farm_place place = { .host = "here" };
	struct farm farm;
	unsigned chosen;
	int error;

	if (argc != 4)
		return 2;
	chosen = (unsigned)strtoul(argv[3], NULL, 10);
	place.tool = argv[2];
	farm_init(&farm);
	if (farm_read(&farm, argv[1], &place, &report) || farm_manager_open(&manager, &farm, &place, &report))
		return 1;
	manager.state.hook = crash;
	manager.state.hook_arg = &chosen;
	for (int i = 0; i < 1200 && !manager.round.over; i++) {
		error = farm_manager_round(&manager, (int64_t)time(NULL), 0.05);
		if (error)
			return 1;
		nanosleep(&pause, NULL);
	}
	error = !manager.round.over;
	farm_manager_close(&manager);
	farm_fini(&farm);
	return error;
}
