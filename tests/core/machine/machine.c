/* SPDX-License-Identifier: MIT */
/* Machines from text: workers, nodes, distances, and what is said about a text that is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "core/machine/machine.h"

static struct xy_machine *machine(const char *text)
{
	struct xy_machine *m;
	char error[256] = "";
	int status = xy_machine_create(&m, text, error, sizeof(error));

	if (status)
		fail_msg("\"%s\": %d: %s", text, status, error);
	return m;
}

/* A machine whose number of CPU workers comes from the settings. */
static int create(struct xy_machine **m, const char *text, int ncpu, char *error, size_t error_size)
{
	return xy__machine_create(m, &(struct xy__machine_request){ .text = text, .ncpu = ncpu }, error, error_size);
}

static unsigned allowed_cores(void)
{
	struct xy_machine *m = machine("this");
	unsigned n = xy_machine_ncores(m);

	xy_machine_destroy(m);
	return n;
}

static void has_a_bound_worker_for_each_core_of_this_computer(void **state)
{
	static const char *const texts[] = { "", "this", " this\t", NULL };
	cpu_set_t set;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	for (unsigned i = 0; i < 4; i++) {
		struct xy_machine *m = machine(texts[i]);
		unsigned n = xy_machine_nworkers(m);

		assert_true(n >= 1 && n <= (unsigned)CPU_COUNT(&set));
		assert_int_equal(xy_machine_ncores(m), n);
		assert_true(xy_machine_is_here(m));
		for (unsigned w = 0; w < n; w++) {
			const struct xy_worker_info *info = xy_machine_worker(m, w);
			char name[16];

			snprintf(name, sizeof(name), "cpu%u", w);
			assert_string_equal(info->name, name);
			assert_int_equal(info->index, w);
			assert_int_equal(info->arch, XY_CPU);
			assert_true(CPU_ISSET((size_t)info->pu, &set));
			assert_true(info->node < xy_machine_nnodes(m));
			assert_true(info->speed == 1);
		}
		assert_null(xy_machine_worker(m, n));
		xy_machine_destroy(m);
	}
}

static void shares_cores_among_more_workers(void **state)
{
	unsigned ncores = allowed_cores();
	char text[32];
	struct xy_machine *m;

	(void)state;
	snprintf(text, sizeof(text), "cpu:%u", 3 * ncores);
	m = machine(text);
	assert_true(xy_machine_is_here(m));
	assert_int_equal(xy_machine_nworkers(m), 3 * ncores);
	assert_int_equal(xy_machine_ncores(m), ncores);
	for (unsigned w = 0; w < 3 * ncores; w++) {
		assert_int_equal(xy_machine_worker(m, w)->pu, xy_machine_worker(m, w % ncores)->pu);
		assert_int_equal(xy_machine_distance(m, w, (w + ncores) % (3 * ncores)), 1);
	}
	xy_machine_destroy(m);
}

static void lets_a_number_replace_the_cores_of_this_computer(void **state)
{
	struct xy_machine *m;
	char error[256];

	(void)state;
	assert_int_equal(create(&m, "this", 5, NULL, 0), 0);
	assert_int_equal(xy_machine_nworkers(m), 5);
	assert_true(xy_machine_is_here(m));
	xy_machine_destroy(m);
	assert_int_equal(create(&m, "this:2", 5, NULL, 0), 0);
	assert_int_equal(xy_machine_nworkers(m), 2);
	assert_true(xy_machine_is_here(m));
	xy_machine_destroy(m);
	assert_int_equal(create(&m, "this cuda:1", 5, NULL, 0), 0);
	assert_int_equal(xy_machine_nworkers(m), 6);
	assert_false(xy_machine_is_here(m));
	xy_machine_destroy(m);
	assert_int_equal(create(&m, "cpu:3", 5, NULL, 0), 0);
	assert_int_equal(xy_machine_nworkers(m), 3);
	xy_machine_destroy(m);
	assert_int_equal(create(&m, "topology(core:2)", 5, NULL, 0), 0);
	assert_int_equal(xy_machine_nworkers(m), 2);
	xy_machine_destroy(m);
	assert_int_equal(create(&m, "", 100001, error, sizeof(error)), -ERANGE);
	assert_non_null(strstr(error, "100000"));
	assert_null(m);
	assert_int_equal(create(&m, "this(numa:2 core:2)", 3, NULL, 0), 0);
	assert_int_equal(xy_machine_nworkers(m), 3);
	xy_machine_destroy(m);
	assert_int_equal(create(&m, "this", 0, error, sizeof(error)), -EINVAL);
	assert_non_null(strstr(error, "needs a worker"));
}

static void arranges_the_cores_of_this_computer(void **state)
{
	struct xy_machine *m = machine("this(package:2 [numa] core:3)"), *here = machine("this");
	unsigned ncores = xy_machine_ncores(here);

	(void)state;
	assert_true(xy_machine_is_here(m));
	assert_int_equal(xy_machine_nworkers(m), 6);
	assert_int_equal(xy_machine_ncores(m), ncores);
	assert_int_equal(xy_machine_nnodes(m), 2);
	for (unsigned w = 0; w < 6; w++) {
		assert_int_equal(xy_machine_worker(m, w)->pu, xy_machine_worker(here, w % ncores)->pu);
		assert_int_equal(xy_machine_worker(m, w)->node, w / 3);
	}
	assert_int_equal(xy_machine_distance(m, 0, 2), 2);
	assert_int_equal(xy_machine_distance(m, 0, 3), 3);
	xy_machine_destroy(m);
	m = machine("this(core:2) cuda:1");
	assert_false(xy_machine_is_here(m));
	assert_int_equal(xy_machine_ncores(m), 0);
	assert_int_equal(xy_machine_worker(m, 0)->pu, -1);
	xy_machine_destroy(m);
	xy_machine_destroy(here);
}

static void takes_devices_only_where_they_are_not_named(void **state)
{
	static const struct {
		const char *text;
		bool takes;
	} cases[] = {
		{ "", true },
		{ "this", true },
		{ " this:3", true },
		{ "this:0", true },
		{ "this(core:2)", true },
		{ "cpu:2", false },
		{ "this cuda:1", false },
		{ "this opencl:0", false },
		{ "topology(core:2)", false },
		{ "that", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(xy__machine_takes_devices(cases[i].text), cases[i].takes);
	assert_true(xy__machine_takes_devices(NULL));
}

static void describes_memory(void **state)
{
	struct xy_machine *m = machine("topology(numa:2 core:1) opencl:1 cuda:2");
	static const char *const names[] = { "ram0", "ram1", "cuda0", "cuda1", "opencl0" };

	(void)state;
	assert_int_equal(xy_machine_nnodes(m), 5);
	for (unsigned node = 0; node < 5; node++) {
		const struct xy_node_info *info = xy_machine_node(m, node);

		assert_string_equal(info->name, names[node]);
		assert_int_equal(info->arch, node < 2 ? XY_CPU : node < 4 ? XY_CUDA : XY_OPENCL);
		assert_int_equal(info->device, node < 2 ? -1 : node < 4 ? (int)node - 2 : 0);
		assert_int_equal(info->memory_bytes, 0);
		assert_string_equal(info->title, "");
	}
	assert_null(xy_machine_node(m, 5));
	assert_null(xy_machine_driver(m, XY_CUDA));
	xy_machine_destroy(m);
	m = machine("this(core:1)");
	assert_int_equal(xy_machine_nnodes(m), 1);
	assert_true(xy_machine_node(m, 0)->memory_bytes > 1 << 20);
	xy_machine_destroy(m);
}

static void gives_devices_memory_of_their_own(void **state)
{
	struct xy_machine *m = machine("opencl:1 cuda:2 cpu:3");

	(void)state;
	assert_int_equal(xy_machine_nworkers(m), 6);
	assert_int_equal(xy_machine_nnodes(m), 4);
	assert_false(xy_machine_is_here(m));
	assert_int_equal(xy_machine_ncores(m), 0);
	for (unsigned w = 0; w < 6; w++) {
		const struct xy_worker_info *info = xy_machine_worker(m, w);

		assert_int_equal(info->arch, w < 3 ? XY_CPU : w < 5 ? XY_CUDA : XY_OPENCL);
		assert_int_equal(info->node, w < 3 ? 0 : w - 2);
		assert_true(info->speed == (w < 3 ? 1 : w < 5 ? 20 : 10));
		assert_int_equal(info->pu, -1);
		assert_int_equal(info->device, w < 3 ? -1 : w < 5 ? (int)w - 3 : 0);
	}
	assert_string_equal(xy_machine_worker(m, 4)->name, "cuda1");
	assert_string_equal(xy_machine_worker(m, 5)->name, "opencl0");
	assert_int_equal(xy_machine_distance(m, 3, 4), xy_machine_distance(m, 0, 1));
	xy_machine_destroy(m);
}

static void keeps_main_memory_without_a_cpu(void **state)
{
	struct xy_machine *m = machine("cuda:2");

	(void)state;
	assert_int_equal(xy_machine_nworkers(m), 2);
	assert_int_equal(xy_machine_nnodes(m), 3);
	assert_int_equal(xy_machine_worker(m, 0)->node, 1);
	assert_int_equal(xy_machine_distance(m, 0, 0), 0);
	assert_true(xy_machine_distance(m, 0, 1) > 0);
	xy_machine_destroy(m);
	m = machine("cpu:0 cuda:1");
	assert_int_equal(xy_machine_nworkers(m), 1);
	xy_machine_destroy(m);
}

static void takes_speeds(void **state)
{
	static const double speeds[] = { 1, 0.25, 0.25, 15, 2.5 };
	struct xy_machine *m = machine("cpu:1 cuda:1*15 cpu:2*0.25 cuda:1*2.5e0");

	(void)state;
	assert_int_equal(xy_machine_nworkers(m), 5);
	for (unsigned w = 0; w < 5; w++)
		assert_true(xy_machine_worker(m, w)->speed == speeds[w]);
	assert_string_equal(xy_machine_worker(m, 2)->name, "cpu2");
	assert_string_equal(xy_machine_worker(m, 4)->name, "cuda1");
	xy_machine_destroy(m);
}

static void measures_distance_by_what_is_shared(void **state)
{
	struct xy_machine *m = machine("topology(numa:2 l3:2 core:2 pu:2) cuda:1");

	(void)state;
	assert_int_equal(xy_machine_nworkers(m), 9);
	assert_int_equal(xy_machine_nnodes(m), 3);
	assert_false(xy_machine_is_here(m));
	assert_int_equal(xy_machine_distance(m, 3, 3), 0);
	assert_int_equal(xy_machine_distance(m, 0, 1), 2);
	assert_int_equal(xy_machine_distance(m, 0, 2), 3);
	assert_int_equal(xy_machine_distance(m, 0, 4), 4);
	assert_int_equal(xy_machine_distance(m, 0, 8), 4);
	assert_int_equal(xy_machine_worker(m, 3)->node, 0);
	assert_int_equal(xy_machine_worker(m, 4)->node, 1);
	for (unsigned a = 0; a < 9; a++)
		for (unsigned b = 0; b < 9; b++)
			assert_int_equal(xy_machine_distance(m, a, b), xy_machine_distance(m, b, a));
	xy_machine_destroy(m);
}

static void makes_large_machines(void **state)
{
	static const char *const texts[] = {
		"cpu:100000",
		"topology(numa:100 l3:10 core:100 pu:2)",
		"cpu:50000 cuda:50000",
	};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct xy_machine *m = machine(texts[i]);

		assert_int_equal(xy_machine_nworkers(m), 100000);
		assert_true(xy_machine_distance(m, 0, 99999) >= 1);
		assert_int_equal(xy_machine_worker(m, 99999)->index, i == 2 ? 49999 : 99999);
		xy_machine_destroy(m);
	}
}

static void says_what_is_wrong_with_a_text(void **state)
{
	static const struct {
		const char *text;
		int status;
		const char *says;
	} cases[] = {
		{ "gpu:2", -EINVAL, "column 1: expected this, cpu:N, cuda:N, opencl:N, hip:N, topology(...) or @FILE" },
		{ "cpu:4 cdua:2", -EINVAL,
		  "column 7: expected this, cpu:N, cuda:N, opencl:N, hip:N, topology(...) or @FILE; "
		  "did you mean \"cuda\"" },
		{ "cpu", -EINVAL, "column 4: expected ':'" },
		{ "cpu:", -EINVAL, "column 5: expected a number" },
		{ "cpu:-1", -EINVAL, "column 5: expected a number" },
		{ "cpu:4,cuda:2", -EINVAL, "column 6: expected a space" },
		{ "cpu:4x", -EINVAL, "column 6: expected a space" },
		{ "cpu:0", -EINVAL, "needs a worker" },
		{ "cpu:0 cuda:0", -EINVAL, "needs a worker" },
		{ "cpu:100001", -ERANGE, "column 5: a machine has at most 100000" },
		{ "cpu:60000 cuda:60000", -ERANGE, "column 16: a machine has at most 100000" },
		{ "topology(core:100000) cuda:1", -ERANGE, "at most 100000" },
		{ "cpu:99999999999999999999", -ERANGE, "column 5: a machine has at most 100000" },
		{ "cuda:1*", -EINVAL, "column 8: expected a speed relative" },
		{ "cuda:1*fast", -EINVAL, "column 8: expected a speed relative" },
		{ "cuda:1*0", -ERANGE, "column 8: a speed" },
		{ "cuda:1*1e9", -ERANGE, "column 8: a speed" },
		{ "this:", -EINVAL, "column 6: expected a number" },
		{ "this:0", -EINVAL, "needs a worker" },
		{ "this(core:2", -EINVAL, "column 5: this parenthesis is not closed" },
		{ "this()", -EINVAL, "column 6: no cores" },
		{ "this(core:2):2", -EINVAL, "column 13: expected a space" },
		{ "this(core:2) cpu:2", -EINVAL, "column 14: the CPUs are described already" },
		{ "this:2 cpu:2", -EINVAL, "column 8: the CPUs are described already" },
		{ "this this", -EINVAL, "column 6: the CPUs are described already" },
		{ "this cpu:2", -EINVAL, "column 6: the CPUs are described already" },
		{ "cpu:2 this", -EINVAL, "column 7: the CPUs are described already" },
		{ "cpu:2 topology(core:2)", -EINVAL, "column 7: the CPUs are described already" },
		{ "topology(core:2) cpu:2", -EINVAL, "column 18: the CPUs are described already" },
		{ "topology", -EINVAL, "column 9: expected '('" },
		{ "topology(core:2", -EINVAL, "column 9: this parenthesis is not closed" },
		{ "topology(core:2(size=1)", -EINVAL, "column 9: this parenthesis is not closed" },
		{ "topology(numa:2 cor:4) cuda:1", -EINVAL, "column 17: expected package" },
		{ "topology()", -EINVAL, "column 10: no cores" },
		{ "(core:2)", -EINVAL, "column 1: expected this" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct xy_machine *m = (struct xy_machine *)&m;
		char error[256] = "", quoted[64];

		assert_int_equal(xy_machine_create(&m, cases[i].text, error, sizeof(error)), cases[i].status);
		assert_null(m);
		snprintf(quoted, sizeof(quoted), "machine \"%s\"", cases[i].text);
		if (!strstr(error, cases[i].says) || !strstr(error, quoted))
			fail_msg("\"%s\" says \"%s\"", cases[i].text, error);
		assert_int_equal(xy_machine_create(&m, cases[i].text, NULL, 0), cases[i].status);
		assert_int_equal(xy_machine_create(&m, cases[i].text, error, 2), cases[i].status);
		assert_int_equal(strlen(error), 1);
	}
}

static void refuses_too_many_items(void **state)
{
	struct xy_machine *m;
	char text[65 * 7 + 1], error[1024];

	(void)state;
	for (unsigned i = 0; i < 65; i++)
		memcpy(text + i * 7, "cuda:1 ", 8);
	assert_int_equal(xy_machine_create(&m, text, error, sizeof(error)), -ERANGE);
	assert_non_null(strstr(error, "too many items"));
	assert_non_null(strstr(error, " cud...\", column "));
	assert_true(strlen(error) < 180);
	text[64 * 7] = '\0';
	m = machine(text);
	assert_int_equal(xy_machine_nworkers(m), 64);
	xy_machine_destroy(m);
}

static void *bind_thread(void *arg)
{
	struct xy_machine *m = arg;
	cpu_set_t set;

	for (unsigned w = 0; w < xy_machine_nworkers(m); w++) {
		if (xy__machine_bind(m, w))
			return "bind";
		if (pthread_getaffinity_np(pthread_self(), sizeof(set), &set) || CPU_COUNT(&set) != 1 ||
		    !CPU_ISSET((size_t)xy_machine_worker(m, w)->pu, &set))
			return "not bound";
	}
	return NULL;
}

static void binds_a_thread_to_one_processor(void **state)
{
	struct xy_machine *m = machine("this");
	cpu_set_t before, after;
	pthread_t thread;
	void *failed;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(pthread_create(&thread, NULL, bind_thread, m), 0);
	assert_int_equal(pthread_join(thread, &failed), 0);
	if (failed)
		fail_msg("%s", (char *)failed);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	xy_machine_destroy(m);
	m = machine("cpu:1 cuda:1");
	assert_int_equal(xy__machine_bind(m, 0), 0);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	xy_machine_destroy(m);
}

static void names_architectures(void **state)
{
	(void)state;
	assert_string_equal(xy_arch_name(XY_CPU), "cpu");
	assert_string_equal(xy_arch_name(XY_CUDA), "cuda");
	assert_string_equal(xy_arch_name(XY_OPENCL), "opencl");
	assert_null(xy_arch_name(XY_NARCH));
	assert_null(xy_arch_name((enum xy_arch) - 1));
	xy_machine_destroy(NULL);
}

/* --- cores of device workers --- */

static struct xy_machine *with_devices(const char *text, int ncpu, bool device_cores)
{
	static const struct xy__machine_device devices[] = {
		{ .arch = XY_CUDA, .index = 0, .nworkers = 1, .title = "first" },
		{ .arch = XY_OPENCL, .index = 0, .nworkers = 2, .title = "second" },
	};
	struct xy__machine_request request = {
		.text = text, .ncpu = ncpu, .device_cores = device_cores, .ndevices = 2, .devices = devices
	};
	struct xy_machine *m;

	assert_int_equal(xy__machine_create(&m, &request, NULL, 0), 0);
	return m;
}

/* CPU workers on the first cores, the others on the cores from the last one on, or on none. */
static void expect_cores(struct xy_machine *m, unsigned ncpus, bool apart)
{
	struct xy_machine *all = machine("this(core:7)");

	assert_int_equal(xy_machine_nworkers(m), ncpus + 3);
	for (unsigned w = 0; w < ncpus; w++)
		assert_int_equal(xy_machine_worker(m, w)->pu, xy_machine_worker(all, w)->pu);
	for (unsigned w = 0; w < 3; w++)
		assert_int_equal(xy_machine_worker(m, ncpus + w)->pu, apart ? xy_machine_worker(all, 6 - w)->pu : -1);
	xy_machine_destroy(all);
	xy_machine_destroy(m);
}

static void device_workers_have_cores_of_their_own(void **state)
{
	(void)state;
	expect_cores(with_devices("this(core:7)", -1, true), 4, true);
	expect_cores(with_devices("this(core:7)", 2, true), 2, true);
	expect_cores(with_devices("this(core:7)", 4, true), 4, true);
	expect_cores(with_devices("this(core:7)", 0, true), 0, true);
}

static void device_workers_share_cores_if_there_are_too_few(void **state)
{
	(void)state;
	expect_cores(with_devices("this(core:7)", 5, true), 5, false);
	expect_cores(with_devices("this(core:7)", -1, false), 7, false);
	expect_cores(with_devices("this(core:3)", -1, true), 3, false);
	expect_cores(with_devices("this(core:1)", -1, true), 1, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_workers_have_cores_of_their_own),
		cmocka_unit_test(device_workers_share_cores_if_there_are_too_few),
		cmocka_unit_test(has_a_bound_worker_for_each_core_of_this_computer),
		cmocka_unit_test(shares_cores_among_more_workers),
		cmocka_unit_test(lets_a_number_replace_the_cores_of_this_computer),
		cmocka_unit_test(arranges_the_cores_of_this_computer),
		cmocka_unit_test(takes_devices_only_where_they_are_not_named),
		cmocka_unit_test(describes_memory),
		cmocka_unit_test(gives_devices_memory_of_their_own),
		cmocka_unit_test(keeps_main_memory_without_a_cpu),
		cmocka_unit_test(takes_speeds),
		cmocka_unit_test(measures_distance_by_what_is_shared),
		cmocka_unit_test(makes_large_machines),
		cmocka_unit_test(says_what_is_wrong_with_a_text),
		cmocka_unit_test(refuses_too_many_items),
		cmocka_unit_test(binds_a_thread_to_one_processor),
		cmocka_unit_test(names_architectures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
