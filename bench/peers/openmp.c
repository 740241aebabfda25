/* SPDX-License-Identifier: MIT */
/*
 * OpenMP tasks; built once by gcc (libgomp) and once by clang (libomp). One thread of the team submits
 * and helps at the end, so that `workers` is the size of the team. Cells are their own dependencies.
 */
#include <omp.h>
#include <stdatomic.h>
#include "peer.h"

static unsigned nthreads;
static uint64_t *cells;

/* No thread came for the task within this time: waking up does not work here. */
#define LOST_NS 1e9

static int openmp_start(const struct peer_options *options)
{
	unsigned found = 0;

	nthreads = options->workers;
	omp_set_dynamic(0);
#pragma omp parallel num_threads(nthreads)
#pragma omp single
	found = (unsigned)omp_get_num_threads();
	return found != nthreads;
}

static int openmp_stop(void)
{
	return 0;
}

static int openmp_share(uint64_t *shared, size_t n)
{
	(void)n;
	cells = shared;
	return 0;
}

static int openmp_unshare(void)
{
	cells = NULL;
	return 0;
}

static int openmp_independent(size_t n)
{
#pragma omp parallel num_threads(nthreads)
#pragma omp single
	for (size_t i = 0; i < n; i++) {
#pragma omp task firstprivate(i)
		body_count(i);
	}
	return 0;
}

static int openmp_chain(size_t n)
{
#pragma omp parallel num_threads(nthreads)
#pragma omp single
	for (size_t i = 0; i < n; i++) {
#pragma omp task firstprivate(i) depend(inout : cells[0])
		body_chain(cells, i);
	}
	return 0;
}

static void wavefront_submit(uint64_t *own, size_t side, bool has_left, bool has_above)
{
	uint64_t *left = own - 1, *above = own - side;

	if (has_left && has_above) {
#pragma omp task firstprivate(own, left, above) depend(in : *left, *above) depend(inout : *own)
		body_wavefront(own, left, above);
	} else if (has_left) {
#pragma omp task firstprivate(own, left) depend(in : *left) depend(inout : *own)
		body_wavefront(own, left, NULL);
	} else if (has_above) {
#pragma omp task firstprivate(own, above) depend(in : *above) depend(inout : *own)
		body_wavefront(own, NULL, above);
	} else {
#pragma omp task firstprivate(own) depend(inout : *own)
		body_wavefront(own, NULL, NULL);
	}
}

static int openmp_wavefront(size_t side)
{
#pragma omp parallel num_threads(nthreads)
#pragma omp single
	for (size_t y = 0; y < side; y++)
		for (size_t x = 0; x < side; x++)
			wavefront_submit(cells + y * side + x, side, x, y);
	return 0;
}

static void stencil_submit(uint64_t *to, uint64_t *from, bool has_left, bool has_right)
{
	uint64_t *left = from - 1, *right = from + 1;

	if (has_left && has_right) {
#pragma omp task firstprivate(to, from, left, right) depend(in : *left, *from, *right) depend(out : *to)
		body_stencil(to, left, from, right);
	} else if (has_left) {
#pragma omp task firstprivate(to, from, left) depend(in : *left, *from) depend(out : *to)
		body_stencil(to, left, from, NULL);
	} else if (has_right) {
#pragma omp task firstprivate(to, from, right) depend(in : *from, *right) depend(out : *to)
		body_stencil(to, NULL, from, right);
	} else {
#pragma omp task firstprivate(to, from) depend(in : *from) depend(out : *to)
		body_stencil(to, NULL, from, NULL);
	}
}

static int openmp_stencil(size_t width, size_t steps)
{
#pragma omp parallel num_threads(nthreads)
#pragma omp single
	for (size_t t = 0; t < steps; t++) {
		uint64_t *from = cells + t % 2 * width, *to = cells + (t + 1) % 2 * width;

		for (size_t x = 0; x < width; x++)
			stencil_submit(to + x, from + x, x, x + 1 < width);
	}
	return 0;
}

static int openmp_fans(size_t count, size_t width)
{
#pragma omp parallel num_threads(nthreads)
#pragma omp single
	for (size_t i = 0; i < count; i++) {
#pragma omp task firstprivate(i) depend(inout : cells[0])
		body_chain(cells, i);
		for (size_t j = 0; j < width; j++) {
#pragma omp task depend(in : cells[0])
			body_fan(cells);
		}
	}
	return 0;
}

/* A thread alone may run the gate when it is submitted, and would wait for itself. */
static int openmp_gated(size_t n)
{
	if (nthreads < 2)
		return PEER_CANNOT;
#pragma omp parallel num_threads(nthreads)
#pragma omp single
	{
#pragma omp task depend(inout : cells[0])
		body_gate(cells);
		for (size_t i = 0; i < n; i++) {
			uint64_t *own = cells + ring_cell(i);
			uint64_t *left = cells + ring_cell(i + PEER_RING - 1);
			uint64_t *right = cells + ring_cell(i + 1);

#pragma omp task firstprivate(own, left, right) depend(in : cells[0], *left, *right) depend(inout : *own)
			body_ring(own, cells, left, right);
		}
		bench_all_wait();
		bench_gate_open();
	}
	return 0;
}

/* The submitting thread only watches, so the task runs when another thread of the team wakes up. */
static int openmp_wake(size_t n, double *latency_ns)
{
	bool lost = nthreads < 2;

#pragma omp parallel num_threads(nthreads)
#pragma omp single
	for (size_t i = 0; i < n && !lost; i++) {
		_Atomic double ran = 0;
		double begin;

		bench_wake_pause();
		begin = bench_now_ns();
#pragma omp task shared(ran)
		atomic_store(&ran, bench_now_ns());
		while (atomic_load(&ran) == 0 && !lost) {
			bench_wake_watch();
			lost = bench_now_ns() - begin > LOST_NS;
		}
#pragma omp taskwait
		latency_ns[i] = atomic_load(&ran) - begin;
	}
	return lost ? PEER_CANNOT : 0;
}

const struct peer bench_peer = {
#ifdef __clang__
	.name = "OpenMP of clang",
#else
	.name = "OpenMP of gcc",
#endif
	.start = openmp_start,
	.stop = openmp_stop,
	.share = openmp_share,
	.unshare = openmp_unshare,
	.independent = openmp_independent,
	.chain = openmp_chain,
	.wavefront = openmp_wavefront,
	.stencil = openmp_stencil,
	.fans = openmp_fans,
	.gated = openmp_gated,
	.wake = openmp_wake,
};
