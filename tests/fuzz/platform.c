/* SPDX-License-Identifier: MIT */
/* Any text as a machine file: it is read or refused with lines that name it; what is read has a machine with the same
 * numbers, routes of links that there are, and durations that are positive. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/platform.h"
#include "fuzz.h"

static void try_machine(const struct xy__platform *p)
{
	struct xy_machine *m;

	ALWAYS(!xy__platform_machine(p, &m));
	ALWAYS(xy_machine_nworkers(m) == p->nworkers && xy_machine_nnodes(m) == p->nnodes);
	for (unsigned w = 0; w < p->nworkers; w++) {
		ALWAYS(p->workers[w].class < p->nclasses && p->workers[w].node < p->nnodes);
		ALWAYS(xy_machine_worker(m, w)->node == p->workers[w].node);
		ALWAYS(xy_machine_worker(m, w)->arch == p->classes[p->workers[w].class].arch);
	}
	for (unsigned n = 0; n < p->nnodes; n++)
		ALWAYS(!strcmp(xy_machine_node(m, n)->name, p->nodes[n].name));
	xy_machine_destroy(m);
}

static void try_routes(const struct xy__platform *p)
{
	for (unsigned from = 0; from < p->nnodes; from++)
		for (unsigned to = 0; to < p->nnodes; to++) {
			const struct xy__platform_route *route = xy__platform_route(p, from, to);

			ALWAYS(route->nlinks <= XY__PLATFORM_ROUTE);
			for (unsigned i = 0; i < route->nlinks; i++) {
				ALWAYS(route->links[i] < p->nlinks);
				ALWAYS(route->bytes_per_us <= p->links[route->links[i]].bytes_per_us);
			}
			ALWAYS(!route->nlinks || (route->bytes_per_us > 0 && route->latency_us >= 0));
			ALWAYS(!route->nlinks || from != to);
		}
}

static void try_kernels(struct xy__platform *p)
{
	for (unsigned i = 0; i < xy__platform_nkernels(p); i++)
		for (unsigned w = 0; w < p->nworkers; w += 1 + p->nworkers / 50) {
			const struct xy__platform_point *points;
			const char *name = xy__platform_kernel_name(p, i);
			unsigned n = xy__platform_points(p, i, p->workers[w].class, &points);

			for (unsigned k = 0; k < n; k++) {
				struct xy_prediction time = xy__platform_kernel(p, name, name, points[k].bytes, w);

				ALWAYS(time.kind == XY_PREDICTION_VALUE && time.us == points[k].us && time.us > 0);
				if (k == 0)
					continue;
				ALWAYS(points[k - 1].bytes < points[k].bytes);
				time = xy__platform_kernel(p, name, name, (points[k - 1].bytes + points[k].bytes) / 2,
							   w);
				ALWAYS(time.kind == XY_PREDICTION_VALUE && time.us > 0 && isfinite(time.us));
			}
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xy__buffer problems = { 0 };
	struct xy__platform *p;
	char *text = malloc(size + 1);
	int status;

	ALWAYS(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	if (strstr(text, "models")) { /* this computer's files are nobody's input */
		free(text);
		return 0;
	}
	status = xy__platform_read_text(&p, text, "fuzz", &problems);
	ALWAYS(status == 0 || (status == -EINVAL && !strncmp(problems.at, "fuzz, line ", 11)));
	ALWAYS(!p == !!status);
	if (p) {
		try_machine(p);
		try_routes(p);
		try_kernels(p);
	}
	xy__platform_destroy(p);
	xy__buffer_fini(&problems);
	free(text);
	return 0;
}
