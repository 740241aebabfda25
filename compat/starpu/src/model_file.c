/* SPDX-License-Identifier: MIT */
/*
 * Files of performance models: StarPU's of version 45 and Xylem's, which the runtime keeps in one folder.
 */
#include "model.h"

#include <dirent.h>
#include <unistd.h>

#define VERSION 45

/* --- places --- */

void starpu_perfmodel_get_model_path(const char *symbol, char *path, size_t maxlen)
{
	static const char *const suffixes[] = { "", ".model" };

	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, maxlen, "%s/%s.%s%s", xs_models_folder(), symbol, xs_models_host(), suffixes[i]);
		if (!access(path, R_OK))
			return;
	}
	if (maxlen)
		path[0] = '\0';
}

void starpu_perfmodel_directory(FILE *output)
{
	fprintf(output, "directory: <%s>\n", xs_models_folder());
}

int starpu_perfmodel_list(FILE *output)
{
	DIR *folder = opendir(xs_models_folder());

	if (!folder) {
		fprintf(output, "no folder of models: <%s>\n", xs_models_folder());
		return 1;
	}
	for (struct dirent *file; (file = readdir(folder));)
		if (file->d_name[0] != '.')
			fprintf(output, "file: <%s>\n", file->d_name);
	closedir(folder);
	return 0;
}

/* --- reading --- */

static int row_add(struct xs_table *table, const struct starpu_perfmodel_history_entry *entry)
{
	struct starpu_perfmodel_history_list *row = malloc(sizeof *row);
	struct starpu_perfmodel_history_entry *copy = malloc(sizeof *copy);

	if (!row || !copy) {
		free(row);
		free(copy);
		return -ENOMEM;
	}
	*copy = *entry;
	row->entry = copy;
	row->next = table->per_arch.list;
	table->per_arch.list = row;
	table->per_arch.regression.nsample += entry->nsample;
	return 0;
}

/* The next word that is not part of a comment; false at the end. */
static bool word(FILE *in, char *text, size_t size)
{
	char format[16];
	int c;

	while ((c = fgetc(in)) != EOF) {
		if (c == '#')
			while ((c = fgetc(in)) != EOF && c != '\n')
				;
		else if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
			ungetc(c, in);
			snprintf(format, sizeof format, "%%%zus", size - 1);
			return fscanf(in, format, text) == 1;
		}
	}
	return false;
}

static bool number(FILE *in, double *value)
{
	char text[64], *end;

	if (!word(in, text, sizeof text))
		return false;
	*value = strtod(text, &end);
	return !*end;
}

static bool natural(FILE *in, unsigned *value)
{
	double read;

	if (!number(in, &read) || read < 0 || read > 1e9)
		return false;
	*value = (unsigned)read;
	return true;
}

/* A line of numbers that are not kept. */
static bool skip(FILE *in, unsigned n)
{
	double ignored;

	while (n--)
		if (!number(in, &ignored))
			return false;
	return true;
}

static bool starpu_rows(FILE *in, struct xs_table *table, unsigned n)
{
	while (n--) {
		struct starpu_perfmodel_history_entry e = { 0 };
		char footprint[32];
		double size, samples;

		if (!word(in, footprint, sizeof footprint) || !number(in, &size) || !number(in, &e.flops) ||
		    !number(in, &e.mean) || !number(in, &e.deviation) || !number(in, &e.sum) || !number(in, &e.sum2) ||
		    !number(in, &samples))
			return false;
		e.footprint = (uint32_t)strtoul(footprint, NULL, 16);
		e.size = (size_t)size;
		e.nsample = (unsigned)samples;
		if (table && row_add(table, &e))
			return false;
	}
	return true;
}

static bool starpu_implementation(FILE *in, struct starpu_perfmodel *model, const struct starpu_perfmodel_arch *arch,
				  unsigned impl)
{
	struct starpu_perfmodel_regression_model r = { 0 };
	struct xs_table *table = xs_table(model, arch, impl);
	unsigned nrows, ncoeff, samples;
	double minx, maxx;

	if (!table || !natural(in, &nrows))
		return false;
	if (!number(in, &r.sumlnx) || !number(in, &r.sumlnx2) || !number(in, &r.sumlny) || !number(in, &r.sumlnxlny) ||
	    !number(in, &r.alpha) || !number(in, &r.beta) || !natural(in, &samples) || !number(in, &minx) ||
	    !number(in, &maxx) || !number(in, &r.a) || !number(in, &r.b) || !number(in, &r.c) ||
	    !natural(in, &ncoeff) || !skip(in, ncoeff))
		return false;
	r.minx = (unsigned long)minx;
	r.maxx = (unsigned long)maxx;
	r.valid = !isnan(r.alpha);
	r.nl_valid = !isnan(r.a);
	table->per_arch.regression = r;
	if (!starpu_rows(in, table, nrows))
		return false;
	if (samples)
		table->per_arch.regression.nsample = samples;
	return true;
}

static bool starpu_file(FILE *in, struct starpu_perfmodel *model)
{
	unsigned version, ncombs, nimpl, ndevices;

	if (!natural(in, &version) || version != VERSION)
		return false;
	if (!natural(in, &ncombs))
		return true; /* nothing was measured yet */
	for (unsigned c = 0; c < ncombs; c++) {
		struct starpu_perfmodel_device devices[16];

		if (!natural(in, &ndevices) || !ndevices || ndevices > 16)
			return false;
		for (unsigned d = 0; d < ndevices; d++) {
			unsigned type, id, ncores;

			if (!natural(in, &type) || !natural(in, &id) || !natural(in, &ncores))
				return false;
			devices[d] = (struct starpu_perfmodel_device){ (enum starpu_worker_archtype)type, (int)id,
								       (int)ncores };
		}
		if (!natural(in, &nimpl))
			return false;
		for (unsigned i = 0; i < nimpl; i++)
			if (!starpu_implementation(in, model, &(struct starpu_perfmodel_arch){ (int)ndevices, devices },
						   i))
				return false;
	}
	return true;
}

static enum starpu_worker_archtype type_named(const char *name)
{
	static const enum starpu_worker_archtype types[] = { STARPU_CPU_WORKER, STARPU_CUDA_WORKER,
							     STARPU_OPENCL_WORKER, STARPU_HIP_WORKER };

	for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
		if (!strcmp(starpu_perfmodel_get_archtype_name(types[i]), name))
			return types[i];
	return STARPU_ANY_WORKER;
}

/* row ARCHITECTURE IMPLEMENTATION FOOTPRINT SIZE MEDIAN SPREAD MEAN DEVIATION SAMPLES ... */
static bool xylem_row(const char *line, struct starpu_perfmodel *model)
{
	struct starpu_perfmodel_history_entry e = { 0 };
	struct starpu_perfmodel_device device = { .ncores = 1 };
	char name[16];
	unsigned impl, footprint;
	double size, median, spread;
	struct xs_table *table;

	if (sscanf(line, "row %15s %u %x %lf %lf %lf %lf %lf %u", name, &impl, &footprint, &size, &median, &spread,
		   &e.mean, &e.deviation, &e.nsample) != 9)
		return false;
	device.type = type_named(name);
	if (device.type == STARPU_ANY_WORKER)
		return true;
	e.footprint = footprint;
	e.size = (size_t)size;
	e.sum = e.mean * e.nsample;
	e.sum2 = (e.deviation * e.deviation + e.mean * e.mean) * e.nsample;
	table = xs_table(model, &(struct starpu_perfmodel_arch){ 1, &device }, impl);
	return table && !row_add(table, &e);
}

static bool xylem_file(FILE *in, struct starpu_perfmodel *model)
{
	char line[1024];

	while (fgets(line, sizeof line, in))
		if (!strncmp(line, "row ", 4) && !xylem_row(line, model))
			return false;
	return true;
}

int starpu_perfmodel_load_file(const char *filename, struct starpu_perfmodel *model)
{
	FILE *in = fopen(filename, "r");
	char first[16] = "";
	bool good;

	if (!in)
		return 1;
	xs_tables_free(model);
	starpu_perfmodel_init(model);
	if (fgets(first, sizeof first, in) && !strncmp(first, "xylem model 1", 13)) {
		good = xylem_file(in, model);
	} else {
		rewind(in);
		good = starpu_file(in, model);
	}
	fclose(in);
	model->is_loaded = good;
	if (good)
		return 0;
	xs_fail(-EINVAL, "%s is not a performance model of StarPU's version %d or of Xylem's", filename, VERSION);
	xs_tables_free(model);
	return 1;
}

int starpu_perfmodel_load_symbol(const char *symbol, struct starpu_perfmodel *model)
{
	char path[1024];

	starpu_perfmodel_get_model_path(symbol, path, sizeof path);
	if (!path[0])
		return 1;
	if (!model->symbol)
		model->symbol = symbol;
	return starpu_perfmodel_load_file(path, model);
}

/* --- the bus --- */

double starpu_transfer_latency(unsigned src_node, unsigned dst_node)
{
	struct xy_prediction p = xy_bus_time_us(xs_global.rt, src_node, dst_node, 0);

	return p.kind == XY_PREDICTION_VALUE ? p.us : src_node == dst_node ? 0 : NAN;
}

double starpu_transfer_bandwidth(unsigned src_node, unsigned dst_node)
{
	const size_t bytes = (size_t)64 << 20;
	struct xy_prediction p = xy_bus_time_us(xs_global.rt, src_node, dst_node, bytes);

	if (p.kind != XY_PREDICTION_VALUE)
		return NAN;
	p.us -= starpu_transfer_latency(src_node, dst_node);
	return p.us > 0 ? (double)bytes / p.us : NAN;
}

void starpu_bus_print_bandwidth(FILE *f)
{
	fprintf(f, "from/to\t");
	for (unsigned to = 0; to < xs_global.nnodes; to++)
		fprintf(f, "%s\t", xy_machine_node(xs_global.machine, to)->name);
	fprintf(f, "(MB/s)\n");
	for (unsigned from = 0; from < xs_global.nnodes; from++) {
		fprintf(f, "%s\t", xy_machine_node(xs_global.machine, from)->name);
		for (unsigned to = 0; to < xs_global.nnodes; to++)
			fprintf(f, "%.0f\t", from == to ? 0 : starpu_transfer_bandwidth(from, to));
		fprintf(f, "\n");
	}
}

void starpu_bus_print_affinity(FILE *f)
{
	for (unsigned i = 0; i < xs_global.nworkers; i++) {
		const struct xy_worker_info *worker = xy_machine_worker(xs_global.machine, i);

		if (worker->device >= 0)
			fprintf(f, "%s\tprocessor %d\n", worker->name, worker->pu);
	}
}

void starpu_bus_print_filenames(FILE *f)
{
	fprintf(f, "bus: <%s/bus.%s>\n", xs_models_folder(), xs_models_host());
}
