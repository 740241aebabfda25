/* SPDX-License-Identifier: MIT */
/*
 * The folder of models: a file for each model and host, NAME.HOST.model; StarPU's are NAME.HOST. A file is replaced
 * as a whole, by renaming a complete one, while the folder's lock is held, so that no two processes undo what
 * the other has done. A file that can't be read is set aside and never overwritten.
 */
#ifndef XYLEM_CORE_PERF_STORE_H
#define XYLEM_CORE_PERF_STORE_H

#include "core/perf/file.h"
#include "core/util/log.h"

struct xy__store {
	const char *folder; /* "": nothing is stored */
	const char *host;
	const struct xy__log *log;
};

enum { XY__STORE_PATH = 4096 };

/* A name as a part of a path, or as one word: whatever could have a meaning there is written as %XX. False when it
 * does not fit, or is empty. */
bool xy__store_name(char *text, size_t size, const char *name);

/* The path of a model's file, with ".model" or "" behind the host. False when it is too long. */
bool xy__store_path(const struct xy__store *store, const char *name, const char *suffix, char *path);

/* Everything in a file, with a zero byte behind it, for the caller to free. -ENOENT without a log line; other
 * errors with one. */
int xy__store_read(const char *path, char **text, const struct xy__log *log);

/*
 * Loads a model from the file with this suffix. 0, -ENOENT without a file, or an error with a log line; on failure
 * there is nothing to free. A corrupt file is set aside: -EINVAL.
 */
int xy__store_load(const struct xy__store *store, const char *name, const char *suffix, struct xy__model_file *file);

/* xy__store_load for a file given by its path; nothing is set aside. */
int xy__store_load_path(const char *path, struct xy__model_file *file, char *error, size_t error_size);

/* Calls merge with what is stored by now (NULL: nothing) and puts what it made of it in place. */
int xy__store_update(const struct xy__store *store, const char *name,
		     int (*merge)(void *arg, const struct xy__model_file *stored, struct xy__model_file *result),
		     void *arg);

/* Puts a text in place of a file of the folder, which is made if need be. */
int xy__store_replace(const struct xy__store *store, const char *path, const struct xy__buffer *text);

/* The folder's lock, as a file descriptor to close; or -errno with a log line. Makes the folder. */
int xy__store_lock(const struct xy__store *store);

/* Renames a corrupt file of the folder so that it is neither read nor overwritten again. The lock is held. */
int xy__store_set_aside(const struct xy__store *store, const char *path, const char *why);

#endif
