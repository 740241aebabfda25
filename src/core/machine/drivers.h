/* SPDX-License-Identifier: MIT */
/*
 * The drivers of devices: plug-ins that are loaded when they are there. What is not there costs nothing
 * but the look for a file, and says nothing unless the user asked for it.
 */
#ifndef XYLEM_CORE_MACHINE_DRIVERS_H
#define XYLEM_CORE_MACHINE_DRIVERS_H

#include <xylem/driver.h>
#include "core/machine/config.h"

#define XY__DEVICES_MAX 64u /* of one driver, as xy_device_info has a bit for each */

struct xy__driver_device {
	const struct xy_driver *driver;
	struct xy_device *device;
	struct xy_device_info info;
	unsigned index;    /* among the driver's devices */
	unsigned nworkers; /* launch queues */
};

/* All zero: nothing is open. Constant between open and close. */
struct xy__drivers {
	unsigned ndevices;
	struct xy__driver_device *devices;      /* ordered by architecture */
	struct xy_driver_info states[XY_NARCH]; /* results of probing; unused for CPUs */
	void *libraries[XY_NARCH];              /* from dlopen */
};

/* Loads every driver, asks it for its devices and opens them. A driver that fails gets a log line and
 * is left out; one whose devices the user chose has to work, else -errno and nothing is open. */
int xy__drivers_open(struct xy__drivers *drivers, const struct xy__settings *settings);

/* Closes everything, when no thread uses it any more. Twice does no harm. */
void xy__drivers_close(struct xy__drivers *drivers);

/* Makes the machine that the settings ask for, with drivers open where the devices of this computer
 * belong to it. 0, or -errno with one log line and nothing open. */
int xy__drivers_machine(struct xy__drivers *drivers, const struct xy__settings *settings, struct xy_machine **machine);

#endif
