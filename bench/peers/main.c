/* SPDX-License-Identifier: MIT */
/*
 * The command line that the programs of all runtimes share: runs one bench in one runtime and prints
 * one line, "NAME VALUE". A result that differs from the serial model is a failure without a line.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "graphs.h"
#include "measure.h"

enum { FAILED = 1, USAGE = 2, CANNOT = PEER_CANNOT };

#define BUDGET_NS 1.5e9 /* no further repetition once they took this long together */
#define SLOW_NS 3e9     /* a warm-up that took this long counts, there is no second run */
#define METG_RUN_NS 4e6 /* useful work of each worker in one run */
#define MAX_REPEAT 100

/* A graph in a started runtime, its cells, and what they should be. */
struct session {
	const struct graph *graph;
	size_t arguments[2];
	uint64_t *cells, *expected;
	struct bench_tally tally;
};

static struct peer_options options = { .workers = 2 };
static unsigned repeat = 5;
static bool warm_up = true;

static int complain(const char *what)
{
	fprintf(stderr, "%s: %s\n", bench_peer.name, what);
	return FAILED;
}

static size_t session_ncells(const struct session *s)
{
	return s->graph->ncells(s->arguments);
}

static int session_begin(struct session *s)
{
	size_t size = (session_ncells(s) + 16) * sizeof(*s->cells);

	size = (size + 127) / 128 * 128;
	s->cells = aligned_alloc(128, size);
	s->expected = calloc(1, size);
	if (!s->cells || !s->expected)
		return complain("no memory for the cells");
	memset(s->cells, 0, size);
	if (bench_peer.start(&options))
		return complain("does not start");
	if (bench_peer.share(s->cells, session_ncells(s)))
		return complain("does not take the data");
	return 0;
}

/* Runs the graph once and tells how long it took, from the first submission to the end of the wait. */
static int session_run(struct session *s, double *ns)
{
	double begin = bench_now_ns();
	int status = s->graph->run(s->arguments);

	*ns = bench_now_ns() - begin;
	if (bench_peer.reset)
		bench_peer.reset();
	if (status)
		return status == CANNOT ? CANNOT : complain("a graph failed");
	s->graph->model(s->arguments, s->expected, &s->tally);
	return 0;
}

static int session_end(struct session *s)
{
	struct bench_tally found;
	int status = 0;

	if (bench_peer.unshare())
		status = complain("does not give the data back");
	if (bench_peer.stop())
		status = complain("does not stop");
	found = bench_tally_sum();
	if (found.tasks != s->tally.tasks || found.sum != s->tally.sum)
		status = complain("wrong result: tasks were lost or run twice");
	if (memcmp(s->cells, s->expected, session_ncells(s) * sizeof(*s->cells)))
		status = complain("wrong result: the cells are not what the graph computes");
	free(s->cells);
	free(s->expected);
	return status;
}

/* Median time of a task over the repetitions. */
static int bench_timing(struct session *s)
{
	double times[MAX_REPEAT], total = 0;
	unsigned n = 0;
	int status = session_begin(s);

	if (!status && warm_up) {
		status = session_run(s, &times[0]);
		if (times[0] > SLOW_NS)
			total = times[n++];
	}
	while (!status && n < repeat && total < BUDGET_NS) {
		status = session_run(s, &times[n]);
		total += times[n++];
	}
	if (!status)
		status = session_end(s);
	if (!status)
		printf("ns_per_task %.2f\n", bench_median(times, n) / (double)s->graph->ntasks(s->arguments));
	return status;
}

/* The larger account of the two, but pages are too coarse for few tasks. */
static int bench_memory(struct session *s)
{
	struct bench_memory growth;
	double ns, bytes;
	size_t n = s->arguments[0];
	int status;

	options.inflight = n + 16;
	status = session_begin(s);
	if (status)
		return status;
	bench_memory_begin();
	status = session_run(s, &ns);
	growth = bench_memory_growth();
	if (!status)
		status = session_end(s);
	bytes = n < 10000 ? growth.heap : fmax(growth.heap, growth.resident);
	if (!status)
		printf("bytes_per_task %.1f\n", bytes / (double)n);
	return status;
}

/* Part of the workers' time that a stencil of tasks of this duration spends in their bodies. The best
 * of several short runs, and of more when it is low, as that may come from outside. */
static int metg_efficiency(struct session *s, double duration_ns, double spins_per_ns, double *efficiency)
{
	double steps = METG_RUN_NS * options.workers / ((double)s->arguments[0] * duration_ns);
	double useful_ns, ns;
	int status = 0;

	s->arguments[1] = (size_t)fmin(fmax(steps, 4), 2000);
	useful_ns = duration_ns * (double)s->graph->ntasks(s->arguments) / options.workers;
	bench_spins = (uint64_t)(duration_ns * spins_per_ns);
	*efficiency = 0;
	for (int i = 0; i < (*efficiency < 0.5 ? 12 : 3) && !status; i++) {
		status = session_run(s, &ns);
		*efficiency = fmax(*efficiency, useful_ns / ns);
	}
	return status;
}

/* Where the efficiency is one half between two durations, on a logarithmic scale. */
static double metg_cross(const double duration[2], const double efficiency[2])
{
	double part = (0.5 - efficiency[0]) / (efficiency[1] - efficiency[0]);

	return duration[0] * pow(duration[1] / duration[0], part);
}

/* Halves the duration until the efficiency, once it was above one half, stays under it: one point may
 * be a disturbance, two are not. duration and efficiency become the last point above and the next. */
static int metg_sweep(struct session *s, double spins_per_ns, double duration[2], double efficiency[2])
{
	double before_ns = 0, before = 0;
	bool seen = false;
	unsigned below = 0;
	double now = 1;

	for (double ns = 1 << 19; ns >= 16 && below < 2 && now > 0.05; ns /= 2) {
		int status = metg_efficiency(s, ns, spins_per_ns, &now);

		if (status)
			return status;
		if (now < 0.5 && before >= 0.5) {
			duration[0] = before_ns;
			efficiency[0] = before;
			duration[1] = ns;
			efficiency[1] = now;
			seen = true;
		}
		below = now < 0.5 ? below + seen : 0;
		before_ns = ns;
		before = now;
	}
	if (!seen)
		complain("the efficiency does not cross 50 % between 16 ns and 0.5 ms: is the machine busy?");
	return seen ? 0 : CANNOT;
}

/* The smallest duration of a task at which half of the workers' time is useful work. */
static int bench_metg(struct session *s)
{
	double duration[2], efficiency[2], spins_per_ns = bench_calibrate(), ns;
	int status;

	s->arguments[1] = 200;
	status = session_begin(s);
	if (!status)
		status = session_run(s, &ns);
	if (!status)
		status = metg_sweep(s, spins_per_ns, duration, efficiency);
	for (int i = 0; i < 3 && !status; i++) {
		double middle = sqrt(duration[0] * duration[1]), now;
		int side;

		status = metg_efficiency(s, middle, spins_per_ns, &now);
		side = now < 0.5;
		duration[side] = middle;
		efficiency[side] = now;
	}
	if (!status)
		status = session_end(s);
	if (!status)
		printf("metg_ns %.1f\n", metg_cross(duration, efficiency));
	return status;
}

static int bench_wake(size_t n)
{
	double *latencies;
	int status;

	if (!bench_peer.wake)
		return CANNOT;
	latencies = calloc(n, sizeof(*latencies));
	if (!latencies)
		return complain("no memory");
	if (bench_peer.start(&options))
		return complain("does not start");
	status = bench_peer.wake(n, latencies);
	if (bench_peer.stop())
		return complain("does not stop");
	if (!status)
		printf("wake_ns %.0f\n", bench_median(latencies, n));
	free(latencies);
	return status;
}

/* The first start of the process, which every program pays, and the median of the following ones. */
static int bench_start_stop(size_t n)
{
	double times[MAX_REPEAT + 1];

	if (n > MAX_REPEAT)
		n = MAX_REPEAT;
	for (size_t i = 0; i <= n; i++) {
		double begin = bench_now_ns();

		if (bench_peer.start(&options) || bench_peer.stop())
			return complain("does not start and stop");
		times[i] = bench_now_ns() - begin;
	}
	printf("first_start_stop_ns %.0f\n", times[0]);
	printf("next_start_stop_ns %.0f\n", bench_median(times + 1, n));
	return 0;
}

static void usage(FILE *to)
{
	fprintf(to, "Runs one bench in %s and prints what it took.\n\n", bench_peer.name);
	for (const struct graph *g = bench_graphs; g->name; g++)
		fprintf(to, "  %s\n", g->usage);
	fprintf(to, "  metg WIDTH\n  wake N\n  start-stop N\n\n"
		    "  --workers W     threads that run tasks (2)\n"
		    "  --repeat R      at most so many repetitions, of which the median counts (5)\n"
		    "  --no-warm-up    no run before the repetitions\n");
	if (bench_peer.takes_sched)
		fprintf(to, "  --sched POLICY  scheduling policy\n");
	if (bench_peer.takes_owned)
		fprintf(to, "  --owned         the runtime allocates the data\n");
	if (bench_peer.takes_guest)
		fprintf(to, "  --guest         the thread that waits runs tasks in place of an idle worker\n");
	fprintf(to, "\nExit status: 0 done, 1 failed or wrong result, 2 wrong usage, 77 not possible here.\n");
}

/* Digits only, at least 1, no overflow worth speaking of. */
static bool parse_count(const char *text, size_t *value)
{
	size_t digits = strspn(text, "0123456789");

	if (!digits || text[digits] || digits > 12)
		return false;
	*value = strtoull(text, NULL, 10);
	return *value > 0;
}

static bool parse_options(int argc, char **argv)
{
	static const struct option table[] = {
		{ "workers", required_argument, NULL, 'w' }, { "sched", required_argument, NULL, 's' },
		{ "repeat", required_argument, NULL, 'r' },  { "no-warm-up", no_argument, NULL, 'n' },
		{ "owned", no_argument, NULL, 'o' },         { "guest", no_argument, NULL, 'g' },
		{ "help", no_argument, NULL, 'h' },          { NULL, 0, NULL, 0 },
	};
	size_t value;
	int c;

	while ((c = getopt_long(argc, argv, "h", table, NULL)) != -1) {
		if (c == 'h') {
			usage(stdout);
			exit(0);
		} else if (c == 'w' && parse_count(optarg, &value) && value <= 1000) {
			options.workers = (unsigned)value;
		} else if (c == 'r' && parse_count(optarg, &value) && value <= MAX_REPEAT) {
			repeat = (unsigned)value;
		} else if (c == 's' && bench_peer.takes_sched) {
			options.sched = optarg;
		} else if (c == 'o' && bench_peer.takes_owned) {
			options.owned = true;
		} else if (c == 'g' && bench_peer.takes_guest) {
			options.guest = true;
		} else if (c == 'n') {
			warm_up = false;
		} else {
			return false;
		}
	}
	return optind < argc && argc - optind <= 3;
}

/* Fills the arguments of the bench from the command line, or with the usual ones. */
static bool parse_arguments(int argc, char **argv, const size_t initial[2], size_t arguments[2])
{
	int given = argc - optind - 1;

	for (int i = 0; i < 2; i++) {
		arguments[i] = initial[i];
		if (i < given && (!initial[i] || !parse_count(argv[optind + 1 + i], &arguments[i])))
			return false;
	}
	return true;
}

static int run_bench(const char *name, int argc, char **argv)
{
	static const struct {
		const char *name;
		size_t initial[2];
		int (*run)(size_t);
	} others[] = {
		{ "wake", { 200 }, bench_wake },
		{ "start-stop", { 20 }, bench_start_stop },
	};
	struct session s = { .graph = bench_graph(strcmp(name, "metg") ? name : "stencil") };
	size_t initial[2] = { 0 };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(name, others[i].name))
			return parse_arguments(argc, argv, others[i].initial, s.arguments)
				       ? others[i].run(s.arguments[0])
				       : USAGE;
	if (!s.graph)
		return USAGE;
	memcpy(initial, s.graph->initial, sizeof(initial));
	if (!strcmp(name, "metg"))
		initial[1] = 0;
	if (!parse_arguments(argc, argv, initial, s.arguments))
		return USAGE;
	if (!s.graph->is_possible())
		return CANNOT;
	if (!strcmp(name, "metg"))
		return bench_metg(&s);
	return strcmp(name, "memory") ? bench_timing(&s) : bench_memory(&s);
}

int main(int argc, char **argv)
{
	int status = parse_options(argc, argv) ? run_bench(argv[optind], argc, argv) : USAGE;

	if (status == USAGE)
		usage(stderr);
	if (status == CANNOT)
		fprintf(stderr, "%s: not possible here\n", bench_peer.name);
	return status;
}
