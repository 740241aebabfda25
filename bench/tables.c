/* SPDX-License-Identifier: MIT */
/*
 * The benches that have a row per runtime. Each round runs every cell once, so that the cells of a
 * round meet the same noise; a cell's value is its median over the rounds.
 */
#include <string.h>
#include <unistd.h>
#include "driver.h"

#define BOTH(key) \
	{ \
		{ "1 worker", 1, key }, \
		{ \
			NULL, 2, key \
		} \
	}

const struct table tables[NTABLES] = {
	[INDEPENDENT] = {
		.name = "independent", .title = "independent empty tasks",
		.unit = "ns per task", .scale = 1,
		.full = { "independent", "500000" }, .quick = { "independent", "50000" },
		.columns = BOTH("ns_per_task"),
	},
	[CHAIN] = {
		.name = "chain", .title = "a chain through one handle",
		.unit = "ns per task", .scale = 1,
		.full = { "chain", "100000" }, .quick = { "chain", "10000" },
		.columns = BOTH("ns_per_task"),
	},
	[WAVEFRONT] = {
		.name = "wavefront", .title = "a wavefront over a square",
		.unit = "ns per task", .scale = 1,
		.full = { "wavefront", "300" }, .quick = { "wavefront", "100" },
		.columns = BOTH("ns_per_task"),
	},
	[STENCIL] = {
		.name = "stencil", .title = "a 3-point stencil, two rows of handles",
		.unit = "ns per task", .scale = 1,
		.full = { "stencil", "16", "2000" }, .quick = { "stencil", "16", "200" },
		.columns = BOTH("ns_per_task"),
	},
	[FANS] = {
		.name = "fans", .title = "fork-join fans",
		.unit = "ns per task", .scale = 1,
		.full = { "fans", "1000", "64" }, .quick = { "fans", "100", "64" },
		.columns = BOTH("ns_per_task"),
	},
	[METG] = {
		.name = "metg",
		.title = "METG(50 %): the smallest task of that stencil that keeps half of the time useful",
		.unit = "ns", .scale = 1,
		.full = { "metg", "16" }, .quick = { "metg", "16" },
		.columns = BOTH("metg_ns"),
	},
	[WAKE] = {
		.name = "wake", .title = "from the submission of a task to its body when all sleep",
		.unit = "us", .scale = 1e-3,
		.full = { "wake", "200" }, .quick = { "wake", "50" },
		.columns = BOTH("wake_ns"),
	},
	[MEMORY] = {
		.name = "memory", .title = "memory of a waiting task with four accesses",
		.unit = "bytes per task", .scale = 1,
		.full = { "memory", "50000" }, .quick = { "memory", "10000" },
		.columns = BOTH("bytes_per_task"),
	},
	[START_STOP] = {
		.name = "start-stop", .title = "starting and stopping the runtime",
		.unit = "us", .scale = 1e-3,
		.full = { "start-stop", "20" }, .quick = { "start-stop", "5" },
		.columns = { { "first in a process", 2, "first_start_stop_ns" },
			     { "again", 2, "next_start_stop_ns" } },
		.few = true,
	},
};

static struct series results[NTABLES][NCOLUMNS][MAX_SUBJECTS];

static struct series *cell_of(const struct table *table, unsigned column, unsigned subject)
{
	return &results[table - tables][column][subject];
}

static const char *const *table_arguments(const struct table *table)
{
	return settings.quick ? table->quick : table->full;
}

static unsigned column_workers(const struct table *table, unsigned column)
{
	unsigned workers = table->columns[column].workers;

	return workers == 1 ? 1 : settings.workers;
}

static const char *column_title(const struct table *table, unsigned column)
{
	static char title[32];

	if (table->columns[column].title)
		return table->columns[column].title;
	snprintf(title, sizeof(title), "%u worker%s", settings.workers, settings.workers == 1 ? "" : "s");
	return title;
}

static bool table_has(const struct table *table, unsigned subject)
{
	return subject_is_here(subject) && (!table->few || subject_is_xylem(subject) || subject_is_starpu(subject));
}

/* What single runtimes need to be measured at all; bench/README.md explains each. */
static void adapt(struct command *command, const struct table *table, unsigned subject)
{
	if (table == &tables[WAKE] && (subject == OPENMP_GCC || subject == OPENMP_CLANG)) {
		command->variable = "OMP_WAIT_POLICY";
		command->value = "passive";
	}
	if (table == &tables[MEMORY] && subject == OPENMP_CLANG) {
		command->variable = "KMP_ENABLE_TASK_THROTTLING";
		command->value = "0";
	}
	if (table == &tables[MEMORY] && subject == OPENMP_GCC)
		command->arguments[2] = "1000";
}

static void run_cell(const struct table *table, unsigned column, unsigned subject)
{
	struct command command = subject_command(subject, table_arguments(table), column_workers(table, column));
	enum outcome outcome;
	double value = 0;

	command.key = table->columns[column].key;
	adapt(&command, table, subject);
	outcome = process_measure(&command, &value);
	if (process_interrupted())
		return;
	series_add(cell_of(table, column, subject), outcome, value * table->scale);
	series_record(table->name, subject_name(subject), column_title(table, column), outcome, value * table->scale);
}

static void progress(const struct table *table, unsigned round, const char *what)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K%s: round %u of %u, %s", table->name, round + 1, settings.rounds, what);
}

static void print_head(const struct table *table)
{
	printf("\n%s: %s", table->name, table->title);
	for (const char *const *a = table_arguments(table) + 1; *a; a++)
		printf("%s%s", a == table_arguments(table) + 1 ? " (" : " x ", *a);
	printf("), %s, rounds: %u\n%-30s", table->unit, settings.rounds, "");
	for (unsigned c = 0; c < NCOLUMNS; c++)
		printf("  %-36s", column_title(table, c));
	printf("\n%-28s", "");
	for (unsigned c = 0; c < NCOLUMNS; c++)
		printf("  %9s%9s%9s%9s", "median", "min", "max", "ratio");
	putchar('\n');
}

/* The ratio is to Xylem's default in the same column. */
static void print_cell(const struct table *table, unsigned column, unsigned subject)
{
	const struct series *series = cell_of(table, column, subject);
	const struct series *base = cell_of(table, column, XYLEM_DEFAULT);

	fputs("  ", stdout);
	if (!series->n || series->outcome != MEASURED) {
		series_print_number(series, 0);
		printf("%27s", "");
		return;
	}
	series_print_number(series, series_median(series));
	series_print_number(series, series_min(series));
	series_print_number(series, series_max(series));
	if (base->n && series_median(base) > 0)
		printf("%9.2f", series_median(series) / series_median(base));
	else
		printf("%9s", "");
}

bool table_run(const struct table *table)
{
	bool sound = true;

	for (unsigned round = 0; round < settings.rounds; round++)
		for (unsigned c = 0; c < NCOLUMNS; c++)
			for (unsigned s = 0; s < MAX_SUBJECTS && !process_interrupted(); s++) {
				progress(table, round, subject_name(s));
				if (table_has(table, s) && series_goes_on(cell_of(table, c, s)))
					run_cell(table, c, s);
			}
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	print_head(table);
	for (unsigned s = 0; s < MAX_SUBJECTS; s++) {
		if (!table_has(table, s))
			continue;
		printf("%-28s", subject_name(s));
		for (unsigned c = 0; c < NCOLUMNS; c++) {
			print_cell(table, c, s);
			sound &= series_is_sound(cell_of(table, c, s), subject_is_xylem(s));
		}
		putchar('\n');
	}
	return sound;
}

const struct series *table_result(unsigned table, unsigned column, unsigned subject)
{
	const struct series *series = &results[table][column][subject];

	return series->n && series->outcome == MEASURED ? series : NULL;
}
