/* SPDX-License-Identifier: MIT */
/* Requests: one file each, named by process and time so that two users never write the same one. */
#include "farm/request.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "farm/files.h"
#include "farm/quote.h"

int farm_request_write(const struct farm *farm, enum farm_wish wish, const struct farm_words *names,
		       const struct farm_report *report)
{
	struct xy__buffer text = { 0 };
	struct timespec now;
	char file[64];
	int error;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(file, sizeof(file), "%lld.%09ld-%ld", (long long)now.tv_sec, now.tv_nsec, (long)getpid());
	xy__buffer_add(&text, "{\"do\":\"%s\",\"pieces\":", wish == FARM_CANCEL ? "cancel" : "retry");
	farm_quote_json_words(&text, names);
	xy__buffer_add(&text, "}\n");
	error = text.failed ? -ENOMEM : farm_files_create(farm->folder, "requests", file, file, text.at);
	if (error)
		farm_say(report, "%s/requests: %s", farm->folder, strerror(-error));
	xy__buffer_fini(&text);
	return error;
}

static int request_do_piece(struct farm_manager *manager, enum farm_wish wish, size_t piece)
{
	return wish == FARM_CANCEL ? farm_round_cancel(&manager->round, piece)
				   : farm_round_retry(&manager->round, piece);
}

int farm_request_do(struct farm_manager *manager, enum farm_wish wish, const struct farm_words *names)
{
	const struct farm *farm = manager->farm;
	int error = 0;

	for (size_t i = 0; i < farm->npieces && !names->count && !error; i++)
		error = request_do_piece(manager, wish, i);
	for (size_t n = 0; n < names->count && !error; n++) {
		size_t i = 0;

		while (i < farm->npieces && strcmp(farm->pieces[i].name, names->at[n]))
			i++;
		if (i == farm->npieces)
			farm_say(manager->report, "there is no piece \"%s\"", names->at[n]);
		else
			error = request_do_piece(manager, wish, i);
	}
	return error;
}

/* Does the request of one file. */
static int request_read(struct farm_manager *manager, const char *path)
{
	struct farm_words names = { 0 };
	struct json json = { 0 };
	size_t length;
	char *text = farm_files_read(path, &length);
	int error = 0;

	if (text && !farm_files_json(&json, text, length)) {
		const char *what = farm_files_text(&json, json.nodes, "do");
		const struct json_node *list = graph__json_find(&json, json.nodes, "pieces");

		for (const struct json_node *item = graph__json_first(&json, list); item;
		     item = graph__json_next(&json, item))
			if (item->kind == JSON_TEXT)
				farm_words_add(&manager->cluster.scratch, &names, item->text);
		if (!strcmp(what, "cancel") || !strcmp(what, "retry"))
			error = farm_request_do(manager, !strcmp(what, "cancel") ? FARM_CANCEL : FARM_RETRY, &names);
	}
	graph__json_fini(&json);
	free(text);
	return error;
}

int farm_request_take(struct farm_manager *manager)
{
	char *folder = farm_files_path(manager->farm->folder, "requests", "", "");
	struct dirent **entries = NULL;
	int n = folder ? scandir(folder, &entries, NULL, alphasort) : 0, error = 0;

	for (int i = 0; i < n; i++) {
		char *path = farm_files_path(manager->farm->folder, "requests", entries[i]->d_name, "");

		if (path && entries[i]->d_name[0] != '.' && !error) {
			error = request_read(manager, path);
			/* After its transitions are written: a request that is done twice changes nothing. */
			if (!error)
				unlink(path);
		}
		free(path);
		free(entries[i]);
	}
	free(entries);
	free(folder);
	return error;
}

bool farm_request_waits(const struct farm *farm)
{
	char *path = farm_files_path(farm->folder, "requests", "", "");
	DIR *folder = path ? opendir(path) : NULL;
	struct dirent *entry;
	bool waits = false;

	while (folder && !waits && (entry = readdir(folder)))
		waits = entry->d_name[0] != '.';
	if (folder)
		closedir(folder);
	free(path);
	return waits;
}
