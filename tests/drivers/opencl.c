/* SPDX-License-Identifier: MIT */
/* The OpenCL driver through its operations: devices, memory, copies. */
#include "opencl_bed.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- which devices --- */

static int probe(const char *devices, unsigned *n, char *error)
{
	return bed_driver->probe(&(struct xy_driver_config){ .devices = devices, .queues = 1 }, n, error, 256);
}

static bool pocl_is_loaded(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[1024];
	bool found = false;

	assert_non_null(maps);
	while (fgets(line, sizeof line, maps))
		found |= strstr(line, "libpocl") != NULL;
	fclose(maps);
	return found;
}

/* Comes first: nothing has asked for a device yet. */
static void leaves_pocl_alone_unless_its_devices_are_asked_for(void **state)
{
	unsigned n = 7;
	char error[256] = "";

	(void)state;
	assert_int_equal(probe("", &n, error), 0);
	assert_int_equal(n, 0);
	assert_non_null(strstr(error, "only on request"));
	if (strstr(error, "PoCL")) /* else there is another implementation */
		assert_false(pocl_is_loaded());
}

static pthread_barrier_t all_ask;

/* LLVM leaves a signal stack of its own to the thread that loads it, which the address sanitizer takes for its own. */
static void *ask_main(void *n)
{
	char error[256];
	stack_t before;

	sigaltstack(NULL, &before);
	pthread_barrier_wait(&all_ask);
	if (probe("cpu", n, error))
		*(unsigned *)n = 0;
	sigaltstack(&before, NULL);
	return NULL;
}

/* Comes second: OpenCL is loaded by whoever is the first to ask, while the others do. */
static void several_threads_may_be_the_first_to_ask(void **state)
{
	enum { THREADS = 4 };
	pthread_t threads[THREADS];
	unsigned n[THREADS];

	(void)state;
	assert_int_equal(pthread_barrier_init(&all_ask, NULL, THREADS), 0);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_main, &n[i]), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&all_ask);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(n[i], BED_DEVICES);
	assert_true(pocl_is_loaded());
}

static void selects_devices_by_kind_and_number(void **state)
{
	static const struct {
		const char *devices;
		unsigned n;
	} cases[] = {
		{ "all", 3 },
		{ "cpu", 3 },
		{ "gpu", 0 },
		{ "accelerator", 0 },
		{ "0", 1 },
		{ "0,2", 2 },
		{ "2, 1 ,0", 3 },
		{ "cpu,0", 3 },
		{ "gpu,1", 1 },
		{ "1,1,1", 1 },
		{ "gpu,accelerator", 0 },
	};

	(void)state;
	for (size_t i = 0; i < HELPER_COUNT(cases); i++) {
		unsigned n = 99;
		char error[256] = "";

		assert_int_equal(probe(cases[i].devices, &n, error), 0);
		assert_int_equal(n, cases[i].n);
		if (!n)
			assert_non_null(strstr(error, "none of the 3 OpenCL devices"));
	}
}

static void opens_devices_in_the_order_of_the_text(void **state)
{
	static const char *const names[] = { "pthread", "basic" };
	struct xy_driver_config config = { .devices = "2,0", .queues = 1 };
	struct xy_device_info info;
	struct xy_device *device;
	char error[256];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(bed_driver->open(&device, &config, i, &info, error, sizeof error), 0);
		assert_non_null(strstr(info.name, names[i]));
		bed_driver->close(device);
	}
	assert_int_equal(bed_driver->open(&device, &config, 2, &info, error, sizeof error), -ENODEV);
	assert_null(device);
	assert_non_null(strstr(error, "OpenCL device 2 no longer exists"));
}

static void refuses_texts_that_name_no_device(void **state)
{
	static const char *const wrong[] = {
		"3", "x", "0,,1", ",", "0,", "-1", "+1", "0x", "0 1", "gpus", "GPU", "99999999999999999999999", " ",
	};

	(void)state;
	for (size_t i = 0; i < HELPER_COUNT(wrong); i++) {
		unsigned n;
		char error[256] = "";

		assert_int_equal(probe(wrong[i], &n, error), -EINVAL);
		assert_non_null(strstr(error, "is no OpenCL device: all, cpu, gpu, accelerator or a number below 3"));
	}
}

/* --- memory --- */

static void says_when_a_device_has_no_room(void **state)
{
	enum { PIECES = 1024 };
	const size_t piece = (size_t)1 << 30;

	(void)state;
	for (unsigned i = 0; i < BED_DEVICES; i++) {
		struct xy_device *device = bed_open(i);
		void *pieces[PIECES], *memory;
		unsigned n = 0;
		int status = 0;

		assert_int_equal(bed_driver->allocate(device, SIZE_MAX, &memory), -ENOMEM);
		assert_null(memory);
		bed_explains("bytes");
		while (n < PIECES && !(status = bed_driver->allocate(device, piece, &pieces[n])))
			n++;
		assert_int_equal(status, -ENOMEM);
		assert_true(n > 0);
		bed_driver->free(device, pieces[--n]);
		pieces[n] = bed_allocate(device, piece);
		for (unsigned k = 0; k <= n; k++)
			bed_driver->free(device, pieces[k]);
		bed_close(device);
	}
}

/* --- copies --- */

enum { IMAGE = 6000 };

/* What a copy should do, byte by byte. */
static void model(unsigned char *to, const unsigned char *from, const struct xy_copy *c)
{
	for (size_t z = 0; z < c->nplanes; z++)
		for (size_t y = 0; y < c->nrows; y++)
			for (size_t x = 0; x < c->row_bytes; x++)
				to[c->to.offset + z * c->to_plane + y * c->to_row + x] =
					from[c->from.offset + z * c->from_plane + y * c->from_row + x];
}

static void fill(unsigned char *image, unsigned seed)
{
	uint64_t random = seed;

	for (unsigned i = 0; i < IMAGE; i++)
		image[i] = (unsigned char)helper_random(&random);
}

/* Does them at once, in both directions, and compares everything, also what lies between. */
static void check_copies(struct xy_device *device, const struct xy_copy *shapes, unsigned n)
{
	static unsigned char ram[IMAGE], other[IMAGE], expected[IMAGE], got[IMAGE];
	void *memory = bed_allocate(device, IMAGE);
	struct xy_copy copies[8];
	struct xy_event *event;

	fill(ram, 1);
	fill(other, 2);
	for (int out = 0; out < 2; out++) {
		unsigned char *from = out ? other : ram, *to = out ? ram : other;

		memcpy(expected, to, IMAGE);
		bed_put(device, memory, other, IMAGE);
		for (unsigned i = 0; i < n; i++) {
			copies[i] = shapes[i];
			copies[i].to.memory = out ? ram : memory;
			copies[i].from.memory = out ? memory : ram;
			model(expected, from, &copies[i]);
		}
		assert_int_equal(bed_driver->copy(device, out ? XY_COPY_OUT : XY_COPY_IN, NULL, copies, n, &event), 0);
		assert_int_equal(bed_wait(device, event), 0);
		if (out)
			memcpy(got, ram, IMAGE);
		else
			bed_get(device, got, memory, IMAGE);
		assert_memory_equal(got, expected, IMAGE);
	}
	bed_driver->free(device, memory);
}

static void copies_rows_and_planes_with_offsets(void **state)
{
	static const struct xy_copy shapes[] = {
		{ .to.offset = 0, .from.offset = 0, .row_bytes = IMAGE, .nrows = 1, .nplanes = 1 },
		{ .to.offset = 13, .from.offset = 701, .row_bytes = 1000, .nrows = 1, .nplanes = 1 },
		{ .to.offset = 7,
		  .from.offset = 100,
		  .row_bytes = 10,
		  .nrows = 20,
		  .to_row = 10,
		  .from_row = 10,
		  .nplanes = 1 },
		{ .to.offset = 5,
		  .from.offset = 9,
		  .row_bytes = 24,
		  .nrows = 30,
		  .to_row = 24,
		  .from_row = 100,
		  .nplanes = 1 },
		{ .to.offset = 50,
		  .from.offset = 3,
		  .row_bytes = 24,
		  .nrows = 30,
		  .to_row = 101,
		  .from_row = 77,
		  .nplanes = 1 },
		{ .to.offset = 0,
		  .from.offset = 1,
		  .row_bytes = 8,
		  .nrows = 4,
		  .to_row = 8,
		  .from_row = 40,
		  .nplanes = 5,
		  .to_plane = 32,
		  .from_plane = 400 },
		{ .to.offset = 11,
		  .from.offset = 0,
		  .row_bytes = 8,
		  .nrows = 4,
		  .to_row = 20,
		  .from_row = 10,
		  .nplanes = 9,
		  .to_plane = 200,
		  .from_plane = 40 },
		/* one row in each plane; no whole number of rows in a plane; planes between rows; rows that overlap */
		{ .to.offset = 4,
		  .from.offset = 4,
		  .row_bytes = 12,
		  .nrows = 1,
		  .to_row = 99,
		  .from_row = 1,
		  .nplanes = 6,
		  .to_plane = 300,
		  .from_plane = 200 },
		{ .to.offset = 4,
		  .from.offset = 8,
		  .row_bytes = 12,
		  .nrows = 3,
		  .to_row = 20,
		  .from_row = 16,
		  .nplanes = 6,
		  .to_plane = 73,
		  .from_plane = 64 },
		{ .to.offset = 2,
		  .from.offset = 0,
		  .row_bytes = 6,
		  .nrows = 10,
		  .to_row = 500,
		  .from_row = 60,
		  .nplanes = 7,
		  .to_plane = 10,
		  .from_plane = 8 },
		{ .to.offset = 0,
		  .from.offset = 0,
		  .row_bytes = 16,
		  .nrows = 100,
		  .to_row = 16,
		  .from_row = 1,
		  .nplanes = 2,
		  .to_plane = 1700,
		  .from_plane = 2 },
	};

	(void)state;
	for (unsigned i = 0; i < BED_DEVICES; i++) {
		struct xy_device *device = bed_open(i);

		for (size_t s = 0; s < HELPER_COUNT(shapes); s++)
			check_copies(device, &shapes[s], 1);
		bed_close(device);
	}
}

static void copies_several_places_with_one_event(void **state)
{
	static const struct xy_copy shapes[] = {
		{ .to.offset = 3, .from.offset = 9, .row_bytes = 100, .nrows = 1, .nplanes = 1 },
		{ .to.offset = 300,
		  .from.offset = 0,
		  .row_bytes = 10,
		  .nrows = 10,
		  .to_row = 30,
		  .from_row = 12,
		  .nplanes = 1 },
		{ .to.offset = 1000,
		  .from.offset = 90,
		  .row_bytes = 10,
		  .nrows = 10,
		  .to_row = 30,
		  .from_row = 12,
		  .nplanes = 3,
		  .to_plane = 401,
		  .from_plane = 121 },
		{ .to.offset = 5000, .from.offset = 90, .row_bytes = 999, .nrows = 1, .nplanes = 1 },
	};

	(void)state;
	for (unsigned i = 0; i < BED_DEVICES; i++) {
		struct xy_device *device = bed_open(i);

		check_copies(device, shapes, HELPER_COUNT(shapes));
		bed_close(device);
	}
}

static void refuses_a_copy_beyond_the_end(void **state)
{
	struct xy_device *device = bed_open(0);
	void *memory = bed_allocate(device, 100);
	char bytes[200] = "";
	struct xy_copy good = { .to = { memory, 0 }, .from = { bytes, 0 }, .row_bytes = 1, .nrows = 1, .nplanes = 1 };
	struct xy_copy bad = good;
	struct xy_event *event;

	(void)state;
	bad.row_bytes = 101;
	assert_int_equal(bed_driver->copy(device, XY_COPY_IN, NULL, &bad, 1, &event), -EINVAL);
	assert_null(event);
	bed_explains("CL_INVALID_VALUE");
	/* The first is under way when the second is refused: that is told at its end. */
	assert_int_equal(bed_driver->copy(device, XY_COPY_IN, NULL, (struct xy_copy[]){ good, bad }, 2, &event), 0);
	assert_int_equal(bed_wait(device, event), -EINVAL);
	assert_int_equal(bed_driver->copy(device, XY_COPY_PEER, device, &good, 1, &event), -ENOTSUP);
	bed_driver->free(device, memory);
	bed_close(device);
}

static void ends_copies_in_the_order_of_their_beginning(void **state)
{
	enum { COPIES = 40, N = 1 << 16 };
	static unsigned char ram[COPIES][N], got[N];

	(void)state;
	for (unsigned i = 0; i < BED_DEVICES; i++) {
		struct xy_device *device = bed_open(i);
		void *memory = bed_allocate(device, N);
		struct xy_event *events[COPIES];

		for (unsigned k = 0; k < COPIES; k++) {
			memset(ram[k], (int)k + 1, N);
			assert_int_equal(bed_driver->copy(device, XY_COPY_IN, NULL,
							  &(struct xy_copy){
								  .to = { memory, 0 },
								  .from = { ram[k], 0 },
								  .row_bytes = N,
								  .nrows = 1,
								  .nplanes = 1,
							  },
							  1, &events[k]),
					 0);
		}
		assert_int_equal(bed_wait(device, events[COPIES / 2]), 0);
		for (unsigned k = 0; k < COPIES / 2; k++)
			assert_int_equal(bed_driver->poll(device, events[k]), 0);
		for (unsigned k = COPIES / 2 + 1; k < COPIES; k++)
			assert_int_equal(bed_wait(device, events[k]), 0);
		bed_get(device, got, memory, N);
		assert_memory_equal(got, ram[COPIES - 1], N);
		bed_driver->free(device, memory);
		bed_close(device);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_pocl_alone_unless_its_devices_are_asked_for),
		cmocka_unit_test(several_threads_may_be_the_first_to_ask),
		cmocka_unit_test(selects_devices_by_kind_and_number),
		cmocka_unit_test(opens_devices_in_the_order_of_the_text),
		cmocka_unit_test(refuses_texts_that_name_no_device),
		cmocka_unit_test(says_when_a_device_has_no_room),
		cmocka_unit_test(copies_rows_and_planes_with_offsets),
		cmocka_unit_test(copies_several_places_with_one_event),
		cmocka_unit_test(refuses_a_copy_beyond_the_end),
		cmocka_unit_test(ends_copies_in_the_order_of_their_beginning),
	};

	return bed_begin() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
