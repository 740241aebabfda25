/* SPDX-License-Identifier: MIT */
/*
 * Reading the farm's folder. Three listings in each round, however many pieces there are; a claim is opened once, when
 * it is new, and a log is read from where the last round stopped.
 */
#include "farm/observe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "farm/files.h"

#define OBSERVE_BLOCK 65536
#define OBSERVE_OVERLAP 4096 /* a text that is found across two rounds may be this long */

int farm_observer_init(struct farm_observer *observer, const struct farm *farm)
{
	int error = 0;

	*observer = (struct farm_observer){ .farm = farm };
	observer->done = calloc(farm->npieces + 1, sizeof(bool));
	observer->claimed = calloc(farm->npieces + 1, sizeof(bool));
	if (!observer->done || !observer->claimed)
		error = -ENOMEM;
	for (size_t i = 0; i < farm->npieces && !error; i++)
		error = graph__names_add(&observer->files, farm->pieces[i].file, (uint32_t)i);
	if (!error && farm->kill_on_error && farm->kill_is_pattern) {
		error = regcomp(&observer->pattern, farm->kill_on_error, REG_EXTENDED | REG_NOSUB | REG_NEWLINE)
				? -EINVAL
				: 0;
		observer->has_pattern = !error;
	}
	if (error)
		farm_observer_fini(observer);
	return error;
}

void farm_observer_fini(struct farm_observer *observer)
{
	if (observer->has_pattern)
		regfree(&observer->pattern);
	free(observer->done);
	free(observer->claimed);
	free(observer->claims);
	free(observer->ends);
	free(observer->kills);
	graph__names_fini(&observer->files);
	*observer = (struct farm_observer){ 0 };
}

/* Room for one more item; the list, or NULL. */
static void *observe_grow(void *list, size_t count, size_t *room, size_t size)
{
	void *grown;

	if (count < *room)
		return list;
	grown = realloc(list, (*room ? 2 * *room : 64) * size);
	if (grown)
		*room = *room ? 2 * *room : 64;
	return grown;
}

/* Calls see for each file of a folder whose name does not begin with a dot. */
static int observe_list(struct farm_observer *observer, const char *kind, const struct farm_state *state,
			int (*see)(struct farm_observer *observer, const struct farm_state *state, const char *file))
{
	char *path = farm_files_path(observer->farm->folder, kind, "", "");
	DIR *folder = path ? opendir(path) : NULL;
	struct dirent *entry;
	int error = folder ? 0 : path ? -errno : -ENOMEM;

	while (folder && !error && (errno = 0, entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			error = see(observer, state, entry->d_name);
	if (!error && folder && errno)
		error = -errno;
	if (error)
		farm_say(state->report, "%s: %s", path ? path : kind, strerror(-error));
	if (folder)
		closedir(folder);
	free(path);
	return error;
}

static int observe_done(struct farm_observer *observer, const struct farm_state *state, const char *file)
{
	uint32_t piece;

	(void)state;
	if (graph__names_find(&observer->files, file, &piece))
		observer->done[piece] = true;
	return 0;
}

/* Reads a small file of JSON. 0, or -errno; *text is to be freed in any case. */
static int observe_read(struct farm_observer *observer, const char *kind, const char *file, struct json *json,
			char **text)
{
	char *path = farm_files_path(observer->farm->folder, kind, file, "");
	size_t length;

	*json = (struct json){ 0 };
	*text = path ? farm_files_read(path, &length) : NULL;
	free(path);
	return *text ? farm_files_json(json, *text, length) : -errno;
}

static int observe_claim(struct farm_observer *observer, const struct farm_state *state, const char *file)
{
	struct farm_claim *claims;
	struct json json;
	uint32_t piece;
	char *text;
	int error;

	if (!graph__names_find(&observer->files, file, &piece))
		return 0;
	observer->claimed[piece] = true;
	if (state->records[piece].step == FARM_RUNNING || state->records[piece].step == FARM_DONE)
		return 0;
	claims = observe_grow(observer->claims, observer->nclaims, &observer->claims_room, sizeof(*claims));
	if (!claims)
		return -ENOMEM;
	observer->claims = claims;
	error = observe_read(observer, "claims", file, &json, &text);
	if (!error) {
		claims[observer->nclaims].piece = piece;
		snprintf(claims[observer->nclaims].job, sizeof(claims->job), "%s",
			 farm_files_text(&json, json.nodes, "job"));
		observer->nclaims++;
	} else if (error == -EINVAL) {
		farm_say(state->report, "%s/claims/%s: is no claim", observer->farm->folder, file);
	}
	graph__json_fini(&json);
	free(text);
	return error == -ENOMEM ? error : 0;
}

static int observe_end(struct farm_observer *observer, const struct farm_state *state, const char *file)
{
	struct farm_end *ends = observe_grow(observer->ends, observer->nends, &observer->ends_room, sizeof(*ends)),
			*end;
	const struct json_node *piece;
	struct json json;
	char *text;

	(void)state;
	if (!ends)
		return -ENOMEM;
	observer->ends = ends;
	if (!observe_read(observer, "ended", file, &json, &text)) {
		end = &ends[observer->nends++];
		*end = (struct farm_end){ .status = (int)farm_files_number(&json, json.nodes, "status", -1),
					  .signal = (int)farm_files_number(&json, json.nodes, "signal", 0) };
		piece = graph__json_find(&json, json.nodes, "piece");
		end->had_piece = piece && piece->kind == JSON_TEXT;
		snprintf(end->job, sizeof(end->job), "%s", farm_files_text(&json, json.nodes, "job"));
		snprintf(end->reason, sizeof(end->reason), "%s", farm_files_text(&json, json.nodes, "reason"));
	}
	graph__json_fini(&json);
	free(text);
	return 0;
}

/* --- kill rules --- */

static bool observe_matches(const struct farm_observer *observer, const char *text)
{
	if (observer->has_pattern)
		return !regexec(&observer->pattern, text, 0, NULL, 0);
	return strstr(text, observer->farm->kill_on_error);
}

/* Searches what is new in a log, with some of what was searched before in case the text was cut. */
static bool observe_search(const struct farm_observer *observer, struct farm_job *job)
{
	char *path = farm_files_path_of(observer->farm->folder, "logs", job->id, ".out");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	char block[OBSERVE_BLOCK + 1];
	off_t from = job->searched > OBSERVE_OVERLAP ? job->searched - OBSERVE_OVERLAP : 0;
	bool found = false;
	ssize_t n = 0;

	while (fd >= 0 && !found && (n = pread(fd, block, OBSERVE_BLOCK, from)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			if (!block[i])
				block[i] = ' ';
		block[n] = '\0';
		found = observe_matches(observer, block);
		job->searched = from + n;
		from = n == OBSERVE_BLOCK ? from + n - OBSERVE_OVERLAP : from + n;
		if (n < OBSERVE_BLOCK)
			break;
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return found;
}

static int observe_kills(struct farm_observer *observer, struct farm_state *state)
{
	for (size_t i = 0; i < state->njobs; i++) {
		struct farm_job *job = &state->jobs[i];
		struct farm_kill *kills;

		if (!job->claimed || job->verdict || job->piece == FARM_NONE ||
		    state->records[job->piece].step != FARM_RUNNING)
			continue;
		kills = observe_grow(observer->kills, observer->nkills, &observer->kills_room, sizeof(*kills));
		if (!kills)
			return -ENOMEM;
		observer->kills = kills;
		if (!observe_search(observer, job))
			continue;
		kills[observer->nkills].job = i;
		snprintf(kills[observer->nkills].reason, sizeof(kills->reason),
			 "kill_on_error %s\"%.100s\" is in its log", observer->has_pattern ? "pattern " : "",
			 observer->farm->kill_on_error);
		observer->nkills++;
	}
	return 0;
}

int farm_observe(struct farm_observer *observer, struct farm_state *state, const struct farm_queue *queue,
		 struct farm_seen *seen)
{
	int error;

	observer->nclaims = observer->nends = observer->nkills = 0;
	memset(observer->done, 0, observer->farm->npieces);
	memset(observer->claimed, 0, observer->farm->npieces);
	error = observe_list(observer, "claims", state, observe_claim);
	if (!error)
		error = observe_list(observer, "ended", state, observe_end);
	if (!error)
		error = observe_list(observer, "done", state, observe_done);
	if (!error && observer->farm->kill_on_error)
		error = observe_kills(observer, state);
	*seen = (struct farm_seen){ .queue = queue,
				    .done = observer->done,
				    .claimed = observer->claimed,
				    .claims = observer->claims,
				    .nclaims = observer->nclaims,
				    .ends = observer->ends,
				    .nends = observer->nends,
				    .kills = observer->kills,
				    .nkills = observer->nkills };
	return error;
}
