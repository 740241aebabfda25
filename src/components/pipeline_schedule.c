/* SPDX-License-Identifier: MIT */
/*
 * Reads a schedule: lines `- host: [first, last]`. That is all that sched-pipeline writes of YAML, besides comments
 * and `[]` for no schedule at all, so that the library needs no YAML.
 */
#include "components/pipeline_schedule.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/util/text.h"

enum { SCHEDULE_LINE = 4096, SCHEDULE_STAGES = 65536, SCHEDULE_LAYERS = 1 << 20 };

struct schedule_reader {
	struct xy__schedule *schedule;
	const char *path;
	unsigned line;
	struct xy__message *error;
};

static int schedule_wrong(struct schedule_reader *r, const char *what)
{
	xy__message_add(r->error, "%s, line %u: %s", r->path, r->line, what);
	return -EINVAL;
}

static const char *skip_spaces(const char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

static int digit_of(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* A name in single quotes, where two quotes mean one. */
static bool read_single(const char **at, char *host)
{
	const char *c = *at + 1;

	for (; *c && (*c != '\'' || c[1] == '\''); c++) {
		c += *c == '\'';
		*host++ = *c;
	}
	*host = '\0';
	*at = c + 1;
	return *c == '\'';
}

/* A name in double quotes; moves `*at` past it. False without a closing quote. */
static bool read_double(const char **at, char *host)
{
	const char *c = *at + 1;

	for (; *c && *c != '"'; c++) {
		if (*c != '\\') {
			*host++ = *c;
		} else if (c[1] == 'x' && digit_of(c[2]) >= 0 && digit_of(c[3]) >= 0 && strncmp(c, "\\x00", 4)) {
			*host++ = (char)(digit_of(c[2]) * 16 + digit_of(c[3]));
			c += 3;
		} else if (c[1] == '"' || c[1] == '\\') {
			*host++ = *++c;
		} else {
			return false;
		}
	}
	*host = '\0';
	*at = c + 1;
	return *c == '"';
}

/* A name as it is, up to a colon with a space or bracket behind it, without the spaces before that. */
static bool read_plain(const char **at, char *host)
{
	const char *c = *at;
	size_t n;

	while (*c && !(*c == ':' && (c[1] == ' ' || c[1] == '\t' || c[1] == '[')))
		c++;
	for (n = (size_t)(c - *at); n && ((*at)[n - 1] == ' ' || (*at)[n - 1] == '\t'); n--)
		;
	memcpy(host, *at, n);
	host[n] = '\0';
	*at = c;
	return *c == ':';
}

/* The name of a host is never longer than its line. */
static bool read_host(const char **at, char *host)
{
	bool (*read)(const char **, char *) = **at == '"' ? read_double : **at == '\'' ? read_single : read_plain;

	return read(at, host) && *host;
}

static bool read_symbol(const char **at, char symbol)
{
	*at = skip_spaces(*at);
	if (**at != symbol)
		return false;
	*at = skip_spaces(*at + 1);
	return true;
}

static bool read_layer(const char **at, unsigned *layer)
{
	const char *begin = *at;
	uint64_t number;

	if (!xy__text_unsigned(at, SCHEDULE_LAYERS, &number) || *at == begin)
		return false;
	*layer = (unsigned)number;
	return true;
}

/* `- host: [first, last]` */
static int read_stage(struct schedule_reader *r, const char *at)
{
	struct xy__schedule *s = r->schedule;
	struct xy__schedule_stage stage = { 0 };
	char host[SCHEDULE_LINE];

	if (!read_symbol(&at, '-') || !read_host(&at, host) || !read_symbol(&at, ':') || !read_symbol(&at, '[') ||
	    !read_layer(&at, &stage.first) || !read_symbol(&at, ',') || !read_layer(&at, &stage.last) ||
	    !read_symbol(&at, ']') || (*at && *at != '#'))
		return schedule_wrong(r, "expected \"- host: [first, last]\"");
	if (stage.last < stage.first)
		return schedule_wrong(r, "the last layer is before the first");
	if (stage.first != (s->nstages ? s->stages[s->nstages - 1].last + 1 : 1))
		return schedule_wrong(r, s->nstages ? "it does not begin right after the previous stage"
						    : "the first stage does not begin with layer 1");
	stage.host = strdup(host);
	if (!stage.host)
		return -ENOMEM;
	s->stages[s->nstages++] = stage;
	return 0;
}

static int read_line(struct schedule_reader *r, char *line, size_t length)
{
	const char *at;
	struct xy__schedule_stage *more;

	if (length >= SCHEDULE_LINE)
		return schedule_wrong(r, "the line is too long");
	if (strlen(line) < length)
		return schedule_wrong(r, "not a text: it contains zero bytes");
	line[strcspn(line, "\r\n")] = '\0';
	at = skip_spaces(line);
	if (!*at || *at == '#' || !strcmp(at, "---"))
		return 0;
	if (!strcmp(at, "[]"))
		return schedule_wrong(r, "the schedule is empty: nothing fitted");
	if (r->schedule->nstages == SCHEDULE_STAGES)
		return schedule_wrong(r, "too many stages");
	more = realloc(r->schedule->stages, (r->schedule->nstages + 1) * sizeof *more);
	if (!more)
		return -ENOMEM;
	r->schedule->stages = more;
	return read_stage(r, at);
}

int xy__schedule_parse(struct xy__schedule *schedule, FILE *file, const char *path, struct xy__message *error)
{
	struct schedule_reader r = { .schedule = schedule, .path = path, .error = error };
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	int status = 0;

	*schedule = (struct xy__schedule){ 0 };
	while (!status && (length = getline(&line, &size, file)) >= 0) {
		r.line++;
		status = read_line(&r, line, (size_t)length);
	}
	if (!status && !feof(file))
		status = schedule_wrong(&r, "can't be read");
	if (!status && !schedule->nstages)
		status = schedule_wrong(&r, "no stages");
	free(line);
	if (status)
		xy__schedule_fini(schedule);
	return status;
}

int xy__schedule_read(struct xy__schedule *schedule, const char *path, struct xy__message *error)
{
	FILE *file = fopen(path, "re");
	int status = file ? 0 : -errno;

	if (!file) {
		xy__message_add(error, "%s: %s", path, strerror(-status));
		return status;
	}
	status = xy__schedule_parse(schedule, file, path, error);
	fclose(file);
	return status;
}

void xy__schedule_fini(struct xy__schedule *schedule)
{
	for (unsigned i = 0; i < schedule->nstages; i++)
		free(schedule->stages[i].host);
	free(schedule->stages);
	*schedule = (struct xy__schedule){ 0 };
}
