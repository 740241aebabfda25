/* SPDX-License-Identifier: MIT */
/* Performance models as tables: what was measured, and reading and printing it. */
#ifndef XYLEM_STARPU_MODEL_H
#define XYLEM_STARPU_MODEL_H

#include <parts/perf.h>

#ifdef __cplusplus
extern "C" {
#endif

struct starpu_perfmodel_history_entry {
	double mean;
	double deviation;
	double sum;
	double sum2;
	unsigned nsample;
	unsigned nerror;
	uint32_t footprint;
	size_t size;
	double flops;
	double duration;
	starpu_tag_t tag;
	double *parameters;
};
struct starpu_perfmodel_history_list {
	struct starpu_perfmodel_history_list *next;
	struct starpu_perfmodel_history_entry *entry;
};
struct starpu_perfmodel_regression_model {
	double sumlny;
	double sumlnx;
	double sumlnx2;
	unsigned long minx;
	unsigned long maxx;
	double sumlnxlny;
	double alpha;
	double beta;
	unsigned valid;
	double a;
	double b;
	double c;
	unsigned nl_valid;
	unsigned nsample;
	double *coeff;
	unsigned ncoeff;
	unsigned multi_valid;
};
struct starpu_perfmodel_history_table;
struct starpu_perfmodel_per_arch {
	starpu_perfmodel_per_arch_cost_function cost_function;
	starpu_perfmodel_per_arch_size_base size_base;
	struct starpu_perfmodel_history_table *history;
	struct starpu_perfmodel_history_list *list;
	struct starpu_perfmodel_regression_model regression;
	char debug_path[256];
};

/* --- a function for each kind of device: triples of type, number and cores, up to -1 --- */

struct starpu_perfmodel_per_arch *starpu_perfmodel_get_model_per_arch(struct starpu_perfmodel *model,
								      struct starpu_perfmodel_arch *arch,
								      unsigned impl);
struct starpu_perfmodel_per_arch *starpu_perfmodel_get_model_per_devices(struct starpu_perfmodel *model, int impl, ...);
int starpu_perfmodel_set_per_devices_cost_function(struct starpu_perfmodel *model, int impl,
						   starpu_perfmodel_per_arch_cost_function func, ...);
int starpu_perfmodel_set_per_devices_size_base(struct starpu_perfmodel *model, int impl,
					       starpu_perfmodel_per_arch_size_base func, ...);
int starpu_perfmodel_get_narch_combs(void);
int starpu_perfmodel_arch_comb_add(int ndevices, struct starpu_perfmodel_device *devices);
int starpu_perfmodel_arch_comb_get(int ndevices, struct starpu_perfmodel_device *devices);
struct starpu_perfmodel_arch *starpu_perfmodel_arch_comb_fetch(int comb);

/* --- files: StarPU's of version 45, and Xylem's --- */

int starpu_perfmodel_load_file(const char *filename, struct starpu_perfmodel *model); /* 0, or 1 without one */
int starpu_perfmodel_load_symbol(const char *symbol, struct starpu_perfmodel *model);
int starpu_perfmodel_unload_model(struct starpu_perfmodel *model);
void starpu_perfmodel_get_model_path(const char *symbol, char *path, size_t maxlen); /* "" without one */
int starpu_perfmodel_list(FILE *output);
void starpu_perfmodel_directory(FILE *output);
void starpu_perfmodel_initialize(void);
void starpu_perfmodel_free_sampling(void);

/* --- measurements --- */

void starpu_perfmodel_update_history(struct starpu_perfmodel *model, struct starpu_task *task,
				     struct starpu_perfmodel_arch *arch, unsigned cpuid, unsigned nimpl,
				     double measured);
double starpu_perfmodel_history_based_expected_perf(struct starpu_perfmodel *model, struct starpu_perfmodel_arch *arch,
						    uint32_t footprint);
uint32_t starpu_task_footprint(struct starpu_perfmodel *model, struct starpu_task *task,
			       struct starpu_perfmodel_arch *arch, unsigned nimpl);

/* --- printing --- */

char *starpu_perfmodel_get_archtype_name(enum starpu_worker_archtype archtype);
void starpu_perfmodel_get_arch_name(struct starpu_perfmodel_arch *arch, char *archname, size_t maxlen, unsigned nimpl);
void starpu_perfmodel_debugfilepath(struct starpu_perfmodel *model, struct starpu_perfmodel_arch *arch, char *path,
				    size_t maxlen, unsigned nimpl);
void starpu_perfmodel_print(struct starpu_perfmodel *model, struct starpu_perfmodel_arch *arch, unsigned nimpl,
			    char *parameter, uint32_t *footprint, FILE *output);
int starpu_perfmodel_print_all(struct starpu_perfmodel *model, char *arch, char *parameter, uint32_t *footprint,
			       FILE *output);
int starpu_perfmodel_print_estimations(struct starpu_perfmodel *model, uint32_t footprint, FILE *output);
int starpu_perfmodel_list_combs(FILE *output, struct starpu_perfmodel *model);
void starpu_perfmodel_dump_xml(FILE *output, struct starpu_perfmodel *model);

/* --- the bus --- */

double starpu_transfer_bandwidth(unsigned src_node, unsigned dst_node); /* MB/s */
double starpu_transfer_latency(unsigned src_node, unsigned dst_node);   /* microseconds */
void starpu_bus_print_bandwidth(FILE *f);
void starpu_bus_print_affinity(FILE *f);
void starpu_bus_print_filenames(FILE *f);

#ifdef __cplusplus
}
#endif
#endif
