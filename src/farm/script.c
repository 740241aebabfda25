/* SPDX-License-Identifier: MIT */
/* Job scripts. All that comes from farm.yml is quoted, but for extra_script, which is shell by its nature. */
#include "farm/script.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "farm/environment.h"
#include "farm/quote.h"

static void script_words(struct xy__buffer *buffer, const char *name, const struct farm_words *words)
{
	xy__buffer_add(buffer, "%s=", name);
	farm_quote_json_words(buffer, words);
	xy__buffer_add(buffer, "\n");
}

/* All that makes two sets different, as text. */
static void script_describe(struct xy__buffer *buffer, const struct farm_piece *piece)
{
	const struct farm_resources *r = &piece->resources;

	xy__buffer_add(buffer, "%u %u %u %u %u %u %u %u %d %d %d\n%s\n%s\n%s\n%s\n", r->cores, r->nodes,
		       r->cores_per_node, r->ntasks, r->cpus_per_task, r->num_threads, r->time_limit_s, r->warning_s,
		       r->exclusive, r->requeue, piece->claims_itself, r->partition ? r->partition : "",
		       r->memory ? r->memory : "", r->gres ? r->gres : "", r->executor ? r->executor : "");
	script_words(buffer, "options", &r->extra_scheduler);
	script_words(buffer, "late", &r->late_resources);
	for (size_t i = 0; i < r->env.count; i++)
		xy__buffer_add(buffer, "%s=%s\n", r->env.at[i].name, r->env.at[i].text);
	/* A program that claims for itself is started by the script, so it belongs to the set. */
	if (piece->claims_itself)
		script_words(buffer, "argv", &piece->argv);
	xy__buffer_add(buffer, "%s", r->extra_script ? r->extra_script : "");
}

/* FNV-1a of 32 bits. */
static uint32_t script_hash(const char *text, uint32_t salt)
{
	uint32_t hash = 2166136261u + salt;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash;
}

/* A set seen so far: pieces that follow are compared with the last few first. */
struct script_set {
	char name[9];
	char *text;
	struct script_set *next;
};

static struct script_set *script_find(struct script_set *sets, const char *text)
{
	while (sets && strcmp(sets->text, text))
		sets = sets->next;
	return sets;
}

static bool script_is_taken(const struct script_set *sets, const char *name)
{
	while (sets && strcmp(sets->name, name))
		sets = sets->next;
	return sets;
}

int farm_script_name_sets(struct farm *farm)
{
	struct script_set *sets = NULL, *set;
	struct xy__buffer text = { 0 };
	bool failed = false;

	for (size_t i = 0; i < farm->npieces && !failed; i++) {
		xy__buffer_cut(&text, 0);
		script_describe(&text, &farm->pieces[i]);
		failed = text.failed;
		set = failed ? NULL : script_find(sets, text.at);
		if (!set && !failed) {
			set = farm_alloc(farm, sizeof(*set));
			failed = !set || !(set->text = farm_text(farm, "%s", text.at));
			for (uint32_t salt = 0; !failed && (!salt || script_is_taken(sets, set->name)); salt++)
				snprintf(set->name, sizeof(set->name), "%08x", (unsigned)script_hash(text.at, salt));
			if (!failed) {
				set->next = sets;
				sets = set;
			}
		}
		if (set)
			memcpy(farm->pieces[i].set, set->name, sizeof(set->name));
	}
	xy__buffer_fini(&text);
	return failed ? -ENOMEM : 0;
}

unsigned farm_script_cores(const struct farm_resources *r)
{
	unsigned tasks = r->ntasks ? r->ntasks : 1;

	if (r->nodes)
		return r->nodes * r->cores_per_node;
	if (r->cores)
		return r->cores;
	return tasks * (r->cpus_per_task ? r->cpus_per_task : 1);
}

static void script_export(struct xy__buffer *buffer, const char *name, const char *value)
{
	xy__buffer_add(buffer, "export %s=", name);
	farm_quote_shell(buffer, value);
	xy__buffer_add(buffer, "\n");
}

static void script_export_number(struct xy__buffer *buffer, const char *name, double value)
{
	xy__buffer_add(buffer, "export %s=", name);
	farm_quote_number(buffer, value);
	xy__buffer_add(buffer, "\n");
}

static void script_environment(struct xy__buffer *buffer, const struct farm *farm, const struct farm_piece *piece)
{
	static const char *const threads[] = { "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS",
					       "NUMEXPR_NUM_THREADS" };
	const struct farm_resources *r = &piece->resources;

	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
		xy__buffer_add(buffer, "export %s=%u\n", threads[i], r->num_threads ? r->num_threads : 1);
	script_export(buffer, FARM_ENV_NAME, farm->name);
	script_export(buffer, FARM_ENV_FOLDER, farm->folder);
	script_export(buffer, FARM_ENV_SET, piece->set);
	script_export_number(buffer, FARM_ENV_SAVE_INTERVAL, farm->save_interval_s);
	script_export_number(buffer, FARM_ENV_LOG_INTERVAL, farm->log_interval_s);
	if (r->executor)
		script_export(buffer, FARM_ENV_EXECUTOR, r->executor);
	/* Where xylem_farm.py is. */
	xy__buffer_add(buffer, "export PYTHONPATH=");
	farm_quote_shell(buffer, XY__PYTHON_FOLDER);
	xy__buffer_add(buffer, "\"${PYTHONPATH:+:$PYTHONPATH}\"\n");
	for (size_t i = 0; i < r->env.count; i++)
		script_export(buffer, r->env.at[i].name, r->env.at[i].text);
}

void farm_script_write(struct xy__buffer *buffer, const struct farm *farm, const struct farm_piece *piece,
		       const char *tool, const char *job, const char *prologue)
{
	xy__buffer_add(buffer, "#!/bin/bash\n# A job of the farm %s, resource set %s. Written by xylem farm.\n",
		       farm->name, piece->set);
	script_environment(buffer, farm, piece);
	xy__buffer_add(buffer, "export %s=%s\ncd -- ", FARM_ENV_JOB, job);
	farm_quote_shell(buffer, farm->base);
	xy__buffer_add(buffer, " || exit 1\n%s", prologue);
	if (piece->resources.extra_script)
		xy__buffer_add(buffer, "%s\n", piece->resources.extra_script);
	xy__buffer_add(buffer, "exec ");
	if (piece->claims_itself) {
		for (size_t i = 0; i < piece->argv.count; i++) {
			xy__buffer_add(buffer, "%s", i ? " " : "");
			farm_quote_shell(buffer, piece->argv.at[i]);
		}
	} else {
		farm_quote_shell(buffer, tool);
		xy__buffer_add(buffer, " farm job ");
		farm_quote_shell(buffer, farm->folder);
		xy__buffer_add(buffer, " %s \"$%s\"%s", piece->set, FARM_ENV_JOB,
			       piece->resources.requeue ? " --requeued" : "");
	}
	xy__buffer_add(buffer, "\n");
}

void farm_script_params(struct xy__buffer *buffer, const struct farm_piece *piece)
{
	xy__buffer_add(buffer, "{");
	for (size_t i = 0; i < piece->params.count; i++) {
		xy__buffer_add(buffer, "%s", i ? "," : "");
		farm_quote_json(buffer, piece->params.at[i].name);
		xy__buffer_add(buffer, ":%s", piece->params.at[i].json);
	}
	xy__buffer_add(buffer, "}");
}

void farm_script_goal(struct xy__buffer *buffer, const struct farm_piece *piece)
{
	const struct farm_goal *goal = &piece->goal;
	const char *comma = "{";

	if (goal->points) {
		xy__buffer_add(buffer, "%s\"points\":%llu", comma, (unsigned long long)goal->points);
		comma = ",";
	}
	if (goal->loss >= 0) {
		xy__buffer_add(buffer, "%s\"loss\":", comma);
		farm_quote_number(buffer, goal->loss);
		comma = ",";
	}
	if (goal->time_s >= 0) {
		xy__buffer_add(buffer, "%s\"time\":", comma);
		farm_quote_number(buffer, goal->time_s);
		comma = ",";
	}
	if (goal->command.count) {
		xy__buffer_add(buffer, "%s\"command\":", comma);
		farm_quote_json_words(buffer, &goal->command);
		comma = ",";
	}
	if (*comma == ',')
		xy__buffer_add(buffer, "}");
}

/* The variables of a piece whose values are JSON, ready for its environment. */
static void script_variables(struct xy__buffer *buffer, const struct farm_piece *piece)
{
	struct xy__buffer value = { 0 };

	farm_script_params(&value, piece);
	xy__buffer_add(buffer, ",\"env\":{\"" FARM_ENV_PARAMS "\":");
	farm_quote_json(buffer, value.failed ? "" : value.at);
	xy__buffer_cut(&value, 0);
	farm_script_goal(&value, piece);
	if (value.length) {
		xy__buffer_add(buffer, ",\"" FARM_ENV_GOAL "\":");
		farm_quote_json(buffer, value.at);
	}
	buffer->failed |= value.failed;
	xy__buffer_add(buffer, "}");
	xy__buffer_fini(&value);
}

static void script_piece(struct xy__buffer *buffer, const struct farm *farm, const struct farm_piece *piece)
{
	size_t before;

	xy__buffer_add(buffer, "{\"name\":");
	farm_quote_json(buffer, piece->name);
	xy__buffer_add(buffer, ",\"file\":");
	farm_quote_json(buffer, piece->file);
	xy__buffer_add(buffer, ",\"set\":\"%s\",\"argv\":", piece->set);
	farm_quote_json_words(buffer, &piece->argv);
	xy__buffer_add(buffer, ",\"params\":");
	farm_script_params(buffer, piece);
	xy__buffer_add(buffer, ",\"depends_on\":[");
	for (size_t i = 0; i < piece->depends_on.count; i++) {
		xy__buffer_add(buffer, "%s", i ? "," : "");
		farm_quote_json(buffer, farm->pieces[piece->needs[i]].file);
	}
	xy__buffer_add(buffer, "],\"goal\":");
	before = buffer->length;
	farm_script_goal(buffer, piece);
	xy__buffer_add(buffer, "%s,\"folder\":", buffer->length == before ? "{}" : "");
	farm_quote_json(buffer, farm->base);
	script_variables(buffer, piece);
	xy__buffer_add(buffer, "}\n");
}

void farm_script_pieces(struct xy__buffer *buffer, const struct farm *farm)
{
	for (size_t i = 0; i < farm->npieces; i++)
		script_piece(buffer, farm, &farm->pieces[i]);
}
