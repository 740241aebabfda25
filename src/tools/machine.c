/* SPDX-License-Identifier: MIT */
/* xylem machine: workers, memory, distances, binding, and the result of probing for devices. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/arch.h"
#include "tools/machine.h"

#define MACHINE_MATRIX_MAX 16u /* workers up to which all distances are printed */
#define MACHINE_TEAMS_MAX 32u  /* teams that are printed */

void tool_machine_headline(const char *text)
{
	printf("\n%s%s%s\n", tool_bold(), text, tool_plain());
}

static void machine_summary(const struct xy_machine *m, const struct tool_world *world)
{
	unsigned n = xy_machine_nworkers(m), ncores = xy_machine_ncores(m);
	unsigned count[XY_NARCH] = { 0 };

	for (unsigned w = 0; w < n; w++)
		count[xy_machine_worker(m, w)->arch]++;
	printf("workers  %u", n);
	for (unsigned arch = 0; arch < XY_NARCH; arch++)
		if (count[arch] > 0)
			printf(", %s %u", xy_arch_name((enum xy_arch)arch), count[arch]);
	printf("\nmemory   %u node%s\n", xy_machine_nnodes(m), xy_machine_nnodes(m) == 1 ? "" : "s");
	if (!xy_machine_is_here(m)) {
		printf("place    not this computer: trees can be shown and checked for it, but not run\n");
		return;
	}
	printf("place    this computer, %u core%s that this process may use\n", ncores, ncores == 1 ? "" : "s");
	if (count[XY_CPU] > ncores)
		printf("sharing  %u CPU workers share %u core%s\n", count[XY_CPU], ncores, ncores == 1 ? "" : "s");
	if (n > count[XY_CPU])
		printf("devices  %s\n",
		       xy_machine_worker(m, n - 1)->pu >= 0 ? "each of their workers has a core of its own"
		       : world->settings.device_cores       ? "their workers share the cores: there are too few"
							    : "their workers share the cores "
							      "(XYLEM_DEVICE_CORES=0)");
	printf("binding  %s\n", world->settings.bind ? "each worker to its processor" : "none (XYLEM_BIND=0)");
}

static void machine_workers(const struct xy_machine *m)
{
	tool_machine_headline("worker        arch    node   processor  speed");
	for (unsigned w = 0; w < xy_machine_nworkers(m); w++) {
		const struct xy_worker_info *info = xy_machine_worker(m, w);
		char pu[16] = "-";

		if (info->pu >= 0)
			snprintf(pu, sizeof(pu), "%d", info->pu);
		printf("%-13s %-7s %-6u %-10s %g\n", info->name, xy_arch_name(info->arch), info->node, pu, info->speed);
	}
}

/* The workers of each node as a list: the first one, and for each worker the next; -1 ends it. */
struct machine_nodes {
	int *first, *next;
};

static bool machine_nodes_init(struct machine_nodes *nodes, const struct xy_machine *m)
{
	unsigned n = xy_machine_nworkers(m), nnodes = xy_machine_nnodes(m);

	nodes->first = malloc(nnodes * sizeof(int));
	nodes->next = malloc(n * sizeof(int));
	if (!nodes->first || !nodes->next)
		return false;
	for (unsigned node = 0; node < nnodes; node++)
		nodes->first[node] = -1;
	for (unsigned w = n; w-- > 0;) {
		unsigned node = xy_machine_worker(m, w)->node;

		nodes->next[w] = nodes->first[node];
		nodes->first[node] = (int)w;
	}
	return true;
}

/* Workers in ranges: "cpu0-3 cpu8". Returns how many characters that took. */
static int machine_node_workers(const struct xy_machine *m, const struct machine_nodes *nodes, unsigned node)
{
	int w = nodes->first[node];
	int width = w < 0 ? printf("-") : 0;

	while (w >= 0) {
		const struct xy_worker_info *first = xy_machine_worker(m, (unsigned)w), *last = first;

		while (nodes->next[w] == w + 1 && last[1].arch == first->arch) {
			last++;
			w++;
		}
		width += printf("%s", first->name);
		if (last != first)
			width += printf("-%u", last->index);
		w = nodes->next[w];
		width += printf("%s", w >= 0 ? " " : "");
	}
	return width;
}

/* "15.6 GiB" */
void tool_machine_size(char text[16], unsigned long long bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double size = (double)bytes;
	unsigned unit = 0;

	for (; size >= 1024; unit++)
		size /= 1024;
	snprintf(text, 16, bytes ? "%.4g %s" : "-", size, units[unit]);
}

static void machine_node(const struct xy_machine *m, const struct machine_nodes *nodes, unsigned node)
{
	const struct xy_node_info *info = xy_machine_node(m, node);
	char size[16];
	int width;

	tool_machine_size(size, info->memory_bytes);
	printf("%-6u %-9s %-11s ", node, info->name, size);
	width = machine_node_workers(m, nodes, node);
	printf("%*s %s\n", width < 16 ? 16 - width : 0, "",
	       info->disk         ? "files, for data that main memory has no room for"
	       : info->device < 0 ? "memory of the computer"
	       : info->title[0]   ? info->title
				  : "memory of a device");
}

/* The drivers of this library and their state here. */
static void machine_drivers(const struct xy_machine *m)
{
	if (!xy_machine_driver(m, XY__ARCH_DEVICES)) {
		printf("\n"
		       "Drivers were not probed: this machine does not include the devices of this "
		       "computer.\n");
		return;
	}
	tool_machine_headline("driver  state");
	printf("cpu     %u core%s\n", xy_machine_ncores(m), xy_machine_ncores(m) == 1 ? "" : "s");
	for (enum xy_arch arch = XY__ARCH_DEVICES; arch < XY_NARCH; arch++)
		printf("%-7s %s\n", xy_arch_name(arch), xy_machine_driver(m, arch)->text);
}

bool tool_machine_memory(const struct xy_machine *m)
{
	struct machine_nodes nodes;
	bool enough = machine_nodes_init(&nodes, m);

	tool_machine_headline("node   name      memory      workers          description");
	for (unsigned node = 0; enough && node < xy_machine_nnodes(m); node++)
		machine_node(m, &nodes, node);
	free(nodes.first);
	free(nodes.next);
	return enough;
}

static void machine_matrix(const struct xy_machine *m)
{
	unsigned n = xy_machine_nworkers(m);

	tool_machine_headline("distances: 1 for a shared core or device, plus 1 for each level up to the "
			      "shared part");
	printf("%-9s", "");
	for (unsigned a = 0; a < n; a++)
		printf(" %8s", xy_machine_worker(m, a)->name);
	for (unsigned a = 0; a < n; a++) {
		printf("\n%-9s", xy_machine_worker(m, a)->name);
		for (unsigned b = 0; b < n; b++)
			printf(" %8u", xy_machine_distance(m, a, b));
	}
	printf("\n");
}

/* How many workers are how far from the first one. */
static void machine_distances(const struct xy_machine *m)
{
	unsigned n = xy_machine_nworkers(m), distance = 0;

	tool_machine_headline("distance from the first worker, and the number of workers at it");
	while (distance != UINT_MAX) {
		unsigned count = 0, next = UINT_MAX;

		for (unsigned w = 0; w < n; w++) {
			unsigned d = xy_machine_distance(m, 0, w);

			count += d == distance;
			if (d > distance && d < next)
				next = d;
		}
		printf("%-9u %u\n", distance, count);
		distance = next;
	}
}

static void machine_team(const struct xy_machine *m, const struct xy_component *team)
{
	for (unsigned k = 0; k < team->nmembers;) {
		unsigned first = k++;

		while (k < team->nmembers && team->members[k] == team->members[k - 1] + 1)
			k++;
		printf(" %s", xy_machine_worker(m, team->members[first])->name);
		if (k - first > 1)
			printf("-%u", xy_machine_worker(m, team->members[k - 1])->index);
	}
	printf("\n");
}

/* The sets of CPU workers that tasks can have at once, as a tree of all of them has them. */
static void machine_teams(const struct tool_world *world)
{
	struct xy_tree *tree = NULL;
	char error[256];

	if (xy_tree_parse(&tree, "fifo | eager { each worker { }, each team { } }", world->machine, world->registry,
			  error, sizeof(error)))
		return; /* there are none */
	tool_machine_headline("team   size  members");
	for (unsigned i = 0; i < xy_tree_root(tree)->nteams && i < MACHINE_TEAMS_MAX; i++) {
		const struct xy_component *team = xy_tree_root(tree)->teams[i];

		printf("%-6u %-5u", i, team->nmembers);
		machine_team(world->machine, team);
	}
	if (xy_tree_root(tree)->nteams > MACHINE_TEAMS_MAX)
		printf("and %u more\n", xy_tree_root(tree)->nteams - MACHINE_TEAMS_MAX);
	xy_tree_destroy(tree);
}

static enum tool_status machine_import(const struct tool_arguments *a)
{
	if (!a->second || strcmp(a->operand, "import") || !a->options[3] || a->options[0] || a->options[1] ||
	    a->options[2]) {
		tool_say("machine: an import is \"xylem machine import --starpu FOLDER HOST\", without other options");
		return TOOL_USAGE;
	}
	return tool_machine_import(a->options[3], a->second);
}

static enum tool_status machine_run(const struct tool_arguments *arguments)
{
	struct tool_world world;
	enum tool_status status;

	if (arguments->second || arguments->options[3])
		return machine_import(arguments);
	if (arguments->operand || arguments->options[1] || arguments->options[2])
		return tool_machine_file(arguments);
	status = tool_world_init(&world, arguments->options[0]);
	if (status != TOOL_OK)
		return status;
	machine_summary(world.machine, &world);
	machine_workers(world.machine);
	if (!tool_machine_memory(world.machine)) {
		tool_say("not enough memory");
		status = TOOL_FAILED;
	}
	machine_teams(&world);
	if (xy_machine_nworkers(world.machine) <= MACHINE_MATRIX_MAX)
		machine_matrix(world.machine);
	else
		machine_distances(world.machine);
	machine_drivers(world.machine);
	tool_world_fini(&world);
	return status;
}

const struct tool_command tool_machine = {
	.name = "machine",
	.operand = "FILE",
	.takes_second = true,
	.usage = "[--machine TEXT] | NAME|FILE [--check] | --list | import --starpu FOLDER HOST",
	.summary = "describe the workers, their memory and their distances",
	.help = "Describes the machine that a runtime would have here, or another one: workers, memory nodes,\n"
	        "teams, distances, binding, and the result of probing for devices: a driver is not installed, can't\n"
	        "be loaded because a library is missing, was built for another version, has no devices, failed, is\n"
	        "switched off, or has devices.\n"
	        "\n"
	        "A machine is a text:\n"
	        "  this              a CPU worker for each core that this process may use, and the devices\n"
	        "  this:3            three CPU workers on this computer, and the devices\n"
	        "  this(numa:2 core:1)\n"
	        "                    the cores of this computer arranged as the topology says, and the devices\n"
	        "  cpu:4             four CPU workers and no devices\n"
	        "  cpu:4 cuda:2*15   four CPU workers and two CUDA workers, each as fast as 15 cores\n"
	        "  topology(numa:2 core:4 pu:1) opencl:1\n"
	        "                    cores in the notation of hwloc's synthetic topologies, and devices\n"
	        "  @mirage           the workers of a machine file, by the name of a shipped one or by its path\n"
	        "\n"
	        "With the name of a shipped machine or the path of a machine file, prints all of it, including\n"
	        "links, routes and kernel durations. A path contains a '/' or a '.'; names are looked up in the\n"
	        "folders of XYLEM_MACHINES first. The simulator runs on such machines; doc/machines.md describes\n"
	        "the format.\n"
	        "\n"
	        "import writes a machine file from StarPU's measurements of a host, its own or published ones:\n"
	        "FOLDER is the sampling folder, with bus and codelets; the file names the models there. A core\n"
	        "drives each device, and OpenCL devices count only where there is no CUDA device.\n",
	.options = {
		TOOL_OPTION_MACHINE,
		{ "check", NULL, "only report all errors of a machine file" },
		{ "list", NULL, "list all machine files that can be found by name" },
		{ "starpu", "FOLDER", "import: StarPU's sampling folder" },
	},
	.run = machine_run,
};
