/* SPDX-License-Identifier: MIT */
/*
 * The inside of a job. The command runs in a process group of its own, which gets the signals that the job
 * gets. The end
 * is written down before the job ends; done/ comes first, so that a finished piece is never seen as failed.
 */
#include "farm/job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "farm/environment.h"
#include "farm/files.h"
#include "farm/process.h"
#include "farm/quote.h"

extern char **environ;

/* The words of a list in JSON, ended by NULL; to be freed, not the words. */
static char **job_words(const struct farm_claimed *piece, const struct json_node *list)
{
	size_t n = 0;
	char **words;

	for (const struct json_node *item = graph__json_first(&piece->json, list); item;
	     item = graph__json_next(&piece->json, item))
		n++;
	words = calloc(n + 1, sizeof(*words));
	n = 0;
	for (const struct json_node *item = words ? graph__json_first(&piece->json, list) : NULL; item;
	     item = graph__json_next(&piece->json, item))
		words[n++] = (char *)(item->kind == JSON_TEXT ? item->text : "");
	return words;
}

/* Variables for the command, after those that the job has. */
struct job_environment {
	char **at;
	size_t count, room;
	char **own; /* those of at that are owned, ended by NULL */
	size_t nown;
};

static void job_environment_fini(struct job_environment *environment)
{
	for (size_t i = 0; i < environment->nown; i++)
		free(environment->own[i]);
	free(environment->own);
	free(environment->at);
}

/* Copies the job's environment with room for more variables. */
static bool job_environment_init(struct job_environment *environment, size_t more)
{
	size_t n = 0;

	while (environ[n])
		n++;
	*environment = (struct job_environment){ .at = calloc(n + more + 1, sizeof(char *)),
						 .room = n + more,
						 .own = calloc(more + 1, sizeof(char *)) };
	if (!environment->at || !environment->own) {
		job_environment_fini(environment);
		return false;
	}
	memcpy(environment->at, environ, n * sizeof(char *));
	environment->count = n;
	return true;
}

static bool job_environment_set(struct job_environment *environment, const char *name, const char *value)
{
	size_t length = strlen(name), at = 0;
	char *text;

	if (asprintf(&text, "%s=%s", name, value) < 0)
		return false;
	environment->own[environment->nown++] = text;
	while (at < environment->count &&
	       (strncmp(environment->at[at], name, length) || environment->at[at][length] != '='))
		at++;
	environment->count += at == environment->count;
	environment->at[at] = text;
	return true;
}

/* Counts the starts of a piece: each adds a byte to a file of its folder. */
static long job_count_start(const char *data)
{
	struct stat stat = { 0 };
	char *path;
	int fd;

	if (asprintf(&path, "%s/.starts", data) < 0)
		return 0;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	free(path);
	if (fd < 0)
		return 0;
	fstat(fd, &stat);
	if (write(fd, ".", 1) < 0)
		stat.st_size = 0;
	close(fd);
	return (long)stat.st_size;
}

/* The environment of the command; makes the folder of its data. */
static bool job_prepare(const struct farm_claimant *claimant, const struct farm_claimed *piece,
			struct job_environment *environment)
{
	const struct json_node *more = graph__json_find(&piece->json, piece->json.nodes, "env"), *item;
	char *data = farm_files_path(claimant->folder, "data", piece->file, "");
	char *progress = farm_files_path(claimant->folder, "progress", piece->file, ".jsonl");
	char starts[24];
	bool good = data && progress && (!mkdir(data, 0777) || errno == EEXIST);
	size_t n = 8;

	for (item = graph__json_first(&piece->json, more); item; item = graph__json_next(&piece->json, item))
		n++;
	if (good && !job_environment_init(environment, n))
		good = false;
	if (good) {
		snprintf(starts, sizeof(starts), "%ld", job_count_start(data));
		good = job_environment_set(environment, FARM_ENV_PIECE, piece->name) &&
		       job_environment_set(environment, FARM_ENV_FILE, piece->file) &&
		       job_environment_set(environment, FARM_ENV_DATA, data) &&
		       job_environment_set(environment, FARM_ENV_PROGRESS, progress) &&
		       job_environment_set(environment, FARM_ENV_STARTS, starts) &&
		       job_environment_set(environment, FARM_ENV_FOLDER, claimant->folder) &&
		       job_environment_set(environment, FARM_ENV_SET, claimant->set) &&
		       job_environment_set(environment, FARM_ENV_JOB, claimant->job);
	}
	for (item = good ? graph__json_first(&piece->json, more) : NULL; item && good;
	     item = graph__json_next(&piece->json, item))
		good = item->kind != JSON_TEXT || job_environment_set(environment, item->key, item->text);
	free(data);
	free(progress);
	return good;
}

/* Starts a command in a process group of its own. 0 or -errno. */
static int job_spawn(char *const argv[], const char *folder, char *const environment[], pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error;

	if (!argv || !argv[0])
		return -ENOENT;
	if (posix_spawn_file_actions_init(&actions))
		return -ENOMEM;
	if (farm_process_attributes(&attributes, POSIX_SPAWN_SETPGROUP)) {
		posix_spawn_file_actions_destroy(&actions);
		return -ENOMEM;
	}
	posix_spawn_file_actions_addchdir_np(&actions, folder);
	error = posix_spawnp(pid, argv[0], &actions, &attributes, argv, environment);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return -error;
}

/* Waits for a command and forwards signals to its group meanwhile. The signals are blocked. */
static int job_wait(pid_t pid, const sigset_t *signals)
{
	int state = 0;

	for (;;) {
		pid_t ended = waitpid(pid, &state, WNOHANG);
		int number;

		if (ended == pid || (ended < 0 && errno != EINTR))
			return state;
		number = sigwaitinfo(signals, NULL);
		if (number > 0 && number != SIGCHLD)
			kill(-pid, number);
	}
}

struct job_end {
	int status, signal;
	char reason[160];
};

static void job_run_command(char *const argv[], const char *folder, char *const environment[], const sigset_t *signals,
			    struct job_end *end)
{
	pid_t pid;
	int state, error = job_spawn(argv, folder, environment, &pid);

	if (error) {
		end->status = error == -ENOENT || error == -ENOTDIR ? 127 : 126;
		snprintf(end->reason, sizeof(end->reason), "%s: %s", argv && argv[0] ? argv[0] : "command",
			 strerror(-error));
		return;
	}
	state = job_wait(pid, signals);
	end->signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
	end->status = WIFEXITED(state) ? WEXITSTATUS(state) : 0;
}

static void job_work(const struct farm_claimed *piece, char *const environment[], struct job_end *end)
{
	const struct json_node *root = piece->json.nodes;
	const struct json_node *goal = graph__json_find(&piece->json, graph__json_find(&piece->json, root, "goal"),
							"command");
	const char *folder = farm_files_text(&piece->json, root, "folder");
	char **argv = job_words(piece, graph__json_find(&piece->json, root, "argv"));
	char **check = goal ? job_words(piece, goal) : NULL;
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGUSR2);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	job_run_command(argv, folder, environment, &signals, end);
	if (check && !end->status && !end->signal) {
		job_run_command(check, folder, environment, &signals, end);
		if (end->status || end->signal) {
			snprintf(end->reason, sizeof(end->reason), "the command of the goal ended with status %d",
				 end->status);
			end->status = end->status == 126 || end->status == 127 ? end->status : 75;
			end->signal = 0;
		}
	}
	free(argv);
	free(check);
}

/* Writes done/ if the work is done, then ended/. 0 or -errno. */
static int job_report(const struct farm_claimant *claimant, const struct farm_claimed *piece, struct job_end *end)
{
	struct xy__buffer text = { 0 };
	char *path = farm_files_path_of(claimant->folder, "ended", claimant->job, "");
	char *done = piece ? farm_files_path(claimant->folder, "done", piece->file, "") : NULL;
	int error = path && (done || !piece) ? 0 : -ENOMEM;

	if (!error && piece && !access(done, F_OK)) {
		end->status = end->signal = 0;
	} else if (!error && piece && !end->status && !end->signal) {
		xy__buffer_add(&text, "{\"job\":");
		farm_quote_json(&text, claimant->job);
		xy__buffer_add(&text, ",\"time\":%lld}\n", (long long)time(NULL));
		error = text.failed ? -ENOMEM
				    : farm_files_create(claimant->folder, "done", piece->file, claimant->job, text.at);
		error = error == -EEXIST ? 0 : error;
		xy__buffer_cut(&text, 0);
	}
	if (error) {
		end->status = end->status ? end->status : 1;
		snprintf(end->reason, sizeof(end->reason), "can't write done/: %s", strerror(-error));
	}
	xy__buffer_add(&text, "{\"job\":");
	farm_quote_json(&text, claimant->job);
	xy__buffer_add(&text, ",\"piece\":");
	if (piece)
		farm_quote_json(&text, piece->name);
	else
		xy__buffer_add(&text, "null");
	xy__buffer_add(&text, ",\"status\":%d,\"signal\":%d,\"time\":%lld,\"reason\":", end->status, end->signal,
		       (long long)time(NULL));
	farm_quote_json(&text, end->reason);
	xy__buffer_add(&text, "}\n");
	if (path && !text.failed && farm_files_replace(path, text.at, text.length) && !error)
		error = -EIO;
	xy__buffer_fini(&text);
	free(path);
	free(done);
	return error;
}

int farm_job_run(const struct farm_claimant *claimant, const struct farm_report *report)
{
	struct job_environment environment = { 0 };
	struct farm_claimed piece = { 0 };
	struct job_end end = { 0 };
	int taken = farm_claim(claimant, &piece, report);

	if (taken < 0)
		return 1;
	if (!taken) {
		farm_say(report, "job %s: no piece of set %s is open", claimant->job, claimant->set);
		snprintf(end.reason, sizeof(end.reason), "no piece is open");
		return job_report(claimant, NULL, &end) ? 1 : 0;
	}
	farm_say(report, "job %s on %s takes piece %s", claimant->job, claimant->host, piece.name);
	if (job_prepare(claimant, &piece, &environment)) {
		job_work(&piece, environment.at, &end);
	} else {
		end.status = 1;
		snprintf(end.reason, sizeof(end.reason), "can't make its data folder: %s", strerror(errno));
	}
	if (job_report(claimant, &piece, &end))
		farm_say(report, "job %s: the end of piece %s could not be written", claimant->job, piece.name);
	if (*end.reason)
		farm_say(report, "job %s: piece %s: %s", claimant->job, piece.name, end.reason);
	job_environment_fini(&environment);
	farm_claimed_fini(&piece);
	return end.signal ? 128 + end.signal : end.status;
}
