/* SPDX-License-Identifier: MIT */
/*
 * Draws a model: a mark for each row, time over size, both axes logarithmic with a line for each power of ten.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/util/arch.h"
#include "tools/model.h"

enum {
	PLOT_COLUMNS = 64,
	PLOT_LINES = 18,
	PLOT_WIDTH = 720,
	PLOT_HEIGHT = 440,
	PLOT_LEFT = 80,
	PLOT_TOP = 50,
	PLOT_RIGHT = 20,
	PLOT_BOTTOM = 60
};

/* Logarithms of the ends of both axes. */
struct plot {
	double size[2], us[2];
};

static double plot_size(const struct xy__row *row)
{
	return log10(row->size > 1 ? row->size : 1);
}

static bool plot_init(struct plot *p, const struct xy__model_file *f)
{
	*p = (struct plot){ { INFINITY, -INFINITY }, { INFINITY, -INFINITY } };
	for (unsigned i = 0; i < f->nrows; i++) {
		p->size[0] = fmin(p->size[0], plot_size(&f->rows[i]));
		p->size[1] = fmax(p->size[1], plot_size(&f->rows[i]));
		p->us[0] = fmin(p->us[0], log10(f->rows[i].median));
		p->us[1] = fmax(p->us[1], log10(f->rows[i].median));
	}
	p->size[0] = floor(p->size[0] - 0.05);
	p->us[0] = floor(p->us[0] - 0.05);
	p->size[1] = ceil(p->size[1] + 0.05);
	p->us[1] = ceil(p->us[1] + 0.05);
	if (f->nrows)
		return true;
	tool_say("the model \"%s\" has no rows to plot", f->name);
	return false;
}

static double plot_share(const double ends[2], double value)
{
	return (value - ends[0]) / (ends[1] - ends[0]);
}

enum tool_status tool_model_text(const struct xy__model_file *f)
{
	char grid[PLOT_LINES + 1][PLOT_COLUMNS + 2];
	struct plot p;

	if (!plot_init(&p, f))
		return TOOL_WRONG;
	for (int y = 0; y <= PLOT_LINES; y++) {
		memset(grid[y], ' ', PLOT_COLUMNS + 1);
		grid[y][PLOT_COLUMNS + 1] = '\0';
	}
	for (unsigned i = 0; i < f->nrows; i++) {
		const struct xy__row *r = &f->rows[i];
		int x = (int)lround(plot_share(p.size, plot_size(r)) * PLOT_COLUMNS);
		int y = (int)lround((1 - plot_share(p.us, log10(r->median))) * PLOT_LINES);

		grid[y][x] = r->synthetic ? '?' : xy__archs[r->arch].mark;
	}
	printf("%s on %s: microseconds over size (", f->name, f->host);
	for (unsigned arch = 0; arch < XY_NARCH; arch++)
		printf("%c %s, ", xy__archs[arch].mark, xy__archs[arch].title);
	printf("? synthetic)\n");
	for (int y = 0; y <= PLOT_LINES; y++) {
		if (y == 0 || y == PLOT_LINES)
			printf("%8.0e |%s\n", pow(10, y ? p.us[0] : p.us[1]), grid[y]);
		else
			printf("%8s |%s\n", "", grid[y]);
	}
	printf("%9s+", "");
	for (int x = 0; x <= PLOT_COLUMNS; x++)
		putchar('-');
	printf("\n%10s%-*.0e%.0e\n", "", PLOT_COLUMNS - 4, pow(10, p.size[0]), pow(10, p.size[1]));
	return TOOL_OK;
}

static double svg_x(const struct plot *p, double size)
{
	return PLOT_LEFT + plot_share(p->size, size) * (PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT);
}

static double svg_y(const struct plot *p, double us)
{
	return PLOT_HEIGHT - PLOT_BOTTOM - plot_share(p->us, us) * (PLOT_HEIGHT - PLOT_TOP - PLOT_BOTTOM);
}

/* Text as SVG has it. */
static void svg_text(FILE *out, const char *text)
{
	for (; *text; text++)
		if (strchr("<>&'\"", *text) || (unsigned char)*text < ' ')
			fprintf(out, "&#%d;", (unsigned char)*text < ' ' ? '?' : *text);
		else
			putc(*text, out);
}

static void svg_axes(const struct plot *p, const struct xy__model_file *f, FILE *out)
{
	fprintf(out, "<text x='%d' y='24' font-size='16'>", PLOT_LEFT);
	svg_text(out, f->name);
	fprintf(out, " on ");
	svg_text(out, f->host);
	fprintf(out, "</text>\n");
	for (double e = p->size[0]; e <= p->size[1]; e++) {
		fprintf(out, "<path d='M%.1f %d V%d' stroke='#ddd'/>", svg_x(p, e), PLOT_TOP,
			PLOT_HEIGHT - PLOT_BOTTOM);
		fprintf(out, "<text x='%.1f' y='%d' text-anchor='middle'>1e%.0f</text>\n", svg_x(p, e),
			PLOT_HEIGHT - PLOT_BOTTOM + 18, e);
	}
	for (double e = p->us[0]; e <= p->us[1]; e++) {
		fprintf(out, "<path d='M%d %.1f H%d' stroke='#ddd'/>", PLOT_LEFT, svg_y(p, e), PLOT_WIDTH - PLOT_RIGHT);
		fprintf(out, "<text x='%d' y='%.1f' text-anchor='end'>1e%.0f</text>\n", PLOT_LEFT - 8, svg_y(p, e) + 4,
			e);
	}
	fprintf(out, "<text x='%d' y='%d' text-anchor='middle'>size</text>\n",
		(PLOT_LEFT + PLOT_WIDTH - PLOT_RIGHT) / 2, PLOT_HEIGHT - 20);
	fprintf(out, "<text transform='translate(22 %d) rotate(-90)' text-anchor='middle'>microseconds</text>\n",
		(PLOT_TOP + PLOT_HEIGHT - PLOT_BOTTOM) / 2);
	for (int a = 0; a < XY_NARCH; a++)
		fprintf(out, "<circle cx='%d' cy='36' r='4' fill='%s'/><text x='%d' y='40'>%s</text>\n",
			PLOT_WIDTH - 10 - 80 * (XY_NARCH - a), xy__archs[a].colour,
			PLOT_WIDTH - 2 - 80 * (XY_NARCH - a), xy__archs[a].name);
}

/* A mark, hollow for a synthetic row, and a bar of one spread up and down. */
static void svg_row(const struct plot *p, const struct xy__row *r, FILE *out)
{
	double low = fmax(log10(fmax(r->median - r->spread, r->median * 0.01)), p->us[0]);
	double high = fmin(log10(r->median + r->spread), p->us[1]), x = svg_x(p, plot_size(r));
	const char *colour = xy__archs[r->arch].colour;

	fprintf(out, "<path d='M%.1f %.1f V%.1f' stroke='%s'/>", x, svg_y(p, low), svg_y(p, high), colour);
	fprintf(out, "<circle cx='%.1f' cy='%.1f' r='4' stroke='%s' fill='%s'/>\n", x, svg_y(p, log10(r->median)),
		colour, r->synthetic ? "white" : colour);
}

enum tool_status tool_model_svg(const struct xy__model_file *f, const char *path)
{
	struct plot p;
	FILE *out;
	bool failed;

	if (!plot_init(&p, f))
		return TOOL_WRONG;
	out = fopen(path, "w");
	if (!out) {
		tool_say("%s: %s", path, strerror(errno));
		return TOOL_FAILED;
	}
	fprintf(out,
		"<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' "
		"font-size='12'>\n<rect width='100%%' height='100%%' fill='white'/>\n",
		PLOT_WIDTH, PLOT_HEIGHT);
	svg_axes(&p, f, out);
	for (unsigned i = 0; i < f->nrows; i++)
		svg_row(&p, &f->rows[i], out);
	fprintf(out, "</svg>\n");
	failed = ferror(out);
	if (fclose(out) || failed) {
		tool_say("%s: can't be written", path);
		return TOOL_FAILED;
	}
	return TOOL_OK;
}
