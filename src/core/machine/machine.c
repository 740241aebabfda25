/* SPDX-License-Identifier: MIT */
/*
 * Machines: a list of workers and the places they are at. Both are constant once made, so any
 * thread may look at them. Distances come from the tree of places, never from a matrix.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "core/machine/machine.h"
#include "core/machine/machine_cores.h"
#include "core/machine/machine_layout.h"
#include "core/machine/topology.h"
#include "core/util/arch.h"
#include "core/util/text.h"

/* Where a worker is. */
struct machine_part {
	unsigned package, cache;
};

struct xy_machine {
	unsigned nworkers, nnodes, ncores;
	bool here, has_drivers;
	unsigned depth; /* of the deepest place */
	struct xy__place *places;
	unsigned *place_of;         /* by worker */
	struct machine_part *parts; /* by worker */
	struct xy_worker_info *workers;
	struct xy_node_info *nodes;
	struct xy_driver_info drivers[XY_NARCH]; /* where has_drivers */
};

const char *xy_arch_name(enum xy_arch arch)
{
	return (unsigned)arch < XY_NARCH ? xy__archs[arch].name : NULL;
}

/* Puts the cores of this computer, in turn, where those of a topology are. */
static int machine_arrange(struct xy__topology *t, unsigned *ncores)
{
	struct xy__topology here;
	int status = xy__topology_of_here(&here);

	for (unsigned i = 0; !status && i < t->ncores; i++)
		xy__topology_core(t, i)->pu = xy__topology_core(&here, i % here.ncores)->pu;
	*ncores = status ? 0 : here.ncores;
	if (!status)
		xy__topology_fini(&here);
	else
		xy__topology_fini(t);
	return status;
}

/* The cores that the layout wants, and how many cores of this computer those are. */
static int machine_topology(struct xy__topology *t, unsigned *ncores, const struct xy__machine_layout *layout,
			    const char *text, char *error, size_t error_size)
{
	const char *at = layout->topology;
	char sentence[160];
	int status;

	*ncores = 0;
	switch (layout->cores) {
	case XY__CORES_TEXT:
	case XY__CORES_ARRANGED:
		status = xy__topology_of_text(t, &at, layout->topology_end, sentence, sizeof(sentence));
		if (status == -EINVAL || status == -ERANGE)
			return xy__machine_fail(status, text, at, sentence, error, error_size);
		if (!status && layout->here)
			status = machine_arrange(t, ncores);
		break;
	case XY__CORES_HERE:
		status = xy__topology_of_here(t);
		*ncores = status || !layout->here ? 0 : t->ncores;
		break;
	default:
		status = xy__topology_init(t, layout->count[XY_CPU], 0);
		if (!status)
			status = xy__topology_build(t);
	}
	if (status)
		xy__text_print(error, error_size, "machine \"%s\": %s", text,
			       status == -ENOMEM ? "not enough memory" : "can't determine the cores of this computer");
	return status;
}

/* The class of those before it that are like it, or the next one. */
static unsigned machine_class(const struct xy_machine *m, enum xy_arch arch, double speed)
{
	unsigned next = 0;

	for (unsigned i = m->nworkers; i-- > 0;) {
		if (m->workers[i].arch == arch && m->workers[i].speed == speed)
			return m->workers[i].worker_class;
		if (m->workers[i].worker_class >= next)
			next = m->workers[i].worker_class + 1;
	}
	return next;
}

void xy__machine_set_class(struct xy_machine *machine, unsigned worker, unsigned class)
{
	machine->workers[worker].worker_class = class;
}

static struct xy_worker_info *machine_add(struct xy_machine *m, enum xy_arch arch, unsigned place, double speed)
{
	struct xy_worker_info *w = &m->workers[m->nworkers];
	unsigned index = 0;

	if (m->nworkers > 0 && w[-1].arch == arch)
		index = w[-1].index + 1;
	*w = (struct xy_worker_info){ .arch = arch,
				      .index = index,
				      .device = -1,
				      .pu = -1,
				      .speed = speed,
				      .worker_class = machine_class(m, arch, speed) };
	snprintf(w->name, sizeof(w->name), "%s%u", xy_arch_name(arch), index);
	m->parts[m->nworkers] = (struct machine_part){ 0 };
	m->place_of[m->nworkers++] = place;
	return w;
}

/* CPU workers take the cores in turn, so more workers than cores share them evenly. */
static void machine_add_cpus(struct xy_machine *m, const struct xy__topology *t, const struct xy__core_order *cores,
			     struct xy__machine_cpus cpus)
{
	for (unsigned i = 0; i < cpus.count; i++) {
		const struct xy__core *core = xy__topology_core(t, cores->order[m->nworkers % cores->nfree]);
		struct xy_worker_info *w = machine_add(m, XY_CPU, core->place, cpus.speed);

		w->node = core->node;
		m->parts[m->nworkers - 1] = (struct machine_part){ core->package, core->cache };
		if (m->here)
			w->pu = core->pu;
		if (m->nnodes <= core->node)
			m->nnodes = core->node + 1;
	}
}

static void machine_add_node(struct xy_machine *m, struct xy_node_info info, unsigned number)
{
	struct xy_node_info *node = &m->nodes[m->nnodes++];

	*node = info;
	snprintf(node->name, sizeof(node->name), "%s%u",
		 info.disk         ? "disk"
		 : info.device < 0 ? "ram"
				   : xy_arch_name(info.arch),
		 number);
}

/* Main memory: the nodes that the CPU workers are in, and one without any. Its size is known where
 * it is one node. */
static void machine_add_memory(struct xy_machine *m)
{
	unsigned nnodes = m->nnodes;
	struct sysinfo info;
	unsigned long long bytes = 0;

	if (m->here && nnodes == 1 && sysinfo(&info) == 0)
		bytes = (unsigned long long)info.totalram * info.mem_unit;
	m->nnodes = 0;
	while (m->nnodes < nnodes)
		machine_add_node(m, (struct xy_node_info){ .arch = XY_CPU, .device = -1, .memory_bytes = bytes },
				 m->nnodes);
}

/* Each device has its own memory and hangs on the machine. */
static void machine_add_device(struct xy_machine *m, struct xy__topology *t, const struct xy__machine_device *d)
{
	struct xy_node_info info = { .arch = d->arch, .device = (int)d->index, .memory_bytes = d->memory_bytes };

	snprintf(info.title, sizeof(info.title), "%s", d->title);
	t->places[t->nplaces] = (struct xy__place){ 0, 1 };
	for (unsigned i = 0; i < d->nworkers; i++) {
		struct xy_worker_info *w = machine_add(m, d->arch, t->nplaces,
						       d->speed > 0 ? d->speed : xy__archs[d->arch].speed);

		w->node = m->nnodes;
		w->device = (int)d->index;
	}
	machine_add_node(m, info, d->index);
	t->nplaces++;
	if (m->depth == 0)
		m->depth = 1;
}

/* Imaginary devices: one worker each. */
static void machine_add_imagined(struct xy_machine *m, struct xy__topology *t, const struct xy__machine_item *item)
{
	for (unsigned i = 0; i < item->count; i++) {
		const struct xy_node_info *last = &m->nodes[m->nnodes - 1];
		struct xy__machine_device device = {
			.arch = item->arch,
			.index = last->arch == item->arch ? (unsigned)last->device + 1 : 0,
			.nworkers = 1,
			.title = "",
			.speed = item->speed,
		};

		machine_add_device(m, t, &device);
	}
}

static bool machine_allocate(struct xy_machine *m, struct xy__topology *t, unsigned nworkers, unsigned ndevices)
{
	struct xy__place *places = realloc(t->places, (t->nplaces + ndevices) * sizeof(*places));

	if (places)
		t->places = places;
	m->workers = malloc(nworkers * sizeof(*m->workers));
	m->place_of = malloc(nworkers * sizeof(*m->place_of));
	m->nodes = malloc((t->nnodes + ndevices + 1) * sizeof(*m->nodes));
	m->parts = malloc(nworkers * sizeof(*m->parts));
	return places && m->workers && m->place_of && m->nodes && m->parts;
}

static unsigned machine_count_others(const struct xy__machine_request *request)
{
	unsigned count = 0;

	for (unsigned i = 0; i < request->ndevices; i++)
		count += request->devices[i].nworkers;
	return count;
}

/* Allocates for all workers and fills them in: CPUs, then the other architectures in order. */
static int machine_fill(struct xy_machine *m, struct xy__topology *t, const struct xy__machine_layout *layout,
			const struct xy__machine_request *request)
{
	unsigned nimagined = xy__machine_layout_devices(layout);
	struct xy__core_order cores;
	unsigned nworkers;

	if (xy__machine_cores_order(&cores, t, layout, request))
		return -ENOMEM;
	nworkers = cores.ncpus + nimagined + machine_count_others(request);
	if (!machine_allocate(m, t, nworkers, nimagined + request->ndevices)) {
		free(cores.order);
		return -ENOMEM;
	}
	m->here = layout->here;
	m->depth = t->depth;
	m->nnodes = 1;
	if (layout->all)
		machine_add_cpus(m, t, &cores, (struct xy__machine_cpus){ cores.ncpus, 1 });
	for (unsigned i = 0; i < layout->nitems; i++)
		if (layout->items[i].arch == XY_CPU)
			machine_add_cpus(m, t, &cores,
					 (struct xy__machine_cpus){ layout->items[i].count, layout->items[i].speed });
	machine_add_memory(m);
	for (unsigned arch = XY__ARCH_DEVICES; arch < XY_NARCH; arch++)
		for (unsigned i = 0; i < layout->nitems; i++)
			if (layout->items[i].arch == arch)
				machine_add_imagined(m, t, &layout->items[i]);
	for (unsigned i = 0; i < request->ndevices; i++)
		machine_add_device(m, t, &request->devices[i]);
	for (unsigned i = 0; i < cores.nothers; i++)
		m->workers[nworkers - cores.nothers + i].pu = xy__topology_core(t, cores.order[cores.nfree + i])->pu;
	free(cores.order);
	if (request->disk)
		machine_add_node(m, (struct xy_node_info){ .arch = XY_CPU, .device = -1, .disk = true }, 0);
	assert(m->nworkers == nworkers);
	m->places = t->places;
	t->places = NULL;
	return 0;
}

int xy__machine_create(struct xy_machine **machine, const struct xy__machine_request *request, char *error,
		       size_t error_size)
{
	const char *text = request->text ? request->text : "";
	unsigned ncores, nothers = machine_count_others(request);
	struct xy__machine_layout layout;
	struct xy__topology t;
	struct xy_machine *m;
	int status;

	*machine = NULL;
	status = xy__machine_layout_read(&layout, text, request->ncpu, nothers, error, error_size);
	assert(status || layout.devices || nothers == 0);
	if (!status)
		status = machine_topology(&t, &ncores, &layout, text, error, error_size);
	if (status)
		return status;
	m = calloc(1, sizeof(*m));
	if (layout.all && t.ncores > XY__CORES_MAX - xy__machine_layout_devices(&layout) - nothers)
		status = xy__machine_fail(-ERANGE, text, text, "a machine has at most 100000 workers", error,
					  error_size);
	else if (!m || machine_fill(m, &t, &layout, request))
		status = xy__machine_fail(-ENOMEM, text, text, "not enough memory", error, error_size);
	xy__topology_fini(&t);
	if (status) {
		xy_machine_destroy(m);
		return status;
	}
	m->ncores = ncores;
	m->has_drivers = request->drivers;
	if (request->drivers)
		memcpy(m->drivers, request->drivers, sizeof(m->drivers));
	*machine = m;
	return 0;
}

static int machine_parts_topology(struct xy__topology *t, const char *text, unsigned ncores)
{
	const char *at = text;
	int status;

	if (*text) {
		status = xy__topology_of_text(t, &at, text + strlen(text), NULL, 0);
		assert(!status || status == -ENOMEM);
		return status;
	}
	status = xy__topology_init(t, ncores, 0);
	return status ? status : xy__topology_build(t);
}

int xy__machine_assemble(struct xy_machine **machine, const struct xy__machine_parts *parts)
{
	struct xy__machine_request request = { .ndevices = parts->ndevices, .devices = parts->devices };
	struct xy__machine_layout layout = { .cores = XY__CORES_TEXT };
	struct xy_machine *m = calloc(1, sizeof(*m));
	struct xy__topology t = { 0 };
	int status;

	assert(parts->ncpus <= XY__ITEMS_MAX);
	*machine = NULL;
	for (; layout.nitems < parts->ncpus; layout.nitems++) {
		const struct xy__machine_cpus *cpus = &parts->cpus[layout.nitems];

		layout.items[layout.nitems] = (struct xy__machine_item){ XY_CPU, cpus->count, cpus->speed };
		layout.count[XY_CPU] += cpus->count;
	}
	status = m ? machine_parts_topology(&t, parts->topology, layout.count[XY_CPU]) : -ENOMEM;
	if (!status)
		status = machine_fill(m, &t, &layout, &request);
	xy__topology_fini(&t);
	if (status) {
		xy_machine_destroy(m);
		return status;
	}
	for (unsigned i = 0; i < m->nnodes; i++)
		if (m->nodes[i].device < 0)
			m->nodes[i].memory_bytes = parts->ram_bytes;
	*machine = m;
	return 0;
}

bool xy__machine_takes_devices(const char *text)
{
	struct xy__machine_layout layout;

	return !xy__machine_layout_read(&layout, text ? text : "", -1, 1, NULL, 0) && layout.devices;
}

int xy_machine_create(struct xy_machine **machine, const char *text, char *error, size_t error_size)
{
	return xy__machine_create(machine, &(struct xy__machine_request){ .text = text, .ncpu = -1 }, error,
				  error_size);
}

void xy_machine_destroy(struct xy_machine *machine)
{
	if (!machine)
		return;
	free(machine->places);
	free(machine->place_of);
	free(machine->parts);
	free(machine->workers);
	free(machine->nodes);
	free(machine);
}

unsigned xy_machine_nworkers(const struct xy_machine *machine)
{
	return machine->nworkers;
}

unsigned xy_machine_nnodes(const struct xy_machine *machine)
{
	return machine->nnodes;
}

const struct xy_worker_info *xy_machine_worker(const struct xy_machine *machine, unsigned worker)
{
	return worker < machine->nworkers ? &machine->workers[worker] : NULL;
}

const struct xy_node_info *xy_machine_node(const struct xy_machine *machine, unsigned node)
{
	return node < machine->nnodes ? &machine->nodes[node] : NULL;
}

const struct xy_driver_info *xy_machine_driver(const struct xy_machine *machine, enum xy_arch arch)
{
	return machine->has_drivers && arch >= XY__ARCH_DEVICES && arch < XY_NARCH ? &machine->drivers[arch] : NULL;
}

unsigned xy_machine_distance(const struct xy_machine *machine, unsigned a, unsigned b)
{
	const struct xy__place *places = machine->places;
	unsigned x, y;

	assert(a < machine->nworkers && b < machine->nworkers);
	if (a == b)
		return 0;
	x = machine->place_of[a];
	y = machine->place_of[b];
	while (x != y) {
		unsigned dx = places[x].depth, dy = places[y].depth;

		if (dx >= dy)
			x = places[x].parent;
		if (dy >= dx)
			y = places[y].parent;
	}
	return machine->depth - places[x].depth + 1;
}

unsigned xy__machine_place(const struct xy_machine *machine, unsigned worker)
{
	assert(worker < machine->nworkers);
	return machine->place_of[worker];
}

unsigned xy__machine_part(const struct xy_machine *machine, unsigned worker, enum xy__part part)
{
	const struct xy_worker_info *w = &machine->workers[worker];

	assert(worker < machine->nworkers);
	if (part == XY__PART_NODE)
		return w->node;
	if (part == XY__PART_CORE)
		return machine->place_of[worker];
	if (w->arch != XY_CPU)
		return ~w->node; /* above all numbers of packages and caches */
	return part == XY__PART_PACKAGE ? machine->parts[worker].package : machine->parts[worker].cache;
}

bool xy_machine_is_here(const struct xy_machine *machine)
{
	return machine->here;
}

unsigned xy_machine_ncores(const struct xy_machine *machine)
{
	return machine->ncores;
}

int xy__machine_bind(const struct xy_machine *machine, unsigned worker)
{
	const struct xy_worker_info *w = xy_machine_worker(machine, worker);
	cpu_set_t *set;
	size_t size;
	int error;

	assert(w);
	if (w->pu < 0)
		return 0;
	set = CPU_ALLOC((size_t)w->pu + 1);
	if (!set)
		return -ENOMEM;
	size = CPU_ALLOC_SIZE((size_t)w->pu + 1);
	CPU_ZERO_S(size, set);
	CPU_SET_S((size_t)w->pu, size, set);
	error = pthread_setaffinity_np(pthread_self(), size, set);
	CPU_FREE(set);
	return -error;
}
