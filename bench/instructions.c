/* SPDX-License-Identifier: MIT */
/*
 * Instructions per independent empty task from submission to completion, counted by callgrind over all
 * threads with one worker: the difference between a run of n and one of 2 n tasks, divided by n, so
 * that starting and stopping cancel out. It needs no quiet machine.
 */
#include <string.h>
#include "driver.h"

#define INSERTED "tree-eager, xy_insert"

static struct series results[MAX_SUBJECTS], inserted;

static bool is_counted(unsigned subject)
{
	return subject_is_here(subject) && (subject_is_xylem(subject) || subject == STARPU_MODULAR);
}

/* StarPU takes thirty times as long. */
static unsigned ntasks(unsigned subject)
{
	return (subject_is_xylem(subject) ? 20000 : 2000) / (settings.quick ? 4 : 1);
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

static enum outcome count(unsigned subject, const char *graph, unsigned n, double *instructions)
{
	char number[16];
	const char *const arguments[] = { graph, number, "--repeat", "1", "--no-warm-up", NULL };
	struct command command;

	snprintf(number, sizeof(number), "%u", n);
	command = subject_command(subject, arguments, 1);
	return instructions_measure(&command, instructions);
}

static void run_subject(unsigned subject, const char *graph, const char *row, struct series *series)
{
	unsigned n = ntasks(subject);
	double once = 0, twice = 0, each;
	enum outcome outcome = count(subject, graph, n, &once);

	if (outcome == MEASURED)
		outcome = count(subject, graph, 2 * n, &twice);
	if (process_interrupted())
		return;
	each = (twice - once) / n;
	series_add(series, outcome, each);
	series_record("instructions", row, "1 worker", outcome, each);
}

/* The counts of a run vary with how threads take turns, hence rounds; three are enough. */
bool instructions_run(void)
{
	unsigned rounds = settings.rounds < 3 ? settings.rounds : 3;
	bool sound = true;

	if (!settings.valgrind)
		return true;
	for (unsigned round = 0; round < rounds; round++) {
		if (subject_is_here(XYLEM_EAGER) && series_goes_on(&inserted))
			run_subject(XYLEM_EAGER, "inserted", INSERTED, &inserted);
		for (unsigned s = 0; s < MAX_SUBJECTS && !process_interrupted(); s++)
			if (is_counted(s) && series_goes_on(&results[s]))
				run_subject(s, "independent", subject_name(s), &results[s]);
	}
	printf("\ninstructions: per independent empty task, 1 worker, all threads, rounds: %u\n", rounds);
	for (unsigned s = 0; s < MAX_SUBJECTS; s++) {
		if (!is_counted(s))
			continue;
		printf("%-28s", subject_name(s));
		series_print_number(&results[s], results[s].n ? series_median(&results[s]) : 0);
		putchar('\n');
		sound &= series_is_sound(&results[s], subject_is_xylem(s));
	}
	if (inserted.n || inserted.outcome != NOTHING) {
		printf("%-28s", INSERTED);
		series_print_number(&inserted, inserted.n ? series_median(&inserted) : 0);
		putchar('\n');
		sound &= series_is_sound(&inserted, true);
	}
	return sound;
}

bool instructions_count(unsigned subject, double *instructions)
{
	if (!results[subject].n || results[subject].outcome != MEASURED)
		return false;
	*instructions = series_median(&results[subject]);
	return true;
}
