/* SPDX-License-Identifier: MIT */
/*
 * Private parts of the tables of performance models.
 */
#ifndef XYLEM_STARPU_MODEL_INTERNAL_H
#define XYLEM_STARPU_MODEL_INTERNAL_H

#include "internal.h"
#include <parts/model.h>

struct xs_table {
	int comb; /* of devices */
	unsigned impl;
	struct starpu_perfmodel_per_arch per_arch;
};

struct _starpu_perfmodel_state {
	struct xs_table **tables;
	unsigned n;
};

/* The table for devices and an implementation, made at the first call; NULL without memory. */
struct xs_table *xs_table(struct starpu_perfmodel *model, const struct starpu_perfmodel_arch *arch, unsigned impl);
const struct starpu_perfmodel_per_arch *xs_table_of_worker(const struct starpu_perfmodel *model, unsigned worker,
							   unsigned impl);
void xs_tables_free(struct starpu_perfmodel *model);

#endif
