/* SPDX-License-Identifier: MIT */
/* The page of a farm: counts, pieces over time, and a table with a curve for each piece. No script, nothing to load. */
#include "farm/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "farm/quote.h"

#define PAGE_ROWS 2000
#define PAGE_COLUMNS 240 /* of the plot over time */
#define PAGE_CURVE 60    /* points of a curve */

static const char page_style[] =
	":root{--bg:#fff;--fg:#1c2430;--soft:#5d6b7c;--line:#e3e8ee;--card:#f7f9fb;--waiting:#c9d2dc;"
	"--blocked:#e2d9c3;--submitted:#f0b948;--running:#3987d6;--done:#3f9d5a;--failed:#e07b5a;"
	"--given:#b3282d}"
	"@media(prefers-color-scheme:dark){:root{--bg:#14181e;--fg:#e6ebf1;--soft:#96a3b3;--line:#2c343e;"
	"--card:#1b2129;--waiting:#46515e;--blocked:#5c5443}}"
	"body{font:15px/1.45 system-ui,sans-serif;background:var(--bg);color:var(--fg);margin:2rem auto;"
	"max-width:72rem;padding:0 1.2rem}"
	"h1{font-size:1.5rem;margin:0}"
	"h2{font-size:1.05rem;margin:2rem 0 .5rem}"
	"p{margin:.2rem 0;color:var(--soft)}"
	".tiles{display:flex;flex-wrap:wrap;gap:.6rem;margin:1rem 0}"
	".tile{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.5rem .9rem;"
	"min-width:5.5rem}"
	".tile b{display:block;font-size:1.35rem;font-variant-numeric:tabular-nums}"
	".tile span{color:var(--soft);font-size:.85rem}"
	".bar{display:flex;height:.9rem;border-radius:.45rem;overflow:hidden;background:var(--waiting)}"
	"svg{display:block;width:100%}"
	".scroll{overflow-x:auto}"
	"table{border-collapse:collapse;width:100%;font-size:.9rem}"
	"th,td{text-align:right;padding:.3rem .6rem;border-bottom:1px solid var(--line);white-space:nowrap;"
	"font-variant-numeric:tabular-nums}"
	"th{color:var(--soft);font-weight:600}"
	"th.l,td.l{text-align:left}"
	"td.name{max-width:22rem;overflow:hidden;text-overflow:ellipsis}"
	".dot{display:inline-block;width:.6rem;height:.6rem;border-radius:50%;margin-right:.4rem}"
	".axis{fill:var(--soft);font-size:11px}"
	".grid{stroke:var(--line)}"
	".curve{fill:none;stroke:var(--running);stroke-width:1.5}"
	"td svg{width:110px;height:22px}";

static const char *const page_colours[] = { "var(--waiting)", "var(--blocked)", "var(--submitted)", "var(--running)",
					    "var(--done)",    "var(--failed)",  "var(--given)" };
/* From the bottom of the plot. */
static const enum farm_step page_order[] = { FARM_DONE,   FARM_RUNNING, FARM_SUBMITTED, FARM_GIVEN_UP,
					     FARM_FAILED, FARM_BLOCKED, FARM_WAITING };

static void page_tile(struct xy__buffer *b, const char *label, const char *format, double value)
{
	if (isnan(value))
		return;
	xy__buffer_add(b, "<div class=tile><b>");
	/* Only this file's formats come here. */
	if (!strcmp(format, "%.0f"))
		xy__buffer_add(b, "%.0f", value);
	else if (!strcmp(format, "%.3g"))
		xy__buffer_add(b, "%.3g", value);
	else if (!strcmp(format, "%"))
		xy__buffer_add(b, "%.0f %%", value);
	else
		xy__buffer_add(b, "%.0f MB", value / 1e6);
	xy__buffer_add(b, "</b><span>%s</span></div>", label);
}

static void page_head(const struct farm_status *status, struct xy__buffer *b)
{
	static const char *const schedulers[] = { "SLURM", "PBS", "this computer" };
	const struct farm *farm = status->state->farm;
	const struct farm_summary *s = &status->summary;
	time_t now = (time_t)status->now;
	char text[64] = "";
	struct tm local;

	xy__buffer_add(b, "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport "
			  "content=\"width=device-width\"><title>");
	farm_quote_html(b, farm->name);
	xy__buffer_add(b, ": %zu of %zu done</title><style>%s</style>\n<h1>", s->counts[FARM_DONE], farm->npieces,
		       page_style);
	farm_quote_html(b, farm->name);
	xy__buffer_add(b, "</h1><p>%zu pieces on %s, ", farm->npieces, schedulers[farm->scheduler]);
	farm_quote_html(b, farm->folder);
	if (localtime_r(&now, &local))
		strftime(text, sizeof(text), "%F %T", &local);
	xy__buffer_add(b, "</p><p>%s; manager: ", text);
	farm_quote_html(b, *status->manager ? status->manager : "none");
	xy__buffer_add(b, "</p>\n<div class=tiles>");
	for (size_t i = 0; i < FARM_STEPS; i++) {
		enum farm_step step = page_order[i];

		if (s->counts[step])
			xy__buffer_add(b,
				       "<div class=tile><b>%zu</b><span><i class=dot style=\"background:%s\"></i>"
				       "%s</span></div>",
				       s->counts[step], page_colours[step], farm_step_name(step));
	}
	farm_status_time(s->elapsed_s, text, sizeof(text));
	xy__buffer_add(b, "<div class=tile><b>%s</b><span>elapsed</span></div>", text);
	page_tile(b, "starts", "%.0f", (double)s->starts);
	page_tile(b, "failures", "%.0f", (double)s->fails);
	page_tile(b, "seconds to start", "%.0f", s->start_delay_s);
	page_tile(b, "points", "%.0f", s->points);
	page_tile(b, "points/s in a job", "%.3g", s->points_per_s);
	page_tile(b, "mean CPU", "%", s->cpu);
	page_tile(b, "largest memory", "MB", s->memory_max);
	page_tile(b, "overhead", "%", s->overhead);
	xy__buffer_add(b, "</div>\n<div class=bar>");
	for (size_t i = 0; i < FARM_STEPS; i++)
		if (s->counts[page_order[i]])
			xy__buffer_add(b, "<div title=\"%zu %s\" style=\"width:%.3f%%;background:%s\"></div>",
				       s->counts[page_order[i]], farm_step_name(page_order[i]),
				       100.0 * (double)s->counts[page_order[i]] / (double)farm->npieces,
				       page_colours[page_order[i]]);
	xy__buffer_add(b, "</div>\n");
}

/* --- pieces over time --- */

/* How many pieces were in each step at the end of each column. */
struct page_times {
	int64_t first, last;
	size_t counts[FARM_STEPS];
	size_t columns[PAGE_COLUMNS][FARM_STEPS];
	size_t filled;
	bool began;
};

static enum farm_step page_step(const char *name)
{
	for (unsigned i = 0; i < FARM_STEPS; i++)
		if (name && !strcmp(farm_step_name((enum farm_step)i), name))
			return (enum farm_step)i;
	return FARM_WAITING;
}

static void page_first(void *arg, int64_t time, const char *piece, const char *from, const char *to, const char *job,
		       const char *reason)
{
	struct page_times *times = arg;

	(void)piece, (void)from, (void)to, (void)job, (void)reason;
	if (!times->began)
		times->first = time;
	times->began = true;
}

static size_t page_column(const struct page_times *times, int64_t time)
{
	int64_t length = times->last > times->first ? times->last - times->first : 1;
	int64_t column = (time - times->first) * PAGE_COLUMNS / length;

	return column < 0 ? 0 : column >= PAGE_COLUMNS ? PAGE_COLUMNS - 1 : (size_t)column;
}

static void page_count(void *arg, int64_t time, const char *piece, const char *from, const char *to, const char *job,
		       const char *reason)
{
	struct page_times *times = arg;
	size_t column = page_column(times, time);

	(void)job, (void)reason;
	for (; times->filled < column; times->filled++)
		memcpy(times->columns[times->filled], times->counts, sizeof(times->counts));
	if (!piece)
		return;
	if (times->counts[page_step(from)])
		times->counts[page_step(from)]--;
	times->counts[page_step(to)]++;
}

/* One area of the stack: along its upper edge, back along its lower one. */
static void page_area(struct xy__buffer *b, const struct page_times *times, size_t layer, double n, double height)
{
	xy__buffer_add(b, "<path fill=\"%s\" d=\"M", page_colours[page_order[layer]]);
	for (int edge = 0; edge < 2; edge++)
		for (size_t i = 0; i < PAGE_COLUMNS; i++) {
			size_t column = edge ? PAGE_COLUMNS - 1 - i : i, sum = 0;

			for (size_t below = 0; below + (size_t)edge <= layer; below++)
				sum += times->columns[column][page_order[below]];
			xy__buffer_add(b, "%.1f %.1f ", 44.0 + (double)column * 900 / (PAGE_COLUMNS - 1),
				       10 + height * (1 - (double)sum / n));
		}
	xy__buffer_add(b, "Z\"/>");
}

static void page_plot(const struct farm_status *status, struct xy__buffer *b)
{
	struct page_times *times = calloc(1, sizeof(*times));
	double n = (double)status->state->farm->npieces;
	char text[32];

	if (!times)
		return;
	farm_state_history(status->state, NULL, page_first, times);
	times->last = status->summary.counts[FARM_DONE] + status->summary.counts[FARM_GIVEN_UP] ==
				      status->state->farm->npieces
			      ? status->state->now
			      : status->now;
	times->counts[FARM_WAITING] = status->state->farm->npieces;
	farm_state_history(status->state, NULL, page_count, times);
	for (; times->filled < PAGE_COLUMNS; times->filled++)
		memcpy(times->columns[times->filled], times->counts, sizeof(times->counts));
	xy__buffer_add(
		b, "<h2>Pieces over time</h2><svg viewBox=\"0 0 960 232\" role=img aria-label=\"pieces over time\">");
	for (int i = 0; i <= 4; i++) {
		double y = 10 + 190 * (1 - i / 4.0);

		if (fmod(n * i, 4) != 0)
			continue;
		xy__buffer_add(
			b,
			"<line class=grid x1=44 x2=944 y1=%.1f y2=%.1f /><text class=axis x=38 y=%.1f text-anchor=end>"
			"%.0f</text>",
			y, y, y + 4, n * i / 4);
	}
	for (size_t layer = 0; layer < FARM_STEPS; layer++)
		page_area(b, times, layer, n, 190);
	for (int i = 0; i <= 4; i++) {
		farm_status_time((double)(times->last - times->first) * i / 4, text, sizeof(text));
		xy__buffer_add(b, "<text class=axis x=%d y=220 text-anchor=%s>%s</text>", 44 + 225 * i,
			       i == 0   ? "start"
			       : i == 4 ? "end"
					: "middle",
			       text);
	}
	xy__buffer_add(b, "</svg>\n");
	free(times);
}

/* --- the table --- */

static void page_cell(struct xy__buffer *b, double value, const char *unit)
{
	if (isnan(value))
		xy__buffer_add(b, "<td>");
	else
		xy__buffer_add(b, "<td>%.4g%s", value, unit);
}

static double page_value(const struct farm_progress *line, bool loss)
{
	return loss ? line->loss : line->points;
}

/* The loss over time, or the points if there is none. The first lines of a job may have no loss yet. */
static void page_curve(const struct farm *farm, size_t piece, struct xy__buffer *b)
{
	double low = INFINITY, high = -INFINITY, length;
	size_t n, losses = 0, first, last = 0;
	struct farm_progress *lines;
	bool loss;

	lines = farm_progress_read(farm, piece, PAGE_CURVE, &n);
	for (size_t i = 0; i < n; i++)
		losses += !isnan(lines[i].loss);
	loss = losses > 1;
	first = n;
	for (size_t i = 0; i < n; i++) {
		double value = page_value(&lines[i], loss);

		if (isnan(value))
			continue;
		first = first < i ? first : i;
		last = i;
		low = fmin(low, value);
		high = fmax(high, value);
	}
	if (first < last && isfinite(low) && isfinite(high)) {
		length = lines[last].time > lines[first].time ? lines[last].time - lines[first].time : 1;
		xy__buffer_add(
			b,
			"<svg viewBox=\"0 0 110 22\" role=img><title>%s from %.4g to %.4g</title><polyline class=curve "
			"points=\"",
			loss ? "loss" : "points", page_value(&lines[first], loss), page_value(&lines[last], loss));
		for (size_t i = first; i <= last; i++) {
			double value = page_value(&lines[i], loss);

			if (!isnan(value))
				xy__buffer_add(b, "%.1f,%.1f ", 2 + 106 * (lines[i].time - lines[first].time) / length,
					       high > low ? 20 - 18 * (value - low) / (high - low) : 11.0);
		}
		xy__buffer_add(b, "\"/></svg>");
	}
	free(lines);
}

static void page_row(const struct farm_status *status, size_t i, struct xy__buffer *b)
{
	const struct farm_record *r = &status->state->records[i];
	const struct farm_progress *p = &status->progress[i];
	const char *job = r->job != FARM_NONE ? status->state->jobs[r->job].id : r->last_job ? r->last_job : "";
	char text[32] = "";

	if (r->since)
		farm_status_time((double)(status->now - r->since), text, sizeof(text));
	xy__buffer_add(b, "<tr><td class=\"l name\" title=\"");
	farm_quote_html(b, status->state->farm->pieces[i].name);
	xy__buffer_add(b, "\">");
	farm_quote_html(b, status->state->farm->pieces[i].name);
	xy__buffer_add(b, "<td class=l><i class=dot style=\"background:%s\"></i>%s<td class=l>", page_colours[r->step],
		       farm_step_name(r->step));
	farm_quote_html(b, job);
	xy__buffer_add(b, "<td>%u<td>%u<td>%s", r->starts, r->fails, text);
	page_cell(b, p->time ? p->points : NAN, "");
	page_cell(b, p->time ? p->loss : NAN, "");
	page_cell(b, p->time ? p->cpu : NAN, " %");
	page_cell(b, p->time ? p->memory / 1e6 : NAN, " MB");
	xy__buffer_add(b, "<td>");
	if (p->time)
		page_curve(status->state->farm, i, b);
	xy__buffer_add(b, "<td class=l>");
	farm_quote_html(b, p->text);
	xy__buffer_add(b, "\n");
}

void farm_status_page(const struct farm_status *status, struct xy__buffer *b)
{
	/* What needs attention first. */
	static const enum farm_step order[] = { FARM_GIVEN_UP, FARM_FAILED,  FARM_RUNNING, FARM_SUBMITTED,
						FARM_WAITING,  FARM_BLOCKED, FARM_DONE };
	const struct farm_state *state = status->state;
	size_t rows = 0;

	page_head(status, b);
	page_plot(status, b);
	xy__buffer_add(b, "<h2>Pieces</h2><div class=scroll><table><tr><th class=l>piece<th class=l>state<th "
			  "class=l>job<th>starts"
			  "<th>fails<th>since<th>points<th>loss<th>CPU<th>memory<th>loss or points<th class=l>says\n");
	for (size_t o = 0; o < FARM_STEPS; o++)
		for (size_t i = 0; i < state->farm->npieces; i++)
			if (state->records[i].step == order[o] && rows++ < PAGE_ROWS)
				page_row(status, i, b);
	xy__buffer_add(b, "</table></div>\n");
	if (rows > PAGE_ROWS)
		xy__buffer_add(b, "<p>and %zu more</p>\n", rows - PAGE_ROWS);
	xy__buffer_add(b, "</html>\n");
}
