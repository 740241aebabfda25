/* SPDX-License-Identifier: MIT */
/* Documents of a CW2 file: which are what, imports, and experiments as pieces. */
#include "farm/cw2.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "farm/files.h"
#include "farm/quote.h"
#include "farm/slots_gpus.h"
#include "farm/sweep.h"

#define CW2_IMPORTS 32u
#define CW2_COMMAND "command.json"

/* All documents of one file. */
struct cw2_file {
	const char *path; /* real */
	struct farm_node **documents;
	size_t count;
};

static const char *cw2_name(const struct farm_node *document)
{
	const struct farm_node *name = farm_node_find(document, "name");

	return name && name->kind == FARM_SCALAR ? name->text : "";
}

static bool cw2_open(const struct farm_reader *reader, const char *path, struct cw2_file *file)
{
	char *real = realpath(path, NULL);
	FILE *stream = real ? fopen(real, "re") : NULL;
	int error;

	if (!stream) {
		farm_say(reader->report, "%s: %s", path, strerror(errno));
		free(real);
		return false;
	}
	file->path = farm_text(reader->farm, "%s", real);
	free(real);
	error = farm_node_read(reader->farm, stream, path, &file->documents, &file->count, reader->report);
	fclose(stream);
	if (error || !file->path)
		return false;
	for (size_t i = 0; i < file->count; i++)
		if (!farm_node_is_null(file->documents[i]) && !*cw2_name(file->documents[i]))
			return farm_read_refuse(reader, file->documents[i], "every document of CW2 needs a name");
	return true;
}

/* The document with a name, letters of either case for the two special ones; NULL: none. */
static struct farm_node *cw2_find(const struct cw2_file *file, const char *name, bool special)
{
	for (size_t i = 0; i < file->count; i++)
		if (special ? !strcasecmp(cw2_name(file->documents[i]), name)
			    : !strcmp(cw2_name(file->documents[i]), name))
			return file->documents[i];
	return NULL;
}

static bool cw2_is_slurm(const char *name)
{
	return !strcasecmp(name, "SLURM") || !strncasecmp(name, "SLURM_", 6);
}

/* SLURM_<part of the host's name>, the longest one, before SLURM. */
static struct farm_node *cw2_find_slurm(const struct cw2_file *file, const char *host)
{
	struct farm_node *found = cw2_find(file, "SLURM", true);
	size_t longest = 0;

	for (size_t i = 0; i < file->count; i++) {
		const char *name = cw2_name(file->documents[i]);

		if (!strncasecmp(name, "SLURM_", 6) && strstr(host, name + 6) && strlen(name) > longest) {
			longest = strlen(name);
			found = file->documents[i];
		}
	}
	return found;
}

/* --- imports --- */

static struct farm_node *cw2_resolve(const struct farm_reader *reader, const struct cw2_file *file,
				     struct farm_node *experiment, unsigned depth);

/* The experiment of another file, or of this one, that an experiment builds on. */
static struct farm_node *cw2_import(const struct farm_reader *reader, const struct cw2_file *file,
				    const struct farm_node *experiment, unsigned depth)
{
	const struct farm_node *path = farm_node_find(experiment, "import_path"), *name;
	struct cw2_file other = *file;
	struct farm_node *base;

	name = farm_node_find(experiment, "import_exp");
	if (depth > CW2_IMPORTS) {
		farm_read_refuse(reader, experiment, "the imports of \"%s\" never end", cw2_name(experiment));
		return NULL;
	}
	if (path && path->kind == FARM_SCALAR && *path->text) {
		const char *slash = strrchr(file->path, '/');
		char *full = *path->text == '/' ? path->text
						: farm_text(reader->farm, "%.*s/%s", (int)(slash - file->path),
							    file->path, path->text);

		if (!full || !cw2_open(reader, full, &other))
			return NULL;
	}
	if (!name || name->kind != FARM_SCALAR || !strcasecmp(name->text, "DEFAULT"))
		base = cw2_find(&other, "DEFAULT", true);
	else
		base = cw2_find(&other, name->text, false);
	if (!base) {
		farm_read_refuse(reader, name ? name : path, "there is no such document in %s", other.path);
		return NULL;
	}
	return cw2_resolve(reader, &other, base, depth + 1);
}

/* An experiment with what it imports and with DEFAULT below it. */
static struct farm_node *cw2_resolve(const struct farm_reader *reader, const struct cw2_file *file,
				     struct farm_node *experiment, unsigned depth)
{
	struct farm_node *defaults = cw2_find(file, "DEFAULT", true), *merged = experiment;

	if (defaults && defaults != experiment)
		merged = farm_node_merge(reader->farm, defaults, experiment);
	if (merged && (farm_node_find(merged, "import_path") || farm_node_find(merged, "import_exp"))) {
		struct farm_node *base = cw2_import(reader, file, merged, depth);

		merged = base ? farm_node_merge(reader->farm, base, merged) : NULL;
	}
	if (merged) {
		merged->source = experiment->source;
		merged->line = experiment->line;
	}
	return merged;
}

/* --- experiments --- */

struct cw2 {
	struct farm_reader reader;
	const struct farm_words *command;
	struct farm_resources resources;
	struct farm_repetitions shares;
};

/* Values for the command that only `xylem slots` knows: they pass through. */
static void cw2_pass_on(struct farm *farm, struct farm_values *values)
{
	static const char *const names[] = { "rep", "slot", "folder" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		farm_values_add(
			farm, values,
			(struct farm_value){ .name = (char *)names[i], .text = farm_text(farm, "{%s}", names[i]) });
}

static bool cw2_repetitions(const struct cw2 *cw2, const struct farm_node *experiment, struct farm_repetitions *r)
{
	struct {
		const char *key;
		unsigned *value;
	} counts[] = {
		{ "repetitions", &r->count },
		{ "reps_per_job", &r->per_job },
		{ "reps_in_parallel", &r->parallel },
	};
	unsigned gpus;

	*r = cw2->shares;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		const struct farm_node *node = farm_node_find(experiment, counts[i].key);

		if (!node || farm_node_is_null(node))
			continue;
		if (!farm_read_count(&cw2->reader, node, counts[i].value))
			return false;
		if (!*counts[i].value)
			return farm_read_refuse(&cw2->reader, node, "must be at least 1");
	}
	if (!r->count)
		return farm_read_refuse(&cw2->reader, experiment, "the experiment \"%s\" has no repetitions",
					cw2_name(experiment));
	/* As in CW2, GPUs are not divided where one repetition gets all of them. */
	if (cw2->resources.gres && !slots_gpus_count(cw2->resources.gres, &gpus, NULL, 0) && gpus == r->gpus_per_rep)
		r->gpus_per_rep = 0;
	return farm_cw2_check_slots(&cw2->reader, experiment, &cw2->resources, r);
}

/* The folder of the repetitions: PATH/NAME/log, with a sweep PATH/NAME/NAME__a1_b3/log. */
static char *cw2_folder(const struct cw2 *cw2, const struct farm_node *experiment, const char *suffix)
{
	const struct farm_node *path = farm_node_find(experiment, "path");
	struct farm *farm = cw2->reader.farm;
	const char *name = cw2_name(experiment);
	char *top;

	if (!path || path->kind != FARM_SCALAR || !*path->text || farm_quote_has_control(path->text)) {
		farm_read_refuse(&cw2->reader, path ? path : experiment, "the experiment \"%s\" needs a path", name);
		return NULL;
	}
	if (strchr(name, '/') || farm_quote_has_control(name)) {
		farm_read_refuse(&cw2->reader, farm_node_find(experiment, "name"), "can't be the name of a folder");
		return NULL;
	}
	top = *path->text == '/' ? path->text : farm_text(farm, "%s/%s", farm->base, path->text);
	return *suffix ? farm_text(farm, "%s/%s/%s%s/log", top, name, name, suffix)
		       : farm_text(farm, "%s/%s/log", top, name);
}

/* The parameters of a point, and the whole experiment with them as cw_config. */
static bool cw2_params(const struct cw2 *cw2, const struct farm_node *experiment, const struct farm_cw2_point *point,
		       struct farm_values *params)
{
	struct farm *farm = cw2->reader.farm;
	struct farm_node overlay = { .kind = FARM_MAP, .source = experiment->source, .line = experiment->line };
	struct farm_node *all, *copy = farm_node_merge(farm, NULL, point->params);
	char *json;

	for (const struct farm_node *item = point->params->first; item; item = item->next)
		farm_values_add(farm, params, farm_node_value(farm, item->key, item));
	if (!copy)
		return false;
	copy->key = "params";
	overlay.first = copy;
	all = farm_node_merge(farm, experiment, &overlay);
	json = all ? farm_node_json(farm, all) : NULL;
	if (json)
		farm_values_add(farm, params, (struct farm_value){ .name = "cw_config", .text = json, .json = json });
	return json != NULL;
}

static bool cw2_point(const struct cw2 *cw2, const struct farm_node *experiment, struct farm_repetitions *r,
		      const struct farm_cw2_point *point)
{
	struct farm *farm = cw2->reader.farm;
	struct farm_piece piece = { .resources = cw2->resources,
				    .goal = { .loss = -1, .time_s = -1 },
				    .source = experiment->source,
				    .line = experiment->line };
	struct farm_values values = { 0 };

	piece.name = farm_text(farm, "%s%s", cw2_name(experiment), point->suffix);
	r->folder = cw2_folder(cw2, experiment, point->suffix);
	if (!piece.name || !r->folder || !cw2_params(cw2, experiment, point, &piece.params))
		return false;
	for (size_t i = 0; i < piece.params.count; i++)
		farm_values_add(farm, &values, piece.params.at[i]);
	cw2_pass_on(farm, &values);
	for (size_t i = 0; i < cw2->command->count; i++) {
		char *word = farm_sweep_fill(farm, cw2->command->at[i], &values, experiment->source, experiment->line,
					     cw2->reader.report);

		if (!word)
			return false;
		farm_words_add(farm, &piece.argv, word);
	}
	farm_add_repetitions(farm, &piece, r, cw2->reader.place->tool);
	return true;
}

static bool cw2_experiment(const struct cw2 *cw2, const struct cw2_file *file, struct farm_node *document)
{
	struct farm_node *experiment = cw2_resolve(&cw2->reader, file, document, 0);
	struct farm_cw2_points points;
	struct farm_repetitions r;

	if (!experiment || !cw2_repetitions(cw2, experiment, &r) || !farm_cw2_expand(&cw2->reader, experiment, &points))
		return false;
	for (size_t i = 0; i < points.count; i++)
		if (!cw2_point(cw2, experiment, &r, &points.at[i]))
			return false;
	return true;
}

static bool cw2_experiments(const struct cw2 *cw2, const struct cw2_file *file)
{
	size_t before = cw2->reader.farm->npieces;

	for (size_t i = 0; i < file->count; i++) {
		const char *name = cw2_name(file->documents[i]);

		if (!*name || cw2_is_slurm(name) || !strcasecmp(name, "DEFAULT"))
			continue;
		if (!cw2_experiment(cw2, file, file->documents[i]))
			return false;
	}
	if (cw2->reader.farm->npieces > before)
		return true;
	farm_say(cw2->reader.report, "%s: there is no experiment", file->path);
	return false;
}

/* --- the farm --- */

static char *cw2_command_path(const struct farm *farm)
{
	char *path;

	return asprintf(&path, "%s/" CW2_COMMAND, farm->folder) < 0 ? NULL : path;
}

int farm_cw2_keep(const struct farm *farm, const struct farm_words *command, const struct farm_report *report)
{
	struct xy__buffer text = { 0 };
	char *path = cw2_command_path(farm);
	int error = -ENOMEM;

	farm_quote_json_words(&text, command);
	xy__buffer_add(&text, "\n");
	if (path && !text.failed)
		error = farm_files_replace(path, text.at, text.length);
	if (error)
		farm_say(report, "%s/" CW2_COMMAND ": %s", farm->folder, strerror(-error));
	xy__buffer_fini(&text);
	free(path);
	return error;
}

/* The command of the last run. */
static bool cw2_remember(struct farm *farm, struct farm_words *command, const struct farm_report *report)
{
	char *path = cw2_command_path(farm);
	size_t length = 0;
	char *text = path ? farm_files_read(path, &length) : NULL;
	struct json json = { 0 };

	if (text && !farm_files_json(&json, text, length))
		for (const struct json_node *word = graph__json_first(&json, json.nodes); word;
		     word = graph__json_next(&json, word))
			if (word->kind == JSON_TEXT)
				farm_words_add(farm, command, word->text);
	graph__json_fini(&json);
	free(text);
	free(path);
	if (command->count)
		return true;
	farm_say(report, "a file of CW2 names no program: xylem farm run --cw2 FILE -- COMMAND says how a "
			 "repetition is run");
	return false;
}

/* The name of the farm and its folders, from the job's name or from that of the file. */
static bool cw2_place(struct farm *farm, const char *path, const struct farm_report *report)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
	struct xy__buffer file = { 0 };

	farm->file = farm_text(farm, "%s", path);
	farm->base = slash == path ? farm_text(farm, "/") : farm_text(farm, "%.*s", (int)(slash - path), path);
	if (!farm->name || !*farm->name)
		farm->name = dot && dot > slash + 1 ? farm_text(farm, "%.*s", (int)(dot - slash - 1), slash + 1)
						    : farm_text(farm, "%s", slash + 1);
	if (!farm->file || !farm->base || !farm->name)
		return false;
	if (farm_quote_has_control(farm->name)) {
		farm_say(report, "%s: the name of the farm has a control character in it", path);
		return false;
	}
	farm_quote_file(&file, farm->name);
	farm->failed |= file.failed;
	farm->folder = file.failed ? NULL : farm_text(farm, "%s/%s.farm", farm->base, file.at);
	xy__buffer_fini(&file);
	return farm->folder != NULL;
}

int farm_cw2_read(struct farm *farm, const char *path, const struct farm_words *command, const struct farm_place *place,
		  const struct farm_report *report)
{
	struct cw2 cw2 = { .reader = { .farm = farm, .place = place, .report = report },
			   .command = command,
			   .resources = { .warning_s = 60 } };
	struct farm_words last = { 0 };
	struct cw2_file file = { 0 };
	struct farm_node *slurm;
	bool good = cw2_open(&cw2.reader, path, &file);

	if (good) {
		slurm = cw2_find_slurm(&file, place->host);
		farm->scheduler = slurm ? FARM_SLURM : FARM_LOCAL;
		if (slurm)
			good = farm_cw2_slurm(&cw2.reader, slurm, &cw2.resources, &cw2.shares);
		else
			farm->interval_s = 1;
	}
	good = good && cw2_place(farm, file.path, report);
	if (good && !command->count) {
		good = cw2_remember(farm, &last, report);
		cw2.command = &last;
	}
	good = good && cw2_experiments(&cw2, &file);
	if (good)
		return farm_check(farm, report);
	if (farm->failed)
		farm_say(report, "there is not enough memory for the farm");
	return farm->failed ? -ENOMEM : -EINVAL;
}
