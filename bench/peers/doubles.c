/* SPDX-License-Identifier: MIT */
/*
 * Candidates for the default policy of machines with devices, in real time: a Cholesky factorization whose kernels only
 * take time, on CPU workers and on devices of the test double of libcudart. Kernels take as long as on the machine
 * mirage with tiles of 640 x 640 floats, and copies in proportion. Since they sleep, a busy computer changes little.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xylem.h>
#include <xylem/cuda.h>
#include "measure.h"
#include "../../tests/double/cudart_double.h"

enum { FAILED = 1, USAGE = 2, MAX_TILES = 32, MAX_REPEAT = 100, TILE_FLOATS = 65536 };

#define COPY_GBPS 1.0 /* a tile takes 0.26 ms */

struct kernel {
	double cpu_us, cuda_us;
};

static const struct kernel potrf = { 5940, 3680 }, trsm = { 14170, 2603 }, syrk = { 13236, 448 }, gemm = { 26471, 896 };

static struct xy_handle *tiles[MAX_TILES][MAX_TILES];
static float *memory[MAX_TILES][MAX_TILES];
static unsigned ntiles = 8, repeat = 5;
static bool models = true;

static int complain(const char *what)
{
	fprintf(stderr, "doubles: %s\n", what);
	return FAILED;
}

/* --- kernels --- */

static void take_time(double us)
{
	nanosleep(&(struct timespec){ .tv_sec = (time_t)(us / 1e6), .tv_nsec = (long)(us * 1e3) % 1000000000 }, NULL);
}

static int run_cpu(struct xy_call *call)
{
	take_time(((const struct kernel *)call->arg)->cpu_us);
	return 0;
}

static void run_on_device(void *args)
{
	take_time((*(const struct kernel **)args)->cuda_us);
}

static int run_cuda(struct xy_call *call)
{
	const struct kernel *kernel = call->arg;

	return xy_cuda_check(call, cudart_double_launch(xy_cuda_stream(call), run_on_device, &kernel, sizeof kernel));
}

static double kernel_length(const struct xy_task *task, enum xy_arch arch, unsigned implementation)
{
	const struct kernel *kernel = xy_task_argument(task);

	(void)implementation;
	return arch == XY_CUDA ? kernel->cuda_us : kernel->cpu_us;
}

static const struct xy_model kernel_model = { .kind = XY_MODEL_ARCH, .per_arch = kernel_length };
static struct xy_codelet one = { .name = "one", .cpu = { run_cpu }, .cuda = { run_cuda }, .modes = { XY_RW } };
static struct xy_codelet two = { .name = "two", .cpu = { run_cpu }, .cuda = { run_cuda }, .modes = { XY_R, XY_RW } };
static struct xy_codelet three = {
	.name = "three", .cpu = { run_cpu }, .cuda = { run_cuda }, .modes = { XY_R, XY_R, XY_RW }
};

/* --- the graph --- */

static int submit(struct xy_runtime *rt, const struct xy_codelet *codelet, const struct kernel *kernel, int priority,
		  struct xy_handle *a, struct xy_handle *b, struct xy_handle *c)
{
	return xy_submit(
		rt, &(struct xy_task_desc){
			    .codelet = codelet, .handles = { a, b, c }, .arg = (void *)kernel, .priority = priority });
}

/* Priorities are the tasks on the longest path to the end, as in `xylem sim`. */
static int submit_all(struct xy_runtime *rt)
{
	int n = (int)ntiles, error = 0;

	for (int k = 0; k < n && !error; k++) {
		error = submit(rt, &one, &potrf, 3 * (n - k), tiles[k][k], NULL, NULL);
		for (int i = k + 1; i < n && !error; i++)
			error = submit(rt, &two, &trsm, 3 * (n - k) - (i - k), tiles[k][k], tiles[i][k], NULL);
		for (int i = k + 1; i < n && !error; i++) {
			error = submit(rt, &two, &syrk, 3 * (n - i) + 1, tiles[i][k], tiles[i][i], NULL);
			for (int j = k + 1; j < i && !error; j++)
				error = submit(rt, &three, &gemm, 3 * (n - j) - (i - j), tiles[i][k], tiles[j][k],
					       tiles[i][j]);
		}
	}
	return error;
}

static int factorize(struct xy_runtime *rt, double *ms)
{
	double begin;
	int error = 0;

	for (unsigned i = 0; i < ntiles && !error; i++)
		for (unsigned j = 0; j <= i && !error; j++)
			error = xy_vector_register(rt, &tiles[i][j], memory[i][j], TILE_FLOATS, sizeof(float));
	begin = bench_now_ns();
	if (!error)
		error = submit_all(rt);
	if (!error)
		error = xy_wait(rt);
	*ms = (bench_now_ns() - begin) * 1e-6;
	for (unsigned i = 0; i < ntiles; i++)
		for (unsigned j = 0; j <= i; j++)
			error |= tiles[i][j] ? xy_unregister(&tiles[i][j]) : 0;
	return error;
}

/* Pinned memory, as a program for GPUs has it; that of the first runtime serves all. */
static int allocate(struct xy_runtime *rt)
{
	for (unsigned i = 0; i < ntiles; i++)
		for (unsigned j = 0; j <= i; j++) {
			memory[i][j] = xy_memory_allocate(rt, TILE_FLOATS * sizeof(float));
			if (!memory[i][j])
				return FAILED;
			memset(memory[i][j], 0, TILE_FLOATS * sizeof(float));
		}
	return 0;
}

static void release(struct xy_runtime *rt)
{
	for (unsigned i = 0; i < ntiles; i++)
		for (unsigned j = 0; j <= i; j++)
			xy_memory_free(rt, memory[i][j]);
}

static int run_policy(const char *sched)
{
	struct xy_runtime *rt;
	double ms[MAX_REPEAT];
	int error = 0;

	if (xy_start(&rt, &(struct xy_config){ .sched = sched,
					       .ncpu = 2,
					       .drivers = BENCH_DRIVERS,
					       .arch[XY_CUDA].devices = "0,1",
					       .arch[XY_OPENCL].devices = "none",
					       .arch[XY_HIP].devices = "none",
					       .models = "none",
					       .ignore_environment = true }))
		return complain("does not start");
	cudart_double_set_delays(COPY_GBPS, 0);
	error = allocate(rt);
	for (unsigned i = 0; i < repeat && !error; i++)
		error = factorize(rt, &ms[i]);
	release(rt);
	if (xy_stop(&rt) || error)
		return complain("a task failed");
	printf("%-24s %8.1f ms\n", sched, bench_median(ms, repeat));
	fflush(stdout);
	return 0;
}

/* --- the command line --- */

static int usage(FILE *to)
{
	fputs("usage: doubles [--tiles N] [--repeat R] [--no-models] [POLICY...]\n\n"
	      "Runs a Cholesky factorization that only takes time on two CPU workers and two devices of the\n"
	      "test double of libcudart, under each policy, and prints the median time.\n\n"
	      "  --tiles N       N x N tiles (8)\n"
	      "  --repeat R      so many runs under each policy (5)\n"
	      "  --no-models     codelets have no performance model\n"
	      "\nExit status: 0 done, 1 failed, 2 wrong usage.\n",
	      to);
	return to == stdout ? 0 : USAGE;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "tiles", 1, NULL, 't' },
						 { "repeat", 1, NULL, 'r' },
						 { "no-models", 0, NULL, 'n' },
						 { "help", 0, NULL, 'h' },
						 { 0 } };
	static char *usual[] = { "tree-eager", "tree-ws", "tree-dmdas", "tree-cambium", NULL };
	char **policies = usual;
	int c, status = 0;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1)
		switch (c) {
		case 't':
			ntiles = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'r':
			repeat = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'n':
			models = false;
			break;
		default:
			return usage(c == 'h' ? stdout : stderr);
		}
	if (!ntiles || ntiles > MAX_TILES || !repeat || repeat > MAX_REPEAT)
		return usage(stderr);
	if (models)
		one.model = two.model = three.model = &kernel_model;
	for (policies = optind < argc ? argv + optind : usual; *policies && !status; policies++)
		status = run_policy(*policies);
	return status;
}
