/* SPDX-License-Identifier: MIT */
/*
 * Clock, calibrated work, tallies and memory growth. A tally belongs to the thread that claimed it and
 * is read by the main thread after the runtime's own wait, which orders the two.
 */
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "measure.h"

#define MAX_THREADS 1024

__thread struct bench_tally *bench_mine;
uint64_t bench_spins;

static struct bench_tally tallies[MAX_THREADS] __attribute__((aligned(128)));
static atomic_uint ntallies;
static atomic_bool gate_is_open;
static struct bench_memory memory_before, memory_after;

struct bench_tally *bench_tally_claim(void)
{
	unsigned i = atomic_fetch_add(&ntallies, 1);

	if (i >= MAX_THREADS) {
		fprintf(stderr, "more than %d threads ran tasks\n", MAX_THREADS);
		exit(1);
	}
	bench_mine = &tallies[i];
	return bench_mine;
}

struct bench_tally bench_tally_sum(void)
{
	struct bench_tally total = { 0 };
	unsigned n = atomic_load(&ntallies);

	for (unsigned i = 0; i < n; i++) {
		total.tasks += tallies[i].tasks;
		total.sum += tallies[i].sum;
	}
	return total;
}

double bench_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* Longer than any runtime here spins before it sleeps when it was asked to be passive. */
void bench_wake_pause(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
}

void bench_wake_watch(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
}

/* The fastest of several tries: a try can only be disturbed towards slowness. */
double bench_calibrate(void)
{
	const uint64_t spins = 200000;
	double best = 0;

	for (int i = 0; i < 100; i++) {
		double begin = bench_now_ns();

		bench_spin(spins);

		double rate = spins / (bench_now_ns() - begin);

		if (rate > best)
			best = rate;
	}
	return best;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double bench_median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), by_value);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static struct bench_memory memory_now(void)
{
	struct mallinfo2 heap = mallinfo2();
	struct bench_memory now = { .heap = (double)heap.uordblks + (double)heap.hblkhd };
	FILE *statm = fopen("/proc/self/statm", "r");
	unsigned long total, resident;

	if (statm && fscanf(statm, "%lu %lu", &total, &resident) == 2)
		now.resident = (double)resident * (double)sysconf(_SC_PAGESIZE);
	if (statm)
		fclose(statm);
	return now;
}

void bench_memory_begin(void)
{
	atomic_store(&gate_is_open, false);
	memory_now(); /* what reading takes by itself does not count */
	memory_before = memory_now();
}

void bench_all_wait(void)
{
	memory_after = memory_now();
}

void bench_gate_open(void)
{
	atomic_store(&gate_is_open, true);
}

void body_gate(uint64_t *cell)
{
	while (!atomic_load(&gate_is_open))
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	*cell = *cell * 3 + 1;
}

struct bench_memory bench_memory_growth(void)
{
	return (struct bench_memory){
		.resident = memory_after.resident - memory_before.resident,
		.heap = memory_after.heap - memory_before.heap,
	};
}
