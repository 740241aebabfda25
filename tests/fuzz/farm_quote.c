/* SPDX-License-Identifier: MIT */
/* Any text, quoted for a shell, for JSON, for a file name or for HTML, is that text for its reader and nothing else. */
#include <string.h>

#include "farm/files.h"
#include "farm/quote.h"
#include "fuzz.h"

/* Reads one word as POSIX says (2.2), and refuses everything that a shell would not take literally. */
static size_t unquote(const char *quoted, char *word)
{
	static const char harmless[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz%+,-./:@_";
	char *at = word;

	while (*quoted) {
		if (*quoted == '\'') {
			const char *end = strchr(quoted + 1, '\'');

			ALWAYS(end);
			memcpy(at, quoted + 1, (size_t)(end - quoted - 1));
			at += end - quoted - 1;
			quoted = end + 1;
		} else if (*quoted == '\\') {
			ALWAYS(quoted[1] && quoted[1] != '\n');
			*at++ = quoted[1];
			quoted += 2;
		} else {
			ALWAYS(strchr(harmless, *quoted));
			*at++ = *quoted++;
		}
	}
	*at = '\0';
	return (size_t)(at - word);
}

static void check_shell(const char *text, struct farm *memory)
{
	struct xy__buffer line = { 0 };
	struct farm_words words = { 0 };
	char *word = malloc(strlen(text) + 1);

	ALWAYS(word);
	farm_quote_shell(&line, text);
	ALWAYS(!line.failed && line.length);
	ALWAYS(unquote(line.at, word) == strlen(text) && !strcmp(word, text));
	/* Our own cutting of command lines reads it the same way. */
	xy__buffer_add(&line, " ");
	farm_quote_shell(&line, text);
	if (*text) {
		ALWAYS(!farm_quote_split(memory, &words, line.at));
		ALWAYS(words.count == 2 && !strcmp(words.at[0], text) && !strcmp(words.at[1], text));
	}
	free(word);
	xy__buffer_fini(&line);
}

static void check_file(const char *text)
{
	struct xy__buffer file = { 0 };
	const char *at;

	farm_quote_file(&file, text);
	for (at = file.at; at && *at; at++, text++) {
		unsigned value = (unsigned char)*at;

		ALWAYS(*at != '/' && (unsigned char)*at > ' ' && (unsigned char)*at < 0x7f);
		if (*at == '%') {
			ALWAYS(sscanf(at + 1, "%2x", &value) == 1);
			at += 2;
		}
		ALWAYS(value == (unsigned char)*text);
	}
	ALWAYS(!*text && (!file.at || *file.at != '.'));
	xy__buffer_fini(&file);
}

static void check_json(const char *text)
{
	struct xy__buffer quoted = { 0 };
	struct json json;
	bool utf8;

	farm_quote_json(&quoted, text);
	utf8 = !strstr(quoted.at, "\\ufffd");
	ALWAYS(!strchr(quoted.at, '\n'));
	ALWAYS(!farm_files_json(&json, quoted.at, quoted.length));
	ALWAYS(json.nodes->kind == JSON_TEXT && (!utf8 || !strcmp(json.nodes->text, text)));
	graph__json_fini(&json);
	xy__buffer_fini(&quoted);
}

static void check_html(const char *text)
{
	struct xy__buffer quoted = { 0 };

	farm_quote_html(&quoted, text);
	ALWAYS(!quoted.at || !strpbrk(quoted.at, "<>\"'\n"));
	xy__buffer_fini(&quoted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct farm memory;
	struct farm_words words = { 0 };

	ALWAYS(text);
	memcpy(text, data, size);
	text[size] = '\0';
	farm_init(&memory);
	check_shell(text, &memory);
	check_file(text);
	check_json(text);
	check_html(text);
	/* Any line is cut or refused. */
	farm_quote_split(&memory, &words, text);
	farm_fini(&memory);
	free(text);
	return 0;
}
