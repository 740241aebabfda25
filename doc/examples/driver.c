/* SPDX-License-Identifier: MIT */
/*
 * The driver of doc/drivers.md. Its devices are memory and threads of this computer: each launch queue and each
 * direction of copies is a line, a thread that executes operations in order. It is named after OpenCL's driver,
 * because the runtime finds drivers by file name.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xylem/driver.h>
#include "driver.h"

enum { DEVICES = 2, MEMORY = 1 << 20 };

/* --- lines --- */

/* Something that a line does: copies, or a function of a codelet. The last of a launch does nothing. */
struct xy_event {
	struct xy_event *next;
	void (*function)(void *argument);
	void *argument;
	unsigned ncopies;
	bool polled; /* a polling thread waits for it, and frees it */
	_Atomic bool done;
	struct xy_copy copies[];
};

struct line {
	pthread_t thread;
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t more;
	struct xy_event *first, **last;
	bool closing;
};

static void event_do(struct xy_event *event)
{
	for (unsigned i = 0; i < event->ncopies; i++) {
		const struct xy_copy *c = &event->copies[i];

		for (size_t plane = 0; plane < c->nplanes; plane++)
			for (size_t row = 0; row < c->nrows; row++)
				memcpy((char *)c->to.memory + c->to.offset + plane * c->to_plane + row * c->to_row,
				       (char *)c->from.memory + c->from.offset + plane * c->from_plane +
					       row * c->from_row,
				       c->row_bytes);
	}
	if (event->function)
		event->function(event->argument);
	if (event->polled)
		atomic_store(&event->done, true); /* the last use: the polling thread may free it now */
	else
		free(event);
}

static void *line_main(void *arg)
{
	struct line *line = arg;

	pthread_mutex_lock(&line->lock);
	while (line->first || !line->closing) {
		struct xy_event *event = line->first;

		if (!event) {
			pthread_cond_wait(&line->more, &line->lock);
			continue;
		}
		line->first = event->next;
		if (!line->first)
			line->last = &line->first;
		pthread_mutex_unlock(&line->lock);
		event_do(event);
		pthread_mutex_lock(&line->lock);
	}
	pthread_mutex_unlock(&line->lock);
	return NULL;
}

static int line_init(struct line *line)
{
	pthread_mutex_init(&line->lock, NULL);
	pthread_cond_init(&line->more, NULL);
	line->last = &line->first;
	return -pthread_create(&line->thread, NULL, line_main, line);
}

static void line_fini(struct line *line)
{
	pthread_mutex_lock(&line->lock);
	line->closing = true;
	pthread_cond_signal(&line->more);
	pthread_mutex_unlock(&line->lock);
	pthread_join(line->thread, NULL);
	pthread_cond_destroy(&line->more);
	pthread_mutex_destroy(&line->lock);
}

/* The event belongs to the line, or, if it is polled, to the polling thread once it is done. */
static void line_add(struct line *line, struct xy_event *event)
{
	pthread_mutex_lock(&line->lock);
	*line->last = event;
	line->last = &event->next;
	pthread_cond_signal(&line->more);
	pthread_mutex_unlock(&line->lock);
}

static struct xy_event *event_create(unsigned ncopies, bool polled)
{
	struct xy_event *event = calloc(1, sizeof *event + ncopies * sizeof event->copies[0]);

	if (event) {
		event->ncopies = ncopies;
		event->polled = polled;
	}
	return event;
}

/* --- devices --- */

struct xy_device {
	struct line copies[2]; /* by direction */
	_Atomic size_t used;
	unsigned nlines; /* that have been started */
	unsigned nqueues;
	struct line queues[];
};

static _Thread_local char explanation[128];

static const char *driver_explain(void)
{
	return explanation;
}

static int driver_probe(const struct xy_driver_config *config, unsigned *ndevices, char *error, size_t error_size)
{
	*ndevices = *config->devices && strcmp(config->devices, "all") ? 0 : DEVICES;
	if (*ndevices)
		return 0;
	snprintf(error, error_size, "'%s' is not what this driver has: it is all or nothing", config->devices);
	return -EINVAL;
}

static struct line *device_line(struct xy_device *device, unsigned i)
{
	return i < 2 ? &device->copies[i] : &device->queues[i - 2];
}

static void driver_close(struct xy_device *device)
{
	while (device->nlines)
		line_fini(device_line(device, --device->nlines));
	free(device);
}

static int driver_open(struct xy_device **opened, const struct xy_driver_config *config, unsigned index,
		       struct xy_device_info *info, char *error, size_t error_size)
{
	struct xy_device *device = calloc(1, sizeof *device + config->queues * sizeof device->queues[0]);
	int status = device ? 0 : -ENOMEM;

	for (unsigned i = 0; !status && i < 2 + config->queues; i++) {
		status = line_init(device_line(device, i));
		device->nlines += !status;
	}
	if (status) {
		snprintf(error, error_size, "no memory or no thread for device %u", index);
		if (device)
			driver_close(device);
		return status;
	}
	device->nqueues = config->queues;
	*info = (struct xy_device_info){ .memory_bytes = MEMORY, .speed = 1 };
	snprintf(info->name, sizeof info->name, "threads %u", index);
	*opened = device;
	return 0;
}

/* --- memory --- */

/* The size stands before the memory, for free. */
union header {
	size_t bytes;
	max_align_t aligned;
};

static int driver_allocate(struct xy_device *device, size_t bytes, void **memory)
{
	union header *header = NULL;

	if (atomic_fetch_add(&device->used, bytes) + bytes <= MEMORY)
		header = malloc(sizeof *header + bytes);
	if (!header) {
		atomic_fetch_sub(&device->used, bytes);
		snprintf(explanation, sizeof explanation, "no room for %zu bytes", bytes);
		return -ENOMEM;
	}
	header->bytes = bytes;
	*memory = header + 1;
	return 0;
}

static void driver_free(struct xy_device *device, void *memory)
{
	union header *header = (union header *)memory - 1;

	atomic_fetch_sub(&device->used, header->bytes);
	free(header);
}

/* --- what devices do --- */

static int driver_copy(struct xy_device *device, enum xy_copy_kind kind, struct xy_device *peer,
		       const struct xy_copy *copies, unsigned n, struct xy_event **event)
{
	(void)peer; /* info.peers is 0: the runtime never asks for XY_COPY_PEER */
	*event = event_create(n, true);
	if (!*event) {
		snprintf(explanation, sizeof explanation, "no memory for an event");
		return -ENOMEM;
	}
	memcpy((*event)->copies, copies, n * sizeof copies[0]);
	line_add(&device->copies[kind == XY_COPY_OUT], *event);
	return 0;
}

static int services_begin(void *stream, void (*function)(void *argument), void *argument)
{
	struct xy_event *event = event_create(0, false);

	if (!event)
		return -ENOMEM;
	event->function = function;
	event->argument = argument;
	line_add(stream, event);
	return 0;
}

/* Waits, which only a launch that failed may do. */
static void event_wait(struct xy_event *event)
{
	while (!atomic_load(&event->done))
		sched_yield();
	free(event);
}

static int driver_launch(struct xy_device *device, unsigned queue, xy_function *function, struct xy_call *call,
			 struct xy_event **event)
{
	static const struct line_services services = { services_begin };
	struct xy_event *end = event_create(0, true);
	int status;

	*event = NULL;
	explanation[0] = '\0';
	if (!end) {
		snprintf(explanation, sizeof explanation, "no memory for an event");
		return -ENOMEM;
	}
	call->stream = &device->queues[queue];
	call->services = &services;
	status = function(call);
	line_add(&device->queues[queue], end);
	if (status)
		event_wait(end);
	else
		*event = end;
	return status;
}

static int driver_poll(struct xy_device *device, struct xy_event *event)
{
	(void)device;
	if (!atomic_load(&event->done))
		return -EAGAIN;
	free(event);
	return 0;
}

static bool driver_is_lost(struct xy_device *device)
{
	(void)device;
	return false;
}

const struct xy_driver xy_driver = {
	.abi = XY_DRIVER_ABI,
	.name = "opencl",
	.arch = XY_OPENCL,
	.probe = driver_probe,
	.open = driver_open,
	.close = driver_close,
	.allocate = driver_allocate,
	.free = driver_free,
	.copy = driver_copy,
	.launch = driver_launch,
	.poll = driver_poll,
	.explain = driver_explain,
	.is_lost = driver_is_lost,
};
