/* SPDX-License-Identifier: MIT */
/* All stages that there can be, with their times: computed once, used by every solver. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "pipeline/pipeline.h"

/* Fills a type's row of stages that begin behind a layer. */
static void table_row(const struct pipeline_problem *problem, unsigned type, unsigned behind, double *row)
{
	double available = problem->types[type].mem_MB * 1024 * 1024, seconds = 0, layers = 0;

	for (unsigned last = behind + 1; last <= problem->nlayers; last++) {
		seconds += problem->types[type].time_s[last - 1];
		layers += problem->mem_MB[last - 1] * 1024 * 1024;
		row[last - 1] = available > layers + pipeline_buffers(problem, behind + 1, last) ? seconds : INFINITY;
	}
}

int pipeline_table_init(struct pipeline_table *table, const struct pipeline_problem *problem)
{
	size_t n = problem->nlayers, types = problem->ntypes;

	*table = (struct pipeline_table){ .nlayers = problem->nlayers, .ntypes = problem->ntypes };
	if (types * n * (n + 1) * sizeof(double) > PIPELINE_MEMORY_MAX / 2)
		return -E2BIG;
	table->compute = malloc((types * n * n + 1) * sizeof(double));
	table->link = malloc((types * n + 1) * sizeof(double));
	if (!table->compute || !table->link) {
		pipeline_table_fini(table);
		return -ENOMEM;
	}
	for (unsigned t = 0; t < types; t++) {
		for (unsigned behind = 0; behind < n; behind++)
			table_row(problem, t, behind, &table->compute[(t * n + behind) * n]);
		for (unsigned layer = 1; layer < n; layer++)
			table->link[t * n + layer] = pipeline_comm(problem, layer, problem->types[t].bw_Mbps);
	}
	return 0;
}

void pipeline_table_fini(struct pipeline_table *table)
{
	free(table->compute);
	free(table->link);
	table->compute = table->link = NULL;
}

static int table_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double *pipeline_table_candidates(const struct pipeline_table *table, size_t *n)
{
	size_t layers = table->nlayers, found = 0, different = 0;
	double *values = malloc((table->ntypes * layers * (layers + 1) / 2 + 1) * sizeof(*values));

	if (!values)
		return NULL;
	for (unsigned t = 0; t < table->ntypes; t++)
		for (unsigned behind = 0; behind < layers; behind++)
			for (unsigned last = behind + 1; last <= layers; last++) {
				double weight = pipeline_table_weight(table, t, behind, last);

				if (weight < INFINITY)
					values[found++] = weight;
			}
	qsort(values, found, sizeof(*values), table_compare);
	for (size_t i = 0; i < found; i++)
		if (!different || values[i] != values[different - 1])
			values[different++] = values[i];
	*n = different;
	return values;
}
