/* SPDX-License-Identifier: MIT */
/* xylem machine import: writes a machine file from what StarPU has measured on a host. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/perf/bus.h"
#include "core/util/arch.h"
#include "core/util/buffer.h"
#include "tools/machine.h"

/* A measurement between two devices must exceed the links of both with RAM by so much to show a link of their own. */
#define IMPORT_FASTER 1.2

enum { IMPORT_PATH = 4096, IMPORT_MOST = 1 << 20, IMPORT_COUNT = 100000 };

/* What a host has, in the order in which StarPU numbers memory nodes. */
enum import_what { IMPORT_CPUS, IMPORT_NUMA, IMPORT_CUDA, IMPORT_HIP, IMPORT_OPENCL, IMPORT_WHATS };

static const struct {
	const char *word; /* in its configuration file */
	enum xy_arch arch;
} import_whats[IMPORT_WHATS] = {
	[IMPORT_CPUS] = { "of CPUs", XY_CPU },
	[IMPORT_NUMA] = { "of NUMA nodes", XY_CPU },
	[IMPORT_CUDA] = { "of CUDA devices", XY_CUDA },
	[IMPORT_HIP] = { "of HIP devices", XY_HIP },
	[IMPORT_OPENCL] = { "of OpenCL devices", XY_OPENCL },
};

/* What StarPU knows of a host. */
struct import {
	const char *folder, *host;
	unsigned counts[IMPORT_WHATS];
	struct xy__bus bus; /* NUMA nodes, CUDA, HIP and OpenCL devices */
};

/* A file of the folder, from malloc; NULL after a message. */
static char *import_read(const struct import *import, const char *kind)
{
	char path[IMPORT_PATH], *text = NULL;
	size_t n = 0;
	FILE *in;

	snprintf(path, sizeof(path), "%s/bus/%s.%s", import->folder, import->host, kind);
	in = fopen(path, "r");
	if (in) {
		text = malloc(IMPORT_MOST + 1);
		n = text ? fread(text, 1, IMPORT_MOST, in) : 0;
		if (text)
			text[n] = '\0';
		fclose(in);
	}
	if (!text)
		tool_say("%s: %s", path, strerror(errno ? errno : ENOMEM));
	return text;
}

/* Lines such as "12 # Number of CPUs". What has no line is not there, but for a NUMA node. */
static bool import_config(struct import *import)
{
	char *text = import_read(import, "config"), *rest = text, *line;

	if (!text)
		return false;
	import->counts[IMPORT_NUMA] = 1;
	while ((line = strsep(&rest, "\n"))) {
		char *end;
		unsigned long count = strtoul(line, &end, 10);

		for (unsigned i = 0; i < IMPORT_WHATS && end != line; i++)
			if (strstr(end, import_whats[i].word))
				import->counts[i] = count <= IMPORT_COUNT ? (unsigned)count : IMPORT_COUNT;
	}
	free(text);
	if (!import->counts[IMPORT_CPUS])
		tool_say("%s/bus/%s.config: does not say how many CPUs there are", import->folder, import->host);
	return import->counts[IMPORT_CPUS];
}

static bool import_bus(struct import *import)
{
	char *bandwidth = import_read(import, "bandwidth"),
	     *latency = bandwidth ? import_read(import, "latency") : NULL;
	char error[256] = "";
	int status = bandwidth && latency ? xy__bus_read_starpu(&import->bus, bandwidth, latency, error, sizeof(error))
					  : -ENOENT;

	if (*error)
		tool_say("%s/bus/%s: %s", import->folder, import->host, error);
	free(bandwidth);
	free(latency);
	return !status;
}

/* --- writing --- */

static void import_link(const struct import *import, const char *way, unsigned from, unsigned to, unsigned device)
{
	const struct xy__link *link = xy__bus_link(&import->bus, from, to);

	printf("link %s%u %gus %gMB/s\n", way, device, link->latency_us, link->mb_per_s);
}

/* A way between two devices passes their links, unless it is faster: then there is a link for it alone. */
static void import_peer(const struct import *import, const char *arch, unsigned first, unsigned from, unsigned to)
{
	const struct xy__link *link = xy__bus_link(&import->bus, first + from, first + to);
	double most = fmin(xy__bus_link(&import->bus, first + from, 0)->mb_per_s,
			   xy__bus_link(&import->bus, 0, first + to)->mb_per_s);

	if (!(link->mb_per_s > 0))
		return;
	if (link->mb_per_s > IMPORT_FASTER * most) {
		printf("link peer%u-%u %gus %gMB/s\n", from, to, link->latency_us, link->mb_per_s);
		printf("route %s%u -> %s%u via peer%u-%u\n", arch, from, arch, to, from, to);
	} else {
		printf("route %s%u -> %s%u via out%u in%u latency %gus bandwidth %gMB/s\n", arch, from, arch, to, from,
		       to, link->latency_us, fmin(link->mb_per_s, most));
	}
}

static void import_links(const struct import *import, enum xy_arch arch, unsigned first, unsigned n)
{
	const char *name = xy_arch_name(arch);

	printf("\n# Measured between each two memories. Which of them share a link is not: each device has its own.\n");
	for (unsigned i = 0; i < n; i++) {
		import_link(import, "in", 0, first + i, i);
		import_link(import, "out", first + i, 0, i);
		printf("route ram0 -> %s%u via in%u\nroute %s%u -> ram0 via out%u\n", name, i, i, name, i, i);
	}
	for (unsigned from = 0; from < n; from++)
		for (unsigned to = 0; to < n; to++)
			if (from != to)
				import_peer(import, name, first, from, to);
}

/* Whether the links between RAM and the devices are known. */
static bool import_knows(const struct import *import, unsigned first, unsigned n)
{
	for (unsigned i = first; i < first + n; i++)
		if (i >= import->bus.nnodes || !(xy__bus_link(&import->bus, 0, i)->mb_per_s > 0) ||
		    !(xy__bus_link(&import->bus, i, 0)->mb_per_s > 0)) {
			tool_say("%s/bus/%s: has no bandwidth between RAM and memory node %u", import->folder,
				 import->host, i);
			return false;
		}
	return true;
}

/* Models are in codelets/45, or in codelets where a copy of the folder has one version only. */
static void import_models(const struct import *import)
{
	char path[IMPORT_PATH];
	struct stat about;

	snprintf(path, sizeof(path), "%s/codelets/45", import->folder);
	printf("\nmodels %s/codelets%s %s\n", import->folder, stat(path, &about) ? "" : "/45", import->host);
}

/* CUDA and HIP devices are often known to OpenCL, too: the first that there are count. */
static enum import_what import_devices(const struct import *import)
{
	enum import_what what = IMPORT_CUDA;

	while (what < IMPORT_OPENCL && !import->counts[what])
		what++;
	return what;
}

static enum tool_status import_write(const struct import *import)
{
	enum import_what what = import_devices(import);
	enum xy_arch arch = import_whats[what].arch;
	unsigned n = import->counts[what], first = 0;
	unsigned cores = import->counts[IMPORT_CPUS] > n ? import->counts[IMPORT_CPUS] - n : 1;

	for (enum import_what before = IMPORT_NUMA; before < what; before++)
		first += import->counts[before];
	if (!import_knows(import, first, n))
		return TOOL_WRONG;
	printf("# From StarPU's measurements of the host %s.\nmachine %s\n", import->host, import->host);
	printf("class cpu cpu\nworkers %u cpu # a core drives each device\n", cores);
	if (n) {
		printf("class gpu %s speed %g # for tasks without a model: not measured\ndevices %u gpu\n",
		       xy_arch_name(arch), xy__archs[arch].speed, n);
		import_links(import, arch, first, n);
	}
	import_models(import);
	return TOOL_OK;
}

enum tool_status tool_machine_import(const char *folder, const char *host)
{
	char *path = realpath(folder, NULL); /* the machine file may be written anywhere */
	struct import import = { .folder = path, .host = host };
	enum tool_status status = TOOL_WRONG;

	if (!path)
		tool_say("%s: %s", folder, strerror(errno));
	if (path && import_config(&import) && import_bus(&import))
		status = import_write(&import);
	xy__bus_fini(&import.bus);
	free(path);
	return status;
}
