/* SPDX-License-Identifier: MIT */
/* The GPU driver on the double; see gpu_bed.h. */
#include "gpu_bed.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/futex.h"

enum { BED_WAIT_S = 40 };

const struct xy_driver *bed_driver;
_Atomic(struct gate *) bed_latch;

void bed_begin(void)
{
	void *plugin;

	helper_guard();
	plugin = dlopen(GPU_PLUGIN, RTLD_NOW | RTLD_LOCAL);
	bed_driver = plugin ? dlsym(plugin, "xy_driver") : NULL;
	if (!bed_driver) {
		printf("Bail out! %s\n", dlerror());
		exit(99);
	}
}

int bed_fresh(void **state)
{
	(void)state;
	cudart_double_reset();
	atomic_store(&bed_latch, NULL);
	return 0;
}

int bed_nothing_left(void **state)
{
	struct cudart_double_live live;

	(void)state;
	cudart_double_live(&live);
	if (!live.device_bytes && !live.host_bytes && !live.registered_bytes && !live.streams && !live.events &&
	    !live.pools)
		return 0;
	print_error("left: %zu bytes of devices, %zu of the host, %zu registered, %u streams, %u events, %u pools\n",
		    live.device_bytes, live.host_bytes, live.registered_bytes, live.streams, live.events, live.pools);
	return 1;
}

struct xy_device *bed_open(unsigned i)
{
	struct xy_driver_config config = { .devices = "", .queues = BED_QUEUES };
	struct xy_device_info info;
	struct xy_device *device;
	char error[256];
	int status = bed_driver->open(&device, &config, i, &info, error, sizeof error);

	if (status)
		fail_msg("device %u does not open: %d, %s", i, status, error);
	assert_non_null(device);
	return device;
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

struct xy_copy bed_line(void *to, const void *from, size_t bytes)
{
	return (struct xy_copy){
		.to = { to, 0 }, .from = { (void *)from, 0 }, .row_bytes = bytes, .nrows = 1, .nplanes = 1
	};
}

struct xy_event *bed_copy(struct xy_device *device, enum xy_copy_kind kind, struct xy_device *peer,
			  const struct xy_copy *copy)
{
	struct xy_event *event = NULL;
	int status = bed_driver->copy(device, kind, peer, copy, 1, &event);

	if (status)
		fail_msg("a copy returns %d: %s", status, bed_driver->explain());
	return event;
}

void bed_put(struct xy_device *device, void *memory, const void *bytes, size_t n)
{
	struct xy_copy copy = bed_line(memory, bytes, n);

	assert_int_equal(bed_wait(device, bed_copy(device, XY_COPY_IN, NULL, &copy)), 0);
}

void bed_get(struct xy_device *device, void *bytes, const void *memory, size_t n)
{
	struct xy_copy copy = bed_line(bytes, memory, n);

	assert_int_equal(bed_wait(device, bed_copy(device, XY_COPY_OUT, NULL, &copy)), 0);
}

int bed_launch(struct xy_device *device, unsigned queue, xy_function *function, void *memory, size_t n, void *arg,
	       struct xy_event **event)
{
	struct xy_vector vector = { .ptr = memory, .n = n, .elem = sizeof(int) };
	void *buffers[] = { &vector };
	struct xy_call call = { .arg = arg, .nbuffers = 1, .buffers = buffers };
	int status = bed_driver->launch(device, queue, function, &call, event);

	if (status)
		assert_null(*event);
	return status;
}

/* --- a codelet --- */

struct add {
	int *numbers;
	size_t n;
	int value;
	struct gate *latch;
};

static void add_kernel(void *args)
{
	struct add *add = args;
	int *numbers = cudart_double_readable(add->numbers);

	if (add->latch) {
		helper_add(&add->latch->inside);
		helper_body_reach(&add->latch->open, 1);
	}
	for (size_t i = 0; i < add->n; i++)
		numbers[i] += add->value;
}

int bed_add(struct xy_call *call)
{
	struct add add = {
		.numbers = xy_pointer(call, 0),
		.n = xy_vector_at(call, 0)->n,
		.value = *(int *)call->arg,
		.latch = atomic_load(&bed_latch),
	};

	return xy_cuda_check(call, cudart_double_launch(xy_cuda_stream(call), add_kernel, &add, sizeof add));
}

void bed_explains(const char *text)
{
	const char *line = bed_driver->explain();

	if (!strstr(line, text) || strchr(line, '\n'))
		fail_msg("'%s' should be one line with '%s'", line, text);
}
