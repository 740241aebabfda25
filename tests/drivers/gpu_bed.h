/* SPDX-License-Identifier: MIT */
/*
 * For tests of the GPU driver: a plug-in by itself, on two devices of the test double of its library.
 * Every wait has a limit.
 */
#ifndef XYLEM_TESTS_GPU_BED_H
#define XYLEM_TESTS_GPU_BED_H

#include "../helper.h"

#include <xylem/driver.h>

#include "../double/cudart_double.h"
#include "../double/more_api.h"
#include DOUBLE_HEADER

enum { BED_QUEUES = 2 };

/* The driver under test. */
extern const struct xy_driver *bed_driver;

/* First in main: loads the plug-in. */
void bed_begin(void);

/* Before and after each test: a double as it was at first, and nothing left behind. */
int bed_fresh(void **state);
int bed_nothing_left(void **state);

/* Device i of all, with two launch queues. It must open. */
struct xy_device *bed_open(unsigned i);

void *bed_allocate(struct xy_device *device, size_t bytes);

/* Waits for an event, also NULL; its status. */
int bed_wait(struct xy_device *device, struct xy_event *event);

/* Bytes without gaps. */
struct xy_copy bed_line(void *to, const void *from, size_t bytes);

/* Begins a copy that must begin. */
struct xy_event *bed_copy(struct xy_device *device, enum xy_copy_kind kind, struct xy_device *peer,
			  const struct xy_copy *copy);

/* Bytes from RAM to the device and back, begun, and ended well. */
void bed_put(struct xy_device *device, void *memory, const void *bytes, size_t n);
void bed_get(struct xy_device *device, void *bytes, const void *memory, size_t n);

/* Launches with one vector of ints and an argument; what launch returned. */
int bed_launch(struct xy_device *device, unsigned queue, xy_function *function, void *memory, size_t n, void *arg,
	       struct xy_event **event);

/* A codelet: adds *(int *)arg to each number, after the latch that bed_latch is, if any, has opened. */
int bed_add(struct xy_call *call);
extern _Atomic(struct gate *) bed_latch;

/* explain() has this text, and is one line. */
void bed_explains(const char *text);

#endif
