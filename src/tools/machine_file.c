/* SPDX-License-Identifier: MIT */
/* xylem machine FILE: what a machine file says, what is wrong with it, and which ones there are. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/platform.h"
#include "tools/machine.h"

#define FILE_ROUTES_MAX 128u /* up to which all routes are printed */
#define FILE_PROBLEMS 5u     /* printed without --check */

enum { FILE_CHECK = 1, FILE_LIST = 2 }; /* options */

static void file_classes(const struct xy__platform *p)
{
	tool_machine_headline("class            arch    workers  speed");
	for (unsigned class = 0; class < p->nclasses; class ++) {
		unsigned count = 0;

		for (unsigned w = 0; w < p->nworkers; w++)
			count += p->workers[w].class == class;
		printf("%-16s %-7s %-8u %g\n", p->classes[class].name, xy_arch_name(p->classes[class].arch), count,
		       p->classes[class].speed);
	}
}

static bool file_route_has(const struct xy__platform_route *route, unsigned link)
{
	for (unsigned i = 0; i < route->nlinks; i++)
		if (route->links[i] == link)
			return true;
	return false;
}

static void file_links(const struct xy__platform *p)
{
	tool_machine_headline("link             latency us  MB/s        routes that share it");
	for (unsigned link = 0; link < p->nlinks; link++) {
		unsigned count = 0;

		for (unsigned i = 0; i < p->nnodes * p->nnodes; i++)
			count += file_route_has(&p->routes[i], link);
		printf("%-16s %-11g %-11g %u\n", p->links[link].name, p->links[link].latency_us,
		       p->links[link].bytes_per_us, count);
	}
}

static void file_route(const struct xy__platform *p, unsigned from, unsigned to)
{
	const struct xy__platform_route *route = xy__platform_route(p, from, to);

	printf("%-9s %-9s %-11g %-11g", p->nodes[from].name, p->nodes[to].name, route->latency_us, route->bytes_per_us);
	for (unsigned i = 0; i < route->nlinks; i++)
		printf(" %s", p->links[route->links[i]].name);
	printf("\n");
}

static void file_routes(const struct xy__platform *p)
{
	unsigned count = 0;

	for (unsigned i = 0; i < p->nnodes * p->nnodes; i++)
		count += p->routes[i].nlinks > 0;
	if (count == 0)
		return;
	if (count > FILE_ROUTES_MAX) {
		printf("\n%u routes between memory nodes\n", count);
		return;
	}
	tool_machine_headline("from      to        latency us  MB/s        links");
	for (unsigned from = 0; from < p->nnodes; from++)
		for (unsigned to = 0; to < p->nnodes; to++)
			if (xy__platform_route(p, from, to)->nlinks)
				file_route(p, from, to);
}

static int file_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The sizes of a kernel on all classes, each once, in order; NULL without memory. */
static double *file_sizes(const struct xy__platform *p, unsigned kernel, unsigned *count)
{
	const struct xy__platform_point *points;
	unsigned n = 0, kept = 0;
	double *sizes;

	for (unsigned class = 0; class < p->nclasses; class ++)
		n += xy__platform_points(p, kernel, class, &points);
	sizes = malloc((n ? n : 1) * sizeof *sizes);
	n = 0;
	for (unsigned class = 0; sizes && class < p->nclasses; class ++) {
		unsigned npoints = xy__platform_points(p, kernel, class, &points);

		for (unsigned i = 0; i < npoints; i++)
			sizes[n++] = points[i].bytes;
	}
	if (sizes)
		qsort(sizes, n, sizeof *sizes, file_compare);
	for (unsigned i = 0; sizes && i < n; i++)
		if (kept == 0 || sizes[i] != sizes[kept - 1])
			sizes[kept++] = sizes[i];
	*count = kept;
	return sizes;
}

static void file_time(const struct xy__platform *p, unsigned kernel, unsigned class, double bytes)
{
	const struct xy__platform_point *points;
	unsigned n = xy__platform_points(p, kernel, class, &points);

	for (unsigned i = 0; i < n; i++)
		if (points[i].bytes == bytes) {
			printf(" %12.7g", points[i].us);
			return;
		}
	printf(" %12s", "-");
}

static bool file_kernels(const struct xy__platform *p)
{
	if (xy__platform_nkernels(p) == 0)
		return true;
	tool_machine_headline("microseconds per kernel, by the total bytes of the task's data");
	printf("%-24s %12s", "kernel", "bytes");
	for (unsigned class = 0; class < p->nclasses; class ++)
		printf(" %12s", p->classes[class].name);
	printf("\n");
	for (unsigned kernel = 0; kernel < xy__platform_nkernels(p); kernel++) {
		unsigned count;
		double *sizes = file_sizes(p, kernel, &count);

		if (!sizes)
			return false;
		for (unsigned i = 0; i < count; i++) {
			printf("%-24s %12.0f", xy__platform_kernel_name(p, kernel), sizes[i]);
			for (unsigned class = 0; class < p->nclasses; class ++)
				file_time(p, kernel, class, sizes[i]);
			printf("\n");
		}
		free(sizes);
	}
	return true;
}

/* Workers and nodes as the library numbers them, then what the file says beyond. */
static enum tool_status file_show(const struct xy__platform *p, const char *name)
{
	char text[4096];
	struct tool_world world;
	enum tool_status status;
	bool enough;

	if (snprintf(text, sizeof text, "@%s", name) >= (int)sizeof text)
		return TOOL_USAGE;
	status = tool_world_init(&world, text);
	if (status != TOOL_OK)
		return status;
	printf("machine  %s\nworkers  %u\n", p->name, p->nworkers);
	if (p->topology[0])
		printf("cores    %s\n", p->topology);
	file_classes(p);
	enough = tool_machine_memory(world.machine);
	if (p->nlinks)
		file_links(p);
	file_routes(p);
	enough = file_kernels(p) && enough;
	tool_world_fini(&world);
	if (!enough)
		tool_say("not enough memory");
	return enough ? TOOL_OK : TOOL_FAILED;
}

/* The workers of each architecture, such as "9 cpu, 3 cuda"; or what to do about a file that is wrong. */
static void file_list_one(const char *name, const char *folders)
{
	struct xy__platform *p;
	const char *between = "";
	unsigned counts[XY_NARCH] = { 0 };

	printf("%-16s ", name);
	if (xy__platform_read(&p, name, folders, NULL, 0)) {
		printf("invalid: see xylem machine --check %s\n", name);
		return;
	}
	for (unsigned w = 0; w < p->nworkers; w++)
		counts[p->classes[p->workers[w].class].arch]++;
	for (unsigned arch = 0; arch < XY_NARCH; arch++) {
		if (!counts[arch])
			continue;
		printf("%s%u %s", between, counts[arch], xy_arch_name((enum xy_arch)arch));
		between = ", ";
	}
	printf("\n");
	xy__platform_destroy(p);
}

static void file_list(const char *folders)
{
	struct xy__buffer names = { 0 };
	char *rest, *name;

	xy__platform_list(folders, &names);
	for (name = names.at ? strtok_r(names.at, "\n", &rest) : NULL; name; name = strtok_r(NULL, "\n", &rest))
		file_list_one(name, folders);
	xy__buffer_fini(&names);
}

/* Prints the errors: the first few, or all. */
static void file_problems(const char *text, bool all)
{
	const char *at = text;
	char line[1024];

	if (all) {
		tool_say_lines(text);
		return;
	}
	for (unsigned i = 0; i < FILE_PROBLEMS && *at; i++) {
		size_t length = strcspn(at, "\n");

		snprintf(line, sizeof line, "%.*s", (int)length, at);
		tool_say("%s", line);
		at += length + (at[length] == '\n');
	}
	if (*at)
		tool_say("and more: see xylem machine --check");
}

static enum tool_status file_read(const struct tool_arguments *arguments, const char *folders)
{
	const char *name = arguments->operand;
	struct xy__buffer problems = { 0 };
	struct xy__platform *p;
	enum tool_status status = TOOL_OK;
	int error;

	error = xy__platform_read_all(&p, name, folders, &problems);
	if (error || problems.length)
		file_problems(problems.at ? problems.at : "not enough memory", arguments->options[FILE_CHECK]);
	if (error) {
		status = tool_status_of(error);
	} else if (arguments->options[FILE_CHECK]) {
		printf("valid: %u workers, %u memory nodes, %u links, %u kernels\n", p->nworkers, p->nnodes, p->nlinks,
		       xy__platform_nkernels(p));
	} else {
		status = file_show(p, name);
	}
	xy__buffer_fini(&problems);
	xy__platform_destroy(p);
	return status;
}

enum tool_status tool_machine_file(const struct tool_arguments *arguments)
{
	struct xy__settings settings;
	enum tool_status status = TOOL_OK;

	if (arguments->options[0] || !arguments->operand == !arguments->options[FILE_LIST] ||
	    (arguments->options[FILE_LIST] && arguments->options[FILE_CHECK])) {
		tool_say("machine: takes either --machine TEXT, or a machine file with or without "
			 "--check, or --list");
		return TOOL_USAGE;
	}
	switch (xy__settings_init(&settings, NULL)) {
	case 0:
		break;
	case -EINVAL:
		return TOOL_USAGE;
	default:
		return TOOL_FAILED;
	}
	if (arguments->operand)
		status = file_read(arguments, settings.machines);
	else
		file_list(settings.machines);
	xy__settings_fini(&settings);
	return status;
}
