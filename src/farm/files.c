/* SPDX-License-Identifier: MIT */
/* Files of the farm's folder. A file appears with its whole content or not at all: written aside, then linked. */
#include "farm/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "farm/quote.h"

int farm_files_make(const char *folder, const struct farm_report *report)
{
	static const char *const kinds[] = { "",          "/claims",  "/done", "/progress", "/ended",   "/logs",
					     "/old_logs", "/scripts", "/data", "/local",    "/requests" };
	char *path;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int error = 0;

		if (asprintf(&path, "%s%s", folder, kinds[i]) < 0)
			return -ENOMEM;
		if (mkdir(path, 0777) && errno != EEXIST) {
			error = -errno;
			farm_say(report, "%s: %s", path, strerror(errno));
		}
		free(path);
		if (error)
			return error;
	}
	return 0;
}

/* Writes a text to a new file. 0 or -errno. */
static int files_write(const char *path, const char *text, size_t length)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), error = 0;

	if (fd < 0)
		return -errno;
	while (length && !error) {
		ssize_t n = write(fd, text, length);

		if (n < 0 && errno != EINTR)
			error = -errno;
		if (n > 0) {
			text += n;
			length -= (size_t)n;
		}
	}
	if (!error && fsync(fd) && errno != EINVAL)
		error = -errno;
	if (close(fd) && !error)
		error = -errno;
	if (error)
		unlink(path);
	return error;
}

int farm_files_replace(const char *path, const char *text, size_t length)
{
	char *aside;
	int error;

	if (asprintf(&aside, "%s.%ld", path, (long)getpid()) < 0)
		return -ENOMEM;
	error = files_write(aside, text, length);
	if (!error && rename(aside, path)) {
		error = -errno;
		unlink(aside);
	}
	free(aside);
	return error;
}

char *farm_files_path(const char *folder, const char *kind, const char *file, const char *ending)
{
	char *path;

	return asprintf(&path, "%s/%s/%s%s", folder, kind, file, ending) < 0 ? NULL : path;
}

char *farm_files_path_of(const char *folder, const char *kind, const char *name, const char *ending)
{
	struct xy__buffer file = { 0 };
	char *path = NULL;

	farm_quote_file(&file, name);
	if (!file.failed && file.at)
		path = farm_files_path(folder, kind, file.at, ending);
	xy__buffer_fini(&file);
	return path;
}

int farm_files_create(const char *folder, const char *kind, const char *file, const char *unique, const char *text)
{
	char *path = farm_files_path(folder, kind, file, ""), *aside = NULL;
	struct xy__buffer name = { 0 };
	int error = -ENOMEM;

	xy__buffer_add(&name, ".");
	farm_quote_file(&name, unique);
	xy__buffer_add(&name, ".%ld", (long)getpid());
	if (!name.failed)
		aside = farm_files_path(folder, kind, name.at, "");
	if (path && aside) {
		error = files_write(aside, text, strlen(text));
		if (!error) {
			error = link(aside, path) ? -errno : 0;
			unlink(aside);
		}
	}
	xy__buffer_fini(&name);
	free(aside);
	free(path);
	return error;
}

char *farm_files_read(const char *path, size_t *length)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t room = 4096, used = 0;
	char *text = NULL, *grown;
	ssize_t n = 1;

	if (fd < 0)
		return NULL;
	while (n) {
		if (!text || used + 1 == room) {
			room *= text ? 2 : 1;
			grown = realloc(text, room);
			if (!grown) {
				errno = ENOMEM;
				n = -1;
				break;
			}
			text = grown;
		}
		n = read(fd, text + used, room - used - 1);
		if (n < 0 && errno != EINTR)
			break;
		used += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[used] = '\0';
	*length = used;
	return text;
}

int farm_files_json(struct json *json, char *text, size_t length)
{
	struct graph_source source = { .text = text, .length = length, .name = "JSON" };

	*json = (struct json){ 0 };
	xy__message_init(&source.message, NULL, 0);
	return graph__json_read(json, &source);
}

const char *farm_files_text(const struct json *json, const struct json_node *object, const char *key)
{
	const struct json_node *node = graph__json_find(json, object, key);

	return node && node->kind == JSON_TEXT ? node->text : "";
}

double farm_files_number(const struct json *json, const struct json_node *object, const char *key, double otherwise)
{
	const struct json_node *node = graph__json_find(json, object, key);

	return node && node->kind == JSON_NUMBER ? node->number : otherwise;
}
