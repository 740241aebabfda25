/* SPDX-License-Identifier: MIT */
/*
 * xylem model export: measured models as the files of sched-pipeline. Each layer is a stored model, and each pair of
 * host and architecture on which all layers have been measured is a type of devices.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/perf/store.h"
#include "core/util/text.h"
#include "tools/model.h"

/* Limits of sched-pipeline. */
enum { EXPORT_LAYERS = 1024, EXPORT_BATCH = 1000000, EXPORT_NAME = XY__MODEL_NAME };
#define EXPORT_OUT UINT64_C(4000000000000)

/* A layer, as the user names it: NAME, NAME@BYTES, and how often it follows itself. */
struct export_layer {
	char name[EXPORT_NAME];
	uint64_t size; /* of the rows that count; UINT64_MAX: the model's only size */
	unsigned count;
};

struct export
{
	const struct xy__settings *settings;
	const char *model, *folder;
	double memory_mb, bandwidth_mbps;
	uint64_t batch, out_bytes;
	struct export_layer *layers;
	unsigned nlayers, total;
};

/* --- arguments --- */

static bool export_number(const char *option, const char *text, double least, double *value)
{
	const char *end = text;

	if (xy__text_double(&end, value) && !*end && *value >= least && *value <= 1e15)
		return true;
	tool_say("model export: %s needs a number from %g, not %s", option, least, text);
	return false;
}

static bool export_count(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
	const char *end = text;

	if (xy__text_unsigned(&end, most, value) && !*end && *value >= least)
		return true;
	tool_say("model export: %s needs a whole number from %llu to %llu, not %s", option, (unsigned long long)least,
		 (unsigned long long)most, text);
	return false;
}

/* NAME[@BYTES][*COUNT] */
static bool export_layer(struct export *e, const char *text)
{
	struct export_layer *layer = &e->layers[e->nlayers];
	size_t length = strcspn(text, "@*");
	const char *at = text + length;
	uint64_t count = 1;

	layer->size = UINT64_MAX;
	if (*at == '@') {
		at++;
		if (!xy__text_unsigned(&at, UINT64_MAX - 1, &layer->size))
			at = "?";
	}
	if (*at == '*') {
		at++;
		if (!xy__text_unsigned(&at, UINT64_MAX, &count) || !count)
			at = "?";
	}
	if (*at || !length || length >= sizeof(layer->name)) {
		tool_say("model export: a layer is NAME, NAME@BYTES or NAME*COUNT, not %s", text);
		return false;
	}
	if (count > EXPORT_LAYERS - e->total) {
		tool_say("model export: with %s there are more than %d layers", text, EXPORT_LAYERS);
		return false;
	}
	memcpy(layer->name, text, length);
	layer->name[length] = '\0';
	layer->count = (unsigned)count;
	e->nlayers++;
	e->total += layer->count;
	return true;
}

static bool export_option(struct export *e, const char *option, const char *value)
{
	if (!strcmp(option, "--batch-size"))
		return export_count(option, value, 1, EXPORT_BATCH, &e->batch);
	if (!strcmp(option, "--memory"))
		return export_number(option, value, 0, &e->memory_mb);
	if (!strcmp(option, "--bandwidth"))
		return export_number(option, value, 1, &e->bandwidth_mbps);
	if (!strcmp(option, "--out"))
		return export_count(option, value, 0, EXPORT_OUT, &e->out_bytes);
	if (!strcmp(option, "--model-name"))
		e->model = value;
	else if (!strcmp(option, "--folder"))
		e->folder = value;
	else
		tool_say("model export: unknown option %s", option);
	return e->model == value || e->folder == value;
}

static bool export_arguments(struct export *e, int argc, char **argv)
{
	bool types = false;

	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "--device-types")) {
			types = true;
		} else if (argv[i][0] != '-') {
			if (!export_layer(e, argv[i]))
				return false;
		} else if (i + 1 == argc) {
			tool_say("model export: %s needs a value, or is not an option", argv[i]);
			return false;
		} else {
			if (!export_option(e, argv[i], argv[i + 1]))
				return false;
			i++;
		}
	}
	if (!types || !e->nlayers)
		tool_say("model export: needs --device-types and the models of the layers, in order");
	else if (e->out_bytes && !(e->bandwidth_mbps > 0))
		tool_say("model export: --out needs --bandwidth, to compute transfer times");
	else
		return true;
	return false;
}

/* --- what was measured --- */

/* The least time of a layer on an architecture in us; 0 without measurements; -1 after an error message. */
static double export_time(const struct export_layer *layer, const struct xy__model_file *file, enum xy_arch arch,
			  double *size)
{
	double least = 0, only = -1;

	for (unsigned i = 0; i < file->nrows; i++) {
		const struct xy__row *r = &file->rows[i];

		if (r->arch != arch || !(r->median > 0) ||
		    (layer->size != UINT64_MAX && r->size != (double)layer->size))
			continue;
		if (only >= 0 && r->size != only) {
			tool_say("%s on %s was measured with several sizes: choose one, %s@%.0f or %s@%.0f", file->name,
				 file->host, file->name, only, file->name, r->size);
			return -1;
		}
		only = r->size;
		if (!(least > 0) || r->median < least)
			least = r->median;
	}
	if (only >= 0)
		*size = only;
	return least;
}

/* The model of a layer on a host. */
static enum tool_status export_load(const struct export *e, const struct export_layer *layer, const char *host,
				    struct xy__model_file *file)
{
	struct xy__store store = { .folder = e->settings->models, .host = host };
	char path[XY__STORE_PATH], error[256] = "";
	int status = -ENOENT;

	for (int i = 0; i < 2 && status == -ENOENT; i++) {
		if (!xy__store_path(&store, layer->name, i ? "" : ".model", path) || access(path, R_OK))
			continue;
		status = xy__store_load_path(path, file, error, sizeof(error));
		if (status)
			tool_say("%s: %s", path, error);
	}
	if (status == -ENOENT)
		return TOOL_WRONG;
	if (status)
		return TOOL_FAILED;
	snprintf(file->name, sizeof(file->name), "%s", layer->name);
	snprintf(file->host, sizeof(file->host), "%.*s", (int)sizeof(file->host) - 1, host);
	return TOOL_OK;
}

/* The times of all layers, in us, and their sizes. TOOL_WRONG when one is missing. */
static enum tool_status export_times(const struct export *e, const char *host, enum xy_arch arch, double *times,
				     double *sizes)
{
	unsigned n = 0;

	for (unsigned i = 0; i < e->nlayers; i++) {
		struct xy__model_file file;
		enum tool_status status = export_load(e, &e->layers[i], host, &file);
		double size = 0, us;

		if (status != TOOL_OK)
			return status;
		us = export_time(&e->layers[i], &file, arch, &size);
		xy__model_file_fini(&file);
		if (us < 0)
			return TOOL_FAILED;
		if (!(us > 0))
			return TOOL_WRONG;
		for (unsigned k = 0; k < e->layers[i].count; k++, n++) {
			times[n] = us;
			sizes[n] = size;
		}
	}
	return TOOL_OK;
}

/* --- files --- */

static void export_path(const struct export *e, const char *name, char *path)
{
	snprintf(path, XY__STORE_PATH, "%s/%s", e->folder, name);
}

static FILE *export_open(const struct export *e, const char *name)
{
	char path[XY__STORE_PATH];
	FILE *file;

	export_path(e, name, path);
	file = fopen(path, "wxe");
	if (!file)
		tool_say("%s: %s%s", path, strerror(errno),
			 errno == EEXIST ? "; --folder FOLDER writes elsewhere" : "");
	return file;
}

/* Nothing is left of what failed; *file is NULL if it was not this program that made it. */
static bool export_close(const struct export *e, const char *name, FILE *file, bool keep)
{
	char path[XY__STORE_PATH];
	bool well = !file || !fclose(file);

	export_path(e, name, path);
	if (file && !(keep && well))
		unlink(path);
	return well;
}

static void export_word(FILE *file, const char *word)
{
	fputc('"', file);
	for (; *word; word++)
		fprintf(file, *word == '"' || *word == '\\' ? "\\%c" : "%c", *word);
	fputc('"', file);
}

static void export_list(FILE *file, const char *key, const double *values, unsigned n, double factor)
{
	fprintf(file, "%s: [", key);
	for (unsigned i = 0; i < n; i++)
		fprintf(file, "%s%.9g", i ? ", " : "", values[i] * factor);
	fputs("]\n", file);
}

/* Parameters of four bytes for each item of a microbatch; what is left of one is one. */
static void export_model(const struct export *e, FILE *file, const double *sizes)
{
	uint64_t parameters = (e->out_bytes + 4 * e->batch - 1) / (4 * e->batch);

	export_word(file, e->model);
	fprintf(file, ":\n  layers: %u\n  parameters_in: %" PRIu64 "\n", e->total, parameters);
	export_list(file, "  mem_MB", sizes, e->total, 1.0 / 1048576);
	fputs("  parameters_out: [", file);
	for (unsigned i = 0; i < e->total; i++)
		fprintf(file, "%s%" PRIu64, i ? ", " : "", parameters);
	fputs("]\n", file);
}

static void export_type(const struct export *e, FILE *file, const char *host, enum xy_arch arch, const double *times)
{
	char type[EXPORT_NAME + 16];

	snprintf(type, sizeof(type), "%.*s-%s", EXPORT_NAME, host, xy_arch_name(arch));
	export_word(file, type);
	fprintf(file, ":\n  bw_Mbps: %.9g\n  mem_MB: %.9g\n  model_profiles:\n    ",
		e->bandwidth_mbps > 0 ? e->bandwidth_mbps : 1, e->memory_mb);
	export_word(file, e->model);
	fprintf(file, ":\n    - batch_size: %" PRIu64 "\n      dtype: torch.float32\n", e->batch);
	export_list(file, "      time_s", times, e->total, 1e-6);
	printf("%s\n", type);
}

/* --- hosts --- */

/* The host of a file of this model, in text as it is in the file's name; false if it is of another. */
static bool export_host(const char *file, const char *prefix, char *host, size_t size)
{
	size_t n = strlen(prefix), length;

	if (strncmp(file, prefix, n) || file[n] != '.')
		return false;
	file += n + 1;
	length = strlen(file);
	if (length > 6 && !strcmp(file + length - 6, ".model"))
		length -= 6;
	else if (strchr(file, '.'))
		return false;
	return length && (size_t)snprintf(host, size, "%.*s", (int)length, file) < size;
}

struct export_output {
	FILE *types, *models;
	double *times, *sizes;
	unsigned ntypes;
};

/* A type for each architecture of a host. */
static enum tool_status export_each_arch(const struct export *e, struct export_output *out, const char *host)
{
	for (enum xy_arch arch = 0; arch < XY_NARCH; arch++) {
		enum tool_status status = export_times(e, host, arch, out->times, out->sizes);

		if (status == TOOL_WRONG)
			continue;
		if (status != TOOL_OK)
			return status;
		if (!out->ntypes++)
			export_model(e, out->models, out->sizes);
		export_type(e, out->types, host, arch, out->times);
	}
	return TOOL_OK;
}

static enum tool_status export_each_host(const struct export *e, struct export_output *out)
{
	enum tool_status status = TOOL_OK;
	char prefix[3 * EXPORT_NAME], host[EXPORT_NAME], before[EXPORT_NAME] = "";
	struct dirent **entries;
	int n = scandir(e->settings->models, &entries, NULL, alphasort);

	if (n < 0) {
		tool_say("%s: %s", e->settings->models, strerror(errno));
		return TOOL_FAILED;
	}
	if (!xy__store_name(prefix, sizeof(prefix), e->layers[0].name))
		prefix[0] = '\0';
	for (int i = 0; i < n; i++) {
		if (status == TOOL_OK && export_host(entries[i]->d_name, prefix, host, sizeof(host)) &&
		    strcmp(host, before)) {
			snprintf(before, sizeof(before), "%s", host);
			status = export_each_arch(e, out, host);
		}
		free(entries[i]);
	}
	free(entries);
	if (status == TOOL_OK && !out->ntypes) {
		tool_say("model export: no host has measurements of all these layers; see xylem model list");
		status = TOOL_WRONG;
	}
	return status;
}

static enum tool_status export_write(const struct export *e)
{
	struct export_output out = {
		.times = calloc(e->total, sizeof(double)),
		.sizes = calloc(e->total, sizeof(double)),
	};
	enum tool_status status = TOOL_FAILED;
	bool types_closed, models_closed;

	if (out.times && out.sizes && (out.types = export_open(e, "device_types.yml")) &&
	    (out.models = export_open(e, "models.yml")))
		status = export_each_host(e, &out);
	types_closed = export_close(e, "device_types.yml", out.types, status == TOOL_OK);
	models_closed = export_close(e, "models.yml", out.models, status == TOOL_OK);
	if (!types_closed || !models_closed) {
		tool_say("%s: can't write the files", e->folder);
		status = TOOL_FAILED;
	}
	free(out.times);
	free(out.sizes);
	return status;
}

enum tool_status tool_model_export(const struct xy__settings *settings, int argc, char **argv)
{
	struct export e = {
		.settings = settings,
		.model = "model",
		.folder = ".",
		.batch = 1,
		.memory_mb = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1048576,
		.layers = calloc((size_t)argc + 1, sizeof(struct export_layer)),
	};
	enum tool_status status = !e.layers ? TOOL_FAILED : export_arguments(&e, argc, argv) ? TOOL_OK : TOOL_USAGE;

	if (status == TOOL_OK)
		status = export_write(&e);
	free(e.layers);
	return status;
}
