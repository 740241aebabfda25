/* SPDX-License-Identifier: MIT */
/* The OpenCL driver on PoCL; see opencl_bed.h. */
#include "opencl_bed.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/util/futex.h"

enum { BED_WAIT_S = 40 };

static const char bed_icd[] = "/etc/OpenCL/vendors/pocl.icd";

const struct xy_driver *bed_driver;

static bool bed_skip(const char *reason)
{
	printf("1..0 # SKIP %s\n", reason);
	return false;
}

bool bed_begin(void)
{
	char folder[4096];
	void *plugin;

	helper_guard();
	if (access(bed_icd, R_OK))
		return bed_skip("PoCL is not installed");
	if (!getcwd(folder, sizeof folder - 32))
		return bed_skip("no current folder");
	strcat(folder, "/tests/pocl-cache");
	setenv("POCL_CACHE_DIR", folder, 1);
	setenv("POCL_DEVICES", "basic pthread pthread", 1);
	setenv("OCL_ICD_VENDORS", bed_icd, 1);
	plugin = dlopen(OPENCL_PLUGIN, RTLD_NOW | RTLD_LOCAL);
	bed_driver = plugin ? dlsym(plugin, "xy_driver") : NULL;
	if (bed_driver)
		return true;
	printf("Bail out! %s\n", dlerror());
	exit(99);
}

struct xy_device *bed_open(unsigned i)
{
	struct xy_driver_config config = { .devices = "all", .queues = BED_QUEUES };
	struct xy_device_info info;
	struct xy_device *device;
	char error[256];
	int status = bed_driver->open(&device, &config, i, &info, error, sizeof error);

	if (status)
		fail_msg("device %u does not open: %d, %s", i, status, error);
	assert_non_null(device);
	assert_non_null(strstr(info.name, i == 0 ? "basic" : "pthread"));
	assert_true(info.memory_bytes > 1 << 20);
	assert_int_equal(info.peers, 0);
	return device;
}

void bed_close(struct xy_device *device)
{
	bed_driver->close(device);
}

void *bed_allocate(struct xy_device *device, size_t bytes)
{
	void *memory = NULL;

	assert_int_equal(bed_driver->allocate(device, bytes, &memory), 0);
	assert_non_null(memory);
	return memory;
}

int bed_wait(struct xy_device *device, struct xy_event *event)
{
	double end = xy__now() + BED_WAIT_S;

	while (event) {
		int status = bed_driver->poll(device, event);

		if (status != -EAGAIN)
			return status;
		if (xy__now() > end)
			fail_msg("an event took more than %d s", BED_WAIT_S);
		sched_yield();
	}
	return 0;
}

static void bed_copy(struct xy_device *device, enum xy_copy_kind kind, const struct xy_copy *copy)
{
	struct xy_event *event;

	assert_int_equal(bed_driver->copy(device, kind, NULL, copy, 1, &event), 0);
	assert_int_equal(bed_wait(device, event), 0);
}

void bed_put(struct xy_device *device, void *memory, const void *bytes, size_t n)
{
	bed_copy(device, XY_COPY_IN,
		 &(struct xy_copy){
			 .to = { memory, 0 }, .from = { (void *)bytes, 0 }, .row_bytes = n, .nrows = 1, .nplanes = 1 });
}

void bed_get(struct xy_device *device, void *bytes, const void *memory, size_t n)
{
	bed_copy(device, XY_COPY_OUT,
		 &(struct xy_copy){
			 .to = { bytes, 0 }, .from = { (void *)memory, 0 }, .row_bytes = n, .nrows = 1, .nplanes = 1 });
}

int bed_run(struct xy_device *device, unsigned queue, xy_function *function, void *memory, size_t n, void *arg)
{
	struct xy_vector vector = { .ptr = memory, .n = n, .elem = sizeof(float) };
	void *buffers[] = { &vector };
	struct xy_call call = { .arg = arg, .nbuffers = 1, .buffers = buffers };
	struct xy_event *event = (struct xy_event *)&call;
	int status = bed_driver->launch(device, queue, function, &call, &event);

	if (status) {
		assert_null(event);
		return status;
	}
	return bed_wait(device, event);
}

void bed_explains(const char *text)
{
	const char *line = bed_driver->explain();

	if (!strstr(line, text) || strchr(line, '\n'))
		fail_msg("'%s' should be one line with '%s'", line, text);
}
