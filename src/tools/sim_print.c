/* SPDX-License-Identifier: MIT */
/*
 * Results for people, as a table, and for programs, as JSON. Times in the table have one unit, which its header
 * names; in JSON they are microseconds.
 */
#include <math.h>
#include <string.h>

#include "tools/sim.h"

struct print_unit {
	const char *name;
	double per_s;
};

static struct print_unit print_unit(double seconds)
{
	if (seconds >= 100)
		return (struct print_unit){ "s", 1 };
	return seconds >= 0.01 ? (struct print_unit){ "ms", 1e3 } : (struct print_unit){ "us", 1e6 };
}

static double print_bound_s(const struct sim_case *c)
{
	return c->bounds.us[c->request->bound] * 1e-6;
}

static double row_median(const struct sim_row *row)
{
	unsigned n = row->nruns;

	return (row->makespan_s[(n - 1) / 2] + row->makespan_s[n / 2]) / 2;
}

/* Percent of the workers' time in the first run. */
static double row_percent(const struct sim_case *c, const struct sim_row *row, double seconds)
{
	double all = row->first.makespan_s * c->nworkers;

	return all > 0 ? 100 * seconds / all : 0;
}

double sim_percent(const struct sim_case *c, double makespan_s)
{
	return makespan_s > 0 ? 100 * print_bound_s(c) / makespan_s : 100;
}

static double row_of_bound(const struct sim_case *c, const struct sim_row *row)
{
	return sim_percent(c, row_median(row));
}

/* --- for people --- */

static void print_case(const struct sim_case *c)
{
	const struct sim_request *r = c->request;

	printf("%s%s%s, %u task%s, on %s: %s", tool_bold(), r->graph, tool_plain(), c->graph.ntasks,
	       c->graph.ntasks == 1 ? "" : "s", r->machine, c->workers);
	if (!r->transfers)
		printf("; no transfers");
	if (r->noise > 0)
		printf("; noise %g %%", 100 * r->noise);
	if (r->submit_us > 0)
		printf("; %g us per submission", r->submit_us);
	if (r->overhead_us > 0)
		printf("; %g us overhead per task", r->overhead_us);
	putchar('\n');
}

static void print_bounds(const struct sim_case *c, struct print_unit unit)
{
	const struct bound_set *b = &c->bounds;

	printf("bounds in %s:", unit.name);
	for (unsigned k = 0; k < BOUND_NKINDS; k++)
		if (k != BOUND_LP || b->end != BOUND_NO_SOLVER)
			printf(" %s %.3f%s", bound_name(k), b->us[k] * 1e-6 * unit.per_s,
			       k + 1 < BOUND_NKINDS ? "," : "");
	if (b->end == BOUND_NO_SOLVER)
		printf(" lp not available: built without GLPK (Debian: libglpk-dev)");
	else if (b->end == BOUND_STOPPED && isfinite(b->gap))
		printf(" (stopped after %g s: valid, the optimum is at most %.2g %% higher)", c->request->limit_s,
		       100 * b->gap);
	else if (b->end == BOUND_STOPPED)
		printf(" (stopped after %g s: valid, but no better than the others)", c->request->limit_s);
	putchar('\n');
	if (c->request->noise > 0)
		printf("The bounds are for durations without noise.\n");
}

void sim_print_bounds(const struct sim_case *c, double recorded_s)
{
	struct print_unit unit = print_unit(fmax(recorded_s, c->bounds.us[BOUND_LP] * 1e-6));

	print_case(c);
	print_bounds(c, unit);
	if (recorded_s > 0)
		printf("the recorded run took %.3f %s: %.1f %% of the bound (%s)\n", recorded_s * unit.per_s, unit.name,
		       100 * print_bound_s(c) / recorded_s, bound_name(c->request->bound));
}

static void print_row(const struct sim_case *c, const struct sim_row *row, struct print_unit unit, int width)
{
	const struct sim_idle *idle = &row->first.idle;

	printf("%-*s ", width, row->policy);
	if (row->failed) {
		printf("failed\n");
		return;
	}
	printf("%12.3f", row_median(row) * unit.per_s);
	if (c->request->repeat > 1)
		printf(" %12.3f %12.3f", row->makespan_s[0] * unit.per_s, row->makespan_s[row->nruns - 1] * unit.per_s);
	printf(" %12.3f %7.1f %7.1f %6.1f %6.1f %7.1f %10.1f %8.2f\n", print_bound_s(c) * unit.per_s,
	       row_of_bound(c, row), row_percent(c, row, idle->path_s + idle->data_s + idle->choice_s),
	       row_percent(c, row, idle->path_s), row_percent(c, row, idle->data_s),
	       row_percent(c, row, idle->choice_s), (double)row->first.bytes / 1e6, row->cpu_us);
}

/* What static schedulers expected: the simulator's transfers share links, theirs don't. */
static void print_planned(const struct sim_row *rows, unsigned nrows, struct print_unit unit)
{
	const char *between = "\nplanned:";

	for (unsigned i = 0; i < nrows; i++)
		if (!rows[i].failed && rows[i].planned_s > 0) {
			printf("%s %s %.3f %s", between, rows[i].policy, rows[i].planned_s * unit.per_s, unit.name);
			between = ",";
		}
	if (*between == ',')
		putchar('\n');
}

void sim_print_table(const struct sim_case *c, const struct sim_row *rows, unsigned nrows)
{
	double longest = print_bound_s(c);
	struct print_unit unit;
	int width = 6;
	char title[32];

	for (unsigned i = 0; i < nrows; i++) {
		longest = rows[i].failed ? longest : fmax(longest, row_median(&rows[i]));
		width = (int)fmax(width, fmin((double)strlen(rows[i].policy), 60));
	}
	unit = print_unit(longest);
	print_case(c);
	print_bounds(c, unit);
	printf("\n%s", tool_bold());
	snprintf(title, sizeof(title), "makespan %s", unit.name);
	printf("%-*s %12s", width, "policy", title);
	if (c->request->repeat > 1)
		printf(" %12s %12s", "least", "most");
	printf(" %12s %7s %7s %6s %6s %7s %10s %8s%s\n", bound_name(c->request->bound), "% of it", "idle %", "path",
	       "data", "choice", "MB moved", "us/task", tool_plain());
	for (unsigned i = 0; i < nrows; i++)
		print_row(c, &rows[i], unit, width);
	print_planned(rows, nrows, unit);
	if (c->request->repeat > 1)
		printf("\n"
		       "The makespan is the median of %u runs, with seeds from %llu; idle time and bytes "
		       "are from the first run.\n",
		       c->request->repeat, (unsigned long long)c->request->seed);
}

/* --- for programs --- */

static void json_text(const char *text)
{
	putchar('"');
	for (; *text; text++)
		if (*text == '"' || *text == '\\' || (unsigned char)*text < ' ')
			printf("\\u%04x", (unsigned char)*text);
		else
			putchar(*text);
	putchar('"');
}

/* A number, or null for what is none. */
static void json_number(const char *name, double value)
{
	if (isfinite(value))
		printf("\"%s\": %.17g", name, value);
	else
		printf("\"%s\": null", name);
}

static void json_case(const struct sim_case *c)
{
	static const char *const ends[] = { "optimal", "stopped", "no solver" };
	const struct sim_request *r = c->request;

	printf("{\n  \"machine\": ");
	json_text(r->machine);
	printf(",\n  \"graph\": ");
	json_text(r->graph);
	printf(",\n  \"tasks\": %u, \"workers\": %u, \"transfers\": %s,\n  ", c->graph.ntasks, c->nworkers,
	       r->transfers ? "true" : "false");
	json_number("noise", r->noise);
	printf(", \"seed\": %llu, \"repeat\": %u,\n  \"bounds_us\": {", (unsigned long long)r->seed, r->repeat);
	for (unsigned k = 0; k < BOUND_NKINDS; k++) {
		json_number(bound_name(k), k == BOUND_LP && c->bounds.end == BOUND_NO_SOLVER ? NAN : c->bounds.us[k]);
		printf("%s", k + 1 < BOUND_NKINDS ? ", " : "},\n");
	}
	printf("  \"lp\": {\"end\": \"%s\", ", ends[c->bounds.end]);
	json_number("gap", c->bounds.gap);
	printf("},\n  \"bound\": \"%s\"", bound_name(r->bound));
}

void sim_print_bounds_json(const struct sim_case *c, double recorded_s)
{
	json_case(c);
	printf(",\n  ");
	json_number("recorded_us", recorded_s > 0 ? recorded_s * 1e6 : NAN);
	printf(",\n  ");
	json_number("percent", recorded_s > 0 ? 100 * print_bound_s(c) / recorded_s : NAN);
	printf("\n}\n");
}

static void json_row(const struct sim_case *c, const struct sim_row *row)
{
	const struct sim_idle *idle = &row->first.idle;

	printf("    {\"policy\": ");
	json_text(row->policy);
	if (row->failed) {
		printf(", \"failed\": true}");
		return;
	}
	printf(", \"failed\": false,\n     \"makespans_us\": [");
	for (unsigned i = 0; i < row->nruns; i++)
		printf("%s%.17g", i ? ", " : "", row->makespan_s[i] * 1e6);
	printf("], ");
	json_number("makespan_us", row_median(row) * 1e6);
	if (row->planned_s > 0) {
		printf(", ");
		json_number("planned_us", row->planned_s * 1e6);
	}
	printf(", ");
	json_number("percent", row_of_bound(c, row));
	printf(",\n     \"idle_percent\": {");
	json_number("path", row_percent(c, row, idle->path_s));
	printf(", ");
	json_number("data", row_percent(c, row, idle->data_s));
	printf(", ");
	json_number("choice", row_percent(c, row, idle->choice_s));
	printf("},\n     \"bytes\": %llu, ", row->first.bytes);
	json_number("us_per_task", row->cpu_us);
	printf("}");
}

void sim_print_json(const struct sim_case *c, const struct sim_row *rows, unsigned nrows)
{
	json_case(c);
	printf(",\n  \"policies\": [\n");
	for (unsigned i = 0; i < nrows; i++) {
		json_row(c, &rows[i]);
		printf("%s\n", i + 1 < nrows ? "," : "");
	}
	printf("  ]\n}\n");
}

/* --- for spreadsheets --- */

void sim_print_field(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\n")) {
		fputs(text, out);
		return;
	}
	putc('"', out);
	for (; *text; text++)
		fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
	putc('"', out);
}

void sim_print_csv_head(void)
{
	printf("machine,graph,tasks,workers,transfers,noise,policy,runs,makespan_us,least_us,most_us,planned_us,bound,"
	       "bound_us,percent,idle_path_percent,idle_data_percent,idle_choice_percent,bytes,us_per_task\n");
}

static void csv_row(const struct sim_case *c, const struct sim_row *row)
{
	const struct sim_request *r = c->request;
	const struct sim_idle *idle = &row->first.idle;

	sim_print_field(stdout, r->machine);
	putchar(',');
	sim_print_field(stdout, r->graph);
	printf(",%u,%u,%s,%.17g,", c->graph.ntasks, c->nworkers, r->transfers ? "true" : "false", r->noise);
	sim_print_field(stdout, row->policy);
	if (row->failed) {
		printf(",0,,,,,%s,%.17g,,,,,,\n", bound_name(r->bound), print_bound_s(c) * 1e6);
		return;
	}
	printf(",%u,%.17g,%.17g,%.17g,", row->nruns, row_median(row) * 1e6, row->makespan_s[0] * 1e6,
	       row->makespan_s[row->nruns - 1] * 1e6);
	if (row->planned_s > 0)
		printf("%.17g", row->planned_s * 1e6);
	printf(",%s,%.17g,%.6g,%.6g,%.6g,%.6g,%llu,%.6g\n", bound_name(r->bound), print_bound_s(c) * 1e6,
	       row_of_bound(c, row), row_percent(c, row, idle->path_s), row_percent(c, row, idle->data_s),
	       row_percent(c, row, idle->choice_s), row->first.bytes, row->cpu_us);
}

void sim_print_csv(const struct sim_case *c, const struct sim_row *rows, unsigned nrows)
{
	for (unsigned i = 0; i < nrows; i++)
		csv_row(c, &rows[i]);
}
