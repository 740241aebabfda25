/* SPDX-License-Identifier: MIT */
/* Operations of drivers that never come to a device; xy_driver has to name all of them. */
#ifndef XYLEM_TESTS_BROKEN_H
#define XYLEM_TESTS_BROKEN_H

#include <errno.h>
#include <stdio.h>

#include <xylem/driver.h>

static void broken_close(struct xy_device *device)
{
	(void)device;
}

static int broken_allocate(struct xy_device *device, size_t bytes, void **memory)
{
	(void)device;
	(void)bytes;
	(void)memory;
	return -ENODEV;
}

static void broken_free(struct xy_device *device, void *memory)
{
	(void)device;
	(void)memory;
}

static int broken_copy(struct xy_device *device, enum xy_copy_kind kind, struct xy_device *peer,
		       const struct xy_copy *copies, unsigned n, struct xy_event **event)
{
	(void)device;
	(void)kind;
	(void)peer;
	(void)copies;
	(void)n;
	(void)event;
	return -ENODEV;
}

static int broken_launch(struct xy_device *device, unsigned queue, xy_function *function, struct xy_call *call,
			 struct xy_event **event)
{
	(void)device;
	(void)queue;
	(void)function;
	(void)call;
	(void)event;
	return -ENODEV;
}

static int broken_poll(struct xy_device *device, struct xy_event *event)
{
	(void)device;
	(void)event;
	return -ENODEV;
}

static const char *broken_explain(void)
{
	return "";
}

static bool broken_is_lost(struct xy_device *device)
{
	(void)device;
	return true;
}

#define BROKEN_OPERATIONS \
	.close = broken_close, .allocate = broken_allocate, .free = broken_free, .copy = broken_copy, \
	.launch = broken_launch, .poll = broken_poll, .explain = broken_explain, .is_lost = broken_is_lost

#endif
