/* SPDX-License-Identifier: MIT */
/*
 * The benches of data: each line is one program with its arguments, and a run of it can give several numbers. As in
 * the tables, each round runs every line once.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "driver.h"

const struct sheet sheets[NSHEETS] = {
	[FETCH] = {
		.name = "fetch", .title = "tasks with four accesses that find their data in RAM, per access",
		.lines = {
			[FETCH_RAM] = { "one memory node", "data", { "--devices", "0", "--sched", "tree-eager" } },
			[FETCH_NODES] = { "three memory nodes", "data", { "--devices", "2", "--sched", "tree-eager" } },
		},
		.runs = {
			{ .full = { "fetch", "200000" }, .quick = { "fetch", "20000" },
			  .columns = { { "ns of CPU", "cpu_ns_per_access" },
				       { "ns elapsed", "elapsed_ns_per_access" } } },
			{ .full = { "fetch", "20000" }, .quick = { "fetch", "5000" }, .accesses = 4,
			  .columns = { { "instructions", "Collected" } } },
		},
	},
	[MODELS] = {
		.name = "models", .title = "tasks with and without a performance model, per task",
		.lines = {
			[MODELS_NONE] = { "no model", "data", { "--model", "no" } },
			[MODELS_MEASURED] = { "a model, measured", "data", { "--model", "yes" } },
			[MODELS_TWO] = { "two implementations", "data", { "--model", "two" } },
			[MODELS_CHOSEN] = { "chosen by a model", "data", { "--model", "chosen" } },
		},
		.runs = {
			{ .full = { "fetch", "200000" }, .quick = { "fetch", "20000" },
			  .columns = { { "ns of CPU", "cpu_ns_per_task" } } },
			{ .full = { "fetch", "20000" }, .quick = { "fetch", "5000" }, .accesses = 1,
			  .columns = { { "instructions", "Collected" } } },
		},
	},
	[OVERLAP] = {
		.name = "overlap", .title = "tasks on a device, a copy takes as long as a kernel (double of libcudart)",
		.lines = {
			[OVERLAP_EAGER] = { "tree-eager", "data", { "--sched", "tree-eager" } },
			[OVERLAP_PREFETCHING] = { "tree-eager-prefetching", "data",
						  { "--sched", "tree-eager-prefetching" } },
		},
		.runs = {
			{ .full = { "overlap", "100" }, .quick = { "overlap", "20" },
			  .columns = { { "us per task", "us_per_task" } } },
		},
	},
	[BANDWIDTH] = {
		.name = "bandwidth", .title = "16 MiB from RAM to an OpenCL device and back, GB/s",
		.lines = { { "Xylem", "devices-xylem", { "--repeat", "40" } } },
		.runs = {
			{ .full = { "bandwidth" }, .quick = { "bandwidth" },
			  .columns = { { "in, bare", "bare_in" }, { "in", "runtime_in" },
				       { "out, bare", "bare_out" }, { "out", "runtime_out" } } },
		},
	},
	[DEVICES] = {
		.name = "devices", .title = "two OpenCL devices: a product in tiles, a chain from one to the other",
		.lines = {
			[DEVICES_EAGER] = { "Xylem tree-eager", "devices-xylem", { "--sched", "tree-eager" } },
			[DEVICES_PREFETCHING] = { "Xylem tree-eager-prefetching", "devices-xylem",
						  { "--sched", "tree-eager-prefetching" } },
			[DEVICES_WS] = { "Xylem tree-ws", "devices-xylem", { "--sched", "tree-ws" } },
			[DEVICES_MODULAR_EAGER] = { "StarPU modular-eager", "devices-starpu",
						    { "--sched", "modular-eager" } },
			[DEVICES_MODULAR_PREFETCHING] = { "StarPU modular-eager-pref.", "devices-starpu",
							  { "--sched", "modular-eager-prefetching" } },
			[DEVICES_LWS] = { "StarPU lws", "devices-starpu", { "--sched", "lws" } },
			[DEVICES_DMDAR] = { "StarPU dmdar", "devices-starpu", { "--sched", "dmdar" } },
		},
		.runs = {
			{ .full = { "product", "8", "64" }, .quick = { "product", "4", "32" },
			  .columns = { { "product us/task", "us_per_task" }, { "KiB/task", "kib_per_task" } } },
			{ .full = { "chain", "100", "1024" }, .quick = { "chain", "20", "64" },
			  .columns = { { "chain us/task", "us_per_task" }, { "KiB/task", "kib_per_task" } } },
		},
	},
};

static struct series results[NSHEETS][MAX_LINES][2][SHEET_COLUMNS];

static const char *program_path(const struct sheet_line *line)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", settings.peers, line->program);
	return path;
}

static bool line_is_here(const struct sheet_line *line)
{
	return line->program && access(program_path(line), X_OK) == 0;
}

bool line_is_xylem(const struct sheet_line *line)
{
	return line->program && strcmp(line->program, "devices-starpu") != 0;
}

static struct command line_command(const struct sheet_line *line, const struct sheet_run *run, const char *count)
{
	struct command command = { .arguments = { program_path(line) } };
	const char *const *given = settings.quick ? run->quick : run->full;
	unsigned n = 1;

	for (unsigned i = 0; given[i]; i++)
		command.arguments[n++] = i == 1 && count ? count : given[i];
	for (unsigned i = 0; i < sizeof line->extra / sizeof line->extra[0] && line->extra[i]; i++)
		command.arguments[n++] = line->extra[i];
	return command;
}

/* Instructions per access: the difference between a run of n and one of 2 n tasks, so that the rest cancels out. */
static enum outcome count_line(const struct sheet_line *line, const struct sheet_run *run, double *each)
{
	unsigned n = (unsigned)strtoul((settings.quick ? run->quick : run->full)[1], NULL, 10);
	double counts[2] = { 0 };
	enum outcome outcome = settings.valgrind ? MEASURED : IMPOSSIBLE;

	for (unsigned i = 0; i < 2 && outcome == MEASURED; i++) {
		char number[16];
		struct command command;
		unsigned last = 0;

		snprintf(number, sizeof(number), "%u", n * (i + 1));
		command = line_command(line, run, number);
		while (command.arguments[last])
			last++;
		command.arguments[last] = "--repeat";
		command.arguments[last + 1] = "1";
		command.arguments[last + 2] = "--no-warm-up";
		outcome = instructions_measure(&command, &counts[i]);
	}
	*each = (counts[1] - counts[0]) / n / run->accesses;
	return outcome;
}

static void run_line(const struct sheet *sheet, unsigned l, unsigned r)
{
	const struct sheet_line *line = &sheet->lines[l];
	const struct sheet_run *run = &sheet->runs[r];
	double values[SHEET_COLUMNS] = { 0 };
	const char *keys[SHEET_COLUMNS + 1] = { NULL };
	enum outcome outcome;

	for (unsigned c = 0; c < SHEET_COLUMNS; c++)
		keys[c] = run->columns[c].key;
	if (run->accesses) {
		outcome = count_line(line, run, values);
	} else {
		struct command command = line_command(line, run, NULL);

		outcome = process_measure_all(&command, keys, values);
	}
	for (unsigned c = 0; c < SHEET_COLUMNS && keys[c] && !process_interrupted(); c++) {
		series_add(&results[sheet - sheets][l][r][c], outcome, values[c]);
		series_record(sheet->name, line->name, run->columns[c].title, outcome, values[c]);
	}
}

static bool print_sheet(const struct sheet *sheet)
{
	bool sound = true;

	printf("\n%s: %s, rounds: %u\n%-30s", sheet->name, sheet->title, settings.rounds, "");
	for (unsigned i = 0; i < 2 * SHEET_COLUMNS; i++)
		if (sheet->runs[i / SHEET_COLUMNS].columns[i % SHEET_COLUMNS].key)
			printf("%16s", sheet->runs[i / SHEET_COLUMNS].columns[i % SHEET_COLUMNS].title);
	putchar('\n');
	for (unsigned l = 0; l < MAX_LINES; l++) {
		if (!line_is_here(&sheet->lines[l]))
			continue;
		printf("%-30s", sheet->lines[l].name);
		for (unsigned i = 0; i < 2 * SHEET_COLUMNS; i++) {
			struct series *s = &results[sheet - sheets][l][i / SHEET_COLUMNS][i % SHEET_COLUMNS];

			if (!sheet->runs[i / SHEET_COLUMNS].columns[i % SHEET_COLUMNS].key)
				continue;
			printf("%7s", "");
			series_print_number(s, s->n ? series_median(s) : 0);
			sound &= series_is_sound(s, line_is_xylem(&sheet->lines[l]));
		}
		putchar('\n');
	}
	return sound;
}

static bool sheet_is_here(const struct sheet *sheet)
{
	for (unsigned l = 0; l < MAX_LINES; l++)
		if (line_is_here(&sheet->lines[l]))
			return true;
	printf("\n%s: its program was not built; Debian: ocl-icd-opencl-dev, opencl-headers, pocl-opencl-icd.\n",
	       sheet->name);
	return false;
}

bool sheet_run(const struct sheet *sheet)
{
	if (!sheet_is_here(sheet))
		return true;
	for (unsigned round = 0; round < settings.rounds; round++)
		for (unsigned i = 0; i < 2 * MAX_LINES && !process_interrupted(); i++) {
			unsigned l = i / 2, r = i % 2;

			if (line_is_here(&sheet->lines[l]) && sheet->runs[r].full[0] &&
			    series_goes_on(&results[sheet - sheets][l][r][0]))
				run_line(sheet, l, r);
		}
	return print_sheet(sheet);
}

const struct series *sheet_result(unsigned sheet, unsigned line, unsigned run, unsigned column)
{
	const struct series *series = &results[sheet][line][run][column];

	return series->n && series->outcome == MEASURED ? series : NULL;
}
