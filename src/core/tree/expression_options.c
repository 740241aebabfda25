/* SPDX-License-Identifier: MIT */
/* Reads the options of a stage: "(ntasks=2, ready)". */
#include "core/tree/expression_parts.h"

#include <string.h>
#include "core/tree/option.h"
#include "core/tree/registry.h"

static bool setting_has(const struct xy_option *option, char c)
{
	if (option->type == XY_OPTION_TEXT)
		return xy__option_text_is_bare(c);
	return xy__name_continues(c) || c == '.' || c == '+';
}

static char *setting_value(struct xy__expression *x, const struct xy_option *option)
{
	size_t begin, end;
	char *value;
	bool quoted;

	quoted = xy__token_peek(x) == '"' && option->type == XY_OPTION_TEXT;
	begin = end = x->at + quoted;
	while (end < x->length && (quoted ? xy__option_text_has(x->text[end]) : setting_has(option, x->text[end])))
		end++;
	if (begin == end || (quoted && (end == x->length || x->text[end] != '"'))) {
		xy__token_complain(x, begin == end ? x->at : end,
				   begin == end ? "a value is needed after '='" : "'\"' is needed after this text");
		return NULL;
	}
	value = xy__expression_allocate(x, end - begin + 1);
	if (value)
		memcpy(value, x->text + begin, end - begin);
	x->at = end + quoted;
	return value;
}

static struct xy__setting *setting_read(struct xy__expression *x, const struct xy__stage *stage)
{
	struct xy__setting *s;
	size_t at, length = xy__token_expect_name(x, &at, "the name of an option is needed here");
	const struct xy_option *option;

	if (!length)
		return NULL;
	option = xy__option_find(stage->ops, x->text + at, length);
	if (!option) {
		xy__unknown_option(x, stage->ops, at, length);
		return NULL;
	}
	for (s = stage->settings; s; s = s->next)
		if (s->option == option) {
			xy__token_complain(x, at, "this option is set twice");
			return NULL;
		}
	s = xy__expression_allocate(x, sizeof(*s));
	if (!s)
		return NULL;
	s->option = option;
	s->at = at;
	if (xy__token_accept(x, '='))
		s->value = setting_value(x, option);
	else if (option->type != XY_OPTION_BOOL)
		xy__token_complain(x, at,
				   "this option needs a value: only a true or false option can be written alone");
	return s;
}

void xy__settings_read(struct xy__expression *x, struct xy__stage *stage)
{
	struct xy__setting **tail = &stage->settings;

	if (xy__token_accept(x, ')'))
		return;
	do {
		*tail = setting_read(x, stage);
		if (x->status)
			return;
		tail = &(*tail)->next;
	} while (xy__token_accept(x, ','));
	xy__token_expect(x, ')', "')' or ',' is needed after an option");
}
