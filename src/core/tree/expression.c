/* SPDX-License-Identifier: MIT */
/*
 * Reads an expression by recursive descent. Invariant: after the first error `status` is set, and
 * every function returns at once without another message.
 */
#include "core/tree/expression.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/tree/option.h"
#include "core/tree/registry.h"
#include "core/tree/tree_parts.h"

struct xy__memory {
	struct xy__memory *next;
	_Alignas(16) char bytes[];
};

static struct xy__stage *read_tree(struct xy__expression *x);

static void *allocate(struct xy__expression *x, size_t size)
{
	struct xy__memory *m = calloc(1, sizeof(*m) + size);

	if (!m) {
		xy__message_add(x->error, "no memory for the expression");
		x->status = -ENOMEM;
		return NULL;
	}
	m->next = x->memory;
	x->memory = m;
	return m->bytes;
}

void xy__expression_fini(struct xy__expression *x)
{
	while (x->memory) {
		struct xy__memory *next = x->memory->next;

		free(x->memory);
		x->memory = next;
	}
}

/* --- characters --- */

/* The first offset from `at` on that is neither a space nor in a comment. */
static size_t skip_spaces(const char *text, size_t length, size_t at)
{
	for (; at < length; at++) {
		if (text[at] == '#')
			while (at + 1 < length && text[at + 1] != '\n')
				at++;
		else if (text[at] != ' ' && text[at] != '\t' && text[at] != '\n' && text[at] != '\r')
			break;
	}
	return at;
}

static size_t name_length(const char *text, size_t length, size_t at)
{
	size_t end = at;

	if (end < length && xy__name_begins(text[end]))
		while (end < length && xy__name_continues(text[end]))
			end++;
	return end - at;
}

size_t xy__expression_sole_name(const char *text, size_t length, size_t *at)
{
	size_t begin = skip_spaces(text, length, 0), count = name_length(text, length, begin);

	*at = begin;
	return skip_spaces(text, length, begin + count) == length ? count : 0;
}

/* The next character that means something, '\0' at the end. */
static char peek(struct xy__expression *x)
{
	x->at = skip_spaces(x->text, x->length, x->at);
	return x->at < x->length ? x->text[x->at] : '\0';
}

static bool accept(struct xy__expression *x, char c)
{
	if (x->status || peek(x) != c)
		return false;
	x->at++;
	return true;
}

/* --- errors --- */

static int complain(struct xy__expression *x, size_t at, const char *sentence)
{
	xy__expression_complain(x, at);
	xy__message_add(x->error, "%s", sentence);
	return x->status = xy__expression_point(x, at, -EINVAL);
}

static void expect(struct xy__expression *x, char c, const char *sentence)
{
	if (!accept(x, c) && !x->status)
		complain(x, x->at, sentence);
}

/* Reads a name and says where it is; 0 after an error. */
static size_t expect_name(struct xy__expression *x, size_t *at, const char *sentence)
{
	size_t count;

	if (x->status)
		return 0;
	peek(x);
	*at = x->at;
	count = name_length(x->text, x->length, x->at);
	if (!count)
		complain(x, x->at, sentence);
	x->at += count;
	return count;
}

static void unknown(struct xy__expression *x, size_t at, size_t length, const char *what,
		    const char *whose)
{
	xy__expression_complain(x, at);
	xy__message_add(x->error, "%s%s%s has no %s \"%.*s\"", whose ? "\"" : "", whose ? whose : "Xylem",
		     whose ? "\"" : "", what, (int)(length > 80 ? 80 : length), x->text + at);
	x->status = -ENOENT;
}

static void unknown_component(struct xy__expression *x, size_t at, size_t length)
{
	struct xy__nearest nearest;

	xy__nearest_init(&nearest, x->text + at, length);
	unknown(x, at, length, "component", NULL);
	xy__registry_look_components(x->registry, &nearest);
	if (!xy__nearest_say(&nearest, x->error)) {
		xy__message_add(x->error, "; there are");
		for (unsigned i = 0; xy_registry_component_at(x->registry, i); i++)
			xy__message_add(x->error, "%s %s", i ? "," : "",
				     xy_registry_component_at(x->registry, i)->name);
	}
	xy__expression_point(x, at, 0);
}

static void unknown_option(struct xy__expression *x, const struct xy_component_ops *ops, size_t at,
			   size_t length)
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

static void unknown_label(struct xy__expression *x, const struct xy_component_ops *ops, size_t at,
			  size_t length)
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

/* --- options --- */

static bool is_value(const struct xy_option *option, char c)
{
	if (option->type == XY_OPTION_TEXT)
		return xy__option_text_has(c);
	return xy__name_continues(c) || c == '.' || c == '+';
}

static char *read_value(struct xy__expression *x, const struct xy_option *option)
{
	size_t begin, end;
	char *value;

	peek(x);
	begin = end = x->at;
	while (end < x->length && is_value(option, x->text[end]))
		end++;
	if (begin == end) {
		complain(x, begin, "a value is needed after '='");
		return NULL;
	}
	value = allocate(x, end - begin + 1);
	if (value)
		memcpy(value, x->text + begin, end - begin);
	x->at = end;
	return value;
}

static struct xy__setting *read_setting(struct xy__expression *x, const struct xy__stage *stage)
{
	struct xy__setting *s;
	size_t at, length = expect_name(x, &at, "the name of an option is needed here");
	const struct xy_option *option;

	if (!length)
		return NULL;
	option = xy__option_find(stage->ops, x->text + at, length);
	if (!option) {
		unknown_option(x, stage->ops, at, length);
		return NULL;
	}
	for (s = stage->settings; s; s = s->next)
		if (s->option == option) {
			complain(x, at, "this option is set twice");
			return NULL;
		}
	s = allocate(x, sizeof(*s));
	if (!s)
		return NULL;
	s->option = option;
	s->at = at;
	if (accept(x, '='))
		s->value = read_value(x, option);
	else if (option->type != XY_OPTION_BOOL)
		complain(x, at, "this option needs a value: only one that is true or false stands alone");
	return s;
}

static void read_settings(struct xy__expression *x, struct xy__stage *stage)
{
	struct xy__setting **tail = &stage->settings;

	do {
		*tail = read_setting(x, stage);
		if (x->status)
			return;
		tail = &(*tail)->next;
	} while (accept(x, ','));
	expect(x, ')', "')' or ',' is needed after an option");
}

/* --- stages --- */

/* Reads `label:` if there is one. */
static const char *read_label(struct xy__expression *x, const struct xy_component_ops *ops)
{
	const char *label;
	size_t at, length;

	peek(x);
	at = x->at;
	length = name_length(x->text, x->length, at);
	x->at += length;
	if (!length || peek(x) != ':') {
		x->at = at;
		return NULL;
	}
	x->at++;
	label = xy__label_find(ops, x->text + at, length);
	if (!label)
		unknown_label(x, ops, at, length);
	return label;
}

static struct xy__branch *read_branch(struct xy__expression *x, const struct xy__stage *stage)
{
	struct xy__branch *branch = allocate(x, sizeof(*branch));

	if (!branch)
		return NULL;
	if (stage->ops)
		branch->label = read_label(x, stage->ops);
	branch->stages = x->status ? NULL : read_tree(x);
	if (!x->status && branch->label && branch->stages->each)
		complain(x, branch->stages->at, "a label names one branch, and \"each\" makes several");
	return branch;
}

static void read_branches(struct xy__expression *x, struct xy__stage *stage)
{
	struct xy__branch **tail = &stage->branches;

	if (++x->depth > XY__MAX_NESTING) {
		complain(x, x->at - 1, "the braces are nested too deeply: 64 levels are the limit");
		return;
	}
	do {
		*tail = read_branch(x, stage);
		if (x->status)
			return;
		tail = &(*tail)->next;
	} while (stage->ops && accept(x, ','));
	expect(x, '}', stage->ops ? "'}', ',' or '|' is needed here" : "'}' or '|' is needed here");
	x->depth--;
}

const char *const xy__each_words[XY__EACH_ARCH + 1] = { "", "worker", "team", "node", "arch" };

/* What follows the word "each". */
static void read_each(struct xy__expression *x, struct xy__stage *stage)
{
	static const char what[] = "\"worker\", \"team\", \"node\" or \"arch\" is needed after \"each\"";
	size_t at, length = expect_name(x, &at, what);

	for (unsigned i = XY__EACH_WORKER; length && i <= XY__EACH_ARCH; i++)
		if (strlen(xy__each_words[i]) == length && !memcmp(xy__each_words[i], x->text + at, length))
			stage->each = i;
	if (length && !stage->each)
		complain(x, at, what);
	expect(x, '{', "'{' is needed after what \"each\" goes over");
	if (x->status)
		return;
	if (stage->each <= XY__EACH_TEAM && accept(x, '}'))
		return;
	if (peek(x) == '}')
		complain(x, x->at, "a tree is needed here: only \"each worker\" and \"each team\" can do without");
	else
		read_branches(x, stage);
}

static struct xy__stage *read_stage(struct xy__expression *x)
{
	struct xy__stage *stage;
	char name[64] = "";
	size_t at, length = expect_name(x, &at, "the name of a component, or \"each\", is needed here");

	if (!length)
		return NULL;
	stage = allocate(x, sizeof(*stage));
	if (!stage)
		return NULL;
	stage->at = at;
	if (length < sizeof(name))
		memcpy(name, x->text + at, length);
	if (!strcmp(name, "each")) {
		read_each(x, stage);
		return stage;
	}
	stage->ops = xy_registry_component(x->registry, name);
	if (!stage->ops) {
		unknown_component(x, at, length);
		return NULL;
	}
	if (accept(x, '('))
		read_settings(x, stage);
	if (accept(x, '{'))
		read_branches(x, stage);
	return stage;
}

static struct xy__stage *read_tree(struct xy__expression *x)
{
	struct xy__stage *first = NULL, **tail = &first;

	do {
		*tail = read_stage(x);
		if (x->status)
			return NULL;
		tail = &(*tail)->next;
	} while (accept(x, '|'));
	return first;
}

int xy__expression_read(struct xy__expression *x)
{
	x->at = 0;
	x->depth = 0;
	x->status = 0;
	x->memory = NULL;
	if (x->length > XY__MAX_EXPRESSION) {
		xy__message_add(x->error, "the expression has %zu bytes, %d are the limit", x->length,
			     XY__MAX_EXPRESSION);
		return x->status = -EINVAL;
	}
	x->stages = read_tree(x);
	peek(x);
	if (!x->status && x->at < x->length)
		complain(x, x->at, "'|' or the end is needed here");
	return x->status;
}
