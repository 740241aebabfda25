/* SPDX-License-Identifier: MIT */
/*
 * What one more pass-through component costs a task: trees with 0 to MAX_HOPS extra `stage`
 * components above the queue (on the way of a push) and below it (on the way of a pull). The tasks are
 * submitted by tasks on a single worker, so that one thread pays for everything and nothing hides.
 */
#include <string.h>
#include <unistd.h>
#include "driver.h"

enum { ABOVE, BELOW, NPLACES };

static const char *const places[NPLACES] = { "above the queue", "below the queue" };
static struct series results[NPLACES][MAX_HOPS + 1];
static bool measured;

/* tree-eager with `n` stages above or below its queue. */
static void expression(char *text, size_t size, unsigned place, unsigned n)
{
	char stages[16 * MAX_HOPS] = "";

	for (unsigned i = 0; i < n; i++)
		strcat(stages, place == ABOVE ? "stage | " : " | stage");
	snprintf(text, size,
		 place == ABOVE ? "%sfifo | eager | each worker { best-implementation }"
				: "fifo%s | eager | each worker { best-implementation }",
		 stages);
}

static void run_cell(unsigned place, unsigned n)
{
	const char *const arguments[] = { "nested", settings.quick ? "20000" : "200000", NULL };
	char text[32 * MAX_HOPS], row[8];
	struct command command;
	enum outcome outcome;
	double value = 0;

	expression(text, sizeof(text), place, n);
	command = subject_command_sched(XYLEM_EAGER, arguments, 1, text);
	command.key = "ns_per_task";
	outcome = process_measure(&command, &value);
	if (process_interrupted())
		return;
	series_add(&results[place][n], outcome, value);
	snprintf(row, sizeof(row), "%u", n);
	series_record("hops", row, places[place], outcome, value);
}

/* Slope of the least-squares line through the medians. */
static double slope(unsigned place)
{
	double sum_n = 0, sum_v = 0, sum_nn = 0, sum_nv = 0, count = MAX_HOPS + 1;

	for (unsigned n = 0; n <= MAX_HOPS; n++) {
		double v = series_median(&results[place][n]);

		sum_n += n;
		sum_v += v;
		sum_nn += (double)n * n;
		sum_nv += n * v;
	}
	return (count * sum_nv - sum_n * sum_v) / (count * sum_nn - sum_n * sum_n);
}

static void print_results(void)
{
	printf("\nhops: tree-eager with extra pass-through components, 1 worker, ns per task, "
	       "rounds: %u\n%-10s",
	       settings.rounds, "stages");
	for (unsigned p = 0; p < NPLACES; p++)
		printf("%18s", places[p]);
	putchar('\n');
	for (unsigned n = 0; n <= MAX_HOPS; n++) {
		printf("%-10u", n);
		for (unsigned p = 0; p < NPLACES; p++) {
			printf("%9s", "");
			series_print_number(&results[p][n], results[p][n].n ? series_median(&results[p][n]) : 0);
		}
		putchar('\n');
	}
	if (measured)
		printf("%-10s%18.1f%18.1f\n", "each", slope(ABOVE), slope(BELOW));
}

bool hops_run(void)
{
	bool sound = true;

	if (!subject_is_here(XYLEM_EAGER))
		return true;
	for (unsigned round = 0; round < settings.rounds; round++)
		for (unsigned n = 0; n <= MAX_HOPS; n++)
			for (unsigned p = 0; p < NPLACES && !process_interrupted(); p++)
				if (series_goes_on(&results[p][n]))
					run_cell(p, n);
	measured = true;
	for (unsigned p = 0; p < NPLACES; p++)
		for (unsigned n = 0; n <= MAX_HOPS; n++) {
			measured &= results[p][n].n && results[p][n].outcome == MEASURED;
			sound &= series_is_sound(&results[p][n], true);
		}
	print_results();
	return sound;
}

bool hops_cost(double *ns)
{
	if (measured)
		*ns = slope(ABOVE) > slope(BELOW) ? slope(ABOVE) : slope(BELOW);
	return measured;
}
