/* SPDX-License-Identifier: MIT */
/* The devices file: which hosts there are of each type. A host is named once in all of it. */
#include <stdlib.h>
#include <string.h>

#include "core/util/message.h"
#include "core/util/nearest.h"
#include "pipeline/document.h"
#include "pipeline/read.h"

enum { DEVICES_MAX = 1000000 };

static bool devices_is_excluded(const struct pipeline_request *request, const char *host)
{
	for (unsigned i = 0; i < request->nexcluded; i++)
		if (!strcmp(request->excluded[i], host))
			return true;
	return false;
}

static struct pipeline_type *devices_type(const struct pipeline_problem *problem, const char *name)
{
	for (unsigned t = 0; t < problem->ntypes; t++)
		if (!strcmp(problem->types[t].name, name))
			return &problem->types[t];
	return NULL;
}

/* The hosts of one type; type is NULL when they can't be used but only checked. */
static bool devices_read_list(const struct pipeline_source *source, const struct pipeline_request *request,
			      const struct yaml_node_s *list, struct pipeline_type *type)
{
	size_t n = pipeline_node_length(list);

	if (pipeline_node_is_null(list))
		return true;
	if (!pipeline_node_is_list(list) || n > DEVICES_MAX)
		return pipeline_source_refuse(source, list, "hosts", "must be a list of hosts");
	if (type)
		type->hosts = calloc(n + 1, sizeof(type->hosts[0]));
	if (type && !type->hosts)
		return pipeline_source_refuse(source, list, "hosts", "no memory");
	for (size_t i = 0; i < n; i++) {
		const struct yaml_node_s *node = pipeline_node_item(source->document, list, i);
		const char *host = pipeline_node_text(node);

		if (!pipeline_node_is_name(node))
			return pipeline_source_refuse(source, node, "hosts", "a host must be a name");
		if (!type || devices_is_excluded(request, host))
			continue;
		type->hosts[type->nhosts] = strdup(host);
		if (!type->hosts[type->nhosts])
			return pipeline_source_refuse(source, node, "hosts", "no memory");
		type->nhosts++;
	}
	return true;
}

struct devices_host {
	const char *name, *type;
	const struct yaml_node_s *node;
};

static int devices_compare(const void *a, const void *b)
{
	const struct devices_host *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->node > y->node) - (x->node < y->node);
}

/* Every host of the file, sorted; NULL without memory. */
static struct devices_host *devices_all(const struct pipeline_source *source, size_t *n)
{
	const struct yaml_node_s *root = pipeline_document_root(source->document), *list;
	struct devices_host *hosts;
	size_t total = 0;

	for (size_t i = 0; i < pipeline_node_length(root); i++)
		total += pipeline_node_length(pipeline_node_value(source->document, root, i));
	hosts = calloc(total + 1, sizeof(*hosts));
	*n = 0;
	for (size_t i = 0; hosts && i < pipeline_node_length(root); i++) {
		list = pipeline_node_value(source->document, root, i);
		for (size_t k = 0; pipeline_node_is_list(list) && k < pipeline_node_length(list); k++) {
			const struct yaml_node_s *node = pipeline_node_item(source->document, list, k);

			hosts[(*n)++] = (struct devices_host){
				.name = pipeline_node_text(node),
				.node = node,
				.type = pipeline_node_text(pipeline_node_key(source->document, root, i)),
			};
		}
	}
	if (hosts)
		qsort(hosts, *n, sizeof(*hosts), devices_compare);
	return hosts;
}

/* Checks that no host occurs twice, and that excluded hosts exist. */
static bool devices_check(const struct pipeline_source *source, const struct pipeline_request *request)
{
	struct pipeline_source place = *source;
	struct devices_host *hosts;
	bool fine = true;
	size_t n;

	hosts = devices_all(source, &n);
	if (!hosts)
		return pipeline_source_refuse(source, NULL, "hosts", "no memory");
	for (size_t i = 1; i < n && fine; i++) {
		place.owner = hosts[i].type;
		if (!strcmp(hosts[i].name, hosts[i - 1].name))
			fine = pipeline_source_refuse(&place, hosts[i].node, hosts[i].name,
						      "duplicate "
						      "host");
	}
	for (unsigned e = 0; e < request->nexcluded && fine; e++) {
		struct xy__message message;
		struct xy__nearest nearest;
		char suggestion[160];
		bool found = false;

		xy__nearest_init(&nearest, request->excluded[e], strlen(request->excluded[e]));
		for (size_t i = 0; i < n; i++) {
			found = found || !strcmp(hosts[i].name, request->excluded[e]);
			xy__nearest_look(&nearest, hosts[i].name);
		}
		if (found)
			continue;
		xy__message_init(&message, suggestion, sizeof(suggestion));
		xy__nearest_say(&nearest, &message);
		pipeline_say(source->report, "--exclude: %s has no host \"%s\"%s", source->name, request->excluded[e],
			     suggestion);
		fine = false;
	}
	free(hosts);
	return fine;
}

bool pipeline_read_devices(struct pipeline_problem *problem, const struct pipeline_request *request,
			   struct pipeline_source source)
{
	const struct yaml_node_s *root = pipeline_document_root(source.document);

	if (!pipeline_node_is_map(root))
		return pipeline_source_refuse(&source, root, "devices", "must be a map of types");
	for (size_t i = 0; i < pipeline_node_length(root); i++) {
		const struct yaml_node_s *list = pipeline_node_value(source.document, root, i);
		struct pipeline_type *type;

		source.owner = pipeline_node_text(pipeline_node_key(source.document, root, i));
		type = devices_type(problem, source.owner);
		if (!devices_read_list(&source, request, list, type))
			return false;
		if (!type && pipeline_node_length(list))
			pipeline_say(source.report,
				     "warning: %s:%u: %s: no usable device type of this name; its hosts "
				     "are skipped",
				     source.name, pipeline_node_line(list), source.owner);
	}
	return devices_check(&source, request);
}
