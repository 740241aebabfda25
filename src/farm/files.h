/* SPDX-License-Identifier: MIT */
/* The farm's folder: making it, writing whole files at once, claims and ends, and reading small files of JSON. */
#ifndef XYLEM_FARM_FILES_H
#define XYLEM_FARM_FILES_H

#include "farm/farm.h"
#include "graph/json.h"

/* Makes the folder and all folders in it. 0 or -errno after a message. */
int farm_files_make(const char *folder, const struct farm_report *report);

/* Replaces a file by a text, all or nothing. 0 or -errno. */
int farm_files_replace(const char *path, const char *text, size_t length);

/* Creates FOLDER/KIND/FILE with a text, complete at once; -EEXIST if it is there. unique is the job's id. */
int farm_files_create(const char *folder, const char *kind, const char *file, const char *unique, const char *text);

/* FOLDER/KIND/FILE with an ending, to be freed; NULL without memory. */
char *farm_files_path(const char *folder, const char *kind, const char *file, const char *ending);
/* farm_files_path for a name that must first be encoded as a file name, such as a job's id. */
char *farm_files_path_of(const char *folder, const char *kind, const char *name, const char *ending);

/* A whole file, to be freed, ended by a zero byte; NULL and errno. */
char *farm_files_read(const char *path, size_t *length);

/* A text of JSON, which must stay: strings are cut out of it. 0 or -EINVAL. */
int farm_files_json(struct json *json, char *text, size_t length);
/* Members of an object. Without such a member: "" and the default. */
const char *farm_files_text(const struct json *json, const struct json_node *object, const char *key);
double farm_files_number(const struct json *json, const struct json_node *object, const char *key, double otherwise);

#endif
