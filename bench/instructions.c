/* SPDX-License-Identifier: MIT */
/*
 * Instructions per empty task from submission to completion, counted by callgrind over all threads with
 * one worker: the difference between a run of n and one of 2 n tasks, divided by n, so that starting and
 * stopping cancel out. It needs no quiet machine.
 */
#include <string.h>
#include "driver.h"

#define WIDTH 16 /* of the stencil */

/* What is counted. */
static const struct row {
	const char *name;
	unsigned subject;
	const char *sched, *graph, *extra;
	double most; /* the target; 0: none */
} rows[] = {
	{ "tree-eager", XYLEM_EAGER, "tree-eager", "independent", NULL, 500 },
	{ "tree-ws", XYLEM_WS, "tree-ws", "independent", NULL, 520 },
	{ "tree-prio", XYLEM_EAGER, "tree-prio", "independent", NULL, 600 },
	{ "tree-eager-prefetching", XYLEM_PREFETCHING, "tree-eager-prefetching", "independent", NULL, 700 },
	{ "default", XYLEM_DEFAULT, NULL, "independent", NULL, 0 },
	{ "tree-eager, xy_insert", XYLEM_EAGER, "tree-eager", "inserted", NULL, 0 },
	{ "tree-dmdas, with a model", XYLEM_EAGER, "tree-dmdas", "modelled", NULL, 1800 },
	{ "tree-heft, with a model", XYLEM_EAGER, "tree-heft", "modelled", NULL, 1800 },
	{ "tree-cambium, with a model", XYLEM_EAGER, "tree-cambium", "modelled", NULL, 4000 },
	{ "tree-eager, four accesses", XYLEM_EAGER, "tree-eager", "stencil", NULL, 1200 },
	{ "... to the runtime's memory", XYLEM_EAGER, "tree-eager", "stencil", "--owned", 1200 },
	{ "StarPU modular-eager", STARPU_MODULAR, "modular-eager", "independent", NULL, 0 },
};
enum { NROWS = sizeof rows / sizeof rows[0] };

static struct series results[NROWS];

/* StarPU takes thirty times as long. */
static unsigned ntasks(const struct row *row)
{
	return (subject_is_xylem(row->subject) ? 20000 : 2000) / (settings.quick ? 4 : 1) / WIDTH * WIDTH;
}

enum outcome instructions_measure(const struct command *plain, double *instructions)
{
	struct command command = {
		.arguments = { settings.valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null" },
		.key = "Collected",
	};

	memcpy(command.arguments + 3, plain->arguments, (MAX_ARGUMENTS - 3) * sizeof(*plain->arguments));
	return process_measure(&command, instructions);
}

static enum outcome count(const struct row *row, unsigned n, double *instructions)
{
	bool stencil = !strcmp(row->graph, "stencil");
	char number[16], width[16];
	const char *arguments[8] = { row->graph };
	unsigned at = 1;
	struct command command;

	snprintf(width, sizeof(width), "%u", WIDTH);
	snprintf(number, sizeof(number), "%u", stencil ? n / WIDTH : n);
	if (stencil)
		arguments[at++] = width;
	arguments[at++] = number;
	arguments[at++] = "--repeat";
	arguments[at++] = "1";
	arguments[at++] = "--no-warm-up";
	arguments[at++] = row->extra;
	command = subject_command_sched(row->subject, arguments, 1, row->sched);
	return instructions_measure(&command, instructions);
}

static void run_row(const struct row *row, struct series *series)
{
	unsigned n = ntasks(row);
	double once = 0, twice = 0, each;
	enum outcome outcome = count(row, n, &once);

	if (outcome == MEASURED)
		outcome = count(row, 2 * n, &twice);
	if (process_interrupted())
		return;
	each = (twice - once) / n;
	series_add(series, outcome, each);
	series_record("instructions", row->name, "1 worker", outcome, each);
}

/* The counts of a run vary with how threads take turns, hence rounds; three are enough. */
bool instructions_run(void)
{
	unsigned rounds = settings.rounds < 3 ? settings.rounds : 3;
	bool sound = true;

	if (!settings.valgrind)
		return true;
	for (unsigned round = 0; round < rounds; round++)
		for (unsigned i = 0; i < NROWS && !process_interrupted(); i++)
			if (subject_is_here(rows[i].subject) && series_goes_on(&results[i]))
				run_row(&rows[i], &results[i]);
	printf("\ninstructions: per empty task, 1 worker, all threads, rounds: %u\n", rounds);
	for (unsigned i = 0; i < NROWS; i++) {
		if (!subject_is_here(rows[i].subject))
			continue;
		printf("%-28s", rows[i].name);
		series_print_number(&results[i], results[i].n ? series_median(&results[i]) : 0);
		putchar('\n');
		sound &= series_is_sound(&results[i], subject_is_xylem(rows[i].subject));
	}
	return sound;
}

bool instructions_target(unsigned i, const char **name, double *most, double *found)
{
	for (unsigned k = 0; k < NROWS; k++) {
		if (!(rows[k].most > 0) || i--)
			continue;
		*name = rows[k].name;
		*most = rows[k].most;
		*found = results[k].n && results[k].outcome == MEASURED ? series_median(&results[k]) : 0;
		return true;
	}
	return false;
}
