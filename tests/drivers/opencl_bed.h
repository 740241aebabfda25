/* SPDX-License-Identifier: MIT */
/*
 * For tests of the OpenCL driver: the plug-in by itself, on three devices of PoCL. 1 and 2 work in threads
 * of PoCL; 0 is "basic": it does everything in the thread that flushes. Every wait has a limit.
 */
#ifndef XYLEM_TESTS_OPENCL_BED_H
#define XYLEM_TESTS_OPENCL_BED_H

#include "../helper.h"

#include <xylem/driver.h>
#include <xylem/opencl.h>

enum { BED_DEVICES = 3, BED_QUEUES = 2 };

/* The driver under test. */
extern const struct xy_driver *bed_driver;

/* First in main, before anything of OpenCL: sets up PoCL and loads the plug-in. False: the test can't run
 * here, and a line that says so was printed. */
bool bed_begin(void);

/* Device i of "all", with two launch queues. It must open. */
struct xy_device *bed_open(unsigned i);
void bed_close(struct xy_device *device);

void *bed_allocate(struct xy_device *device, size_t bytes);

/* Waits for an event, of any kind, also NULL; its status. */
int bed_wait(struct xy_device *device, struct xy_event *event);

/* Bytes from RAM to the device and back, begun, and ended well. */
void bed_put(struct xy_device *device, void *memory, const void *bytes, size_t n);
void bed_get(struct xy_device *device, void *bytes, const void *memory, size_t n);

/* Launches with one vector of floats and an argument, and waits; the status of whichever fails. */
int bed_run(struct xy_device *device, unsigned queue, xy_function *function, void *memory, size_t n, void *arg);

/* explain() has this text, and is one line. */
void bed_explains(const char *text);

#endif
