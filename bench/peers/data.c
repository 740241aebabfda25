/* SPDX-License-Identifier: MIT */
/*
 * What data on several memory nodes costs, and what moving it ahead brings. The devices are those of the test
 * double of libcudart: nothing here says how fast a GPU is, only what the runtime does between its answers.
 * Prints one line, "NAME VALUE"; a wrong result is a failure without one.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xylem.h>
#include <xylem/cuda.h>
#include "measure.h"
#include "../../tests/double/cudart_double.h"

enum { FAILED = 1, USAGE = 2, MAX_REPEAT = 100 };

/* A copy and a kernel take as long as each other: a millisecond. */
#define OVERLAP_ELEMENTS 65536
#define OVERLAP_GBPS 0.25
#define OVERLAP_US (OVERLAP_ELEMENTS * sizeof(uint32_t) / (OVERLAP_GBPS * 1000))

enum { FETCH_ACCESSES = 4, FETCH_GROUPS = 64, FETCH_SHARED = 2, FETCH_CELLS = 2 * FETCH_GROUPS + FETCH_SHARED };

static struct xy_runtime *runtime;
static unsigned devices;
static const char *sched;
static const char *measured = "no"; /* whether tasks of fetch have a model: see usage */
static unsigned repeat = 5;
static bool warm_up = true;

static int complain(const char *what)
{
	fprintf(stderr, "data: %s\n", what);
	return FAILED;
}

/* One CPU worker and some devices, on which nothing is fetched before a task has left its queue. */
static int start(void)
{
	static const char *const selected[] = { "none", "0", "0,1", "0,1,2", "0,1,2,3" };

	setenv("CUDART_DOUBLE_DEVICES", "4", 1);
	return xy_start(&runtime, &(struct xy_config){
					  .sched = sched,
					  .ncpu = 1,
					  .drivers = BENCH_DRIVERS,
					  .arch[XY_CUDA].devices = selected[devices],
					  .arch[XY_OPENCL].devices = "none",
					  .arch[XY_CUDA].ahead = XY_NONE,
					  .models = "none",
					  .ignore_environment = true,
				  });
}

/* --- fetch: tasks whose data is where they run --- */

static uint64_t cells[FETCH_CELLS], expected[FETCH_CELLS];
static struct xy_handle *handles[FETCH_CELLS];

/* What is left to submit; one task at a time uses it. */
static struct {
	size_t next, n;
} batch;

static void fetch_body(const uint64_t *a, const uint64_t *b, uint64_t *c, uint64_t *d)
{
	*c = *c * 3 + *a;
	*d = *d * 5 + *b + *c;
}

static int run_fetch(struct xy_call *call)
{
	fetch_body(xy_pointer(call, 0), xy_pointer(call, 1), xy_pointer(call, 2), xy_pointer(call, 3));
	return 0;
}

static const struct xy_codelet fetch = {
	.name = "fetch",
	.cpu = { run_fetch },
	.modes = { XY_R, XY_R, XY_RW, XY_RW },
};

/* With a model the clock is read around each task; with two implementations both are predicted, too. */
static const struct xy_model fetch_model = { .name = "fetch", .kind = XY_MODEL_HISTORY };
static const struct xy_codelet fetch_measured = {
	.name = "fetch",
	.cpu = { run_fetch },
	.modes = { XY_R, XY_R, XY_RW, XY_RW },
	.model = &fetch_model,
};
static const struct xy_codelet fetch_chosen = {
	.name = "fetch",
	.cpu = { run_fetch, run_fetch },
	.modes = { XY_R, XY_R, XY_RW, XY_RW },
	.model = &fetch_model,
};
static const struct xy_codelet fetch_two = {
	.name = "fetch",
	.cpu = { run_fetch, run_fetch },
	.modes = { XY_R, XY_R, XY_RW, XY_RW },
};

static const struct xy_codelet *fetch_codelet(void)
{
	static const struct {
		const char *name;
		const struct xy_codelet *codelet;
	} codelets[] = {
		{ "no", &fetch },
		{ "yes", &fetch_measured },
		{ "two", &fetch_two },
		{ "chosen", &fetch_chosen },
	};

	for (unsigned i = 0; i < sizeof codelets / sizeof codelets[0]; i++)
		if (!strcmp(measured, codelets[i].name))
			return codelets[i].codelet;
	return NULL;
}

static const struct xy_codelet more;

/* Tasks that are submitted by tasks: one thread pays for all of it, and nothing hides behind another. */
static int run_more(struct xy_call *call)
{
	size_t end = batch.next + PEER_BATCH < batch.n ? batch.next + PEER_BATCH : batch.n;
	const struct xy_codelet *codelet = fetch_codelet();
	int error = 0;

	for (; batch.next < end && !error; batch.next++) {
		struct xy_handle **own = handles + FETCH_SHARED + 2 * (batch.next % FETCH_GROUPS);

		error = xy_submit(call->runtime, &(struct xy_task_desc){
							 .codelet = codelet,
							 .handles = { handles[0], handles[1], own[0], own[1] },
						 });
	}
	if (!error && batch.next < batch.n)
		error = xy_submit(call->runtime, &(struct xy_task_desc){ .codelet = &more });
	return error;
}

static const struct xy_codelet more = { .name = "more", .cpu = { run_more } };

static double cpu_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

struct fetch_time {
	double cpu, elapsed; /* ns; of all processors together, as others may use them too, and on the wall */
};

static int fetch_run(size_t n, struct fetch_time *took)
{
	struct fetch_time begin = { cpu_now_ns(), bench_now_ns() };

	batch.next = 0;
	batch.n = n;
	if (xy_submit(runtime, &(struct xy_task_desc){ .codelet = &more }) || xy_wait(runtime))
		return complain("a task failed");
	*took = (struct fetch_time){ cpu_now_ns() - begin.cpu, bench_now_ns() - begin.elapsed };
	for (size_t i = 0; i < n; i++) {
		uint64_t *own = expected + FETCH_SHARED + 2 * (i % FETCH_GROUPS);

		fetch_body(&expected[0], &expected[1], &own[0], &own[1]);
	}
	return 0;
}

/* The data that is only read has valid copies on all devices too. */
static int fetch_share(void)
{
	int error = 0;

	for (unsigned i = 0; i < FETCH_CELLS && !error; i++) {
		cells[i] = expected[i] = i;
		error = xy_variable_register(runtime, &handles[i], &cells[i], sizeof(cells[i]));
	}
	for (unsigned i = 0; i < FETCH_SHARED * devices && !error; i++)
		error = xy_fetch(handles[i % FETCH_SHARED], 1 + i / FETCH_SHARED);
	return error;
}

static int fetch_end(void)
{
	int error = 0;

	for (unsigned i = 0; i < FETCH_CELLS; i++)
		error |= xy_unregister(&handles[i]);
	error |= xy_stop(&runtime);
	if (error)
		return complain("does not stop");
	return memcmp(cells, expected, sizeof cells) ? complain("wrong result") : 0;
}

/* The fastest repetition: one can only be disturbed towards slowness. */
static int bench_fetch(size_t n)
{
	struct fetch_time took, least = { HUGE_VAL, HUGE_VAL };
	int status;

	if (start() || fetch_share())
		return complain("does not start");
	status = warm_up ? fetch_run(n, &took) : 0;
	for (unsigned i = 0; i < repeat && !status; i++) {
		status = fetch_run(n, &took);
		least.cpu = fmin(least.cpu, took.cpu);
		least.elapsed = fmin(least.elapsed, took.elapsed);
	}
	status = status ? status : fetch_end();
	if (!status)
		printf("cpu_ns_per_access %.2f\nelapsed_ns_per_access %.2f\ncpu_ns_per_task %.1f\n",
		       least.cpu / (double)(n * FETCH_ACCESSES), least.elapsed / (double)(n * FETCH_ACCESSES),
		       least.cpu / (double)n);
	return status;
}

/* --- overlap: each task needs data that is not there yet --- */

struct overlap_item {
	uint32_t *vector, sum;
	struct xy_handle *read, *written;
};

struct overlap_work {
	const uint32_t *vector;
	uint32_t *sum;
};

static void overlap_kernel(void *args)
{
	struct overlap_work *work = args;
	const uint32_t *vector = cudart_double_readable(work->vector);
	uint32_t sum = 0;

	for (size_t i = 0; i < OVERLAP_ELEMENTS; i += 16)
		sum += vector[i];
	*(uint32_t *)cudart_double_readable(work->sum) = sum;
}

static int run_overlap(struct xy_call *call)
{
	struct overlap_work work = { xy_pointer(call, 0), xy_pointer(call, 1) };

	return xy_cuda_check(call, cudart_double_launch(xy_cuda_stream(call), overlap_kernel, &work, sizeof work));
}

static const struct xy_codelet overlap = {
	.name = "overlap",
	.cuda = { run_overlap },
	.modes = { XY_R, XY_W },
};

static int overlap_share(struct overlap_item *items, size_t n)
{
	int error = 0;

	for (size_t i = 0; i < n && !error; i++) {
		items[i].vector = xy_memory_allocate(runtime, OVERLAP_ELEMENTS * sizeof(uint32_t));
		if (!items[i].vector)
			return -ENOMEM;
		for (uint32_t k = 0; k < OVERLAP_ELEMENTS; k++)
			items[i].vector[k] = (uint32_t)i + k;
		error = xy_vector_register(runtime, &items[i].read, items[i].vector, OVERLAP_ELEMENTS,
					   sizeof(uint32_t));
		if (!error)
			error = xy_variable_register(runtime, &items[i].written, &items[i].sum, sizeof(uint32_t));
	}
	return error;
}

static int overlap_unshare(struct overlap_item *items, size_t n)
{
	int error = 0;

	for (size_t i = 0; i < n; i++) {
		error |= xy_unregister(&items[i].read) | xy_unregister(&items[i].written);
		xy_memory_free(runtime, items[i].vector);
		for (uint32_t k = 0; k < OVERLAP_ELEMENTS; k += 16)
			items[i].sum -= (uint32_t)i + k;
		if (items[i].sum)
			return complain("wrong result");
	}
	return error;
}

static int overlap_run(struct overlap_item *items, size_t n, double *ns)
{
	double begin;
	int error = overlap_share(items, n);

	begin = bench_now_ns();
	for (size_t i = 0; i < n && !error; i++)
		error = xy_submit(runtime, &(struct xy_task_desc){
						   .codelet = &overlap,
						   .handles = { items[i].read, items[i].written },
					   });
	error = error ? error : xy_wait(runtime);
	*ns = bench_now_ns() - begin;
	return error ? complain("a task failed") : overlap_unshare(items, n);
}

static int bench_overlap(size_t n)
{
	struct overlap_item *items = calloc(n, sizeof(*items));
	double times[MAX_REPEAT];
	int status;

	devices = 1;
	if (!items || start())
		return complain("does not start");
	cudart_double_set_delays(OVERLAP_GBPS, OVERLAP_US);
	status = warm_up ? overlap_run(items, n < 4 ? n : 4, times) : 0;
	for (unsigned i = 0; i < repeat && !status; i++)
		status = overlap_run(items, n, &times[i]);
	free(items);
	if (!status && xy_stop(&runtime))
		status = complain("does not stop");
	if (!status)
		printf("us_per_task %.1f\n", bench_median(times, repeat) / (double)n / 1000);
	return status;
}

/* --- the command line --- */

static void usage(FILE *to)
{
	fputs("Runs one bench of data in Xylem, with devices of the test double of libcudart.\n\n"
	      "  fetch N         tasks on a CPU worker that find their data there\n"
	      "  overlap N       tasks on a device that find theirs in RAM; a copy takes as long as a kernel\n\n"
	      "  --devices D     of fetch: how many, up to 4 (0)\n"
	      "  --model WHICH   of fetch: no, yes; two: two implementations, chosen: by a model (no)\n"
	      "  --sched POLICY  scheduling policy\n"
	      "  --repeat R      so many repetitions; the fastest counts, of overlap the median (5)\n"
	      "  --no-warm-up    no run before the repetitions\n"
	      "\nExit status: 0 done, 1 failed or wrong result, 2 wrong usage.\n",
	      to);
}

static bool parse_count(const char *text, size_t least, size_t most, size_t *value)
{
	char *end;

	*value = strtoul(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && *value >= least && *value <= most;
}

static bool parse_options(int argc, char **argv)
{
	static const struct option table[] = {
		{ "devices", required_argument, NULL, 'd' },
		{ "sched", required_argument, NULL, 's' },
		{ "repeat", required_argument, NULL, 'r' },
		{ "no-warm-up", no_argument, NULL, 'n' },
		{ "model", required_argument, NULL, 'm' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	size_t value = 0;
	int c;

	while ((c = getopt_long(argc, argv, "h", table, NULL)) != -1) {
		if (c == 'h') {
			usage(stdout);
			exit(0);
		} else if (c == 'd' && parse_count(optarg, 0, 4, &value)) {
			devices = (unsigned)value;
		} else if (c == 'r' && parse_count(optarg, 1, MAX_REPEAT, &value)) {
			repeat = (unsigned)value;
		} else if (c == 's') {
			sched = optarg;
		} else if (c == 'm') {
			measured = optarg;
			if (!fetch_codelet())
				return false;
		} else if (c == 'n') {
			warm_up = false;
		} else {
			return false;
		}
	}
	return argc - optind == 2;
}

int main(int argc, char **argv)
{
	int status = USAGE;
	size_t n;

	if (parse_options(argc, argv) && parse_count(argv[optind + 1], 1, 100000000, &n)) {
		if (!strcmp(argv[optind], "fetch"))
			status = bench_fetch(n);
		else if (!strcmp(argv[optind], "overlap"))
			status = bench_overlap(n);
	}
	if (status == USAGE)
		usage(stderr);
	return status;
}
