/* SPDX-License-Identifier: MIT */
/*
 * The driver of all memory nodes and workers of a simulation. Memory is inaccessible address space, copies take
 * virtual time, kernels are durations. Nothing is computed.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "core/data/redux.h"
#include "core/runtime/deps.h"
#include "core/runtime/wait.h"
#include "core/runtime/worker.h"
#include "engines/sim.h"

enum { PAGE = 4096 };

static int sim_probe(const struct xy_driver_config *config, unsigned *ndevices, char *error, size_t error_size)
{
	(void)config;
	(void)error;
	(void)error_size;
	*ndevices = 0;
	return 0;
}

/* Its devices are made by the engine, as the machine file says. */
static int sim_open(struct xy_device **device, const struct xy_driver_config *config, unsigned index,
		    struct xy_device_info *info, char *error, size_t error_size)
{
	(void)config;
	(void)index;
	(void)info;
	*device = NULL;
	snprintf(error, error_size, "the devices of a simulation are not opened");
	return -ENODEV;
}

static void sim_close(struct xy_device *device)
{
	(void)device;
}

static int sim_allocate(struct xy_device *device, size_t bytes, void **memory)
{
	if (bytes > SIZE_MAX - PAGE)
		return -ENOMEM;
	*memory = (void *)atomic_fetch_add_explicit(&device->next_address, (bytes + PAGE) / PAGE * PAGE,
						    memory_order_relaxed);
	return 0;
}

static void sim_free(struct xy_device *device, void *memory)
{
	(void)device;
	(void)memory;
}

static int sim_part(struct xy_device *device, void *memory, size_t offset, size_t bytes, bool mixed, void **part)
{
	(void)device;
	(void)bytes;
	(void)mixed;
	*part = (char *)memory + offset;
	return 0;
}

/* --- transfers --- */

static double sim_bytes(const struct xy_copy *copies, unsigned n)
{
	double bytes = 0;

	for (unsigned i = 0; i < n; i++)
		bytes += (double)copies[i].row_bytes * (double)copies[i].nrows * (double)copies[i].nplanes;
	return bytes;
}

static int sim_copy(struct xy_device *device, enum xy_copy_kind kind, struct xy_device *peer,
		    const struct xy_copy *copies, unsigned n, struct xy_event **out)
{
	struct xy__sim *sim = device->sim;
	struct xy_event *event = xy__sim_event(sim);

	if (!event)
		return -ENOMEM;
	event->device = device->node;
	event->kind = (unsigned)kind;
	event->from = kind == XY_COPY_OUT ? device->node : peer->node;
	event->to = kind == XY_COPY_OUT ? peer->node : device->node;
	*out = event;
	xy__lock_take(&sim->lock);
	if (event->from != event->to && xy__platform_route(sim->platform, event->from, event->to)->nlinks) {
		xy__sim_flow_begin(sim, event, sim_bytes(copies, n));
	} else { /* nothing is known about this way: it takes no time */
		event->done = true;
		atomic_store(&sim->arrived, true);
	}
	xy__lock_drop(&sim->lock);
	return 0;
}

/* --- kernels --- */

/* A number from the task's own sequence: independent of its worker and of all other events. */
static double sim_uniform(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	x ^= x >> 31;
	return ((double)(x >> 11) + 0.5) * 0x1p-53;
}

/* A factor with mean 1 and the spread that was asked for: logarithms are normal, so that it is never negative. */
static double sim_noise(const struct xy__sim *sim, const struct xy_task *task)
{
	const struct xy__settings *settings = &sim->runtime->settings;
	uint64_t state = settings->seed * 0xd1342543de82ef95u + xy_task_number(task);
	double variance = log1p(settings->sim_noise * settings->sim_noise), angle, radius;

	if (!(settings->sim_noise > 0))
		return 1;
	radius = sqrt(-2 * log(sim_uniform(&state)));
	angle = 2 * 3.14159265358979323846 * sim_uniform(&state);
	return exp(sqrt(variance) * radius * cos(angle) - variance / 2);
}

/* Whether the call initializes a reduction copy, which takes no time and is not the task's own. */
static bool sim_initialises(const struct xy_call *call)
{
	return call->task->flags & XY__TASK_REDUX &&
	       xy__redux_uninitialised(call->task, call->worker) < call->task->naccesses;
}

/* How long a call takes. All members of a team help equally: what it takes one of them, divided by their number. */
static struct xy_prediction sim_length(const struct xy__sim *sim, const struct xy_call *call)
{
	struct xy_prediction length = { .kind = XY_PREDICTION_VALUE };

	if (sim_initialises(call))
		return length;
	length = xy_task_length(call->task, call->worker, call->implementation);
	if (length.kind == XY_PREDICTION_VALUE)
		length.us = length.us / call->nranks * sim_noise(sim, call->task) +
			    sim->runtime->settings.sim_overhead_us;
	return length;
}

/* A task without a duration fails. One log line stands for all: a program may have millions of them. */
static int sim_refuse(struct xy__sim *sim, struct xy__worker *worker, const struct xy_task *task,
		      enum xy_prediction_kind kind)
{
	const char *reason = kind == XY_PREDICTION_NONE
				     ? "nothing says how long it takes: no kernel of this name in the machine file, "
				       "no model, no length_us"
				     : "its duration is not known well enough";

	if (!atomic_exchange(&sim->lacks_duration, true))
		xy__worker_explain(worker, task, -ENODATA, reason);
	else if (!task->extra || !task->extra->retries)
		xy__wait_fail(sim->runtime, task, -ENODATA, reason);
	return -ENODATA;
}

static int sim_launch(struct xy_device *device, unsigned queue, xy_function *function, struct xy_call *call,
		      struct xy_event **event)
{
	struct xy__sim *sim = device->sim;
	struct xy__worker *worker = &sim->runtime->workers[call->worker];
	struct xy_prediction length = sim_length(sim, call);
	double end = fmax(xy__sim_time(sim), sim->busy_until_us[worker->id]) + length.us;

	(void)queue;
	(void)function;
	if (length.kind != XY_PREDICTION_VALUE)
		return sim_refuse(sim, worker, call->task, length.kind);
	*event = xy__sim_event_at(sim, end, worker->id);
	if (!*event)
		return -ENOMEM;
	sim->busy_until_us[worker->id] = end;
	return 0;
}

static int sim_poll(struct xy_device *device, struct xy_event *event)
{
	if (!event->done)
		return -EAGAIN;
	xy__sim_event_free(device->sim, event);
	return 0;
}

static const char *sim_explain(void)
{
	return "";
}

static bool sim_is_lost(struct xy_device *device)
{
	(void)device;
	return false;
}

const struct xy_driver xy__sim_driver = {
	.abi = XY_DRIVER_ABI,
	.name = "sim",
	.arch = XY_CPU,
	.probe = sim_probe,
	.open = sim_open,
	.close = sim_close,
	.allocate = sim_allocate,
	.free = sim_free,
	.part = sim_part,
	.copy = sim_copy,
	.launch = sim_launch,
	.poll = sim_poll,
	.explain = sim_explain,
	.is_lost = sim_is_lost,
};
