/* SPDX-License-Identifier: MIT */
/* The file of device types: bandwidth, memory, and how long each layer takes. */
#include <stdlib.h>
#include <string.h>

#include "pipeline/document.h"
#include "pipeline/read.h"

#define TYPES_BW_MAX 1e12
#define TYPES_MEM_MAX 1e12
#define TYPES_TIME_MAX 1e9
#define TYPES_BATCH_MAX 1000000000

/* Whether a profile is the requested one; -1 after a message. */
static int types_match(const struct pipeline_source *source, const struct pipeline_problem *problem,
		       const struct pipeline_request *request, const struct yaml_node_s *profile)
{
	const struct yaml_node_s *dtype, *batch;
	const char *text;
	uint64_t size;
	char where[512];

	if (!pipeline_node_is_map(profile)) {
		pipeline_source_refuse(source, profile, "model_profiles", "a profile must be a map");
		return -1;
	}
	dtype = pipeline_source_need(source, profile, "dtype");
	batch = pipeline_source_need(source, profile, "batch_size");
	if (!dtype || !batch || !pipeline_source_count(source, batch, "batch_size", TYPES_BATCH_MAX, &size))
		return -1;
	text = pipeline_node_text(dtype);
	snprintf(where, sizeof(where), "%s:%u: %.200s: dtype", source->name, pipeline_node_line(dtype), source->owner);
	if (!pipeline_dtype_size(text ? text : "", where, source->report))
		return -1;
	return pipeline_dtype_is_same(text, request->dtype) && size == problem->batch_size;
}

/* The last profile that matches in *profile, NULL if none does; false after a message. */
static bool types_find_profile(const struct pipeline_source *source, const struct pipeline_problem *problem,
			       const struct pipeline_request *request, const struct yaml_node_s *type,
			       const struct yaml_node_s **profile)
{
	const struct yaml_node_s *models = pipeline_node_find(source->document, type, "model_profiles"), *list;

	*profile = NULL;
	if (!models || pipeline_node_is_null(models))
		return true;
	if (!pipeline_node_is_map(models))
		return pipeline_source_refuse(source, models, "model_profiles", "must be a map of models");
	list = pipeline_node_find(source->document, models, request->model);
	if (!list || pipeline_node_is_null(list))
		return true;
	if (!pipeline_node_is_list(list))
		return pipeline_source_refuse(source, list, request->model, "must be a list of profiles");
	for (size_t i = 0; i < pipeline_node_length(list); i++) {
		const struct yaml_node_s *item = pipeline_node_item(source->document, list, i);
		int match = types_match(source, problem, request, item);

		if (match < 0)
			return false;
		if (match)
			*profile = item;
	}
	return true;
}

static bool types_read_times(struct pipeline_type *type, const struct pipeline_source *source,
			     const struct pipeline_problem *problem, const struct yaml_node_s *profile)
{
	const struct yaml_node_s *node = pipeline_source_need(source, profile, "time_s");
	char what[96];

	if (!node || !pipeline_source_numbers(source, node, "time_s", TYPES_TIME_MAX, &type->time_s))
		return false;
	if (pipeline_node_length(node) == problem->nlayers)
		return true;
	free(type->time_s);
	type->time_s = NULL;
	snprintf(what, sizeof(what), "has %zu values for %u layers", pipeline_node_length(node), problem->nlayers);
	return pipeline_source_refuse(source, node, "time_s", what);
}

/* Appends a type, unless it has no profile. */
static bool types_read(struct pipeline_problem *problem, const struct pipeline_request *request,
		       const struct pipeline_source *source, const struct yaml_node_s *node)
{
	struct pipeline_type *type = &problem->types[problem->ntypes];
	const struct yaml_node_s *bw, *mem, *profile;

	if (!pipeline_node_is_map(node)) {
		pipeline_say(source->report, "%s:%u: %s: must be a map", source->name, pipeline_node_line(node),
			     source->owner);
		return false;
	}
	bw = pipeline_source_need(source, node, "bw_Mbps");
	mem = pipeline_source_need(source, node, "mem_MB");
	if (!bw || !mem || !pipeline_source_number(source, bw, "bw_Mbps", TYPES_BW_MAX, &type->bw_Mbps) ||
	    !pipeline_source_number(source, mem, "mem_MB", TYPES_MEM_MAX, &type->mem_MB) ||
	    !types_find_profile(source, problem, request, node, &profile))
		return false;
	if (!profile) {
		pipeline_say(source->report,
			     "warning: %s:%u: %s: no profile of %s with %s and batch size %llu; this type "
			     "is skipped",
			     source->name, pipeline_node_line(node), source->owner, request->model, request->dtype,
			     (unsigned long long)problem->batch_size);
		return true;
	}
	if (!types_read_times(type, source, problem, profile))
		return false;
	type->name = strdup(source->owner);
	problem->ntypes++;
	return type->name || pipeline_source_refuse(source, node, "model_profiles", "no memory");
}

static int types_compare(const void *a, const void *b)
{
	return strcmp(((const struct pipeline_type *)a)->name, ((const struct pipeline_type *)b)->name);
}

bool pipeline_read_types(struct pipeline_problem *problem, const struct pipeline_request *request,
			 struct pipeline_source source)
{
	const struct yaml_node_s *root = pipeline_document_root(source.document);
	size_t n = pipeline_node_length(root);

	if (!pipeline_node_is_map(root))
		return pipeline_source_refuse(&source, root, "device types", "must be a map of types");
	problem->types = calloc(n + 1, sizeof(problem->types[0]));
	if (!problem->types)
		return pipeline_source_refuse(&source, root, "device types", "no memory");
	for (size_t i = 0; i < n; i++) {
		source.owner = pipeline_node_text(pipeline_node_key(source.document, root, i));
		if (problem->ntypes == PIPELINE_TYPES_MAX)
			return pipeline_source_refuse(&source, pipeline_node_key(source.document, root, i),
						      "device types", "too many");
		if (!types_read(problem, request, &source, pipeline_node_value(source.document, root, i)))
			return false;
	}
	qsort(problem->types, problem->ntypes, sizeof(problem->types[0]), types_compare);
	return true;
}
