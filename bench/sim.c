/* SPDX-License-Identifier: MIT */
/*
 * How fast the simulator is: tasks per second of the computer's time for a Cholesky factorization on 12 workers,
 * beside the least that any simulator of it has to do: a heap of ends of tasks, a queue of ready ones, counters of
 * predecessors. The peer gets edges and durations written down and has no data, no tree and no policy.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <xylem.h>
#include <xylem/component.h>
#include "graph/graph.h"

enum { ROUNDS = 5, WORKERS = 12, CPUS = 9, SUBJECTS = 6 };

struct bed {
	struct graph graph;
	struct graph_edges edges;
	double (*us)[2]; /* by task: on a core, on a device */
	uint32_t nended;
};

static void die(const char *what)
{
	fprintf(stderr, "bench/sim: %s\n", what);
	exit(1);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* --- the peer --- */

struct peer_end {
	double at_us;
	uint32_t task, worker;
};

static void heap_insert(struct peer_end *heap, uint32_t *n, struct peer_end end)
{
	uint32_t i = (*n)++;

	for (; i && end.at_us < heap[(i - 1) / 2].at_us; i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = end;
}

static struct peer_end heap_take(struct peer_end *heap, uint32_t *n)
{
	struct peer_end first = heap[0], last = heap[--*n];
	uint32_t i = 0, child;

	while ((child = 2 * i + 1) < *n) {
		if (child + 1 < *n && heap[child + 1].at_us < heap[child].at_us)
			child++;
		if (last.at_us <= heap[child].at_us)
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
	return first;
}

/* First come, first served. Seconds of the computer's time. */
static double peer_run(const struct bed *bed)
{
	const struct graph_edges *edges = &bed->edges;
	uint32_t n = bed->graph.ntasks, first = 0, last = 0, nrunning = 0, nidle = WORKERS, idle[WORKERS];
	uint32_t *missing = malloc(n * sizeof(*missing)), *ready = malloc(n * sizeof(*ready)), done = 0;
	struct peer_end heap[WORKERS];
	double began = now(), at_us = 0;

	if (!missing || !ready)
		die("no memory");
	for (uint32_t w = 0; w < WORKERS; w++)
		idle[w] = w;
	for (uint32_t i = 0; i < n; i++) {
		missing[i] = (uint32_t)(edges->before_at[i + 1] - edges->before_at[i]);
		if (!missing[i])
			ready[last++] = i;
	}
	while (done < n) {
		struct peer_end end;

		for (; first < last && nidle; first++) {
			uint32_t worker = idle[--nidle];

			heap_insert(heap, &nrunning,
				    (struct peer_end){
					    at_us + bed->us[ready[first]][worker >= CPUS],
					    ready[first],
					    worker,
				    });
		}
		if (!nrunning)
			die("the peer has lost a task");
		end = heap_take(heap, &nrunning);
		at_us = end.at_us;
		idle[nidle++] = end.worker;
		done++;
		for (size_t e = edges->after_at[end.task]; e < edges->after_at[end.task + 1]; e++)
			if (!--missing[edges->after[e]])
				ready[last++] = edges->after[e];
	}
	began = now() - began;
	free(missing);
	free(ready);
	return began;
}

/* --- the simulator --- */

static void note_length(void *arg, const struct xy_task *task)
{
	struct bed *bed = arg;
	ptrdiff_t i = (struct graph_task *)xy_task_argument(task) - bed->graph.tasks;

	bed->us[i][0] = xy_task_length(task, 0, 0).us;
	bed->us[i][1] = xy_task_length(task, WORKERS - 1, 0).us;
}

static void note_end(void *arg, const struct xy_report *report)
{
	struct bed *bed = arg;

	(void)report;
	bed->nended++;
}

/* From the first submission to the end of the wait. Without a watch nobody checks, and nothing is in the way. */
static double sim_run(struct bed *bed, const char *policy, bool shared, bool watched)
{
	struct xy_watch watch = { .arg = bed, .submitted = note_length, .ended = note_end };
	struct xy_config config = {
		.sched = policy,
		.sim = "mirage",
		.machines = BENCH_MACHINES,
		.sim_shared = shared,
		.ignore_environment = true,
		.watch = watched ? &watch : NULL,
	};
	struct xy_runtime *rt;
	struct graph_run *run;
	double began;

	if (xy_start(&rt, &config))
		die("the simulator does not start");
	if (xy_machine_nworkers(xy_runtime_machine(rt)) != WORKERS)
		die("the machine has other workers");
	bed->nended = 0;
	began = now();
	if (graph_submit(&run, &bed->graph, rt, NULL) || xy_wait(rt))
		die("a task failed");
	began = now() - began;
	if (graph_retract(&run) || xy_stop(&rt))
		die("the simulator does not stop");
	if (watched && bed->nended != bed->graph.ntasks)
		die("not every task ended once");
	return began;
}

/* --- the table --- */

static const struct subject {
	const char *policy; /* NULL: the peer */
	bool shared;
	double target; /* tasks per second; 0: none */
} subjects[SUBJECTS] = {
	{ NULL, false, 0 },     { "tree-eager", true, 300000 }, { "tree-eager", false, 300000 },
	{ "tree-ws", true, 0 }, { "tree-dmdas", true, 100000 }, { "tree-dmdas", false, 100000 },
};

static int rising(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;

	return first < second ? -1 : first > second;
}

static void print(const struct bed *bed, double (*seconds)[ROUNDS], int rounds)
{
	double floor = 0;

	printf("Cholesky, %u tasks on mirage, 12 workers; medians of %d rounds\n\n", bed->graph.ntasks, rounds);
	printf("%-28s %12s %10s %8s\n", "", "tasks/s", "ns/task", "ratio");
	for (int i = 0; i < SUBJECTS; i++) {
		char name[40] = "bare loop (floor)";
		double median;

		qsort(seconds[i], (size_t)rounds, sizeof(seconds[i][0]), rising);
		median = seconds[i][rounds / 2];
		floor = i ? floor : median;
		if (subjects[i].policy)
			snprintf(name, sizeof(name), "%s%s", subjects[i].policy,
				 subjects[i].shared ? ", no transfers" : "");
		printf("%-28s %12.0f %10.0f %8.1f", name, bed->graph.ntasks / median, median * 1e9 / bed->graph.ntasks,
		       median / floor);
		if (subjects[i].target > 0)
			printf("   target %.0f: %s", subjects[i].target,
			       bed->graph.ntasks / median >= subjects[i].target ? "reached" : "missed");
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	bool quick = argc > 1 && !strcmp(argv[1], "--quick");
	int rounds = quick ? 1 : ROUNDS;
	double seconds[SUBJECTS][ROUNDS];
	struct bed bed = { 0 };
	char error[256] = "";

	if (argc > 1 && !quick) {
		fprintf(stderr, "usage: bench/sim [--quick]\n");
		return 2;
	}
	if (graph_make(&bed.graph, quick ? "cholesky:12" : "cholesky:64", error, sizeof(error)))
		die(error);
	bed.us = calloc(bed.graph.ntasks, sizeof(*bed.us));
	if (!bed.us || graph_edges_init(&bed.edges, &bed.graph))
		die("no memory");
	for (int i = 1; i < SUBJECTS; i++)
		sim_run(&bed, subjects[i].policy, subjects[i].shared, true);
	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < SUBJECTS; i++)
			seconds[i][round] = subjects[i].policy
						    ? sim_run(&bed, subjects[i].policy, subjects[i].shared, false)
						    : peer_run(&bed);
	print(&bed, seconds, rounds);
	free(bed.us);
	graph_edges_fini(&bed.edges);
	graph_fini(&bed.graph);
	return 0;
}
