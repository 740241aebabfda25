/* SPDX-License-Identifier: MIT */
/* xylem farm run: rounds until everything is done, with a line whenever something changed. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "farm/manager.h"
#include "farm/request.h"
#include "tools/farm.h"

static double run_now(void)
{
	struct timespec now;

	/* Goes on while the computer sleeps and never goes back. */
	clock_gettime(CLOCK_BOOTTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Whether a program can be found from the folder of the farm. */
static bool run_finds(const struct farm *farm, const char *program)
{
	const char *path = getenv("PATH");
	char file[8192];

	if (strchr(program, '/')) {
		snprintf(file, sizeof(file), "%s/%s", *program == '/' ? "" : farm->base, program);
		return !access(file, X_OK);
	}
	for (; path && *path; path += strcspn(path, ":"), path += *path == ':') {
		snprintf(file, sizeof(file), "%.*s/%s", (int)strcspn(path, ":"), path, program);
		if (!access(file, X_OK))
			return true;
	}
	return false;
}

/* A command that is nowhere would fail in each job. An extra_script may put it on the path, so then jobs find out. */
static bool run_check_commands(const struct farm *farm)
{
	const char *last = NULL;

	for (size_t i = 0; i < farm->npieces; i++) {
		const struct farm_piece *piece = &farm->pieces[i];

		if (piece->resources.extra_script || (last && !strcmp(last, piece->argv.at[0])))
			continue;
		last = piece->argv.at[0];
		if (!run_finds(farm, last)) {
			tool_say("farm: %s:%u: %s: the command \"%s\" was not found", piece->source, piece->line,
				 piece->name, last);
			return false;
		}
	}
	return true;
}

/* One line about where everything is, if it changed. */
static void run_tell(const struct farm_state *state, size_t counts[FARM_STEPS])
{
	size_t now[FARM_STEPS] = { 0 };
	const char *separator = "";
	char clock[16] = "";
	time_t wall = time(NULL);
	struct tm local;

	for (size_t i = 0; i < state->farm->npieces; i++)
		now[state->records[i].step]++;
	if (!memcmp(now, counts, sizeof(now)))
		return;
	memcpy(counts, now, sizeof(now));
	if (localtime_r(&wall, &local))
		strftime(clock, sizeof(clock), "%H:%M:%S", &local);
	printf("%s  ", clock);
	for (unsigned i = 0; i < FARM_STEPS; i++) {
		if (!now[i])
			continue;
		printf("%s%zu %s", separator, now[i], farm_step_name((enum farm_step)i));
		separator = ", ";
	}
	printf("\n");
	fflush(stdout);
}

/* Waits until the next round is due. True if a signal asks to end. */
static bool run_wait(const struct farm_manager *manager)
{
	double wait_s = manager->farm->interval_s, begin = run_now();
	sigset_t signals;

	if (manager->back_off_s > 0 && manager->back_off_s < wait_s)
		wait_s = manager->back_off_s;
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	for (;;) {
		double left = begin + wait_s - run_now(), step = left > 1 ? 1 : left;
		struct timespec time = { .tv_sec = (time_t)step,
					 .tv_nsec = (long)((step - (double)(time_t)step) * 1e9) };

		if (left <= 0)
			return false;
		if (sigtimedwait(&signals, NULL, &time) > 0)
			return true;
		if (farm_request_waits(manager->farm))
			return false;
	}
}

static enum tool_status run_end(const struct farm_manager *manager)
{
	const struct farm_state *state = &manager->state;
	size_t given_up = 0, blocked = 0;
	char waiting[64] = "";

	for (size_t i = 0; i < state->farm->npieces; i++) {
		given_up += state->records[i].step == FARM_GIVEN_UP;
		blocked += state->records[i].step == FARM_BLOCKED;
	}
	if (!given_up && !blocked) {
		printf("%s%zu piece%s done\n", state->farm->npieces == 1 ? "" : "all ", state->farm->npieces,
		       state->farm->npieces == 1 ? " is" : "s are");
		return TOOL_OK;
	}
	if (blocked)
		snprintf(waiting, sizeof(waiting), ", and %zu wait%s for them", blocked, blocked == 1 ? "s" : "");
	tool_say("farm: %zu piece%s given up%s; see `xylem farm history` and `retry`", given_up,
		 given_up == 1 ? " was" : "s were", waiting);
	return TOOL_WRONG;
}

static enum tool_status run_rounds(struct farm_manager *manager, bool once)
{
	size_t counts[FARM_STEPS] = { 0 };
	double last = run_now();

	for (;;) {
		double now = run_now();
		int error = farm_manager_round(manager, (int64_t)time(NULL), now - last);

		last = now;
		if (error == -EBUSY || error == -ECONNREFUSED) {
			tool_say("farm: stopping; jobs in the queue go on and nothing is lost: `xylem farm run` "
				 "continues");
			return TOOL_FAILED;
		}
		if (!error)
			run_tell(&manager->state, counts);
		if (!error && manager->round.over)
			return run_end(manager);
		if (!error && manager->round.spent) {
			tool_say("farm: more failures than max_fails allows: stopping; jobs in the queue go on");
			return TOOL_WRONG;
		}
		if (once)
			return farm_status_of(error);
		if (run_wait(manager)) {
			printf("stopped; the jobs go on, `xylem farm run` continues\n");
			return TOOL_OK;
		}
	}
}

enum tool_status farm_run(const struct farm_arguments *arguments)
{
	struct farm_session_data data;
	struct farm_manager manager;
	enum tool_status status = farm_load(&data, arguments);
	sigset_t signals;
	int error;

	if (status == TOOL_OK && !run_check_commands(&data.farm))
		status = TOOL_WRONG;
	if (status == TOOL_OK) {
		sigemptyset(&signals);
		sigaddset(&signals, SIGINT);
		sigaddset(&signals, SIGTERM);
		sigprocmask(SIG_BLOCK, &signals, NULL);
		error = farm_manager_open(&manager, &data.farm, &data.place, &farm_report);
		status = farm_status_of(error);
		if (!error) {
			status = run_rounds(&manager, arguments->once);
			farm_manager_close(&manager);
		}
	}
	farm_unload(&data);
	return status;
}
