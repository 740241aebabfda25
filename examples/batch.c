/* SPDX-License-Identifier: MIT */
/*
 * A constitutive-like model at many points: a small nonlinear equation is solved at each, on CPUs and OpenCL devices.
 *
 *   examples/batch [POINTS]
 *
 * Without SCHED, first each device has the batch for itself, then all share it under each policy for batches, and the
 * throughputs are compared; the sum must be that of a serial run. With SCHED, only that policy is used. PoCL makes two
 * devices of the processor, and a simulation real GPUs:
 *
 *   POCL_DEVICES="pthread pthread" XYLEM_OPENCL_DEVICES=0,1 examples/batch
 *   XYLEM_SIM=mirage examples/batch
 */
#include "batch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEVICES = 64, NAME = 32 };

/* --- the model --- */

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

static double solve_range(const struct model *model, struct xy_range range)
{
	double sum = 0;

	for (uint64_t i = range.start; i < range.stop; i++)
		sum += solve(model, model_load(i));
	return sum;
}

/* --- the functions of the batch --- */

static int open_device(void *arg, struct xy_batch_device *device)
{
	(void)arg;
	return device->arch == XY_OPENCL ? model_opencl_begin(device) : 0;
}

/* A device returns the solution at each point, a core their sum. */
static int make_room(struct xy_batch_piece *piece, struct xy_batch_device *device)
{
	uint64_t points = device->arch == XY_OPENCL ? piece->range.stop - piece->range.start : 0;

	if (!piece->result)
		piece->result = malloc(sizeof(double));
	if (!piece->data && points)
		piece->data = malloc(points * sizeof(double));
	return piece->result && (piece->data || !points) ? 0 : -1;
}

static int evaluate(struct xy_batch_piece *piece, struct xy_batch_device *device)
{
	if (device->arch == XY_OPENCL)
		return model_opencl_work(piece, device);
	*(double *)piece->result = solve_range(piece->arg, piece->range);
	return 0;
}

static int add_up(struct xy_batch_piece *piece)
{
	const double *solutions = piece->data;
	double sum = 0;

	if (!solutions)
		return 0;
	for (uint64_t i = 0; i < piece->range.stop - piece->range.start; i++)
		sum += solutions[i];
	*(double *)piece->result = sum;
	free(piece->data);
	piece->data = NULL;
	return 0;
}

static int join(void *arg, struct xy_batch_piece *pieces, size_t n)
{
	struct model *model = arg;

	model->sum = 0;
	for (size_t i = 0; i < n; i++) {
		model->sum += *(double *)pieces[i].result;
		free(pieces[i].result);
	}
	return 0;
}

static void drop(struct xy_batch_piece *piece)
{
	free(piece->data);
	free(piece->result);
}

static void show(void *arg, const struct xy_batch_progress *progress)
{
	const struct model *model = arg;

	if (model->terminal)
		fprintf(stderr, "\r%.0f %%, %.3g items/s, %.1f s left ",
			100.0 * (double)progress->done / (double)progress->total, progress->items_per_s,
			progress->left_s);
	if (model->terminal && progress->done == progress->total)
		fprintf(stderr, "\r\033[K");
}

/* For a simulation: how long a piece takes. */
static double expected_us(const struct xy_task *task, enum xy_arch arch, unsigned implementation)
{
	double points = (double)(xy_task_range(task).stop - xy_task_range(task).start);

	(void)implementation;
	return arch == XY_CPU ? 0.5 * points : 10 + 0.1 * points;
}

static const struct xy_model expectation = { .kind = XY_MODEL_ARCH, .per_arch = expected_us };

/* --- one run --- */

/* What the devices did. */
struct result {
	unsigned ndevices;
	char names[DEVICES][NAME];
	_Atomic uint64_t points[DEVICES];
	unsigned of[DEVICES]; /* by worker: its device */
	double seconds, sum;
	bool simulated;
};

static void count_points(void *arg, const struct xy_report *report)
{
	struct result *r = arg;
	struct xy_range range = xy_task_range(report->task);

	if (!report->status && report->worker < DEVICES)
		r->points[r->of[report->worker]] += range.stop - range.start;
}

static void find_devices(struct result *r, const struct xy_machine *machine)
{
	for (unsigned i = 0; i < xy_machine_nworkers(machine) && i < DEVICES; i++) {
		const struct xy_worker_info *info = xy_machine_worker(machine, i);
		char name[NAME] = "cpu";
		unsigned k = 0;

		if (info->device >= 0)
			snprintf(name, sizeof name, "%s:%d", xy_arch_name(info->arch), info->device);
		while (k < r->ndevices && strcmp(r->names[k], name))
			k++;
		if (k == r->ndevices)
			memcpy(r->names[r->ndevices++], name, sizeof name);
		r->of[i] = k;
	}
}

static void set(const char *variable, const char *value)
{
	if (value)
		setenv(variable, value, 1);
	else
		unsetenv(variable);
}

/* Runs the batch under a policy, on one device or on all. */
static int run(struct result *r, uint64_t points, const char *sched, const char *device)
{
	struct model model = { .exponent = 2.5, .terminal = isatty(STDERR_FILENO) };
	struct xy_batch_ops ops = { .name = "model",
				    .begin = open_device,
				    .prepare = make_room,
				    .work = evaluate,
				    .finish = add_up,
				    .reduce = join,
				    .discard = drop,
				    .where = XY_ON_CPU | (model_has_opencl ? XY_ON_OPENCL : 0),
				    .item_bytes = sizeof(double) };
	const struct xy_watch watch = { .arg = r, .ended = count_points };
	struct xy_runtime *rt;
	double begin;
	int error;

	memset(r, 0, sizeof *r);
	set("SCHED", sched);
	if (device)
		set("XYLEM_BATCH_DEVICES", device);
	if (xy_start(&rt, &(struct xy_config){ .watch = &watch }))
		return 1;
	find_devices(r, xy_runtime_machine(rt));
	r->simulated = xy_is_simulated(rt);
	if (r->simulated) {
		ops.model = &expectation;
		ops.where = XY_ON_CPU | XY_ON_CUDA | XY_ON_OPENCL | XY_ON_HIP;
	}
	begin = xy_now(rt);
	error = xy_batch_run(rt, &ops, &(struct xy_batch){ .stop = points, .arg = &model, .progress = show });
	r->seconds = xy_now(rt) - begin;
	r->sum = model.sum;
	return xy_stop(&rt) || error;
}

/* The sum of a serial run, computed once. */
static double serial_sum(uint64_t points)
{
	static double sum;

	if (!(sum > 0))
		sum = solve_range(&(struct model){ .exponent = 2.5 }, (struct xy_range){ 0, points });
	return sum;
}

/* The order of the additions differs from run to run. */
static bool agrees(const struct result *r, uint64_t points)
{
	return r->simulated || fabs(r->sum - serial_sum(points)) <= 1e-9 * serial_sum(points);
}

static void print_devices(const struct result *r)
{
	for (unsigned i = 0; i < r->ndevices; i++)
		if (r->points[i])
			fprintf(stderr, "  %s %.3g/s", r->names[i], (double)r->points[i] / r->seconds);
	fprintf(stderr, "\n");
}

/* --- all of them --- */

static int compare(uint64_t points)
{
	static const char *const policies[] = { "tree-batch-simple", "tree-batch-hybrid", "tree-batch-mpi",
						"tree-batch-auto" };
	const char *chosen = getenv("XYLEM_BATCH_DEVICES");
	double best = 0, sum = 0, all = 0;
	static struct result r;
	char names[DEVICES][NAME];
	unsigned ndevices;
	bool right = true;

	chosen = chosen ? strdup(chosen) : NULL;
	if (run(&r, points, "tree-batch-auto", NULL)) /* also opens what stays open */
		return 1;
	ndevices = r.ndevices;
	memcpy(names, r.names, sizeof names);
	for (unsigned i = 0; i < ndevices; i++) {
		if (run(&r, points, "tree-batch-auto", names[i]))
			return 1;
		fprintf(stderr, "%-18s %9.3g items/s\n", names[i], (double)points / r.seconds);
		best = fmax(best, (double)points / r.seconds);
		sum += (double)points / r.seconds;
		right &= agrees(&r, points);
	}
	set("XYLEM_BATCH_DEVICES", chosen);
	free((char *)chosen);
	for (unsigned i = 0; i < sizeof policies / sizeof policies[0]; i++) {
		if (run(&r, points, policies[i], NULL))
			return 1;
		all = (double)points / r.seconds;
		fprintf(stderr,
			"%-18s %9.3g items/s, %.2f of the best device alone, %.0f %% of all alone:", policies[i], all,
			all / best, 100 * all / sum);
		print_devices(&r);
		right &= agrees(&r, points);
	}
	if (r.simulated)
		printf("tree-batch-auto reaches %.0f %% of the devices alone\n", 100 * all / sum);
	else
		printf("%s\n", right ? "the sums agree" : "the sums differ");
	return !right;
}

int main(int argc, char **argv)
{
	uint64_t points = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	const char *sched = getenv("SCHED");
	static struct result r;

	if (!sched || !*sched)
		return compare(points);
	sched = strdup(sched);
	if (!sched || run(&r, points, sched, NULL))
		return 1;
	free((char *)sched);
	fprintf(stderr, "%.3g items/s:", (double)points / r.seconds);
	print_devices(&r);
	printf("%s\n", agrees(&r, points) ? "the sums agree" : "the sums differ");
	return !agrees(&r, points);
}
