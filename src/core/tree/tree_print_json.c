/* SPDX-License-Identifier: MIT */
/*
 * A tree as JSON, for programs; doc/tree.md lists the fields. Names of components, options, labels and
 * workers have no character that needs escaping.
 */
#include "core/tree/tree_print.h"

#include <errno.h>
#include <math.h>
#include "core/tree/option.h"

static void json_ids(struct xy__buffer *out, const char *name, struct xy_component *const *list, unsigned count)
{
	xy__buffer_add(out, ", \"%s\": [", name);
	for (unsigned i = 0; i < count; i++)
		xy__buffer_add(out, "%s%u", i ? ", " : "", list[i]->id);
	xy__buffer_add(out, "]");
}

static void json_options(struct xy__buffer *out, const struct xy_component *c)
{
	xy__buffer_add(out, ", \"options\": {");
	for (const struct xy_option *o = c->ops->options; o && o->name; o++) {
		double value = xy__option_value(c, o);
		const char *words = xy__option_text(c, o), *quote = words || isinf(value) ? "\"" : "";
		char text[XY__OPTION_TEXT];

		if (!words)
			xy__option_print(o, value, text);
		xy__buffer_add(out, "%s\"%s\": %s%s%s", o == c->ops->options ? "" : ", ", o->name, quote,
			       words ? words : text, quote);
	}
	xy__buffer_add(out, "}");
}

static void json_counters(struct xy__buffer *out, struct xy_component *c)
{
	struct xy_counters n;

	xy_component_counters(c, &n);
	xy__buffer_add(out,
		       ", \"counters\": {\"pushed\": %llu, \"pulled\": %llu, \"refused\": %llu, "
		       "\"woken\": %llu, \"depth\": %zu, \"peak\": %zu}",
		       n.pushed, n.pulled, n.refused, n.woken, n.depth, n.peak);
}

static void json_component(struct xy__buffer *out, struct xy_component *c, unsigned flags)
{
	xy__buffer_add(out, "    {\"id\": %u, \"component\": \"%s\", \"level\": %u", c->id, c->ops->name, c->level);
	if (c->label)
		xy__buffer_add(out, ", \"label\": \"%s\"", c->label);
	json_options(out, c);
	json_ids(out, "parents", c->parents, c->nparents);
	json_ids(out, "children", c->children, c->nchildren);
	xy__buffer_add(out, ", \"workers\": [");
	for (unsigned i = 0; i < c->nworkers; i++)
		xy__buffer_add(out, "%s%u", i ? ", " : "", c->workers[i]);
	xy__buffer_add(out, "]");
	if (flags & XY_PRINT_COUNTERS)
		json_counters(out, c);
	xy__buffer_add(out, "}");
}

static void json_workers(struct xy__buffer *out, const struct xy_tree *tree)
{
	for (unsigned i = 0; i < tree->root->nworkers; i++) {
		const struct xy_worker_info *info = xy_machine_worker(tree->machine, i);

		xy__buffer_add(out,
			       "%s\n    {\"id\": %u, \"name\": \"%s\", \"arch\": \"%s\", \"node\": %u, "
			       "\"leaf\": %u}",
			       i ? "," : "", i, info->name, xy_arch_name(info->arch), info->node, tree->leaves[i]->id);
	}
}

/* An expression has no character that JSON escapes either, but ends with a newline. */
static int json_expression(struct xy__buffer *out, const struct xy_tree *tree)
{
	struct xy__buffer text = { 0 };
	int rc = xy__print_expression(tree, &text);

	if (!rc) {
		xy__buffer_cut(&text, text.length - 1);
		xy__buffer_add(out, "  \"expression\": \"%s\",\n", text.at);
	} else if (rc == -ENOTSUP) {
		xy__buffer_add(out, "  \"expression\": null,\n");
		rc = 0;
	}
	xy__buffer_fini(&text);
	return rc;
}

int xy__print_json(const struct xy_tree *tree, struct xy__buffer *out, unsigned flags)
{
	int rc;

	xy__buffer_add(out, "{\n");
	rc = json_expression(out, tree);
	xy__buffer_add(out, "  \"root\": %u,\n  \"workers\": [", tree->root->id);
	json_workers(out, tree);
	xy__buffer_add(out, "\n  ],\n  \"components\": [\n");
	for (unsigned i = 0; i < tree->ncomponents; i++) {
		json_component(out, tree->components[i], flags);
		xy__buffer_add(out, i + 1 < tree->ncomponents ? ",\n" : "\n");
	}
	xy__buffer_add(out, "  ]\n}\n");
	return rc;
}
