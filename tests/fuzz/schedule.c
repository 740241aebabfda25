/* SPDX-License-Identifier: MIT */
/*
 * Any text either is a schedule whose stages follow each other, and which means the same when it is written in our
 * way, or is refused with the number of a line.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "components/pipeline_schedule.h"
#include "fuzz.h"

static int read_bytes(struct xy__schedule *schedule, const void *data, size_t size, char *error, size_t error_size)
{
	FILE *file = size ? fmemopen((void *)data, size, "r") : fopen("/dev/null", "r");
	struct xy__message message;
	int status;

	ALWAYS(file != NULL);
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

	ALWAYS(file != NULL);
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

	ALWAYS(schedule->nstages > 0);
	for (unsigned i = 0; i < schedule->nstages; i++) {
		const struct xy__schedule_stage *stage = &schedule->stages[i];

		ALWAYS(stage->first == (i ? stage[-1].last + 1 : 1) && stage->last >= stage->first);
		ALWAYS(*stage->host);
		longest = strlen(stage->host) > longest ? strlen(stage->host) : longest;
	}
	if (longest > 900)
		return;
	text = write_again(schedule, &length);
	ALWAYS(read_bytes(&again, text, length, error, sizeof(error)) == 0);
	ALWAYS(again.nstages == schedule->nstages);
	for (unsigned i = 0; i < again.nstages; i++)
		ALWAYS(again.stages[i].first == schedule->stages[i].first &&
		       again.stages[i].last == schedule->stages[i].last &&
		       !strcmp(again.stages[i].host, schedule->stages[i].host));
	xy__schedule_fini(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xy__schedule schedule;
	char error[256] = "";
	int status = read_bytes(&schedule, data, size, error, sizeof(error));

	if (status) {
		ALWAYS(status == -EINVAL && !schedule.nstages && !schedule.stages);
		ALWAYS(!strncmp(error, "text, line ", 11));
		return 0;
	}
	look(&schedule);
	xy__schedule_fini(&schedule);
	return 0;
}
