/* SPDX-License-Identifier: MIT */
/*
 * The page about a run of the Cholesky example: one file with its style and drawings inside, nothing
 * loaded from elsewhere, for light and dark screens. Everything that may come from outside is escaped.
 */
#include "cholesky.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char style[] =
	":root { color-scheme: light dark; --page: #fcfcfa; --ink: #1d2320; --soft: #5c6660; --line: #dcdfd8;\n"
	"  --track: #e8ebe4; --bar: #2f7d4f; --other: #7a6a9c; --good: #1f6b3f; --bad: #b3261e; }\n"
	"@media (prefers-color-scheme: dark) {\n"
	"  :root { --page: #151917; --ink: #e4e8e3; --soft: #9aa59d; --line: #333a35; --track: #262c28;\n"
	"    --bar: #5fbf86; --other: #a897cf; --good: #7fd6a0; --bad: #ff8a80; } }\n"
	"body { margin: 2rem auto; padding: 0 1rem; max-width: 62rem; background: var(--page);\n"
	"  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }\n"
	"h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }\n"
	"p { margin: .3rem 0; } .soft, th { color: var(--soft); font-weight: normal; }\n"
	"dl { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; margin: 1.2rem 0; }\n"
	"dt { color: var(--soft); font-size: .85rem; } dd { margin: 0; font-size: 1.6rem; }\n"
	"dd small { font-size: .9rem; color: var(--soft); }\n"
	".good { color: var(--good); } .bad { color: var(--bad); }\n"
	".wide { overflow-x: auto; } svg { width: 100%; min-width: 36rem; height: auto; }\n"
	"svg text { fill: var(--ink); font-size: 13px; }\n"
	"svg .soft { fill: var(--soft); } .track { fill: var(--track); } .bar { fill: var(--bar); }\n"
	".other { fill: var(--other); } .kernel0 { fill: #4a78b5; } .kernel1 { fill: #ee8b2d; }\n"
	".kernel2 { fill: #57a55a; } .kernel3 { fill: #ac7ba5; }\n"
	"pre { overflow-x: auto; border: 1px solid var(--line); border-radius: 4px; padding: .8rem;\n"
	"  font: .8rem/1.4 ui-monospace, monospace; }\n"
	"table { border-collapse: collapse; } td, th { text-align: left; padding: .15rem 1.5rem .15rem 0;\n"
	"  vertical-align: top; } td { overflow-wrap: anywhere; }\n"
	"code { font: .9em ui-monospace, monospace; }\n";

static void report_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			if ((unsigned char)*text >= ' ' || *text == '\n' || *text == '\t')
				putc(*text, out);
		}
	}
}

static void report_summary(FILE *out, const struct result *r)
{
	const struct matrix *m = r->matrix;

	fputs("<h1>Tiled Cholesky factorization</h1>\n<p class=\"soft\">", out);
	fprintf(out, "%zu × %zu doubles in tiles of %zu, ", m->n, m->n, m->tile);
	fprintf(out, "%llu tasks on %u worker%s, kernels: ", r->ntasks, r->nworkers, r->nworkers == 1 ? "" : "s");
	report_text(out, r->kernels->name);
	fputs("</p>\n<p>Policy: <code>", out);
	report_text(out, r->sched);
	fprintf(out, "</code>%s</p>\n<dl>\n", r->sched_is_default ? " (the default)" : "");
	fprintf(out, "<div><dt>time</dt><dd>%.3f <small>s</small></dd></div>\n", r->seconds);
	fprintf(out, "<div><dt>speed</dt><dd>%.2f <small>GFlop/s</small></dd></div>\n", r->gflops);
	if (r->checked)
		fprintf(out,
			"<div><dt>residual ‖A − L Lᵀ‖ / (‖A‖ n ε)</dt>"
			"<dd>%.2g <small class=\"%s\">%s (limit %g)</small></dd></div>\n",
			r->residual, r->correct ? "good" : "bad", r->correct ? "✓ correct" : "✗ wrong",
			r->residual_limit);
	else
		fputs("<div><dt>residual</dt><dd><small>not computed</small></dd></div>\n", out);
	fputs("</dl>\n", out);
}

static void report_rect(FILE *out, const char *kind, double x, double y, double width)
{
	fprintf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"14\" rx=\"2\"/>", kind, x, y,
		width);
}

/* A bar that fills `share` of its track. */
static void report_bar(FILE *out, const char *kind, double x, double y, double width, double share)
{
	report_rect(out, "track", x, y, width);
	report_rect(out, kind, x, y, width * (share < 0 ? 0 : share > 1 ? 1 : share));
}

static void report_speed(FILE *out, const struct result *r)
{
	double most = r->gflops > r->alone_gflops ? r->gflops : r->alone_gflops;

	if (!r->compared)
		return;
	fputs("<h2>Beside LAPACK alone</h2>\n<div class=\"wide\"><svg viewBox=\"0 0 760 56\" role=\"img\" "
	      "aria-label=\"Speed of this run and of LAPACK alone\">\n",
	      out);
	fputs("<text x=\"0\" y=\"18\">Xylem</text>", out);
	report_bar(out, "bar", 190, 7, 420, r->gflops / most);
	fprintf(out, "<text x=\"620\" y=\"18\">%.2f GFlop/s</text>\n", r->gflops);
	fprintf(out, "<text x=\"0\" y=\"44\">dpotrf, %u thread%s</text>", r->alone_threads,
		r->alone_threads == 1 ? "" : "s");
	report_bar(out, "other", 190, 33, 420, r->alone_gflops / most);
	fprintf(out, "<text x=\"620\" y=\"44\">%.2f GFlop/s</text>\n</svg></div>\n", r->alone_gflops);
	fputs("<p class=\"soft\">One run of each, on the same matrix: ", out);
	report_text(out, kernels_blas()->name);
	fprintf(out, " took %.3f s.</p>\n", r->alone_seconds);
}

static void report_workers(FILE *out, const struct result *r)
{
	unsigned long long most = 1;

	for (unsigned i = 0; i < r->nworkers; i++)
		if (r->workers[i].tasks > most)
			most = r->workers[i].tasks;
	fprintf(out,
		"<h2>Workers</h2>\n<div class=\"wide\"><svg viewBox=\"0 0 760 %u\" role=\"img\" "
		"aria-label=\"Tasks and time in tasks of each worker\">\n",
		28 + 24 * r->nworkers);
	fputs("<text class=\"soft\" x=\"80\" y=\"14\">tasks</text>"
	      "<text class=\"soft\" x=\"420\" y=\"14\">time in tasks, of the run</text>\n",
	      out);
	for (unsigned i = 0; i < r->nworkers; i++) {
		const struct worker_result *w = &r->workers[i];
		double y = 26 + 24.0 * i, share = w->busy_s / r->seconds;

		fprintf(out, "<text x=\"0\" y=\"%.1f\">", y + 11);
		report_text(out, w->name);
		fputs("</text>", out);
		report_bar(out, "bar", 80, y, 240, (double)w->tasks / (double)most);
		fprintf(out, "<text x=\"328\" y=\"%.1f\">%llu</text>", y + 11, w->tasks);
		report_bar(out, "bar", 420, y, 220, share);
		fprintf(out, "<text x=\"648\" y=\"%.1f\">%.3f s, %.0f %%</text>\n", y + 11, w->busy_s, 100 * share);
	}
	fputs("</svg></div>\n", out);
}

static void report_row(FILE *out, const char *name, const char *value)
{
	fputs("<tr><th>", out);
	report_text(out, name);
	fputs("</th><td><code>", out);
	report_text(out, value);
	fputs("</code></td></tr>\n", out);
}

/* The variables that the runtime reads, as far as they are set. */
static void report_environment(FILE *out, const struct result *r)
{
	char number[32];

	fputs("<h2>Environment</h2>\n<table>\n", out);
	report_row(out, "Xylem", xy_version());
	snprintf(number, sizeof number, "%llu", (unsigned long long)r->matrix->seed);
	report_row(out, "seed of the matrix", number);
	for (char **variable = environ; *variable; variable++) {
		const char *value = strchr(*variable, '=');
		char name[64];

		if (!value || (strncmp(*variable, "XYLEM_", 6) && strncmp(*variable, "SCHED=", 6)))
			continue;
		snprintf(name, sizeof name, "%.*s", (int)(value - *variable), *variable);
		report_row(out, name, value + 1);
	}
	fputs("</table>\n", out);
}

int report_write(FILE *out, const struct result *r)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
	      "<title>Xylem: tiled Cholesky</title>\n<style>\n",
	      out);
	fputs(style, out);
	fputs("</style>\n</head>\n<body>\n", out);
	report_summary(out, r);
	report_speed(out, r);
	report_workers(out, r);
	chart_write(out, &r->chart, r);
	fputs("<h2>The tree, with its counters</h2>\n<p><code>", out);
	report_text(out, r->expression);
	fputs("</code></p>\n<pre>", out);
	report_text(out, r->tree);
	fputs("</pre>\n<p class=\"soft\">pushed: tasks it took from above; pulled: tasks it gave to a worker that "
	      "asked; refused: pushes it had no room for; woken: offers that woke a worker; peak: most tasks "
	      "that rested in it at once.</p>\n",
	      out);
	report_environment(out, r);
	fputs("</body>\n</html>\n", out);
	return fflush(out) || ferror(out) ? -EIO : 0;
}
