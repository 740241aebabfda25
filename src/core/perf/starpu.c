/* SPDX-License-Identifier: MIT */
/*
 * Reads StarPU's model files, version 45: for each combination of devices and each implementation, sums of
 * regressions and a table by footprint. The table alone is used. Devices of one kind are taken together; what
 * several devices or several cores did is left out.
 */
#include <errno.h>
#include <math.h>

#include "core/perf/starpu.h"
#include "core/perf/stats.h"
#include "core/util/text.h"

enum {
	STARPU_COMBINATIONS = 4096,
	STARPU_DEVICES = 64,
	STARPU_IMPLEMENTATIONS = 16,
	STARPU_CUDA = 1,
	STARPU_OPENCL = 2
};

/* The columns of a row that tell whether it was measured. */
struct starpu_row {
	uint32_t footprint;
	double size, mean, deviation, squares;
	uint64_t samples;
};

struct starpu_reader {
	struct xy__model_file *file;
	struct xy__lines *lines;
	const char *wrong; /* NULL: nothing yet */
	bool single;       /* the combination is one device with one core */
	enum xy_arch arch;
	unsigned first; /* rows of the file before this table */
};

static bool starpu_fail(struct starpu_reader *r, const char *wrong)
{
	if (!r->wrong)
		r->wrong = wrong;
	return false;
}

/* A line with one number. */
static bool starpu_count(struct starpu_reader *r, uint64_t max, uint64_t *value, const char *wrong)
{
	if (xy__lines_next(r->lines) && xy__lines_unsigned(r->lines, max, value) && xy__lines_ended(r->lines))
		return true;
	return starpu_fail(r, wrong);
}

static bool starpu_device(struct starpu_reader *r, bool only)
{
	uint64_t type, id, cores;

	if (!starpu_count(r, 255, &type, "no type of device") || !starpu_count(r, 65535, &id, "no device") ||
	    !starpu_count(r, 65535, &cores, "no number of cores"))
		return false;
	r->single = only && cores == 1 && type <= STARPU_OPENCL;
	r->arch = type == STARPU_CUDA ? XY_CUDA : type == STARPU_OPENCL ? XY_OPENCL : XY_CPU;
	return true;
}

static unsigned starpu_numbers(struct starpu_reader *r)
{
	unsigned n = 0;
	double value;

	while (!xy__lines_ended(r->lines)) {
		if (!xy__lines_number(r->lines, &value))
			return 0;
		n++;
	}
	return n;
}

/* The coefficients a, b, c and the line of the multiple regression, which may be the other way round. */
static bool starpu_regression(struct starpu_reader *r)
{
	unsigned found[2];

	if (!xy__lines_next(r->lines) || starpu_numbers(r) != 9)
		return starpu_fail(r, "no sums of a regression");
	for (unsigned i = 0; i < 2; i++) {
		found[i] = xy__lines_next(r->lines) ? starpu_numbers(r) : 0;
		if (!found[i])
			return starpu_fail(r, "no coefficients of a regression");
	}
	if (found[0] != 3 && found[1] != 3)
		return starpu_fail(r, "no coefficients a, b and c");
	return true;
}

/* Whether the sums of a row fit its mean and deviation. */
static bool starpu_adds_up(const struct starpu_row *row)
{
	double square = row->squares / (double)row->samples,
	       expected = row->mean * row->mean + row->deviation * row->deviation;

	return fabs(square - expected) <= 0.01 * expected;
}

/* A row with the samples of another, and its mean and deviation scaled by one factor, is a copy of it. */
static bool starpu_is_copy(const struct xy__row *row, const struct xy__row *of)
{
	return row->samples == of->samples && row->samples > 1 && of->deviation > 0 && row->size >= of->size &&
	       row->footprint != of->footprint &&
	       fabs(row->deviation * of->mean - of->deviation * row->mean) <= 1e-6 * row->deviation * of->mean;
}

static void starpu_mark_copies(struct starpu_reader *r)
{
	struct xy__model_file *f = r->file;

	for (unsigned i = r->first; i < f->nrows; i++)
		for (unsigned j = r->first; j < f->nrows && !f->rows[i].synthetic; j++)
			if (i != j && !f->rows[j].synthetic && starpu_is_copy(&f->rows[i], &f->rows[j]))
				f->rows[i].synthetic = true;
}

static bool starpu_row(struct starpu_reader *r, unsigned implementation)
{
	struct starpu_row in;
	struct xy__lines *l = r->lines;
	struct xy__row *row;
	double flops, sum;

	if (!xy__lines_next(l) || !xy__lines_hexadecimal(l, &in.footprint) || !xy__lines_quantity(l, &in.size) ||
	    !xy__lines_number(l, &flops) || !xy__lines_quantity(l, &in.mean) || !xy__lines_number(l, &in.deviation) ||
	    !xy__lines_quantity(l, &sum) || !xy__lines_quantity(l, &in.squares) ||
	    !xy__lines_unsigned(l, UINT32_MAX, &in.samples) || !xy__lines_ended(l))
		return starpu_fail(r, "not a row of a table: hash, size, flops, mean, dev, sum, sum2, n");
	if (!in.samples || !(in.mean > 0) || !r->single || implementation >= XY__MODEL_IMPLEMENTATIONS)
		return true;
	in.deviation = in.deviation > 0 && isfinite(in.deviation) ? in.deviation : 0;
	row = xy__model_file_add(r->file);
	if (!row)
		return starpu_fail(r, "too many rows");
	*row = (struct xy__row){ .arch = r->arch,
				 .implementation = implementation,
				 .footprint = in.footprint,
				 .size = in.size,
				 .median = in.mean,
				 .spread = in.deviation,
				 .mean = in.mean,
				 .deviation = in.deviation,
				 .samples = in.samples,
				 .synthetic = !starpu_adds_up(&in) };
	return true;
}

static bool starpu_implementation(struct starpu_reader *r, unsigned implementation)
{
	uint64_t nrows;

	if (!starpu_count(r, XY__MODEL_ROWS, &nrows, "no number of entries") || !starpu_regression(r))
		return false;
	r->first = r->file->nrows;
	for (uint64_t i = 0; i < nrows; i++)
		if (!starpu_row(r, implementation))
			return false;
	starpu_mark_copies(r);
	return true;
}

static bool starpu_combination(struct starpu_reader *r)
{
	uint64_t ndevices, nimplementations;

	if (!starpu_count(r, STARPU_DEVICES, &ndevices, "no number of devices"))
		return false;
	r->single = false;
	for (uint64_t i = 0; i < ndevices; i++)
		if (!starpu_device(r, ndevices == 1))
			return false;
	if (!starpu_count(r, STARPU_IMPLEMENTATIONS, &nimplementations, "no number of implementations"))
		return false;
	for (uint64_t i = 0; i < nimplementations; i++)
		if (!starpu_implementation(r, (unsigned)i))
			return false;
	return true;
}

/* Takes the rows of several devices of a kind together: the samples of all. */
static void starpu_merge(struct xy__model_file *f)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->nrows; i++) {
		struct xy__row row = f->rows[i], *same = NULL;
		struct xy__moments all;

		for (unsigned j = 0; j < n && !same; j++)
			if (f->rows[j].footprint == row.footprint && f->rows[j].arch == row.arch &&
			    f->rows[j].implementation == row.implementation)
				same = &f->rows[j];
		if (!same) {
			f->rows[n++] = row;
			continue;
		}
		all = xy__moments_merge(xy__moments_of(same->samples, same->mean, same->deviation),
					xy__moments_of(row.samples, row.mean, row.deviation));
		same->samples = all.n < UINT32_MAX ? all.n : UINT32_MAX;
		same->median = same->mean = all.mean;
		same->spread = same->deviation = xy__moments_deviation(&all);
		same->synthetic |= row.synthetic;
	}
	f->nrows = n;
}

int xy__starpu_read(struct xy__model_file *file, struct xy__lines *lines, char *error, size_t error_size)
{
	struct starpu_reader r = { .file = file, .lines = lines };
	uint64_t ncombinations;

	file->foreign = true;
	file->kind = XY_MODEL_HISTORY;
	if (starpu_count(&r, STARPU_COMBINATIONS, &ncombinations, "no number of combinations"))
		for (uint64_t i = 0; i < ncombinations && starpu_combination(&r); i++)
			;
	if (!r.wrong && xy__lines_next(lines))
		r.wrong = "unexpected text after the end";
	if (r.wrong) {
		xy__text_print(error, error_size, "line %u: %s", lines->number, r.wrong);
		return -EINVAL;
	}
	starpu_merge(file);
	return 0;
}
