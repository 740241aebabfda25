/* SPDX-License-Identifier: MIT */
/*
 * The driver of the CPUs: memory is RAM, copies and launches have ended when they return. Workers of CPUs call
 * their codelets themselves; this is what NUMA nodes and everything that treats all nodes alike use.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/interface.h"
#include "core/data/ram.h"

static int ram_probe(const struct xy_driver_config *config, unsigned *ndevices, char *error, size_t error_size)
{
	(void)config;
	(void)error;
	(void)error_size;
	*ndevices = 1;
	return 0;
}

static int ram_open(struct xy_device **device, const struct xy_driver_config *config, unsigned index,
		    struct xy_device_info *info, char *error, size_t error_size)
{
	(void)config;
	(void)index;
	(void)error;
	(void)error_size;
	*device = NULL;
	*info = (struct xy_device_info){ .name = "CPU", .speed = 1 };
	return 0;
}

static void ram_close(struct xy_device *device)
{
	(void)device;
}

static int ram_allocate(struct xy_device *device, size_t bytes, void **memory)
{
	(void)device;
	*memory = malloc(bytes);
	return *memory ? 0 : -ENOMEM;
}

static void ram_free(struct xy_device *device, void *memory)
{
	(void)device;
	free(memory);
}

static int ram_part(struct xy_device *device, void *memory, size_t offset, size_t bytes, bool mixed, void **part)
{
	(void)device;
	(void)bytes;
	(void)mixed;
	*part = (char *)memory + offset;
	return 0;
}

static int ram_copy(struct xy_device *device, enum xy_copy_kind kind, struct xy_device *peer,
		    const struct xy_copy *copies, unsigned n, struct xy_event **event)
{
	(void)device;
	(void)kind;
	(void)peer;
	for (unsigned i = 0; i < n; i++)
		xy__copy_in_ram(&copies[i]);
	*event = NULL;
	return 0;
}

static int ram_launch(struct xy_device *device, unsigned queue, xy_function *function, struct xy_call *call,
		      struct xy_event **event)
{
	(void)device;
	(void)queue;
	*event = NULL;
	return function(call);
}

static int ram_poll(struct xy_device *device, struct xy_event *event)
{
	(void)device;
	(void)event;
	return 0;
}

static const char *ram_explain(void)
{
	return "";
}

static bool ram_is_lost(struct xy_device *device)
{
	(void)device;
	return false;
}

const struct xy_driver xy__ram_driver = {
	.abi = XY_DRIVER_ABI,
	.name = "cpu",
	.arch = XY_CPU,
	.probe = ram_probe,
	.open = ram_open,
	.close = ram_close,
	.allocate = ram_allocate,
	.free = ram_free,
	.part = ram_part,
	.copy = ram_copy,
	.launch = ram_launch,
	.poll = ram_poll,
	.explain = ram_explain,
	.is_lost = ram_is_lost,
};
