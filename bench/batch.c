/* SPDX-License-Identifier: MIT */
/*
 * What dividing a batch costs: processor time per piece on simulated devices, under the policies that divide, and
 * whether memory grows with the number of pieces. The time includes the simulator's own, so it is an upper bound.
 *
 *   bench/batch [--quick]     10^8 items in pieces of 1,000 beside 10^6; fails if memory grows
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xylem.h>

enum { PIECE = 1000, GROWTH = 1 << 20 };

struct bench {
	const struct xy_machine *machine;
	unsigned long long pieces;
	long early_bytes; /* resident after a tenth of the pieces */
	unsigned long long early;
};

static double bench_length(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	struct xy_range range = xy_task_range(task);

	(void)worker;
	(void)implementation;
	return (double)(range.stop - range.start);
}

static int bench_nothing(struct xy_call *call)
{
	(void)call;
	return 0;
}

static const struct xy_model model = { .kind = XY_MODEL_WORKER, .per_worker = bench_length };
static const struct xy_codelet codelet = {
	.name = "bench",
	.cpu = { bench_nothing },
	.cuda = { bench_nothing },
	.model = &model,
};

static long resident(void)
{
	long total = 0, pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (file && fscanf(file, "%ld %ld", &total, &pages) != 2)
		pages = 0;
	if (file)
		fclose(file);
	return pages * sysconf(_SC_PAGESIZE);
}

static void bench_ended(void *arg, const struct xy_report *report)
{
	struct bench *bench = arg;

	(void)report;
	if (++bench->pieces == bench->early)
		bench->early_bytes = resident();
}

static double processor_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Whether memory stayed as it was. */
static int run(const char *sched, unsigned long long items)
{
	struct bench bench = { .early = items / PIECE / 10 };
	struct xy_watch watch = { .arg = &bench, .ended = bench_ended };
	struct xy_config config = {
		.sim = "idgraf", .machines = BENCH_MACHINES, .sched = sched, .watch = &watch, .ignore_environment = true
	};
	struct xy_runtime *rt;
	double begin;
	long growth;
	int error;

	if (xy_start(&rt, &config))
		return 1;
	begin = processor_s();
	error = xy_batch_handles(rt, &codelet, &(struct xy_batch){ .stop = items });
	growth = resident() - bench.early_bytes;
	printf("%-60.60s %8llu pieces  %6.3f us each  %6ld KiB, of which %ld since the first tenth\n", sched,
	       bench.pieces, (processor_s() - begin) * 1e6 / (double)bench.pieces, resident() / 1024, growth / 1024);
	xy_stop(&rt);
	return error || growth > GROWTH;
}

int main(int argc, char **argv)
{
	unsigned long long items = argc > 1 && !strcmp(argv[1], "--quick") ? 10000000 : 100000000;

	static const char *const trees[] = {
		"divide(items=1000) | eager | each worker { }",
		"prio | hybrid(batch_sizes=1000) | each node { prio | eager | each worker { } }",
		"prio | balance(least_us=1000) | each node { prio | eager | each worker { } }",
	};
	int failed = 0;

	for (unsigned i = 0; i < sizeof trees / sizeof trees[0]; i++) {
		failed |= run(trees[i], 1000000);
		failed |= run(trees[i], items);
	}
	return failed;
}
