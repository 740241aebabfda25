/* SPDX-License-Identifier: MIT */
/*
 * The machine of a runtime: what the settings say, with the devices that drivers found.
 */
#include <errno.h>

#include "core/machine/drivers.h"
#include "core/machine/machine.h"
#include "core/machine/platform.h"

#define MACHINE_MESSAGE 1024

static struct xy__machine_device machine_device(const struct xy__driver_device *d)
{
	return (struct xy__machine_device){
		.arch = d->driver->arch,
		.index = d->index,
		.nworkers = d->nworkers,
		.title = d->info.name,
		.pci = d->info.pci,
		.memory_bytes = d->info.memory_bytes,
		.speed = d->info.speed,
	};
}

/* The machine of a machine file. */
static int machine_of_file(const char *name, const struct xy__settings *settings, struct xy_machine **machine)
{
	char error[MACHINE_MESSAGE] = "";
	struct xy__platform *platform;
	int status = xy__platform_read(&platform, name, settings->machines, error, sizeof(error));

	if (*error)
		xy__log(&settings->log, "%s", error);
	if (status)
		return status;
	status = xy__platform_machine(platform, machine);
	if (status)
		xy__log(&settings->log, "machine \"@%s\": not enough memory", name);
	xy__platform_destroy(platform);
	return status;
}

int xy__drivers_machine(struct xy__drivers *drivers, const struct xy__settings *settings, struct xy_machine **machine)
{
	struct xy__machine_device devices[XY_NARCH * XY__DEVICES_MAX];
	struct xy__machine_request request = { .text = settings->machine,
					       .ncpu = settings->ncpu,
					       .device_cores = settings->device_cores,
					       .disk = *settings->disk || settings->limit_ram != SIZE_MAX };
	char error[MACHINE_MESSAGE] = "";
	int status;

	*machine = NULL;
	*drivers = (struct xy__drivers){ 0 };
	if (settings->machine[0] == '@')
		return machine_of_file(settings->machine + 1, settings, machine);
	if (xy__machine_takes_devices(settings->machine)) {
		status = xy__drivers_open(drivers, settings);
		if (status)
			return status;
		for (unsigned i = 0; i < drivers->ndevices; i++)
			devices[i] = machine_device(&drivers->devices[i]);
		request.ndevices = drivers->ndevices;
		request.devices = devices;
		request.drivers = drivers->states;
	}
	status = xy__machine_create(machine, &request, error, sizeof(error));
	if (status) {
		xy__log(&settings->log, "%s", error);
		xy__drivers_close(drivers);
	}
	return status;
}

int xy_machine_of_config(struct xy_machine **machine, const struct xy_config *config)
{
	struct xy__settings settings;
	struct xy__drivers drivers;
	int status;

	if (!machine) {
		xy__log(NULL, "xy_machine_of_config: the output pointer is NULL");
		return -EINVAL;
	}
	*machine = NULL;
	status = xy__settings_init(&settings, config);
	if (status)
		return status;
	status = xy__drivers_machine(&drivers, &settings, machine);
	if (!status)
		xy__drivers_close(&drivers);
	xy__settings_fini(&settings);
	return status;
}
