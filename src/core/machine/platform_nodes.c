/* SPDX-License-Identifier: MIT */
/*
 * Workers and memory nodes of machine files: CPU workers take the cores of the topology in turn and are in its memory
 * nodes; each device is a further node. The machine has the same numbering.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/platform_parts.h"
#include "core/machine/topology.h"
#include "core/util/arch.h"

bool xy__xym_read_workers(struct xy__xym_reader *r)
{
	struct xy__platform *p = r->p;
	struct xy__platform_cpus cpus;

	if (!xy__xym_count(r, XY__CORES_MAX, &cpus.count, "a number of workers") || !xy__xym_class(r, &cpus.class) ||
	    !xy__xym_ended(r))
		return false;
	if (p->classes[cpus.class].arch != XY_CPU)
		return xy__xym_wrong(r, "\"%s\" is a class of devices: write \"devices %u %s\"",
				     p->classes[cpus.class].name, cpus.count, p->classes[cpus.class].name);
	if (p->ncpus == XY__PLATFORM_CLASSES)
		return xy__xym_wrong(r, "too many lines with workers (%d at most)", XY__PLATFORM_CLASSES);
	if (cpus.count > XY__CORES_MAX - p->nworkers)
		return xy__xym_wrong(r, "a machine has at most %u workers", XY__CORES_MAX);
	p->cpus[p->ncpus++] = cpus;
	p->nworkers += cpus.count;
	return true;
}

/* "workers 2", "memory 6G", "title Tesla M2070". */
static bool nodes_option(struct xy__xym_reader *r, struct xy__xym_group *group)
{
	char word[XY__PLATFORM_WORD];
	double bytes;

	if (!xy__xym_word(r, word, sizeof word, "workers, memory or title"))
		return false;
	if (!strcmp(word, "workers"))
		return xy__xym_count(r, 16, &group->nworkers, "a number of workers for each device");
	if (!strcmp(word, "memory")) {
		if (!xy__xym_size(r, &bytes, "a size of memory"))
			return false;
		group->memory_bytes = (unsigned long long)bytes;
		return true;
	}
	if (strcmp(word, "title"))
		return xy__xym_wrong(r, "expected workers, memory or title, not \"%s\"", word);
	if (xy__lines_ended(&r->lines))
		return xy__xym_wrong(r, "expected a title at the end of the line");
	if (strlen(r->lines.at) >= sizeof group->title)
		return xy__xym_wrong(r, "the title is too long: it has at most %zu characters",
				     sizeof group->title - 1);
	strcpy(group->title, r->lines.at);
	for (size_t n = strlen(group->title); n > 0 && strchr(" \t\r", group->title[n - 1]); n--)
		group->title[n - 1] = '\0';
	r->lines.at += strlen(r->lines.at);
	return true;
}

bool xy__xym_read_devices(struct xy__xym_reader *r)
{
	struct xy__platform *p = r->p;
	struct xy__xym_group group = { .line = r->lines.number, .nworkers = 1 };

	if (!xy__xym_count(r, XY__PLATFORM_NODES - 1, &group.count, "a number of devices") ||
	    !xy__xym_class(r, &group.class))
		return false;
	if (p->classes[group.class].arch == XY_CPU)
		return xy__xym_wrong(r, "\"%s\" is a class of CPUs: write \"workers %u %s\"",
				     p->classes[group.class].name, group.count, p->classes[group.class].name);
	while (!xy__lines_ended(&r->lines))
		if (!nodes_option(r, &group))
			return false;
	if (r->ngroups == XY__PLATFORM_GROUPS)
		return xy__xym_wrong(r, "too many lines with devices (%d at most)", XY__PLATFORM_GROUPS);
	if (group.count * group.nworkers > XY__CORES_MAX - p->nworkers)
		return xy__xym_wrong(r, "a machine has at most %u workers", XY__CORES_MAX);
	r->groups[r->ngroups++] = group;
	p->nworkers += group.count * group.nworkers;
	return true;
}

static bool nodes_topology(struct xy__xym_reader *r, struct xy__topology *t)
{
	const char *text = r->p->topology, *at = text;
	char sentence[160];
	unsigned ncpu = 0;
	int status;

	for (unsigned i = 0; i < r->p->ncpus; i++)
		ncpu += r->p->cpus[i].count;
	if (*text) {
		status = xy__topology_of_text(t, &at, text + strlen(text), sentence, sizeof sentence);
	} else {
		status = xy__topology_init(t, ncpu, 0);
		if (!status && xy__topology_build(t)) {
			xy__topology_fini(t);
			status = -ENOMEM;
		}
	}
	if (status == -ENOMEM) {
		r->no_memory = true;
		return false;
	}
	r->lines.number = r->topology_line;
	return !status || xy__xym_wrong(r, "in the topology, at \"%.40s\": %s", at, sentence);
}

/* Main memory: the nodes that CPU workers are in, and one without any. */
static bool nodes_add_ram(struct xy__xym_reader *r, const struct xy__topology *t)
{
	struct xy__platform *p = r->p;
	unsigned worker = 0;

	p->nram = 1;
	for (unsigned i = 0; i < p->ncpus; i++)
		for (unsigned k = 0; k < p->cpus[i].count; k++, worker++) {
			unsigned node = xy__topology_core(t, worker % t->ncores)->node;

			p->workers[worker] = (struct xy__platform_worker){ p->cpus[i].class, node };
			if (p->nram <= node)
				p->nram = node + 1;
		}
	if (p->nram > XY__PLATFORM_NODES)
		return xy__xym_wrong(r, "the topology has %u memory nodes: at most %d are possible", p->nram,
				     XY__PLATFORM_NODES);
	p->nworkers = worker;
	for (p->nnodes = 0; p->nnodes < p->nram; p->nnodes++) {
		struct xy__platform_node *node = &p->nodes[p->nnodes];

		*node = (struct xy__platform_node){ .arch = XY_CPU, .device = -1, .memory_bytes = r->ram_bytes };
		snprintf(node->name, sizeof node->name, "ram%u", p->nnodes);
	}
	return true;
}

static bool nodes_add_device(struct xy__xym_reader *r, const struct xy__xym_group *group, unsigned index)
{
	struct xy__platform *p = r->p;
	struct xy__platform_node *node = &p->nodes[p->nnodes];
	enum xy_arch arch = p->classes[group->class].arch;

	if (p->nnodes == XY__PLATFORM_NODES) {
		r->lines.number = group->line;
		return xy__xym_wrong(r, "too many memory nodes: %d at most, with main memory", XY__PLATFORM_NODES);
	}
	*node = (struct xy__platform_node){
		.arch = arch,
		.device = (int)index,
		.class = group->class,
		.nworkers = group->nworkers,
		.memory_bytes = group->memory_bytes,
	};
	snprintf(node->name, sizeof node->name, "%s%u", xy_arch_name(arch), index);
	strcpy(node->title, group->title);
	for (unsigned i = 0; i < group->nworkers; i++)
		p->workers[p->nworkers++] = (struct xy__platform_worker){ group->class, p->nnodes };
	p->nnodes++;
	return true;
}

static bool nodes_add_devices(struct xy__xym_reader *r, enum xy_arch arch)
{
	unsigned index = 0;

	for (unsigned i = 0; i < r->ngroups; i++)
		for (unsigned k = 0; r->p->classes[r->groups[i].class].arch == arch && k < r->groups[i].count; k++)
			if (!nodes_add_device(r, &r->groups[i], index++))
				return false;
	return true;
}

bool xy__xym_make_nodes(struct xy__xym_reader *r)
{
	struct xy__platform *p = r->p;
	struct xy__topology t;
	bool made = false;

	if (p->nworkers == 0)
		return xy__xym_wrong(r, "a machine needs a worker, such as \"workers 4 CLASS\"");
	p->workers = calloc(p->nworkers, sizeof *p->workers);
	if (!p->workers) {
		r->no_memory = true;
		return false;
	}
	if (nodes_topology(r, &t)) {
		made = nodes_add_ram(r, &t);
		for (unsigned arch = XY__ARCH_DEVICES; made && arch < XY_NARCH; arch++)
			made = nodes_add_devices(r, (enum xy_arch)arch);
		xy__topology_fini(&t);
	}
	return made;
}
