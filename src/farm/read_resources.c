/* SPDX-License-Identifier: MIT */
/* What a job asks for, from a map with any of the resource keys: one function for each kind of value. */
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "core/util/nearest.h"
#include "core/util/text.h"
#include "farm/quote.h"
#include "farm/read.h"

static bool resources_memory(const struct farm_reader *reader, const struct farm_node *node, char **text)
{
	const char *at = node->text;
	uint64_t value;

	if (!farm_read_text(reader, node, text))
		return false;
	if (xy__text_unsigned(&at, 1000000000000, &value) && (!*at || (strchr("KMGT", *at) && !at[1])))
		return true;
	return farm_read_refuse(reader, node, "\"%.40s\" is no amount of memory: 500M, 4G or 2000 (megabytes)", *text);
}

static bool resources_env(const struct farm_reader *reader, const struct farm_node *node, struct farm_values *env)
{
	*env = (struct farm_values){ 0 };
	for (const struct farm_node *item = node->first; item; item = item->next) {
		struct farm_value value = { 0 };
		char *text, *equals;

		if (!farm_read_text(reader, item, &text))
			return false;
		if (node->kind == FARM_MAP) {
			value.name = item->key;
			value.text = text;
		} else {
			equals = strchr(text, '=');
			if (!equals)
				return farm_read_refuse(reader, item, "must be NAME=value");
			value.name = farm_text(reader->farm, "%.*s", (int)(equals - text), text);
			value.text = equals + 1;
		}
		if (!value.name || !farm_quote_is_variable(value.name))
			return farm_read_refuse(reader, item, "\"%.40s\" can't be the name of an environment variable",
						value.name ? value.name : "");
		farm_values_add(reader->farm, env, value);
	}
	return node->kind != FARM_SCALAR || farm_read_refuse(reader, node, "must be a map or a list of NAME=value");
}

static bool resources_time(const struct farm_reader *reader, const struct farm_node *node, unsigned *seconds)
{
	double value;

	if (!farm_read_time(reader, node, &value))
		return false;
	if (value > UINT_MAX)
		return farm_read_refuse(reader, node, "is too long");
	*seconds = (unsigned)value + (value > (unsigned)value);
	return true;
}

/* A text of one line, as it becomes an option of the scheduler. */
static bool resources_line(const struct farm_reader *reader, const struct farm_node *node, char **text)
{
	return farm_read_text(reader, node, text) &&
	       (!farm_quote_has_control(*text) || farm_read_refuse(reader, node, "has a control character in it"));
}

enum resources_kind { COUNT, TIME, TRUTH, LINE, LINES, MEMORY, OPTIONS, WORDS, ENV };

static const struct {
	const char *name;
	enum resources_kind kind;
	size_t offset;
} resources_keys[] = {
#define AT(field) offsetof(struct farm_resources, field)
	{ "cores", COUNT, AT(cores) },
	{ "nodes", COUNT, AT(nodes) },
	{ "cores_per_node", COUNT, AT(cores_per_node) },
	{ "ntasks", COUNT, AT(ntasks) },
	{ "cpus-per-task", COUNT, AT(cpus_per_task) },
	{ "num_threads", COUNT, AT(num_threads) },
	{ "time_limit", TIME, AT(time_limit_s) },
	{ "warning", TIME, AT(warning_s) },
	{ "exclusive", TRUTH, AT(exclusive) },
	{ "requeue", TRUTH, AT(requeue) },
	{ "partition", LINE, AT(partition) },
	{ "memory", MEMORY, AT(memory) },
	{ "gres", LINE, AT(gres) },
	{ "executor", LINE, AT(executor) },
	{ "extra_scheduler", OPTIONS, AT(extra_scheduler) },
	{ "sbatch_args", OPTIONS, AT(extra_scheduler) },
	{ "late_resources", WORDS, AT(late_resources) },
	{ "mpiexec", WORDS, AT(mpiexec) },
	{ "extra_env_vars", ENV, AT(env) },
	{ "extra_script", LINES, AT(extra_script) },
#undef AT
};
#define RESOURCES_NKEYS (sizeof(resources_keys) / sizeof(resources_keys[0]))

bool farm_read_is_resource(const char *key, struct xy__nearest *nearest)
{
	for (size_t i = 0; i < RESOURCES_NKEYS; i++) {
		if (!strcmp(resources_keys[i].name, key))
			return true;
		if (nearest)
			xy__nearest_look(nearest, resources_keys[i].name);
	}
	return false;
}

static bool resources_read_key(const struct farm_reader *reader, const struct farm_node *node, size_t key,
			       struct farm_resources *resources)
{
	void *at = (char *)resources + resources_keys[key].offset;

	switch (resources_keys[key].kind) {
	case COUNT:
		return farm_read_count(reader, node, at);
	case TIME:
		return resources_time(reader, node, at);
	case TRUTH:
		return farm_read_truth(reader, node, at);
	case LINE:
		return resources_line(reader, node, at);
	case LINES:
		return farm_read_text(reader, node, at);
	case MEMORY:
		return resources_memory(reader, node, at);
	case OPTIONS:
		return farm_read_options(reader, node, at);
	case WORDS:
		return farm_read_words(reader, node, at);
	default:
		return resources_env(reader, node, at);
	}
}

bool farm_read_resources(const struct farm_reader *reader, const struct farm_node *map,
			 struct farm_resources *resources)
{
	*resources = (struct farm_resources){ .warning_s = 60 };
	if (farm_node_find(map, "extra_scheduler") && farm_node_find(map, "sbatch_args"))
		return farm_read_refuse(reader, farm_node_find(map, "sbatch_args"),
					"extra_scheduler is set too: use one of the two");
	for (size_t i = 0; i < RESOURCES_NKEYS; i++) {
		const struct farm_node *node = farm_node_find(map, resources_keys[i].name);

		if (node && !farm_node_is_null(node) && !resources_read_key(reader, node, i, resources))
			return false;
	}
	if (resources->cores && resources->nodes)
		return farm_read_refuse(reader, farm_node_find(map, "nodes"), "cores is given, too: give one of them");
	if (!resources->nodes != !resources->cores_per_node)
		return farm_read_refuse(reader, map, "nodes and cores_per_node are given together");
	return true;
}
