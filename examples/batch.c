/* SPDX-License-Identifier: MIT */
/*
 * A constitutive-like model at many points: a small nonlinear equation is solved at each. The batch is divided as SCHED
 * says (tree-batch-auto if it is not set); its sum must be that of a serial run.
 *
 *   examples/batch [POINTS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <xylem.h>

enum { STEPS = 20 };

struct model {
	double exponent, sum;
	size_t pieces;
	bool terminal;
};

/* x + x^exponent = load, by Newton's method. */
static double solve(const struct model *model, double load)
{
	double x = load / 2;

	for (unsigned i = 0; i < STEPS; i++) {
		double power = pow(x, model->exponent);
		double step = (x + power - load) / (1 + model->exponent * power / x);

		x -= step;
		if (fabs(step) < 1e-12 * x)
			break;
	}
	return x;
}

static double load_of(uint64_t point)
{
	return 1 + (double)(point % 1000) / 500;
}

static double solve_range(const struct model *model, struct xy_range range)
{
	double sum = 0;

	for (uint64_t i = range.start; i < range.stop; i++)
		sum += solve(model, load_of(i));
	return sum;
}

/* --- the functions of the batch --- */

static int evaluate(struct xy_batch_piece *piece, struct xy_batch_device *device)
{
	double *sum = malloc(sizeof *sum);

	(void)device;
	if (!sum)
		return -1;
	*sum = solve_range(piece->arg, piece->range);
	piece->result = sum;
	return 0;
}

static int join(void *arg, struct xy_batch_piece *pieces, size_t n)
{
	struct model *model = arg;

	model->pieces = n;
	for (size_t i = 0; i < n; i++) {
		model->sum += *(double *)pieces[i].result;
		free(pieces[i].result);
	}
	return 0;
}

static void show(void *arg, const struct xy_batch_progress *progress)
{
	const struct model *model = arg;

	if (model->terminal)
		fprintf(stderr, "\r%.0f %%, %.3g items/s, %.1f s left ",
			100.0 * (double)progress->done / (double)progress->total, progress->items_per_s,
			progress->left_s);
}

static const struct xy_batch_ops ops = { .name = "model", .work = evaluate, .reduce = join };

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	struct model model = { .exponent = 2.5, .terminal = isatty(STDERR_FILENO) };
	struct xy_batch batch = { .stop = 1000000, .arg = &model, .progress = show };
	struct xy_runtime *rt;
	double begin, seconds, serial_s, serial;

	if (argc > 1)
		batch.stop = strtoull(argv[1], NULL, 10);
	if (xy_start(&rt, &(struct xy_config){ .sched = "tree-batch-auto" }))
		return 1;
	begin = now();
	if (xy_batch_run(rt, &ops, &batch)) {
		xy_stop(&rt);
		return 1;
	}
	seconds = now() - begin;
	if (model.terminal)
		fprintf(stderr, "\n");
	begin = now();
	serial = solve_range(&model, (struct xy_range){ batch.start, batch.stop });
	serial_s = now() - begin;
	fprintf(stderr, "%zu pieces, %.3g items/s; one core: %.3g items/s\n", model.pieces,
		(double)batch.stop / seconds, (double)batch.stop / serial_s);
	/* The order of the additions differs from piece to piece. */
	printf("%s\n", fabs(model.sum - serial) <= 1e-9 * serial ? "the sums agree" : "the sums differ");
	return xy_stop(&rt) || fabs(model.sum - serial) > 1e-9 * serial;
}
