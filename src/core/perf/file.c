/* SPDX-License-Identifier: MIT */
/*
 * Our own format of model files. A text without its last line, "end", is not complete.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/perf/file.h"
#include "core/perf/lines.h"
#include "core/perf/starpu.h"
#include "core/util/arch.h"
#include "core/util/text.h"

static const char *const file_kinds[XY_NMODEL_KINDS] = {
	"architecture", "worker", "history", "linear", "nonlinear", "multiple",
};

const char *xy__model_kind_name(enum xy_model_kind kind)
{
	return (unsigned)kind < XY_NMODEL_KINDS ? file_kinds[kind] : NULL;
}

struct xy__row *xy__model_file_add(struct xy__model_file *f)
{
	if (f->nrows == f->capacity) {
		unsigned capacity = f->capacity ? 2 * f->capacity : 16;
		struct xy__row *rows;

		if (capacity > XY__MODEL_ROWS)
			return NULL;
		rows = realloc(f->rows, capacity * sizeof *rows);
		if (!rows)
			return NULL;
		f->rows = rows;
		f->capacity = capacity;
	}
	f->rows[f->nrows] = (struct xy__row){ 0 };
	return &f->rows[f->nrows++];
}

struct xy__row *xy__model_file_find(const struct xy__model_file *f, const struct xy__row *like)
{
	for (unsigned i = 0; i < f->nrows; i++)
		if (f->rows[i].footprint == like->footprint && f->rows[i].arch == like->arch &&
		    f->rows[i].implementation == like->implementation)
			return &f->rows[i];
	return NULL;
}

void xy__model_file_fini(struct xy__model_file *f)
{
	free(f->rows);
	*f = (struct xy__model_file){ 0 };
}

/* The place of a word in a list; -1: not there. */
static int file_index(struct xy__lines *lines, const char *const *words, int n)
{
	char word[64];

	if (!xy__lines_word(lines, word, sizeof word))
		return -1;
	while (n-- > 0)
		if (!strcmp(word, words[n]))
			return n;
	return -1;
}

static int file_arch(struct xy__lines *lines)
{
	const char *names[XY_NARCH];

	for (unsigned arch = 0; arch < XY_NARCH; arch++)
		names[arch] = xy__archs[arch].name;
	return file_index(lines, names, XY_NARCH);
}

/* The fault of a row, or NULL. */
static const char *file_row(struct xy__lines *l, struct xy__row *row)
{
	int arch = file_arch(l);
	uint64_t implementation, drifts, updated;

	if (arch < 0)
		return "no such architecture";
	if (!xy__lines_unsigned(l, XY__MODEL_IMPLEMENTATIONS - 1, &implementation))
		return "no such implementation";
	if (!xy__lines_hexadecimal(l, &row->footprint))
		return "no footprint";
	if (!xy__lines_quantity(l, &row->size) || !xy__lines_quantity(l, &row->median) ||
	    !xy__lines_quantity(l, &row->spread) || !xy__lines_quantity(l, &row->mean) ||
	    !xy__lines_quantity(l, &row->deviation) || !xy__lines_unsigned(l, UINT32_MAX, &row->samples) ||
	    !xy__lines_unsigned(l, UINT32_MAX, &row->outliers) || !xy__lines_unsigned(l, UINT32_MAX, &drifts) ||
	    !xy__lines_unsigned(l, INT64_MAX, &updated))
		return "a number is missing or wrong";
	if (!(row->median > 0) || !(row->mean > 0) || !row->samples)
		return "a row without measurements";
	row->arch = (enum xy_arch)arch;
	row->implementation = (unsigned)implementation;
	row->drifts = (unsigned)drifts;
	row->updated = (int64_t)updated;
	for (; !xy__lines_ended(l); row->nterms++)
		if (row->nterms == XY_NTERMS || !xy__lines_number(l, &row->terms[row->nterms]) ||
		    !(row->terms[row->nterms] - row->terms[row->nterms] == 0))
			return "a term is wrong, or there are too many";
	return NULL;
}

static const char *file_line(struct xy__lines *l, struct xy__model_file *f)
{
	static const char *const words[] = { "name", "host", "kind", "saved", "row" };
	struct xy__row *row;
	const char *wrong;
	uint64_t saved;
	int kind;

	switch (file_index(l, words, 5)) {
	case 0:
		return xy__lines_word(l, f->name, sizeof f->name) ? NULL : "no name";
	case 1:
		return xy__lines_word(l, f->host, sizeof f->host) ? NULL : "no host";
	case 2:
		kind = file_index(l, file_kinds, XY_NMODEL_KINDS);
		f->kind = (enum xy_model_kind)kind;
		return kind >= XY_MODEL_HISTORY ? NULL : "not a type of measured model";
	case 3:
		if (!xy__lines_unsigned(l, INT64_MAX, &saved))
			return "no time";
		f->saved = (int64_t)saved;
		return NULL;
	case 4:
		row = xy__model_file_add(f);
		if (!row)
			return "too many rows";
		wrong = file_row(l, row);
		for (unsigned i = 0; !wrong && i + 1 < f->nrows; i++)
			if (f->rows[i].footprint == row->footprint && f->rows[i].arch == row->arch &&
			    f->rows[i].implementation == row->implementation)
				return "the same row twice";
		return wrong;
	default:
		return "begins with an unknown word";
	}
}

static int file_read_own(struct xy__model_file *f, struct xy__lines *l, char *error, size_t error_size)
{
	const char *wrong = NULL;

	f->kind = XY_NMODEL_KINDS;
	while (!wrong && xy__lines_next(l)) {
		if (!strncmp(l->at, "end", 3) && !strchr("abcdefghijklmnopqrstuvwxyz", l->at[3] ? l->at[3] : '!')) {
			if (f->kind == XY_NMODEL_KINDS)
				wrong = "the type of model is missing";
			else if (xy__lines_next(l))
				wrong = "unexpected text after the end";
			else
				return 0;
			break;
		}
		wrong = file_line(l, f);
		if (!wrong && !xy__lines_ended(l))
			wrong = "unexpected text at the end";
	}
	xy__text_print(error, error_size, "line %u: %s", l->number, wrong ? wrong : "the end is missing");
	return -EINVAL;
}

int xy__model_file_read(struct xy__model_file *f, const char *text, char *error, size_t error_size)
{
	struct xy__lines lines;
	int status;

	*f = (struct xy__model_file){ 0 };
	xy__lines_init(&lines, text);
	if (!xy__lines_next(&lines)) {
		xy__text_print(error, error_size, "line %u: empty", lines.number ? lines.number : 1);
		return -EINVAL;
	}
	if (!strncmp(lines.at, "45", 2) && strspn(lines.at + 2, " \t\r") == strlen(lines.at + 2)) {
		status = xy__starpu_read(f, &lines, error, error_size);
	} else if (xy__lines_expect(&lines, "xylem") && xy__lines_expect(&lines, "model") &&
		   xy__lines_expect(&lines, "1") && xy__lines_ended(&lines)) {
		status = file_read_own(f, &lines, error, error_size);
	} else {
		xy__text_print(error, error_size, "line %u: neither \"xylem model 1\" nor 45, StarPU's version",
			       lines.number);
		status = -EINVAL;
	}
	if (status)
		xy__model_file_fini(f);
	return status;
}

static void file_print_row(const struct xy__row *row, struct xy__buffer *text)
{
	const double numbers[] = { row->size, row->median, row->spread, row->mean, row->deviation };

	xy__buffer_add(text, "row %s %u %08x", xy__archs[row->arch].name, row->implementation,
		       (unsigned)row->footprint);
	for (unsigned i = 0; i < 5; i++) {
		xy__buffer_add(text, " ");
		xy__number_print(text, numbers[i]);
	}
	xy__buffer_add(text, " %llu %llu %u %lld", (unsigned long long)row->samples, (unsigned long long)row->outliers,
		       row->drifts, (long long)row->updated);
	for (unsigned i = 0; i < row->nterms; i++) {
		xy__buffer_add(text, " ");
		xy__number_print(text, row->terms[i]);
	}
	xy__buffer_add(text, "\n");
}

void xy__model_file_print(const struct xy__model_file *f, struct xy__buffer *text)
{
	xy__buffer_add(text, "xylem model 1\nname %s\nhost %s\nkind %s\nsaved %lld\n", f->name, f->host,
		       file_kinds[f->kind], (long long)f->saved);
	xy__buffer_add(text, "# architecture implementation footprint size median spread mean deviation "
			     "samples outliers drifts updated [terms]\n");
	for (unsigned i = 0; i < f->nrows; i++)
		file_print_row(&f->rows[i], text);
	xy__buffer_add(text, "end\n");
}
