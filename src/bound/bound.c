/* SPDX-License-Identifier: MIT */
/*
 * All bounds of a problem, each at least as large as those that it contains.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bound/parts.h"

static const char *const bound_names[BOUND_NKINDS] = { "area", "path", "mixed", "lp" };

const char *bound_name(enum bound_kind kind)
{
	return bound_names[kind];
}

bool bound_kind_of(const char *name, enum bound_kind *kind)
{
	for (*kind = 0; *kind < BOUND_NKINDS; ++*kind)
		if (!strcmp(bound_names[*kind], name))
			return true;
	return false;
}

/* The groups of the mixed bound: each type, the part of it on the critical path by itself. */
static unsigned bound_groups(const struct bound_graph *graph, const unsigned *path, unsigned length,
			     struct bound_group *groups)
{
	unsigned n = 0;

	for (unsigned t = 0; t < graph->ntypes; t++) {
		groups[t] = (struct bound_group){ .type = t, .count = graph->count[t] };
		groups[graph->ntypes + t] = (struct bound_group){ .type = t, .on_path = true };
	}
	for (unsigned k = 0; k < length; k++) {
		groups[graph->type[path[k]]].count--;
		groups[graph->ntypes + graph->type[path[k]]].count++;
	}
	for (unsigned g = 0; g < 2 * graph->ntypes; g++)
		if (groups[g].count)
			groups[n++] = groups[g];
	return n;
}

/* Room for what the bounds without a solver work on. */
struct bound_room {
	double *length_us, *up_us;
	unsigned *path;
	struct bound_group *groups;
};

static int bound_simple(const struct bound_graph *graph, struct bound_set *set, const struct bound_room *room)
{
	unsigned n = graph->problem->ntasks, last = 0, length = 0;

	for (unsigned i = 0; i < n; i++)
		room->length_us[i] = graph->fastest_us[graph->type[i]];
	set->us[BOUND_PATH] = bound_graph_longest(graph, room->length_us, room->up_us) * (1 - BOUND_ROUNDING);
	set->us[BOUND_AREA] = bound_area(graph, room->groups, bound_groups(graph, NULL, 0, room->groups));
	for (unsigned i = 1; i < n; i++)
		if (room->up_us[i] > room->up_us[last])
			last = i;
	if (n)
		length = bound_graph_path(graph, room->up_us, last, room->path);
	set->us[BOUND_MIXED] = bound_area(graph, room->groups, bound_groups(graph, room->path, length, room->groups));
	if (set->us[BOUND_AREA] < 0 || set->us[BOUND_MIXED] < 0)
		return -ENOMEM;
	set->us[BOUND_MIXED] = fmax(set->us[BOUND_MIXED], fmax(set->us[BOUND_AREA], set->us[BOUND_PATH]));
	return 0;
}

int bound_compute(const struct bound_problem *problem, double limit_s, struct bound_set *set, char *message)
{
	size_t n = (size_t)problem->ntasks + 1;
	struct bound_graph graph;
	struct bound_room room;
	int error = bound_graph_init(&graph, problem, message);

	*set = (struct bound_set){ .end = BOUND_NO_SOLVER };
	if (error)
		return error;
	room = (struct bound_room){
		.length_us = malloc(n * sizeof(*room.length_us)),
		.up_us = malloc(n * sizeof(*room.up_us)),
		.path = malloc(n * sizeof(*room.path)),
		.groups = malloc((2 * (size_t)graph.ntypes + 1) * sizeof(*room.groups)),
	};
	error = room.length_us && room.up_us && room.path && room.groups ? bound_simple(&graph, set, &room) : -ENOMEM;
	free(room.length_us);
	free(room.up_us);
	free(room.path);
	free(room.groups);
	set->ntypes = graph.ntypes;
	set->us[BOUND_LP] = set->us[BOUND_MIXED];
	if (!error)
		error = bound_lp(&graph, limit_s, set);
	bound_graph_fini(&graph);
	return error;
}
