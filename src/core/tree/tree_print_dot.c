/* SPDX-License-Identifier: MIT */
/*
 * A tree for graphviz: a box per component with its options, reservoirs filled, workers in a row.
 */
#include "core/tree/tree_print.h"

static const char *dot_style(const struct xy_component *c)
{
	if (c->ops->flags & XY_LEAF)
		return "shape=ellipse";
	if (c->ops->flags & XY_STORES)
		return "style=filled, fillcolor=lightblue";
	return c->ops->flags & XY_MAPS ? "style=rounded" : "style=solid";
}

static void dot_counters(struct xy_component *c, struct xy__buffer *out)
{
	struct xy_counters n;

	xy_component_counters(c, &n);
	xy__buffer_add(out, "\\npushed %llu, pulled %llu\\nrefused %llu, woken %llu", n.pushed, n.pulled, n.refused,
		       n.woken);
	if (c->ops->flags & XY_STORES)
		xy__buffer_add(out, "\\nholds %zu, peak %zu", n.depth, n.peak);
}

static void dot_component(struct xy_component *c, struct xy__buffer *out, unsigned flags)
{
	char name[XY__COMPONENT_NAME];
	size_t begin;

	xy__buffer_add(out, "\tc%u [%s, label=\"%s", c->id, dot_style(c), xy__component_name(c, name));
	xy__buffer_add(out, "\\n");
	begin = out->length;
	xy__print_options(c, out, false);
	for (size_t i = begin; i < out->length; i++) /* which end a label */
		if (out->at[i] == '"')
			out->at[i] = '\'';
	if (flags & XY_PRINT_COUNTERS)
		dot_counters(c, out);
	xy__buffer_add(out, "\"];\n");
}

static void dot_links(const struct xy_component *c, struct xy__buffer *out)
{
	for (unsigned i = 0; i < c->nchildren; i++) {
		const struct xy_component *child = c->children[i];

		xy__buffer_add(out, "\tc%u -> c%u", c->id, child->id);
		if (child->label)
			xy__buffer_add(out, " [label=\"%s\"]", child->label);
		xy__buffer_add(out, ";\n");
	}
}

int xy__print_dot(const struct xy_tree *tree, struct xy__buffer *out, unsigned flags)
{
	xy__buffer_add(out, "digraph tree {\n\tordering=out;\n\tnode [shape=box, fontname=\"sans-serif\"];\n"
			    "\tedge [fontname=\"sans-serif\", fontsize=11];\n");
	for (unsigned i = 0; i < tree->ncomponents; i++)
		dot_component(tree->components[i], out, flags);
	for (unsigned i = 0; i < tree->ncomponents; i++)
		dot_links(tree->components[i], out);
	xy__buffer_add(out, "\t{ rank=same;");
	for (unsigned i = 0; i < tree->root->nworkers; i++)
		xy__buffer_add(out, " c%u;", tree->leaves[tree->root->workers[i]]->id);
	xy__buffer_add(out, " }\n}\n");
	return 0;
}
