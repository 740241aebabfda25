/* SPDX-License-Identifier: MIT */
/* The whole command: read, solve, print. Standard output gets the schedule only when all went well. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/options.h"
#include "pipeline/pipeline.h"

static FILE *command_open(const char *name, const struct pipeline_report *report)
{
	FILE *file = fopen(name, "r");

	if (!file)
		pipeline_say(report, "%s: %s", name, strerror(errno));
	return file;
}

static bool command_read(struct pipeline_problem *problem, const struct pipeline_options *options,
			 const struct pipeline_report *report)
{
	const struct pipeline_request *request = &options->request;
	FILE *models, *types = NULL, *devices = NULL;
	bool fine = false;

	*problem = (struct pipeline_problem){
		.dtype_size = options->dtype_size,
		.batch_size = options->batch_size,
		.buffers_in = options->buffers_in,
		.buffers_out = options->buffers_out,
	};
	models = command_open(request->models_name, report);
	if (models)
		types = command_open(request->types_name, report);
	if (types)
		devices = command_open(request->devices_name, report);
	if (devices)
		fine = pipeline_read(problem, request, models, types, devices, report);
	if (models)
		fclose(models);
	if (types)
		fclose(types);
	if (devices)
		fclose(devices);
	return fine;
}

/* Finds a host by a name of some length. */
static bool command_find(const struct pipeline_problem *problem, const char *name, size_t length,
			 struct pipeline_device *device)
{
	for (unsigned t = 0; t < problem->ntypes; t++)
		for (unsigned h = 0; h < problem->types[t].nhosts; h++)
			if (!strncmp(problem->types[t].hosts[h], name, length) && !problem->types[t].hosts[h][length]) {
				*device = (struct pipeline_device){ t, h };
				return true;
			}
	return false;
}

/* The hosts of --order; false after a message. */
static bool command_order(const struct pipeline_problem *problem, const char *text, struct pipeline_device **devices,
			  unsigned *n, const struct pipeline_report *report)
{
	*n = 0;
	*devices = calloc(strlen(text) / 2 + 2, sizeof(**devices));
	if (!*devices) {
		pipeline_say(report, "no memory");
		return false;
	}
	for (;;) {
		size_t length = strcspn(text, ",");
		struct pipeline_device device;

		if (!length || !command_find(problem, text, length, &device)) {
			pipeline_say(report, "--order: no usable host \"%.*s\"", (int)length, text);
			return false;
		}
		for (unsigned i = 0; i < *n; i++)
			if ((*devices)[i].type == device.type && (*devices)[i].host == device.host) {
				pipeline_say(report, "--order: \"%.*s\" is given twice", (int)length, text);
				return false;
			}
		(*devices)[(*n)++] = device;
		if (!text[length])
			return true;
		text += length + 1;
	}
}

static int command_solve(const struct pipeline_problem *problem, const struct pipeline_table *table,
			 const struct pipeline_options *options, const struct pipeline_device *devices,
			 unsigned ndevices, struct pipeline_schedule *schedule)
{
	unsigned figures[PIPELINE_TYPES_MAX];

	if (!problem->nlayers)
		return 0;
	if (options->order)
		return options->latency ? pipeline_order_latency(table, devices, ndevices, schedule)
					: pipeline_order(table, devices, ndevices, schedule);
	if (options->latency)
		return pipeline_latency(problem, table, schedule);
	if (!options->compat)
		return pipeline_search(problem, table, schedule);
	pipeline_plain_figures(problem, figures);
	return pipeline_plain(problem, table, figures, schedule);
}

static bool command_draw(const struct pipeline_problem *problem, const struct pipeline_schedule *schedule,
			 const char *name, const struct pipeline_report *report)
{
	FILE *file = fopen(name, "w");
	bool failed;

	if (!file) {
		pipeline_say(report, "%s: %s", name, strerror(errno));
		return false;
	}
	pipeline_draw(problem, schedule, file);
	failed = ferror(file);
	errno = 0;
	if (fclose(file) || failed) {
		pipeline_say(report, "%s: can't be written%s%s", name, errno ? ": " : "", errno ? strerror(errno) : "");
		return false;
	}
	return true;
}

static bool command_show(const struct pipeline_problem *problem, const struct pipeline_schedule *schedule,
			 const struct pipeline_options *options, FILE *out, const struct pipeline_report *report)
{
	if (options->draw && !strcmp(options->draw, "-")) {
		pipeline_draw(problem, schedule, out);
		return true;
	}
	if (options->draw && !command_draw(problem, schedule, options->draw, report))
		return false;
	pipeline_print(problem, schedule, out);
	if (options->all_costs)
		pipeline_print_table(problem, schedule, out);
	if (options->cost || options->all_costs)
		pipeline_print_cost(problem, schedule, out);
	return true;
}

/* Solves and shows a problem that was read. */
static bool command_run(const struct pipeline_problem *problem, const struct pipeline_options *options, FILE *out,
			const struct pipeline_report *report)
{
	struct pipeline_schedule schedule = { 0 };
	struct pipeline_device *devices = NULL;
	struct pipeline_table table = { 0 };
	unsigned ndevices = 0;
	bool fine = false;
	int error;

	if (options->order && !command_order(problem, options->order, &devices, &ndevices, report))
		goto out;
	error = pipeline_table_init(&table, problem);
	if (!error && !pipeline_schedule_init(&schedule, problem))
		error = -ENOMEM;
	if (!error)
		error = command_solve(problem, &table, options, devices, ndevices, &schedule);
	if (error) {
		pipeline_say(report,
			     error == -E2BIG ? "too many layers, types and hosts to try them all" : "no memory");
		goto out;
	}
	if (!schedule.nstages)
		pipeline_explain(problem, &table,
				 options->compat ? "--compat: there is none with the figures of the wrong devices, but "
						   "there is one without it"
						 : "order: the hosts of --order do not suffice in this order, but all "
						   "hosts in any order do",
				 report);
	fine = command_show(problem, &schedule, options, out, report);
out:
	pipeline_schedule_fini(&schedule);
	pipeline_table_fini(&table);
	free(devices);
	return fine;
}

int pipeline_command(int argc, char **argv, FILE *out, const struct pipeline_report *report)
{
	struct pipeline_problem problem = { 0 };
	struct pipeline_options options;
	bool fine = pipeline_options_parse(&options, argc, argv, report);

	if (fine && options.help)
		pipeline_options_help(report->program, out);
	else if (fine)
		fine = command_read(&problem, &options, report) && command_run(&problem, &options, out, report);
	pipeline_problem_fini(&problem);
	pipeline_options_fini(&options);
	return fine ? 0 : 1;
}
