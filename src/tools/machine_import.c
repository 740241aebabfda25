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

enum { IMPORT_PATH = 4096, IMPORT_MOST = 1 << 20 };

/* What StarPU knows of a host. */
struct import {
	const char *folder, *host;
	unsigned counts[3]; /* CPUs, CUDA and OpenCL devices */
	struct xy__bus bus; /* RAM, CUDA devices, OpenCL devices */
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

/* The first numbers of the first lines without "#" at the front. */
static bool import_config(struct import *import)
{
	char *text = import_read(import, "config"), *rest = text, *line;
	unsigned n = 0;

	if (!text)
		return false;
	while (n < 3 && (line = strsep(&rest, "\n"))) {
		char *end;
		unsigned long count = strtoul(line, &end, 10);

		if (end != line && count <= XY__BUS_NODES)
			import->counts[n++] = (unsigned)count;
	}
	free(text);
	if (n < 3)
		tool_say("%s/bus/%s.config: does not say how many CPUs, CUDA and OpenCL devices there are",
			 import->folder, import->host);
	return n == 3;
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

/* A way between two devices is as fast as measured, but no faster than their links. */
static void import_peer(const struct import *import, const char *arch, unsigned first, unsigned from, unsigned to)
{
	const struct xy__link *link = xy__bus_link(&import->bus, first + from, first + to);
	double most = fmin(xy__bus_link(&import->bus, first + from, 0)->mb_per_s,
			   xy__bus_link(&import->bus, 0, first + to)->mb_per_s);

	if (link->mb_per_s > 0)
		printf("route %s%u -> %s%u via out%u in%u latency %gus bandwidth %gMB/s\n", arch, from, arch, to, from,
		       to, link->latency_us, fmin(link->mb_per_s, most));
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

static enum tool_status import_write(const struct import *import)
{
	enum xy_arch arch = import->counts[1] || !import->counts[2] ? XY_CUDA : XY_OPENCL;
	unsigned n = import->counts[arch == XY_CUDA ? 1 : 2], first = arch == XY_CUDA ? 1 : 1 + import->counts[1];
	unsigned cores = import->counts[0] > n ? import->counts[0] - n : 1;

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
