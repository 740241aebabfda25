/* SPDX-License-Identifier: MIT */
/* The machine of a platform, with its numbers of workers and nodes. */
#include "core/machine/machine.h"
#include "core/machine/platform.h"

int xy__platform_machine(const struct xy__platform *p, struct xy_machine **machine)
{
	struct xy__machine_device devices[XY__PLATFORM_NODES];
	struct xy__machine_cpus cpus[XY__PLATFORM_CLASSES];
	struct xy__machine_parts parts = {
		.topology = p->topology,
		.ncpus = p->ncpus,
		.cpus = cpus,
		.ndevices = p->nnodes - p->nram,
		.devices = devices,
		.ram_bytes = p->nodes[0].memory_bytes,
	};
	int status;

	for (unsigned i = 0; i < p->ncpus; i++)
		cpus[i] = (struct xy__machine_cpus){ p->cpus[i].count, p->classes[p->cpus[i].class].speed };
	for (unsigned i = p->nram; i < p->nnodes; i++) {
		const struct xy__platform_node *node = &p->nodes[i];

		devices[i - p->nram] = (struct xy__machine_device){
			.arch = node->arch,
			.index = (unsigned)node->device,
			.nworkers = node->nworkers,
			.title = node->title,
			.memory_bytes = node->memory_bytes,
			.speed = p->classes[node->class].speed,
		};
	}
	status = xy__machine_assemble(machine, &parts);
	for (unsigned i = 0; !status && i < p->nworkers; i++)
		xy__machine_set_class(*machine, i, p->workers[i].class);
	return status;
}
