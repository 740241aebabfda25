/* SPDX-License-Identifier: MIT */
/* Finding and loading drivers: what is told apart, what is said about it, and that all is closed again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/drivers.h"
#include "core/util/arch.h"
#include "core/machine/machine.h"

#define FOLDER(variant) TEST_DRIVERS "/" variant "/.libs"

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
void *__real_dlopen(const char *path, int flags);
void *__wrap_dlopen(const char *path, int flags);

static unsigned naccesses, ndlopens;

int __wrap_access(const char *path, int mode)
{
	naccesses++;
	return __real_access(path, mode);
}

void *__wrap_dlopen(const char *path, int flags)
{
	ndlopens++;
	return __real_dlopen(path, flags);
}

static struct {
	unsigned lines;
	char text[2048];
} captured;

static void capture(void *arg, const char *line)
{
	(void)arg;
	captured.lines++;
	snprintf(captured.text, sizeof(captured.text), "%s", line);
}

/* Opens drivers with these settings only; the state of CUDA is what most tests look at. */
static int open_drivers(struct xy__drivers *drivers, struct xy_config config)
{
	struct xy__settings settings;
	int status;

	memset(&captured, 0, sizeof(captured));
	config.ignore_environment = true;
	config.log = capture;
	assert_int_equal(xy__settings_init(&settings, &config), 0);
	status = xy__drivers_open(drivers, &settings);
	xy__settings_fini(&settings);
	return status;
}

/* How many devices of a test driver are open. */
static int count_open(const char *name)
{
	char path[512];
	void *library;
	int count;

	snprintf(path, sizeof(path), FOLDER("good") "/%s.so", name);
	library = dlopen(path, RTLD_NOW);
	assert_non_null(library);
	count = *(int *)dlsym(library, "test_driver_open");
	dlclose(library);
	return count;
}

static void expect_text(const struct xy_driver_info *info, const char *text)
{
	if (!strstr(info->text, text))
		fail_msg("\"%s\" does not say \"%s\"", info->text, text);
}

static void opens_all_devices_in_order(void **state)
{
	struct xy__drivers drivers;

	(void)state;
	assert_int_equal(open_drivers(&drivers, (struct xy_config){ .drivers = FOLDER("good"),
								    .arch[XY_OPENCL].devices = "3",
								    .arch[XY_CUDA].workers = 4 }),
			 0);
	assert_int_equal(captured.lines, 0);
	assert_int_equal(drivers.ndevices, 5);
	for (unsigned i = 0; i < 5; i++) {
		const struct xy__driver_device *d = &drivers.devices[i];
		char name[96];

		assert_int_equal(d->driver->arch, i < 2 ? XY_CUDA : XY_OPENCL);
		assert_int_equal(d->index, i < 2 ? i : i - 2);
		assert_int_equal(d->nworkers, i < 2 ? 4 : 1);
		assert_non_null(d->device);
		snprintf(name, sizeof(name), "Test Device %u", d->index);
		assert_string_equal(d->info.name, name);
		assert_int_equal(d->info.memory_bytes, (d->index + 1) << 20);
	}
	assert_int_equal(drivers.states[XY_CUDA].state, XY_DRIVER_READY);
	assert_int_equal(drivers.states[XY_CUDA].ndevices, 2);
	assert_string_equal(drivers.states[XY_CUDA].text, "2 devices");
	assert_int_equal(drivers.states[XY_OPENCL].ndevices, 3);
	assert_int_equal(count_open("cuda"), 2);
	assert_int_equal(count_open("opencl"), 3);
	xy__drivers_close(&drivers);
	assert_int_equal(count_open("cuda"), 0);
	assert_int_equal(count_open("opencl"), 0);
	xy__drivers_close(&drivers);
}

static void opens_drivers_again(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct xy__drivers first, second;

		assert_int_equal(open_drivers(&first, (struct xy_config){ .drivers = FOLDER("good") }), 0);
		assert_int_equal(open_drivers(&second, (struct xy_config){ .drivers = FOLDER("good") }), 0);
		assert_int_equal(count_open("cuda"), 4);
		xy__drivers_close(&first);
		assert_int_equal(count_open("cuda"), 2);
		xy__drivers_close(&second);
	}
	assert_int_equal(count_open("cuda"), 0);
}

static void looks_in_each_folder(void **state)
{
	struct xy__drivers drivers;

	(void)state;
	assert_int_equal(open_drivers(&drivers, (struct xy_config){ .drivers = ":/nowhere::" FOLDER(
									    "other_abi") ":" FOLDER("good") ":" }),
			 0);
	assert_int_equal(drivers.states[XY_CUDA].state, XY_DRIVER_REFUSED);
	assert_int_equal(drivers.states[XY_OPENCL].state, XY_DRIVER_READY);
	xy__drivers_close(&drivers);
}

/* What a driver that is no use is called, whether that is said, and that it is an error to want it. */
static void tells_states_apart(void **state)
{
	static const struct {
		const char *folders, *devices;
		enum xy_driver_state state;
		const char *text;
		bool quiet;
		int error;
	} cases[] = {
		{ "/nowhere", "0", XY_DRIVER_ABSENT, "not installed: no cuda.so in /nowhere", true, -ENOENT },
		{ FOLDER("unloadable"), "0", XY_DRIVER_UNLOADABLE, "test_missing_function", true, -ELIBACC },
		{ FOLDER("other_abi"), "0", XY_DRIVER_REFUSED, "driver ABI 5, this library has ABI 4", false, -EPROTO },
		{ FOLDER("no_driver"), "0", XY_DRIVER_REFUSED, "does not define xy_driver", false, -EPROTO },
		{ FOLDER("other_name"), "0", XY_DRIVER_REFUSED, "not a driver for cuda", false, -EPROTO },
		{ FOLDER("other_arch"), "0", XY_DRIVER_REFUSED, "not a driver for cuda", false, -EPROTO },
		{ FOLDER("incomplete"), "0", XY_DRIVER_REFUSED, "operations are missing", false, -EPROTO },
		{ FOLDER("probe_fails"), "0", XY_DRIVER_BROKEN, "failed: the kernel module is another version", false,
		  -EIO },
		{ FOLDER("open_fails"), "0", XY_DRIVER_BROKEN,
		  "0 of 2 devices; device 0 can't be opened: device 0 is on fire", false, -EIO },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct xy_config config = { .drivers = cases[i].folders, .arch[XY_OPENCL].devices = "none" };
		struct xy__drivers drivers;

		assert_int_equal(open_drivers(&drivers, config), 0);
		assert_int_equal(drivers.states[XY_CUDA].state, cases[i].state);
		expect_text(&drivers.states[XY_CUDA], cases[i].text);
		assert_int_equal(drivers.states[XY_CUDA].ndevices, 0);
		assert_int_equal(drivers.ndevices, 0);
		assert_int_equal(captured.lines, cases[i].quiet ? 0 : 1);
		assert_true(cases[i].quiet || strstr(captured.text, cases[i].text));
		xy__drivers_close(&drivers);

		config.arch[XY_CUDA].devices = cases[i].devices;
		assert_int_equal(open_drivers(&drivers, config), cases[i].error);
		assert_int_equal(captured.lines, 1);
		assert_non_null(strstr(captured.text, "XYLEM_CUDA_DEVICES or arch[XY_CUDA].devices is \"0\", but"));
		assert_non_null(strstr(captured.text, cases[i].text));
	}
}

static void says_what_is_wrong_with_the_devices_asked_for(void **state)
{
	struct xy__drivers drivers;

	(void)state;
	assert_int_equal(open_drivers(&drivers, (struct xy_config){ .drivers = FOLDER("good"),
								    .arch[XY_OPENCL].devices = "fast" }),
			 -EINVAL);
	assert_string_equal(captured.text,
			    "XYLEM_OPENCL_DEVICES or arch[XY_OPENCL].devices is \"fast\", but the driver opencl: "
			    "failed: \"fast\" is no number of devices");
	assert_int_equal(count_open("cuda"), 0);
	assert_int_equal(
		open_drivers(&drivers, (struct xy_config){ .drivers = FOLDER("good"), .arch[XY_CUDA].devices = "0" }),
		-ENODEV);
	assert_non_null(strstr(captured.text, "no devices: none were wanted"));
	assert_int_equal(open_drivers(&drivers, (struct xy_config){ .drivers = FOLDER("probe_fails"),
								    .arch[XY_CUDA].devices = "silence" }),
			 -EIO);
	assert_non_null(strstr(captured.text, strerror(EIO)));
	assert_int_equal(open_drivers(&drivers, (struct xy_config){ .drivers = FOLDER("open_fails"),
								    .arch[XY_CUDA].devices = "many" }),
			 -ERANGE);
	assert_non_null(strstr(captured.text, "65 devices, more than 64"));
}

/* Both devices that work are closed when the user wanted all three. */
static void needs_every_device_that_was_asked_for(void **state)
{
	struct xy__drivers drivers;

	(void)state;
	assert_int_equal(open_drivers(&drivers, (struct xy_config){ .drivers = FOLDER("good"),
								    .arch[XY_CUDA].devices = "3 without 1" }),
			 -EBUSY);
	assert_int_equal(captured.lines, 1);
	assert_non_null(strstr(captured.text, "2 of 3 devices; device 1 can't be opened: somebody else has it"));
	assert_int_equal(count_open("cuda"), 0);
}

static void goes_on_with_the_devices_that_work(void **state)
{
	struct xy__drivers drivers;

	(void)state;
	assert_int_equal(open_drivers(&drivers, (struct xy_config){ .drivers = FOLDER("half") }), 0);
	assert_int_equal(captured.lines, 1);
	assert_string_equal(captured.text, "the driver cuda: 2 of 3 devices; device 1 can't be opened: "
					   "somebody else has it; continuing without it");
	assert_int_equal(drivers.states[XY_CUDA].state, XY_DRIVER_READY);
	assert_int_equal(drivers.ndevices, 2);
	assert_int_equal(drivers.devices[1].index, 2);
	xy__drivers_close(&drivers);
}

static void switches_a_driver_off(void **state)
{
	struct xy__drivers drivers;

	(void)state;
	ndlopens = 0;
	assert_int_equal(open_drivers(&drivers, (struct xy_config){ .drivers = FOLDER("good"),
								    .arch[XY_CUDA].devices = "none",
								    .arch[XY_OPENCL].devices = "none" }),
			 0);
	assert_int_equal(ndlopens, 0);
	assert_int_equal(captured.lines, 0);
	assert_int_equal(drivers.states[XY_CUDA].state, XY_DRIVER_OFF);
	expect_text(&drivers.states[XY_OPENCL], "switched off");
	assert_int_equal(drivers.ndevices, 0);
	xy__drivers_close(&drivers);
}

/* The start of a runtime has to stay quick where there are no devices. */
static void costs_one_look_for_each_driver_that_is_not_installed(void **state)
{
	struct xy__drivers drivers;

	(void)state;
	naccesses = ndlopens = 0;
	assert_int_equal(open_drivers(&drivers, (struct xy_config){ .drivers = "/nowhere" }), 0);
	assert_int_equal(naccesses, XY_NARCH - XY__ARCH_DEVICES);
	assert_int_equal(ndlopens, 0);
	xy__drivers_close(&drivers);
}

/* --- the machine with the devices --- */

static struct xy_machine *machine_of(struct xy_config config)
{
	struct xy_machine *m;

	memset(&captured, 0, sizeof(captured));
	config.ignore_environment = true;
	config.log = capture;
	if (xy_machine_of_config(&m, &config))
		fail_msg("%s", captured.text);
	assert_int_equal(captured.lines, 0);
	return m;
}

static void puts_the_devices_into_the_machine(void **state)
{
	static const char *const texts[] = { "", "this:3", "this(numa:2 core:1)" };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct xy_machine *m = machine_of((struct xy_config){ .machine = texts[i],
								      .drivers = FOLDER("good"),
								      .device_cores = XY_NO,
								      .arch[XY_OPENCL].devices = "1",
								      .arch[XY_CUDA].workers = 2 });
		unsigned n = xy_machine_nworkers(m), nodes = xy_machine_nnodes(m);

		assert_true(xy_machine_is_here(m));
		assert_int_equal(count_open("cuda"), 0);
		assert_string_equal(xy_machine_worker(m, n - 1)->name, "opencl0");
		assert_int_equal(xy_machine_worker(m, n - 1)->device, 0);
		for (unsigned k = 0; k < 4; k++) {
			const struct xy_worker_info *w = xy_machine_worker(m, n - 5 + k);

			assert_int_equal(w->arch, XY_CUDA);
			assert_int_equal(w->index, k);
			assert_int_equal(w->device, k / 2);
			assert_int_equal(w->node, nodes - 3 + k / 2);
			assert_int_equal(w->pu, -1);
			assert_true(w->speed == (k < 2 ? 3 : 20));
		}
		assert_int_equal(xy_machine_worker(m, n - 6)->arch, XY_CPU);
		assert_true(xy_machine_worker(m, n - 6)->pu >= 0);
		assert_int_equal(xy_machine_distance(m, n - 5, n - 4), xy_machine_distance(m, n - 3, n - 2));
		assert_true(xy_machine_distance(m, n - 5, n - 4) < xy_machine_distance(m, n - 4, n - 3));
		assert_string_equal(xy_machine_node(m, nodes - 2)->name, "cuda1");
		assert_string_equal(xy_machine_node(m, nodes - 2)->title, "Test Device 1");
		assert_int_equal(xy_machine_node(m, nodes - 2)->memory_bytes, 2 << 20);
		assert_int_equal(xy_machine_driver(m, XY_CUDA)->ndevices, 2);
		assert_null(xy_machine_driver(m, XY_CPU));
		xy_machine_destroy(m);
	}
}

/* A device that can't be opened leaves a hole: the others keep their numbers. */
static void keeps_the_numbers_of_devices(void **state)
{
	struct xy__machine_device devices[] = {
		{ .arch = XY_CUDA, .index = 0, .nworkers = 1, .title = "first" },
		{ .arch = XY_CUDA, .index = 2, .nworkers = 1, .title = "third" },
	};
	struct xy__machine_request request = { .text = "this", .ncpu = 1, .ndevices = 2, .devices = devices };
	struct xy_machine *m;

	(void)state;
	assert_int_equal(xy__machine_create(&m, &request, NULL, 0), 0);
	assert_string_equal(xy_machine_worker(m, 2)->name, "cuda1");
	assert_int_equal(xy_machine_worker(m, 2)->device, 2);
	assert_string_equal(xy_machine_node(m, xy_machine_worker(m, 2)->node)->name, "cuda2");
	xy_machine_destroy(m);
}

static void has_devices_without_cpus(void **state)
{
	struct xy_machine *m = machine_of(
		(struct xy_config){ .ncpu = XY_NONE, .drivers = FOLDER("good"), .arch[XY_OPENCL].devices = "none" });
	struct xy_config alone = { .ncpu = XY_NONE, .drivers = "/nowhere", .ignore_environment = true, .log = capture };

	(void)state;
	assert_int_equal(xy_machine_nworkers(m), 2);
	assert_int_equal(xy_machine_nnodes(m), 3);
	assert_int_equal(xy_machine_worker(m, 0)->node, 1);
	assert_string_equal(xy_machine_node(m, 0)->name, "ram0");
	xy_machine_destroy(m);
	assert_int_equal(xy_machine_of_config(&m, &alone), -EINVAL);
	assert_null(m);
	assert_non_null(strstr(captured.text, "a machine needs a worker"));
}

/* Only "this" has them, and a machine that is wrong opens nothing. */
static void loads_nothing_for_other_machines(void **state)
{
	static const char *const texts[] = { "cpu:2", "cpu:2 cuda:1", "this cuda:1", "topology(core:2)",
					     "this(core:2) opencl:1" };
	struct xy_config wrong = {
		.machine = "this(cor:1)", .drivers = FOLDER("good"), .ignore_environment = true, .log = capture
	};
	struct xy_machine *m;

	(void)state;
	ndlopens = 0;
	for (unsigned i = 0; i < 5; i++) {
		m = machine_of((struct xy_config){ .machine = texts[i], .drivers = FOLDER("good") });
		assert_null(xy_machine_driver(m, XY_CUDA));
		xy_machine_destroy(m);
	}
	assert_int_equal(ndlopens, 0);
	assert_int_equal(xy_machine_of_config(&m, &wrong), -EINVAL);
	assert_null(m);
	assert_non_null(strstr(captured.text, "column 6: expected package"));
	assert_int_equal(count_open("cuda"), 0);
	assert_int_equal(xy_machine_of_config(NULL, &wrong), -EINVAL);
}

static void devices_are_opened_side_by_side(void **state)
{
	struct xy__drivers drivers;

	(void)state;
	assert_int_equal(open_drivers(&drivers, (struct xy_config){ .drivers = FOLDER("good"),
								    .arch[XY_CUDA].devices = "3 together",
								    .arch[XY_OPENCL].devices = "none" }),
			 0);
	assert_int_equal(drivers.ndevices, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(drivers.devices[i].index, i);
	xy__drivers_close(&drivers);
	assert_int_equal(count_open("cuda"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_are_opened_side_by_side),
		cmocka_unit_test(opens_all_devices_in_order),
		cmocka_unit_test(opens_drivers_again),
		cmocka_unit_test(looks_in_each_folder),
		cmocka_unit_test(tells_states_apart),
		cmocka_unit_test(says_what_is_wrong_with_the_devices_asked_for),
		cmocka_unit_test(needs_every_device_that_was_asked_for),
		cmocka_unit_test(goes_on_with_the_devices_that_work),
		cmocka_unit_test(switches_a_driver_off),
		cmocka_unit_test(costs_one_look_for_each_driver_that_is_not_installed),
		cmocka_unit_test(puts_the_devices_into_the_machine),
		cmocka_unit_test(keeps_the_numbers_of_devices),
		cmocka_unit_test(has_devices_without_cpus),
		cmocka_unit_test(loads_nothing_for_other_machines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
