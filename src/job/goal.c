/* SPDX-License-Identifier: MIT */
/* Goals: when a piece is done without its program saying so. */
#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "farm/files.h"
#include "job/job.h"

int job_goal_init(struct job_goal *goal, const struct json *json, const struct json_node *object)
{
	const struct json_node *command = graph__json_find(json, object, "command"), *word;
	size_t n = 0;

	*goal = (struct job_goal){
		.points = farm_files_number(json, object, "points", -1),
		.loss = farm_files_number(json, object, "loss", -1),
		.time_s = farm_files_number(json, object, "time", -1),
	};
	for (word = graph__json_first(json, command); word; word = graph__json_next(json, word))
		n++;
	if (n == 0)
		return 0;
	goal->command = calloc(n + 1, sizeof(*goal->command));
	if (!goal->command)
		return -ENOMEM;
	n = 0;
	for (word = graph__json_first(json, command); word; word = graph__json_next(json, word))
		if (word->kind == JSON_TEXT)
			goal->command[n++] = (char *)word->text;
	return 0;
}

/* Runs the command of the goal to its end; whether that was 0. */
static bool goal_command(struct job_goal *goal)
{
	int status = -1;
	pid_t pid;

	if (posix_spawnp(&pid, goal->command[0], NULL, NULL, goal->command, environ))
		return false;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool xy_farm_is_reached(struct xy_farm_piece *piece, uint64_t points, double loss)
{
	struct job_goal *goal = &piece->goal;
	double now = xy__now();

	if (goal->reached || (goal->points >= 0 && (double)points >= goal->points) ||
	    (goal->loss >= 0 && !isnan(loss) && loss <= goal->loss) ||
	    (goal->time_s >= 0 && now - piece->claimed_s >= goal->time_s))
		goal->reached = true;
	else if (goal->command && goal->command[0] &&
		 (goal->asked_s == 0 || now - goal->asked_s >= piece->log_interval_s)) {
		goal->asked_s = now;
		goal->reached = goal_command(goal);
	}
	return goal->reached;
}
