/* SPDX-License-Identifier: MIT */
/*
 * Shows a tree in one of the formats.
 */
#include "core/tree/tree_print.h"

#include <errno.h>
#include <string.h>
#include "core/tree/option.h"

static bool is_id(const struct xy_component *c, const struct xy_option *option)
{
	return (c->ops->flags & XY_LEAF) && !strcmp(option->name, "id");
}

/* Whether a text can stand in an expression without quotes. */
static bool is_bare(const char *text)
{
	while (xy__option_text_is_bare(*text))
		text++;
	return !*text;
}

void xy__print_options(const struct xy_component *c, struct xy__buffer *out, bool with_id)
{
	const char *before = "(";

	for (const struct xy_option *o = c->ops->options; o && o->name; o++) {
		double value = xy__option_value(c, o);
		const char *words = xy__option_text(c, o), *quote = words && !is_bare(words) ? "\"" : "";
		char text[XY__OPTION_TEXT];

		if (is_id(c, o) ? !with_id : xy__option_is_initial(c, o))
			continue;
		if (!words)
			xy__option_print(o, value, text);
		if (o->type == XY_OPTION_BOOL && value != 0)
			xy__buffer_add(out, "%s%s", before, o->name);
		else
			xy__buffer_add(out, "%s%s=%s%s%s", before, o->name, quote, words ? words : text, quote);
		before = ", ";
	}
	if (*before == ',')
		xy__buffer_add(out, ")");
}

int xy_tree_print(const struct xy_tree *tree, FILE *out, enum xy_tree_format format, unsigned flags)
{
	struct xy__buffer buffer = { 0 };
	int rc = -EINVAL;

	if (!tree || !out || !tree->sealed)
		return -EINVAL;
	switch (format) {
	case XY_TREE_EXPRESSION:
		rc = xy__print_expression(tree, &buffer);
		break;
	case XY_TREE_DRAWING:
		rc = xy__print_drawing(tree, &buffer, flags);
		break;
	case XY_TREE_DOT:
		rc = xy__print_dot(tree, &buffer, flags);
		break;
	case XY_TREE_JSON:
		rc = xy__print_json(tree, &buffer, flags);
		break;
	}
	if (!rc && buffer.failed)
		rc = -ENOMEM;
	if (!rc && fwrite(buffer.at, 1, buffer.length, out) != buffer.length)
		rc = -EIO;
	xy__buffer_fini(&buffer);
	return rc;
}
