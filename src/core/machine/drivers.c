/* SPDX-License-Identifier: MIT */
/*
 * Finds drivers in the folders of the settings, loads them and opens their devices. Whatever stops this
 * at a driver becomes its state, with a sentence; only then it is decided whether that is an error.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/machine/drivers.h"
#include "core/util/arch.h"

/* Sets the state of a driver and returns code. */
__attribute__((format(printf, 4, 5))) static int drivers_set(struct xy_driver_info *info, enum xy_driver_state state,
							     int code, const char *format, ...)
{
	va_list arguments;

	info->state = state;
	va_start(arguments, format);
	vsnprintf(info->text, sizeof(info->text), format, arguments);
	va_end(arguments);
	return code;
}

/* --- loading --- */

/* Looks for the file of a driver in each folder; false when it is in none. */
static bool drivers_find(const char *folders, const char *name, char path[PATH_MAX])
{
	while (*folders) {
		size_t length = strcspn(folders, ":");
		int size = snprintf(path, PATH_MAX, "%.*s/%s.so", (int)length, folders, name);

		if (length > 0 && size < PATH_MAX && access(path, F_OK) == 0)
			return true;
		folders += length + (folders[length] == ':');
	}
	return false;
}

/* Whether a driver can be used at all; else the state says why not. */
static int drivers_check(const struct xy_driver *driver, enum xy_arch arch, struct xy_driver_info *info)
{
	if (!driver)
		return drivers_set(info, XY_DRIVER_REFUSED, -EPROTO, "refused: it does not define xy_driver");
	if (driver->abi != XY_DRIVER_ABI)
		return drivers_set(info, XY_DRIVER_REFUSED, -EPROTO,
				   "refused: built for driver ABI %u, this library has ABI %u", driver->abi,
				   XY_DRIVER_ABI);
	if (driver->arch != arch || !driver->name || strcmp(driver->name, xy_arch_name(arch)))
		return drivers_set(info, XY_DRIVER_REFUSED, -EPROTO, "refused: it is not a driver for %s",
				   xy_arch_name(arch));
	if (!driver->probe || !driver->open || !driver->close || !driver->allocate || !driver->free || !driver->copy ||
	    !driver->launch || !driver->poll || !driver->explain || !driver->is_lost ||
	    !driver->host_allocate != !driver->host_free || !driver->host_pin != !driver->host_unpin)
		return drivers_set(info, XY_DRIVER_REFUSED, -EPROTO, "refused: operations are missing");
	return 0;
}

static int drivers_load(struct xy__drivers *drivers, const char *folders, enum xy_arch arch,
			const struct xy_driver **driver)
{
	struct xy_driver_info *info = &drivers->states[arch];
	char path[PATH_MAX];

	folders = *folders ? folders : XY__DRIVERS_FOLDER;
	if (!drivers_find(folders, xy_arch_name(arch), path))
		return drivers_set(info, XY_DRIVER_ABSENT, -ENOENT, "not installed: no %s.so in %s", xy_arch_name(arch),
				   folders);
	/* Threads and thread destructors that device libraries leave behind need their code, so it stays loaded. */
	drivers->libraries[arch] = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!drivers->libraries[arch])
		return drivers_set(info, XY_DRIVER_UNLOADABLE, -ELIBACC, "can't be loaded: %s", dlerror());
	*driver = dlsym(drivers->libraries[arch], "xy_driver");
	return drivers_check(*driver, arch, info);
}

/* --- devices --- */

/* A device while it is opened, in a thread of its own. */
struct opening {
	struct xy__driver_device device;
	const struct xy_driver_config *config;
	pthread_t thread;
	bool has_thread;
	int status;
	char error[160];
};

static void *opening_run(void *arg)
{
	struct opening *o = arg;

	o->status = o->device.driver->open(&o->device.device, o->config, o->device.index, &o->device.info, o->error,
					   sizeof(o->error));
	o->device.info.name[sizeof(o->device.info.name) - 1] = '\0';
	return NULL;
}

/* All side by side: starting a device may take seconds. Signals are for the application's threads. */
static void openings_run(struct opening *openings, unsigned n)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (unsigned i = 1; i < n; i++)
		openings[i].has_thread = !pthread_create(&openings[i].thread, NULL, opening_run, &openings[i]);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	for (unsigned i = 0; i < n; i++)
		if (!openings[i].has_thread)
			opening_run(&openings[i]);
	for (unsigned i = 1; i < n; i++)
		if (openings[i].has_thread)
			pthread_join(openings[i].thread, NULL);
}

/* Keeps the devices that work; returns the error of the first one that doesn't, with its words in text. */
static int openings_keep(struct xy__drivers *drivers, const struct opening *openings, unsigned n, char text[160])
{
	int failed = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct opening *o = &openings[i];

		if (!o->status) {
			drivers->devices[drivers->ndevices++] = o->device;
			drivers->states[o->device.driver->arch].ndevices++;
		} else if (!failed) {
			failed = o->status;
			snprintf(text, 160, "device %u can't be opened: %.120s", i,
				 *o->error ? o->error : strerror(-o->status));
		}
	}
	return failed;
}

/* Opens the devices; those that work are kept when others don't. */
static int drivers_add_all(struct xy__drivers *drivers, const struct xy_driver *driver,
			   const struct xy_driver_config *config, unsigned nworkers, unsigned n)
{
	struct xy_driver_info *info = &drivers->states[driver->arch];
	struct xy__driver_device *devices = realloc(drivers->devices, (drivers->ndevices + n) * sizeof(*devices));
	struct opening *openings = calloc(n, sizeof(*openings));
	char text[160] = "not enough memory";
	int failed = -ENOMEM;

	if (devices)
		drivers->devices = devices;
	if (devices && openings) {
		for (unsigned i = 0; i < n; i++) {
			openings[i].device =
				(struct xy__driver_device){ .driver = driver, .index = i, .nworkers = nworkers };
			openings[i].config = config;
		}
		openings_run(openings, n);
		failed = openings_keep(drivers, openings, n, text);
	}
	free(openings);
	drivers_set(info, XY_DRIVER_READY, 0, "%u device%s", info->ndevices, info->ndevices == 1 ? "" : "s");
	if (failed)
		return drivers_set(info, info->ndevices ? XY_DRIVER_READY : XY_DRIVER_BROKEN, failed,
				   "%u of %u devices; %s", info->ndevices, n, text);
	return 0;
}

/* All about one driver. An error is what stopped it; the state says it in words. */
static int drivers_try(struct xy__drivers *drivers, const struct xy__settings *settings, enum xy_arch arch)
{
	struct xy_driver_config config = {
		.devices = settings->arch[arch].devices,
		.queues = settings->arch[arch].workers * settings->arch[arch].streams,
		.own_vendors = xy__config_has_vendors(),
	};
	struct xy_driver_info *info = &drivers->states[arch];
	const struct xy_driver *driver = NULL;
	unsigned ndevices = 0;
	char error[192] = "";
	int status;

	if (!strcmp(config.devices, "none"))
		return drivers_set(info, XY_DRIVER_OFF, 0, "switched off: no device is selected");
	status = drivers_load(drivers, settings->drivers, arch, &driver);
	if (status)
		return status;
	status = driver->probe(&config, &ndevices, error, sizeof(error));
	if (status)
		return drivers_set(info, XY_DRIVER_BROKEN, status, "failed: %s", *error ? error : strerror(-status));
	if (ndevices == 0)
		return drivers_set(info, XY_DRIVER_IDLE, -ENODEV, "no devices%s%s", *error ? ": " : "", error);
	if (ndevices > XY__DEVICES_MAX)
		return drivers_set(info, XY_DRIVER_BROKEN, -ERANGE, "failed: %u devices, more than %u", ndevices,
				   XY__DEVICES_MAX);
	return drivers_add_all(drivers, driver, &config, settings->arch[arch].workers, ndevices);
}

/* Whether a state is normal for a computer without devices. */
static bool drivers_is_usual(enum xy_driver_state state)
{
	return state == XY_DRIVER_ABSENT || state == XY_DRIVER_UNLOADABLE || state == XY_DRIVER_IDLE;
}

int xy__drivers_open(struct xy__drivers *drivers, const struct xy__settings *settings)
{
	*drivers = (struct xy__drivers){ 0 };
	for (enum xy_arch arch = XY__ARCH_DEVICES; arch < XY_NARCH; arch++) {
		const struct xy_driver_info *info = &drivers->states[arch];
		int status = drivers_try(drivers, settings, arch);

		if (status && *settings->arch[arch].devices) {
			xy__log(&settings->log,
				"XYLEM_%s_DEVICES or arch[XY_%s].devices is \"%s\", but the driver %s: %s",
				xy__archs[arch].capitals, xy__archs[arch].capitals, settings->arch[arch].devices,
				xy__archs[arch].name, info->text);
			xy__drivers_close(drivers);
			return status;
		}
		if (status && !drivers_is_usual(info->state))
			xy__log(&settings->log, "the driver %s: %s; continuing without it", xy_arch_name(arch),
				info->text);
	}
	return 0;
}

void xy__drivers_close(struct xy__drivers *drivers)
{
	while (drivers->ndevices > 0) {
		struct xy__driver_device *d = &drivers->devices[--drivers->ndevices];

		d->driver->close(d->device);
	}
	free(drivers->devices);
	drivers->devices = NULL;
	for (unsigned arch = 0; arch < XY_NARCH; arch++) {
		if (drivers->libraries[arch])
			dlclose(drivers->libraries[arch]);
		drivers->libraries[arch] = NULL;
	}
}
