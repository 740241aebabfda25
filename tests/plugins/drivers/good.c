/* SPDX-License-Identifier: MIT */
/*
 * A driver for tests whose devices are this computer's memory: everything has ended when it returns.
 * `devices` is how many there are; "3 without 1" has a second one that can't be opened, and
 * "3 together" opens none before all are being opened. Compiled with
 * DRIVER_ARCH and DRIVER_NAME, as either kind, and with the devices of DRIVER_DEFAULT.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xylem/driver.h>

struct xy_device {
	unsigned index;
};

/* Devices that are open, for tests that look it up. */
extern _Atomic int test_driver_open;
_Atomic int test_driver_open;

/* The rest of "3 together". */
static const char good_together[] = " together";

static bool good_read(const char *text, unsigned *count, unsigned *without)
{
	char rest;

	*without = ~0u;
	text = *text ? text : DRIVER_DEFAULT;
	if (strstr(text, good_together))
		return sscanf(text, "%u", count) == 1;
	return sscanf(text, "%u%c", count, &rest) == 1 || sscanf(text, "%u without %u%c", count, without, &rest) == 2;
}

static int good_probe(const struct xy_driver_config *config, unsigned *ndevices, char *error, size_t error_size)
{
	unsigned without;

	if (!good_read(config->devices, ndevices, &without)) {
		snprintf(error, error_size, "\"%s\" is no number of devices", config->devices);
		return -EINVAL;
	}
	if (*ndevices == 0)
		snprintf(error, error_size, "none were wanted");
	return 0;
}

/* Waits until so many threads are here, or have been; false after long. */
static bool good_meet(unsigned count)
{
	static _Atomic unsigned here;

	here++;
	for (unsigned i = 0; i < 2000 && here < count; i++)
		usleep(10000);
	return here >= count;
}

static int good_open(struct xy_device **device, const struct xy_driver_config *config, unsigned index,
		     struct xy_device_info *info, char *error, size_t error_size)
{
	unsigned count, without;

	good_read(config->devices, &count, &without);
	if (index == without) {
		snprintf(error, error_size, "somebody else has it");
		return -EBUSY;
	}
	if (strstr(config->devices, good_together) && !good_meet(count)) {
		snprintf(error, error_size, "the others are not opened meanwhile");
		return -ETIMEDOUT;
	}
	*device = malloc(sizeof(**device));
	if (!*device)
		return -ENOMEM;
	(*device)->index = index;
	test_driver_open++;
	snprintf(info->name, sizeof(info->name), "Test Device %u", index);
	info->memory_bytes = (size_t)(index + 1) << 20;
	info->speed = index == 0 ? 3 : 0;
	info->peers = (1u << count) - 1;
	return 0;
}

static void good_close(struct xy_device *device)
{
	free(device);
	test_driver_open--;
}

static int good_allocate(struct xy_device *device, size_t bytes, void **memory)
{
	(void)device;
	*memory = malloc(bytes);
	return *memory ? 0 : -ENOMEM;
}

static void good_free(struct xy_device *device, void *memory)
{
	(void)device;
	free(memory);
}

static int good_copy(struct xy_device *device, enum xy_copy_kind kind, struct xy_device *peer,
		     const struct xy_copy *copies, unsigned n, struct xy_event **event)
{
	(void)device;
	(void)kind;
	(void)peer;
	for (unsigned i = 0; i < n; i++)
		for (size_t plane = 0; plane < copies[i].nplanes; plane++)
			for (size_t row = 0; row < copies[i].nrows; row++)
				memcpy((char *)copies[i].to.memory + copies[i].to.offset + plane * copies[i].to_plane +
					       row * copies[i].to_row,
				       (char *)copies[i].from.memory + copies[i].from.offset +
					       plane * copies[i].from_plane + row * copies[i].from_row,
				       copies[i].row_bytes);
	*event = NULL;
	return 0;
}

static int good_launch(struct xy_device *device, unsigned queue, xy_function *function, struct xy_call *call,
		       struct xy_event **event)
{
	(void)device;
	(void)queue;
	*event = NULL;
	return function(call);
}

static int good_poll(struct xy_device *device, struct xy_event *event)
{
	(void)device;
	(void)event;
	return 0;
}

static const char *good_explain(void)
{
	return "";
}

static bool good_is_lost(struct xy_device *device)
{
	(void)device;
	return false;
}

const struct xy_driver xy_driver = {
	.abi = XY_DRIVER_ABI,
	.name = DRIVER_NAME,
	.arch = DRIVER_ARCH,
	.probe = good_probe,
	.open = good_open,
	.close = good_close,
	.allocate = good_allocate,
	.free = good_free,
	.copy = good_copy,
	.launch = good_launch,
	.poll = good_poll,
	.explain = good_explain,
	.is_lost = good_is_lost,
};
