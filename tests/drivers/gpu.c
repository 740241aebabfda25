/* SPDX-License-Identifier: MIT */
/* The GPU driver through its operations: devices, memory, copies. */
#include "gpu_bed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- which devices --- */

static int probe(const char *devices, unsigned *n, char *error)
{
	return bed_driver->probe(&(struct xy_driver_config){ .devices = devices, .queues = 1 }, n, error, 256);
}

static void finds_the_devices_that_are_wanted(void **state)
{
	static const struct {
		const char *devices;
		unsigned n;
	} cases[] = { { "", 2 },  { "all", 2 }, { "none", 0 },    { "0", 1 },
		      { "1", 1 }, { "1,0", 2 }, { " 1 , 0 ", 2 }, { "0,0", 1 } };

	(void)state;
	for (size_t i = 0; i < HELPER_COUNT(cases); i++) {
		unsigned n = 99;
		char error[256] = "";

		assert_int_equal(probe(cases[i].devices, &n, error), 0);
		assert_int_equal(n, cases[i].n);
		assert_int_equal(*error != '\0', n == 0);
	}
}

static void refuses_texts_that_name_no_device(void **state)
{
	static const char *const texts[] = { "2",  "0,2", "x",     "0,",          ",0", "0 1",
					     "-1", "0x1", "all,0", "99999999999", "," };

	(void)state;
	for (size_t i = 0; i < HELPER_COUNT(texts); i++) {
		unsigned n = 99;
		char error[256] = "";

		assert_int_equal(probe(texts[i], &n, error), -EINVAL);
		assert_int_equal(n, 0);
		assert_true(strstr(error, DOUBLE_TITLE " device") != NULL);
	}
}

static void tells_a_broken_library_from_none(void **state)
{
	static const struct {
		int code, error;
	} cases[] = { { cudaErrorInitializationError, -EIO },
		      { cudaErrorLaunchFailure, -ENODEV },
		      { cudaErrorUnknown, -EIO },
		      { cudaErrorMemoryAllocation, -ENOMEM } };
	unsigned n = 99;
	char error[256] = "";

	(void)state;
	for (size_t i = 0; i < HELPER_COUNT(cases); i++) {
		assert_true(cudart_double_fail(DOUBLE_PREFIX "GetDeviceCount", 1, cases[i].code));
		assert_int_equal(probe("", &n, error), cases[i].error);
		assert_int_equal(n, 0);
		assert_non_null(strstr(error, DOUBLE_TITLE " does not work: "));
		assert_int_equal(cudaPeekAtLastError(), 0);
	}
}

static void a_library_without_a_driver_is_no_device(void **state)
{
	unsigned n = 99;
	char error[256] = "";

	(void)state;
	assert_true(cudart_double_fail(DOUBLE_PREFIX "GetDeviceCount", 1, cudaErrorInsufficientDriver));
	assert_int_equal(probe("", &n, error), 0);
	assert_int_equal(n, 0);
	assert_non_null(strstr(error, DOUBLE_PREFIX "ErrorInsufficientDriver, 35"));
	assert_int_equal(cudaPeekAtLastError(), 0);
	assert_true(cudart_double_fail(DOUBLE_PREFIX "GetDeviceCount", 1, cudaErrorNoDevice));
	assert_int_equal(probe("0", &n, error), 0);
	assert_int_equal(n, 0);
}

/* Another process: what the double is like is fixed when it is first used. */
static void child(const char *variable, const char *value, const char *expected)
{
	char line[256] = "";
	int pipes[2], status;
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		dup2(pipes[1], STDOUT_FILENO);
		setenv(variable, value, 1);
		execl("/proc/self/exe", "gpu", "probe", (char *)NULL);
		_exit(1);
	}
	close(pipes[1]);
	assert_true(read(pipes[0], line, sizeof line - 1) > 0);
	close(pipes[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_string_equal(line, expected);
}

static void sees_the_devices_that_the_library_shows(void **state)
{
	(void)state;
	child(DOUBLE_VARIABLE("DEVICES"), "3", "3: test double 0, test double 1, test double 2\n");
	child(DOUBLE_VISIBLE, "1", "1: test double 1\n");
	child(DOUBLE_VISIBLE, "1,0", "2: test double 1, test double 0\n");
	child(DOUBLE_VISIBLE, "",
	      "0: " DOUBLE_TITLE " has no device here: there is no device (" DOUBLE_PREFIX "ErrorNoDevice, 100)\n");
}

/* What the other process prints. */
static int print_devices(void)
{
	unsigned n = 0;
	char error[256] = "";

	if (probe("", &n, error))
		return 1;
	printf("%u: %s", n, error);
	for (unsigned i = 0; i < n; i++) {
		struct xy_device_info info;
		struct xy_device *device;

		if (bed_driver->open(&device, &(struct xy_driver_config){ .devices = "" }, i, &info, error,
				     sizeof error))
			return 1;
		printf("%s%s", i ? ", " : "", info.name);
		bed_driver->close(device);
	}
	printf("\n");
	return 0;
}

static void describes_the_devices_that_it_opens(void **state)
{
	struct xy_driver_config config = { .devices = "1,0", .queues = 1 };
	struct xy_device_info info;
	struct xy_device *device;
	char error[256];

	(void)state;
	cudart_double_set_memory(1, 1600);
	assert_int_equal(bed_driver->open(&device, &config, 0, &info, error, sizeof error), 0);
	assert_string_equal(info.name, "test double 1");
	assert_int_equal(info.memory_bytes, 1500);
	assert_string_equal(info.pci, "ffff:a1:1f.0");
	assert_int_equal(info.peers, 2);
	bed_driver->close(device);
	assert_int_equal(bed_driver->open(&device, &config, 1, &info, error, sizeof error), 0);
	assert_string_equal(info.name, "test double 0");
	assert_int_equal(info.peers, 1);
	bed_driver->close(device);
	assert_int_equal(bed_driver->open(&device, &config, 2, &info, error, sizeof error), -ENODEV);
	assert_null(device);
	config.devices = "1";
	assert_int_equal(bed_driver->open(&device, &config, 0, &info, error, sizeof error), 0);
	assert_int_equal(info.peers, 0);
	bed_driver->close(device);
	assert_int_equal(cudaPeekAtLastError(), 0);
}

/* --- memory --- */

static void says_that_there_is_no_room(void **state)
{
	struct xy_device *device = bed_open(0);
	void *first, *second;

	(void)state;
	cudart_double_set_memory(0, 1000);
	first = bed_allocate(device, 800);
	assert_int_equal(bed_driver->allocate(device, 300, &second), -ENOMEM);
	assert_null(second);
	bed_explains(DOUBLE_PREFIX DOUBLE_ALLOCATE " on " DOUBLE_TITLE " device 0");
	bed_explains(DOUBLE_PREFIX "ErrorMemoryAllocation");
	assert_int_equal(cudaPeekAtLastError(), 0);
	bed_driver->free(device, first);
	second = bed_allocate(device, 300);
	bed_driver->free(device, second);
	bed_driver->close(device);
}

static void has_pinned_memory_and_pins_that_of_others(void **state)
{
	struct xy_device *device = bed_open(0);
	struct cudart_double_live live;
	static char own[1000];
	char *memory = bed_driver->host_allocate(device, 500);

	(void)state;
	assert_non_null(memory);
	memset(memory, 1, 500);
	assert_int_equal(bed_driver->host_pin(device, own, sizeof own), 0);
	assert_int_equal(bed_driver->host_pin(device, own, sizeof own), -EALREADY);
	assert_int_equal(cudaPeekAtLastError(), 0);
	cudart_double_live(&live);
	assert_int_equal(live.host_bytes, 500);
	assert_int_equal(live.registered_bytes, sizeof own);
	bed_driver->host_unpin(device, own);
	bed_driver->host_free(device, memory);
	assert_true(cudart_double_fail(DOUBLE_HOST_ALLOC, 1, cudaErrorMemoryAllocation));
	assert_null(bed_driver->host_allocate(device, 500));
	bed_driver->close(device);
}

/* --- the caller's current device --- */

static void is_current(int device)
{
	int current = -1;

	assert_int_equal(cudaGetDevice(&current), 0);
	assert_int_equal(current, device);
}

/* The codelet has its device, may ask for a copy on the other one, and may leave any. */
static int change_device(struct xy_call *call)
{
	struct xy_device *other = *(struct xy_device **)call->arg;
	int numbers[2] = { 1, 2 }, *memory;

	is_current(xy_cuda_device(call));
	memory = bed_allocate(other, sizeof numbers);
	bed_put(other, memory, numbers, sizeof numbers);
	bed_driver->free(other, memory);
	is_current(xy_cuda_device(call));
	assert_int_equal(cudaSetDevice(1 - xy_cuda_device(call)), 0);
	return 0;
}

static void leaves_the_caller_s_current_device(void **state)
{
	struct xy_device *devices[2];
	struct xy_event *event;
	int numbers[2] = { 0 }, *memory;

	(void)state;
	assert_int_equal(cudaSetDevice(1), 0);
	devices[0] = bed_open(0);
	is_current(1);
	devices[1] = bed_open(1);
	memory = bed_allocate(devices[0], sizeof numbers);
	is_current(1);
	bed_put(devices[0], memory, numbers, sizeof numbers);
	is_current(1);
	assert_int_equal(bed_launch(devices[0], 0, change_device, memory, 2, &devices[1], &event), 0);
	is_current(1);
	assert_int_equal(bed_wait(devices[0], event), 0);
	assert_int_equal(bed_launch(devices[1], 0, change_device, memory, 2, &devices[0], &event), 0);
	is_current(1);
	assert_int_equal(bed_wait(devices[1], event), 0);
	bed_driver->host_free(devices[0], bed_driver->host_allocate(devices[0], 10));
	is_current(1);
	assert_true(cudart_double_fail(DOUBLE_PREFIX "MemcpyAsync", 1, cudaErrorIllegalAddress));
	event = bed_copy(devices[0], XY_COPY_OUT, NULL,
			 &(struct xy_copy){ .to = { numbers, 0 },
					    .from = { memory, 0 },
					    .row_bytes = sizeof numbers,
					    .nrows = 1,
					    .nplanes = 1 });
	assert_int_equal(bed_wait(devices[0], event), -ENODEV);
	is_current(1);
	bed_driver->free(devices[0], memory);
	is_current(1);
	bed_driver->close(devices[0]);
	is_current(1);
	bed_driver->close(devices[1]);
	cudart_double_reset();
	assert_int_equal(cudaSetDevice(0), 0);
}

/* --- copies --- */

enum { SPACE = 4096 };

/* Rows in three dimensions that fit into SPACE bytes at both ends and don't overlap. */
static struct xy_copy random_copy(uint64_t *seed)
{
	for (;;) {
		struct xy_copy c = { .row_bytes = 1 + helper_random(seed) % 40,
				     .nrows = 1 + helper_random(seed) % 6,
				     .nplanes = 1 + helper_random(seed) % 4 };

		c.to_row = c.row_bytes + helper_random(seed) % 3;
		c.from_row = c.row_bytes + helper_random(seed) % 3;
		c.to_plane = c.to_row * c.nrows + helper_random(seed) % 2 * helper_random(seed) % 60;
		c.from_plane = c.from_row * c.nrows + helper_random(seed) % 2 * helper_random(seed) % 60;
		c.to.offset = helper_random(seed) % 500;
		c.from.offset = helper_random(seed) % 500;
		if (c.to.offset + c.nplanes * c.to_plane <= SPACE && c.from.offset + c.nplanes * c.from_plane <= SPACE)
			return c;
	}
}

/* The copy as it should be. */
static void copy_rows(const struct xy_copy *c, char *to, const char *from)
{
	for (size_t z = 0; z < c->nplanes; z++)
		for (size_t y = 0; y < c->nrows; y++)
			memcpy(to + c->to.offset + z * c->to_plane + y * c->to_row,
			       from + c->from.offset + z * c->from_plane + y * c->from_row, c->row_bytes);
}

static void fill(char *bytes, uint64_t *seed)
{
	for (unsigned i = 0; i < SPACE; i++)
		bytes[i] = (char)helper_random(seed);
}

/* Memory before and after one copy; all in RAM, so that ends can be compared. */
struct ends {
	struct xy_device *devices[2];
	void *memory[2];
	char to[SPACE], from[SPACE], got[SPACE];
};

static void try_copy(struct ends *e, enum xy_copy_kind kind, struct xy_copy c)
{
	copy_rows(&c, e->to, e->from);
	if (kind == XY_COPY_IN) {
		c.from.memory = e->from;
		c.to.memory = e->memory[0];
	} else {
		c.from.memory = e->memory[kind == XY_COPY_PEER];
		c.to.memory = kind == XY_COPY_PEER ? e->memory[0] : e->got;
	}
	assert_int_equal(bed_wait(e->devices[0], bed_copy(e->devices[0], kind, e->devices[1], &c)), 0);
	if (kind != XY_COPY_OUT)
		bed_get(e->devices[0], e->got, e->memory[0], SPACE);
	assert_memory_equal(e->got, e->to, SPACE);
}

static void copies_rows_and_planes_of_any_shape(void **state)
{
	struct ends *e = calloc(1, sizeof *e);
	uint64_t seed = 20240817;
	unsigned n = helper_scale(400);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		e->devices[i] = bed_open(i);
		e->memory[i] = bed_allocate(e->devices[i], SPACE);
	}
	for (unsigned i = 0; i < n; i++) {
		enum xy_copy_kind kind = (enum xy_copy_kind)(i % 3);

		fill(e->to, &seed);
		fill(e->from, &seed);
		bed_put(e->devices[0], e->memory[0], kind == XY_COPY_OUT ? e->from : e->to, SPACE);
		bed_put(e->devices[1], e->memory[1], e->from, SPACE);
		memcpy(e->got, e->to, SPACE);
		try_copy(e, kind, random_copy(&seed));
	}
	for (unsigned i = 0; i < 2; i++) {
		bed_driver->free(e->devices[i], e->memory[i]);
		bed_driver->close(e->devices[i]);
	}
	free(e);
}

/* With how many calls copies are done. */
static void needs_one_call_for_a_regular_copy(void **state)
{
	static const struct {
		struct xy_copy copy;
		const char *function;
	} cases[] = {
		{ { .row_bytes = 10,
		    .nrows = 4,
		    .to_row = 10,
		    .from_row = 10,
		    .nplanes = 2,
		    .to_plane = 40,
		    .from_plane = 40 },
		  DOUBLE_PREFIX "MemcpyAsync" },
		{ { .row_bytes = 10, .nrows = 4, .to_row = 10, .from_row = 12, .nplanes = 1 },
		  DOUBLE_PREFIX "Memcpy2DAsync" },
		{ { .row_bytes = 10,
		    .nrows = 4,
		    .to_row = 10,
		    .from_row = 10,
		    .nplanes = 3,
		    .to_plane = 40,
		    .from_plane = 50 },
		  DOUBLE_PREFIX "Memcpy2DAsync" },
		{ { .row_bytes = 10,
		    .nrows = 4,
		    .to_row = 10,
		    .from_row = 12,
		    .nplanes = 3,
		    .to_plane = 40,
		    .from_plane = 60 },
		  DOUBLE_PREFIX "Memcpy3DAsync" },
	};
	struct xy_device *device = bed_open(0);
	void *memory = bed_allocate(device, SPACE);
	static char bytes[SPACE];

	(void)state;
	for (size_t i = 0; i < HELPER_COUNT(cases); i++) {
		struct xy_copy copy = cases[i].copy;
		struct cudart_double_traffic traffic;

		cudart_double_reset();
		copy.to.memory = memory;
		copy.from.memory = bytes;
		assert_int_equal(bed_wait(device, bed_copy(device, XY_COPY_IN, NULL, &copy)), 0);
		assert_int_equal(cudart_double_calls(cases[i].function), 1);
		cudart_double_traffic(CUDART_DOUBLE_IN, &traffic);
		assert_int_equal(traffic.copies, 1);
		assert_int_equal(traffic.bytes, copy.row_bytes * copy.nrows * copy.nplanes);
	}
	bed_driver->free(device, memory);
	bed_driver->close(device);
}

/* Libraries refuse rows that are 2 GiB apart. */
static void copies_rows_that_are_far_apart(void **state)
{
	size_t far = ((size_t)1 << 31) + 64;
	struct xy_device *device = bed_open(0);
	char *bytes = mmap(NULL, far + 100, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char got[200] = "";
	struct xy_copy copy = { .row_bytes = 100, .nrows = 2, .to_row = 100, .from_row = far, .nplanes = 1 };
	void *memory = bed_allocate(device, 200);

	(void)state;
	assert_true(bytes != MAP_FAILED);
	memset(bytes, 'a', 100);
	memset(bytes + far, 'b', 100);
	copy.to.memory = memory;
	copy.from.memory = bytes;
	assert_int_equal(bed_wait(device, bed_copy(device, XY_COPY_IN, NULL, &copy)), 0);
	bed_get(device, got, memory, sizeof got);
	assert_true(got[0] == 'a' && got[99] == 'a' && got[100] == 'b' && got[199] == 'b');
	munmap(bytes, far + 100);
	bed_driver->free(device, memory);
	bed_driver->close(device);
}

static void begins_several_copies_with_one_event(void **state)
{
	struct xy_device *device = bed_open(0);
	char *memory = bed_allocate(device, 300), got[300];
	static const char bytes[300] = "the first";
	struct xy_copy copies[3];
	struct xy_event *event;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		copies[i] = bed_line(memory + 100 * i, bytes + 100 * (2 - i), 100);
	assert_int_equal(bed_driver->copy(device, XY_COPY_IN, NULL, copies, 3, &event), 0);
	assert_int_equal(bed_wait(device, event), 0);
	assert_int_equal(cudart_double_calls(DOUBLE_PREFIX "EventCreateWithFlags"), 1);
	bed_get(device, got, memory, 300);
	for (unsigned i = 0; i < 3; i++)
		assert_memory_equal(got + 100 * i, bytes + 100 * (2 - i), 100);
	bed_driver->free(device, memory);
	bed_driver->close(device);
}

/* Both go to the same place; when the second has ended, so has the first. */
static void ends_copies_of_one_kind_in_their_order(void **state)
{
	enum { BYTES = 1 << 16 };
	struct xy_device *device = bed_open(0);
	char *host = bed_driver->host_allocate(device, 2 * BYTES), *memory = bed_allocate(device, BYTES);
	struct xy_copy large = bed_line(memory, host, BYTES), small = bed_line(memory, host + BYTES, 1);
	struct xy_event *events[2];
	char got[BYTES];

	(void)state;
	memset(host, 'a', BYTES);
	memset(host + BYTES, 'b', BYTES);
	cudart_double_set_delays(0.02, 0);
	events[0] = bed_copy(device, XY_COPY_IN, NULL, &large);
	events[1] = bed_copy(device, XY_COPY_IN, NULL, &small);
	assert_int_equal(bed_driver->poll(device, events[0]), -EAGAIN);
	assert_int_equal(cudaPeekAtLastError(), 0);
	assert_int_equal(bed_wait(device, events[1]), 0);
	assert_int_equal(bed_driver->poll(device, events[0]), 0);
	cudart_double_set_delays(0, 0);
	bed_get(device, got, memory, BYTES);
	assert_true(got[0] == 'b' && got[1] == 'a' && got[BYTES - 1] == 'a');
	bed_driver->host_free(device, host);
	bed_driver->free(device, memory);
	bed_driver->close(device);
}

static void lets_copies_of_both_directions_overlap(void **state)
{
	enum { BYTES = 1000 };
	struct xy_device *device = bed_open(0);
	char *host = bed_driver->host_allocate(device, 2 * BYTES), *memory = bed_allocate(device, 2 * BYTES);
	struct xy_copy slow = bed_line(memory, host, BYTES), quick = bed_line(host + BYTES, memory + BYTES, 1);
	struct xy_event *in, *out;

	(void)state;
	memset(host, 'a', 2 * BYTES);
	cudart_double_set_delays(1e-5, 0); /* 100 ms for the slow one */
	in = bed_copy(device, XY_COPY_IN, NULL, &slow);
	out = bed_copy(device, XY_COPY_OUT, NULL, &quick);
	assert_int_equal(bed_wait(device, out), 0);
	assert_int_equal(bed_driver->poll(device, in), -EAGAIN);
	assert_int_equal(bed_wait(device, in), 0);
	bed_driver->host_free(device, host);
	bed_driver->free(device, memory);
	bed_driver->close(device);
}

/* --- pageable memory --- */

/* Rows of a host array with gaps, and of a device without; larger than what is staged at once. */
static void pageable_case(struct xy_device *device, size_t row_bytes, size_t nrows, size_t gap)
{
	size_t row = row_bytes + gap, bytes = row_bytes * nrows;
	char *from = malloc(row * nrows), *to = calloc(1, row * nrows), *memory = bed_allocate(device, bytes);
	struct xy_copy in = { .to = { memory, 0 },
			      .from = { from, 0 },
			      .row_bytes = row_bytes,
			      .nrows = nrows,
			      .to_row = row_bytes,
			      .from_row = row,
			      .nplanes = 1 };
	struct xy_copy out = { .to = { to, 0 },
			       .from = { memory, 0 },
			       .row_bytes = row_bytes,
			       .nrows = nrows,
			       .to_row = row,
			       .from_row = row_bytes,
			       .nplanes = 1 };
	struct xy_event *event;

	for (size_t i = 0; i < row * nrows; i++)
		from[i] = (char)(i * 7 + i / 251);
	cudart_double_hold_copies(true);
	event = bed_copy(device, XY_COPY_IN, NULL, &in);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(bed_driver->poll(device, event), -EAGAIN);
	cudart_double_hold_copies(false);
	assert_int_equal(bed_wait(device, event), 0);
	cudart_double_hold_copies(true);
	event = bed_copy(device, XY_COPY_OUT, NULL, &out);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(bed_driver->poll(device, event), -EAGAIN);
	assert_int_equal(to[0], 0);
	cudart_double_hold_copies(false);
	assert_int_equal(bed_wait(device, event), 0);
	for (size_t i = 0; i < nrows; i++)
		assert_memory_equal(to + i * row, from + i * row, row_bytes);
	for (size_t i = 0; i < nrows && gap; i++)
		assert_int_equal(to[i * row + row_bytes], 0);
	bed_driver->free(device, memory);
	free(from);
	free(to);
}

static void copies_of_pageable_memory_do_not_wait(void **state)
{
	struct xy_device *device = bed_open(0);

	(void)state;
	pageable_case(device, (size_t)10 << 20, 1, 0);      /* pieces of one row */
	pageable_case(device, ((size_t)5 << 20) + 3, 3, 5); /* each row is several pieces */
	pageable_case(device, 100003, 130, 17);             /* several rows are a piece */
	bed_driver->close(device);
}

/* Whichever is asked about. */
static void copies_of_pageable_memory_share_what_they_go_through(void **state)
{
	enum { COPIES = 4, BYTES = 5 << 20 };
	struct xy_device *device = bed_open(0);
	char *memory = bed_allocate(device, BYTES), *from = malloc(BYTES), *to[COPIES];
	struct xy_event *events[COPIES];

	(void)state;
	for (size_t i = 0; i < BYTES; i++)
		from[i] = (char)(i * 11 + i / 257);
	bed_put(device, memory, from, BYTES);
	for (unsigned i = 0; i < COPIES; i++) {
		struct xy_copy copy;

		to[i] = calloc(1, BYTES);
		copy = bed_line(to[i], memory, BYTES);
		events[i] = bed_copy(device, XY_COPY_OUT, NULL, &copy);
	}
	for (unsigned i = COPIES; i-- > 0;) {
		assert_int_equal(bed_wait(device, events[i]), 0);
		assert_memory_equal(to[i], from, BYTES);
		free(to[i]);
	}
	free(from);
	bed_driver->free(device, memory);
	bed_driver->close(device);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_the_devices_that_are_wanted, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(refuses_texts_that_name_no_device, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(a_library_without_a_driver_is_no_device, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(tells_a_broken_library_from_none, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(sees_the_devices_that_the_library_shows, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(describes_the_devices_that_it_opens, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(says_that_there_is_no_room, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(has_pinned_memory_and_pins_that_of_others, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(leaves_the_caller_s_current_device, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(copies_rows_and_planes_of_any_shape, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(copies_of_pageable_memory_do_not_wait, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(copies_of_pageable_memory_share_what_they_go_through, bed_fresh,
						bed_nothing_left),
		cmocka_unit_test_setup_teardown(needs_one_call_for_a_regular_copy, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(copies_rows_that_are_far_apart, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(begins_several_copies_with_one_event, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(ends_copies_of_one_kind_in_their_order, bed_fresh, bed_nothing_left),
		cmocka_unit_test_setup_teardown(lets_copies_of_both_directions_overlap, bed_fresh, bed_nothing_left),
	};

	(void)argv;
	bed_begin();
	return argc > 1 ? print_devices() : cmocka_run_group_tests(tests, NULL, NULL);
}
