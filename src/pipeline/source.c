/* SPDX-License-Identifier: MIT */
/* Values of a YAML file, checked, with messages that say where. */
#include <stdlib.h>
#include <string.h>

#include "core/util/message.h"
#include "core/util/nearest.h"
#include "core/util/text.h"
#include "pipeline/document.h"
#include "pipeline/read.h"

/* PyTorch's names; some types have two. */
static const struct {
	const char *name, *other;
	unsigned size;
} source_dtypes[] = {
	{ "torch.float32", "torch.float", 4 },
	{ "torch.float64", "torch.double", 8 },
	{ "torch.float16", "torch.half", 2 },
	{ "torch.bfloat16", NULL, 2 },
	{ "torch.int8", NULL, 1 },
	{ "torch.uint8", NULL, 1 },
	{ "torch.qint8", NULL, 1 },
	{ "torch.quint8", NULL, 1 },
	{ "torch.bool", NULL, 1 },
	{ "torch.int16", "torch.short", 2 },
	{ "torch.int32", "torch.int", 4 },
	{ "torch.qint32", NULL, 4 },
	{ "torch.int64", "torch.long", 8 },
	{ "torch.complex64", "torch.cfloat", 8 },
	{ "torch.complex128", "torch.cdouble", 16 },
};

enum { SOURCE_DTYPES = sizeof(source_dtypes) / sizeof(source_dtypes[0]) };

/* The number of a datatype in the table; SOURCE_DTYPES if it is not there. */
static unsigned source_dtype(const char *name)
{
	unsigned i = 0;

	while (i < SOURCE_DTYPES && strcmp(name, source_dtypes[i].name) &&
	       (!source_dtypes[i].other || strcmp(name, source_dtypes[i].other)))
		i++;
	return i;
}

bool pipeline_dtype_is_same(const char *a, const char *b)
{
	return source_dtype(a) == source_dtype(b);
}

unsigned pipeline_dtype_size(const char *dtype, const char *where, const struct pipeline_report *report)
{
	struct xy__message message;
	struct xy__nearest nearest;
	char suggestion[160];

	if (source_dtype(dtype) < SOURCE_DTYPES)
		return source_dtypes[source_dtype(dtype)].size;
	xy__nearest_init(&nearest, dtype, strlen(dtype));
	for (unsigned i = 0; i < SOURCE_DTYPES; i++) {
		xy__nearest_look(&nearest, source_dtypes[i].name);
		if (source_dtypes[i].other)
			xy__nearest_look(&nearest, source_dtypes[i].other);
	}
	xy__message_init(&message, suggestion, sizeof(suggestion));
	xy__nearest_say(&nearest, &message);
	pipeline_say(report, "%s: unknown datatype \"%s\"%s", where, dtype, suggestion);
	return 0;
}

bool pipeline_source_refuse(const struct pipeline_source *source, const struct yaml_node_s *node, const char *key,
			    const char *what)
{
	pipeline_say(source->report, "%s:%u: %s%s%s: %s", source->name, pipeline_node_line(node),
		     source->owner ? source->owner : "", source->owner ? ": " : "", key, what);
	return false;
}

const struct yaml_node_s *pipeline_source_need(const struct pipeline_source *source, const struct yaml_node_s *map,
					       const char *key)
{
	const struct yaml_node_s *node = pipeline_node_find(source->document, map, key);

	if (!node)
		pipeline_source_refuse(source, map, key, "this key is missing");
	return node;
}

bool pipeline_source_count(const struct pipeline_source *source, const struct yaml_node_s *node, const char *key,
			   uint64_t max, uint64_t *value)
{
	const char *text = pipeline_node_text(node), *at = text;
	char what[160];

	if (text && xy__text_unsigned(&at, max, value) && !*at)
		return true;
	snprintf(what, sizeof(what), "%s%.40s%s is not a whole number from 0 to %llu", text ? "\"" : "this",
		 text ? text : "", text ? "\"" : "", (unsigned long long)max);
	return pipeline_source_refuse(source, node, key, what);
}

bool pipeline_source_number(const struct pipeline_source *source, const struct yaml_node_s *node, const char *key,
			    double max, double *value)
{
	const char *text = pipeline_node_text(node), *at = text;
	char what[160];

	if (text && xy__text_double(&at, value) && !*at && *value <= max)
		return true;
	snprintf(what, sizeof(what), "%s%.40s%s is not a number from 0 to %g", text ? "\"" : "this", text ? text : "",
		 text ? "\"" : "", max);
	return pipeline_source_refuse(source, node, key, what);
}

bool pipeline_source_numbers(const struct pipeline_source *source, const struct yaml_node_s *node, const char *key,
			     double max, double **values)
{
	size_t n = pipeline_node_length(node);

	*values = NULL;
	if (!pipeline_node_is_list(node))
		return pipeline_source_refuse(source, node, key, "must be a list of numbers");
	*values = calloc(n + 1, sizeof(**values));
	if (!*values)
		return pipeline_source_refuse(source, node, key, "no memory");
	for (size_t i = 0; i < n; i++)
		if (!pipeline_source_number(source, pipeline_node_item(source->document, node, i), key, max,
					    &(*values)[i])) {
			free(*values);
			*values = NULL;
			return false;
		}
	return true;
}
