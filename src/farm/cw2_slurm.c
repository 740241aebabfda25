/* SPDX-License-Identifier: MIT */
/* The SLURM document of CW2: resources of all jobs, and how repetitions share them. */
#include "farm/cw2.h"

#include <stdio.h>
#include <string.h>

#include "core/util/nearest.h"
#include "core/util/text.h"
#include "farm/quote.h"
#include "farm/slots.h"
#include "farm/slots_gpus.h"

/* Keys that have no meaning here: programs are run where they are, and scripts are the farm's own. */
static const char *const slurm_unused[] = {
	"path_to_template",    "experiment_copy_dst", "experiment_copy_auto_dst",
	"experiment_copy_src", "slurm_log",           "slurm_output",
};

static const char *const slurm_keys[] = {
	"name",     "job-name",      "partition",    "account",      "num_parallel_jobs",
	"ntasks",   "cpus-per-task", "mem-per-cpu",  "time",         "venv",
	"sh_lines", "sbatch_args",   "gpus_per_rep", "cpus_per_rep", "scheduler",
};

static bool slurm_is_in(const char *const *words, size_t n, const char *key, struct xy__nearest *nearest)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(words[i], key))
			return true;
		if (nearest)
			xy__nearest_look(nearest, words[i]);
	}
	return false;
}

static bool slurm_check_keys(const struct farm_reader *reader, const struct farm_node *map)
{
	for (const struct farm_node *item = map->first; item; item = item->next) {
		struct xy__nearest nearest;
		struct xy__message message;
		char suggestion[160];

		if (slurm_is_in(slurm_unused, sizeof(slurm_unused) / sizeof(slurm_unused[0]), item->key, NULL)) {
			farm_say(reader->report,
				 "%s:%u: note: %s is not used: programs run where they are, logs "
				 "are in the "
				 "farm's folder",
				 item->source, item->line, item->key);
			continue;
		}
		xy__nearest_init(&nearest, item->key, strlen(item->key));
		if (slurm_is_in(slurm_keys, sizeof(slurm_keys) / sizeof(slurm_keys[0]), item->key, &nearest))
			continue;
		xy__message_init(&message, suggestion, sizeof(suggestion));
		xy__nearest_say(&nearest, &message);
		return farm_read_refuse(reader, item,
					"there is no such key of a SLURM document%s (options of "
					"sbatch belong "
					"into sbatch_args)",
					suggestion);
	}
	return true;
}

/* A whole number of minutes, or as sbatch reads it: M:S, H:M:S, D-H, D-H:M, D-H:M:S. */
static bool slurm_time(const struct farm_reader *reader, const struct farm_node *node, unsigned *seconds)
{
	const char *at = node->kind == FARM_SCALAR ? node->text : "", *colon;
	uint64_t days = 0, parts[3] = { 0 }, total;
	bool has_days = strchr(at, '-') != NULL;
	size_t n = 0;

	if (has_days && (!xy__text_unsigned(&at, 10000, &days) || *at++ != '-'))
		n = 4;
	for (colon = at; n < 3; colon = at + 1) {
		at = colon;
		if (!xy__text_unsigned(&at, 1000000, &parts[n++]))
			n = 4;
		if (*at != ':')
			break;
	}
	if (n > 3 || *at)
		return farm_read_refuse(reader, node,
					"is neither a number of minutes nor a time such as 1:30:00 "
					"or 2-12:00:00");
	if (has_days || n == 3)
		total = ((days * 24 + parts[0]) * 60 + parts[1]) * 60 + parts[2];
	else
		total = parts[0] * 60 + parts[1];
	if (total == 0 || total > UINT32_MAX)
		return farm_read_refuse(reader, node, "is no time that a job can have");
	*seconds = (unsigned)total;
	return true;
}

/* An option of sbatch; gres is known to the farm. */
static bool slurm_option(const struct farm_reader *reader, const struct farm_node *node, const char *name,
			 struct farm_resources *resources)
{
	char *text;

	if (node->kind != FARM_SCALAR)
		return farm_read_refuse(reader, node, "must be a text");
	text = node->text;
	if (farm_quote_has_control(text))
		return farm_read_refuse(reader, node, "has a control character in it");
	if (!strcmp(name, "gres"))
		resources->gres = text;
	else
		farm_words_add(reader->farm, &resources->extra_scheduler,
			       farm_node_is_null(node) || !*text ? farm_text(reader->farm, "--%s", name)
								 : farm_text(reader->farm, "--%s=%s", name, text));
	return true;
}

static bool slurm_options(const struct farm_reader *reader, const struct farm_node *map,
			  struct farm_resources *resources)
{
	const struct farm_node *account = farm_node_find(map, "account"), *memory = farm_node_find(map, "mem-per-cpu");
	const struct farm_node *args = farm_node_find(map, "sbatch_args");

	if (account && !farm_node_is_null(account) && *account->text &&
	    !slurm_option(reader, account, "account", resources))
		return false;
	if (memory && !farm_node_is_null(memory) && !slurm_option(reader, memory, "mem-per-cpu", resources))
		return false;
	if (!args || farm_node_is_null(args))
		return true;
	if (args->kind != FARM_MAP)
		return farm_read_refuse(reader, args, "must be a map of options of sbatch");
	for (const struct farm_node *item = args->first; item; item = item->next)
		if (!slurm_option(reader, item, item->key, resources))
			return false;
	return true;
}

/* sh_lines and venv: lines of shell before the command. */
static bool slurm_script(const struct farm_reader *reader, const struct farm_node *map,
			 struct farm_resources *resources)
{
	const struct farm_node *venv = farm_node_find(map, "venv"), *lines = farm_node_find(map, "sh_lines");
	struct xy__buffer script = { 0 };
	bool good = true;

	if (venv && !farm_node_is_null(venv) && venv->kind == FARM_SCALAR && *venv->text) {
		xy__buffer_add(&script, "source activate ");
		farm_quote_shell(&script, venv->text);
		xy__buffer_add(&script, "\n");
	}
	if (lines && !farm_node_is_null(lines) && lines->kind != FARM_LIST)
		good = farm_read_refuse(reader, lines, "must be a list of lines");
	for (const struct farm_node *item = good && lines ? lines->first : NULL; item && good; item = item->next)
		if (item->kind == FARM_SCALAR)
			xy__buffer_add(&script, "%s\n", item->text);
		else
			good = farm_read_refuse(reader, item, "must be a line of shell");
	reader->farm->failed |= script.failed;
	if (good && script.length > 0)
		resources->extra_script = farm_text(reader->farm, "%s", script.at);
	xy__buffer_fini(&script);
	return good;
}

static bool slurm_shares(const struct farm_reader *reader, const struct farm_node *map, struct farm_repetitions *shares)
{
	const struct farm_node *gpus = farm_node_find(map, "gpus_per_rep"), *cpus = farm_node_find(map, "cpus_per_rep");
	const struct farm_node *word = farm_node_find(map, "scheduler");

	if (gpus && !farm_node_is_null(gpus) && !farm_read_number(reader, gpus, &shares->gpus_per_rep))
		return false;
	if (gpus && !farm_node_is_null(gpus) && shares->gpus_per_rep <= 0)
		return farm_read_refuse(reader, gpus, "must be more than 0");
	if (cpus && !farm_node_is_null(cpus) && !farm_read_count(reader, cpus, &shares->cpus_per_rep))
		return false;
	if (word && !farm_node_is_null(word) &&
	    (word->kind != FARM_SCALAR || !farm_read_is_share(word->text, &shares->share)))
		return farm_read_refuse(reader, word, "must be mp, horeka, kluster or cpu_distribute");
	if (shares->share == FARM_SHARE_CPU && !shares->cpus_per_rep)
		return farm_read_refuse(reader, word, "cpu_distribute needs cpus_per_rep");
	if (shares->share == FARM_SHARE_CPU)
		shares->gpus_per_rep = 0;
	return true;
}

bool farm_cw2_slurm(const struct farm_reader *reader, const struct farm_node *map, struct farm_resources *resources,
		    struct farm_repetitions *shares)
{
	struct {
		const char *key;
		unsigned *value;
	} counts[] = {
		{ "num_parallel_jobs", &reader->farm->max_simultaneous_jobs },
		{ "ntasks", &resources->ntasks },
		{ "cpus-per-task", &resources->cpus_per_task },
	};
	const struct farm_node *time = farm_node_find(map, "time"), *partition = farm_node_find(map, "partition");
	const struct farm_node *name = farm_node_find(map, "job-name");

	if (!slurm_check_keys(reader, map))
		return false;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		const struct farm_node *node = farm_node_find(map, counts[i].key);

		if (!node || farm_node_is_null(node))
			continue;
		if (!farm_read_count(reader, node, counts[i].value))
			return false;
		if (!*counts[i].value)
			return farm_read_refuse(reader, node, "must be at least 1");
	}
	if (time && !farm_node_is_null(time) && !slurm_time(reader, time, &resources->time_limit_s))
		return false;
	if (partition && !farm_node_is_null(partition) && !farm_read_text(reader, partition, &resources->partition))
		return false;
	if (name && !farm_node_is_null(name) && !farm_read_text(reader, name, &reader->farm->name))
		return false;
	return slurm_options(reader, map, resources) && slurm_script(reader, map, resources) &&
	       slurm_shares(reader, map, shares);
}

bool farm_cw2_check_slots(const struct farm_reader *reader, const struct farm_node *experiment,
			  const struct farm_resources *resources, const struct farm_repetitions *repetitions)
{
	unsigned tasks = resources->ntasks ? resources->ntasks : 1;
	struct slots_request request = {
		.ncpus = tasks * resources->cpus_per_task,
		.gpus_per_rep = repetitions->gpus_per_rep,
		.cpus_per_rep = repetitions->cpus_per_rep,
		.parallel = repetitions->parallel,
		.share_cpus = !resources->cpus_per_task && !repetitions->cpus_per_rep,
	};
	struct slots_division division;
	char error[512];

	/* How many processors a job gets by default only SLURM knows. */
	if (!resources->cpus_per_task && repetitions->cpus_per_rep)
		return true;
	if (repetitions->gpus_per_rep > 0 && !resources->gres)
		return farm_read_refuse(reader, experiment, "gpus_per_rep needs gres in sbatch_args");
	if (resources->gres && slots_gpus_count(resources->gres, &request.ngpus, error, sizeof(error)))
		return farm_read_refuse(reader, experiment, "gres: %s", error);
	if (slots_division_init(&division, &request, error, sizeof(error)))
		return farm_read_refuse(reader, experiment, "%s", error);
	slots_division_fini(&division);
	return true;
}
