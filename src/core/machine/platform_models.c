/* SPDX-License-Identifier: MIT */
/*
 * Durations for machine files from model files, ours or StarPU's, of one host: for each size the mean of what was
 * measured, on each architecture with its fastest implementation, for all classes of that architecture.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/perf/store.h"
#include "core/machine/platform_parts.h"

#define MODELS_SUFFIX ".model"

struct models_line {
	char folder[XY__STORE_PATH], host[XY__MODEL_NAME];
};

/* The folder of a line: relative ones begin at that of the machine file. */
static bool models_folder(struct xy__xym_reader *r, char folder[XY__STORE_PATH])
{
	const char *slash = strrchr(r->path, '/');
	char word[256];
	int length;

	if (!xy__xym_word(r, word, sizeof word, "a folder of model files"))
		return false;
	if (*word == '/' || !slash)
		length = snprintf(folder, XY__STORE_PATH, "%s", word);
	else
		length = snprintf(folder, XY__STORE_PATH, "%.*s%s", (int)(slash - r->path + 1), r->path, word);
	return length < XY__STORE_PATH || xy__xym_wrong(r, "the name of the folder is too long");
}

/* Merges all rows of a size and an implementation. */
static struct xy__platform_point models_point(const struct xy__model_file *file, const struct xy__row *like)
{
	struct xy__platform_point point = { .bytes = like->size };
	double samples = 0;

	for (unsigned i = 0; i < file->nrows; i++) {
		const struct xy__row *row = &file->rows[i];

		if (row->arch != like->arch || row->implementation != like->implementation || row->size != like->size ||
		    !row->samples)
			continue;
		point.us += row->mean * (double)row->samples;
		point.spread += row->deviation * (double)row->samples;
		samples += (double)row->samples;
	}
	point.us /= samples;
	point.spread /= samples;
	point.samples = samples < 4e9 ? (unsigned)samples : 4000000000u;
	return point;
}

/* The point of the fastest implementation. */
static struct xy__platform_point models_best(const struct xy__model_file *file, const struct xy__row *like)
{
	struct xy__platform_point best = models_point(file, like);

	for (unsigned i = 0; i < file->nrows; i++)
		if (file->rows[i].arch == like->arch && file->rows[i].size == like->size && file->rows[i].samples) {
			struct xy__platform_point point = models_point(file, &file->rows[i]);

			if (point.us < best.us)
				best = point;
		}
	return best;
}

static bool models_is_first(const struct xy__model_file *file, unsigned row)
{
	for (unsigned i = 0; i < row; i++)
		if (file->rows[i].samples && file->rows[i].arch == file->rows[row].arch &&
		    file->rows[i].size == file->rows[row].size)
			return false;
	return file->rows[row].samples && file->rows[row].size > 0 && file->rows[row].mean > 0;
}

/* Adds what a file says about a kernel, but for what the machine file says itself. */
static bool models_add(struct xy__xym_reader *r, const char *kernel, const struct xy__model_file *file)
{
	const struct xy__platform *p = r->p;

	for (unsigned i = 0; i < file->nrows; i++) {
		struct xy__platform_point point;

		if (!models_is_first(file, i))
			continue;
		point = models_best(file, &file->rows[i]);
		for (unsigned class = 0; class < p->nclasses; class ++) {
			int status = p->classes[class].arch != file->rows[i].arch
					     ? 0
					     : xy__kernels_add(p->kernels, kernel, class, &point);

			if (status == -ENOSPC)
				return xy__xym_wrong(r, "too many kernels (%d at most)", XY__PLATFORM_KERNELS);
			r->no_memory |= status == -ENOMEM;
		}
	}
	return true;
}

static bool models_load(struct xy__xym_reader *r, const char *kernel, const char *path)
{
	struct xy__model_file file;
	char error[512] = "";
	int status;

	if (strlen(kernel) >= XY__PLATFORM_KERNEL)
		return xy__xym_wrong(r, "\"%.40s...\" is too long for the name of a kernel", kernel);
	status = xy__store_load_path(path, &file, error, sizeof error);
	if (status == -ENOENT)
		return xy__xym_wrong(r, "no model file %s", path);
	if (status)
		return xy__xym_wrong(r, "%s: %s", path, *error ? error : strerror(-status));
	models_add(r, kernel, &file);
	xy__model_file_fini(&file);
	return true;
}

/* "KERNEL=MODEL": the file is that of the model, ours or else StarPU's. */
static bool models_pair(struct xy__xym_reader *r, const struct models_line *line)
{
	struct xy__store store = { .folder = line->folder, .host = line->host };
	char word[XY__PLATFORM_KERNEL + XY__MODEL_NAME], path[XY__STORE_PATH];
	char *equals;
	FILE *ours;

	if (!xy__xym_word(r, word, sizeof word, "KERNEL=MODEL"))
		return false;
	equals = strchr(word, '=');
	if (!equals || equals == word || !equals[1])
		return xy__xym_wrong(r, "expected KERNEL=MODEL, not \"%s\"", word);
	*equals = '\0';
	if (!xy__store_path(&store, equals + 1, MODELS_SUFFIX, path))
		return xy__xym_wrong(r, "the name of the model file is too long");
	ours = fopen(path, "r");
	if (ours)
		fclose(ours);
	else if (!xy__store_path(&store, equals + 1, "", path))
		return xy__xym_wrong(r, "the name of the model file is too long");
	return models_load(r, word, path);
}

/* The name of the model in NAME.HOST or NAME.HOST.model, or "" when it is none. */
static void models_name(const char *file, const char *host, char name[XY__MODEL_NAME])
{
	size_t length = strlen(file), nhost = strlen(host), nsuffix = strlen(MODELS_SUFFIX);

	*name = '\0';
	if (length > nsuffix && !strcmp(file + length - nsuffix, MODELS_SUFFIX))
		length -= nsuffix;
	if (length > nhost + 1 && length - nhost - 1 < XY__MODEL_NAME && file[length - nhost - 1] == '.' &&
	    !memcmp(file + length - nhost, host, nhost))
		snprintf(name, XY__MODEL_NAME, "%.*s", (int)(length - nhost - 1), file);
}

static bool models_skip(struct xy__xym_reader *r)
{
	xy__xym_skip(r);
	return false;
}

/* All models of the host; those that can't be read are left out. */
static bool models_all(struct xy__xym_reader *r, const struct models_line *line)
{
	struct dirent **entries;
	int count = scandir(line->folder, &entries, NULL, alphasort);
	unsigned nloaded = 0;

	if (count < 0)
		return xy__xym_wrong(r, "the folder %s can't be read: %s", line->folder, strerror(errno));
	for (int i = 0; i < count; i++) {
		char name[XY__MODEL_NAME], path[XY__STORE_PATH];

		models_name(entries[i]->d_name, line->host, name);
		if (*name && snprintf(path, sizeof path, "%s/%s", line->folder, entries[i]->d_name) < XY__STORE_PATH)
			nloaded += models_load(r, name, path) || models_skip(r);
		free(entries[i]);
	}
	free(entries);
	return nloaded ||
	       xy__xym_wrong(r, "the folder %s has no readable model of the host \"%s\"", line->folder, line->host);
}

bool xy__xym_read_models(struct xy__xym_reader *r)
{
	struct models_line line;

	if (!models_folder(r, line.folder) || !xy__xym_name(r, line.host, sizeof line.host, "a host"))
		return false;
	if (xy__lines_ended(&r->lines))
		return models_all(r, &line);
	while (!xy__lines_ended(&r->lines))
		if (!models_pair(r, &line))
			return false;
	return true;
}
