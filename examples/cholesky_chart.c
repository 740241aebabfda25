/* SPDX-License-Identifier: MIT */
/*
 * The chart of a run for its report: an observer that records every task, and a drawing. A worker reserves its place
 * in the array by one atomic addition, so no thread waits; the array is read when all tasks have ended.
 */
#include "cholesky.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 80, WIDTH = 680, LANE = 24, MOST_LANES = 64 };

static const char *const names[] = { "potrf", "trsm", "syrk", "gemm" };
enum { NNAMES = sizeof names / sizeof names[0] };

static void chart_note(void *arg, const struct xy_report *report)
{
	struct chart *chart = arg;
	size_t i = atomic_fetch_add(&chart->count, 1);
	const char *name = xy_task_name(report->task);
	unsigned kernel = 0;

	if (i >= chart->capacity)
		return;
	while (kernel < NNAMES - 1 && (!name || strcmp(name, names[kernel])))
		kernel++;
	chart->bars[i] = (struct bar){
		.worker = report->worker, .kernel = kernel, .start_s = report->start_s, .end_s = report->end_s
	};
}

int chart_create(struct chart *chart, unsigned long long ntasks)
{
	if (ntasks > CHART_MOST)
		return 0;
	chart->bars = calloc(ntasks, sizeof *chart->bars);
	if (!chart->bars)
		return -ENOMEM;
	chart->capacity = ntasks;
	chart->watch = (struct xy_watch){ .arg = chart, .ended = chart_note };
	return 0;
}

void chart_destroy(struct chart *chart)
{
	free(chart->bars);
}

static void chart_legend(FILE *out)
{
	for (unsigned i = 0; i < NNAMES; i++)
		fprintf(out,
			"<rect class=\"kernel%u\" x=\"%u\" y=\"4\" width=\"12\" height=\"12\"/>"
			"<text x=\"%u\" y=\"14\">%s</text>",
			i, LEFT + 80 * i, LEFT + 80 * i + 17, names[i]);
	putc('\n', out);
}

static void chart_bar(FILE *out, const struct bar *bar, double begin_s, double scale)
{
	double start = bar->start_s - begin_s, length = bar->end_s - bar->start_s;

	fprintf(out,
		"<rect class=\"kernel%u\" x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"16\"><title>"
		"%s, from %.3f ms, %.3f ms long</title></rect>\n",
		bar->kernel, LEFT + start * scale, 26 + LANE * bar->worker,
		length * scale > 0.3 ? length * scale - 0.1 : 0.2, names[bar->kernel], start * 1e3, length * 1e3);
}

void chart_write(FILE *out, const struct chart *chart, const struct result *r)
{
	unsigned lanes = r->nworkers < MOST_LANES ? r->nworkers : MOST_LANES;
	double scale = WIDTH / r->seconds;

	fputs("<h2>Who ran what when</h2>\n", out);
	if (!chart->capacity) {
		fprintf(out, "<p class=\"soft\">More than %d tasks: too many to be drawn.</p>\n", CHART_MOST);
		return;
	}
	fprintf(out,
		"<div class=\"wide\"><svg viewBox=\"0 0 760 %u\" role=\"img\" "
		"aria-label=\"A lane for each worker\">\n",
		48 + LANE * lanes);
	chart_legend(out);
	for (unsigned i = 0; i < lanes; i++)
		fprintf(out,
			"<text x=\"0\" y=\"%u\">%s</text><rect class=\"track\" x=\"%d\" y=\"%u\" width=\"%d\" "
			"height=\"16\"/>\n",
			38 + LANE * i, r->workers[i].name, LEFT, 26 + LANE * i, WIDTH);
	for (size_t i = 0; i < chart->capacity; i++)
		if (chart->bars[i].worker < lanes && chart->bars[i].end_s > 0)
			chart_bar(out, &chart->bars[i], r->begin_s, scale);
	fprintf(out,
		"<text class=\"soft\" x=\"%d\" y=\"%u\">0</text>"
		"<text class=\"soft\" x=\"%d\" y=\"%u\" text-anchor=\"end\">%.3f s</text>\n</svg></div>\n",
		LEFT, 40 + LANE * lanes, LEFT + WIDTH, 40 + LANE * lanes, r->seconds);
	fputs("<p class=\"soft\">A task says its name and times under the pointer.", out);
	if (lanes < r->nworkers)
		fprintf(out, " The first %u of %u workers.", lanes, r->nworkers);
	fputs("</p>\n", out);
}
