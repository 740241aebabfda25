/* SPDX-License-Identifier: MIT */
/* What expressions are made of: characters, names, words; and the complaint about one that is missing. */
#include "core/tree/expression_parts.h"

#include <errno.h>
#include <string.h>
#include "core/tree/registry.h"

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

size_t xy__token_name_length(const char *text, size_t length, size_t at)
{
	size_t end = at;

	if (end < length && xy__name_begins(text[end]))
		while (end < length && xy__name_continues(text[end]))
			end++;
	return end - at;
}

size_t xy__expression_sole_name(const char *text, size_t length, size_t *at)
{
	size_t begin = skip_spaces(text, length, 0), count = xy__token_name_length(text, length, begin);

	*at = begin;
	return skip_spaces(text, length, begin + count) == length ? count : 0;
}

char xy__token_peek(struct xy__expression *x)
{
	x->at = skip_spaces(x->text, x->length, x->at);
	return x->at < x->length ? x->text[x->at] : '\0';
}

bool xy__token_accept(struct xy__expression *x, char c)
{
	if (x->status || xy__token_peek(x) != c)
		return false;
	x->at++;
	return true;
}

int xy__token_complain(struct xy__expression *x, size_t at, const char *sentence)
{
	xy__expression_complain(x, at);
	xy__message_add(x->error, "%s", sentence);
	return x->status = xy__expression_point(x, at, -EINVAL);
}

void xy__token_expect(struct xy__expression *x, char c, const char *sentence)
{
	if (!xy__token_accept(x, c) && !x->status)
		xy__token_complain(x, x->at, sentence);
}

size_t xy__token_expect_name(struct xy__expression *x, size_t *at, const char *sentence)
{
	size_t count;

	if (x->status)
		return 0;
	xy__token_peek(x);
	*at = x->at;
	count = xy__token_name_length(x->text, x->length, x->at);
	if (!count)
		xy__token_complain(x, x->at, sentence);
	x->at += count;
	return count;
}

bool xy__token_accept_word(struct xy__expression *x, const char *word)
{
	size_t length = strlen(word);

	if (x->status)
		return false;
	xy__token_peek(x);
	if (xy__token_name_length(x->text, x->length, x->at) != length || memcmp(x->text + x->at, word, length))
		return false;
	x->at += length;
	return true;
}
