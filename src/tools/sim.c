/* SPDX-License-Identifier: MIT */
/* xylem sim: compares policies on a simulated machine with a bound on the best possible schedule. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sim.h"

enum sim_option {
	SIM_MACHINE,
	SIM_GRAPH,
	SIM_POLICY,
	SIM_NOISE,
	SIM_SEED,
	SIM_REPEAT,
	SIM_SUBMIT,
	SIM_OVERHEAD,
	SIM_NO_TRANSFERS,
	SIM_PRIORITIES,
	SIM_WINDOW,
	SIM_BOUND,
	SIM_LIMIT,
	SIM_GANTT,
	SIM_PLOT,
	SIM_SCHEDULE,
	SIM_CSV,
	SIM_JSON,
	SIM_BATCH,
	SIM_NOPTIONS,
};
_Static_assert(SIM_NOPTIONS <= TOOL_NOPTIONS, "room for all options");

#define SIM_LIMIT_S 10.0

/* --- arguments --- */

bool sim_read_number(const char *option, const char *text, double least, double most, double *value)
{
	char *end;
	double number;

	if (!text)
		return true;
	errno = 0;
	number = strtod(text, &end);
	if (end == text || *end || errno || !(number >= least && number <= most)) {
		tool_say("--%s takes a number from %g to %g, not \"%s\"", option, least, most, text);
		return false;
	}
	*value = number;
	return true;
}

static bool sim_whole(const char *option, const char *text, unsigned least, uint64_t most, uint64_t *value)
{
	char *end;
	unsigned long long number;

	if (!text)
		return true;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (end == text || *end || errno || strchr(text, '-') || number < least || number > most) {
		tool_say("--%s takes a whole number from %u to %llu, not \"%s\"", option, least,
			 (unsigned long long)most, text);
		return false;
	}
	*value = number;
	return true;
}

static bool sim_word(const char *option, const char *text, const char *const *words)
{
	char all[160];
	size_t used = 0;

	for (const char *const *word = words; *word; word++)
		if (!text || !strcmp(text, *word))
			return true;
	for (unsigned i = 0; words[i] && used < sizeof(all); i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s",
					 i == 0         ? ""
					 : words[i + 1] ? ", "
							: " or ",
					 words[i]);
	tool_say("--%s takes %s, not \"%s\"", option, all, text);
	return false;
}

bool sim_read_bound(const char *text, enum bound_kind *kind)
{
	static const char *const words[] = { "lp", "area", "path", "mixed", NULL };

	return sim_word("bound", text, words) && (!text || bound_kind_of(text, kind));
}

static bool sim_numbers(struct sim_request *r, const char *const *given)
{
	static const char *const priorities[] = { "app", "none", "rank", NULL };
	uint64_t repeat = 1, window = 0;

	if (!sim_read_number("noise", given[SIM_NOISE], 0, 10, &r->noise) ||
	    !sim_read_number("submit-us", given[SIM_SUBMIT], 0, 1e9, &r->submit_us) ||
	    !sim_read_number("overhead-us", given[SIM_OVERHEAD], 0, 1e9, &r->overhead_us) ||
	    !sim_read_number("limit", given[SIM_LIMIT], 0, 1e6, &r->limit_s) ||
	    !sim_whole("seed", given[SIM_SEED], 1, UINT64_MAX, &r->seed) ||
	    !sim_whole("repeat", given[SIM_REPEAT], 1, 100000, &repeat) ||
	    !sim_whole("window", given[SIM_WINDOW], 1, 100000000, &window) ||
	    !sim_word("priorities", given[SIM_PRIORITIES], priorities) || !sim_read_bound(given[SIM_BOUND], &r->bound))
		return false;
	r->repeat = (unsigned)repeat;
	r->window = (unsigned)window;
	return true;
}

/* Whether the options are what a batch needs, and no others. */
static bool sim_allows_batch(const char *const *given)
{
	static const bool useful[SIM_NOPTIONS] = {
		[SIM_MACHINE] = true,  [SIM_POLICY] = true,       [SIM_NOISE] = true, [SIM_SEED] = true,
		[SIM_OVERHEAD] = true, [SIM_NO_TRANSFERS] = true, [SIM_CSV] = true,   [SIM_BATCH] = true,
	};

	for (unsigned i = 0; i < SIM_NOPTIONS; i++)
		if (given[i] && !useful[i]) {
			tool_say("sim: --%s is for graphs, not for --batch", tool_sim.options[i].name);
			return false;
		}
	if (given[SIM_MACHINE] && given[SIM_POLICY])
		return true;
	tool_say("sim: --batch needs --machine and --policy; see xylem sim --help");
	return false;
}

static bool sim_request_init(struct sim_request *r, const struct tool_arguments *a)
{
	*r = (struct sim_request){
		.machine = a->options[SIM_MACHINE],
		.graph = a->options[SIM_GRAPH],
		.policies = a->options[SIM_POLICY],
		.gantt = a->options[SIM_GANTT],
		.plot = a->options[SIM_PLOT],
		.schedule = a->options[SIM_SCHEDULE],
		.priorities = a->options[SIM_PRIORITIES],
		.limit_s = SIM_LIMIT_S,
		.transfers = !a->options[SIM_NO_TRANSFERS],
		.json = a->options[SIM_JSON],
		.csv = a->options[SIM_CSV],
		.seed = 1,
		.bound = BOUND_LP,
	};
	if (a->options[SIM_BATCH])
		return sim_allows_batch(a->options) && sim_numbers(r, a->options);
	if (!r->machine || !r->graph || !r->policies) {
		tool_say("sim: needs --machine, --graph and --policy; see xylem sim --help");
		return false;
	}
	if (r->json && r->csv) {
		tool_say("sim: --json and --csv exclude each other");
		return false;
	}
	return sim_numbers(r, a->options);
}

/* The next item of a comma-separated list; commas inside an expression's brackets don't separate. NULL at the end. */
static char *sim_next(const char **list)
{
	const char *from = *list + strspn(*list, " ,"), *to = from;
	int depth = 0;

	for (; *to && (depth > 0 || *to != ','); to++)
		depth += (*to == '(' || *to == '{') - (*to == ')' || *to == '}');
	*list = to;
	while (to > from && to[-1] == ' ')
		to--;
	return to > from ? strndup(from, (size_t)(to - from)) : NULL;
}

/* --- policies --- */

static int sim_rising(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;

	return first < second ? -1 : first > second;
}

/* All runs of a policy; a failed one ends it. */
static enum tool_status sim_row_run(struct sim_row *row, const struct sim_case *c, const struct graph_place *places,
				    double *cpu_us)
{
	for (unsigned i = 0; i < c->request->repeat; i++) {
		struct sim_run run;
		enum tool_status status = sim_run_init(&run, c, row->policy, c->request->seed + i, places);

		if (status == TOOL_OK && !i && sim_run_idle(&run, c)) {
			tool_say("%s", strerror(ENOMEM));
			status = TOOL_FAILED;
		}
		row->makespan_s[row->nruns] = run.makespan_s;
		cpu_us[row->nruns++] = run.cpu_s * 1e6 / c->graph.ntasks;
		if (i || !(c->request->gantt || c->request->schedule))
			sim_run_fini(&run);
		if (!i)
			row->first = run;
		if (status != TOOL_OK)
			return status;
	}
	qsort(row->makespan_s, row->nruns, sizeof(*row->makespan_s), sim_rising);
	qsort(cpu_us, row->nruns, sizeof(*cpu_us), sim_rising);
	row->cpu_us = cpu_us[row->nruns / 2];
	return TOOL_OK;
}

static enum tool_status sim_row_init(struct sim_row *row, const struct sim_case *c, char *policy)
{
	struct graph_place *places = NULL;
	double *cpu_us = malloc(c->request->repeat * sizeof(*cpu_us));
	enum tool_status status = TOOL_FAILED;

	*row = (struct sim_row){
		.policy = policy,
		.makespan_s = calloc(c->request->repeat, sizeof(*row->makespan_s)),
		.failed = true,
	};
	if (sim_is_static(policy))
		places = sim_static_places(c, policy, &row->planned_s);
	if (cpu_us && row->makespan_s && (places || !sim_is_static(policy)))
		status = sim_row_run(row, c, places, cpu_us);
	row->failed = status != TOOL_OK;
	free(places);
	free(cpu_us);
	return status;
}

static void sim_rows_fini(struct sim_row *rows, unsigned nrows)
{
	for (unsigned i = 0; i < nrows; i++) {
		free(rows[i].policy);
		free(rows[i].makespan_s);
		sim_run_fini(&rows[i].first);
	}
	free(rows);
}

static void sim_print(const struct sim_case *c, const struct sim_row *rows, unsigned nrows)
{
	if (c->request->json)
		sim_print_json(c, rows, nrows);
	else if (c->request->csv)
		sim_print_csv(c, rows, nrows);
	else
		sim_print_table(c, rows, nrows);
}

/* The files that a request asks for. */
static enum tool_status sim_draw(const struct sim_case *c, const struct sim_row *rows, unsigned nrows,
				 struct sim_plot *plot)
{
	enum tool_status status = TOOL_OK, one;

	if (c->request->gantt)
		status = sim_gantt(c, rows, nrows, c->request->gantt);
	if (c->request->schedule) {
		one = sim_schedule(c, rows, nrows, c->request->schedule);
		status = one > status ? one : status;
	}
	if (c->request->plot && sim_plot_add(plot, c, rows, nrows)) {
		tool_say("%s", strerror(ENOMEM));
		status = TOOL_FAILED;
	}
	return status;
}

static enum tool_status sim_rows(const struct sim_case *c, struct sim_plot *plot)
{
	const char *list = c->request->policies;
	enum tool_status status = TOOL_OK, one;
	struct sim_row *rows = malloc((strlen(list) / 2 + 1) * sizeof(*rows));
	unsigned nrows = 0;
	char *policy;

	while (rows && (policy = sim_next(&list))) {
		one = sim_row_init(&rows[nrows++], c, policy);
		status = one > status ? one : status;
	}
	if (!nrows) {
		tool_say("--policy names no policy");
		status = TOOL_USAGE;
	} else {
		sim_print(c, rows, nrows);
		one = sim_draw(c, rows, nrows, plot);
		status = one > status ? one : status;
	}
	sim_rows_fini(rows, nrows);
	return status;
}

/* --- cases --- */

static enum tool_status sim_one(const struct sim_request *request, struct sim_plot *plot)
{
	struct sim_case c;
	enum tool_status status = sim_case_init(&c, request);

	if (status == TOOL_OK)
		status = sim_rows(&c, plot);
	sim_case_fini(&c);
	return status;
}

static unsigned sim_count(const char *list)
{
	unsigned n = 0;

	for (char *item; (item = sim_next(&list)); n++)
		free(item);
	return n;
}

/* Whether a request for one run names several. */
static bool sim_is_ambiguous(const struct sim_request *r)
{
	if (!r->alone && (r->gantt || r->schedule)) {
		tool_say("sim: --%s takes one machine and one graph", r->gantt ? "gantt" : "schedule");
		return true;
	}
	if (*r->settings.record && !(r->alone && sim_count(r->policies) == 1)) {
		tool_say("sim: XYLEM_RECORD takes one machine, one graph and one policy");
		return true;
	}
	return false;
}

/* Each graph on each machine. */
static enum tool_status sim_all(struct sim_request *request)
{
	const char *machines = request->machine, *graphs = request->graph, *list = machines;
	enum tool_status status = TOOL_OK, one;
	struct sim_plot plot = { 0 };
	char *machine, *graph;
	bool first = true;

	request->alone = sim_count(machines) == 1 && sim_count(graphs) == 1;
	if (sim_is_ambiguous(request))
		return TOOL_USAGE;
	if (request->csv)
		sim_print_csv_head();
	if (request->json && !request->alone)
		printf("[\n");
	for (; (machine = sim_next(&list)); free(machine))
		for (const char *rest = graphs; (graph = sim_next(&rest)); free(graph)) {
			if (!first && !request->csv)
				printf(request->json ? ",\n" : "\n");
			first = false;
			request->machine = machine;
			request->graph = graph;
			one = sim_one(request, &plot);
			status = one > status ? one : status;
		}
	if (request->json && !request->alone)
		printf("]\n");
	if (request->plot && plot.npoints) {
		one = sim_plot_draw(&plot, request, request->plot);
		status = one > status ? one : status;
	}
	sim_plot_fini(&plot);
	return status;
}

static enum tool_status sim_command(const struct tool_arguments *a)
{
	struct sim_request request;
	enum tool_status status;

	if (!sim_request_init(&request, a) || xy__settings_init(&request.settings, NULL))
		return TOOL_USAGE;
	status = a->options[SIM_BATCH] ? sim_batch(&request, a->options[SIM_BATCH]) : sim_all(&request);
	xy__settings_fini(&request.settings);
	return status;
}

const struct tool_command tool_sim = {
	.name = "sim",
	.usage = "--machine MACHINE --graph GRAPH --policy LIST [OPTION...]",
	.summary = "simulate policies on a machine, and compare them with a lower bound",
	.help = "Runs a task graph in virtual time on a machine you need not have, once for each policy. Prints the\n"
	        "makespan, its distance from a lower bound, idle time by cause, bytes moved, and the scheduler's\n"
	        "cost per task. Runs are deterministic.\n"
	        "\n"
	        "MACHINE is the name of a shipped machine, the path of a machine file, or a text such as\n"
	        "\"cpu:4 cuda:2*15\". GRAPH is one of those below or a file: Xylem's own format, STG, DOT,\n"
	        "WfCommons JSON, a recorded run. Both may be comma-separated lists: then each graph runs on each\n"
	        "machine. LIST is comma-separated: policies, expressions, @files, and the static schedulers heft,\n"
	        "cpop and peft, whose planned makespans are printed too.\n"
	        "\n"
	        "Idle time is in percent of all workers' time: path while no task was ready that the worker could\n"
	        "run, data while its task waited for data, choice while a task that it could run was ready but went\n"
	        "elsewhere or waited.\n"
	        "\n"
	        "With --batch, the policy divides a batch of ITEMS items; an item takes ITEM_US (default 1) on a\n"
	        "core, and a piece PIECE_US more on a device. The CSV has one line per piece, in the order in which\n"
	        "they were sent.\n",
	.options = {
		[SIM_MACHINE] = { "machine", "MACHINE", "mirage, or the path of a machine file" },
		[SIM_GRAPH] = { "graph", "GRAPH", "cholesky:16, or the path of a file" },
		[SIM_POLICY] = { "policy", "LIST", "tree-heft,tree-dmdas,heft" },
		[SIM_NOISE] = { "noise", "X", "relative spread of durations, such as 0.1 (default: none)" },
		[SIM_SEED] = { "seed", "N", "seed of all random numbers (default 1)" },
		[SIM_REPEAT] = { "repeat", "N", "runs of each policy, with seeds from SEED: median, min, "
						"max" },
		[SIM_SUBMIT] = { "submit-us", "X", "duration of a submission" },
		[SIM_OVERHEAD] = { "overhead-us", "X", "overhead of a worker per task" },
		[SIM_NO_TRANSFERS] = { "no-transfers", NULL, "treat all memory as one node" },
		[SIM_PRIORITIES] = { "priorities", "HOW", "none, rank (by bottom levels), or app: the "
							  "graph's own" },
		[SIM_WINDOW] = { "window", "N", "limit of tasks in flight (default 4096, or 4 per worker)" },
		[SIM_BOUND] = { "bound", "KIND", "reference of percentages: lp (default), area, path or "
						 "mixed" },
		[SIM_LIMIT] = { "limit", "S", "timeout of the bound in seconds (default 10)" },
		[SIM_GANTT] = { "gantt", "FILE", "draw the first run of each policy, as SVG" },
		[SIM_PLOT] = { "plot", "FILE", "draw the bound in percent of the makespan by policy, as SVG" },
		[SIM_SCHEDULE] = { "schedule", "FILE", "write the first run of each policy as CSV: tasks, workers, "
						       "transfers, times" },
		[SIM_CSV] = { "csv", NULL, "print CSV" },
		[SIM_JSON] = { "json", NULL, "print JSON" },
		[SIM_BATCH] = { "batch", "ITEMS", "instead of a graph: the pieces of a batch under one policy, as "
						  "CSV; ITEMS[:ITEM_US[:PIECE_US]]" },
	},
	.list = "Graphs",
	.line = graph_make_help,
	.run = sim_command,
};
