/* SPDX-License-Identifier: MIT */
/*
 * Any three texts either make a problem that keeps to its limits and can be solved, or are refused with the
 * name of a file; the component pipeline reads its schedule. The texts stand in one input, with lines of "===="
 * between them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "components/pipeline_schedule.h"
#include "pipeline/pipeline.h"
#include "pipeline/read.h"
#include "fuzz.h"

enum { TEXTS = 3, HOSTS_MAX = 12, STAGES_LAYERS_MAX = 32 };

/* Cuts the input; what is missing is empty. */
static void cut(const uint8_t *data, size_t size, FILE *files[TEXTS])
{
	static const char line[] = "====\n";

	for (int i = 0; i < TEXTS; i++) {
		const uint8_t *end = i < TEXTS - 1 && size ? memmem(data, size, line, strlen(line)) : NULL;
		size_t length = end ? (size_t)(end - data) : size;

		files[i] = length ? fmemopen((void *)data, length, "r") : fopen("/dev/null", "r");
		if (end)
			length += strlen(line);
		data += length;
		size -= length;
	}
}

/* Hosts and layers arrive as they are, whatever the names. */
static void look_back(const struct pipeline_problem *problem, const struct pipeline_schedule *schedule)
{
	struct xy__schedule read;
	struct xy__message message;
	char error[256], *text = NULL;
	size_t length = 0;
	FILE *file = open_memstream(&text, &length);

	ALWAYS(file != NULL);
	pipeline_print(problem, schedule, file);
	fclose(file);
	file = fmemopen(text, length, "r");
	xy__message_init(&message, error, sizeof(error));
	ALWAYS(file && xy__schedule_parse(&read, file, "schedule", &message) == 0);
	ALWAYS(read.nstages == schedule->nstages);
	for (unsigned s = 0; s < read.nstages; s++) {
		const struct pipeline_stage *stage = &schedule->stages[s];

		ALWAYS(!strcmp(read.stages[s].host, problem->types[stage->type].hosts[stage->host]));
		ALWAYS(read.stages[s].first == stage->first && read.stages[s].last == stage->last);
	}
	xy__schedule_fini(&read);
	fclose(file);
	free(text);
}

static bool is_long(const struct pipeline_problem *problem)
{
	for (unsigned t = 0; t < problem->ntypes; t++)
		for (unsigned h = 0; h < problem->types[t].nhosts; h++)
			if (strlen(problem->types[t].hosts[h]) > 1000)
				return true;
	return false;
}

static void look(const struct pipeline_problem *problem, FILE *sink)
{
	struct pipeline_schedule schedule;
	struct pipeline_table table;
	unsigned hosts = 0;

	ALWAYS(problem->nlayers <= PIPELINE_LAYERS_MAX && problem->ntypes <= PIPELINE_TYPES_MAX);
	for (unsigned t = 0; t < problem->ntypes; t++) {
		ALWAYS(problem->types[t].bw_Mbps >= 0 && problem->types[t].mem_MB >= 0);
		ALWAYS(!t || strcmp(problem->types[t - 1].name, problem->types[t].name) < 0);
		hosts += problem->types[t].nhosts;
	}
	if (hosts > HOSTS_MAX || problem->nlayers > STAGES_LAYERS_MAX || !problem->nlayers)
		return;
	ALWAYS(pipeline_table_init(&table, problem) == 0);
	ALWAYS(pipeline_schedule_init(&schedule, problem));
	ALWAYS(pipeline_search(problem, &table, &schedule) == 0);
	ALWAYS(!schedule.nstages || schedule.stages[schedule.nstages - 1].last == problem->nlayers);
	if (schedule.nstages && !is_long(problem))
		look_back(problem, &schedule);
	pipeline_print_table(problem, &schedule, sink);
	pipeline_draw(problem, &schedule, sink);
	pipeline_schedule_fini(&schedule);
	pipeline_table_fini(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const excluded[] = { "gone" };
	struct pipeline_request request = {
		.model = "m",
		.dtype = "torch.int8",
		.models_name = "models",
		.types_name = "types",
		.devices_name = "devices",
		.nexcluded = size % 2,
		.excluded = excluded,
	};
	struct pipeline_problem problem = { .dtype_size = 1, .batch_size = 2, .buffers_in = 2, .buffers_out = 2 };
	char *said = NULL;
	size_t length = 0;
	FILE *files[TEXTS], *sink = open_memstream(&said, &length);
	struct pipeline_report report = { .file = sink, .program = "fuzz" };
	bool fine;

	cut(data, size, files);
	ALWAYS(sink && files[0] && files[1] && files[2]);
	fine = pipeline_read(&problem, &request, files[0], files[1], files[2], &report);
	fflush(sink);
	if (fine)
		look(&problem, sink);
	else
		ALWAYS(strstr(said, "models") || strstr(said, "types") || strstr(said, "devices"));
	pipeline_problem_fini(&problem);
	for (int i = 0; i < TEXTS; i++)
		fclose(files[i]);
	fclose(sink);
	free(said);
	return 0;
}
