/* SPDX-License-Identifier: MIT */
/*
 * Machines and graphs for bench/quality, each drawn from a seed: the text of a machine file, a named graph or the text
 * of one.
 */
#include <stdlib.h>
#include "bench/quality.h"

enum { DEVICES_MOST = 40, LAYER_MOST = 64 };

/* --- numbers: splitmix64 --- */

static uint64_t draw(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static unsigned draw_below(uint64_t *state, unsigned n)
{
	return (unsigned)(draw(state) % n);
}

static unsigned draw_from(uint64_t *state, unsigned least, unsigned most)
{
	return least + draw_below(state, most - least + 1);
}

static double draw_real(uint64_t *state, double least, double most)
{
	return least + (most - least) * (double)(draw(state) >> 11) * 0x1p-53;
}

/* --- machines --- */

/* Kernels of the factorizations: the share of a product of tiles that they compute, and tiles of their data. */
static const struct kernel {
	const char *name;
	double flops;
	unsigned tiles, bytes;
	bool panel;
} kernels[] = {
	{ "spotrf", 0.17, 1, 4, true },  { "strsm", 0.5, 2, 4, false },  { "ssyrk", 0.5, 2, 4, false },
	{ "sgemm", 1, 3, 4, false },     { "dgetrf", 0.33, 1, 8, true }, { "dtrsm_l", 0.5, 2, 8, false },
	{ "dtrsm_u", 0.5, 2, 8, false }, { "dgemm", 1, 3, 8, false },    { "sgeqrt", 0.67, 2, 4, true },
	{ "sunmqr", 1, 3, 4, false },    { "stsqrt", 1, 3, 4, true },    { "stsmqr", 2, 4, 4, false },
};

enum { NKERNELS = sizeof(kernels) / sizeof(*kernels), GEMM_US = 20000 };

static void machine_kernels(FILE *out, uint64_t *state, unsigned kinds, const double *speed, const bool *device)
{
	for (unsigned i = 0; i < NKERNELS; i++) {
		const struct kernel *k = &kernels[i];

		fprintf(out, "kernel %s %ux960x960x%u", k->name, k->tiles, k->bytes);
		for (unsigned c = 0; c < kinds; c++) {
			double faster = speed[c] * draw_real(state, 0.7, 1.4);

			if (device[c] && k->panel)
				faster = draw_real(state, 0.4, 4);
			fprintf(out, " k%u %.3fus", c, k->flops * GEMM_US / faster);
		}
		fprintf(out, "\n");
	}
}

static void machine_links(FILE *out, uint64_t *state, unsigned ndevices)
{
	bool shared = draw_below(state, 2), peers = draw_below(state, 2);
	double rate = draw_real(state, 3, 25);

	for (unsigned i = 0; i < (shared ? 1 : ndevices); i++)
		fprintf(out, "link in%u %.1fus %.2fGB/s\nlink out%u %.1fus %.2fGB/s\n", i, draw_real(state, 5, 15),
			rate, i, draw_real(state, 5, 15), rate);
	for (unsigned i = 0; i < ndevices; i++)
		fprintf(out, "route ram0 -> cuda%u via in%u\nroute cuda%u -> ram0 via out%u\n", i, shared ? 0 : i, i,
			shared ? 0 : i);
	if (peers && ndevices > 1)
		fprintf(out, "link peer 4us %.2fGB/s\nroute cuda* <-> cuda* via peer\n", draw_real(state, 5, 50));
}

void quality_machine(FILE *out, uint64_t *state, const struct quality_machine *m)
{
	double speed[QUALITY_KINDS];
	bool device[QUALITY_KINDS];
	unsigned ndevices = 0;

	fprintf(out, "machine drawn\n");
	for (unsigned c = 0; c < m->kinds; c++) {
		device[c] = m->devices && c && draw_below(state, 2 + (c == 1)) && ndevices < DEVICES_MOST;
		speed[c] = device[c] ? draw_real(state, 4, 40) : draw_real(state, 0.5, 2);
		fprintf(out, "class k%u %s speed %.4f\n", c, device[c] ? "cuda" : "cpu", speed[c]);
		if (device[c]) {
			unsigned n = draw_from(state, 1, m->kinds > 8 ? 2 : 4);

			fprintf(out, "devices %u k%u", n, c);
			if (m->memory_mib)
				fprintf(out, " memory %uM", m->memory_mib);
			fprintf(out, "\n");
			ndevices += n;
		} else {
			fprintf(out, "workers %u k%u\n", draw_from(state, 1, m->kinds > 8 ? 3 : m->cores), c);
		}
	}
	if (ndevices)
		machine_links(out, state, ndevices);
	machine_kernels(out, state, m->kinds, speed, device);
}

void quality_apart(FILE *out, uint64_t *state, unsigned processors)
{
	double rate = draw_real(state, 0.2, 20);

	fprintf(out, "machine apart\nclass processor cuda\ndevices %u processor\n", processors);
	fprintf(out, "link host 5us %.2fGB/s\nroute ram0 <-> cuda* via host\n", rate);
	for (unsigned a = 0; a < processors; a++)
		for (unsigned b = a + 1; b < processors; b++)
			fprintf(out, "link l%u-%u 5us %.2fGB/s\nroute cuda%u <-> cuda%u via l%u-%u\n", a, b, rate, a, b,
				a, b);
}

/* --- graphs --- */

/* A layered graph in which each task has a cost for each processor. */
void quality_costs(FILE *out, uint64_t *state, unsigned processors, unsigned ntasks)
{
	double spread = draw_real(state, 0.2, 1.8), bytes = draw_real(state, 1e4, 3e6);
	unsigned before = 0, made = 0, layer = 1;
	bool consistent = draw_below(state, 3) == 0;
	double of[QUALITY_KINDS];

	for (unsigned p = 0; p < processors; p++)
		of[p] = draw_real(state, 1 - spread / 2, 1 + spread / 2);
	fprintf(out, "xygraph 1\nprocessors %u\nkernel work\n", processors);
	while (made < ntasks) {
		unsigned first = made - before, end = made;

		for (unsigned i = 0; i < layer && made < ntasks; i++, made++) {
			double us = draw_real(state, 100, 2000);

			fprintf(out, "task t%u work costs=", made);
			for (unsigned p = 0; p < processors; p++)
				fprintf(out, "%s%.3f", p ? "," : "",
					us * (consistent ? of[p] : draw_real(state, 1 - spread / 2, 1 + spread / 2)));
			fprintf(out, "\n");
			for (unsigned k = 0; end && k < 1 + (i + k) % 3; k++)
				fprintf(out, "edge t%u t%u %.0f\n", first + draw_below(state, end - first), made,
					bytes * draw_real(state, 0.25, 1.75));
		}
		before = made - end;
		layer = draw_from(state, 1, LAYER_MOST / 4);
	}
}

/* While a workflow is written. */
struct flow {
	FILE *out;
	uint64_t *state;
	unsigned ntasks;
	double us, bytes; /* means */
};

/* A task that reads the outputs of others, and writes one of its own. Returns its number. */
static unsigned flow_task(struct flow *f, const char *kernel, double us, unsigned first, unsigned n)
{
	unsigned task = f->ntasks++;

	fprintf(f->out, "data d%u %.0f\ntask t%u %s us=%.2f w=d%u", task, f->bytes * draw_real(f->state, 0.1, 1.9),
		task, kernel, f->us * us * draw_real(f->state, 0.5, 1.5), task);
	for (unsigned i = 0; i < n; i++)
		fprintf(f->out, "%sd%u", i ? "," : " r=", first + i);
	fprintf(f->out, "\n");
	return task;
}

/* Images are projected, pairs compared, corrected, and added up: wide, narrow, wide, narrow. */
static void flow_mosaic(struct flow *f, unsigned width)
{
	unsigned projected = f->ntasks, compared, model, corrected;

	for (unsigned i = 0; i < width; i++)
		flow_task(f, "project", 1, 0, 0);
	compared = f->ntasks;
	for (unsigned i = 0; i < 2 * width; i++)
		flow_task(f, "compare", 0.3, projected + draw_below(f->state, width - 1), 2);
	flow_task(f, "gather", 2, compared, 2 * width);
	model = flow_task(f, "model", 6, f->ntasks - 1, 1);
	corrected = f->ntasks;
	for (unsigned i = 0; i < width; i++)
		flow_task(f, "correct", 0.5, model, 1);
	flow_task(f, "table", 1, corrected, width);
	flow_task(f, "add", 8, corrected, width + 1);
}

/* Lanes of chains, split and merged. */
static void flow_lanes(struct flow *f, unsigned width)
{
	unsigned lanes = 1 + draw_below(f->state, 5), ends[8];

	for (unsigned l = 0; l < lanes; l++) {
		unsigned split = flow_task(f, "split", 1, 0, 0);

		for (unsigned i = 0; i < width; i++)
			flow_task(f, "filter", 2, split, 1);
		for (unsigned step = 0; step < 3; step++)
			for (unsigned i = 0; i < width; i++)
				flow_task(f, step == 2 ? "map" : "convert", step == 2 ? 12 : 0.5, f->ntasks - width, 1);
		ends[l] = flow_task(f, "merge", 4, f->ntasks - width, width);
	}
	for (unsigned l = 0; l + 1 < lanes; l++)
		flow_task(f, "join", 1, ends[l], 1);
	flow_task(f, "index", 5, f->ntasks - lanes + (lanes > 1), lanes > 1 ? lanes - 1 : 1);
}

/* A few long tasks, each followed by many short ones. */
static void flow_bursts(struct flow *f, unsigned width)
{
	unsigned n = 2 + draw_below(f->state, 4), peaks = 0, first;

	for (unsigned i = 0; i < n; i++) {
		unsigned long_task = flow_task(f, "extract", 20, 0, 0);

		first = f->ntasks;
		for (unsigned k = 0; k < width; k++)
			flow_task(f, "synthesize", 3, long_task, 1);
		for (unsigned k = 0; k < width; k++)
			flow_task(f, "peak", 0.1, first + k, 1);
		peaks = f->ntasks - width;
		flow_task(f, "zip", 1, peaks, width);
	}
	flow_task(f, "end", 1, peaks, width);
}

void quality_workflow(FILE *out, uint64_t *state, unsigned width)
{
	struct flow f = { .out = out, .state = state, .us = draw_real(state, 200, 5000) };
	unsigned form = draw_below(state, 3);

	f.bytes = f.us * draw_real(state, 10, 3000);
	fprintf(out, "xygraph 1\n");
	for (const char *const *name =
		     (const char *const[]){ "project", "compare",    "gather",  "model", "correct", "table", "add",
					    "split",   "filter",     "convert", "map",   "merge",   "join",  "index",
					    "extract", "synthesize", "peak",    "zip",   "end",     NULL };
	     *name; name++)
		fprintf(out, "kernel %s\n", *name);
	if (form == 0)
		flow_mosaic(&f, width);
	else if (form == 1)
		flow_lanes(&f, width);
	else
		flow_bursts(&f, width);
}

/* --- named graphs --- */

void quality_dense(char *text, size_t room, uint64_t *state, unsigned least, unsigned most)
{
	static const char *const names[] = { "cholesky", "lu", "qr" };
	unsigned form = draw_below(state, 3), n = draw_from(state, least, most);

	/* LU and QR have twice as many tasks */
	snprintf(text, room, "%s:%u", names[form], form && n > 24 ? n * 4 / 5 : n);
}

void quality_layered(char *text, size_t room, uint64_t *state, unsigned layers)
{
	unsigned form = draw_below(state, 5), seed = draw_below(state, 1000), us = 100u << draw_below(state, 8);
	unsigned kib = 16u << draw_below(state, 9);
	static const char *const families[] = { "cholesky", "lu", "qr" };

	if (form == 0)
		snprintf(text, room, "random:layers=%u:width=%u:degree=%u:kernels=%s:seed=%u",
			 draw_from(state, 5, layers), draw_from(state, 4, 60), draw_from(state, 1, 5),
			 families[draw_below(state, 3)], seed);
	else if (form == 1)
		snprintf(text, room, "stencil:%ux%u:us=%u:bytes=%uK", draw_from(state, 8, 60),
			 draw_from(state, 5, layers), us, kib);
	else
		snprintf(text, room, "random:layers=%u:width=%u:degree=%u:us=%u:bytes=%uK:seed=%u",
			 draw_from(state, 5, layers), draw_from(state, 4, 60), draw_from(state, 1, 5), us, kib, seed);
}

unsigned quality_draw(uint64_t *state, unsigned least, unsigned most)
{
	return draw_from(state, least, most);
}
