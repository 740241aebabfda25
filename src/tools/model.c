/* SPDX-License-Identifier: MIT */
/*
 * xylem model: what is stored about the time of tasks: a list, a table, a plot, and what to think of it.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/perf/store.h"
#include "tools/model.h"

enum { MODEL_FEW = 10 };

/* The arguments behind the action. */
struct model_request {
	const char *action, *name, *host, *svg;
	struct xy__settings settings;
};

static const char *model_age(int64_t then, char *text, size_t size)
{
	double seconds = difftime(time(NULL), (time_t)then);

	if (!then)
		return "not known";
	if (seconds < 7200)
		snprintf(text, size, "%.0f min ago", seconds / 60);
	else if (seconds < 172800)
		snprintf(text, size, "%.0f h ago", seconds / 3600);
	else
		snprintf(text, size, "%.0f days ago", seconds / 86400);
	return text;
}

/* --- files --- */

/* Whether the name of a file is that of a model, ours or StarPU's. */
static int model_is_file(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && entry->d_name[0] != '.' && strncmp(entry->d_name, "bus.", 4) && !strstr(entry->d_name, ".bad") &&
	       strcmp(dot, ".bandwidth") && strcmp(dot, ".latency") && strcmp(dot, ".config") &&
	       strcmp(dot, ".affinity");
}

/* The name and the host that a file's name consists of, where the file does not say. */
static void model_take_name(struct xy__model_file *file, const char *path)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *dot = strrchr(base, '.');

	if (!*file->name)
		snprintf(file->name, sizeof(file->name), "%.*s", dot ? (int)(dot - base) : (int)strlen(base), base);
	if (!*file->host)
		snprintf(file->host, sizeof(file->host), "%s", dot ? dot + 1 : "?");
}

static enum tool_status model_read(const char *path, struct xy__model_file *file)
{
	char error[256] = "";
	int status = xy__store_load_path(path, file, error, sizeof(error));

	if (status) {
		tool_say("%s: %s", path, error);
		return status == -EINVAL ? TOOL_WRONG : TOOL_FAILED;
	}
	model_take_name(file, path);
	return TOOL_OK;
}

/* The path of a model by its name; a name with a slash is a path. */
static bool model_path(const struct model_request *r, char *path)
{
	struct xy__store store = { .folder = r->settings.models, .host = r->settings.host };

	if (strchr(r->name, '/'))
		return snprintf(path, XY__STORE_PATH, "%s", r->name) < XY__STORE_PATH;
	for (int i = 0; i < 2; i++) {
		FILE *file;

		if (!xy__store_path(&store, r->name, i ? "" : ".model", path))
			continue;
		file = fopen(path, "r");
		if (file) {
			fclose(file);
			return true;
		}
	}
	tool_say("no model \"%s\" of host %s in %s; see xylem model list", r->name, r->settings.host,
		 *r->settings.models ? r->settings.models : "no folder");
	return false;
}

/* --- actions --- */

static void model_show(const struct xy__model_file *f)
{
	char age[32];

	printf("%s%s%s on %s: %s, %u rows%s, saved %s\n", tool_bold(), f->name, tool_plain(), f->host,
	       xy__model_kind_name(f->kind), f->nrows, f->foreign ? ", StarPU's" : "",
	       model_age(f->saved, age, sizeof(age)));
	printf("%-6s %4s %-8s %12s %12s %10s %12s %8s %8s %6s  %s\n", "arch", "impl", "print", "size", "median us",
	       "spread", "mean us", "samples", "outliers", "drifts", "measured");
	for (unsigned i = 0; i < f->nrows; i++) {
		const struct xy__row *r = &f->rows[i];

		printf("%-6s %4u %08x %12.0f %12.4g %10.3g %12.4g %8llu %8llu %6u  %s%s\n", xy_arch_name(r->arch),
		       r->implementation, (unsigned)r->footprint, r->size, r->median, r->spread, r->mean,
		       (unsigned long long)r->samples, (unsigned long long)r->outliers, r->drifts,
		       model_age(r->updated, age, sizeof(age)), r->synthetic ? ", synthetic" : "");
	}
}

/* Prints reasons to doubt a model. */
static void model_check(const struct xy__model_file *f)
{
	unsigned synthetic = 0, few = 0, wide = 0, outliers = 0, drifted = 0;

	for (unsigned i = 0; i < f->nrows; i++) {
		const struct xy__row *r = &f->rows[i];

		synthetic += r->synthetic;
		few += r->samples < MODEL_FEW;
		wide += r->spread > 0.25 * r->median;
		outliers += r->outliers * 10 > r->samples;
		drifted += r->drifts > 0;
	}
	printf("%s on %s: %u rows", f->name, f->host, f->nrows);
	if (synthetic)
		printf("; %u synthetic", synthetic);
	if (few)
		printf("; %u with fewer than %d samples", few, MODEL_FEW);
	if (wide)
		printf("; %u with a spread above a quarter of the median", wide);
	if (outliers)
		printf("; %u with more than a tenth of outliers", outliers);
	if (drifted)
		printf("; %u have drifted", drifted);
	puts(synthetic + few + wide + outliers + drifted ? "" : "; nothing to note");
}

static void model_list_one(const struct xy__model_file *f)
{
	unsigned long long samples = 0;
	char age[32];

	for (unsigned i = 0; i < f->nrows; i++)
		samples += f->rows[i].samples;
	printf("%-32s %-16s %-10s %5u rows %10llu samples  %s\n", f->name, f->host,
	       f->foreign ? "StarPU" : xy__model_kind_name(f->kind), f->nrows, samples,
	       model_age(f->saved, age, sizeof(age)));
}

static enum tool_status model_each(const struct model_request *r, void (*act)(const struct xy__model_file *file))
{
	const char *folder = r->settings.models;
	enum tool_status status = TOOL_OK;
	struct dirent **entries;
	int n = *folder ? scandir(folder, &entries, model_is_file, alphasort) : 0;

	if (n < 0 && errno != ENOENT) {
		tool_say("%s: %s", folder, strerror(errno));
		return TOOL_FAILED;
	}
	if (n <= 0)
		printf("no models in %s\n", *folder ? folder : "no folder: XYLEM_MODELS is none");
	for (int i = 0; i < n; i++) {
		char path[XY__STORE_PATH];
		struct xy__model_file file;
		enum tool_status one;

		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		one = model_read(path, &file);
		if (one == TOOL_OK) {
			if (!r->host || !strcmp(r->host, file.host))
				act(&file);
			xy__model_file_fini(&file);
		} else {
			status = one;
		}
		free(entries[i]);
	}
	if (n >= 0 && *folder)
		free(entries);
	return status;
}

static enum tool_status model_one(const struct model_request *r)
{
	enum tool_status status;
	struct xy__model_file file;
	char path[XY__STORE_PATH];

	if (!model_path(r, path))
		return TOOL_WRONG;
	status = model_read(path, &file);
	if (status != TOOL_OK)
		return status;
	if (!strcmp(r->action, "show"))
		model_show(&file);
	else if (!strcmp(r->action, "check"))
		model_check(&file);
	else
		status = r->svg ? tool_model_svg(&file, r->svg) : tool_model_text(&file);
	xy__model_file_fini(&file);
	return status;
}

static enum tool_status model_act(const struct model_request *r)
{
	if (!strcmp(r->action, "list"))
		return model_each(r, model_list_one);
	if (!strcmp(r->action, "check") && !r->name)
		return model_each(r, model_check);
	if (r->name)
		return model_one(r);
	tool_say("model %s: needs the name of a model, or a path", r->action);
	return TOOL_USAGE;
}

static bool model_arguments(struct model_request *r, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char **value = !strcmp(argv[i], "--host") ? &r->host : !strcmp(argv[i], "--svg") ? &r->svg : NULL;

		if (value && i + 1 < argc)
			*value = argv[++i];
		else if (argv[i][0] == '-')
			return false;
		else if (!r->action)
			r->action = argv[i];
		else if (!r->name)
			r->name = argv[i];
		else
			return false;
	}
	return r->action && (!strcmp(r->action, "list") || !strcmp(r->action, "show") || !strcmp(r->action, "plot") ||
			     !strcmp(r->action, "check"));
}

static enum tool_status model_export(int argc, char **argv)
{
	struct xy__settings settings;
	enum tool_status status;

	if (xy__settings_init(&settings, NULL))
		return TOOL_USAGE;
	status = tool_model_export(&settings, argc, argv);
	xy__settings_fini(&settings);
	return status;
}

static enum tool_status model_forward(int argc, char **argv)
{
	struct model_request r = { 0 };
	enum tool_status status;

	if (!strcmp(argv[argc - 1], "--help") || !strcmp(argv[argc - 1], "-h")) {
		printf("usage: xylem model %s\n\n%s", tool_model.usage, tool_model.help);
		return TOOL_OK;
	}
	if (argc > 1 && !strcmp(argv[1], "export"))
		return model_export(argc - 2, argv + 2);
	if (!model_arguments(&r, argc, argv)) {
		tool_say("usage: xylem model %s", tool_model.usage);
		return TOOL_USAGE;
	}
	if (xy__settings_init(&r.settings, NULL))
		return TOOL_USAGE;
	if (r.host) {
		char *host = strdup(r.host);

		if (host) {
			free(r.settings.host);
			r.settings.host = host;
		}
	}
	status = model_act(&r);
	xy__settings_fini(&r.settings);
	return status;
}

const struct tool_command tool_model = {
	.name = "model",
	.usage = "list|show|plot|check [NAME|PATH] [--host HOST] [--svg FILE]\n"
		 "       xylem model export --device-types [options] LAYER...",
	.summary = "list, show, plot and check the stored performance models",
	.help = "list: the models in the folder XYLEM_MODELS. show NAME: the rows of one. plot NAME: time over\n"
		"size, in the terminal, or with --svg as a file. check [NAME]: rows that are synthetic, have few\n"
		"samples, vary widely or have drifted; the exit status is 1 if a file can't be read. A NAME with a\n"
		"slash is the path of a file, Xylem's or StarPU's. --host: the models of that host.\n"
		"\n"
		"export --device-types: writes device_types.yml and models.yml for sched-pipeline and prints the\n"
		"types, one for each host and architecture on which all layers have been measured. A LAYER is the\n"
		"name of a model, NAME@BYTES if it has several sizes, NAME*COUNT for several layers in a row.\n"
		"Options: --model-name NAME (model), --batch-size N (1), --memory MB (this computer's), --out BYTES\n"
		"that each layer sends (0) with --bandwidth MBPS, --folder FOLDER (.).\n",
	.forward = model_forward,
};
