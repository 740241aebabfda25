/* SPDX-License-Identifier: MIT */
/*
 * The main job: a tiled Cholesky factorization, checked, timed beside LAPACK alone, with what each
 * worker and each component of the tree did. SCHED chooses the policy, as in every program.
 */
#include "cholesky.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xylem/tree.h>
#include "cholesky_options.h"

enum { WRONG = 1, TROUBLE = 2 }; /* exit statuses */

static const double residual_limit = 10;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int complain(const char *what, int error)
{
	fprintf(stderr, "cholesky: %s: %s\n", what, strerror(-error));
	return TROUBLE;
}

/* --- what the workers did --- */

static int workers_read(struct xy_runtime *rt, struct worker_result *workers, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct xy_worker_stats stats;
		int error = xy_worker_stats(rt, i, &stats);

		if (error)
			return error;
		snprintf(workers[i].name, sizeof workers[i].name, "%s",
			 xy_machine_worker(xy_runtime_machine(rt), i)->name);
		workers[i].tasks = stats.tasks;
		workers[i].busy_s = stats.busy_s;
	}
	return 0;
}

/* --- the progress line, on a terminal only --- */

struct progress {
	struct xy_runtime *runtime;
	unsigned long long ntasks;
	bool shown;
	double next;
};

static void progress_show(void *arg)
{
	struct progress *p = arg;
	unsigned n = xy_machine_nworkers(xy_runtime_machine(p->runtime));
	unsigned long long done = 0;

	if (!p->shown || now() < p->next)
		return;
	for (unsigned i = 0; i < n; i++) {
		struct xy_worker_stats stats;

		if (!xy_worker_stats(p->runtime, i, &stats))
			done += stats.tasks;
	}
	fprintf(stderr, "\r%llu of %llu tasks (%llu %%) ", done, p->ntasks, 100 * done / p->ntasks);
	p->next = now() + 0.1;
}

static void progress_end(const struct progress *p)
{
	if (p->shown && p->next > 0)
		fprintf(stderr, "\r\033[K");
}

/* --- the run --- */

static char *tree_text(struct xy_tree *tree, enum xy_tree_format format, unsigned flags)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (xy_tree_print(tree, out, format, flags) < 0)
		fprintf(out, "(no expression has this shape)");
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* The counters after the factorization, before other tasks run. */
static int run_look(struct xy_runtime *rt, struct result *result)
{
	struct xy_tree *tree = xy_runtime_tree(rt);

	result->nworkers = xy_machine_nworkers(xy_runtime_machine(rt));
	result->workers = calloc(result->nworkers, sizeof *result->workers);
	result->tree = tree_text(tree, XY_TREE_DRAWING, XY_PRINT_COUNTERS);
	result->expression = tree_text(tree, XY_TREE_EXPRESSION, 0);
	if (isatty(STDOUT_FILENO))
		result->tree_coloured = tree_text(tree, XY_TREE_DRAWING, XY_PRINT_COUNTERS | XY_PRINT_COLOUR);
	if (!result->workers || !result->tree || !result->expression)
		return -ENOMEM;
	return workers_read(rt, result->workers, result->nworkers);
}

static double flops(size_t n)
{
	double size = (double)n;

	return size * size * size / 3 + size * size / 2 + size / 6;
}

/* Submits, waits with the progress line, and returns the first error. */
static int run_factor(struct graph *g, struct result *result)
{
	struct progress progress = { .runtime = g->runtime, .ntasks = result->ntasks, .shown = isatty(STDERR_FILENO) };
	int error, failure;

	result->begin_s = xy_now(g->runtime);
	g->progress = progress_show;
	g->progress_arg = &progress;
	error = graph_factor(g);
	while ((failure = xy_wait_for(g->runtime, 0.1)) == -ETIMEDOUT)
		progress_show(&progress);
	result->seconds = xy_now(g->runtime) - result->begin_s;
	result->gflops = flops(result->matrix->n) / result->seconds * 1e-9;
	progress_end(&progress);
	if (!failure)
		return error;
	fprintf(stderr, "cholesky: %s\n", xy_error(g->runtime));
	return failure;
}

static int run_graph(struct graph *g, const struct options *options, struct result *result)
{
	int error = run_factor(g, result);

	if (error)
		return WRONG;
	error = run_look(g->runtime, result);
	if (error)
		return complain("reading the counters", error);
	if (!options->check || xy_is_simulated(g->runtime))
		return 0;
	error = graph_residual(g, &result->residual);
	if (error)
		return complain("computing the residual", error);
	result->checked = true;
	result->correct = result->residual <= residual_limit; /* false for NaN */
	return result->correct ? 0 : WRONG;
}

/* The factorization by LAPACK alone: one call, with a thread for each worker that has a core. */
static int run_alone(const struct matrix *m, const struct xy_machine *machine, struct result *result)
{
	unsigned nworkers = xy_machine_nworkers(machine), ncores = xy_machine_ncores(machine);
	double *a = malloc(m->n * m->n * sizeof *a), begin;
	int error;

	if (!a)
		return -ENOMEM;
	matrix_generate_all(m, a);
	result->alone_threads = kernels_blas_threads(nworkers < ncores ? nworkers : ncores);
	begin = now();
	error = kernels_lapack_potrf((int)m->n, a);
	result->alone_seconds = now() - begin;
	result->alone_gflops = flops(m->n) / result->alone_seconds * 1e-9;
	result->compared = !error;
	kernels_blas_threads(1);
	free(a);
	return error;
}

/* --- telling about it --- */

static void print_head(const struct options *options, const struct result *result, unsigned nworkers)
{
	printf("matrix    %zu x %zu, tiles of %zu, seed %llu: %llu tasks\n", result->matrix->n, result->matrix->n,
	       result->matrix->tile, (unsigned long long)options->seed, result->ntasks);
	printf("kernels   %s, one thread in each task\n", result->kernels->name);
	printf("policy    %s%s on %u worker%s\n", result->sched, result->sched_is_default ? " (the default)" : "",
	       nworkers, nworkers == 1 ? "" : "s");
	fflush(stdout);
}

static void print_result(const struct result *result)
{
	printf("xylem     %.3f s, %.2f GFlop/s%s\n", result->seconds, result->gflops,
	       result->simulated ? ", simulated: nothing was computed" : "");
	if (result->compared)
		printf("dpotrf    %.3f s, %.2f GFlop/s, %s alone with %u thread%s\n", result->alone_seconds,
		       result->alone_gflops, kernels_blas()->name, result->alone_threads,
		       result->alone_threads == 1 ? "" : "s");
	if (result->checked)
		printf("residual  %.2g = ||A - L L'|| / (||A|| n eps), at most %g: %s\n", result->residual,
		       residual_limit, result->correct ? "correct" : "WRONG");
	printf("\nworker       tasks  time in tasks\n");
	for (unsigned i = 0; i < result->nworkers; i++)
		printf("%-8s %9llu  %8.3f s  %3.0f %%\n", result->workers[i].name, result->workers[i].tasks,
		       result->workers[i].busy_s, 100 * result->workers[i].busy_s / result->seconds);
	printf("\n%s", result->tree_coloured ? result->tree_coloured : result->tree);
}

static int run(struct xy_runtime *rt, const struct options *options, struct result *result)
{
	struct graph graph = { .runtime = rt, .matrix = result->matrix, .kernels = options->kernels };
	int status = graph_create(&graph);

	if (status)
		return complain("registering the tiles", status);
	result->simulated = xy_is_simulated(rt);
	kernels_blas_threads(1);
	print_head(options, result, xy_machine_nworkers(xy_runtime_machine(rt)));
	status = run_graph(&graph, options, result);
	graph_destroy(&graph);
	if (!result->tree)
		return status;
	if (options->compare && kernels_blas() && !xy_is_simulated(rt)) {
		int error = run_alone(result->matrix, xy_runtime_machine(rt), result);

		if (error == -ENOMEM)
			return complain("the whole matrix for dpotrf (leave it out with --no-compare)", error);
	}
	print_result(result);
	if (options->report) {
		int error = report_write(options->report, result);

		if (error)
			return complain("writing the report", error);
	}
	return status;
}

int main(int argc, char **argv)
{
	struct options options;
	struct matrix matrix = { 0 };
	struct result result = { .matrix = &matrix, .residual_limit = residual_limit };
	struct xy_runtime *rt;
	const char *sched = getenv("SCHED");
	int status = options_read(&options, argc, argv), error;

	if (status)
		return status < 0 ? 0 : TROUBLE;
	matrix = (struct matrix){
		.n = options.size, .tile = options.tile, .seed = options.seed, .indefinite = options.indefinite
	};
	error = matrix_create(&matrix);
	if (error)
		return complain("the matrix", error);
	result.kernels = options.kernels;
	result.ntasks = graph_ntasks(&matrix);
	result.sched_is_default = !sched || !*sched;
	result.sched = sched;
	if (options.report && chart_create(&result.chart, result.ntasks))
		return complain("the chart of the report", -ENOMEM);
	error = xy_start(&rt, &(struct xy_config){ .profile = true,
						   .watch = result.chart.capacity ? &result.chart.watch : NULL });
	if (!error && result.sched_is_default)
		result.sched = xy_policy_default(xy_runtime_machine(rt));
	status = error ? TROUBLE : run(rt, &options, &result); /* the log says what is wrong */
	xy_stop(&rt);
	matrix_destroy(&matrix);
	chart_destroy(&result.chart);
	free(result.workers);
	free(result.tree);
	free(result.tree_coloured);
	free(result.expression);
	return status;
}
