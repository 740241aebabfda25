/* SPDX-License-Identifier: MIT */
/*
 * Names in an expression that stand for nothing: what was meant, or what there is.
 */
#include "core/tree/expression_parts.h"

#include <errno.h>
#include "core/tree/registry.h"

static void unknown(struct xy__expression *x, size_t at, size_t length, const char *what, const char *whose)
{
	xy__expression_complain(x, at);
	xy__message_add(x->error, "%s%s%s has no %s \"%.*s\"", whose ? "\"" : "", whose ? whose : "Xylem",
			whose ? "\"" : "", what, (int)(length > 80 ? 80 : length), x->text + at);
	x->status = -ENOENT;
}

void xy__unknown_component(struct xy__expression *x, size_t at, size_t length)
{
	struct xy__nearest nearest;

	xy__nearest_init(&nearest, x->text + at, length);
	unknown(x, at, length, "component", NULL);
	xy__registry_look_components(x->registry, &nearest);
	if (!nearest.count)
		xy__registry_look_policies(x->registry, &nearest);
	if (!xy__nearest_say(&nearest, x->error)) {
		xy__message_add(x->error, "; there are");
		for (unsigned i = 0; xy_registry_component_at(x->registry, i); i++)
			xy__message_add(x->error, "%s %s", i ? "," : "",
					xy_registry_component_at(x->registry, i)->name);
	}
	xy__expression_point(x, at, 0);
}

void xy__unknown_option(struct xy__expression *x, const struct xy_component_ops *ops, size_t at, size_t length)
{
	struct xy__nearest nearest;
	const struct xy_option *o;

	xy__nearest_init(&nearest, x->text + at, length);
	unknown(x, at, length, "option", ops->name);
	for (o = ops->options; o && o->name; o++)
		xy__nearest_look(&nearest, o->name);
	if (!xy__nearest_say(&nearest, x->error)) {
		xy__message_add(x->error, "; it has %s", ops->options ? "" : "none");
		for (o = ops->options; o && o->name; o++)
			xy__message_add(x->error, "%s%s", o == ops->options ? "" : ", ", o->name);
	}
	xy__expression_point(x, at, 0);
}

void xy__unknown_label(struct xy__expression *x, const struct xy_component_ops *ops, size_t at, size_t length)
{
	struct xy__nearest nearest;
	const char *const *label;

	xy__nearest_init(&nearest, x->text + at, length);
	unknown(x, at, length, "branch", ops->name);
	for (label = ops->labels; label && *label; label++)
		xy__nearest_look(&nearest, *label);
	if (!xy__nearest_say(&nearest, x->error)) {
		xy__message_add(x->error, ops->labels ? "; it has " : "; its branches have no names");
		for (label = ops->labels; label && *label; label++)
			xy__message_add(x->error, "%s%s", label == ops->labels ? "" : ", ", *label);
	}
	xy__expression_point(x, at, 0);
}
