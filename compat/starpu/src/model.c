/* SPDX-License-Identifier: MIT */
/*
 * Performance models as the program sees them: a table for each kind of device and implementation, with a function of
 * the program's own, or with what was measured. The runtime's own models are in perf.c.
 */
#include "model.h"

static pthread_mutex_t state_lock = PTHREAD_MUTEX_INITIALIZER;

static bool arch_equal(const struct starpu_perfmodel_arch *a, int n, const struct starpu_perfmodel_device *devices)
{
	if (a->ndevices != n)
		return false;
	for (int i = 0; i < n; i++)
		if (a->devices[i].type != devices[i].type || a->devices[i].devid != devices[i].devid)
			return false;
	return true;
}

/* --- combinations of devices: numbered once, for the whole process --- */

#define NCOMBS 256

static struct starpu_perfmodel_arch combs[NCOMBS]; /* with state_lock to add */
static _Atomic int ncombs;

int starpu_perfmodel_get_narch_combs(void)
{
	return atomic_load(&ncombs);
}

int starpu_perfmodel_arch_comb_get(int ndevices, struct starpu_perfmodel_device *devices)
{
	for (int i = 0; i < atomic_load(&ncombs); i++)
		if (arch_equal(&combs[i], ndevices, devices))
			return i;
	return -1;
}

int starpu_perfmodel_arch_comb_add(int ndevices, struct starpu_perfmodel_device *devices)
{
	struct starpu_perfmodel_device *copy;
	int at;

	pthread_mutex_lock(&state_lock);
	at = starpu_perfmodel_arch_comb_get(ndevices, devices);
	if (at < 0 && atomic_load(&ncombs) < NCOMBS && (copy = malloc((size_t)ndevices * sizeof *copy))) {
		memcpy(copy, devices, (size_t)ndevices * sizeof *copy);
		at = atomic_load(&ncombs);
		combs[at] = (struct starpu_perfmodel_arch){ ndevices, copy };
		atomic_store(&ncombs, at + 1);
	}
	pthread_mutex_unlock(&state_lock);
	return at;
}

struct starpu_perfmodel_arch *starpu_perfmodel_arch_comb_fetch(int comb)
{
	return comb >= 0 && comb < atomic_load(&ncombs) ? &combs[comb] : NULL;
}

/* --- tables --- */

static struct xs_table *table_find(const struct starpu_perfmodel *model, int comb, unsigned impl)
{
	const struct _starpu_perfmodel_state *state = model->state;

	for (unsigned i = 0; state && i < state->n; i++)
		if (state->tables[i]->comb == comb && state->tables[i]->impl == impl)
			return state->tables[i];
	return NULL;
}

struct xs_table *xs_table(struct starpu_perfmodel *model, const struct starpu_perfmodel_arch *arch, unsigned impl)
{
	int comb = starpu_perfmodel_arch_comb_add(arch->ndevices, arch->devices);
	struct xs_table *table = comb < 0 ? NULL : table_find(model, comb, impl);
	struct xs_table **grown;

	if (table || comb < 0)
		return table;
	if (!model->state)
		model->state = calloc(1, sizeof *model->state);
	table = calloc(1, sizeof *table);
	grown = model->state ? realloc(model->state->tables, (model->state->n + 1) * sizeof *grown) : NULL;
	if (!table || !grown) {
		free(table);
		xs_fail(-ENOMEM, "no memory for a performance model");
		return NULL;
	}
	model->state->tables = grown;
	grown[model->state->n++] = table;
	table->comb = comb;
	table->impl = impl;
	return table;
}

struct starpu_perfmodel_per_arch *starpu_perfmodel_get_model_per_arch(struct starpu_perfmodel *model,
								      struct starpu_perfmodel_arch *arch, unsigned impl)
{
	struct xs_table *table = xs_table(model, arch, impl);

	return table ? &table->per_arch : NULL;
}

/* Triples of type, number of the device and cores, up to -1. */
static struct starpu_perfmodel_per_arch *per_devices(struct starpu_perfmodel *model, int impl, va_list list)
{
	struct starpu_perfmodel_device devices[16];
	int n = 0, type;

	while ((type = va_arg(list, int)) != -1 && n < 16) {
		devices[n].type = (enum starpu_worker_archtype)type;
		devices[n].devid = va_arg(list, int);
		devices[n++].ncores = va_arg(list, int);
	}
	return starpu_perfmodel_get_model_per_arch(model, &(struct starpu_perfmodel_arch){ n, devices },
						   (unsigned)impl);
}

struct starpu_perfmodel_per_arch *starpu_perfmodel_get_model_per_devices(struct starpu_perfmodel *model, int impl, ...)
{
	struct starpu_perfmodel_per_arch *table;
	va_list list;

	va_start(list, impl);
	table = per_devices(model, impl, list);
	va_end(list);
	return table;
}

int starpu_perfmodel_set_per_devices_cost_function(struct starpu_perfmodel *model, int impl,
						   starpu_perfmodel_per_arch_cost_function func, ...)
{
	struct starpu_perfmodel_per_arch *table;
	va_list list;

	va_start(list, func);
	table = per_devices(model, impl, list);
	va_end(list);
	if (!table)
		return -ENOMEM;
	table->cost_function = func;
	return 0;
}

int starpu_perfmodel_set_per_devices_size_base(struct starpu_perfmodel *model, int impl,
					       starpu_perfmodel_per_arch_size_base func, ...)
{
	struct starpu_perfmodel_per_arch *table;
	va_list list;

	va_start(list, func);
	table = per_devices(model, impl, list);
	va_end(list);
	if (!table)
		return -ENOMEM;
	table->size_base = func;
	return 0;
}

/* The table for a worker: of its device, else of any device of its type. */
const struct starpu_perfmodel_per_arch *xs_table_of_worker(const struct starpu_perfmodel *model, unsigned worker,
							   unsigned impl)
{
	const struct _starpu_perfmodel_state *state = model->state;
	const struct starpu_perfmodel_arch *arch = starpu_worker_get_perf_archtype((int)worker, 0);
	const struct starpu_perfmodel_per_arch *found = NULL;

	for (unsigned i = 0; state && arch && i < state->n; i++) {
		const struct xs_table *table = state->tables[i];
		const struct starpu_perfmodel_arch *its = &combs[table->comb];

		if (table->impl != impl || its->ndevices != 1 || its->devices[0].type != arch->devices[0].type)
			continue;
		if (!found || its->devices[0].devid == arch->devices[0].devid)
			found = &table->per_arch;
	}
	return found;
}

void xs_tables_free(struct starpu_perfmodel *model)
{
	struct _starpu_perfmodel_state *state = model->state;

	for (unsigned i = 0; state && i < state->n; i++) {
		struct starpu_perfmodel_history_list *row = state->tables[i]->per_arch.list;

		while (row) {
			struct starpu_perfmodel_history_list *next = row->next;

			free(row->entry);
			free(row);
			row = next;
		}
		free(state->tables[i]);
	}
	if (state)
		free(state->tables);
	free(state);
	model->state = NULL;
}

void starpu_perfmodel_init(struct starpu_perfmodel *model)
{
	model->is_init = 1;
}

int starpu_perfmodel_deinit(struct starpu_perfmodel *model)
{
	xs_tables_free(model);
	model->is_init = model->is_loaded = 0;
	return 0;
}

int starpu_perfmodel_unload_model(struct starpu_perfmodel *model)
{
	return starpu_perfmodel_deinit(model);
}

void starpu_perfmodel_initialize(void)
{
}

void starpu_perfmodel_free_sampling(void)
{
}

/* --- what is expected --- */

double starpu_perfmodel_history_based_expected_perf(struct starpu_perfmodel *model, struct starpu_perfmodel_arch *arch,
						    uint32_t footprint)
{
	const struct xs_table *table;

	if (!model->is_loaded && model->symbol && starpu_perfmodel_load_symbol(model->symbol, model))
		return NAN;
	table = table_find(model, starpu_perfmodel_arch_comb_get(arch->ndevices, arch->devices), 0);
	for (const struct starpu_perfmodel_history_list *row = table ? table->per_arch.list : NULL; row;
	     row = row->next)
		if (row->entry->footprint == footprint)
			return row->entry->mean;
	return NAN;
}

uint32_t starpu_task_footprint(struct starpu_perfmodel *model, struct starpu_task *task,
			       struct starpu_perfmodel_arch *arch, unsigned nimpl)
{
	const struct xs_table *table =
		model && arch ? table_find(model, starpu_perfmodel_arch_comb_get(arch->ndevices, arch->devices), nimpl)
			      : NULL;
	size_t size;

	if (model && model->footprint)
		return model->footprint(task);
	if (table && table->per_arch.size_base)
		size = table->per_arch.size_base(task, arch, nimpl);
	else if (model && model->size_base)
		size = model->size_base(task, nimpl);
	else
		return starpu_task_data_footprint(task);
	return starpu_hash_crc32c_be_n(&size, sizeof size, 0);
}

/* --- printing --- */

char *starpu_perfmodel_get_archtype_name(enum starpu_worker_archtype archtype)
{
	switch (archtype) {
	case STARPU_CPU_WORKER:
		return "cpu";
	case STARPU_CUDA_WORKER:
		return "cuda";
	case STARPU_OPENCL_WORKER:
		return "opencl";
	case STARPU_HIP_WORKER:
		return "hip";
	default:
		return "unknown";
	}
}

void starpu_perfmodel_get_arch_name(struct starpu_perfmodel_arch *arch, char *archname, size_t maxlen, unsigned nimpl)
{
	size_t used = 0;

	for (int i = 0; i < arch->ndevices && used < maxlen; i++)
		used += (size_t)snprintf(archname + used, maxlen - used, "%s%s%d", i ? "_" : "",
					 starpu_perfmodel_get_archtype_name(arch->devices[i].type),
					 arch->devices[i].devid);
	if (used < maxlen)
		snprintf(archname + used, maxlen - used, "_impl%u", nimpl);
}

void starpu_perfmodel_debugfilepath(struct starpu_perfmodel *model, struct starpu_perfmodel_arch *arch, char *path,
				    size_t maxlen, unsigned nimpl)
{
	char name[128];

	starpu_perfmodel_get_arch_name(arch, name, sizeof name, nimpl);
	snprintf(path, maxlen, "%s/debug/%s.%s.%s", xs_models_folder(), model->symbol ? model->symbol : "",
		 xs_models_host(), name);
}

void starpu_perfmodel_print(struct starpu_perfmodel *model, struct starpu_perfmodel_arch *arch, unsigned nimpl,
			    char *parameter, uint32_t *footprint, FILE *output)
{
	const struct xs_table *table = table_find(model, starpu_perfmodel_arch_comb_get(arch->ndevices, arch->devices),
						  nimpl);
	char name[128];

	starpu_perfmodel_get_arch_name(arch, name, sizeof name, nimpl);
	fprintf(output, "# performance model for %s\n# footprint\tsize\tflops\tmean (us)\tdeviation\tsamples\n", name);
	for (const struct starpu_perfmodel_history_list *row = table ? table->per_arch.list : NULL; row;
	     row = row->next) {
		const struct starpu_perfmodel_history_entry *e = row->entry;

		if (footprint && e->footprint != *footprint)
			continue;
		if (parameter && !strcmp(parameter, "mean"))
			fprintf(output, "%e\n", e->mean);
		else if (parameter && !strcmp(parameter, "stddev"))
			fprintf(output, "%e\n", e->deviation);
		else
			fprintf(output, "%08x\t%-15lu\t%e\t%e\t%e\t%u\n", e->footprint, (unsigned long)e->size,
				e->flops, e->mean, e->deviation, e->nsample);
	}
}

int starpu_perfmodel_print_all(struct starpu_perfmodel *model, char *arch, char *parameter, uint32_t *footprint,
			       FILE *output)
{
	const struct _starpu_perfmodel_state *state = model->state;
	int printed = 0;

	for (unsigned i = 0; state && i < state->n; i++) {
		struct starpu_perfmodel_arch *its = &combs[state->tables[i]->comb];
		const char *name = starpu_perfmodel_get_archtype_name(its->devices[0].type);

		if (arch && strncmp(arch, name, strlen(name)))
			continue;
		starpu_perfmodel_print(model, its, state->tables[i]->impl, parameter, footprint, output);
		printed++;
	}
	return !printed;
}

int starpu_perfmodel_print_estimations(struct starpu_perfmodel *model, uint32_t footprint, FILE *output)
{
	for (unsigned w = 0; w < xs_global.nworkers; w++)
		fprintf(output, "%e ",
			starpu_perfmodel_history_based_expected_perf(model, starpu_worker_get_perf_archtype((int)w, 0),
								     footprint));
	return 0;
}

int starpu_perfmodel_list_combs(FILE *output, struct starpu_perfmodel *model)
{
	const struct _starpu_perfmodel_state *state = model->state;

	for (unsigned i = 0; state && i < state->n; i++) {
		char name[128];

		starpu_perfmodel_get_arch_name(&combs[state->tables[i]->comb], name, sizeof name,
					       state->tables[i]->impl);
		fprintf(output, "\tcombination %d: %s\n", state->tables[i]->comb, name);
	}
	return 0;
}

void starpu_perfmodel_dump_xml(FILE *output, struct starpu_perfmodel *model)
{
	const struct _starpu_perfmodel_state *state = model->state;

	fprintf(output,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- symbol %s -->\n"
		"<perfmodel version=\"45\">\n",
		model->symbol ? model->symbol : "");
	for (unsigned i = 0; state && i < state->n; i++) {
		const struct xs_table *table = state->tables[i];
		const struct starpu_perfmodel_device *device = combs[table->comb].devices;

		fprintf(output, "  <combination>\n    <device type=\"%s\" id=\"%d\" ncores=\"%d\"/>\n",
			starpu_perfmodel_get_archtype_name(device->type), device->devid, device->ncores);
		fprintf(output, "    <implementation id=\"%u\">\n", table->impl);
		for (const struct starpu_perfmodel_history_list *row = table->per_arch.list; row; row = row->next)
			fprintf(output,
				"      <entry footprint=\"%08x\" size=\"%lu\" flops=\"%e\" mean=\"%e\" "
				"deviation=\"%e\" "
				"nsample=\"%u\"/>\n",
				row->entry->footprint, (unsigned long)row->entry->size, row->entry->flops,
				row->entry->mean, row->entry->deviation, row->entry->nsample);
		fprintf(output, "    </implementation>\n  </combination>\n");
	}
	fprintf(output, "</perfmodel>\n");
}
