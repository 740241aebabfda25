/* SPDX-License-Identifier: MIT */
/* The models file: how many layers the model has, their memory, their output. */
#include <stdlib.h>
#include <string.h>

#include "core/util/message.h"
#include "core/util/nearest.h"
#include "pipeline/document.h"
#include "pipeline/read.h"

/* Beyond these a number is a mistake. Bytes of buffers stay exact in a double. */
#define MODEL_MEM_MAX 1e12
#define MODEL_PARAMETERS_MAX 1000000000000
#define MODEL_BYTES_MAX 9007199254740992.0

static const struct yaml_node_s *model_find(const struct pipeline_source *source, const char *name)
{
	const struct yaml_node_s *root = pipeline_document_root(source->document), *model;
	struct xy__message message;
	struct xy__nearest nearest;
	char what[256];

	model = pipeline_node_find(source->document, root, name);
	if (model)
		return model;
	xy__message_init(&message, what, sizeof(what));
	xy__message_add(&message, "no such model");
	xy__nearest_init(&nearest, name, strlen(name));
	for (size_t i = 0; pipeline_node_is_map(root) && i < pipeline_node_length(root); i++)
		xy__nearest_look(&nearest, pipeline_node_text(pipeline_node_key(source->document, root, i)));
	xy__nearest_say(&nearest, &message);
	pipeline_source_refuse(source, root, name, what);
	return NULL;
}

/* The buffers of a stage that reads and writes this much. */
static bool model_is_absurd(const struct pipeline_problem *problem, uint64_t parameters)
{
	double copies = (double)problem->buffers_in + (double)problem->buffers_out + 2;

	return (double)parameters * problem->dtype_size * (double)problem->batch_size * copies > MODEL_BYTES_MAX / 2;
}

static bool model_read_in(struct pipeline_problem *problem, const struct pipeline_source *source,
			  const struct yaml_node_s *model)
{
	const struct yaml_node_s *node = pipeline_source_need(source, model, "parameters_in");

	if (!node ||
	    !pipeline_source_count(source, node, "parameters_in", MODEL_PARAMETERS_MAX, &problem->parameters_in))
		return false;
	if (model_is_absurd(problem, problem->parameters_in))
		return pipeline_source_refuse(source, node, "parameters_in", "too large with this batch size");
	return true;
}

static bool model_read_out(struct pipeline_problem *problem, const struct pipeline_source *source,
			   const struct yaml_node_s *model)
{
	const struct yaml_node_s *node = pipeline_source_need(source, model, "parameters_out");
	size_t n = pipeline_node_length(node), layers = problem->nlayers;
	char what[160];

	if (!node)
		return false;
	snprintf(what, sizeof(what), "has %zu values for %zu layers", n, layers);
	if (!pipeline_node_is_list(node))
		return pipeline_source_refuse(source, node, "parameters_out", "must be a list of whole numbers");
	if (n > layers || (layers && !n))
		return pipeline_source_refuse(source, node, "parameters_out", what);
	if (n < layers)
		pipeline_say(source->report, "warning: %s:%u: %s: parameters_out: %s; they are repeated", source->name,
			     pipeline_node_line(node), source->owner, what);
	problem->parameters_out = calloc(layers + 1, sizeof(problem->parameters_out[0]));
	if (!problem->parameters_out)
		return pipeline_source_refuse(source, node, "parameters_out", "no memory");
	for (size_t i = 0; i < layers; i++) {
		const struct yaml_node_s *item = pipeline_node_item(source->document, node, i % n);

		if (!pipeline_source_count(source, item, "parameters_out", MODEL_PARAMETERS_MAX,
					   &problem->parameters_out[i]))
			return false;
		if (model_is_absurd(problem, problem->parameters_out[i]))
			return pipeline_source_refuse(source, item, "parameters_out", "too large with this batch size");
	}
	return true;
}

bool pipeline_read_model(struct pipeline_problem *problem, const struct pipeline_request *request,
			 struct pipeline_source source)
{
	const struct yaml_node_s *model = model_find(&source, request->model), *node;
	uint64_t layers;
	char what[96];

	if (!model)
		return false;
	if (!pipeline_node_is_map(model))
		return pipeline_source_refuse(&source, model, request->model, "must be a map");
	source.owner = request->model;
	problem->model = strdup(request->model);
	if (!problem->model)
		return pipeline_source_refuse(&source, model, "layers", "no memory");
	node = pipeline_source_need(&source, model, "layers");
	if (!node || !pipeline_source_count(&source, node, "layers", PIPELINE_LAYERS_MAX, &layers))
		return false;
	problem->nlayers = (unsigned)layers;
	node = pipeline_source_need(&source, model, "mem_MB");
	if (!node || !pipeline_source_numbers(&source, node, "mem_MB", MODEL_MEM_MAX, &problem->mem_MB))
		return false;
	if (pipeline_node_length(node) != layers) {
		snprintf(what, sizeof(what), "has %zu values for %u layers", pipeline_node_length(node),
			 problem->nlayers);
		return pipeline_source_refuse(&source, node, "mem_MB", what);
	}
	return model_read_in(problem, &source, model) && model_read_out(problem, &source, model);
}
