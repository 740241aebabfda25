/* SPDX-License-Identifier: MIT */
/*
 * A schedule as SVG: a row for each stage with its device, its layers on a common axis (each as high as
 * its time), and bars for computing and sending, the longest of which is the bottleneck.
 */
#include <math.h>
#include <string.h>

#include "pipeline/pipeline.h"

enum {
	DRAW_ROW = 44,
	DRAW_TOP = 74,
	DRAW_BOTTOM = 58,
	DRAW_NAMES = 210,
	DRAW_LAYERS = 560,
	DRAW_GAP = 24,
	DRAW_BARS = 260,
	DRAW_FIGURES = 96,
	DRAW_WIDTH = DRAW_NAMES + DRAW_LAYERS + DRAW_GAP + DRAW_BARS + DRAW_FIGURES,
	DRAW_NAME_MAX = 30,
};

static const char *const draw_colours[] = {
	"#3b6fb6", "#c8702a", "#3f8f5b", "#8a5aa8", "#b0484f", "#5f7480", "#9a7d1f", "#2f8f97",
};
#define DRAW_NCOLOURS (sizeof(draw_colours) / sizeof(draw_colours[0]))

struct draw {
	const struct pipeline_problem *problem;
	const struct pipeline_schedule *schedule;
	struct pipeline_cost cost;
	double slowest; /* the longest time of a layer where it is */
	FILE *file;
};

/* Writes text as XML, at most max bytes and no partial characters. */
static void draw_text(const char *text, size_t max, FILE *file)
{
	size_t n = 0;

	for (; *text && (n < max || (*text & 0xc0) == 0x80); text++, n++)
		switch (*text) {
		case '<':
			fputs("&lt;", file);
			break;
		case '>':
			fputs("&gt;", file);
			break;
		case '&':
			fputs("&amp;", file);
			break;
		case '"':
			fputs("&quot;", file);
			break;
		default:
			fputc((unsigned char)*text < ' ' ? '?' : *text, file);
		}
	if (*text)
		fputs("…", file);
}

static double draw_x(const struct draw *draw, double layer)
{
	return DRAW_NAMES + layer / draw->problem->nlayers * DRAW_LAYERS;
}

static void draw_head(const struct draw *draw, int height)
{
	fprintf(draw->file,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
		"font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
		"<text x=\"16\" y=\"28\" font-size=\"17\" font-weight=\"bold\">",
		DRAW_WIDTH, height, DRAW_WIDTH, height);
	draw_text(draw->problem->model, 80, draw->file);
	fprintf(draw->file, "</text>\n<text x=\"16\" y=\"50\" fill=\"#555\">");
	if (draw->schedule->nstages)
		fprintf(draw->file, "%u stage%s, bottleneck %.6g s, latency %.6g s, batch size %llu",
			draw->schedule->nstages, draw->schedule->nstages > 1 ? "s" : "", draw->cost.bottleneck,
			draw->cost.latency, (unsigned long long)draw->problem->batch_size);
	else
		fprintf(draw->file, "no schedule");
	fprintf(draw->file, "</text>\n");
}

/* The inner picture cuts off what is wider than its column. */
static void draw_row_names(const struct draw *draw, unsigned s, int y)
{
	const struct pipeline_stage *stage = &draw->schedule->stages[s];
	const struct pipeline_type *type = &draw->problem->types[stage->type];

	fprintf(draw->file,
		"<svg y=\"%d\" width=\"%d\" height=\"%d\">\n"
		"<text x=\"16\" y=\"18\">%u  <tspan font-weight=\"bold\">",
		y, DRAW_NAMES - 6, DRAW_ROW, s + 1);
	draw_text(type->hosts[stage->host], 22, draw->file);
	fprintf(draw->file, "</tspan></text>\n<text x=\"16\" y=\"34\" font-size=\"11\" fill=\"#666\">");
	draw_text(type->name, DRAW_NAME_MAX, draw->file);
	fprintf(draw->file, "</text>\n</svg>\n");
}

/* Which layers these are: to the right of them, to the left, or upon them if they leave no room. */
static void draw_row_label(const struct draw *draw, double from, double to, unsigned s, int y)
{
	const struct pipeline_stage *stage = &draw->schedule->stages[s];
	const char *style = "";
	double x = to + 8, width;
	char label[32];

	snprintf(label, sizeof(label), "%u-%u", stage->first, stage->last);
	width = 8 * (double)strlen(label);
	if (x + width > DRAW_NAMES + DRAW_LAYERS) {
		x = from - 8;
		style = " text-anchor=\"end\"";
	}
	if (x < DRAW_NAMES + width) {
		x = (from + to) / 2;
		style = " text-anchor=\"middle\" stroke=\"#fff\" stroke-width=\"4\" paint-order=\"stroke\"";
	}
	fprintf(draw->file, "<text x=\"%.2f\" y=\"%d\"%s>%s</text>\n", x, y + DRAW_ROW / 2 + 5, style, label);
}

static void draw_row_layers(const struct draw *draw, unsigned s, int y)
{
	const struct pipeline_stage *stage = &draw->schedule->stages[s];
	const char *colour = draw_colours[stage->type % DRAW_NCOLOURS];
	double from = draw_x(draw, stage->first - 1), to = draw_x(draw, stage->last);

	fprintf(draw->file, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#f3f4f6\"/>\n", DRAW_NAMES,
		y + 4, DRAW_LAYERS, DRAW_ROW - 8);
	fprintf(draw->file,
		"<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\" "
		"fill-opacity=\"0.22\" stroke=\"%s\"/>\n",
		from, y + 4, to - from, DRAW_ROW - 8, colour, colour);
	for (unsigned layer = stage->first; layer <= stage->last; layer++) {
		double seconds = draw->problem->types[stage->type].time_s[layer - 1];
		double high = draw->slowest > 0 ? seconds / draw->slowest * (DRAW_ROW - 12) : 0;
		double width = draw_x(draw, 1) - draw_x(draw, 0);

		fprintf(draw->file,
			"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\">"
			"<title>layer %u: %.6g s</title></rect>\n",
			draw_x(draw, layer - 1) + width * 0.15, y + DRAW_ROW - 5 - high, width * 0.7, high, colour,
			layer, seconds);
	}
	draw_row_label(draw, from, to, s, y);
}

static void draw_bar(const struct draw *draw, double seconds, int y, const char *style)
{
	double width = draw->cost.bottleneck > 0 ? seconds / draw->cost.bottleneck * DRAW_BARS : 0;
	int x = DRAW_NAMES + DRAW_LAYERS + DRAW_GAP;

	fprintf(draw->file, "<rect x=\"%d\" y=\"%d\" width=\"%.2f\" height=\"13\" %s/>\n", x, y, width, style);
	fprintf(draw->file, "<text x=\"%d\" y=\"%d\" font-size=\"12\"%s>%.5g s</text>\n", x + DRAW_BARS + 10, y + 11,
		seconds == draw->cost.bottleneck ? " font-weight=\"bold\" fill=\"#b00020\"" : "", seconds);
}

static void draw_row_times(const struct draw *draw, unsigned s, int y)
{
	const struct pipeline_stage *stage = &draw->schedule->stages[s];
	const char *colour = draw_colours[stage->type % DRAW_NCOLOURS];
	char style[80];

	snprintf(style, sizeof(style), "fill=\"%s\"", colour);
	draw_bar(draw, pipeline_compute(draw->problem, stage->type, stage->first, stage->last), y + 6, style);
	if (s + 1 == draw->schedule->nstages)
		return;
	snprintf(style, sizeof(style), "fill=\"%s\" fill-opacity=\"0.35\"", colour);
	draw_bar(draw, pipeline_stage_comm(draw->problem, draw->schedule, s), y + 24, style);
}

static void draw_axis(const struct draw *draw, int y)
{
	unsigned n = draw->problem->nlayers, step = 1;
	int x = DRAW_NAMES + DRAW_LAYERS + DRAW_GAP;

	while (n / step > 16)
		step *= 2;
	for (unsigned layer = 1; layer <= n; layer += step)
		fprintf(draw->file,
			"<text x=\"%.2f\" y=\"%d\" font-size=\"11\" fill=\"#666\" "
			"text-anchor=\"middle\">%u</text>\n",
			draw_x(draw, layer - 0.5), y + 16, layer);
	fprintf(draw->file, "<text x=\"%d\" y=\"%d\" fill=\"#555\">layers, each as high as its time</text>\n",
		DRAW_NAMES, y + 38);
	fprintf(draw->file, "<text x=\"%d\" y=\"%d\" fill=\"#555\">dark: computing, light: sending on</text>\n", x,
		y + 38);
	if (draw->schedule->nstages)
		fprintf(draw->file,
			"<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#b00020\" "
			"stroke-dasharray=\"4 3\"/>\n",
			x + DRAW_BARS, DRAW_TOP, x + DRAW_BARS, y + 4);
}

void pipeline_draw(const struct pipeline_problem *problem, const struct pipeline_schedule *schedule, FILE *file)
{
	struct draw draw = {
		.problem = problem,
		.schedule = schedule,
		.cost = pipeline_cost(problem, schedule),
		.file = file,
	};
	int y = DRAW_TOP;

	for (unsigned s = 0; s < schedule->nstages; s++)
		for (unsigned layer = schedule->stages[s].first; layer <= schedule->stages[s].last; layer++)
			draw.slowest = fmax(draw.slowest, problem->types[schedule->stages[s].type].time_s[layer - 1]);
	draw_head(&draw, DRAW_TOP + (int)schedule->nstages * DRAW_ROW + DRAW_BOTTOM);
	for (unsigned s = 0; s < schedule->nstages; s++, y += DRAW_ROW) {
		draw_row_names(&draw, s, y);
		draw_row_layers(&draw, s, y);
		draw_row_times(&draw, s, y);
	}
	if (problem->nlayers)
		draw_axis(&draw, y);
	fprintf(file, "</svg>\n");
}
