/* SPDX-License-Identifier: MIT */
/*
 * Graph files: loads one, finds its format by what it begins with, and hands it to the reader of that format.
 */
#include "graph/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/text.h"

/* --- which format --- */

enum read_format { READ_UNKNOWN, READ_OWN, READ_STG, READ_DOT, READ_JSON };

/* Skips white space and comments of all formats, so far as they stand at the beginning. */
static const char *read_skip(const char *at)
{
	for (;;) {
		at += strspn(at, " \t\r\n\v\f");
		if (*at == '#' || (*at == '/' && at[1] == '/')) {
			at += strcspn(at, "\n");
		} else if (*at == '/' && at[1] == '*') {
			const char *end = strstr(at + 2, "*/");

			if (!end)
				return at;
			at = end + 2;
		} else {
			return at;
		}
	}
}

static bool read_begins(const char *text, const char *word)
{
	size_t length = strlen(word);

	return !strncasecmp(text, word, length) && !strchr("abcdefghijklmnopqrstuvwxyz_", text[length] | 32);
}

static bool read_has_suffix(const char *name, const char *suffix)
{
	size_t length = strlen(name), end = strlen(suffix);

	return length > end && !strcasecmp(name + length - end, suffix);
}

static enum read_format read_format_of(const struct graph_source *source)
{
	const char *at = read_skip(source->text);

	if (!strncmp(at, "xygraph", 7))
		return READ_OWN;
	if (*at == '{' || *at == '[')
		return READ_JSON;
	if (read_begins(at, "digraph") || read_begins(at, "graph") || read_begins(at, "strict"))
		return READ_DOT;
	if (*at >= '0' && *at <= '9')
		return READ_STG;
	return read_has_suffix(source->name, ".xyg")                                           ? READ_OWN
	       : read_has_suffix(source->name, ".stg")                                         ? READ_STG
	       : read_has_suffix(source->name, ".dot") || read_has_suffix(source->name, ".gv") ? READ_DOT
	       : read_has_suffix(source->name, ".json")                                        ? READ_JSON
											       : READ_UNKNOWN;
}

static int read_source(struct graph *g, struct graph_source *source)
{
	const char *zero = memchr(source->text, '\0', source->length);
	unsigned line = 1;
	int error = -EINVAL;

	*g = (struct graph){ 0 };
	if (zero) {
		for (const char *at = source->text; at < zero; at++)
			line += *at == '\n';
		return graph__refuse(source, line, "expected text instead of a zero byte");
	}
	switch (read_format_of(source)) {
	case READ_OWN:
		error = graph__read_own(g, source);
		break;
	case READ_STG:
		error = graph__read_stg(g, source);
		break;
	case READ_DOT:
		error = graph__read_dot(g, source);
		break;
	case READ_JSON:
		error = graph__read_wfcommons(g, source);
		break;
	default:
		graph__refuse(source, 1, "expected \"xygraph 1\", STG, a DOT digraph, or WfCommons JSON");
		break;
	}
	if (!error && !g->name && graph_set_name(g, source->name))
		error = graph__refuse_whole(source, -ENOMEM);
	if (error)
		graph_fini(g);
	return error;
}

int graph_read_text(struct graph *g, const char *text, size_t length, const char *name, char *error, size_t error_size)
{
	struct graph_source source = { .text = malloc(length + 1), .length = length, .name = name };
	int status;

	*g = (struct graph){ 0 };
	xy__message_init(&source.message, error, error_size);
	if (!source.text)
		return graph__refuse_whole(&source, -ENOMEM);
	if (length)
		memcpy(source.text, text, length);
	source.text[length] = '\0';
	status = read_source(g, &source);
	free(source.text);
	return status;
}

/* All of a file, up to a zero byte; its length comes from reading, as it may be a pipe. 0 or -errno. */
static int read_all(FILE *file, struct graph_source *source)
{
	size_t room = 0, got = 1;
	bool zero = false;

	while (got && !zero) {
		if (room - source->length < 2) {
			char *more = realloc(source->text, room = 2 * room + 65536);

			if (!more)
				return -ENOMEM;
			source->text = more;
		}
		errno = 0;
		got = fread(source->text + source->length, 1, room - source->length - 1, file);
		if (ferror(file))
			return errno ? -errno : -EIO;
		zero = memchr(source->text + source->length, '\0', got);
		source->length += got;
	}
	source->text[source->length] = '\0';
	return 0;
}

int graph_read(struct graph *g, const char *path, char *error, size_t error_size)
{
	struct graph_source source = { .name = path };
	FILE *file = fopen(path, "re");
	int status = file ? read_all(file, &source) : -errno;

	*g = (struct graph){ 0 };
	xy__message_init(&source.message, error, error_size);
	if (file)
		fclose(file);
	if (status)
		graph__refuse(&source, 0, "%s", strerror(-status));
	else
		status = read_source(g, &source);
	free(source.text);
	return status;
}

int graph_open(struct graph *g, const char *text, char *error, size_t error_size)
{
	int status = graph_make(g, text, error, error_size);
	FILE *file;

	if (status != -ENOENT)
		return status;
	file = fopen(text, "re");
	if (!file && !strpbrk(text, "/."))
		return status; /* looks like the name of a graph: the message about that is the better one */
	if (file)
		fclose(file);
	return graph_read(g, text, error, error_size);
}
