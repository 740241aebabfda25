/* SPDX-License-Identifier: MIT */
/*
 * Charts of simulated runs as SVG: a panel for each policy, a lane for each worker, all with one time axis. A
 * device has a thin lane below its own, for tasks that wait for their data. What is narrower than a pixel is
 * drawn together, so that the size of the file depends on the lanes and not on the tasks.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sim.h"

enum {
	GANTT_LANES = 64, /* workers of a panel, at most */
	GANTT_LEFT = 84,
	GANTT_WIDTH = 1300,
	GANTT_RIGHT = 24,
	GANTT_HEAD = 26,
	GANTT_FOOT = 30,
	GANTT_TOP = 74,
	GANTT_LANE = 18,
	GANTT_THIN = 5,
	GANTT_GAP = 3,
	GANTT_TITLES = 20000, /* tasks up to which each has a text that appears under the pointer */
	GANTT_COLOURS = 10,
	GANTT_OUTLINED = 6, /* pixels from which a task can have an outline */
};

static const char *const gantt_colours[GANTT_COLOURS] = {
	"#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#edc948", "#76b7b2", "#ff9da7", "#9c755f", "#86bcb6", "#d4a6c8",
};

struct gantt {
	const struct sim_case *c;
	FILE *out;
	double longest_s; /* of all panels */
	unsigned nlanes;
	uint32_t *order; /* events of a run by worker and start */
	uint32_t norder;
	bool *critical; /* by event */
};

static void gantt_text(FILE *out, const char *text)
{
	for (; *text; text++)
		if (strchr("<>&'\"", *text) || (unsigned char)*text < ' ')
			fprintf(out, "&#%d;", (unsigned char)*text < ' ' ? '?' : *text);
		else
			putc(*text, out);
}

static double gantt_x(const struct gantt *g, double seconds)
{
	return GANTT_LEFT + (g->longest_s > 0 ? seconds / g->longest_s : 0) * GANTT_WIDTH;
}

static const char *gantt_kernel(const struct gantt *g, uint32_t task)
{
	uint32_t kernel;

	if (task >= g->c->graph.ntasks)
		return "reduction";
	kernel = g->c->graph.tasks[task].kernel;
	return kernel == GRAPH_NO_KERNEL ? "nothing" : g->c->graph.kernels[kernel].name;
}

static const char *gantt_colour(const struct gantt *g, uint32_t task)
{
	uint32_t kernel = task < g->c->graph.ntasks ? g->c->graph.tasks[task].kernel : GRAPH_NO_KERNEL;

	return kernel == GRAPH_NO_KERNEL ? "#bbb" : gantt_colours[kernel % GANTT_COLOURS];
}

static bool gantt_is_device(const struct gantt *g, unsigned worker)
{
	return g->c->infos[worker].device >= 0;
}

static int gantt_lane_height(const struct gantt *g, unsigned worker)
{
	return GANTT_LANE + GANTT_GAP + (gantt_is_device(g, worker) ? GANTT_THIN + 1 : 0);
}

static int gantt_panel_height(const struct gantt *g)
{
	int height = GANTT_HEAD + GANTT_FOOT;

	for (unsigned w = 0; w < g->nlanes; w++)
		height += gantt_lane_height(g, w);
	return height;
}

/* --- the order of things --- */

static int gantt_compare(const void *a, const void *b, void *arg)
{
	const struct sim_event *events = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	if (events[i].worker != events[j].worker)
		return events[i].worker < events[j].worker ? -1 : 1;
	if (events[i].start_s != events[j].start_s)
		return events[i].start_s < events[j].start_s ? -1 : 1;
	return i < j ? -1 : i > j;
}

/*
 * The event this one waited for: of the predecessors and the previous task on its worker, the one that ended last.
 * place is this event's place in the order.
 */
static uint32_t gantt_cause(const struct gantt *g, const struct sim_event *events, uint32_t task, uint32_t place)
{
	const struct graph_edges *edges = &g->c->edges;
	uint32_t cause = UINT32_MAX;
	double latest = 0;

	if (place && events[g->order[place - 1]].worker == events[task].worker) {
		cause = g->order[place - 1];
		latest = events[cause].end_s;
	}
	if (task >= edges->ntasks) /* of a reduction */
		return cause;
	for (size_t e = edges->before_at[task]; e < edges->before_at[task + 1]; e++)
		if (events[edges->before[e]].end_s >= latest) {
			cause = edges->before[e];
			latest = events[cause].end_s;
		}
	return cause;
}

/* The chain of causes that ends with the last task. */
static int gantt_critical(struct gantt *g, const struct sim_run *run)
{
	const struct sim_event *events = run->events;
	uint32_t n = run->nevents, task = UINT32_MAX, *place = calloc(n, sizeof(*place));

	if (!place)
		return -ENOMEM;
	g->norder = 0;
	for (uint32_t i = 0; i < n; i++) {
		g->critical[i] = false;
		if (events[i].worker != UINT32_MAX)
			g->order[g->norder++] = i;
		if (task == UINT32_MAX || events[i].end_s > events[task].end_s)
			task = i;
	}
	qsort_r(g->order, g->norder, sizeof(*g->order), gantt_compare, (void *)events);
	for (uint32_t k = 0; k < g->norder; k++)
		place[g->order[k]] = k;
	while (task != UINT32_MAX && !g->critical[task]) {
		g->critical[task] = true;
		task = gantt_cause(g, events, task, events[task].worker == UINT32_MAX ? 0 : place[task]);
	}
	free(place);
	return 0;
}

/* --- drawing --- */

/* Tasks that are drawn as one. */
struct gantt_bar {
	double from, to; /* pixels */
	uint32_t task, count;
	bool critical;
};

static void gantt_bar(const struct gantt *g, const struct gantt_bar *bar, const struct sim_event *events, int y)
{
	double width = fmax(bar->to - bar->from, 0.4);
	const char *name = gantt_kernel(g, bar->task);

	if (!bar->count)
		return;
	fprintf(g->out, "<rect x='%.2f' y='%d' width='%.2f' height='%d' fill='%s'%s", bar->from, y, width, GANTT_LANE,
		gantt_colour(g, bar->task),
		bar->critical && width >= GANTT_OUTLINED ? " stroke='#c00' stroke-width='1.5'"
		: width >= 3                             ? " stroke='white' stroke-width='0.5'"
							 : "");
	if (g->c->graph.ntasks > GANTT_TITLES) {
		fprintf(g->out, "/>\n");
	} else {
		fprintf(g->out, "><title>");
		gantt_text(g->out, name);
		if (bar->count > 1)
			fprintf(g->out, " and %u more", bar->count - 1);
		else
			fprintf(g->out, ", task %u: %.6g to %.6g ms", bar->task, events[bar->task].start_s * 1e3,
				events[bar->task].end_s * 1e3);
		fprintf(g->out, "</title></rect>\n");
	}
	/* An outline would hide a narrow one. */
	if (bar->critical && width < GANTT_OUTLINED)
		fprintf(g->out, "<rect x='%.2f' y='%d' width='%.2f' height='2' fill='#c00'/>\n", bar->from, y, width);
	if (bar->count == 1 && width > 7.5 * (double)strlen(name)) {
		fprintf(g->out, "<text x='%.2f' y='%d' text-anchor='middle' font-size='10' fill='white'>",
			bar->from + width / 2, y + GANTT_LANE - 5);
		gantt_text(g->out, name);
		fprintf(g->out, "</text>\n");
	}
}

/* The lane of a worker, from its first task in the order; returns where the next worker's begin. */
static uint32_t gantt_lane(const struct gantt *g, const struct sim_event *events, unsigned worker, uint32_t k, int y)
{
	struct gantt_bar bar = { 0 };
	double fetched = 0;

	for (; k < g->norder && events[g->order[k]].worker == worker; k++) {
		uint32_t task = g->order[k];
		double from = gantt_x(g, events[task].start_s), to = gantt_x(g, events[task].end_s);
		double begin = fmax(gantt_x(g, events[task].begin_s), fetched);

		/* A narrow one joins what is right before it, unless that is wide by itself. */
		if (bar.count && to - from < 0.6 && from - bar.to < 0.3 && (bar.count > 1 || bar.to - bar.from < 0.6)) {
			bar.to = to;
			bar.count++;
			bar.critical |= g->critical[task];
		} else {
			gantt_bar(g, &bar, events, y);
			bar = (struct gantt_bar){ from, to, task, 1, g->critical[task] };
		}
		if (gantt_is_device(g, worker) && from - begin > 0.2) {
			fprintf(g->out, "<rect x='%.2f' y='%d' width='%.2f' height='%d' fill='#555'/>\n", begin,
				y + GANTT_LANE + 1, from - begin, GANTT_THIN);
			fetched = from;
		}
	}
	gantt_bar(g, &bar, events, y);
	return k;
}

/* A step for the axis: 1, 2 or 5 times a power of ten, about ten of them. */
static double gantt_step(double range)
{
	double power = pow(10, floor(log10(range / 8)));

	return range / power > 40 ? 5 * power : range / power > 16 ? 2 * power : power;
}

static void gantt_axis(const struct gantt *g, int top, int bottom)
{
	double unit = g->longest_s >= 10 ? 1 : g->longest_s >= 0.01 ? 1e3 : 1e6, range = g->longest_s * unit;
	double step = range > 0 ? gantt_step(range) : 1;

	for (double at = 0; at <= range * 1.0001; at += step) {
		double x = gantt_x(g, at / unit);

		fprintf(g->out,
			"<path d='M%.2f %d V%d' stroke='#ddd'/><text x='%.2f' y='%d' text-anchor='middle' "
			"fill='#555'>%g%s</text>\n",
			x, top, bottom, x, bottom + 14, at,
			at > 0        ? ""
			: unit == 1   ? " s"
			: unit == 1e3 ? " ms"
				      : " us");
	}
}

static void gantt_title(const struct gantt *g, const struct sim_row *row, int y)
{
	const struct sim_run *run = &row->first;
	double bound = g->c->bounds.us[g->c->request->bound] * 1e-6;

	fprintf(g->out, "<text x='%d' y='%d' font-size='14' font-weight='bold'>", GANTT_LEFT, y + 16);
	gantt_text(g->out, row->policy);
	fprintf(g->out, "<tspan dx='10' font-weight='normal' fill='#555'>%.6g ms, %.1f %% of the %s bound%s",
		run->makespan_s * 1e3, run->makespan_s > 0 ? 100 * bound / run->makespan_s : 100,
		bound_name(g->c->request->bound), row->failed ? "; it failed" : "");
	if (g->nlanes < g->c->nworkers)
		fprintf(g->out, "; the first %u of %u workers", g->nlanes, g->c->nworkers);
	fprintf(g->out, "</tspan></text>\n");
}

static int gantt_panel(struct gantt *g, const struct sim_row *row, int y)
{
	const struct sim_event *events = row->first.events;
	int bottom = y + gantt_panel_height(g) - GANTT_FOOT, lane = y + GANTT_HEAD;
	double bound = gantt_x(g, g->c->bounds.us[g->c->request->bound] * 1e-6);
	uint32_t k = 0;

	gantt_title(g, row, y);
	if (!events || gantt_critical(g, &row->first))
		return y + gantt_panel_height(g);
	gantt_axis(g, y + GANTT_HEAD - 4, bottom);
	for (unsigned w = 0; w < g->nlanes; w++) {
		fprintf(g->out, "<text x='%d' y='%d' text-anchor='end'>%s</text>", GANTT_LEFT - 8,
			lane + GANTT_LANE - 5, g->c->infos[w].name);
		fprintf(g->out, "<rect x='%d' y='%d' width='%.2f' height='%d' fill='#f2f2f2'/>\n", GANTT_LEFT, lane,
			gantt_x(g, row->first.makespan_s) - GANTT_LEFT, GANTT_LANE);
		k = gantt_lane(g, events, w, k, lane);
		lane += gantt_lane_height(g, w);
	}
	fprintf(g->out, "<path d='M%.2f %d V%d' stroke='black' stroke-dasharray='5 3'/>\n", bound, y + GANTT_HEAD - 4,
		bottom);
	return y + gantt_panel_height(g);
}

static void gantt_legend(const struct gantt *g)
{
	const struct graph *graph = &g->c->graph;
	int x = GANTT_LEFT;

	fprintf(g->out, "<text x='%d' y='24' font-size='16'>", GANTT_LEFT);
	gantt_text(g->out, g->c->request->graph);
	fprintf(g->out, " on ");
	gantt_text(g->out, g->c->request->machine);
	fprintf(g->out, ", %u tasks</text>\n", graph->ntasks);
	for (uint32_t k = 0; k < graph->nkernels && k < GANTT_COLOURS; k++) {
		fprintf(g->out, "<rect x='%d' y='38' width='12' height='12' fill='%s'/><text x='%d' y='48'>", x,
			gantt_colours[k], x + 17);
		gantt_text(g->out, graph->kernels[k].name);
		fprintf(g->out, "</text>\n");
		x += 36 + 7 * (int)strlen(graph->kernels[k].name);
	}
	if (graph->nkernels > GANTT_COLOURS) {
		fprintf(g->out, "<text x='%d' y='48'>and %u more kernels</text>\n", x, graph->nkernels - GANTT_COLOURS);
		x += 150;
	}
	fprintf(g->out,
		"<rect x='%d' y='38' width='12' height='12' fill='white' stroke='#c00' "
		"stroke-width='1.5'/><text x='%d' y='48'>critical chain: what the last task waited "
		"for</text>\n",
		x, x + 17);
	x += 310;
	fprintf(g->out,
		"<rect x='%d' y='42' width='12' height='5' fill='#555'/><text x='%d' y='48'>waiting for "
		"data</text>\n",
		x, x + 17);
	fprintf(g->out,
		"<path d='M%d 37 V52' stroke='black' stroke-dasharray='5 3'/>"
		"<text x='%d' y='48'>bound</text>\n",
		x + 146, x + 153);
}

static enum tool_status gantt_draw(struct gantt *g, const struct sim_row *rows, unsigned nrows, const char *path)
{
	int y = GANTT_TOP;
	bool failed;

	g->out = fopen(path, "w");
	if (!g->out) {
		tool_say("%s: %s", path, strerror(errno));
		return TOOL_FAILED;
	}
	fprintf(g->out,
		"<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' "
		"font-size='12'>\n<rect width='100%%' height='100%%' fill='white'/>\n",
		GANTT_LEFT + GANTT_WIDTH + GANTT_RIGHT, GANTT_TOP + (int)nrows * gantt_panel_height(g));
	gantt_legend(g);
	for (unsigned i = 0; i < nrows; i++)
		y = gantt_panel(g, &rows[i], y);
	fprintf(g->out, "</svg>\n");
	failed = ferror(g->out);
	if (fclose(g->out) || failed) {
		tool_say("%s: can't be written", path);
		return TOOL_FAILED;
	}
	return TOOL_OK;
}

enum tool_status sim_gantt(const struct sim_case *c, const struct sim_row *rows, unsigned nrows, const char *path)
{
	struct gantt g = { .c = c, .nlanes = c->nworkers < GANTT_LANES ? c->nworkers : GANTT_LANES };
	enum tool_status status = TOOL_FAILED;
	size_t most = c->graph.ntasks;

	g.longest_s = c->bounds.us[c->request->bound] * 1e-6;
	for (unsigned i = 0; i < nrows; i++) {
		g.longest_s = fmax(g.longest_s, rows[i].first.makespan_s);
		most = rows[i].first.nevents > most ? rows[i].first.nevents : most;
	}
	g.order = malloc(most * sizeof(*g.order));
	g.critical = malloc(most * sizeof(*g.critical));
	if (g.order && g.critical)
		status = gantt_draw(&g, rows, nrows, path);
	free(g.order);
	free(g.critical);
	return status;
}
