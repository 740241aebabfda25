/* SPDX-License-Identifier: MIT */
/*
 * A chart of policies over several cases: the bound in percent of the makespan, a dot for each run, and a box from
 * the first to the third quartile with a line at the median.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sim.h"

enum { PLOT_LEFT = 70, PLOT_TOP = 56, PLOT_HEIGHT = 380, PLOT_COLUMN = 96, PLOT_BOX = 44, PLOT_FOOT = 120 };

static int plot_add_point(struct sim_plot *plot, const char *policy, const struct sim_case *c, double percent)
{
	struct sim_point *point;

	if (plot->npoints == plot->room) {
		size_t room = 2 * plot->room + 64;
		struct sim_point *points = realloc(plot->points, room * sizeof(*points));

		if (!points)
			return -ENOMEM;
		plot->points = points;
		plot->room = room;
	}
	point = &plot->points[plot->npoints];
	*point = (struct sim_point){ .policy = strdup(policy), .percent = percent };
	if (asprintf(&point->label, "%s on %s", c->request->graph, c->request->machine) < 0)
		point->label = NULL;
	plot->npoints++;
	return point->policy && point->label ? 0 : -ENOMEM;
}

int sim_plot_add(struct sim_plot *plot, const struct sim_case *c, const struct sim_row *rows, unsigned nrows)
{
	int error = 0;

	for (unsigned i = 0; i < nrows; i++)
		for (unsigned k = 0; k < rows[i].nruns && !rows[i].failed && !error; k++)
			error = plot_add_point(plot, rows[i].policy, c, sim_percent(c, rows[i].makespan_s[k]));
	return error;
}

void sim_plot_fini(struct sim_plot *plot)
{
	for (size_t i = 0; i < plot->npoints; i++) {
		free(plot->points[i].policy);
		free(plot->points[i].label);
	}
	free(plot->points);
	*plot = (struct sim_plot){ 0 };
}

/* --- drawing --- */

/* The points of one policy. */
struct plot_column {
	const char *policy;
	double *percents; /* rising */
	size_t n;
};

static int plot_rising(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Between two neighbours, as a share of the way from the first to the last. */
static double plot_quantile(const struct plot_column *column, double share)
{
	double at = share * (double)(column->n - 1);
	size_t low = (size_t)at, high = low + 1 < column->n ? low + 1 : low;

	return column->percents[low] + (at - (double)low) * (column->percents[high] - column->percents[low]);
}

static double plot_y(double percent)
{
	return PLOT_TOP + PLOT_HEIGHT * (1 - fmin(percent, 100) / 100);
}

static void plot_text(FILE *out, const char *text)
{
	for (; *text; text++)
		if (strchr("<>&'\"", *text))
			fprintf(out, "&#%d;", *text);
		else
			putc(*text, out);
}

static void plot_axis(FILE *out, double right)
{
	for (int percent = 0; percent <= 100; percent += 10)
		fprintf(out,
			"<path d='M%d %.1f H%.1f' stroke='%s'/><text x='%d' y='%.1f' text-anchor='end' "
			"fill='#555'>%d</text>\n",
			PLOT_LEFT, plot_y(percent), right, percent ? "#e4e4e4" : "#888", PLOT_LEFT - 8,
			plot_y(percent) + 4, percent);
}

static void plot_box(FILE *out, const struct plot_column *column, double x)
{
	double low = plot_quantile(column, 0.25), high = plot_quantile(column, 0.75),
	       middle = plot_quantile(column, 0.5);

	fprintf(out, "<path d='M%.1f %.1f V%.1f' stroke='#4e79a7'/>\n", x, plot_y(column->percents[0]),
		plot_y(column->percents[column->n - 1]));
	fprintf(out, "<rect x='%.1f' y='%.1f' width='%d' height='%.1f' fill='#cfdcea' stroke='#4e79a7'/>\n",
		x - PLOT_BOX / 2.0, plot_y(high), PLOT_BOX, fmax(plot_y(low) - plot_y(high), 1));
	fprintf(out, "<path d='M%.1f %.1f h%d' stroke='#1f3a5f' stroke-width='2.5'/>\n", x - PLOT_BOX / 2.0,
		plot_y(middle), PLOT_BOX);
	fprintf(out, "<text x='%.1f' y='%.1f' text-anchor='middle' font-weight='bold'>%.1f</text>\n", x,
		plot_y(column->percents[column->n - 1]) - 7, middle);
}

static void plot_column(FILE *out, const struct sim_plot *plot, const struct plot_column *column, double x)
{
	size_t seen = 0;

	if (column->n > 1)
		plot_box(out, column, x);
	else
		fprintf(out, "<text x='%.1f' y='%.1f' text-anchor='middle' font-weight='bold'>%.1f</text>\n", x,
			plot_y(column->percents[0]) - 9, column->percents[0]);
	for (size_t i = 0; i < plot->npoints; i++) {
		const struct sim_point *point = &plot->points[i];

		if (strcmp(point->policy, column->policy))
			continue;
		/* Dots stand side by side, so that equal ones are seen. */
		fprintf(out, "<circle cx='%.1f' cy='%.1f' r='3' fill='#f28e2b' fill-opacity='0.75'><title>",
			x + (column->n > 1 ? ((double)(seen++ % 9) - 4) * 4 : 0), plot_y(point->percent));
		plot_text(out, point->label);
		fprintf(out, ": %.2f %%</title></circle>\n", point->percent);
	}
	fprintf(out, "<text transform='translate(%.1f %d) rotate(-30)' text-anchor='end'>", x + 6,
		PLOT_TOP + PLOT_HEIGHT + 20);
	plot_text(out, column->policy);
	fprintf(out, "</text>\n");
}

/* The columns, in the order in which policies first appear; returns how many. */
static unsigned plot_columns(const struct sim_plot *plot, struct plot_column *columns, double *percents)
{
	unsigned n = 0;

	for (size_t i = 0; i < plot->npoints; i++) {
		unsigned k = 0;

		while (k < n && strcmp(columns[k].policy, plot->points[i].policy))
			k++;
		if (k < n)
			continue;
		columns[n] = (struct plot_column){ .policy = plot->points[i].policy, .percents = percents };
		for (size_t j = i; j < plot->npoints; j++)
			if (!strcmp(plot->points[j].policy, columns[n].policy))
				percents[columns[n].n++] = plot->points[j].percent;
		qsort(percents, columns[n].n, sizeof(*percents), plot_rising);
		percents += columns[n++].n;
	}
	return n;
}

static bool plot_write(FILE *out, const struct sim_plot *plot, const struct plot_column *columns, unsigned ncolumns,
		       const struct sim_request *request)
{
	double right = PLOT_LEFT + ncolumns * PLOT_COLUMN;

	fprintf(out,
		"<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%d' font-family='sans-serif' "
		"font-size='12'>\n<rect width='100%%' height='100%%' fill='white'/>\n"
		"<text x='%d' y='24' font-size='16'>%s bound in percent of the makespan</text>\n"
		"<text x='%d' y='42' fill='#555'>%zu runs; box: quartiles, line and number: median%s</text>\n",
		fmax(right + 30, 420), PLOT_TOP + PLOT_HEIGHT + PLOT_FOOT, PLOT_LEFT, bound_name(request->bound),
		PLOT_LEFT, plot->npoints, request->transfers ? "" : "; no transfers");
	plot_axis(out, right);
	for (unsigned k = 0; k < ncolumns; k++)
		plot_column(out, plot, &columns[k], PLOT_LEFT + (k + 0.5) * PLOT_COLUMN);
	fprintf(out, "</svg>\n");
	return !ferror(out);
}

enum tool_status sim_plot_draw(const struct sim_plot *plot, const struct sim_request *request, const char *path)
{
	struct plot_column *columns = calloc(plot->npoints + 1, sizeof(*columns));
	double *percents = calloc(plot->npoints + 1, sizeof(*percents));
	FILE *out = NULL;
	bool written = false;

	if (columns && percents) {
		out = fopen(path, "we");
		if (!out)
			tool_say("%s: %s", path, strerror(errno));
	} else {
		tool_say("%s", strerror(ENOMEM));
	}
	if (out) {
		written = plot_write(out, plot, columns, plot_columns(plot, columns, percents), request);
		if (fclose(out) || !written) {
			tool_say("%s: can't be written", path);
			written = false;
		}
	}
	free(columns);
	free(percents);
	return written ? TOOL_OK : TOOL_FAILED;
}
