/* SPDX-License-Identifier: MIT */
/*
 * Draws throughput curves: a line for each device, items per second over the size of a piece, both axes logarithmic,
 * with a ring around the size that is best.
 */
#include "tools/batch.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { PLOT_WIDTH = 760, PLOT_HEIGHT = 460, PLOT_LEFT = 80, PLOT_TOP = 40, PLOT_RIGHT = 190, PLOT_BOTTOM = 60 };

static const char *const colours[] = { "#1b6ca8", "#c0392b", "#2e8b57", "#b8860b",
				       "#6a3d9a", "#008b8b", "#a0522d", "#555" };
enum { PLOT_COLOURS = sizeof(colours) / sizeof(colours[0]) };

/* Logarithms of the ends of both axes. */
struct plot {
	double items[2], rate[2];
};

static void plot_init(struct plot *p, const struct batch_curves *curves)
{
	*p = (struct plot){ { INFINITY, -INFINITY }, { INFINITY, -INFINITY } };
	for (unsigned i = 0; i < curves->n; i++)
		for (unsigned k = 0; k < curves->of[i].npoints; k++) {
			double items = log10(curves->of[i].points[k].items),
			       rate = log10(batch_rate(&curves->of[i], k));

			p->items[0] = fmin(p->items[0], items);
			p->items[1] = fmax(p->items[1], items);
			p->rate[0] = fmin(p->rate[0], rate);
			p->rate[1] = fmax(p->rate[1], rate);
		}
	p->items[0] = floor(p->items[0]);
	p->rate[0] = floor(p->rate[0]);
	p->items[1] = fmax(ceil(p->items[1]), p->items[0] + 1);
	p->rate[1] = fmax(ceil(p->rate[1]), p->rate[0] + 1);
}

static double plot_x(const struct plot *p, double items)
{
	return PLOT_LEFT +
	       (log10(items) - p->items[0]) / (p->items[1] - p->items[0]) * (PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT);
}

static double plot_y(const struct plot *p, double rate)
{
	return PLOT_HEIGHT - PLOT_BOTTOM -
	       (log10(rate) - p->rate[0]) / (p->rate[1] - p->rate[0]) * (PLOT_HEIGHT - PLOT_TOP - PLOT_BOTTOM);
}

static void plot_axes(const struct plot *p, FILE *out)
{
	for (double e = p->items[0]; e <= p->items[1]; e++)
		fprintf(out,
			"<path d='M%.1f %d V%d' stroke='#ddd'/>"
			"<text x='%.1f' y='%d' text-anchor='middle'>1e%.0f</text>\n",
			plot_x(p, pow(10, e)), PLOT_TOP, PLOT_HEIGHT - PLOT_BOTTOM, plot_x(p, pow(10, e)),
			PLOT_HEIGHT - PLOT_BOTTOM + 18, e);
	for (double e = p->rate[0]; e <= p->rate[1]; e++)
		fprintf(out,
			"<path d='M%d %.1f H%d' stroke='#ddd'/><text x='%d' y='%.1f' text-anchor='end'>1e%.0f</text>\n",
			PLOT_LEFT, plot_y(p, pow(10, e)), PLOT_WIDTH - PLOT_RIGHT, PLOT_LEFT - 8,
			plot_y(p, pow(10, e)) + 4, e);
	fprintf(out, "<text x='%d' y='%d' text-anchor='middle'>items of a piece</text>\n",
		(PLOT_LEFT + PLOT_WIDTH - PLOT_RIGHT) / 2, PLOT_HEIGHT - 20);
	fprintf(out, "<text transform='translate(22 %d) rotate(-90)' text-anchor='middle'>items per second</text>\n",
		(PLOT_TOP + PLOT_HEIGHT - PLOT_BOTTOM) / 2);
}

/* Names of models have no letter that means something in SVG. */
static void plot_curve(const struct plot *p, const struct batch_curve *curve, unsigned number, FILE *out)
{
	const char *colour = colours[number % PLOT_COLOURS];
	double y = PLOT_TOP + 12 + 20 * number;

	fprintf(out, "<path fill='none' stroke-width='2' stroke='%s' d='", colour);
	for (unsigned k = 0; k < curve->npoints; k++)
		fprintf(out, "%c%.1f %.1f", k ? 'L' : 'M', plot_x(p, curve->points[k].items),
			plot_y(p, batch_rate(curve, k)));
	fprintf(out, "'/>\n");
	for (unsigned k = 0; k < curve->npoints; k++)
		fprintf(out, "<circle cx='%.1f' cy='%.1f' r='3' fill='%s'/>", plot_x(p, curve->points[k].items),
			plot_y(p, batch_rate(curve, k)), colour);
	fprintf(out, "<circle cx='%.1f' cy='%.1f' r='7' fill='none' stroke='%s'/>\n",
		plot_x(p, curve->points[curve->best].items), plot_y(p, batch_rate(curve, curve->best)), colour);
	fprintf(out, "<circle cx='%d' cy='%.1f' r='4' fill='%s'/><text x='%d' y='%.1f'>%s %s</text>\n",
		PLOT_WIDTH - PLOT_RIGHT + 16, y, colour, PLOT_WIDTH - PLOT_RIGHT + 26, y + 4, curve->batch,
		curve->device);
}

enum tool_status batch_plot(const struct batch_curves *curves, const char *path)
{
	FILE *out = fopen(path, "w");
	struct plot p;
	bool failed;

	if (!out) {
		tool_say("%s: %s", path, strerror(errno));
		return TOOL_FAILED;
	}
	plot_init(&p, curves);
	fprintf(out,
		"<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' "
		"font-size='12'>\n<rect width='100%%' height='100%%' fill='white'/>\n",
		PLOT_WIDTH, PLOT_HEIGHT);
	plot_axes(&p, out);
	for (unsigned i = 0; i < curves->n; i++)
		plot_curve(&p, &curves->of[i], i, out);
	fprintf(out, "</svg>\n");
	failed = ferror(out);
	if (fclose(out) || failed) {
		tool_say("%s: can't be written", path);
		return TOOL_FAILED;
	}
	return TOOL_OK;
}
