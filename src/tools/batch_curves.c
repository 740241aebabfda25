/* SPDX-License-Identifier: MIT */
/*
 * Throughput curves from the models that the component balance stores: one for each batch and device, called
 * NAME.cuda0 or NAME.cpu-8, with a row for each size.
 */
#include "tools/batch.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/perf/store.h"

#define CURVES_CLOSE 0.97 /* a size that reaches this part of the best throughput is as good */

double batch_rate(const struct batch_curve *curve, unsigned point)
{
	return curve->points[point].items / curve->points[point].us * 1e6 * curve->nworkers;
}

/* "model.cpu-8": the batch, the device and its workers. False for a model of another sort. */
static bool curve_name(struct batch_curve *curve, const char *name)
{
	const char *dot = strrchr(name, '.');
	char arch[16];
	int index = -1, used = 0;

	curve->nworkers = 1;
	if (!dot || dot == name || (size_t)(dot - name) >= sizeof(curve->batch))
		return false;
	if (sscanf(dot + 1, "%15[a-z]%n", arch, &used) != 1)
		return false;
	dot += 1 + used;
	if (isdigit((unsigned char)*dot))
		index = (int)strtol(dot, (char **)&dot, 10);
	if (*dot == '-')
		curve->nworkers = (unsigned)strtoul(dot + 1, (char **)&dot, 10);
	if (*dot || !curve->nworkers)
		return false;
	snprintf(curve->batch, sizeof(curve->batch), "%.*s", (int)(strrchr(name, '.') - name), name);
	if (index < 0)
		snprintf(curve->device, sizeof(curve->device), "%s", arch);
	else
		snprintf(curve->device, sizeof(curve->device), "%s:%d", arch, index);
	return true;
}

static int point_compare(const void *a, const void *b)
{
	double first = ((const struct batch_point *)a)->items, second = ((const struct batch_point *)b)->items;

	return first < second ? -1 : first > second;
}

static void curve_points(struct batch_curve *curve, const struct xy__model_file *file)
{
	double most = 0;

	for (unsigned i = 0; i < file->nrows && curve->npoints < BATCH_POINTS; i++)
		if (file->rows[i].size >= 1 && file->rows[i].median > 0)
			curve->points[curve->npoints++] = (struct batch_point){ .items = file->rows[i].size,
										.us = file->rows[i].median,
										.samples = file->rows[i].samples };
	qsort(curve->points, curve->npoints, sizeof(curve->points[0]), point_compare);
	for (unsigned i = 0; i < curve->npoints; i++)
		most = fmax(most, batch_rate(curve, i));
	while (curve->npoints && batch_rate(curve, curve->best) < most * CURVES_CLOSE)
		curve->best++;
}

static int curve_compare(const void *a, const void *b)
{
	const struct batch_curve *first = a, *second = b;
	int order = strcmp(first->batch, second->batch);
	double difference = batch_rate(second, second->best) - batch_rate(first, first->best);

	if (order)
		return order;
	if (difference != 0)
		return difference < 0 ? -1 : 1;
	return strcmp(first->device, second->device);
}

static int curves_is_file(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 6 && !strcmp(entry->d_name + length - 6, ".model");
}

static enum tool_status curves_add(struct batch_curves *curves, const char *path)
{
	struct batch_curve *curve = &curves->of[curves->n];
	struct xy__model_file file;
	char error[256] = "";
	int status = xy__store_load_path(path, &file, error, sizeof(error));

	if (status) {
		tool_say("%s: %s", path, error);
		return TOOL_FAILED;
	}
	memset(curve, 0, sizeof(*curve));
	if (curve_name(curve, file.name)) {
		curve_points(curve, &file);
		curves->n += curve->npoints > 0;
	}
	xy__model_file_fini(&file);
	return TOOL_OK;
}

enum tool_status batch_curves_read(struct batch_curves *curves, const char *folder)
{
	enum tool_status status = TOOL_OK;
	struct dirent **entries;
	int n = scandir(folder, &entries, curves_is_file, alphasort);

	*curves = (struct batch_curves){ .of = calloc(BATCH_CURVES, sizeof(*curves->of)) };
	if (n < 0) {
		tool_say("%s: %s", folder, strerror(errno));
		return TOOL_FAILED;
	}
	for (int i = 0; i < n; i++) {
		char path[XY__STORE_PATH];

		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		if (curves->of && status == TOOL_OK && curves->n < BATCH_CURVES)
			status = curves_add(curves, path);
		free(entries[i]);
	}
	free(entries);
	if (!curves->of) {
		tool_say("no memory");
		return TOOL_FAILED;
	}
	qsort(curves->of, curves->n, sizeof(*curves->of), curve_compare);
	return status;
}

void batch_folder_remove(const char *folder)
{
	DIR *entries = opendir(folder);
	struct dirent *entry;

	while (entries && (entry = readdir(entries)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			unlinkat(dirfd(entries), entry->d_name, 0);
	if (entries)
		closedir(entries);
	rmdir(folder);
}

void batch_curves_fini(struct batch_curves *curves)
{
	free(curves->of);
	*curves = (struct batch_curves){ 0 };
}
