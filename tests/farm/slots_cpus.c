/* SPDX-License-Identifier: MIT */
/* Processors of this computer and of one with two sockets and two GPUs, and the tables of nvidia-smi. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "farm/slots.h"
#include "farm/slots_cpus.h"
#include "farm/slots_smi.h"

/* The file of the computer with two sockets: its processors 0 2 4 6 are on the first one. */
static void open_sockets(struct slots_cpus *cpus)
{
	const char *folder = getenv("srcdir");
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/farm/two-sockets.xml", folder ? folder : ".");
	assert_int_equal(slots_cpus_init(cpus, path), 0);
}

static void finds_the_processors_that_this_process_may_use(void **state)
{
	struct slots_cpus cpus;
	cpu_set_t here, *all;
	size_t size;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(here), &here), 0);
	assert_int_equal(slots_cpus_init(&cpus, NULL), 0);
	assert_int_equal(cpus.count, CPU_COUNT(&here));
	for (unsigned i = 0; i < cpus.count; i++)
		assert_true(CPU_ISSET(cpus.numbers[i], &here));
	all = slots_cpus_set(&cpus, NULL, 0, &size);
	assert_non_null(all);
	assert_int_equal(CPU_COUNT_S(size, all), cpus.count);
	CPU_FREE(all);
	slots_cpus_fini(&cpus);
}

static void lists_hardware_threads_of_a_core_side_by_side(void **state)
{
	static const unsigned expected[] = { 0, 4, 2, 6, 1, 5, 3, 7 }, first[] = { 0, 1, 2, 3, 4 };
	struct slots_cpus cpus;
	char text[64];

	(void)state;
	open_sockets(&cpus);
	assert_int_equal(cpus.count, 8);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(cpus.numbers[i], expected[i]);
	slots_cpus_print(&cpus, first, 5, text, sizeof(text));
	assert_string_equal(text, "0-2,4,6");
	slots_cpus_print(&cpus, first, 1, text, sizeof(text));
	assert_string_equal(text, "0");
	slots_cpus_print(&cpus, first, 0, text, sizeof(text));
	assert_string_equal(text, "");
	slots_cpus_fini(&cpus);
}

static void knows_which_processors_are_near_a_gpu(void **state)
{
	struct slots_cpus cpus;
	bool near[8];

	(void)state;
	open_sockets(&cpus);
	assert_true(slots_cpus_near(&cpus, "00000000:86:00.0", near));
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(near[i], i >= 4);
	assert_true(slots_cpus_near(&cpus, "0000:3B:00.0", near));
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(near[i], i < 4);
	assert_false(slots_cpus_near(&cpus, "0000:01:00.0", near));
	assert_false(near[0]);
	assert_false(slots_cpus_near(&cpus, "nonsense", near));
	slots_cpus_fini(&cpus);
}

static void puts_each_slot_beside_its_gpu(void **state)
{
	struct slots_request r = { .ngpus = 2, .ncpus = 8, .gpus_per_rep = 0.5 };
	struct slots_cpus cpus;
	struct slots_division division;
	bool near[16];
	char text[64];

	(void)state;
	open_sockets(&cpus);
	/* GPU 0 hangs on the second socket. */
	assert_true(slots_cpus_near(&cpus, "0000:86:00.0", near));
	assert_true(slots_cpus_near(&cpus, "0000:3b:00.0", near + 8));
	r.near = near;
	assert_int_equal(slots_division_init(&division, &r, text, sizeof(text)), 0);
	slots_cpus_print(&cpus, division.cpus, 2, text, sizeof(text));
	assert_string_equal(text, "1,5");
	slots_cpus_print(&cpus, division.cpus + 2 * 2, 2, text, sizeof(text));
	assert_string_equal(text, "0,4");
	slots_division_fini(&division);
	slots_cpus_fini(&cpus);
}

static void refuses_a_file_that_is_no_topology(void **state)
{
	struct slots_cpus cpus;

	(void)state;
	assert_true(slots_cpus_init(&cpus, "/dev/null") < 0);
	assert_null(cpus.numbers);
}

static void finds_addresses_in_the_table(void **state)
{
	static const char table[] = "0, GPU-aaaa-1, 00000000:3B:00.0\n1, GPU-bbbb-2, 00000000:86:00.0\n";
	char address[32];

	(void)state;
	assert_true(slots_smi_address(table, "1", address, sizeof(address)));
	assert_string_equal(address, "00000000:86:00.0");
	assert_true(slots_smi_address(table, "GPU-aaaa-1", address, sizeof(address)));
	assert_string_equal(address, "00000000:3B:00.0");
	assert_true(slots_smi_address(table, "GPU-b", address, sizeof(address)));
	assert_string_equal(address, "00000000:86:00.0");
	assert_false(slots_smi_address(table, "2", address, sizeof(address)));
	assert_false(slots_smi_address(table, "GPU-aaaa-12", address, sizeof(address)));
	assert_false(slots_smi_address("No devices were found\n", "0", address, sizeof(address)));
	assert_false(slots_smi_address(table, "1", address, 4));
	assert_false(slots_smi_address("", "0", address, sizeof(address)));
	assert_false(slots_smi_address("0\n0,\n", "0", address, sizeof(address)));
}

static void finds_processes_in_the_table(void **state)
{
	const char *at = "12, 4096\nnonsense\n, \n13, [N/A]\n14, 1";
	uint64_t bytes;
	pid_t pid;

	(void)state;
	assert_true(slots_smi_process(&at, &pid, &bytes));
	assert_int_equal(pid, 12);
	assert_int_equal(bytes, 4096ull << 20);
	assert_true(slots_smi_process(&at, &pid, &bytes));
	assert_int_equal(pid, 13);
	assert_int_equal(bytes, 0);
	assert_true(slots_smi_process(&at, &pid, &bytes));
	assert_int_equal(pid, 14);
	assert_int_equal(bytes, 1 << 20);
	assert_false(slots_smi_process(&at, &pid, &bytes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_processors_that_this_process_may_use),
		cmocka_unit_test(lists_hardware_threads_of_a_core_side_by_side),
		cmocka_unit_test(knows_which_processors_are_near_a_gpu),
		cmocka_unit_test(puts_each_slot_beside_its_gpu),
		cmocka_unit_test(refuses_a_file_that_is_no_topology),
		cmocka_unit_test(finds_addresses_in_the_table),
		cmocka_unit_test(finds_processes_in_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
