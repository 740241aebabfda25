/* SPDX-License-Identifier: MIT */
/*
 * Any text either is a schedule whose stages follow each other, and which means the same when it is written in our
 * way, or is refused with the number of a line.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "components/schedule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static int read_bytes(struct xy__schedule *schedule, const void *data, size_t size, char *error, size_t error_size)
{
	FILE *file = size ? fmemopen((void *)data, size, "r") : fopen("/dev/null", "r");
	struct xy__message message;
	int status;

	expect(file != NULL, "file");
	xy__message_init(&message, error, error_size);
	status = xy__schedule_parse(schedule, file, "text", &message);
	fclose(file);
	return status;
}

/* As bytes of the host in hexadecimal, which leaves no question of what has to be escaped. */
static char *write_again(const struct xy__schedule *schedule, size_t *length)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, length);

	expect(file != NULL, "memory");
	for (unsigned i = 0; i < schedule->nstages; i++) {
		const struct xy__schedule_stage *stage = &schedule->stages[i];

		fputs("- \"", file);
		for (const char *c = stage->host; *c; c++)
			fprintf(file, "\\x%02x", (unsigned char)*c);
		fprintf(file, "\": [%u, %u]\n", stage->first, stage->last);
	}
	fclose(file);
	return text;
}

static void look(const struct xy__schedule *schedule)
{
	struct xy__schedule again;
	size_t length, longest = 0;
	char error[256], *text;

	expect(schedule->nstages > 0, "no stage");
	for (unsigned i = 0; i < schedule->nstages; i++) {
		const struct xy__schedule_stage *stage = &schedule->stages[i];

		expect(stage->first == (i ? stage[-1].last + 1 : 1) && stage->last >= stage->first, "order of layers");
		expect(*stage->host, "empty host");
		longest = strlen(stage->host) > longest ? strlen(stage->host) : longest;
	}
	if (longest > 900)
		return;
	text = write_again(schedule, &length);
	expect(read_bytes(&again, text, length, error, sizeof(error)) == 0, "not read again");
	expect(again.nstages == schedule->nstages, "another number of stages");
	for (unsigned i = 0; i < again.nstages; i++)
		expect(again.stages[i].first == schedule->stages[i].first &&
		       again.stages[i].last == schedule->stages[i].last &&
		       !strcmp(again.stages[i].host, schedule->stages[i].host), "another stage");
	xy__schedule_fini(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xy__schedule schedule;
	char error[256] = "";
	int status = read_bytes(&schedule, data, size, error, sizeof(error));

	if (status) {
		expect(status == -EINVAL && !schedule.nstages && !schedule.stages, "stages in spite of the error");
		expect(!strncmp(error, "text, line ", 11), "no line");
		return 0;
	}
	look(&schedule);
	xy__schedule_fini(&schedule);
	return 0;
}
