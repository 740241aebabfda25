/* SPDX-License-Identifier: MIT */
/*
 * The folder of models on a disk that other processes use too.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/perf/store.h"

enum { STORE_TRIES = 500, STORE_PAUSE_MS = 10, STORE_ASIDE = 100, STORE_MOST_BYTES = 16 << 20 };

bool xy__store_name(char *text, size_t size, const char *name)
{
	size_t n = 0;

	for (const char *at = name; *at; at++) {
		bool plain = isalnum((unsigned char)*at) || strchr("_-+,", *at) || (*at == '.' && at > name);

		if (n + 4 > size)
			return false;
		n += (size_t)snprintf(text + n, size - n, plain ? "%c" : "%%%02X", (unsigned char)*at);
	}
	return n > 0;
}

bool xy__store_path(const struct xy__store *s, const char *name, const char *suffix, char *path)
{
	char file[XY__MODEL_NAME * 3];

	if (!xy__store_name(file, sizeof file, name))
		return false;
	return snprintf(path, XY__STORE_PATH, "%s/%s.%s%s", s->folder, file, s->host, suffix) < XY__STORE_PATH;
}

static int store_error(const struct xy__log *log, const char *what, const char *path)
{
	int error = -errno;

	xy__log(log, "models: %s %s: %s", path, what, strerror(-error));
	return error;
}

int xy__store_read(const char *path, char **text, const struct xy__log *log)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat info;
	size_t n = 0;

	*text = NULL;
	if (fd < 0)
		return errno == ENOENT ? -ENOENT : store_error(log, "can't be opened", path);
	if (fstat(fd, &info) || !S_ISREG(info.st_mode) || info.st_size > STORE_MOST_BYTES) {
		close(fd);
		errno = EFBIG;
		return store_error(log, "is not a file of this type", path);
	}
	*text = malloc((size_t)info.st_size + 1);
	while (*text && n < (size_t)info.st_size) {
		ssize_t got = read(fd, *text + n, (size_t)info.st_size - n);

		if (got <= 0)
			break;
		n += (size_t)got;
	}
	close(fd);
	if (!*text)
		return -ENOMEM;
	(*text)[n] = '\0';
	return 0;
}

static void store_say_nothing(void *arg, const char *line)
{
	(void)arg;
	(void)line;
}

int xy__store_load_path(const char *path, struct xy__model_file *file, char *error, size_t error_size)
{
	struct xy__log quiet = { .function = store_say_nothing };
	char *text;
	int status = xy__store_read(path, &text, &quiet);

	if (status) {
		snprintf(error, error_size, "%s", strerror(-status));
		return status;
	}
	status = xy__model_file_read(file, text, error, error_size);
	free(text);
	return status;
}

/* --- changing the folder --- */

static int store_make_folder(const struct xy__store *s)
{
	char path[XY__STORE_PATH];

	if (snprintf(path, sizeof path, "%s", s->folder) >= (int)sizeof path) {
		errno = ENAMETOOLONG;
		return store_error(s->log, "can't be created", s->folder);
	}
	for (char *at = path + 1; *at; at++)
		if (*at == '/') {
			*at = '\0';
			mkdir(path, 0777); /* the last one tells whether it worked */
			*at = '/';
		}
	if (mkdir(path, 0777) && errno != EEXIST)
		return store_error(s->log, "can't be created", s->folder);
	return 0;
}

int xy__store_lock(const struct xy__store *s)
{
	char path[XY__STORE_PATH];
	int fd, status = store_make_folder(s);

	if (status)
		return status;
	snprintf(path, sizeof path, "%s/.lock", s->folder);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return store_error(s->log, "can't be opened", path);
	for (int i = 0; flock(fd, LOCK_EX | LOCK_NB); i++) {
		struct timespec pause = { .tv_nsec = STORE_PAUSE_MS * 1000000L };

		if (i == STORE_TRIES || (errno != EWOULDBLOCK && errno != EINTR)) {
			status = store_error(s->log, "can't be locked", path);
			close(fd);
			return status;
		}
		nanosleep(&pause, NULL);
	}
	return fd;
}

int xy__store_set_aside(const struct xy__store *s, const char *path, const char *why)
{
	char aside[XY__STORE_PATH + 16];

	snprintf(aside, sizeof aside, "%s.bad", path);
	for (int i = 1; i < STORE_ASIDE && !access(aside, F_OK); i++)
		snprintf(aside, sizeof aside, "%s.bad.%d", path, i);
	if (access(aside, F_OK) && !rename(path, aside)) {
		xy__log(s->log, "models: %s, %s: ignored, and renamed to %s", path, why, aside);
		return 0;
	}
	xy__log(s->log, "models: %s, %s: ignored, and can't be renamed, so nothing is stored there", path, why);
	return -EEXIST;
}

int xy__store_replace(const struct xy__store *s, const char *path, const struct xy__buffer *text)
{
	char temporary[XY__STORE_PATH];
	bool written;
	FILE *out;
	int fd;

	snprintf(temporary, sizeof temporary, "%s/.new.XXXXXX", s->folder);
	fd = text->failed ? -1 : mkstemp(temporary);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out) {
		errno = text->failed ? ENOMEM : errno;
		return store_error(s->log, "can't be written", path);
	}
	fchmod(fd, 0644);
	written = fwrite(text->at, 1, text->length, out) == text->length && !fflush(out) && !fsync(fd);
	if (fclose(out) || !written || rename(temporary, path)) {
		int error = store_error(s->log, "can't be written", path);

		unlink(temporary);
		return error;
	}
	return 0;
}

/* --- models --- */

/* Reads a file of the folder; a corrupt one is set aside if the lock is held, else -EINVAL is all. */
static int store_read_file(const struct xy__store *s, const char *path, bool locked, struct xy__model_file *file)
{
	char error[256], *text;
	int status = xy__store_read(path, &text, s->log);

	if (status)
		return status;
	status = xy__model_file_read(file, text, error, sizeof error);
	free(text);
	if (status == -EINVAL && locked && xy__store_set_aside(s, path, error))
		return -EEXIST;
	return status;
}

static int store_load(const struct xy__store *s, const char *path, struct xy__model_file *file)
{
	int fd, status = store_read_file(s, path, false, file);

	if (status != -EINVAL)
		return status;
	fd = xy__store_lock(s); /* another process may have replaced it meanwhile: look again */
	if (fd < 0)
		return fd;
	status = store_read_file(s, path, true, file);
	close(fd);
	return status;
}

int xy__store_load(const struct xy__store *s, const char *name, const char *suffix, struct xy__model_file *file)
{
	char path[XY__STORE_PATH];

	if (!*s->folder)
		return -ENOENT;
	if (xy__store_path(s, name, suffix, path))
		return store_load(s, path, file);
	xy__log(s->log, "models: the name '%s' is too long for a file", name);
	return -ENAMETOOLONG;
}

int xy__store_update(const struct xy__store *s, const char *name,
		     int (*merge)(void *arg, const struct xy__model_file *stored, struct xy__model_file *result),
		     void *arg)
{
	struct xy__model_file stored = { 0 }, result = { 0 };
	struct xy__buffer text = { 0 };
	char path[XY__STORE_PATH];
	int status, fd = xy__store_lock(s);
	bool any;

	if (fd < 0)
		return fd;
	if (!xy__store_path(s, name, ".model", path)) {
		close(fd);
		return -ENAMETOOLONG;
	}
	status = store_read_file(s, path, true, &stored);
	any = !status;
	if (status == -ENOENT || status == -EINVAL)
		status = 0;
	if (!status)
		status = merge(arg, any ? &stored : NULL, &result);
	if (!status) {
		xy__model_file_print(&result, &text);
		status = xy__store_replace(s, path, &text);
	}
	xy__model_file_fini(&stored);
	xy__model_file_fini(&result);
	xy__buffer_fini(&text);
	close(fd);
	return status;
}
