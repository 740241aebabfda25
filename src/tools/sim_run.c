/* SPDX-License-Identifier: MIT */
/*
 * One simulated run: the graph through the public interface under a policy, and what happened to each task as a
 * watch hears of it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <xylem/memory.h>
#include "tools/sim.h"

enum { RUN_PROGRESS_TASKS = 4096 }; /* how often the clock is read for the progress line */
#define RUN_PROGRESS_S 0.5

struct run_watch {
	const struct sim_case *c;
	const char *policy;
	struct sim_run *run;
	uint32_t nended;
	bool out_of_memory;
	bool ended;           /* all tasks have; data that goes home afterwards is not part of the schedule */
	bool terminal, shown; /* for the progress line */
	double shown_s;
};

static double run_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Of this process, which has one thread: whatever else the computer does. */
static double run_cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void run_progress(struct run_watch *watch)
{
	double now = run_now();

	if (now - watch->shown_s < RUN_PROGRESS_S)
		return;
	watch->shown_s = now;
	watch->shown = true;
	fprintf(stderr, "\r%.60s: %.0f %% of %u tasks\033[K", watch->policy,
		100.0 * watch->nended / watch->c->graph.ntasks, watch->c->graph.ntasks);
}

static void run_ready(void *arg, const struct xy_task *task, double now_s)
{
	struct run_watch *watch = arg;
	uint32_t index = graph_task_index(&watch->c->graph, task);

	if (index == UINT32_MAX)
		return;
	watch->run->events[index].ready_s = now_s;
	if (watch->c->graph.tasks[index].kernel == GRAPH_NO_KERNEL) /* no worker runs it */
		watch->run->events[index].begin_s = watch->run->events[index].start_s =
			watch->run->events[index].end_s = now_s;
}

/* Room for the event of a task that is not in the graph. */
static struct sim_event *run_add_event(struct run_watch *watch)
{
	struct sim_run *run = watch->run;

	if (run->nevents == run->room) {
		uint32_t room = run->room + run->room / 2 + 16;
		struct sim_event *events = realloc(run->events, room * sizeof(*events));

		if (!events) {
			watch->out_of_memory = true;
			return NULL;
		}
		run->events = events;
		run->room = room;
	}
	return &run->events[run->nevents++];
}

static void run_ended(void *arg, const struct xy_report *report)
{
	struct run_watch *watch = arg;
	uint32_t index = graph_task_index(&watch->c->graph, report->task);
	struct sim_event *event = index == UINT32_MAX ? run_add_event(watch) : &watch->run->events[index];

	if (!event)
		return;
	event->begin_s = report->begin_s;
	event->start_s = report->start_s;
	event->end_s = report->end_s;
	event->worker = report->worker;
	if (index != UINT32_MAX && ++watch->nended % RUN_PROGRESS_TASKS == 0 && watch->terminal)
		run_progress(watch);
}

/* --- transfers --- */

static void run_moved(void *arg, const struct xy_transfer_report *report)
{
	struct run_watch *watch = arg;
	struct sim_run *run = watch->run;

	if (watch->ended)
		return;
	if (run->nmoves == run->moves_room) {
		size_t room = run->moves_room + run->moves_room / 2 + 64;
		struct sim_move *moves = realloc(run->moves, room * sizeof(*moves));

		if (!moves) {
			watch->out_of_memory = true;
			return;
		}
		run->moves = moves;
		run->moves_room = room;
	}
	run->moves[run->nmoves++] = (struct sim_move){
		.handle = report->handle,
		.datum = UINT32_MAX,
		.from = report->from,
		.to = report->to,
		.bytes = report->bytes,
		.issued_s = report->issued_s,
		.start_s = report->start_s,
		.end_s = report->end_s,
	};
}

struct run_datum {
	const struct xy_handle *handle;
	uint32_t index;
};

static int run_compare_data(const void *a, const void *b)
{
	uintptr_t first = (uintptr_t)((const struct run_datum *)a)->handle;
	uintptr_t second = (uintptr_t)((const struct run_datum *)b)->handle;

	return (first > second) - (first < second);
}

/* Finds which datum of the graph each transfer moved, while the handles still exist. */
static void run_resolve(struct run_watch *watch, const struct graph_run *submitted)
{
	struct sim_run *run = watch->run;
	uint32_t n = watch->c->graph.ndata;
	struct run_datum *data = run->nmoves ? malloc(n * sizeof(*data)) : NULL;

	if (!data) {
		watch->out_of_memory = watch->out_of_memory || run->nmoves;
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		data[i] = (struct run_datum){ graph_handle(submitted, i), i };
	qsort(data, n, sizeof(*data), run_compare_data);
	for (size_t i = 0; i < run->nmoves; i++) {
		struct run_datum key = { .handle = run->moves[i].handle };
		const struct run_datum *found = bsearch(&key, data, n, sizeof(*data), run_compare_data);

		run->moves[i].datum = found ? found->index : UINT32_MAX;
	}
	free(data);
}

/* --- the run --- */

static unsigned long long run_bytes(const struct xy_runtime *rt)
{
	unsigned long long bytes = 0;

	for (unsigned i = 0; i < xy_machine_nnodes(xy_runtime_machine(rt)); i++) {
		struct xy_node_stats stats;

		if (!xy_node_stats(rt, i, &stats))
			bytes += stats.bytes_in;
	}
	return bytes;
}

/* Between start and stop. */
static int run_graph(struct run_watch *watch, struct xy_runtime *rt, const struct graph_place *places)
{
	struct graph_options options = { .places = places };
	struct graph_run *submitted;
	double before = run_cpu();
	int error = graph_submit(&submitted, &watch->c->graph, rt, &options), status;

	if (error)
		tool_say("%s: can't submit the graph: %s", watch->policy, strerror(-error));
	status = error ? 0 : xy_wait(rt);
	watch->run->cpu_s = run_cpu() - before;
	watch->run->bytes = run_bytes(rt);
	if (status)
		tool_say("%s: %s", watch->policy, xy_error(rt));
	if (!error)
		run_resolve(watch, submitted);
	watch->ended = true;
	graph_retract(&submitted);
	return error ? error : status;
}

static void run_measure(struct sim_run *run)
{
	for (uint32_t i = 0; i < run->nevents; i++)
		run->makespan_s = fmax(run->makespan_s, run->events[i].end_s);
}

enum tool_status sim_run_init(struct sim_run *run, const struct sim_case *c, const char *policy, uint64_t seed,
			      const struct graph_place *places)
{
	struct run_watch own = {
		.c = c,
		.policy = policy,
		.run = run,
		.terminal = isatty(STDERR_FILENO),
		.shown_s = run_now(),
	};
	struct xy_watch watch = {
		.arg = &own,
		.ready = run_ready,
		.ended = run_ended,
		.moved = c->request->schedule ? run_moved : NULL,
	};
	struct xy_config config = sim_case_config(c, places ? SIM_STATIC_TREE : policy, seed, &watch);
	struct xy_runtime *rt;
	int error;

	config.record = seed == c->request->seed && *c->request->settings.record ? c->request->settings.record : NULL;
	/* In a schedule a task may wait for the turn of one that is submitted much later. */
	if (places && config.window <= c->graph.ntasks)
		config.window = c->graph.ntasks + 1;
	*run = (struct sim_run){
		.events = malloc(c->graph.ntasks * sizeof(*run->events)),
		.nevents = c->graph.ntasks,
		.room = c->graph.ntasks,
	};
	if (!run->events) {
		tool_say("%s", strerror(ENOMEM));
		run->nevents = run->room = 0;
		return TOOL_FAILED;
	}
	for (uint32_t i = 0; i < c->graph.ntasks; i++)
		run->events[i] = (struct sim_event){ .worker = UINT32_MAX };
	error = xy_start(&rt, &config);
	if (!error)
		error = run_graph(&own, rt, places);
	if (!error && strcmp(xy_runtime_policy(rt), config.sched))
		error = -ETIMEDOUT; /* the guard has replaced it, and has said why */
	xy_stop(&rt);
	if (own.shown)
		fprintf(stderr, "\r\033[K");
	run_measure(run);
	if (own.out_of_memory) {
		tool_say("%s: %s", policy, strerror(ENOMEM));
		error = -ENOMEM;
	}
	return error == -ENOMEM ? TOOL_FAILED : error ? TOOL_WRONG : TOOL_OK;
}

void sim_run_fini(struct sim_run *run)
{
	free(run->events);
	free(run->moves);
	run->events = NULL;
	run->moves = NULL;
}
