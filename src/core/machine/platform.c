/* SPDX-License-Identifier: MIT */
/*
 * Machine files: where they are found, and what becomes of them.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/perf/store.h"
#include "core/machine/platform_parts.h"
#include "core/util/nearest.h"
#include "core/util/text.h"

#define PLATFORM_SUFFIX ".xym"

/* Where the machines are if this library has not been installed: beside the build that it is in. */
static bool platform_build_folder(char *folder, size_t size)
{
	Dl_info library;
	char path[XY__STORE_PATH];
	char *end;

	if (!dladdr(PLATFORM_SUFFIX, &library) || !library.dli_fname)
		return false;
	snprintf(path, sizeof path, "%s", library.dli_fname);
	end = strrchr(path, '/');
	if (!end)
		return false;
	*end = '\0';
	if (end - path >= 6 && !strcmp(end - 6, "/.libs"))
		end[-6] = '\0';
	return snprintf(folder, size, "%s/config.status", path) < (int)size && !access(folder, F_OK) &&
	       snprintf(folder, size, "%s/machines", path) < (int)size;
}

/* Calls visit with each folder, until it says true. */
static bool platform_each_folder(const char *folders, bool (*visit)(void *arg, const char *folder), void *arg)
{
	const char *at = folders ? folders : "";
	char folder[XY__STORE_PATH];

	while (*at) {
		size_t length = strcspn(at, ":");

		if (length > 0 && length < sizeof folder) {
			memcpy(folder, at, length);
			folder[length] = '\0';
			if (visit(arg, folder))
				return true;
		}
		at += length + (at[length] == ':');
	}
	if (platform_build_folder(folder, sizeof folder) && visit(arg, folder))
		return true;
	return visit(arg, XY__MACHINES_FOLDER);
}

struct platform_search {
	const char *name;
	char path[XY__STORE_PATH];
	char *text;
	int status;
};

static void platform_say_nothing(void *arg, const char *line)
{
	(void)arg;
	(void)line;
}

static void platform_load(struct platform_search *search)
{
	static const struct xy__log silent = { platform_say_nothing, NULL };

	search->status = xy__store_read(search->path, &search->text, &silent);
}

static bool platform_visit_file(void *arg, const char *folder)
{
	struct platform_search *search = arg;

	if (snprintf(search->path, sizeof search->path, "%s/%s" PLATFORM_SUFFIX, folder, search->name) >=
	    (int)sizeof search->path)
		return false;
	platform_load(search);
	return search->status != -ENOENT && search->status != -ENOTDIR;
}

/* --- which machines there are --- */

/* Whether the list has this name already: the first folder that has a machine counts. */
static bool platform_is_listed(const struct xy__buffer *names, const char *name, size_t length)
{
	for (const char *at = names->at; at && *at; at = strchr(at, '\n') + 1)
		if (!strncmp(at, name, length) && at[length] == '\n')
			return true;
	return false;
}

static bool platform_visit_folder(void *arg, const char *folder)
{
	struct xy__buffer *names = arg;
	struct dirent **entries;
	int count = scandir(folder, &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		const char *suffix = strrchr(entries[i]->d_name, '.');

		if (suffix && suffix != entries[i]->d_name && !strcmp(suffix, PLATFORM_SUFFIX) &&
		    !platform_is_listed(names, entries[i]->d_name, (size_t)(suffix - entries[i]->d_name)))
			xy__buffer_add(names, "%.*s\n", (int)(suffix - entries[i]->d_name), entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return false;
}

void xy__platform_list(const char *folders, struct xy__buffer *names)
{
	platform_each_folder(folders, platform_visit_folder, names);
}

static void platform_not_found(const char *name, const char *folders, struct xy__buffer *problems)
{
	struct xy__buffer names = { 0 };
	struct xy__nearest nearest;
	struct xy__message message;
	char sentence[512];

	xy__platform_list(folders, &names);
	xy__nearest_init(&nearest, name, strlen(name));
	for (char *at = names.at, *end; at && *at; at = end + 1) {
		end = strchr(at, '\n');
		*end = '\0';
		xy__nearest_look(&nearest, at);
	}
	xy__message_init(&message, sentence, sizeof sentence);
	xy__message_add(&message, "no machine \"%.64s\"", name);
	if (!xy__nearest_say(&nearest, &message))
		xy__message_add(&message, "; the path of a machine file has a '/' or ends with " PLATFORM_SUFFIX
					  ", and XYLEM_MACHINES lists further folders");
	xy__buffer_add(problems, "%s\n", sentence);
	xy__buffer_fini(&names);
}

/* --- reading --- */

int xy__platform_read_all(struct xy__platform **p, const char *name_or_path, const char *folders,
			  struct xy__buffer *problems)
{
	struct platform_search search = { .status = -ENOENT };
	bool is_path;

	*p = NULL;
	name_or_path += *name_or_path == '@'; /* as in a machine's text */
	is_path = strpbrk(name_or_path, "/.");
	search.name = name_or_path;
	if (is_path && strlen(name_or_path) < sizeof search.path) {
		strcpy(search.path, name_or_path);
		platform_load(&search);
	} else if (!is_path) {
		platform_each_folder(folders, platform_visit_file, &search);
	}
	if (search.status && (is_path || (search.status != -ENOENT && search.status != -ENOTDIR)))
		xy__buffer_add(problems, "%s: %s\n", is_path ? name_or_path : search.path,
			       search.status == -EFBIG ? "not a text file, or too large" : strerror(-search.status));
	else if (search.status)
		platform_not_found(name_or_path, folders, problems);
	if (search.status)
		return search.status;
	search.status = xy__platform_read_text(p, search.text, search.path, problems);
	free(search.text);
	return search.status;
}

int xy__platform_read(struct xy__platform **p, const char *name_or_path, const char *folders, char *error,
		      size_t error_size)
{
	struct xy__buffer problems = { 0 };
	int status = xy__platform_read_all(p, name_or_path, folders, &problems);

	xy__text_print(error, error_size, "%.*s", problems.at ? (int)strcspn(problems.at, "\n") : 0,
		       problems.at ? problems.at : "");
	xy__buffer_fini(&problems);
	return status;
}

void xy__platform_destroy(struct xy__platform *p)
{
	if (!p)
		return;
	xy__kernels_destroy(p->kernels);
	free(p->workers);
	free(p->links);
	free(p->routes);
	free(p->topology);
	free(p);
}
