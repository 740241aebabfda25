/* SPDX-License-Identifier: MIT */
/* A driver that can't even count its devices, and doesn't say why when it is asked for "silence". */
#include <string.h>

#include "broken.h"

static int broken_probe(const struct xy_driver_config *config, unsigned *ndevices, char *error, size_t error_size)
{
	(void)ndevices;
	if (strcmp(config->devices, "silence"))
		snprintf(error, error_size, "the kernel module is another version");
	return -EIO;
}

static int broken_open(struct xy_device **device, const struct xy_driver_config *config, unsigned index,
		       struct xy_device_info *info, char *error, size_t error_size)
{
	(void)device;
	(void)config;
	(void)index;
	(void)info;
	(void)error;
	(void)error_size;
	return -ENODEV;
}

const struct xy_driver xy_driver = { .abi = XY_DRIVER_ABI,
				     .name = "cuda",
				     .arch = XY_CUDA,
				     .probe = broken_probe,
				     .open = broken_open,
				     BROKEN_OPERATIONS };
