/* SPDX-License-Identifier: MIT */
/*
 * The machine of a simulation: from a machine file to workers, memory nodes, links and durations of kernels.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/node.h"
#include "core/util/bits.h"
#include "core/util/buffer.h"
#include "engines/rehearsal.h"
#include "engines/sim.h"

#define SIM_PLAIN_LINK "10us 12GB/s" /* of devices in a text: like PCI Express 3 */

/* The bytes of all data of a task: what kernels are known by. */
static double sim_task_bytes(const struct xy_task *task)
{
	const uintptr_t *accesses = xy__task_accesses((struct xy_task *)task);
	double bytes = 0;

	for (unsigned i = 0; i < task->naccesses; i++)
		bytes += (double)xy__access_handle(accesses[i])->size_bytes;
	return bytes;
}

struct xy_prediction xy__sim_length(struct xy_runtime *rt, const struct xy_task *task, unsigned worker)
{
	const struct xy_codelet *codelet = xy__task_codelet(task);
	double bytes = sim_task_bytes(task);
	struct xy_prediction said = { .kind = XY_PREDICTION_NONE };

	if (rt->rehearsal)
		return xy__rehearsal_length(rt->rehearsal, task, worker);
	if (codelet->model && codelet->model->name)
		said = xy__platform_kernel(rt->sim->platform, codelet->model, codelet->model->name, bytes, worker);
	if (said.kind == XY_PREDICTION_NONE && codelet->name)
		said = xy__platform_kernel(rt->sim->platform, codelet, codelet->name, bytes, worker);
	return said;
}

void xy__sim_place(struct xy_runtime *rt)
{
	struct xy__sim *sim = rt->sim;
	const struct xy__platform *platform = sim->platform;

	for (unsigned i = 0; i < rt->memory.nnodes; i++) {
		const struct xy__platform_node *said = &platform->nodes[i];
		struct xy__node *node = &rt->memory.nodes[i];
		size_t limit = said->device < 0
				       ? SIZE_MAX
				       : xy__limit(&rt->settings.arch[said->arch].limit, (unsigned)said->device);

		sim->devices[i] = (struct xy_device){ .sim = sim, .node = i, .next_address = (uintptr_t)(i + 1) << 48 };
		node->driver = &xy__sim_driver;
		node->device = &sim->devices[i];
		node->index = said->device < 0 ? 0 : (unsigned)said->device;
		node->ram = said->device < 0;
		snprintf(node->name, sizeof node->name, "%s", said->name);
		node->limit = limit != SIZE_MAX ? limit : said->memory_bytes ? (size_t)said->memory_bytes : SIZE_MAX;
		for (unsigned from = 0; from < rt->memory.nnodes; from++)
			if (from != i && platform->nodes[from].device >= 0 && said->device >= 0 &&
			    xy__platform_route(platform, from, i)->nlinks)
				node->peers |= xy__bit(from);
	}
}

int xy__sim_bus(struct xy_runtime *rt)
{
	if (rt->memory.nnodes < 2)
		return 0;
	if (xy__bus_init(&rt->bus, rt->memory.nnodes))
		return -ENOMEM;
	for (unsigned from = 0; from < rt->memory.nnodes; from++)
		for (unsigned to = 0; to < rt->memory.nnodes; to++) {
			const struct xy__platform_route *route = xy__platform_route(rt->sim->platform, from, to);

			if (route->nlinks)
				*xy__bus_link(&rt->bus, from, to) = (struct xy__link){ route->latency_us,
										       route->bytes_per_us };
		}
	xy__bus_complete(&rt->bus);
	return 0;
}

static bool sim_allocate(struct xy__sim *sim)
{
	unsigned nworkers = sim->platform->nworkers, nnodes = sim->platform->nnodes;

	sim->devices = calloc(nnodes, sizeof *sim->devices);
	sim->queue = calloc(nworkers, sizeof *sim->queue);
	sim->asleep = calloc(xy__bits_words(nworkers), sizeof *sim->asleep);
	sim->queued = calloc(nworkers, sizeof *sim->queued);
	sim->waits = calloc(nworkers, sizeof *sim->waits);
	sim->waiters = calloc(nworkers, sizeof *sim->waiters);
	sim->busy_until_us = calloc(nworkers, sizeof *sim->busy_until_us);
	sim->channels = calloc(3 * (size_t)nnodes, sizeof *sim->channels);
	sim->flows = calloc(3 * (size_t)nnodes, sizeof *sim->flows);
	sim->link_users = calloc(sim->platform->nlinks + 1, sizeof *sim->link_users);
	return sim->devices && sim->asleep && sim->queue && sim->queued && sim->waits && sim->waiters &&
	       sim->busy_until_us && sim->channels && sim->flows && sim->link_users;
}

/* The first worker that is like w, and names their class; its line goes to the file with that one. */
static unsigned sim_plain_class(struct xy__buffer *file, const struct xy_machine *machine, unsigned w)
{
	const struct xy_worker_info *info = xy_machine_worker(machine, w);
	unsigned first = 0;

	while (xy_machine_worker(machine, first)->arch != info->arch ||
	       xy_machine_worker(machine, first)->speed != info->speed)
		first++;
	if (first == w)
		xy__buffer_add(file, "class w%u %s speed %.17g\n", w, xy_arch_name(info->arch), info->speed);
	return first;
}

/* CPU workers from w on that are equally fast; returns where others begin. */
static unsigned sim_plain_cores(struct xy__buffer *file, const struct xy_machine *machine, unsigned w)
{
	const struct xy_worker_info *first = xy_machine_worker(machine, w);
	unsigned n = xy_machine_nworkers(machine), end = w, class;

	while (end < n && xy_machine_worker(machine, end)->arch == XY_CPU &&
	       xy_machine_worker(machine, end)->speed == first->speed)
		end++;
	class = sim_plain_class(file, machine, w);
	xy__buffer_add(file, "workers %u w%u\n", end - w, class);
	return end;
}

/* The device of worker w; returns where its workers end. */
static unsigned sim_plain_device(struct xy__buffer *file, const struct xy_machine *machine, unsigned w, size_t limit)
{
	const struct xy_worker_info *first = xy_machine_worker(machine, w);
	unsigned n = xy_machine_nworkers(machine), end = w, class;

	while (end < n && xy_machine_worker(machine, end)->node == first->node)
		end++;
	class = sim_plain_class(file, machine, w);
	xy__buffer_add(file, "devices 1 w%u workers %u", class, end - w);
	if (limit != SIZE_MAX)
		xy__buffer_add(file, " memory %zu", limit);
	xy__buffer_add(file, "\n");
	return end;
}

/* Links of their own between RAM and a device. */
static void sim_plain_links(struct xy__buffer *file, const struct xy_machine *machine, unsigned node)
{
	xy__buffer_add(file, "link bus%u " SIM_PLAIN_LINK "\nroute ram0 <-> %s via bus%u\n", node,
		       xy_machine_node(machine, node)->name, node);
}

/* What a runtime has measured or knows: a link for each direction of a device, and copies between devices over both. */
static void sim_known_links(struct xy__buffer *file, const struct xy_runtime *rt, unsigned node)
{
	const struct xy__link *in = xy__bus_link(&rt->bus, 0, node), *out = xy__bus_link(&rt->bus, node, 0);
	const char *name = xy_machine_node(rt->machine, node)->name;

	xy__buffer_add(file, "link in%u %.17gus %.17gMB/s\nroute ram0 -> %s via in%u\n", node, in->latency_us,
		       in->mb_per_s, name, node);
	xy__buffer_add(file, "link out%u %.17gus %.17gMB/s\nroute %s -> ram0 via out%u\n", node, out->latency_us,
		       out->mb_per_s, name, node);
	for (unsigned from = 1; from < rt->memory.nnodes; from++) {
		const struct xy__link *peer = xy__bus_link(&rt->bus, from, node);
		double most = fmin(in->mb_per_s, xy__bus_link(&rt->bus, from, 0)->mb_per_s);

		if (rt->memory.nodes[node].peers & xy__bit(from) && peer->mb_per_s > 0)
			xy__buffer_add(file, "route %s -> %s via out%u in%u latency %.17gus bandwidth %.17gMB/s\n",
				       xy_machine_node(rt->machine, from)->name, name, from, node, peer->latency_us,
				       fmin(peer->mb_per_s, most));
	}
}

static void sim_workers(struct xy__buffer *file, const struct xy_machine *machine, const struct xy_runtime *rt)
{
	for (unsigned w = 0; w < xy_machine_nworkers(machine);) {
		unsigned node = xy_machine_worker(machine, w)->node;

		w = xy_machine_worker(machine, w)->arch == XY_CPU
			    ? sim_plain_cores(file, machine, w)
			    : sim_plain_device(file, machine, w, rt ? rt->memory.nodes[node].limit : SIZE_MAX);
	}
}

bool xy__sim_describe(const struct xy_runtime *rt, struct xy__buffer *file)
{
	xy__buffer_add(file, "machine this\n");
	sim_workers(file, rt->machine, rt);
	for (unsigned i = 0; i < rt->memory.nnodes; i++)
		if (rt->memory.nodes[i].ram != (i == 0))
			return false;
	for (unsigned i = 1; i < rt->memory.nnodes; i++) {
		if (!rt->bus.links || !(xy__bus_link(&rt->bus, 0, i)->mb_per_s > 0) ||
		    !(xy__bus_link(&rt->bus, i, 0)->mb_per_s > 0))
			return false;
		sim_known_links(file, rt, i);
	}
	return !file->failed;
}

/*
 * Workers without anything else, such as "cpu:4 cuda:2*15": how long tasks take is for models to say. Each device has
 * a link of its own.
 */
static int sim_read_plain(struct xy__platform **platform, const char *text, char *error, size_t error_size)
{
	struct xy__buffer problems = { 0 };
	struct xy_machine *machine;
	struct xy__buffer file = { 0 };
	const char *begin = strstr(text, "topology("), *end;
	int status = xy_machine_create(&machine, text, error, error_size);

	if (status)
		return status;
	if (begin)
		begin += strlen("topology(");
	end = begin && xy_machine_node(machine, 0) &&
			      (xy_machine_nnodes(machine) == 1 || xy_machine_node(machine, 1)->arch != XY_CPU)
		      ? strchr(begin, ')')
		      : NULL;
	xy__buffer_add(&file, "machine plain\n");
	if (end) /* not where there are several memories, as nothing says how far apart they are */
		xy__buffer_add(&file, "topology %.*s\n", (int)(end - begin), begin);
	sim_workers(&file, machine, NULL);
	for (unsigned i = 1; i < xy_machine_nnodes(machine); i++)
		if (xy_machine_node(machine, i)->arch != XY_CPU)
			sim_plain_links(&file, machine, i);
	status = file.failed ? -ENOMEM : xy__platform_read_text(platform, file.at, text, &problems);
	snprintf(error, error_size, "%.*s", (int)strcspn(problems.at ? problems.at : "", "\n"),
		 problems.at ? problems.at : "");
	xy__buffer_fini(&problems);
	xy__buffer_fini(&file);
	xy_machine_destroy(machine);
	return status;
}

static bool sim_is_plain(const char *text)
{
	return !strncmp(text, "this", 4) || (strchr(text, ':') && !strchr(text, '/'));
}

int xy__sim_open(struct xy_runtime *rt)
{
	struct xy__buffer problems = { 0 };
	char error[1024] = "";
	int status;

	rt->sim = calloc(1, sizeof *rt->sim);
	if (!rt->sim)
		return -ENOMEM;
	rt->sim->runtime = rt;
	rt->sim->flows_next_us = INFINITY;
	if (strchr(rt->settings.sim, '\n'))
		status = xy__platform_read_text(&rt->sim->platform, rt->settings.sim, "", &problems);
	else if (sim_is_plain(rt->settings.sim))
		status = sim_read_plain(&rt->sim->platform, rt->settings.sim, error, sizeof error);
	else
		status = xy__platform_read(&rt->sim->platform, rt->settings.sim, rt->settings.machines, error,
					   sizeof error);
	if (*error || problems.at)
		xy__log(&rt->settings.log, "%s", problems.at ? problems.at : error);
	xy__buffer_fini(&problems);
	if (status)
		return status;
	if (!sim_allocate(rt->sim))
		return -ENOMEM;
	rt->nshards = 1; /* one thread at a time */
	rt->asleep = rt->sim->asleep;
	rt->repeatable = true;
	rt->shared_memory = rt->settings.sim_shared;
	rt->settings.calibrate = 0; /* simulated durations are not measurements */
	return xy__platform_machine(rt->sim->platform, &rt->machine);
}

void xy__sim_close(struct xy_runtime *rt)
{
	struct xy__sim *sim = rt->sim;

	if (!sim)
		return;
	for (unsigned i = 0; i < sim->nblocks; i++)
		free(sim->blocks[i]);
	free(sim->blocks);
	free(sim->moments);
	free(sim->devices);
	free(sim->queue);
	free(sim->asleep);
	free(sim->queued);
	free(sim->waits);
	free(sim->waiters);
	free(sim->busy_until_us);
	free(sim->channels);
	free(sim->flows);
	free(sim->link_users);
	xy__platform_destroy(sim->platform);
	free(sim);
	rt->sim = NULL;
}
