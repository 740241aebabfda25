/* SPDX-License-Identifier: MIT */
/* xylem farm cancel, retry and cleanup: through the manager if one runs, else in its place. */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "farm/files.h"
#include "farm/request.h"
#include "tools/farm.h"

static void change_hush(void *arg, const char *line)
{
	snprintf(arg, 2000, "%s", line);
}

/* Becomes the manager; -EBUSY without a message if another is. */
static int change_open(struct farm_manager *manager, struct farm_session_data *data)
{
	char line[2000] = "";
	struct farm_report quiet = { .say = change_hush, .arg = line };
	int error = farm_manager_open(manager, &data->farm, &data->place, &quiet);

	if (error && error != -EBUSY)
		farm_say(&farm_report, "%s", line);
	if (!error)
		manager->report = manager->state.report = manager->cluster.report = &farm_report;
	return error;
}

static bool change_names_exist(const struct farm *farm, const struct farm_words *names)
{
	for (size_t n = 0; n < names->count; n++)
		if (farm_find_piece(farm, names->at[n]) == FARM_NONE)
			return false;
	return true;
}

static enum tool_status change_wish(const struct farm_arguments *arguments, enum farm_wish wish)
{
	struct farm_session_data data;
	struct farm_manager manager;
	enum tool_status status = farm_load(&data, arguments);
	int error;

	if (status == TOOL_OK && !change_names_exist(&data.farm, &arguments->names))
		status = TOOL_WRONG;
	if (status == TOOL_OK) {
		error = change_open(&manager, &data);
		if (error == -EBUSY) {
			error = farm_request_write(&data.farm, wish, &arguments->names, &farm_report);
			if (!error)
				printf("the manager was asked to\n");
		} else if (!error) {
			farm_state_set_time(&manager.state, (int64_t)time(NULL));
			error = farm_request_do(&manager, wish, &arguments->names);
			if (!error)
				error = farm_manager_cancel(&manager);
			farm_manager_close(&manager);
		}
		status = farm_status_of(error);
	}
	farm_unload(&data);
	return status;
}

enum tool_status farm_cancel(const struct farm_arguments *arguments)
{
	return change_wish(arguments, FARM_CANCEL);
}

enum tool_status farm_retry(const struct farm_arguments *arguments)
{
	return change_wish(arguments, FARM_RETRY);
}

/* --- cleanup --- */

static int change_remove(const char *path, const struct stat *stat, int kind, struct FTW *place)
{
	(void)stat;
	(void)kind;
	(void)place;
	if (remove(path))
		tool_say("farm: %s: %s", path, strerror(errno));
	return 0;
}

/* Removes the files of a folder of the farm; those that begin with a dot stay. */
static size_t change_empty(const struct farm *farm, const char *kind)
{
	char *path = farm_files_path(farm->folder, kind, "", "");
	DIR *folder = path ? opendir(path) : NULL;
	struct dirent *entry;
	size_t removed = 0;

	while (folder && (entry = readdir(folder))) {
		char *file = entry->d_name[0] == '.' ? NULL : farm_files_path(farm->folder, kind, entry->d_name, "");

		removed += file && !unlink(file);
		free(file);
	}
	if (folder)
		closedir(folder);
	free(path);
	return removed;
}

enum tool_status farm_cleanup(const struct farm_arguments *arguments)
{
	static const char *const kinds[] = { "logs", "old_logs", "ended", "scripts" };
	struct farm_session_data data;
	struct farm_manager manager;
	enum tool_status status = farm_load(&data, arguments);
	size_t removed = 0;
	int error;

	if (status != TOOL_OK || access(data.farm.folder, F_OK)) {
		farm_unload(&data);
		return status;
	}
	error = farm_manager_open(&manager, &data.farm, &data.place, &farm_report);
	if (!error) {
		struct farm_queue queue = { 0 };
		size_t living = 0;

		/* Jobs that the state has not seen end yet need their files. */
		error = manager.cluster.ops->queue(&manager.cluster, &queue);
		for (size_t i = 0; i < queue.count; i++)
			living += !queue.at[i].ended;
		if (!error && living) {
			tool_say("farm: %zu jobs of the farm are in the queue: cancel them first", living);
			error = -EINVAL;
		}
		for (size_t i = 0; !error && i < sizeof(kinds) / sizeof(kinds[0]); i++)
			removed += change_empty(&data.farm, kinds[i]);
		farm_queue_fini(&queue);
		farm_manager_close(&manager);
		if (!error && arguments->all)
			nftw(data.farm.folder, change_remove, 16, FTW_DEPTH | FTW_PHYS);
		else if (!error)
			printf("removed %zu files; state and data stay\n", removed);
	}
	status = farm_status_of(error);
	farm_unload(&data);
	return status;
}
