/* SPDX-License-Identifier: MIT */
/* A driver that finds devices and can open none; when it is asked for "many" it finds too many. */
#include <string.h>

#include "broken.h"

static int broken_probe(const struct xy_driver_config *config, unsigned *ndevices, char *error, size_t error_size)
{
	(void)error;
	(void)error_size;
	*ndevices = strcmp(config->devices, "many") ? 2 : 65;
	return 0;
}

static int broken_open(struct xy_device **device, const struct xy_driver_config *config, unsigned index,
		       struct xy_device_info *info, char *error, size_t error_size)
{
	(void)device;
	(void)config;
	(void)info;
	snprintf(error, error_size, "device %u is on fire", index);
	return -EIO;
}

const struct xy_driver xy_driver = { .abi = XY_DRIVER_ABI,
				     .name = "cuda",
				     .arch = XY_CUDA,
				     .probe = broken_probe,
				     .open = broken_open,
				     BROKEN_OPERATIONS };
