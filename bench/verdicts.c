/* SPDX-License-Identifier: MIT */
/*
 * What Xylem is to reach, and whether the medians of this run reach it. Nothing is said about a target
 * whose numbers were not measured but that they were not.
 */
#include <math.h>
#include "driver.h"

static const unsigned graphs[] = { INDEPENDENT, CHAIN, WAVEFRONT, STENCIL };
#define NGRAPHS (sizeof(graphs) / sizeof(*graphs))
#define LAST (NCOLUMNS - 1)

/* Prints the line of one target. */
static void verdict(bool reached, const char *target)
{
	printf("  %-12s %s: ", reached ? "reached" : "NOT REACHED", target);
}

static void not_measured(const char *target)
{
	printf("  %-12s %s\n", "not measured", target);
}

/* The subject with the smallest median among those that `pick` takes, -1 if none was measured. */
static int best(unsigned table, bool (*pick)(unsigned))
{
	double least = INFINITY;
	int found = -1;

	for (unsigned s = 0; s < MAX_SUBJECTS; s++) {
		const struct series *series = pick(s) ? table_result(table, LAST, s) : NULL;

		if (!series || series_median(series) >= least)
			continue;
		found = (int)s;
		least = series_median(series);
	}
	return found;
}

static double median_of(unsigned table, int subject)
{
	return series_median(table_result(table, LAST, (unsigned)subject));
}

static bool is_contender(unsigned subject)
{
	return subject == XYLEM_WS || subject == XYLEM_DEFAULT;
}

static bool is_peer(unsigned subject)
{
	return !subject_is_xylem(subject);
}

static void ahead_of_peers(unsigned table)
{
	int ours = best(table, is_contender), theirs = best(table, is_peer);
	char target[128];

	snprintf(target, sizeof(target), "%s: tree-ws or the default ahead of every peer", tables[table].name);
	if (ours < 0 || theirs < 0) {
		not_measured(target);
		return;
	}
	verdict(median_of(table, ours) < median_of(table, theirs), target);
	printf("%s %.1f ns, %s %.1f ns\n", subject_name((unsigned)ours), median_of(table, ours),
	       subject_name((unsigned)theirs), median_of(table, theirs));
}

/* One row of a table beside another. */
static void at_most(unsigned table, int ours, double factor, int theirs)
{
	char target[128];

	snprintf(target, sizeof(target), "%s: %s at most %.1f times %s", tables[table].name,
		 ours < 0 ? "Xylem" : subject_name((unsigned)ours), factor,
		 theirs < 0 ? "the best peer" : subject_name((unsigned)theirs));
	if (ours < 0 || theirs < 0 || !table_result(table, LAST, (unsigned)ours) ||
	    !table_result(table, LAST, (unsigned)theirs)) {
		not_measured(target);
		return;
	}
	verdict(median_of(table, ours) <= factor * median_of(table, theirs), target);
	printf("%.1f ns, %.1f ns (%.2f)\n", median_of(table, ours), median_of(table, theirs),
	       median_of(table, ours) / median_of(table, theirs));
}

static void ratios(void)
{
	static const unsigned all[] = { INDEPENDENT, CHAIN, WAVEFRONT, STENCIL, FANS, METG };

	at_most(INDEPENDENT, XYLEM_EAGER, 2, best(INDEPENDENT, is_peer));
	at_most(INDEPENDENT, XYLEM_WS, 2, best(INDEPENDENT, is_peer));
	at_most(WAVEFRONT, best(WAVEFRONT, is_contender), 0.7, TBB);
	at_most(STENCIL, best(STENCIL, is_contender), 0.7, TBB);
	at_most(METG, best(METG, is_contender), 0.6, TBB);
	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)
		at_most(all[i], XYLEM_PREFETCHING, 1.3, XYLEM_EAGER);
}

static void eager_against_modular(unsigned table)
{
	const struct series *ours = table_result(table, LAST, XYLEM_EAGER);
	const struct series *theirs = table_result(table, LAST, STARPU_MODULAR);
	char target[128];

	snprintf(target, sizeof(target), "%s: tree-eager at most 1/20 of StarPU's modular-eager", tables[table].name);
	if (!ours || !theirs) {
		not_measured(target);
		return;
	}
	verdict(series_median(ours) * 20 <= series_median(theirs), target);
	printf("%.1f ns, %.1f ns (1/%.1f)\n", series_median(ours), series_median(theirs),
	       series_median(theirs) / series_median(ours));
}

static void metg(void)
{
	const char *target = "METG(50 %) of the default at most 1/10 of StarPU's lowest";
	int theirs = best(METG, subject_is_starpu);
	double ns, limit;

	if (!table_result(METG, LAST, XYLEM_DEFAULT) || theirs < 0) {
		not_measured(target);
		return;
	}
	ns = median_of(METG, XYLEM_DEFAULT);
	limit = median_of(METG, theirs) / 10;
	verdict(ns <= limit, target);
	printf("%.0f ns, %s %.0f ns (1/%.1f)\n", ns, subject_name((unsigned)theirs), limit * 10, limit * 10 / ns);
}

/* Those whose threads sleep while there is nothing to do, and that aim at nothing but a quick start. */
static bool is_quick_to_wake(unsigned subject)
{
	return subject == OPENMP_GCC || subject_is_starpu(subject);
}

static void wake(unsigned subject)
{
	const struct series *ours = table_result(WAKE, LAST, subject);
	int theirs = best(WAKE, is_quick_to_wake);
	char target[128];

	snprintf(target, sizeof(target), "wake: %s at most 1.3 times the best of gcc's OpenMP and StarPU",
		 subject_name(subject));
	if (!ours || theirs < 0) {
		not_measured(target);
		return;
	}
	verdict(series_median(ours) <= 1.3 * median_of(WAKE, theirs), target);
	printf("%.1f us, %s %.1f us (%.2f)\n", series_median(ours), subject_name((unsigned)theirs),
	       median_of(WAKE, theirs), series_median(ours) / median_of(WAKE, theirs));
}

static void instructions(void)
{
	const char *name;
	double most, found;

	for (unsigned i = 0; instructions_target(i, &name, &most, &found); i++) {
		char target[96];

		snprintf(target, sizeof(target), "at most %.0f instructions per empty task: %s", most, name);
		if (found > 0) {
			verdict(found <= most, target);
			printf("%.0f\n", found);
		} else {
			not_measured(target);
		}
	}
}

static void hops(void)
{
	const char *target = "one more pass-through component at most 15 ns a task";
	double ns;

	if (!hops_cost(&ns)) {
		not_measured(target);
		return;
	}
	verdict(ns <= 15, target);
	printf("%.1f ns\n", ns);
}

/* The worst of Xylem's policies counts. */
static void memory(void)
{
	const char *target = "at most 400 bytes per task with four accesses";
	double worst = 0;

	for (unsigned s = 0; s < MAX_SUBJECTS; s++) {
		const struct series *series = subject_is_xylem(s) ? table_result(MEMORY, LAST, s) : NULL;

		if (series && series_median(series) > worst)
			worst = series_median(series);
	}
	if (worst == 0) {
		not_measured(target);
		return;
	}
	verdict(worst <= 400, target);
	printf("%.0f bytes\n", worst);
}

/* The first start of a process is what every program pays. */
static void start_stop(void)
{
	const char *target = "start and stop in under 5 ms";
	const struct series *ours = table_result(START_STOP, 0, XYLEM_DEFAULT);
	const struct series *theirs = table_result(START_STOP, 0, STARPU_LWS);

	if (!ours) {
		not_measured(target);
		return;
	}
	verdict(series_median(ours) < 5000, target);
	printf("%.2f ms", series_median(ours) / 1000);
	if (theirs)
		printf(", StarPU %.2f ms", series_median(theirs) / 1000);
	putchar('\n');
}

/* --- data --- */

static void fetch(void)
{
	const char *target = "an access that finds its data costs at most 30 ns more with devices";
	const struct series *ram = sheet_result(FETCH, FETCH_RAM, 0, 0);
	const struct series *nodes = sheet_result(FETCH, FETCH_NODES, 0, 0);

	if (!ram || !nodes) {
		not_measured(target);
		return;
	}
	verdict(series_median(nodes) - series_median(ram) <= 30, target);
	printf("%.1f ns\n", series_median(nodes) - series_median(ram));
}

static void overlap(void)
{
	const char *target = "tree-eager-prefetching at least 1.7 times the throughput of tree-eager on a device";
	const struct series *eager = sheet_result(OVERLAP, OVERLAP_EAGER, 0, 0);
	const struct series *ahead = sheet_result(OVERLAP, OVERLAP_PREFETCHING, 0, 0);

	if (!eager || !ahead) {
		not_measured(target);
		return;
	}
	verdict(series_median(eager) >= 1.7 * series_median(ahead), target);
	printf("%.2f\n", series_median(eager) / series_median(ahead));
}

/* Both ways come from the same processes: the median of their ratios counts. */
static void bandwidth(unsigned bare, unsigned through, const char *way)
{
	const struct series *theirs = sheet_result(BANDWIDTH, 0, 0, bare);
	const struct series *ours = sheet_result(BANDWIDTH, 0, 0, through);
	struct series ratios = { .outcome = MEASURED };
	char target[96];

	snprintf(target, sizeof(target), "16 MiB %s at least 95 %% as fast as a bare copy", way);
	if (!theirs || !ours) {
		not_measured(target);
		return;
	}
	for (unsigned i = 0; i < ours->n; i++)
		series_add(&ratios, MEASURED, 100 * ours->values[i] / theirs->values[i]);
	verdict(series_median(&ratios) >= 95, target);
	printf("%.0f %%\n", series_median(&ratios));
}

/* The line with the fewest bytes of Xylem, or of StarPU; -1 if none was measured. */
static int fewest_bytes(unsigned run, bool xylem)
{
	double least = INFINITY;
	int found = -1;

	for (unsigned l = 0; l < MAX_LINES; l++) {
		const struct series *bytes = sheet_result(DEVICES, l, run, DEVICES_BYTES);

		if (!bytes || line_is_xylem(&sheets[DEVICES].lines[l]) != xylem || series_median(bytes) >= least)
			continue;
		least = series_median(bytes);
		found = (int)l;
	}
	return found;
}

static double kib_of(int line, unsigned run)
{
	return series_median(sheet_result(DEVICES, (unsigned)line, run, DEVICES_BYTES));
}

static void devices_pair(unsigned run, const char *what, int ours, int theirs)
{
	char target[96];

	snprintf(target, sizeof(target), "%s on two OpenCL devices moves no more bytes than in StarPU", what);
	if (ours < 0 || theirs < 0 || !sheet_result(DEVICES, (unsigned)ours, run, DEVICES_BYTES) ||
	    !sheet_result(DEVICES, (unsigned)theirs, run, DEVICES_BYTES)) {
		not_measured(target);
		return;
	}
	verdict(kib_of(ours, run) <= kib_of(theirs, run), target);
	printf("%s %.1f KiB a task, %s %.1f KiB\n", sheets[DEVICES].lines[ours].name, kib_of(ours, run),
	       sheets[DEVICES].lines[theirs].name, kib_of(theirs, run));
}

/* Policies of the same kind, the last of them the defaults of both, and whichever moves the fewest. */
static void devices(unsigned run, const char *what)
{
	devices_pair(run, what, DEVICES_EAGER, DEVICES_MODULAR_EAGER);
	devices_pair(run, what, DEVICES_PREFETCHING, DEVICES_MODULAR_PREFETCHING);
	devices_pair(run, what, DEVICES_WS, DEVICES_LWS);
	devices_pair(run, what, fewest_bytes(run, true), fewest_bytes(run, false));
}

void verdicts_print(void)
{
	printf("\nTargets, on %u workers unless said otherwise:\n", settings.workers);
	for (unsigned i = 0; i < NGRAPHS; i++)
		ahead_of_peers(graphs[i]);
	for (unsigned i = 0; i < NGRAPHS; i++)
		eager_against_modular(graphs[i]);
	metg();
	ratios();
	wake(XYLEM_EAGER);
	wake(XYLEM_PREFETCHING);
	wake(XYLEM_WS);
	wake(XYLEM_HELP);
	instructions();
	hops();
	memory();
	start_stop();
	fetch();
	overlap();
	bandwidth(BANDWIDTH_IN_BARE, BANDWIDTH_IN, "to an OpenCL device");
	bandwidth(BANDWIDTH_OUT_BARE, BANDWIDTH_OUT, "from an OpenCL device");
	devices(DEVICES_PRODUCT, "a product in tiles");
	devices(DEVICES_CHAIN, "a chain");
}
