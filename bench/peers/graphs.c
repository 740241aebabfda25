/* SPDX-License-Identifier: MIT */
/*
 * The models below do serially, in the order of submission, what the tasks must do in any order that
 * the dependencies allow.
 */
#include <string.h>
#include "graphs.h"

static size_t no_cells(const size_t *a)
{
	(void)a;
	return 0;
}

static size_t one_cell(const size_t *a)
{
	(void)a;
	return 1;
}

static size_t first(const size_t *a)
{
	return a[0];
}

static bool independent_is_possible(void)
{
	return bench_peer.independent;
}

static int independent_run(const size_t *a)
{
	return bench_peer.independent(a[0]);
}

static void independent_model(const size_t *a, uint64_t *cells, struct bench_tally *tally)
{
	(void)cells;
	tally->tasks += a[0];
	tally->sum += a[0] * (a[0] - 1) / 2;
}

static bool inserted_is_possible(void)
{
	return bench_peer.inserted;
}

static int inserted_run(const size_t *a)
{
	return bench_peer.inserted(a[0]);
}

static bool modelled_is_possible(void)
{
	return bench_peer.modelled;
}

static int modelled_run(const size_t *a)
{
	return bench_peer.modelled(a[0]);
}

static bool nested_is_possible(void)
{
	return bench_peer.nested;
}

static int nested_run(const size_t *a)
{
	return bench_peer.nested(a[0]);
}

static bool chain_is_possible(void)
{
	return bench_peer.chain;
}

static int chain_run(const size_t *a)
{
	return bench_peer.chain(a[0]);
}

static void chain_model(const size_t *a, uint64_t *cells, struct bench_tally *tally)
{
	(void)tally;
	for (size_t i = 0; i < a[0]; i++)
		body_chain(cells, i);
}

static bool wavefront_is_possible(void)
{
	return bench_peer.wavefront;
}

static size_t square(const size_t *a)
{
	return a[0] * a[0];
}

static int wavefront_run(const size_t *a)
{
	return bench_peer.wavefront(a[0]);
}

static void wavefront_model(const size_t *a, uint64_t *cells, struct bench_tally *tally)
{
	size_t side = a[0];

	(void)tally;
	for (size_t y = 0; y < side; y++)
		for (size_t x = 0; x < side; x++) {
			uint64_t *own = cells + y * side + x;

			body_wavefront(own, x ? own - 1 : NULL, y ? own - side : NULL);
		}
}

static bool stencil_is_possible(void)
{
	return bench_peer.stencil;
}

static size_t two_rows(const size_t *a)
{
	return 2 * a[0];
}

static size_t product(const size_t *a)
{
	return a[0] * a[1];
}

static int stencil_run(const size_t *a)
{
	return bench_peer.stencil(a[0], a[1]);
}

/* The bodies' spinning does not change the values, so the model leaves it out. */
static void stencil_model(const size_t *a, uint64_t *cells, struct bench_tally *tally)
{
	size_t width = a[0];
	uint64_t spins = bench_spins;

	(void)tally;
	bench_spins = 0;
	for (size_t t = 0; t < a[1]; t++) {
		const uint64_t *from = cells + t % 2 * width;
		uint64_t *to = cells + (t + 1) % 2 * width;

		for (size_t x = 0; x < width; x++)
			body_stencil(to + x, x ? from + x - 1 : NULL, from + x, x + 1 < width ? from + x + 1 : NULL);
	}
	bench_spins = spins;
}

static bool fans_is_possible(void)
{
	return bench_peer.fans;
}

static size_t fans_ntasks(const size_t *a)
{
	return a[0] * (1 + a[1]);
}

static int fans_run(const size_t *a)
{
	return bench_peer.fans(a[0], a[1]);
}

static void fans_model(const size_t *a, uint64_t *cells, struct bench_tally *tally)
{
	for (size_t i = 0; i < a[0]; i++) {
		body_chain(cells, i);
		tally->tasks += a[1];
		tally->sum += a[1] * cells[0];
	}
}

static bool gated_is_possible(void)
{
	return bench_peer.gated;
}

static size_t gated_ncells(const size_t *a)
{
	(void)a;
	return 1 + PEER_RING;
}

static int gated_run(const size_t *a)
{
	return bench_peer.gated(a[0]);
}

static void gated_model(const size_t *a, uint64_t *cells, struct bench_tally *tally)
{
	(void)tally;
	body_gate(cells);
	for (size_t i = 0; i < a[0]; i++)
		body_ring(cells + ring_cell(i), cells, cells + ring_cell(i + PEER_RING - 1), cells + ring_cell(i + 1));
}

const struct graph bench_graphs[] = {
	{ "independent",
	  "independent N",
	  { 500000 },
	  independent_is_possible,
	  no_cells,
	  first,
	  independent_run,
	  independent_model },
	{ "inserted",
	  "inserted N",
	  { 200000 },
	  inserted_is_possible,
	  no_cells,
	  first,
	  inserted_run,
	  independent_model },
	{ "modelled",
	  "modelled N",
	  { 200000 },
	  modelled_is_possible,
	  no_cells,
	  first,
	  modelled_run,
	  independent_model },
	{ "nested", "nested N", { 200000 }, nested_is_possible, no_cells, first, nested_run, independent_model },
	{ "chain", "chain N", { 100000 }, chain_is_possible, one_cell, first, chain_run, chain_model },
	{ "wavefront",
	  "wavefront SIDE",
	  { 300 },
	  wavefront_is_possible,
	  square,
	  square,
	  wavefront_run,
	  wavefront_model },
	{ "stencil",
	  "stencil WIDTH STEPS",
	  { 16, 2000 },
	  stencil_is_possible,
	  two_rows,
	  product,
	  stencil_run,
	  stencil_model },
	{ "fans", "fans COUNT WIDTH", { 1000, 64 }, fans_is_possible, one_cell, fans_ntasks, fans_run, fans_model },
	{ "memory", "memory N", { 100000 }, gated_is_possible, gated_ncells, first, gated_run, gated_model },
	{ .name = NULL },
};

const struct graph *bench_graph(const char *name)
{
	const struct graph *graph = bench_graphs;

	while (graph->name && strcmp(graph->name, name))
		graph++;
	return graph->name ? graph : NULL;
}
