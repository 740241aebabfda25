/* SPDX-License-Identifier: MIT */
/*
 * The reader of JSON (RFC 8259): recursive descent with a limit. A text is never longer than its quoted form, so
 * it fits where it stood.
 */
#include "graph/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/text.h"

struct json_reader {
	struct json *json;
	struct graph_source *source;
	char *at;
	unsigned line, depth;
};

static void json_skip(struct json_reader *r)
{
	for (; *r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n'; r->at++)
		r->line += *r->at == '\n';
}

static int json_refuse(struct json_reader *r, const char *expected)
{
	if (!*r->at)
		return graph__refuse(r->source, r->line, "expected %s instead of the end of the file", expected);
	if ((unsigned char)*r->at < ' ')
		return graph__refuse(r->source, r->line, "expected %s instead of a control character", expected);
	return graph__refuse(r->source, r->line, "expected %s instead of \"%c\"", expected, *r->at);
}

static int json_add(struct json_reader *r, enum json_kind kind, uint32_t *number)
{
	struct json *json = r->json;

	if (json->count == json->room) {
		uint32_t room = json->room + json->room / 2 + 256;
		struct json_node *nodes = room > json->room ? realloc(json->nodes, room * sizeof(*nodes)) : NULL;

		if (!nodes)
			return graph__refuse_whole(r->source, -ENOMEM);
		json->nodes = nodes;
		json->room = room;
	}
	*number = json->count++;
	json->nodes[*number] =
		(struct json_node){ .kind = kind, .line = r->line, .first = JSON_NONE, .next = JSON_NONE };
	return 0;
}

/* --- texts --- */

/* Four hexadecimal digits. */
static int json_hex(struct json_reader *r, unsigned *value)
{
	*value = 0;
	for (unsigned i = 0; i < 4; i++, r->at++) {
		char c = *r->at | 32;

		if (*r->at >= '0' && *r->at <= '9')
			*value = 16 * *value + (unsigned)(*r->at - '0');
		else if (c >= 'a' && c <= 'f')
			*value = 16 * *value + (unsigned)(c - 'a' + 10);
		else
			return json_refuse(r, "four hexadecimal digits");
	}
	return 0;
}

static char *json_put(char *to, unsigned code)
{
	if (code < 0x80) {
		*to++ = (char)code;
	} else if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
		*to++ = (char)(0x80 | (code & 63));
	} else if (code < 0x10000) {
		*to++ = (char)(0xe0 | code >> 12);
		*to++ = (char)(0x80 | (code >> 6 & 63));
		*to++ = (char)(0x80 | (code & 63));
	} else {
		*to++ = (char)(0xf0 | code >> 18);
		*to++ = (char)(0x80 | (code >> 12 & 63));
		*to++ = (char)(0x80 | (code >> 6 & 63));
		*to++ = (char)(0x80 | (code & 63));
	}
	return to;
}

/* Behind \u: one character, which may take two of these. */
static int json_unicode(struct json_reader *r, char **to)
{
	unsigned code, low;
	int error = json_hex(r, &code);

	if (!error && !code)
		return graph__refuse(r->source, r->line, "expected a character instead of a zero byte");
	if (!error && code >= 0xd800 && code < 0xe000) {
		if (code >= 0xdc00 || r->at[0] != '\\' || r->at[1] != 'u')
			return json_refuse(r, "the other half of a character");
		r->at += 2;
		error = json_hex(r, &low);
		if (!error && (low < 0xdc00 || low >= 0xe000))
			return json_refuse(r, "the other half of a character");
		code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
	}
	if (!error)
		*to = json_put(*to, code);
	return error;
}

static int json_text(struct json_reader *r, const char **text)
{
	static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	char *to = ++r->at;
	int error;

	*text = to;
	while (*r->at != '"') {
		if ((unsigned char)*r->at < ' ')
			return json_refuse(r, "a quote at the end of a text");
		if (*r->at != '\\') {
			*to++ = *r->at++;
			continue;
		}
		r->at++;
		if (*r->at == 'u') {
			r->at++;
			error = json_unicode(r, &to);
			if (error)
				return error;
		} else {
			const char *escape = *r->at ? strchr(escapes, *r->at) : NULL;

			if (!escape)
				return json_refuse(r, "a JSON escape");
			*to++ = meant[escape - escapes];
			r->at++;
		}
	}
	r->at++;
	*to = '\0';
	return 0;
}

/* --- values --- */

static size_t json_digits(const char *at)
{
	return strspn(at, "0123456789");
}

/* Checks the form, which is narrower than what else reads numbers, then reads it. */
static int json_number(struct json_reader *r, double *value)
{
	const char *start = r->at, *end = start + (*start == '-'), *from = end;
	size_t digits = json_digits(end);

	if (!digits || (*end == '0' && digits > 1))
		return json_refuse(r, "a number");
	end += digits;
	if (*end == '.') {
		digits = json_digits(++end);
		if (!digits)
			return json_refuse(r, "a number with digits behind its point");
		end += digits;
	}
	if (*end == 'e' || *end == 'E') {
		end++;
		end += *end == '+' || *end == '-';
		digits = json_digits(end);
		if (!digits)
			return json_refuse(r, "a number with digits in its exponent");
		end += digits;
	}
	if (!xy__text_double(&from, value))
		return json_refuse(r, "a number that is not too large");
	if (*start == '-')
		*value = -*value;
	r->at = (char *)end;
	return 0;
}

static int json_value(struct json_reader *r, uint32_t *number);

/* One member of an array or object. */
static int json_member(struct json_reader *r, bool keyed, uint32_t *child)
{
	const char *key = NULL;
	int error = 0;

	json_skip(r);
	if (keyed) {
		if (*r->at != '"')
			return json_refuse(r, "a key in quotes");
		error = json_text(r, &key);
		if (error)
			return error;
		json_skip(r);
		if (*r->at != ':')
			return json_refuse(r, ":");
		r->at++;
	}
	error = json_value(r, child);
	if (!error)
		r->json->nodes[*child].key = key;
	return error;
}

static int json_members(struct json_reader *r, uint32_t parent, bool keyed)
{
	char close = keyed ? '}' : ']';
	uint32_t before = JSON_NONE, child;
	int error;

	if (++r->depth > JSON_DEPTH)
		return graph__refuse(r->source, r->line, "expected at most %d levels", JSON_DEPTH);
	r->at++;
	json_skip(r);
	while (*r->at != close) {
		error = json_member(r, keyed, &child);
		if (error)
			return error;
		if (before == JSON_NONE)
			r->json->nodes[parent].first = child;
		else
			r->json->nodes[before].next = child;
		before = child;
		json_skip(r);
		if (*r->at == close)
			break;
		if (*r->at != ',')
			return json_refuse(r, keyed ? ", or }" : ", or ]");
		r->at++;
		json_skip(r);
		if (*r->at == close)
			return json_refuse(r, "a value");
	}
	r->at++;
	r->depth--;
	return 0;
}

static int json_word(struct json_reader *r, const char *word, enum json_kind kind, uint32_t *number)
{
	if (strncmp(r->at, word, strlen(word)))
		return json_refuse(r, "a value");
	r->at += strlen(word);
	return json_add(r, kind, number);
}

static int json_value(struct json_reader *r, uint32_t *number)
{
	const char *text;
	double value;
	int error;

	json_skip(r);
	switch (*r->at) {
	case '{':
		error = json_add(r, JSON_OBJECT, number);
		return error ? error : json_members(r, *number, true);
	case '[':
		error = json_add(r, JSON_ARRAY, number);
		return error ? error : json_members(r, *number, false);
	case '"':
		error = json_add(r, JSON_TEXT, number);
		if (!error)
			error = json_text(r, &text);
		if (!error)
			r->json->nodes[*number].text = text;
		return error;
	case 't':
		return json_word(r, "true", JSON_TRUE, number);
	case 'f':
		return json_word(r, "false", JSON_FALSE, number);
	case 'n':
		return json_word(r, "null", JSON_NULL, number);
	default:
		if (*r->at != '-' && !json_digits(r->at))
			return json_refuse(r, "a value");
		error = json_add(r, JSON_NUMBER, number);
		if (!error)
			error = json_number(r, &value);
		if (!error)
			r->json->nodes[*number].number = value;
		return error;
	}
}

int graph__json_read(struct json *json, struct graph_source *source)
{
	struct json_reader r = { .json = json, .source = source, .at = source->text, .line = 1 };
	uint32_t root;
	int error;

	*json = (struct json){ 0 };
	error = json_value(&r, &root);
	if (!error) {
		json_skip(&r);
		error = *r.at ? json_refuse(&r, "the end of the file") : 0;
	}
	if (error)
		graph__json_fini(json);
	return error;
}

void graph__json_fini(struct json *json)
{
	free(json->nodes);
	*json = (struct json){ 0 };
}

const struct json_node *graph__json_first(const struct json *json, const struct json_node *node)
{
	return node && node->first != JSON_NONE ? &json->nodes[node->first] : NULL;
}

const struct json_node *graph__json_next(const struct json *json, const struct json_node *node)
{
	return node->next != JSON_NONE ? &json->nodes[node->next] : NULL;
}

const struct json_node *graph__json_find(const struct json *json, const struct json_node *object, const char *key)
{
	const struct json_node *child = object && object->kind == JSON_OBJECT ? graph__json_first(json, object) : NULL;

	while (child && strcmp(child->key, key))
		child = graph__json_next(json, child);
	return child;
}
