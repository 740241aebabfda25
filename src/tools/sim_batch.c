/* SPDX-License-Identifier: MIT */
/*
 * xylem sim --batch: one batch in virtual time, and which device got which piece, as CSV. Pieces are cut from the
 * front, so the order of their items is the order in which they were sent.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/util/arch.h"
#include "tools/sim.h"

/* Refused above this: a table of so many pieces is no use. */
#define BATCH_MOST_ITEMS 1000000000000000u

struct batch_event {
	struct xy_range range;
	unsigned worker;
	double start_s, end_s;
};

struct batch_world {
	const struct xy_machine *machine;
	uint64_t items;
	double item_us, piece_us;
	struct batch_event *events;
	size_t nevents, room;
	bool failed; /* no memory for the events */
	/* Progress, in the computer's time: */
	bool terminal;
	uint64_t done;
	double begun_s, shown_s;
};

static double batch_clock_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* On a terminal, a line twice a second. */
static void batch_show(struct batch_world *world)
{
	double now = world->terminal ? batch_clock_s() : 0, speed;

	if (!world->terminal || now - world->shown_s < 0.5)
		return;
	world->shown_s = now;
	speed = (double)world->done / (now - world->begun_s);
	fprintf(stderr, "\r%.0f %%, %.3g items/s, %.1f s left\033[K", 100 * (double)world->done / (double)world->items,
		speed, (double)(world->items - world->done) / speed);
}

static void batch_hide(const struct batch_world *world)
{
	if (world->shown_s > world->begun_s)
		fputs("\r\033[K", stderr);
}

static double batch_length(const struct xy_task *task, unsigned worker, unsigned implementation)
{
	const struct batch_world *world = xy_task_argument(task);
	const struct xy_worker_info *info = xy_machine_worker(world->machine, worker);
	struct xy_range range = xy_task_range(task);
	double us = world->item_us / info->speed * (double)(range.stop - range.start);

	(void)implementation;
	return info->device < 0 ? us : us + world->piece_us;
}

static int batch_nothing(struct xy_call *call)
{
	(void)call;
	return 0;
}

static const struct xy_model batch_model = { .kind = XY_MODEL_WORKER, .per_worker = batch_length };

static void batch_ended(void *arg, const struct xy_report *report)
{
	struct batch_world *world = arg;
	struct xy_range range = xy_task_range(report->task);

	if (range.start == range.stop || report->status)
		return;
	if (world->nevents == world->room) {
		size_t room = world->room ? 2 * world->room : 1024;
		struct batch_event *events = realloc(world->events, room * sizeof(*events));

		if (!events) {
			world->failed = true;
			return;
		}
		world->events = events;
		world->room = room;
	}
	world->events[world->nevents++] = (struct batch_event){ range, report->worker, report->start_s, report->end_s };
	world->done += range.stop - range.start;
	batch_show(world);
}

static int batch_compare(const void *a, const void *b)
{
	uint64_t first = ((const struct batch_event *)a)->range.start;
	uint64_t second = ((const struct batch_event *)b)->range.start;

	return first < second ? -1 : first > second;
}

static void batch_print(struct batch_world *world)
{
	if (world->nevents)
		qsort(world->events, world->nevents, sizeof(*world->events), batch_compare);
	printf("piece,device,offset,size,worker,start_us,end_us\n");
	for (size_t i = 0; i < world->nevents; i++) {
		const struct batch_event *e = &world->events[i];
		const struct xy_worker_info *info = xy_machine_worker(world->machine, e->worker);
		char device[32] = "cpu";

		if (info->device >= 0)
			snprintf(device, sizeof(device), "%s:%d", xy_arch_name(info->arch), info->device);
		printf("%zu,%s,%llu,%llu,%s,%.3f,%.3f\n", i, device, (unsigned long long)e->range.start,
		       (unsigned long long)(e->range.stop - e->range.start), info->name, e->start_s * 1e6,
		       e->end_s * 1e6);
	}
}

/* "10000", "10000:2.5" or "10000:2.5:100". */
static bool batch_read(const char *text, struct batch_world *world)
{
	double numbers[3] = { 0, 1, 0 };
	unsigned n = 0;
	char *end = NULL;

	for (const char *at = text; n < 3; at = end + 1) {
		errno = 0;
		numbers[n] = strtod(at, &end);
		if (end == at || errno || !(numbers[n] >= 0 && numbers[n] <= (double)BATCH_MOST_ITEMS))
			break;
		n++;
		if (*end != ':')
			break;
	}
	world->items = (uint64_t)numbers[0];
	world->item_us = numbers[1];
	world->piece_us = numbers[2];
	if (n && end && !*end && world->items > 0 && (double)world->items == numbers[0] && numbers[1] > 0)
		return true;
	tool_say("--batch takes ITEMS[:ITEM_US[:PIECE_US]], such as 10000:2.5:100, not \"%s\"", text);
	return false;
}

static void batch_log(void *arg, const char *line)
{
	(void)arg;
	tool_say("%s", line);
}

enum tool_status sim_batch(const struct sim_request *r, const char *text)
{
	struct batch_world world = { 0 };
	struct xy_watch watch = { .arg = &world, .ended = batch_ended };
	struct xy_config config = {
		.sched = r->policies,
		.sim = r->machine,
		.machines = r->settings.machines,
		.plugins = r->settings.plugins,
		.sim_noise = r->noise,
		.sim_overhead_us = r->overhead_us,
		.seed = r->seed,
		.sim_shared = r->transfers ? XY_DEFAULT : XY_YES,
		.batch_devices = r->settings.batch_devices,
		.batch_sizes = r->settings.batch_sizes,
		.batch_capacities = r->settings.batch_capacities,
		.batch_priorities = r->settings.batch_priorities,
		.batch_strict = r->settings.batch_strict ? XY_YES : XY_NO,
		.batch_rank = r->settings.batch_rank != UINT_MAX ? r->settings.batch_rank : 0,
		.batch_ranks = r->settings.batch_ranks,
		.watch = &watch,
		.ignore_environment = true,
		.log = batch_log,
	};
	struct xy_codelet codelet = { .name = "batch", .model = &batch_model };
	struct xy_runtime *rt;
	int error;

	if (!batch_read(text, &world))
		return TOOL_USAGE;
	xy__arch_implement(&codelet, XY_ON_ALL, batch_nothing);
	error = xy_start(&rt, &config);
	if (error)
		return tool_status_of(error);
	world.machine = xy_runtime_machine(rt);
	world.terminal = isatty(STDERR_FILENO);
	world.begun_s = world.shown_s = batch_clock_s();
	error = xy_batch_handles(rt, &codelet, &(struct xy_batch){ .stop = world.items, .arg = &world });
	batch_hide(&world);
	if (!error && world.failed)
		error = -ENOMEM;
	if (error)
		tool_say("the batch failed: %s", strerror(-error));
	else
		batch_print(&world);
	free(world.events);
	xy_stop(&rt);
	return error ? tool_status_of(error) : TOOL_OK;
}
