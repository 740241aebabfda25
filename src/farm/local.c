/* SPDX-License-Identifier: MIT */
/* The scheduler of this computer: cores and GPUs are slots, files with locks are the queue. */
#include "farm/local.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/util/text.h"
#include "farm/cluster.h"
#include "farm/files.h"
#include "farm/process.h"
#include "farm/script.h"

extern char **environ;

#define LOCAL_FD 3 /* the job's file in its processes */
#define LOCAL_SLOTS 1024

/* Which cores and GPUs are taken. */
struct local_slots {
	bool cores[LOCAL_SLOTS], gpus[LOCAL_SLOTS];
};

/* --- the queue --- */

/* A job's file while it lives: its text, to be freed; NULL if it is over. */
static char *local_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool lives = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
	size_t length;

	if (fd >= 0)
		close(fd);
	return lives ? farm_files_read(path, &length) : NULL;
}

static void local_mark(const struct json *json, const char *key, bool *slots)
{
	const struct json_node *list = graph__json_find(json, json->nodes, key);

	for (const struct json_node *item = graph__json_first(json, list); item; item = graph__json_next(json, item))
		if (item->kind == JSON_NUMBER && item->number >= 0 && item->number < LOCAL_SLOTS)
			slots[(int)item->number] = true;
}

/* Looks at all jobs: adds those that live to a queue, marks what they have; removes the files of the others. */
static int local_list(struct farm_cluster *cluster, struct farm_queue *queue, struct local_slots *slots)
{
	char *path = farm_text(&cluster->scratch, "%s/local", cluster->farm->folder);
	DIR *folder = path ? opendir(path) : NULL;
	struct dirent *entry;
	int error = folder ? 0 : path ? -errno : -ENOMEM;

	while (folder && !error && (entry = readdir(folder))) {
		char *file = farm_text(&cluster->scratch, "%s/%s", path, entry->d_name), *text;
		struct json json = { 0 };

		if (entry->d_name[0] == '.' || !file)
			continue;
		text = local_read(file);
		if (text)
			text[strcspn(text, "\n")] = '\0';
		if (!text) {
			unlink(file);
		} else if (!farm_files_json(&json, text, strlen(text))) {
			struct farm_queued *queued = queue ? farm_queue_add(queue) : NULL;

			if (queued) {
				snprintf(queued->id, sizeof(queued->id), "%.60s", entry->d_name);
				snprintf(queued->set, sizeof(queued->set), "%s",
					 farm_files_text(&json, json.nodes, "set"));
				queued->running = true;
			}
			error = queue && !queued ? -ENOMEM : 0;
			if (slots) {
				local_mark(&json, "cores", slots->cores);
				local_mark(&json, "gpus", slots->gpus);
			}
		}
		graph__json_fini(&json);
		free(text);
	}
	if (folder)
		closedir(folder);
	if (error)
		farm_say(cluster->report, "%s/local: %s", cluster->farm->folder, strerror(-error));
	return error;
}

static int local_queue(struct farm_cluster *cluster, struct farm_queue *queue)
{
	return local_list(cluster, queue, NULL);
}

/* --- slots --- */

/* GPUs by their device files. */
static unsigned local_count_gpus(void)
{
	glob_t found;
	unsigned count = 0;

	if (!glob("/dev/nvidia[0-9]*", 0, NULL, &found)) {
		count = (unsigned)found.gl_pathc;
		globfree(&found);
	}
	return count;
}

/* GPUs that a gres asks for: gpu, gpu:2, gpu:a100:2. */
static unsigned local_gpus(const char *gres)
{
	const char *at = gres ? strrchr(gres, ':') : NULL;
	uint64_t count = 1;

	if (!gres || strncmp(gres, "gpu", 3))
		return 0;
	if (at)
		at++;
	return at && xy__text_unsigned(&at, LOCAL_SLOTS, &count) ? (unsigned)count : 1;
}

/* Takes some free slots: a list such as 0,2 in text. False if there are not enough. */
static bool local_take(bool *taken, const bool *exist, unsigned wanted, char *text, size_t size)
{
	unsigned free_slots = 0;
	size_t used = 0;

	for (unsigned i = 0; i < LOCAL_SLOTS; i++)
		free_slots += exist[i] && !taken[i];
	if (free_slots < wanted)
		return false;
	*text = '\0';
	for (unsigned i = 0; i < LOCAL_SLOTS && wanted; i++) {
		if (!exist[i] || taken[i])
			continue;
		taken[i] = true;
		wanted--;
		used += (size_t)snprintf(text + used, size - used, "%s%u", used ? "," : "", i);
	}
	return true;
}

/* --- submitting --- */

/* The next number for a job; numbers are never used twice in a farm. */
static int local_number(struct farm_cluster *cluster, unsigned long *number)
{
	char *path = farm_text(&cluster->scratch, "%s/local/.next", cluster->farm->folder), text[32], *old;
	size_t length;
	int error;

	if (!path)
		return -ENOMEM;
	old = farm_files_read(path, &length);
	*number = old ? strtoul(old, NULL, 10) : 1;
	free(old);
	snprintf(text, sizeof(text), "%lu\n", *number + 1);
	error = farm_files_replace(path, text, strlen(text));
	return error;
}

static uint64_t local_bytes(const char *memory)
{
	static const char units[] = "KMGT";
	const char *at = memory, *unit;
	uint64_t value;

	if (!memory || !xy__text_unsigned(&at, 1000000000000, &value))
		return 0;
	unit = *at ? strchr(units, *at) : units + 1;
	return unit ? value << (10 * (unit - units + 1)) : 0;
}

/* Starts the supervisor with the job's file as descriptor 3 and the job's log as output. */
static int local_spawn(struct farm_cluster *cluster, const struct farm_words *words, int fd, const char *log)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	char **argv = farm_process_argv(words);
	pid_t pid;
	int error;

	if (!argv || cluster->scratch.failed || posix_spawn_file_actions_init(&actions)) {
		free(argv);
		return -ENOMEM;
	}
	if (farm_process_attributes(&attributes, POSIX_SPAWN_SETSID)) {
		posix_spawn_file_actions_destroy(&actions);
		free(argv);
		return -ENOMEM;
	}
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0666);
	posix_spawn_file_actions_adddup2(&actions, 1, 2);
	posix_spawn_file_actions_adddup2(&actions, fd, LOCAL_FD);
	error = posix_spawnp(&pid, argv[0], &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	free(argv);
	return -error;
}

/* Opens, locks and fills a job's new file; the descriptor or -errno. It is above those that spawning uses. */
static int local_create(const char *path, const char *text)
{
	int low = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	int fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, 10), error;

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) || write(fd, text, strlen(text)) != (ssize_t)strlen(text)) {
		error = errno ? -errno : -EIO;
		if (low >= 0)
			unlink(path);
		if (fd >= 0)
			close(fd);
		fd = error;
	}
	if (low >= 0)
		close(low);
	return fd;
}

static int local_start(struct farm_cluster *cluster, const struct farm_piece *piece, const char *cores,
		       const char *gpus, struct farm_words *ids)
{
	struct farm *memory = &cluster->scratch;
	const char *folder = cluster->farm->folder;
	const struct farm_resources *r = &piece->resources;
	unsigned long number;
	char *id, *path, *text;
	int fd, error = local_number(cluster, &number);

	if (error)
		return error;
	id = farm_text(memory, "%lu", number);
	path = farm_text(memory, "%s/local/%lu", folder, number);
	text = farm_text(memory, "{\"set\":\"%s\",\"cores\":[%s],\"gpus\":[%s]}\n", piece->set, cores, gpus);
	if (!id || !path || !text)
		return -ENOMEM;
	fd = local_create(path, text);
	if (fd < 0)
		return fd;
	{
		const char *words[] = { cluster->tool,
					"farm",
					"supervise",
					folder,
					id,
					farm_cluster_script(cluster, piece->set),
					cores,
					gpus,
					farm_text(memory, "%u", r->time_limit_s),
					farm_text(memory, "%u", r->warning_s),
					farm_text(memory, "%llu", (unsigned long long)local_bytes(r->memory)) };
		struct farm_words all = { 0 };

		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (words[i])
				farm_words_add(memory, &all, words[i]);
		error = local_spawn(cluster, &all, fd, farm_text(memory, "%s/logs/%s.out", folder, id));
	}
	close(fd);
	if (error)
		unlink(path);
	else
		farm_words_add(memory, ids, id);
	return error;
}

static int local_submit(struct farm_cluster *cluster, const struct farm_piece *piece, unsigned count,
			struct farm_words *ids, char *error, size_t size)
{
	unsigned wanted = farm_script_cores(&piece->resources), gpus = local_gpus(piece->resources.gres), ncores = 0;
	struct local_slots taken = { 0 }, exist = { 0 };
	char cores_text[4 * LOCAL_SLOTS], gpus_text[4 * LOCAL_SLOTS];
	cpu_set_t set;
	int failed = 0;

	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	for (unsigned i = 0; i < LOCAL_SLOTS && i < CPU_SETSIZE; i++)
		ncores += exist.cores[i] = CPU_ISSET(i, &set);
	cluster->ngpus = local_count_gpus();
	for (unsigned i = 0; i < cluster->ngpus && i < LOCAL_SLOTS; i++)
		exist.gpus[i] = true;
	if (wanted > ncores || gpus > cluster->ngpus || piece->resources.nodes > 1) {
		snprintf(error, size,
			 "%s wants %u core(s), %u GPU(s) and %u node(s), but this computer has %u, %u and 1",
			 piece->name, wanted, gpus, piece->resources.nodes ? piece->resources.nodes : 1, ncores,
			 cluster->ngpus);
		return -E2BIG;
	}
	failed = local_list(cluster, NULL, &taken);
	for (unsigned i = 0; i < count && !failed; i++) {
		if (!local_take(taken.cores, exist.cores, piece->resources.exclusive ? ncores : wanted, cores_text,
				sizeof(cores_text)) ||
		    !local_take(taken.gpus, exist.gpus, gpus, gpus_text, sizeof(gpus_text)))
			break;
		failed = local_start(cluster, piece, cores_text, gpus_text, ids);
	}
	if (failed)
		snprintf(error, size, "a job can't be started: %s", strerror(-failed));
	return ids->count ? 0 : failed;
}

static int local_cancel(struct farm_cluster *cluster, const struct farm_words *ids)
{
	for (size_t i = 0; i < ids->count; i++) {
		char *path = farm_text(&cluster->scratch, "%s/local/%s", cluster->farm->folder, ids->at[i]);
		char *text = path ? local_read(path) : NULL;
		struct json json = { 0 };
		long pid = 0;

		/* The supervisor adds a second line once it runs: who it is. */
		char *second = text ? strchr(text, '\n') : NULL;

		if (second && second[1] && !farm_files_json(&json, second + 1, strlen(second + 1)))
			pid = (long)farm_files_number(&json, json.nodes, "pid", 0);
		/* While the lock is held by something of the session, its number can't belong to another. */
		if (pid > 1 && kill((pid_t)pid, SIGTERM) && errno == ESRCH)
			farm_local_session(pid, SIGKILL);
		graph__json_fini(&json);
		free(text);
	}
	return 0;
}

const struct farm_cluster_ops farm_local = {
	.name = "local",
	.job = "\"$XYLEM_FARM_JOB\"",
	.prologue = "",
	.most = LOCAL_SLOTS,
	.queue = local_queue,
	.submit = local_submit,
	.cancel = local_cancel,
};
