/* SPDX-License-Identifier: MIT */
/*
 * A schedule as YAML, and its costs as comments of YAML: whatever is asked for, the output is a schedule
 * that PipeEdge reads.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "core/util/text.h"
#include "pipeline/pipeline.h"

/* Whether a text means a number or a word of YAML rather than itself. */
static bool print_is_special(const char *text)
{
	static const char *const words[] = {
		"null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf",
	};
	const char *at = text;
	double value;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcasecmp(text, words[i]))
			return true;
	if (xy__text_double(&at, &value) && !*at)
		return true;
	/* 0x1f, 0o17; and 12:30 is a number by the old rules */
	return (text[0] == '0' && strchr("xob", tolower((unsigned char)text[1]))) ||
	       (!strpbrk(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") && !strchr(text, '.'));
}

static bool print_is_plain(const char *text)
{
	size_t n = strlen(text);

	if (!n || !isalnum((unsigned char)text[0]) || text[n - 1] == ':')
		return false;
	for (size_t i = 0; i < n; i++)
		if (!isascii((unsigned char)text[i]) || (!isalnum((unsigned char)text[i]) && !strchr("._-/:", text[i])))
			return false;
	return !print_is_special(text);
}

static void print_host(const char *host, FILE *file)
{
	if (print_is_plain(host)) {
		fputs(host, file);
		return;
	}
	fputc('"', file);
	for (; *host; host++) {
		unsigned char c = (unsigned char)*host;

		if (c == '"' || c == '\\')
			fprintf(file, "\\%c", c);
		else if (c < ' ' || c == 0x7f)
			fprintf(file, "\\x%02x", c);
		else
			fputc(c, file);
	}
	fputc('"', file);
}

/* A name as a part of a comment: one line. */
static void print_name(const char *name, int width, FILE *file)
{
	int n = 0;

	for (; *name; name++, n++)
		fputc((unsigned char)*name < ' ' ? '?' : *name, file);
	for (; n < width; n++)
		fputc(' ', file);
}

static const char *print_host_name(const struct pipeline_problem *problem, const struct pipeline_stage *stage)
{
	return problem->types[stage->type].hosts[stage->host];
}

void pipeline_print(const struct pipeline_problem *problem, const struct pipeline_schedule *schedule, FILE *file)
{
	if (!schedule->nstages)
		fputs("[]\n", file);
	for (unsigned s = 0; s < schedule->nstages; s++) {
		const struct pipeline_stage *stage = &schedule->stages[s];

		fputs("- ", file);
		print_host(print_host_name(problem, stage), file);
		fprintf(file, ": [%u, %u]\n", stage->first, stage->last);
	}
}

void pipeline_print_cost(const struct pipeline_problem *problem, const struct pipeline_schedule *schedule, FILE *file)
{
	struct pipeline_cost cost = pipeline_cost(problem, schedule);
	const struct pipeline_stage *stage = &schedule->stages[cost.stage];

	if (!schedule->nstages)
		return;
	fprintf(file, "# bottleneck: %.6g s, %s of stage %u (", cost.bottleneck,
		cost.comm ? "the output" : "computation", cost.stage + 1);
	print_name(print_host_name(problem, stage), 0, file);
	fprintf(file, ", layers %u-%u)\n", stage->first, stage->last);
	if (cost.bottleneck > 0)
		fprintf(file, "# throughput: %.6g microbatches/s, %.6g items/s\n", 1 / cost.bottleneck,
			(double)problem->batch_size / cost.bottleneck);
	else
		fprintf(file, "# throughput: unlimited\n");
	fprintf(file, "# latency: %.6g s for a microbatch\n", cost.latency);
}

/* The longest of some names, and of the title above them. */
static int print_width(const struct pipeline_problem *problem, const struct pipeline_schedule *schedule, bool hosts)
{
	size_t width = 4;

	for (unsigned s = 0; s < schedule->nstages; s++) {
		const struct pipeline_stage *stage = &schedule->stages[s];
		const char *name = hosts ? print_host_name(problem, stage) : problem->types[stage->type].name;

		if (strlen(name) > width)
			width = strlen(name);
	}
	return width < 60 ? (int)width : 60;
}

void pipeline_print_table(const struct pipeline_problem *problem, const struct pipeline_schedule *schedule, FILE *file)
{
	int host = print_width(problem, schedule, true), type = print_width(problem, schedule, false);
	struct pipeline_cost cost = pipeline_cost(problem, schedule);

	if (!schedule->nstages)
		return;
	fprintf(file, "# stage  %-*s  %-*s  %9s  %10s  %10s  %10s  %10s\n", host, "host", type, "type", "layers",
		"compute s", "comm s", "memory MB", "of MB");
	for (unsigned s = 0; s < schedule->nstages; s++) {
		const struct pipeline_stage *stage = &schedule->stages[s];
		char layers[24];

		snprintf(layers, sizeof(layers), "%u-%u", stage->first, stage->last);
		fprintf(file, "# %5u  ", s + 1);
		print_name(print_host_name(problem, stage), host, file);
		fputs("  ", file);
		print_name(problem->types[stage->type].name, type, file);
		fprintf(file, "  %9s  %10.6g  %10.6g  %10.2f  %10.2f%s\n", layers,
			pipeline_compute(problem, stage->type, stage->first, stage->last),
			pipeline_stage_comm(problem, schedule, s),
			pipeline_memory(problem, stage->first, stage->last) / 1024 / 1024,
			problem->types[stage->type].mem_MB, s == cost.stage ? "  binds" : "");
	}
}
